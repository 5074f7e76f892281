"""The files of `debate judge` as tasks: what is judged, by which runs, under which configuration, saved where."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from debate_cli.cli import screen
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import Event, JudgingOpened
from debate_cli.domain.system_names import check_system
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.preparation import Prepared, for_judges, rejudging
from debate_cli.rejudging import Wish, artifact, judging_config
from debate_cli.render import hostile
from debate_cli.scoring import score
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

    def tell_of_turn(self, debate: Debate) -> None:
        """Say so where the deciding verdict of the file, judged in place, is another than it was; `debate` is how it stands now."""
        was, now = _decision(fold(self.events)), _decision(debate)
        if self.target == self.source.with_suffix(".json") and was and now and was[0] != now[0]:
            screen.tell(
                f"note: {self.target}: the deciding verdict was {_told(was)}, is now {_told(now)}; `debate score --runs all`"
                " shows both"
            )


def tasks(files: Sequence[Path], wish: Wish, loaded: LoadedConfig | None, out: Path | None) -> tuple[list[Task], int]:
    """What is to be judged, and how many of many files cannot be; a bad file that is alone is an error.

    `loaded` is the configuration that the wish came from. Raises what opening and preparing raise.
    """
    if out is not None and len(files) > 1 and out.suffix:
        raise UsageError(f"--out {out}: several files need a folder")
    found: list[Task] = []
    taken: dict[Path, Path] = {}
    bad = 0
    for path in files:
        try:
            task = _task(path, wish, loaded, out)
            _take_place(task, taken)
            found.append(task)
        except TranscriptError as error:
            if len(files) == 1:
                raise
            screen.tell(f"debate: {error}")
            bad += 1
    return found, bad


def _take_place(task: Task, taken: dict[Path, Path]) -> None:
    """Note where the result will stand, and whose it is; raises TranscriptError where another file's will stand there."""
    other = taken.setdefault(task.target.resolve(), task.source)
    if other != task.source:
        raise TranscriptError(
            f"{task.source}: would be saved as {task.target} like {other}; judge it into a folder of its own"
        )


def _decision(debate: Debate) -> tuple[tuple[str, str], str] | None:
    """Winner (or that there is none) and victory of the deciding verdict, with its system; None before any judging."""
    found = next((verdict for verdict in score(debate, runs="all") if verdict.decides), None)
    if found is None:
        return None
    return (hostile.line(found.winner or ""), found.victory), found.system


def _told(decision: tuple[tuple[str, str], str]) -> str:
    (winner, victory), system = decision
    return f"{winner} ({victory}, {system})" if winner else f"{victory} ({system})"


def _task(path: Path, wish: Wish, loaded: LoadedConfig | None, out: Path | None) -> Task:
    for kind in wish.systems:
        check_system(kind)
    text = path.suffix not in TRANSCRIPTS
    if text and not path.exists():
        raise TranscriptError(f"{path}: no such file; name a transcript, or a text for --system panel")
    if text and set(wish.kinds) != {"panel"}:
        raise TranscriptError(f"{path}: is not a transcript; other texts are judged with --system panel alone")
    if text and wish.repeat > 1:
        raise UsageError(f"--repeat {wish.repeat}: a text is judged once at a time; then repeat it on what was saved")
    events = _text_events(path, wish) if text else _debate_events(path)
    debate = fold(events)
    if text:
        added, prepared = (), for_judges(judging_config(debate, wish), loaded, os.environ, str(path))
    else:
        try:
            again = rejudging(debate, wish, datetime.now(UTC), loaded, os.environ)
        except TranscriptError as error:
            raise TranscriptError(f"{path}: {error}") from error
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
        text = data.decode()
    except UnicodeDecodeError as error:
        raise TranscriptError(f"{path}: not valid UTF-8 text; name a transcript or a text file") from error
    if not any(sign.isprintable() and not sign.isspace() for sign in text):
        raise TranscriptError(f"{path}: has no text to judge; write something into it, or name another file")
    return text
