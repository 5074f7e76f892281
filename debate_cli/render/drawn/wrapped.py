"""A sentence for the user in a window: broken between words, while a path or a command in it can still be copied whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len

HANGING_INDENT = "  "
"""What further lines of a sentence begin with, so that the next sentence is told from it."""
_COMMAND = r"(?:(?<=: )|^)debate [a-z]+(?: (?:'[^']*'|[^\s'();])+)*[;).,]*"
_UNIT = re.compile(
    rf"(?P<whole>(?<=^saved: ).+|(?<=^unchanged: ).+|(?<=^configuration: ).+|{_COMMAND}|\(debate explain [\w-]+\)\S*)|(?:[^\s`]*`[^`]*`|\S)\S*"
)
"""What a line does not end within: a path, a command, what stands in backticks, a word."""


def wrap_sentence(line: str, width: int) -> list[str]:
    """`line` in lines of at most `width` columns; all but the first begin with `HANG`, where there is room for that.

    A word, path or command that is wider than the window is left to the terminal, from which it is copied in one piece.
    """
    if cell_len(line) <= width:
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    rows = [margin]
    for gap, unit in _units(line.strip(), width):
        if not rows[-1].strip() or cell_len(rows[-1] + gap + unit) <= width:
            rows[-1] += gap + unit
        else:
            hang = margin + HANGING_INDENT
            rows.append((hang if cell_len(hang + unit) <= width else "") + unit)
    return rows


def _units(words: str, width: int) -> Iterator[tuple[str, str]]:
    """The blanks before each unit, and the unit; what is quoted is parted at its blanks where it needs more than a line."""
    end = 0
    for found in _UNIT.finditer(words):
        gap, end = words[end : found.start()], found.end()
        if found["whole"] or cell_len(found[0]) <= width:
            yield gap, found[0]
            continue
        first, *rest = found[0].split()
        yield gap, first
        yield from ((" ", word) for word in rest)
