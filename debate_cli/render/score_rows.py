"""Formats the verdicts of many files as JSON, JSON lines, CSV, plain lines and tables."""

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from pydantic_core import to_json

from debate_cli.app.score import ScoredFile
from debate_cli.app.score_records import ArgumentRecord, VerdictRecord, flatten_record
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.content.agreement import label_listed_verdict, sort_deciding_first, victory_cell, winner_cell
from debate_cli.systems.tables import Number, Table, TableRow

_VOTE_NOTES = ("option", "weights")
NOT_JUDGED = "not judged yet"
_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")


class SystemSummary(NamedTuple):
    """Totals of one judging system over all files."""

    system: str
    debates: int
    """Number of debates that the system judged. A debate with several judging runs counts once."""
    wins: dict[str, int]
    """Number of debates that each participant won; the most frequent winner is first."""
    options: dict[str, int]
    """Number of debates in which each option won the vote; the most frequent option is first."""
    draws: int
    split: int
    """Number of debates whose judging runs name different winners."""
    undetermined: int
    mean_margin: float | None
    """Mean margin of the determined debates; None without determined debates."""

    @property
    def counted(self) -> tuple[tuple[str, int], ...]:
        """Names with numbers of debates: the entries of `wins`, then the entries of `options`."""
        return (*self.wins.items(), *self.options.items())


def dump_scores_json(files: Iterable[ScoredFile]) -> Iterator[str]:
    """Yield the text of one JSON array: per file `{path, id, topic, status, verdicts, sources}`."""
    return join_json_array(map(_dump_file_json, files))


def _dump_file_json(file: ScoredFile) -> str:
    document = {"path": _replace_invalid_utf8(file.path), "id": file.id, "topic": file.topic, "status": file.status}
    return to_json(document | {"verdicts": file.verdicts, "sources": file.sources}, indent=1).decode()


def join_json_array(members: Iterable[str]) -> Iterator[str]:
    """Yield the text of one JSON array in pieces. `members`: the values of the array as JSON text."""
    separator = "[\n"
    for member in members:
        yield separator + member
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def drop_notes(file: ScoredFile) -> ScoredFile:
    """Return `file` without the notes of its verdicts, except notes that describe the outcome of a vote."""

    def drop(verdict: Verdict) -> Verdict:
        kept = {name: verdict.notes.get(name) for name in _VOTE_NOTES} if verdict.notes.get("option") else {}
        return verdict.model_copy(update={"notes": kept})

    return file._replace(verdicts=tuple(map(drop, file.verdicts)))


def dump_record_jsonl(record: VerdictRecord | ArgumentRecord) -> str:
    """Return a record as one line of JSON."""
    columns = flatten_record(record)
    return to_json({**columns, "path": _replace_invalid_utf8(columns["path"])}).decode() + "\n"


def dump_records_json(records: Iterable[VerdictRecord | ArgumentRecord]) -> Iterator[str]:
    """Yield the text of one JSON array in pieces, one record per piece."""
    return join_json_array(dump_record_jsonl(record).rstrip("\n") for record in records)


def dump_records_csv(
    kind: type[VerdictRecord | ArgumentRecord],
    records: Iterable[VerdictRecord | ArgumentRecord],
    *,
    for_terminal: bool = False,
) -> Iterator[str]:
    """Yield CSV: the header, then a line per record of class `kind`.

    `for_terminal`: whether to sanitize each cell.
    """
    rows = list(map(flatten_record, records))
    columns = dict.fromkeys(name for name in kind._fields if name != "debaters")
    for row in rows:
        columns |= dict.fromkeys(row)
    yield ",".join(columns) + "\n"
    clean = sanitize.sanitize_line if for_terminal else str
    for row in rows:
        yield format_csv_line([clean(csv_cell(row.get(column))) for column in columns])


def format_csv_line(cells: Sequence[str]) -> str:
    """Return a line of CSV with its line break."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


class _Result(NamedTuple):
    winner: str | None
    option: str | None
    margin: float | None


class _Results:
    def __init__(self) -> None:
        self.files = 0
        self._of_systems: dict[str, list[list[_Result]]] = defaultdict(list)

    def add(self, file: ScoredFile) -> None:
        self.files += 1
        found: dict[str, list[_Result]] = defaultdict(list)
        for verdict in file.verdicts:
            found[verdict.system].append(_Result(verdict.winner, verdict.option, verdict.margin))
        for system, results in found.items():
            self._of_systems[system].append(results)

    def summarize(self) -> list[SystemSummary]:
        return [_summarize_system(system, debates) for system, debates in self._of_systems.items()]


def summarize_systems(files: Iterable[ScoredFile]) -> list[SystemSummary]:
    """Return the totals of each judging system, in the order in which the systems occur in `files`."""
    results = _Results()
    for file in files:
        results.add(file)
    return results.summarize()


def _summarize_system(system: str, debates: Sequence[Sequence[_Result]]) -> SystemSummary:
    determined = [found for results in debates if (found := [item for item in results if item.margin is not None])]
    agreed = [results[0] for results in determined if len({(item.winner, item.option) for item in results}) == 1]
    wins = Counter(result.winner for result in agreed if result.winner is not None)
    options = Counter[str](result.option for result in agreed if result.option is not None)
    margins = [fmean(item.margin or 0.0 for item in results) for results in determined]
    return SystemSummary(
        system=system,
        debates=len(debates),
        wins=_sort_by_count(wins),
        options=_sort_by_count(options),
        draws=len(agreed) - wins.total() - options.total(),
        split=len(determined) - len(agreed),
        undetermined=len(debates) - len(determined),
        mean_margin=round(fmean(margins), 9) if margins else None,
    )


def score_lines(files: Iterable[ScoredFile]) -> Iterator[str]:
    """Yield a line per verdict. For several files, lines with totals per system follow.

    `PATH  SYSTEM  outcome  (scores)`
    """
    results = _Results()
    for file in files:
        results.add(file)
        if not file.verdicts:
            yield f"{sanitize.sanitize_line(file.path)}  {NOT_JUDGED}"
        yield from (_score_line(file, verdict) for verdict in file.verdicts)
    if results.files > 1:
        yield from ("", f"== Summary of {results.files} files ==")
        yield from map(_format_system_summary, results.summarize())


def deciding_score_lines(files: Iterable[ScoredFile]) -> Iterator[str]:
    """Yield one line per file, on its deciding verdict or else on its first verdict.

    `PATH  SYSTEM  outcome  (scores)`
    """
    for file in files:
        yield from (_score_line(file, verdict) for verdict in sort_deciding_first(file.verdicts)[:1])


def _score_line(file: ScoredFile, verdict: Verdict) -> str:
    name = sanitize.sanitize_line(label_listed_verdict(verdict, file.verdicts))
    answer = sanitize.sanitize_line(theme.describe_answer(verdict, file.text))
    return f"{sanitize.sanitize_line(file.path)}  {name}  {answer}  {theme.format_ranked_scores(verdict)}".rstrip()


def _format_system_summary(summary: SystemSummary) -> str:
    counts = [f"{sanitize.sanitize_line(name)} {count}" for name, count in summary.wins.items()]
    votes = [f"{option} {count}" for option, count in summary.options.items()]
    margin = "—" if summary.mean_margin is None else theme.format_number(summary.mean_margin)
    parts = (
        f"wins: {', '.join(counts) or 'none'}" if counts or not votes else "",
        f"votes: {', '.join(votes)}" if votes else "",
        f"draws: {summary.draws}",
        f"split: {summary.split}" if summary.split else "",
        f"undetermined: {summary.undetermined}",
        f"mean margin: {margin}",
    )
    return f"{summary.system}  {', '.join(filter(None, parts))}"


def build_score_tables(files: Sequence[ScoredFile]) -> list[Table]:
    """Return a table with a row per verdict. For several files, a table with totals per system follows."""
    heads = ("file", "system", "winner", "victory", "margin", "scores")
    scores = Table("scores", heads, tuple(row for file in files for row in _verdict_rows(file)), has_key_column=True)
    if len(files) < 2:  # noqa: PLR2004 - nothing to sum up
        return [scores]
    summary = tuple(
        (
            item.system,
            " · ".join(f"{name} {count}" for name, count in item.counted) or "—",
            *(Number(count, 0) for count in (item.draws, item.split, item.undetermined)),
            Number(item.mean_margin),
        )
        for item in summarize_systems(files)
    )
    heads = ("system", "wins", "draws", "split", "undetermined", "mean margin")
    return [scores, Table(f"summary of {len(files)} files", heads, summary, numeric=frozenset({2, 3, 4, 5}))]


def _verdict_rows(file: ScoredFile) -> Iterator[TableRow]:
    if not file.verdicts:
        yield (file.path, NOT_JUDGED, "", "", "", "")
    for number, verdict in enumerate(file.verdicts):
        ranked = sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
        yield (
            "" if number else file.path,
            label_listed_verdict(verdict, file.verdicts),
            winner_cell(verdict),
            victory_cell(verdict),
            theme.format_margin(verdict).removesuffix(" points") or "—",
            " · ".join(f"{name} {theme.format_number(score)}" for name, score in ranked),
        )


def _sort_by_count(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _replace_invalid_utf8(path: str) -> str:
    return path.encode(errors="replace").decode()


def csv_cell(value: Any) -> str:
    """Return a value as text. Text that a spreadsheet would run as a formula gets the prefix `'`."""
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
