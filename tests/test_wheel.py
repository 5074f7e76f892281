"""The wheel, installed into an empty environment, runs a debate without a checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def sh(*words: str | Path, cwd: Path) -> str:
    """Standard output of a command that must succeed."""
    env = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_an_installed_wheel_runs_the_packaged_debate(tmp_path: Path) -> None:
    """Nothing but the wheel is needed for `debate run --mock`, nor for what follows on its transcript."""
    sh(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("debate_cli-*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    sh(python, "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    debate = tmp_path / "env" / "bin" / "debate"
    transcript = json.loads(sh(debate, "run", "--mock", "--id", "first", "--json", cwd=tmp_path))
    assert transcript["status"] == "complete"
    assert "stored" not in sh(debate, "score", "transcripts/first.json", "--check", cwd=tmp_path)
    assert "Verdict" in sh(debate, "replay", "first", cwd=tmp_path)
    assert "missing-key" in sh(debate, "explain", cwd=tmp_path)
