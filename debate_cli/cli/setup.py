"""What a command line means before anything is asked: which configuration, with which changes, around which cassette.

How a configuration is then made ready to be run is in `preparation`.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, cast

from debate_cli import preparation
from debate_cli.cli.homes import HERE
from debate_cli.cli.screen import tell
from debate_cli.domain.config import DebateConfig
from debate_cli.errors import ConfigError, UsageError
from debate_cli.preparation import hidden
from debate_cli.providers.cassette import Player, Recorder
from debate_cli.storage.config_file import LoadedConfig, load_config
from debate_cli.storage.environment import environment
from debate_cli.storage.json_form import config_data
from debate_cli.storage.redact import Redactor
from debate_cli.wiring import Tape


def overrides(
    settings: Sequence[str] | None,
    topic: str | None,
    seed: int | None,
    limits: Mapping[str, float | None],
) -> list[tuple[str, str]]:
    """The options that change the configuration, as (key path, YAML value).

    Raises UsageError for a --set without `=`.
    """
    found: list[tuple[str, str]] = []
    for setting in settings or ():
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise UsageError(f"--set {setting}: write key.path=value")
        found.append((key, value))
    if topic is not None:
        found.append(("topic", json.dumps(topic, ensure_ascii=False)))
    if seed is not None:
        found.append(("seed", str(seed)))
    found += [(f"limits.{name}", str(value)) for name, value in limits.items() if value is not None]
    return found


def load(reference: str | None, changes: Sequence[tuple[str, str]] = (), *, asked: bool = False) -> LoadedConfig:
    """The configuration that `reference` names: a path, `-` for standard input, None for the default one.

    Raises ConfigError with every fault; where its models are to be `asked`, with what keeps them from it too.
    """
    if reference == "-":
        return preparation.load(None, os.environ, changes, text=sys.stdin.read(), asked=asked)
    path = Path(reference) if reference is not None else default_config()
    if reference is None:
        tell(f"configuration: {path}")
    return preparation.load(path, os.environ, changes, asked=asked)


def reload(config: DebateConfig, changes: Sequence[tuple[str, str]] = ()) -> LoadedConfig:
    """A stored configuration as if it had just been read, with `changes` laid over it.

    Files that it names are looked for in the working folder. Raises ConfigError.
    """
    env = {name: value for name, value in environment(Path(), os.environ).items() if not name.startswith("DEBATE_")}
    try:
        return load_config(None, text=json.dumps(_filled_in(config_data(config))), overrides=changes, env=env)
    except ConfigError as error:
        problems = [_STDIN.sub("the stored configuration", problem) for problem in error.problems]
        raise ConfigError(*problems, "resume with the configuration's file: debate run CONFIG --resume ID") from error


_STDIN = re.compile(r"^stdin(:\d+)*")


def _filled_in(data: Any) -> Any:
    """Stored data in which `${` is no longer to be read as a variable; headers alone are stored as they were written."""
    if isinstance(data, str):
        return data.replace("${", "$${")
    if isinstance(data, list):
        return [_filled_in(item) for item in cast("list[Any]", data)]
    if isinstance(data, dict):
        parts = cast("dict[str, Any]", data)
        return {key: part if key == "headers" else _filled_in(part) for key, part in parts.items()}
    return data


def default_config() -> Path:
    """`configs/debate.yaml` or `debate.yaml` here, else the one that comes with the package."""
    return next((path for path in HERE if path.is_file()), shipped_configs() / "debate.yaml")


def shipped_configs() -> Path:
    """The folder of the configurations that come with the package (with the sources, in a checkout)."""
    package = Path(str(resources.files("debate_cli")))
    installed = package / "configs"
    return installed if installed.is_dir() else package.parent / "configs"


def cassette(record: Path | None, play: Path | None, loaded: LoadedConfig, *, asked: bool = True) -> Tape | None:
    """The cassette that --record or --replay names; None where neither is given. No secret of `loaded` gets onto it.

    Where nothing is going to be `asked`, nothing is recorded, and no file begun.

    Raises UsageError where both are given, ConfigError where the recording cannot be used.
    """
    if record is not None and play is not None:
        raise UsageError("--record and --replay exclude each other; give one of them")
    redact = Redactor(hidden(loaded, os.environ))
    if record is not None and not asked:
        return None
    if record is not None:
        return Recorder(record, redact)
    return Player(play, redact) if play is not None else None
