"""Where a command's words go: a line for the user beside the data, a table of scores, whether a stream may be drawn on."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

    from debate_cli.render.scores_table import Scored


CLOSED_PIPE = 141
"""Exit code of what ended because nobody read on: as a shell tells it of a process that SIGPIPE ended."""


UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""What the system says where a stream cannot take more; errors of files are told where they are opened."""
_NOBODY_THERE = frozenset({errno.EPIPE, errno.EIO, errno.ENXIO})
"""What the system says of a pipe that was closed, and of a terminal that is gone."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What a terminal would act on, should a message quote it."""


class ClosedPipeError(Exception):
    """Nobody reads the output any more."""


def nobody_reads(error: OSError) -> bool:
    """Whether `error`, which writing to a stream raised, says that its reader or its terminal is gone."""
    return error.errno in _NOBODY_THERE or isinstance(error, BrokenPipeError)


def shown(text: str) -> str:
    """`text` as it may stand on a terminal."""
    return _CONTROLS.sub("�", text)


def tell(line: str) -> None:
    """A line for the user that is no data, wrapped on a terminal; where nobody reads those any more, it is not missed."""
    try:
        print(_fitted(shown(line)), file=sys.stderr, flush=True)
    except OSError as error:
        if not nobody_reads(error):
            raise
        drop(sys.stderr)


def _fitted(line: str) -> str:
    """`line` broken at words for the window that it stands in; as it is off a terminal, and where its width is not known."""
    columns = os.get_terminal_size(sys.stderr.fileno()).columns if interactive(sys.stderr) else 0
    if not columns or len(line) * 2 <= columns:
        return line
    from debate_cli.render.drawn.wrapped import wrapped

    return "\n".join(row for part in line.split("\n") for row in wrapped(part, columns))


def tell_torn(torn: str | None) -> None:
    """Say what is missing of a journal that ends within a line; `torn` is the sentence on that, None where it does not."""
    if torn is not None:
        tell(f"note: {' '.join(torn.split())}")


@contextmanager
def whoever_reads() -> Generator[None]:
    """What is written within, as far as anybody reads it."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if not nobody_reads(error):
            raise
        drop(sys.stdout)


def drop(stream: TextIO) -> None:
    """Let everything written to a stream from now on, and what it still holds, go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)


def interactive(stream: TextIO) -> bool:
    """Whether `stream` is a terminal on which something may be drawn and redrawn."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def console(stream: TextIO) -> Console:
    """Rich's console on a stream; colour as NO_COLOR and the terminal allow."""
    from rich.console import Console

    return Console(file=stream, highlight=False)


def hand_on(pieces: Iterable[str]) -> None:
    """Write to stdout piece by piece; head and first row are seen at once, though the last may be long in coming."""
    for place, piece in enumerate(pieces):
        sys.stdout.write(piece)
        if place <= 1:
            sys.stdout.flush()


def show_decisions(files: Iterable[Scored]) -> None:
    """A line on stdout for each of several files: its deciding verdict."""
    from debate_cli.render.plain.scores import deciding_lines

    hand_on(f"{line}\n" for line in deciding_lines(files))


def show_scores(files: Iterable[Scored]) -> None:
    """The table of several files on stdout: drawn on a terminal once all are there, elsewhere plain lines as they come."""
    if not interactive(sys.stdout):
        from debate_cli.render.plain.scores import scores_lines

        hand_on(f"{line}\n" for line in scores_lines(files))
        return
    from debate_cli.render.drawn.scores import scores_view

    drawn_on = console(sys.stdout)
    for part in scores_view(list(files)):
        drawn_on.print(part)
