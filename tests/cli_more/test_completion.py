"""What a shell is told when the user presses Tab."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import get_args

import pytest
from cli_support import run_python
from saved_support import fixed, save

from debate_cli.cli import completion
from debate_cli.domain.assessment import SystemKind

DEBATE = Path(sys.executable).with_name("debate")
PROBE = """
import json, sys
sys.argv = ["debate"]
from debate_cli.cli.app import main
try:
    main()
except SystemExit:
    pass
print("\\n" + json.dumps(sorted(sys.modules)))
"""


def completed(here: Path, line: str) -> list[str]:
    """What bash is offered for the last word of `line`."""
    words = line.split(" ")
    env = {"_DEBATE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return run_python(DEBATE, cwd=here, env=env).out.split()


@pytest.fixture
def full(saved: Path) -> Path:
    """A folder with configurations and debates."""
    here = saved.parent.parent
    (here / "configs").mkdir()
    for name in ("debate.yaml", "configs/mock.yaml", "configs/other.yml", "notes.md"):
        (here / name).write_text("topic: x")
    save(here / "transcripts" / "schema.schema.json", fixed())
    return here


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("debate li", ["list"]),
        ("debate run ", ["debate.yaml", "configs/mock.yaml", "configs/other.yml"]),
        ("debate run configs/m", ["configs/mock.yaml"]),
        ("debate check debate.yaml conf", ["configs/mock.yaml", "configs/other.yml"]),
        ("debate replay ", ["one", "two"]),
        ("debate replay tw", ["two"]),
        ("debate replay transcripts/o", ["transcripts/one.json"]),
        ("debate diff one t", ["two"]),
        ("debate run --resume o", ["one"]),
        ("debate score ", ["transcripts/one.json", "transcripts/two.json"]),
        ("debate judge transcripts/", ["transcripts/one.json", "transcripts/two.json"]),
        ("debate replay --onl", ["--only"]),
        ("debate replay one --format h", ["html"]),
        ("debate replay nothing", []),
        ("debate judge one --config ", ["debate.yaml", "configs/mock.yaml", "configs/other.yml"]),
        ("debate judge one --system p", ["panel", "persuasion"]),
        ("debate score one --system st", ["structured"]),
        ("debate run ./c", ["./configs/mock.yaml", "./configs/other.yml"]),
        ("debate score tra", ["transcripts/one.json", "transcripts/two.json"]),
        ("debate list tr", ["transcripts/"]),
        ("debate explain miss", ["missing-key"]),
        ("debate schema t", ["transcript"]),
    ],
)
def test_words_are_completed(full: Path, line: str, offered: list[str]) -> None:
    """Configurations, debates, and, once there is an option, what the command itself knows."""
    assert completed(full, line) == offered


def test_all_judging_systems_are_offered() -> None:
    """Their names are written down a second time, as completing loads nothing slow."""
    assert get_args(SystemKind) == completion.COMPLETED_SYSTEM_NAMES


@pytest.mark.parametrize("line", ["debate run ", "debate replay ", "debate list "])
def test_without_a_folder_nothing_is_offered(here: Path, line: str) -> None:
    """And nothing fails."""
    assert completed(here, line) == []


@pytest.mark.parametrize(
    "line",
    [
        "debate run ",
        "debate run --",
        "debate replay ",
        "debate diff ",
        "debate judge ",
        "debate judge --",
        "debate explain ",
    ],
)
def test_completion_imports_no_sdk(full: Path, line: str) -> None:
    """Completing an option or argument imports no provider's SDK."""
    env = {"_DEBATE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": "2"}
    modules = json.loads(run_python("-c", PROBE, cwd=full, env=env).out.splitlines()[-1])
    assert set(modules) & {"openai", "anthropic", "httpx2", "jinja2"} == set()
