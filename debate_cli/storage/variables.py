"""Variables and overrides of a configuration: the environment, `.env`, `${VAR}`, and options.

In provider settings, `${VAR}` names an environment variable. Elsewhere `${VAR}` names an entry of `vars`, so that a
downloaded file cannot send secrets of the environment to models.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import starmap, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from debate_cli.domain.config import ROUND_KEYS, DebateConfig
from debate_cli.domain.config_checks import KeyPath, Problem
from debate_cli.domain.message_text import format_suggestion
from debate_cli.errors import ConfigError
from debate_cli.providers.provider_table import BUILTIN_PROVIDERS, collect_secrets
from debate_cli.regular_file import is_inside, read_regular_text
from debate_cli.resolved_secrets import record_secrets
from debate_cli.storage.plain_data import get_child, is_list, is_mapping
from debate_cli.yaml_positions import MAX_YAML_DEPTH, escape_unprintable, parse_yaml

TEXT_VARIABLE_PREFIX = "DEBATE_VAR_"
"""Prefix of environment variables for texts: `DEBATE_VAR_NAME` sets `${NAME}`."""
SHORTCUT_VARIABLES = {"DEBATE_TOPIC": "topic", "DEBATE_SEED": "seed", "DEBATE_OUT": "output.dir"}
"""Maps environment variables with short names to the key paths that they set."""
TRUSTED_HOSTS_VARIABLE = "DEBATE_TRUSTED_HOSTS"
"""Environment variable that lists trusted hosts, separated by commas. Configurations may send requests and keys to
these hosts."""
QUEUE_VARIABLE = "DEBATE_QUEUE"
"""Environment variable with the address of the queue from which processes take the debates of an experiment."""
VARIABLE_NAME_RULE = "a NAME has letters, digits and `_`, and begins with a letter or `_`"
"""What `is_variable_name` requires, in words."""
_PREFIX, _GENERIC_PREFIX = "DEBATE_", "DEBATE__"
_MAX_DOTENV_BYTES = 1024 * 1024
_IGNORED_IN_DOTENV = re.compile(r".*_BASE_URL|OLLAMA_HOST|HF_ENDPOINT|.*_PROXY|DEBATE_.*|XDG_.*|HOME", re.IGNORECASE)
_MAX_NOTE_CHARS = 400
_VARIABLE = re.compile(r"\$\$\{|\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^{}]*))?\})?")
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:(?:API)?KEY|TOKEN|SECRET|PASSWORD|PASS|PWD|AUTH|CRED|COOKIE|DSN|WEBHOOK|SESSION)(?:_|$)", re.IGNORECASE
)
_MIN_SECRET_CHARS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Environment(Mapping[str, str]):
    """The variables of the process, plus those of one `.env` file."""

    process: Mapping[str, str] = field(repr=False)
    """Variables of the process, which take precedence over those of the `.env` file."""
    dotenv: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    notes: tuple[str, ...] = ()
    """Messages about the ignored parts of the `.env` file."""

    def __getitem__(self, name: str) -> str:
        return self.process[name] if name in self.process else self.dotenv[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.dotenv, **self.process})

    def __len__(self) -> int:
        return len(self.process.keys() | self.dotenv.keys())

    def is_from_dotenv(self, name: str) -> bool:
        """Whether the value of the variable `name` comes from the `.env` file."""
        return name in self.dotenv and name not in self.process


def load_environment(folder: Path, env: Mapping[str, str]) -> Environment:
    """Return `env` plus the API keys in the file `.env` of `folder`. Raises ConfigError if the file cannot be read.

    Addresses and settings in `.env` are ignored, because the file may have been downloaded. The keys of the built-in
    providers are recorded as secrets.
    """
    environment = _read_dotenv(folder, env)
    record_secrets(collect_secrets(BUILTIN_PROVIDERS.values(), environment))
    return environment


def _read_dotenv(folder: Path, env: Mapping[str, str]) -> Environment:
    path = folder / ".env"
    if not is_inside(path, (folder,)):
        return Environment(env, notes=(f"{path} is ignored: it is a link that leads out of its folder",))
    try:
        text = read_regular_text(path, _MAX_DOTENV_BYTES, "utf-8-sig") if path.is_file() else ""
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); make it readable, or remove it") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error
    if not text:
        return Environment(env)
    from dotenv import dotenv_values

    values = dotenv_values(stream=StringIO(text), interpolate=False)
    ignored = [name for name in values if _IGNORED_IN_DOTENV.fullmatch(name)]
    kept = {name: value for name, value in values.items() if value is not None and name not in ignored}
    note = f"{path}: these variables are ignored, because only API keys are read from .env: {', '.join(ignored)}"
    return Environment(env, kept, (note[:_MAX_NOTE_CHARS],) if ignored else ())


def is_variable_name(name: str) -> bool:
    """Whether `name` can be written as a variable `${name}`."""
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def is_secret_variable(variable: str) -> bool:
    """Whether `variable` contains a word such as KEY or TOKEN. Words are separated by underscores."""
    return _SECRET_NAME.search(variable) is not None


def is_header_path(path: KeyPath) -> bool:
    """Whether `path` is `providers.NAME.headers.HEADER`."""
    return len(path) == 4 and path[0] == "providers" and path[2] == "headers"  # noqa: PLR2004 - parts of the path


@dataclass(slots=True)
class VariableResolver:
    """Replaces variables with their values. Collects errors and secret values."""

    env: Mapping[str, str]
    """Environment variables. Their values replace `${VAR}` in provider settings and in `evidence.web.base_url`."""
    given: Mapping[str, object] = field(default_factory=dict[str, object])
    """Variables from `vars`, `--var` and `DEBATE_VAR_…`. Their values replace `${NAME}` in all other settings."""
    key_variables: Collection[str] = ()
    """Names of environment variables that contain API keys."""
    used: set[str] = field(default_factory=set[str])
    """Names of the variables in `given` that the configuration uses."""
    faults: list[tuple[KeyPath, str]] = field(default_factory=list[tuple[KeyPath, str]])
    secrets: set[str] = field(default_factory=set[str])

    def resolve(self, data: Any, path: KeyPath = ()) -> Any:
        """Return `data` with variables replaced by their values. Headers of providers keep their variables."""
        if isinstance(data, str):
            resolved = _VARIABLE.sub(lambda found: self._replace(found, path), data)
            return data if is_header_path(path) else resolved
        if is_list(data):
            return [self.resolve(item, (*path, index)) for index, item in enumerate(data)]
        if is_mapping(data):
            return {key: self.resolve(item, (*path, key)) for key, item in data.items()}
        return data

    def _replace(self, found: re.Match[str], path: KeyPath) -> str:
        name, default = found["name"], found["default"]
        if found[0] == "$${":
            return "${"
        if name is None:
            return self._fault(
                path, "this `${` does not begin a variable; write `${NAME}`, or `$${` for a literal `${`"
            )
        if path[2:] == ("base_url",) and (is_secret_variable(name) or name in self.key_variables):
            return self._fault(
                path,
                f"the variable {name} contains a secret, which must not be part of an address; write `api_key_env: {name}` instead",
            )
        is_setting = path[:1] == ("providers",) or path == ("evidence", "web", "base_url")
        given = (self.env if is_setting else self.given).get(name)
        value = None if given is None else str(given)
        if not is_setting and value is not None:
            self.used.add(name)
        if not value and default is not None:
            return default
        if value is None:
            if not is_setting and (suggestion := format_suggestion(name, self.given)):
                return self._fault(path, f"the variable {name} has no value{suggestion}")
            what = f"the variable {name} has no value; set it with --var {name}=... or {TEXT_VARIABLE_PREFIX}{name}"
            if is_setting:
                what = f"the environment variable {name} is not set; set it"
            return self._fault(path, f"{what}, or write `${{{name}:-default}}`")
        if is_header_path(path) or (is_secret_variable(name) and len(value) >= _MIN_SECRET_CHARS):
            self.secrets.add(value)
        return value

    def _fault(self, path: KeyPath, message: str) -> str:
        self.faults.append((path, message))
        return ""


class Override(NamedTuple):
    """A value that replaces a value in the configuration file."""

    key: str
    """Key path with dots, list indices as numbers: `debaters.0.model`."""
    value: Any
    """The new value. A text is parsed as YAML; any other value is used unchanged."""
    source: str = "--set"
    """The option or variable that set the value. Errors name it."""


ConfigChange = tuple[str, Any] | Override
"""A change to a configuration: an Override, or a pair (key path, value) as given with `--set`."""


def overrides_from_env(env: Mapping[str, str]) -> list[Override]:
    """Return one override for each variable that sets a key, sorted by variable.

    `DEBATE_VAR_NAME` sets `vars.NAME`. `DEBATE__FORMAT__ARGUMENTS` and `DEBATE_FORMAT__ARGUMENTS` set
    `format.arguments`.
    """
    found: list[Override] = []
    for name in sorted(env):
        variable = name.removeprefix(TEXT_VARIABLE_PREFIX)
        if name in SHORTCUT_VARIABLES:
            value = env[name] if name == "DEBATE_SEED" else json.dumps(env[name], ensure_ascii=False)
            found.append(Override(SHORTCUT_VARIABLES[name], value, name))
        elif variable != name and is_variable_name(variable):
            found.append(variable_override(variable, env[name], name))
        elif path := _setting_path(name):
            found.append(Override(path, env[name], name))
    return found


def _setting_path(name: str) -> str:
    path = name.removeprefix(_PREFIX).removeprefix("_").lower().split("__")
    is_setting = len(path) > 1 and path[0] in DebateConfig.model_fields and name.startswith(_PREFIX)
    return ".".join(path) if is_setting or name.startswith(_GENERIC_PREFIX) else ""


def unknown_variables(env: Mapping[str, str]) -> list[str]:
    """Return a warning for each variable that begins with `DEBATE_` but is not a setting."""
    known = {*SHORTCUT_VARIABLES, TRUSTED_HOSTS_VARIABLE, QUEUE_VARIABLE}
    return [
        f"{escape_unprintable(name)[:80]} is not a setting and is ignored; settings are {', '.join(SHORTCUT_VARIABLES)} "
        f"and {_GENERIC_PREFIX}KEY__PATH"
        for name in sorted(env)
        if name.startswith(_PREFIX)
        and name not in known
        and not (name.startswith(TEXT_VARIABLE_PREFIX) or _setting_path(name))
    ]


def variable_override(name: str, value: str, source: str) -> Override:
    """Return the override that replaces `${name}` in texts with `value`."""
    return Override(f"vars.{name}", json.dumps(value, ensure_ascii=False), source)


def apply_overrides(
    data: dict[str, Any], overrides: Sequence[ConfigChange]
) -> tuple[dict[str, Any], dict[KeyPath, str], list[Problem]]:
    """Apply the overrides in order. Returns (changed data, sources, problems).

    - sources: maps each changed key path to the source of its new value, e.g. `--set`.
    - problems: one for each override that cannot be applied. The problem's path has one part, the whole key, e.g.
      `("format.rounds",)`. `sources` contains this path too.
    """
    changed: dict[str, Any] = json.loads(json.dumps(data))
    origins: dict[KeyPath, str] = {}
    problems: list[Problem] = []
    for override in starmap(Override, overrides):
        _drop_other_round_keys(changed, override.key)
        try:
            paths = _set_value(changed, override.key.split("."), _plain_value(override.value))
        except ValueError as error:
            paths = [(override.key,)]
            problems.append(Problem((override.key,), str(error)))
        origins |= dict.fromkeys(paths, override.source)
    return changed, origins, problems


def _drop_other_round_keys(data: dict[str, Any], key: str) -> None:
    section, name, *_ = *key.split("."), "", ""
    written = data.get(section)
    if section == "format" and is_mapping(written):
        for other in ROUND_KEYS.get(name, ()):
            content = written.pop(other, None)
            if is_list(content):
                written.setdefault(name, content)


def _plain_value(value: Any) -> Any:
    if not isinstance(value, str):
        try:
            return json.loads(json.dumps(value))
        except (TypeError, RecursionError) as error:
            raise ValueError("must be a text, a number, a list or a mapping") from error
    parsed = parse_yaml(value)
    if parsed.faults:
        raise ValueError(parsed.faults[0].message)
    return parsed.data


def _set_value(data: dict[str, Any], parts: Sequence[str], value: Any) -> list[KeyPath]:
    """Set the value at a key path, and create missing mappings and lists. Returns all changed key paths."""
    if not all(parts) or len(parts) > MAX_YAML_DEPTH:
        raise ValueError("not a key path; write it like `format.arguments` or `debaters.0.model`")
    parent: Any = data
    path: KeyPath = ()
    new_paths: list[KeyPath] = []
    for part, following in zip_longest(parts, parts[1:]):
        key = _key_in(parent, part)
        path = (*path, key)
        if following is None or get_child(parent, key) is None:
            parent[key] = value if following is None else [] if following == "0" else {}
            new_paths.append(path)
        parent = parent[key]
    return new_paths


def _key_in(parent: Any, part: str) -> str | int:
    """Return the key of `parent` that `part` stands for: `part` itself for a mapping, a number for a list.

    If the number is the length of the list, None is first appended to the list, so that the caller can set this item.
    Raises ValueError if `parent` is neither a mapping nor a list, or if `part` is not an index of the list.
    """
    if is_mapping(parent):
        return part
    if not is_list(parent):
        raise ValueError(f"the value before `.{part}` has no keys; remove `.{part}`")
    size = len(parent)
    if not re.fullmatch(r"[0-9]{1,4}", part) or int(part) > size:
        raise ValueError(f"`{part}` is not an index; write a number from 0 to {size} ({size} adds an item)")
    if int(part) == size:
        parent.append(None)
    return int(part)
