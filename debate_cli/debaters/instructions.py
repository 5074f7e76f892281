"""A debater's instructions besides the debate: its character, its hidden directive, the strategy of the turn.

The directive tells what pressure did to its personality, and, with the persuasion system, how firmly it stands.

All are pure functions of what the speaker may know, so a resumed debate gives the same instructions. The arithmetic of
personality and the choice of a strategy live in `domain.personality` and `systems`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from debate_cli.debaters.turn_context import TurnContext
from debate_cli.domain.config import DebaterConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.personality import PRESSURE_KINDS, TRAITS, Personality, PressureKind
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import StrategyPick
from debate_cli.llm.prompt_sanitizer import quote_for_prompt
from debate_cli.systems.aggregation import strip_float_noise
from debate_cli.systems.live.personality_drift import personality_curve
from debate_cli.systems.persuasion.stance import DebaterState
from debate_cli.systems.persuasion.state_machine import (
    StateChange,
    compute_state_curve,
    configured_persuasion,
    find_last_change,
    pick_adaptive_strategy,
)
from debate_cli.systems.tables import format_number

STRATEGY_INSTRUCTIONS = {
    "analytical": "take the arguments apart step by step, and rely on evidence and sound reasoning",
    "aggressive": "press the weakest premise of your opponents hard, and name each of their errors",
    "defensive": "protect your strongest arguments against what was said, and concede only what you cannot defend",
    "persuasive": "win over opponents who are not firm: build on what they accept, and show what speaks for your position",
    "balanced": "weigh the positions of all sides against each other, and show why yours answers most of them",
    "empathetic": "start from what your opponents rightly care about, and lead from there to your position",
}
PRESSURE_TARGETS = {
    "cognitive": "the logic of your arguments",
    "emotional": "your temper",
    "strategic": "your control of what the debate is about",
    "credibility": "the credibility of your evidence",
}
"""What each kind of pressure weakens."""
FIRMNESS = (
    (0.7, "firmly", "Concede only what you cannot defend."),
    (0.5, "with some reserve", "You may give up side points."),
    (0.3, "with doubts", "You may give up an argument and narrow your position."),
    (0.0, "hardly any more", "You may give up everything but the core of your position."),
)
"""Least conviction, how firmly a debater then holds its position, and what it may give up."""
HARD_PRESSURE, FIRM_PRESSURE = 0.66, 0.33
"""Minimum pressures that are called hard and firm."""


@dataclass(frozen=True, slots=True)
class TurnInstructions:
    """Instructions for one turn; stored on it."""

    directive: str | None = None
    strategy: StrategyPick | None = None
    passages: tuple[str, ...] = ()
    """Ids of the passages that the speaker may cite."""


@dataclass(frozen=True, slots=True)
class SpeakerInstructions:
    """All instructions for a speaker. They are written by us and hidden from readers."""

    directive: str | None = None
    """For this turn only."""
    strategies: Mapping[int, str] | None = None
    """Turn index -> the line that states the strategy, for each of the speaker's turns."""
    persistent: str = ""
    """Identical in every turn: the character and the user's own instructions."""


def build_turn_instructions(context: TurnContext, config: DebaterConfig) -> TurnInstructions:
    """The instructions for the turn of `context`."""
    strategy = config.strategy
    if strategy == "adaptive":
        pick = pick_adaptive_strategy(context.debate, context.cue)
    else:
        pick = None if strategy is None else StrategyPick(name=strategy, reason="As configured.")
    directive = _format_directive(_pressure_sentences(context), _state_sentences(context))
    return TurnInstructions(directive, pick, tuple(passage.id for passage in context.passages))


def build_speaker_instructions(
    config: DebaterConfig, debate: Debate, cue: Cue, instructions: TurnInstructions
) -> SpeakerInstructions:
    """The instructions for this turn, with the strategies of the speaker's earlier turns."""
    picks = {turn.index: turn.strategy for turn in debate.select_turns(speaker=cue.speaker) if turn.index < cue.index}
    picks[cue.index] = instructions.strategy
    persistent = (format_character(debate.participant(cue.speaker).personality), config.system or "")
    return SpeakerInstructions(
        directive=instructions.directive,
        strategies={
            index: f"Strategy for this turn: {pick.name}. That is: {STRATEGY_INSTRUCTIONS[pick.name]}."
            for index, pick in picks.items()
            if pick is not None and pick.name in STRATEGY_INSTRUCTIONS
        },
        persistent="\n\n".join(text for text in persistent if text),
    )


def _format_directive(*parts: str) -> str | None:
    """The hidden directive of a turn; None without any part."""
    return " ".join(filter(None, ("For this turn only. Never mention this.", *parts))) if any(parts) else None


def _pressure_sentences(context: TurnContext) -> str:
    """The pressure since the speaker's last turn, and every trait that differs from the start; empty without both."""
    curve = personality_curve(context.debate, context.cue.speaker)
    if not curve:
        return ""
    last = max((turn.index for turn in context.debate.select_turns(speaker=context.cue.speaker)), default=0)
    felt = [point.pressure for point in curve if point.pressure is not None and (point.turn or 0) >= last]
    pressures: dict[PressureKind, float] = {
        kind: max((float(getattr(item, kind)) for item in felt), default=0.0) for kind in PRESSURE_KINDS
    }
    return format_pressure(curve[0].personality, curve[-1].personality, pressures)


def _state_sentences(context: TurnContext) -> str:
    """The speaker's stance and conviction, by the debate's persuasion system with `embody`; empty without it."""
    settings = configured_persuasion(context.debate)
    if settings is None or not settings.embody:
        return ""
    curve = compute_state_curve(context.debate, settings, due_round=context.cue.round)
    speaker = context.cue.speaker
    return format_state(curve[-1].states[speaker], find_last_change(curve, speaker))


def format_state(state: DebaterState, change: StateChange | None) -> str:
    """How firmly a debater holds its position, who moved it last, and what it may give up."""
    conviction = strip_float_noise(state.conviction)
    firmness, concession = next(words for bound, *words in FIRMNESS if conviction >= bound)
    stance = (
        f"You hold your position {firmness}: conviction {format_number(conviction)} of 1, stance"
        f" {format_number(strip_float_noise(state.stance))} between -1 (against the motion) and 1 (for it)."
    )
    if change is None:
        moved = "No speech has moved you yet."
    else:
        before, after = (strip_float_noise(item.conviction) for item in (change.before, change.after))
        did = "persuaded you" if after < before else "made you more determined"
        moved = (
            f"{quote_for_prompt(change.effect.speaker)} moved you last, in round {change.effect.round}, and {did}:"
            f" conviction {format_number(before)} to {format_number(after)}."
        )
    return f"{stance} {moved} {concession} Let this show in how you argue."


def format_character(personality: Personality | None) -> str:
    """The persistent instruction for a personality; empty for none."""
    if personality is None:
        return ""
    traits = ", ".join(f"{_trait_label(trait)} {round(getattr(personality, trait), 1):g}" for trait in TRAITS)
    return f"Your character, each trait from 1 to 10: {traits}. Show it in how you argue. Never mention it."


def format_pressure(start: Personality, now: Personality, pressures: Mapping[PressureKind, float]) -> str:
    """The pressures (0-1) since the last turn, and the traits that differ from the start, the largest change first.

    Empty without both. Traits have one decimal; a smaller change is left out.
    """
    felt = [f"{_pressure_label(value)} on {PRESSURE_TARGETS[kind]}" for kind, value in pressures.items() if value > 0]
    values = {trait: (round(getattr(start, trait), 1), round(getattr(now, trait), 1)) for trait in TRAITS}
    moved = [
        f"{'more' if after > before else 'less'} {_trait_label(trait)} ({before:g} to {after:g})"
        for trait, (before, after) in sorted(values.items(), key=lambda item: -abs(item[1][1] - item[1][0]))
        if after != before
    ]
    sentences = (
        f"In the last exchange you were pressed {', '.join(felt)}." if felt else "",
        f"Argue with {', '.join(moved)}." if moved else "",
    )
    return " ".join(filter(None, sentences))


def _trait_label(trait: str) -> str:
    return trait.replace("_", " ")


def _pressure_label(pressure: float) -> str:
    if pressure >= HARD_PRESSURE:
        return "hard"
    return "firmly" if pressure >= FIRM_PRESSURE else "lightly"
