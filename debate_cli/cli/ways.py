"""Ways to go on where a key or the embedded model is missing: other models in the place of those that need it."""

from __future__ import annotations

import os
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.model_places import find_model_key_paths
from debate_cli.errors import ConfigError, MissingKeyError, NoLocalModelError
from debate_cli.providers.addresses import find_key_problem
from debate_cli.providers.embedded import MISSING_EXTRA_MESSAGE
from debate_cli.providers.registry import models_without_extra, models_without_key, split_model_name
from debate_cli.providers.table import merge_provider_rows
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.environment import load_environment
from debate_cli.wiring import all_model_specs

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
