"""Computes the ratings of an experiment's players, the reliability of its judges, and the cost.

Intervals come from a bootstrap over motions. Exception: a share of points on a single motion has a Wilson interval.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from debate_cli.app.score_records import MODEL_SEPARATOR
from debate_cli.experiments.definition import is_same_model
from debate_cli.experiments.progress import BASE_JUDGES
from debate_cli.experiments.results import JudgementRow
from debate_cli.statistics.agreement import (
    PairAgreement,
    RatedItem,
    compare_pairs,
    equal_share,
    krippendorff_alpha,
    spearman_correlation,
)
from debate_cli.statistics.estimate import RESAMPLES, Estimate, cluster_rows, estimate, wilson_interval
from debate_cli.statistics.ratings import PairResult, Ratings, rate

ONE_SIDED = 0.8
"""Share of the points (0-1) that one side must get to make a motion one-sided."""


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """Share of the possible points that one player won. A win gives 1 point, and a draw 0.5."""

    name: str
    as_first: Estimate
    """Share of points in debates where the player spoke for the motion, 0 to 1."""
    as_second: Estimate
    """Share of points in debates where the player spoke against the motion, 0 to 1."""


@dataclass(frozen=True, slots=True)
class PairRecord:
    """Result of all debates between two players."""

    left: str
    right: str
    share: Estimate
    """Share of points of the player `left` in the debates of the pair, 0 to 1. A draw gives each player half a point."""


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """Reliability of one judge."""

    name: str
    """Name of the judge. Empty for the judges of the base configuration."""
    judgements: int
    """Number of the judge's judgements that name a winner or a draw."""
    first_share: Estimate
    """Share of points that the judge gives to the side for the motion, 0 to 1. If every pair of players also debated
    with exchanged sides, 0.5 means no bias."""
    swapped: Estimate
    """Share of pairs of debates, 0 to 1, for which the judge gives two different results. A result is the name of the
    winner, or a draw. The two debates of a pair have the same motion and players, with exchanged sides."""
    length: Estimate
    """Spearman's ρ between length and score, -1 to 1. Above 0, the side with more words tends to get the higher score.
    Length: words of the side for the motion, divided by words of the side against it. Score: see `signed_margin`."""
    self_preference: Estimate
    """Share of points that the judge gives to players with the judge's own model, minus the share that judges with
    other models give these players. Uses only debates in which exactly one player has the judge's model. The estimate's
    `value` is None if no judge with another model judged these debates."""
    own_model: int
    """Number of the judge's judgements on debates in which a player has the judge's model."""


@dataclass(frozen=True, slots=True)
class MotionRecord:
    """Result of all debates on one motion."""

    motion: str
    """Id of the motion."""
    topic: str
    first_share: Estimate
    """Share of points of the side for the motion, with its Wilson interval."""
    is_one_sided: bool
    """Whether one side gets at least 80 % of the points, and the interval of `first_share` excludes 0.5."""


@dataclass(frozen=True, slots=True)
class ParticipantSpending:
    """Cost, tokens and seconds of a player's speeches or of a judge's verdicts."""

    name: str
    count: int
    """Number of the player's debates or of the judge's verdicts."""
    cost_usd: float | None
    """Total cost in US dollars. None if the price of a call is unknown."""
    tokens: int
    """Total of input and output tokens."""
    seconds: float
    """Total seconds that providers took to answer."""


@dataclass(frozen=True, slots=True)
class FailedJudgements:
    """Failed judgements with the same judge, the same judging system and the same cause."""

    judge: str
    """Name of the judge. Empty for the judges of the base configuration."""
    system: str
    cause: str
    """`abstained`, or the name of an error, e.g. `UnauthorizedError`."""
    count: int


@dataclass(frozen=True, slots=True)
class SystemAnalysis:
    """Results according to one judging system."""

    system: str
    by_result: Ratings
    """Ratings from wins, draws and losses."""
    by_margin: Ratings | None
    """Ratings from margins instead of wins. None if no debate has a margin."""
    margin_scale: float
    """Largest margin of the experiment, in points. In `by_margin`, this margin counts as a full win."""
    players: tuple[PlayerRecord, ...]
    """The players, the strongest first."""
    pairs: tuple[PairRecord, ...]
    judges: tuple[JudgeRecord, ...]
    alpha: Estimate
    """Krippendorff's α of the winners that the judges name."""
    alpha_margin: Estimate
    """Krippendorff's α of the judges' margins, which are compared as numbers (interval level)."""
    agreements: tuple[PairAgreement, ...]
    motions: tuple[MotionRecord, ...]
    """The motions, the most one-sided first."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis of an experiment."""

    systems: tuple[SystemAnalysis, ...]
    """Results according to each judging system. The system that decides the winner comes first."""
    players: tuple[ParticipantSpending, ...]
    """Each player, with the cost of the player's speeches."""
    judges: tuple[ParticipantSpending, ...]
    """Each judge, with the cost of the judge's verdicts."""
    undetermined: int
    """Number of judgements that name neither a winner nor a draw."""
    failed: tuple[FailedJudgements, ...]
    """Judgements that failed, grouped by judge, system and cause. The largest group comes first."""
    own_model: int
    """Number of judgements on debates in which a player and the judge are the same model."""


def analyze(rows: Sequence[JudgementRow], *, resamples: int = RESAMPLES) -> Analysis:
    """Analyze the judgements of an experiment, separately for each judging system.

    `resamples`: number of random samples from which each interval is computed.
    """
    counted = [row for row in rows if row.weight > 0]
    systems = dict.fromkeys([row.system for row in counted if row.decides] + [row.system for row in counted])
    bootstrap = _Bootstrap(resamples)
    debates = {row.cell: row for row in rows}.values()
    firsts = [(row.first, row.first_cost_usd, row.first_tokens, row.first_seconds) for row in debates]
    seconds = [(row.second, row.second_cost_usd, row.second_tokens, row.second_seconds) for row in debates]
    return Analysis(
        tuple(_analyze_system(name, [row for row in counted if row.system == name], bootstrap) for name in systems),
        _add_up(sorted((*firsts, *seconds), key=lambda use: use[0])),
        _add_up((f"{row.judge or BASE_JUDGES}, {row.system}", row.cost_usd, row.tokens, row.seconds) for row in rows),
        sum(row.weight == 0 for row in rows),
        tuple(
            FailedJudgements(*key, count)
            for key, count in Counter(
                (row.judge or "", row.system, row.failure) for row in rows if row.failure is not None
            ).most_common()
        ),
        sum(row.own_model for row in rows),
    )


@dataclass(frozen=True, slots=True)
class _Bootstrap:
    resamples: int

    def over_motions(
        self, rows: Iterable[JudgementRow], statistic: Callable[[Sequence[JudgementRow]], float | None]
    ) -> Estimate:
        clusters = cluster_rows(rows, lambda row: row.motion)
        return estimate(clusters, statistic, resamples=self.resamples)

    def mean(self, rows: Iterable[JudgementRow], points: Callable[[JudgementRow], float]) -> Estimate:
        return self.over_motions(rows, lambda found: _mean([(points(row), row.weight) for row in found]))

    def rate(self, rows: Iterable[JudgementRow], score: Callable[[JudgementRow], float]) -> Ratings:
        results = [PairResult(row.first, row.second, score(row), row.weight, row.motion) for row in rows]
        return rate(results, resamples=self.resamples)


def points_of_first(row: JudgementRow) -> float:
    """Return the points of the side for the motion: 1 for a win, 0.5 for a draw, 0 for a loss."""
    return {"first": 1.0, "second": 0.0}.get(row.result, 0.5)


def _points_of_second(row: JudgementRow) -> float:
    return 1 - points_of_first(row)


def signed_margin(row: JudgementRow) -> float:
    """Return the score of the side for the motion, minus the score of the side against the motion."""
    if row.first_score is not None and row.second_score is not None:
        return row.first_score - row.second_score
    return (row.margin or 0.0) * {"first": 1, "second": -1}.get(row.result, 0)


def _mean(pairs: Sequence[tuple[float, float]]) -> float | None:
    total = math.fsum(weight for _, weight in pairs)
    return math.fsum(value * weight for value, weight in pairs) / total if total else None


def _analyze_system(system: str, rows: Sequence[JudgementRow], bootstrap: _Bootstrap) -> SystemAnalysis:
    scale = max((abs(signed_margin(row)) for row in rows), default=0.0)
    different = [row for row in rows if row.first != row.second]
    by_result = bootstrap.rate(different, points_of_first)
    by_margin = None
    if scale and different:
        by_margin = bootstrap.rate(different, lambda row: 0.5 + signed_margin(row) / (2 * scale))
    names = [rating.name for rating in by_result.ratings]
    results, margins = _group_by_debate(rows, lambda row: row.result), _group_by_debate(rows, signed_margin)
    return SystemAnalysis(
        system,
        by_result,
        by_margin,
        scale,
        tuple(
            PlayerRecord(
                name,
                bootstrap.mean([row for row in rows if row.first == name], points_of_first),
                bootstrap.mean([row for row in rows if row.second == name], _points_of_second),
            )
            for name in names
        ),
        tuple(_pair_records(names, different, bootstrap)),
        tuple(_judge_record(judge, rows, bootstrap) for judge in dict.fromkeys(row.judge or "" for row in rows)),
        estimate(results, krippendorff_alpha, resamples=bootstrap.resamples),
        estimate(margins, partial(krippendorff_alpha, level="interval"), resamples=bootstrap.resamples),
        compare_pairs(results, resamples=bootstrap.resamples),
        tuple(_motion_records(rows)),
    )


def _group_by_debate(
    rows: Sequence[JudgementRow], value: Callable[[JudgementRow], str | float]
) -> list[list[RatedItem]]:
    return [
        [{row.judge or "": value(row) for row in debate} for debate in cluster_rows(motion, lambda row: row.cell)]
        for motion in cluster_rows(rows, lambda row: row.motion)
    ]


def _pair_records(names: Sequence[str], rows: Sequence[JudgementRow], bootstrap: _Bootstrap) -> Iterator[PairRecord]:
    for left, right in combinations(names, 2):
        met = [row for row in rows if {row.first, row.second} == {left, right}]

        def points(row: JudgementRow, left: str = left) -> float:
            return points_of_first(row) if row.first == left else _points_of_second(row)

        if met:
            yield PairRecord(left, right, bootstrap.mean(met, points))


def _judge_record(judge: str, rows: Sequence[JudgementRow], bootstrap: _Bootstrap) -> JudgeRecord:
    own = [row for row in rows if (row.judge or "") == judge]
    return JudgeRecord(
        judge,
        len(own),
        bootstrap.over_motions(own, lambda found: _mean([(points_of_first(row), 1) for row in found])),
        bootstrap.over_motions(own, _inconsistency),
        bootstrap.over_motions(own, _length_correlation),
        _self_preference(judge, rows, bootstrap),
        sum(row.own_model for row in own),
    )


def _inconsistency(rows: Sequence[JudgementRow]) -> float | None:
    by_match: dict[tuple[object, ...], list[JudgementRow]] = defaultdict(list)
    for row in rows:
        if row.first != row.second:
            players = tuple(sorted((row.first, row.second)))
            by_match[row.motion, row.repeat, players, str(sorted(row.axes.items()))].append(row)
    share = equal_share(
        [
            (one.winner, other.winner)
            for match in by_match.values()
            for one, other in combinations(match, 2)
            if one.first == other.second
        ]
    )
    return None if share is None else 1 - share


def _length_correlation(rows: Sequence[JudgementRow]) -> float | None:
    return spearman_correlation(
        [
            (math.log(row.first_words / row.second_words), signed_margin(row))
            for row in rows
            if row.first_words and row.second_words
        ]
    )


def _self_preference(judge: str, rows: Sequence[JudgementRow], bootstrap: _Bootstrap) -> Estimate:
    points_of_own_model: dict[str, Callable[[JudgementRow], float]] = {}
    for row in rows:
        if (row.judge or "") == judge and row.own_model:
            is_first, is_second = (_has_model(row.judge_model, model) for model in (row.first_model, row.second_model))
            if is_first != is_second:
                points_of_own_model[row.cell] = points_of_first if is_first else _points_of_second
    counted = [
        row for row in rows if row.cell in points_of_own_model and ((row.judge or "") == judge or not row.own_model)
    ]
    if len({(row.judge or "") == judge for row in counted}) < 2:  # noqa: PLR2004 - the judge and another one
        return Estimate(None)

    def difference(found: Sequence[JudgementRow]) -> float | None:
        mine = _mean([(points_of_own_model[row.cell](row), 1.0) for row in found if (row.judge or "") == judge])
        theirs = _mean([(points_of_own_model[row.cell](row), 1.0) for row in found if (row.judge or "") != judge])
        return None if mine is None or theirs is None else mine - theirs

    return bootstrap.over_motions(counted, difference)


def _has_model(judge_models: str, player_models: str) -> bool:
    return any(
        is_same_model(judge, player)
        for judge in judge_models.split(MODEL_SEPARATOR)
        for player in player_models.split(MODEL_SEPARATOR)
    )


def _motion_records(rows: Sequence[JudgementRow]) -> list[MotionRecord]:
    found: list[MotionRecord] = []
    for group in cluster_rows(rows, lambda row: row.motion):
        debates = cluster_rows(group, lambda row: row.cell)
        shares = [_mean([(points_of_first(row), row.weight) for row in debate]) or 0.0 for debate in debates]
        share = sum(shares) / len(shares)
        low, high = wilson_interval(sum(shares), len(shares))
        one_sided = max(share, 1 - share) >= ONE_SIDED and not low <= 0.5 <= high  # noqa: PLR2004 - equal chances
        value = Estimate(share, low, high, len(shares), len(shares))
        found.append(MotionRecord(group[0].motion, group[0].topic, value, one_sided))
    return sorted(found, key=lambda record: -abs((record.first_share.value or 0.0) - 0.5))


def _add_up(uses: Iterable[tuple[str, float | None, int, float]]) -> tuple[ParticipantSpending, ...]:
    found: dict[str, list[tuple[float | None, int, float]]] = defaultdict(list)
    for name, cost, tokens, seconds in uses:
        found[name].append((cost, tokens, seconds))
    return tuple(
        ParticipantSpending(
            name,
            len(each),
            None if any(cost is None for cost, _, _ in each) else math.fsum(cost or 0 for cost, _, _ in each),
            sum(tokens for _, tokens, _ in each),
            math.fsum(seconds for _, _, seconds in each),
        )
        for name, each in found.items()
    )
