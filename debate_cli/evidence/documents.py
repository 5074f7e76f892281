"""Reads source files as sections of text with their places. Which passages are made of them is decided in `corpus`."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple, cast

from debate_cli.domain.text_normalization import INVISIBLE_CHARS, TERMINAL_SEQUENCES
from debate_cli.regular_file import open_regular_file

MAX_FILE_BYTES = 20_000_000
"""Maximum size of a source file."""
_HEADING = re.compile(
    r"^#{1,6}[ \t]+(?P<markdown>\S.*)$|^(?P<underlined>\S.*)\n(?:={3,}|-{3,}|~{3,}|\^{3,})$", re.MULTILINE
)
_INVISIBLE = re.compile(f"[{INVISIBLE_CHARS}]")
_NO_TEXT = frozenset({"script", "style", "template", "head", "noscript"})
_BLOCKS = frozenset(
    ["p", "div", "li", "tr", "br", "section", "article", "blockquote", "pre", "table", "ul", "ol", "dt", "dd", "main"]
)


class Section(NamedTuple):
    """A part of a document that no passage crosses."""

    text: str
    heading: str = ""
    first_line: int | None = None
    """Number of the first line in the file, from 1; None if lines mean nothing there."""
    unit: str = "line"
    """What the lines of `text` are: lines of the file, or rows of a table."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that the user named as a source."""

    path: Path
    name: str
    """Its path as it is shown."""
    title: str | None = None


class UnreadableSourceError(ValueError):
    """One sentence that says why a file is not indexed."""


def read_source_bytes(path: Path) -> bytes:
    """The content of a source file. Raises UnreadableSourceError."""
    if path.suffix.lower() not in _READERS:
        kinds = ", ".join(sorted(_READERS))
        raise UnreadableSourceError(
            f"{path.suffix or 'a file without ending'} is not read; convert it to one of {kinds}"
        )
    try:
        with os.fdopen(open_regular_file(path), "rb") as opened:
            data = opened.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UnreadableSourceError(f"it cannot be read ({error.strerror}); make it readable") from error
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableSourceError(f"it is larger than {MAX_FILE_BYTES // 1_000_000} MB; split it")
    return data


def read_sections(source: SourceFile, data: bytes) -> tuple[str, list[Section]]:
    """Title and sections of a file with the content `data`. Raises UnreadableSourceError."""
    if b"\0" in data:
        raise UnreadableSourceError("it is not a text file; convert it to text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableSourceError("it is not valid UTF-8; save it as UTF-8") from error
    text = clean_text(text)
    try:
        sections = list(_READERS[source.path.suffix.lower()](text))
    except (ValueError, csv.Error, RecursionError) as error:
        raise UnreadableSourceError(f"it is not valid {source.path.suffix[1:].upper()}; correct it") from error
    first = next((section.heading for section in sections if section.heading), "")
    return source.title or first or source.path.stem, [section for section in sections if section.text.strip()]


def clean_text(text: str) -> str:
    """`text` with plain line ends and without terminal sequences and invisible characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _INVISIBLE.sub("", TERMINAL_SEQUENCES.sub("", lines))


def _read_plain(text: str) -> Iterator[Section]:
    yield Section(text, "", 1)


def _read_marked_up(text: str) -> Iterator[Section]:
    """A section per heading of Markdown or reStructuredText. The heading is not part of the text."""
    start, line, heading = 0, 1, ""
    for match in _HEADING.finditer(text):
        yield Section(text[start : match.start()], heading, line)
        line += text.count("\n", start, match.end())
        start, heading = match.end(), _strip_closing_marks(match["markdown"] or "") or match["underlined"] or ""
    yield Section(text[start:], heading, line)


def _strip_closing_marks(heading: str) -> str:
    """A Markdown heading without `#` at its end, which a space separates from the words: `Costs ##`, but not `C#`."""
    words = heading.rstrip()
    bare = words.rstrip("#")
    return bare.rstrip() if bare != bare.rstrip() or not bare else words


def _read_table(text: str) -> Iterator[Section]:
    """One line per row: the cells with the names of their columns."""
    rows = list(csv.reader(io.StringIO(text), strict=True))
    head, body = (rows[0], rows[1:]) if rows else ([], [])
    lines = [
        "; ".join(f"{name.strip()}: {_one_line(cell)}" for name, cell in zip(head, row, strict=False) if cell.strip())
        for row in body
    ]
    yield Section("\n".join(lines), "", 2, "row")


def _read_json(text: str) -> Iterator[Section]:
    """One line per value, with its path."""
    yield Section("\n".join(_json_lines(json.loads(text), "")), "", None)


def _json_lines(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _json_lines(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, item in enumerate(cast("list[Any]", value)):
            yield from _json_lines(item, f"{path}[{number}]")
    else:
        yield f"{path}: {_one_line(value if isinstance(value, str) else json.dumps(value))}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


class _PageReader(HTMLParser):
    """Collects the text of a page, a section per heading."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self._parts: list[str] = []
        self._heading = ""
        self._hidden = 0
        self._in_heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the base's signature
        if tag in _NO_TEXT:
            self._hidden += 1
        elif re.fullmatch("h[1-6]", tag):
            self.end_section()
            self._heading, self._in_heading = "", True
        elif tag in _BLOCKS:
            self._parts.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _NO_TEXT:
            self._hidden = max(0, self._hidden - 1)
        elif re.fullmatch("h[1-6]", tag):
            self._in_heading = False
        elif tag in _BLOCKS:
            self._parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._in_heading:
            self._heading = _one_line(f"{self._heading} {data}")
        elif not self._hidden:
            self._parts.append(data)

    def end_section(self) -> None:
        """Close the section so far. Spaces and line ends inside a paragraph become single spaces."""
        paragraphs = re.split(r"\n\s*\n", "".join(self._parts))
        self.sections.append(Section("\n\n".join(filter(None, map(_one_line, paragraphs))), self._heading))
        self._parts = []


def _read_page(text: str) -> Iterable[Section]:
    reader = _PageReader()
    reader.feed(text)
    reader.close()
    reader.end_section()
    return reader.sections


_READERS = {
    ".md": _read_marked_up,
    ".rst": _read_marked_up,
    ".txt": _read_plain,
    ".html": _read_page,
    ".htm": _read_page,
    ".csv": _read_table,
    ".json": _read_json,
}
"""Ending of a file -> its reader."""
