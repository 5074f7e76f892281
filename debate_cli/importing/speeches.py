"""Types for the user's request and for the speeches that are found in a file, and the decoding of the file's bytes."""

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from debate_cli.domain.message_text import count_noun, one_line, printable_line
from debate_cli.domain.text_normalization import TERMINAL_SEQUENCES
from debate_cli.errors import UsageError

MAX_TOPIC_CHARS = 4000
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MAX_CONTROL_SHARE = 0.01
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\u2028]")


class UnreadableDebateError(UsageError):
    """A file cannot be read as a debate. The message is one sentence without the file's name."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(printable_line(message)))


class ImportChoiceError(UnreadableDebateError):
    """A choice of the user, e.g. a speaker to leave out, does not fit the file."""


RoundRule = Literal["turns", "heading"]
"""What begins a new round. `turns`: a speaker of the current round speaks again. `heading`: the file has a new heading,
or names another round."""


class ImportRequest(NamedTuple):
    """What the user asks of an import. Names of speakers match regardless of case and extra spaces."""

    format: str | None = None
    """Name of the format. None: the format is detected."""
    columns: Mapping[str, str] = {}
    """For a table: maps `speaker`, `text` or `round` to the name of a column."""
    topic: str | None = None
    """The motion. None takes the motion from the file, or from the file's name if the file has no motion."""
    sides: Mapping[str, str] = {}
    """Maps each speaker to a side: `for`, `against`, or any other label."""
    drop: Sequence[str] = ()
    """Speakers whose speeches are left out."""
    merge: Mapping[str, str] = {}
    """Maps a spelling in the file to the speaker's name, e.g. `Dr. Lee` to `Ann Lee`."""
    round_by: RoundRule | None = None
    """What begins a new round. None means `heading` if the file has rounds, else `turns`."""


class Speech(NamedTuple):
    """One speech from the file."""

    speaker: str
    """The speaker's name as spelled in the file."""
    text: str
    section: str = ""
    """Heading or round of the speech; empty if the file has neither."""
    place: str = ""
    """Where the speech begins in the file, such as `line 12`."""


class FoundDebate(NamedTuple):
    """A debate as read from one file."""

    speeches: tuple[Speech, ...]
    topic: str | None = None
    """The motion; None if the file states none."""
    background: str = ""
    """Words before the first speech."""
    has_rounds: bool = False
    """Whether the file has rounds. If true, `section` of each speech names the round."""
    sides: Mapping[str, str] = {}
    """Maps a speaker to the side that the file states."""
    dropped: tuple[str, ...] = ()
    """Parts of the file that were left out, such as `12 time stamps` or `the column party`."""
    topic_text: str = ""
    """The line that states the motion, with words such as `Motion:`. Empty if the format has no such line."""
    encoding: str = "UTF-8"


def format_counts(counts: Counter[str]) -> tuple[str, ...]:
    """Return texts such as `12 time stamps`, one for each noun in `counts`. Nouns with the count 0 are left out."""
    return tuple(count_noun(count, noun) for noun, count in counts.items() if count)


def join_speeches(speeches: Iterable[Speech], separator: str) -> tuple[Speech, ...]:
    """Join adjacent speeches of the same speaker and section. Empty speeches are left out."""
    joined: list[Speech] = []
    for _, group in groupby(speeches, key=lambda speech: (speech.speaker, speech.section)):
        parts = list(group)
        text = separator.join(filter(None, (part.text.strip() for part in parts)))
        if text:
            joined.append(parts[0]._replace(text=text))
    return tuple(joined)


def decode_file(data: bytes) -> tuple[str, str]:
    """Return the text of `data`, and the encoding: UTF-8, UTF-16 with a byte order mark, or Windows-1252.

    Terminal sequences and control characters are removed. Raises UnreadableDebateError for empty and binary files.
    """
    if data.startswith(_UTF_16_MARKS):
        text, encoding = data.decode("utf-16", "replace"), "UTF-16"
    else:
        try:
            text, encoding = data.decode("utf-8-sig"), "UTF-8"
        except UnicodeDecodeError:
            text, encoding = data.decode("cp1252", "replace"), "Windows-1252"
    if len(_CONTROL.findall(text)) > _MAX_CONTROL_SHARE * len(text):
        raise UnreadableDebateError("the file is not a text file; export the debate as text, subtitles, CSV or JSON")
    text = _CONTROL.sub("", TERMINAL_SEQUENCES.sub("", text))
    if not text.strip():
        raise UnreadableDebateError("the file is empty; give the path of a file that contains a debate")
    return _LINE_END.sub("\n", text).replace("\u2029", "\n\n"), encoding
