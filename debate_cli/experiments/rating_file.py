"""Reads results of pairs of players from a CSV file, for `debate experiment rate`."""

import math
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from debate_cli.csv_file import read_csv_file
from debate_cli.errors import UsageError
from debate_cli.statistics.ratings import PairResult

MAX_BYTES = 500_000_000
COLUMNS = ("left", "right", "score", "margin", "cluster", "judge", "side")
SIDES = ("left", "right", "none", "")


class RatingFile(NamedTuple):
    """The results in a CSV file."""

    results: tuple[PairResult, ...]
    """Results of the rows. A row with `none` in the column `side` gives two results, each with half the weight of the
    row. Each other row gives one result."""
    margin_scale: float | None
    """Largest margin in the file, which counts as a full win. None if the file has scores instead of margins."""
    clusters: str
    """How rows are grouped for the bootstrap, in words: `column cluster` (rows with the same value in this column form
    a group) or `each row by itself`."""


class _Row(NamedTuple):
    left: str
    right: str
    value: float
    is_margin: bool
    cluster: str
    judge: str
    side: str


def read_rating_file(path: Path) -> RatingFile:
    """Read a CSV file with the columns `left` and `right`, and with a column for the result.

    The result is in the column `score` (0 to 1) or in the column `margin` (positive if `left` leads). If the file has
    both columns, one of them must be empty in all rows.

    Optional columns:
        cluster: name of a group of rows, e.g. a motion. Without this column, each row is a group.
        judge: name of the judge. If several judges have rows with the same `left`, `right`, `cluster` and `side`,
            the weight of each of these rows is 1 divided by the number of judges. All other rows have the weight 1.
        side: player who spoke first: `left`, `right`, or `none` if not known. The default is `left`.

    Raises:
        UsageError: the file cannot be read, a column is missing or unknown, or a value is wrong.
    """
    rows = _read_rows(path)
    scale = max(abs(row.value) for row in rows) if rows[0].is_margin else None
    if scale == 0:
        raise UsageError(
            f"{path}: every margin is 0, so the players cannot be rated; correct the margins, or use another file"
        )
    matches = [(row.left, row.right, row.cluster or f"row {number}", row.side) for number, row in enumerate(rows)]
    judges: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row, match in zip(rows, matches, strict=True):
        judges[match].add(row.judge)
    results: list[PairResult] = []
    for row, match in zip(rows, matches, strict=True):
        score = row.value if scale is None else 0.5 + row.value / (2 * scale)
        cluster, weight = match[2], 1 / len(judges[match])
        if row.side == "none":  # half the weight in each order, so that the result does not affect the side term
            weight /= 2
        if row.side != "right":
            results.append(PairResult(row.left, row.right, score, weight, cluster))
        if row.side in {"right", "none"}:
            results.append(PairResult(row.right, row.left, 1 - score, weight, cluster))
    named = any(row.cluster for row in rows)
    return RatingFile(tuple(results), scale, "column cluster" if named else "each row by itself")


def _read_rows(path: Path) -> list[_Row]:
    columns, rows = read_csv_file(path, MAX_BYTES, str(path))
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown:
        raise UsageError(
            f"{path}: has the unknown column {unknown[0]!r}; remove it, or rename it to one of {', '.join(COLUMNS)}"
        )
    missing = [name for name in ("left", "right") if name not in columns]
    if missing or not {"score", "margin"} & set(columns):
        wanted = f"`{missing[0]}`" if missing else "`score` or `margin`"
        raise UsageError(
            f"{path}: has no column {wanted}; the file needs the columns `left`, `right`, and `score` (0 to 1) or `margin`"
        )
    found = [_parse(path, line, row) for line, row in rows]
    if not found:
        raise UsageError(f"{path}: has no results below its header; add a row for each result")
    if len({row.is_margin for row in found}) > 1:
        raise UsageError(
            f"{path}: some rows have a score and others a margin; give every row a score, or every row a margin"
        )
    return found


def _read_number(place: str, column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (column == "score" and not 0 <= value <= 1):
        expected = "a number from 0 to 1" if column == "score" else "a number"
        raise UsageError(f"{place}: `{column}` must be {expected}, not {text!r}")
    return value


def _parse(path: Path, line: int, row: Mapping[str, str]) -> _Row:
    fields = {name: row.get(name, "").strip() for name in COLUMNS}
    if not fields["left"] or not fields["right"] or fields["left"] == fields["right"]:
        raise UsageError(f"{path}:{line}: the row needs two different players; correct `left` and `right`")
    if not fields["score"] and not fields["margin"]:
        given = " or ".join(f"`{name}`" for name in ("score", "margin") if name in row)
        raise UsageError(f"{path}:{line}: the row has no result; write a number in {given}")
    if fields["score"] and fields["margin"]:
        raise UsageError(f"{path}:{line}: the row has both a `score` and a `margin`; remove one of these columns")
    is_margin = not fields["score"]
    column = "margin" if is_margin else "score"
    value = _read_number(f"{path}:{line}", column, fields[column])
    if fields["side"] not in SIDES:
        raise UsageError(f"{path}:{line}: `side` must be `left`, `right` or `none`, not {fields['side']!r}")
    cluster, judge, side = (fields[name] for name in ("cluster", "judge", "side"))
    return _Row(fields["left"], fields["right"], value, is_margin, cluster, judge, side)
