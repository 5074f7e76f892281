"""What a verdict rests on, as tables without a look: one module a judging system, `sheets_of` for any of them."""

from __future__ import annotations

from debate_cli.domain.verdict import Verdict
from debate_cli.render.look import scale
from debate_cli.render.sheets import live, moderator, panel, persuasion, structured
from debate_cli.render.sheets.sheet import Gauge, Number, Sheet, Who


def sheets_of(verdict: Verdict) -> list[Sheet]:
    """The tables of one verdict; the bare scores where its notes cannot be read, none where nothing was scored."""
    if not verdict.figures:
        return []
    match verdict.system:
        case "structured":
            found = structured.sheets(verdict)
        case "moderator":
            found = moderator.sheets(verdict)
        case "live":
            found = live.sheets(verdict)
        case "panel":
            found = panel.sheets(verdict)
        case "persuasion":
            found = persuasion.sheets(verdict)
    return found or [scores_sheet(verdict)]


def scores_sheet(verdict: Verdict) -> Sheet:
    """Nothing but the scores, or the shares of a panel's options, the highest first."""
    ranked = sorted(verdict.figures.items(), key=lambda item: -item[1])
    end = scale(verdict)
    return Sheet(
        title=f"scores, {verdict.system}",
        heads=("option" if verdict.shares else "debater", "score", ""),
        rows=tuple((Who(name), Number(score, strong=True), Gauge(score, end, name)) for name, score in ranked),
        numeric=frozenset({1}),
    )
