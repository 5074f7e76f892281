"""The transcript as it is read: rounds, threads of cross-examination, reasons where they belong."""

from __future__ import annotations

import pytest
from rehearsal_support import config_of, hold
from render_support import START, debate, round_assessment

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted
from debate_cli.domain.tasks import Subject
from debate_cli.domain.turn import FollowUpAnswer, Response
from debate_cli.render.html.transcript import build_round_sections, collect_judge_reasons


def with_answers() -> Debate:
    """A semi-structured mock debate with two rounds of answers."""
    return hold(
        config_of(
            seed=3, format={"kind": "semi_structured", "exchanges": 2}, judging={"systems": ["moderator", "live"]}
        )
    )


def test_a_thread_per_argument() -> None:
    """Each with the claim, who made it, and who answered."""
    (_, crossed, _) = build_round_sections(debate())
    assert [(thread.item, thread.speaker, [entry.speaker for entry in thread.entries]) for thread in crossed.threads] == [
        ("PRO-1", "Ada", ["Bo"]), ("PRO-2", "Ada", ["Bo"]), ("CON-1", "Bo", ["Ada"]), ("CON-2", "Bo", ["Ada"]),
    ]  # fmt: skip


def test_questions_and_replies_stand_in_one_thread() -> None:
    """The rounds of answers belong to the cross-examination before them."""
    crossed = next(item for item in build_round_sections(with_answers()) if item.threads)
    assert crossed.title == "Rounds 2–5 · cross-examination and answers"
    kinds = [type(entry.said) for entry in crossed.threads[0].entries]
    assert kinds == [Response, FollowUpAnswer, Response, FollowUpAnswer]


def test_nothing_is_said_twice_and_nothing_is_left_out() -> None:
    """What stands in a thread does not stand in a speech."""
    told = with_answers()
    shown = sum(len(item.threads[0].entries) for item in build_round_sections(told) if item.threads)
    for item in build_round_sections(told):
        threaded = sum(len(thread.entries) for thread in item.threads)
        assert threaded == sum(speech.threaded for speech in item.speeches)
        assert not any(
            isinstance(piece, Response | FollowUpAnswer)
            for said in item.speeches
            for piece in said.pieces
            if item.threads
        )
    assert shown == 4


def test_an_answer_to_no_argument_has_a_thread() -> None:
    """What a model made up is shown as it is, last and without a claim."""
    told = debate()
    crossed = told.turns[2]
    strange = Response(target="XX-9", type="refute", reasoning="There is no such argument.")
    turns = (*told.turns[:2], crossed.model_copy(update={"responses": (strange,)}), *told.turns[3:])
    told = Debate.model_validate({**told.model_dump(), "turns": turns})
    last = build_round_sections(told)[1].threads[-1]
    assert (last.item, last.speaker, last.claim) == ("XX-9", None, "")


def test_every_reason_has_one_place() -> None:
    """With its turn, its round, or the whole debate."""
    told = with_answers()
    found = collect_judge_reasons(told)
    placed = sum(map(len, found.turns.values())) + sum(map(len, found.rounds.values())) + len(found.whole)
    assert placed == len(told.assessments)
    assert set(found.turns) == {turn.index for turn in told.turns}
    assert set(found.rounds) == {turn.round for turn in told.turns}


def test_marks_are_told_with_their_scale() -> None:
    """By debater and argument."""
    (reason,) = [item for item in collect_judge_reasons(debate()).whole if item.heading.startswith("structured")]
    assert reason.marked[0].item == "PRO-1"
    assert reason.marked[0].marks[0] == "logic 6 of 10"


@pytest.mark.parametrize(
    ("subject", "revision", "heading"),
    [
        (Subject(moment="debate"), 0, "live, narrative of the debate"),
        (Subject(moment="debate"), 1, "live, narrative against scorecard"),
        (Subject(moment="debate", turns=(0, 5)), 0, "live, the debate's start and end"),
    ],
)
def test_assessments_of_the_whole_debate_have_headings_of_their_own(
    subject: Subject, revision: int, heading: str
) -> None:
    """The live judge assesses the whole debate up to three times."""
    update = {"system": "live", "subject": subject, "revision": revision}
    given = round_assessment(1).model_copy(update=update)
    unjudged = debate(judging={"systems": ["live"]}).without_turns()
    found = collect_judge_reasons(unjudged.apply(AssessmentCompleted(at=START, assessment=given)))
    assert [reason.heading for reason in found.whole] == [heading]
