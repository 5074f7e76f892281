"""Transcripts as values: to and from a debate, and as JSON."""

from typing import Any

from hypothesis import given, settings
from storage_support import AT, event_lists, failure, opening_event, small_debate, turn

from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import DebateClosed, DebateResumed, TaskFailed, TaskStarted, TurnCompleted
from debate_cli.domain.verdict import Verdict
from debate_cli.storage.transcript import (
    dump_transcript,
    parse_transcript,
    to_transcript,
    transcript_to_debate,
    transcript_to_events,
    transcript_to_json,
)

VERDICT = Verdict(
    system="structured", run="r1", winner=None, victory="draw", margin=0.5, scores={"Pro": 5.5}, notes={"missing": []}
)


def debate_fields(debate: Debate) -> dict[str, Any]:
    """The fields of a debate."""
    return {name: getattr(debate, name) for name in Debate.model_fields}


@settings(deadline=None)
@given(event_lists())
def test_a_debate_is_read_back_from_its_transcript(events: list[Any]) -> None:
    """A debate is equal to the debate read from its transcript, and to the fold of its events."""
    debate = fold(events).charge_reservations()
    assert debate_fields(transcript_to_debate(to_transcript(debate))) == debate_fields(debate)
    assert debate_fields(fold(transcript_to_events(to_transcript(debate)))) == debate_fields(debate)


@settings(deadline=None)
@given(event_lists())
def test_a_transcript_is_read_back_from_json(events: list[Any]) -> None:
    """A transcript is equal to the transcript read from its JSON."""
    transcript = to_transcript(fold(events), [VERDICT])
    assert parse_transcript(dump_transcript(transcript, str).encode(), "x") == transcript


def test_assessments_in_any_order_make_the_same_debate() -> None:
    """Assessments of a file are sorted into the canonical order."""
    transcript = to_transcript(fold(small_debate()))
    shuffled = transcript.model_copy(
        update={"assessments": transcript.assessments[::-1], "turns": (*transcript.turns[::-1], turn(0, "Again."))}
    )
    assert transcript_to_debate(shuffled) == transcript_to_debate(transcript) == fold(transcript_to_events(shuffled))


def test_a_forgiven_failure_is_asked_again_and_a_final_one_is_not() -> None:
    """The transcript keeps what a resume forgave."""
    events = [
        opening_event(),
        TaskFailed(at=AT, failure=failure(0, final=False)),
        TaskFailed(at=AT, failure=failure(1, final=True)),
        DebateResumed(at=AT),
        TaskFailed(at=AT, failure=failure(2, final=False)),
        DebateClosed(at=AT, reason="failed"),
    ]
    transcript = to_transcript(fold(events))
    assert [item.forgiven for item in transcript.failures] == [True, False, False]
    assert transcript_to_debate(transcript).given_up == {"turn/1", "turn/2"}


def test_unanswered_tasks_are_stored_until_a_resume() -> None:
    """Tasks in flight are stored by their keys, and a resume asks them again."""
    stopped = [
        opening_event(),
        TaskStarted(at=AT, key="turn/0"),
        TaskStarted(at=AT, key="turn/1"),
        TurnCompleted(at=AT, turn=turn(0)),
        DebateClosed(at=AT, reason="interrupted"),
    ]
    transcript = to_transcript(fold(stopped))
    resumed = fold([*transcript_to_events(transcript), DebateResumed(at=AT)])
    assert transcript_to_json(transcript)["unanswered"] == ["turn/1"]
    assert "unanswered" not in transcript_to_json(to_transcript(resumed))


def test_keys_have_a_fixed_order() -> None:
    """The keys of a transcript have a fixed order, so that differences are readable."""
    assert list(transcript_to_json(to_transcript(fold(small_debate())))) == [
        "schema_version", "generator", "id", "topic", "background", "status", "closed", "started_at", "finished_at",
        "config", "config_sha256", "participants", "turns", "assessments", "failures", "verdicts", "usage",
    ]  # fmt: skip


def test_the_configuration_is_stored_whole() -> None:
    """Defaults are stored, so that a version with other defaults gives the same scores."""
    data = transcript_to_json(to_transcript(fold(small_debate())))
    assert data["config"]["judging"]["systems"][0]["weights"]["evidence"] == 0.4
    assert data["config"]["debaters"][0]["stance"] is None
