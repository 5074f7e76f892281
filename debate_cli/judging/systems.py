"""The judging systems as rows of one table: what a brief asks of a model, and how the answer is read."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.systems import System
from debate_cli.domain.tasks import Brief
from debate_cli.judging import structured
from debate_cli.judging.rows import Row

ROWS: dict[str, Row[Any, Any]] = {row.purpose: row for row in (structured.ROW,)}
"""By purpose."""


def row_for(brief: Brief) -> Row[Any, Any]:
    """The row that answers `brief`."""
    return ROWS[purpose_of(brief)]


def purpose_of(brief: Brief) -> str:
    """What a request for `brief` is for."""
    return "judge.structured"


def settings_for(brief: Brief, debate: Debate) -> System:
    """The settings of the brief's system in its judging run; KeyError if the run does not have it."""
    for system in debate.run(brief.run).judging.systems:
        if system.kind == brief.system:
            return system
    raise KeyError(brief.system)
