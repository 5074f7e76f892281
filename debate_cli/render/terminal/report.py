"""The end of a debate on a terminal: the closing screen, and the full tables."""

from collections.abc import Collection, Sequence

from rich.box import HEAVY, ROUNDED
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from debate_cli.domain.debate import Debate, restrict_to_runs
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.content.participants import rehearsal_notice
from debate_cli.render.content.report import SCREEN_PARTS, DebateReport, ReportPart, VerdictReport, build_debate_report
from debate_cli.render.content.summary import (
    MAX_CHANGES,
    MAX_CLAIM_LENGTH,
    MAX_CLAIMS,
    MAX_QUESTIONS,
    SummaryClaim,
    VerdictSummary,
    format_more_sources,
    group_changes,
    label_change,
    omitted_verdicts_notes,
    summarize_verdicts,
    usage_rows,
)
from debate_cli.render.terminal.drawing import (
    ParticipantStyles,
    badge_text,
    bullets,
    join_text,
    label_grid,
    participant_text,
    render_table,
    score_bars,
    section,
    terminal_line,
    terminal_text,
)
from debate_cli.render.theme import shorten
from debate_cli.systems import tables
from debate_cli.systems.base import RequiredChange
from debate_cli.systems.briefing import Briefing, BriefingClaim
from debate_cli.systems.source_support import SourceNote
from debate_cli.systems.tables import Lines, Table, TableRow
from debate_cli.systems.weakest import WeakestArgument

_ROWS_BELOW = 5
"""Rows below the closing screen: where it is saved, the next command, the shell's prompt."""
MAX_MISSING = 4
"""Maximum number of sentences on missing assessments on the closing screen."""


def closing_screen(
    debate: Debate, verdicts: Sequence[Verdict], judged: Collection[str] | None = None, *, max_claims: int = MAX_CLAIMS
) -> list[RenderableType]:
    """The answer and the facts for a decision, on one screen.

    `judged`: ids of the judging runs that were just added; only their results are shown. `max_claims`: maximum of
    claims per label.
    """
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    summary = summarize_verdicts(shown, verdicts)
    styles = theme.participant_styles(debate.participants)
    claims = [
        *_label_once(
            "rely on",
            _claim_rows(summary.rely_on, styles, max_claims),
            _source_rows(summary.sources.reliable, max_claims, theme.GREEN),
        ),
        *_label_once(
            "check first",
            _source_rows(summary.sources.doubtful, max_claims, theme.RED),
            _claim_rows(summary.check_first, styles, max_claims),
        ),
    ]
    rows: list[tuple[str, RenderableType]] = [
        *_change_rows(summary.required_changes),
        *claims,
        *([("", Text(""))] if claims else []),
        *_text_rows("open", [shorten(item, MAX_CLAIM_LENGTH) for item in summary.open_questions[:MAX_QUESTIONS]]),
        *_text_rows("advice", [shorten(summary.recommendation, MAX_CLAIM_LENGTH)] if summary.recommendation else []),
        *((sanitize.sanitize_line(other.label), terminal_line(other.sentence)) for other in summary.others),
        *_text_rows("judges", summary.disagreements),
        *_text_rows("not judged", omitted_verdicts_notes(shown, verdicts)),
        *((label or "cost", Text(words)) for label, words in usage_rows(debate, judged)),
        ("more", Text("`--details` and `debate replay` show every table", style=theme.MUTED)),
    ]
    return [Text(""), _answer_panel(summary, styles), label_grid(rows), *_rehearsal_lines(rehearsal_notice(debate))]


def fitting_screen(
    console: Console, debate: Debate, verdicts: Sequence[Verdict], judged: Collection[str] | None = None
) -> list[RenderableType]:
    """The closing screen with as many claims as fit into the window; with all claims if not even one fits."""
    screens = [closing_screen(debate, verdicts, judged, max_claims=count) for count in range(MAX_CLAIMS, 0, -1)]
    rows = console.height - _ROWS_BELOW
    fitting = (parts for parts in screens if len(console.render_lines(Group(*parts), pad=False)) <= rows)
    return next(fitting, screens[0])


def details(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: ReportPart | None = None,
    judged: Collection[str] | None = None,
) -> list[RenderableType]:
    """All parts of the report in full. `only`: the only part to show; `judged`: as for `closing_screen`."""
    report = build_debate_report(debate, verdicts, only=only, judged=judged)
    styles = theme.participant_styles(debate.participants)
    return [drawn for part in report.select(SCREEN_PARTS) for drawn in _draw_part(part, report, styles)]


def _draw_part(part: ReportPart, report: DebateReport, styles: ParticipantStyles) -> list[RenderableType]:
    match part:
        case "scores":
            return [render_table(table, styles) for table in report.scores]
        case "trace" if report.trace is not None:
            return [render_table(_stack_trace_columns(report.trace), styles)]
        case "verdict":
            return _verdict_part(report, styles)
        case "briefing" if report.briefing is not None:
            return [_briefing_view(report, report.briefing)]
        case "changes" if report.changes is not None:
            return [render_table(report.changes, styles)]
        case "usage":
            rows = label_grid([(label, Text(words)) for label, words in report.usage])
            return [section("usage", rows), *_rehearsal_lines(report.rehearsal)]
        case _:
            return []


def _rehearsal_lines(notice: str) -> list[RenderableType]:
    return [Text(notice, style=f"bold {theme.GOLD}")] if notice else []


def _answer_panel(summary: VerdictSummary, styles: ParticipantStyles) -> RenderableType:
    verdict = summary.verdict
    if verdict is None:
        return Panel(terminal_line(summary.answer, "bold"), border_style=theme.MUTED, padding=(0, 1))
    winner = styles.get(verdict.winner) if verdict.winner is not None else None
    body: list[RenderableType] = [
        join_text(
            (f"{winner.symbol} ", winner.colour) if winner else "",
            terminal_line(summary.answer, f"bold {winner.colour}" if winner else "bold"),
        )
    ]
    if verdict.displayed_scores:
        body.append(score_bars(verdict, styles))
    if summary.reason and verdict.victory != "undetermined":
        body.append(terminal_line(summary.reason, theme.MUTED))
    if summary.insight:
        body.append(terminal_line(f"“{shorten(summary.insight, MAX_CLAIM_LENGTH)}”", "italic"))
    elif summary.quote is not None:
        body.append(_quote_line(summary.quote.judge, shorten(summary.quote.words, MAX_CLAIM_LENGTH)))
    if summary.missing:
        body.append(_missing_view(summary.missing))
    return Panel(
        Group(*body),
        title=join_text(("verdict", "bold"), (f" · {sanitize.sanitize_line(summary.authority)}", theme.MUTED)),
        title_align="left",
        border_style=winner.colour if winner else theme.MUTED,
        box=HEAVY,
        padding=(0, 1),
    )


def _missing_view(sentences: Sequence[str]) -> RenderableType:
    more = [f"and {len(sentences) - MAX_MISSING} more"] if len(sentences) > MAX_MISSING else []
    return bullets([*sentences[:MAX_MISSING], *more], "!", theme.GOLD)


def _label_once(label: str, *groups: list[RenderableType]) -> list[tuple[str, RenderableType]]:
    return [("" if number else label, row) for number, row in enumerate(row for group in groups for row in group)]


def _claim_rows(claims: Sequence[SummaryClaim], styles: ParticipantStyles, max_claims: int) -> list[RenderableType]:
    """Rows for the first claims, and a row with the number of others."""
    rows: list[RenderableType] = []
    for claim in claims[:max_claims]:
        style = styles.get(claim.participant)
        badge = tables.STANDING_BADGES[claim.standing]
        score = "" if claim.score is None else f" {theme.format_number(claim.score)}"
        head = join_text(
            terminal_line(claim.id, f"bold {style.colour}" if style else "bold"),
            "  ",
            badge_text(badge),
            (f"{score}  ", theme.MUTED),
            terminal_line(shorten(claim.claim, MAX_CLAIM_LENGTH)),
        )
        rows.append(head)
    if len(claims) > max_claims:
        rows.append(Text(f"and {len(claims) - max_claims} more", style=theme.MUTED))
    return rows


def _source_rows(notes: Sequence[SourceNote], max_notes: int, colour: str) -> list[RenderableType]:
    """Rows for the first sources, and a row with the number of others."""
    rows: list[RenderableType] = [
        join_text(terminal_line(note.id, f"bold {colour}"), "  ", terminal_line(shorten(note.words, MAX_CLAIM_LENGTH)))
        for note in notes[:max_notes]
    ]
    if len(notes) > max_notes:
        rows.append(Text(f"and {format_more_sources(len(notes) - max_notes)}", style=theme.MUTED))
    return rows


def _change_rows(changes: Sequence[RequiredChange], limit: int = MAX_CHANGES) -> list[tuple[str, RenderableType]]:
    """Rows for the required changes with the most weight, by dimension, and a row with the number of others."""
    words: list[RenderableType] = []
    for dimension, group in group_changes(changes[:limit]):
        words.append(terminal_line(dimension, "bold"))
        for change in group:
            words += [terminal_line(f"• {change.text}"), terminal_line(f"  {label_change(change)}", theme.MUTED)]
    if len(changes) > limit:
        words.append(Text(f"and {len(changes) - limit} more", style=theme.MUTED))
    return [("must change", Group(*words)), ("", Text(""))] if words else []


def _text_rows(label: str, sentences: Sequence[str]) -> list[tuple[str, RenderableType]]:
    return [("" if number else label, terminal_line(sentence)) for number, sentence in enumerate(sentences)]


def _stack_trace_columns(trace: Table) -> Table:
    """The trace table with fewer columns: speaker and claim share one, and so do standing and reason."""
    rows: list[TableRow] = []
    for row in trace.rows:
        if row is not None:
            claim_id, speaker, claim, *between, standing, reason = row
            judged = Lines((standing, reason)) if reason else standing
            rows.append((Lines((claim_id, speaker, claim)), *between, judged))
    return trace._replace(heads=("claim", *trace.heads[3:-2], "standing"), rows=tuple(rows))


def _verdict_part(report: DebateReport, styles: ParticipantStyles) -> list[RenderableType]:
    """A panel per verdict, sentences on omitted verdicts, and the table that compares all verdicts."""
    weakest = report.summary.weakest
    panels: list[RenderableType] = []
    for number, item in enumerate(report.verdicts):
        changes = item.required_changes if report.only == "verdict" else ()
        rows = [*_change_rows(changes, len(changes)), *_reason_rows(item)]
        if number == 0 and weakest is not None:
            rows.append(("lowest" if weakest.all_upheld else "weakest", _weakest_view(weakest, styles)))
        panels.append(_verdict_panel(item, styles, rows, is_alone=len(report.verdicts) == 1))
    panels += [join_text(("! ", theme.GOLD), terminal_line(sentence, theme.MUTED)) for sentence in report.omitted]
    if report.agreement is not None:
        panels.append(render_table(report.agreement, styles))
    return [Text(""), *panels] if panels else []


def _reason_rows(item: VerdictReport) -> list[tuple[str, RenderableType]]:
    rows: list[tuple[str, RenderableType]] = []
    if item.reason:
        rows.append(("why", terminal_line(item.reason)))
    if item.quote is not None:
        rows.append(("" if rows else "why", _quote_line(item.quote.judge, item.quote.words)))
    return rows


def _quote_line(judge: str, words: str) -> Text:
    quote = terminal_line(f"“{words}”", "italic")
    return join_text(terminal_line(judge), ": ", quote) if judge else quote


def _verdict_panel(
    item: VerdictReport, styles: ParticipantStyles, rows: list[tuple[str, RenderableType]], *, is_alone: bool
) -> RenderableType:
    """One verdict in full. A verdict that decides, or is the only one, has a heavy frame."""
    verdict = item.verdict
    decides = verdict.decides or is_alone
    winner = styles.get(verdict.winner) if verdict.winner is not None else None
    colour = winner.colour if winner else theme.MUTED
    headline = join_text(
        (f"{winner.symbol} ", colour) if winner else "",
        terminal_line(item.answer, f"bold {winner.colour}" if winner else "bold"),
    )
    body: list[RenderableType] = [headline]
    if verdict.displayed_scores:
        body += [Text(""), score_bars(verdict, styles)]
    if rows:
        body += [Text(""), label_grid(rows)]
    if item.missing:
        body += [Text(""), _missing_view(item.missing)]
    title = "verdict" if is_alone else f"verdict, {sanitize.sanitize_line(item.label)}"
    return Panel(
        Group(*body),
        title=Text(f"{title}, decides" if verdict.decides and not is_alone else title, style="bold"),
        title_align="left",
        border_style=colour if decides else theme.MUTED,
        box=HEAVY if decides else ROUNDED,
        padding=(0, 1),
    )


def _weakest_view(weakest: WeakestArgument, styles: ParticipantStyles) -> RenderableType:
    row = weakest.row
    head = join_text(terminal_line(row.id, "bold"), " by ", participant_text(row.participant, styles))
    if row.standing is not None:
        head = join_text(head, ", ", badge_text(tables.STANDING_BADGES[row.standing]))
    if weakest.marked:
        head.append(f", {weakest.marked}")
    if weakest.all_upheld:
        head.append(", though every claim was upheld", style=theme.MUTED)
    reasons = [terminal_line(shorten(reason), theme.MUTED) for reason in weakest.because]
    return Group(head, terminal_line(shorten(row.claim)), *reasons)


def _briefing_view(report: DebateReport, briefing: Briefing) -> RenderableType:
    """The briefing with its outcome and source, so that it can be read alone."""
    body: list[RenderableType] = [
        *(terminal_line(item.answer, "bold") for item in report.verdicts[:1] if item.verdict.scores),
        terminal_line(" · ".join(report.facts), theme.MUTED),
        *([Text(""), terminal_text(briefing.key_insight, "bold")] if briefing.key_insight else []),
    ]
    for label, standing, claims in briefing.claim_groups:
        body += [Text(""), _claims_view(label.lower(), standing, claims)]
    if briefing.unresolved_questions:
        questions = bullets(briefing.unresolved_questions, "?", theme.BLUE)
        body += [Text(""), Text("open questions", style=theme.MUTED), questions]
    if briefing.recommendation:
        body += [Text(""), Text("recommendation", style=theme.MUTED), terminal_text(briefing.recommendation)]
    body += [Text(""), Text(sanitize.sanitize_text(briefing.caveat), style=f"italic {theme.MUTED}")]
    return section("briefing", *body)


def _claims_view(label: str, standing: str, claims: Sequence[BriefingClaim]) -> RenderableType:
    badge = tables.STANDING_BADGES[standing]
    items = [f"{claim.id}  {claim.claim}" for claim in claims]
    return Group(Text(label, style=theme.MUTED), bullets(items, badge.symbol, f"bold {theme.badge_sign(badge).colour}"))
