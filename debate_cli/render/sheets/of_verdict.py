"""The sheets of a verdict, whichever system gave it."""

from __future__ import annotations

from debate_cli.domain.verdict import Verdict
from debate_cli.render.look import scale
from debate_cli.render.sheets.sheet import Gauge, Number, Sheet, Who, filled


def sheets_of(verdict: Verdict) -> list[Sheet]:
    """The tables of one verdict, without empty columns; the bare scores where its notes cannot be read, none where nothing was scored.

    A system's module is loaded when one of its verdicts is shown: few debates have verdicts of all.
    """
    if not verdict.figures:
        return []
    match verdict.system:
        case "structured":
            from debate_cli.render.sheets import structured as system
        case "moderator":
            from debate_cli.render.sheets import moderator as system
        case "live":
            from debate_cli.render.sheets import live as system
        case "panel":
            from debate_cli.render.sheets import panel as system
        case "persuasion":
            from debate_cli.render.sheets import persuasion as system
    return [filled(sheet) for sheet in system.sheets(verdict)] or [scores_sheet(verdict)]


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
