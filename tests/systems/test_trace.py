"""The trace table of claims and the briefing."""

import pytest
from scoring_support import (
    CON,
    EXCHANGE,
    PRO,
    assessment,
    build_debate,
    cross_examination,
    opening,
    opening_event,
    with_judging_run,
)

from debate_cli.domain.evidence import Citation
from debate_cli.domain.turn import FollowUpAnswer, Response, Turn
from debate_cli.systems.briefing import CAVEAT, build_briefing
from debate_cli.systems.debate_tables import format_trace_table
from debate_cli.systems.source_support import SourceSupport
from debate_cli.systems.sources.settings import SourcesSettings
from debate_cli.systems.structured.findings import Insight, Standing, Trace
from debate_cli.systems.structured.settings import StructuredJudge, StructuredSettings
from debate_cli.systems.tables import Lines
from debate_cli.systems.trace import TraceReply, TraceResponse, TraceSource, build_trace_table


def trace(item: str, value: Standing, reason: str = "so", participant: str = PRO) -> Trace:
    """Return a judge's finding on one argument."""
    return Trace(participant=participant, item=item, claim="c", standing=value, reason=reason)


OPENINGS = (opening(0, PRO, "PRO-1"), opening(1, CON, "CON-1"))


def test_a_row_has_claim_and_responses() -> None:
    """Without a judge, a row has claim, speaker and responses with their follow-up questions."""
    crossed = cross_examination(2, CON, Response(target="PRO-1", type="refute", reasoning="No.", follow_up="Why?"))
    row = build_trace_table(build_debate(opening_event(StructuredSettings()), (*OPENINGS, crossed)))[0]
    assert (row.id, row.participant, row.claim, row.standing) == ("PRO-1", PRO, "Claim of PRO-1", None)
    assert row.responses == (TraceResponse(by=CON, turn=2, type="refute", reasoning="No.", follow_up="Why?"),)


@pytest.mark.parametrize("is_cited", [True, False])
def test_a_row_has_the_sources_of_its_claim(*, is_cited: bool) -> None:
    """A row has the checked citations of its claim, and a table without citations has no such column."""
    first, second = OPENINGS
    citations = (Citation(source="S7", quote="no such words"),) if is_cited else ()
    arguments = tuple(item.model_copy(update={"citations": citations}) for item in first.arguments or ())
    found = SourceSupport(turn=0, item="PRO-1", source="S7", quote="no such words", supports="no")
    given = assessment("sources", (), found, moment="round", round=1)
    turns = (first.model_copy(update={"arguments": arguments}), second)
    rows = build_trace_table(build_debate(opening_event(StructuredSettings(), SourcesSettings()), turns, [given]))
    source = TraceSource(source="S7", outcome="no_such_source", supports="no")
    assert [row.sources for row in rows] == [(source,) if is_cited else (), ()]
    table = format_trace_table(rows)
    assert table.heads[3:5] == (("sources", "answers") if is_cited else ("answers", "standing"))
    assert (Lines(("✗ S7 no such source, does not support",)) in (table.rows[0] or ())) is is_cited


def test_a_row_has_replies_to_follow_ups() -> None:
    """A row has the replies of the claim's own speaker only."""
    answers = (FollowUpAnswer(question_target="PRO-1", reply="Thus.", evaded=False),)
    turns = [
        Turn(index=n, round=3, phase="answers", speaker=name, text="A", answers=answers, exchange=EXCHANGE)
        for n, name in ((2, PRO), (3, CON))
    ]
    row = build_trace_table(build_debate(opening_event(StructuredSettings()), (*OPENINGS, *turns)))[0]
    assert row.replies == (TraceReply(by=PRO, turn=2, reply="Thus.", evaded=False),)


def test_a_single_judge_gives_standing_and_reason() -> None:
    """A row has the standing and the reason of the only judge."""
    given = assessment("structured", (), trace("PRO-1", "REFUTED"))
    row = build_trace_table(build_debate(opening_event(StructuredSettings()), OPENINGS, [given]))[0]
    assert (row.standing, row.reason) == ("REFUTED", "so")


def test_the_newest_run_gives_the_standings() -> None:
    """Standings come from the newest run with assessments, unless a run is named."""
    first = assessment("structured", (), trace("PRO-1", "UPHELD"))
    second = assessment("structured", (), trace("PRO-1", "REFUTED"), run="r2")
    debate = with_judging_run(
        build_debate(opening_event(StructuredSettings()), OPENINGS, [first]), "r2", StructuredSettings()
    )
    debate = debate.model_copy(update={"assessments": (first, second)})
    assert [build_trace_table(debate)[0].standing, build_trace_table(debate, "r1")[0].standing] == ["REFUTED", "UPHELD"]
    empty = with_judging_run(debate, "r3", StructuredSettings())
    assert build_trace_table(empty)[0].standing == "REFUTED"


def test_the_briefing_groups_claims_by_standing() -> None:
    """The briefing has one list of claims per standing, the judge's insight and the caveat."""
    ids = ("PRO-1", "PRO-2", "PRO-3", "PRO-4")
    standings: tuple[Standing, ...] = ("UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN")
    said = [trace(item, value) for item, value in zip(ids, standings, strict=True)]
    insight = Insight(key_insight="It depends.", unresolved_questions=("On what?",), recommendation="Wait.")
    found = build_briefing(
        build_debate(
            opening_event(StructuredSettings()), [opening(0, PRO, *ids)], [assessment("structured", (), *said, insight)]
        )
    )
    assert found is not None
    lists = (found.rely_on, found.limit, found.not_to_use, found.uncertain)
    assert [[claim.id for claim in claims] for claims in lists] == [[item] for item in ids]
    assert (found.key_insight, found.unresolved_questions, found.recommendation) == (
        "It depends.",
        ("On what?",),
        "Wait.",
    )
    groups = [(label, [entry.claim.id for entry in entries]) for label, entries in found.claim_groups]
    assert groups == [
        ("rely on", ["PRO-1"]),
        ("do not use", ["PRO-3"]),
        ("uncertain", ["PRO-4"]),
        ("use within limits", ["PRO-2"]),
    ]
    assert found.caveat == CAVEAT


def test_the_briefing_merges_questions_of_all_judges() -> None:
    """The briefing has each open question of all judges once, in order."""
    given = [
        assessment("structured", (), Insight(key_insight=name, unresolved_questions=questions), assessor=name)
        for name, questions in (("judge-1", ("a", "b")), ("judge-2", ("b", "c")))
    ]
    found = build_briefing(build_debate(opening_event(StructuredSettings(judges=2)), OPENINGS, given))
    assert found is not None
    assert (found.key_insight, found.unresolved_questions) == ("judge-1", ("a", "b", "c"))


@pytest.mark.parametrize(("weight", "standing"), [(3, "UPHELD"), (2, "UNCERTAIN"), (1, "REFUTED")])
def test_the_standing_with_the_most_weight_counts(weight: float, standing: Standing) -> None:
    """The standing with the most weight of judges counts, and equal weights are UNCERTAIN."""
    listed = (StructuredJudge(id="a", weight=weight), StructuredJudge(id="b"), StructuredJudge(id="c"))
    settings = StructuredSettings(judges=listed)
    opinions: tuple[tuple[str, Standing], ...] = (("a", "UPHELD"), ("b", "REFUTED"), ("c", "REFUTED"))
    given = [assessment("structured", (), trace("PRO-1", opinion), assessor=judge) for judge, opinion in opinions]
    assert build_trace_table(build_debate(opening_event(settings), OPENINGS, given))[0].standing == standing


def test_divided_judges_are_quoted_in_words() -> None:
    """The reason has the standings as people read them."""
    opinions: tuple[tuple[str, Standing], ...] = (("judge-1", "PARTIALLY_UPHELD"), ("judge-2", "REFUTED"))
    given = [assessment("structured", (), trace("PRO-1", opinion), assessor=judge) for judge, opinion in opinions]
    row = build_trace_table(build_debate(opening_event(StructuredSettings(judges=2)), OPENINGS, given))[0]
    assert row.reason == "The judges are divided: judge-1 says partially upheld, judge-2 says refuted."
