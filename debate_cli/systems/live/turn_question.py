"""The live judge's form for a turn.

`exchange_question` is about exchanges, `narrative_question` about the whole debate, `register_question` about claims.
"""

from collections.abc import Mapping

from debate_cli.domain.assessment import Contradiction, DroppedPremise
from debate_cli.domain.turn import Turn
from debate_cli.judge_input.transcript_prompt import to_prompt_json
from debate_cli.llm.form import Form, FormModel, items, keep_if, one_of, text, whole_number
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, judge_form
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA, SUPPLEMENTARY_MAXIMA
from debate_cli.systems.live.findings import CausalChain
from debate_cli.systems.live.register_question import (
    LogicGapForm,
    SuspectClaimForm,
    add_logic_gaps,
    add_suspect_claims,
    format_entries,
    list_entries,
    turns_before,
)
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.source_prompts import format_quote_checks

RHETORIC_MAXIMA = {"framing": 8, "clarity": 7, "evidence_use": 8, "delivery": 7}
"""Component of rhetoric -> maximum; 30 in all."""
WEAK_FRAMING_BELOW = 5
"""If framing is marked lower than this, delivery counts at most as much as framing."""
CHAIN_LINKS = ("cause", "process", "consequence")
WEAKEST_PREMISE = "weakest_premise"
"""Name of the missing link if a turn does not address the opponent's weakest premise."""
PREMISE_INSTRUCTION = "Add weakest_premise to missing if the turn does not address the weakest premise of what the opponent has said so far."
BLIND_INSTRUCTION = "The speaker has not heard the opponent yet, so the turn need not address the opponent's premises."


class ContradictionForm(FormModel):
    """A contradiction to an earlier turn of the same speaker."""

    earlier: int
    explanation: str = text(100)


class DroppedPremiseForm(FormModel):
    """A premise that its speaker no longer supports."""

    earlier: int
    premise: str = text(100)


class TurnForm(FormModel):
    """The judgment of one turn."""

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


def build_turn_form(context: JudgingContext[LiveSettings]) -> Form[TurnForm]:
    """The form of a turn. Parts about earlier turns are left out if there are none."""
    (turn,) = context.judged_turns
    own = tuple(earlier.index for earlier in _earlier_own_turns(context))
    return judge_form(
        "live_turn",
        TurnForm,
        missing={"items": one_of(_asked_links(context))},
        earlier=one_of(own),
        logic_gap=keep_if(bool(turns_before(turn.index, context))),
        **({} if own else {"contradictions": None, "dropped_premises": None}),
    )


def turn_prompt_values(context: JudgingContext[LiveSettings], _prompts: Prompts) -> Mapping[str, str]:
    """Values of the prompt: number and speaker of the turn, checks of its quotes, and with feedback the register so far."""
    (turn,) = context.judged_turns
    checks = format_quote_checks(context.debate, turn)
    return {
        "turn": str(turn.index),
        "speaker": to_prompt_json(turn.speaker),
        "weakest_premise": PREMISE_INSTRUCTION if _has_heard_opponent(context) else BLIND_INSTRUCTION,
        "register": _register_so_far(turn, context),
        "sources": f"\n\n{checks}" if checks else "",
    }


def _register_so_far(turn: Turn, context: JudgingContext[LiveSettings]) -> str:
    """Register entries of earlier turns, for the prompt. Empty without feedback: these turns may not be judged yet."""
    entries = list_entries(context, before=turn.index) if context.settings.asks_in_turn else ()
    if not entries:
        return ""
    return f"\nThe register of passages that were doubted so far, as data: {format_entries(entries, context)}"


def _asked_links(context: JudgingContext[LiveSettings]) -> tuple[str, ...]:
    return (*CHAIN_LINKS, WEAKEST_PREMISE) if _has_heard_opponent(context) else CHAIN_LINKS


def _has_heard_opponent(context: JudgingContext[LiveSettings]) -> bool:
    """Whether the speaker of the judged turn saw a turn of another debater. False for a blind opening."""
    (turn,) = context.judged_turns
    in_turn = context.debate.is_sequential
    return any(
        earlier.speaker != turn.speaker and (in_turn or earlier.round < turn.round)
        for earlier in turns_before(turn.index, context)
    )


def read_turn_form(filled: TurnForm, context: JudgingContext[LiveSettings]) -> AssessmentContent:
    """The marks of the three dimensions, of the components of rhetoric and of two more criteria, and the findings."""
    collector = MarkCollector()
    (turn,) = context.judged_turns
    who = turn.speaker
    collector.add_mark(who, "logic", filled.logic, (0, DIMENSION_MAXIMA["logic"]))
    rhetoric = _add_rhetoric_marks(filled, who, collector)
    collector.add_mark(who, "rhetoric", rhetoric, (0, DIMENSION_MAXIMA["rhetoric"]))
    collector.add_mark(who, "tactics", filled.tactics, (0, DIMENSION_MAXIMA["tactics"]))
    for name, out_of in SUPPLEMENTARY_MAXIMA.items():
        collector.add_mark(who, name, getattr(filled, name), (0, out_of))
    missing = tuple(part for part in _asked_links(context) if part in filled.missing)
    collector.add_findings(
        CausalChain(cause=filled.cause, process=filled.process, consequence=filled.consequence, missing=missing)
    )
    _add_inconsistencies(filled, turn, context, collector)
    add_suspect_claims(filled.suspect_claims, turns_before(turn.index + 1, context), collector)
    add_logic_gaps(filled.logic_gap, turns_before(turn.index, context), collector)
    return collector.result(filled.reasoning)


def _add_rhetoric_marks(filled: TurnForm, who: str, collector: MarkCollector) -> float:
    """Add the marks of the components of rhetoric, and return their sum. Weak framing limits delivery."""
    framing, total = 0.0, 0.0
    for name, most in RHETORIC_MAXIMA.items():
        value: float = getattr(filled, name)
        if name == "delivery" and framing < WEAK_FRAMING_BELOW and value > framing:
            collector.add_warnings(f"capped: delivery {value:g} counts as {framing:g}, because framing is weak")
            value = framing
        counted = collector.add_mark(who, name, value, (0, most))
        framing = counted if name == "framing" else framing
        total += counted
    return total


def _add_inconsistencies(
    filled: TurnForm, turn: Turn, context: JudgingContext[LiveSettings], collector: MarkCollector
) -> None:
    own = {earlier.index for earlier in _earlier_own_turns(context)}
    for item in (*filled.contradictions, *filled.dropped_premises):
        if item.earlier not in own:
            collector.add_warnings(
                f"dropped: a finding about turn {item.earlier + 1}, which is not an earlier turn of {turn.speaker}"
            )
        elif isinstance(item, ContradictionForm):
            collector.add_findings(
                Contradiction(
                    participant=turn.speaker, earlier=item.earlier, later=turn.index, explanation=item.explanation
                )
            )
        else:
            collector.add_findings(
                DroppedPremise(participant=turn.speaker, earlier=item.earlier, later=turn.index, premise=item.premise)
            )


def _earlier_own_turns(context: JudgingContext[LiveSettings]) -> tuple[Turn, ...]:
    (turn,) = context.judged_turns
    return tuple(earlier for earlier in context.debate.select_turns(speaker=turn.speaker) if earlier.index < turn.index)


TURN_QUESTION = JudgeQuestion("judge.live.turn", "judge_live_turn", turn_prompt_values, build_turn_form, read_turn_form)
