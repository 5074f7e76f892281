"""Runs the command line in tests, with a clean environment: no API key, no colour, its own home.

`debate` calls `main()` in this process, which is fast. `start_process` and `run_on_terminal` fork a process that has made a
rehearsal (`forked_start`): they are for tests of signals and terminals. `run_in_shell` and `run_python` start a new interpreter:
they are for tests of pipes and start-up.
"""

import json
import multiprocessing
import os
import resource
import select
import subprocess
import sys
import termios
import time
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any
from unittest.mock import patch

from debate_cli.__main__ import main

Streams = tuple[Path, Path, Path]
"""Files or terminals for stdin, stdout and stderr."""
LIMIT_S = 60.0
"""Longest time that a process may take; after that the test fails."""
CONFIGS = Path(__file__).parent.parent / "configs"
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["forked_start", "openai", "anthropic"])


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Exit code and output of a command that has ended."""

    code: int
    """128 + signal if a signal ended the process, as a shell reports it."""
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The JSON document on stdout. Raises ValueError if stdout holds anything else."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """Lines of stderr."""
        return self.err.splitlines()


@dataclass(frozen=True, slots=True)
class RunningProcess:
    """A process whose output goes to files, so that a test can read it while the process runs."""

    process: ForkServerProcess
    out: Path
    err: Path

    @property
    def pid(self) -> int:
        """Process id."""
        assert self.process.pid is not None
        return self.process.pid

    def signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def wait(self) -> CommandResult:
        """Wait until the process ends."""
        self.process.join(LIMIT_S)
        assert self.process.exitcode is not None, "the process does not end"
        return CommandResult(_shell_code(self.process.exitcode), self.out.read_text(), self.err.read_text())


def debate(*args: str | Path, cwd: Path, env: Mapping[str, str] | None = None, input: str = "") -> CommandResult:  # noqa: A002 - as in subprocess.run
    """Run `debate ARGS` in `cwd`, in this process. Stdin, stdout and stderr are files, as they would be in a pipe."""
    streams = _stream_files(cwd, input)
    code = 0
    with _process_state([str(arg) for arg in args], cwd, _clean_env(cwd, env), streams):
        try:
            main()
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        except BaseException:  # noqa: BLE001 - the interpreter would print it and exit with 1
            traceback.print_exc()
            code = 1
    return CommandResult(code, streams[1].read_text(), streams[2].read_text())


def run_script(source: str, cwd: Path) -> CommandResult:
    """Run Python source in `cwd`, in this process; a warning is an error, as everywhere in tests."""
    streams = _stream_files(cwd, "")
    with _process_state([], cwd, _clean_env(cwd, None), streams):
        exec(source, {"__name__": "__main__"})
    return CommandResult(0, streams[1].read_text(), streams[2].read_text())


@contextmanager
def files_limited_to(size: int) -> Generator[None]:
    """Limit the size of the files that this process writes, in bytes, which acts like a full disk.

    No bytecode is written meanwhile: Python 3.11 would store it truncated, which breaks later runs.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with patch.object(sys, "dont_write_bytecode", new=True):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def start_process(
    *args: str | Path, cwd: Path, env: Mapping[str, str] | None = None, stdout: Path | None = None
) -> Generator[RunningProcess]:
    """Start `debate ARGS` in `cwd` as a process that writes to `stdout`, a pipe or device, or else to a new file.

    The end of the block kills the process if it still runs.
    """
    stdin, out, err = _stream_files(cwd, "")
    with _fork(args, cwd, env, (stdin, stdout or out, err)) as process:
        yield RunningProcess(process, out, err)


def run_on_terminal(
    *args: str | Path,
    cwd: Path,
    keys: str = "",
    after: str = "",
    env: Mapping[str, str] | None = None,
    columns: int | None = None,
) -> tuple[int, str]:
    """Run `debate ARGS` on a pseudo-terminal of its own; return the exit code and everything that was written to it.

    Types `keys` once `after` has been written. The terminal reports a width only if `columns` is given.
    """
    master, slave = os.openpty()
    if columns is not None:
        termios.tcsetwinsize(slave, (50, columns))
    typed, drawn = bytearray(keys.encode()), bytearray()

    def has_ended() -> bool:
        ended = process.exitcode is not None
        if typed and after.encode() in drawn:
            os.write(master, typed)
            typed.clear()
        drawn.extend(_read_available(master))
        return ended

    terminal = Path(os.ttyname(slave))
    try:
        with _fork(args, cwd, env, (terminal, terminal, terminal)) as process:
            wait_until(has_ended, "the end of the command")
            assert process.exitcode is not None
            return _shell_code(process.exitcode), drawn.decode()
    finally:
        os.close(slave)
        os.close(master)


@contextmanager
def _fork(
    args: Sequence[str | Path], cwd: Path, env: Mapping[str, str] | None, streams: Streams
) -> Generator[ForkServerProcess]:
    """A process that runs `debate ARGS`. The end of the block kills the process if it still runs."""
    with patch.dict(os.environ, PYTHONPATH=str(Path(__file__).parent)):  # Python 3.11 gives the server no sys.path
        forkserver.ensure_running()
    process = FORKS.Process(target=run_forked, args=([str(arg) for arg in args], cwd, _clean_env(cwd, env), streams))
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join(LIMIT_S)


def run_forked(args: list[str], cwd: Path, env: dict[str, str], streams: Streams) -> None:
    """Run `debate ARGS` in this process, which was forked for it. A terminal becomes the process's own.

    The folders of PYTHONPATH are searched first, as a new interpreter does.
    """
    os.setsid()
    sys.path[:0] = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    for number, (stream, mode) in enumerate(zip(streams, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        os.dup2(os.open(stream, os.O_RDWR if stream.is_char_device() else mode), number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    encoding = env.get("PYTHONIOENCODING")
    sys.stdin, sys.stdout = open(0, encoding=encoding), open(1, "w", encoding=encoding)  # noqa: SIM115 - descriptors
    sys.stderr = open(2, "w", buffering=1, encoding=encoding, errors="backslashreplace")  # noqa: SIM115 - a descriptor
    sys.argv = ["debate", *args]
    main()


def run_python(*args: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> CommandResult:
    """Run `python ARGS` in a new interpreter."""
    command = [sys.executable, *map(str, args)]
    done = subprocess.run(
        command, cwd=cwd, env=_clean_env(cwd, env), capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    return CommandResult(_shell_code(done.returncode), done.stdout, done.stderr)


def run_in_shell(script: str, cwd: Path, env: Mapping[str, str] | None = None) -> CommandResult:
    """Run a script in bash; `debate` is the installed command."""
    folder = Path(sys.executable).parent
    found = _clean_env(cwd, {"PATH": f"{folder}:{os.environ['PATH']}", **(env or {})})
    done = subprocess.run(
        ["bash", "-c", script], cwd=cwd, env=found, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    return CommandResult(done.returncode, done.stdout, done.stderr)


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Wait until `condition()` is true; fail after `LIMIT_S` seconds."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.005)


def write_config(folder: Path, text: str, name: str = "debate.yaml") -> Path:
    """Write a configuration file."""
    path = folder / name
    path.write_text(text)
    return path


@contextmanager
def _process_state(args: list[str], cwd: Path, env: Mapping[str, str], streams: Streams) -> Generator[None]:
    """Give this process the arguments, folder, environment and streams of another one, and its own back at the end."""
    before = sys.argv, Path.cwd(), dict(os.environ), (sys.stdin, sys.stdout, sys.stderr)
    encoding = env.get("PYTHONIOENCODING")
    with (
        streams[0].open(encoding=encoding) as stdin,
        streams[1].open("w", encoding=encoding) as stdout,
        streams[2].open("w", buffering=1, encoding=encoding, errors="backslashreplace") as stderr,
    ):
        try:
            sys.argv = ["debate", *args]
            os.chdir(cwd)
            os.environ.clear()
            os.environ.update(env)
            sys.stdin, sys.stdout, sys.stderr = stdin, stdout, stderr
            yield
        finally:
            sys.argv, folder, environ, (sys.stdin, sys.stdout, sys.stderr) = before
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environ)


def _read_available(master: int) -> bytes:
    """Everything that can be read from a terminal without waiting."""
    found = b""
    with suppress(OSError):  # the other end has been closed
        while select.select([master], [], [], 0)[0]:
            found += os.read(master, 65536)
    return found


def _shell_code(returncode: int) -> int:
    return 128 - returncode if returncode < 0 else returncode


def _stream_files(cwd: Path, text: str) -> Streams:
    """New files for stdin, which holds `text` (with a surrogate for a byte that is not UTF-8), stdout and stderr."""
    folder = _private_folder(cwd)
    number = sum(1 for _ in folder.glob("*.in"))
    streams = folder / f"{number}.in", folder / f"{number}.out", folder / f"{number}.err"
    streams[0].write_text(text, errors="surrogateescape")
    for stream in streams[1:]:
        stream.touch()
    return streams


def _private_folder(cwd: Path) -> Path:
    """A folder beside `cwd` for the home and the streams of the commands that run in `cwd`."""
    folder = cwd.parent / f"{cwd.name}-process"
    (folder / "home").mkdir(parents=True, exist_ok=True)
    return folder


def _clean_env(cwd: Path, env: Mapping[str, str] | None) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG") if name in os.environ}
    return {**kept, "HOME": str(_private_folder(cwd) / "home"), "NO_COLOR": "1", **(env or {})}
