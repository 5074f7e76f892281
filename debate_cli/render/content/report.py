"""The content of a report besides the speeches, as data: verdicts, briefing, and the tables in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.content.agreement import (
    build_agreement_table,
    build_review_table,
    label_verdict,
    sort_deciding_first,
)
from debate_cli.systems import debate_tables
from debate_cli.systems.base import ReportSection
from debate_cli.systems.briefing import Briefing, build_briefing
from debate_cli.systems.registry import get_system, systems_of_debate
from debate_cli.systems.tables import Table, drop_empty_columns
from debate_cli.systems.trace import TraceRow, build_trace_table

ReportPart = Literal["turns", "scores", "trace", "verdict", "briefing"]
"""A part of a debate that can be shown alone."""


@dataclass(frozen=True, slots=True)
class DebateReport:
    """Verdicts, the deciding one first, and the data behind them."""

    verdicts: tuple[Verdict, ...]
    agreement: Table | None
    """Several verdicts side by side; None for fewer than two."""
    briefing: Briefing | None
    scores: tuple[Table, ...]
    """Tables of the verdicts, of reviews by people, of the systems' sections, of checked quotes and of findings."""
    trace: Table | None
    """None without arguments."""
    trace_rows: tuple[TraceRow, ...] = ()
    sections: tuple[ReportSection, ...] = ()
    """The systems' sections about the debate; their tables are among the scores."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """Scores and trace."""
        return (*self.scores, self.trace) if self.trace is not None else self.scores

    @staticmethod
    def missing(verdict: Verdict) -> list[str]:
        """Sentences on what was not assessed."""
        return list(theme.missing_sentences(verdict))


def build_debate_report(debate: Debate, verdicts: Sequence[Verdict]) -> DebateReport:
    """Gather the report of a debate."""
    ordered = sort_deciding_first(verdicts)
    rows = build_trace_table(debate)
    reviews = build_review_table(debate)
    sections = tuple(section for system in systems_of_debate(debate) for section in system.sections(debate))
    return DebateReport(
        verdicts=ordered,
        agreement=build_agreement_table(ordered),
        briefing=build_briefing(debate),
        scores=(
            *(table for verdict in ordered for table in _titled_tables(verdict, ordered)),
            *((reviews,) if reviews is not None else ()),
            *(table for section in sections for table in section.tables),
            *debate_tables.build_source_tables(debate),
            *debate_tables.build_findings_tables(debate),
        ),
        trace=debate_tables.format_trace_table(rows) if rows else None,
        trace_rows=rows,
        sections=sections,
    )


def build_verdict_tables(verdict: Verdict) -> list[Table]:
    """The tables of one verdict without empty columns; none if nothing was scored."""
    if not verdict.displayed_scores:
        return []
    return [drop_empty_columns(table) for table in get_system(verdict.system).tables(verdict)]


def _titled_tables(verdict: Verdict, among: Sequence[Verdict]) -> list[Table]:
    """The tables of a verdict; their titles name the judging run if several verdicts have the same system."""
    tables = build_verdict_tables(verdict)
    name = label_verdict(verdict, among)
    if name == verdict.system:
        return tables
    return [table._replace(title=f"{table.title.removesuffix(f', {verdict.system}')}, {name}") for table in tables]
