"""A process with the whole program imported that forks a `python -m debate_cli` off itself for every line on stdin.

`{"args", "cwd", "env", "streams", "owner"}` starts one and is answered by its pid; `{"pid"}` is answered by its exit code, or by
null while it runs. An `owner` has the terminal of its streams as its own, so that Ctrl-C reaches it. What it forks is an ordinary process: it has its own streams and environment, and takes signals.
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import runpy
import signal
import sys
import termios
import traceback
from typing import Any, NoReturn

IMPORTED = (
    *(f"debate_cli.cli.{name}" for name in ("run", "judge", "score", "replay", "init", "check", "models", "schema")),
    "debate_cli.providers.cassette", "debate_cli.render.plain", "debate_cli.render.markdown", "debate_cli.render.html.page",
    "rich.console", "typer.rich_utils", "json_repair", "genai_prices", "openai", "openai.resources.chat.completions",
)  # fmt: skip


def answer(question: dict[str, Any]) -> int | None:
    """A pid, an exit code, or None."""
    if "pid" in question:
        pid, status = os.waitpid(question["pid"], os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        return None if pid == 0 else 128 - code if code < 0 else code
    pid = os.fork()
    if pid == 0:
        become(question)
    return pid


def become(question: dict[str, Any]) -> NoReturn:
    """Be the process that was asked for."""
    for number, (stream, flags) in enumerate(
        zip(question["streams"], (os.O_RDONLY, os.O_RDWR, os.O_RDWR), strict=True)
    ):
        opened = os.open(stream, flags | os.O_NOCTTY)
        os.dup2(opened, number)
        os.close(opened)
    if question["owner"]:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests were started in the background
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
    os.chdir(question["cwd"])
    os.environ.clear()
    os.environ.update(question["env"])
    sys.argv[1:] = question["args"]
    code: Any = 1
    try:
        runpy.run_module("debate_cli", run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as ending:
        code = ending.code
    except BaseException:  # noqa: BLE001 - as the interpreter ends
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def main() -> None:
    """Answer until stdin ends."""
    for module in IMPORTED:
        importlib.import_module(module)
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    for line in requests:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
