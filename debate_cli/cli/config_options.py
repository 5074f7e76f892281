"""What a command line means before anything is asked: which configuration, with which changes, around which cassette.

How a configuration is then made ready to be run is in `preparation`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any, cast

from debate_cli.app import config_resolution
from debate_cli.app.config_resolution import all_secrets
from debate_cli.app.model_factory import Cassette, all_model_specs
from debate_cli.cli.console import print_status
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import check_stored_config, find_model_key_paths
from debate_cli.domain.suggestions import format_suggestion
from debate_cli.errors import ConfigError, MissingKeyError, NoLocalModelError, UsageError
from debate_cli.providers.addresses import find_key_problem
from debate_cli.providers.cassette import CassettePlayer, CassetteRecorder
from debate_cli.providers.embedded import MISSING_EXTRA_MESSAGE
from debate_cli.providers.provider_table import merge_provider_rows
from debate_cli.providers.registry import models_without_extra, models_without_key, split_model_name
from debate_cli.storage.config_errors import SourceMap
from debate_cli.storage.config_file import LoadedConfig, read_config_file
from debate_cli.storage.overrides import ConfigChange, Override
from debate_cli.storage.redact import Redactor
from debate_cli.storage.serialization import config_to_json
from debate_cli.storage.transcript_dirs import DEFAULT_CONFIG_PATHS
from debate_cli.storage.transcript_store import StoredDebate
from debate_cli.storage.variables import load_environment

OLLAMA_ALTERNATIVE = "ollama/qwen3:8b"
LOCAL_ALTERNATIVE = "local/smollm2"
KEYED_ALTERNATIVE = "anthropic/claude-sonnet-5 with ANTHROPIC_API_KEY set"
_MAX_LISTED_PATHS = 2
"""Places that the options are written out for; more would make the sentence unreadable."""


@contextmanager
def suggest_alternatives(loaded: LoadedConfig) -> Generator[None]:
    """Within it, an error about a model of `loaded` that is not at hand also says which options put another in its place."""
    try:
        yield
    except MissingKeyError as error:
        env = load_environment(loaded.folder, os.environ)
        missing = models_without_key(loaded.config, _model_names(loaded.config), env)
        table = merge_provider_rows(loaded.config)
        causes = {
            (find_key_problem(table[split_model_name(model)[0]], env) or "").partition(":")[0] for model in missing
        }
        lines = _sort_missing_last(error, causes)
        raise MissingKeyError(*_add_alternatives(lines, loaded.config, missing, LOCAL_ALTERNATIVE)) from error
    except NoLocalModelError as error:
        missing = models_without_extra(loaded.config, _model_names(loaded.config))
        lines = _sort_missing_last(error, {MISSING_EXTRA_MESSAGE})
        raise NoLocalModelError(*_add_alternatives(lines, loaded.config, missing, KEYED_ALTERNATIVE)) from error


def _model_names(config: DebateConfig) -> list[str]:
    return [spec.model for spec in all_model_specs(config)]


def _sort_missing_last(error: ConfigError, causes: Collection[str]) -> list[str]:
    """The problems of `error`, those that tell one of `causes` last: what is said of them then follows them."""
    return sorted(error.problems, key=lambda line: any(cause in line for cause in causes))


def _add_alternatives(
    problems: Sequence[str], config: DebateConfig, missing: Collection[str], other: str
) -> tuple[str, ...]:
    """The `problems`, the last one with what puts Ollama, or the `other` model, in the place of what is missing."""
    places = find_model_paths(config, missing)
    *rest, last = problems
    if len(places) > _MAX_LISTED_PATHS:
        way = f"put {OLLAMA_ALTERNATIVE} or {other} into `{places[0]}` and {len(places) - 1} more places"
    else:
        way = f"`{' '.join(f'--set {place}={OLLAMA_ALTERNATIVE}' for place in places)}` (or {other})"
    return (
        *rest,
        f"{last.removesuffix(', or rehearse with --mock')}, rehearse with --mock, or take another model: {way}",
    )


def find_model_paths(config: DebateConfig, models: Collection[str]) -> list[str]:
    """Key paths of all places in a configuration that name one of `models` (`provider/model` each)."""
    return [".".join(map(str, path)) for path in find_model_key_paths(config, models)]


_MAX_FILES_SEARCHED = 1000
"""Files of a folder among which the one that was meant is looked for."""


def overrides_from_options(
    settings: Sequence[str] | None,
    topic: str | None,
    seed: int | None,
    max_cost: float | None,
    max_tokens: int | None,
) -> list[ConfigChange]:
    """The options that change the configuration.

    Raises UsageError for a --set without `=`.
    """
    found: list[ConfigChange] = []
    for setting in settings or ():
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise UsageError(f"--set {setting}: write key.path=value")
        found.append((key, value))
    if topic is not None:
        found.append(Override("topic", json.dumps(topic, ensure_ascii=False), "--topic"))
    numbers = (
        ("seed", seed, "--seed"),
        ("limits.max_cost_usd", max_cost, "--max-cost"),
        ("limits.max_tokens", max_tokens, "--max-tokens"),
    )
    found += [Override(key, str(value), option) for key, value, option in numbers if value is not None]
    return found


def config_from_argument(
    reference: str | None,
    changes: Sequence[ConfigChange] = (),
    *,
    mock: bool = False,
    told: bool = True,
) -> LoadedConfig:
    """The configuration that `reference` names: a path, `-` for standard input, None for the default one.

    `told` prints which one is the default. With `mock`, no role needs a model. Raises ConfigError.
    """
    if reference == "-":
        return config_resolution.resolve_config(None, os.environ, changes, text=sys.stdin.read(), mock=mock)
    path = Path(reference) if reference is not None else default_config_path()
    if reference is not None and reference.isprintable() and not os.path.lexists(path):
        raise ConfigError(f"{reference}: no such file{_suggest_reference(path)}")
    if reference is None and told:
        print_default_config(path)
    return config_resolution.resolve_config(path, os.environ, changes, mock=mock)


def print_default_config(path: Path) -> None:
    """Say which configuration is taken where none is named."""
    print_status(f"configuration: {path}")


def _suggest_reference(path: Path) -> str:
    """What a name that no file has was probably meant for, as the rest of a sentence."""
    if re.search(r"\s|\?$", str(path)):
        return f"; a motion is given by an option: debate run --topic {shlex.quote(str(path))}"
    try:
        beside = [
            file.name for file in islice(path.parent.iterdir(), _MAX_FILES_SEARCHED) if file.suffix in {".yaml", ".yml"}
        ]
    except OSError:
        beside = []
    return format_suggestion(path.name, beside) or "; `debate init` writes one"


def config_from_transcript(stored: StoredDebate, changes: Sequence[ConfigChange] = ()) -> LoadedConfig:
    """The configuration of a stored debate as if it had just been read, with `changes` laid over it.

    Files that it names are looked for in the working folder; errors call it by the transcript. Raises ConfigError.
    """
    env = {
        name: value for name, value in load_environment(Path(), os.environ).items() if not name.startswith("DEBATE_")
    }
    try:
        text = json.dumps(_escape_variables(config_to_json(stored.debate.config)))
        loaded = read_config_file(None, text=text, overrides=changes, env=env, own_checks=check_stored_config)
        return replace(loaded, source_map=SourceMap(str(stored.path), origins=loaded.source_map.origins))
    except ConfigError as error:
        problems = [_STDIN_POSITION.sub(lambda _: str(stored.path), problem) for problem in error.problems]
        raise ConfigError(*problems, "resume with the configuration's file: debate run CONFIG --resume ID") from error


_STDIN_POSITION = re.compile(r"^stdin(:\d+)*")


def _escape_variables(data: Any) -> Any:
    """Stored data in which `${` is no longer to be read as a variable; headers alone are stored as they were written."""
    if isinstance(data, str):
        return data.replace("${", "$${")
    if isinstance(data, list):
        return [_escape_variables(item) for item in cast("list[Any]", data)]
    if isinstance(data, dict):
        parts = cast("dict[str, Any]", data)
        return {key: part if key == "headers" else _escape_variables(part) for key, part in parts.items()}
    return data


def default_config_path() -> Path:
    """`configs/debate.yaml` or `debate.yaml` here, else the one that comes with the package."""
    return next((path for path in DEFAULT_CONFIG_PATHS if path.is_file()), packaged_config_dir() / "debate.yaml")


def packaged_config_dir() -> Path:
    """The folder of the configurations that come with the package (with the sources, in a checkout)."""
    package = Path(str(resources.files("debate_cli")))
    installed = package / "configs"
    return installed if installed.is_dir() else package.parent / "configs"


def open_cassette(
    record: Path | None, play: Path | None, loaded: LoadedConfig, *, asked: bool = True
) -> Cassette | None:
    """The cassette that --record or --replay names; None where neither is given. No secret of `loaded` gets onto it.

    Where nothing is going to be `asked`, nothing is recorded, and no file begun.

    Raises UsageError where both are given, ConfigError where the recording cannot be used.
    """
    if record is not None and play is not None:
        raise UsageError("--record and --replay exclude each other; give one of them")
    redact = Redactor(all_secrets(loaded, os.environ))
    if record is not None and not asked:
        return None
    if record is not None:
        return CassetteRecorder(record, redact)
    return CassettePlayer(play, redact) if play is not None else None
