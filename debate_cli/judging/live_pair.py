"""The live judge's form for an exchange: two adjacent turns of different speakers."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.assessment import Comparison, LogicGap, Pressure
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.systems import Live
from debate_cli.judging import schema
from debate_cli.judging.live import SUSPECT, SuspectForm, read_suspects, turns_until
from debate_cli.judging.rows import Case, Reading, Row, Tally
from debate_cli.judging.transcript_view import literal
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.template import Prompts
from debate_cli.scoring.scorecard import DRAW, MAXIMA

PRESSURE = (
    "At last, how hard did this exchange press the one who lost it, each from 0 (not at all) to 1: cognitive (reasoning "
    "was broken), emotional (composure was shaken), strategic (the frame was lost), credibility (evidence or honesty was "
    "put in doubt)."
)


class GapForm(FormModel):
    """A weakness of the earlier turn that the later one exposed."""

    reason: str
    points: int


class PressureForm(FormModel):
    """How hard the exchange pressed who lost it."""

    cognitive: float
    emotional: float
    strategic: float
    credibility: float


class PairForm(FormModel):
    """An exchange of two adjacent turns."""

    reasoning: str
    logic: str
    rhetoric: str
    tactics: str
    suspect_claims: tuple[SuspectForm, ...] = ()
    logic_gap: tuple[GapForm, ...] = ()
    pressure: PressureForm | None = None


def form(case: Case[Live]) -> Form[PairForm]:
    """Pressure is asked for only where it can reach a debater."""
    winner = schema.one_of((*(turn.speaker for turn in case.judged), DRAW))
    fields = {
        "reasoning": schema.text(),
        **dict.fromkeys(MAXIMA, winner),
        "suspect_claims": schema.listed(SUSPECT, 2),
        "logic_gap": schema.listed(schema.obj(reason=schema.text(), points=schema.integer(1, 10)), 1),
    }
    if _wants_pressure(case):
        fields["pressure"] = schema.obj(**dict.fromkeys(PressureForm.model_fields, schema.number(0, 1)))
    return Form(name="live_pair", model=PairForm, schema=schema.obj(**fields), lenient=True)


def fill(case: Case[Live], _prompts: Prompts) -> Mapping[str, str]:
    """Which turns are compared, whose they are, and whether pressure is asked for."""
    earlier, later = case.judged
    return {
        "turn": str(later.index),
        "speaker": literal(later.speaker),
        "earlier_turn": str(earlier.index),
        "earlier_speaker": literal(earlier.speaker),
        "pressure": PRESSURE if _wants_pressure(case) else "",
    }


def read(filled: PairForm, case: Case[Live]) -> Reading:
    """The comparison, and what the later turn exposed; pressure goes to who lost more dimensions than won."""
    tally = Tally()
    earlier, later = case.judged
    names = (earlier.speaker, later.speaker)
    won = {dimension: _winner(getattr(filled, dimension), dimension, names, tally) for dimension in MAXIMA}
    tally.find(Comparison(logic=won["logic"], rhetoric=won["rhetoric"], tactics=won["tactics"]))
    read_suspects(filled.suspect_claims, turns_until(later, case), tally)
    for gap in filled.logic_gap[:1]:
        tally.find(LogicGap(turn=earlier.index, points=min(10, max(1, gap.points)), reason=gap.reason))
    loser = _loser(tuple(won.values()), names)
    if filled.pressure is not None and loser is not None and _wants_pressure(case):
        tally.find(_pressure(loser, filled.pressure))
    return tally.reading(filled.reasoning)


def _pressure(loser: str, felt: PressureForm) -> Pressure:
    return Pressure(
        participant=loser,
        cognitive=_unit(felt.cognitive),
        emotional=_unit(felt.emotional),
        strategic=_unit(felt.strategic),
        credibility=_unit(felt.credibility),
    )


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


def _winner(name: str, dimension: str, names: tuple[str, str], tally: Tally) -> str:
    if name in names or name == DRAW:
        return name
    tally.warn(f"unknown: {name!r} did not take part in the exchange, {dimension} counts as a draw")
    return DRAW


def _loser(won: tuple[str, ...], names: tuple[str, str]) -> str | None:
    """Who won fewer dimensions of the exchange; None where that is neither."""
    first, second = (won.count(name) for name in names)
    if first == second:
        return None
    return names[1] if first > second else names[0]


def _wants_pressure(case: Case[Live]) -> bool:
    return case.settings.feedback and case.brief.run == FIRST_RUN


ROW = Row(purpose="judge.live.pair", prompt="judge_live_pair", fill=fill, form=form, read=read)
