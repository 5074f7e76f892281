"""Why a cassette does not know a request: what differs between it and the most similar one that was recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path

from debate_cli.llm.port import Request

EXCERPT_CHARS = 40
"""Characters shown from the first difference on."""


def explain_missing_call(path: Path, model: str, request: Request, recorded: Mapping[int, tuple[str, Request]]) -> str:
    """One sentence; `recorded` holds model and request per line of the cassette."""
    what = f"{path} holds no answer to this request ({request.purpose}, {model})"
    same = {line: entry for line, entry in recorded.items() if entry[1].purpose == request.purpose}
    if not same:
        return f"{what}, nor to any other for that purpose: record it again with --record."
    line = max(same, key=lambda number: (_similarity(request, same[number][1]), same[number][0] == model, -number))
    differences = list(_find_differences(model, request, *same[line])) or ["nothing that is told here"]
    return f"{what}; compared with line {line}, {'; '.join(differences)}. Record it again with --record."


def _similarity(request: Request, other: Request) -> int:
    """Characters that the two have in common from the beginning of system and messages."""
    mine, theirs = _named_texts(request), _named_texts(other)
    return sum(_common_prefix_length(text, theirs.get(name, "")) for name, text in mine.items())


def _find_differences(model: str, request: Request, other_model: str, other: Request) -> Iterator[str]:
    if model != other_model:
        yield f"the model was {other_model} and is {model}"
    mine, theirs = _named_texts(request), _named_texts(other)
    for name in theirs | mine:
        if mine.get(name) != theirs.get(name):
            yield _format_difference(name, theirs.get(name), mine.get(name))
            break
    for name in ("temperature", "max_output_tokens", "seed", "rung"):
        was, now = getattr(other, name), getattr(request, name)
        if was != now:
            yield f"{name} was {was} and is {now}"


def _format_difference(name: str, was: str | None, now: str | None) -> str:
    """Texts are told from the first character that differs; what comes after a difference is not told."""
    if was is None or now is None:
        return f"{name} is {'new' if was is None else 'missing'}"
    start = _common_prefix_length(was, now)
    before, after = _excerpt(was, start), _excerpt(now, start)
    told = f"it was {before} and is {after}" if before != after else f"in what is not seen, before {after}"
    return f"{name} differs from character {start + 1} on: {told}"


def _excerpt(text: str, start: int) -> str:
    """The words from there on, on one line and without what is not seen: they may be anybody's."""
    rest = text[start : start + EXCERPT_CHARS]
    if not rest:
        return "at its end"
    seen = " ".join("".join(sign if sign.isprintable() else " " * sign.isspace() for sign in rest).split())
    return f"“{seen}{'…' if start + EXCERPT_CHARS < len(text) else ''}”" if seen else "a blank"


def _named_texts(request: Request) -> dict[str, str]:
    """The texts of a request by name, in the order in which they are sent."""
    messages = {
        f"message {number} ({message.role})": message.content
        for number, message in enumerate(request.messages, start=1)
    }
    schema = (
        {}
        if request.schema is None
        else {"the schema": json.dumps([request.schema.name, request.schema.json], sort_keys=True, ensure_ascii=False)}
    )
    return {"the system prompt": request.system, **messages, **schema}


def _common_prefix_length(one: str, other: str) -> int:
    """Length of the common beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
