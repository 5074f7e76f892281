"""The live judge's form for an exchange: two adjacent turns of different speakers."""

from collections.abc import Mapping

from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.judge_input.transcript_prompt import to_prompt_json
from debate_cli.llm.form import Form, FormModel, JsonSchema, items, keep_if, one_of, share, text
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, judge_form
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA, DRAWN_COMPARISON
from debate_cli.systems.live.findings import PairComparison, Pressure
from debate_cli.systems.live.register_question import (
    LogicGapForm,
    SuspectClaimForm,
    add_logic_gaps,
    add_suspect_claims,
    turns_before,
)
from debate_cli.systems.live.settings import LiveSettings

PRESSURE_INSTRUCTION = (
    "Finally, rate from 0 (not at all) to 1 how hard this exchange pressed the debater who lost it: cognitive (its reasoning "
    "was broken), emotional (its composure was shaken), strategic (it lost control of the frame), credibility (its evidence "
    "or honesty was put in doubt)."
)


class PressureForm(FormModel):
    """How much pressure the exchange put on its loser."""

    cognitive: float = share()
    emotional: float = share()
    strategic: float = share()
    credibility: float = share()


class PairForm(FormModel):
    """The judgment of an exchange of two adjacent turns."""

    reasoning: str = text()
    logic: str
    rhetoric: str
    tactics: str
    suspect_claims: tuple[SuspectClaimForm, ...] = items(2, default=())
    logic_gap: tuple[LogicGapForm, ...] = items(1, default=())
    pressure: PressureForm | None = None


def build_pair_form(context: JudgingContext[LiveSettings]) -> Form[PairForm]:
    """The form of an exchange. It asks for the pressure only if a debater can react to it."""
    winner = one_of((*(turn.speaker for turn in context.judged_turns), DRAWN_COMPARISON))
    narrowing: dict[str, JsonSchema | None] = {"pressure": keep_if(_wants_pressure(context))}
    return judge_form("live_pair", PairForm, **dict.fromkeys(DIMENSION_MAXIMA, winner), **narrowing)


def pair_prompt_values(context: JudgingContext[LiveSettings], _prompts: Prompts) -> Mapping[str, str]:
    """Values of the prompt: the two turns, their speakers, and whether pressure is asked for."""
    earlier, later = context.judged_turns
    return {
        "turn": str(later.index),
        "speaker": to_prompt_json(later.speaker),
        "earlier_turn": str(earlier.index),
        "earlier_speaker": to_prompt_json(earlier.speaker),
        "pressure": PRESSURE_INSTRUCTION if _wants_pressure(context) else "",
    }


def read_pair_form(filled: PairForm, context: JudgingContext[LiveSettings]) -> AssessmentContent:
    """The comparison, and the weaknesses that the later turn exposed.

    The pressure is on the debater who lost more dimensions.
    """
    collector = MarkCollector()
    earlier, later = context.judged_turns
    names = (earlier.speaker, later.speaker)
    won = {
        dimension: _valid_winner(getattr(filled, dimension), dimension, names, collector)
        for dimension in DIMENSION_MAXIMA
    }
    collector.add_findings(PairComparison(logic=won["logic"], rhetoric=won["rhetoric"], tactics=won["tactics"]))
    add_suspect_claims(filled.suspect_claims, turns_before(later.index + 1, context), collector)
    add_logic_gaps(filled.logic_gap, turns_before(later.index, context), collector)
    loser = _loser(tuple(won.values()), names)
    if filled.pressure is not None and loser is not None and _wants_pressure(context):
        felt: dict[str, float] = filled.pressure.model_dump()
        pressure = {kind: min(1.0, max(0.0, value)) for kind, value in felt.items()}
        collector.add_findings(Pressure.model_validate({"participant": loser, **pressure}))
    return collector.result(filled.reasoning)


def _valid_winner(name: str, dimension: str, names: tuple[str, str], collector: MarkCollector) -> str:
    if name in names or name == DRAWN_COMPARISON:
        return name
    collector.add_warnings(f"unknown: {name!r} did not take part in the exchange, so {dimension} counts as a draw")
    return DRAWN_COMPARISON


def _loser(won: tuple[str, ...], names: tuple[str, str]) -> str | None:
    """The debater who won fewer dimensions of the exchange; None if both won the same number."""
    first, second = (won.count(name) for name in names)
    if first == second:
        return None
    return names[1] if first > second else names[0]


def _wants_pressure(context: JudgingContext[LiveSettings]) -> bool:
    return context.settings.feedback and context.brief.run == FIRST_RUN


PAIR_QUESTION = JudgeQuestion("judge.live.pair", "judge_live_pair", pair_prompt_values, build_pair_form, read_pair_form)
