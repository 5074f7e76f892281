"""The four strategies as instructions. Which of them `adaptive` picks is decided in `scoring.strategy`."""

from __future__ import annotations

STRATEGY_INSTRUCTIONS = {
    "analytical": "take the arguments apart step by step, and rest on evidence and sound reasoning",
    "aggressive": "press the weakest premise of the others hard, and leave no error of theirs unnamed",
    "defensive": "secure your strongest arguments against what was said, and concede only what cannot be held",
    "empathetic": "start from what the others rightly care about, and lead from there to your position",
}


def format_strategy_instruction(name: str) -> str:
    """The line that tells a debater to follow the strategy `name`."""
    return f"Strategy for this turn: {name}. That is: {STRATEGY_INSTRUCTIONS[name]}."
