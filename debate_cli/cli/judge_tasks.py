"""The files of `debate judge` as tasks: what is judged, by which runs, under which configuration, saved where."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from debate_cli.cli import screen
from debate_cli.domain.debate import fold
from debate_cli.domain.events import Event, JudgingOpened
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.preparation import Prepared, for_judges, rejudging
from debate_cli.rejudging import Wish, artifact, judging_config
from debate_cli.render import hostile
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.ids import new_id
from debate_cli.storage.library import open_debate
from debate_cli.storage.regular import open_regular
from debate_cli.storage.transcript import events_of, to_transcript

TRANSCRIPTS = frozenset({".json", ".jsonl"})
LARGEST_TEXT = 400_000
"""Bytes of a text that a panel is shown."""


@dataclass(frozen=True, slots=True)
class Task:
    """One file to be judged."""

    source: Path
    events: tuple[Event, ...]
    openings: tuple[JudgingOpened, ...]
    """Judging runs to add; none where the debate's own run is to be done (a text before a panel)."""
    prepared: Prepared
    target: Path

    @property
    def debaters(self) -> tuple[str, ...]:
        """Names of those who debated; none in a text."""
        return tuple(item.name for item in self.prepared.config.debaters)


def tasks(files: Sequence[Path], wish: Wish, loaded: LoadedConfig | None, out: Path | None) -> tuple[list[Task], int]:
    """What is to be judged, and how many of many files cannot be; a bad file that is alone is an error.

    `loaded` is the configuration that the wish came from. Raises what opening and preparing raise.
    """
    if out is not None and len(files) > 1 and out.suffix:
        raise UsageError(f"--out {out}: several files need a folder")
    found: list[Task] = []
    bad = 0
    for path in files:
        try:
            found.append(_task(path, wish, loaded, out))
        except TranscriptError as error:
            if len(files) == 1:
                raise
            screen.tell(f"debate: {error}")
            bad += 1
    return found, bad


def _task(path: Path, wish: Wish, loaded: LoadedConfig | None, out: Path | None) -> Task:
    text = path.suffix not in TRANSCRIPTS
    if text and wish.systems != ("panel",):
        raise TranscriptError(f"{path}: is not a transcript; other texts are judged with --system panel alone")
    events = _text_events(path, wish) if text else _debate_events(path)
    debate = fold(events)
    if text:
        added, prepared = (), for_judges(judging_config(debate, wish), loaded, os.environ, str(path))
    else:
        again = rejudging(debate, wish, datetime.now(UTC), loaded, os.environ)
        added, prepared = again.openings, again.prepared
    home = Path(prepared.config.output.dir) / f"{debate.id}.json" if text else path.with_suffix(".json")
    target = home if out is None else out if out.suffix else out / home.name
    return Task(path, events, added, prepared, target)


def _debate_events(path: Path) -> tuple[Event, ...]:
    stored = open_debate(path)
    if stored.torn:
        screen.tell(f"note: {hostile.line(stored.torn)}")
    return tuple(events_of(to_transcript(stored.debate, stored.verdicts)))


def _text_events(path: Path, wish: Wish) -> tuple[Event, ...]:
    """A text as a debate without speeches."""
    now = datetime.now(UTC)
    debate_id = new_id(path.stem, now, random.SystemRandom())
    return artifact(path.name, _text_of(path), debate_id, wish, now)


def _text_of(path: Path) -> str:
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            data = file.read(LARGEST_TEXT + 1)
    except OSError as error:
        raise TranscriptError(f"{path}: cannot be read ({error.strerror}); name a transcript or a text file") from error
    if len(data) > LARGEST_TEXT:
        raise TranscriptError(f"{path}: larger than {LARGEST_TEXT // 1000} kB; give the panel a shorter text")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise TranscriptError(f"{path}: not valid UTF-8 text; name a transcript or a text file") from error
