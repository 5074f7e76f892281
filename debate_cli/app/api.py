"""What `import debate_cli` offers: the four commands as functions, and the values they work on.

The functions are for scripts and notebooks: no output, no signals, no exit codes. Errors are those of `debate_cli.errors`.
They go the command line's way: `.env` files, prompts that a configuration replaces and secrets count here as there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from typing import Any

from pydantic import PrivateAttr

from debate_cli.app import config_resolution
from debate_cli.app.config_resolution import PreparedRun
from debate_cli.app.judge_request import JudgingRequest
from debate_cli.app.session import Outcome, Session
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.engine import StopSignal
from debate_cli.llm.model import Model
from debate_cli.observer import NullObserver, Observer
from debate_cli.storage import transcript_store
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.ids import new_id
from debate_cli.storage.transcript import to_transcript, transcript_to_events
from debate_cli.systems.scoring import score

__all__ = [
    "Debate",
    "DebateConfig",
    "Model",
    "Observer",
    "Outcome",
    "judge",
    "load_config",
    "load_transcript",
    "run_debate",
    "score",
]

IN_MEMORY_CONFIG_NAME = "the configuration"
"""What errors call a configuration that no file holds."""


class _LoadedDebateConfig(DebateConfig):
    """A configuration that knows the file it came from, through `model_copy` too: paths in it begin in that file's folder."""

    _loaded: LoadedConfig | None = PrivateAttr(default=None)
    """None for one that was validated, not read: it is as any other configuration."""

    def __eq__(self, other: object) -> bool:
        """Field by field: where it came from makes no difference."""
        return _field_values(self) == _field_values(other) if isinstance(other, DebateConfig) else NotImplemented

    __hash__ = DebateConfig.__hash__

    @classmethod
    def from_loaded(cls, loaded: LoadedConfig) -> _LoadedDebateConfig:
        """The configuration of `loaded`, with what was read around it."""
        read = cls.model_construct(loaded.config.model_fields_set, **_field_values(loaded.config))
        read._loaded = loaded
        return read

    def to_loaded(self) -> LoadedConfig:
        """The same as it was read, its prompts anew where they were changed since."""
        plain = DebateConfig.model_construct(self.model_fields_set, **_field_values(self))
        read = self._loaded
        if read is None:
            return config_resolution.config_from_object(plain, IN_MEMORY_CONFIG_NAME)
        if plain.prompts != read.config.prompts:
            read = replace(
                read, prompts=config_resolution.config_from_object(plain, read.source_map.name, read.folder).prompts
            )
        return replace(read, config=plain)


def load_config(path: str | Path, *, overrides: Mapping[str, str] | None = None) -> DebateConfig:
    """The configuration at `path`; `overrides` maps key paths to YAML values. Raises ConfigError with every fault.

    It remembers its folder, where relative paths in it and a `.env` file are looked for.
    """
    return _LoadedDebateConfig.from_loaded(
        config_resolution.resolve_config(Path(path), os.environ, list((overrides or {}).items()))
    )


def load_transcript(path: str | Path) -> Debate:
    """The debate saved at `path`, a transcript or a journal. Raises TranscriptError."""
    return transcript_store.open_debate(Path(path)).debate


async def run_debate(
    config: DebateConfig,
    *,
    mock: bool = False,
    folder: str | Path | None = None,
    debate_id: str | None = None,
    watcher: Observer | None = None,
) -> Outcome:
    """Run a debate to its end; with a `folder` it is journalled and saved there.

    Paths in a `config` that was not loaded from a file begin in the working folder. `mock` puts the mock in the place of
    every model. Raises MissingKeyError and ConfigError before any call; what goes wrong later is in the outcome
    (`halted`, and the debate's failures).
    """
    prepared = config_resolution.prepare_run(_to_loaded(config), os.environ, mock=mock)
    chosen = prepared.config
    return await _build_session(prepared, watcher).begin(
        chosen,
        debate_id or new_id(chosen.topic, datetime.now(UTC), SystemRandom()),
        Path(folder) if folder is not None else None,
    )


async def judge(
    debate: Debate,
    *,
    config: DebateConfig | None = None,
    systems: Sequence[str] = (),
    model: str | None = None,
    path: str | Path | None = None,
) -> Outcome:
    """Judge a debate again by `systems` with `model`; a run of its own.

    What is not given is as in `config`, then as the debate was judged before. With a `path` the transcript is written
    there. Raises UsageError where the debate cannot be judged so.
    """
    loaded = _to_loaded(config) if config is not None else None
    wish = JudgingRequest(config=loaded.config if loaded is not None else None, systems=tuple(systems), model=model)
    again = config_resolution.prepare_judging(debate, wish, datetime.now(UTC), loaded, os.environ)
    events = transcript_to_events(to_transcript(debate))
    return await _build_session(again.prepared, None).judge(
        events, again.openings, again.prepared.config, Path(path) if path is not None else None
    )


def _to_loaded(config: DebateConfig) -> LoadedConfig:
    return (
        config.to_loaded()
        if isinstance(config, _LoadedDebateConfig)
        else config_resolution.config_from_object(config, IN_MEMORY_CONFIG_NAME)
    )


def _field_values(config: DebateConfig) -> dict[str, Any]:
    """Field by field, the values themselves."""
    return {name: getattr(config, name) for name in DebateConfig.model_fields}


def _build_session(prepared: PreparedRun, watcher: Observer | None) -> Session:
    seen = watcher or NullObserver()
    return Session(replace(prepared.context, note=seen.note), seen, StopSignal(), secrets=prepared.secrets)
