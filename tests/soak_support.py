"""Debates in their own process, which can be killed."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
LONGEST_S = 300.0
"""Timeout for a process that hangs."""


def command(*words: str) -> list[str]:
    """A debate's command line."""
    return [sys.executable, "-m", "debate_cli", "run", *words, "--quiet"]


def config(folder: Path) -> Path:
    """A configuration for all systems, with a mock slow enough to be killed while it runs."""
    shutil.copytree(ROOT / "configs" / "examples", folder / "examples", dirs_exist_ok=True)
    text = (ROOT / "configs" / "everything.yaml").read_text()
    text = text.replace("{model: local/smollm2}", "{model: mock/slow, latency_s: 0.01}")
    text = text.replace(
        "{model: local/smollm2, temperature: 0.2}", "{model: mock/slow, latency_s: 0.01, temperature: 0.2}"
    )
    path = folder / "everything.yaml"
    path.write_text(text)
    return path


def finish(words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run to the end."""
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=LONGEST_S, check=False)


def kill_after(words: list[str], cwd: Path, seconds: float) -> int:
    """Run, and SIGKILL the process after `seconds`. Returns its exit code (-9 if it was still running)."""
    process = subprocess.Popen(words, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        return process.wait()


def moments(count: int, seed: int, longest: float) -> list[float]:
    """Random seconds after which to kill, over the length of a run."""
    chance = random.Random(seed)
    return [chance.uniform(0.15, longest) for _ in range(count)]


def duration(words: list[str], cwd: Path) -> float:
    """Seconds that a run takes on this machine."""
    started = time.perf_counter()
    assert finish(words, cwd).returncode == 0
    return time.perf_counter() - started


def run_command_line(words: list[str], folder: str) -> None:
    """Run `debate` with `words` in `folder`, in this process, which was forked for it. Its output goes to files there."""
    from debate_cli.cli.app import main

    os.chdir(folder)
    for number in (1, 2):
        os.dup2(os.open(f"{folder}/output{number}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 - descriptors
    sys.argv = ["debate", *words]
    main()
