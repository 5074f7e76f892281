"""Ways to go on where a key or the embedded model is missing: other models in the place of those that need it."""

from __future__ import annotations

import os
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.model_places import written
from debate_cli.errors import ConfigError, MissingKeyError, NoLocalModelError
from debate_cli.providers.addresses import key_problem
from debate_cli.providers.embedded import NO_EXTRA
from debate_cli.providers.registry import extraless, keyless, split
from debate_cli.providers.table import merged
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.environment import environment
from debate_cli.wiring import specs

OLLAMA = "ollama/qwen3:8b"
LOCAL = "local/smollm2"
KEYED = "anthropic/claude-sonnet-5 with ANTHROPIC_API_KEY set"
_SPELT_OUT = 2
"""Places that the options are written out for; more would make the sentence unreadable."""


@contextmanager
def told(loaded: LoadedConfig) -> Generator[None]:
    """Within it, an error about a model of `loaded` that is not at hand also says which options put another in its place."""
    try:
        yield
    except MissingKeyError as error:
        env = environment(loaded.folder, os.environ)
        missing = keyless(loaded.config, _models(loaded.config), env)
        table = merged(loaded.config)
        causes = {(key_problem(table[split(model)[0]], env) or "").partition(":")[0] for model in missing}
        lines = _with_missing_last(error, causes)
        raise MissingKeyError(*_with_ways(lines, loaded.config, missing, LOCAL)) from error
    except NoLocalModelError as error:
        missing = extraless(loaded.config, _models(loaded.config))
        lines = _with_missing_last(error, {NO_EXTRA})
        raise NoLocalModelError(*_with_ways(lines, loaded.config, missing, KEYED)) from error


def _models(config: DebateConfig) -> list[str]:
    return [spec.model for spec in specs(config)]


def _with_missing_last(error: ConfigError, causes: Collection[str]) -> list[str]:
    """The problems of `error`, those that tell one of `causes` last: what is said of them then follows them."""
    return sorted(error.problems, key=lambda line: any(cause in line for cause in causes))


def _with_ways(problems: Sequence[str], config: DebateConfig, missing: Collection[str], other: str) -> tuple[str, ...]:
    """The `problems`, the last one with what puts Ollama, or the `other` model, in the place of what is missing."""
    places = roles(config, missing)
    *rest, last = problems
    if len(places) > _SPELT_OUT:
        way = f"put {OLLAMA} or {other} into `{places[0]}` and {len(places) - 1} more places"
    else:
        way = f"`{' '.join(f'--set {place}={OLLAMA}' for place in places)}` (or {other})"
    return (
        *rest,
        f"{last.removesuffix(', or rehearse with --mock')}, rehearse with --mock, or take another model: {way}",
    )


def roles(config: DebateConfig, models: Collection[str]) -> list[str]:
    """Key paths of all places in a configuration that name one of `models` (`provider/model` each)."""
    return [".".join(map(str, path)) for path in written(config, models)]
