"""Builds the tables of an experiment's report: leaderboard, pairs, judges, agreement, motions, spending."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from debate_cli.domain.message_text import count_noun
from debate_cli.experiments.analysis import (
    Analysis,
    FailedJudgements,
    JudgeRecord,
    MotionRecord,
    PairAgreement,
    PairRecord,
    ParticipantSpending,
    PlayerRecord,
    SystemAnalysis,
)
from debate_cli.experiments.progress import BASE_JUDGES, FailureGroup
from debate_cli.render import theme
from debate_cli.statistics.estimate import LEVEL_LABEL, Estimate
from debate_cli.statistics.ratings import Rating, Ratings
from debate_cli.systems.tables import Cell, Gauge, Interval, Number, Table, column_table, drop_empty_columns

MOTIONS_SHOWN = 20
FEW_CLUSTERS = 10
"""Minimum number of clusters for reliable intervals. With fewer, bootstrap intervals are usually too narrow. A cluster
is a group of results that depend on each other, usually all results on one motion."""


def report_tables(analysis: Analysis, failures: Iterable[FailureGroup] = ()) -> list[Table]:
    """Return all tables of the report. Tables on the deciding judging system come first."""
    tables: list[Table] = []
    for found in analysis.systems:
        suffix = f", {found.system}" if len(analysis.systems) > 1 else ""
        tables += (table._replace(title=f"{table.title}{suffix}") for table in _system_tables(found))
    tables += [_spending_table("spent on speeches", "debates", analysis.players)]
    tables += [_spending_table("spent on verdicts", "verdicts", analysis.judges)]
    failed: dict[str, Callable[[FailedJudgements], Cell]] = {
        "judge": lambda each: each.judge or BASE_JUDGES,
        "system": lambda each: each.system,
        "cause": lambda each: theme.format_cause(each.cause),
        "judgements": lambda each: Number(each.count, 0),
    }
    tables += [column_table("failed judgements", analysis.failed, failed)]
    columns: dict[str, Callable[[FailureGroup], Cell]] = {
        "cause": lambda each: each.cause,
        "cells": lambda each: Number(each.count, 0),
        "example": lambda each: each.example,
    }
    tables += [column_table("failed cells", failures, columns)]
    return [table for table in tables if table.rows or table.remarks]


def _system_tables(found: SystemAnalysis) -> Iterator[Table]:
    yield leaderboard_table(found.by_result, "leaderboard")
    if found.by_margin is not None:
        table = leaderboard_table(found.by_margin, "leaderboard by margin")
        scale = f"A margin of {found.margin_scale:.4g} points, the largest seen, counts as a full win."
        yield table._replace(remarks=(scale, *table.remarks))
    by_side: dict[str, Callable[[PlayerRecord], Cell]] = {
        "player": lambda row: row.name,
        "for the motion": lambda row: format_share(row.as_first),
        "against the motion": lambda row: format_share(row.as_second),
    }
    yield column_table("points by side", found.players, by_side)
    by_pair: dict[str, Callable[[PairRecord], Cell]] = {
        "player": lambda pair: pair.left,
        "against": lambda pair: pair.right,
        "points of the player": lambda pair: format_share(pair.share),
    }
    yield column_table("pairs", found.pairs, by_pair)
    yield _judges_table(found)
    if len(found.judges) > 1:
        yield _agreement_table(found)
    yield _motions_table(found)


def leaderboard_table(ratings: Ratings, title: str) -> Table:
    """Return a row per player, strongest first: Elo and log odds with intervals, games, share of points."""
    elos = [rating.elo for rating in ratings.ratings]
    low = min((elo.value or 0.0 if elo.low is None else elo.low for elo in elos), default=0.0)
    high = max((elo.value or 0.0 if elo.high is None else elo.high for elo in elos), default=1.0)
    pad = 0.03 * (high - low) or 1.0
    has_intervals = any(found.low is not None for found in (*elos, ratings.side))
    level = f" ({LEVEL_LABEL})" if has_intervals else ""

    def interval(elo: Estimate) -> Interval | None:
        return Interval(elo.value, elo.low, elo.high, low - pad, high + pad) if has_intervals else None

    columns: dict[str, Callable[[Rating], Cell]] = {
        "player": lambda rating: rating.name,
        f"Elo-like{level}": lambda rating: _format_interval(rating.elo, 0),
        "interval": lambda rating: interval(rating.elo),
        f"log odds{level}": lambda rating: _format_interval(rating.strength, 2),
        "games": lambda rating: Number(rating.games, 1),
        "points": lambda rating: f"{100 * rating.share:.0f} %",
    }
    table = column_table(title, ratings.ratings, columns, _rating_remarks(ratings, has_intervals=has_intervals))
    numeric = frozenset(list(columns).index(name) for name in ("games", "points"))
    return drop_empty_columns(table._replace(numeric=numeric))


def _rating_remarks(ratings: Ratings, *, has_intervals: bool) -> Iterator[str]:
    if ratings.side.value is not None:
        side = _format_interval(ratings.side, 2)
        yield f"Advantage of the left player (in debates: the player for the motion): {side} in log odds."
    clusters = count_noun(ratings.clusters, "cluster")
    remark = f"{ratings.results} results in {clusters} (usually a cluster is a motion)."
    if has_intervals:
        remark += f" The {LEVEL_LABEL} intervals come from a bootstrap over clusters."
    elif ratings.clusters < 2:  # noqa: PLR2004 - one cluster says nothing about the spread of clusters
        remark += " Intervals need at least two clusters."
    yield remark
    if has_intervals and ratings.clusters < FEW_CLUSTERS:
        yield f"With fewer than {FEW_CLUSTERS} clusters, these intervals are usually too narrow."
    yield from ratings.notes


def format_share(found: Estimate) -> str:
    """Return a share with its interval: `63 % (51 to 74)`."""
    return _format_interval(found, 0, scale=100, unit=" %")


def _format_interval(found: Estimate, digits: int, *, scale: float = 1, unit: str = "") -> str:
    if found.value is None:
        return "—"
    value = f"{_signed(scale * found.value, digits)}{unit}"
    if found.low is None or found.high is None:
        return value
    return f"{value} ({_signed(scale * found.low, digits)} to {_signed(scale * found.high, digits)})"


def _signed(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0:.{digits}f}".replace("-", "−")


def _judges_table(found: SystemAnalysis) -> Table:
    columns: dict[str, Callable[[JudgeRecord], Cell]] = {
        "judge": lambda judge: judge.name or BASE_JUDGES,
        "verdicts": lambda judge: Number(judge.judgements, 0),
        "points for the motion": lambda judge: format_share(judge.first_share),
        "winner changes when the sides are exchanged": lambda judge: format_share(judge.swapped),
        "length ρ": lambda judge: _format_interval(judge.length, 2),
    }
    if any(judge.self_preference.value is not None for judge in found.judges):
        columns["self-preference"] = lambda judge: format_share(judge.self_preference)
    if any(judge.own_model for judge in found.judges):
        columns["verdicts on debates in which the judge's own model spoke"] = lambda judge: Number(judge.own_model, 0)
    remark = (
        "If every pair of players debated each motion twice, with exchanged sides, 50 % for the motion means no side bias. "
        "Length ρ: Spearman correlation of the margin with the ratio of the speeches' lengths."
    )
    return column_table("judges", found.judges, columns, [remark])


def _agreement_table(found: SystemAnalysis) -> Table:
    columns: dict[str, Callable[[PairAgreement], Cell]] = {
        "judges": lambda pair: f"{pair.first or BASE_JUDGES} and {pair.second or BASE_JUDGES}",
        "same result": lambda pair: format_share(pair.share),
        "interval": lambda pair: Interval(pair.share.value, pair.share.low, pair.share.high, 0, 1),
        "Cohen's κ": lambda pair: _format_interval(pair.kappa, 2),
    }
    remark = (
        f"Krippendorff's α over all judges: winners {_format_interval(found.alpha, 2)}, margins "
        f"{_format_interval(found.alpha_margin, 2)}. 1 is perfect agreement, 0 is agreement by chance."
    )
    return column_table("agreement", found.agreements, columns, [remark])


def _motions_table(found: SystemAnalysis) -> Table:
    columns: dict[str, Callable[[MotionRecord], Cell]] = {
        "motion": lambda record: record.topic,
        "for": lambda record: Gauge(record.first_share.value or 0.0, 1),
        "points for the motion": lambda record: format_share(record.first_share),
        "": lambda record: "one-sided" if record.is_one_sided else "",
    }
    left = len(found.motions) - MOTIONS_SHOWN
    remarks = (
        [f"Left out: {count_noun(left, 'motion')}. The table shows the motions with the shares furthest from 50 %."]
        if left > 0
        else []
    )
    return column_table("motions", found.motions[:MOTIONS_SHOWN], columns, remarks)


def _spending_table(title: str, unit: str, spent: Sequence[ParticipantSpending]) -> Table:
    def cost(each: ParticipantSpending, parts: int) -> str:
        return "unknown" if each.cost_usd is None else theme.format_cost(each.cost_usd / parts)

    columns: dict[str, Callable[[ParticipantSpending], Cell]] = {
        "who": lambda each: each.name,
        unit: lambda each: Number(each.count, 0),
        "cost": lambda each: cost(each, 1),
        "each": lambda each: cost(each, each.count),
        "tokens": lambda each: theme.format_count(each.tokens),
        "seconds each": lambda each: Number(each.seconds / each.count, 1),
    }
    return column_table(title, spent, columns)._replace(numeric=frozenset(range(1, len(columns))))


def matrix_rows(found: SystemAnalysis) -> list[tuple[str, list[Estimate | None]]]:
    """Return the rows of a matrix, as (player, shares). Rows and columns are in the order of the leaderboard.

    `shares` has one item per opponent: the share of points that `player` won against this opponent. An item is None if
    the two players have no debate, or are the same player.
    """
    names = [rating.name for rating in found.by_result.ratings]
    shares: dict[tuple[str, str], Estimate] = {}
    for pair in found.pairs:
        share = pair.share
        value, low, high = (None if end is None else 1 - end for end in (share.value, share.high, share.low))
        shares[pair.left, pair.right] = share
        shares[pair.right, pair.left] = Estimate(value, low, high, share.rows, share.clusters)
    return [(name, [shares.get((name, other)) for other in names]) for name in names]
