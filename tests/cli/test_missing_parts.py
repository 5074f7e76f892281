"""`replay --only` and `score`: a line on stderr explains a missing part."""

import json
from pathlib import Path

import pytest
from cli_support import CommandResult, debate


def replay(saved: Path, *options: str | Path) -> CommandResult:
    """`debate replay` in the folder of the saved debate."""
    return debate("replay", *options, cwd=saved.parent.parent)


@pytest.fixture
def text(here: Path) -> Path:
    """A text that a panel judged."""
    (here / "PLAN.md").write_text("We rewrite it.")
    assert debate("judge", "PLAN.md", "--system", "panel", "--mock", "--out", "transcripts/t.json", cwd=here).code == 0
    return here / "transcripts" / "t.json"


def test_a_text_has_no_trace(text: Path) -> None:
    """`--only trace` on a judged text prints a line on stderr that there is none."""
    done = replay(text, text, "--only", "trace")
    assert (done.code, done.out, done.lines) == (
        0,
        "",
        ["--only trace: this debate has no such part; leave out --only to see all parts"],
    )


def test_scores_of_one_round_are_refused(saved: Path) -> None:
    """`--only scores --round 1` is refused, because a score covers all rounds."""
    done = replay(saved, saved, "--only", "scores", "--round", "1")
    assert (done.code, done.err) == (
        2,
        "debate: --round has no effect with --only scores, which covers all rounds; leave out one of them\n",
    )


def test_a_folder_is_not_an_id(saved: Path) -> None:
    """A folder in place of a debate is refused with the command that lists it."""
    done = replay(saved, "transcripts")
    assert (done.code, done.lines) == (
        2,
        ["debate: transcripts: is a folder; name one of its debates, which `debate list transcripts` shows"],
    )


@pytest.fixture
def torn(saved: Path) -> Path:
    """The journal of a debate whose process died while it wrote its second event."""
    document = json.loads(saved.read_text())
    keys = ("id", "generator", "config", "config_sha256")
    opened = {"schema_version": 1, "type": "opened", "at": document["started_at"]}
    path = saved.with_suffix(".jsonl")
    path.write_text(json.dumps(opened | {key: document[key] for key in keys}) + '\n{"type": "turned", "at')
    saved.unlink()
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("replay", "saved"),
        ("replay", "saved", "--json"),
        ("score", "saved"),
        ("score", "transcripts", "--json"),
        ("diff", "saved", "saved"),
    ],
    ids=" ".join,
)
def test_an_incomplete_last_line_is_reported_once(torn: Path, command: tuple[str, ...]) -> None:
    """Each command reports an incomplete last line of a journal once, with its number."""
    done = debate(*command, cwd=torn.parent.parent)
    notes = [line for line in done.lines if line.startswith("note: ")]
    assert (done.code, notes) == (
        0,
        ["note: transcripts/saved.jsonl:2: the last line is incomplete and ignored; its event is lost"],
    )
