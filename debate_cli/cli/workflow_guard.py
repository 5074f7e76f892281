"""Output under GitHub Actions, whose runner executes lines like `::add-mask::x` and `##[command]`.

The guard wraps the output streams. It breaks such commands with a space, except our own.
"""

import os
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

_COMMAND = re.compile(r"(?:^|(?<=[\r\n]))[^\S\r\n]*:(?=:)|##(?=\[)")
_COMMAND_START = re.compile(r"[^\S\r\n]*(:?)")


class WorkflowGuard:
    """A text stream that breaks workflow commands, also those that are written in several pieces."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._line = ""
        """Short form of the current line so far, enough to recognise a command in what follows."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write `text`. Returns its length."""
        written = _COMMAND.sub(r"\g<0> ", self._line + text)
        self.stream.write(written[len(self._line) :])
        self._line = _summarize_line(re.split(r"[\r\n]", written)[-1])
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    def write_command(self, command: str) -> None:
        """Write one of our workflow commands on a separate line."""
        self.stream.write(("\n" if self._line else "") + command + "\n")
        self._line = ""


def _summarize_line(line: str) -> str:
    """A short text that can replace `line`: further characters complete a command in both or in neither."""
    start = _COMMAND_START.fullmatch(line)
    if start is None:
        return f"x{line[-2:]}"
    return (" " if line[:1].isspace() else "") + start[1]


def guard_workflow() -> None:
    """Under GitHub Actions, wrap stdout and stderr with a guard."""
    if os.environ.get("GITHUB_ACTIONS"):
        sys.stdout, sys.stderr = (cast("TextIO", WorkflowGuard(stream)) for stream in (sys.stdout, sys.stderr))
