"""Judgements without an answer: failed, interrupted, or never asked for."""

from typing import Any

import pytest
from storage_support import AT, EXCHANGE, config, opening_event, turn

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import (
    AssessmentCompleted,
    CloseReason,
    DebateClosed,
    DebateResumed,
    Failure,
    JudgingOpened,
    TaskFailed,
    TurnCompleted,
)
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.reviewer import Reviewer
from debate_cli.judging.schedule import missing_briefs, owed_briefs, unsettled_briefs
from debate_cli.storage.transcript import to_transcript, transcript_to_debate

JUDGING = JudgingConfig.model_validate({"systems": [{"kind": "structured", "judges": 2}]})


def closed(reason: CloseReason = "complete") -> Debate:
    """A debate of six turns. Its two judges have not been asked yet."""
    opened = opening_event().model_copy(update={"config": config(judging=JUDGING.model_dump())})
    turns = (TurnCompleted(at=AT, turn=turn(index)) for index in range(6))
    return fold([opened, *turns, DebateClosed(at=AT, reason=reason)])


def answered(debate: Debate, judges: int, run: str = "r1") -> Debate:
    """The debate after answers of so many of the judges."""
    for brief in [brief for brief in unsettled_briefs(debate) if brief.run == run][:judges]:
        own = Assessment.model_validate({**brief.model_dump(), "exchange": EXCHANGE})
        debate = debate.apply(AssessmentCompleted(at=AT, assessment=own))
    return debate


def failed(debate: Debate, *, final: bool) -> Debate:
    """The debate after the failure of the next judge."""
    brief = unsettled_briefs(debate)[0]
    failure = Failure(task=brief, who="judge", cause="ServerError", message="m", final=final, exchange=EXCHANGE)
    return debate.apply(TaskFailed(at=AT, failure=failure))


def judged_later(debate: Debate, judges: int, run: str = "r2", **changes: Any) -> Debate:
    """The debate after a later run in which so many of the two judges answered."""
    opened = JudgingOpened(at=AT, run=run, judging=JUDGING).model_copy(update=changes)
    return answered(debate.apply(opened), judges, run)


@pytest.mark.parametrize(
    ("debate", "count"),
    [
        pytest.param(answered(closed(), 2), 0, id="all answered"),
        pytest.param(closed(), 2, id="none asked"),
        pytest.param(answered(closed(), 1), 1, id="interrupted before the second was asked"),
        pytest.param(failed(closed(), final=False), 2, id="one failed"),
        pytest.param(failed(answered(closed(), 1), final=True), 1, id="one abstained"),
        pytest.param(answered(failed(closed(), final=False).apply(DebateResumed(at=AT)), 2), 0, id="resumed"),
        pytest.param(closed("interrupted"), 0, id="unfinished"),
        pytest.param(judged_later(closed("interrupted"), 1), 1, id="judged while unfinished"),
        pytest.param(judged_later(closed(), 2), 0, id="made up for by a later run"),
        pytest.param(judged_later(answered(closed(), 1), 1), 2, id="a later run lacks one too"),
        pytest.param(judged_later(answered(closed(), 1), 1, replaces=True), 1, id="replaced by a later run"),
        pytest.param(judged_later(answered(closed(), 2), 0), 2, id="a later run has no answer"),
        pytest.param(judged_later(closed(), 2, reviewer=Reviewer(name="Ann")), 2, id="reviewed by a person"),
        pytest.param(judged_later(closed(), 2, beside="r1"), 2, id="compared with a later run"),
        pytest.param(judged_later(closed(), 2, heard=2), 2, id="a later run on a part of the debate"),
    ],
)
def test_judgements_without_an_answer_are_missing(debate: Debate, count: int) -> None:
    """The debate and its transcript have the same number of them."""
    assert len(missing_briefs(debate)) == count
    assert len(missing_briefs(transcript_to_debate(to_transcript(debate)))) == count


def test_a_chosen_run_is_counted_by_itself() -> None:
    """Another run does not make up for it."""
    debate = judged_later(answered(closed(), 1), 2)
    assert [len(missing_briefs(debate, run)) for run in ("r1", "r2")] == [1, 0]


def test_missing_judgements_are_owed_after_a_resume() -> None:
    """The schedule owes the same judgements once the debate is resumed."""
    debate = failed(closed(), final=False)
    assert missing_briefs(debate) == owed_briefs(debate.apply(DebateResumed(at=AT)))
