"""Compares a judge's winners with known winners and with baselines, and compares several judges.

A baseline is a rule that names a winner without a model, e.g. `longer side`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from debate_cli.audit.judging import Judgement, JudgeName
from debate_cli.audit.labels import DRAW, WinnerLabel, majority_winner
from debate_cli.domain.debate import Debate
from debate_cli.evidence.unspaced_scripts import count_words
from debate_cli.statistics.agreement import (
    CalibrationBin,
    PairAgreement,
    brier_score,
    calibration_bins,
    cohen_kappa,
    compare_pairs,
    debates_to_tell_apart,
    krippendorff_alpha,
    log_score,
    root_mean_square_error,
)
from debate_cli.statistics.estimate import Estimate, cluster_rows, estimate, mean_or_none

COIN = 0.5
BASELINES = ("majority", "longer side", "last speaker", "coin")
"""Names of the baselines. `majority` gives each debate the most frequent label, and `coin` chooses by chance."""
FIRST, SECOND = "first", "second"
_RESERVED_JUDGE_NAME = "judge\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How well a judge agrees with labels, which are known winners of debates.

    In a stored audit, the fields with defaults may be missing.
    """

    source: str = ""
    """Source of the labels: `by construction` (shipped debates), `reviews` (by people), or the path of a file."""
    debates: int = 0
    """Number of debates that have a label and a judgement."""
    motions: int = 0
    """Number of motions of the compared debates. The intervals come from a bootstrap over motions."""
    accuracy: Estimate
    """Share of debates in which the judge names the labelled winner, 0 to 1. A debate counts as one half if only the
    judge or only the label says `draw`."""
    baselines: Mapping[str, Estimate] = field(default_factory=dict[str, Estimate])
    """Maps the names of baselines, e.g. `longer side`, to their accuracy."""
    best_baseline: str = ""
    """Name of the baseline with the highest accuracy."""
    lead: Estimate
    """Accuracy of the judge, minus the accuracy of the best baseline, -1 to 1."""
    needed: int | None = None
    """Approximate number of debates needed to show that the judge and the best baseline differ in accuracy, with as many
    debates per motion as now. None if both have the same accuracy, or if all debates have the same motion."""
    kappa: Estimate
    """Cohen's κ of the judge and the labels: 1 is perfect agreement, 0 is agreement by chance."""
    alpha_people: Estimate = field(default=Estimate(None))
    """Krippendorff's α of the raters who gave the labels. The estimate's `value` is None if there is only one rater."""
    alpha_with_judge: Estimate
    """Krippendorff's α of the judge together with the raters who gave the labels."""
    brier: Estimate
    """Brier score of probabilities that are computed from the judge's margins. 0 is best, 1 is worst."""
    log_score: Estimate
    """Logarithmic score of probabilities that are computed from the judge's margins. 0 is best, greater is worse."""
    score_error: Estimate
    """Root mean square difference between the judge's points and the raters' points. The estimate's `value` is None if
    no rater gave points, or if the scale of the judge's scores is unknown."""
    calibration: tuple[CalibrationBin, ...] = ()
    """Debates grouped by the probability that the first debater wins. The probability comes from the judge's
    margin."""


class _Row(NamedTuple):
    motion: str
    label: str
    """The known winner: `first`, `second` or `draw`."""
    winners: dict[str, str]
    """Maps `judge` and the names of baselines to the winners that they name, in the same form as `label`."""
    first_wins_chance: float | None
    """Probability that the first debater wins, 0 to 1, computed from the judge's margin. None if the scale of the
    judge's scores is unknown."""
    score_pairs: list[tuple[float, float]]
    ratings: dict[str, str]

    @property
    def forecasts(self) -> list[tuple[float, float]]:
        chance = self.first_wins_chance
        return [] if chance is None else [(chance, score_hit(FIRST, self.label))]

    @property
    def ratings_with_judge(self) -> dict[str, str]:
        return {**self.ratings, _RESERVED_JUDGE_NAME: self.winners["judge"]}

    def hit(self, who: str) -> float:
        return COIN if who == "coin" else score_hit(self.winners[who], self.label)


def score_hit(said: str, label: str) -> float:
    """Return 1 if the judge's winner `said` is the known winner `label`, 0.5 if only one of them is `draw`, else 0."""
    return 1.0 if said == label else 0.5 if DRAW in {said, label} else 0.0


def to_position(winner: str, debate: Debate) -> str:
    """Return `first` or `second` for the name of the debate's first or second debater, else `winner` itself.

    κ and α need the same categories in all debates, and the names differ between debates.
    """
    first, second = debate.participants
    return {second.name: SECOND, first.name: FIRST}.get(winner, winner)


def compare_with_labels(
    judgements: Iterable[Judgement], labels: Sequence[WinnerLabel], source: str, *, resamples: int = 1000
) -> Comparison | None:
    """Compare one judge's judgements with labels. Return None if no judged debate has a label.

    Judgements of changed copies of a debate are ignored.

    `source`: where the labels come from. `resamples`: number of random samples from which each interval is computed.
    """
    rows = _labelled_rows(judgements, labels)
    if not rows:
        return None

    clusters = cluster_rows(rows, lambda row: row.motion)

    def measured(statistic: Callable[[Sequence[_Row]], float | None]) -> Estimate:
        return estimate(clusters, statistic, resamples=resamples)

    def accuracy(who: str) -> Estimate:
        return measured(lambda drawn: mean_or_none([row.hit(who) for row in drawn]))

    baselines = {name: accuracy(name) for name in BASELINES}
    best = max(BASELINES, key=lambda name: baselines[name].value or 0.0)
    return Comparison(
        source=source,
        debates=len(rows),
        motions=len(clusters),
        accuracy=accuracy("judge"),
        baselines=baselines,
        best_baseline=best,
        lead=measured(lambda drawn: mean_or_none([row.hit("judge") - row.hit(best) for row in drawn])),
        needed=debates_to_tell_apart([[row.hit("judge") - row.hit(best) for row in cluster] for cluster in clusters]),
        kappa=measured(lambda drawn: cohen_kappa([(row.winners["judge"], row.label) for row in drawn])),
        alpha_people=measured(lambda drawn: krippendorff_alpha([row.ratings for row in drawn])),
        alpha_with_judge=measured(lambda drawn: krippendorff_alpha([row.ratings_with_judge for row in drawn])),
        brier=measured(lambda drawn: brier_score([pair for row in drawn for pair in row.forecasts])),
        log_score=measured(lambda drawn: log_score([pair for row in drawn for pair in row.forecasts])),
        score_error=measured(lambda drawn: root_mean_square_error([pair for row in drawn for pair in row.score_pairs])),
        calibration=calibration_bins([pair for row in rows for pair in row.forecasts]),
    )


def _labelled_rows(judgements: Iterable[Judgement], labels: Sequence[WinnerLabel]) -> list[_Row]:
    rows = [
        _row(group, given)
        for name, group in group_unchanged(judgements).items()
        if (given := [label for label in labels if label.debate == name])
    ]
    if rows:
        _add_majority(rows)
    return rows


def _add_majority(rows: Sequence[_Row]) -> None:
    """Add the answer of the baseline `majority` to each row: the most frequent label of all rows."""
    answer = Counter(row.label for row in rows).most_common(1)[0][0]
    for row in rows:
        row.winners["majority"] = answer


def group_unchanged(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Map the id of each debate to its judgements.

    Left out: undetermined judgements, and judgements of changed copies of the debate.
    """
    found: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if judgement.case.variant == "repeat" and judgement.is_determined:
            found.setdefault(judgement.case.base, []).append(judgement)
    return found


def longer_side(debate: Debate, factor: float = 1.0) -> str | None:
    """Return the debater with more than `factor` times the words of the other debater; None if there is no such debater."""
    words = Counter({participant.name: 0 for participant in debate.participants})
    for turn in debate.turns:
        words[turn.speaker] += count_words(turn.text)
    (longest, most), (_, second), *_ = words.most_common()
    return longest if most > factor * second else None


def _row(group: Sequence[Judgement], labels: Sequence[WinnerLabel]) -> _Row:
    debate = group[0].case.debate
    first, second = (participant.name for participant in debate.participants)
    has_points = all(judged.points for judged in group)
    means = {name: sum(judged.points[name] for judged in group) / len(group) for name in (first, second) if has_points}
    ratings = {label.rater: to_position(label.winner, debate) for label in labels}
    return _Row(
        motion=group[0].case.motion,
        label=majority_winner([*ratings.values()]),
        winners={
            "judge": _vote(group),
            "longer side": to_position(longer_side(debate) or DRAW, debate),
            "last speaker": to_position(debate.turns[-1].speaker, debate),
        },
        first_wins_chance=0.5 + (means[first] - means[second]) / 200 if means else None,
        score_pairs=[(means[name], value) for label in labels for name, value in label.points if name in means],
        ratings=ratings,
    )


def _vote(group: Sequence[Judgement]) -> str:
    return majority_winner([to_position(judged.verdict.winner or DRAW, judged.case.debate) for judged in group])


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of several judges on the debates that all of them judged. Changed copies of a debate do not count."""

    alpha: Estimate
    """Krippendorff's α of the winners that the judges name."""
    pairs: tuple[PairAgreement, ...]
    best: str
    """Model of the judge with the highest accuracy. Empty without labels."""
    majority: Estimate
    """Accuracy of a majority vote of the judges on each debate, 0 to 1."""
    gain: Estimate
    """Accuracy of the majority vote (`majority`) minus the accuracy of the best judge, -1 to 1."""


class _VoteRow(NamedTuple):
    motion: str
    votes: dict[str, str]
    """Maps each judge's model to the judge's most frequent result of the debate: `first`, `second` or `draw`."""
    label: str | None
    """The known winner: `first`, `second` or `draw`. None if the debate has no label."""

    def hit(self, model: str = "") -> float:
        """Return 1 if a judge's winner is the known winner `label`, 0.5 if only one of them is `draw`, else 0.

        `model`: model of the judge. If `model` is empty, the winner in a majority vote of all judges is compared.
        """
        said = self.votes[model] if model else majority_winner([*self.votes.values()])
        return score_hit(said, self.label or "")


def compare_judges(
    judgements: Sequence[Judgement],
    judges: Sequence[JudgeName],
    labels: Sequence[WinnerLabel],
    *,
    resamples: int = 1000,
) -> JudgeAgreement | None:
    """Compare judges on the debates that all of them judged. Judgements of changed copies of a debate are ignored.

    Return None for fewer than two judges, or if there is no debate that all judges judged.
    """
    models = [judge.model for judge in judges]
    rows = _vote_rows(judgements, models, labels)
    if len(models) < 2 or not rows:  # noqa: PLR2004 - agreement needs two judges
        return None
    labelled_rows = [row for row in rows if row.label is not None]
    labelled = cluster_rows(labelled_rows, lambda row: row.motion)
    clusters = [[row.votes for row in cluster] for cluster in cluster_rows(rows, lambda row: row.motion)]

    def accuracy(drawn: Sequence[_VoteRow], model: str = "") -> float:
        return mean_or_none([row.hit(model) for row in drawn]) or 0.0

    best = max(models, key=lambda model: accuracy(labelled_rows, model)) if labelled_rows else ""
    return JudgeAgreement(
        alpha=estimate(clusters, krippendorff_alpha, resamples=resamples),
        pairs=compare_pairs(clusters, resamples=resamples),
        best=best,
        majority=estimate(labelled, accuracy, resamples=resamples),
        gain=estimate(labelled, lambda drawn: accuracy(drawn) - accuracy(drawn, best), resamples=resamples),
    )


def _vote_rows(judgements: Sequence[Judgement], models: Sequence[str], labels: Sequence[WinnerLabel]) -> list[_VoteRow]:
    by_model = {model: group_unchanged(each for each in judgements if each.judge.model == model) for model in models}
    rows: list[_VoteRow] = []
    for name, (first, *_) in by_model[models[0]].items():
        if all(name in groups for groups in by_model.values()):
            said = [to_position(label.winner, first.case.debate) for label in labels if label.debate == name]
            votes = {model: _vote(groups[name]) for model, groups in by_model.items()}
            rows.append(_VoteRow(first.case.motion, votes, majority_winner(said) if said else None))
    return rows
