"""The transcript and the facts of a page: rounds, threads of cross-examination, reasons of judges, provenance."""

from functools import cache

import pytest
from rehearsal_support import config_of, run_debate
from render_support import (
    START,
    debate,
    opened_debate,
    round_assessment,
)

from debate_cli.app.judge_request import JudgingRequest, document_events
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import AssessmentCompleted
from debate_cli.domain.tasks import Subject
from debate_cli.domain.turn import FollowUpAnswer, Response
from debate_cli.render.html.page import provenance_facts
from debate_cli.render.html.transcript import build_round_sections, collect_judge_reasons


@cache
def with_answers() -> Debate:
    """A semi-structured mock debate with two rounds of answers."""
    form = {"kind": "semi_structured", "exchanges": 2}
    return run_debate(config_of(seed=3, format=form, judging={"systems": ["moderator", "live"]}))


def test_cross_examination_has_a_thread_per_argument() -> None:
    """A thread has the claim, its debater and the debaters who responded."""
    (_, crossed, _) = build_round_sections(debate())
    assert [(thread.item, thread.speaker, [entry.speaker for entry in thread.entries]) for thread in crossed.threads] == [
        ("PRO-1", "Ada", ["Bo"]), ("PRO-2", "Ada", ["Bo"]), ("CON-1", "Bo", ["Ada"]), ("CON-2", "Bo", ["Ada"]),
    ]  # fmt: skip


def test_questions_and_replies_are_in_one_thread() -> None:
    """The rounds of answers belong to the cross-examination before them; no piece is shown twice or lost."""
    sections = build_round_sections(with_answers())
    crossed = next(item for item in sections if item.threads)
    assert crossed.title == "Rounds 2–5 · cross-examination and answers"
    kinds = [type(entry.answer) for entry in crossed.threads[0].entries]
    assert kinds == [Response, FollowUpAnswer, Response, FollowUpAnswer]
    for section in sections:
        assert sum(len(thread.entries) for thread in section.threads) == sum(
            speech.threaded_count for speech in section.speeches
        )
    pieces = [piece for speech in crossed.speeches for piece in speech.pieces]
    assert not any(isinstance(piece, Response | FollowUpAnswer) for piece in pieces)


def test_a_response_to_an_unknown_argument_has_a_thread() -> None:
    """It is the last one and has no claim."""
    strange = Response(target="XX-9", type="refute", reasoning="There is no such argument.")
    turns = debate().turns
    changed = (*turns[:2], turns[2].model_copy(update={"responses": (strange,)}), *turns[3:])
    last = build_round_sections(debate().model_copy(update={"turns": changed}))[1].threads[-1]
    assert (last.item, last.speaker, last.claim) == ("XX-9", None, "")


def test_every_reason_has_one_place() -> None:
    """It is beside its turn, its round or the whole debate; marks have their scale."""
    shown = with_answers()
    found = collect_judge_reasons(shown)
    placed = sum(map(len, found.turns.values())) + sum(map(len, found.rounds.values())) + len(found.whole)
    assert placed == len(shown.assessments)
    assert set(found.turns) == {turn.index for turn in shown.turns}
    assert set(found.rounds) == {turn.round for turn in shown.turns}
    (reason,) = [item for item in collect_judge_reasons(debate()).whole if item["heading"].startswith("structured")]
    assert (reason["marked"][0]["item"], reason["marked"][0]["marks"][0]) == ("PRO-1", "logic 6 of 10")


@pytest.mark.parametrize(
    ("subject", "revision", "heading"),
    [
        (Subject(moment="debate"), 0, "live, narrative of the debate"),
        (Subject(moment="debate"), 1, "live, narrative against scorecard"),
        (Subject(moment="debate", turns=(0, 5)), 0, "live, the debate's start and end"),
    ],
)
def test_assessments_of_the_whole_debate_have_different_headings(subject: Subject, revision: int, heading: str) -> None:
    """The live judge assesses the whole debate up to three times."""
    update = {"system": "live", "subject": subject, "revision": revision}
    given = round_assessment(1).model_copy(update=update)
    unjudged = opened_debate(judging={"systems": ["live"]})
    found = collect_judge_reasons(unjudged.apply(AssessmentCompleted(at=START, assessment=given)))
    assert [reason["heading"] for reason in found.whole] == [heading]


DOCUMENT = fold(document_events("PLAN.md", "We rewrite it.", "plan-0001", JudgingRequest(systems=("panel",)), START))


@pytest.mark.parametrize(
    ("shown", "fact", "value"),
    [
        (opened_debate(format={"kind": "free_flowing"}), "format", "free flowing"),
        (DOCUMENT, "format", "none: a document was judged"),
    ],
    ids=["format", "document"],
)
def test_facts_about_the_debate(shown: Debate, fact: str, value: str) -> None:
    """The format, or that a document was judged."""
    assert dict(provenance_facts(shown)).get(fact) == value
