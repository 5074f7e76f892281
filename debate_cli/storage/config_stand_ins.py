"""What takes the place of a wrong part of a configuration, so that the rest of it can be looked at; changes plain data in place."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.assessment import SYSTEM_KINDS
from debate_cli.domain.config_checks import KeyPath
from debate_cli.domain.did_you_mean import closest_match
from debate_cli.storage.config_errors import MAX_PROBLEMS
from debate_cli.storage.plain import deep_copy, get_child, is_list, is_mapping

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
