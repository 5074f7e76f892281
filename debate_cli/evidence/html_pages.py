"""Reads HTML pages."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser

from debate_cli.domain.message_text import one_line
from debate_cli.evidence.sections import MAX_NAME_CHARS, Section, check_length, format_row
from debate_cli.evidence.superscripts import SCRIPT_END, SUBSCRIPT, SUPERSCRIPT, write_scripts

_COMMENT = re.compile(r"<!--(?:.*?-->|.*)", re.DOTALL)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NO_TEXT = frozenset({"script", "style", "template", "head", "noscript"})
_BLOCKS = frozenset(
    ["address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog", "dir", "div",
     "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "legend", "li", "main",
     "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"]
)  # fmt: skip
"""HTML elements that stand on lines of their own."""
_CONTROLS = frozenset({"button", "input", "optgroup", "option", "select", "textarea"})
"""HTML form elements. A browser separates their text from the other text of the line."""
_CELL, _HEAD_CELL, _WIDE_CELL, _TALL_CELL, _CONTROL = map(chr, range(1, 6))
"""Characters that mark table cells and form elements in the collected text of a page. The page's own text never
contains these characters.

A wide cell covers several columns, a tall cell several rows.
"""
_CELL_MARK = re.compile(f"([{_CELL}{_HEAD_CELL}{_WIDE_CELL}{_TALL_CELL}])")
_MARK = re.compile(f"[{_CELL}-{SCRIPT_END}]")
_SCRIPT_MARKS = {"sup": SUPERSCRIPT, "sub": SUBSCRIPT}


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self._parts: list[str] = []
        self._heading = ""
        self._hidden = 0
        self._in_heading = False
        self._open_scripts = 0
        self._open_tables = 0
        self._columns: list[str] | None = []
        self._row_start: int | None = None
        self._row_chars = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _NO_TEXT
        if tag in _SCRIPT_MARKS:
            self._parts.append(("^" if tag == "sup" else "_") if self._open_scripts else _SCRIPT_MARKS[tag])
            self._open_scripts += 1
            return
        if tag in _HEADINGS:
            self.end_section()
            self._heading, self._in_heading = "", True
        self._separate(tag)
        if tag in {"td", "th"}:
            self._parts.append(_mark_cell(tag, dict(attrs)))
        elif tag == "tr":
            self._row_start = len(self._parts)
        elif tag == "table":
            self._open_tables += 1
            self._columns = [] if self._open_tables == 1 else None

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in _NO_TEXT))
        if tag in _SCRIPT_MARKS:
            if self._open_scripts == 1:
                self._parts.append(SCRIPT_END)
            self._open_scripts = max(0, self._open_scripts - 1)
            return
        if tag in _HEADINGS:
            self._end_heading()
        self._separate(tag)
        if tag == "table":
            self._open_tables = max(0, self._open_tables - 1)

    def handle_data(self, data: str) -> None:
        if self._in_heading or not self._hidden:
            self._parts.append(data if self._row_start is None else re.sub(r"\s+", " ", data))

    def end_section(self) -> None:
        self._end_heading()
        paragraphs = re.split(r"\n\s*\n", self._take_text())
        self.sections.append(Section("\n\n".join(filter(None, map(_join_pieces, paragraphs))), self._heading))

    def _separate(self, tag: str) -> None:
        """Add a separator, e.g. a blank line, at the start tag or end tag `tag`. Most tags need no separator."""
        if tag in _BLOCKS or tag in {"td", "th"}:
            self._end_script()
        if tag in {"tr", "table"}:
            self._end_row()
        if tag in _BLOCKS:
            self._parts.append("\n\n")
        elif tag in _CONTROLS:
            self._parts.append(_CONTROL)
        elif tag == "mn" or self._in_heading:  # `mn` is a number in a formula
            self._parts.append(" ")

    def _end_script(self) -> None:
        if self._open_scripts:
            self._parts.append(SCRIPT_END)
            self._open_scripts = 0

    def _end_row(self) -> None:
        if self._row_start is not None:
            row = write_scripts("".join(self._parts[self._row_start :]))
            row, self._columns = _name_cells(row, self._columns)
            self._parts[self._row_start :] = [row]
            self._row_start = None
            self._row_chars += len(row)
            check_length(self._row_chars)

    def _end_heading(self) -> None:
        if self._in_heading:
            self._heading, self._in_heading = _join_pieces(self._take_text()), False

    def _take_text(self) -> str:
        self._end_script()
        self._end_row()
        text = write_scripts("".join(self._parts))
        self._parts = []
        return text


def _mark_cell(tag: str, attributes: dict[str, str | None]) -> str:
    if (attributes.get("rowspan") or "1") != "1":
        return _TALL_CELL
    if (attributes.get("colspan") or "1") != "1":
        return _WIDE_CELL
    return _HEAD_CELL if tag == "th" else _CELL


def _name_cells(row: str, names: list[str] | None) -> tuple[str, list[str] | None]:
    """Return a row of an HTML table with column names before its cells, and the column names to use for the next row.

    `names`: the column names to use for `row`. Empty if no row of header cells came before. None if it is unknown to
    which columns the cells belong. The columns are unknown in each of these cases:

    - An earlier row of the table has a cell that covers several rows.
    - The table is inside another table.
    - The table contains another table, which came before `row`.
    """
    before, *pieces = _CELL_MARK.split(row)
    kinds, cells = pieces[::2], [_join_pieces(piece) for piece in pieces[1::2]]
    if names is not None and set(kinds) == {_HEAD_CELL}:
        is_head = len(cells) >= len(names)  # a shorter row is a heading between rows
        return before + format_row((), cells), [cell[:MAX_NAME_CHARS] for cell in cells] if is_head else names
    known = next((at for at, kind in enumerate(kinds) if kind in {_WIDE_CELL, _TALL_CELL}), len(kinds))
    named = before + format_row(names[:known], cells) if names else row
    return named, None if _TALL_CELL in kinds else names


def _join_pieces(paragraph: str) -> str:
    return "; ".join(filter(None, map(one_line, _MARK.split(paragraph))))


def read_html_page(text: str) -> Iterable[Section]:
    """Return the sections of an HTML page.

    Comments, and tags without `>` at the end of the page, would make the parser slow. Therefore comments are removed,
    and such tags become text.
    """
    body, mark, rest = _COMMENT.sub("", text).replace("<![", "<!").rpartition(">")
    reader = _PageReader()
    reader.feed(f"{body}{mark}{rest.replace('<', '&lt;')}")
    reader.close()
    reader.end_section()
    return reader.sections
