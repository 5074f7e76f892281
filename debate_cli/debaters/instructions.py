"""A debater's instructions in addition to the task: character, hidden directive, strategy of the turn.

They depend only on facts that the speaker may know, so a resumed debate has the same instructions. The judging systems
write the directive and choose the strategy (`systems.base.JudgingSystem.instruct` and `pick_strategy`).
"""

from dataclasses import dataclass

from debate_cli.debaters.turn_context import TurnContext
from debate_cli.domain.config import DebaterConfig
from debate_cli.domain.personality import TRAITS, Personality
from debate_cli.domain.turn import StrategyPick
from debate_cli.systems.registry import debater_instructions, pick_adaptive_strategy

STRATEGY_INSTRUCTIONS = {
    "analytical": "take the arguments apart step by step, and rely on evidence and sound reasoning",
    "aggressive": "press the weakest premise of your opponents hard, and name each of their errors",
    "defensive": "protect your strongest arguments against what was said, and concede only what you cannot defend",
    "persuasive": "win over opponents who are not firm: build on what they accept, and show what speaks for your position",
    "balanced": "weigh the positions of all sides against each other, and show why yours answers most of them",
    "empathetic": "start from what your opponents rightly care about, and lead from there to your position",
}


@dataclass(frozen=True, slots=True)
class TurnInstructions:
    """Instructions for one turn. They are stored on the turn."""

    directive: str | None = None
    """Hidden instruction for this turn only."""
    strategy: StrategyPick | None = None
    passages: tuple[str, ...] = ()
    """Ids of the passages that the speaker may cite."""


def build_turn_instructions(context: TurnContext, config: DebaterConfig) -> TurnInstructions:
    """Return the instructions for the turn of `context`."""
    strategy = config.strategy
    if strategy == "adaptive":
        pick = pick_adaptive_strategy(context.debate, context.cue)
    else:
        pick = None if strategy is None else StrategyPick(name=strategy, reason="As configured.")
    parts = list(filter(None, debater_instructions(context.debate, context.cue)))
    directive = " ".join(["For this turn only. Never mention this.", *parts]) if parts else None
    return TurnInstructions(directive, pick, tuple(passage.id for passage in context.passages))


def format_strategy(pick: StrategyPick | None) -> str:
    """Return the line of a prompt that states the strategy; empty without a strategy, or if its name is unknown."""
    if pick is None or pick.name not in STRATEGY_INSTRUCTIONS:
        return ""
    return f"Strategy for this turn: {pick.name}. That is: {STRATEGY_INSTRUCTIONS[pick.name]}."


def format_character(personality: Personality | None) -> str:
    """Return the instruction to show a personality; empty without a personality."""
    if personality is None:
        return ""
    traits = ", ".join(f"{trait.replace('_', ' ')} {round(getattr(personality, trait), 1):g}" for trait in TRAITS)
    return f"Your character, each trait from 1 to 10: {traits}. Show it in how you argue. Never mention it."
