"""What the bars of a verdict end at: the most that can be had, which is told beside them."""

from __future__ import annotations

import pytest
from render_support import shown

from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.summary import explain_scores
from debate_cli.render.terminal import score_bars
from debate_cli.systems.persuasion.score import final_score
from debate_cli.systems.persuasion.stance import DebaterState


def verdict(scores: dict[str, float], system: str = "persuasion") -> Verdict:
    """A verdict with these scores."""
    return Verdict(system=system, run="r1", winner="A", victory="narrow", margin=1, scores=scores)


@pytest.mark.parametrize("debaters", [2, 3, 5])
def test_nobody_can_have_more_than_the_end_of_persuasions_scale(debaters: int) -> None:
    """Full conviction and stance, no attack felt, and all others persuaded until they surrender: exactly the end."""
    best = DebaterState("A", 1.0, stance=1.0, conviction=1.0, attack=(0.0,))
    fallen = DebaterState("B", 1.0, stance=0.0, conviction=0.0, persuasion=(1.0,), surrendered=True)
    final = {"A": best} | {f"B{number}": fallen for number in range(1, debaters)}
    assert final_score("A", final) == theme.max_score(verdict(dict.fromkeys(final, 1.0)))


def test_the_sentence_beside_the_bars_names_their_end() -> None:
    """Persuasion's as those of the others."""
    told = explain_scores(verdict({"A": 32.0, "B": 31.0}))
    assert told == "A 32.0 to B 31.0 of 80, 1.0 apart. No debater surrendered."


def test_the_best_of_persuasion_is_not_drawn_as_all_that_can_be_had() -> None:
    """32 of 80 fill 12 of the 30 columns of the bar."""
    first = shown(score_bars(verdict({"A": 32.0, "B": 16.0}), {})).splitlines()[0]
    assert first.count("━") == 12


def test_a_score_beyond_the_scale_ends_the_bar() -> None:
    """Another version's rules may give more."""
    assert theme.score_axis_max(verdict({"A": 12.5, "B": 3.0}, "structured")) == 12.5
