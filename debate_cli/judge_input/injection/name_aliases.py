"""Aliases for names that could mislead a model.

A model reads an alias (`ITEM-1`) in place of a name that is long, has invisible characters or addresses the judge.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from typing import TypeVar

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.nested_texts import iter_texts, map_texts
from debate_cli.judge_input.injection.detector import detect_injection
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt

T = TypeVar("T")
MAX_NAME_CHARS = 80
_ALIAS = re.compile(r"ITEM-\d+")
_PROSE_FIELDS = frozenset({"description", "definition"})


class NameAliases:
    """Replaces names with aliases, and aliases with names.

    The names come from one debate and from the settings of one judging system. Only names that could mislead a model have
    an alias, so most debates have no aliases.
    """

    def __init__(self, debate: Debate, settings: SystemSettings | None = None) -> None:
        configured = iter_texts(settings.model_dump(mode="json"), skip=_PROSE_FIELDS) if settings is not None else ()
        names = dict.fromkeys([*debate_names(debate), *configured])
        free = (alias for number in count(1) if (alias := f"ITEM-{number}") not in names)
        self._aliases = {name: next(free) for name in names if not is_plain_name(name)}
        self._names = {alias: name for name, alias in self._aliases.items()}

    def hide(self, value: T) -> T:
        """Return `value` with an alias in place of each string that is a name. Names inside longer strings stay."""
        return map_texts(value, lambda text: self._aliases.get(text, text)) if self._aliases else value

    def restore(self, value: T) -> T:
        """Return `value` with names in place of aliases, including aliases inside longer strings."""

        def restore_text(text: str) -> str:
            return _ALIAS.sub(lambda match: self._names.get(match.group(), match.group()), text)

        return map_texts(value, restore_text) if self._aliases else value


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
