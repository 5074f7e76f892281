"""A judge that exceeds its scale, adds up wrongly and invents quotes: our numbers count, and warnings say so."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate, write_config
from saved_support import first_debate, write_transcript_file

from debate_cli.domain.debate import Debate
from debate_cli.systems.moderator.criteria import FINAL

INVENTED = "nobody ever said these very words"
CONFIG = """\
topic: t
models: {judge: {model: mock/scripted, script: judge.json}}
debaters: [{name: Ada, side: for, model: mock/debater}, {name: Bo, side: against, model: mock/debater}]
"""


def structured_reply(debate: Debate) -> dict[str, Any]:
    """Logic far above the scale, evidence far below it, one fallacy with a true quote and one with an invented quote."""
    said = list(debate.turns[0].arguments or ())
    quotes = (said[0].claim, INVENTED)
    return {
        "arguments": [
            {
                "item": item, "reasoning": "r", "logic": 99, "evidence": -5, "responsiveness": 5, "honesty": 5,
                "standing": "UPHELD",
                "fallacies": [{"name": "straw man", "quote": quote} for quote in quotes] if item == said[0].id else [],
            }
            for item in debate.arguments
        ],
        "addressed_to_judge": [said[1].claim, INVENTED],
        "key_insight": "k", "unresolved_questions": [], "recommendation": "r",
    }  # fmt: skip


def round_reply() -> dict[str, Any]:
    """Marks that add up to 15, with a claimed total of 30 for Ada."""
    names = ("argument_quality", "rebuttal_effectiveness", "strategic_positioning")
    marks: dict[str, Any] = dict.fromkeys(names, 5) | {f"{name}_reason": "r" for name in names}
    scores = [{"participant": name, **marks, "total": total} for name, total in (("Ada", 30), ("Bo", 15))]
    return {
        "scores": scores,
        "summary": [],
        "clashes": [],
        "consensus": [],
        "momentum_why": "",
        "momentum_toward": "even",
    }


def final_reply() -> dict[str, Any]:
    """Ada gets half of every mark, with a claimed total of 100."""
    marks = {name: int(out_of) // 2 for name, out_of in FINAL.maxima.items()}
    reasons = {f"{group}_reason": "r" for group in FINAL.groups}
    scores = [
        {"participant": name, **reasons, **marks, "total": total}
        for name, total in (("Ada", 100), ("Bo", sum(marks.values())))
    ]
    return {"scores": scores, "evaluation": "Ada wins with 100 of 100."}


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The fixed debate after the lying judge has judged it."""
    here = tmp_path_factory.mktemp("lying") / "here"
    here.mkdir()
    path = write_transcript_file(here / "transcripts" / "one.json", first_debate(), verdicts=[], assessments=[])
    replies = {
        "judge.structured": structured_reply(first_debate()),
        "judge.moderator.round": round_reply(),
        "judge.moderator.final": final_reply(),
    }
    (here / "judge.json").write_text(json.dumps(replies))
    config = write_config(here, CONFIG)
    done = debate("judge", path, "--config", config, "--system", "structured", "--system", "moderator", cwd=here)
    assert done.code == 0, done.err
    return json.loads(path.read_text())


def of(transcript: dict[str, Any], system: str) -> list[dict[str, Any]]:
    """The assessments of one system."""
    return [assessment for assessment in transcript["assessments"] if assessment["system"] == system]


def warnings(transcript: dict[str, Any], system: str, code: str) -> list[str]:
    """The warnings of one system that begin with `code`."""
    return [
        line for assessment in of(transcript, system) for line in assessment["warnings"] if line.startswith(f"{code}:")
    ]


def verdict(transcript: dict[str, Any], system: str) -> dict[str, Any]:
    """The verdict of one system in the run that was added."""
    (found,) = [verdict for verdict in transcript["verdicts"] if (verdict["run"], verdict["system"]) == ("r2", system)]
    return found


def test_marks_beyond_the_scale_are_clamped(transcript: dict[str, Any]) -> None:
    """99 counts as 10 and -5 as 1, each with a warning: 0.3 x 10 + 0.4 x 1 + 0.2 x 5 + 0.1 x 5 for both."""
    marks = {
        (mark["criterion"], mark["value"])
        for assessment in of(transcript, "structured")
        for mark in assessment["marks"]
    }
    assert marks == {("logic", 10), ("evidence", 1), ("responsiveness", 5), ("honesty", 5)}
    assert len(warnings(transcript, "structured", "clamped")) == 2 * len(first_debate().arguments)
    found = verdict(transcript, "structured")
    assert found["scores"] == {"Ada": pytest.approx(4.9), "Bo": pytest.approx(4.9)}
    assert (found["winner"], found["victory"]) == (None, "draw")


def test_an_invented_quote_is_dropped(transcript: dict[str, Any]) -> None:
    """The fallacy with an invented quote is dropped with a warning; the other stays."""
    quotes = [
        item["quote"]
        for assessment in of(transcript, "structured")
        for item in assessment["findings"]
        if item["kind"] == "fallacy"
    ]
    argument = next(iter(first_debate().turns[0].arguments or ()))
    assert quotes == [argument.claim]
    assert len(warnings(transcript, "structured", "dropped_fallacy")) == 1


def test_a_false_total_gives_a_warning_and_does_not_count(transcript: dict[str, Any]) -> None:
    """In each round and at the end, for Ada alone; equal marks are a draw."""
    warned = warnings(transcript, "moderator", "claimed_total")
    assert len(warned) == len(of(transcript, "moderator"))
    assert all("Ada" in line for line in warned)
    found = verdict(transcript, "moderator")
    assert found["scores"]["Ada"] == found["scores"]["Bo"]
    assert found["victory"] == "draw"


def test_words_that_a_judge_finds_fail_the_gate(tmp_path: Path, transcript: dict[str, Any]) -> None:
    """`score --fail-on manipulation` ends with exit code 5."""
    path = tmp_path / "one.json"
    path.write_text(json.dumps(transcript))
    done = debate("score", path, "--fail-on", "manipulation", cwd=tmp_path)
    assert done.code == 5, done.err


@pytest.mark.parametrize("shown_as", ["terminal", "markdown", "html"])
def test_words_that_a_judge_finds_are_shown(tmp_path: Path, transcript: dict[str, Any], shown_as: str) -> None:
    """Each medium says that the judge found them."""
    path = tmp_path / "one.json"
    path.write_text(json.dumps(transcript))
    assert "found by the judge" in debate("replay", path, "--format", shown_as, cwd=tmp_path).out
