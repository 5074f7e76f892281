"""Single keys from the terminal that a command reads from, without a line's end and without showing them.

The terminal still turns line ends into new lines meanwhile, as what is drawn needs it, and Ctrl-C still interrupts.
"""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

import typer

_PARTIAL_ESCAPE = re.compile(rb"\x1b(?:O|\[[0-?]{0,30}[ -/]{0,8})?")
"""The beginning of what a key sends that sends several signs."""


@contextmanager
def open_key_reader() -> Generator[Callable[[], str]]:
    """A function that waits for the next key on standard input, which is a terminal, and gives it.

    A key that sends several signs, as the arrows do, is one key; the empty string says that no more will come.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows has neither, nor a mode in which line ends are no new lines
        yield typer.getchar
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield lambda: _read_key(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read_key(terminal: int) -> str:
    found = os.read(terminal, 1)
    while _PARTIAL_ESCAPE.fullmatch(found) and select.select([terminal], [], [], 0)[0]:
        found += os.read(terminal, 1)
    return found.decode(errors="replace")
