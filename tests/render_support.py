"""A fixed debate: two debaters, three rounds, judged by `structured` and `moderator`; and helpers that render to text."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from io import StringIO
from typing import Any

from rich.console import Console, RenderableType

from debate_cli.app.score import ScoredFile
from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, fold, initial_debate
from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    DebateOpened,
    Event,
    Generator,
    JudgingOpened,
    TurnCompleted,
)
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.domain.tasks import Subject
from debate_cli.domain.turn import Argument, Closing, Response, Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.render.terminal.drawing import render_table
from debate_cli.render.text.plain import PlainObserver
from debate_cli.systems.moderator.findings import Clash, DebateSummary, Momentum, NonEngagement, Summary, SummaryPoint
from debate_cli.systems.scoring import score
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
        why="Upkeep costs more than I thought.",
    ),
    "Bo": Closing(
        concessions=("PRO-2",),
        unrebutted=("CON-1",),
        final_position="Draw the boundaries inside one deployable, and pay for a network when there is load to justify it.",
        shift="strengthened",
    ),
}


def exchange(tokens: int = 400, latency_s: float = 2.5, *, model: str = "mock/debater") -> ModelCall:
    """A model call with fixed usage and latency."""
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
    """Six turns: opening, cross-examination and closing of both sides."""
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
    """The structured judge's marks, fallacy, trace and insight."""
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
    """The moderator's assessment of one round."""
    criteria = ("argument_quality", "rebuttal_effectiveness", "strategic_positioning")
    marks = tuple(
        Mark(participant=name, criterion=criterion, value=value, out_of=10)
        for name, values in zip(("Ada", "Bo"), ROUND_MARKS[round_number], strict=True)
        for criterion, value in zip(criteria, values, strict=True)
    )
    summary = Summary(
        points=(SummaryPoint(heading="Ada", points=("speed",)), SummaryPoint(heading="Bo", points=("upkeep",))),
        momentum=Momentum(toward="Bo", why="answers with sources"),
        guidance="Please both say what a service costs to run.",
    )
    clash = Clash(participants=("Ada", "Bo"), about="what a service costs to run", engaged=True)
    return Assessment(
        run="r1", system="moderator", assessor="judge", subject=Subject(moment="round", round=round_number), marks=marks,
        findings=(summary, clash, NonEngagement(participant="Ada", about="the cost of a second build")),
        exchange=exchange(200, 1.5, model="mock/judge"),
    )  # fmt: skip


FINAL_CRITERIA = {
    "evidence_based_claims": 10, "logical_structure": 10, "relevance": 10, "comprehensiveness": 10, "precision": 10,
    "counter_evidence": 5, "framing_control": 10, "adaptability": 10, "clarity": 5, "persuasiveness": 5,
    "tone_management": 5, "concession_when_appropriate": 5, "accuracy": 5,
}  # fmt: skip


def final_assessment() -> Assessment:
    """The moderator's final evaluation."""
    marks = tuple(
        Mark(participant=name, criterion=criterion, value=out_of * share, out_of=out_of, reason=reason)
        for name, share, reason in (("Ada", 0.6, "Sound, and general."), ("Bo", 0.8, "Specific throughout."))
        for criterion, out_of in FINAL_CRITERIA.items()
    )
    summary = DebateSummary(text="Both ask what a service costs to run.", consistently_outperformed=("Ada",))
    return Assessment(
        run="r1", system="moderator", assessor="judge", subject=Subject(moment="debate"), marks=marks,
        findings=(summary,), rationale="Bo kept to what was asked.", exchange=exchange(500, 3.0, model="mock/judge"),
    )  # fmt: skip


def opening_event(**changes: Any) -> DebateOpened:
    """The first event. `changes` override the configuration."""
    config = DebateConfig.model_validate({**CONFIG, **changes})
    return DebateOpened(
        at=START, id="microservices-0001", generator=Generator(name="debate-cli", version="0.0.0"), config=config,
        config_sha256=config.sha256(),
    )  # fmt: skip


def events(**changes: Any) -> list[Event]:
    """All events of the debate."""
    found: list[Event] = [opening_event(**changes)]
    found += [TurnCompleted(at=START, turn=turn) for turn in turns()]
    found += [AssessmentCompleted(at=START, assessment=round_assessment(number)) for number in ROUND_MARKS]
    found += [AssessmentCompleted(at=START, assessment=item) for item in (final_assessment(), structured_assessment())]
    return [*found, DebateClosed(at=START + timedelta(seconds=42), reason="complete")]


def debate(**changes: Any) -> Debate:
    """The folded debate. `changes` override the configuration."""
    return fold(events(**changes)) if changes else _unchanged_debate()


@cache
def _unchanged_debate() -> Debate:
    return fold(events())


def opened_debate(**changes: Any) -> Debate:
    """The debate before its first speech. `changes` override the configuration."""
    return initial_debate(opening_event(**changes))


def console(width: int, *, colour: bool = False) -> Console:
    """A console of fixed size that writes into memory."""
    return Console(
        file=StringIO(), width=width, height=40, force_terminal=colour, color_system="256" if colour else None,
        legacy_windows=False, _environ={},
    )  # fmt: skip


def render_text(renderable: RenderableType, width: int = 100, *, colour: bool = False) -> str:
    """The output of a terminal of that width."""
    target = console(width, colour=colour)
    target.print(renderable)
    return console_output(target)


def console_output(target: Console) -> str:
    """Everything written to a console that writes into memory."""
    assert isinstance(target.file, StringIO)
    return target.file.getvalue()


def plain_output(events: Sequence[Event], state: Debate | None = None, *, show_hidden: bool = False) -> str:
    """The plain lines written for these events, which follow on `state`; by default on the opened debate."""
    stream, current = StringIO(), state or opened_debate()
    observer = PlainObserver(stream, show_hidden=show_hidden)
    for event in events:
        current = current.apply(event)
        observer.event(event, current)
    return stream.getvalue()


def render_tables(tables: Sequence[Table], width: int = 100) -> str:
    """Tables as a terminal of that width shows them."""
    return "".join(render_text(render_table(table, {}), width) for table in tables)


def scored_file(debate: Debate, path: str = "a.json") -> ScoredFile:
    """A debate as `debate score` holds it."""
    return ScoredFile(path, debate.id, debate.topic, debate.status, score(debate))


def unjudged() -> Debate:
    """The debate with its turns and its close, without assessments."""
    return fold([event for event in events() if not isinstance(event, AssessmentCompleted)])


def with_assessment(debate: Debate, assessment: Assessment) -> Debate:
    """The debate with `assessment` instead of the one by the same system."""
    others = [item for item in debate.assessments if item.system != assessment.system]
    return debate.with_assessments([*others, assessment])


def with_first_turn(debate: Debate, **changes: Any) -> Debate:
    """The debate with changed fields in its first turn."""
    first = debate.turns[0].model_copy(update=changes)
    return Debate.model_validate({**debate.model_dump(), "turns": [first, *debate.turns[1:]]})


def with_arguments(debate: Debate, warnings: tuple[str, ...] = (), **changes: Any) -> Debate:
    """The debate with changed fields in every argument of its first turn."""
    arguments = tuple(item.model_copy(update=changes) for item in debate.turns[0].arguments or ())
    return with_first_turn(debate, arguments=arguments, warnings=warnings)


def with_second_judging(system: str = "structured", *assessments: Assessment, run: str = "r2") -> Debate:
    """The debate with a further judging run by one system, and its assessments."""
    judging = JudgingConfig.model_validate({"systems": [system]})
    again = debate().apply(JudgingOpened(at=START, run=run, judging=judging))
    for item in assessments:
        again = again.apply(AssessmentCompleted(at=START, assessment=item.model_copy(update={"run": run})))
    return again


def verdict_of(debate: Debate, system: str) -> Verdict:
    """The verdict of one system."""
    return next(verdict for verdict in score(debate) if verdict.system == system)


def is_printable(text: str) -> bool:
    """Whether a text holds only printable characters and line breaks."""
    return all(character == "\n" or character.isprintable() for character in text)
