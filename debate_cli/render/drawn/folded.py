"""Words that are not cut just anywhere: names and ids, parted where a reader would part them, and words that stay whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

ITEM_SEPARATOR = " · "
"""What stands between two of several things that are told in a line."""
MIN_WRAPPED_WORD = 12
"""Letters up to which a word is not parted."""
_WORDS = re.compile(r"\S+\s*")
_JOINTS = re.compile(r"(?<=[^\W_])[-_/.:]+(?=[^\W_])|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class WrappedName:
    """A name or an id: on one line where that fits, else parted at its blanks, hyphens, underscores, slashes, dots and InnerCapitals."""

    text: Text
    """Cleaned, on one line."""
    sign: int = 0
    """Letters of a sign before it, below which its further lines are not begun."""

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """From its longest piece to the whole."""
        del console
        least = max((cell_len(piece.plain.rstrip()) for piece in self._pieces()), default=0) + self._indent
        return Measurement(least, cell_len(self.text.plain)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As many pieces a line as fit; a piece that does not fit is folded."""
        del console
        if cell_len(self.text.plain) <= options.max_width:
            yield self.text
            return
        words = self.text[self.sign :]
        before = self.text[: self.sign]
        for row in words.divide(list(_breaks(words.plain, options.max_width - self._indent))):
            yield _ended(before + row)
            before = Text(" " * self._indent)

    @property
    def _indent(self) -> int:
        return cell_len(self.text.plain[: self.sign])

    def _pieces(self) -> list[Text]:
        """What follows the sign, cut at every place where a line may end."""
        words = self.text[self.sign :]
        return list(words.divide([end for end in _ends(words.plain) if end < len(words)]))


def wrap_name(words: str, width: int) -> list[str]:
    """`words` in lines of at most `width` columns, parted at blanks and within long names at their joints."""
    ends = [*_breaks(words, width), len(words)]
    return [words[start:end].rstrip() for start, end in zip([0, *ends], ends, strict=False)]


def wrap_items(items: Iterable[str], width: int) -> list[str]:
    """`items` in lines of at most `width` columns, which end between two of them, or within one where it needs more."""
    rows: list[str] = []
    for item in items:
        if rows and cell_len(rows[-1] + ITEM_SEPARATOR + item) <= width:
            rows[-1] += ITEM_SEPARATOR + item
        else:
            rows += wrap_name(item, width)
    return rows


def _breaks(words: str, width: int) -> Iterator[int]:
    """Where lines of at most `width` columns end; where the last one does is not told."""
    room, start, end = max(1, width), 0, 0
    for stop in _ends(words):
        if end > start and cell_len(words[start:stop].rstrip()) > room:
            yield end
            start = end
        end = stop
        while cell_len(words[start:end].rstrip()) > room:
            start += max(1, len(chop_cells(words[start:end], room)[0]))
            if start < len(words):
                yield start


def _ends(words: str) -> Iterator[int]:
    """Where a line may end: after each word, and within a long one after each of its joints."""
    for word in _WORDS.finditer(words):
        if len(word[0].rstrip()) > MIN_WRAPPED_WORD:
            yield from (word.start() + joint.end() for joint in _JOINTS.finditer(word[0]))
        yield word.end()


def _ended(line: Text) -> Text:
    line.rstrip()
    line.no_wrap, line.overflow = False, "fold"
    return line


@dataclass(frozen=True, slots=True)
class UnbrokenText:
    """Words that keep together as long as there is room for them."""

    text: Text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The width of its longest line."""
        del console
        width = max(map(cell_len, self.text.plain.split("\n")))
        return Measurement(width, width).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The words."""
        del console, options
        yield self.text
