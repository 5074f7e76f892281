"""Builds the Jinja2 environments of the HTML pages. They escape all text and load nothing from outside."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from urllib.parse import quote

from jinja2 import DictLoader, Environment, StrictUndefined

from debate_cli.render import sanitize, theme
from debate_cli.render.content.participants import format_model
from debate_cli.render.html.charts import PlottedInterval, plot_interval
from debate_cli.systems.tables import Cell, Interval, Lines, format_number

COLOUR_CLASSES = {theme.GREEN: "good", theme.RED: "bad", theme.GOLD: "mixed", theme.BLUE: "calm", theme.MUTED: "quiet"}
"""Maps the terminal colour of a badge to a class of the style sheet."""
SHORT_CELL_LENGTH = 30
"""Maximum length of a table cell that is not wrapped."""


@cache
def read_template(name: str) -> str:
    """Return the text of a packaged template, style sheet or script."""
    return resources.files("debate_cli.render.html").joinpath("templates", name).read_text(encoding="utf-8").strip()


@cache
def build_environment(names: Sequence[str]) -> Environment:
    """Return the environment of the named templates, with filters that sanitize text and format numbers."""
    environment = Environment(
        loader=DictLoader({name: read_template(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., object]] = {
        "line": sanitize.sanitize_line,
        "clean": sanitize.sanitize_text,
        "number": format_number,
        "model": format_model,
        "sign_of": theme.badge_sign,
        "tone": _colour_class,
        "breadth": _cell_width_class,
        "kind": _type_name,
        "plotted": _plot_cell,
    }
    environment.filters.update(filters)
    return environment


def csp_hash(text: str) -> str:
    """Return the expression for a Content-Security-Policy that allows exactly this style sheet or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _cell_width_class(value: Cell) -> str:
    """Return the style class of a text cell: short text is not wrapped, long text has a minimum width."""
    words = value.cells if isinstance(value, Lines) else (value,)
    longest = max((len(word) for word in words if isinstance(word, str)), default=0)
    return "" if not longest else "brief" if longest <= SHORT_CELL_LENGTH else "words"


def file_href(path: str) -> str:
    """Return a file path as a URL that cannot run a script, whatever the file's name; empty for an empty path."""
    quoted = quote(path, safe="/", errors="replace")
    return "/" + quoted.lstrip("/") if quoted.startswith("/") else f"./{quoted}" if quoted else ""


def _colour_class(colour: str) -> str:
    return COLOUR_CLASSES.get(colour, "calm")


def _plot_cell(cell: Interval) -> PlottedInterval:
    return plot_interval("", cell, "", low=cell.start, high=cell.end)


def _type_name(value: object) -> str:
    return type(value).__name__
