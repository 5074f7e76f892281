"""The tables of one verdict."""

from __future__ import annotations

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.registry import get_system
from debate_cli.systems.tables import Table, drop_empty_columns


def build_verdict_tables(verdict: Verdict) -> list[Table]:
    """The tables of one verdict without empty columns; none if nothing was scored."""
    if not verdict.displayed_scores:
        return []
    return [drop_empty_columns(table) for table in get_system(verdict.system).tables(verdict)]
