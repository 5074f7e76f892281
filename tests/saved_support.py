"""Saved debates without a run: the debate of `render_support`, and a later one."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from render_support import START, debate, structured_assessment

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.transcript import dump_transcript, to_transcript
from debate_cli.systems.scoring import score


def first_debate() -> Debate:
    """The debate of `render_support` with the id `one`; Bo wins under both systems."""
    return debate().model_copy(update={"id": "one"})


def second_debate() -> Debate:
    """A debate that began a day later, with another seed, higher marks for Ada and the id `two`."""
    marks = tuple(
        mark.model_copy(update={"value": 10}) if mark.participant == "Ada" else mark
        for mark in structured_assessment().marks
    )
    base = debate(seed=2)
    others = [item for item in base.assessments if item.system != "structured"]
    judged = base.with_assessments([*others, structured_assessment().model_copy(update={"marks": marks})])
    return judged.model_copy(update={"id": "two", "started_at": START + timedelta(days=1)})


def debate_judged_twice() -> Debate:
    """The first debate with a second judging run, in which structured gave the same judgement."""
    debate = first_debate().apply(JudgingOpened(at=START, run="r2", judging=JudgingConfig()))
    return debate.with_assessments([*debate.assessments, structured_assessment().model_copy(update={"run": "r2"})])


def write_transcript_file(path: Path, debate: Debate, **fields: Any) -> Path:
    """Write a transcript with all verdicts and changed `fields`. Returns its path."""
    document = json.loads(dump_transcript(to_transcript(debate, score(debate, runs="all")), Redactor()))
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**document, **fields}))
    return path


def without_times(path: Path) -> dict[str, Any]:
    """The transcript at `path` as data, without the times of the debate, its passages and its assessments."""
    data: dict[str, Any] = json.loads(path.read_text())
    for assessment in data["assessments"]:
        assessment.pop("at", None)
    for passage in data.get("passages", ()):
        passage.pop("retrieved_at", None)
    return {key: value for key, value in data.items() if key not in {"started_at", "finished_at"}}
