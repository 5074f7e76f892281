"""The sheet that lays several verdicts side by side."""

from __future__ import annotations

from collections.abc import Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.called import label_verdict
from debate_cli.render.spread import describe_repeat_stats
from debate_cli.systems.agreement import compare_verdicts
from debate_cli.systems.tables import Cell, Lines, Number, Table, Who


def build_agreement_table(verdicts: Sequence[Verdict]) -> Table | None:
    """Winner, victory, margin and scores per system; how far runs lie apart, and where the verdicts differ.

    None for fewer than two verdicts.
    """
    compared = compare_verdicts(verdicts)
    if compared is None:
        return None
    return Table(
        title="agreement",
        heads=("system", "winner", "victory", "margin", "scores"),
        rows=tuple(
            (
                f"{label_verdict(verdict, verdicts)}{', decides' if verdict.decides else ''}",
                _winner_cell(verdict),
                verdict.victory,
                Number(verdict.margin),
                Lines(
                    tuple(f"{name} {theme.format_number(score)}" for name, score in verdict.displayed_scores.items())
                ),
            )
            for verdict in verdicts
        ),
        remarks=(
            *describe_repeat_stats(verdicts),
            *(compared.differences or (("They agree.",) if compared.agree else ())),
        ),
        numeric=frozenset({3}),
    )


def _winner_cell(verdict: Verdict) -> Cell:
    """Who won; a panel's vote, or that it is a draw, where nobody did."""
    if verdict.option is not None:
        return theme.VOTE_BADGES[verdict.option]
    return "draw" if verdict.victory == "draw" else Who(verdict.winner)
