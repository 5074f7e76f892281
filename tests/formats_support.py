"""Debates for the tests of formats, debaters and judging, built from events without models."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from debate_cli.domain.assessment import Assessment, Finding, Mark
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.domain.events import AssessmentCompleted, DebateOpened, Failure, Generator, TaskFailed, TurnCompleted
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response, Turn
from debate_cli.formats.schedule import next_step

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
EXCHANGE = ModelCall(model="mock/a", rung="native", attempts=1, cost_usd=0.0)
PAIR = ({"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"})
TRIO = (*PAIR, {"name": "Third", "side": "middle"})

Speech = Callable[[Cue, Debate], Turn]


def config(
    form: dict[str, Any] | None = None,
    systems: Iterable[str | dict[str, Any]] = ("structured",),
    debaters: Iterable[dict[str, Any]] = PAIR,
    **fields: Any,
) -> DebateConfig:
    """A configuration in which all models are mocks."""
    return DebateConfig.model_validate(
        {
            "topic": "Should it be done?",
            "models": {"default": {"model": "mock/a"}},
            "debaters": tuple(debaters),
            "format": form or {},
            "judging": {"systems": list(systems)},
            **fields,
        }
    )


def new_debate(settings: DebateConfig) -> Debate:
    """The debate before its first turn."""
    generator = Generator(name="debate-cli", version="0")
    return initial_debate(
        DebateOpened(at=NOON, id="d", generator=generator, config=settings, config_sha256=settings.sha256())
    )


def turn(cue: Cue, **content: Any) -> Turn:
    """A turn that answers `cue`."""
    return Turn.model_validate(
        {
            "index": cue.index,
            "round": cue.round,
            "phase": cue.phase,
            "speaker": cue.speaker,
            "text": f"{cue.speaker} speaks, {cue.phase} {cue.index}",
            "exchange": EXCHANGE,
            **content,
        }
    )


def speech(cue: Cue, debate: Debate) -> Turn:
    """A valid turn: two arguments in an opening, a response with a question to every argument, a new claim in each speech."""
    known = debate.visible_to(cue)
    prefix = debate.participant(cue.speaker).prefix
    theirs = [key for key, (name, _) in known.arguments.items() if name != cue.speaker]
    asked = [question.target for question in cue.questions]
    match cue.phase:
        case "opening":
            return turn(cue, arguments=[argument(f"{prefix}-{number}") for number in (1, 2)])
        case "cross_examination":
            targets = asked or theirs
            return turn(cue, responses=[response(target, "Why?") for target in targets])
        case "answers":
            return turn(cue, answers=[FollowUpAnswer(question_target=target, reply="So.") for target in asked])
        case "closing":
            return turn(cue, closing=Closing(final_position="That is it.", shift="unchanged"))
        case "speech":
            return turn(cue, arguments=[argument(f"{prefix}-{cue.round}", f"Claim of round {cue.round}.")])
        case "rebuttal":
            return turn(cue)


def argument(key: str, claim: str = "Something holds.") -> Argument:
    """An argument with this id."""
    return Argument(id=key, claim=claim, reasoning="Because of something else.", evidence="A study.")


def response(target: str, follow_up: str = "") -> Response:
    """A response to that argument."""
    return Response(target=target, type="refute", reasoning="It does not follow.", follow_up=follow_up)


def with_turns(debate: Debate, *turns: Turn) -> Debate:
    """The debate with these turns."""
    for item in turns:
        debate = debate.apply(TurnCompleted(at=NOON, turn=item))
    return debate


def with_assessment(debate: Debate, brief: Brief, *findings: Finding, marks: Iterable[Mark] = ()) -> Debate:
    """The debate with this brief answered."""
    fields = brief.model_dump() | {"findings": findings, "marks": tuple(marks), "exchange": EXCHANGE}
    return debate.apply(AssessmentCompleted(at=NOON, assessment=Assessment.model_validate(fields)))


def with_failure(debate: Debate, task: Cue | Brief) -> Debate:
    """The debate with a failure of this task that may be repeated."""
    failure = Failure(task=task, who="x", cause="ServerError", message="No answer.", final=False)
    return debate.apply(TaskFailed(at=NOON, failure=failure))


def play_debate(debate: Debate, say: Speech = speech, waves: int = 1000) -> Debate:
    """The debate after `waves` waves of cues, each answered by `say`. It stops when a turn waits for a judge."""
    for _ in range(waves):
        step = next_step(debate)
        if not step.cues:
            break
        debate = with_turns(debate, *(say(cue, debate) for cue in step.cues))
    return debate
