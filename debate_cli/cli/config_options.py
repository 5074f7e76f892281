"""Reads the configuration and the cassette that the options name."""

import errno
import json
import math
import os
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from debate_cli.app.config_resolution import escape_variables, resolve_config
from debate_cli.app.context import Cassette
from debate_cli.cli.console import print_status
from debate_cli.domain.config_checks import check_config, check_for_any_use
from debate_cli.domain.message_text import closest_match, did_you_mean
from debate_cli.errors import ConfigError, UsageError
from debate_cli.providers.cassette import CassettePlayer, CassetteRecorder
from debate_cli.regular_file import follow_links, read_regular_text, shorten_path
from debate_cli.storage.config_file import ConfigCheck, LoadedConfig
from debate_cli.storage.transcript_store import DEFAULT_CONFIG_PATHS
from debate_cli.storage.variables import (
    VARIABLE_NAME_RULE,
    ConfigChange,
    Override,
    is_variable_name,
    load_environment,
    variable_override,
)

_MAX_BACKGROUND_BYTES = 1024 * 1024


class ConfigOptions(NamedTuple):
    """Options of `run` that change the configuration."""

    settings: Sequence[str] | None = None
    topic: str | None = None
    background: Path | None = None
    seed: int | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    variables: Sequence[str] | None = None
    evidence: Sequence[Path] | None = None


def overrides_from_options(given: ConfigOptions) -> list[ConfigChange]:
    """Return the changes to the configuration that the options ask for.

    Raises UsageError for a malformed --set or --var, and for a --background file that cannot be read.
    """
    found: list[ConfigChange] = []
    for setting in given.settings or ():
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise UsageError(f"--set {setting}: write key.path=value")
        found.append((key, value))
    for variable in given.variables or ():
        name, equals, value = variable.partition("=")
        if not equals or not is_variable_name(name):
            raise UsageError(f"--var {variable}: write NAME=VALUE; {VARIABLE_NAME_RULE}")
        found.append(variable_override(name, value, "--var"))
    values = {
        "topic": ("--topic", given.topic),
        "background": ("--background", None if given.background is None else _read_background(given.background)),
        "evidence.sources": (
            "--evidence",
            escape_variables([str(path.absolute()) for path in given.evidence or ()]) or None,
        ),
        "seed": ("--seed", given.seed),
        "limits.max_cost_usd": ("--max-cost", given.max_cost),
        "limits.max_tokens": ("--max-tokens", given.max_tokens),
    }
    return found + [
        Override(key, json.dumps(value, ensure_ascii=False), option)
        for key, (option, value) in values.items()
        if value is not None
    ]


def limits_from_options(max_cost: float | None, max_tokens: int | None) -> dict[str, float]:
    """Return the settings of `limits` for --max-cost and --max-tokens. Raises UsageError for a cost of 0 or less."""
    if max_cost is not None and not 0 < max_cost < math.inf:
        raise UsageError(f"--max-cost {max_cost:g}: give a finite amount above 0")
    return {key: value for key, value in (("max_cost_usd", max_cost), ("max_tokens", max_tokens)) if value is not None}


def _read_background(path: Path) -> str:
    try:
        return escape_variables(read_regular_text(path, _MAX_BACKGROUND_BYTES))
    except OSError as error:
        raise UsageError(
            f"--background {path}: cannot be read ({error.strerror}); give the path of a text file"
        ) from error
    except ValueError as error:
        raise UsageError(f"--background {path}: {error}") from error


def config_from_argument(
    reference: str | None,
    changes: Sequence[ConfigChange] = (),
    *,
    checks: ConfigCheck = check_for_any_use,
    trusted_folders: Sequence[Path] | None = None,
) -> LoadedConfig:
    """Load the configuration `reference`: a path, or `-` for stdin. None: the default configuration.

    - `checks`: finds contradictions between settings.
    - `trusted_folders`: folders from which the configuration may name files.

    Raises ConfigError.
    """
    path = None
    if reference is None:
        path = default_config_path()
        print_status(f"configuration: {path}")
        changes = [*_without_example(path, changes), *changes]
    elif reference != "-":
        path = Path(reference)
        _check_existence(path)
    loaded = resolve_config(
        path,
        os.environ,
        changes,
        text=sys.stdin.read() if path is None else None,
        checks=checks,
        shipped=path is not None and _is_shipped(path),
        trusted_folders=trusted_folders or (),
    )
    print_notes(loaded.env.notes)
    return loaded


def _check_existence(path: Path) -> None:
    """Raise ConfigError with advice if there is no file at `path`, or if it cannot be reached."""
    try:
        os.lstat(path)
    except ValueError:  # a NUL character, which the reader of the file reports
        return
    except (FileNotFoundError, NotADirectoryError) as error:
        advice = _suggest_motion(path) or _suggest_file(path)
        raise ConfigError(f"{shorten_path(path)}: no such file; {advice}") from error
    except OSError as error:
        motion = _suggest_motion(path) if error.errno == errno.ENAMETOOLONG else ""
        advice = motion or "give the path of a readable file"
        raise ConfigError(f"{shorten_path(path)}: cannot be read ({error.strerror}); {advice}") from error


def _suggest_motion(path: Path) -> str:
    text = str(path)
    is_motion = text.isprintable() and re.search(r"\s|\?$", text)
    return f"to debate a motion: debate run --topic {shlex.quote(text)}" if is_motion else ""


def _suggest_file(path: Path) -> str:
    by_stem = {file.stem: file for file in path.parent.glob("*.y*ml")}
    match = closest_match(path.stem, by_stem)
    return did_you_mean(str(by_stem[match])) if match else "`debate init` writes one"


def load_judging_config(
    reference: str | None, changes: Sequence[ConfigChange] = (), trusted_folders: Sequence[Path] | None = None
) -> LoadedConfig | None:
    """Load and check the configuration `reference`, which --config names.

    If `reference` is None, print the notes on the working folder's `.env` file, e.g. that it is ignored, and return None.
    """
    if reference is None:
        print_notes(load_environment(Path(), os.environ).notes)
        return None
    checks = partial(check_config, needs_debaters=False, needs_models=False)
    return config_from_argument(reference, changes, checks=checks, trusted_folders=trusted_folders)


def print_notes(notes: Iterable[str]) -> None:
    """Print notes to stderr, each after `note:`."""
    for note in notes:
        print_status(f"note: {note}")


def _is_shipped(path: Path) -> bool:
    return follow_links(path) == follow_links(packaged_config_dir() / "debate.yaml")


def _without_example(path: Path, changes: Sequence[ConfigChange]) -> list[ConfigChange]:
    keys = {change.key if isinstance(change, Override) else change[0] for change in changes}
    is_other_topic = _is_shipped(path) and "topic" in keys and "background" not in keys
    return [Override("background", "null", "--topic")] if is_other_topic else []


def default_config_path() -> Path:
    """Return `configs/debate.yaml` or `debate.yaml` in the current folder, else the packaged default."""
    return next((path for path in DEFAULT_CONFIG_PATHS if path.is_file()), packaged_config_dir() / "debate.yaml")


def packaged_config_dir() -> Path:
    """Return the folder of the packaged configurations (in a checkout, `configs/`)."""
    package = Path(str(resources.files("debate_cli")))
    installed = package / "configs"
    return installed if installed.is_dir() else package.parent / "configs"


def open_cassette(record: Path | None, play: Path | None, *, asked: bool = True) -> Cassette | None:
    """Open the cassette of --record or --replay; None without these options. Raises UsageError, ConfigError.

    `asked`: whether models will be asked. If False, --record is not opened.
    """
    if record is not None and play is not None:
        raise UsageError("--record and --replay cannot be combined; give one of them")
    if record is not None and asked:
        is_extended = record.exists()
        recorder = CassetteRecorder(record)
        if is_extended:
            print_status(f"note: --record: the new calls are added to {record}, which exists already")
        return recorder
    return CassettePlayer(play) if play is not None else None
