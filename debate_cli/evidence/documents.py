"""Reads source files as sections of text, each with its position in the file."""

import csv
import io
import json
import logging
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, cast

from debate_cli.csv_file import find_delimiter
from debate_cli.domain.message_text import one_line
from debate_cli.domain.text_normalization import remove_invisible
from debate_cli.errors import format_install_command
from debate_cli.regular_file import read_regular_file

MAX_FILE_BYTES = 20_000_000
MAX_TEXT_CHARS = 100_000_000
"""Maximum length in characters of the text read from a file. The text of JSON and CSV can be longer than the file,
because each value is written with its name."""
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
    ["p", "div", "li", "tr", "br", "section", "article", "blockquote", "pre", "table", "ul", "ol", "dt", "dd", "main"]
)


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
        cells = zip(head, row, strict=False)
        yield "; ".join(f"{name}: {one_line(cell)}" for name, cell in cells if cell.strip())


def _read_csv(text: str) -> list[Section]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=find_delimiter(text), strict=True)
    return [Section(_join_lines(_table_lines(rows)), first_line=2, unit="row")]


def _join_lines(lines: Iterable[str]) -> str:
    joined = io.StringIO()
    for line in lines:
        if joined.tell() + len(line) >= MAX_TEXT_CHARS:
            raise UnreadableSourceError(f"it contains more than {MAX_TEXT_CHARS:,} characters of text; split it")
        joined.write(f"{line}\n")
    return joined.getvalue().removesuffix("\n")


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


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self._parts: list[str] = []
        self._heading = ""
        self._hidden = 0
        self._in_heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _NO_TEXT
        if tag in _HEADINGS:
            self.end_section()
            self._heading, self._in_heading = "", True
        elif tag in _BLOCKS:
            self._parts.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in _NO_TEXT))
        if tag in _HEADINGS:
            self._in_heading = False
        elif tag in _BLOCKS:
            self._parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._in_heading:
            self._heading = one_line(f"{self._heading} {data}")
        elif not self._hidden:
            self._parts.append(data)

    def end_section(self) -> None:
        paragraphs = re.split(r"\n\s*\n", "".join(self._parts))
        self.sections.append(Section("\n\n".join(filter(None, map(one_line, paragraphs))), self._heading))
        self._parts = []


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
        if count > MAX_TEXT_CHARS:
            raise UnreadableSourceError(f"it contains more than {MAX_TEXT_CHARS:,} characters of text; split it")
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
            paragraphs.append(clean_text(item.text))
            continue
        yield Section("\n\n".join(paragraphs), heading)
        paragraphs = []
        if isinstance(item, Paragraph):
            heading = one_line(clean_text(item.text))
        else:
            rows = ([clean_text(cell.text) for cell in row.cells] for row in item.rows)
            yield Section(_join_lines(_table_lines(rows)), heading, unit="row")
    yield Section("\n\n".join(paragraphs), heading)


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
