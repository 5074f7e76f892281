"""Reads source files as sections of text, each with its position in the file."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from debate_cli.csv_file import find_delimiter
from debate_cli.domain.message_text import one_line
from debate_cli.domain.text_normalization import remove_invisible
from debate_cli.errors import format_install_command
from debate_cli.evidence.html_pages import read_html_page
from debate_cli.evidence.sections import (
    MAX_NAME_CHARS,
    MAX_TEXT_CHARS,
    Section,
    UnreadableSourceError,
    check_length,
    format_row,
)
from debate_cli.evidence.superscripts import SCRIPT_END, SUBSCRIPT, SUPERSCRIPT, write_scripts
from debate_cli.regular_file import read_regular_file

if TYPE_CHECKING:
    from docx.text.font import Font
    from docx.text.paragraph import Paragraph
MAX_FILE_BYTES = 20_000_000
_FENCE = re.compile(r"^ {0,3}(?P<marks>`{3,}|~{3,})(?P<rest>.*)$", re.MULTILINE)
_PACKAGE_BY_SUFFIX = {".pdf": "pypdf", ".docx": "docx"}
_HEADING = re.compile(
    r"^#{1,6}[ \t]+(?P<markdown>\S.*)$|^(?P<underlined>\S.*)\n(?:={3,}|-{3,}|~{3,}|\^{3,})$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that the user gave as a source."""

    path: Path
    name: str
    """Path as shown to the user."""
    title: str | None = None
    leaves_folder: bool = False
    """Whether the file is a link to a place outside the folder that the user gave."""


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
    head = [name.strip()[:MAX_NAME_CHARS] for name in next(rows, list[str]())]
    for row in rows:
        yield format_row(head, row)


def _read_csv(text: str) -> list[Section]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=find_delimiter(text), strict=True)
    return [Section(_join_lines(_table_lines(rows)), first_line=2, unit="row")]


def _join_lines(lines: Iterable[str]) -> str:
    joined = io.StringIO()
    for line in lines:
        check_length(joined.tell() + len(line) + 1)
        joined.write(f"{line}\n")
    return joined.getvalue().removesuffix("\n")


def _json_lines(value: Any, path: str) -> Iterator[str]:
    shown = path if len(path) <= MAX_NAME_CHARS else f"…{path[-MAX_NAME_CHARS:]}"
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _json_lines(item, f"{shown}.{key}" if shown else key)
    elif isinstance(value, list):
        for number, item in enumerate(cast("list[Any]", value)):
            yield from _json_lines(item, f"{shown}[{number}]")
    else:
        yield f"{shown}: {one_line(value if isinstance(value, str) else json.dumps(value))}"


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
        check_length(count)
        yield Section(text, page=number)
    if not count:
        raise UnreadableSourceError("the pages contain no text, as in a scan; run text recognition (OCR) on the file")


def _read_docx(data: bytes) -> Iterator[Section]:
    from docx import Document
    from docx.styles.style import CharacterStyle
    from docx.text.paragraph import Paragraph

    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if sum(part.file_size for part in packed.infolist()) > MAX_TEXT_CHARS:
            raise UnreadableSourceError(
                f"its unpacked content is larger than {MAX_TEXT_CHARS // 1_000_000} MB; split the file"
            )
    document = Document(io.BytesIO(data))
    # The library searches all styles at each `paragraph.style` and `run.style`.
    headings = {style.style_id for style in document.styles if (style.name or "").startswith(("Title", "Heading"))}
    marks = {style.style_id: _script_mark(style.font) for style in document.styles if isinstance(style, CharacterStyle)}
    read_paragraph = partial(_read_docx_paragraph, marks=marks)
    heading, paragraphs = "", list[str]()
    for item in document.iter_inner_content():
        style = (
            item.paragraph_format.element.xpath("string(w:pPr/w:pStyle/@w:val)") if isinstance(item, Paragraph) else ""
        )
        if isinstance(item, Paragraph) and style not in headings:
            paragraphs.append(read_paragraph(item))
            continue
        yield Section("\n\n".join(paragraphs), heading)
        paragraphs = []
        if isinstance(item, Paragraph):
            heading = one_line(read_paragraph(item))
        else:
            rows = (["\n".join(map(read_paragraph, cell.paragraphs)) for cell in row.cells] for row in item.rows)
            yield Section(_join_lines(_table_lines(rows)), heading, unit="row")
    yield Section("\n\n".join(paragraphs), heading)


def _read_docx_paragraph(paragraph: Paragraph, *, marks: Mapping[str, str]) -> str:
    """Return the text of a paragraph. `marks`: maps ids of styles to the mark of their text (see `_script_mark`)."""
    from docx.text.run import Run

    def find_mark(run: Run) -> str:
        return marks.get(run.element.style or "", "") if run.font.superscript is None else _script_mark(run.font)

    runs = (run for item in paragraph.iter_inner_content() for run in ([item] if isinstance(item, Run) else item.runs))
    pieces = ((mark, "".join(run.text for run in same)) for mark, same in groupby(runs, find_mark))
    return clean_text(write_scripts("".join(f"{mark}{text}{SCRIPT_END}" if mark else text for mark, text in pieces)))


def _script_mark(font: Font) -> str:
    """Return the mark that begins text in this font: `SUPERSCRIPT` or `SUBSCRIPT`; empty for other fonts."""
    return SUPERSCRIPT if font.superscript else SUBSCRIPT if font.subscript else ""


_READERS: dict[str, Callable[[str], Iterable[Section]]] = {
    ".md": _read_marked_up,
    ".rst": _read_marked_up,
    ".txt": lambda text: [Section(text, "", 1)],
    ".html": read_html_page,
    ".htm": read_html_page,
    ".csv": _read_csv,
    ".json": lambda text: [Section(_join_lines(_json_lines(json.loads(text), "")), unit="value")],
}
_BINARY_READERS = {".pdf": _read_pdf, ".docx": _read_docx}
