"""Builds the content of a report without the speeches: verdicts, briefing and tables, in order.

A block is a table, a group of labelled rows, or a verdict. Terminal, plain text, Markdown and HTML draw the blocks.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

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
    SummaryRow,
    VerdictSummary,
    build_changes_table,
    change_rows,
    describe_answer,
    explain_scores,
    find_required_changes,
    missing_rows,
    omitted_verdicts_notes,
    quote_judge,
    quote_rows,
    reportable_verdicts,
    summarize_verdicts,
    usage_rows,
)
from debate_cli.systems import debate_tables
from debate_cli.systems.base import JudgeQuote, ReportSection
from debate_cli.systems.briefing import Briefing, build_briefing
from debate_cli.systems.registry import get_system, systems_of_debate
from debate_cli.systems.tables import Table, drop_empty_columns
from debate_cli.systems.trace import TraceRow, build_trace_table
from debate_cli.systems.weakest import WeakestArgument

ReportPart = Literal[
    "turns", "scores", "trace", "verdict", "briefing", "cast", "map", "sources", "judges", "changes", "usage"
]
SCREEN_PARTS: tuple[ReportPart, ...] = ("scores", "trace", "verdict", "briefing", "changes", "usage")
"""Order of the parts on a terminal and in plain lines. The conclusion is last, because readers see the end first."""
DOCUMENT_PARTS: tuple[ReportPart, ...] = (
    "verdict", "briefing", "cast", "scores", "map", "trace", "turns", "sources", "judges", "changes", "usage",
)  # fmt: skip
"""Order of the parts in a document. The conclusion is first. Markdown has no `map`, `sources` and `judges`."""


class RowGroup(NamedTuple):
    """Labelled rows below a title. All text is untrusted."""

    title: str
    rows: tuple[SummaryRow, ...]


@dataclass(frozen=True, slots=True)
class VerdictReport:
    """One verdict with its reasons and tables. All text is untrusted."""

    verdict: Verdict
    label: str
    """Judging system, and judging run if several verdicts have this system."""
    is_alone: bool
    """Whether the report has no other verdict."""
    answer: str
    """Who won and by how much, in a sentence."""
    reason: str
    """One or two sentences that explain the verdict with numbers; empty if it is undetermined."""
    quote: JudgeQuote | None
    """A judge's words; None if there are none, or if the briefing of the report starts with these words."""
    missing: tuple[str, ...]
    """A sentence for each assessment that the verdict lacks."""
    tables: tuple[Table, ...]
    rows: tuple[SummaryRow, ...]
    """Required changes, reason, quote, weakest argument (only for the first verdict), missing assessments."""

    @property
    def title(self) -> str:
        """`verdict`; if the report has several verdicts, e.g. `verdict, structured, decides`."""
        if self.is_alone:
            return "verdict"
        return f"verdict, {self.label}{', decides' if self.verdict.decides else ''}"


Block = Table | RowGroup | VerdictReport


@dataclass(frozen=True, slots=True)
class DebateReport:
    """Verdicts, the deciding one first, with their tables and sections."""

    only: ReportPart | None
    """The only part of the report; None for all parts."""
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
    """All tables with scores and findings: verdicts, reviews by people, sections, checked quotes, findings."""
    sections: tuple[ReportSection, ...]
    """Sections that judging systems add about the debate. `scores` contains their tables."""
    trace: Table | None
    """The table that traces each argument through the debate; None if there is nothing to trace yet."""
    trace_rows: tuple[TraceRow, ...]
    changes: Table | None
    """The settings that were changed when the debate was resumed."""
    usage: tuple[SummaryRow, ...]
    """Calls, tokens and cost."""
    rehearsal: str
    """The notice that the debate ran on the mock; empty if it did not."""

    def blocks(self, order: Sequence[ReportPart]) -> Iterator[tuple[ReportPart, list[Block]]]:
        """Yield each part in `order` that the report has, with its blocks."""
        for part in order:
            if self.only in (None, part):
                yield part, list(self._blocks_of(part))

    def _blocks_of(self, part: ReportPart) -> Iterator[Block]:
        match part:
            case "verdict":
                yield from self.verdicts
                if self.omitted:
                    yield RowGroup("verdict", tuple(SummaryRow("note", (sentence,)) for sentence in self.omitted))
                yield from filter(None, [self.agreement])
            case "briefing" if self.briefing is not None:
                yield RowGroup("briefing", tuple(self._briefing_rows(self.briefing)))
            case "cast":
                rows = tuple((f"{row.sign.symbol} {row.name}", row.part, row.model) for row in self.cast)
                yield Table("participants", ("who", "part", "model"), rows)
            case "scores":
                yield from self.scores
            case "trace":
                yield from filter(None, [self.trace])
            case "changes":
                yield from filter(None, [self.changes])
            case "usage":
                yield RowGroup("usage", self.usage)
            case _:
                return

    def _briefing_rows(self, briefing: Briefing) -> Iterator[SummaryRow]:
        """Yield the rows of the briefing. They start with outcome, date and models, so the briefing can be read alone."""
        for item in self.verdicts[:1]:
            if item.verdict.scores:
                yield SummaryRow("outcome", (item.answer,))
        yield SummaryRow("debate", (" · ".join(self.facts),))
        if briefing.key_insight:
            yield SummaryRow("key insight", (briefing.key_insight,))
        for label, _, claims in briefing.claim_groups:
            yield from (SummaryRow(label.lower(), (claim.id, claim.claim), claim.participant) for claim in claims)
        yield from (SummaryRow("open question", (question,)) for question in briefing.unresolved_questions)
        if briefing.recommendation:
            yield SummaryRow("recommendation", (briefing.recommendation,))
        yield SummaryRow("note", (briefing.caveat,))


def build_debate_report(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: ReportPart | None = None,
    judged: Collection[str] | None = None,
) -> DebateReport:
    """Build the report of a debate.

    `only`: the only part to report. `judged`: ids of the judging runs just added; only their content is reported.
    """
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    ordered = sort_deciding_first(verdicts)
    reportable = reportable_verdicts(shown, ordered)
    briefing = build_briefing(shown)
    summary = summarize_verdicts(shown, ordered)
    rows = build_trace_table(shown)
    traced = only == "trace" or (shown.status == "complete" and judged is None) or any(row.standing for row in rows)
    sections = tuple(section for system in systems_of_debate(shown) for section in system.sections(shown))
    return DebateReport(
        only=only,
        summary=summary,
        verdicts=tuple(
            _report_verdict(
                shown, verdict, ordered, briefing if only is None else None, None if number else summary.weakest
            )
            for number, verdict in enumerate(reportable)
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
    debate: Debate,
    verdict: Verdict,
    among: Sequence[Verdict],
    beside: Briefing | None,
    weakest: WeakestArgument | None,
) -> VerdictReport:
    """Report one verdict. `beside`: the briefing of the report; the verdict does not repeat its quote."""
    reason = explain_scores(verdict) if verdict.victory != "undetermined" else ""
    quote = quote_judge(debate, verdict, beside)
    return VerdictReport(
        verdict=verdict,
        label=label_verdict(verdict, among),
        is_alone=len(reportable_verdicts(debate, among)) == 1,
        answer=describe_answer(verdict, debate.document_name),
        reason=reason,
        quote=quote,
        missing=theme.missing_sentences(verdict),
        tables=tuple(build_verdict_tables(verdict)),
        rows=(
            *change_rows(find_required_changes(verdict)),
            *([SummaryRow("why", (reason,))] if reason else []),
            *quote_rows(quote),
            *(_weakest_rows(weakest) if weakest is not None else ()),
            *missing_rows(verdict),
        ),
    )


def _weakest_rows(weakest: WeakestArgument) -> Iterator[SummaryRow]:
    row = weakest.row
    rating = ", ".join(filter(None, [f"by {row.participant}", weakest.standing_and_score]))
    label = "lowest score" if row.standing == "UPHELD" else "weakest"
    yield SummaryRow(label, (row.id, rating, theme.shorten(row.claim)), row.participant)
    yield from (SummaryRow("because", (theme.shorten(reason),)) for reason in weakest.because)


def _score_tables(debate: Debate, verdicts: Sequence[Verdict], sections: Sequence[ReportSection]) -> Iterator[Table]:
    """Yield all tables with scores and findings. Titles name the judging run if several verdicts share a system."""
    for verdict in verdicts:
        label = label_verdict(verdict, verdicts)
        for table in build_verdict_tables(verdict):
            named = f"{table.title.removesuffix(f', {verdict.system}')}, {label}"
            yield table if label == verdict.system else table._replace(title=named)
    yield from filter(None, [build_review_table(debate)])
    for section in sections:
        yield from section.tables
    yield from debate_tables.build_source_tables(debate)
    yield from debate_tables.build_findings_tables(debate)


def build_verdict_tables(verdict: Verdict) -> list[Table]:
    """Return the tables of one verdict without empty columns; none if nothing was scored."""
    if not verdict.displayed_scores:
        return []
    return [drop_empty_columns(table) for table in get_system(verdict.system).tables(verdict)]
