"""A debate under all five systems in which every text that a debater, a judge or a user can fill in carries an attack."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from rehearsal_support import config_of, hold

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure, TaskFailed

SYSTEMS: list[Any] = ["structured", "moderator", "panel", {"kind": "live", "feedback": True}, "persuasion"]
NAMES = frozenset(
    {
        "name",
        "speaker",
        "participant",
        "participants",
        "toward",
        "winner",
        "logic",
        "rhetoric",
        "tactics",
        "who",
        "names",
    }
)
"""Keys under which a debater's name stands."""
TEXTS = frozenset(
    {
        "topic", "background", "text", "claim", "reasoning", "evidence", "follow_up", "final_position", "concessions",
        "unrebutted", "reason", "rationale", "quote", "about", "points", "heading", "consensus", "why", "guidance",
        "key_insight", "unresolved_questions", "recommendation", "explanation", "cause", "process", "consequence",
        "premise", "warnings", "critical_findings", "remediation_required", "changed_because", "reply", "directive",
        "message", "technique", "early", "late", "claimed", "verdict", "source", "assessor", "description", "side",
    }
)  # fmt: skip
"""Keys under which somebody's words stand."""


@cache
def plain() -> Debate:
    """A debate on the mock with something of everything in it."""
    debaters = [
        {"name": "Pro", "side": "for", "personality": "engineer"},
        {"name": "Con", "side": "against", "personality": "provocateur"},
    ]
    held = hold(config_of(judging={"systems": SYSTEMS}, background="Eight engineers.", debaters=debaters))
    brief = held.assessments[0].brief.model_copy(update={"assessor": "late"})
    failure = Failure(task=brief, who="late", cause="ModelTimeoutError", message="No answer came.", final=True)
    return held.apply(TaskFailed(at=held.started_at, failure=failure))


def poisoned(attack: str) -> Debate:
    """The same with `attack` behind every text, and behind the debaters' names; names hold no more than 50 characters of it."""
    names = {debater.name for debater in plain().participants}
    data = plain().model_dump(mode="json")

    def text(key: str, value: str) -> str:
        if key in NAMES and value in names:
            return f"{value} {attack[:50]}"
        return f"{value} {attack[:50] if key == 'side' else attack}" if key in TEXTS else value

    return Debate.model_validate(_changed(data, "", text))


def _changed(value: Any, key: str, text: Callable[[str, str], str]) -> Any:
    match value:
        case str():
            return text(key, value)
        case list():
            return [_changed(item, key, text) for item in cast("list[Any]", value)]
        case dict():
            return {name: _changed(item, name, text) for name, item in cast("dict[str, Any]", value).items()}
        case _:
            return value
