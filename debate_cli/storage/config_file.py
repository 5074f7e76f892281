"""Loads a configuration file: parses it, applies overrides, resolves variables and validates the result."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError, create_model

from debate_cli.domain.config import LEGACY_SECTIONS, DebateConfig, move_legacy_sections
from debate_cli.domain.config_checks import KeyPath, Problem, check_config
from debate_cli.domain.frozen_model import ConfigModel
from debate_cli.domain.judging_config import settings_class
from debate_cli.domain.message_text import format_suggestion, format_suggestion_or_list
from debate_cli.errors import ConfigError
from debate_cli.llm.prompts import Prompts, shipped_prompts
from debate_cli.llm.redaction import Redactor, looks_like_secret
from debate_cli.providers.provider_table import BUILTIN_PROVIDERS
from debate_cli.regular_file import is_inside, read_regular_text
from debate_cli.resolved_secrets import record_secrets
from debate_cli.storage.config_errors import (
    ConfigRepair,
    SourceMap,
    format_faults,
    limit_lines,
    load_yaml,
    problems_from_validation,
    value_at,
)
from debate_cli.storage.plain_data import is_list, is_mapping
from debate_cli.storage.provider_origin import WEB_SEARCH, ProviderOrigin, find_origin
from debate_cli.storage.variables import (
    ConfigChange,
    Environment,
    VariableResolver,
    apply_overrides,
    overrides_from_env,
)
from debate_cli.systems.registry import system_kinds
from debate_cli.systems.rubric import Rubric
from debate_cli.yaml_positions import parse_yaml, read_yaml_text

if TYPE_CHECKING:
    from debate_cli.evidence.corpus import Corpus

STDIN_NAME = "stdin"
"""Name of standard input in errors."""
_MAX_REPAIRS = 8
ConfigCheck = Callable[[DebateConfig], Iterable[Problem]]
_MAX_BACKGROUND_BYTES = 1024 * 1024
_MAX_PROMPT_BYTES = 256 * 1024
_OUTSIDE = (
    "the file must be in the folder of the configuration or below it; move it there, or allow its folder with "
    "--trust-path DIR"
)


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A valid configuration, and where its parts come from."""

    config: DebateConfig
    folder: Path
    """Relative paths in the configuration start here: the file's folder, or the working folder if there is no file."""
    secrets: tuple[str, ...]
    """Texts that must never be written: values of secret variables and of headers, and API keys."""
    prompts: Mapping[str, str]
    """Texts that replace built-in prompts, by the prompt's name."""
    source_map: SourceMap
    """Positions of the values in the file, for the errors of checks that run after loading."""
    env: Environment = field(default_factory=lambda: Environment({}))
    """Variables of the process and of the `.env` file."""
    provider_origins: Mapping[str, ProviderOrigin] = field(default_factory=dict[str, ProviderOrigin])
    """Maps the name of each provider in the file to the server and the variables that the file chooses for the provider.

    The key WEB_SEARCH stands for the server for web searches.
    """
    background_file: Path | None = None
    """File with the background; None if the background is in the configuration itself, or absent."""
    corpus: Corpus | None = None
    """Index of the sources, if they were read already. None: the sources must be read from files."""


def read_config_file(
    path: Path | None,
    *,
    text: str | None = None,
    overrides: Sequence[ConfigChange] = (),
    env: Mapping[str, str],
    checks: Sequence[ConfigCheck] = (check_config,),
    trusted_folders: Sequence[Path] = (),
) -> LoadedConfig:
    """Read the configuration in the file `path`. Raises ConfigError with one line per error.

    - `text`: text to read in place of the file.
    - `overrides`: replace values of the file and of environment variables.
    - `env`: environment variables. Those that begin with `DEBATE_` replace values of the file.
    - `checks`: functions that return contradictions between settings.
    - `trusted_folders`: other folders from which the configuration may read files.
    """
    if text is None:
        if path is None:
            raise ConfigError("no configuration is given; give the path of a file, or `-` for standard input")
        text = read_yaml_text(path, absent="`debate init` writes one")
    environment = env if isinstance(env, Environment) else Environment(env)
    source_map = SourceMap(STDIN_NAME if path is None else str(path))
    folder = Path() if path is None else path.parent
    return _ConfigLoader(folder, environment, source_map, (folder, *trusted_folders)).load(text, overrides, checks)


def read_prompt_files(
    files: Mapping[str, str], folder: Path, *, trusted_folders: Sequence[Path] = (), from_options: Collection[str] = ()
) -> tuple[dict[str, str], list[Problem]]:
    """Return the texts of prompts by name, and a problem for each prompt that cannot be used.

    `files`: maps names of prompts to files. A file must be in `folder` or `trusted_folders`, unless the prompt's name
    is in `from_options`.
    """
    texts: dict[str, str] = {}
    problems: list[Problem] = []
    shipped = {prompt.name for prompt in shipped_prompts()}
    for name, file in files.items():
        if name not in shipped:
            hint = format_suggestion_or_list(name, sorted(shipped))
            problems.append(Problem(("prompts", name), f"there is no prompt with this name{hint}"))
            continue
        try:
            within = None if name in from_options else (folder, *trusted_folders)
            texts[name] = _read_named_file(folder / file, within, _MAX_PROMPT_BYTES)
        except ValueError as error:
            problems.append(Problem(("prompts", name), str(error)))
    problems += [Problem(("prompts", name), message) for name, message in Prompts(texts).find_problems()]
    return texts, problems


def _read_named_file(path: Path, within: Sequence[Path] | None, max_bytes: int) -> str:
    if within is not None and not is_inside(path, within):
        raise ValueError(_OUTSIDE)
    try:
        return read_regular_text(path, max_bytes)
    except FileNotFoundError as error:
        raise ValueError("there is no such file beside the configuration; create it, or correct the name") from error
    except OSError as error:
        raise ValueError(f"the file cannot be read ({error.strerror}); make it readable") from error


@dataclass(slots=True)
class _ConfigLoader:
    folder: Path
    env: Environment
    source_map: SourceMap
    allowed_folders: tuple[Path, ...]
    faults: list[str] = field(default_factory=list[str])
    problems: list[Problem] = field(default_factory=list[Problem])
    secrets: set[str] = field(default_factory=set[str])
    background_file: Path | None = None

    def load(self, text: str, overrides: Sequence[ConfigChange], checks: Sequence[ConfigCheck]) -> LoadedConfig:
        parsed = self._parse(text, overrides)
        data = self._resolve_variables(parsed)
        self._read_background(data)
        prompts = self._read_prompts(data)
        # After a repeated key it is unknown which value is meant, so references to it are not checked.
        config = self._validate(data, () if self.faults else (*checks, self._check_files))
        if config is None or self.problems or self.faults:
            lines = self.source_map.format_problems(self.problems, Redactor(self.secrets))
            raise ConfigError(*limit_lines(self.source_map.name, [*self.faults, *lines]))
        fingerprint = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        return LoadedConfig(
            config,
            self.folder,
            tuple(sorted(self.secrets - {""})),
            prompts,
            self.source_map,
            self.env,
            self._find_provider_origins(parsed, config, fingerprint),
            self.background_file,
        )

    def _validate(self, data: dict[str, Any], checks: Sequence[ConfigCheck]) -> DebateConfig | None:
        """Validate `data`, and add all its problems to `self.problems`.

        One validation does not find all problems. Therefore a copy of `data` is repaired and validated again until it
        is valid. Returns the valid configuration; None if _MAX_REPAIRS validations have failed.
        """
        repair = ConfigRepair(deepcopy(data))
        for _ in range(_MAX_REPAIRS):
            placed = move_legacy_sections(repair.data)
            try:
                config = DebateConfig.model_validate(placed)
            except ValidationError as error:
                found = problems_from_validation(error, placed)
                found = [problem._replace(path=_written_path(problem.path, repair.data)) for problem in found]
                self._add(problem._replace(path=repair.written_path(problem.path)) for problem in found)
                for problem in found:
                    repair.repair(problem)
            else:
                self._add(
                    problem._replace(path=repair.written_path(_written_path(problem.path, repair.data)))
                    for check in checks
                    for problem in check(config)
                    if problem.path[0] not in repair.skipped_sections
                )
                return config
        return None

    def _find_provider_origins(
        self, written: Mapping[str, Any], config: DebateConfig, fingerprint: str
    ) -> dict[str, ProviderOrigin]:
        find = partial(find_origin, env=self.env, file=self.source_map.name, fingerprint=fingerprint)
        found = {
            name: find(
                {**spec.model_dump(), "base_url": value_at(written, ("providers", name, "base_url"))},
                partial(self._is_option, "providers", name),
            )
            for name, spec in config.providers.items()
        }
        address = value_at(written, ("evidence", "web", "base_url"))
        if isinstance(address, str):
            found[WEB_SEARCH] = find({"base_url": address}, partial(self._is_option, "evidence", "web"))
        return found

    def _parse(self, text: str, overrides: Sequence[ConfigChange]) -> dict[str, Any]:
        name = self.source_map.name
        parsed = parse_yaml(text)
        self.faults, data = list(format_faults(name, parsed.faults)), parsed.data
        if self.faults and data is None:
            raise ConfigError(*limit_lines(name, self.faults))
        self.source_map = SourceMap(name, parsed.positions)
        changes = [*overrides_from_env(self.env), *overrides]
        if data is None and changes:
            data = {}
        if not is_mapping(data):
            what = "the file is empty" if data is None else "this is not a configuration"
            advice = "write a mapping with `topic` and `debaters`, or let `debate init` write one"
            raise ConfigError(f"{name}:1:1: {what}; {advice}")
        if "schema_version" in data and "turns" in data:
            raise ConfigError(f"{name}:1:1: this is a saved debate, not a configuration; continue it with --resume")
        changed, origins, self.problems = apply_overrides(data, changes)
        self.source_map = replace(self.source_map, origins=origins)
        return changed

    def _resolve_variables(self, data: dict[str, Any]) -> dict[str, Any]:
        self.problems += _literal_secrets(data, ())
        given = data.get("vars")
        variables = given if is_mapping(given) else {}
        named = _key_variables(data)
        keys = {str(name) for name in (*named, *(row.api_key_env for row in BUILTIN_PROVIDERS.values())) if name}
        resolver = VariableResolver(self.env, variables, key_variables=keys)
        resolved = resolver.resolve({key: value for key, value in data.items() if key != "vars"})
        if given is not None:
            used = {
                name: value
                for name, value in variables.items()
                if name in resolver.used or not isinstance(value, str)  # validation reports a value that is no text
            }
            resolved["vars"] = used if is_mapping(given) else given
        self.secrets |= resolver.secrets
        self.secrets |= {self.env.get(str(name), "") for name in (*named, *_key_variables(resolved))}
        record_secrets(self.secrets - {""})
        self.problems += [Problem(path, message) for path, message in dict.fromkeys(resolver.faults)]
        return resolved

    def _is_option(self, *path: str | int) -> bool:
        return any(path[:length] in self.source_map.origins for length in range(1, len(path) + 1))

    def _read_background(self, data: dict[str, Any]) -> None:
        background = data.get("background")
        if not is_mapping(background) or not background:
            return
        data["background"] = None
        for key in background.keys() - {"file"}:
            hint = format_suggestion(key, ["file"]) or "; the only key here is `file`"
            self.problems.append(Problem(("background", key), f"unknown key{hint}", is_key_error=True))
        file = background.get("file")
        if not isinstance(file, str):
            if "file" in background:
                self.problems.append(Problem(("background", "file"), "must be text; put it in quotes"))
            return
        self.background_file = self.folder / file
        within = None if self._is_option("background", "file") else self.allowed_folders
        try:
            data["background"] = _read_named_file(self.background_file, within, _MAX_BACKGROUND_BYTES)
        except ValueError as error:
            self.problems.append(Problem(("background", "file"), str(error)))

    def _read_prompts(self, data: Mapping[str, Any]) -> dict[str, str]:
        files = data.get("prompts")
        named = {name: file for name, file in files.items() if isinstance(file, str)} if is_mapping(files) else {}
        given = [name for name in named if self._is_option("prompts", name)]
        prompts, problems = read_prompt_files(
            named, self.folder, trusted_folders=self.allowed_folders, from_options=given
        )
        self._add(problems)
        return prompts

    def _check_files(self, config: DebateConfig) -> Iterator[Problem]:
        named: dict[KeyPath, str] = {
            ("models", name, "script"): spec.script for name, spec in config.models.items() if spec.script is not None
        }
        sources = config.evidence.named_sources if config.evidence is not None else ()
        for number, source in enumerate(sources):
            named["evidence", "sources", number] = re.split(r"[^/]*[*?\[]", source.path, maxsplit=1)[0]
        for path, file in named.items():
            if not self._is_option(*path) and not is_inside(self.folder / file, self.allowed_folders):
                yield Problem(path, _OUTSIDE)

    def _add(self, problems: Iterable[Problem]) -> None:
        known = [*self.problems]
        self.problems += (
            problem for problem in problems if not any(_is_covered(problem, known=each) for each in known)
        )


def _is_covered(problem: Problem, *, known: Problem) -> bool:
    """Return whether `problem` may result from `known`, because one key path is the beginning of the other."""
    if known.path[: len(problem.path)] == problem.path:
        return not (known.is_key_error and known.path == problem.path)
    return problem.path[: len(known.path)] == known.path and not known.is_key_error


def _written_path(path: KeyPath, data: Mapping[str, Any]) -> KeyPath:
    """Return the key path under which a value was written in `data`. `path`: its key path in the parsed configuration.

    The paths differ if `data` uses `format.rounds` or a section in LEGACY_SECTIONS.
    """
    if path[:2] == ("format", "phases") and value_at(data, ("format", "rounds")) is not None:
        return ("format", "rounds", *path[2:])
    for section, (name, renamed) in LEGACY_SECTIONS.items():
        if path[3:4] == (name,) and section in data and value_at(data, path[:4]) is None:
            written = {new: old for old, new in renamed.items()}
            return (section, *(written.get(str(key), key) for key in path[4:]))
    return path


def _literal_secrets(data: Any, path: KeyPath) -> Iterator[Problem]:
    message = "this is a secret in plain text; put it into an environment variable, and refer to the variable here"
    if isinstance(data, str):
        if looks_like_secret(data):
            yield Problem(path, message)
    elif is_list(data):
        for index, item in enumerate(data):
            yield from _literal_secrets(item, (*path, index))
    elif is_mapping(data):
        for key, item in data.items():
            if looks_like_secret(key):
                yield Problem(path, message)
            else:
                yield from _literal_secrets(item, (*path, key))


def load_rubric(path: Path) -> Rubric:
    """Load a rubric: settings of judging systems, e.g. `structured: {weights: ..., thresholds: ...}`.

    Raises ConfigError with one line per error.
    """
    data, source_map = load_yaml(str(path), read_yaml_text(path, absent="write a rubric, or correct the name"))
    if not is_mapping(data) or not data:
        example = "such as `structured: {weights: {logic: 0.5}}`"
        raise ConfigError(f"{path}:1:1: this is not a rubric; write settings per system, {example}")
    return parse_rubric(data, source_map)


def parse_rubric(data: Mapping[str, Any], source_map: SourceMap) -> Rubric:
    """Return the rubric in `data`, which maps kinds of systems to their settings. Raises ConfigError."""
    sections: dict[str, Any] = {kind: (settings_class(kind) | None, None) for kind in system_kinds()}
    model = create_model("RubricFile", __base__=ConfigModel, **sections)
    try:
        model.model_validate(data)
    except ValidationError as error:
        raise ConfigError(*source_map.format_problems(problems_from_validation(error, data, model))) from error
    return Rubric({name: change or {} for name, change in data.items()})


def _key_variables(data: Mapping[str, Any]) -> list[object]:
    """Return the values of `api_key_env` of all providers."""
    rows = data.get("providers")
    return [row.get("api_key_env") for row in (rows.values() if is_mapping(rows) else ()) if is_mapping(row)]
