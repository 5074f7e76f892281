"""The sheets of a verdict, whichever system gave it."""

from __future__ import annotations

from debate_cli.domain.verdict import Verdict
from debate_cli.render.theme import score_axis_max
from debate_cli.systems.tables import Gauge, Number, Table, Who, drop_empty_columns


def build_verdict_tables(verdict: Verdict) -> list[Table]:
    """The tables of one verdict, without empty columns; the bare scores where its notes cannot be read, none where nothing was scored.

    A system's module is loaded when one of its verdicts is shown: few debates have verdicts of all.
    """
    if not verdict.displayed_scores:
        return []
    match verdict.system:
        case "structured":
            from debate_cli.systems.structured import tables as system
        case "moderator":
            from debate_cli.systems.moderator import tables as system
        case "live":
            from debate_cli.systems.live import tables as system
        case "panel":
            from debate_cli.systems.panel import tables as system
        case "persuasion":
            from debate_cli.systems.persuasion import tables as system
    return [drop_empty_columns(sheet) for sheet in system.tables(verdict)] or [build_score_table(verdict)]


def build_score_table(verdict: Verdict) -> Table:
    """Nothing but the scores, or the shares of a panel's options, the highest first."""
    ranked = sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
    end = score_axis_max(verdict)
    return Table(
        title=f"scores, {verdict.system}",
        heads=("option" if verdict.option_shares else "debater", "score", ""),
        rows=tuple((Who(name), Number(score, strong=True), Gauge(score, end, name)) for name, score in ranked),
        numeric=frozenset({1}),
    )
