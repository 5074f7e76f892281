"""The live judge's questions about a turn, about an exchange (two adjacent turns), and about the whole debate."""

from collections.abc import Mapping

from debate_cli.domain.assessment import Contradiction, DroppedPremise
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.judge_input.transcript_prompt import to_prompt_json
from debate_cli.llm.form import Form, FormModel, JsonSchema, each_of, items, keep_if, one_of, share, text, whole_number
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.aggregation import first_finding, iter_findings, ordered_assessments
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, judge_form, unique_known_items
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA, DRAWN_COMPARISON, SUPPLEMENTARY_MAXIMA
from debate_cli.systems.live.findings import (
    Arc,
    CausalChain,
    Convergence,
    ConvergenceOutcome,
    DebatePattern,
    Narrative,
    PairComparison,
    Pressure,
    Resolution,
)
from debate_cli.systems.live.register import (
    LogicGapForm,
    SuspectClaimForm,
    add_faults,
    format_entries,
    list_entries,
)
from debate_cli.systems.live.score import LiveNotes, dimension_means
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.scoring import score
from debate_cli.systems.source_prompts import format_quote_checks
from debate_cli.systems.tables import parse_notes

Context = JudgingContext[LiveSettings]

# A turn

RHETORIC_MAXIMA = {"framing": 8, "clarity": 7, "evidence_use": 8, "delivery": 7}
"""Maps the four parts of rhetoric to their highest marks, which add up to 30."""
WEAK_FRAMING_BELOW = 5
"""If the mark for framing is below this number, a higher mark for delivery is lowered to the mark for framing."""
CHAIN_LINKS = ("cause", "process", "consequence")
WEAKEST_PREMISE = "weakest_premise"
"""Value in `CausalChain.missing` if the turn does not address the opponent's weakest premise."""
PREMISE_INSTRUCTION = "Add weakest_premise to missing if the turn does not address the weakest premise of what the opponent has said so far."
BLIND_INSTRUCTION = "The speaker has not heard the opponent yet, so the turn need not address the opponent's premises."


class ContradictionForm(FormModel):
    """A contradiction between the judged turn and an earlier turn of the same speaker."""

    earlier: int
    explanation: str = text(100)


class DroppedPremiseForm(FormModel):
    """A premise of an earlier turn that the speaker no longer supports."""

    earlier: int
    premise: str = text(100)


class TurnForm(FormModel):
    """The judge's answers about one turn."""

    cause: str = text(100)
    process: str = text(100)
    consequence: str = text(100)
    missing: tuple[str, ...] = items(4, default=())
    contradictions: tuple[ContradictionForm, ...] = items(1, default=())
    dropped_premises: tuple[DroppedPremiseForm, ...] = items(1, default=())
    suspect_claims: tuple[SuspectClaimForm, ...] = items(2, default=())
    logic_gap: tuple[LogicGapForm, ...] = items(1, default=())
    reasoning: str = text()
    logic: int = whole_number(0, int(DIMENSION_MAXIMA["logic"]))
    framing: int = whole_number(0, RHETORIC_MAXIMA["framing"])
    clarity: int = whole_number(0, RHETORIC_MAXIMA["clarity"])
    evidence_use: int = whole_number(0, RHETORIC_MAXIMA["evidence_use"])
    delivery: int = whole_number(0, RHETORIC_MAXIMA["delivery"])
    tactics: int = whole_number(0, int(DIMENSION_MAXIMA["tactics"]))
    frame_control: int = whole_number(0, int(SUPPLEMENTARY_MAXIMA["frame_control"]))
    credibility: int = whole_number(0, int(SUPPLEMENTARY_MAXIMA["credibility"]))


def _build_turn_form(context: Context) -> Form[TurnForm]:
    (turn,) = context.judged_turns
    own = _earlier_own_turns(context)
    return judge_form(
        "live_turn",
        TurnForm,
        missing={"items": one_of(_asked_links(context))},
        earlier=one_of(own),
        logic_gap=keep_if(bool(context.debate.turns_before(turn.index))),
        **({} if own else {"contradictions": None, "dropped_premises": None}),
    )


def _turn_prompt_values(context: Context, _prompts: Prompts) -> Mapping[str, str]:
    (turn,) = context.judged_turns
    debate = context.debate
    checks = format_quote_checks(debate, turn)
    before = turn.index if context.settings.asks_in_turn else 0
    entries = list_entries(debate, context.brief.run, before=before)
    listed = f"\nThe register of passages that were doubted so far, as data: {format_entries(entries, debate)}"
    return {
        "turn": str(turn.index),
        "speaker": to_prompt_json(turn.speaker),
        "weakest_premise": PREMISE_INSTRUCTION if WEAKEST_PREMISE in _asked_links(context) else BLIND_INSTRUCTION,
        "register": listed if entries else "",
        "sources": f"\n\n{checks}" if checks else "",
    }


def _asked_links(context: Context) -> tuple[str, ...]:
    (turn,) = context.judged_turns
    has_heard_opponent = any(
        earlier.speaker != turn.speaker and (context.debate.is_sequential or earlier.round < turn.round)
        for earlier in context.debate.turns_before(turn.index)
    )
    return (*CHAIN_LINKS, WEAKEST_PREMISE) if has_heard_opponent else CHAIN_LINKS


def _earlier_own_turns(context: Context) -> tuple[int, ...]:
    (turn,) = context.judged_turns
    return tuple(item.index for item in context.debate.select_turns(speaker=turn.speaker) if item.index < turn.index)


def _read_turn_form(filled: TurnForm, context: Context) -> AssessmentContent:
    collector = MarkCollector()
    (turn,) = context.judged_turns
    rhetoric = _add_rhetoric_marks(filled, turn.speaker, collector)
    marks = filled.model_dump(include={"logic", "tactics", *SUPPLEMENTARY_MAXIMA}) | {"rhetoric": rhetoric}
    for name, out_of in (DIMENSION_MAXIMA | SUPPLEMENTARY_MAXIMA).items():
        collector.add_mark(turn.speaker, name, marks[name], (0, out_of))
    missing = tuple(part for part in _asked_links(context) if part in filled.missing)
    collector.add_findings(
        CausalChain(cause=filled.cause, process=filled.process, consequence=filled.consequence, missing=missing)
    )
    own = _earlier_own_turns(context)
    for item in (*filled.contradictions, *filled.dropped_premises):
        kind = Contradiction if isinstance(item, ContradictionForm) else DroppedPremise
        said = {"participant": turn.speaker, "later": turn.index, **item.model_dump()}
        if item.earlier in own:
            collector.add_findings(kind.model_validate(said))
        else:
            collector.add_warnings(
                f"dropped: turn {item.earlier + 1} is not an earlier turn of {turn.speaker}, so the finding about it is dropped"
            )
    add_faults(filled.suspect_claims, filled.logic_gap, turn.index, context.debate, collector)
    return collector.result(filled.reasoning)


def _add_rhetoric_marks(filled: TurnForm, who: str, collector: MarkCollector) -> float:
    marks: dict[str, float] = {}
    for name, most in RHETORIC_MAXIMA.items():
        value: float = getattr(filled, name)
        if name == "delivery" and marks["framing"] < WEAK_FRAMING_BELOW and value > marks["framing"]:
            collector.add_warnings(
                f"capped: framing {marks['framing']:g} is below {WEAK_FRAMING_BELOW}, so delivery counts as"
                f" {marks['framing']:g} instead of {value:g}"
            )
            value = marks["framing"]
        marks[name] = collector.add_mark(who, name, value, (0, most))
    return sum(marks.values())


TURN_QUESTION = JudgeQuestion(
    "judge.live.turn", "judge_live_turn", _turn_prompt_values, _build_turn_form, _read_turn_form
)

# An exchange: two adjacent turns of different speakers

PRESSURE_INSTRUCTION = (
    "Finally, rate how hard this exchange pressed the debater who lost it. Give four numbers, each from 0 (not at all) to 1: "
    "cognitive (its reasoning was broken), emotional (its composure was shaken), strategic (it lost control of the frame), "
    "credibility (its evidence or honesty was put in doubt)."
)


class PressureForm(FormModel):
    """How hard the exchange pressed the debater who lost it: four kinds of pressure, each 0-1."""

    cognitive: float = share()
    emotional: float = share()
    strategic: float = share()
    credibility: float = share()


class PairForm(FormModel):
    """The judge's answers about one exchange (two adjacent turns)."""

    reasoning: str = text()
    logic: str
    rhetoric: str
    tactics: str
    suspect_claims: tuple[SuspectClaimForm, ...] = items(2, default=())
    logic_gap: tuple[LogicGapForm, ...] = items(1, default=())
    pressure: PressureForm | None = None


def _wants_pressure(context: Context) -> bool:
    return context.settings.feedback and context.brief.run == FIRST_RUN


def _build_pair_form(context: Context) -> Form[PairForm]:
    winner = one_of((*(turn.speaker for turn in context.judged_turns), DRAWN_COMPARISON))
    narrowing: dict[str, JsonSchema | None] = {"pressure": keep_if(_wants_pressure(context))}
    return judge_form("live_pair", PairForm, **dict.fromkeys(DIMENSION_MAXIMA, winner), **narrowing)


def _pair_prompt_values(context: Context, _prompts: Prompts) -> Mapping[str, str]:
    earlier, later = context.judged_turns
    return {
        "turn": str(later.index),
        "speaker": to_prompt_json(later.speaker),
        "earlier_turn": str(earlier.index),
        "earlier_speaker": to_prompt_json(earlier.speaker),
        "pressure": PRESSURE_INSTRUCTION if _wants_pressure(context) else "",
    }


def _read_pair_form(filled: PairForm, context: Context) -> AssessmentContent:
    collector = MarkCollector()
    earlier, later = context.judged_turns
    won: dict[str, str] = {}
    for dimension in DIMENSION_MAXIMA:
        name = won[dimension] = getattr(filled, dimension)
        if name not in {earlier.speaker, later.speaker, DRAWN_COMPARISON}:
            collector.add_warnings(
                f"unknown: {name!r} did not take part in the exchange, so {dimension} counts as drawn"
            )
            won[dimension] = DRAWN_COMPARISON
    collector.add_findings(PairComparison(logic=won["logic"], rhetoric=won["rhetoric"], tactics=won["tactics"]))
    add_faults(filled.suspect_claims, filled.logic_gap, later.index, context.debate, collector)
    wins = [list(won.values()).count(turn.speaker) for turn in (earlier, later)]
    if filled.pressure is not None and wins[0] != wins[1] and _wants_pressure(context):
        felt: dict[str, float] = filled.pressure.model_dump()
        pressure = {kind: min(1.0, max(0.0, value)) for kind, value in felt.items()}
        loser = earlier.speaker if wins[0] < wins[1] else later.speaker
        collector.add_findings(Pressure.model_validate({"participant": loser, **pressure}))
    return collector.result(filled.reasoning)


PAIR_QUESTION = JudgeQuestion(
    "judge.live.pair", "judge_live_pair", _pair_prompt_values, _build_pair_form, _read_pair_form
)

# The whole debate: narrative, its conflict with the scorecard, and convergence

NO_WINNER = "even"


class ArcForm(FormModel):
    """How one participant's case developed over the debate."""

    participant: str
    arc: str = text()


class NarrativeForm(FormModel):
    """The judge's account of the whole debate."""

    arcs: tuple[ArcForm, ...]
    reasoning: str = text(240)
    winner: str


class ResolutionForm(FormModel):
    """Why the judge's account of the debate (narrative) and the scores of the turns (scorecard) name different winners."""

    explanation: str = text(320)
    pattern: DebatePattern = "none"


class ConvergenceForm(FormModel):
    """How the disagreement of the debaters changed from the first to the last turns."""

    early: str = text()
    late: str = text()
    outcome: ConvergenceOutcome


def _build_narrative_form(context: Context) -> Form[NarrativeForm]:
    arcs, winner = each_of("participant", context.speakers), one_of((*context.speakers, NO_WINNER))
    return judge_form("live_narrative", NarrativeForm, arcs=arcs, winner=winner)


def _resolution_prompt_values(context: Context, _prompts: Prompts) -> Mapping[str, str]:
    given = ordered_assessments(context.debate, "live", context.brief.run)
    narrative = first_finding(given, Narrative)
    (verdict,) = score(context.debate, runs=context.brief.run, systems=("live",))
    means = dimension_means(parse_notes(LiveNotes, verdict))
    percentages = {
        name: {dimension: round(100 * mark / DIMENSION_MAXIMA[dimension]) for dimension, mark in means[name].items()}
        for name in verdict.scores
    }
    scorecard = {"winner": verdict.winner, "scores": verdict.scores, "percent_of_maximum": percentages}
    return {
        "narrative": to_prompt_json(narrative.model_dump(include={"winner", "reasoning"}) if narrative else None),
        "scorecard": to_prompt_json(scorecard),
        **_format_inconsistencies(context),
    }


def _format_inconsistencies(context: Context) -> dict[str, str]:
    given = ordered_assessments(context.debate, "live", context.brief.run)
    return {
        name: to_prompt_json([finding.model_dump(exclude={"kind"}) for _, finding in iter_findings(given, kind)])
        for name, kind in (("contradictions", Contradiction), ("dropped_premises", DroppedPremise))
    }


def _convergence_prompt_values(context: Context, _prompts: Prompts) -> Mapping[str, str]:
    first, second, *rest = context.brief.subject.turns
    return {"early": f"{first} and {second}", "late": " and ".join(map(str, rest))}


def _read_narrative_form(filled: NarrativeForm, context: Context) -> AssessmentContent:
    collector = MarkCollector()
    arcs = tuple(unique_known_items(collector, filled.arcs, lambda item: item.participant, context.speakers))
    if filled.winner not in (*context.speakers, NO_WINNER):
        collector.add_warnings(f"unknown: {filled.winner!r} did not take part in the debate, so no winner is recorded")
    winner = filled.winner if filled.winner in context.speakers else None
    told = tuple(Arc(**item.model_dump()) for item in arcs)
    collector.add_findings(Narrative(winner=winner, reasoning=filled.reasoning, arcs=told))
    return collector.result(filled.reasoning)


NARRATIVE_QUESTION: JudgeQuestion[LiveSettings, NarrativeForm] = JudgeQuestion(
    "judge.live.narrative",
    "judge_live_narrative",
    lambda context, _: {"participants": to_prompt_json(context.speakers), **_format_inconsistencies(context)},
    _build_narrative_form,
    _read_narrative_form,
)
RESOLUTION_QUESTION: JudgeQuestion[LiveSettings, ResolutionForm] = JudgeQuestion(
    "judge.live.resolution",
    "judge_live_resolution",
    _resolution_prompt_values,
    lambda _: judge_form("live_resolution", ResolutionForm),
    lambda filled, _: AssessmentContent(
        findings=(Resolution(explanation=filled.explanation, pattern=filled.pattern),), rationale=filled.explanation
    ),
)
CONVERGENCE_QUESTION: JudgeQuestion[LiveSettings, ConvergenceForm] = JudgeQuestion(
    "judge.live.convergence",
    "judge_live_convergence",
    _convergence_prompt_values,
    lambda _: judge_form("live_convergence", ConvergenceForm),
    lambda filled, _: AssessmentContent(
        findings=(Convergence(outcome=filled.outcome, early=filled.early, late=filled.late),)
    ),
)
