"""Output of commands: status lines on stderr, data on stdout; what happens if the output pipe is closed."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import sys
import textwrap
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from debate_cli.domain.message_text import one_line
from debate_cli.render import sanitize
from debate_cli.render.text.wrapping import wrap_for_terminal
from debate_cli.resolved_secrets import recorded_secrets

if TYPE_CHECKING:
    from rich.console import Console

    from debate_cli.app.score import ScoredFile
    from debate_cli.render.terminal.drawing import ParticipantStyles
    from debate_cli.systems.tables import Table


UNWRITABLE_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""Error numbers of a stream that accepts no more output, e.g. of a full disk."""
_CLOSED_STREAM_ERRNOS = frozenset({errno.EPIPE, errno.EIO, errno.ENXIO})
_LINE_BREAKS = re.compile(r"[\n\r\x0b\x0c\x85\u2028\u2029]+")
_WORKFLOW_COMMAND = re.compile(r"(?:^|(?<=[\r\n]))[^\S\r\n]*:(?=:)|##(?=\[)")


_COPYABLE = re.compile(r"(?:saved|unchanged|written|configuration): |(?:.*?: )?(?=debate [a-z]+ )")
"""Matches the words at the start of a line before a path or command that a user may copy, e.g. `saved: `. The match is
empty if the line begins with the command."""
_QUOTED_COMMAND = re.compile(r"`(?:debate|\S*python[\d.]*) [^`]*`|\(debate explain [a-z-]+\)")


class ClosedPipeError(Exception):
    """Stdout was closed by its reader."""


class WorkflowGuard:
    """Text stream that makes printed text safe for GitHub Actions.

    GitHub Actions executes printed lines like `::add-mask::x` and `##[command]`. This stream inserts a space into each
    such command, even if the command arrives in several writes.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._line = ""
        """The unfinished line, shortened. A GitHub Actions command may begin in this line and end in the next text.

        - Empty, if the line is empty or has only white space.
        - `:`, if the line has only a colon and white space.
        - Otherwise, the letter `x` and the last two characters of the line. The `x` stands for the start of the line.
        """

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write `text`. Returns its length."""
        written = _WORKFLOW_COMMAND.sub(r"\g<0> ", self._line + text)
        self.stream.write(written[len(self._line) :])
        line = re.split(r"[\r\n]", written)[-1]
        self._line = line.strip() if line.strip() in {"", ":"} else f"x{line[-2:]}"
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    def write_command(self, command: str) -> None:
        """Write a workflow command on its own line, unchanged, so that GitHub Actions executes it."""
        self.stream.write(("\n" if self._line else "") + command + "\n")
        self._line = ""


def guard_workflow() -> None:
    """Under GitHub Actions, wrap stdout and stderr so that no printed text is taken for a workflow command."""
    if os.environ.get("GITHUB_ACTIONS"):
        sys.stdout, sys.stderr = (cast("TextIO", WorkflowGuard(stream)) for stream in (sys.stdout, sys.stderr))


def is_broken_pipe(error: OSError) -> bool:
    """Return whether `error`, raised by a write, means that the stream's reader or terminal is gone."""
    return error.errno in _CLOSED_STREAM_ERRNOS or isinstance(error, BrokenPipeError)


def prepare_streams() -> None:
    """Make stdin, stdout and stderr usable.

    Closed streams are opened on /dev/null. Piped input is read as UTF-8. Characters that a stream cannot encode are
    replaced. A terminal size of 0 in COLUMNS or LINES is ignored.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # `os.open` returns the lowest free number, which is that of the closed stream
            opened = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(opened, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        _reconfigure(stream)
    if not sys.stdin.isatty():
        _reconfigure(sys.stdin, encoding="utf-8", errors="surrogateescape")
    for name in ("COLUMNS", "LINES"):
        if os.environ.get(name, "1").strip("0") == "":
            del os.environ[name]


def _reconfigure(stream: TextIO, *, encoding: str | None = None, errors: str = "replace") -> None:
    if isinstance(stream, WorkflowGuard):
        stream = stream.stream
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding=encoding, errors=errors)  # pyright: ignore[reportUnknownMemberType]


def replace_control_chars(text: str) -> str:
    """Put `text` on one line, and replace its control and invisible characters."""
    return sanitize.replace_unprintable(_LINE_BREAKS.sub(" ", text))


def redact_line(line: str) -> str:
    """Return `line` without the secrets that this process has resolved."""
    secrets = recorded_secrets()
    if not secrets:
        return line
    from debate_cli.llm.redaction import Redactor

    return Redactor(secrets)(line)


def print_status(line: str) -> None:
    """Print a line on stderr, without secrets, wrapped on a terminal. Does nothing if stderr is closed."""
    try:
        print(_wrap_for_terminal(replace_control_chars(redact_line(line))), file=sys.stderr, flush=True)
    except OSError as error:
        if not is_broken_pipe(error):
            raise
        redirect_to_devnull(sys.stderr)


def print_status_lines(lines: Iterable[str]) -> None:
    """Print each of `lines` as `print_status` does."""
    for line in lines:
        print_status(line)


def _wrap_for_terminal(line: str) -> str:
    """Wrap long prose to the width of the terminal. Paths and commands stay whole, because a user may copy them.

    If a command and the text before it do not fit into one line, the command gets its own line.
    """
    columns = os.get_terminal_size(sys.stderr.fileno()).columns if is_interactive(sys.stderr) else 0
    if not columns or len(line) * 2 <= columns:
        return line
    copyable = _COPYABLE.match(line)
    if copyable is None:
        return _wrap_prose(line, columns)
    if len(line) <= columns or copyable.end() == 0:
        return line
    label = line[: copyable.end()].rstrip()
    return f"{_wrap_prose(label, columns)}\n  {line[copyable.end() :]}"


def _wrap_prose(line: str, columns: int) -> str:
    unbroken = _QUOTED_COMMAND.sub(lambda found: found[0].replace(" ", "\0"), line)
    wrapped = textwrap.fill(unbroken, columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return wrapped.replace("\0", " ")


def print_incomplete_line_note(warning: str | None) -> None:
    """Print `warning`, a sentence about the incomplete last line of a journal. Prints nothing for None."""
    if warning is not None:
        print_status(f"note: {one_line(warning)}")


@dataclass(slots=True)
class PipeState:
    """Whether a reader closed the pipe of stdout."""

    is_closed: bool = False


@contextmanager
def ignore_broken_pipe() -> Generator[PipeState]:
    """At the end of the `with` block, flush stdout. If stdout is closed, end the block without an error.

    Afterwards the yielded value says whether stdout was closed in the block.
    """
    pipe = PipeState()
    try:
        yield pipe
        sys.stdout.flush()
    except OSError as error:
        if not is_broken_pipe(error):
            raise
        pipe.is_closed = True
        redirect_to_devnull(sys.stdout)


def redirect_to_devnull(stream: TextIO) -> None:
    """Discard the stream's buffer and all later output to it."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def is_interactive(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal that supports redrawing."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def make_console(stream: TextIO) -> Console:
    """Create a Rich console that writes to `stream`."""
    from rich.console import Console

    return Console(file=stream, highlight=False)


def read_stdin(max_chars: int) -> bytes:
    """Read at most `max_chars` characters from stdin, and return them in UTF-8. Undecodable bytes stay as they are."""
    return sys.stdin.read(max_chars).encode("utf-8", "surrogateescape")


def write_document(pieces: Iterable[str]) -> None:
    """Write a document to stdout, piece by piece, in UTF-8 regardless of the locale.

    The first two pieces are flushed at once, so that the user sees output early.
    """
    _reconfigure(sys.stdout, encoding="utf-8")
    for number, piece in enumerate(pieces):
        sys.stdout.write(piece)
        if number <= 1:
            sys.stdout.flush()


def print_lines(lines: Iterable[str], *, break_paths: bool = False) -> None:
    """Print lines on stdout, without secrets, wrapped between words on a terminal.

    With `break_paths`, a word that is longer than a line is broken after a slash.
    """
    shown = map(redact_line, lines)
    write_document(f"{line}\n" for line in wrap_for_terminal(shown, sys.stdout, break_paths=break_paths))


def show_scores(files: Iterable[ScoredFile], *, quiet: bool = False) -> None:
    """Print the verdicts of `files`: as a table on a terminal, else one verdict a line.

    With `quiet`, print one line for each file: the deciding verdict or, without a deciding verdict, the first one.
    """
    from debate_cli.render import score_rows

    if quiet or not is_interactive(sys.stdout):
        print_lines(score_rows.deciding_score_lines(files) if quiet else score_rows.score_lines(files))
    else:
        show_tables(score_rows.build_score_tables(list(map(score_rows.drop_notes, files))))


def print_rehearsals(notices: Mapping[str, int], files: int) -> None:
    """Print on stderr notices that the mock answered in some or all of the debates.

    - `notices`: maps each notice to the number of debates that it is about. An empty notice is not printed.
    - `files`: number of all debates. A notice about only some of them ends with e.g. `(2 of 5 debates)`.
    """
    for notice, count in notices.items():
        if notice:
            print_status(f"{notice}{'' if count == files else f' ({count} of {files} debates)'}")


def show_tables(
    tables: Iterable[Table],
    styles: ParticipantStyles | None = None,
    *,
    lines: Iterable[str] | None = None,
    plain: bool = False,
) -> None:
    """Draw `tables` on a terminal. Elsewhere, or with `plain`, print plain lines.

    `lines`: the plain lines. If None, each row of the tables is a line.
    """
    if plain or not is_interactive(sys.stdout):
        from debate_cli.render.text.tables import table_lines

        if lines is None:
            lines = (line for table in tables for line in table_lines(table))
        print_lines("\n".join(lines).strip().split("\n"))
        return
    from debate_cli.render.terminal.drawing import render_table

    console = make_console(sys.stdout)
    for table in tables:
        console.print(render_table(table, styles or {}))


def write_json_chunks(pieces: Iterable[str]) -> None:
    """Write pieces of JSON to stdout."""
    if sys.stdout.isatty():
        pieces = map(sanitize.escape_json, pieces)
    elif isinstance(sys.stdout, WorkflowGuard):
        pieces = (piece.replace("##[", r"#\u0023[") for piece in pieces)
    write_document(pieces)


def write_workflow_commands(commands: Iterable[str]) -> None:
    """Write GitHub workflow commands to stdout. `WorkflowGuard` does not change them."""
    _reconfigure(sys.stdout, encoding="utf-8")
    for command in commands:
        if isinstance(sys.stdout, WorkflowGuard):
            sys.stdout.write_command(command)
        else:
            print(command)


def print_json(value: Any) -> None:
    """Print `value` as one JSON document; non-ASCII text is not escaped."""
    write_json_chunks([json.dumps(value, ensure_ascii=False, indent=2) + "\n"])
