"""The sections into which the readers of sources divide a document, and functions that all readers share."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from debate_cli.domain.message_text import one_line

MAX_TEXT_CHARS = 100_000_000
"""Maximum length in characters of the text read from a file. The text of JSON and of tables can be longer than the
file, because each value is written with its name."""
MAX_NAME_CHARS = 200
"""Maximum length of the name of a column, and of the path of a value in JSON."""


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


class UnreadableSourceError(ValueError):
    """Raised for a file that cannot be indexed. The message says why in one sentence."""


def format_row(names: Sequence[str], cells: Sequence[str]) -> str:
    """Return the cells that are not empty, each after the name of its column. A column may have no name."""
    named = zip_longest(names[: len(cells)], map(one_line, cells), fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)


def check_length(chars: int) -> None:
    """Raise UnreadableSourceError if a file contains too much text. `chars`: length of its text so far."""
    if chars > MAX_TEXT_CHARS:
        raise UnreadableSourceError(f"it contains more than {MAX_TEXT_CHARS:,} characters of text; split it")
