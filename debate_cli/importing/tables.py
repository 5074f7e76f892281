"""Reads tables with a row per speech (CSV, JSON lines, a JSON list), and chats that are stored as JSON."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from debate_cli.csv_file import parse_csv
from debate_cli.domain.message_text import format_suggestion, printable_line
from debate_cli.importing.speeches import FoundDebate, Speech, UnreadableDebateError, format_counts

KNOWN_COLUMNS: dict[str, tuple[str, ...]] = {
    "speaker": ("speaker", "name", "speaker_name", "debater", "participant", "author", "who", "user", "from", "side"),
    "text": ("text", "speech", "words", "content", "body", "message", "statement", "utterance", "argument", "transcript"),
    "round": ("round", "section", "phase", "stage"),
}  # fmt: skip
"""Maps each field of a speech to the usual names of its column, in order of preference."""
_MAX_CELL_CHARS = 20_000_000
_MAX_SHOWN_CHARS = 200
_BACKGROUND_ROLES = frozenset({"system", "developer"})
_TOOL_ROLES = frozenset({"tool", "function"})


def read_csv(text: str, columns: Mapping[str, str]) -> FoundDebate:
    """Read the debate in a table whose first line names the columns.

    `columns`: the user's choices, e.g. `{"speaker": "Name"}` if the column `Name` contains the speakers. Raises
    UnreadableDebateError if the table cannot be read as a debate.
    """
    try:
        head, rows = parse_csv(text, _MAX_CELL_CHARS)
    except ValueError as error:
        raise UnreadableDebateError(str(error)) from error
    return _from_rows(head, [(f"line {number}", row) for number, row in rows], columns)


def has_speech_columns(head: Iterable[str]) -> bool:
    """Return whether `head`, the names of columns, includes a column of speakers and a column of texts."""
    known = {name.strip().casefold() for name in head}
    return all(known & set(KNOWN_COLUMNS[field]) for field in ("speaker", "text"))


def read_jsonl(text: str, columns: Mapping[str, str]) -> FoundDebate:
    """Read the debate in JSON lines or a JSON list, with an object per speech. Raises UnreadableDebateError."""
    rows = [
        (
            place,
            {
                name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                for name, value in item.items()
                if value is not None
            },
        )
        for place, item in _json_objects(text)
    ]
    return _from_rows(list(dict.fromkeys(name for _, row in rows for name in row)), rows, columns)


def _json_objects(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if text.lstrip().startswith("["):
        items = [(f"item {number}", value) for number, value in enumerate(_list(_parse_json(text, "the file")), 1)]
    else:
        lines = ((f"line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        items = ((place, _parse_json(line, place)) for place, line in lines)
    for place, value in items:
        if not isinstance(value, dict):
            raise UnreadableDebateError(f"{place} is not a JSON object; write one object for each speech")
        yield place, cast("dict[str, Any]", value)


def _parse_json(text: str, place: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_to_object, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        detail = error.msg if isinstance(error, json.JSONDecodeError) else printable_line(str(error))
        raise UnreadableDebateError(f"{place} is not valid JSON ({detail}); correct it") from error


def _to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key `{key}` is repeated")
    return found


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number")


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _from_rows(
    head: Sequence[str], rows: Sequence[tuple[str, Mapping[str, str]]], columns: Mapping[str, str]
) -> FoundDebate:
    speaker, text = _find_column("speaker", head, columns), _find_column("text", head, columns)
    part = _find_column("round", head, columns)
    speeches: list[Speech] = []
    omitted = Counter[str]()
    section = ""
    for place, row in rows:
        words, name = row.get(text, "").strip(), row.get(speaker, "").strip()
        section = row.get(part, "").strip() or section
        if not words:
            omitted["empty speech"] += 1
        elif name:
            speeches.append(Speech(name, words, section, place))
        elif speeches:
            speeches[-1] = speeches[-1]._replace(text=f"{speeches[-1].text}\n\n{words}")
        else:
            raise UnreadableDebateError(f"{place} has no speaker in the column `{speaker}`; add a name")
    unused = [name for name in head if name not in {speaker, text, part}]
    others = [name for name in unused if any(row.get(name, "").strip() for _, row in rows)]
    dropped = list(format_counts(omitted))
    if others:
        dropped.append(f"the column{'' if len(others) == 1 else 's'} {_list_columns(others)}")
    return FoundDebate(tuple(speeches), has_rounds=bool(part), dropped=tuple(dropped))


def _list_columns(names: Sequence[str]) -> str:
    listed = ", ".join(names) or "none"
    return listed if len(listed) <= _MAX_SHOWN_CHARS else f"{listed[:_MAX_SHOWN_CHARS]}…"


def _find_column(field: str, head: Sequence[str], columns: Mapping[str, str]) -> str:
    by_name = {name.casefold(): name for name in reversed(head)}
    wanted = columns.get(field)
    if wanted is not None:
        if wanted.casefold() not in by_name:
            hint = format_suggestion(wanted, head) or f"; the columns are {_list_columns(head)}"
            raise UnreadableDebateError(f"the table has no column `{wanted}`{hint}")
        return by_name[wanted.casefold()]
    found = next((by_name[name] for name in KNOWN_COLUMNS[field] if name in by_name), "")
    if not found and field != "round":
        raise UnreadableDebateError(
            f"the table has no column for the {field} (its columns are {_list_columns(head)}); give the column with "
            f"--map {field}=COLUMN"
        )
    return found


def read_chat(text: str) -> FoundDebate:
    """Read the debate in a JSON list of messages, in an object with `messages`, or in JSON lines.

    Each message needs a `role`. The speaker is the message's `name`. If there is no name, the speaker is the role.
    Raises UnreadableDebateError if a role is missing, or if the JSON has another form.
    """
    omitted = Counter[str]()
    background: list[str] = []
    speeches: list[Speech] = []
    for number, message in enumerate(_chat_messages(text), 1):
        role, name, content = message.get("role"), message.get("name"), message.get("content")
        if not isinstance(role, str) or not role.strip():
            raise UnreadableDebateError(f"message {number} has no role; add `role` and `content` to each message")
        parts = [content] if isinstance(content, str) else _list(content)
        texts = [cast("dict[str, object]", part).get("text") if isinstance(part, dict) else part for part in parts]
        words = "\n\n".join(text for text in texts if isinstance(text, str)).strip()
        if role in _TOOL_ROLES or not words:
            omitted["tool message" if role in _TOOL_ROLES else "empty message"] += 1
        elif role in _BACKGROUND_ROLES:
            background.append(words)
        else:
            speaker = name if isinstance(name, str) and name.strip() else role
            speeches.append(Speech(speaker, words, place=f"message {number}"))
    return FoundDebate(tuple(speeches), background="\n\n".join(background), dropped=format_counts(omitted))


def is_message(value: object) -> bool:
    """Return whether a JSON value is an object with `role` and `content`, as in a chat."""
    return isinstance(value, dict) and "role" in value and "content" in value


def _chat_messages(text: str) -> Iterator[Mapping[str, Any]]:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        value: object = None  # a message per line
    else:
        value = _parse_json(text, "the file")
    if isinstance(value, dict) and "messages" in value:
        text = json.dumps(cast("dict[str, object]", value)["messages"])
    return (message for _, message in _json_objects(text))
