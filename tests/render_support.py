"""A debate made by hand with fixed times and numbers: two debaters, three rounds, a structured and a moderator's judgement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

from rich.console import Console, RenderableType

from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, DebateOpened, Event, Generator, TurnCompleted
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.domain.tasks import Subject
from debate_cli.domain.turn import Argument, Closing, Response, Turn
from debate_cli.render.score_rows import ScoredFile, build_score_tables
from debate_cli.render.terminal import render_table
from debate_cli.systems.moderator.findings import Clash, Momentum, Summary, SummaryPoint
from debate_cli.systems.structured.findings import Fallacy, Insight, Trace
from debate_cli.systems.tables import Table

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
TOPIC = "Should a startup of under ten people adopt microservices from day one?"
HOSTILE = "\x1b[31mred\x1b]8;;http://evil\x07link\x1b]8;;\x07 [bold red]markup[/] \u202egnp.exe\u202c\x07\x9b2J"
"""ESC and C1 sequences, an OSC 8 link, Rich markup, a bidi override, a bell."""

CONFIG: dict[str, Any] = {
    "topic": TOPIC,
    "background": "Eight engineers, one product, no platform team.",
    "models": {"default": {"model": "mock/debater"}, "judge": {"model": "mock/judge"}},
    "debaters": [{"name": "Ada", "side": "for"}, {"name": "Bo", "side": "against"}],
    "judging": {"systems": ["structured", "moderator"]},
}
CLAIMS = {
    "PRO-1": (
        "Independent deployment keeps a small team fast as it grows.",
        (
            "When every service ships on its own, a fault in billing does not hold back search, so the waiting time between "
            "a finished change and its release stays flat while the number of people doubles."
        ),
        "DORA, Accelerate State of DevOps 2023: loosely coupled teams deploy on demand 1.4 times as often.",
    ),
    "PRO-2": (
        "Boundaries drawn late cost more than boundaries drawn early.",
        (
            "Once two modules share tables, every query is a contract nobody wrote down; cutting them apart later means "
            "finding all of those contracts first."
        ),
        "Shopify's own account of four years of componentising one application.",
    ),
    "CON-1": (
        "Eight engineers cannot operate a dozen services.",
        (
            "Each service brings a pipeline, alarms and an on-call duty; the work is per service, not per person, and it is "
            "paid before the first customer arrives."
        ),
        "Segment went back to one service in 2018 after three engineers spent most of their time keeping 140 alive.",
    ),
    "CON-2": (
        "Nobody knows the right boundaries on day one.",
        (
            "A boundary is a guess about what will change together; before the product has users that guess is made without "
            "any data, and a network between wrong halves makes it dear to mend."
        ),
        "Fowler, MonolithFirst (2015): almost all successes he saw began as one application.",
    ),
}
RESPONSES: dict[str, list[tuple[str, Any, str, str]]] = {
    "Ada": [
        ("CON-1", "challenge", "A managed platform takes pipelines and alarms off the team; the case cited ran its own.", "What did Segment's platform bill look like before?"),
        ("CON-2", "partial", "Some boundaries are unknown, but payments and identity are separate in every product.", ""),
    ],
    "Bo": [
        ("PRO-1", "refute", "The 1.4 is a correlation among large firms; the report says nothing of teams below twenty.", "Which row of the report covers eight people?"),
        ("PRO-2", "concede", "Late cuts are dear. A modular monolith draws them early without a network.", ""),
    ],
}  # fmt: skip
CLOSINGS = {
    "Ada": Closing(
        concessions=("CON-2",),
        unrebutted=("PRO-2",),
        final_position="Begin with few services along the boundaries everybody knows, on a managed platform.",
        shift="adjusted",
    ),
    "Bo": Closing(
        concessions=("PRO-2",),
        unrebutted=("CON-1",),
        final_position="Draw the boundaries inside one deployable, and pay for a network when there is load to justify it.",
        shift="strengthened",
    ),
}


def exchange(tokens: int = 400, latency_s: float = 2.5, *, model: str = "mock/debater") -> ModelCall:
    """A call with fixed figures."""
    return ModelCall(
        model=model,
        rung="native",
        attempts=1,
        usage=Usage(input_tokens=1200, cached_tokens=300, output_tokens=tokens),
        latency_s=latency_s,
        cost_usd=0.002,
        finish_reason="stop",
    )


def turns() -> tuple[Turn, ...]:
    """The six speeches: opening, cross-examination and closing of both sides."""
    found: list[Turn] = []
    for number, (name, prefix) in enumerate((("Ada", "PRO"), ("Bo", "CON"))):
        arguments = tuple(
            Argument(id=key, claim=claim, reasoning=reasoning, evidence=evidence)
            for key, (claim, reasoning, evidence) in CLAIMS.items()
            if key.startswith(prefix)
        )
        responses = tuple(
            Response(target=target, type=kind, reasoning=reasoning, follow_up=follow_up)
            for target, kind, reasoning, follow_up in RESPONSES[name]
        )
        warnings = ("short_evidence: evidence of PRO-2 names no figure",) if name == "Ada" else ()
        found += [
            Turn(index=number, round=1, phase="opening", speaker=name, text="opening of " + name, arguments=arguments,
                 warnings=warnings, exchange=exchange(412 + number)),
            Turn(index=2 + number, round=2, phase="cross_examination", speaker=name, text="cross-examination of " + name,
                 responses=responses, exchange=exchange(230 + number, 1.75)),
            Turn(index=4 + number, round=3, phase="closing", speaker=name, text="closing of " + name,
                 closing=CLOSINGS[name], exchange=exchange(120 + number, 1.2)),
        ]  # fmt: skip
    return tuple(sorted(found, key=lambda turn: turn.index))


MARKS = {"PRO-1": (6, 5, 6, 7), "PRO-2": (8, 6, 7, 8), "CON-1": (8, 8, 7, 8), "CON-2": (8, 6, 7, 9)}
TRACES: tuple[tuple[str, str, Any, str], ...] = (
    ("Ada", "PRO-1", "REFUTED", "The figure does not cover teams of this size."),
    ("Ada", "PRO-2", "UPHELD", "Conceded in cross-examination."),
    ("Bo", "CON-1", "UPHELD", "The challenge names a platform but no cost."),
    ("Bo", "CON-2", "PARTIALLY_UPHELD", "True but for boundaries every product has."),
)


def structured_assessment() -> Assessment:
    """One judge's marks, a fallacy, the trace and the insight."""
    criteria = ("logic", "evidence", "responsiveness", "honesty")
    marks = tuple(
        Mark(
            participant="Ada" if item.startswith("PRO") else "Bo",
            item=item,
            criterion=criterion,
            value=value,
            out_of=10,
        )
        for item, values in MARKS.items()
        for criterion, value in zip(criteria, values, strict=True)
    )
    traces = tuple(
        Trace(participant=name, item=item, claim=CLAIMS[item][0], standing=standing, reason=reason)
        for name, item, standing, reason in TRACES
    )
    fallacy = Fallacy(participant="Ada", item="PRO-1", name="appeal to authority", quote="1.4 times as often")
    insight = Insight(
        key_insight="Both sides want early boundaries; they differ on whether a network belongs between them.",
        unresolved_questions=("What does a managed platform cost for eight people?",),
        recommendation="Start with one deployable and strict modules; split when a module's load asks for it.",
    )
    return Assessment(
        run="r1", system="structured", assessor="judge", subject=Subject(moment="debate"), marks=marks,
        findings=(fallacy, *traces, insight), rationale="Fixed.", exchange=exchange(900, 4.0, model="mock/judge"),
    )  # fmt: skip


ROUND_MARKS = {1: ((7, 5, 6), (7, 5, 7)), 2: ((6, 6, 6), (8, 7, 7)), 3: ((7, 6, 7), (8, 7, 8))}


def round_assessment(round_number: int) -> Assessment:
    """The moderator's word on one round."""
    criteria = ("argument_quality", "rebuttal_effectiveness", "strategic_positioning")
    marks = tuple(
        Mark(participant=name, criterion=criterion, value=value, out_of=10)
        for name, values in zip(("Ada", "Bo"), ROUND_MARKS[round_number], strict=True)
        for criterion, value in zip(criteria, values, strict=True)
    )
    summary = Summary(
        points=(SummaryPoint(heading="Ada", points=("speed",)), SummaryPoint(heading="Bo", points=("upkeep",))),
        momentum=Momentum(toward="Bo", why="answers with sources"),
    )
    clash = Clash(participants=("Ada", "Bo"), about="what a service costs to run", engaged=True)
    return Assessment(
        run="r1", system="moderator", assessor="judge", subject=Subject(moment="round", round=round_number), marks=marks,
        findings=(summary, clash), exchange=exchange(200, 1.5, model="mock/judge"),
    )  # fmt: skip


FINAL_CRITERIA = {
    "evidence_based_claims": 10, "logical_structure": 10, "relevance": 10, "comprehensiveness": 10, "precision": 10,
    "counter_evidence": 5, "framing_control": 10, "adaptability": 10, "clarity": 5, "persuasiveness": 5,
    "tone_management": 5, "concession_when_appropriate": 5, "accuracy": 5,
}  # fmt: skip


def final_assessment() -> Assessment:
    """The moderator's final evaluation."""
    marks = tuple(
        Mark(participant=name, criterion=criterion, value=out_of * share, out_of=out_of)
        for name, share in (("Ada", 0.6), ("Bo", 0.8))
        for criterion, out_of in FINAL_CRITERIA.items()
    )
    return Assessment(
        run="r1", system="moderator", assessor="judge", subject=Subject(moment="debate"), marks=marks,
        rationale="Bo kept to what was asked.", exchange=exchange(500, 3.0, model="mock/judge"),
    )  # fmt: skip


def opened(**changes: Any) -> DebateOpened:
    """The first event; `changes` are laid over the configuration."""
    config = DebateConfig.model_validate({**CONFIG, **changes})
    return DebateOpened(
        at=START, id="microservices-0001", generator=Generator(name="debate-cli", version="0.0.0"), config=config,
        config_sha256=config.sha256(),
    )  # fmt: skip


def events(**changes: Any) -> list[Event]:
    """The whole debate as events."""
    found: list[Event] = [opened(**changes)]
    found += [TurnCompleted(at=START, turn=turn) for turn in turns()]
    found += [AssessmentCompleted(at=START, assessment=round_assessment(number)) for number in ROUND_MARKS]
    found += [AssessmentCompleted(at=START, assessment=item) for item in (final_assessment(), structured_assessment())]
    return [*found, DebateClosed(at=START + timedelta(seconds=42), reason="complete")]


def debate(**changes: Any) -> Debate:
    """The whole debate, folded."""
    return fold(events(**changes))


def console(width: int, *, colour: bool = False) -> Console:
    """A console of fixed size that writes into memory."""
    return Console(
        file=StringIO(), width=width, height=40, force_terminal=colour, color_system="256" if colour else None,
        legacy_windows=False, _environ={},
    )  # fmt: skip


def shown(renderable: RenderableType, width: int = 100, *, colour: bool = False) -> str:
    """What a terminal of that width is sent."""
    target = console(width, colour=colour)
    target.print(renderable)
    file = target.file
    assert isinstance(file, StringIO)
    return file.getvalue()


def drawn_tables(tables: Sequence[Table], width: int = 100) -> str:
    """Tables as a terminal of that width shows them."""
    return "".join(shown(render_table(table, {}), width) for table in tables)


def scores_view(files: Sequence[ScoredFile]) -> list[RenderableType]:
    """The tables of scored files, one renderable each."""
    return [render_table(table, {}) for table in build_score_tables(files)]


def unscored() -> Debate:
    """The debate with its speeches and its close, but nothing judged."""
    return fold([event for event in events() if not isinstance(event, AssessmentCompleted)])
