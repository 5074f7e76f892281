"""Compares a judge with people, and with simple rules that need no judge.

A label is the known winner of a debate. It comes from people (a CSV file, or reviews in the transcripts); the shipped
debates were written with a known winner.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from debate_cli.audit.debates import AuditDebate
from debate_cli.audit.judging import Judgement
from debate_cli.domain.debate import Debate
from debate_cli.errors import UsageError
from debate_cli.statistics.agreement import cohen_kappa, krippendorff_alpha
from debate_cli.statistics.estimate import Estimate, cluster_rows, estimate, mean
from debate_cli.statistics.prediction import (
    CalibrationBin,
    brier_score,
    calibration_bins,
    debates_to_tell_apart,
    log_score,
    root_mean_square_error,
)
from debate_cli.storage.csv_file import read_csv_file

DRAW = "draw"
BY_CONSTRUCTION = "by construction"
"""`LabelSet.source` for the shipped debates, whose winners were decided when they were written."""
COIN = 0.5
MAX_LABEL_BYTES = 50_000_000
BASELINES = ("majority", "longer side", "last speaker", "coin")


@dataclass(frozen=True, slots=True)
class WinnerLabel:
    r"""One rater's judgment of one debate.

    Attributes:
        debate: Id of the debate.
        winner: Name of the winner, or `draw`; computed if the rater gave only scores; empty if unknown.
        rater: Name of the rater.
        scores: Score of each side, if the rater gave any.
    """

    debate: str
    winner: str
    rater: str = "people"
    scores: tuple[tuple[str, float], ...] = ()


class LabelSet(NamedTuple):
    """The labels of an audit."""

    labels: Sequence[WinnerLabel]
    """All labels; may be empty."""
    source: str
    """Source of the labels: `by construction`, `reviews`, or a file."""
    unknown: int = 0
    """Number of labels that were left out because they name no debater."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How well a judge agrees with the labels.

    Attributes:
        source: Source of the labels, as in `LabelSet`.
        debates: Number of debates with a label and a judgement.
        accuracy: Share of the debates in which the judge names the labelled winner, 0 to 1. If only one of judge and
            label says `draw`, the debate counts a half.
        baselines: Accuracy of each rule that needs no judge.
        best_baseline: Name of the rule with the highest accuracy.
        lead: Accuracy of the judge minus that of the best baseline.
        needed: About how many debates are needed to confirm a lead of this size; None if there is no lead.
        kappa: Cohen's κ between judge and labels.
        alpha_people: Krippendorff's α among the raters; its value is None with one rater.
        alpha_with_judge: Krippendorff's α among the raters and the judge.
        brier: Brier score of the judge's margin taken as a probability, 0 (best) to 1.
        log_score: Mean negative logarithm of the probability that the judge's margin gives to the labelled winner.
        score_error: Root mean square difference between the judge's points per 100 and the scores in the labels; its value
            is None if the labels have no scores.
        calibration: The forecasts (probability that the first side wins), grouped by probability.
    """

    source: str
    debates: int
    accuracy: Estimate
    baselines: Mapping[str, Estimate]
    best_baseline: str
    lead: Estimate
    needed: int | None
    kappa: Estimate
    alpha_people: Estimate
    alpha_with_judge: Estimate
    brier: Estimate
    log_score: Estimate
    score_error: Estimate
    calibration: tuple[CalibrationBin, ...] = ()


@dataclass(frozen=True, slots=True)
class _Row:
    """One debate: its label, the winner by the judge, and the winner by each rule."""

    debate: str
    label: str
    sides: tuple[str, str]
    judge: str
    chance: float
    """The judge's margin as the probability that the first side wins, 0 to 1."""
    rules: Mapping[str, str]
    errors: tuple[tuple[float, float], ...] = ()
    ratings: tuple[tuple[str, str], ...] = ()


def read_labels(path: Path) -> list[WinnerLabel]:
    """Read a CSV file with the columns `id`, `winner` (a name or `draw`) or one `score_NAME` per side, and `rater`.

    Raises:
        UsageError: the file cannot be read, a column is missing, or a line has no id. The message names file and line.
    """
    columns, rows = read_csv_file(path, MAX_LABEL_BYTES, f"--labels {path}")
    score_columns = [name for name in columns if name.startswith("score_")]
    if "id" not in columns or ("winner" not in columns and len(score_columns) < 2):  # noqa: PLR2004 - two sides
        raise UsageError(
            f"--labels {path}: needs the columns id and winner (or id and a column score_NAME for each side), has "
            f"{', '.join(columns) or 'none'}"
        )
    return [_read_label(path, line, row, score_columns) for line, row in rows]


def _read_label(path: Path, line: int, row: Mapping[str, str | None], score_columns: Sequence[str]) -> WinnerLabel:
    try:
        scores = tuple((name.removeprefix("score_"), float(row[name] or "")) for name in score_columns if row.get(name))
    except ValueError as error:
        raise UsageError(f"--labels {path}:{line}: a score is not a number ({error})") from error
    winner = (row.get("winner") or "").strip()
    if not winner and len(scores) > 1:
        ranked = sorted(scores, key=lambda score: -score[1])
        winner = DRAW if ranked[0][1] == ranked[1][1] else ranked[0][0]
    if not (row.get("id") or "").strip():
        raise UsageError(f"--labels {path}:{line}: has no id; write the id of a debate")
    return WinnerLabel((row["id"] or "").strip(), winner, (row.get("rater") or "people").strip(), scores)


def compare_with_labels(
    judgements: Iterable[Judgement], labels: Sequence[WinnerLabel], source: str, *, resamples: int = 1000
) -> Comparison | None:
    """Compare a judge's judgements of the unchanged debates with labels; None if no debate has both.

    Args:
        judgements: The judgements of one judge. Several of one debate count as one, with the mean margin.
        labels: One per rater and debate.
        source: Where the labels come from.
        resamples: Number of resamples of the bootstrap, which draws debates.
    """
    unchanged = [judgement for judgement in judgements if judgement.case.variant == "repeat" and judgement.points]
    by_debate = {group[0].case.base: group for group in cluster_rows(unchanged, lambda judged: judged.case.base)}
    rows = [
        _row(group, [label for label in labels if label.debate == name])
        for name, group in by_debate.items()
        if any(label.debate == name for label in labels)
    ]
    if not rows:
        return None
    majority = _majority_place(rows)
    clusters = [[_with_majority(row, majority)] for row in rows]
    flat = [row for cluster in clusters for row in cluster]

    def measured(statistic: Callable[[Sequence[_Row]], float | None]) -> Estimate:
        return estimate(clusters, statistic, resamples=resamples)

    baselines = {name: measured(partial(_rule_accuracy, rule=name)) for name in BASELINES}
    best = max(BASELINES, key=lambda name: baselines[name].value or 0.0)
    differences = [score_hit(row.judge, row.label) - _rule_hit(row, best) for row in flat]
    return Comparison(
        source,
        len(rows),
        measured(lambda rows: mean([score_hit(row.judge, row.label) for row in rows])),
        baselines,
        best,
        measured(lambda rows: mean([score_hit(row.judge, row.label) - _rule_hit(row, best) for row in rows])),
        debates_to_tell_apart(differences),
        measured(lambda rows: cohen_kappa([(row.judge, row.label) for row in rows])),
        measured(lambda rows: krippendorff_alpha([dict(row.ratings) for row in rows])),
        measured(lambda rows: krippendorff_alpha([{**dict(row.ratings), "judge\0": row.judge} for row in rows])),
        measured(lambda rows: brier_score([_forecast(row) for row in rows])),
        measured(lambda rows: log_score([_forecast(row) for row in rows])),
        measured(lambda rows: root_mean_square_error([pair for row in rows for pair in row.errors])),
        calibration_bins([_forecast(row) for row in flat]),
    )


def _row(group: Sequence[Judgement], labels: Sequence[WinnerLabel]) -> _Row:
    debate = group[0].case.debate
    first, second = (participant.name for participant in debate.participants)
    margin = sum(judged.points[first] - judged.points[second] for judged in group) / len(group)
    judge = majority_winner([judged.verdict.winner or DRAW for judged in group]) or DRAW
    label = majority_winner([label.winner for label in labels]) or DRAW
    means = {name: sum(judged.points[name] for judged in group) / len(group) for name in (first, second)}
    errors = tuple((means[name], value) for label_ in labels for name, value in label_.scores if name in means)
    return _Row(
        debate.id.removesuffix("--repeat"),
        label,
        (first, second),
        judge,
        0.5 + margin / 200,
        {"longer side": _longer(debate), "last speaker": debate.turns[-1].speaker},
        errors,
        tuple((label_.rater, label_.winner) for label_ in labels),
    )


def _longer(debate: Debate) -> str:
    words = Counter[str]()
    for turn in debate.turns:
        words[turn.speaker] += len(turn.text.split())
    ranked = words.most_common()
    return DRAW if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0][0]


def _majority_place(rows: Sequence[_Row]) -> int | None:
    """Position (0 or 1) of the debater whom most labels name; None if most are draws."""
    counted = Counter(row.sides.index(row.label) if row.label in row.sides else None for row in rows)
    return counted.most_common(1)[0][0]


def _with_majority(row: _Row, place: int | None) -> _Row:
    rules = {**row.rules, "majority": DRAW if place is None else row.sides[place]}
    return _Row(row.debate, row.label, row.sides, row.judge, row.chance, rules, row.errors, row.ratings)


def majority_winner(winners: Sequence[str]) -> str | None:
    """The most frequent winner; `draw` if several are equally frequent, None if `winners` is empty."""
    counted = Counter(winners).most_common()
    if not counted:
        return None
    return counted[0][0] if len(counted) == 1 or counted[0][1] > counted[1][1] else DRAW


def score_hit(said: str, label: str) -> float:
    """1 if both name the same winner or both say `draw`, 0.5 if only one says `draw`, 0 if the winners differ."""
    return 1.0 if said == label else 0.5 if DRAW in {said, label} else 0.0


def _rule_hit(row: _Row, rule: str) -> float:
    return COIN if rule == "coin" else score_hit(row.rules[rule], row.label)


def _rule_accuracy(rows: Sequence[_Row], *, rule: str) -> float | None:
    return mean([_rule_hit(row, rule) for row in rows])


def _forecast(row: _Row) -> tuple[float, float]:
    return row.chance, 0.5 if row.label == DRAW else float(row.label == row.sides[0])


def select_usable(labels: Iterable[WinnerLabel], debates: Iterable[AuditDebate]) -> tuple[list[WinnerLabel], int]:
    r"""The labels of `debates` whose winner is a debater or `draw`, and the number of labels that are left out.

    Raises:
        UsageError: there are labels, but none of them is usable.
    """
    names = {each.debate.id: [person.name for person in each.debate.participants] for each in debates}
    ours = [label for label in labels if label.debate in names]
    usable = [label for label in ours if label.winner in {*names[label.debate], DRAW}]
    if ours and not usable:
        label = ours[0]
        raise UsageError(
            f"--labels: the winner of {label.debate} is {label.winner!r}, who is not one of its debaters; write "
            f"{', '.join(names[label.debate])} or {DRAW}"
        )
    return usable, len(ours) - len(usable)


def labels_by_construction(debates: Iterable[AuditDebate]) -> list[WinnerLabel]:
    """A label for each debate whose better side is known."""
    return [WinnerLabel(each.debate.id, each.better or DRAW, BY_CONSTRUCTION) for each in debates if each.is_known]


def labels_from_reviews(debates: Iterable[AuditDebate]) -> list[WinnerLabel]:
    """Labels from `debate review`: one per debate and person, by the newest review."""
    found: dict[tuple[str, str], WinnerLabel] = {}
    for each in debates:
        for verdict, rater in each.reviews:
            found[each.debate.id, rater] = WinnerLabel(
                each.debate.id, verdict.winner or DRAW, rater, tuple(verdict.scores.items())
            )
    return list(found.values())
