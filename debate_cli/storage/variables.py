"""The environment: variables of the process and of `.env` files, and `${VAR}` in the scalars of a configuration.

Only provider settings read the environment, because a configuration may have been downloaded, and its texts are sent to
models and saved. All other texts get only the variables of the user or the configuration. `${VAR}` and
`${VAR:-default}` are resolved after parsing, so a value never becomes structure. `$${` means a literal `${`.
"""

import itertools
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from debate_cli.domain.config import KEY_ALIASES, DebateConfig
from debate_cli.errors import ConfigError
from debate_cli.regular_file import is_inside, read_regular_text
from debate_cli.storage.plain_data import deep_copy, get_child, is_list, is_mapping
from debate_cli.storage.yaml_positions import MAX_YAML_DEPTH, YamlPath, escape_unprintable, parse_yaml

TEXT_VARIABLE_PREFIX = "DEBATE_VAR_"
"""`DEBATE_VAR_NAME` sets `${NAME}` in texts."""
_MAX_DOTENV_BYTES = 1024 * 1024
_NO_KEY = re.compile(r".*_BASE_URL|OLLAMA_HOST|HF_ENDPOINT|.*_PROXY|DEBATE_.*|XDG_.*|HOME", re.IGNORECASE)
"""Variables of a `.env` file that are ignored because they set an address, a setting or a folder."""
_MAX_NAMED = 5
"""Maximum number of ignored variables in a note."""
_VARIABLE = re.compile(r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}|\$\{")
_UNCLOSED_VARIABLE = re.compile(r"\$\$\{|\$\{")
"""Starts of variables that are never closed. In the text after the last `}`, _VARIABLE would take quadratic time."""
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:(?:API)?KEY|TOKEN|SECRET|PASSWORD|PASS|PWD|AUTH|CRED|COOKIE|DSN|WEBHOOK|SESSION)(?:_|$)", re.IGNORECASE
)
_MIN_SECRET_CHARS = 8
"""A shorter value is not treated as a secret, whatever the variable's name, because it may be an ordinary word."""


@dataclass(frozen=True, slots=True, eq=False)
class Environment(Mapping[str, str]):
    """The variables of the process, plus the keys of one `.env` file."""

    process: Mapping[str, str] = field(repr=False)
    """Variables of the process; they take precedence."""
    dotenv: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Variables of the `.env` file."""
    notes: tuple[str, ...] = ()
    """One sentence for each ignored part of the file."""

    def __getitem__(self, name: str) -> str:
        return self.process[name] if name in self.process else self.dotenv[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.dotenv, **self.process})

    def __len__(self) -> int:
        return len(self.process.keys() | self.dotenv.keys())

    def is_from_dotenv(self, name: str) -> bool:
        """Whether the value of `name` comes from the file."""
        return name in self.dotenv and name not in self.process


def load_environment(folder: Path, env: Mapping[str, str]) -> Environment:
    """`env`, plus the keys in the file `.env` of `folder`.

    `folder`: that of the configuration or, without one, the working folder.

    The file's values are not expanded. Because the file may have been downloaded, addresses, proxies and settings in it
    are ignored, and so is a file that is a link out of `folder`. Raises ConfigError if it cannot be read.
    """
    path = folder / ".env"
    if not is_inside(path, (folder,)):
        return Environment(env, notes=(f"{path} is ignored: it is a link that leads out of its folder",))
    values = _read_dotenv(path)
    ignored = [name for name in values if _NO_KEY.fullmatch(name)]
    note = (
        f"{path}: ignored, because .env gives keys only: {', '.join(ignored[:_MAX_NAMED])}"
        f"{f' and {len(ignored) - _MAX_NAMED} more' if len(ignored) > _MAX_NAMED else ''}"
    )
    kept = {name: value for name, value in values.items() if name not in ignored}
    return Environment(env, kept, (note,) if ignored else ())


def _read_dotenv(path: Path) -> dict[str, str]:
    try:
        if not path.is_file():
            return {}
        text = read_regular_text(path, _MAX_DOTENV_BYTES, "utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); make it readable, or remove it") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error
    from dotenv.main import DotEnv

    values = DotEnv(None, stream=StringIO(text), interpolate=False).dict()
    return {name: value for name, value in values.items() if value is not None}


def is_variable_name(name: str) -> bool:
    """Whether `name` can be written as a variable `${name}`."""
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def is_secret_variable(variable: str) -> bool:
    """Whether the name of `variable` has a part between underscores such as KEY or TOKEN."""
    return _SECRET_NAME.search(variable) is not None


def is_header_path(path: YamlPath) -> bool:
    """Whether `path` is `providers.NAME.headers.HEADER`."""
    return len(path) == 4 and path[0] == "providers" and path[2] == "headers"  # noqa: PLR2004 - parts of the path


@dataclass(slots=True)
class VariableResolver:
    """Resolves variables, and collects errors and secret values."""

    env: Mapping[str, str]
    """The environment, for provider settings."""
    given: Mapping[str, object] = field(default_factory=dict[str, object])
    """Variables for other texts: `vars` of the configuration, overridden by options and DEBATE_VAR_ variables."""
    key_variables: Collection[str] = ()
    """Names of variables that contain a provider's key."""
    used: set[str] = field(default_factory=set[str])
    """Names in `given` that a text uses."""
    notes: list[str] = field(default_factory=list[str])
    faults: list[tuple[YamlPath, str]] = field(default_factory=list[tuple[YamlPath, str]])
    secrets: set[str] = field(default_factory=set[str])

    def resolve(self, data: Any, path: YamlPath = ()) -> Any:
        """Resolve the variables of all scalars in `data`. Headers of providers are not resolved."""
        if isinstance(data, str):
            return self._resolve_text(data, path)
        if is_list(data):
            return [self.resolve(item, (*path, index)) for index, item in enumerate(data)]
        if is_mapping(data):
            return {key: self.resolve(item, (*path, key)) for key, item in data.items()}
        return data

    def _resolve_text(self, text: str, path: YamlPath) -> str:
        def replacement(found: re.Match[str]) -> str:
            if found[0] == "$${":
                return "${"
            groups = found.groupdict()
            name = groups.get("name")
            if name is None:
                self.faults.append(
                    (path, "this `${` does not begin a variable; write `${NAME}`, or `$${` for a literal `${`")
                )
                return found[0]
            return self._resolve_variable(name, groups["default"], path)

        closed = text.rfind("}") + 1
        resolved = _VARIABLE.sub(replacement, text[:closed]) + _UNCLOSED_VARIABLE.sub(replacement, text[closed:])
        return text if is_header_path(path) else resolved

    def _resolve_variable(self, name: str, default: str | None, path: YamlPath) -> str:
        is_setting = path[:1] == ("providers",) or path == ("evidence", "web", "base_url")
        value = self.env.get(name) if is_setting else self._find_given(name)
        if path[2:] == ("base_url",) and (is_secret_variable(name) or name in self.key_variables):
            self.faults.append(
                (path, f"{name} holds a secret, which must not be part of an address; send it as api_key_env")
            )
            return ""
        if not value and default is not None:
            if not is_setting and self.env.get(name):
                self.notes.append(f"`${{{name}:-...}}` took its default: {_format_remedy(name)}")
            return default
        if value is None:
            self.faults.append((path, self._format_unset(name, is_setting=is_setting)))
            return ""
        if is_header_path(path) or (is_secret_variable(name) and len(value) >= _MIN_SECRET_CHARS):
            self.secrets.add(value)
        return value

    def _find_given(self, name: str) -> str | None:
        value = self.given.get(name)
        if value is None:
            return None
        self.used.add(name)
        return str(value)

    def _format_unset(self, name: str, *, is_setting: bool) -> str:
        default = f"or write `${{{name}:-default}}`"
        if is_setting:
            return f"the environment variable {name} is not set; set it, {default}"
        known = "is set in the environment, which is not used in texts" if name in self.env else "is not given"
        return f"the variable {name} {known}; {_format_remedy(name)}, {default}"


def _format_remedy(name: str) -> str:
    return f"give it with --var {name}=... or {TEXT_VARIABLE_PREFIX}{name}"


SHORTCUT_VARIABLES = {"DEBATE_TOPIC": "topic", "DEBATE_SEED": "seed", "DEBATE_OUT": "output.dir"}
"""Variables with a short name. Other keys are `DEBATE__` (or `DEBATE_`) and the path, with `__` between its parts."""
TRUSTED_HOSTS_VARIABLE = "DEBATE_TRUSTED_HOSTS"
"""Hosts to which files may send requests and keys, separated by commas."""
QUEUE_VARIABLE = "DEBATE_QUEUE"
"""Address of the queue of experiments."""
_OTHER_VARIABLES = frozenset({TRUSTED_HOSTS_VARIABLE, QUEUE_VARIABLE})
"""Variables that are not settings."""
_TEXT_VARIABLES = frozenset({"DEBATE_TOPIC", "DEBATE_OUT"})
"""Variables whose value is never parsed as YAML."""
_PREFIX = "DEBATE_"
_GENERIC_PREFIX = "DEBATE__"
_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class Override:
    """One value that overrides the file."""

    key: str
    """Key path with dots, list indices as numbers: `debaters.0.model`."""
    value: Any
    """A text is parsed as YAML; other values are used unchanged."""
    source: str
    """Name in errors: `--set`, or the variable."""


ConfigChange = tuple[str, Any] | Override
"""A change to a configuration: (key path, value) of a `--set`, or an override with the name of its option."""


def to_overrides(changes: Sequence[ConfigChange]) -> list[Override]:
    """The overrides of the command line, in their order."""
    return [item if isinstance(item, Override) else Override(*item, source="--set") for item in changes]


def overrides_from_env(env: Mapping[str, str]) -> list[Override]:
    """One override for each variable that sets a key, sorted by name.

    `DEBATE_TOPIC`, `DEBATE_SEED`, `DEBATE_OUT`, `DEBATE_VAR_NAME` for `vars.NAME`, and any key as
    `DEBATE__FORMAT__ARGUMENTS` or `DEBATE_FORMAT__ARGUMENTS` (the path becomes lower-case).
    """
    found: list[Override] = []
    for name in sorted(env):
        if name in SHORTCUT_VARIABLES:
            value = json.dumps(env[name], ensure_ascii=False) if name in _TEXT_VARIABLES else env[name]
            found.append(Override(SHORTCUT_VARIABLES[name], value, name))
        elif name.startswith(TEXT_VARIABLE_PREFIX) and is_variable_name(name.removeprefix(TEXT_VARIABLE_PREFIX)):
            found.append(variable_override(name.removeprefix(TEXT_VARIABLE_PREFIX), env[name], name))
        elif _is_setting(name):
            path = name.removeprefix(_GENERIC_PREFIX if name.startswith(_GENERIC_PREFIX) else _PREFIX)
            found.append(Override(path.lower().replace("__", "."), env[name], name))
    return found


def variable_override(name: str, value: str, source: str) -> Override:
    """The override that sets `${NAME}` in texts."""
    return Override(f"vars.{name}", json.dumps(value, ensure_ascii=False), source)


def unknown_variables(env: Mapping[str, str]) -> list[str]:
    """A warning for each variable that looks like a setting that does not exist. Values are never shown."""
    known = [*SHORTCUT_VARIABLES, *(f"{_GENERIC_PREFIX}{'__'.join(path).upper()}" for path in _setting_paths())]
    found: list[str] = []
    for name in sorted(env):
        if name.startswith(_PREFIX) and not _is_setting(name) and not _is_known(name):
            close = get_close_matches(name, known, n=1) if len(name) <= _NAME_CHARS else []
            listed = "settings are DEBATE_TOPIC, DEBATE_SEED, DEBATE_OUT, DEBATE__KEY__PATH"
            hint = f"did you mean {close[0]}?" if close else listed
            found.append(f"{escape_unprintable(name)[:_NAME_CHARS]} is not a setting and is ignored; {hint}")
    return found


def apply_overrides(
    data: dict[str, Any], overrides: Sequence[Override]
) -> tuple[dict[str, Any], dict[YamlPath, str], list[str]]:
    """Apply the overrides in order. Returns changed data, the source of each changed path, and the errors."""
    changed = deep_copy(data)
    origins: dict[YamlPath, str] = {}
    problems: list[str] = []
    for override in overrides:
        _rename_alias(changed, override.key)
        try:
            path, value = _resolve_key_path(changed, override.key), _plain_value(override.value)
        except ValueError as error:
            problems.append(f"{override.source}: {escape_unprintable(override.key)}: {error}")
            continue
        created = _set_at_path(changed, path, value)
        origins |= dict.fromkeys([*created, path], override.source)
    return changed, origins, problems


def _is_setting(name: str) -> bool:
    """Whether a variable sets a key path: `DEBATE__…`, or `DEBATE_KEY__…` with a top-level key of the configuration."""
    if name.startswith(_GENERIC_PREFIX):
        return True
    first, separator, _ = name.removeprefix(_PREFIX).lower().partition("__")
    return name.startswith(_PREFIX) and bool(separator) and first in DebateConfig.model_fields


def _is_known(name: str) -> bool:
    return name in SHORTCUT_VARIABLES or name in _OTHER_VARIABLES or name.startswith(TEXT_VARIABLE_PREFIX)


def _setting_paths() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, section in DebateConfig.model_fields.items():
        inner = type(section.default).model_fields if isinstance(section.default, BaseModel) else {}
        found += [(name,), *((name, key) for key in inner)]
    return found


def _rename_alias(data: dict[str, Any], key: str) -> None:
    section, _, rest = key.partition(".")
    name = rest.partition(".")[0]
    parent = data.get(section)
    for other in KEY_ALIASES.get((section, name), ()):
        if is_mapping(parent) and other in parent:
            content = parent.pop(other)
            parent.setdefault(name, content)


def _plain_value(value: Any) -> Any:
    """The value of an override as plain data. Raises ValueError if it is neither YAML text nor plain data."""
    if not isinstance(value, str):
        return _check_value(value, MAX_YAML_DEPTH)
    parsed = parse_yaml(value)
    if parsed.faults:
        raise ValueError(parsed.faults[0].message)
    return parsed.data


def _check_value(value: Any, depth: int) -> Any:
    if depth and (is_list(value) or isinstance(value, tuple)):
        items = cast("list[Any]", value)
        return [_check_value(item, depth - 1) for item in items]
    if depth and is_mapping(value) and set(map(type, value)) <= {str}:
        return {key: _check_value(item, depth - 1) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"must be text, a number, a list or a mapping with text keys, not a `{type(value).__name__}`")


def _resolve_key_path(data: Any, key: str) -> YamlPath:
    """The path of `key` in `data`. Raises ValueError if a part of it is neither a mapping nor a list."""
    parts = key.split(".")
    if not all(parts) or len(parts) > MAX_YAML_DEPTH:
        raise ValueError("not a key path; write it like `format.arguments` or `debaters.0.model`")
    path: list[str | int] = []
    here: Any = data
    for part in parts:
        if is_list(here) or (here is None and part == "0"):
            path.append(_parse_index(part, 0 if here is None else len(here)))
        elif is_mapping(here) or here is None:
            path.append(part)
        else:
            raise ValueError(f"`{part}` cannot follow a single value; remove `.{part}`")
        here = get_child(here, path[-1])
    return tuple(path)


def _parse_index(part: str, size: int) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", part) or int(part) > size:
        raise ValueError(f"`{part}` is not an index of a list of {size}; count from 0")
    return int(part)


def _set_at_path(data: dict[str, Any], path: YamlPath, value: Any) -> list[YamlPath]:
    """Set the value at `path`; return the paths of the mappings and lists that were created."""
    here: Any = data
    created: list[YamlPath] = []
    for length, (part, after) in enumerate(itertools.pairwise(path), start=1):
        if get_child(here, part) is None:
            _set_item(here, part, [] if isinstance(after, int) else {})
            created.append(path[:length])
        here = here[part]
    _set_item(here, path[-1], value)
    return created


def _set_item(here: Any, part: str | int, value: Any) -> None:
    if is_list(here):
        here[int(part) : int(part) + 1] = [value]
    else:
        here[part] = value
