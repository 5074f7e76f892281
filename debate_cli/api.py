"""What `import debate_cli` offers: the four commands as functions, and the values they work on.

The functions are for scripts and notebooks: no output, no signals, no exit codes. Errors are those of `debate_cli.errors`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.engine import Stop
from debate_cli.llm.port import Model
from debate_cli.rejudging import Wish, judging_config, openings
from debate_cli.render.plain import QuietWatcher
from debate_cli.render.watcher import Watcher
from debate_cli.scoring import score
from debate_cli.session import Outcome, Session
from debate_cli.storage import config_file, library
from debate_cli.storage.environment import environment
from debate_cli.storage.ids import new_id
from debate_cli.storage.transcript import events_of, to_transcript
from debate_cli.wiring import Surroundings, mocked, require_judges, require_models, specs

__all__ = [
    "Debate",
    "DebateConfig",
    "Model",
    "Outcome",
    "Watcher",
    "judge",
    "load_config",
    "load_transcript",
    "run_debate",
    "score",
]


def load_config(path: str | Path, *, overrides: Mapping[str, str] | None = None) -> DebateConfig:
    """The configuration at `path`; `overrides` maps key paths to YAML values. Raises ConfigError with every fault."""
    place = Path(path)
    changes = list((overrides or {}).items())
    return config_file.load_config(place, overrides=changes, env=environment(place.parent, os.environ)).config


def load_transcript(path: str | Path) -> Debate:
    """The debate saved at `path`, a transcript or a journal. Raises TranscriptError."""
    return library.open_debate(Path(path)).debate


async def run_debate(
    config: DebateConfig,
    *,
    mock: bool = False,
    folder: str | Path | None = None,
    debate_id: str | None = None,
    watcher: Watcher | None = None,
) -> Outcome:
    """Run a debate to its end; with a `folder` it is journalled and saved there.

    `mock` puts the mock in the place of every model. Raises MissingKeyError and ConfigError before any call; what goes
    wrong later is in the outcome (`halted`, and the debate's failures).
    """
    chosen = mocked(config) if mock else config
    require_models(chosen, specs(chosen), os.environ)
    now = datetime.now(UTC)
    return await _session(watcher).begin(
        chosen, debate_id or new_id(chosen.topic, now, SystemRandom()), Path(folder) if folder is not None else None
    )


async def judge(
    debate: Debate, *, systems: Sequence[str] = (), model: str | None = None, path: str | Path | None = None
) -> Outcome:
    """Judge a debate again by `systems` (those it was judged by where none is named) with `model`; a run of its own.

    With a `path` the transcript is written there. Raises UsageError where the debate cannot be judged so.
    """
    wish = Wish(systems=tuple(systems), model=model)
    added = openings(debate, wish, datetime.now(UTC))
    config = judging_config(debate, wish).model_copy(update={"judging": added[0].judging})
    require_judges(config)
    require_models(config, specs(config.model_copy(update={"debaters": ()})), os.environ)
    events = events_of(to_transcript(debate))
    return await _session(None).judge(events, added, config, Path(path) if path is not None else None)


def _session(watcher: Watcher | None) -> Session:
    return Session(Surroundings(Path(), os.environ), watcher or QuietWatcher(), Stop())
