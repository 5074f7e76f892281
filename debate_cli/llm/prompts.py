"""Prompt files: Markdown files beside the code that uses them, and their replacements by the user.

A placeholder is `{{name}}`. Placeholders inside an inserted value are not filled in.
"""

import functools
import importlib.resources
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import NamedTuple, Self

from debate_cli.errors import ConfigError
from debate_cli.plugins import SYSTEMS

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_NO_OVERRIDES: Mapping[str, str] = MappingProxyType({})


class ShippedPrompt(NamedTuple):
    """A prompt of this package or a plug-in. `prompts.NAME` in a configuration replaces it."""

    name: str
    used_by: str
    """`debaters`, `judges` (of every system), `search`, or the kind of a judging system."""
    placeholders: tuple[str, ...]
    """Names of the placeholders. A replacement may use only these."""
    text: str


class Prompts:
    """The prompts of one run. `overrides`: name of a shipped prompt -> text that replaces it."""

    def __init__(self, overrides: Mapping[str, str] = _NO_OVERRIDES) -> None:
        self._overrides = dict(overrides)

    def validate(self, *packages: str) -> Self:
        """Return self if every override replaces a shipped prompt and uses only its placeholders.

        Raises ConfigError with one line per fault. `packages` defaults to all packages with prompts.
        """
        if problems := [f"prompts.{name}: {message}" for name, message in self.find_problems(*packages)]:
            raise ConfigError(*problems)
        return self

    def find_problems(self, *packages: str) -> list[tuple[str, str]]:
        """Faults of the overrides as (name, sentence). `packages`: as for `validate`."""
        if not self._overrides:
            return []
        chosen = packages or prompt_packages()
        return list(
            self._iter_problems({name: package for package in chosen for name in _package_prompt_names(package)})
        )

    def render(self, package: str, name: str, /, **values: str) -> str:
        """Fill in the placeholders of `prompts/NAME.md` in `package`. Strips trailing newlines.

        Ignores unused values, because an override may leave out placeholders. Raises KeyError for a placeholder without
        a value and FileNotFoundError for an unknown prompt.
        """
        text = self._overrides[name] if name in self._overrides else _load_prompt(package, name)
        return _PLACEHOLDER.sub(lambda match: values[match.group(1)], text).rstrip("\n")

    def _iter_problems(self, packages: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        for name, text in self._overrides.items():
            if name not in packages:
                yield name, f"unknown prompt{_format_suggestion(name, packages)}"
                continue
            known = find_placeholders(_load_prompt(packages[name], name))
            for unknown in sorted(find_placeholders(text) - known):
                placeholders = ", ".join(sorted(known)) or "none"
                hint = _format_suggestion(unknown, known)
                yield name, f"unknown placeholder {{{{{unknown}}}}}{hint}; this prompt has {placeholders}"


@functools.cache
def prompt_packages() -> Mapping[str, str]:
    """Packages with a folder `prompts` -> who uses them: debaters, judges, the web search, or a system's judges."""
    systems: dict[str, str] = {SYSTEMS.load(kind).prompt_package: kind for kind in SYSTEMS.names()}
    return {
        "debate_cli.debaters": "debaters",
        "debate_cli.judging": "judges",
        "debate_cli.evidence": "search",
        **systems,
    }


def shipped_prompts() -> tuple[ShippedPrompt, ...]:
    """All shipped prompts: of debaters, of all judges, of the web search, then of each judging system."""
    return tuple(
        ShippedPrompt(name, used_by, tuple(sorted(find_placeholders(text))), text)
        for package, used_by in prompt_packages().items()
        for name in _package_prompt_names(package)
        for text in [_load_prompt(package, name)]
    )


def find_placeholders(text: str) -> frozenset[str]:
    """Names of the placeholders in `text`."""
    return frozenset(_PLACEHOLDER.findall(text))


def _format_suggestion(word: str, known: Mapping[str, str] | frozenset[str]) -> str:
    near = get_close_matches(word, list(known), n=1)
    return f" (did you mean {near[0]}?)" if near else ""


@functools.cache
def _load_prompt(package: str, name: str) -> str:
    return (importlib.resources.files(package) / "prompts" / f"{name}.md").read_text(encoding="utf-8")


@functools.cache
def _package_prompt_names(package: str) -> tuple[str, ...]:
    folder = importlib.resources.files(package) / "prompts"
    return tuple(sorted(file.name.removesuffix(".md") for file in folder.iterdir() if file.name.endswith(".md")))
