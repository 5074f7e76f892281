"""Builds the content of a report without the speeches: verdicts, briefing and tables."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from debate_cli.domain.debate import Debate, rehearsal_notice, restrict_to_runs
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
    caution_rows,
    change_rows,
    claim_row,
    condition_rows,
    explain_scores,
    find_conditions,
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
from debate_cli.systems.briefing import Briefing, build_briefing, describe_trial_judges
from debate_cli.systems.registry import get_system, systems_of_debate
from debate_cli.systems.scales import describe_answer
from debate_cli.systems.tables import Table, drop_empty_columns
from debate_cli.systems.trace import LowestScore, TraceRow, build_trace_table

ReportPart = Literal[
    "turns", "scores", "trace", "verdict", "briefing", "cast", "map", "sources", "judges", "changes", "usage"
]
SCREEN_PARTS: tuple[ReportPart, ...] = ("scores", "trace", "verdict", "briefing", "changes", "usage")
"""Order of the parts on a terminal and in plain lines. Verdict and briefing are near the end, where readers look first.
"""
DOCUMENT_PARTS: tuple[ReportPart, ...] = (
    "verdict", "briefing", "cast", "scores", "map", "trace", "turns", "sources", "judges", "changes", "usage",
)  # fmt: skip
"""Order of the parts in Markdown and HTML. Markdown has no `map`, `sources` and `judges`."""


class RowGroup(NamedTuple):
    """Labelled rows below a title. The text is not sanitized."""

    title: str
    rows: tuple[SummaryRow, ...]


@dataclass(frozen=True, slots=True)
class VerdictReport:
    """One verdict with its reasons and tables. The text is not sanitized."""

    verdict: Verdict
    label: str
    """Name of the judging system, followed by the judging run if several verdicts have this system."""
    title: str
    """`verdict` for the only verdict of the report. Otherwise `label` is added, e.g. `verdict, structured`, and for the
    deciding verdict also `decides`, e.g. `verdict, structured, decides`."""
    is_alone: bool
    """Whether this is the only verdict in the report of the debate."""
    answer: str
    """Who won and by how much, in a sentence."""
    quote: JudgeQuote | None
    """Quote from a judge who agrees with the verdict; None if there is no such quote."""
    missing: tuple[str, ...]
    """A sentence for each assessment that the verdict lacks."""
    tables: tuple[Table, ...]
    rows: tuple[SummaryRow, ...]
    """Rows on required changes, conditions, reason, quote and missing assessments.

    The rows of the first verdict also warn of very small judge models, and name the argument with the lowest score.
    """


Block = Table | RowGroup | VerdictReport


@dataclass(frozen=True, slots=True)
class DebateReport:
    """The report on a debate, without the speeches."""

    only: ReportPart | None
    """The part to report; None reports all parts."""
    summary: VerdictSummary
    verdicts: tuple[VerdictReport, ...]
    """The verdicts, the deciding one first. If the debate stopped early, verdicts without scores are left out."""
    omitted: tuple[str, ...]
    """A sentence that names the verdicts left out because they have no scores yet; empty if none was left out."""
    agreement: Table | None
    """Comparison of the verdicts; None for fewer than two verdicts."""
    briefing: Briefing | None
    cast: tuple[ParticipantRow, ...]
    sections: tuple[ReportSection, ...]
    """Charts and tables that judging systems add to the report."""
    trace_rows: tuple[TraceRow, ...]
    rehearsal: str
    """Notice that the mock gave all or some of the answers; empty if it gave none."""
    caution: str
    """Warning about judges' models that are too small for decisions; may be empty."""
    blocks_by_part: Mapping[ReportPart, Sequence[Block]]

    def blocks(self, order: Sequence[ReportPart]) -> Iterator[tuple[ReportPart, Sequence[Block]]]:
        """Yield each part of `order` with its blocks. If `only` is set, the other parts are skipped."""
        for part in order:
            if self.only in (None, part):
                yield part, self.blocks_by_part.get(part, ())


def build_debate_report(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: ReportPart | None = None,
    judged: Collection[str] | None = None,
    follows_reports: bool = False,
) -> DebateReport:
    """Build the report of a debate.

    `only`: the part to report; None means all parts. `judged`: ids of the judging runs to report; None means all runs.
    `follows_reports`: whether the judges' reports are shown before, so that tables that only repeat them are left out.
    """
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    ordered, briefing = sort_deciding_first(verdicts), build_briefing(shown)
    summary = summarize_verdicts(shown, ordered)
    reports = tuple(_report_verdicts(shown, ordered, summary, briefing if only is None else None))
    omitted = tuple(omitted_verdicts_notes(shown, ordered))
    agreement = build_agreement_table(reportable_verdicts(shown, ordered))
    rows = build_trace_table(shown)
    traced = only == "trace" or (shown.status == "complete" and judged is None) or any(row.standing for row in rows)
    sections = tuple(section for system in systems_of_debate(shown) for section in system.sections(shown))
    deciding = next((verdict for verdict in ordered if verdict.decides), None)
    cast = (*participants.debater_rows(shown), *participants.judge_rows(shown, *shown.runs, deciding=deciding))
    return DebateReport(
        only=only,
        summary=summary,
        verdicts=reports,
        omitted=omitted,
        agreement=agreement,
        briefing=briefing,
        cast=cast,
        sections=sections,
        trace_rows=rows,
        rehearsal=rehearsal_notice(debate),
        caution=describe_trial_judges(shown),
        blocks_by_part={
            "verdict": [*reports, *_omitted_groups(omitted), *filter(None, [agreement])],
            "briefing": [_briefing_group(shown, reports, agreement, briefing)] if briefing is not None else [],
            "cast": [_cast_table(cast)],
            "scores": [
                table
                for table in _score_tables(shown, ordered, sections, reports if only is None else ())
                if not (follows_reports and table.repeats_reports)
            ],
            "trace": [debate_tables.format_trace_table(rows)] if rows and traced else [],
            "changes": list(filter(None, [build_changes_table(debate)])),
            "usage": [RowGroup("usage", usage_rows(debate, judged))],
        },
    )


def _cast_table(cast: Sequence[participants.ParticipantRow]) -> Table:
    rows = tuple((f"{row.sign.symbol} {row.name}", row.part, row.model) for row in cast)
    return Table("participants", ("who", "part", "model"), rows)


def _omitted_groups(sentences: Sequence[str]) -> list[RowGroup]:
    return [RowGroup("verdict", tuple(SummaryRow("note", (sentence,)) for sentence in sentences))] if sentences else []


def _briefing_group(
    debate: Debate, verdicts: Sequence[VerdictReport], agreement: Table | None, briefing: Briefing
) -> RowGroup:
    outcome = [("outcome", item.answer) for item in verdicts[:1] if item.verdict.scores]
    judges = [("judges", remark) for remark in (agreement.remarks if agreement is not None else ())]
    first = [*outcome, *judges, ("debate", participants.describe_debate(debate)), ("key insight", briefing.key_insight)]
    rows = [*caution_rows(debate), *(SummaryRow(label, (words,)) for label, words in first if words)]
    rows += [claim_row(label, entry) for label, entries in briefing.claim_groups for entry in entries]
    rows += [SummaryRow("open question", (question,)) for question in briefing.unresolved_questions]
    last = (("recommendation", briefing.recommendation), ("note", briefing.caveat))
    return RowGroup("briefing", (*rows, *(SummaryRow(label, (words,)) for label, words in last if words)))


def _report_verdicts(
    debate: Debate, verdicts: Sequence[Verdict], summary: VerdictSummary, briefing: Briefing | None
) -> Iterator[VerdictReport]:
    reportable = reportable_verdicts(debate, verdicts)
    is_alone = len(reportable) == 1
    for number, verdict in enumerate(reportable):
        label = label_verdict(verdict, verdicts)
        reason = explain_scores(verdict) if verdict.victory != "undetermined" else ""
        quote = quote_judge(debate, verdict, briefing)
        yield VerdictReport(
            verdict=verdict,
            label=label,
            title="verdict" if is_alone else f"verdict, {label}{', decides' if verdict.decides else ''}",
            is_alone=is_alone,
            answer=describe_answer(verdict, debate.document_name),
            quote=quote,
            missing=theme.missing_sentences(verdict),
            tables=tuple(build_verdict_tables(verdict)),
            rows=(
                *(caution_rows(debate) if not number else ()),
                *change_rows(find_required_changes(verdict)),
                *condition_rows(find_conditions(verdict)),
                *([SummaryRow("why", (reason,))] if reason else []),
                *quote_rows(quote),
                *(_lowest_score_rows(summary.lowest_score) if summary.lowest_score is not None and not number else ()),
                *missing_rows(verdict),
            ),
        )


def _lowest_score_rows(lowest: LowestScore) -> Iterator[SummaryRow]:
    row = lowest.row
    rating = f"by {row.participant}, {lowest.standing_and_score}"
    yield SummaryRow("lowest score", (row.id, rating, row.claim), row.participant)
    yield from (SummaryRow("because", (reason,)) for reason in lowest.reasons)


def _score_tables(
    debate: Debate, verdicts: Sequence[Verdict], sections: Sequence[ReportSection], reports: Sequence[VerdictReport]
) -> Iterator[Table]:
    """Yield the tables of the part `scores`, without remarks that repeat the judges' quotes in `reports`."""
    quotes = {(item.verdict.system, item.verdict.run): item.quote.words for item in reports if item.quote is not None}
    for verdict in verdicts:
        label, quote = label_verdict(verdict, verdicts), quotes.get((verdict.system, verdict.run))
        for found in build_verdict_tables(verdict):
            remarks = (remark for remark in found.remarks if quote is None or not remark.endswith(f": {quote}"))
            table = found._replace(remarks=tuple(remarks))
            named = f"{label}: {table.title.removeprefix(f'{verdict.system}: ')}"
            yield table if label == verdict.system else table._replace(title=named)
    yield from filter(None, [build_review_table(debate)])
    for section in sections:
        yield from section.tables
    yield from debate_tables.build_source_tables(debate)
    yield from debate_tables.build_findings_tables(debate)


def build_verdict_tables(verdict: Verdict) -> list[Table]:
    """Return the tables of one verdict without empty columns; an empty list if the verdict has no scores."""
    if not verdict.displayed_scores:
        return []
    return [drop_empty_columns(table) for table in get_system(verdict.system).tables(verdict) if table.rows]
