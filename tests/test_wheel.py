"""The wheel contains everything that a debate needs."""

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COMMANDS = """
import sys, debate_cli
from debate_cli.__main__ import main
print(debate_cli.__file__)
for line in ("run --mock --id first --json", "score transcripts/first.json --check", "replay first", "explain",
             "replay first --format html -o page.html"):
    sys.argv = ["debate", *line.split()]
    try:
        main()
    except SystemExit as error:
        assert not error.code, line
"""
"""Where the package is, and the output of commands that must succeed."""


def run(*words: str | Path, cwd: Path, path: Path | None = None) -> str:
    """Standard output of a command that must succeed; `path` is the only PYTHONPATH."""
    env = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    env |= {} if path is None else {"PYTHONPATH": str(path)}
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_runs_the_packaged_debate(tmp_path: Path) -> None:
    """Unpacked outside of a checkout it runs, scores and replays a debate, and explains errors."""
    if find_spec("hatchling"):
        run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path, cwd=ROOT)
    else:
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("debate_cli-*.whl")
    package = tmp_path / "unpacked"
    zipfile.ZipFile(wheel).extractall(package)
    assert (package / "debate_cli" / "py.typed").is_file(), "type checkers ignore the types of the package"
    said = run(sys.executable, "-c", COMMANDS, cwd=tmp_path, path=package)
    assert said.startswith(str(package))
    assert "Verdict" in said
    assert "missing-key" in said
    assert (tmp_path / "page.html").stat().st_size > 10_000
