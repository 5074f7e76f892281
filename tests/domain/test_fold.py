"""`fold`: a debate is a pure function of its events."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from storage_support import (
    ANSWERS,
    AT,
    EXCHANGE,
    assessment,
    event_lists,
    failure,
    opening_event,
    sent_request,
    small_debate,
    turn,
)

from debate_cli.domain.debate import fold
from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    DebateResumed,
    Event,
    Failure,
    JudgingOpened,
    SearchEnded,
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.evidence import SearchRecord
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.tasks import Cue


def judging_opened(*kinds: str, run: str, replaces: bool) -> JudgingOpened:
    """A later judging run of these systems."""
    return JudgingOpened(
        at=AT, run=run, judging=JudgingConfig.model_validate({"systems": list(kinds)}), replaces=replaces
    )


@pytest.mark.parametrize("events", [[], [DebateResumed(at=AT)]])
def test_a_debate_begins_with_opened(events: list[Event]) -> None:
    """A list of events that begins with another event raises ValueError."""
    with pytest.raises(ValueError, match="must be 'opened'"):
        fold(events)


@settings(deadline=None)
@given(event_lists(), st.data())
def test_a_resumed_debate_keeps_every_answer(events: list[Event], data: st.DataObject) -> None:
    """No answered task is asked again."""
    before = fold(events[: data.draw(st.integers(1, len(events)))])
    after = before.apply(DebateResumed(at=AT))
    assert (after.turns, after.assessments) == (before.turns, before.assessments)
    assert after.failures == before.charge_reservations().failures


@settings(deadline=None)
@given(event_lists())
def test_a_resume_forgives_failures_that_are_not_final(events: list[Event]) -> None:
    """After a resume, only tasks with a final failure are given up."""
    before, after = fold(events), fold([*events, DebateResumed(at=AT)])
    assert after.given_up == {item.task.key for item in after.failures if item.final}
    kept = (before.closed, before.finished_at) if before.status == "complete" else (None, None)
    assert (after.closed, after.finished_at, after.unanswered) == (*kept, ())


@settings(deadline=None)
@given(st.lists(ANSWERS, max_size=10, unique_by=str), st.integers())
def test_the_order_of_arrival_does_not_matter(answers: list[Event], seed: int) -> None:
    """Answers of one wave may come in any order."""
    shuffled = list({key_of(event): event for event in answers}.values())
    ordered = list(shuffled)
    random.Random(seed).shuffle(shuffled)
    assert fold([opening_event(), *shuffled]) == fold([opening_event(), *ordered])


@settings(deadline=None)
@given(event_lists())
def test_a_second_answer_to_a_task_is_ignored(events: list[Event]) -> None:
    """Applying all answers twice changes nothing."""
    debate = fold(events)
    again = debate
    for event in events:
        if isinstance(event, TurnCompleted | AssessmentCompleted):
            again = again.apply(event)
    assert (again.turns, again.assessments) == (debate.turns, debate.assessments)


def test_a_started_task_is_unanswered_until_its_answer() -> None:
    """A started task is unanswered until its answer or failure comes."""
    asked = [TaskStarted(at=AT, key=f"turn/{index}") for index in range(3)]
    failed = TaskFailed(at=AT, failure=failure(1, final=False))
    assert fold([opening_event(), *asked, TurnCompleted(at=AT, turn=turn(0)), failed]).unanswered == ("turn/2",)


@pytest.mark.parametrize(
    "end", [DebateClosed(at=AT, reason="interrupted"), DebateResumed(at=AT)], ids=["stopped", "killed"]
)
def test_a_request_without_an_answer_is_charged_when_the_run_has_ended(end: Event) -> None:
    """A lost request costs its last reservation, and is asked again after a resume."""
    sent = [sent_request(0), sent_request(1), sent_request(1)]
    debate = fold([opening_event(), *sent, TurnCompleted(at=AT, turn=turn(0)), end])
    assert [(item.task.key, item.who, item.cause, item.final) for item in debate.failures] == [
        ("turn/1", "Con", "interrupted", False)
    ]
    assert debate.usage.input_tokens == 2 * EXCHANGE.usage.input_tokens > 0
    again = fold(
        [opening_event(), *sent, end, DebateResumed(at=AT), sent_request(1), TurnCompleted(at=AT, turn=turn(1))]
    )
    assert again.usage.calls == 3, "the new answer does not replace what the lost ones cost"


def test_a_replacing_run_replaces_its_systems_in_earlier_runs() -> None:
    """A run with `replaces` replaces its own systems, and a run without it replaces none."""
    debate = fold([opening_event(), judging_opened("structured", run="r2", replaces=True)])
    assert [system.kind for system in debate.run("r1").active_systems()] == ["moderator", "panel"]
    assert [system.kind for system in debate.run("r2").active_systems()] == ["structured"]
    added = fold([opening_event(), judging_opened("structured", run="r2", replaces=False)])
    assert len(added.run("r1").active_systems()) == 3


def test_assessments_have_a_canonical_order() -> None:
    """Assessments are sorted by run, then by the configured order of systems, then from rounds to the debate."""
    said = [
        assessment("r1", "panel"),
        assessment("r1", "moderator"),
        assessment("r1", "moderator", 2),
        assessment("r1", "moderator", 1),
        assessment("r1", "structured"),
    ]
    debate = fold([opening_event(), *(AssessmentCompleted(at=AT, assessment=item) for item in said)])
    assert [(item.system, item.subject.round) for item in debate.assessments] == [
        ("structured", None), ("moderator", 1), ("moderator", 2), ("moderator", None), ("panel", None),
    ]  # fmt: skip


def test_usage_counts_failed_calls_too() -> None:
    """Six turns, two assessments and a failure with usage make nine calls."""
    usage = fold(small_debate()).usage
    assert (usage.calls, usage.input_tokens, usage.cost_usd) == (9, 90, None)


def test_a_cue_shows_only_its_turns() -> None:
    """A debate seen by a cue has no other turns, and no assessments of other turns."""
    cue = Cue(index=2, round=2, phase="cross_examination", speaker="Pro", sees=(0, 1))
    before = fold(small_debate()).visible_to(cue)
    assert [item.index for item in before.turns] == [0, 1]
    assert before.assessments == ()


def key_of(event: Event) -> str:
    """The task that an answer answers."""
    if isinstance(event, TurnCompleted):
        return f"turn/{event.turn.index}"
    assert isinstance(event, AssessmentCompleted)
    return event.assessment.brief.key


@given(st.permutations(["turn/2", "turn/10", "r1/structured/judge/turn/2/0", "r2/structured/judge/debate/all/0"]))
def test_the_order_in_which_searches_end_changes_nothing(keys: list[str]) -> None:
    """Searches are sorted by their task, and searches of one task keep their order."""
    ended = [SearchEnded(at=AT, search=SearchRecord(key=key, query=query)) for query in "ba" for key in keys]
    found = [(item.key, item.query) for item in fold([opening_event(), *ended]).searches]
    assert found == [(key, query) for key in ("turn/2", "turn/10", *sorted(keys)[:2]) for query in "ba"]


@given(st.permutations([2, 10, 11]))
def test_the_order_in_which_failures_come_changes_nothing(indices: list[int]) -> None:
    """Failures are sorted by speech, and failures of one speech keep their order."""
    cues = [Cue(index=index, round=1, phase="opening", speaker="Pro", sees=()) for index in indices]
    came = [
        TaskFailed(at=AT, failure=Failure(task=cue, who="Pro", cause=cause, message="No answer.", final=False))
        for cause in ("TimeoutError", "RefusalError")
        for cue in cues
    ]
    found = [(item.task.key, item.cause) for item in fold([opening_event(), *came]).failures]
    assert found == [(f"turn/{index}", cause) for index in (2, 10, 11) for cause in ("TimeoutError", "RefusalError")]
