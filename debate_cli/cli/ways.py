"""Ways to go on where a key or the embedded model is missing: other models in the place of those that need it."""

from __future__ import annotations

import os
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.systems import Panel
from debate_cli.errors import ConfigError, MissingKeyError, NoLocalModelError
from debate_cli.providers.registry import extraless, keyless
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.environment import environment
from debate_cli.wiring import specs

OLLAMA = ("ollama/qwen3:8b", "Ollama on this machine")
LOCAL = ("local/smollm2", "in this process")
KEYED = ("anthropic/claude-sonnet-5", "with ANTHROPIC_API_KEY set")


@contextmanager
def told(loaded: LoadedConfig) -> Generator[None]:
    """Within it, an error about a model of `loaded` that is not at hand also says which options put another in its place."""
    try:
        yield
    except MissingKeyError as error:
        env = environment(loaded.folder, os.environ)
        missing = keyless(loaded.config, _models(loaded.config), env)
        raise MissingKeyError(*_with_ways(error, loaded.config, missing, (OLLAMA, LOCAL))) from error
    except NoLocalModelError as error:
        missing = extraless(loaded.config, _models(loaded.config))
        raise NoLocalModelError(*_with_ways(error, loaded.config, missing, (OLLAMA, KEYED))) from error


def _models(config: DebateConfig) -> list[str]:
    return [spec.model for spec in specs(config)]


def _with_ways(
    error: ConfigError, config: DebateConfig, missing: Collection[str], others: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """The problems of `error`, the last one with the options that put each of `others` in the place of what is missing."""
    places = roles(config, missing)
    ways = [f"`{' '.join(f'--set {place}={model}' for place in places)}` ({how})" for model, how in others]
    *rest, last = error.problems
    return (*rest, f"{last}, or go on without it: {', '.join(ways)}")


def roles(config: DebateConfig, models: Collection[str]) -> list[str]:
    """Key paths of all places in a configuration that name one of `models` (`provider/model` each)."""
    found = [f"models.{name}.model" for name, spec in config.models.items() if spec.model in models]
    found += [f"debaters.{place}.model" for place, debater in enumerate(config.debaters) if debater.model in models]
    for place, system in enumerate(config.judging.systems):
        here = f"judging.systems.{place}"
        found += [f"{here}.judge"] if system.judge in models else []
        if isinstance(system, Panel):
            found += [
                f"{here}.judges.{seat}.model" for seat, judge in enumerate(system.judges) if judge.model in models
            ]
    return found
