"""The live judge's form for a turn; exchanges are in `live_pair`, the whole debate in `live_arc`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from debate_cli.domain.assessment import (
    CausalChain,
    Contradiction,
    DroppedPremise,
    Fault,
    SuspectClaim,
)
from debate_cli.domain.content import Turn
from debate_cli.domain.systems import Live
from debate_cli.judging import schema
from debate_cli.judging.quotes import turn_of
from debate_cli.judging.rows import About, Case, Reading, Row, Tally
from debate_cli.judging.transcript_view import literal
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.template import Prompts
from debate_cli.scoring.scorecard import MAXIMA, STANDING_MAXIMA

RHETORIC = {"framing": 8, "clarity": 7, "evidence_use": 8, "delivery": 7}
"""Component of rhetoric -> out of; 30 in all. Delivery does not count for more than framing."""
FAULTS: tuple[Fault, ...] = ("hollow", "fabricated", "inverted", "backwards")


class SuspectForm(FormModel):
    """A claim that does not hold."""

    quote: str
    fault: Fault


class ContradictionForm(FormModel):
    """What contradicts an own earlier turn."""

    earlier: int
    explanation: str


class DroppedForm(FormModel):
    """A premise that was let fall."""

    earlier: int
    premise: str


class TurnForm(FormModel):
    """One turn."""

    cause: str
    process: str
    consequence: str
    missing: tuple[str, ...] = ()
    contradictions: tuple[ContradictionForm, ...] = ()
    dropped_premises: tuple[DroppedForm, ...] = ()
    suspect_claims: tuple[SuspectForm, ...] = ()
    reasoning: str
    logic: int
    framing: int
    clarity: int
    evidence_use: int
    delivery: int
    tactics: int
    frame_control: int
    credibility: int


SUSPECT = schema.obj(quote=schema.text(120, least=4), fault=schema.one_of(FAULTS))


def form(case: Case[Live]) -> Form[TurnForm]:
    """Contradictions and dropped premises can be named only where the speaker has earlier turns."""
    own = tuple(turn.index for turn in _earlier_own(case))
    fields = {
        "cause": schema.text(100),
        "process": schema.text(100),
        "consequence": schema.text(100),
        "missing": schema.listed(schema.one_of(("cause", "process", "consequence")), 3),
    }
    if own:
        earlier = schema.one_of(own)
        fields["contradictions"] = schema.listed(schema.obj(earlier=earlier, explanation=schema.text(100)), 1)
        fields["dropped_premises"] = schema.listed(schema.obj(earlier=earlier, premise=schema.text(100)), 1)
    fields |= {
        "suspect_claims": schema.listed(SUSPECT, 2),
        "reasoning": schema.text(),
        "logic": schema.integer(0, int(MAXIMA["logic"])),
        **{name: schema.integer(0, out_of) for name, out_of in RHETORIC.items()},
        "tactics": schema.integer(0, int(MAXIMA["tactics"])),
        **{name: schema.integer(0, int(out_of)) for name, out_of in STANDING_MAXIMA.items()},
    }
    return Form(name="live_turn", model=TurnForm, schema=schema.obj(**fields), lenient=True)


def fill(case: Case[Live], _prompts: Prompts) -> Mapping[str, str]:
    """Which turn is judged, and whose it is."""
    (turn,) = case.judged
    return {"turn": str(turn.index), "speaker": literal(turn.speaker)}


def read(filled: TurnForm, case: Case[Live]) -> Reading:
    """The composite's three marks, the components of rhetoric, two marks aside, and the turn's findings."""
    tally = Tally()
    (turn,) = case.judged
    who = turn.speaker
    tally.mark(About(who, "logic"), filled.logic, 0, MAXIMA["logic"])
    tally.mark(About(who, "rhetoric"), _rhetoric(filled, who, tally), 0, MAXIMA["rhetoric"])
    tally.mark(About(who, "tactics"), filled.tactics, 0, MAXIMA["tactics"])
    for name, out_of in STANDING_MAXIMA.items():
        tally.mark(About(who, name), getattr(filled, name), 0, out_of)
    missing = tuple(part for part in ("cause", "process", "consequence") if part in filled.missing)
    tally.find(CausalChain(cause=filled.cause, process=filled.process, consequence=filled.consequence, missing=missing))
    _read_inconsistencies(filled, turn, case, tally)
    read_suspects(filled.suspect_claims, turns_until(turn, case), tally)
    return tally.reading(filled.reasoning)


def _rhetoric(filled: TurnForm, who: str, tally: Tally) -> float:
    """Sum of the four components, delivery capped by framing."""
    framing = tally.mark(About(who, "framing"), filled.framing, 0, RHETORIC["framing"])
    clarity = tally.mark(About(who, "clarity"), filled.clarity, 0, RHETORIC["clarity"])
    evidence = tally.mark(About(who, "evidence_use"), filled.evidence_use, 0, RHETORIC["evidence_use"])
    if filled.delivery > framing:
        tally.warn(f"capped: delivery {filled.delivery:g} counts as {framing:g}, no more than framing")
    delivery = tally.mark(About(who, "delivery"), min(filled.delivery, framing), 0, RHETORIC["delivery"])
    return framing + clarity + evidence + delivery


def _read_inconsistencies(filled: TurnForm, turn: Turn, case: Case[Live], tally: Tally) -> None:
    own = {earlier.index for earlier in _earlier_own(case)}
    for item in (*filled.contradictions, *filled.dropped_premises):
        if item.earlier not in own:
            tally.warn(f"dropped: turn {item.earlier} is no earlier turn of {turn.speaker}")
        elif isinstance(item, ContradictionForm):
            tally.find(
                Contradiction(
                    participant=turn.speaker, earlier=item.earlier, later=turn.index, explanation=item.explanation
                )
            )
        else:
            tally.find(
                DroppedPremise(participant=turn.speaker, earlier=item.earlier, later=turn.index, premise=item.premise)
            )


def read_suspects(claims: Iterable[SuspectForm], turns: tuple[Turn, ...], tally: Tally) -> None:
    """Put each suspect claim on the first of `turns` that says it; drop what nobody said."""
    for claim in claims:
        turn = turn_of(claim.quote, turns)
        if turn is None:
            tally.warn(f"dropped_quote: {claim.quote!r} is in none of the turns judged")
        else:
            tally.find(SuspectClaim(turn=turn.index, quote=claim.quote, fault=claim.fault))


def turns_until(turn: Turn, case: Case[Live]) -> tuple[Turn, ...]:
    """The turns up to `turn` in their order: who claims something comes before those who quote it."""
    return tuple(earlier for earlier in case.debate.turns if earlier.index <= turn.index)


def _earlier_own(case: Case[Live]) -> tuple[Turn, ...]:
    (turn,) = case.judged
    return tuple(earlier for earlier in case.debate.spoken(speaker=turn.speaker) if earlier.index < turn.index)


ROW = Row(purpose="judge.live.turn", prompt="judge_live_turn", fill=fill, form=form, read=read)
