"""Draws README's picture of the report: the top of the page of a committed debate, in Chromium. `make screen` runs it."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from browser_support import chromium, program
from draw_screen import ROOT, page

TARGET = ROOT / "docs" / "report.webp"
SIZE = (1180, 1500)
"""Width and height of the picture, in pixels."""


def draw(browser: Path, target: Path) -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder, chromium(browser) as window:
        report = Path(folder) / "report.html"
        report.write_text(page(), encoding="utf-8")
        window.open(report, width=SIZE[0], height=SIZE[1])
        window.screenshot(target, form="webp")


if __name__ == "__main__":
    found = program()
    if found is None:
        sys.exit(
            "no Chromium, so docs/report.webp stays as it is: install it as /usr/bin/chromium, or name it in CHROMIUM"
        )
    draw(found, TARGET)
