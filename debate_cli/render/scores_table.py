"""Verdicts of many files as rows: for JSON, JSON lines, CSV, and for a table that is drawn elsewhere. No Rich."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from pydantic_core import to_json

from debate_cli.domain.verdict import Verdict
from debate_cli.render import hostile

COLUMNS = ("path", "id", "topic", "status", "system", "run", "winner", "victory", "margin", "decides", "scores")
_OF_VERDICT = {"system", "run", "winner", "victory", "margin", "decides", "scores"}
_VOTE = ("option", "weights")
"""What a panel's notes are kept for: its outcome is not told without them."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Scored(NamedTuple):
    """One file with its verdicts."""

    path: str
    id: str
    topic: str
    status: str
    verdicts: tuple[Verdict, ...]
    text: str | None = None
    """Name of the text that a panel judged; None for a debate. No document has it."""


class SystemSummary(NamedTuple):
    """What the verdicts of one system come to over all files."""

    system: str
    verdicts: int
    wins: dict[str, int]
    """Wins per participant, most first."""
    options: dict[str, int]
    """Where a panel's vote names no winner: verdicts per option, most first."""
    draws: int
    undetermined: int
    mean_margin: float | None
    """Over the determined verdicts; None without any."""

    @property
    def counted(self) -> tuple[tuple[str, int], ...]:
        """Wins, then votes."""
        return (*self.wins.items(), *self.options.items())


def json_document(files: Iterable[Scored]) -> Iterator[str]:
    """One JSON array of `{path, id, topic, status, verdicts}`, in the order given.

    It comes piece by piece, so that no more than one file is in memory.
    """
    return json_array(map(as_json, files))


def as_json(file: Scored) -> str:
    """One file as a member of such an array."""
    document = {"path": _utf8(file.path), "id": file.id, "topic": file.topic, "status": file.status}
    return to_json(document | {"verdicts": file.verdicts}, indent=1).decode()


def json_array(members: Iterable[str]) -> Iterator[str]:
    """An array of members that are JSON already."""
    separator = "[\n"
    for member in members:
        yield separator + member
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def without_notes(file: Scored) -> Scored:
    """The file without how its scores came about, but with what a panel voted: all that a table of many needs."""
    return file._replace(verdicts=tuple(map(_short, file.verdicts)))


def _short(verdict: Verdict) -> Verdict:
    kept = {name: verdict.notes[name] for name in _VOTE if name in verdict.notes} if verdict.system == "panel" else {}
    return verdict.model_copy(update={"notes": kept})


def rows(files: Iterable[Scored]) -> Iterator[dict[str, Any]]:
    """One row per verdict with the keys COLUMNS, in the order given."""
    for file in files:
        for verdict in file.verdicts:
            found = verdict.model_dump(mode="json", include=_OF_VERDICT)
            found |= {"path": file.path, "id": file.id, "topic": file.topic, "status": file.status}
            yield {column: found[column] for column in COLUMNS}


def jsonl(files: Iterable[Scored]) -> Iterator[str]:
    """The rows as JSON, one a line."""
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows(files))


def as_jsonl(file: Scored) -> str:
    """The rows of one file as lines of JSON."""
    return "".join(jsonl([file]))


def csv_head() -> str:
    """The first line of the CSV, which has the columns of the rows; `scores` is JSON."""
    return ",".join(COLUMNS) + "\n"


def as_csv(file: Scored) -> str:
    """The rows of one file as lines of CSV. Text that a spreadsheet would run as a formula is quoted with `'`."""
    return _csv([_csv_cell(row[column]) for column in COLUMNS] for row in rows([file]))


def as_clean_csv(file: Scored) -> str:
    """The same for a terminal: each cell on one line, without what a terminal would act on."""
    return _csv([hostile.line(_csv_cell(row[column])) for column in COLUMNS] for row in rows([file]))


def _csv(cells: Iterable[Sequence[str]]) -> str:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(cells)
    return lines.getvalue()


def summaries(files: Iterable[Scored]) -> list[SystemSummary]:
    """Wins, votes, draws and mean margin per system, in the order in which the systems first occur."""
    grouped: dict[str, list[Verdict]] = defaultdict(list)
    for file in files:
        for verdict in file.verdicts:
            grouped[verdict.system].append(verdict)
    return [_summary(system, verdicts) for system, verdicts in grouped.items()]


def _summary(system: str, verdicts: Sequence[Verdict]) -> SystemSummary:
    margins = [verdict.margin for verdict in verdicts if verdict.margin is not None]
    wins = Counter(verdict.winner for verdict in verdicts if verdict.winner is not None)
    options = Counter[str](verdict.option for verdict in verdicts if verdict.option is not None)
    undetermined = sum(verdict.victory == "undetermined" for verdict in verdicts)
    return SystemSummary(
        system=system,
        verdicts=len(verdicts),
        wins=_most_first(wins),
        options=_most_first(options),
        draws=len(verdicts) - wins.total() - options.total() - undetermined,
        undetermined=undetermined,
        mean_margin=round(fmean(margins), 9) if margins else None,
    )


def _most_first(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _utf8(path: str) -> str:
    """`path` with question marks for what UTF-8 cannot tell: a name of a file may be any bytes."""
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
            return f"'{value}" if value.startswith(_FORMULA) else value
        case _:
            return str(value)
