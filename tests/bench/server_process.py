"""The model server as a separate process, so that its work does not slow the measured run.

As a program it prints its address. Each line on its stdin sets the seconds that it waits before an answer.
"""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from model_server import model_server


class ServerProcess:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self._process = process
        self.base_url = process.stdout.readline().strip()

    def wait_before_answers(self, seconds: float) -> None:
        """Set the seconds before each answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(seconds, file=self._process.stdin, flush=True)
        self._process.stdout.readline()


@contextmanager
def server_process() -> Generator[ServerProcess]:
    """Run a server within a `with` block; it answers at once until `wait_before_answers` is called."""
    with subprocess.Popen(
        [sys.executable, "-m", "bench.server_process"],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield ServerProcess(process)
        assert process.stdin is not None
        process.stdin.close()


def _serve() -> None:
    with model_server() as running:
        print(running.base_url, flush=True)
        for line in sys.stdin:
            running.latency_s = float(line)
            print("done", flush=True)


if __name__ == "__main__":
    _serve()
