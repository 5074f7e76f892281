"""The sheet that lays several verdicts side by side."""

from __future__ import annotations

from collections.abc import Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.render import look
from debate_cli.render.called import called
from debate_cli.render.sheets.sheet import Cell, Lines, Number, Sheet, Who
from debate_cli.render.spread import spreads
from debate_cli.scoring.agreement import compare_verdicts


def agreement_sheet(verdicts: Sequence[Verdict]) -> Sheet | None:
    """Winner, victory, margin and scores per system; how far runs lie apart, and where the verdicts differ.

    None for fewer than two verdicts.
    """
    compared = compare_verdicts(verdicts)
    if compared is None:
        return None
    return Sheet(
        title="agreement",
        heads=("system", "winner", "victory", "margin", "scores"),
        rows=tuple(
            (
                f"{called(verdict, verdicts)}{', decides' if verdict.decides else ''}",
                _winner(verdict),
                verdict.victory,
                Number(verdict.margin),
                Lines(tuple(f"{name} {look.number(score)}" for name, score in verdict.figures.items())),
            )
            for verdict in verdicts
        ),
        remarks=(*spreads(verdicts), *(compared.differences or (("They agree.",) if compared.agree else ()))),
        numeric=frozenset({3}),
    )


def _winner(verdict: Verdict) -> Cell:
    """Who won; a panel's vote, or that it is a draw, where nobody did."""
    if verdict.option is not None:
        return look.VOTES[verdict.option]
    return "draw" if verdict.victory == "draw" else Who(verdict.winner)
