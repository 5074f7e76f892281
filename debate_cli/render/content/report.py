"""The content of a report besides the speeches, as data: verdicts, briefing, and the tables in order."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from debate_cli.domain.debate import Debate, restrict_to_runs
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.content import participants
from debate_cli.render.content.agreement import (
    build_agreement_table,
    build_review_table,
    label_verdict,
    sort_deciding_first,
)
from debate_cli.render.content.participants import ParticipantRow
from debate_cli.render.content.summary import (
    VerdictSummary,
    build_changes_table,
    describe_answer,
    explain_scores,
    find_required_changes,
    omitted_verdicts_notes,
    quote_judge,
    reportable_verdicts,
    summarize_verdicts,
    usage_rows,
)
from debate_cli.systems import debate_tables
from debate_cli.systems.base import JudgeQuote, ReportSection, RequiredChange
from debate_cli.systems.briefing import Briefing, build_briefing
from debate_cli.systems.registry import get_system, systems_of_debate
from debate_cli.systems.tables import Table, drop_empty_columns
from debate_cli.systems.trace import TraceRow, build_trace_table

ReportPart = Literal[
    "turns", "scores", "trace", "verdict", "briefing", "cast", "map", "sources", "judges", "changes", "usage"
]
SCREEN_PARTS: tuple[ReportPart, ...] = ("scores", "trace", "verdict", "briefing", "changes", "usage")
"""The order on a terminal and in plain lines: the conclusion is last, where the reader is."""
DOCUMENT_PARTS: tuple[ReportPart, ...] = (
    "verdict", "briefing", "cast", "scores", "map", "trace", "turns", "sources", "judges", "changes", "usage",
)  # fmt: skip
"""The order of a document: the conclusion is first. Markdown has no `map`, `sources` and `judges`."""


@dataclass(frozen=True, slots=True)
class VerdictReport:
    """One verdict with its reasons and tables. Untrusted."""

    verdict: Verdict
    label: str
    """System, and judging run if several verdicts have the same system."""
    answer: str
    """Who won and by how much, in a sentence."""
    reason: str
    """One or two sentences made of numbers; empty if the verdict is undetermined."""
    quote: JudgeQuote | None
    """A judge's words; None if there are none, or if the briefing shown with them starts with the same words."""
    required_changes: tuple[RequiredChange, ...]
    missing: tuple[str, ...]
    """What was not assessed, in sentences."""
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class DebateReport:
    """Verdicts, the deciding one first, with their tables and sections."""

    only: ReportPart | None
    """The part that is shown alone; None for all."""
    summary: VerdictSummary
    verdicts: tuple[VerdictReport, ...]
    """The verdicts, the deciding one first. If the debate stopped early, only those with scores."""
    omitted: tuple[str, ...]
    """Sentences on verdicts that are left out."""
    agreement: Table | None
    """Comparison of the verdicts; None if there are fewer than two."""
    briefing: Briefing | None
    facts: tuple[str, ...]
    """Date, debaters and judges with their models, and id."""
    cast: tuple[ParticipantRow, ...]
    scores: tuple[Table, ...]
    """Tables of the verdicts, of reviews by people, of the systems' sections, of checked quotes and of findings."""
    sections: tuple[ReportSection, ...]
    """The systems' sections about the debate. Their tables are also in `scores`."""
    trace: Table | None
    """The trace table; None if there are no arguments."""
    trace_rows: tuple[TraceRow, ...]
    changes: Table | None
    """The settings that were changed when the debate was resumed."""
    usage: tuple[tuple[str, str], ...]
    """(label, words) on calls, tokens and cost."""
    rehearsal: str
    """The notice that the debate ran on the mock; empty if it did not."""

    def select(self, order: Sequence[ReportPart]) -> tuple[ReportPart, ...]:
        """The parts of `order` that are shown."""
        return tuple(part for part in order if self.only in (None, part))


def build_debate_report(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: ReportPart | None = None,
    judged: Collection[str] | None = None,
) -> DebateReport:
    """Gather the report of a debate.

    `judged`: ids of the judging runs that were just added; only what they contribute is reported.
    """
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    ordered = sort_deciding_first(verdicts)
    reportable = reportable_verdicts(shown, ordered)
    briefing = build_briefing(shown)
    rows = build_trace_table(shown)
    traced = only == "trace" or (shown.status == "complete" and judged is None) or any(row.standing for row in rows)
    sections = tuple(section for system in systems_of_debate(shown) for section in system.sections(shown))
    return DebateReport(
        only=only,
        summary=summarize_verdicts(shown, ordered),
        verdicts=tuple(
            _report_verdict(shown, verdict, ordered, briefing if only is None else None) for verdict in reportable
        ),
        omitted=tuple(omitted_verdicts_notes(shown, ordered)),
        agreement=build_agreement_table(reportable),
        briefing=briefing,
        facts=tuple(participants.debate_facts(shown)),
        cast=(
            *participants.debater_rows(shown),
            *(row for run in shown.runs[:1] for row in participants.judge_rows(shown, run)),
        ),
        scores=tuple(_score_tables(shown, ordered, sections)),
        sections=sections,
        trace=debate_tables.format_trace_table(rows) if rows and traced else None,
        trace_rows=rows,
        changes=build_changes_table(debate),
        usage=usage_rows(debate, judged),
        rehearsal=participants.rehearsal_notice(debate),
    )


def _report_verdict(
    debate: Debate, verdict: Verdict, among: Sequence[Verdict], beside: Briefing | None
) -> VerdictReport:
    """The report on one verdict. `beside`: the briefing that is shown with it, whose words are not repeated."""
    return VerdictReport(
        verdict=verdict,
        label=label_verdict(verdict, among),
        answer=describe_answer(verdict, debate.document_name),
        reason=explain_scores(verdict) if verdict.victory != "undetermined" else "",
        quote=quote_judge(debate, verdict, beside),
        required_changes=find_required_changes(verdict),
        missing=theme.missing_sentences(verdict),
        tables=tuple(build_verdict_tables(verdict)),
    )


def _score_tables(debate: Debate, verdicts: Sequence[Verdict], sections: Sequence[ReportSection]) -> Iterator[Table]:
    for verdict in verdicts:
        yield from _titled_tables(verdict, verdicts)
    reviews = build_review_table(debate)
    if reviews is not None:
        yield reviews
    for section in sections:
        yield from section.tables
    yield from debate_tables.build_source_tables(debate)
    yield from debate_tables.build_findings_tables(debate)


def build_verdict_tables(verdict: Verdict) -> list[Table]:
    """The tables of one verdict without empty columns; none if nothing was scored."""
    if not verdict.displayed_scores:
        return []
    return [drop_empty_columns(table) for table in get_system(verdict.system).tables(verdict)]


def _titled_tables(verdict: Verdict, among: Sequence[Verdict]) -> list[Table]:
    """The tables of a verdict. Titles name the judging run if several verdicts have the same system."""
    tables = build_verdict_tables(verdict)
    name = label_verdict(verdict, among)
    if name == verdict.system:
        return tables
    return [table._replace(title=f"{table.title.removesuffix(f', {verdict.system}')}, {name}") for table in tables]
