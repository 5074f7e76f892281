"""Reads lists of messages with `role` and `content`, as programs exchange them with models."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from debate_cli.importing.speeches import FoundDebate, Omissions, Speech, UnreadableDebateError
from debate_cli.importing.tables import iter_json_objects, parse_json

_BACKGROUND_ROLES = frozenset({"system", "developer"})
_TOOL_ROLES = frozenset({"tool", "function"})


def read_chat(text: str) -> FoundDebate:
    """The debate in a list of messages, in an object with `messages`, or in one message per line.

    The speaker is a message's `name`, else its role. System messages become background. Raises UnreadableDebateError.
    """
    omitted = Omissions()
    background: list[str] = []
    speeches: list[Speech] = []
    for number, message in enumerate(_messages(text), 1):
        role = message.get("role")
        if not isinstance(role, str) or not role.strip():
            raise UnreadableDebateError(f"message {number} has no role; add `role` and `content` to each message")
        words = "\n\n".join(_texts(message.get("content"), omitted)).strip()
        omitted.add("call of a tool", len(_list(message.get("tool_calls"))))
        name = message.get("name")
        if role in _TOOL_ROLES:
            omitted.add("message of a tool")
        elif not words:
            omitted.add("message without text")
        elif role in _BACKGROUND_ROLES:
            background.append(words)
        else:
            speaker = name if isinstance(name, str) and name.strip() else role
            speeches.append(Speech(speaker, words, place=f"message {number}"))
    return FoundDebate(tuple(speeches), background="\n\n".join(background), dropped=omitted.describe())


def is_message(value: object) -> bool:
    """Whether a JSON value looks like a message of a chat."""
    return isinstance(value, dict) and "role" in value and "content" in value


def _messages(text: str) -> Iterator[Mapping[str, Any]]:
    start = text.lstrip("\ufeff \t\n")
    if start.startswith("{"):
        try:
            value = parse_json(text, "the file")
        except UnreadableDebateError:
            value = None  # a message per line
        if isinstance(value, dict) and "messages" in value:
            yield from _objects(cast("dict[str, object]", value)["messages"])
            return
    yield from (message for _, message in iter_json_objects(text))


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    for number, item in enumerate(_list(value), 1):
        if not isinstance(item, dict):
            raise UnreadableDebateError(f"message {number} is not a JSON object; correct it")
        yield cast("dict[str, Any]", item)


def _texts(content: object, omitted: Omissions) -> Iterator[str]:
    """The texts in a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        yield content
    for part in _list(content):
        text = cast("dict[str, object]", part).get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text
        else:
            omitted.add("part without text")


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
