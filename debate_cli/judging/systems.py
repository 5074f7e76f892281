"""The judging systems as rows of one table: what a brief asks of a model, and how the answer is read."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.systems import System
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.judging import live, live_arc, live_pair, moderator, panel, persuasion, structured
from debate_cli.judging.rows import Row

Key = tuple[str, str, bool]
"""System, what it judges (a moment, or `convergence`), and whether an earlier revision stands behind it."""

ROWS: dict[Key, Row[Any, Any]] = {
    ("structured", "debate", False): structured.ROW,
    ("moderator", "round", False): moderator.ROUND,
    ("moderator", "debate", False): moderator.FINAL,
    ("panel", "debate", False): panel.VOTE,
    ("panel", "debate", True): panel.DELIBERATION,
    ("live", "turn", False): live.ROW,
    ("live", "pair", False): live_pair.ROW,
    ("live", "debate", False): live_arc.NARRATIVE,
    ("live", "debate", True): live_arc.RESOLUTION,
    ("live", "convergence", False): live_arc.CONVERGENCE,
    ("persuasion", "turn", False): persuasion.ROW,
}


def row_for(brief: Brief) -> Row[Any, Any]:
    """The row that answers `brief`; KeyError for a brief that no schedule of ours makes."""
    return ROWS[brief.system, _aspect(brief.subject), brief.revision > 0]


def settings_for(brief: Brief, debate: Debate) -> System:
    """The settings of the brief's system in its judging run; KeyError if the run does not have it."""
    for system in debate.run(brief.run).judging.systems:
        if system.kind == brief.system:
            return system
    raise KeyError(brief.system)


def _aspect(subject: Subject) -> str:
    """A subject `debate` that names turns compares the first with the last ones."""
    return "convergence" if subject.moment == "debate" and subject.turns else subject.moment
