"""Wraps plain lines to the width of a terminal."""

import os
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import TextIO


def wrap_for_terminal(lines: Iterable[str], stream: TextIO, *, break_paths: bool = False) -> Iterator[str]:
    """Yield the lines. If `stream` is a terminal, wrap long lines between words, and indent continuation lines.

    In a long line with tabs, spaces replace the tabs, and the line is wrapped between the fields.
    `break_paths`: whether a word that is longer than a line may break after each slash. Otherwise such a word stays
    whole, so that it can be copied.
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
            wrapper = (_PathWrapper if break_paths else textwrap.TextWrapper)(
                columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
            yield "\n".join(map(wrapper.fill, _wrap_fields(line.split("\t"), columns, indent)))


def _wrap_fields(fields: Iterable[str], columns: int, indent: str) -> list[str]:
    rows = [""]
    for field in fields:
        joined = f"{rows[-1]}  {field}" if rows[-1] else field
        if len(joined) <= columns or not rows[-1]:
            rows[-1] = joined
        else:
            rows.append(f"{indent}{field}")
    return rows


class _PathWrapper(textwrap.TextWrapper):
    """Text wrapper that breaks a word after a slash if the word is longer than a line."""

    def _split(self, text: str) -> list[str]:
        width = self.width - len(self.subsequent_indent)
        words = super()._split(text)
        return [part for word in words for part in (re.findall("[^/]*/+|[^/]+", word) if len(word) > width else [word])]
