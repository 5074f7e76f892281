"""Analysis of an experiment's results: which player is stronger, how reliable the judges are, what it cost.

Everything is computed from tidy rows (`experiments.results`). Intervals are by a bootstrap over motions, so that both
side orders and all judges of a motion stay together. Each judgement counts with its weight, 1 / number of judges.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from debate_cli.experiments.definition import is_same_model
from debate_cli.experiments.results import MODEL_SEPARATOR, Judgement
from debate_cli.statistics.agreement import cohen_kappa, equal_share, krippendorff_alpha
from debate_cli.statistics.estimate import RESAMPLES, Estimate, cluster_rows, estimate, wilson_interval
from debate_cli.statistics.prediction import spearman_correlation
from debate_cli.statistics.ratings import Ratings, Result, rate

ONE_SIDED = 0.8
"""Share of wins of one side from which a motion is called one-sided, if the interval does not contain 0.5."""


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    r"""Results of one player.

    Attributes:
        name: The player.
        as_first: Share of points in debates where it spoke for the motion: 1 for a win, 0.5 for a draw.
        as_second: Share of points in debates where it spoke against the motion.
    """

    name: str
    as_first: Estimate
    as_second: Estimate


@dataclass(frozen=True, slots=True)
class PairRecord:
    """Results of one pair of players.

    Attributes:
        left: The player whose share is given.
        right: Its opponent.
        share: Share of points of `left`, 0 to 1.
    """

    left: str
    right: str
    share: Estimate


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """Record of one judge.

    Attributes:
        name: The judge; empty for the judges of the base.
        judgements: Number of judgements with a result.
        first_share: Share of points for the side for the motion, 0 to 1. If both orders were played, 0.5 means no side
            bias.
        swapped: Share of pairs of debates with exchanged sides that different players won, 0 to 1.
        length: Spearman's ρ between the logarithm of the ratio of lengths and the margin, −1 to 1.
        self_preference: Share of points for players of its own model, minus the share that other judges give them in
            the same debates. Debates in which both players have its model are left out. Its value is None if no debate
            is left.
    """

    name: str
    judgements: int
    first_share: Estimate
    swapped: Estimate
    length: Estimate
    self_preference: Estimate


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two judges on the debates that both judged."""

    first: str
    second: str
    kappa: Estimate
    share: Estimate


@dataclass(frozen=True, slots=True)
class MotionRecord:
    r"""Results of one motion over all players.

    Attributes:
        motion: Its id.
        topic: Its text.
        first_share: Share of points of the side for the motion, with the Wilson interval over its debates.
        is_one_sided: Whether one side gets at least 80 % and the interval does not contain 0.5.
    """

    motion: str
    topic: str
    first_share: Estimate
    is_one_sided: bool


@dataclass(frozen=True, slots=True)
class ParticipantSpending:
    r"""Usage of a player's speeches or a judge's verdicts.

    Attributes:
        name: The player or judge.
        count: Number of debates of the player, or of verdicts of the judge.
        cost_usd: Total cost; None if a price is not known.
        tokens: Total of input and output tokens.
        seconds: Total of the seconds that providers took.
    """

    name: str
    count: int
    cost_usd: float | None
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SystemAnalysis:
    """The results by one judging system.

    Attributes:
        system: The judging system.
        by_result: Ratings from wins, draws and losses.
        by_margin: Ratings from margins, scaled to values from 0 to 1; None if there are no margins.
        margin_scale: Margin that counts as a full win, in the points of the system.
        players: The players, in the order of `by_result`.
        pairs: Each pair that met, in both orders.
        judges: The judges, in the order of the rows.
        alpha: Krippendorff's α of the winners over all judges.
        alpha_margin: Krippendorff's α of the margins over all judges, at the interval level.
        agreements: One for each pair of judges.
        motions: The motions, one-sided ones first.
    """

    system: str
    by_result: Ratings
    by_margin: Ratings | None
    margin_scale: float
    players: tuple[PlayerRecord, ...]
    pairs: tuple[PairRecord, ...]
    judges: tuple[JudgeRecord, ...]
    alpha: Estimate
    alpha_margin: Estimate
    agreements: tuple[PairAgreement, ...]
    motions: tuple[MotionRecord, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    r"""The analysis of an experiment.

    Attributes:
        systems: One for each judging system, the deciding one first.
        players: Usage of the speeches.
        judges: Usage of the verdicts.
        undetermined: Number of judgements without a result.
        own_model: Number of judgements by a judge whose model spoke in the debate.
    """

    systems: tuple[SystemAnalysis, ...]
    players: tuple[ParticipantSpending, ...]
    judges: tuple[ParticipantSpending, ...]
    undetermined: int
    own_model: int


def analyze(rows: Sequence[Judgement], *, resamples: int = RESAMPLES, seed: int = 0) -> Analysis:
    """Analyze the rows of an experiment.

    Args:
        rows: All rows, of all judging systems.
        resamples: Resamples of each bootstrap.
        seed: Seed of the bootstraps.
    """
    counted = [row for row in rows if row.weight > 0]
    deciding = dict.fromkeys([row.system for row in counted if row.decides] + [row.system for row in counted])
    bootstrap = Bootstrap(resamples, seed)
    return Analysis(
        tuple(_analyze_system(name, [row for row in counted if row.system == name], bootstrap) for name in deciding),
        tuple(_speech_spending(rows)),
        tuple(_judge_spending(rows)),
        sum(row.weight == 0 for row in rows),
        sum(row.own_model for row in rows),
    )


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Settings of the bootstrap over motions."""

    resamples: int
    seed: int

    def over_motions(
        self, rows: Iterable[Judgement], statistic: Callable[[Sequence[Judgement]], float | None]
    ) -> Estimate:
        """The value of `statistic` for `rows`, with its interval."""
        clusters = cluster_rows(rows, lambda row: row.motion)
        return estimate(clusters, statistic, resamples=self.resamples, seed=self.seed)


def points_of_first(row: Judgement) -> float:
    """Result of the side for the motion: 1 for a win, 0.5 for a draw, 0 for a loss."""
    return {"first": 1.0, "second": 0.0}.get(row.result, 0.5)


def signed_margin(row: Judgement) -> float:
    """Points by which the side for the motion leads; negative if it trails."""
    if row.first_score is not None and row.second_score is not None:
        return row.first_score - row.second_score
    return (row.margin or 0.0) * {"first": 1, "second": -1}.get(row.result, 0)


def _analyze_system(system: str, rows: Sequence[Judgement], bootstrap: Bootstrap) -> SystemAnalysis:
    scale = max((abs(signed_margin(row)) for row in rows), default=0.0)
    different = [row for row in rows if row.first != row.second]
    by_result = rate(
        [Result(row.first, row.second, points_of_first(row), row.weight, row.motion) for row in different],
        resamples=bootstrap.resamples,
        seed=bootstrap.seed,
    )
    soft = (
        [
            Result(row.first, row.second, 0.5 + signed_margin(row) / (2 * scale), row.weight, row.motion)
            for row in different
        ]
        if scale
        else []
    )
    names = [rating.name for rating in by_result.ratings]
    judges = list(dict.fromkeys(row.judge or "" for row in rows))
    votes = _votes_by_debate(rows)
    return SystemAnalysis(
        system,
        by_result,
        rate(soft, resamples=bootstrap.resamples, seed=bootstrap.seed) if soft else None,
        scale,
        tuple(_player_record(name, rows, bootstrap) for name in names),
        tuple(_pair_records(names, different, bootstrap)),
        tuple(_judge_record(judge, rows, bootstrap) for judge in judges),
        _agreement(votes, bootstrap, lambda units: krippendorff_alpha([_winners(unit) for unit in units])),
        _agreement(votes, bootstrap, lambda units: krippendorff_alpha([_margins(unit) for unit in units], "interval")),
        tuple(_pair_agreements(judges, votes, bootstrap)),
        tuple(_motion_records(rows)),
    )


def _weighted_mean(pairs: Sequence[tuple[float, float]]) -> float | None:
    total = math.fsum(weight for _, weight in pairs)
    return math.fsum(value * weight for value, weight in pairs) / total if total else None


def _player_record(name: str, rows: Sequence[Judgement], bootstrap: Bootstrap) -> PlayerRecord:
    as_first = [row for row in rows if row.first == name]
    as_second = [row for row in rows if row.second == name]
    return PlayerRecord(
        name,
        bootstrap.over_motions(as_first, _share_of_first),
        bootstrap.over_motions(as_second, lambda found: _complement(_share_of_first(found))),
    )


def _share_of_first(rows: Sequence[Judgement]) -> float | None:
    return _weighted_mean([(points_of_first(row), row.weight) for row in rows])


def _complement(share: float | None) -> float | None:
    return None if share is None else 1 - share


def _pair_records(names: Sequence[str], rows: Sequence[Judgement], bootstrap: Bootstrap) -> Iterable[PairRecord]:
    for left, right in combinations(names, 2):
        met = [row for row in rows if {row.first, row.second} == {left, right}]
        if met:
            share = bootstrap.over_motions(met, lambda found, left=left: _share_of(left, found))
            yield PairRecord(left, right, share)


def _share_of(name: str, rows: Sequence[Judgement]) -> float | None:
    return _weighted_mean(
        [(points_of_first(row) if row.first == name else 1 - points_of_first(row), row.weight) for row in rows]
    )


def _judge_record(judge: str, rows: Sequence[Judgement], bootstrap: Bootstrap) -> JudgeRecord:
    own = [row for row in rows if (row.judge or "") == judge]
    return JudgeRecord(
        judge,
        len(own),
        bootstrap.over_motions(own, lambda found: _weighted_mean([(points_of_first(row), 1) for row in found])),
        bootstrap.over_motions(own, _inconsistency),
        bootstrap.over_motions(own, _length_correlation),
        _self_preference(judge, rows, bootstrap),
    )


def _inconsistency(rows: Sequence[Judgement]) -> float | None:
    """Share of the pairs of debates with exchanged sides that different players won. A draw counts as different."""
    by_match: dict[tuple[object, ...], list[Judgement]] = defaultdict(list)
    for row in rows:
        if row.first != row.second:
            players = tuple(sorted((row.first, row.second)))
            by_match[row.motion, row.repeat, players, str(sorted(row.axes.items()))].append(row)
    pairs = [
        (one.winner, other.winner)
        for match in by_match.values()
        for one, other in combinations(match, 2)
        if one.first == other.second
    ]
    return _complement(equal_share(pairs))


def _length_correlation(rows: Sequence[Judgement]) -> float | None:
    return spearman_correlation(
        [
            (math.log(row.first_words / row.second_words), signed_margin(row))
            for row in rows
            if row.first_words and row.second_words
        ]
    )


def _self_preference(judge: str, rows: Sequence[Judgement], bootstrap: Bootstrap) -> Estimate:
    mine = [row for row in rows if (row.judge or "") == judge and row.own_model]
    is_first_own = {
        row.cell: is_first
        for row in mine
        if (is_first := _speaks(row, row.first_model)) != _speaks(row, row.second_model)
    }
    own = [row for row in mine if row.cell in is_first_own]
    others = [row for row in rows if row.cell in is_first_own and (row.judge or "") != judge and not row.own_model]
    if not own or not others:
        return Estimate(None)
    return bootstrap.over_motions([*own, *others], lambda found: _difference_of_own(judge, is_first_own, found))


def _difference_of_own(judge: str, is_first_own: Mapping[str, bool], rows: Sequence[Judgement]) -> float | None:
    """Mean points that `judge` gives the player with its own model, minus those that other judges give this player.

    `is_first_own`: debate -> whether the first player has the judge's model.
    """

    def share(found: Iterable[Judgement]) -> float | None:
        return _weighted_mean(
            [(points_of_first(row) if is_first_own[row.cell] else 1 - points_of_first(row), 1.0) for row in found]
        )

    mine = share(row for row in rows if (row.judge or "") == judge)
    theirs = share(row for row in rows if (row.judge or "") != judge)
    return None if mine is None or theirs is None else mine - theirs


def _speaks(row: Judgement, player_model: str) -> bool:
    return any(
        is_same_model(judge, model)
        for judge in row.judge_model.split(MODEL_SEPARATOR)
        for model in player_model.split(MODEL_SEPARATOR)
    )


Votes = Mapping[str, Mapping[str, Judgement]]
"""Debate -> judge -> the judge's judgement of this debate."""


def _votes_by_debate(rows: Iterable[Judgement]) -> Votes:
    found: dict[str, dict[str, Judgement]] = defaultdict(dict)
    for row in rows:
        found[row.cell][row.judge or ""] = row
    return found


def _winners(unit: Mapping[str, Judgement]) -> dict[str, str]:
    return {judge: row.result for judge, row in unit.items()}


def _margins(unit: Mapping[str, Judgement]) -> dict[str, float]:
    return {judge: signed_margin(row) for judge, row in unit.items()}


def _agreement(
    votes: Votes, bootstrap: Bootstrap, statistic: Callable[[Sequence[Mapping[str, Judgement]]], float | None]
) -> Estimate:
    clusters = cluster_rows(votes.values(), lambda unit: next(iter(unit.values())).motion)
    return estimate(clusters, statistic, resamples=bootstrap.resamples, seed=bootstrap.seed)


def _pair_agreements(judges: Sequence[str], votes: Votes, bootstrap: Bootstrap) -> Iterable[PairAgreement]:
    for first, second in combinations(judges, 2):
        both = {cell: unit for cell, unit in votes.items() if first in unit and second in unit}

        def pairs(
            units: Sequence[Mapping[str, Judgement]], first: str = first, second: str = second
        ) -> list[tuple[str, str]]:
            return [(unit[first].result, unit[second].result) for unit in units]

        if both:
            yield PairAgreement(
                first,
                second,
                _agreement(both, bootstrap, lambda units, pairs=pairs: cohen_kappa(pairs(units))),
                _agreement(both, bootstrap, lambda units, pairs=pairs: equal_share(pairs(units))),
            )


def _motion_records(rows: Sequence[Judgement]) -> list[MotionRecord]:
    found: list[MotionRecord] = []
    for group in cluster_rows(rows, lambda row: row.motion):
        debates = cluster_rows(group, lambda row: row.cell)
        shares = [_share_of_first(debate) or 0.0 for debate in debates]
        share = sum(shares) / len(shares)
        low, high = wilson_interval(sum(shares), len(shares))
        one_sided = max(share, 1 - share) >= ONE_SIDED and not low <= 0.5 <= high  # noqa: PLR2004 - equal chances
        value = Estimate(share, low, high, len(shares), len(shares))
        found.append(MotionRecord(group[0].motion, group[0].topic, value, one_sided))
    return sorted(found, key=lambda record: -abs((record.first_share.value or 0.0) - 0.5))


def _speech_spending(rows: Sequence[Judgement]) -> list[ParticipantSpending]:
    debates = {row.cell: row for row in rows}.values()
    found: dict[str, list[tuple[float | None, int, float]]] = defaultdict(list)
    for row in debates:
        found[row.first].append((row.first_cost_usd, row.first_tokens, row.first_seconds))
        found[row.second].append((row.second_cost_usd, row.second_tokens, row.second_seconds))
    return [_add_up(name, uses) for name, uses in sorted(found.items())]


def _judge_spending(rows: Sequence[Judgement]) -> list[ParticipantSpending]:
    found: dict[str, list[tuple[float | None, int, float]]] = defaultdict(list)
    for row in rows:
        found[f"{row.judge or 'judges of the base'}, {row.system}"].append((row.cost_usd, row.tokens, row.seconds))
    return [_add_up(name, uses) for name, uses in found.items()]


def _add_up(name: str, uses: Sequence[tuple[float | None, int, float]]) -> ParticipantSpending:
    costs = [cost for cost, _, _ in uses]
    known = [cost for cost in costs if cost is not None]
    return ParticipantSpending(
        name,
        len(uses),
        math.fsum(known) if len(known) == len(costs) else None,
        sum(tokens for _, tokens, _ in uses),
        math.fsum(seconds for _, _, seconds in uses),
    )
