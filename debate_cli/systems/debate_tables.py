"""Tables about the debate itself, not about a verdict: claims, findings, citations."""

from collections.abc import Callable, Sequence

from debate_cli.domain.assessment import Contradiction, DroppedPremise, Finding, Manipulation, SourceRemark
from debate_cli.domain.debate import Debate
from debate_cli.evidence.source_checks import SourceCheck, SourceOutcome, check_sources
from debate_cli.systems.source_support import SUPPORT_BADGES
from debate_cli.systems.tables import (
    RESPONSE_BADGES,
    STANDING_BADGES,
    Badge,
    Cell,
    DebaterCell,
    JoinedCells,
    Lines,
    Table,
    TableRow,
    column_table,
    turn_number,
)
from debate_cli.systems.trace import TraceRow, TraceSource

SOURCE_BADGES: dict[SourceOutcome, Badge] = {
    "verified": Badge("✓", "verified", "good"),
    "near": Badge("≈", "near", "info"),
    "altered": Badge("✗", "altered", "bad"),
    "not_found": Badge("✗", "not found", "bad"),
    "no_such_source": Badge("✗", "no such source", "bad"),
    "unchecked": Badge("?", "not checked", "muted"),
}
_REMARKS: dict[SourceOutcome, str] = {
    "near": "near: the words differ only in details, e.g. articles, inflections or punctuation",
    "altered": "altered: the source says something else",
    "not_found": "not found: the source has no such words",
    "no_such_source": "no such source: the debate has no source with this name",
    "unchecked": "not checked: the source is a summary, so quotes cannot be compared with it",
}


def build_source_tables(debate: Debate) -> list[Table]:
    """Return a list with one table: all citations with their quote checks, altered quotes first.

    The list is empty if the debate has no citations.
    """
    checks = sorted(check_sources(debate), key=lambda check: check.outcome != "altered")

    def source(check: SourceCheck) -> str:
        passage = debate.passages_by_id.get(check.source)
        return check.source if passage is None else f"{check.source} {passage.title or passage.source}"

    columns: dict[str, Callable[[SourceCheck], Cell]] = {
        "turn": lambda check: turn_number(check.turn),
        "debater": lambda check: DebaterCell(debate.turns_by_index[check.turn].speaker),
        "for": lambda check: check.item,
        "source": source,
        "check": lambda check: SOURCE_BADGES[check.outcome],
        "quote": lambda check: f"“{check.quote}”",
        "difference": lambda check: check.difference,
    }
    remarks = [remark for outcome, remark in _REMARKS.items() if any(check.outcome == outcome for check in checks)]
    return [column_table("quotes checked against their sources", checks, columns, remarks)] if checks else []


def build_findings_tables(debate: Debate) -> list[Table]:
    """Return a list with one table of manipulations, contradictions, dropped premises and remarks on sources.

    Repeated findings are listed once. The list is empty if the debate has no such findings.
    """
    counted = {(run.id, system.kind) for run in debate.runs for system in run.active_systems()}
    found = [
        _finding_row(finding)
        for assessment in debate.assessments
        if (assessment.run, assessment.system) in counted
        for finding in assessment.findings
    ]
    rows = tuple(dict.fromkeys(row for row in found if row is not None))
    return [Table("findings", ("finding", "by", "turn", "words"), rows)] if rows else []


def _finding_row(finding: Finding) -> TableRow | None:
    match finding:
        case Manipulation():
            turn = str(finding.turn + 1) if finding.turn is not None else None
            by = DebaterCell(finding.participant) if finding.participant is not None else "the text"
            return Badge("!", "manipulation", "bad"), by, turn, f"{finding.label}: “{finding.quote}”"
        case Contradiction():
            turns = f"{finding.earlier + 1} and {finding.later + 1}"
            return Badge("✗", "contradiction", "bad"), DebaterCell(finding.participant), turns, finding.explanation
        case DroppedPremise():
            turns = f"{finding.earlier + 1} to {finding.later + 1}"
            return Badge("↓", "dropped premise", "mixed"), DebaterCell(finding.participant), turns, finding.premise
        case SourceRemark():
            turn, words = str(finding.turn + 1), f"{finding.source}: {finding.verdict}"
            return Badge("?", "source", "info"), DebaterCell(finding.participant), turn, words
        case _:
            return None


def format_trace_table(rows: Sequence[TraceRow]) -> Table:
    """Return a table of the claims, the answers to them, and their standings.

    The table has a column of sources if at least one claim has a source.
    """
    has_sources = any(row.sources for row in rows)
    heads = ("claim", "by", "what is claimed", *(["sources"] if has_sources else []), "answers", "standing", "because")
    return Table(title="trace", heads=heads, rows=tuple(_trace_row(row, has_sources=has_sources) for row in rows))


def _trace_row(row: TraceRow, *, has_sources: bool) -> TableRow:
    answers: list[Cell] = []
    for response in row.responses:
        answers.append(JoinedCells((DebaterCell(response.by), RESPONSE_BADGES[response.type]), " "))
        if response.follow_up:
            answers.append(f"asks: {response.follow_up}")
    answers += [
        JoinedCells((DebaterCell(reply.by), "leaves it open" if reply.evaded else "replies"), " ")
        for reply in row.replies
    ]
    standing = STANDING_BADGES[row.standing] if row.standing is not None else "not judged"
    return (
        row.id,
        DebaterCell(row.participant),
        row.claim,
        *([Lines(tuple(map(_format_source, row.sources)))] if has_sources else []),
        Lines(tuple(answers)) if answers else "unanswered",
        standing,
        row.reason,
    )


def _format_source(source: TraceSource) -> str:
    badge = SOURCE_BADGES[source.outcome]
    support = f", {SUPPORT_BADGES[source.supports].word}" if source.supports is not None else ""
    return f"{badge.symbol} {source.source} {badge.word}{support}"
