"""Pages from templates: every text is escaped, what a page may run is named by its hash, and nothing is loaded. No Rich."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources

from jinja2 import DictLoader, Environment, StrictUndefined

from debate_cli.render import hostile, look


def source(name: str) -> str:
    """The text of a packaged template, style sheet or script."""
    return resources.files("debate_cli.render").joinpath("templates", name).read_text(encoding="utf-8").strip()


def environment(names: Sequence[str]) -> Environment:
    """An environment of these templates, all escaping; its filters clean untrusted text and write numbers."""
    made = Environment(
        loader=DictLoader({name: source(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(line=hostile.line, clean=hostile.clean, number=look.number)
    return made


def digest(text: str) -> str:
    """`text` as a Content-Security-Policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
