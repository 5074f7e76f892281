"""Options that select the configuration, change it, and select a cassette."""

import json
import os
import re
import shlex
import sys
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from debate_cli.app.config_resolution import check_for_judging, resolve_config
from debate_cli.app.context import Cassette
from debate_cli.app.model_roles import all_model_specs
from debate_cli.cli.console import print_status
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import check_config, find_model_key_paths
from debate_cli.domain.suggestions import closest_match
from debate_cli.errors import ConfigError, MissingKeyError, NoLocalModelError, UsageError
from debate_cli.providers.addresses import find_key_problem
from debate_cli.providers.cassette import CassettePlayer, CassetteRecorder
from debate_cli.providers.embedded import MISSING_EXTRA_MESSAGE
from debate_cli.providers.provider_table import merge_provider_rows
from debate_cli.providers.registry import models_without_extra, models_without_key, split_model_name
from debate_cli.regular_file import follow_links, read_regular_text
from debate_cli.storage.config_file import ConfigCheck, LoadedConfig
from debate_cli.storage.transcript_store import DEFAULT_CONFIG_PATHS
from debate_cli.storage.variables import ConfigChange, Override, is_variable_name, load_environment, variable_override

OLLAMA_ALTERNATIVE = "ollama/qwen3:8b"
LOCAL_ALTERNATIVE = "local/smollm2"
KEYED_ALTERNATIVE = "anthropic/claude-sonnet-5 with ANTHROPIC_API_KEY set"
_MAX_LISTED_PATHS = 2
"""Maximum number of key paths for which a message lists --set options. For more it names the first path only."""
_MAX_FILES_SEARCHED = 1000
"""Maximum number of files in a folder that are searched for a suggestion."""
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
    """Turn the options into changes of the configuration. Raises UsageError for a --set without `=`."""
    found: list[ConfigChange] = []
    for setting in given.settings or ():
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise UsageError(f"--set {setting}: write key.path=value")
        found.append((key, value))
    for variable in given.variables or ():
        name, equals, value = variable.partition("=")
        if not equals or not is_variable_name(name):
            raise UsageError(f"--var {variable}: write NAME=VALUE")
        found.append(variable_override(name, value, "--var"))
    if given.topic is not None:
        found.append(Override("topic", json.dumps(given.topic, ensure_ascii=False), "--topic"))
    if given.background is not None:
        text = _read_background(given.background).replace("${", "$${")
        found.append(Override("background", json.dumps(text, ensure_ascii=False), "--background"))
    if given.evidence:
        paths = [str(path.absolute()).replace("${", "$${") for path in given.evidence]
        found.append(Override("evidence.sources", json.dumps(paths, ensure_ascii=False), "--evidence"))
    numbers = (
        ("seed", given.seed, "--seed"),
        ("limits.max_cost_usd", given.max_cost, "--max-cost"),
        ("limits.max_tokens", given.max_tokens, "--max-tokens"),
    )
    return found + [Override(key, str(value), option) for key, value, option in numbers if value is not None]


def _read_background(path: Path) -> str:
    try:
        return read_regular_text(path, _MAX_BACKGROUND_BYTES)
    except OSError as error:
        raise UsageError(f"--background {path}: cannot be read ({error.strerror}); name a text file") from error
    except ValueError as error:
        raise UsageError(f"--background {path}: {error}") from error


def config_from_argument(
    reference: str | None,
    changes: Sequence[ConfigChange] = (),
    *,
    checks: ConfigCheck = check_config,
    announce: bool = True,
    trusted_folders: Sequence[Path] | None = None,
) -> LoadedConfig:
    """Load the configuration `reference`: a path, `-` for standard input, None for the default one.

    `announce`: whether to print which default is used. `checks`: finds contradictions between settings.
    `trusted_folders`: folders other than its own that may contain files named in it. Raises ConfigError with every
    fault.
    """
    folders = trusted_folders or ()
    if reference == "-":
        loaded = resolve_config(
            None, os.environ, changes, text=sys.stdin.read(), checks=checks, trusted_folders=folders
        )
    elif reference is None:
        path = default_config_path()
        if announce:
            print_default_config(path)
        changes = [*_without_example(path, changes), *changes]
        loaded = resolve_config(
            path, os.environ, changes, checks=checks, shipped=_is_shipped(path), trusted_folders=folders
        )
    else:
        path = Path(reference)
        if reference.isprintable() and not os.path.lexists(path):
            raise ConfigError(f"{reference}: no such file{_suggest_reference(path)}")
        loaded = resolve_config(
            path, os.environ, changes, checks=checks, shipped=_is_shipped(path), trusted_folders=folders
        )
    print_notes(loaded.env.notes)
    return loaded


def config_for_judging(
    reference: str | None, changes: Sequence[ConfigChange] = (), trusted_folders: Sequence[Path] | None = None
) -> LoadedConfig | None:
    """The configuration of --config, checked for judging. Without --config: prints notes on `.env`, returns None."""
    if reference is None:
        print_notes(load_environment(Path(), os.environ).notes)
        return None
    return config_from_argument(reference, changes, checks=check_for_judging, trusted_folders=trusted_folders)


def print_notes(notes: Iterable[str]) -> None:
    """Print what was ignored in a `.env` file."""
    for note in notes:
        print_status(f"note: {note}")


def _is_shipped(path: Path) -> bool:
    return follow_links(path) == follow_links(packaged_config_dir() / "debate.yaml")


def _without_example(path: Path, changes: Sequence[ConfigChange]) -> list[ConfigChange]:
    """If `changes` set a topic for the packaged example, the change that removes its background; else nothing."""
    keys = {change.key if isinstance(change, Override) else change[0] for change in changes}
    if not _is_shipped(path) or "topic" not in keys or "background" in keys:
        return []
    return [Override("background", "null", "--topic")]


def print_default_config(path: Path) -> None:
    """Print which configuration is used because none was named."""
    print_status(f"configuration: {path}")


def default_config_path() -> Path:
    """`configs/debate.yaml` or `debate.yaml` in the current folder, else the packaged default."""
    return next((path for path in DEFAULT_CONFIG_PATHS if path.is_file()), packaged_config_dir() / "debate.yaml")


def packaged_config_dir() -> Path:
    """The folder of the packaged configurations (in a checkout, `configs/`)."""
    package = Path(str(resources.files("debate_cli")))
    installed = package / "configs"
    return installed if installed.is_dir() else package.parent / "configs"


def _suggest_reference(path: Path) -> str:
    """The end of the message that the configuration `path` does not exist: what the user may have meant."""
    if re.search(r"\s|\?$", str(path)):
        return f"; a motion is given by an option: debate run --topic {shlex.quote(str(path))}"
    try:
        files = islice(path.parent.iterdir(), _MAX_FILES_SEARCHED)
        by_stem = {file.stem: str(file) for file in files if file.suffix in {".yaml", ".yml"}}
    except OSError:
        by_stem = {}
    match = closest_match(path.stem, by_stem)
    return f"; did you mean `{by_stem[match]}`?" if match else "; `debate init` writes one"


def open_cassette(record: Path | None, play: Path | None, *, asked: bool = True) -> Cassette | None:
    """The cassette of --record or --replay; None if neither is given.

    `asked`: whether models will be asked; if not, nothing is recorded and no file is created. Raises UsageError if both
    are given, ConfigError if the recording cannot be used.
    """
    if record is not None and play is not None:
        raise UsageError("--record and --replay cannot be combined; give one of them")
    if record is not None:
        return CassetteRecorder(record) if asked else None
    return CassettePlayer(play) if play is not None else None


@contextmanager
def suggest_alternatives(loaded: LoadedConfig) -> Generator[None]:
    """Context that adds, to an error about a missing key or local model, options that select another model."""
    names = [spec.model for spec in all_model_specs(loaded.config)]
    try:
        yield
    except MissingKeyError as error:
        missing = models_without_key(loaded.config, names, loaded.env)
        table = merge_provider_rows(loaded.config)
        causes = {
            (find_key_problem(table[split_model_name(model)[0]], loaded.env) or "").partition(":")[0]
            for model in missing
        }
        problems = _sort_missing_last(error, causes)
        raise MissingKeyError(*_add_alternatives(problems, loaded.config, missing, LOCAL_ALTERNATIVE)) from error
    except NoLocalModelError as error:
        missing = models_without_extra(loaded.config, names)
        problems = _sort_missing_last(error, {MISSING_EXTRA_MESSAGE})
        raise NoLocalModelError(*_add_alternatives(problems, loaded.config, missing, KEYED_ALTERNATIVE)) from error


def _sort_missing_last(error: ConfigError, causes: Collection[str]) -> list[str]:
    return sorted(error.problems, key=lambda line: any(cause in line for cause in causes))


def _add_alternatives(
    problems: Sequence[str], config: DebateConfig, missing: Collection[str], other: str
) -> tuple[str, ...]:
    """`problems`; the last one also names the options that select Ollama or `other` instead of the missing models."""
    paths = find_model_paths(config, missing)
    if not paths:
        return tuple(problems)
    *rest, last = problems
    if len(paths) > _MAX_LISTED_PATHS:
        change = f"put {OLLAMA_ALTERNATIVE} or {other} into `{paths[0]}` and {len(paths) - 1} more places"
    else:
        change = f"`{' '.join(f'--set {path}={OLLAMA_ALTERNATIVE}' for path in paths)}` (or {other})"
    start = last.removesuffix(", or rehearse with --mock")
    return (*rest, f"{start}, rehearse with --mock, or take another model: {change}")


def find_model_paths(config: DebateConfig, models: Collection[str]) -> list[str]:
    """Key paths, joined by dots, at which `config` names one of `models` (each `provider/model`)."""
    return [".".join(map(str, path)) for path in find_model_key_paths(config, models)]
