"""`debate personas`: judges that documents imply."""

import json
from pathlib import Path

import pytest
import yaml
from cli_support import debate

from debate_cli.domain.config_checks import check_for_any_use
from debate_cli.storage.config_file import read_config_file

PLAN = "# Plan\n\nWe move all customer records in March.\nSupport answers calls while ${HOME} is empty.\n"
SCRIPT = """
judge.personas:
  stakeholders:
    - {name: Head of Support, role: answers calls, cares_about: fewer calls., quote: "support answers CALLS"}
    - {name: head of support, role: "pays ${HOME}", cares_about: cost, quote: We promised a lawyer}
    - {name: Ж, role: uses it, cares_about: speed, quote: "We move all … in March"}
"""
SCRIPTED = ("--config", "script.yaml")


@pytest.fixture
def plan(here: Path) -> Path:
    """A document, and a configuration whose judge follows SCRIPT."""
    (here / "script.answers.yaml").write_text(SCRIPT)
    (here / "script.yaml").write_text(
        "topic: x\nmodels: {judge: {model: mock/scripted, script: script.answers.yaml}}\njudging: {systems: [panel]}\n"
    )
    (here / "PLAN.md").write_text(PLAN)
    return here


def test_suggested_judges_can_judge_the_document(plan: Path) -> None:
    """The written configuration names 3 to 7 judges and is used as it is."""
    done = debate("personas", "PLAN.md", "--mock", "-o", "judges.yaml", cwd=plan)
    assert (done.code, "edit it, then run: debate judge PLAN.md --config judges.yaml" in done.err) == (0, True), (
        done.err
    )
    judges = yaml.safe_load((plan / "judges.yaml").read_text())["judging"]["systems"][0]["judges"]
    assert 3 <= len(judges) <= 7
    judged = debate("judge", "PLAN.md", "--config", "judges.yaml", "--json", cwd=plan)
    assert judged.code == 0, judged.err
    votes = judged.json[0]["verdicts"][0]["notes"]["rounds"][0]["votes"]
    assert [vote["judge"] for vote in votes] == [judge["id"] for judge in judges]


def test_quotes_are_checked_word_for_word(plan: Path) -> None:
    """Each has its document and line; a passage that is in none is marked on the screen and in the file."""
    done = debate("personas", "PLAN.md", *SCRIPTED, "--json", cwd=plan)
    assert done.code == 0, done.err
    assert [(item["id"], item["document"], item["line"]) for item in done.json] == [
        ("head_of_support", "PLAN.md", 4),
        ("head_of_support_2", None, None),
        ("judge", "PLAN.md", 3),
    ]
    assert "note: head_of_support_2: the quoted passage is in none of the documents" in done.err
    text = debate("personas", "PLAN.md", *SCRIPTED, cwd=plan).out
    assert "# CHECK: this passage is in none of the documents: “We promised a lawyer”" in text
    assert "pays $${HOME}" in text


def test_untrusted_words_stay_text(plan: Path) -> None:
    """A name cannot end its line of the file, start a variable or change the order of characters on the screen."""
    entry = {
        "name": "A\u202e]\n- id: b: {x}",
        "role": "${KEY} # x",
        "cares_about": "'\"\u001b[2J",
        "quote": "q\nmodels: {}",
    }
    (plan / "script.answers.yaml").write_text(json.dumps({"judge.personas": {"stakeholders": [entry] * 3}}))
    done = debate("personas", "PLAN.md", *SCRIPTED, cwd=plan)
    assert done.code == 0, done.err
    assert not {"\u202e", "\u001b"} & set(done.out)
    loaded = read_config_file(None, text=done.out, env={}, checks=(check_for_any_use,)).config
    assert [judge.id for judge in loaded.judging.systems[0].seats] == ["a_id_b_x", "a_id_b_x_2", "a_id_b_x_3"]
    assert set(loaded.models) == {"judge"}


def test_an_unusable_answer_is_an_error(plan: Path) -> None:
    """Exit 3; the sentence says what to do."""
    (plan / "script.answers.yaml").write_text(json.dumps({"judge.personas": "I would rather not."}))
    done = debate("personas", "PLAN.md", *SCRIPTED, cwd=plan)
    assert (done.code, "named no usable stakeholders" in done.err, "--model" in done.err) == (3, True, True), done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("PLAN.md", "has no model; give --model"),
        ("GONE.md --mock", "GONE.md: cannot be read"),
        ("saved.json --mock", "is not a text file"),
        ("PLAN.md --mock -o saved.json", "exists already"),
    ],
)
def test_wrong_arguments_are_refused(plan: Path, arguments: str, words: str) -> None:
    """Exit 2, one line, before any call."""
    (plan / "saved.json").write_text("{}")
    done = debate("personas", *arguments.split(), cwd=plan)
    assert (done.code, len(done.lines), words in done.err) == (2, 1, True), done.err
