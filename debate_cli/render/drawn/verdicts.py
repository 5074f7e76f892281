"""Verdict and briefing on a terminal: who won, by how much, and what the one who decides should take away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import HEAVY, ROUNDED
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.reasons import JudgeQuote
from debate_cli.render.report import DebateReport
from debate_cli.render.terminal import (
    ParticipantStyles,
    badge_text,
    bullets,
    join_text,
    participant_text,
    score_bars,
    section,
    terminal_line,
    terminal_text,
)
from debate_cli.render.theme import shorten
from debate_cli.render.weakest import WeakestArgument
from debate_cli.systems.structured.briefing import Briefing, BriefingClaim

MAX_MISSING = 6
"""Sentences on what was not assessed that are shown; a JSON document has them all."""


@dataclass(frozen=True, slots=True)
class VerdictReasons:
    """What a verdict's box says beside who won."""

    numbers: str
    """What the scores say."""
    judges: JudgeQuote | None
    """What a judge says; untrusted."""
    text: str | None = None
    """Name of the text that was judged; None for a debate."""
    weakest: WeakestArgument | None = None
    """The argument that held up worst, in the box that decides."""


def verdict_panel(
    verdict: Verdict, signs: ParticipantStyles, reasons: VerdictReasons, called: str | None = None
) -> RenderableType:
    """The conclusion of one system, `called` so among others; a heavy frame for the one that decides, or is alone."""
    decides = verdict.decides or called is None
    sign = signs.get(verdict.winner) if verdict.winner is not None else None
    colour = sign.colour if sign else theme.MUTED
    style = f"bold {sign.colour}" if sign else "bold"
    headline = join_text(
        (f"{sign.symbol} ", colour) if sign else "", terminal_line(theme.describe_outcome(verdict, reasons.text), style)
    )
    if verdict.margin is not None:
        headline.append(f"  margin {theme.format_number(verdict.margin)}", style=theme.MUTED)
    body: list[RenderableType] = [headline]
    if verdict.displayed_scores:
        body += [Text(""), score_bars(verdict, signs)]
    rows = _reasons(verdict, reasons, signs)
    if rows:
        body += [Text(""), label_grid(rows)]
    missing = DebateReport.missing(verdict)
    if missing:
        more = [f"and {len(missing) - MAX_MISSING} more"] if len(missing) > MAX_MISSING else []
        body += [Text(""), bullets([*missing[:MAX_MISSING], *more], "!", theme.GOLD)]
    title = (
        "verdict"
        if called is None
        else f"verdict, {sanitize.sanitize_line(called)}{', decides' if verdict.decides else ''}"
    )
    return Panel(
        Group(*body),
        title=Text(title, style="bold"),
        title_align="left",
        border_style=colour if decides else theme.MUTED,
        box=HEAVY if decides else ROUNDED,
        padding=(0, 1),
    )


def _reasons(verdict: Verdict, reasons: VerdictReasons, signs: ParticipantStyles) -> list[tuple[str, RenderableType]]:
    rows: list[tuple[str, RenderableType]] = []
    if reasons.numbers and verdict.victory != "undetermined":
        rows.append(("why", terminal_line(reasons.numbers)))
    if reasons.judges:
        rows.append(("" if rows else "why", _quoted(reasons.judges)))
    if reasons.weakest is not None:
        rows.append(("lowest" if reasons.weakest.all_upheld else "weakest", _weakest(reasons.weakest, signs)))
    return rows


def _quoted(said: JudgeQuote) -> RenderableType:
    quote = terminal_line(f"“{said.words}”", "italic")
    return join_text(terminal_line(said.judge), ": ", quote) if said.judge else quote


def _weakest(weakest: WeakestArgument, signs: ParticipantStyles) -> RenderableType:
    row = weakest.row
    head = join_text(terminal_line(row.id, "bold"), " by ", participant_text(row.participant, signs))
    if row.standing is not None:
        head.append_text(join_text(", ", badge_text(theme.STANDING_BADGES[row.standing])))
    if weakest.marked:
        head.append(f", {weakest.marked}")
    if weakest.all_upheld:
        head.append(", though every claim stood", style=theme.MUTED)
    told = [terminal_line(shorten(reason), theme.MUTED) for reason in weakest.because]
    return Group(head, terminal_line(shorten(row.claim)), *told)


def label_grid(rows: Sequence[tuple[str, RenderableType]]) -> Table:
    """Quiet labels, what they mean beside them."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style=theme.MUTED)
    grid.add_column(ratio=1)
    for label, words in rows:
        grid.add_row(label, words)
    return grid


def briefing_view(briefing: Briefing, outcome: str = "") -> RenderableType:
    """Insight, then claims by what they are good for, open questions, recommendation, and the caveat.

    The outcome stands beside the heading: where the verdict has scrolled away, it is not looked for.
    """
    body: list[RenderableType] = []
    if briefing.key_insight:
        body.append(terminal_text(briefing.key_insight, "bold"))
    parts = (
        ("rely on", "UPHELD", briefing.rely_on),
        ("use within limits", "PARTIALLY_UPHELD", briefing.limit),
        ("do not use", "REFUTED", briefing.not_to_use),
        ("uncertain", "UNCERTAIN", briefing.uncertain),
    )
    for label, standing, claims in parts:
        if claims:
            body += [Text(""), _claims(label, standing, claims)]
    if briefing.unresolved_questions:
        questions = bullets(briefing.unresolved_questions, "?", theme.BLUE)
        body += [Text(""), Text("open questions", style=theme.MUTED), questions]
    if briefing.recommendation:
        body += [Text(""), Text("recommendation", style=theme.MUTED), terminal_text(briefing.recommendation)]
    body += [Text(""), Text(sanitize.sanitize_text(briefing.caveat), style=f"italic {theme.MUTED}")]
    return section("briefing", *body, beside=outcome)


def _claims(label: str, standing: str, claims: Sequence[BriefingClaim]) -> RenderableType:
    sign = theme.STANDING_BADGES[standing]
    return Group(
        Text(label, style=theme.MUTED),
        bullets([f"{claim.id}  {claim.claim}" for claim in claims], sign.symbol, f"bold {sign.colour}"),
    )
