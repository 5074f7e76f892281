"""Reads labels (known winners of debates) from a CSV file, from reviews, or from the shipped debates."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from debate_cli.audit.debates import AuditDebate
from debate_cli.audit.judging import to_points
from debate_cli.csv_file import read_csv_file
from debate_cli.errors import UsageError

DRAW = "draw"
BY_CONSTRUCTION = "by construction"
"""Source of the labels of the shipped debates, which were written with a known winner."""
MAX_LABEL_BYTES = 50_000_000
MAX_POINTS = 100
"""In a CSV file of labels, a rater gives each debater a number of points from 0 to MAX_POINTS."""
NAMED_IDS = 8
"""Maximum number of debate ids in an error message."""


@dataclass(frozen=True, slots=True)
class WinnerLabel:
    """The winner of one debate according to one rater."""

    debate: str
    """Id of the debate."""
    winner: str
    """Name of the winner, or `draw`. If the rater gave only scores, the debater with the highest score. Empty if the
    rater gave neither a winner nor two scores."""
    rater: str = "people"
    """Name of the rater. A debate has at most one label per rater."""
    points: tuple[tuple[str, float], ...] = ()
    """Pairs of a debater's name and the rater's points, 0 to 100. Empty if the rater gave no points, or if the rater
    reviewed the debate with another judging system than that of the audited judges."""


class LabelSet(NamedTuple):
    """The labels of an audit, and where they come from."""

    labels: Sequence[WinnerLabel]
    source: str
    """Source of the labels: `by construction` (shipped debates), `reviews` (by people), or the path of a file."""
    unknown: int = 0
    """Number of labels that name neither a debater nor `draw`, and are therefore left out."""


def majority_winner(winners: Sequence[str]) -> str:
    """Return the most frequent of `winners`, which must not be empty. Return `draw` if several are equally frequent."""
    (first, most), *others = Counter(winners).most_common()
    return DRAW if others and others[0][1] == most else first


def read_labels(path: Path) -> list[WinnerLabel]:
    """Read labels from a CSV file.

    Columns:
        id: id of the debate.
        winner: name of the winner, or `draw`. A column `score_NAME` for each debater may replace this column.
        score_NAME: points of the debater NAME, 0 to 100.
        rater: name of the rater. This column may be missing. Each row without a name counts as a separate rater.

    Raises:
        UsageError: the file cannot be read, a column is missing, a row is wrong, or a rater rates a debate twice.
    """
    columns, rows = read_csv_file(path, MAX_LABEL_BYTES, f"--labels {path}")
    score_columns = [name for name in columns if name.startswith("score_")]
    if "id" not in columns or ("winner" not in columns and len(score_columns) < 2):  # noqa: PLR2004 - two sides
        raise UsageError(
            f"--labels {path}: needs the columns `id` and `winner`, or `id` and a column `score_NAME` for each side; "
            f"its columns are: {', '.join(columns) or 'none'}"
        )
    labels: list[WinnerLabel] = []
    lines: dict[tuple[str, str], int] = {}
    unnamed = Counter[str]()
    for line, row in rows:
        label = _read_label(f"--labels {path}:{line}", row, score_columns)
        if not label.rater:
            unnamed[label.debate] += 1
            label = replace(label, rater=f"unnamed rater {unnamed[label.debate]}")
        before = lines.setdefault((label.debate, label.rater), line)
        if before != line:
            raise UsageError(
                f"--labels {path}:{line}: the rater {label.rater!r} has rated {label.debate} already, in line {before}; "
                "remove one of the two rows"
            )
        labels.append(label)
    return labels


def _read_label(place: str, row: Mapping[str, str], score_columns: Sequence[str]) -> WinnerLabel:
    values = {name: value.strip() for name, value in row.items()}
    points = tuple(
        (name.removeprefix("score_"), _read_points(place, name, values[name]))
        for name in score_columns
        if values.get(name)
    )
    if not values.get("id"):
        raise UsageError(f"{place}: `id` is empty; write the id of a debate")
    winner = values.get("winner", "")
    if not winner and len(points) > 1:
        (first, highest), (_, second), *_ = sorted(points, key=lambda pair: -pair[1])
        winner = DRAW if highest == second else first
    return WinnerLabel(values["id"], winner, values.get("rater", ""), points)


def _read_points(place: str, column: str, text: str) -> float:
    try:
        points = float(text)
    except ValueError:
        points = math.nan
    if not 0 <= points <= MAX_POINTS:  # nan is in no range
        raise UsageError(
            f"{place}: `{column}` must be points from 0 to {MAX_POINTS}, not {text!r}; convert scores from other scales to points"
        )
    return points


def select_usable(labels: Iterable[WinnerLabel], debates: Iterable[AuditDebate]) -> tuple[list[WinnerLabel], int]:
    """Return the usable labels of `debates`, and the number of unusable labels.

    A label is usable if its winner is a debater or `draw`.

    Raises:
        UsageError: no label belongs to one of `debates`, or no label is usable.
    """
    names = {each.debate.id: [person.name for person in each.debate.participants] for each in debates}
    labelled = [label for label in labels if label.debate in names]
    if not labelled:
        known = ", ".join([*names][:NAMED_IDS])
        more = ", …" if len(names) > NAMED_IDS else ""
        raise UsageError(
            f"--labels: the file labels none of the audited debates; write their ids in the column `id`: {known}{more}"
        )
    usable = [label for label in labelled if label.winner in {*names[label.debate], DRAW}]
    if not usable:
        label = labelled[0]
        raise UsageError(
            f"--labels: the label of {label.debate} names {label.winner!r}, but no debater has this name; write "
            f"{', '.join(names[label.debate])} or {DRAW}"
        )
    return usable, len(labelled) - len(usable)


def labels_by_construction(debates: Iterable[AuditDebate]) -> list[WinnerLabel]:
    """Return a label for each debate whose better side is known."""
    return [
        WinnerLabel(each.debate.id, each.better_debater or DRAW, BY_CONSTRUCTION) for each in debates if each.has_label
    ]


def labels_from_reviews(debates: Iterable[AuditDebate], system: str) -> list[WinnerLabel]:
    """Return one label (known winner) per debate and person, from the person's newest review of the debate.

    `system`: judging system of the audited judges. If a review used another system, the field `points` of its label is
    empty.
    """
    found: dict[tuple[str, str], WinnerLabel] = {}
    for each in debates:
        for verdict, rater in each.reviews:
            points = to_points(verdict) if verdict.system == system else {}
            label = WinnerLabel(each.debate.id, verdict.winner or DRAW, rater, tuple(points.items()))
            found[each.debate.id, rater] = label
    return list(found.values())
