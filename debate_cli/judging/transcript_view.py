"""What a judge is shown of a debate: the part of a prompt that all calls of one judge model share.

Only grows at its end as a debate goes on, so that a provider's cache can serve it. What a judge is asked does not live
here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar, cast

from debate_cli.domain.content import UNSTRUCTURED, Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Subject
from debate_cli.domain.value import concluded
from debate_cli.domain.wording import strings_in
from debate_cli.judging.detector import TAKEOVERS, masked
from debate_cli.llm.quoting import clean

T = TypeVar("T")
FREE_PHASES = frozenset({"rebuttal", "speech"})
"""Phases whose turns are told by their text; the others by their structure where they have one."""


def shown(text: str, names: tuple[str, ...] = ()) -> str:
    """A debater's `text` as a judge may see it: cleaned, and without what is addressed to the judge.

    `names` are those of the debaters.
    """
    return masked(clean(text), names)


@lru_cache(maxsize=1024)
def reported(text: str) -> str:
    """A judge's or the user's own `text` as a judge may see it: it may speak of scores, but not take the judge over."""
    return masked(clean(text), only=TAKEOVERS)


def literal(value: object) -> str:
    """`value` as compact JSON in which every string is `reported`."""
    return _json(_each(value, reported))


def debaters_of(debate: Debate) -> tuple[str, ...]:
    """Names of those who debate."""
    return tuple(participant.name for participant in debate.participants)


@concluded
def shared_part(debate: Debate, last: int | None) -> str:
    """Motion, background, debaters, and one line per turn up to index `last` (None: all of them)."""
    names = debaters_of(debate)
    turns = [turn for turn in debate.turns if last is None or turn.index <= last]
    if not debate.participants:
        return f"TITLE: {speech(debate.topic)}\nDOCUMENT: {speech(debate.config.background or '')}\n"
    debaters = [{"name": participant.name, "side": participant.side} for participant in debate.participants]
    lines = [f"MOTION: {speech(debate.topic, names)}"]
    if debate.config.background:
        lines.append(f"BACKGROUND: {speech(debate.config.background, names)}")
    lines += [
        f"DEBATERS: {literal(debaters)}",
        "TRANSCRIPT, one JSON object a turn:",
        *(line(turn, names) for turn in turns),
    ]
    return "\n".join(lines) + "\n"


def last_turn(debate: Debate, subject: Subject) -> int | None:
    """Index of the last turn that a judge of `subject` may see; None means all of them."""
    match subject.moment:
        case "turn" | "pair":
            return max(subject.turns)
        case "round":
            return max((turn.index for turn in debate.turns if turn.round <= (subject.round or 0)), default=-1)
        case "debate":
            return None


def speech(text: str, names: tuple[str, ...] = ()) -> str:
    """`text` as a JSON string, `shown`."""
    return _json(shown(text, names))


def line(turn: Turn, names: tuple[str, ...] = ()) -> str:
    """One turn as one line of JSON."""
    return _line(turn, names)  # pyright: ignore[reportArgumentType] - it is frozen, so it can be hashed


@lru_cache(maxsize=1024)
def _line(turn: Turn, names: tuple[str, ...]) -> str:
    head: dict[str, object] = {
        "turn": turn.index,
        "round": turn.round,
        "phase": turn.phase,
        "speaker": reported(turn.speaker),
    }
    return _json({**head, **_each(_said(turn), lambda text: shown(text, names))})


def told(turn: Turn) -> Iterator[str]:
    """Every text of `turn` that judges are given, as it was said: each is `shown` by itself, so nothing spans two of them."""
    yield from strings_in(_said(turn))


def _said(turn: Turn) -> dict[str, object]:
    """Structure where there is one, so that nothing is told twice."""
    structure = turn.model_dump(
        mode="json", include={"arguments", "responses", "answers", "closing"}, exclude_none=True
    )
    if UNSTRUCTURED in turn.warnings or not structure:
        ids = [argument.id for argument in turn.arguments or ()]
        return {"id": ids[0], "text": turn.text} if ids else {"text": turn.text}
    if turn.phase in FREE_PHASES:
        ids = [{"id": argument.id, "claim": argument.claim} for argument in turn.arguments or ()]
        return {"text": turn.text, "arguments": ids} if ids else {"text": turn.text}
    return structure


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _each(value: T, door: Callable[[str], str]) -> T:
    """`value` with every string in it passed through `door`."""
    if isinstance(value, str):
        return cast("T", door(value))
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return cast("T", {key: _each(item, door) for key, item in members.items()})
    if isinstance(value, Iterable):
        return cast("T", [_each(item, door) for item in cast("Iterable[object]", value)])
    return value
