"""Builds the tables of an experiment's report: leaderboard, pairs, judges, agreement, motions, spending."""

from collections.abc import Iterable, Iterator, Sequence

from debate_cli.experiments.analysis import Analysis, ParticipantSpending, SystemAnalysis
from debate_cli.experiments.progress import Failures
from debate_cli.render import theme
from debate_cli.statistics.estimate import Estimate
from debate_cli.statistics.ratings import Ratings
from debate_cli.systems.tables import Gauge, Interval, Number, Table, TableRow, drop_empty_columns

BASE_JUDGES = "judges of the base"
MOTIONS_SHOWN = 20


def report_tables(analysis: Analysis, failures: Iterable[Failures] = ()) -> list[Table]:
    """Return all tables of the report, beginning with tables on the deciding system."""
    tables: list[Table] = []
    for found in analysis.systems:
        suffix = f", {found.system}" if len(analysis.systems) > 1 else ""
        tables += [
            leaderboard_table(found.by_result, f"leaderboard{suffix}"),
            *_margin_tables(found, suffix),
            Table(
                f"points by side{suffix}",
                ("player", "for the motion", "against the motion"),
                tuple((row.name, format_share(row.as_first), format_share(row.as_second)) for row in found.players),
            ),
            Table(
                f"pairs{suffix}",
                ("player", "against", "points of the player"),
                tuple((pair.left, pair.right, format_share(pair.share)) for pair in found.pairs),
            ),
            _judges_table(found, suffix),
            *_agreement_tables(found, suffix),
            _motions_table(found, suffix),
        ]
    tables += [_spending_table("spent on speeches", "debates", analysis.players)]
    tables += [_spending_table("spent on verdicts", "verdicts", analysis.judges)]
    listed = [(each.cause, Number(each.count, 0), each.example) for each in failures]
    if listed:
        tables.append(Table("failed cells", ("cause", "cells", "example"), tuple(listed), numeric=frozenset({1})))
    return [table for table in tables if table.rows or table.remarks]


def leaderboard_table(ratings: Ratings, title: str) -> Table:
    """Return a row per player, strongest first: Elo and log odds with intervals, games, share of points."""
    elos = [rating.elo for rating in ratings.ratings]
    low = min((elo.value or 0.0 if elo.low is None else elo.low for elo in elos), default=0.0)
    high = max((elo.value or 0.0 if elo.high is None else elo.high for elo in elos), default=1.0)
    pad = 0.03 * (high - low) or 1.0
    has_intervals = ratings.clusters > 1
    rows: list[TableRow] = [
        (
            rating.name,
            _format_interval(rating.elo, 0),
            Interval(rating.elo.value, rating.elo.low, rating.elo.high, low - pad, high + pad)
            if has_intervals
            else None,
            _format_interval(rating.strength, 2),
            Number(rating.games, 1),
            f"{100 * rating.share:.0f} %",
        )
        for rating in ratings.ratings
    ]
    side = ratings.side
    remarks = [
        f"Advantage of the player named first (in debates: for the motion): {_format_interval(side, 2)} in log odds."
        if side.value is not None
        else "",
        f"{ratings.results} results in {theme.count_noun(ratings.clusters, 'cluster')} (usually a cluster is a motion). "
        + (
            "The 95 % intervals come from a bootstrap over clusters."
            if has_intervals
            else "Intervals need at least two clusters."
        ),
        *ratings.notes,
    ]
    level = " (95 %)" if has_intervals else ""
    heads = ("player", f"Elo-like{level}", "interval", f"log odds{level}", "games", "points")
    return drop_empty_columns(Table(title, heads, tuple(rows), tuple(filter(None, remarks)), numeric=frozenset({4, 5})))


def format_share(found: Estimate) -> str:
    """Return a share with its interval: `63 % (51 to 74)`."""
    if found.value is None:
        return "—"
    if found.low is None or found.high is None:
        return f"{100 * found.value:.0f} %"
    return f"{100 * found.value:.0f} % ({100 * found.low:.0f} to {100 * found.high:.0f})"


def _format_interval(found: Estimate, digits: int) -> str:
    if found.value is None:
        return "—"
    value = _signed(found.value, digits)
    if found.low is None or found.high is None:
        return value
    return f"{value} ({_signed(found.low, digits)} to {_signed(found.high, digits)})"


def _signed(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0:.{digits}f}".replace("-", "−")


def _margin_tables(found: SystemAnalysis, suffix: str) -> Iterator[Table]:
    if found.by_margin is not None:
        table = leaderboard_table(found.by_margin, f"leaderboard by margin{suffix}")
        scale = f"A margin of {found.margin_scale:.4g} points, the largest seen, counts as a full win."
        yield table._replace(remarks=(scale, *table.remarks))


def _judges_table(found: SystemAnalysis, suffix: str) -> Table:
    rows: list[TableRow] = [
        (
            judge.name or BASE_JUDGES,
            Number(judge.judgements, 0),
            format_share(judge.first_share),
            format_share(judge.swapped),
            _format_interval(judge.length, 2),
            format_share(judge.self_preference),
        )
        for judge in found.judges
    ]
    heads = (
        "judge",
        "verdicts",
        "points for the motion",
        "other result with sides swapped",
        "length ρ",
        "self-preference",
    )
    remarks = (
        (
            "If both orders were played, 50 % for the motion means no side bias. Length ρ: Spearman correlation of the margin "
            "with the ratio of lengths."
        ),
    )
    if all(row[-1] == "—" for row in rows):
        rows, heads = [row[:-1] for row in rows], heads[:-1]
    return Table(f"judges{suffix}", heads, tuple(rows), remarks, numeric=frozenset({1}))


def _agreement_tables(found: SystemAnalysis, suffix: str) -> Iterator[Table]:
    if len(found.judges) > 1:
        rows = tuple(
            (
                f"{pair.first or BASE_JUDGES} and {pair.second or BASE_JUDGES}",
                format_share(pair.share),
                _format_interval(pair.kappa, 2),
            )
            for pair in found.agreements
        )
        remarks = (
            (
                f"Krippendorff's α over all judges: winners {_format_interval(found.alpha, 2)}, margins "
                f"{_format_interval(found.alpha_margin, 2)}. 1 is perfect agreement, 0 is chance."
            ),
        )
        yield Table(f"agreement{suffix}", ("judges", "same result", "Cohen's κ"), rows, remarks)


def _motions_table(found: SystemAnalysis, suffix: str) -> Table:
    rows = [
        (
            record.topic,
            Gauge(record.first_share.value or 0.0, 1),
            format_share(record.first_share),
            "one-sided" if record.is_one_sided else "",
        )
        for record in found.motions[:MOTIONS_SHOWN]
    ]
    left = len(found.motions) - MOTIONS_SHOWN
    remarks = (f"{left} more motions are closer to even.",) if left > 0 else ()
    return Table(f"motions{suffix}", ("motion", "for", "points for the motion", ""), tuple(rows), remarks)


def _spending_table(title: str, unit: str, spent: Sequence[ParticipantSpending]) -> Table:
    rows: list[TableRow] = [
        (
            each.name,
            Number(each.count, 0),
            "unknown" if each.cost_usd is None else theme.format_cost(each.cost_usd),
            "unknown" if each.cost_usd is None else theme.format_cost(each.cost_usd / each.count),
            theme.format_count(each.tokens),
            Number(each.seconds / each.count, 1),
        )
        for each in spent
    ]
    heads = ("who", unit, "cost", "each", "tokens", "seconds each")
    return Table(title, heads, tuple(rows), numeric=frozenset({1, 2, 3, 4, 5}))


def matrix_rows(found: SystemAnalysis) -> list[tuple[str, list[Estimate | None]]]:
    """Return a row per player, in the order of the leaderboard: the player's share of points against each player."""
    names = [rating.name for rating in found.by_result.ratings]
    shares: dict[tuple[str, str], Estimate] = {}
    for pair in found.pairs:
        share = pair.share
        value, low, high = (None if end is None else 1 - end for end in (share.value, share.high, share.low))
        shares[pair.left, pair.right] = share
        shares[pair.right, pair.left] = Estimate(value, low, high, share.rows, share.clusters)
    return [(name, [shares.get((name, other)) for other in names]) for name in names]
