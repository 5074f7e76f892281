"""Debates for the tests of domain and storage: a small one, and hypothesis strategies for any list of events."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.events import (
    AssessmentCompleted,
    CloseReason,
    DebateClosed,
    DebateOpened,
    DebateResumed,
    Event,
    Failure,
    Generator,
    JudgingOpened,
    Reservation,
    SettingChange,
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.domain.tasks import Brief, Cue, Subject
from debate_cli.domain.turn import Argument, Closing, Response, Turn
from debate_cli.systems.moderator.findings import Summary
from debate_cli.systems.panel.votes import Vote
from debate_cli.systems.structured.findings import Insight

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SMALLEST: dict[str, Any] = {
    "topic": "Should tests be fun?",
    "models": {"default": {"model": "mock/debater"}},
    "debaters": [{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}],
}
EXCHANGE = ModelCall(
    model="mock/debater",
    rung="native",
    attempts=1,
    usage=Usage(input_tokens=10, cached_tokens=2, output_tokens=5),
    latency_s=0.25,
)


def config(**changes: Any) -> DebateConfig:
    """The smallest configuration with some keys changed."""
    return DebateConfig.model_validate({**SMALLEST, **changes})


def opening_event(**changes: Any) -> DebateOpened:
    """The first event of a debate with the systems structured, moderator and panel."""
    settled = config(judging={"systems": ["structured", "moderator", "panel"]}, **changes)
    return DebateOpened(
        at=AT, id="a-debate", generator=Generator(name="t", version="1"), config=settled, config_sha256=settled.sha256()
    )


def turn(index: int, text: str = "Because it is so.") -> Turn:
    """A turn with the shape of its round: opening, cross-examination, closing, two speakers in turn."""
    speaker, prefix, other = (("Pro", "PRO", "CON"), ("Con", "CON", "PRO"))[index % 2]
    number = index // 2 % 3
    argument = Argument(id=f"{prefix}-1", claim=text, reasoning=text, evidence="")
    return Turn(
        index=index,
        round=index // 2 + 1,
        phase=("opening", "cross_examination", "closing")[number],
        speaker=speaker,
        text=text,
        arguments=(argument,) if number == 0 else None,
        responses=(Response(target=f"{other}-1", type="refute", reasoning=text),) if number == 1 else None,
        closing=Closing(final_position=text, shift="unchanged") if number == 2 else None,
        exchange=EXCHANGE,
    )


def assessment(run: str = "r1", system: Any = "structured", round_number: int | None = None) -> Assessment:
    """An assessment of the whole debate, or of a round, with a mark and findings of three kinds."""
    moment = "debate" if round_number is None else "round"
    return Assessment(
        run=run,
        system=system,
        assessor="judge",
        subject=Subject(moment=moment, round=round_number),
        marks=(Mark(participant=None, criterion="logic", value=2.5, out_of=3),),
        findings=(Insight(key_insight="It depends."), Summary(), Vote(option="PASS", confidence=0.5)),
        exchange=EXCHANGE,
    )


def failure(index: int, *, final: bool, judge: bool = False) -> Failure:
    """A failed turn, or a failed judgement of the round of that number."""
    task = (
        Brief(run="r1", system="moderator", assessor="judge", subject=Subject(moment="round", round=index + 1))
        if judge
        else Cue(index=index, round=index // 2 + 1, phase="opening", speaker=("Pro", "Con")[index % 2])
    )
    return Failure(
        task=task, who="Pro", cause="RateLimitedError", message="m", final=final, exchange=EXCHANGE if final else None
    )


def sent_request(index: int) -> TaskStarted:
    """A request for a turn is about to leave."""
    reservation = Reservation(task=failure(index, final=False).task, exchange=EXCHANGE)
    return TaskStarted(at=AT, key=f"turn/{index}", reservation=reservation)


def small_debate() -> list[Event]:
    """A whole debate of six turns, two assessments and a failure."""
    return [
        opening_event(),
        *(TurnCompleted(at=AT, turn=turn(index)) for index in range(6)),
        AssessmentCompleted(at=AT, assessment=assessment(system="moderator", round_number=1)),
        TaskFailed(at=AT, failure=failure(1, final=True, judge=True)),
        AssessmentCompleted(at=AT, assessment=assessment()),
        DebateClosed(at=AT, reason="complete"),
    ]


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
REASONS: tuple[CloseReason, ...] = ("complete", "surrender", "converged", "budget", "interrupted", "failed")
_INDICES = st.integers(0, 5)


def _turn_event(index: int, text: str) -> Event:
    return TurnCompleted(at=AT, turn=turn(index, text))


def _assessment_event(system: str, round_number: int | None) -> Event:
    return AssessmentCompleted(at=AT, assessment=assessment("r1", system, round_number))


def _failure_event(index: int, final: bool, judge: bool) -> Event:
    return TaskFailed(at=AT, failure=failure(index, final=final, judge=judge))


def _task_started_event(index: int, sent: bool) -> Event:
    return sent_request(index) if sent else TaskStarted(at=AT, key=f"turn/{index}")


def _close_event(reason: CloseReason) -> Event:
    return DebateClosed(at=AT, reason=reason)


def _judging_settings(kinds: list[str], replaces: bool) -> tuple[list[str], bool]:
    return kinds, replaces


_SYSTEMS = st.sampled_from(["structured", "moderator", "panel"])
_RESUMED: Event = DebateResumed(at=AT)
_CHANGED: Event = DebateResumed(
    at=AT,
    changes=(SettingChange(at=AT, turn=1, key="seed", stored=None, given=9),),
    config=opening_event(seed=9).config,
)
ANSWERS: st.SearchStrategy[Event] = st.one_of(
    st.builds(_turn_event, _INDICES, TEXTS), st.builds(_assessment_event, _SYSTEMS, st.none() | st.integers(1, 3))
)
_OTHERS: st.SearchStrategy[Event] = st.one_of(
    st.builds(_failure_event, _INDICES, st.booleans(), st.booleans()),
    st.builds(_task_started_event, _INDICES, st.booleans()),
    st.builds(_close_event, st.sampled_from(REASONS)),
    st.sampled_from([_RESUMED, _CHANGED]),
)
_JUDGING = st.builds(
    _judging_settings,
    st.lists(st.sampled_from(["structured", "moderator", "live", "persuasion"]), min_size=1, max_size=3, unique=True),
    st.booleans(),
)


@st.composite
def event_lists(draw: st.DrawFn) -> list[Event]:
    """Any list of events with a valid beginning; judging runs are numbered in order."""
    events: list[Event] = [opening_event(topic=draw(st.just("T") | TEXTS.filter(bool)))]
    run = 1
    for item in draw(st.lists(st.one_of(ANSWERS, ANSWERS, _OTHERS, _JUDGING), max_size=16)):
        if isinstance(item, tuple):
            run += 1
            kinds, replaces = item
            judging = JudgingConfig.model_validate({"systems": kinds})
            events.append(JudgingOpened(at=AT, run=f"r{run}", judging=judging, replaces=replaces))
            events.append(AssessmentCompleted(at=AT, assessment=assessment(f"r{run}", kinds[0])))
        else:
            events.append(item)
    return events
