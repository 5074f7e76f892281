"""The files of `debate judge` as tasks: what is judged, by which runs, under which configuration, saved where."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from debate_cli.app.config_resolution import PreparedRun, prepare_judges, prepare_judging
from debate_cli.app.judge_request import JudgingRequest, config_for_judging, document_events
from debate_cli.cli import console
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import Event, JudgingOpened
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.render import sanitize
from debate_cli.storage.atomic_write import open_regular_file
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.ids import new_id
from debate_cli.storage.transcript import to_transcript, transcript_to_events
from debate_cli.storage.transcript_store import open_debate
from debate_cli.systems.registry import check_system_kind
from debate_cli.systems.scoring import score

TRANSCRIPT_SUFFIXES = frozenset({".json", ".jsonl"})
MAX_TEXT_BYTES = 400_000
"""Bytes of a text that a panel is shown."""


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One file to be judged."""

    source: Path
    events: tuple[Event, ...]
    openings: tuple[JudgingOpened, ...]
    """Judging runs to add; none where the debate's own run is to be done (a text before a panel)."""
    prepared: PreparedRun
    target: Path

    @property
    def debater_names(self) -> tuple[str, ...]:
        """Names of those who debated; none in a text."""
        return tuple(item.name for item in self.prepared.config.debaters)

    def warn_if_verdict_changed(self, debate: Debate) -> None:
        """Say so where the deciding verdict of the file, judged in place, is another than it was; `debate` is how it stands now."""
        was, now = _deciding_outcome(fold(self.events)), _deciding_outcome(debate)
        if self.target == self.source.with_suffix(".json") and was and now and was[0] != now[0]:
            console.print_status(
                f"note: {self.target}: the deciding verdict was {_format_outcome(was)}, is now {_format_outcome(now)}; `debate score --runs all`"
                " shows both"
            )


def build_judge_tasks(
    files: Sequence[Path], wish: JudgingRequest, loaded: LoadedConfig | None, out: Path | None
) -> tuple[list[JudgeTask], int]:
    """What is to be judged, and how many of many files cannot be; a bad file that is alone is an error.

    `loaded` is the configuration that the wish came from. Raises what opening and preparing raise.
    """
    if out is not None and len(files) > 1 and out.suffix:
        raise UsageError(f"--out {out}: several files need a folder")
    found: list[JudgeTask] = []
    taken: dict[Path, Path] = {}
    bad = 0
    for path in files:
        try:
            task = _build_task(path, wish, loaded, out)
            _reserve_target(task, taken)
            found.append(task)
        except TranscriptError as error:
            if len(files) == 1:
                raise
            console.print_status(f"debate: {error}")
            bad += 1
    return found, bad


def _reserve_target(task: JudgeTask, taken: dict[Path, Path]) -> None:
    """Note where the result will stand, and whose it is; raises TranscriptError where another file's will stand there."""
    other = taken.setdefault(task.target.resolve(), task.source)
    if other != task.source:
        raise TranscriptError(
            f"{task.source}: would be saved as {task.target} like {other}; judge it into a folder of its own"
        )


def _deciding_outcome(debate: Debate) -> tuple[tuple[str, str], str] | None:
    """Winner (or that there is none) and victory of the deciding verdict, with its system; None before any judging."""
    found = next((verdict for verdict in score(debate, runs="all") if verdict.decides), None)
    if found is None:
        return None
    return (sanitize.sanitize_line(found.winner or ""), found.victory), found.system


def _format_outcome(decision: tuple[tuple[str, str], str]) -> str:
    (winner, victory), system = decision
    return f"{winner} ({victory}, {system})" if winner else f"{victory} ({system})"


def _build_task(path: Path, wish: JudgingRequest, loaded: LoadedConfig | None, out: Path | None) -> JudgeTask:
    for kind in wish.systems:
        check_system_kind(kind)
    text = path.suffix not in TRANSCRIPT_SUFFIXES
    if text and not path.exists():
        raise TranscriptError(f"{path}: no such file; name a transcript, or a text for --system panel")
    if text and set(wish.kinds) != {"panel"}:
        raise TranscriptError(f"{path}: is not a transcript; other texts are judged with --system panel alone")
    if text and wish.repeat > 1:
        raise UsageError(f"--repeat {wish.repeat}: a text is judged once at a time; then repeat it on what was saved")
    events = _load_text_events(path, wish) if text else _load_debate_events(path)
    debate = fold(events)
    if text:
        added, prepared = (), prepare_judges(config_for_judging(debate, wish), loaded, os.environ, str(path))
    else:
        try:
            again = prepare_judging(debate, wish, datetime.now(UTC), loaded, os.environ)
        except TranscriptError as error:
            raise TranscriptError(f"{path}: {error}") from error
        added, prepared = again.openings, again.prepared
    home = Path(prepared.config.output.dir) / f"{debate.id}.json" if text else path.with_suffix(".json")
    target = home if out is None else out if out.suffix else out / home.name
    return JudgeTask(path, events, added, prepared, target)


def _load_debate_events(path: Path) -> tuple[Event, ...]:
    stored = open_debate(path)
    if stored.torn_line_warning:
        console.print_status(f"note: {sanitize.sanitize_line(stored.torn_line_warning)}")
    return tuple(transcript_to_events(to_transcript(stored.debate, stored.verdicts)))


def _load_text_events(path: Path, wish: JudgingRequest) -> tuple[Event, ...]:
    """A text as a debate without speeches."""
    now = datetime.now(UTC)
    debate_id = new_id(path.stem, now, random.SystemRandom())
    return document_events(path.name, _read_text(path), debate_id, wish, now)


def _read_text(path: Path) -> str:
    try:
        with os.fdopen(open_regular_file(path), "rb") as file:
            data = file.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise TranscriptError(f"{path}: cannot be read ({error.strerror}); name a transcript or a text file") from error
    if len(data) > MAX_TEXT_BYTES:
        raise TranscriptError(f"{path}: larger than {MAX_TEXT_BYTES // 1000} kB; give the panel a shorter text")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise TranscriptError(f"{path}: not valid UTF-8 text; name a transcript or a text file") from error
    if not any(sign.isprintable() and not sign.isspace() for sign in text):
        raise TranscriptError(f"{path}: has no text to judge; write something into it, or name another file")
    return text
