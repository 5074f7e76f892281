"""Tables of the live system: scorecard, turns, causal chains, the register, and each change to a judge's mark."""

from collections.abc import Iterable

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.live.calibration import CalibrationRule
from debate_cli.systems.live.findings import DebatePattern
from debate_cli.systems.live.register import EntryStatus, RegisterRow
from debate_cli.systems.live.score import LiveNotes, TurnRow
from debate_cli.systems.tables import Badge, DebaterCell, Gauge, Number, Table, TableRow, format_number, parse_notes

LIVE_DIMENSIONS = ("logic", "rhetoric", "tactics")
CHANGE_REASONS: dict[CalibrationRule, str] = {
    "chain": "incomplete chain",
    "floor": "won an exchange",
    "ceiling": "lost an exchange",
    "draw": "drew the exchange",
}
"""Rule -> why it changed a score."""
PATTERN_MEANINGS: dict[DebatePattern, str] = {
    "coherence_collapse": "the scorecard's leader won rounds by shifting its central claim, and no single thesis survived",
    "asymmetric_depth": "one side dominated on style, the other held the stronger logical position",
    "convergence_failure": "both talked past each other about definitions and defended smaller, safer versions of their claims",
}
"""Pattern -> meaning; `none` has no entry."""
STATUS_BADGES: dict[EntryStatus, Badge] = {
    "open": Badge("?", "open", "info"),
    "confirmed": Badge("✗", "confirmed", "bad"),
    "withdrawn": Badge("✓", "withdrawn", "good"),
    "doubted": Badge("≈", "doubted", "mixed"),
}
"""Status of a register entry -> badge."""


def tables(verdict: Verdict) -> list[Table]:
    """Scorecard, turns, chains, register, changes of scores, unresolved exchanges; empty ones are left out."""
    notes = parse_notes(LiveNotes, verdict)
    if notes is None:
        return []
    found = (
        _scorecard_table(verdict, notes),
        _exchange_table(verdict, notes),
        _turn_table(notes),
        _chain_table(notes),
        _register_table(notes),
        _change_table(notes),
        _unresolved_table(notes),
    )
    return [table for table in found if table.rows]


def _scorecard_table(verdict: Verdict, notes: LiveNotes) -> Table:
    ranked = sorted(verdict.scores.items(), key=lambda item: -item[1])
    return Table(
        title="scores, live",
        heads=("debater", "score /100", "", "exchanges won", "frame control", "credibility"),
        rows=tuple(
            (
                DebaterCell(name),
                Number(score, strong=True),
                Gauge(score, 100.0, name),
                Number(notes.exchanges_won.get(name), 0),
                Number(notes.frame_control.get(name), 1),
                Number(notes.credibility.get(name), 1),
            )
            for name, score in ranked
        ),
        remarks=tuple(_narrative_remarks(notes)),
        numeric=frozenset({1, 3, 4, 5}),
    )


def _exchange_table(verdict: Verdict, notes: LiveNotes) -> Table:
    names = sorted(notes.dimension_wins, key=lambda name: -verdict.scores.get(name, 0.0))
    wins = {name: notes.dimension_wins[name] for name in names}
    return Table(
        "exchanges won by dimension, live",
        ("debater", *LIVE_DIMENSIONS),
        tuple(
            (DebaterCell(name), *(Number(of.get(item, 0), 0) for item in LIVE_DIMENSIONS)) for name, of in wins.items()
        ),
        numeric=frozenset({1, 2, 3}),
    )


def _narrative_remarks(notes: LiveNotes) -> Iterable[str]:
    story = notes.narrative
    if story is not None:
        agrees = {True: "as the scorecard says", False: "unlike the scorecard", None: "the scorecard is undetermined"}
        yield f"The narrative sees {story.winner or 'no debater'} ahead, {agrees[story.agrees]}: {story.reasoning}"
        if story.pattern in PATTERN_MEANINGS:
            yield f"Pattern: {story.pattern.replace('_', ' ')} ({PATTERN_MEANINGS[story.pattern]})."
        yield from (f"{arc.participant}: {arc.arc}" for arc in story.arcs)
        if story.resolution:
            yield f"Why they differ: {story.resolution}"
    if notes.convergence is not None:
        convergence = notes.convergence
        outcome = convergence.outcome.replace("_", " ")
        yield f"From first to last: {outcome}. Early: {convergence.early} Late: {convergence.late}"


def _turn_table(notes: LiveNotes) -> Table:
    return Table(
        title="turns, live",
        heads=("turn", "round", "debater", "logic /40", "rhetoric /30", "tactics /30", "composite", "", "remark"),
        rows=tuple(
            (
                str(row.turn + 1),
                str(row.round),
                DebaterCell(row.speaker),
                Number(row.logic, 1),
                Number(row.rhetoric, 1),
                Number(row.tactics, 1),
                Number(row.composite, strong=True),
                Gauge(row.composite, 100.0, row.speaker) if row.composite is not None else None,
                "; ".join(_turn_remarks(row)),
            )
            for row in notes.turns
        ),
        remarks=("cold start: less calibrated, because little comes before it to compare with.",),
        numeric=frozenset({0, 1, 3, 4, 5, 6}),
    )


def _turn_remarks(row: TurnRow) -> Iterable[str]:
    if row.cold_start:
        yield "cold start"
    if row.mixed:
        yield f"won and lost {', '.join(row.mixed)}"


def _chain_table(notes: LiveNotes) -> Table:
    return Table(
        "chains, live",
        ("turn", "debater", "cause → process → consequence", "missing"),
        tuple(
            (
                str(row.turn + 1),
                DebaterCell(row.speaker),
                f"{row.cause} → {row.process} → {row.consequence}",
                ", ".join(row.missing).replace("_", " "),
            )
            for row in notes.chains
        ),
        numeric=frozenset({0}),
    )


def _register_table(notes: LiveNotes) -> Table:
    return Table(
        "register, live",
        ("turn", "fault", "status", "costs", "words", "reason"),
        tuple(_register_row(row) for row in notes.register_entries),
        numeric=frozenset({0, 3}),
    )


def _register_row(row: RegisterRow) -> TableRow:
    exposed = f"exposed by turn {row.exposed_by + 1}" if row.exposed_by is not None else ""
    cost = f"−{format_points(row.points)}" if row.charged_to is not None else "0"
    if row.charged_to not in (None, row.turn):
        cost += f" on turn {row.charged_to + 1}"
    reason = ": ".join(filter(None, (exposed, row.reason)))
    return str(row.turn + 1), row.fault, STATUS_BADGES[row.status], cost, row.quote, reason


def _change_table(notes: LiveNotes) -> Table:
    rows = (*_calibration_rows(notes), *_penalty_rows(notes))
    heads = ("turn", "dimension", "from", "to", "why", "words")
    return Table("changes of scores, live", heads, rows, numeric=frozenset({0, 2, 3}))


def _calibration_rows(notes: LiveNotes) -> Iterable[TableRow]:
    for item in (*notes.chain_limits, *notes.calibrations):
        why = f"{CHANGE_REASONS[item.rule]} ({item.rule})"
        yield str(item.turn + 1), item.dimension, Number(item.before, 1), Number(item.after, 1), why, None


def _penalty_rows(notes: LiveNotes) -> Iterable[TableRow]:
    logic = {row.turn: row.calibrated.get("logic") for row in notes.turns}
    for item in notes.penalties:
        why = f"{item.kind.replace('_', ' ')} (−{format_points(item.points)})"
        before = logic.get(item.turn)
        logic[item.turn] = after = None if before is None else max(0.0, before - item.points)
        yield str(item.turn + 1), "logic", Number(before, 1), Number(after, 1), why, item.about


def format_points(points: float) -> str:
    """Points of a penalty without a trailing `.0`."""
    return format_number(points).removesuffix(".0")


def _unresolved_table(notes: LiveNotes) -> Table:
    return Table(
        "unresolved exchanges, live",
        ("turns", "dimension", "judge's winner", "earlier", "later"),
        tuple(
            (
                f"{item.turns[0] + 1} and {item.turns[1] + 1}",
                item.dimension,
                item.winner,
                Number(item.earlier, 1),
                Number(item.later, 1),
            )
            for item in notes.unresolved
        ),
        remarks=(
            "The scores of these exchanges differ from the comparison: the winner still has the lower score, or the scores of a draw are far apart.",
        ),
        numeric=frozenset({3, 4}),
    )
