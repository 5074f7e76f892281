"""A debater's character in words: the base in the standing instructions, the drift of a turn as a hidden directive.

The drift itself is arithmetic of `domain.personality`.
"""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.personality import TRAITS, Personality, PressureKind

PRESSURE_TARGETS = {
    "cognitive": "the logic of your arguments",
    "emotional": "your temper",
    "strategic": "your hold on what the debate is about",
    "credibility": "the credibility of your evidence",
}
"""What each kind of pressure bears on."""
HARD_PRESSURE, FIRM_PRESSURE = 0.66, 0.33
"""Pressures from which on they are called so."""


def format_character(personality: Personality | None) -> str:
    """Standing instructions for a personality; empty for none."""
    if personality is None:
        return ""
    traits = ", ".join(f"{_trait_label(trait)} {getattr(personality, trait):g}" for trait in TRAITS)
    return f"Your character, each trait from 1 to 10: {traits}. Let it show in how you argue; never speak of it."


def format_directive(before: Personality, after: Personality, pressures: Mapping[PressureKind, float]) -> str | None:
    """What to do differently after `pressures` (0-1) moved the traits, the largest move first.

    None where nothing pressed and nothing moved.
    """
    felt = [f"{_pressure_label(value)} on {PRESSURE_TARGETS[kind]}" for kind, value in pressures.items() if value > 0]
    steps = {trait: getattr(after, trait) - getattr(before, trait) for trait in TRAITS}
    moved = [
        f"{'more' if steps[trait] > 0 else 'less'} {_trait_label(trait)}"
        f" ({getattr(before, trait):g} to {getattr(after, trait):g})"
        for trait in sorted(TRAITS, key=lambda trait: -abs(steps[trait]))
        if steps[trait]
    ]
    if not felt and not moved:
        return None
    lines = ["For this turn only, and never to be mentioned:"]
    if felt:
        lines.append(f"In the last exchange you were pressed {', '.join(felt)}.")
    if moved:
        lines.append(f"So argue with {', '.join(moved)}.")
    return " ".join(lines)


def _trait_label(trait: str) -> str:
    return trait.replace("_", " ")


def _pressure_label(pressure: float) -> str:
    if pressure >= HARD_PRESSURE:
        return "hard"
    return "firmly" if pressure >= FIRM_PRESSURE else "lightly"
