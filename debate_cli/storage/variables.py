"""The environment: variables of the process and of `.env` files, and `${VAR}` in the scalars of a configuration.

Only provider settings read the environment, because a configuration may have been downloaded, and its texts are sent to
models and saved. All other texts get only the variables of the user or the configuration. `${VAR}` and
`${VAR:-default}` are resolved after parsing, so a value never becomes structure. `$${` means a literal `${`.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from debate_cli.errors import ConfigError
from debate_cli.regular_file import is_inside, read_regular_text
from debate_cli.storage.plain_data import is_list, is_mapping
from debate_cli.storage.yaml_positions import YamlPath

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
