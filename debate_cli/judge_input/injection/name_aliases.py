"""Aliases for names that could mislead a model.

A model reads an alias (`ITEM-1`) in place of a name that is long, has invisible characters or addresses the judge.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.judge_input.injection.detector import detect_injection
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt

T = TypeVar("T")
MAX_NAME_CHARS = 80
_ALIAS = re.compile(r"ITEM-\d+")
_PROSE_FIELDS = frozenset({"description", "definition"})


class NameAliases:
    """The aliases of names in one debate and in the settings of one judging system.

    Only names that could mislead a model have an alias, so most debates have none.
    """

    def __init__(self, debate: Debate, settings: SystemSettings | None = None) -> None:
        configured = _setting_names(settings.model_dump(mode="json")) if settings is not None else ()
        names = dict.fromkeys([*debate_names(debate), *configured])
        free = (alias for number in count(1) if (alias := f"ITEM-{number}") not in names)
        self._aliases = {name: next(free) for name in names if not is_plain_name(name)}
        self._names = {alias: name for name, alias in self._aliases.items()}

    def hide(self, value: T) -> T:
        """Return `value` with aliases in place of names. Only strings that consist of a name are replaced."""
        return map_strings(value, lambda text: self._aliases.get(text, text)) if self._aliases else value

    def restore(self, value: T) -> T:
        """Return `value` with names in place of aliases, including aliases inside longer strings."""

        def restore_text(text: str) -> str:
            return _ALIAS.sub(lambda match: self._names.get(match.group(), match.group()), text)

        return map_strings(value, restore_text) if self._aliases else value


@lru_cache(maxsize=4096)
def is_plain_name(name: str) -> bool:
    """Return whether a judge may read `name`. The name must be short and visible, and must not address the judge."""
    has_plain_characters = sanitize_for_prompt(name) == unicodedata.normalize("NFKC", name) and "\n" not in name
    return len(name) <= MAX_NAME_CHARS and has_plain_characters and not detect_injection(name)


def debate_names(debate: Debate) -> Iterator[str]:
    """Yield the names and sides of the debaters, then the ids of the arguments."""
    for participant in debate.participants:
        yield from (participant.name, participant.side)
    yield from debate.arguments


def _setting_names(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            yield from (key, *(_setting_names(item) if key not in _PROSE_FIELDS else ()))
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _setting_names(item)


def map_strings(value: Any, change: Callable[[str], str], skip: Collection[str] = ()) -> Any:
    """Return `value` with `change` applied to every string in its models, dataclasses, lists and mappings.

    `skip`: names of fields that stay unchanged. Changed models are not validated.
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple | list):
        mapped = [map_strings(item, change, skip) for item in cast("list[Any]", value)]
        return tuple(mapped) if isinstance(value, tuple) else mapped
    if isinstance(value, Mapping):
        entries = cast("Mapping[Any, Any]", value).items()
        return {map_strings(key, change, skip): map_strings(item, change, skip) for key, item in entries}
    if isinstance(value, BaseModel):
        old = {name: getattr(value, name) for name in type(value).model_fields}
    elif is_dataclass(value) and not isinstance(value, type):
        old = {field.name: getattr(value, field.name) for field in fields(value)}
    else:
        return value
    new = {name: item if name in skip else map_strings(item, change, skip) for name, item in old.items()}
    changed = {name: item for name, item in new.items() if item != old[name]}
    if not changed:
        return value
    return value.model_copy(update=changed) if isinstance(value, BaseModel) else replace(value, **changed)
