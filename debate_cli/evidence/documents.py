"""Reads source files as sections of text, each with its position in the file."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib.util import find_spec
from itertools import groupby, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from debate_cli.csv_file import find_delimiter
from debate_cli.domain.message_text import one_line
from debate_cli.domain.text_normalization import remove_invisible
from debate_cli.errors import format_install_command
from debate_cli.regular_file import read_regular_file

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph
    from docx.text.run import Run

MAX_FILE_BYTES = 20_000_000
MAX_TEXT_CHARS = 100_000_000
"""Maximum length in characters of the text read from a file. The text of JSON and of tables can be longer than the
file, because each value is written with its name."""
_MAX_PATH_CHARS = 200
_FENCE = re.compile(r"^ {0,3}(?P<marks>`{3,}|~{3,})(?P<rest>.*)$", re.MULTILINE)
_PACKAGE_BY_SUFFIX = {".pdf": "pypdf", ".docx": "docx"}
_HEADING = re.compile(
    r"^#{1,6}[ \t]+(?P<markdown>\S.*)$|^(?P<underlined>\S.*)\n(?:={3,}|-{3,}|~{3,}|\^{3,})$", re.MULTILINE
)
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
"""HTML elements in a line of text that a browser separates from the text beside them."""
_CELL, _HEAD_CELL, _WIDE_CELL, _TALL_CELL, _CONTROL, _SUPERSCRIPT, _SUBSCRIPT, _SCRIPT_END = map(chr, range(1, 9))
"""Marks for the elements of a page in its collected text. A source's own text never contains these characters.

A wide cell covers several columns, a tall cell several rows. A script is a superscript or a subscript.
"""
_CELL_MARK = re.compile(f"([{_CELL}{_HEAD_CELL}{_WIDE_CELL}{_TALL_CELL}])")
_MARK = re.compile(f"[{_CELL}-{_SCRIPT_END}]")
_SCRIPT_MARKS = {"sup": _SUPERSCRIPT, "sub": _SUBSCRIPT}
_SCRIPT = re.compile(f"([{_SUPERSCRIPT}{_SUBSCRIPT}])([^{_SUPERSCRIPT}-{_SCRIPT_END}]*){_SCRIPT_END}")
_SUPERSCRIPT_CHARS = dict(zip("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾", strict=True))
_FOOTNOTE = re.compile(r"\[[^\[\]]+\]")
_ORDINAL_ENDING = re.compile(r"(?<=[\dIVXLCDM])(?i:st|nd|rd|th|er|ère|re|e|ème|o)")


class Section(NamedTuple):
    """A part of a document. A passage never contains text of two sections."""

    text: str
    heading: str = ""
    first_line: int | None = None
    """Number of the section's first line in the file, from 1; None if the format has no lines."""
    unit: str = "line"
    """What a line of `text` is: `line` of the file, `row` of a table, or `value` in JSON."""
    page: int | None = None

    @property
    def is_list(self) -> bool:
        """Whether each line of `text` is a row of a table or a value in JSON."""
        return self.unit in {"row", "value"}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that the user gave as a source."""

    path: Path
    name: str
    """Path as shown to the user."""
    title: str | None = None
    leaves_folder: bool = False
    """Whether the file is a link to a place outside the folder that the user gave."""


class UnreadableSourceError(ValueError):
    """Raised for a file that cannot be indexed. The message says why in one sentence."""


def read_source_bytes(path: Path) -> bytes:
    """Return the content of a source file. Raises UnreadableSourceError if the file cannot be indexed."""
    if path.suffix.lower() not in _READERS | _BINARY_READERS:
        kinds = ", ".join(sorted(_READERS | _BINARY_READERS))
        raise UnreadableSourceError(f"files of this format cannot be read; convert the file to one of {kinds}")
    package = _PACKAGE_BY_SUFFIX.get(path.suffix.lower())
    if package is not None and find_spec(package) is None:
        raise UnreadableSourceError(
            f"it needs the extra [documents]; install it with {format_install_command('documents')}"
        )
    try:
        data = read_regular_file(path, MAX_FILE_BYTES)
    except OSError as error:
        raise UnreadableSourceError(f"it cannot be read ({error.strerror}); make it readable") from error
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableSourceError(f"it is larger than {MAX_FILE_BYTES // 1_000_000} MB; split it")
    return data


def read_sections(source: SourceFile, data: bytes) -> tuple[str, list[Section]]:
    """Return the title and the sections of a file with the content `data`.

    Raises UnreadableSourceError if the content cannot be read.
    """
    kind = source.path.suffix.lower()
    try:
        sections = list(_BINARY_READERS[kind](data) if kind in _BINARY_READERS else _READERS[kind](_decode(data)))
    except UnreadableSourceError:
        raise
    except RecursionError as error:
        raise UnreadableSourceError("it is nested too deeply; flatten it") from error
    except Exception as error:  # parsers of other projects raise many kinds of errors for damaged files
        raise UnreadableSourceError(f"it is not valid {kind[1:].upper()}; correct it") from error
    first = next((section.heading for section in sections if section.heading), "")
    return source.title or first or source.path.stem, [section for section in sections if section.text.strip()]


def _decode(data: bytes) -> str:
    if b"\0" in data:
        raise UnreadableSourceError("it is not text in UTF-8; save it as UTF-8")
    try:
        return clean_text(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableSourceError("it is not valid UTF-8; save it as UTF-8") from error


def clean_text(text: str) -> str:
    """Return `text` with Unix line ends, and without terminal control sequences and invisible characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return remove_invisible(lines)


def _read_marked_up(text: str) -> Iterator[Section]:
    start, line, heading = 0, 1, ""
    fences = _fenced_code(text)
    fence = next(fences, None)
    for match in _HEADING.finditer(text):
        while fence is not None and fence[1] <= match.start():
            fence = next(fences, None)
        if fence is not None and fence[0] <= match.start():
            continue
        yield Section(text[start : match.start()], heading, line)
        line += text.count("\n", start, match.end())
        start, heading = match.end(), (match["markdown"] or match["underlined"]).rstrip()
    yield Section(text[start:], heading, line)


def _fenced_code(text: str) -> Iterator[tuple[int, int]]:
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
        elif match["marks"].startswith(opened["marks"]) and not match["rest"].strip():
            yield opened.start(), match.end()
            opened = None


def _table_lines(rows: Iterator[list[str]]) -> Iterator[str]:
    head = [name.strip()[:_MAX_PATH_CHARS] for name in next(rows, list[str]())]
    for row in rows:
        yield _format_row(head, row)


def _format_row(names: Sequence[str], cells: Sequence[str]) -> str:
    """Return the cells that are not empty, each after the name of its column. A cell may have no name."""
    named = zip_longest(names[: len(cells)], map(one_line, cells), fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)


def _read_csv(text: str) -> list[Section]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=find_delimiter(text), strict=True)
    return [Section(_join_lines(_table_lines(rows)), first_line=2, unit="row")]


def _join_lines(lines: Iterable[str]) -> str:
    joined = io.StringIO()
    for line in lines:
        _check_length(joined.tell() + len(line) + 1)
        joined.write(f"{line}\n")
    return joined.getvalue().removesuffix("\n")


def _check_length(chars: int) -> None:
    if chars > MAX_TEXT_CHARS:
        raise UnreadableSourceError(f"it contains more than {MAX_TEXT_CHARS:,} characters of text; split it")


def _json_lines(value: Any, path: str) -> Iterator[str]:
    shown = path if len(path) <= _MAX_PATH_CHARS else f"…{path[-_MAX_PATH_CHARS:]}"
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _json_lines(item, f"{shown}.{key}" if shown else key)
    elif isinstance(value, list):
        for number, item in enumerate(cast("list[Any]", value)):
            yield from _json_lines(item, f"{shown}[{number}]")
    else:
        yield f"{shown}: {one_line(value if isinstance(value, str) else json.dumps(value))}"


def _write_scripts(text: str) -> str:
    """Replace marked superscripts and subscripts in `text`, so that their digits do not join the number beside them.

    A superscript becomes Unicode superscripts, or `^(…)` if it has other characters than digits and signs. The endings of
    ordinal numbers and superscripts without letters and digits stay as they are. So do subscripts, as in `H2O`, except
    beside a digit: there they become `_(…)`.
    """
    return _SCRIPT.sub(_write_script, text)


def _write_script(match: re.Match[str]) -> str:
    text, (start, end), content = match.string, match.span(), match[2].strip()
    before, after = text[max(0, start - 2) : start].rstrip(_SCRIPT_END)[-1:], text[end : end + 1]
    is_plain = not any(map(str.isalnum, content))
    if match[1] == _SUBSCRIPT:
        written = content if is_plain or not (before.isnumeric() or after.isnumeric()) else f"_({content})"
    elif all(char in _SUPERSCRIPT_CHARS for char in content):
        written = "".join(_SUPERSCRIPT_CHARS[char] for char in content)
    elif _FOOTNOTE.fullmatch(content):
        written = f" {content}" if before.isalnum() or before in {"]", "%"} else content
    elif is_plain or _ORDINAL_ENDING.fullmatch(f"{before}{content}", len(before)):
        written = content
    else:
        written = f"^({content})"
    return written + (" " if match[2][-1:].isspace() else "")


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
                self._parts.append(_SCRIPT_END)
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
        """Separate the text before a start tag or end tag from the text after it."""
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
            self._parts.append(_SCRIPT_END)
            self._open_scripts = 0

    def _end_row(self) -> None:
        if self._row_start is not None:
            row = _write_scripts("".join(self._parts[self._row_start :]))
            row, self._columns = _name_cells(row, self._columns)
            self._parts[self._row_start :] = [row]
            self._row_start = None
            self._row_chars += len(row)
            _check_length(self._row_chars)

    def _end_heading(self) -> None:
        if self._in_heading:
            self._heading, self._in_heading = _join_pieces(self._take_text()), False

    def _take_text(self) -> str:
        self._end_script()
        self._end_row()
        text = _write_scripts("".join(self._parts))
        self._parts = []
        return text


def _mark_cell(tag: str, attributes: dict[str, str | None]) -> str:
    if (attributes.get("rowspan") or "1") != "1":
        return _TALL_CELL
    if (attributes.get("colspan") or "1") != "1":
        return _WIDE_CELL
    return _HEAD_CELL if tag == "th" else _CELL


def _name_cells(row: str, names: list[str] | None) -> tuple[str, list[str] | None]:
    """Return a row of an HTML table with the names of its columns, and the names for the next row.

    `names`: empty before the first row of header cells. None if the columns of the cells are unknown: the cells of a table
    inside a table, and cells below a tall cell.
    """
    before, *pieces = _CELL_MARK.split(row)
    kinds, cells = pieces[::2], [_join_pieces(piece) for piece in pieces[1::2]]
    if names is not None and set(kinds) == {_HEAD_CELL}:
        is_head = len(cells) >= len(names)  # a shorter row is a heading between rows
        return before + _format_row((), cells), [cell[:_MAX_PATH_CHARS] for cell in cells] if is_head else names
    known = next((at for at, kind in enumerate(kinds) if kind in {_WIDE_CELL, _TALL_CELL}), len(kinds))
    named = before + _format_row(names[:known], cells) if names else row
    return named, None if _TALL_CELL in kinds else names


def _join_pieces(paragraph: str) -> str:
    return "; ".join(filter(None, map(one_line, _MARK.split(paragraph))))


def _read_page(text: str) -> Iterable[Section]:
    """Read an HTML page. Comments and unclosed tags do not reach the parser, because they would make it very slow."""
    body, mark, rest = _COMMENT.sub("", text).replace("<![", "<!").rpartition(">")
    reader = _PageReader()
    reader.feed(f"{body}{mark}{rest.replace('<', '&lt;')}")
    reader.close()
    reader.end_section()
    return reader.sections


def _read_pdf(data: bytes) -> Iterator[Section]:
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableSourceError("it is protected by a password; save it without a password")
    count = 0
    for number, page in enumerate(reader.pages, start=1):
        text = clean_text(page.extract_text())
        count += len(text.strip())
        _check_length(count)
        yield Section(text, page=number)
    if not count:
        raise UnreadableSourceError("the pages contain no text, as in a scan; run text recognition (OCR) on the file")


def _read_docx(data: bytes) -> Iterator[Section]:
    from docx import Document
    from docx.text.paragraph import Paragraph

    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if sum(part.file_size for part in packed.infolist()) > MAX_TEXT_CHARS:
            raise UnreadableSourceError(f"unpacked, it is larger than {MAX_TEXT_CHARS // 1_000_000} MB; split it")
    heading, paragraphs = "", list[str]()
    for item in Document(io.BytesIO(data)).iter_inner_content():
        style = item.style.name or "" if isinstance(item, Paragraph) and item.style else ""
        if isinstance(item, Paragraph) and not style.startswith(("Title", "Heading")):
            paragraphs.append(_read_docx_paragraph(item))
            continue
        yield Section("\n\n".join(paragraphs), heading)
        paragraphs = []
        if isinstance(item, Paragraph):
            heading = one_line(_read_docx_paragraph(item))
        else:
            rows = (["\n".join(map(_read_docx_paragraph, cell.paragraphs)) for cell in row.cells] for row in item.rows)
            yield Section(_join_lines(_table_lines(rows)), heading, unit="row")
    yield Section("\n\n".join(paragraphs), heading)


def _read_docx_paragraph(paragraph: Paragraph) -> str:
    from docx.text.run import Run

    runs = (run for item in paragraph.iter_inner_content() for run in ([item] if isinstance(item, Run) else item.runs))
    pieces = ((mark, "".join(run.text for run in same)) for mark, same in groupby(runs, _script_mark))
    return clean_text(_write_scripts("".join(f"{mark}{text}{_SCRIPT_END}" if mark else text for mark, text in pieces)))


def _script_mark(run: Run) -> str:
    """Return the mark of a superscript or subscript; empty for other text. A run's own font wins over its style."""
    font = run.font
    if font.superscript is None and run.element.style is not None:
        font = run.style.font
    return _SUPERSCRIPT if font.superscript else _SUBSCRIPT if font.subscript else ""


_READERS: dict[str, Callable[[str], Iterable[Section]]] = {
    ".md": _read_marked_up,
    ".rst": _read_marked_up,
    ".txt": lambda text: [Section(text, "", 1)],
    ".html": _read_page,
    ".htm": _read_page,
    ".csv": _read_csv,
    ".json": lambda text: [Section(_join_lines(_json_lines(json.loads(text), "")), unit="value")],
}
_BINARY_READERS = {".pdf": _read_pdf, ".docx": _read_docx}
