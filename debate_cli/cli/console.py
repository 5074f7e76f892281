"""Where a command's words go: a line for the user beside the data, a table of scores, whether a stream may be drawn on."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import textwrap
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from debate_cli.errors import UsageError
from debate_cli.render import sanitize


def refuse_existing(place: Path, *, force: bool, option: str) -> None:
    """Raise UsageError where what `option` asks for could not be written to `place`, as something stands there."""
    if place.is_dir():
        raise UsageError(f"{option} {place}: this is a folder; name a file")
    if place.exists() and not force:
        raise UsageError(f"{option} {place}: exists already; choose another file, or overwrite it with --force")


if TYPE_CHECKING:
    from rich.console import Console

    from debate_cli.app.score import ScoredFile


CLOSED_PIPE = 141
"""Exit code of what ended because nobody read on: as a shell tells it of a process that SIGPIPE ended."""


UNWRITABLE_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""What the system says where a stream cannot take more; errors of files are told where they are opened."""
_CLOSED_STREAM_ERRNOS = frozenset({errno.EPIPE, errno.EIO, errno.ENXIO})
"""What the system says of a pipe that was closed, and of a terminal that is gone."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What a terminal would act on, should a message quote it."""


_COPIED = re.compile(r"(?:^|[: `])debate [a-z]+ |^(?:saved|unchanged|written|configuration): ")
"""Matches a line that people copy a path or a command from."""


class ClosedPipeError(Exception):
    """Nobody reads the output any more."""


def is_broken_pipe(error: OSError) -> bool:
    """Whether `error`, which writing to a stream raised, says that its reader or its terminal is gone."""
    return error.errno in _CLOSED_STREAM_ERRNOS or isinstance(error, BrokenPipeError)


def replace_control_chars(text: str) -> str:
    """`text` as it may stand on a terminal."""
    return _CONTROLS.sub("�", text)


def print_status(line: str) -> None:
    """A line for the user that is no data, wrapped on a terminal; where nobody reads those any more, it is not missed."""
    try:
        print(_wrap_for_terminal(replace_control_chars(line)), file=sys.stderr, flush=True)
    except OSError as error:
        if not is_broken_pipe(error):
            raise
        redirect_to_devnull(sys.stderr)


def _wrap_for_terminal(line: str) -> str:
    """`line` broken at words for the window that it stands in; as it is off a terminal, and where its width is not known."""
    columns = os.get_terminal_size(sys.stderr.fileno()).columns if is_interactive(sys.stderr) else 0
    if not columns or len(line) * 2 <= columns:
        return line
    return "\n".join(_wrap(part, columns) for part in line.split("\n"))


def _wrap(line: str, columns: int) -> str:
    """`line` wrapped at words; a line with a path or a command to copy is left to the terminal."""
    if _COPIED.search(line):
        return line
    return textwrap.fill(line, columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def print_truncation_note(torn: str | None) -> None:
    """Say what is missing of a journal that ends within a line; `torn` is the sentence on that, None where it does not."""
    if torn is not None:
        print_status(f"note: {' '.join(torn.split())}")


@contextmanager
def ignore_broken_pipe() -> Generator[None]:
    """What is written within, as far as anybody reads it."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if not is_broken_pipe(error):
            raise
        redirect_to_devnull(sys.stdout)


def redirect_to_devnull(stream: TextIO) -> None:
    """Let everything written to a stream from now on, and what it still holds, go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)


def is_interactive(stream: TextIO) -> bool:
    """Whether `stream` is a terminal on which something may be drawn and redrawn."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def make_console(stream: TextIO) -> Console:
    """Rich's console on a stream; colour as NO_COLOR and the terminal allow."""
    from rich.console import Console

    return Console(file=stream, highlight=False)


def write_chunks(pieces: Iterable[str]) -> None:
    """Write to stdout piece by piece; head and first row are seen at once, though the last may be long in coming."""
    for place, piece in enumerate(pieces):
        sys.stdout.write(piece)
        if place <= 1:
            sys.stdout.flush()


def show_deciding_verdicts(files: Iterable[ScoredFile]) -> None:
    """A line on stdout for each of several files: its deciding verdict."""
    from debate_cli.render.plain import deciding_score_lines

    write_chunks(f"{line}\n" for line in deciding_score_lines(files))


def show_scores(files: Iterable[ScoredFile]) -> None:
    """The table of several files on stdout: drawn on a terminal once all are there, elsewhere plain lines as they come."""
    if not is_interactive(sys.stdout):
        from debate_cli.render.plain import score_lines

        write_chunks(f"{line}\n" for line in score_lines(files))
        return
    from debate_cli.render.score_rows import build_score_tables
    from debate_cli.render.terminal import render_table

    found = list(files)
    console = make_console(sys.stdout)
    for table in build_score_tables(found):
        console.print(render_table(table, {}))


def write_json_chunks(pieces: Iterable[str]) -> None:
    """Write a document, or lines of JSON, to stdout piece by piece; what is read from it is the same on a terminal."""
    write_chunks(map(sanitize.escape_json, pieces) if sys.stdout.isatty() else pieces)


def print_json(value: Any) -> None:
    """Write `value` as one document, its text readable."""
    write_json_chunks([json.dumps(value, ensure_ascii=False, indent=2) + "\n"])
