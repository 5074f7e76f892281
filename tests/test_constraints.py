"""The packages of CI fit pyproject.toml and have hashes; `make audit` never calls an unaudited package sound."""

import json
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
CONSTRAINTS = "".join(path.read_text() for path in sorted((ROOT / ".ci").glob("constraints*.txt")))
PINNED = re.compile(r"^(\S+)==([^\s;]+)(?: ;[^\\]*)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def test_ci_installs_the_packages_that_the_project_names() -> None:
    """Each requirement has a pinned version within its range; `make constraints` brings the file up to date."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [*project["dependencies"], *(item for extra in project["optional-dependencies"].values() for item in extra)]
    pinned = {canonicalize_name(found[1]): found[2] for found in PINNED.finditer(CONSTRAINTS)}
    for requirement in (item for item in map(Requirement, named) if item.name != project["name"]):
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), requirement


def test_every_package_has_hashes() -> None:
    """The files contain nothing but comments and pinned packages with hashes, so no address of an index either."""
    rest = PINNED.sub("", CONSTRAINTS)
    assert [line for line in rest.splitlines() if line and not line.startswith("#")] == []


SOUND: dict[str, Any] = {"name": "one", "version": "1", "vulns": []}
WEAK = {"name": "two", "version": "2", "vulns": [{"id": "CVE-1"}]}
SKIPPED = {"name": "three", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("printed", "code", "words"),
    [
        (json.dumps({"dependencies": [SOUND]}), 0, "audited: 1 packages, 0 of them vulnerable"),
        (json.dumps({"dependencies": [SOUND, WEAK]}), 1, "vulnerable: two 2 (CVE-1)"),
        (json.dumps({"dependencies": [SOUND, SKIPPED]}), 2, "not audited: 1 of 2 packages (three)"),
        (json.dumps({"dependencies": []}), 2, "not audited: 0 of 0 packages"),
        ("", 2, "not audited: "),
    ],
)
def test_the_audit_says_what_was_not_audited(tmp_path: Path, printed: str, code: int, words: str) -> None:
    """pip-audit succeeds even if it skipped every package."""
    program = tmp_path / "pip-audit"
    program.write_text(f"#!{sys.executable}\nprint({printed!r})\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "audit.py", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, words in done.stdout) == (code, True), done.stdout + done.stderr
