"""Shell completion: the words that a shell offers when the user presses Tab."""

from pathlib import Path

import pytest
from cli_support import debate
from saved_support import first_debate, write_transcript_file


def completed(here: Path, line: str) -> list[str]:
    """Words that bash is offered for the last word of `line`."""
    words = line.split(" ")
    env = {"_DEBATE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return debate(cwd=here, env=env).out.split()


@pytest.fixture
def full(two_saved: Path) -> Path:
    """A folder with configurations and saved debates."""
    here = two_saved.parent.parent
    (here / "configs").mkdir()
    for name in ("debate.yaml", "configs/mock.yaml", "configs/other.yml", "notes.md"):
        (here / name).write_text("topic: x")
    write_transcript_file(here / "transcripts" / "schema.schema.json", first_debate())
    return here


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("debate li", ["list"]),
        ("debate run ", ["debate.yaml", "configs/mock.yaml", "configs/other.yml"]),
        ("debate run configs/m", ["configs/mock.yaml"]),
        ("debate replay ", ["one", "two"]),
        ("debate replay tw", ["two"]),
        ("debate run --resume o", ["one"]),
        ("debate score ", ["transcripts/one.json", "transcripts/two.json"]),
        ("debate judge transcripts/", ["transcripts/one.json", "transcripts/two.json"]),
        ("debate replay --onl", ["--only"]),
        ("debate replay one --format h", ["html"]),
        ("debate judge one --system p", ["panel", "persuasion"]),
        ("debate score one --system st", ["structured"]),
        ("debate explain miss", ["missing-key"]),
        ("debate schema t", ["transcript"]),
    ],
)
def test_words_are_completed(full: Path, line: str, offered: list[str]) -> None:
    """Tab completes configurations, saved debates, options and their values."""
    assert completed(full, line) == offered


@pytest.mark.parametrize("line", ["debate run ", "debate replay ", "debate list "])
def test_without_a_folder_nothing_is_offered(here: Path, line: str) -> None:
    """Without a `transcripts` folder, Tab offers nothing and raises no error."""
    assert completed(here, line) == []
