"""What takes the place of a wrong part of a configuration, so that the rest of it can be looked at; changes plain data in place."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.assessment import SYSTEM_KINDS
from debate_cli.domain.config_checks import KeyPath
from debate_cli.domain.did_you_mean import closest
from debate_cli.storage.config_errors import MAX_PROBLEMS
from debate_cli.storage.plain import copied, inside, is_list, is_mapping

_ANY_MODEL = "mock/any"
_STAND_INS: dict[KeyPath, Any] = {("topic",): "?", ("models",): {"default": {"model": _ANY_MODEL}}}
_OPPOSITES = {"for": "against", "against": "for"}


def take_out(data: Any, path: KeyPath) -> KeyPath:
    """Remove the innermost key on `path` that is there; the path removed. Items of lists go with their list.

    What cannot be missing is replaced by something that nothing is wrong with.
    """
    holder = _holder(data, path)
    stand_in = _stand_in(path, data)
    if stand_in is not None and (is_mapping(holder) or (is_list(holder) and inside(holder, path[-1]) is not None)):
        holder[path[-1]] = stand_in  # pyright: ignore[reportArgumentType, reportCallIssue] - an index where it is a list
        if is_mapping(holder) and _makes_prefix(path):
            holder.setdefault("prefix", _debater(path[1], data)["prefix"])
        return path
    return _removed(data, path)


def kinds_put_right(data: dict[str, Any]) -> list[KeyPath]:
    """Give judging systems of a misspelt kind the one that was probably meant; others of no known kind are replaced.

    The paths of those.
    """
    systems = inside(inside(data, "judging"), "systems")
    if not is_list(systems):
        return []
    kinds = [inside(item, "kind") if is_mapping(item) else item for item in systems]
    unknown = [index for index, kind in enumerate(kinds) if not _is_kind(kind)]
    free = next((kind for kind in SYSTEM_KINDS if kind not in kinds), SYSTEM_KINDS[0])
    replaced: list[KeyPath] = []
    for number, index in enumerate(unknown):
        kind = kinds[index]
        meant = closest(kind, SYSTEM_KINDS) if isinstance(kind, str) and number < MAX_PROBLEMS else None
        if meant is None:
            replaced.append(("judging", "systems", index))
        systems[index] = {**(systems[index] if is_mapping(systems[index]) and meant else {}), "kind": meant or free}
    return replaced


def _is_kind(kind: Any) -> bool:
    return isinstance(kind, str) and kind in SYSTEM_KINDS


def _holder(data: Any, path: KeyPath) -> Any:
    for part in path[:-1]:
        data = inside(data, part)
    return data


def _removed(data: Any, path: KeyPath) -> KeyPath:
    here = data
    holder: dict[str, Any] = {}
    kept: KeyPath = ()
    for length, part in enumerate(path, start=1):
        if is_mapping(here) and part in here:
            holder, kept = here, path[:length]
        elif not is_list(here):
            break
        here = inside(here, part)
    if kept:
        del holder[str(kept[-1])]
    return kept


def _stand_in(path: KeyPath, data: Any) -> Any:
    """A value that fits at `path`; None where nothing need stand there."""
    if path in _STAND_INS:
        return copied(_STAND_INS[path])
    match path:
        case ("debaters",):
            return [{**_debater(number, data), "side": side} for number, side in enumerate(_OPPOSITES)]
        case ("debaters", int(number)):
            return _debater(number, data)
        case ("debaters", int(number), "name" | "side" | "model" | "prefix" as key):
            return _debater(number, data)[key]
        case ("models", _):
            return {"model": _ANY_MODEL}
        case (
            ("models", _, "model")
            | ("judging", "systems", _, "judge")
            | ("judging", "systems", _, "judges", _, "model")
        ):
            return _ANY_MODEL
        case ("judging", "systems", _, "judges", int(number)):
            return _judge(number)
        case ("judging", "systems", _, "judges", int(number), "id" | "persona" as key):
            return _judge(number)[key]
        case ("providers", _):
            return {"kind": "mock"}
        case _:
            return None


def _makes_prefix(path: KeyPath) -> bool:
    """Whether the prefix of a debater's arguments may be made of what stands at `path`."""
    return path[:1] == ("debaters",) and path[-1] in {"name", "side"}


def _debater(number: Any, data: Any) -> dict[str, str]:
    """One who gets in no other's way: of two, on the side that the other has not taken."""
    there = inside(data, "debaters")
    others = [inside(other, "side") for index, other in enumerate(there if is_list(there) else ()) if index != number]
    against = "against" if number % 2 else "for"
    side = _OPPOSITES.get(others[0], against) if len(others) == 1 and isinstance(others[0], str) else against
    return {"name": f"?{number}", "side": side, "model": _ANY_MODEL, "prefix": f"Other{number}x"}


def _judge(number: int) -> dict[str, str]:
    return {"id": f"?{number}", "persona": "qa_evaluator", "model": _ANY_MODEL}
