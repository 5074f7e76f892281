"""The formats of files with one debate, and how a file's format is detected."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import cast

from debate_cli.csv_file import find_delimiter
from debate_cli.domain.message_text import count_noun
from debate_cli.errors import TranscriptError
from debate_cli.importing import prose, subtitles, tables
from debate_cli.importing.speaker_labels import parse_label, select_names
from debate_cli.importing.speeches import (
    FoundDebate,
    Speech,
    UnreadableDebateError,
)
from debate_cli.storage.transcript import parse_transcript, transcript_to_debate


def read_transcript(text: str) -> FoundDebate:
    """Read the speeches of a transcript of debate-cli, with rounds and sides. Raises UnreadableDebateError."""
    try:
        transcript = parse_transcript(text.encode(), "the file")
    except TranscriptError as error:
        raise UnreadableDebateError(str(error).removeprefix("the file: ")) from error
    debate = transcript_to_debate(transcript)
    speeches = tuple(
        Speech(turn.speaker, turn.text, f"round {turn.round}", f"turn {turn.index + 1}") for turn in debate.turns
    )
    judged = len(transcript.assessments)
    return FoundDebate(
        speeches,
        transcript.topic,
        transcript.background or "",
        has_rounds=True,
        sides={person.name: person.side for person in debate.participants},
        dropped=(count_noun(judged, "assessment"),) if judged else (),
    )


Reader = Callable[[str, Mapping[str, str]], FoundDebate]
"""Function that reads a debate from a text. Its second argument maps fields of a speech to columns of a table."""

READERS: dict[str, Reader] = {
    "text": lambda text, _: prose.read_text(text),
    "markdown": lambda text, _: prose.read_markdown(text),
    "vtt": lambda text, _: subtitles.read_subtitles(text),
    "srt": lambda text, _: subtitles.read_subtitles(text),
    "csv": tables.read_csv,
    "jsonl": tables.read_jsonl,
    "chat": lambda text, _: tables.read_chat(text),
    "transcript": lambda text, _: read_transcript(text),
}
TABLE_FORMATS = frozenset({"csv", "jsonl"})
SUFFIXES = frozenset(
    {".txt", ".text", ".md", ".markdown", ".vtt", ".srt", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".log"}
)
"""Suffixes of the files that are imported when the user names a folder."""
_CUE = re.compile(r"^[ \t]*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}[ \t]*-->", re.MULTILINE)
_MARKDOWN = re.compile(
    r"^ {0,3}#{1,6}[ \t]+\S|^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__)", re.MULTILINE
)
_HEAD_CHARS = 4000


def detect_format(text: str, name: str) -> str:
    """Detect the format of a text by its content. The file's `name` only helps to recognize a table."""
    start = text[:_HEAD_CHARS].lstrip()
    if start.startswith("WEBVTT"):
        return "vtt"
    if start[:1] in {"{", "["}:
        return _detect_json(text, start)
    if _CUE.search(text[:_HEAD_CHARS]):
        return "srt"
    if _is_table(text, PurePath(name).suffix.lower()):
        return "csv"
    return "markdown" if _MARKDOWN.search(text) else "text"


def _detect_json(text: str, start: str) -> str:
    first = _parse(start.split("\n", 1)[0].rstrip(","))
    value: object = first if isinstance(first, dict) else _parse(text)  # pyright: ignore[reportUnknownVariableType]
    if value is None and not isinstance(first, list):
        return "text" if start.startswith("[") and not re.match(r"\[\s*[\[{]", start) else "jsonl"
    if isinstance(value, dict) and "schema_version" in value:
        return "transcript"
    is_chat = isinstance(value, dict) and "messages" in value
    items = cast("list[object]", value) if isinstance(value, list) else [cast("object", value)]
    return "chat" if is_chat or any(map(tables.is_message, items[:1])) else "jsonl"


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_table(text: str, suffix: str) -> bool:
    delimiter, head = find_delimiter(text), text.split("\n", 1)[0]
    if delimiter not in head:
        return False
    labels = map(parse_label, text[:_HEAD_CHARS].split("\n"))
    is_prose = select_names(label.name for label in labels if label is not None)
    return tables.has_speech_columns(head.replace('"', "").split(delimiter)) or (
        suffix in {".csv", ".tsv"} and not is_prose
    )
