"""Reads tables with a row per speech: CSV and JSON lines, or a JSON list of objects."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from debate_cli.domain.suggestions import format_suggestion
from debate_cli.importing.speeches import FoundDebate, Omissions, Speech, UnreadableDebateError

FIELDS = ("speaker", "text", "round")
"""Fields for which `--map` can name a column."""
KNOWN_COLUMNS: dict[str, tuple[str, ...]] = {
    "speaker": ("speaker", "name", "speaker_name", "debater", "participant", "author", "who", "user", "from", "side"),
    "text": ("text", "speech", "words", "content", "body", "message", "statement", "utterance", "argument", "transcript"),
    "round": ("round", "section", "phase", "stage"),
}  # fmt: skip
"""Field -> usual names of its column, the best first."""
DELIMITERS = ",;\t|"
_MAX_CELL_CHARS = 20_000_000
_MAX_SHOWN_COLUMNS = 8
_MAX_COLUMN_CHARS = 40

Row = tuple[str, dict[str, str]]
"""Place and cells of a row."""


def read_csv(text: str, columns: Mapping[str, str]) -> FoundDebate:
    """The debate in a table with column names. `columns`: field -> column. Raises UnreadableDebateError."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=find_delimiter(text), strict=True)
    limit = csv.field_size_limit(_MAX_CELL_CHARS)
    try:
        head = [cell.strip() for cell in next(lines, list[str]())]
        rows = [(f"line {lines.line_num}", _named_cells(head, row, lines.line_num)) for row in lines if any(row)]
    except csv.Error as error:
        raise UnreadableDebateError(f"is not valid CSV (line {lines.line_num}: {error}); correct it") from error
    finally:
        csv.field_size_limit(limit)
    if len(set(head)) < len(head):
        raise UnreadableDebateError("has two columns with the same name; rename one")
    return _from_rows(head, rows, columns)


def _named_cells(head: Sequence[str], row: Sequence[str], line: int) -> dict[str, str]:
    if any(map(str.strip, row[len(head) :])):
        advice = "put quotation marks around a cell that contains the delimiter"
        raise UnreadableDebateError(f"line {line} has more cells than the header line has columns; {advice}")
    return dict(zip(head, row, strict=False))


def read_jsonl(text: str, columns: Mapping[str, str]) -> FoundDebate:
    """The debate in JSON lines or one JSON list, with an object per speech. Raises UnreadableDebateError."""
    rows = [(place, _cells(item)) for place, item in iter_json_objects(text)]
    head = list(dict.fromkeys(name for _, row in rows for name in row))
    return _from_rows(head, rows, columns)


def iter_json_objects(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Place and value of each object in JSON lines or in one JSON list. Raises UnreadableDebateError."""
    if text.lstrip("\ufeff \t\n").startswith("["):
        values = parse_json(text, "the file")
        items = [(f"item {number}", value) for number, value in enumerate(cast("list[object]", values), 1)]
    else:
        lines = ((f"line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        items = ((place, parse_json(line, place)) for place, line in lines)
    for place, value in items:
        if not isinstance(value, dict):
            raise UnreadableDebateError(f"{place} is not a JSON object; write one object for each speech")
        yield place, cast("dict[str, Any]", value)


def parse_json(text: str, place: str) -> object:
    """The JSON value of `text`. Raises UnreadableDebateError with `place`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        detail = f": {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
        raise UnreadableDebateError(f"{place} is not valid JSON{detail}; correct it") from error


def find_delimiter(text: str) -> str:
    """The most frequent delimiter of the first line; the comma if it has none."""
    head = text.split("\n", 1)[0]
    return max(DELIMITERS, key=head.count)


def has_speech_columns(head: Iterable[str]) -> bool:
    """Whether the column names include speakers and texts."""
    known = {name.strip().casefold() for name in head}
    return all(known & set(KNOWN_COLUMNS[field]) for field in ("speaker", "text"))


def _cells(item: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in item.items()
        if value is not None
    }


def _from_rows(head: Sequence[str], rows: Sequence[Row], columns: Mapping[str, str]) -> FoundDebate:
    chosen = {field: _find_column(field, head, columns) for field in FIELDS}
    speaker, text, part = chosen["speaker"], chosen["text"], chosen["round"]
    assert speaker is not None  # only the column of rounds may be missing
    assert text is not None
    omitted = Omissions()
    speeches: list[Speech] = []
    section = ""
    for place, row in rows:
        words, name = row.get(text, "").strip(), row.get(speaker, "").strip()
        section = (row.get(part, "").strip() or section) if part is not None else ""
        if not words:
            omitted.add("row without text")
        elif name:
            speeches.append(Speech(name, words, section, place))
        elif speeches:
            speeches[-1] = speeches[-1]._replace(text=f"{speeches[-1].text}\n\n{words}")
        else:
            raise UnreadableDebateError(f"{place} has no speaker in the column {speaker}; add one")
    others = [
        name for name in head if name not in chosen.values() and any(row.get(name, "").strip() for _, row in rows)
    ]
    dropped = [*omitted.describe(), *([_describe_columns(others)] if others else [])]
    return FoundDebate(tuple(speeches), has_rounds=part is not None, dropped=tuple(dropped))


def _describe_columns(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_SHOWN_COLUMNS} more" if len(names) > _MAX_SHOWN_COLUMNS else ""
    return f"the column{'' if len(names) == 1 else 's'} {_list_columns(names)}{more}"


def _list_columns(names: Sequence[str]) -> str:
    shown = (
        name if len(name) <= _MAX_COLUMN_CHARS else f"{name[:_MAX_COLUMN_CHARS]}…"
        for name in names[:_MAX_SHOWN_COLUMNS]
    )
    return ", ".join(shown) or "none"


def _find_column(field: str, head: Sequence[str], columns: Mapping[str, str]) -> str | None:
    """The column of a field: the mapped one, else the best known one. Raises UnreadableDebateError."""
    by_name = {name.casefold(): name for name in reversed(head)}
    wanted = columns.get(field)
    if wanted is not None:
        if wanted.casefold() not in by_name:
            hint = format_suggestion(wanted, head) or f"; it has {_list_columns(head)}"
            raise UnreadableDebateError(f"has no column `{wanted}`{hint}")
        return by_name[wanted.casefold()]
    found = next((by_name[name] for name in KNOWN_COLUMNS[field] if name in by_name), None)
    if found is None and field != "round":
        shown = _list_columns(head)
        raise UnreadableDebateError(
            f"has no column for the {field} (it has {shown}); name it with --map {field}=COLUMN"
        )
    return found
