"""What a debater is told beside the debate: its character, the directive that pressure made, the strategy of the turn.

All of it is a pure function of what the speaker may know, so a resumed debate gives the same hints.
"""

from __future__ import annotations

from dataclasses import dataclass

from debate_cli.debaters.conversation import SpeakerInstructions
from debate_cli.debaters.occasion import TurnContext
from debate_cli.debaters.personality import format_character, format_directive
from debate_cli.debaters.strategy import format_strategy_instruction
from debate_cli.domain.config import DebaterConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.personality import PRESSURE_KINDS, PressureKind
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import StrategyPick
from debate_cli.systems.live.personality_drift import personality_curve
from debate_cli.systems.persuasion.strategy_choice import pick_adaptive_strategy


@dataclass(frozen=True, slots=True)
class TurnInstructions:
    """What is particular to one turn; stored on it."""

    directive: str | None = None
    strategy: StrategyPick | None = None


def build_turn_instructions(occasion: TurnContext, config: DebaterConfig) -> TurnInstructions:
    """The hint for this occasion."""
    return TurnInstructions(_pressure_directive(occasion), _pick_strategy(occasion, config))


def build_speaker_instructions(
    config: DebaterConfig, debate: Debate, cue: Cue, hint: TurnInstructions
) -> SpeakerInstructions:
    """The hint of this turn and the strategies of the speaker's earlier turns, as a conversation tells them."""
    picks = {turn.index: turn.strategy for turn in debate.select_turns(speaker=cue.speaker) if turn.index < cue.index}
    picks[cue.index] = hint.strategy
    standing = (format_character(debate.participant(cue.speaker).personality), config.system or "")
    return SpeakerInstructions(
        directive=hint.directive,
        strategies={index: format_strategy_instruction(pick.name) for index, pick in picks.items() if pick is not None},
        persistent="\n\n".join(text for text in standing if text),
    )


def _pressure_directive(occasion: TurnContext) -> str | None:
    """Words on what pressed the speaker since its last turn; what came before is in the directives of then."""
    curve = personality_curve(occasion.debate, occasion.cue.speaker)
    last = max((turn.index for turn in occasion.debate.select_turns(speaker=occasion.cue.speaker)), default=0)
    new = [point for point in curve if point.turn is not None and point.turn >= last]
    if not new:
        return None
    old = [point for point in curve if point not in new]
    pressed = [point.pressure for point in new if point.pressure is not None]
    pressures: dict[PressureKind, float] = {
        kind: max(float(getattr(item, kind)) for item in pressed) for kind in PRESSURE_KINDS
    }
    return format_directive(old[-1].personality, new[-1].personality, pressures)


def _pick_strategy(occasion: TurnContext, config: DebaterConfig) -> StrategyPick | None:
    if config.strategy is None:
        return None
    if config.strategy == "adaptive":
        return pick_adaptive_strategy(occasion.debate, occasion.cue.speaker)
    return StrategyPick(name=config.strategy, reason="As configured.")
