"""Events that are cut off from a damaged journal: their speeches and judgements are lost, what they cost is not."""

from hypothesis import given
from hypothesis import strategies as st
from storage_support import AT, EXCHANGE, assessment, event_lists, failure, opening_event, sent_request, turn

from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import (
    INTERRUPTED,
    AssessmentCompleted,
    DebateClosed,
    DebateResumed,
    Event,
    SearchEnded,
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.evidence import SearchRecord
from debate_cli.domain.lost_events import keep_costs
from debate_cli.domain.turn import Turn

AGAIN = DebateResumed(at=AT)


def tokens(debate: Debate) -> int:
    """All tokens of the debate."""
    return debate.usage.input_tokens + debate.usage.output_tokens


@given(event_lists(), st.data())
def test_cutting_events_off_never_lowers_the_usage(events: list[Event], data: st.DataObject) -> None:
    """Of any events, wherever they are cut: the answers are gone, and resuming knows at least the same tokens."""
    place = data.draw(st.integers(1, len(events)))
    cut = fold([*events[:place], *keep_costs(events[place:]), AGAIN])
    before = fold([*events[:place], AGAIN])
    assert (cut.turns, cut.assessments) == (before.turns, before.assessments)
    assert tokens(cut) >= tokens(fold([*events, AGAIN]))


def test_each_lost_answer_costs_its_usage_once() -> None:
    """An answer costs its own usage instead of the reservation, and an unanswered request costs its reservation."""
    lost: list[Event] = [
        sent_request(0),
        sent_request(1),
        TurnCompleted(at=AT, turn=turn(0)),
        AssessmentCompleted(at=AT, assessment=assessment()),
        TaskFailed(at=AT, failure=failure(1, final=True, judge=True)),
    ]
    debate = fold([opening_event(), *keep_costs(lost), AGAIN])
    assert [item.task.key for item in debate.failures] == [
        *("turn/0", "turn/1"),
        *("r1/moderator/judge/round/2/0", "r1/structured/judge/debate/all/0"),
    ]
    assert {(item.cause, item.final) for item in debate.failures} == {(INTERRUPTED, False)}
    assert tokens(debate) == 4 * (EXCHANGE.usage.input_tokens + EXCHANGE.usage.output_tokens)
    assert not debate.given_up, "all of it is asked again"


def test_a_request_that_a_lost_session_left_unanswered_costs_too() -> None:
    """The answer of the next session does not replace what the request of the session before cost."""
    for end in (AGAIN, DebateClosed(at=AT, reason="interrupted")):
        lost: list[Event] = [sent_request(0), end, sent_request(0), TurnCompleted(at=AT, turn=turn(0))]
        assert fold([opening_event(), *keep_costs(lost), AGAIN]).usage.calls == 2


def test_a_lost_search_keeps_its_results() -> None:
    """A repeated search would cost again; the results of a search depend on no speech."""
    search = SearchRecord(key="turn/1", query="q", exchange=EXCHANGE)
    debate = fold([opening_event(), *keep_costs([SearchEnded(at=AT, search=search)]), AGAIN])
    assert (debate.searches, debate.usage.calls) == ((search,), 1)


def test_what_cost_nothing_leaves_no_trace() -> None:
    """A task that was only begun, and a person's answer."""
    free = EXCHANGE.model_copy(update={"attempts": 0})
    by_person = Turn.model_validate({**turn(0).model_dump(), "exchange": free})
    assert keep_costs([TaskStarted(at=AT, key="turn/0"), TurnCompleted(at=AT, turn=by_person)]) == []
