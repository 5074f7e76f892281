"""Verdicts of many files as JSON, JSON lines, CSV and tables, with their gates."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from pydantic_core import to_json

from debate_cli.app.score import ScoredFile
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.agreement import label_listed_verdict
from debate_cli.systems.tables import VOTE_BADGES, Cell, Number, Table, TableRow, Who

SCORE_COLUMNS = ("path", "id", "topic", "status", "system", "run", "winner", "victory", "margin", "decides", "scores")
_VERDICT_FIELDS = {"system", "run", "winner", "victory", "margin", "decides", "scores"}
_VOTE_NOTES = ("option", "weights")
"""Notes of a vote that its outcome needs."""
MAX_PATH_LENGTH = 32
"""Characters of a path in a table; its end is kept."""
_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")


class SystemSummary(NamedTuple):
    """Totals of one system over all files."""

    system: str
    verdicts: int
    wins: dict[str, int]
    """Wins per participant, most first."""
    options: dict[str, int]
    """Verdicts per option, most first, for votes without a winner."""
    draws: int
    undetermined: int
    mean_margin: float | None
    """Over the determined verdicts; None without any."""

    @property
    def counted(self) -> tuple[tuple[str, int], ...]:
        """Wins, then votes."""
        return (*self.wins.items(), *self.options.items())


def dump_scores_json(files: Iterable[ScoredFile]) -> Iterator[str]:
    """One JSON array of `{path, id, topic, status, verdicts}`, in the order given.

    It comes piece by piece, so that no more than one file is in memory.
    """
    return join_json_array(map(dump_file_json, files))


def dump_file_json(file: ScoredFile) -> str:
    """One file as a member of such an array."""
    document = {"path": _replace_invalid_utf8(file.path), "id": file.id, "topic": file.topic, "status": file.status}
    return to_json(document | {"verdicts": file.verdicts}, indent=1).decode()


def join_json_array(members: Iterable[str]) -> Iterator[str]:
    """Join serialized members to a JSON array."""
    separator = "[\n"
    for member in members:
        yield separator + member
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def drop_notes(file: ScoredFile) -> ScoredFile:
    """Drop the notes of all verdicts, except what the outcome of a vote needs."""
    return file._replace(verdicts=tuple(map(_drop_verdict_notes, file.verdicts)))


def _drop_verdict_notes(verdict: Verdict) -> Verdict:
    kept = {name: verdict.notes.get(name) for name in _VOTE_NOTES} if verdict.notes.get("option") else {}
    return verdict.model_copy(update={"notes": kept})


def score_rows(files: Iterable[ScoredFile]) -> Iterator[dict[str, Any]]:
    """One row per verdict with the keys COLUMNS, in the order given."""
    for file in files:
        for verdict in file.verdicts:
            found = verdict.model_dump(mode="json", include=_VERDICT_FIELDS)
            found |= {"path": file.path, "id": file.id, "topic": file.topic, "status": file.status}
            yield {column: found[column] for column in SCORE_COLUMNS}


def dump_jsonl(files: Iterable[ScoredFile]) -> Iterator[str]:
    """One JSON document per row and line."""
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in score_rows(files))


def dump_file_jsonl(file: ScoredFile) -> str:
    """The rows of one file as lines of JSON."""
    return "".join(dump_jsonl([file]))


def csv_header() -> str:
    """The CSV header; the column `scores` holds JSON."""
    return ",".join(SCORE_COLUMNS) + "\n"


def dump_file_csv(file: ScoredFile) -> str:
    """The rows of one file as CSV. Text that a spreadsheet would run as a formula is prefixed with `'`."""
    return _format_csv([_csv_cell(row[column]) for column in SCORE_COLUMNS] for row in score_rows([file]))


def dump_sanitized_csv(file: ScoredFile) -> str:
    """The rows of one file as CSV for a terminal: cells sanitized, each on one line."""
    return _format_csv(
        [sanitize.sanitize_line(_csv_cell(row[column])) for column in SCORE_COLUMNS] for row in score_rows([file])
    )


def _format_csv(cells: Iterable[Sequence[str]]) -> str:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(cells)
    return lines.getvalue()


def summarize_systems(files: Iterable[ScoredFile]) -> list[SystemSummary]:
    """Wins, votes, draws and mean margin per system, in order of first occurrence."""
    grouped: dict[str, list[Verdict]] = defaultdict(list)
    for file in files:
        for verdict in file.verdicts:
            grouped[verdict.system].append(verdict)
    return [_summarize_system(system, verdicts) for system, verdicts in grouped.items()]


def _summarize_system(system: str, verdicts: Sequence[Verdict]) -> SystemSummary:
    margins = [verdict.margin for verdict in verdicts if verdict.margin is not None]
    wins = Counter(verdict.winner for verdict in verdicts if verdict.winner is not None)
    options = Counter[str](verdict.option for verdict in verdicts if verdict.option is not None)
    undetermined = sum(verdict.victory == "undetermined" for verdict in verdicts)
    return SystemSummary(
        system=system,
        verdicts=len(verdicts),
        wins=_sort_by_count(wins),
        options=_sort_by_count(options),
        draws=len(verdicts) - wins.total() - options.total() - undetermined,
        undetermined=undetermined,
        mean_margin=round(fmean(margins), 9) if margins else None,
    )


def build_score_tables(files: Sequence[ScoredFile]) -> list[Table]:
    """A row per verdict; for several files, a summary per system as well."""
    rows = [row for file in files for row in _verdict_rows(file)]
    found = [
        Table(
            title="scores",
            heads=("file", "system", "winner", "victory", "margin", "scores"),
            rows=tuple(rows),
            has_key_column=True,
        )
    ]
    if len(files) > 1:
        summary = tuple(
            (
                item.system,
                " · ".join(f"{name} {count}" for name, count in item.counted) or "—",
                Number(item.draws, 0),
                Number(item.undetermined, 0),
                Number(item.mean_margin),
            )
            for item in summarize_systems(files)
        )
        heads = ("system", "wins", "draws", "undetermined", "mean margin")
        found.append(Table(f"summary of {len(files)} files", heads, summary, numeric=frozenset({2, 3, 4})))
    return found


def _verdict_rows(file: ScoredFile) -> Iterator[TableRow]:
    """The verdicts of a file; only the first row names the file."""
    path = file.path if len(file.path) <= MAX_PATH_LENGTH else f"…{file.path[1 - MAX_PATH_LENGTH :]}"
    for number, verdict in enumerate(file.verdicts):
        ranked = sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
        yield (
            "" if number else path,
            label_listed_verdict(verdict, file.verdicts),
            _winner_cell(verdict),
            verdict.victory,
            theme.format_margin(verdict).removesuffix(" points") or "—",
            " · ".join(f"{name} {theme.format_number(score)}" for name, score in ranked),
        )


def _winner_cell(verdict: Verdict) -> Cell:
    if verdict.option is not None:
        return VOTE_BADGES[verdict.option]
    return "draw" if verdict.victory == "draw" else Who(verdict.winner)


def _sort_by_count(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _replace_invalid_utf8(path: str) -> str:
    """Replace bytes of a file name that are no valid UTF-8 with question marks."""
    return path.encode(errors="replace").decode()


def _csv_cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case dict():
            return json.dumps(value, ensure_ascii=False)
        case bool():
            return str(value).lower()
        case str():
            return f"'{value}" if value.startswith(_FORMULA_PREFIXES) else value
        case _:
            return str(value)
