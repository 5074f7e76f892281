"""Renders the HTML pages with Jinja2, which escapes all text and loads only packaged templates."""

import base64
import hashlib
import re
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from debate_cli.domain.message_text import sanitize_text
from debate_cli.render import sanitize
from debate_cli.render.html.charts import plot_interval
from debate_cli.render.theme import format_cell, format_model, format_model_id
from debate_cli.statistics.estimate import LEVEL_LABEL
from debate_cli.systems.tables import Cell, Interval, JoinedCells, Lines, format_number

SHORT_CELL_LENGTH = 30
"""Maximum number of characters of a text cell that is never wrapped."""


@cache
def build_environment() -> Environment:
    """Return the Jinja2 environment of all packaged templates, with filters for text and numbers.

    Templates read the confidence level of intervals from the variable `interval_level`.
    """
    environment = Environment(
        loader=PackageLoader("debate_cli.render.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., object]] = {
        "line": sanitize.sanitize_line,
        "paths": break_paths,
        "code": mark_code,
        "clean": sanitize_text,
        "number": format_number,
        "model": format_model,
        "model_id": format_model_id,
        "breadth": _cell_width_class,
        "kind": _type_name,
        "plotted": _plot_cell,
        "csp_hash": csp_hash,
    }
    environment.filters.update(filters)
    variables: dict[str, Any] = {"interval_level": LEVEL_LABEL}
    environment.globals.update(variables)
    return environment


def render_page(template: str, *styles: str, title: str, script: str = "", **context: object) -> str:
    """Return a page whose Content-Security-Policy allows only its own style sheets and script.

    `template`, `styles`, `script`: names of packaged files; an empty `script` adds no script.
    """
    environment = build_environment()
    style, code = (
        Markup("".join(environment.get_template(name).render() for name in names))  # noqa: S704 - constant files
        for names in (styles, [script] if script else [])
    )
    return environment.get_template(template).render(title=title, style=style, script=code, **context)


def csp_hash(text: str) -> str:
    """Return the Content-Security-Policy expression that allows only the style sheet or script with this `text`."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def file_href(path: str) -> str:
    """Return a file path as a URL without a scheme: such a URL cannot run a script. Empty for an empty path."""
    quoted = quote(path, safe="/", errors="replace")
    return "/" + quoted.lstrip("/") if quoted.startswith("/") else f"./{quoted}" if quoted else ""


def break_paths(text: str) -> Markup:
    """Return `text` escaped for HTML. A long path may break after a slash, but not within a name."""
    return Markup("/<wbr>").join(text.split("/"))


def mark_code(text: str) -> Markup:
    """Return `text` escaped for HTML. Words in backticks become `<code>` elements."""
    parts = re.split(r"`([^`]+)`", text)
    return Markup().join(
        Markup("<code>{}</code>").format(part) if place % 2 else part for place, part in enumerate(parts)
    )


def _type_name(value: object) -> str:
    return type(value).__name__


def _cell_width_class(value: Cell) -> str:
    words = value.cells if isinstance(value, Lines) else (value,)
    longest = max((len(format_cell(word)) for word in words if isinstance(word, str | JoinedCells)), default=0)
    return "" if not longest else "brief" if longest <= SHORT_CELL_LENGTH else "words"


def _plot_cell(cell: Interval) -> dict[str, object]:
    return plot_interval("", cell, "", axis_start=cell.start, axis_end=cell.end)
