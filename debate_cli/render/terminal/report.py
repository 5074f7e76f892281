"""Draws the end of a debate on a terminal: the closing screen, and the full report."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.box import HEAVY, ROUNDED
from rich.console import Console, Group, RenderableType
from rich.text import Text

from debate_cli.domain.debate import Debate, rehearsal_notice, restrict_to_runs
from debate_cli.domain.message_text import count_noun, quote_path
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.content.report import SCREEN_PARTS, Block, ReportPart, VerdictReport, build_debate_report
from debate_cli.render.content.summary import (
    CAVEAT_PART,
    MAX_CLAIMS,
    OPTIONAL_PARTS,
    SummaryRow,
    closing_rows,
    usage_rows,
)
from debate_cli.render.terminal.drawing import (
    FramedPanel,
    ParticipantStyles,
    join_text,
    label_grid,
    render_cell,
    render_table,
    score_bars,
    section,
    terminal_line,
)
from debate_cli.systems.tables import JoinedCells, Lines, Table, TableRow

MAX_SCREEN_ROWS = 40
"""Maximum total height, in rows, of the closing screen and of the `_ROWS_BELOW` rows below this screen."""
MAX_DISSENT_LENGTH = 180
"""Maximum length in characters of a `judges` row, which shows the judges' agreement or a dissenting vote."""
_ROWS_BELOW = 5
"""Number of rows below the closing screen: the transcript's path, the next command and the shell's prompt."""

MIN_WIDTH = 80
"""Minimum width in columns to which claims are fitted. In a narrower window, claims are cut as if it had this width."""
_LABEL_WIDTH = 16
"""Width of the column of labels, in characters."""
_WIDTH_BESIDE_CLAIM = 28
"""Approximate width, in characters, of everything to the left of a claim: label, id, standing and score."""


@dataclass(frozen=True, slots=True)
class ScreenLimits:
    """How much the closing screen shows."""

    width: int = MIN_WIDTH
    """Width of the window in columns. Claims are cut to about two lines of this width."""
    max_claims: int = MAX_CLAIMS
    """Maximum number of claims under one label such as `rely on`."""
    without: Collection[str] = ()
    """The OPTIONAL_PARTS to leave out."""
    only_verdicts: bool = False
    """Whether to leave out claims, recommendation, cost, and the hint on how to show all tables."""


def closing_screen(
    debate: Debate,
    verdicts: Sequence[Verdict],
    judged: Collection[str] | None = None,
    limits: ScreenLimits = ScreenLimits(),
    *,
    saved: Path | None = None,
) -> list[RenderableType]:
    """Draw the closing screen: the verdict and the main facts.

    If `judged` is given, only the judging runs with these ids are shown. `saved`: the transcript; None if the debate was
    not saved.

    If the mock gave answers, the last line says so. If also `limits.only_verdicts` is true, the first line says so too,
    because no heading comes before the screen.
    """
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    summary, rows = closing_rows(shown, verdicts, limits.max_claims, only_verdicts=limits.only_verdicts)
    omitted = sum(row.row_count for row in rows if row.part in limits.without)
    rows = [row for row in rows if row.part not in limits.without]
    styles = theme.participant_styles(debate.participants)
    title = join_text(("verdict", "bold"), (f" · {sanitize.sanitize_line(summary.verdict_label)}", theme.MUTED))
    panel = _verdict_panel(summary.verdict, summary.answer, styles, title if summary.verdict_label else Text("verdict"))
    replay = None if saved is None else f"`debate replay {quote_path(saved)}`"
    if replay is not None and len(replay) > limits.width - _LABEL_WIDTH:
        replay = "`debate replay ID`"  # a path that is wrapped inside a table cannot be copied
    more = f"{replay} shows the speeches and all tables; " if replay else ""
    more += "`--details` shows all tables at the end of a run"
    if omitted:
        more = f"{count_noun(omitted, 'row')} left out here: {replay or '`--details`'} shows all rows and tables"
    body = [_shorten_row(row, limits.width) for row in rows]
    body += [] if limits.only_verdicts else [*usage_rows(debate, judged), SummaryRow("more", (more,))]
    notice = _rehearsal(debate)
    return [*(notice if limits.only_verdicts else [Text("")]), panel, _row_grid(body, styles), *notice]


def _shorten_row(row: SummaryRow, width: int) -> SummaryRow:
    *cells, last = row.cells
    claim = 2 * (max(width, MIN_WIDTH) - _WIDTH_BESIDE_CLAIM)
    lengths = dict.fromkeys(("condition", "key insight", "rely on", "check first", "open question"), claim)
    lengths |= {
        "judge says": theme.EXCERPT_LENGTH,
        "recommendation": theme.EXCERPT_LENGTH,
        "judges": MAX_DISSENT_LENGTH,
    }
    if row.label not in lengths or not isinstance(last, str):
        return row
    words = theme.shorten(last, lengths[row.label])
    quote = last[-1:] if last.endswith("”") and not words.endswith("”") else ""
    return row._replace(cells=(*cells, f"{words}{quote}"))


def fitting_screen(
    console: Console,
    debate: Debate,
    verdicts: Sequence[Verdict],
    judged: Collection[str] | None = None,
    *,
    saved: Path | None = None,
) -> list[RenderableType]:
    """Draw the closing screen. Each label, e.g. `rely on`, gets as many claims as fit (1 to `MAX_CLAIMS`).

    The caveat is shown if it takes no row from a claim.

    1. The screen gets the height of the window, but at most `MAX_SCREEN_ROWS` rows.
    2. If one claim per label is too much for this height, the screen gets `MAX_SCREEN_ROWS` rows.
    3. If this is still too little, OPTIONAL_PARTS are left out, one after the other, until the rest fits. Then each part
       for which there is room after all comes back, the most important part first.

    A debate with many debaters may need more rows in a very narrow window.
    """

    def height(parts: list[RenderableType]) -> int:
        return len(console.render_lines(Group(*parts), pad=False)) + _ROWS_BELOW

    draw = partial(closing_screen, debate, verdicts, judged, saved=saved)
    screens = [
        draw(ScreenLimits(console.width, count, without))
        for count in range(MAX_CLAIMS, 0, -1)
        for without in ((), (CAVEAT_PART,))
    ]
    heights = list(map(height, screens))
    for available in (min(console.height, MAX_SCREEN_ROWS), MAX_SCREEN_ROWS):
        for parts, rows in zip(screens, heights, strict=True):
            if rows <= available:
                return parts
    parts, without = screens[-1], OPTIONAL_PARTS[:1]
    for count in range(2, len(OPTIONAL_PARTS) + 1):
        without = OPTIONAL_PARTS[:count]
        parts = draw(ScreenLimits(console.width, 1, without))
        if height(parts) <= MAX_SCREEN_ROWS:
            break
    for part in reversed(without[:-1]):
        fewer = tuple(other for other in without if other != part)
        fuller = draw(ScreenLimits(console.width, 1, fewer))
        if height(fuller) <= MAX_SCREEN_ROWS:
            parts, without = fuller, fewer
    return parts


def details(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: ReportPart | None = None,
    judged: Collection[str] | None = None,
    follows_reports: bool = False,
) -> list[RenderableType]:
    """Draw the parts of the report.

    If `only` is given, only this part is drawn. If `judged` is given, only the judging runs with these ids are drawn.
    `follows_reports`: whether the judges' reports are drawn before, so that tables that only repeat them are left out.
    """
    report = build_debate_report(debate, verdicts, only=only, judged=judged, follows_reports=follows_reports)
    styles = theme.participant_styles(debate.participants)
    drawn: list[RenderableType] = []
    for part, blocks in report.blocks(SCREEN_PARTS):
        drawn += [Text("")] if part == "verdict" and blocks else []
        drawn += [_draw_block(block, styles, is_trace=part == "trace") for block in blocks]
        drawn += _rehearsal(debate) if blocks and part in {"usage", only} else []
    return drawn


def _draw_block(block: Block, styles: ParticipantStyles, *, is_trace: bool) -> RenderableType:
    if isinstance(block, Table):
        return render_table(_stack_trace_columns(block) if is_trace else block, styles)
    if isinstance(block, VerdictReport):
        decides = block.verdict.decides or block.is_alone
        title = terminal_line(block.title, "bold")
        return _verdict_panel(block.verdict, block.answer, styles, title, block.rows, decides=decides)
    grid = _row_grid(block.rows, styles)
    return section(block.title, grid) if block.title else grid


def _verdict_panel(
    verdict: Verdict | None,
    answer: str,
    styles: ParticipantStyles,
    title: Text,
    rows: Sequence[SummaryRow] = (),
    *,
    decides: bool = True,
) -> RenderableType:
    winner = styles.get(verdict.winner) if verdict is not None and verdict.winner is not None else None
    colour = winner.colour if winner else theme.MUTED
    headline = terminal_line(answer, f"bold {winner.colour}" if winner else "bold")
    body: list[RenderableType] = [join_text((f"{winner.symbol} ", colour) if winner else "", headline)]
    if verdict is not None and verdict.displayed_scores:
        body.append(score_bars(verdict, styles))
    if rows:
        body += [Text(""), _row_grid(rows, styles)]
    box, colour = (HEAVY, colour) if decides else (ROUNDED, theme.MUTED)
    return FramedPanel(Group(*body), title, Text(), colour, box)


def _row_grid(rows: Sequence[SummaryRow], styles: ParticipantStyles) -> RenderableType:
    drawn: list[tuple[str, RenderableType]] = []
    label = ""
    for row in rows:
        cells = [render_cell(cell, styles) for cell in row.cells]
        if len(cells) > 1:
            sign = styles.get(row.debater or "")
            cells[0].stylize(f"bold {sign.colour}" if sign is not None else "bold")
        drawn.append(("" if row.label == label else sanitize.sanitize_line(row.label), Text("  ").join(cells)))
        label = row.label
    return label_grid(drawn)


def _rehearsal(debate: Debate) -> list[RenderableType]:
    notice = rehearsal_notice(debate)
    return [Text(notice, style=f"bold {theme.GOLD}")] if notice else []


def _stack_trace_columns(trace: Table) -> Table:
    rows: list[TableRow] = []
    for row in trace.rows:
        if row is not None:
            claim_id, speaker, claim, *between, standing, reason = row
            judged = Lines((standing, reason)) if reason else standing
            rows.append((Lines((JoinedCells((claim_id, speaker), "  "), claim)), *between, judged))
    return trace._replace(heads=("claim", *trace.heads[3:-2], "standing"), rows=tuple(rows))
