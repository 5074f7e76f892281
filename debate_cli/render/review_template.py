"""Writes the YAML file of a review: the speeches as comments, and an explained field for each answer."""

import hashlib
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from debate_cli.app.review import Review, ReviewPart, debate_key
from debate_cli.domain.reviewer import ReviewAnswers, ReviewTerms
from debate_cli.domain.turn import Turn
from debate_cli.errors import ConfigError
from debate_cli.judging.answer_check import describe_value
from debate_cli.llm.form import JsonSchema, person_schema
from debate_cli.providers.people.person import to_slug
from debate_cli.render.sanitize import sanitize_line, sanitize_text
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.review_file import ReviewFile, read_review_file

WIDTH = 100
"""Maximum length of a comment line."""
_STEP = "  "
_JSON = json.JSONDecoder()
_PLAIN = re.compile(r"[A-Za-z](?:[\w ,-]*\w)?", re.ASCII)
_RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_RULE = "# " + "-" * (WIDTH - 2)


def format_review_template(review: Review, parts: Sequence[ReviewPart], answers: ReviewAnswers) -> Iterator[str]:
    """Yield the lines of the YAML file of a review.

    `parts`: the questions to the reviewer. `answers`: the answers given so far.
    """
    yield from _header_lines(review, answers)
    seen: set[int] = set()
    for part in parts:
        visible = review.turns_before(part)
        yield from _speech_lines(review, [turn for turn in visible if turn.index not in seen])
        seen |= {turn.index for turn in visible}
        yield _RULE
        yield from _comment(expand_json_lists(part.question))
        yield f"{_STEP}{_scalar(sanitize_line(part.name))}:"
        yield from _object_lines(person_schema(part.form), answers.parts.get(part.name), _STEP * 2, set())


def speech_heading(turn: Turn, *, with_number: bool) -> str:
    """Return e.g. `Speaker A, round 1, opening`. `with_number` appends the number of the turn."""
    number = f", turn {turn.index + 1} (number {turn.index} in the forms)" if with_number else ""
    return f"{sanitize_line(turn.speaker)}, round {turn.round}, {turn.phase.replace('_', ' ')}{number}"


def debate_introduction(review: Review) -> list[str]:
    """Return paragraphs on motion, background and debaters. In a blind review, the names of debaters are hidden."""
    shown = review.shown
    lines = [f"{'Text' if shown.document_name is not None else 'Motion'}: {sanitize_line(shown.topic)}"]
    if shown.config.background:
        lines.append(f"Background: {sanitize_text(shown.config.background)}")
    for person in shown.participants:
        side = f" argues {person.side} the motion" if person.side in {"for", "against"} else ""
        lines.append(f"{sanitize_line(person.name)}{side}." if side else f"{sanitize_line(person.name)} takes part.")
    return lines


def expand_json_lists(text: str) -> str:
    """Replace each JSON list of objects in a prompt by one line per object, e.g. `- id: PRO-1; claim: …`."""
    pieces: list[str] = []
    position = 0
    for match in re.finditer(r"\[\{", text):
        if match.start() < position:
            continue
        try:
            entries, end = _JSON.raw_decode(text, match.start())
        except ValueError:
            continue
        lines = (f"- {'; '.join(f'{key}: {value}' for key, value in entry.items())}" for entry in entries)
        pieces += [text[position : match.start()].rstrip(), "\n", "\n".join(lines), "\n"]
        position = end
    return "".join([*pieces, text[position:].lstrip(".") if pieces else text])


def _header_lines(review: Review, answers: ReviewAnswers) -> Iterator[str]:
    terms = review.terms
    yield from _comment(
        f"Review of a debate by the system {terms.system}. Fill in every empty value. Leave the other lines unchanged. "
        "If a text has a colon or several lines, write `|` in place of the value, and the text on indented lines below. "
        "Then store the file: debate review ID --from THIS-FILE"
    )
    yield "#"
    for paragraph in debate_introduction(review):
        yield from _comment(paragraph)
    yield "review:"
    values = {
        "debate": debate_key(review.debate),
        "system": terms.system,
        "reviewer": terms.reviewer,
        "blind": terms.blind,
        "seed": terms.seed,
        "probability": terms.probability,
    }
    yield from (f"{_STEP}{name}: {_scalar(value)}" for name, value in values.items())
    yield f"confidence: {_scalar(answers.confidence)}  # how sure you are of your judgement as a whole, a number from 0 to 1"
    yield "seconds:  # optional: the seconds that you took for each part"
    yield from (f"{_STEP}{_scalar(name)}: {_scalar(value)}" for name, value in answers.seconds.items())
    yield "answers:"


def _speech_lines(review: Review, turns: Iterable[Turn]) -> Iterator[str]:
    for turn in turns:
        yield _RULE
        yield from _comment(speech_heading(turn, with_number=review.shows_turn_numbers))
        yield "#"
        yield from _comment(turn.text, "#   ")


def _object_lines(schema: JsonSchema, value: Any, indent: str, explained: set[str]) -> Iterator[str]:
    members: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
    required = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        description = part.get("description", "")
        if description and description not in explained:
            explained.add(description)
            yield from _comment(f"{name}: {description}", f"{indent}# ")
        yield from _field_lines(
            name, part, members.get(name), indent, optional=name not in required, explained=explained
        )


def _field_lines(
    name: str, part: JsonSchema, value: Any, indent: str, *, optional: bool, explained: set[str]
) -> Iterator[str]:
    key = f"{indent}{_scalar(name)}:"
    if "prefixItems" in part:
        yield key
        entries = cast("list[Any]", value) if isinstance(value, list) else []
        for place, item in enumerate(part["prefixItems"]):
            yield from _entry_lines(item, entries[place] if place < len(entries) else None, indent, explained)
        return
    if part.get("type") == "object":
        yield key
        yield from _object_lines(part, value, indent + _STEP, explained)
        return
    if part.get("type") == "array":
        yield f"{key} {_flow(value or [])}  # {_describe_list(part)}"
        return
    if "const" in part:
        yield f"{key} {_scalar(part['const'])}"
        return
    hint = describe_value(part) + (", may stay empty" if optional else "")
    yield f"{key} {_scalar(value)}".rstrip() + f"  # {sanitize_line(hint)}"


def _entry_lines(item: JsonSchema, value: Any, indent: str, explained: set[str]) -> Iterator[str]:
    lines = list(_object_lines(item, value, indent + _STEP * 2, explained))
    first = next((place for place, line in enumerate(lines) if not line.lstrip().startswith("#")), 0)
    dash = f"{indent}{_STEP}- "
    for place, line in enumerate(lines):
        yield dash + line[len(dash) :] if place == first else line


def _describe_list(part: JsonSchema) -> str:
    inner: JsonSchema = part.get("items") or {}
    fields = inner.get("properties")
    if not fields:
        return sanitize_line(f"{describe_value(part)}, each {describe_value(inner)}")
    known = "; ".join(f"{name}: {describe_value(field)}" for name, field in fields.items())
    example = ", ".join(f"{name}: …" for name in fields)
    return sanitize_line(f"{describe_value(part)}, as in [{{{example}}}] ({known})")


def _comment(text: str, prefix: str = "# ") -> Iterator[str]:
    for line in sanitize_text(text).splitlines():
        for piece in textwrap.wrap(line, WIDTH - len(prefix), break_on_hyphens=False) or [""]:
            yield f"{prefix}{piece}".rstrip()


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    is_plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value.casefold() not in _RESERVED
    return cast("str", value) if is_plain else _flow(value)


def _flow(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_HASH_CHARS = 8


def draft_path(transcript: Path, review: Review) -> Path:
    """Return the path of a review's draft, which is in the folder of the transcript."""
    return _path(transcript, review.terms)


def read_draft(transcript: Path, terms: ReviewTerms) -> ReviewFile | None:
    """Return the saved draft of the review that `terms` describes; None if there is no readable draft."""
    path = _path(transcript, terms)
    if not path.is_file():
        return None
    try:
        return read_review_file(path)
    except ConfigError:
        return None


def save_draft(transcript: Path, review: Review, answers: ReviewAnswers) -> None:
    """Save `answers` as a draft in the folder of the transcript. Raises StorageError."""
    lines = format_review_template(review, review.evaluate(answers).parts, answers)
    atomic_write(draft_path(transcript, review), "\n".join([*lines, ""]).encode(), overwrite=True)


def _path(transcript: Path, terms: ReviewTerms) -> Path:
    view = "blind-" if terms.blind else ""
    name = f"{transcript.stem}.review-{_to_file_part(terms.reviewer)}-{view}{to_slug(terms.system)}.yaml"
    return transcript.with_name(name)


def _to_file_part(name: str) -> str:
    slug = to_slug(name)
    return slug if slug == name else f"{slug}-{hashlib.sha256(name.encode()).hexdigest()[:_HASH_CHARS]}"
