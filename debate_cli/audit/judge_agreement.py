"""Compares several audited judges: how much they agree, and how much better their majority is than the best of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from debate_cli.audit.judging import Judgement, JudgeName
from debate_cli.audit.labels import DRAW, WinnerLabel, majority_winner, score_hit
from debate_cli.statistics.agreement import cohen_kappa, equal_share, krippendorff_alpha
from debate_cli.statistics.estimate import Estimate, estimate, mean


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Agreement of two judges on the winners of the unchanged debates.

    Attributes:
        first: Model of the first judge.
        second: Model of the second judge.
        kappa: Cohen's κ.
        share: Share of debates with the same winner, 0 to 1.
    """

    first: str
    second: str
    kappa: Estimate
    share: Estimate


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    r"""Several judges on the same debates.

    Attributes:
        alpha: Krippendorff's α of the winners that the judges name.
        pairs: The agreement of each pair of judges.
        best: Model of the judge that names the labelled winner most often; empty without labels.
        majority: Share of debates in which the majority of the judges names the labelled winner.
        gain: `majority` minus the share of the best judge.
    """

    alpha: Estimate
    pairs: tuple[JudgePair, ...]
    best: str
    majority: Estimate
    gain: Estimate


Votes = Mapping[str, str]
"""The votes on one debate: model of a judge -> the winner that it names most often, or `draw`."""
LABEL = ""
"""Key of the labelled winner in `Votes`; no model has this name."""


def compare_judges(
    judgements: Iterable[Judgement],
    judges: Sequence[JudgeName],
    labels: Sequence[WinnerLabel],
    *,
    resamples: int = 1000,
) -> JudgeAgreement | None:
    """Compare judges on the unchanged debates that all of them judged; None for one judge, or if there is no such debate."""
    models = [judge.model for judge in judges]
    votes = _votes(judgements, models)
    if len(models) < 2 or not votes:  # noqa: PLR2004 - agreement needs two judges
        return None

    def measured(rows: Sequence[Votes], statistic: Callable[[Sequence[Votes]], float | None]) -> Estimate:
        return estimate([[row] for row in rows], statistic, resamples=resamples)

    pairs = tuple(
        _compare_pair(first, second, list(votes.values()), measured) for first, second in combinations(models, 2)
    )
    labelled = {
        debate: majority_winner([label.winner for label in labels if label.debate == debate]) for debate in votes
    }
    rows = [{**vote, LABEL: label} for debate, vote in votes.items() if (label := labelled[debate]) is not None]
    best = max(models, key=lambda model: _accuracy(rows, model) or 0.0) if rows else ""
    return JudgeAgreement(
        measured(list(votes.values()), krippendorff_alpha),
        pairs,
        best,
        measured(rows, lambda found: _majority_accuracy(found, models)),
        measured(rows, lambda found: _gain(found, models, best)),
    )


def _compare_pair(
    first: str,
    second: str,
    rows: Sequence[Votes],
    measured: Callable[[Sequence[Votes], Callable[[Sequence[Votes]], float | None]], Estimate],
) -> JudgePair:
    def pairs(found: Sequence[Votes]) -> list[tuple[str, str]]:
        return [(vote[first], vote[second]) for vote in found]

    return JudgePair(
        first,
        second,
        measured(rows, lambda found: cohen_kappa(pairs(found))),
        measured(rows, lambda found: equal_share(pairs(found))),
    )


def _votes(judgements: Iterable[Judgement], models: Sequence[str]) -> dict[str, Votes]:
    found: dict[str, dict[str, list[str]]] = {}
    for judgement in judgements:
        if judgement.case.variant == "repeat" and judgement.points:
            by_judge = found.setdefault(judgement.case.base, {})
            by_judge.setdefault(judgement.judge.model, []).append(judgement.verdict.winner or DRAW)
    return {
        debate: {model: majority_winner(given) or DRAW for model, given in by_judge.items()}
        for debate, by_judge in found.items()
        if set(by_judge) >= set(models)
    }


def _accuracy(rows: Sequence[Votes], model: str) -> float | None:
    return mean([score_hit(row[model], row[LABEL]) for row in rows])


def _majority_accuracy(rows: Sequence[Votes], models: Sequence[str]) -> float | None:
    return mean([score_hit(majority_winner([row[model] for model in models]) or DRAW, row[LABEL]) for row in rows])


def _gain(rows: Sequence[Votes], models: Sequence[str], best: str) -> float | None:
    majority, alone = _majority_accuracy(rows, models), _accuracy(rows, best)
    return None if majority is None or alone is None else majority - alone
