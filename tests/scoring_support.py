"""Judged debates for the tests of scorers, built in memory with short texts."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from debate_cli.domain.assessment import Assessment, Finding, Mark
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.domain.events import AssessmentCompleted, DebateOpened, Event, Generator, JudgingOpened, TurnCompleted
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.tasks import Moment, Subject
from debate_cli.domain.turn import Argument, Response, StrategyPick, Turn
from debate_cli.systems.panel.votes import Vote, VoteOption

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
EXCHANGE = ModelCall(model="mock/a", rung="native", attempts=1, cost_usd=0.0)
PRO, CON, THIRD = "Ada", "Ben", "Cem"
TWO: tuple[dict[str, Any], ...] = ({"name": PRO, "side": "for"}, {"name": CON, "side": "against"})
THREE: tuple[dict[str, Any], ...] = (*TWO, {"name": THIRD, "side": "neither"})


def opening_event(
    *systems: SystemSettings, debaters: Sequence[Mapping[str, Any]] = TWO, decides: str | None = None
) -> DebateOpened:
    """The first event of a debate that `systems` judge."""
    config = DebateConfig.model_validate(
        {
            "topic": "Should it be done?",
            "models": {"default": {"model": "mock/a"}},
            "debaters": tuple(dict(debater) for debater in debaters),
            "judging": {"decides": decides, "systems": [system.model_dump() for system in systems]},
        }
    )
    generator = Generator(name="debate-cli", version="0")
    return DebateOpened(at=NOON, id="d", generator=generator, config=config, config_sha256=config.sha256())


def build_debate(head: DebateOpened, turns: Iterable[Turn] = (), given: Iterable[Assessment] = ()) -> Debate:
    """The debate with these turns and assessments, applied in the order given."""
    debate = initial_debate(head)
    events: list[Event] = [TurnCompleted(at=NOON, turn=turn) for turn in turns]
    events += [AssessmentCompleted(at=NOON, assessment=item) for item in given]
    for event in events:
        debate = debate.apply(event)
    return debate


def with_judging_run(
    debate: Debate,
    run: str,
    *systems: SystemSettings,
    decides: str | None = None,
    replaces: bool = False,
    beside: str | None = None,
) -> Debate:
    """The debate with a later judging run opened."""
    judging = JudgingConfig(decides=decides, systems=systems)
    return debate.apply(JudgingOpened(at=NOON, run=run, judging=judging, replaces=replaces, beside=beside))


def reorder_assessments(debate: Debate, order: Sequence[int]) -> Debate:
    """The debate whose assessments with these places arrived in this order."""
    other = debate.with_assessments(())
    for place in order:
        other = other.apply(AssessmentCompleted(at=NOON, assessment=debate.assessments[place]))
    return other


def drop_assessment(debate: Debate, place: int) -> Debate:
    """The debate without one of its assessments."""
    return debate.with_assessments(item for number, item in enumerate(debate.assessments) if number != place)


def speech(index: int, speaker: str, text: str = "So it is.", *, strategy: str | None = None) -> Turn:
    """A free speech; every two turns form a round."""
    return Turn(
        index=index,
        round=index // 2 + 1,
        phase="speech",
        speaker=speaker,
        text=text,
        strategy=StrategyPick(name=strategy, reason="so") if strategy else None,
        exchange=EXCHANGE,
    )


def opening(index: int, speaker: str, *ids: str) -> Turn:
    """An opening with one argument per id."""
    arguments = tuple(Argument(id=item, claim=f"Claim of {item}", reasoning="Because.", evidence="A.") for item in ids)
    return Turn(
        index=index, round=1, phase="opening", speaker=speaker, text="Open.", arguments=arguments, exchange=EXCHANGE
    )


def cross_examination(index: int, speaker: str, *responses: Response) -> Turn:
    """A cross-examination."""
    return Turn(
        index=index,
        round=2,
        phase="cross_examination",
        speaker=speaker,
        text="Cross.",
        responses=responses,
        exchange=EXCHANGE,
    )


def assessment(
    system: str,
    marks: Iterable[Mark] = (),
    *findings: Finding,
    moment: Moment = "debate",
    turns: tuple[int, ...] = (),
    **fields: Any,
) -> Assessment:
    """An assessment; `fields` may give run, assessor, revision, rationale, and `round` of its subject."""
    subject = Subject(moment=moment, round=fields.pop("round", None), turns=turns)
    defaults: dict[str, Any] = {"run": FIRST_RUN, "assessor": "judge", "exchange": EXCHANGE}
    return Assessment(system=system, subject=subject, marks=tuple(marks), findings=findings, **{**defaults, **fields})


def argument_marks(participant: str, item: str, *values: float) -> list[Mark]:
    """Logic, evidence, responsiveness and honesty of one argument, out of 10."""
    criteria = ("logic", "evidence", "responsiveness", "honesty")
    return [
        Mark(participant=participant, item=item, criterion=criterion, value=value, out_of=10)
        for criterion, value in zip(criteria, values, strict=True)
    ]


def marks(participant: str | None, out_of: Mapping[str, float], values: Iterable[float]) -> list[Mark]:
    """One mark per criterion of `out_of`, in its order."""
    return [
        Mark(participant=participant, criterion=criterion, value=value, out_of=highest)
        for (criterion, highest), value in zip(out_of.items(), values, strict=True)
    ]


def ballot(judge: str, option: VoteOption, *dimensions: float, revision: int = 0, **fields: Any) -> Assessment:
    """A panel judge's vote with logic, evidence, rebuttal and risk (as many as given), out of 3."""
    names = ("logic", "evidence", "rebuttal", "risk")
    given = [
        Mark(participant=None, criterion=name, value=value, out_of=3)
        for name, value in zip(names, dimensions, strict=False)
    ]
    vote = Vote(option=option, confidence=fields.pop("confidence", 0.5), **fields)
    return assessment("panel", given, vote, assessor=judge, revision=revision, rationale=f"{judge} says {option}")
