"""The end of a debate on a terminal: the closing screen, and the full tables behind it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.box import HEAVY, ROUNDED
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from debate_cli.domain.debate import Debate, restrict_to_runs
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.content.agreement import build_agreement_table, label_verdict
from debate_cli.render.content.participants import debate_facts, rehearsal_notice
from debate_cli.render.content.report import DebateReport, ReportPart, build_debate_report
from debate_cli.render.content.summary import (
    MAX_CHANGES,
    MAX_CLAIM_LENGTH,
    MAX_CLAIMS,
    MAX_QUESTIONS,
    SummaryClaim,
    VerdictSummary,
    build_changes_table,
    describe_answer,
    explain_scores,
    find_required_changes,
    format_more_sources,
    group_changes,
    is_trace_useful,
    label_change,
    omitted_verdicts_notes,
    quote_judge,
    reportable_verdicts,
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
from debate_cli.systems.weakest import WeakestArgument, find_weakest_argument

_ROWS_BELOW = 5
"""Rows that follow the closing screen: where it is saved, the next command, the shell's prompt."""
MAX_MISSING = 4
"""Sentences on what was not assessed that the closing screen shows."""


def closing_screen(
    debate: Debate,
    verdicts: Sequence[Verdict],
    judged: Collection[str] | None = None,
    *,
    max_claims: int = MAX_CLAIMS,
) -> list[RenderableType]:
    """The answer and what a decision needs to know, on one screen.

    `judged`: ids of the judging runs that were just added; only what they contribute is shown. `max_claims`: claims under
    each label.
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
    return [Text(""), _answer_panel(summary, styles), label_grid(rows), *_rehearsal_lines(debate)]


def fitting_screen(
    console: Console, debate: Debate, verdicts: Sequence[Verdict], judged: Collection[str] | None = None
) -> list[RenderableType]:
    """The closing screen with as many claims as fit into the window; all of them if none fit."""
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
    """Scores, trace, verdicts, agreement, briefing and usage in full; `only` picks one part.

    A debate that stopped early shows only what was judged. `judged` as for the closing screen.
    """
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    styles = theme.participant_styles(shown.participants)
    report = build_debate_report(shown, verdicts)
    traced = only == "trace" or is_trace_useful(shown, again=judged is not None)

    changed = build_changes_table(debate)
    parts: dict[str, list[RenderableType]] = {
        "scores": [render_table(table, styles) for table in report.scores],
        "trace": [render_table(_stack_trace_columns(report.trace), styles)] if traced and report.trace else [],
        "verdict": _verdict_part(
            shown, report, styles, report.briefing if only is None else None, with_changes=only == "verdict"
        ),
        "briefing": [_briefing_view(shown, report)] if report.briefing is not None else [],
        "changes": [render_table(changed, styles)] if changed is not None else [],
        "usage": [
            section("usage", label_grid([(label, Text(words)) for label, words in usage_rows(debate, judged)])),
            *_rehearsal_lines(debate),
        ],
    }
    return [part for name, found in parts.items() if only in (None, name) for part in found]


def _rehearsal_lines(debate: Debate) -> list[RenderableType]:
    notice = rehearsal_notice(debate)
    return [Text(notice, style=f"bold {theme.GOLD}")] if notice else []


def _answer_panel(summary: VerdictSummary, styles: ParticipantStyles) -> RenderableType:
    """The answer, the scores, and why."""
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
    """The rows of all groups, the first with a label."""
    return [("" if number else label, row) for number, row in enumerate(row for group in groups for row in group)]


def _claim_rows(claims: Sequence[SummaryClaim], styles: ParticipantStyles, max_claims: int) -> list[RenderableType]:
    """The first claims, and how many more there are."""
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
    """The first sources, and how many more there are."""
    rows: list[RenderableType] = [
        join_text(
            terminal_line(note.id, f"bold {colour}"),
            "  ",
            terminal_line(shorten(note.words, MAX_CLAIM_LENGTH)),
        )
        for note in notes[:max_notes]
    ]
    if len(notes) > max_notes:
        rows.append(Text(f"and {format_more_sources(len(notes) - max_notes)}", style=theme.MUTED))
    return rows


def _change_rows(changes: Sequence[RequiredChange], limit: int = MAX_CHANGES) -> list[tuple[str, RenderableType]]:
    """The heaviest required changes by dimension, and how many more there are."""
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
    """The trace table with fewer columns: speaker and claim in one, standing and reason in one."""
    rows: list[TableRow] = []
    for row in trace.rows:
        if row is not None:
            claim_id, speaker, claim, *between, standing, reason = row
            judged = Lines((standing, reason)) if reason else standing
            rows.append((Lines((claim_id, speaker, claim)), *between, judged))
    return trace._replace(heads=("claim", *trace.heads[3:-2], "standing"), rows=tuple(rows))


def _verdict_part(
    debate: Debate,
    report: DebateReport,
    styles: ParticipantStyles,
    beside: Briefing | None,
    *,
    with_changes: bool,
) -> list[RenderableType]:
    """A panel per verdict, and a table of all of them.

    `beside`: the briefing shown as well; its insight is not repeated. `with_changes`: what must change in a text is shown,
    because no table shows it.
    """
    shown = reportable_verdicts(debate, report.verdicts)
    head = next(iter(report.verdicts), None)
    weakest = find_weakest_argument(debate, report.verdicts)
    panels: list[RenderableType] = []
    for verdict in shown:
        label = label_verdict(verdict, report.verdicts) if len(report.verdicts) > 1 else None
        changes = find_required_changes(verdict) if with_changes else ()
        rows = [*_change_rows(changes, len(changes)), *_reason_rows(debate, verdict, beside)]
        if verdict is head and weakest is not None:
            rows.append(("lowest" if weakest.all_upheld else "weakest", _weakest_view(weakest, styles)))
        panels.append(_verdict_panel(verdict, styles, label, describe_answer(verdict, debate.document_name), rows))
    panels += [
        join_text(("! ", theme.GOLD), terminal_line(sentence, theme.MUTED))
        for sentence in omitted_verdicts_notes(debate, report.verdicts)
    ]
    agreement = build_agreement_table(shown)
    if agreement is not None:
        panels.append(render_table(agreement, styles))
    return [Text(""), *panels] if panels else []


def _reason_rows(debate: Debate, verdict: Verdict, beside: Briefing | None) -> list[tuple[str, RenderableType]]:
    """What the numbers say, and a judge's words."""
    rows: list[tuple[str, RenderableType]] = []
    reason = explain_scores(verdict) if verdict.victory != "undetermined" else ""
    if reason:
        rows.append(("why", terminal_line(reason)))
    quote = quote_judge(debate, verdict, beside)
    if quote is not None:
        rows.append(("" if rows else "why", _quote_line(quote.judge, quote.words)))
    return rows


def _quote_line(judge: str, words: str) -> Text:
    quote = terminal_line(f"“{words}”", "italic")
    return join_text(terminal_line(judge), ": ", quote) if judge else quote


def _verdict_panel(
    verdict: Verdict,
    styles: ParticipantStyles,
    label: str | None,
    answer: str,
    rows: list[tuple[str, RenderableType]],
) -> RenderableType:
    """One verdict in full. `label` names it among several; a heavy frame marks the one that decides, or is alone."""
    decides = verdict.decides or label is None
    winner = styles.get(verdict.winner) if verdict.winner is not None else None
    colour = winner.colour if winner else theme.MUTED
    headline = join_text(
        (f"{winner.symbol} ", colour) if winner else "",
        terminal_line(answer, f"bold {winner.colour}" if winner else "bold"),
    )
    body: list[RenderableType] = [headline]
    if verdict.displayed_scores:
        body += [Text(""), score_bars(verdict, styles)]
    if rows:
        body += [Text(""), label_grid(rows)]
    missing = theme.missing_sentences(verdict)
    if missing:
        body += [Text(""), _missing_view(missing)]
    title = "verdict" if label is None else f"verdict, {sanitize.sanitize_line(label)}"
    return Panel(
        Group(*body),
        title=Text(f"{title}, decides" if verdict.decides and label is not None else title, style="bold"),
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


def _briefing_view(debate: Debate, report: DebateReport) -> RenderableType:
    """The briefing with its outcome and its source, so that it can be pasted alone."""
    briefing = report.briefing
    assert briefing is not None
    head = next(iter(report.verdicts), None)
    answer = "" if head is None or not head.scores else describe_answer(head, debate.document_name)
    source = " · ".join(debate_facts(debate))
    body: list[RenderableType] = [
        *([terminal_line(answer, "bold")] if answer else []),
        terminal_line(source, theme.MUTED),
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
    return Group(Text(label, style=theme.MUTED), bullets(items, badge.symbol, f"bold {theme.sign_of(badge).colour}"))
