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

from debate_cli.domain.config import KEY_ALIASES, DebateConfig
from debate_cli.domain.config_checks import KeyPath, Problem, check_config
from debate_cli.domain.suggestions import format_suggestion_or_list
from debate_cli.errors import ConfigError
from debate_cli.llm.prompts import Prompts, prompt_names
from debate_cli.storage.config_errors import MAX_PROBLEMS, problems_from_validation
from debate_cli.storage.config_rest import check_valid_parts
from debate_cli.storage.overrides import ConfigChange, apply_overrides, overrides_from_env, to_overrides
from debate_cli.storage.plain import get_child, is_list, is_mapping
from debate_cli.storage.redact import Redactor, looks_like_secret
from debate_cli.storage.variables import VariableResolver
from debate_cli.storage.yaml_positions import SourceMap, parse_yaml
from debate_cli.storage.yaml_text import read_yaml_text

_MAX_FILES = 100
"""More than there are prompts."""
_MAX_BYTES = 256 * 1024


def read_prompt_files(files: Mapping[str, str], folder: Path) -> tuple[dict[str, str], list[Problem]]:
    """Text per prompt, and what is wrong: with a file (it lies beside the configuration, or deeper), or with a placeholder in it."""
    texts: dict[str, str] = {}
    problems: list[Problem] = []
    if len(files) > _MAX_FILES:
        return texts, [Problem(("prompts",), f"names more than {_MAX_FILES} files; there are not so many prompts")]
    shipped = prompt_names()
    for name, file in files.items():
        if name not in shipped:
            said = format_suggestion_or_list(name, sorted(shipped))
            problems.append(Problem(("prompts", name), f"there is no prompt of this name{said}", is_key_error=True))
            continue
        try:
            texts[name] = _read_prompt(folder, file)
        except ValueError as error:
            problems.append(Problem(("prompts", name), str(error)))
    problems += [Problem(("prompts", name), message) for name, message in Prompts(texts).find_problems()]
    return texts, problems


def _read_prompt(folder: Path, file: str) -> str:
    """The file's text; ValueError with a sentence where there is none."""
    try:
        path = (folder / file).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ValueError("a prompt lies beside the configuration or beneath it; move the file there")
        with path.open("rb") as opened:
            data = opened.read(_MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise ValueError("there is no such file beside the configuration; create it, or correct the name") from error
    except OSError as error:
        raise ValueError(f"the file cannot be read ({error.strerror}); make it readable") from error
    if len(data) > _MAX_BYTES:
        raise ValueError(f"the file is larger than {_MAX_BYTES // 1024} KiB; make it smaller")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError("the file is not valid UTF-8; save it as UTF-8") from error


DEFAULT_OUTPUT_FOLDER = Path("transcripts")
"""Where debates are saved when nothing says otherwise."""


def read_output_folder(config: Path | None, env: Mapping[str, str]) -> Path:
    """`output.dir` as `env` says it, else the file `config`, else the usual one.

    What is wrong with the file is not told here: whoever runs it is told.
    """
    from debate_cli.storage.variables import VariableResolver

    data = _read_mapping(config) if config is not None else {}
    if any(name.startswith("DEBATE_") for name in env):
        from debate_cli.storage.overrides import apply_overrides, overrides_from_env  # brings the domain along

        data, _, _ = apply_overrides(data, overrides_from_env(env))
    said = VariableResolver(env).resolve(get_child(data.get("output"), "dir"))
    return Path(said) if isinstance(said, str) and said and "\0" not in said else DEFAULT_OUTPUT_FOLDER


def _read_mapping(config: Path) -> dict[str, object]:
    from debate_cli.storage.yaml_positions import MAX_YAML_BYTES, parse_yaml

    try:
        with config.open("rb") as file:
            text = file.read(MAX_YAML_BYTES).decode()
    except (OSError, ValueError):
        return {}
    data = parse_yaml(text).data
    return data if is_mapping(data) else {}


STDIN_NAME = "stdin"
"""What a configuration without a file is called in errors."""
ConfigCheck = Callable[[DebateConfig], Iterable[Problem]]
_HIDDEN_CHARS = 4096
_HIDDEN_PREFIX_CHARS = 60
"""Of a text that must not be shown, its beginning must not be either: errors cut what they repeat."""
_LITERAL_KEY_PROBLEM = "a key stands here in plain text; put it in an environment variable and name that"
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)


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
    source_map: SourceMap
    """Names the place of a problem that is found later: `places.line(Problem(path, message))`."""


def read_config_file(
    path: Path | None,
    *,
    text: str | None = None,
    overrides: Sequence[ConfigChange] = (),
    env: Mapping[str, str],
    more_checks: Sequence[ConfigCheck] = (),
    late_checks: Sequence[ConfigCheck] = (),
    own_checks: ConfigCheck = check_config,
) -> LoadedConfig:
    """Read the configuration at `path`, or `text` in its place (`path` then only names it).

    `overrides` are (key path, YAML value) from the command line; text that is not YAML goes through `json.dumps`. They
    count before the `DEBATE_…` variables of `env`, those before the file, the file before the defaults. `more_checks`
    look at the whole configuration after `own_checks`, those of the domain, and `late_checks` where something is wrong already: so
    that what would come to light later is told with it.

    Raises ConfigError with one line for every fault: `file:line:column: key.path: what is wrong; what to do`.
    """
    name = str(path) if path is not None else STDIN_NAME
    folder = path.parent if path is not None else Path()
    source = text if text is not None else _read_text(path)
    return _ConfigLoader(name, folder, env).load(source, overrides, (own_checks, *more_checks), late_checks)


@dataclass(slots=True)
class _ConfigLoader:
    """One configuration on its way from text to value, collecting what is wrong."""

    name: str
    folder: Path
    env: Mapping[str, str]
    problems: list[Problem] = field(default_factory=list[Problem])
    lines: list[str] = field(default_factory=list[str])
    secrets: set[str] = field(default_factory=set[str])
    hidden_texts: set[str] = field(default_factory=set[str])
    """Texts of the file that must not be repeated in an error."""
    literal_secrets: dict[KeyPath, bool] = field(default_factory=dict[KeyPath, bool])
    """Where they stand, and whether the key there is such a text itself; nothing else is told of these places."""

    def load(
        self, text: str, overrides: Sequence[ConfigChange], checks: Sequence[ConfigCheck], late: Sequence[ConfigCheck]
    ) -> LoadedConfig:
        data, places = self._parse(text, overrides)
        self._find_literal_secrets(data, ())
        filling = VariableResolver(self.env)
        filled = filling.resolve(data)
        unfilled = [Problem(path, message) for path, message in dict.fromkeys(filling.faults)]
        self.secrets |= filling.secrets
        prompts, faults = read_prompt_files(_text_values(filled.get("prompts")), self.folder)
        self.problems += faults
        config = self._validate(filled, checks, late, unfilled)
        self.problems = [*unfilled, *(problem for problem in self.problems if not _is_caused_by(problem, unfilled))]
        if config is None or self.problems or self.lines or self.literal_secrets:
            raise self._build_error(_with_alias_positions(places, filled))
        named = {self.env.get(spec.api_key_env or "", "") for spec in config.providers.values()}
        return LoadedConfig(config, self.folder, tuple(sorted((self.secrets | named) - {""})), prompts, places)

    def _parse(self, text: str, overrides: Sequence[ConfigChange]) -> tuple[dict[str, Any], SourceMap]:
        """The data with the overrides in it. Raises where the text is not a mapping at all."""
        parsed = parse_yaml(text)
        file_places = SourceMap(self.name, parsed.positions, key_positions=parsed.key_positions)
        self.lines += map(file_places.format_fault, parsed.faults[: MAX_PROBLEMS + 1])
        outside = [*overrides_from_env(self.env), *to_overrides(overrides)]
        data: Any = {} if parsed.data is None and outside and not parsed.faults else parsed.data
        if not is_mapping(data):
            if not parsed.faults:
                what = "is empty; a configuration takes" if data is None else "this is no configuration; it takes"
                self.lines.append(
                    f"{self.name}:1:1: {what} a mapping with `topic` and `debaters`, and `debate init` writes one"
                )
            raise self._build_error(file_places)
        if "schema_version" in data and "turns" in data:
            self.lines.append(f"{self.name}:1:1: this is a saved debate, no configuration; go on with it by --resume")
            raise self._build_error(file_places)
        changed, origins, problems = apply_overrides(data, outside)
        self.lines += problems
        return changed, SourceMap(self.name, parsed.positions, origins, parsed.key_positions)

    def _find_literal_secrets(self, data: Any, path: KeyPath) -> None:
        """Refuse secrets that stand in the configuration itself."""
        if isinstance(data, str) and (looks_like_secret(data) or _is_literal_header(path, data)):
            self._hide_secret(data, path)
        elif is_list(data):
            for index, item in enumerate(data):
                self._find_literal_secrets(item, (*path, index))
        elif is_mapping(data):
            for key, item in data.items():
                if looks_like_secret(key):
                    self._hide_secret(key, (*path, key), of_key=True)
                self._find_literal_secrets(item, (*path, key))

    def _hide_secret(self, text: str, path: KeyPath, *, of_key: bool = False) -> None:
        self.hidden_texts |= {text[:_HIDDEN_CHARS], text[:_HIDDEN_PREFIX_CHARS]}
        self.literal_secrets[path] = of_key

    def _validate(
        self,
        data: dict[str, Any],
        checks: Sequence[ConfigCheck],
        late: Sequence[ConfigCheck],
        unfilled: Sequence[Problem],
    ) -> DebateConfig | None:
        """The configuration, or None where it is no valid one, or `unfilled`; the problems are collected either way."""
        found: list[Problem] = []
        config = None
        try:
            config = DebateConfig.model_validate(data)
        except ValidationError as error:
            found = problems_from_validation(error, data)
        if config is None or unfilled:
            self.problems += found
            self.problems += check_valid_parts(data, found, (*checks, *late), [problem.path for problem in unfilled])
            return None
        self.problems += [problem for one in checks for problem in one(config)]
        if self.problems or self.lines or self.literal_secrets:
            self.problems += [problem for one in late for problem in one(config)]
        return config

    def _build_error(self, places: SourceMap) -> ConfigError:
        redact = Redactor(self.secrets | self.hidden_texts)
        told = [
            Problem(path, _LITERAL_KEY_PROBLEM, is_key_error=of_key) for path, of_key in self.literal_secrets.items()
        ]
        told += [problem for problem in self.problems if problem.path not in self.literal_secrets]
        return ConfigError(*places.format_problems(told, self.lines, redact))


def _read_text(path: Path | None) -> str:
    """The file's text. Raises ConfigError where it cannot be read as text."""
    if path is None:
        raise ConfigError("no configuration is given; name a file, or `-` for standard input")
    return read_yaml_text(path, absent="`debate init` writes one")


def _text_values(files: Any) -> dict[str, str]:
    return {name: file for name, file in files.items() if isinstance(file, str)} if is_mapping(files) else {}


def _with_alias_positions(places: SourceMap, data: Mapping[str, Any]) -> SourceMap:
    """The same; a key that stands there by its other name is found by both."""
    positions = dict(places.positions)
    for (section, name), other in KEY_ALIASES.items():
        found, there = positions.get((section, other)), data.get(section)
        if found is not None and is_mapping(there) and name not in there:
            positions[section, name] = found
    return replace(places, positions=positions)


def _is_caused_by(problem: Problem, unfilled: Sequence[Problem]) -> bool:
    """Whether a problem is of a place whose variable could not be filled in: nothing is known of what would stand there."""
    return any(problem.path[: len(one.path)] == one.path for one in unfilled)


def _is_literal_header(path: KeyPath, value: str) -> bool:
    """Whether this is the value of a secret header, written out."""
    is_header = len(path) == 4 and path[0] == "providers" and path[2] == "headers"  # noqa: PLR2004 - providers.NAME.headers.HEADER
    return is_header and bool(value) and "${" not in value and _SECRET_HEADER.search(str(path[3])) is not None
