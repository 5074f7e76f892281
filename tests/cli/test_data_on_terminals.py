"""JSON and CSV on a terminal: untrusted text cannot control it."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from cli_support import debate, run_on_terminal

MOTION = "Ship \x9b31mit \u202egnp.exe\u202c \u200bnow \x1b]0;owned\x07 \x7f\u2028or not \U000e0041"
ACTING = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\U000e0000-\U000e007f]")


@pytest.fixture
def imported(saved: Path) -> Path:
    """A transcript whose motion and one of whose names are hostile; the folder of both."""
    document = json.loads(saved.read_text())
    document["topic"] = document["config"]["topic"] = MOTION
    text = json.dumps(document, ensure_ascii=False).replace('"Pro"', '"Pr\u202eo\x9b2J"')
    saved.write_text(text)
    return saved.parent.parent


DOCUMENTS = (
    ("score", "transcripts/saved.json", "--json"),
    ("replay", "transcripts/saved.json", "--json"),
    ("list", "--json"),
    ("diff", "transcripts/saved.json", "transcripts/saved.json", "--json"),
    ("score", "transcripts", "--format", "jsonl"),
)


def parsed(text: str, command: tuple[str, ...]) -> list[object]:
    """The documents that a command prints: one, or one a line."""
    return [json.loads(part) for part in (text.strip().split("\n") if "jsonl" in command else [text])]


def data(drawn: str) -> str:
    """What a command wrote to a terminal, without the notice of a rehearsal, which goes to stderr."""
    return re.sub("^REHEARSAL.*\n", "", drawn.replace("\r\n", "\n"), flags=re.MULTILINE)


@pytest.mark.parametrize("command", DOCUMENTS, ids=" ".join)
def test_json_on_a_terminal_is_the_same_document_without_control_characters(
    imported: Path, command: tuple[str, ...]
) -> None:
    """Escapes stand for control, bidirectional and invisible characters, and do not change the values."""
    code, drawn = run_on_terminal(*command, cwd=imported)
    assert (code, ACTING.findall(drawn.replace("\r\n", "\n"))) == (0, [])
    piped = debate(*command, cwd=imported).out
    assert parsed(data(drawn), command) == parsed(piped, command)


def test_csv_on_a_terminal_holds_no_control_characters(imported: Path) -> None:
    """Each row stays on its own line."""
    code, drawn = run_on_terminal("score", "transcripts", "--format", "csv", cwd=imported)
    assert (code, ACTING.findall(drawn.replace("\r\n", "\n"))) == (0, [])
    assert [row["topic"] for row in csv.DictReader(io.StringIO(data(drawn)))] == ["Ship it gnp.exe now or not"] * 2


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_results_of_an_experiment_hold_no_control_characters(here: Path, form: str) -> None:
    """Motions come from a file."""
    debaters = [{"name": "A", "side": "for"}, {"name": "B", "side": "against"}]
    base = {"topic": "t", "debaters": debaters, "models": {"judge": {"model": "mock/judge"}}}
    players = [{"name": name, "model": f"mock/{name}"} for name in ("ann", "bob")]
    experiment = {"name": "one", "base": "base.yaml", "motions": "motions.csv", "players": players, "sides": "first"}
    for name, document in (("base.yaml", base), ("exp.yaml", experiment)):
        (here / name).write_text(json.dumps(document))
    (here / "motions.csv").write_text(f"topic\n{MOTION}\n")
    assert debate("experiment", "run", "exp.yaml", "-q", cwd=here).code == 0
    code, drawn = run_on_terminal("experiment", "report", "exp.yaml", "--format", form, cwd=here)
    assert (code, ACTING.findall(drawn.replace("\r\n", "\n"))) == (0, [])
    assert "gnp.exe" in drawn
