"""A configuration file as a checked value: read, overridden, filled in, validated; every fault named with its place.

What a configuration means does not live here (see `domain.config`), nor the YAML itself (`storage.yaml_source`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.config import OTHER_NAMES, DebateConfig
from debate_cli.domain.config_checks import KeyPath, Problem, check
from debate_cli.errors import ConfigError
from debate_cli.storage.config_errors import MAX_PROBLEMS, problems_of
from debate_cli.storage.config_rest import checks_of_the_rest
from debate_cli.storage.overrides import Change, apply_overrides, from_environment, from_options
from debate_cli.storage.plain import is_list, is_mapping
from debate_cli.storage.position import Position
from debate_cli.storage.prompt_files import read_prompts
from debate_cli.storage.redact import Redactor, shaped_like_a_key
from debate_cli.storage.variables import Filling
from debate_cli.storage.yaml_source import MAX_BYTES, parse

STDIN = "stdin"
"""What a configuration without a file is called in errors."""
Check = Callable[[DebateConfig], Iterable[Problem]]
_MESSAGE_CHARS = 400
_KEY_CHARS = 80
"""Characters of one key in a path that an error shows."""
_HIDDEN_CHARS = 4096
_HIDDEN_START = 60
"""Of a text that must not be shown, its beginning must not be either: errors cut what they repeat."""
_LITERAL = "a key stands here in plain text; put it in an environment variable and name that"
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Places:
    """Where each part of a configuration comes from."""

    name: str
    """The file as it was named, or `stdin`."""
    positions: Mapping[KeyPath, Position] = field(default_factory=dict[KeyPath, Position])
    origins: Mapping[KeyPath, str] = field(default_factory=dict[KeyPath, str])
    """The option or variable that a path was set by."""
    keys: Mapping[KeyPath, Position] = field(default_factory=dict[KeyPath, Position])
    """Where each key stands."""

    def of(self, path: KeyPath, *, key: bool = False) -> str:
        """`file:line:column` of a path, or of the nearest thing around it that has a place; an option, and what is no file, by its name.

        What stands at the path is meant, or its `key`.
        """
        place = self._nearest(path, key=key)
        if isinstance(place, Position):
            return f"{self.name}:{place.line}:{place.column}"
        return place or (f"{self.name}:1:1" if self.positions else self.name)

    def order(self, problem: Problem) -> tuple[int, Position]:
        """Sorts problems as they stand in the file, options last."""
        place = self._nearest(problem.path, key=problem.of_key)
        return (0, place) if isinstance(place, Position) else (1 if place else 0, Position(0, 0))

    def _nearest(self, path: KeyPath, *, key: bool) -> Position | str | None:
        for length in range(len(path), -1, -1):
            head = path[:length]
            if head in self.origins:
                return self.origins[head]
            if key and head == path and head in self.keys:
                return self.keys[head]
            if head in self.positions:
                return self.positions[head]
        return None

    def line(self, problem: Problem) -> str:
        """One line: `file:line:column: key.path: what is wrong`."""
        key, message = _key(problem.path), _shown(problem.message, _MESSAGE_CHARS)
        return f"{self.of(problem.path, key=problem.of_key)}: {key}: {message}" if key else f"{self.of(())}: {message}"


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A configuration that can be run."""

    config: DebateConfig
    folder: Path
    """Where its relative paths begin: the file's folder, or the working folder."""
    secrets: tuple[str, ...]
    """Values never to be written: what secret variables and headers resolved to, and the keys that providers name."""
    prompts: Mapping[str, str]
    """Text per prompt that the configuration replaces."""
    places: Places
    """Names the place of a problem that is found later: `places.line(Problem(path, message))`."""


def load_config(
    path: Path | None,
    *,
    text: str | None = None,
    overrides: Sequence[Change] = (),
    env: Mapping[str, str],
    more_checks: Sequence[Check] = (),
    late_checks: Sequence[Check] = (),
) -> LoadedConfig:
    """Read the configuration at `path`, or `text` in its place (`path` then only names it).

    `overrides` are (key path, YAML value) from the command line; text that is not YAML goes through `json.dumps`. They
    count before the `DEBATE_…` variables of `env`, those before the file, the file before the defaults. `more_checks`
    look at the whole configuration after the checks of the domain, and `late_checks` where something is wrong already: so
    that what would come to light later is told with it.

    Raises ConfigError with one line for every fault: `file:line:column: key.path: what is wrong; what to do`.
    """
    name = str(path) if path is not None else STDIN
    folder = path.parent if path is not None else Path()
    source = text if text is not None else _text_of(path)
    return _Loading(name, folder, env).load(source, overrides, (check, *more_checks), late_checks)


@dataclass(slots=True)
class _Loading:
    """One configuration on its way from text to value, collecting what is wrong."""

    name: str
    folder: Path
    env: Mapping[str, str]
    problems: list[Problem] = field(default_factory=list[Problem])
    lines: list[str] = field(default_factory=list[str])
    secrets: set[str] = field(default_factory=set[str])
    hidden: set[str] = field(default_factory=set[str])
    """Texts of the file that must not be repeated in an error."""
    literal: set[KeyPath] = field(default_factory=set[KeyPath])
    """Where they stand; nothing else is told of these places."""

    def load(
        self, text: str, overrides: Sequence[Change], checks: Sequence[Check], late: Sequence[Check]
    ) -> LoadedConfig:
        data, places = self._read(text, overrides)
        self._find_literal_keys(data, ())
        filling = Filling(self.env)
        filled = filling.fill(data)
        self.problems += [Problem(path, message) for path, message in dict.fromkeys(filling.faults)]
        self.secrets |= filling.secrets
        prompts, faults = read_prompts(_texts(filled.get("prompts")), self.folder)
        self.problems += faults
        config = self._validated(filled, checks, late)
        if config is None or self.problems or self.lines or self.literal:
            raise self._error(_with_names(places, filled))
        named = {self.env.get(spec.api_key_env or "", "") for spec in config.providers.values()}
        return LoadedConfig(config, self.folder, tuple(sorted((self.secrets | named) - {""})), prompts, places)

    def _read(self, text: str, overrides: Sequence[Change]) -> tuple[dict[str, Any], Places]:
        """The data with the overrides in it. Raises where the text is not a mapping at all."""
        parsed = parse(text)
        file_places = Places(self.name, parsed.places, keys=parsed.keys)
        for fault in parsed.faults[: MAX_PROBLEMS + 1]:
            key = _key(fault.path)
            where = f"{self.name}:{fault.at.line}:{fault.at.column}"
            self.lines.append(f"{where}: {key}: {fault.message}" if key else f"{where}: {fault.message}")
        data: Any = {} if parsed.data is None and not parsed.faults else parsed.data
        if not is_mapping(data):
            if not parsed.faults:
                self.lines.append(
                    f"{self.name}:1:1: this is no configuration; it takes a mapping with `topic` and `debaters`"
                )
            raise self._error(file_places)
        outside = [*from_environment(self.env), *from_options(overrides)]
        changed, origins, problems = apply_overrides(data, outside)
        self.lines += problems
        return changed, Places(self.name, parsed.places, origins, parsed.keys)

    def _find_literal_keys(self, data: Any, path: KeyPath) -> None:
        """Refuse secrets that stand in the configuration itself."""
        if isinstance(data, str) and (shaped_like_a_key(data) or _is_literal_header(path, data)):
            self._hide(data, path)
        elif is_list(data):
            for index, item in enumerate(data):
                self._find_literal_keys(item, (*path, index))
        elif is_mapping(data):
            for key, item in data.items():
                if shaped_like_a_key(key):
                    self._hide(key, (*path, key))
                self._find_literal_keys(item, (*path, key))

    def _hide(self, text: str, path: KeyPath) -> None:
        self.hidden |= {text[:_HIDDEN_CHARS], text[:_HIDDEN_START]}
        self.literal.add(path)

    def _validated(self, data: dict[str, Any], checks: Sequence[Check], late: Sequence[Check]) -> DebateConfig | None:
        """The configuration, or None where it is no valid one; the problems are collected either way."""
        try:
            config = DebateConfig.model_validate(data)
        except ValidationError as error:
            found = problems_of(error, data)
            self.problems += found
            self.problems += checks_of_the_rest(data, found, (*checks, *late))
            return None
        self.problems += [problem for one in checks for problem in one(config)]
        if self.problems or self.lines or self.literal:
            self.problems += [problem for one in late for problem in one(config)]
        return config

    def _error(self, places: Places) -> ConfigError:
        redact = Redactor(self.secrets | self.hidden)
        told = [Problem(path, _LITERAL) for path in self.literal]
        told += [problem for problem in self.problems if problem.path not in self.literal]
        ordered = sorted(dict.fromkeys(told), key=places.order)
        lines = [*self.lines, *map(places.line, ordered[: MAX_PROBLEMS + 1])]
        shown = list(dict.fromkeys(redact(line) for line in lines))
        if len(shown) > MAX_PROBLEMS:
            shown[MAX_PROBLEMS:] = [f"{_printable(self.name)}: and more faults; mend these first"]
        return ConfigError(*shown)


def _text_of(path: Path | None) -> str:
    """The file's text. Raises ConfigError where it cannot be read as text."""
    if path is None:
        raise ConfigError("no configuration is given; name a file, or `-` for standard input")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file; `debate init` writes one") from error
    except IsADirectoryError as error:
        raise ConfigError(f"{path}: this is a folder; name a file in it") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); make it readable") from error
    except ValueError as error:
        raise ConfigError(f"{_printable(str(path))}: this is no file name; name another") from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path}:1:1: larger than {MAX_BYTES // 1024} KiB; make it smaller")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = error.start - (before.rfind(b"\n") + 1) + 1
        line = before.count(b"\n") + 1
        raise ConfigError(f"{path}:{line}:{column}: not valid UTF-8; save the file as UTF-8") from error


def _texts(files: Any) -> dict[str, str]:
    return {name: file for name, file in files.items() if isinstance(file, str)} if is_mapping(files) else {}


def _with_names(places: Places, data: Mapping[str, Any]) -> Places:
    """The same; a key that stands there by its other name is found by both."""
    positions = dict(places.positions)
    for (section, name), other in OTHER_NAMES.items():
        found, there = positions.get((section, other)), data.get(section)
        if found is not None and is_mapping(there) and name not in there:
            positions[section, name] = found
    return replace(places, positions=positions)


def _is_literal_header(path: KeyPath, value: str) -> bool:
    """Whether this is the value of a secret header, written out."""
    is_header = len(path) == 4 and path[0] == "providers" and path[2] == "headers"  # noqa: PLR2004 - providers.NAME.headers.HEADER
    return is_header and bool(value) and "${" not in value and _SECRET_HEADER.search(str(path[3])) is not None


def _key(path: Sequence[str | int]) -> str:
    return ".".join(_shown(str(part), _KEY_CHARS) for part in path)


def _shown(text: str, most: int) -> str:
    """`text` on one line, cut where it is longer than `most`."""
    return _printable(text if len(text) <= most else f"{text[:most]}…")


def _printable(text: str) -> str:
    return text if text.isprintable() else ascii(text)[1:-1]
