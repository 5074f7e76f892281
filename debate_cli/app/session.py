"""Starts, resumes, judges and closes a debate on disk. The engine itself uses no files.

While a debate runs, its journal `ID.jsonl` contains its events. When the debate closes, `ID.json` replaces the journal.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from debate_cli.app.config_resolution import redact_config
from debate_cli.app.context import Cassette, RunContext
from debate_cli.app.model_pool import ModelPool, build_actors
from debate_cli.app.remedies import EndedCommand, find_remedy, resume_command
from debate_cli.app.resume import closing_event, config_in_force, describe_in_flight_calls, find_changes
from debate_cli.app.run_files import RunFiles, file_identity, refuse_changed, refuse_foreign
from debate_cli.domain.debate import Debate, fold, rehearsal_notice
from debate_cli.domain.events import (
    GENERATOR,
    CloseReason,
    DebateClosed,
    DebateOpened,
    DebateResumed,
    Event,
    JudgingOpened,
)
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.nested_texts import map_texts
from debate_cli.domain.verdict import Verdict
from debate_cli.engine import DebateRun, EventLog, NullEventLog, StopSignal
from debate_cli.errors import StorageError, UnsavedError, UsageError
from debate_cli.judging.schedule import missing_briefs, owed_briefs
from debate_cli.storage.batch_store import BatchStore
from debate_cli.storage.folder import JOURNAL_SUFFIX
from debate_cli.storage.journal import Journal
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.transcript import dump_transcript, to_transcript, transcript_to_events
from debate_cli.storage.transcript_store import StoredDebate, open_debate
from debate_cli.systems.briefing import describe_trial_judges
from debate_cli.systems.registry import get_system
from debate_cli.systems.scales import describe_answer, format_ranked_scores
from debate_cli.systems.scoring import combine_runs, score

AddedRuns = Callable[[Debate], Sequence[JudgingOpened]]
"""Receives a complete debate. Returns the judging runs to add to this debate."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a run. `print(outcome)` shows the verdict in a few lines."""

    debate: Debate = field(repr=False)
    """The debate with all speeches and assessments."""
    verdicts: tuple[Verdict, ...] = field(repr=False)
    """Verdicts of the judging runs. The deciding verdict comes first. Only this verdict has the flag `decides`. The
    other verdicts follow by judging run, the oldest run first."""
    path: Path | None
    """The transcript; None if nothing was saved."""
    halted: CloseReason | None = None
    """Why the run ended early: `budget`, `failed` or `interrupted`. None: the run reached its end."""
    is_unchanged: bool = False
    """Whether nothing was done: the debate was complete already, so no model was asked and no file was written."""

    def __str__(self) -> str:
        notice = list(filter(None, [rehearsal_notice(self.debate)]))
        lines = [*notice, self.debate.topic]
        for verdict in self.verdicts:
            answer = describe_answer(verdict, self.debate.document_name)
            scores = format_ranked_scores(verdict)
            answer = f"{answer.rstrip('.')} {scores}" if scores else answer
            lines.append(f"{verdict.system}{' (decides)' if verdict.decides else ''}: {answer}")
            changes = get_system(verdict.system).required_changes(verdict)
            lines += [f"  must change: {change.text} ({', '.join(change.judges)})" for change in changes]
            conditions = get_system(verdict.system).conditions(verdict)
            lines += [f"  condition: {condition.text} ({', '.join(condition.judges)})" for condition in conditions]
        lines += filter(None, [describe_trial_judges(self.debate)])
        if self.halted is not None:
            lines.append(f"ended early: {self.halted}")
        return "\n".join([*lines, *([f"saved: {self.path}"] if self.path is not None else []), *notice])


@dataclass(frozen=True, slots=True)
class Session:
    """Runs the engine on one debate, and saves the debate on disk."""

    context: RunContext
    pool: ModelPool | None = None
    """Model clients that several debates share. None: the debate creates its own clients."""

    async def begin(
        self, debate_id: str, folder: Path | None, *, force: bool = False, added_runs: AddedRuns | None = None
    ) -> Outcome:
        """Run a new debate, then the judging runs that `added_runs` returns.

        `folder`: where the debate is saved. None: nothing is saved. Raises UsageError if the debate exists and
        `force` is False. Raises StorageError if the debate cannot be written.
        """
        opened = self.opening_event(debate_id)
        debate = fold([opened])
        if folder is None:
            self.context.observer.event(opened, debate)
            return await self._run_engine(debate, None, added_runs=added_runs)
        path = folder / f"{debate_id}.json"
        with lock_debate(path):
            existing = [each for each in (path, path.with_suffix(JOURNAL_SUFFIX)) if each.exists()]
            if existing and not force:
                raise UsageError(
                    f"{existing[0]} exists already; choose another --id, resume it with --resume, or overwrite it with --force"
                )
            if self.context.batches is None:
                BatchStore(folder).forget(debate_id)  # questions about an earlier debate of this id
            found = file_identity(path)
            with await self._create_journal(path, [opened], overwrite=force) as journal:
                self.context.observer.event(opened, debate)
                return await self._run_engine(debate, RunFiles(path, journal, found, force), added_runs=added_runs)

    async def resume(self, stored: StoredDebate, *, close: bool = False, force: bool = False) -> Outcome:
        """Continue a stored debate with the context's configuration.

        Changes of settings are recorded in the debate. If `close` is True, the debate gets no further speeches, and
        only judges are asked. A finished debate is returned unchanged. Raises UsageError if the transcript's path
        has a file of another debate and `force` is False.
        """
        path = stored.path.with_suffix(".json")
        self._refuse_uncollected(path, stored.debate)
        if is_finished(stored.debate) and not path.with_suffix(JOURNAL_SUFFIX).exists():
            self.context.send_warning("the debate is complete; no model was asked")
            return Outcome(stored.debate, score(stored.debate, runs="all"), path, is_unchanged=True)
        with lock_debate(path):
            return await self._resume_locked(open_debate(stored.path), path, close=close, force=force)

    async def continue_unsaved(self, debate: Debate) -> Outcome:
        """Ask for all speeches and judgements that `debate` lacks. Nothing is saved."""
        return await self._run_engine(debate, None)

    async def judge(
        self,
        events: Sequence[Event],
        openings: Sequence[JudgingOpened],
        path: Path | None,
        *,
        runs_to_complete: Sequence[str] = (),
        force: bool = False,
        skips_empty: bool = False,
    ) -> Outcome:
        """Add the judging runs `openings` to the debate of `events`, and finish its stored runs `runs_to_complete`.

        - `path`: where the debate is saved. None: nothing is saved.
        - `runs_to_complete`: ids of judging runs. If `runs_to_complete` and `openings` are empty, finishes all stored runs.
        - `force`: whether to overwrite a file that was changed since it was read. If False, such a file raises UsageError.
        - `skips_empty`: whether `path` stays unchanged if there is nothing to save, e.g. because no judge answered and
          nothing was paid (see `RunFiles.need_writing`). The outcome then has no path. Four kinds of runs are always
          saved: an interrupted run, a run that asks people, a run with batches, and a run on a debate with a journal.

        The outcome has only the verdicts of the judged runs. `combine_runs` chooses the verdict that decides.
        """
        extended = [*events, *openings]
        before, debate = fold(events), fold(extended)
        runs = [*runs_to_complete, *(opening.run for opening in openings)] or [run.id for run in before.runs]
        if path is None:
            self._announce(openings, debate)
            outcome = await self._run_engine(debate, None, runs=runs)
        else:
            self._refuse_uncollected(path, before, adds_runs=bool(openings))
            with lock_debate(path):
                if not force:
                    refuse_changed(path, before)
                found = file_identity(path)
                self._leave_batches(path, debate)
                if self.context.batches is not None:  # before the journal exists, so that a crash loses no debate
                    self.context.batches.store.add_waiting(debate.id)
                has_journal = path.with_suffix(JOURNAL_SUFFIX).exists()
                keeps = not skips_empty or has_journal or self.context.asked_people or self.context.batches
                with await self._create_journal(path, extended, overwrite=True) as journal:
                    self._announce(openings, debate)
                    files = RunFiles(path, journal, found, force, None if keeps else before)
                    outcome = await self._run_engine(debate, files, runs=runs)
        return replace(outcome, verdicts=combine_runs(outcome.debate, outcome.verdicts, runs))

    def opening_event(self, debate_id: str) -> DebateOpened:
        """Return the first event of a new debate. Secrets are removed from the texts of the event's configuration."""
        config = self.context.config
        return DebateOpened(
            at=self.context.now(),
            id=debate_id,
            generator=GENERATOR,
            config=redact_config(config, self.context.redact),
            config_sha256=config.sha256(),
        )

    async def _resume_locked(self, stored: StoredDebate, path: Path, *, close: bool, force: bool) -> Outcome:
        """Continue the debate `stored`. The caller must take the debate's lock, and must read `stored` after that."""
        before = stored.debate
        if is_finished(before) and not stored.from_journal:
            path.with_suffix(JOURNAL_SUFFIX).unlink(missing_ok=True)
            return Outcome(before, score(before, runs="all"), path, is_unchanged=True)
        found = file_identity(path)
        if stored.from_journal:
            if not force:
                refuse_foreign(path, before)
            opened = Journal.open_existing(stored.path, self.context.redact, mirror=self.context.journal_mirror)
        else:
            opened = await self._create_journal(path, transcript_to_events(to_transcript(before)), overwrite=True)
        with opened as journal:
            files = RunFiles(path, journal, found, force)
            if stored.incomplete_line_warning:
                self.context.send_warning(stored.incomplete_line_warning)
            if is_finished(before):
                return await self._close(before, files, None)
            at, redact = self.context.now(), self.context.redact
            given = redact_config(self.context.config, redact)
            config = config_in_force(before.config, given, models=not self.context.mock)
            changes = find_changes(before, config, at, partial(map_texts, change=redact))
            resumed = DebateResumed(at=at, changes=changes, config=config if changes else None)
            debate = before.apply(resumed)
            lost = describe_in_flight_calls(debate, before.unanswered)
            if lost is not None:
                self.context.send_warning(lost)
            journal.append(resumed)
            if close and debate.status == "incomplete":
                closed = closing_event(at)
                journal.append(closed)
                debate = debate.apply(closed)
            await journal.sync()
            self.context.observer.event(resumed, debate)
            self._leave_batches(path, debate)
            session = replace(self, context=replace(self.context, config=debate.config))
            return await session._run_engine(debate, files, used=debate.model_calls)

    def _leave_batches(self, path: Path, debate: Debate) -> None:
        """Record that the judges of the debate are no longer asked in batches, if this command asks them directly."""
        store = BatchStore(path.parent)
        if self.context.batches is None and not self._is_replayed and store.state(debate.id) is not None:
            store.forget(debate.id)

    def _announce(self, events: Iterable[Event], debate: Debate) -> None:
        for event in events:
            self.context.observer.event(event, debate)

    async def _run_engine(
        self,
        debate: Debate,
        files: RunFiles | None,
        *,
        runs: Collection[str] | None = None,
        used: Sequence[ModelCall] = (),
        added_runs: AddedRuns | None = None,
    ) -> Outcome:
        pool = self.pool or ModelPool(self.context, used=used)
        log: EventLog = files.journal if files is not None else NullEventLog()
        cassette = self.context.cassette
        if cassette is not None:
            log = _CassetteGuardedLog(log, cassette, self.context.stop)
        try:
            run = self._debate_run(debate, pool, log, runs)
            try:
                await run.run()
                openings = added_runs(run.debate) if added_runs is not None and run.halted is None else ()
                if openings:
                    judged = self._record_openings(run.debate, openings, log)
                    run = self._debate_run(judged, pool, log, [opening.run for opening in openings])
                    await run.run()
                outcome = await self._close(run.debate, files, run.halted)
            except StorageError as error:
                raise self._add_kept_debate(error, run.debate, files) from error
            if self.context.batches is not None and run.halted != "interrupted":
                saved = None if run.halted is None else run.debate.answered_keys
                self.context.batches.store.forget(run.debate.id, saved)
                if any(runs is None or brief.run in runs for brief in missing_briefs(run.debate)):
                    self.context.batches.store.add_unfinished(run.debate.id)
            if cassette is not None and cassette.failure is not None:
                raise self._add_result(cassette.failure, outcome, files)
            return outcome
        finally:
            if self.pool is None:
                await pool.aclose()

    def _record_openings(self, debate: Debate, openings: Sequence[JudgingOpened], log: EventLog) -> Debate:
        for opening in openings:
            debate = debate.apply(opening)
            log.append(opening)
            self.context.observer.event(opening, debate)
        return debate

    def _debate_run(self, debate: Debate, pool: ModelPool, log: EventLog, runs: Collection[str] | None) -> DebateRun:
        context = self.context
        return DebateRun(
            debate,
            build_actors(pool, context, debate.rejected_modes, speeches=runs is None),
            log,
            context.observer,
            clock=context.now,
            stop=context.stop,
            judging_runs=runs,
        )

    def _add_kept_debate(self, error: StorageError, debate: Debate, files: RunFiles | None) -> StorageError:
        if files is not None and files.journal.is_at_path:
            return _kept_error(error, files.journal.path, files.path)
        if files is not None and debate.closed is None:
            debate = debate.apply(DebateClosed(at=self.context.now(), reason="failed"))
        transcript = to_transcript(debate, score(debate, runs="all"))
        if files is not None:
            try:
                files.write(transcript, self.context.redact)
            except StorageError:
                pass
            else:
                return _kept_error(error, files.path, files.path)
        return UnsavedError(str(error), dump_transcript(transcript, self.context.redact))

    def _add_result(self, failure: StorageError, outcome: Outcome, files: RunFiles | None) -> StorageError:
        """Return the cassette's error `failure` with a message that also says where the debate is saved."""
        if files is None:
            return self._add_kept_debate(failure, outcome.debate, None)
        if outcome.path is None:
            return failure
        if outcome.halted is None:
            return StorageError(f"{failure}; the debate is complete and saved in {outcome.path}")
        return _kept_error(failure, outcome.path, outcome.path)

    @property
    def _is_replayed(self) -> bool:
        return self.context.cassette is not None and self.context.cassette.is_replay

    def _refuse_uncollected(self, path: Path, debate: Debate, *, adds_runs: bool = False) -> None:
        if self._is_replayed or (self.context.batches is not None and not adds_runs):
            return
        store = BatchStore(path.parent)
        if debate.id in store.open_debates():
            problem = "a batch with questions about this debate is in progress"
            if debate.id not in store.waiting_debates():  # e.g. because its budget has stopped it
                problem = "a paid answer to a question about this debate is not used yet"
            remedy = find_remedy(debate, missing_briefs(debate), EndedCommand.of_saved(path, debate))
            raise UsageError(f"{path}: {problem}; collect the answers first: {remedy.commands[0].text}")

    async def _close(self, debate: Debate, files: RunFiles | None, halted: CloseReason | None) -> Outcome:
        verdicts = score(debate, runs="all")
        is_saved = files is not None and (halted == "interrupted" or files.need_writing(debate, verdicts))

        def write() -> None:
            if files is not None and is_saved:
                files.write(to_transcript(debate, verdicts), self.context.redact)
            if files is not None:
                files.journal.remove()

        await asyncio.to_thread(write)
        return Outcome(debate, verdicts, files.path if files is not None and is_saved else None, halted)

    async def _create_journal(self, path: Path, events: Sequence[Event], *, overwrite: bool) -> Journal:
        create = partial(Journal.create, overwrite=overwrite, mirror=self.context.journal_mirror)
        return await asyncio.to_thread(create, path.with_suffix(JOURNAL_SUFFIX), events, self.context.redact)


def is_finished(debate: Debate) -> bool:
    """Return whether the debate is complete, and every judge has answered or abstained."""
    retried = debate.apply(DebateResumed(at=debate.started_at))
    return debate.status == "complete" and not owed_briefs(retried)


def _kept_error(error: StorageError, place: Path, path: Path) -> StorageError:
    return StorageError(f"{error}; the debate so far is in {place}; resume it with: {resume_command(path)}")


@dataclass(frozen=True, slots=True)
class _CassetteGuardedLog:
    """Event log of a run with a cassette. After a failed write to `cassette`, `sync` requests a stop of the run.

    Before this request, `sync` saves the events of the run in `log`. So the answers in these events are not lost.
    """

    log: EventLog
    cassette: Cassette
    stop: StopSignal

    def append(self, event: Event) -> None:
        self.log.append(event)

    async def sync(self) -> None:
        await self.log.sync()
        if self.cassette.failure is not None and not self.stop.requested:
            self.stop.request()
