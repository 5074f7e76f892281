"""A debate on disk: begun, gone on with, judged again, closed. Around the engine, which knows no files.

While a debate runs, `ID.jsonl` holds its events; when it closes, `ID.json` is written whole and the journal removed, so
that at any instant one of the two can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from debate_cli.app.judge_request import GENERATOR
from debate_cli.app.model_factory import ModelFactory, RunContext
from debate_cli.app.resume import describe_in_flight_calls, find_remaining_work
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import CloseReason, DebateOpened, DebateResumed, Event, JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.model_call import TotalUsage
from debate_cli.domain.verdict import Verdict
from debate_cli.engine import DebateRun, StopSignal
from debate_cli.errors import StorageError, UnsavedError, UsageError
from debate_cli.judging.schedule import owed_briefs
from debate_cli.observer import Observer
from debate_cli.storage.folder import JOURNAL_SUFFIX
from debate_cli.storage.journal import Journal
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.redact import Redactor, redact_values
from debate_cli.storage.transcript import dump_transcript, to_transcript, transcript_to_events, write_transcript
from debate_cli.storage.transcript_store import StoredDebate, open_debate
from debate_cli.systems.scoring import score, verdicts_of_run


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to. Its `repr`, which `asyncio.run` makes of every result, does not spell out a whole debate."""

    debate: Debate = field(repr=False)
    verdicts: tuple[Verdict, ...] = field(repr=False)
    """Of all judging runs that count, the deciding one first."""
    path: Path | None
    """The transcript; None where nothing was to be saved."""
    halted: CloseReason | None = None
    """`budget`, `failed` or `interrupted` where the run ended before all was done."""
    untouched: bool = False
    """Whether nothing was left to be done, so that nothing was written."""


@dataclass(frozen=True, slots=True)
class Session:
    """What every run needs from outside: what it finds around it, who watches, how it is stopped, what time it is."""

    context: RunContext
    observer: Observer
    stop: StopSignal
    secrets: Sequence[str] = ()
    """Values that are never written."""
    warn: Callable[[str], None] | None = None
    """Told what a crash cost, in sentences; None: the watcher is, as one of its notes."""
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def begin(self, config: DebateConfig, debate_id: str, folder: Path | None, *, force: bool = False) -> Outcome:
        """Run a new debate. With a `folder` it is saved there as ID.json, and is on disk all the while.

        Raises UsageError where it exists already and `force` is not set, StorageError where nothing can be written.
        """
        opened = self.opening_event(config, debate_id)
        if folder is None:
            self.observer.event(opened, fold([opened]))
            return await self._run_engine(config, fold([opened]), None, None)
        path = folder / f"{debate_id}.json"
        with lock_debate(path):
            _refuse_existing(path, force=force)
            with Journal.create(path.with_suffix(JOURNAL_SUFFIX), [opened], self._redact, overwrite=force) as journal:
                self.observer.event(opened, fold([opened]))
                return await self._run_engine(config, fold([opened]), journal, path)

    async def resume(self, stored: StoredDebate, config: DebateConfig | None = None) -> Outcome:
        """Go on with a debate from what is on disk, within the limits of `config` where it is given.

        Judging runs that were added with a configuration of their own are asked where that said. A debate to which nothing is missing comes back as it is.
        """
        path = stored.path.with_suffix(".json")
        if _is_finished(stored.debate) and not path.with_suffix(JOURNAL_SUFFIX).exists():
            (self.warn or self.observer.note)("the debate is complete already: nothing was asked")
            return Outcome(stored.debate, score(stored.debate, runs="all"), path, untouched=True)
        with lock_debate(path):
            return await self._resume_locked(open_debate(stored.path), path, config)

    async def _resume_locked(self, stored: StoredDebate, path: Path, config: DebateConfig | None) -> Outcome:
        """The same under the lock, with the debate as it stands now: another process may have gone on with it meanwhile."""
        before = stored.debate
        if _is_finished(before) and not stored.from_journal:
            path.with_suffix(JOURNAL_SUFFIX).unlink(missing_ok=True)
            return Outcome(before, score(before, runs="all"), path, untouched=True)
        warn = self.warn or self.observer.note
        with self._reopen_journal(stored) as journal:
            if stored.torn_line_warning:
                warn(stored.torn_line_warning)
            if _is_finished(before):
                return self._close(before, journal, path, None)
            resumed = DebateResumed(at=self.clock())
            debate = before.apply(resumed)
            lost = describe_in_flight_calls(debate, before.unanswered)
            if lost is not None:
                warn(lost)
            journal.append(resumed)
            self.observer.event(resumed, debate)
            return await self._run_engine(
                find_remaining_work(before, config).config, debate, journal, path, used=debate.usage
            )

    async def judge(
        self,
        events: Sequence[Event],
        openings: Sequence[JudgingOpened],
        config: DebateConfig,
        path: Path | None,
        *,
        force: bool = False,
    ) -> Outcome:
        """Add the judging runs `openings` to the debate of `events`; it then stands at `path` (None: nowhere).

        Raises UsageError where something else stands there than the debate as it was read, unless `force` is set.
        Without openings the debate's own judging run is done. `config` says which models there are, and the limits. The
        verdicts of the outcome are those of the runs added, newest first.
        """
        extended = [*events, *openings]
        runs = [opening.run for opening in openings] or [run.id for run in fold(events).runs]
        if path is None:
            outcome = await self._run_engine(config, fold(extended), None, None, runs=runs)
        else:
            with lock_debate(path):
                if not force:
                    _refuse_changed(path, fold(events))
                outcome = await self._judge_locked(extended, openings, config, path, runs)
        added = (verdicts_of_run(outcome.debate, outcome.verdicts, run) for run in reversed(runs))
        return replace(outcome, verdicts=tuple(chain.from_iterable(added)))

    async def _judge_locked(
        self,
        extended: Sequence[Event],
        openings: Sequence[JudgingOpened],
        config: DebateConfig,
        path: Path,
        runs: Collection[str],
    ) -> Outcome:
        """The same under the lock."""
        debate = fold(extended)
        with Journal.create(path.with_suffix(JOURNAL_SUFFIX), extended, self._redact, overwrite=True) as journal:
            for opening in openings:
                self.observer.event(opening, debate)
            return await self._run_engine(config, debate, journal, path, runs=runs)

    def opening_event(self, config: DebateConfig, debate_id: str) -> DebateOpened:
        """The first event of a debate that begins now; a secret in its texts is neither shown nor sent, as it is not kept."""
        return DebateOpened(
            at=self.clock(),
            id=debate_id,
            generator=GENERATOR,
            config=self._redact_config(config),
            config_sha256=config.sha256(),
        )

    async def _run_engine(
        self,
        config: DebateConfig,
        debate: Debate,
        journal: Journal | None,
        path: Path | None,
        *,
        runs: Collection[str] | None = None,
        used: TotalUsage | None = None,
    ) -> Outcome:
        """Run the engine from `debate` on, and close."""
        studio = ModelFactory(config, self.context, used=used)
        try:
            run = DebateRun(
                debate,
                studio.build_actors(speeches=runs is None),
                journal.append if journal is not None else _discard_event,
                self.observer,
                clock=self.clock,
                stop=self.stop,
                judging_runs=runs,
            )
            try:
                await run.run()
                return self._close(run.debate, journal, path, run.halted)
            except StorageError as error:
                raise UnsavedError(str(error), self._transcript_json(run.debate)) from error
        finally:
            await studio.aclose()

    def _reopen_journal(self, stored: StoredDebate) -> Journal:
        """The journal to go on with: the one there is, or one made from the transcript."""
        if stored.from_journal:
            return Journal.open_existing(stored.path, self._redact)[0]
        events = transcript_to_events(to_transcript(stored.debate))
        return Journal.create(stored.path.with_suffix(JOURNAL_SUFFIX), events, self._redact, overwrite=True)

    def _close(self, debate: Debate, journal: Journal | None, path: Path | None, halted: CloseReason | None) -> Outcome:
        """Conclude, write the transcript, and only then let the journal go."""
        verdicts = score(debate, runs="all")
        if path is not None:
            write_transcript(path, to_transcript(debate, verdicts), self._redact, overwrite=True)
        if journal is not None:
            journal.remove()
        return Outcome(debate, verdicts, path, halted)

    def _transcript_json(self, debate: Debate) -> str:
        return dump_transcript(to_transcript(debate, score(debate, runs="all")), self._redact)

    def _redact_config(self, config: DebateConfig) -> DebateConfig:
        """`config` with secrets taken out of what models and people read; what is needed to reach a model stays."""
        redact = self._redact
        return config.model_copy(
            update={
                "topic": redact(config.topic),
                "background": None if config.background is None else redact(config.background),
                "debaters": tuple(
                    debater if debater.system is None else debater.model_copy(update={"system": redact(debater.system)})
                    for debater in config.debaters
                ),
                "judging": JudgingConfig.model_validate(redact_values(config.judging.model_dump(mode="json"), redact)),
            }
        )

    @property
    def _redact(self) -> Redactor:
        return Redactor(self.secrets)


def _discard_event(_event: Event) -> None:
    """Keep nothing: the run is not to be saved."""


def _is_finished(debate: Debate) -> bool:
    """Whether nothing is missing: the debate is closed for good, and every judge has answered or abstained."""
    forgiving = debate.apply(DebateResumed(at=debate.started_at))
    return debate.status == "complete" and not owed_briefs(forgiving)


def _refuse_existing(path: Path, *, force: bool) -> None:
    there = [place for place in (path, path.with_suffix(JOURNAL_SUFFIX)) if place.exists()]
    if there and not force:
        raise UsageError(
            f"{there[0]} exists already; choose another --id, resume it with --resume, or overwrite it with --force"
        )


def _refuse_changed(path: Path, read: Debate) -> None:
    """Overwrite nothing but the debate that was read, in the state in which it was read."""
    if not path.exists() and not path.with_suffix(JOURNAL_SUFFIX).exists():
        return
    there = open_debate(path).debate
    if (there.id, there.answered_keys, there.runs) != (read.id, read.answered_keys, read.runs):
        raise UsageError(
            f"{path} exists already and is not the debate as it was read; judge it again, choose another --out, or "
            "overwrite it with --force"
        )
