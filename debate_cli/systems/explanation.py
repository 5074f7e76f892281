"""Sentences on a verdict: outcome, scores, and the part of the score with the largest difference.

Names of debaters are not sanitized.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.tables import format_number


@dataclass(frozen=True, slots=True)
class ScoreComponent:
    """A part of the scores, e.g. one criterion, with the share that each debater reached."""

    name: str
    weight: float
    """Weight of the part in the whole, 0-1."""
    whole: str
    """Name of the whole, e.g. `the score`."""
    shares: Mapping[str, float]
    """Debater -> share of the part's maximum, 0-1."""


def describe_outcome(verdict: Verdict, document: str | None = None) -> str:
    """Who won and how, in a sentence. `document`: name of the text that was judged."""
    match verdict.victory:
        case "draw":
            return "A draw: evenly matched."
        case "conditional":
            if verdict.is_tied:
                return "A tied vote: neither for nor against."
            claim = "the motion holds" if document is None else f"{document} passes"
            return f"Conditional: {claim} under stated conditions."
        case "undetermined":
            return "Undetermined: too little was assessed to say."
        case "narrow" | "clear" | "overwhelming":
            how = {"narrow": "narrowly", "clear": "clearly", "overwhelming": "overwhelmingly"}[verdict.victory]
            return (
                f"{verdict.winner} wins {how}."
                if verdict.winner is not None
                else _describe_vote(verdict, document, how)
            )


def _describe_vote(verdict: Verdict, document: str | None, how: str) -> str:
    match verdict.option:
        case "PASS":
            return f"{'The motion is upheld' if document is None else f'{document} passes'}, {how}."
        case "FAIL":
            return f"{'The motion is not upheld' if document is None else f'{document} does not pass'}, {how}."
        case _:
            return f"Decided {how}, but the vote itself is not recorded."


def describe_scores(verdict: Verdict, max_score: float, components: Sequence[ScoreComponent] = ()) -> str:
    """Sentences on the scores, best first, and on the component with the largest difference; empty if nobody has a score."""
    ranked = sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
    if not ranked:
        return ""
    first = " to ".join(f"{name} {format_number(score)}" for name, score in ranked[:2])
    rest = "".join(f", {name} {format_number(score)}" for name, score in ranked[2:])
    widest = _describe_widest_gap([name for name, _ in ranked[:2]], components)
    return " ".join(filter(None, [f"{first}{rest} of {max_score:g}.", widest]))


def _describe_widest_gap(ranked: Sequence[str], components: Sequence[ScoreComponent]) -> str:
    """A sentence on the component with the largest weighted difference between the two best debaters."""
    counted = [item for item in components if item.weight > 0 and len(ranked) > 1 and item.shares.keys() >= set(ranked)]
    gaps = [(item.shares[ranked[0]] - item.shares[ranked[1]], item) for item in counted]
    apart = [(gap, item) for gap, item in gaps if round(gap, 2) != 0]
    if not apart:
        return "They are level in every criterion that counts." if counted else ""
    gap, widest = max(apart, key=lambda found: abs(found[0]) * found[1].weight)
    ahead, behind = ranked if gap > 0 else ranked[::-1]
    part = f"{widest.name}, {widest.weight:.0%} of {widest.whole}"
    return (
        f"The largest difference is {part}: "
        f"{ahead} {widest.shares[ahead]:.0%}, {behind} {widest.shares[behind]:.0%} of the maximum."
    )
