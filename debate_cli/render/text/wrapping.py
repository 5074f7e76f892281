"""Wraps plain lines to the width of a terminal."""

import os
import textwrap
from collections.abc import Iterable, Iterator
from typing import TextIO


def wrap_for_terminal(lines: Iterable[str], stream: TextIO) -> Iterator[str]:
    """Yield the lines. If `stream` is a terminal, wrap long lines between words, and indent continuation lines.

    A word that is longer than a line stays whole, so that it can be copied. Each tab of a long line becomes two spaces.
    """
    try:
        columns = os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):  # the stream has no file
        columns = 0
    for line in lines:
        if len(line.expandtabs()) <= columns or not columns:
            yield line
        else:
            indent = f"{line[: len(line) - len(line.lstrip('# '))]}    "
            wrapper = textwrap.TextWrapper(
                columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
            yield wrapper.fill(line.replace("\t", "  "))
