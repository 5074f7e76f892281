"""Tables and charts of a live verdict."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, percent_chart
from debate_cli.systems.live.calibration import (
    DIMENSION_MAXIMA,
    Calibration,
    CalibrationRule,
    Penalty,
    UnresolvedExchange,
)
from debate_cli.systems.live.findings import DebatePattern, format_missing_parts
from debate_cli.systems.live.register import EntryStatus, RegisterRow
from debate_cli.systems.live.score import LiveNotes, TurnRow, dimension_means
from debate_cli.systems.tables import (
    Badge,
    DebaterCell,
    Gauge,
    Number,
    Table,
    column_table,
    format_number,
    make_table,
    parse_notes,
    turn_number,
)

CHANGE_REASONS: dict[CalibrationRule, str] = {
    "chain": "incomplete chain",
    "floor": "won an exchange",
    "ceiling": "lost an exchange",
}
PATTERN_MEANINGS: dict[DebatePattern, str] = {
    "coherence_collapse": "the scorecard's leader won rounds by shifting its central claim, and no single thesis survived",
    "asymmetric_depth": "one side dominated on style, the other held the stronger logical position",
    "convergence_failure": "both talked past each other about definitions and defended smaller, safer versions of their claims",
}
STATUS_BADGES: dict[EntryStatus, Badge] = {
    "open": Badge("?", "open", "info"),
    "confirmed": Badge("✗", "confirmed", "bad"),
    "withdrawn": Badge("✓", "withdrawn", "good"),
    "doubted": Badge("≈", "doubted", "mixed"),
}


def tables(verdict: Verdict) -> Iterator[Table]:
    """Yield the tables of a live verdict."""
    notes = parse_notes(LiveNotes, verdict)
    ranked = sorted(verdict.scores, key=lambda name: -verdict.scores[name])
    yield column_table(
        "live: scores",
        ranked,
        {
            "debater": DebaterCell,
            "score /100": lambda name: Number(verdict.scores[name], strong=True),
            "": lambda name: Gauge(verdict.scores[name], 100.0, name),
            "exchanges won": lambda name: Number(notes.exchanges_won.get(name), 0),
            "frame control": lambda name: Number(notes.frame_control.get(name), 1),
            "credibility": lambda name: Number(notes.credibility.get(name), 1),
        },
        _narrative_remarks(notes),
    )
    winners = sorted(notes.dimension_wins.items(), key=lambda item: -verdict.scores.get(item[0], 0.0))
    yield make_table(
        "live: exchanges won by dimension",
        ("debater", *DIMENSION_MAXIMA),
        ((DebaterCell(name), *(Number(of.get(item, 0), 0) for item in DIMENSION_MAXIMA)) for name, of in winners),
    )
    yield from _turn_tables(notes)
    yield _change_table(notes)
    yield _unresolved_table(notes.unresolved)
    yield _report_table(notes)


def _narrative_remarks(notes: LiveNotes) -> Iterable[str]:
    story = notes.narrative
    if story is not None:
        agrees = {True: "the scorecard agrees", False: "the scorecard disagrees", None: "the scorecard is undetermined"}
        ahead = f"According to the judge's narrative, {story.winner or 'no debater'} is ahead"
        yield f"{ahead} ({agrees[story.agrees]}): {story.reasoning}"
        if story.pattern in PATTERN_MEANINGS:
            yield f"Pattern: {story.pattern.replace('_', ' ')} ({PATTERN_MEANINGS[story.pattern]})."
        yield from (f"{arc.participant}: {arc.arc}" for arc in story.arcs)


def _report_table(notes: LiveNotes) -> Table:
    rows: list[tuple[str, str]] = []
    if notes.narrative is not None and notes.narrative.resolution:
        rows.append(("why narrative and scorecard differ", notes.narrative.resolution))
    if (course := notes.convergence) is not None:
        words = f"{course.outcome.replace('_', ' ')}. Early: {course.early} Late: {course.late}"
        rows.append(("from the first to the last turns", words))
    return Table("live: reports on the debate", ("about", "report"), tuple(rows), repeats_reports=True)


def _turn_tables(notes: LiveNotes) -> Iterator[Table]:
    yield column_table(
        "live: turns",
        notes.turns,
        {
            "turn": lambda row: turn_number(row.turn),
            "round": lambda row: Number(row.round, 0),
            "debater": lambda row: DebaterCell(row.speaker),
            "logic /40": lambda row: Number(row.logic, 1),
            "rhetoric /30": lambda row: Number(row.rhetoric, 1),
            "tactics /30": lambda row: Number(row.tactics, 1),
            "composite": lambda row: Number(row.composite, strong=True),
            "": lambda row: None if row.composite is None else Gauge(row.composite, 100.0, row.speaker),
            "remark": _turn_remark,
        },
        ("cold start: less reliable, because the judge has few earlier turns to compare with.",),
    )
    yield column_table(
        "live: chains",
        notes.chains,
        {
            "turn": lambda row: turn_number(row.turn),
            "debater": lambda row: DebaterCell(row.speaker),
            "cause → process → consequence": lambda row: f"{row.cause} → {row.process} → {row.consequence}",
            "missing": lambda row: format_missing_parts(row.missing),
        },
    )
    yield column_table(
        "live: register",
        notes.register_entries,
        {
            "turn": lambda row: turn_number(row.turn),
            "fault": lambda row: row.fault,
            "status": lambda row: STATUS_BADGES[row.status],
            "costs": _entry_cost,
            "words": lambda row: row.quote,
            "reason": _entry_reason,
        },
    )._replace(numeric=frozenset({0, 3}))


def _turn_remark(row: TurnRow) -> str:
    mixed = f"won one exchange and lost the other in {', '.join(row.mixed)}" if row.mixed else ""
    return "; ".join(filter(None, ("cold start" if row.cold_start else "", mixed)))


def _entry_cost(row: RegisterRow) -> str:
    if row.charged_to is None:
        return "0"
    elsewhere = f" on turn {row.charged_to + 1}" if row.charged_to != row.turn else ""
    return f"−{_format_points(row.points)}{elsewhere}"


def _entry_reason(row: RegisterRow) -> str:
    exposed = f"exposed by turn {row.exposed_by + 1}" if row.exposed_by is not None else ""
    return ": ".join(filter(None, (exposed, row.reason)))


def _change_table(notes: LiveNotes) -> Table:
    logic = {row.turn: row.calibrated.get("logic", 0.0) for row in notes.turns}
    changes = list_changes((*notes.chain_limits, *notes.calibrations), notes.penalties, logic)
    return column_table(
        "live: changes of scores",
        changes,
        {
            "turn": lambda item: turn_number(item.turn),
            "dimension": lambda item: item.dimension,
            "from": lambda item: Number(item.before, 1),
            "to": lambda item: Number(item.after, 1),
            "why": lambda item: item.why,
            "words": lambda item: item.words,
        },
    )


class ScoreChange(NamedTuple):
    """A change of one turn's score in one dimension."""

    turn: int
    dimension: str
    before: float
    after: float
    why: str
    words: str | None = None
    """For a penalty, the quoted words that cost the points, or the judge's description of the fault. None for other
    changes."""


def list_changes(
    calibrations: Iterable[Calibration], penalties: Iterable[Penalty], logic: Mapping[int, float]
) -> Iterator[ScoreChange]:
    """Yield one row for each calibration, then one for each penalty.

    `logic`: maps turn indices to scores in logic before penalties.
    """
    for item in calibrations:
        yield ScoreChange(
            item.turn, item.dimension, item.before, item.after, f"{CHANGE_REASONS[item.rule]} ({item.rule})"
        )
    current = dict(logic)
    for item in penalties:
        before = current.get(item.turn, 0.0)
        current[item.turn] = after = max(0.0, before - item.points)
        why = f"{item.kind.replace('_', ' ')} (−{_format_points(item.points)})"
        yield ScoreChange(item.turn, "logic", before, after, why, item.about)


def _format_points(points: float) -> str:
    return format_number(points).removesuffix(".0")


def _unresolved_table(unresolved: Iterable[UnresolvedExchange]) -> Table:
    return column_table(
        "live: unresolved exchanges",
        unresolved,
        {
            "turns": lambda item: f"{item.turns[0] + 1} and {item.turns[1] + 1}",
            "dimension": lambda item: item.dimension,
            "judge's winner": lambda item: item.winner,
            "earlier": lambda item: Number(item.earlier, 1),
            "later": lambda item: Number(item.later, 1),
        },
        (
            "The scores contradict the comparison: the winner has the lower score, or the scores of a draw are far apart.",
        ),
    )


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield one chart with the mean score of every debater in every dimension."""
    yield percent_chart(
        "Marks by dimension",
        "Mean of the final scores of a debater's turns, as a percentage of the dimension's maximum.",
        DIMENSION_MAXIMA,
        dimension_means(parse_notes(LiveNotes, verdict)),
    )
