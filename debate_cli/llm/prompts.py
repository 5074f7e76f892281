"""The prompts of this package and of plug-ins, and the user's texts that replace prompts.

A placeholder in a prompt is written `{{name}}`. A placeholder inside an inserted value stays unchanged.
"""

import functools
import importlib.resources
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Self

from debate_cli.domain.message_text import format_suggestion
from debate_cli.errors import ConfigError
from debate_cli.plugins import SYSTEMS

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_NO_OVERRIDES: Mapping[str, str] = MappingProxyType({})


class ShippedPrompt(NamedTuple):
    """A prompt of this package or a plug-in. A user replaces it with `prompts.NAME` in the configuration."""

    name: str
    used_by: str
    """Who uses the prompt: `debaters`, `judges` (of every system), `search`, or the kind of a judging system."""
    placeholders: tuple[str, ...]
    """Names of the placeholders in the prompt. A user's text for this prompt may contain no other placeholder."""
    text: str


class Prompts:
    """The prompts of one run. `overrides` maps the name of a prompt to the user's text for it."""

    def __init__(self, overrides: Mapping[str, str] = _NO_OVERRIDES) -> None:
        self._overrides = dict(overrides)

    def validate(self) -> Self:
        """Return self if the user's texts have no faults.

        Raises ConfigError with one line per fault.
        """
        if problems := [f"prompts.{name}: {message}" for name, message in self.find_problems()]:
            raise ConfigError(*problems)
        return self

    def find_problems(self) -> list[tuple[str, str]]:
        """Return (name of the prompt, sentence) for each problem of the texts with which the user replaces prompts.

        A problem is an unknown name of a prompt, or an unknown placeholder in a text.
        """
        found: list[tuple[str, str]] = []
        shipped = {prompt.name: prompt.placeholders for prompt in shipped_prompts()} if self._overrides else {}
        for name, text in self._overrides.items():
            if name not in shipped:
                found.append((name, f"unknown prompt{format_suggestion(name, shipped)}"))
                continue
            known = shipped[name]
            for unknown in sorted(find_placeholders(text) - set(known)):
                shown = f"{', '.join(known) or 'none'}{format_suggestion(unknown, known)}"
                found.append((name, f"unknown placeholder {{{{{unknown}}}}}; this prompt has {shown}"))
        return found

    def render(self, package: str, name: str, /, **values: str) -> str:
        """Return the prompt `name` of `package`, or the user's text for it, with `values` filled in.

        Raises KeyError for a placeholder without a value, and FileNotFoundError for an unknown prompt.
        """
        text = self._overrides[name] if name in self._overrides else _load_prompt(package, name)
        return _PLACEHOLDER.sub(lambda match: values[match.group(1)], text).rstrip("\n")


@functools.cache
def shipped_prompts() -> tuple[ShippedPrompt, ...]:
    """Return all shipped prompts: of debaters, of all judges, of the web search, then of each judging system."""
    packages = {"debate_cli.debaters": "debaters", "debate_cli.judging": "judges", "debate_cli.evidence": "search"}
    packages |= {SYSTEMS.load(kind).prompt_package: kind for kind in SYSTEMS.names()}
    found: list[ShippedPrompt] = []
    for package, used_by in packages.items():
        for file in sorted((importlib.resources.files(package) / "prompts").iterdir(), key=lambda file: file.name):
            if file.name.endswith(".md"):
                name, text = file.name.removesuffix(".md"), file.read_text(encoding="utf-8")
                found.append(ShippedPrompt(name, used_by, tuple(sorted(find_placeholders(text))), text))
    return tuple(found)


def find_placeholders(text: str) -> frozenset[str]:
    """Return the names of the placeholders in `text`."""
    return frozenset(_PLACEHOLDER.findall(text))


@functools.cache
def _load_prompt(package: str, name: str) -> str:
    return (importlib.resources.files(package) / "prompts" / f"{name}.md").read_text(encoding="utf-8")
