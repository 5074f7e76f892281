"""What pydantic found wrong with a configuration, as sentences a person can act on, each with its key path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, get_args

from pydantic import ValidationError

from debate_cli.domain.assessment import SYSTEM_KINDS
from debate_cli.domain.config import KEY_ALIASES, DebateConfig
from debate_cli.domain.config_checks import CONFIGURABLE_PHASES, KeyPath, Problem
from debate_cli.domain.suggestions import closest_match, format_suggestion
from debate_cli.domain.turn import Phase
from debate_cli.storage.plain import deep_copy, get_child, is_list, is_mapping

_QUOTED = re.compile(r"'([^']*)'")
_MAX_SHOWN_CHARS = 60
"""Characters of a wrong word that an error repeats."""

MAX_PROBLEMS = 200
"""Faults of one file that are told; who has mended so many is told the next."""

MessageFormatter = Callable[[dict[str, Any]], str]


def _bound_message(words: str, key: str) -> MessageFormatter:
    return lambda ctx: f"must be {words} {ctx[key]:g}"


def _fixed_message(sentence: str) -> MessageFormatter:
    return lambda _ctx: sentence


_WHOLE_NUMBER = _fixed_message("must be a whole number")
_NUMBER = _fixed_message("must be a number")
_MAPPING = _fixed_message("must be a mapping of keys to values")
_LIST = _fixed_message("must be a list; put what it holds in brackets, or write a `-` before each item")
_MESSAGES: dict[str, MessageFormatter] = {
    "missing": _fixed_message("is missing; add it"),
    "string_type": _fixed_message("must be text; put it in quotes"),
    "string_unicode": _fixed_message("holds characters that are not valid Unicode; remove them"),
    "string_too_short": _fixed_message("is empty; write a text"),
    "string_too_long": lambda ctx: f"must have at most {ctx['max_length']} characters",
    "int_type": _WHOLE_NUMBER,
    "int_parsing": _WHOLE_NUMBER,
    "int_from_float": _WHOLE_NUMBER,
    "int_parsing_size": _fixed_message("is a number with too many digits"),
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _fixed_message("must be a finite number"),
    "bool_type": _fixed_message("must be true or false"),
    "bool_parsing": _fixed_message("must be true or false"),
    "greater_than": _bound_message("above", "gt"),
    "greater_than_equal": _bound_message("at least", "ge"),
    "less_than": _bound_message("below", "lt"),
    "less_than_equal": _bound_message("at most", "le"),
    "too_short": _fixed_message("is empty; put something into it, or leave the key out"),
    "too_long": lambda ctx: f"must have at most {ctx['max_length']} items",
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dict_type": _MAPPING,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "union_tag_not_found": _fixed_message("names no `kind`; add one, such as `kind: structured`"),
}
_UNLISTED_PHASES = frozenset(get_args(Phase)) - frozenset(CONFIGURABLE_PHASES)
"""Phases that no configuration lists."""
_EXPECTED_WORD_KEYS = {"literal_error": "expected", "union_tag_invalid": "expected_tags"}
"""Kinds of faults that know which words would have been right, and under which name."""
_PATTERN_MESSAGES = {
    "model": "must be `provider/model`, such as `openai/gpt-5`",
    "prefix": "must be 1 to 16 letters and digits that begin with a letter",
}


def problems_from_validation(error: ValidationError, data: Any) -> list[Problem]:
    """One problem for each fault in `data` that `error` tells of; the members of a union count as one.

    No more than MAX_PROBLEMS and one.
    """
    found: dict[KeyPath, list[tuple[Any, bool]]] = {}
    for item in error.errors(include_url=False):
        path, through_union = _key_path(item["loc"], data)
        found.setdefault(path, []).append((item, through_union))
    around = {path[:length] for path in found for length in range(len(path))}
    told = (
        (path, [item for item, _ in items])
        for path, items in found.items()
        if path not in around or not all(through_union for _, through_union in items)
    )
    problems = [_merge_errors(path, items, data) for path, items in islice(told, MAX_PROBLEMS + 1)]
    misspelt = {path for path, items in found.items() if any(item["type"] == "extra_forbidden" for item, _ in items)}
    return [problem for problem in problems if not _is_covered_by_misspelling(problem.path, misspelt, found, data)]


def _is_covered_by_misspelling(
    path: KeyPath, misspelt: Iterable[KeyPath], found: Mapping[KeyPath, list[tuple[Any, bool]]], data: Any
) -> bool:
    """Whether what is missing at `path` stands there under a name of which is told already what it was meant for."""
    if any(item["type"] != "missing" for item, _ in found.get(path, [])) or path not in found:
        return False
    word = f"`{path[-1]}`"
    return any(
        other[:-1] == path[:-1] and word in format_suggestion(str(other[-1]), allowed_keys(other[:-1], data))
        for other in misspelt
    )


def _merge_errors(path: KeyPath, items: Sequence[Any], data: Any) -> Problem:
    """One problem of all that is wrong with one value."""
    item = items[0]
    words = [
        word for item in items if item["type"] == "literal_error" for word in _QUOTED.findall(item["ctx"]["expected"])
    ]
    if words:
        listed = [word for word in words if path[:1] != ("format",) or word not in _UNLISTED_PHASES]
        return Problem(path, _unknown_word_message(_value_at(data, path), listed))
    kind: str = item["type"]
    context: dict[str, Any] = item.get("ctx", {})
    if kind == "extra_forbidden":
        return Problem(path, _unknown_key_message(path, data), is_key_error=True)
    if kind == "string_type" and (sentence := _not_text_message(_value_at(data, path))):
        return Problem(path, sentence)
    if kind == "literal_error":
        return Problem(path, _exact_value_message(context["expected"], _value_at(data, path)))
    if kind == "union_tag_invalid":
        return Problem(
            (*path, "kind"), _unknown_word_message(context["tag"], _QUOTED.findall(context["expected_tags"]))
        )
    if kind == "string_pattern_mismatch" and path[-1] in _PATTERN_MESSAGES:
        return Problem(path, _PATTERN_MESSAGES[str(path[-1])])
    if kind == "value_error":
        return Problem(path, str(context["error"]))
    if kind in _MESSAGES:
        return Problem(path, _MESSAGES[kind](context))
    message: str = item["msg"]
    return Problem(path, message[:1].lower() + message[1:])


def format_validation_error(item: Any) -> str:
    """One fault that pydantic told of, in plain words and without advice: how `item`, a value of stored data, is wrong."""
    kind: str = item["type"]
    context: dict[str, Any] = item.get("ctx", {})
    if kind == "extra_forbidden":
        return "there is no such key here"
    if kind in _EXPECTED_WORD_KEYS:
        words = _QUOTED.findall(context[_EXPECTED_WORD_KEYS[kind]])
        return (
            f"must be one of {', '.join(words)}" if len(words) > 1 else f"must be {context[_EXPECTED_WORD_KEYS[kind]]}"
        )
    if kind.startswith(("datetime", "timezone")):
        return "must be a time such as 2026-01-31T12:00:00Z"
    if kind == "value_error":
        return str(context["error"])
    message: str = item["msg"]
    told = _MESSAGES[kind](context) if kind in _MESSAGES else message[:1].lower() + message[1:]
    return told.partition(";")[0]


def _unknown_key_message(path: KeyPath, data: Any) -> str:
    name = str(path[-1])
    other = KEY_ALIASES.get((str(path[0]), name)) if len(path) == 2 else None  # noqa: PLR2004 - section and key
    if other is not None and is_mapping(holder := _value_at(data, path[:-1])) and other in holder:
        return f"`{name}` and `{other}` are two names of one key; keep one"
    return f"there is no such key here{format_suggestion(name, allowed_keys(path[:-1], data)) or '; remove it, or correct its name'}"


def _not_text_message(value: Any) -> str | None:
    """What to say of a value that stands where a text should; None where quotes around it make a text of it."""
    if value is None:
        return "is empty; write a text, in quotes where it begins with `#`"
    if is_list(value) or is_mapping(value):
        kind = "list; brackets" if is_list(value) else "mapping; braces and `: `"
        return f"must be text, not a {kind} that belong to a text need quotes around the whole of it"
    return None


def _exact_value_message(expected: str, value: Any) -> str:
    return f"must be the number {expected}, without quotes" if value == expected else f"must be {expected}"


def _unknown_word_message(value: Any, words: Sequence[str]) -> str:
    known = list(dict.fromkeys(words))
    listed = f"must be {known[0]}" if len(known) == 1 else f"must be one of {', '.join(known)}"
    if not isinstance(value, str):
        return listed
    shown = ascii(value)[1:-1] if not value.isprintable() else value
    return f"{listed}, not `{shown[:_MAX_SHOWN_CHARS]}`{format_suggestion(value, known)}"


def _key_path(loc: Iterable[str | int], data: Any) -> tuple[KeyPath, bool]:
    """The path of an error in the data: pydantic's location without the names of union members.

    Second: whether such a name was left out.
    """
    parts = tuple(loc)
    path: list[str | int] = []
    here: Any = data
    through_union = False
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if (is_mapping(here) and part in here and here.get("kind") != part) or (
            is_list(here) and isinstance(part, int)
        ):
            path.append(part)
            here = get_child(here, part)
        elif last and is_mapping(here) and not _is_union_member_name(part, here):
            path.append(part)
        else:
            through_union = True
    return tuple(path), through_union


def _is_union_member_name(part: str | int, here: Any) -> bool:
    """Whether a part of a location is the name of a union's member, such as `literal['a','b']` or `Personality`."""
    return not isinstance(part, str) or "[" in part or part[:1].isupper() or here.get("kind") == part


def _value_at(data: Any, path: KeyPath) -> Any:
    for part in path:
        data = get_child(data, part)
    return data


def allowed_keys(path: KeyPath, data: Any) -> set[str]:
    """The keys that may stand at `path`, by the schema of the configuration; of a system, those of its kind."""
    schema = _config_schema()
    nodes = [schema]
    here = data
    for part in path:
        nodes = [inner for node in nodes for inner in _child_schemas(node, part, schema, here)]
        here = get_child(here, part)
    return {
        name for node in nodes for each in _member_schemas(node, schema, here) for name in each.get("properties", {})
    }


@cache
def _config_schema() -> dict[str, Any]:
    return DebateConfig.model_json_schema()


def _child_schemas(node: dict[str, Any], part: str | int, schema: dict[str, Any], here: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for member in _member_schemas(node, schema, here):
        key = "items" if isinstance(part, int) else "additionalProperties"
        within = member.get("properties", {}).get(part) or member.get(key)
        if is_mapping(within):
            found.append(within)
    return found


def _member_schemas(node: dict[str, Any], schema: dict[str, Any], here: Any) -> list[dict[str, Any]]:
    """A schema with its reference followed and its union taken apart, by `kind` where the data names one."""
    if "$ref" in node:
        return _member_schemas(schema["$defs"][node["$ref"].rpartition("/")[2]], schema, here)
    options: list[dict[str, Any]] = node.get("anyOf") or node.get("oneOf") or []
    if not options:
        return [node]
    kind = get_child(here, "kind")
    mapping = node.get("discriminator", {}).get("mapping", {})
    if isinstance(kind, str) and kind in mapping:
        options = [{"$ref": mapping[kind]}]
    return [member for option in options for member in _member_schemas(option, schema, here)]


_PLACEHOLDER_MODEL = "mock/any"
_PLACEHOLDER_VALUES: dict[KeyPath, Any] = {("topic",): "?", ("models",): {"default": {"model": _PLACEHOLDER_MODEL}}}
_OPPOSITE_SIDES = {"for": "against", "against": "for"}


def remove_or_replace(data: Any, path: KeyPath) -> KeyPath:
    """Remove the innermost key on `path` that is there; the path removed. Items of lists go with their list.

    What cannot be missing is replaced by something that nothing is wrong with.
    """
    holder = _parent_of(data, path)
    stand_in = _placeholder_value(path, data)
    if stand_in is not None and (is_mapping(holder) or (is_list(holder) and get_child(holder, path[-1]) is not None)):
        holder[path[-1]] = stand_in  # pyright: ignore[reportArgumentType, reportCallIssue] - an index where it is a list
        if is_mapping(holder) and _determines_prefix(path):
            holder.setdefault("prefix", _placeholder_debater(path[1], data)["prefix"])
        return path
    return _remove_innermost(data, path)


def correct_system_kinds(data: dict[str, Any]) -> list[KeyPath]:
    """Give judging systems of a misspelt kind the one that was probably meant; others of no known kind are replaced.

    The paths of those.
    """
    systems = get_child(get_child(data, "judging"), "systems")
    if not is_list(systems):
        return []
    kinds = [get_child(item, "kind") if is_mapping(item) else item for item in systems]
    unknown = [index for index, kind in enumerate(kinds) if not _is_kind(kind)]
    free = next((kind for kind in SYSTEM_KINDS if kind not in kinds), SYSTEM_KINDS[0])
    replaced: list[KeyPath] = []
    for number, index in enumerate(unknown):
        kind = kinds[index]
        meant = closest_match(kind, SYSTEM_KINDS) if isinstance(kind, str) and number < MAX_PROBLEMS else None
        if meant is None:
            replaced.append(("judging", "systems", index))
        systems[index] = {**(systems[index] if is_mapping(systems[index]) and meant else {}), "kind": meant or free}
    return replaced


def _is_kind(kind: Any) -> bool:
    return isinstance(kind, str) and kind in SYSTEM_KINDS


def _parent_of(data: Any, path: KeyPath) -> Any:
    for part in path[:-1]:
        data = get_child(data, part)
    return data


def _remove_innermost(data: Any, path: KeyPath) -> KeyPath:
    here = data
    holder: dict[str, Any] = {}
    kept: KeyPath = ()
    for length, part in enumerate(path, start=1):
        if is_mapping(here) and part in here:
            holder, kept = here, path[:length]
        elif not is_list(here):
            break
        here = get_child(here, part)
    if kept:
        del holder[str(kept[-1])]
    return kept


def _placeholder_value(path: KeyPath, data: Any) -> Any:
    """A value that fits at `path`; None where nothing need stand there."""
    if path in _PLACEHOLDER_VALUES:
        return deep_copy(_PLACEHOLDER_VALUES[path])
    match path:
        case ("debaters",):
            return [{**_placeholder_debater(number, data), "side": side} for number, side in enumerate(_OPPOSITE_SIDES)]
        case ("debaters", int(number)):
            return _placeholder_debater(number, data)
        case ("debaters", int(number), "name" | "side" | "model" | "prefix" as key):
            return _placeholder_debater(number, data)[key]
        case ("models", _):
            return {"model": _PLACEHOLDER_MODEL}
        case (
            ("models", _, "model")
            | ("judging", "systems", _, "judge")
            | ("judging", "systems", _, "judges", _, "model")
        ):
            return _PLACEHOLDER_MODEL
        case ("judging", "systems", _, "judges", int(number)):
            return _placeholder_judge(number)
        case ("judging", "systems", _, "judges", int(number), "id" | "persona" as key):
            return _placeholder_judge(number)[key]
        case ("providers", _):
            return {"kind": "mock"}
        case _:
            return None


def _determines_prefix(path: KeyPath) -> bool:
    """Whether the prefix of a debater's arguments may be made of what stands at `path`."""
    return path[:1] == ("debaters",) and path[-1] in {"name", "side"}


def _placeholder_debater(number: Any, data: Any) -> dict[str, str]:
    """One who gets in no other's way: of two, on the side that the other has not taken."""
    there = get_child(data, "debaters")
    others = [
        get_child(other, "side") for index, other in enumerate(there if is_list(there) else ()) if index != number
    ]
    against = "against" if number % 2 else "for"
    side = _OPPOSITE_SIDES.get(others[0], against) if len(others) == 1 and isinstance(others[0], str) else against
    return {"name": f"?{number}", "side": side, "model": _PLACEHOLDER_MODEL, "prefix": f"Other{number}x"}


def _placeholder_judge(number: int) -> dict[str, str]:
    return {"id": f"?{number}", "persona": "qa_evaluator", "model": _PLACEHOLDER_MODEL}
