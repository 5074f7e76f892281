"""The trace table and the briefing."""

from __future__ import annotations

import pytest
from scoring_support import CON, EXCHANGE, PRO, THREE, assessment, begun, crossing, judged, opening, rejudged

from debate_cli.domain.turn import FollowUpAnswer, Response, Turn
from debate_cli.systems.structured.briefing import CAVEAT, build_briefing
from debate_cli.systems.structured.findings import Insight, Standing, Trace
from debate_cli.systems.structured.settings import StructuredSettings
from debate_cli.systems.structured.trace import TraceReply, TraceResponse, build_trace_table


def standing(item: str, value: Standing, reason: str = "so", participant: str = PRO) -> Trace:
    """A judge's word on one argument."""
    return Trace(participant=participant, item=item, claim="c", standing=value, reason=reason)


OPENINGS = (opening(0, PRO, "PRO-1"), opening(1, CON, "CON-1"))


def test_a_row_joins_claim_and_responses() -> None:
    """Who claimed it, who answered how, and the follow-up, without any judge."""
    crossed = crossing(2, CON, Response(target="PRO-1", type="refute", reasoning="No.", follow_up="Why?"))
    row = build_trace_table(judged(begun(StructuredSettings()), (*OPENINGS, crossed)))[0]
    assert (row.id, row.participant, row.claim, row.standing) == ("PRO-1", PRO, "Claim of PRO-1", None)
    assert row.responses == (TraceResponse(by=CON, turn=2, type="refute", reasoning="No.", follow_up="Why?"),)


def test_every_opponent_that_responded_is_listed() -> None:
    """With three debaters a claim is answered twice."""
    crossed = [
        crossing(n, name, Response(target="PRO-1", type="partial", reasoning="r")) for n, name in ((2, CON), (3, "Cem"))
    ]
    row = build_trace_table(judged(begun(StructuredSettings(), debaters=THREE), (*OPENINGS, *crossed)))[0]
    assert [response.by for response in row.responses] == [CON, "Cem"]


def test_a_reply_to_a_follow_up_is_joined() -> None:
    """What the claim's owner answered stands in its row, an answer of somebody else's does not."""
    answers = (FollowUpAnswer(question_target="PRO-1", reply="Thus.", evaded=False),)
    turns = [
        Turn(index=n, round=3, phase="answers", speaker=name, text="A", answers=answers, exchange=EXCHANGE)
        for n, name in ((2, PRO), (3, CON))
    ]
    row = build_trace_table(judged(begun(StructuredSettings()), (*OPENINGS, *turns)))[0]
    assert row.replies == (TraceReply(by=PRO, turn=2, reply="Thus.", evaded=False),)


def test_standing_and_reason_are_the_judge_s() -> None:
    """The one judge's word is the row's."""
    row = build_trace_table(
        judged(
            begun(StructuredSettings()), OPENINGS, [assessment("structured", (), standing("PRO-1", "UPHELD", "held"))]
        )
    )[0]
    assert (row.standing, row.reason) == ("UPHELD", "held")


@pytest.mark.parametrize(
    ("opinions", "expected"),
    [
        (("UPHELD", "UPHELD", "REFUTED"), "UPHELD"),
        (("REFUTED", "UPHELD", "UPHELD"), "UPHELD"),
        (("UPHELD", "REFUTED"), "UNCERTAIN"),
        (("UPHELD", "REFUTED", "PARTIALLY_UPHELD"), "UNCERTAIN"),
        (("UPHELD", "UPHELD", "REFUTED", "REFUTED", "UNCERTAIN"), "UNCERTAIN"),
    ],
)
def test_of_several_judges_the_majority_counts(opinions: tuple[Standing, ...], expected: Standing) -> None:
    """The most frequent standing is the row's; a tie for it is UNCERTAIN."""
    given = [
        assessment("structured", (), standing("PRO-1", opinion), assessor=f"judge-{number}")
        for number, opinion in enumerate(opinions, 1)
    ]
    settings = StructuredSettings(judges=len(opinions))
    assert build_trace_table(judged(begun(settings), OPENINGS, given))[0].standing == expected


def test_the_newest_run_s_standing_counts_unless_another_is_asked_for() -> None:
    """A later judging run replaces the first in the table; the first can still be asked for."""
    first = assessment("structured", (), standing("PRO-1", "UPHELD"))
    second = assessment("structured", (), standing("PRO-1", "REFUTED"), run="r2")
    debate = rejudged(judged(begun(StructuredSettings()), OPENINGS, [first]), "r2", StructuredSettings())
    debate = debate.model_copy(update={"assessments": (first, second)})
    assert [build_trace_table(debate)[0].standing, build_trace_table(debate, "r1")[0].standing] == ["REFUTED", "UPHELD"]


def test_a_judging_of_which_nothing_came_takes_nobody_s_place() -> None:
    """Its judge could not be asked: the standings stay those of the one before."""
    first = judged(begun(StructuredSettings()), OPENINGS, [assessment("structured", (), standing("PRO-1", "UPHELD"))])
    assert build_trace_table(rejudged(first, "r2", StructuredSettings()))[0].standing == "UPHELD"


def test_the_briefing_sorts_claims_by_their_standing() -> None:
    """Each standing has its place, and the caveat is always there."""
    ids = ("PRO-1", "PRO-2", "PRO-3", "PRO-4")
    standings: tuple[Standing, ...] = ("UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN")
    said = [standing(item, value) for item, value in zip(ids, standings, strict=True)]
    insight = Insight(key_insight="It depends.", unresolved_questions=("On what?",), recommendation="Wait.")
    found = build_briefing(
        judged(begun(StructuredSettings()), [opening(0, PRO, *ids)], [assessment("structured", (), *said, insight)])
    )
    assert found is not None
    lists = (found.rely_on, found.limit, found.not_to_use, found.uncertain)
    assert [[claim.id for claim in claims] for claims in lists] == [[item] for item in ids]
    assert (found.key_insight, found.unresolved_questions, found.recommendation) == (
        "It depends.",
        ("On what?",),
        "Wait.",
    )
    assert found.caveat == CAVEAT


def test_without_a_judge_there_is_no_briefing() -> None:
    """Nothing judged, nothing to brief on."""
    assert build_briefing(judged(begun(StructuredSettings()), OPENINGS)) is None


def test_open_questions_of_all_judges_are_kept_once() -> None:
    """Two judges with an overlapping list give its union, in order."""
    given = [
        assessment("structured", (), Insight(key_insight=name, unresolved_questions=questions), assessor=name)
        for name, questions in (("judge-1", ("a", "b")), ("judge-2", ("b", "c")))
    ]
    found = build_briefing(judged(begun(StructuredSettings(judges=2)), OPENINGS, given))
    assert found is not None
    assert (found.key_insight, found.unresolved_questions) == ("judge-1", ("a", "b", "c"))
