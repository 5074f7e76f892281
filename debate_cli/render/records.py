"""Writes records, which are mappings of column names to values, as JSON, JSON lines and CSV."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from debate_cli.render import sanitize

Record = Mapping[str, Any]
_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")


def dump_jsonl(records: Iterable[Record]) -> Iterator[str]:
    """Yield a line of JSON per record."""
    for record in records:
        yield json.dumps(record, ensure_ascii=False) + "\n"


def dump_json_array(records: Iterable[Record]) -> Iterator[str]:
    """Yield the text of one JSON array in pieces, one record per piece."""
    return join_json_array(line.rstrip("\n") for line in dump_jsonl(records))


def join_json_array(members: Iterable[str]) -> Iterator[str]:
    """Yield the text of one JSON array in pieces. `members`: the values of the array as JSON text."""
    separator = "[\n"
    for member in members:
        yield separator + member
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def dump_csv(records: Iterable[Record], columns: Iterable[str], *, for_terminal: bool = False) -> Iterator[str]:
    """Yield CSV: the header, then a line per record. Fields that `columns` does not name become the last columns.

    `for_terminal`: whether to sanitize each cell.
    """
    rows = list(records)
    heads = list(dict.fromkeys((*columns, *(name for row in rows for name in row))))
    clean = sanitize.sanitize_line if for_terminal else str
    writer = csv.writer(_LineFile(), lineterminator="\n")
    for row in (dict(zip(heads, heads, strict=True)), *rows):
        yield writer.writerow([clean(_csv_cell(row.get(head))) for head in heads])


class _LineFile:
    """A file for `csv.writer` whose `write` returns the text, so that `writerow` returns the line."""

    def write(self, line: str) -> str:
        return line


def _csv_cell(value: Any) -> str:
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
