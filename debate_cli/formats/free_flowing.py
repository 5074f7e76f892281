"""The free-flowing format: speeches in turn, the least heard first, until the last one or until nothing new is said."""

from __future__ import annotations

import re

from debate_cli.domain.config import FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.turn import Turn
from debate_cli.formats.stage import Stage

MIN_ROUNDS_TO_CONVERGE = 2
"""Full rounds before a debate can count as converged."""


def free_flowing_stages(config: FormatConfig) -> tuple[Stage, ...]:
    """One round of speeches after the other: so whoever was heard least is always next."""
    return tuple(Stage("speech") for _ in range(config.turns))


def has_converged(debate: Debate, rounds: int) -> bool:
    """Whether the last of the `rounds` full rounds so far brought no new claim and no new rebuttal from any side."""
    if rounds < MIN_ROUNDS_TO_CONVERGE:
        return False
    known = {point for turn in debate.turns if turn.round < rounds for point in _points_made(turn)}
    return known.issuperset(point for turn in debate.select_turns(round_number=rounds) for point in _points_made(turn))


def _points_made(turn: Turn) -> set[tuple[str, ...]]:
    """What a speech brings, without regard to case, punctuation and spacing; of an unstructured one, its whole text."""
    if turn.arguments is None and turn.responses is None:
        return {("text", _normalize_words(turn.text))}
    claims = {("claim", _normalize_words(argument.claim)) for argument in turn.arguments or ()}
    return claims | {("rebuttal", item.target, _normalize_words(item.reasoning)) for item in turn.responses or ()}


def _normalize_words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
