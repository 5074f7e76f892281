"""Runs the command line as a process of its own, with a clean environment: no API key, no colour, a home of its own.

Starting Python and importing the program takes longer than most commands do, so `debate` forks its processes off one
that has imported everything already (`cli_forks`). `cold` starts a fresh interpreter, for tests about starting up.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LIMIT_S = 60.0
"""A process that takes longer than this hangs."""
FORKS = Path(__file__).with_name("cli_forks.py")
CONFIGS = Path(__file__).parent.parent / "configs"


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a process."""

    code: int
    """As a shell tells it: 128 + signal for one that was killed."""
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout; ValueError where there is anything else."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """Stderr, line by line."""
        return self.err.splitlines()


@dataclass(frozen=True, slots=True)
class Running:
    """A process that was started."""

    pid: int
    out: Path
    err: Path

    def signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def wait(self) -> Done:
        """Wait for its end."""
        code = _forks().waited(self.pid)
        return Done(code, self.out.read_text(), self.err.read_text())


def debate(*args: str | Path, cwd: Path, env: Mapping[str, str] | None = None, input: str = "") -> Done:  # noqa: A002 - as in subprocess.run
    """Run `debate ARGS` in `cwd` to its end; stdout and stderr are files, so no terminal."""
    with started(*args, cwd=cwd, env=env, input=input) as running:
        return running.wait()


@contextmanager
def started(
    *args: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    input: str = "",  # noqa: A002 - as in subprocess.run
) -> Generator[Running]:
    """`debate ARGS` under way in `cwd`; whatever is left of it at the end of the block is killed."""
    private = _private(cwd)
    number = sum(1 for _ in private.glob("*.in"))
    streams = [private / f"{number}.{name}" for name in ("in", "out", "err")]
    streams[0].write_text(input)
    for stream in streams[1:]:
        stream.touch()
    forks = _forks()
    running = Running(forks.start([str(arg) for arg in args], cwd, _clean(cwd, env), streams), *streams[1:])
    try:
        yield running
    finally:
        forks.end(running.pid)


def on_terminal(
    *args: str | Path,
    cwd: Path,
    keys: str = "",
    after: str = "",
    env: Mapping[str, str] | None = None,
    columns: int | None = None,
) -> tuple[int, str]:
    """Run `debate ARGS` on a terminal of its own into which `keys` are typed: exit code, and all that was drawn.

    They are typed at once, or when `after` has been drawn. A terminal does not say how wide it is unless it has `columns`.
    """
    master, slave = os.openpty()
    if columns is not None:
        termios.tcsetwinsize(slave, (50, columns))
    forks = _forks()
    pid = forks.start([str(arg) for arg in args], cwd, _clean(cwd, env), [Path(os.ttyname(slave))] * 3, owner=True)
    typed = bytearray(keys.encode())
    drawn = bytearray()

    def ended() -> bool:
        over = forks.ended(pid)
        if typed and after.encode() in drawn:
            os.write(master, typed)
            typed.clear()
        drawn.extend(_readable(master))
        return over

    try:
        until(ended, "the end of what is drawn")
    finally:
        forks.end(pid)
        os.close(slave)
        os.close(master)
    return forks.waited(pid), drawn.decode()


def _readable(master: int) -> bytes:
    """What stands ready to be read from a terminal; nothing more once it was hung up."""
    found = b""
    with suppress(OSError):
        while select.select([master], [], [], 0)[0]:
            found += os.read(master, 65536)
    return found


def cold(*args: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
    """Run `python ARGS` in a fresh interpreter."""
    command = [sys.executable, *map(str, args)]
    done = subprocess.run(
        command, cwd=cwd, env=_clean(cwd, env), capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


def until(condition: Any, what: str) -> None:
    """Wait until `condition()` holds; fail where it does not come about."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.005)


def write_config(folder: Path, text: str, name: str = "debate.yaml") -> Path:
    """A configuration file."""
    path = folder / name
    path.write_text(text)
    return path


class _Forks:
    """The process that processes are forked off, asked one JSON line at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._codes: dict[int, int] = {}
        atexit.register(self._close)

    def start(
        self, args: list[str], cwd: Path, env: Mapping[str, str], streams: list[Path], *, owner: bool = False
    ) -> int:
        """Pid of a new process; the `owner` of the terminal that its streams are gets its signals."""
        places = [str(stream) for stream in streams]
        pid: int = self._ask({"args": args, "cwd": str(cwd), "env": dict(env), "streams": places, "owner": owner})
        return pid

    def waited(self, pid: int) -> int:
        """Exit code of a process, when it has ended."""
        until(lambda: self.ended(pid), f"the end of process {pid}")
        return self._codes[pid]

    def end(self, pid: int) -> None:
        """Kill a process that is still there."""
        if not self.ended(pid):
            os.kill(pid, signal.SIGKILL)
            self.waited(pid)

    def ended(self, pid: int) -> bool:
        if pid not in self._codes:
            code = self._ask({"pid": pid})
            if code is None:
                return False
            self._codes[pid] = code
        return True

    def _ask(self, question: dict[str, Any]) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        return json.loads(self._process.stdout.readline())

    def _close(self) -> None:
        self._process.communicate()


@cache
def _forks() -> _Forks:
    return _Forks()


def _private(cwd: Path) -> Path:
    """A folder for what belongs to the processes run in `cwd`, not in it."""
    folder = cwd.parent / f"{cwd.name}-process"
    (folder / "home").mkdir(parents=True, exist_ok=True)
    return folder


def _clean(cwd: Path, env: Mapping[str, str] | None) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG") if name in os.environ}
    return {**kept, "HOME": str(_private(cwd) / "home"), "NO_COLOR": "1", **(env or {})}
