"""axe-core, the accessibility checker, run on the page that a browser shows. Its script comes with axe-playwright-python."""

import json
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from browser_support import Chromium

PACKAGE = "axe-playwright-python"
_RUN = """axe.run(document, {resultTypes: ["violations"], ...OPTIONS}).then(found => JSON.stringify(found.violations.map(
    rule => `${rule.impact} ${rule.id}: ${rule.nodes.slice(0, 4).map(node => node.target.join(" ")).join(", ")}`)))"""


@cache
def script() -> str | None:
    """The checker's source; None where the package is not installed. Nothing of the package is imported."""
    try:
        listed = files(PACKAGE) or []
    except PackageNotFoundError:
        return None
    found = [Path(str(path.locate())) for path in listed if path.name == "axe.min.js"]
    return found[0].read_text(encoding="utf-8") if found else None


def violations(browser: Chromium, rule: str = "") -> list[str]:
    """A line for each rule that the page breaks, and where; `rule` is the only one that is checked."""
    source = script()
    assert source is not None
    browser.evaluate(source)
    return [
        str(line)
        for line in json.loads(
            browser.evaluate(_RUN.replace("OPTIONS", json.dumps({"runOnly": [rule]} if rule else {})))
        )
    ]
