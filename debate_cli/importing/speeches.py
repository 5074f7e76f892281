"""The result of a reader: speeches with speakers and places, and what was left out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from debate_cli.errors import UsageError


class UnreadableDebateError(UsageError):
    """No debate was found in a file. The message is one sentence without the file's name."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join("".join(char if char.isprintable() else " " for char in message).split()))


class Speech(NamedTuple):
    """One speech in the words of the file."""

    speaker: str
    """Name as the file writes it."""
    text: str
    section: str = ""
    """Heading or round of the speech; empty if the file has none."""
    place: str = ""
    """Place of its beginning, e.g. `line 12`."""


class FoundDebate(NamedTuple):
    """The result of reading one file."""

    speeches: tuple[Speech, ...]
    topic: str | None = None
    """The motion, if the file names one."""
    background: str = ""
    """Words before the first speech."""
    has_rounds: bool = False
    """Whether the sections of the speeches are rounds."""
    sides: Mapping[str, str] = {}
    """Name of a speaker -> side, where the file says so."""
    dropped: tuple[str, ...] = ()
    """Parts that were left out, each with a count or a name: `12 time stamps`, `the column party`."""


class Omissions:
    """Counts the parts that a reader leaves out."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, noun: str, count: int = 1) -> None:
        """Count further left-out parts: `count` of the kind `noun`, which is in the singular."""
        if count:
            self._counts[noun] += count

    def describe(self) -> tuple[str, ...]:
        """Each noun with its count, in the order of first occurrence."""
        return tuple(format_count(count, noun) for noun, count in self._counts.items())


def format_count(count: int, noun: str) -> str:
    """A count with its noun: `1 speech`, `1,200 speeches`."""
    plural = f"{noun}es" if noun.endswith(("ch", "s", "x")) else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def join_speeches(speeches: Iterable[Speech], separator: str) -> tuple[Speech, ...]:
    """Join adjacent speeches of one speaker and section by `separator`. Empty ones are left out."""
    joined: list[Speech] = []
    parts: list[str] = []

    def close() -> None:
        if joined:
            text = separator.join(filter(None, parts))
            if text:
                joined[-1] = joined[-1]._replace(text=text)
            else:
                joined.pop()
        parts.clear()

    for speech in speeches:
        last = joined[-1] if joined else None
        if last is None or (last.speaker, last.section) != (speech.speaker, speech.section):
            close()
            joined.append(speech)
        parts.append(speech.text.strip())
    close()
    return tuple(joined)
