"""Gathers the questions of many debates, and decides when batches are submitted and checked, and when the run stops."""

import asyncio
import resource
import time
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from debate_cli.app.batches.client import BatchClient, BatchOptions, Question, split_into_batches
from debate_cli.engine import GRACE_S, StopSignal
from debate_cli.errors import BatchPendingError, DebateError, ModelError, StorageError, TransientError, UsageError
from debate_cli.llm.model import Reply
from debate_cli.llm.rate_limit import MAX_CLOSED_S
from debate_cli.storage.batch_store import BatchStore, StoredBatch

MAX_WAITING_DEBATES = 10_000
"""Maximum number of debates that wait for batches at the same time. A waiting debate takes about 0.4 MB of memory."""
FILES_PER_DEBATE, OTHER_FILES = 2, 200
"""Number of open files of each debate (journal and lock file), and of the rest of the process."""
SETTLE_S = 0.1
"""Seconds to wait before a batch is submitted. If a debate asks another question meanwhile, the wait starts again."""
FIRST_POLL_S, MAX_POLL_S, POLL_GROWTH = 0.5, 60.0, 1.5
"""Interval between checks of the submitted batches: first and longest interval in seconds, and growth factor."""


def raise_file_limit() -> int:
    """Raise this process's limit of open files. Return how many debates may then wait for batches at the same time."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_WAITING_DEBATES * FILES_PER_DEBATE + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # macOS allows fewer than `hard`
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
            soft = raised
        wanted = min(wanted, soft)
    return max(1, (wanted - OTHER_FILES) // FILES_PER_DEBATE)


class BatchQueue:
    """The questions of the debates in one folder, from `ask` to the answer."""

    def __init__(self, folder: Path, stop: StopSignal, options: BatchOptions) -> None:
        """`stop`: if the queue cannot go on, it requests a stop of the run through this signal."""
        self.store = BatchStore(folder)
        self._client = BatchClient(self.store, stop, options)
        self._stop = stop
        self._options = options
        self._questions: dict[Question, None] = {}
        """The questions without an answer, oldest first. The dict is an ordered set: its values have no meaning."""
        self._running = Counter[str]()
        """Maps the id of each debate with running tasks to their number. `count_task` keeps the numbers."""
        self._waiting = 0
        """How many running tasks wait for an answer from a batch. `count_wait` keeps the number."""
        self._open_debates = 0
        """How many debates are open. `count_debate` keeps the number."""
        self._changes = 0
        """Counter that grows when a task or a wait begins or ends, and when a question is asked."""
        self._driver: asyncio.Task[None] | None = None
        self._vendor_replied_at = 0.0
        """When a vendor last accepted a batch or reported on one, on the monotonic clock."""
        self.stop_reasons: tuple[DebateError, ...] = ()
        """The errors for which this queue has stopped the run; empty if it has not."""

    @contextmanager
    def count_debate(self) -> Generator[None]:
        """Count a debate as open during the `with` block.

        While an open debate has no running task, it is about to begin one or to end, and no batch is submitted.
        """
        self._open_debates += 1
        try:
            yield
        finally:
            self._open_debates -= 1

    @contextmanager
    def count_task(self, debate: str) -> Generator[None]:
        """Count a task (a speech or a judgement) of the debate with the id `debate` as running during the `with` block."""
        self._running[debate] += 1
        self._changes += 1
        try:
            yield
        finally:
            self._running[debate] -= 1
            if not self._running[debate]:
                del self._running[debate]
            self._changes += 1

    @contextmanager
    def count_wait(self) -> Generator[None]:
        """Count a running task as waiting during the `with` block.

        While all running tasks wait for answers from batches, none can ask another question.
        """
        self._waiting += 1
        self._changes += 1
        try:
            yield
        finally:
            self._waiting -= 1
            self._changes += 1

    async def ask(self, question: Question) -> Reply:
        """Return the answer to `question`. If it is not stored, wait until a batch brings it. Raises ModelError."""
        try:
            answer = self._client.find_submitted(question)
        except UsageError as error:
            self._record_failure([question], error)
        else:
            if answer is not None:
                return answer
        self._questions[question] = None
        self._changes += 1
        if self._driver is None or self._driver.done():
            self._driver = asyncio.ensure_future(self._drive())
        try:
            return await question.answer
        finally:
            del self._questions[question]

    async def aclose(self) -> None:
        """Wait for the end of a running submission, and close the connections."""
        if self._driver is not None:
            await asyncio.wait([self._driver], timeout=GRACE_S)
            self._driver.cancel()
            await asyncio.gather(self._driver, return_exceptions=True)
        await self._client.aclose()

    async def _drive(self) -> None:
        """Submit and check batches until no question is open or the run stops."""
        wait_s, next_poll = FIRST_POLL_S, 0.0
        was_quiet = False  # batches of earlier runs are checked after all their questions were asked again
        try:
            self._vendor_replied_at = time.monotonic()
            while self._questions and not self.stop_reasons:
                changes = self._changes
                await asyncio.sleep(SETTLE_S)
                is_quiet = changes == self._changes and self._all_wait()
                was_quiet = was_quiet or is_quiet
                due = [question for question in self._questions if question.is_due]
                if due and is_quiet:
                    await self._submit(due)
                    wait_s, next_poll = FIRST_POLL_S, 0.0
                elif was_quiet and time.monotonic() >= next_poll and len(due) < len(self._questions):
                    changes = self._changes
                    await self._check_batches()
                    next_poll, wait_s = time.monotonic() + wait_s, min(MAX_POLL_S, POLL_GROWTH * wait_s)
                    has_news = any(each.answer.done() or each.is_due for each in self._questions)
                    if is_quiet and changes == self._changes and not has_news:
                        self._stop_if_stuck()
        except Exception as error:  # noqa: BLE001 - without this, all debates would wait forever
            problem = f"{self.store.path}: unexpected {type(error).__name__}: {error}; repeat the command to collect the answers"
            self._stop_run(error if isinstance(error, DebateError) else StorageError(problem))

    def _all_wait(self) -> bool:
        """Return whether each open debate has a running task, and all running tasks wait."""
        return len(self._running) >= self._open_debates and self._running.total() == self._waiting

    async def _submit(self, due: Iterable[Question]) -> None:
        for batch in split_into_batches(due):
            if self._stop.requested:
                return
            try:
                await self._client.submit(batch)
            except ModelError as error:
                self._record_failure(batch, error)
            else:
                self._vendor_replied_at = time.monotonic()

    async def _check_batches(self) -> None:
        """Check each batch, and answer the questions of those that have ended. A failed check does not stop the others."""
        by_batch: dict[str, list[Question]] = {}
        for question in self._questions:
            may_recover = question.failure is None or isinstance(question.failure, TransientError)
            if question.submitted is not None and not question.answer.done() and may_recover:
                by_batch.setdefault(question.submitted.batch, []).append(question)
        batches = [self.store.batch(key) for key in by_batch]
        done = 0
        for batch in batches:
            questions = by_batch[batch.key]
            try:
                done += await self._client.collect(batch, questions)
            except (ModelError, UsageError) as error:
                self._record_failure(questions, error)
            else:
                self._vendor_replied_at = time.monotonic()
                for question in questions:
                    question.failure = None
        self._options.progress(done, sum(batch.requests for batch in batches))

    def _record_failure(self, questions: Sequence[Question], error: ModelError | UsageError) -> None:
        """Record that `questions` could not be submitted, or that the check of their batch failed."""
        is_first = questions[0].failure is None
        for question in questions:
            question.failure = error
        is_retried = isinstance(error, TransientError) and questions[0].submitted is not None
        goes_on = is_retried or any(each.failure is None for each in self._questions)
        if self._options.waits and is_first and goes_on:
            self._options.note(f"{error}; checking the batch again" if is_retried else str(error))

    def _stop_if_stuck(self) -> None:
        """Stop the run if no question can be answered, or if the user does not want to wait for the answers of batches."""
        failures = [each.failure for each in self._questions if each.failure is not None]
        is_retried = any(isinstance(each.failure, TransientError) and each.submitted for each in self._questions)
        has_given_up = not is_retried or time.monotonic() - self._vendor_replied_at > MAX_CLOSED_S
        if self._options.waits and not (has_given_up and len(failures) == len(self._questions)):
            return
        command = self._client.collect_command
        self._stop_run(
            *(failures or [BatchPendingError(f"a batch is in progress; collect its answers with: {command}")])
        )

    def _stop_run(self, *errors: DebateError) -> None:
        self.stop_reasons = self.stop_reasons or errors
        if not self._stop.requested:
            self._stop.request()


@dataclass(slots=True)
class BatchQueues:
    """The batch queues of a command, one per folder of transcripts."""

    options: BatchOptions
    _queues: dict[Path, BatchQueue] = field(default_factory=dict[Path, BatchQueue])

    def of(self, folder: Path, stop: StopSignal) -> BatchQueue:
        """Return the queue for a folder."""
        folder = folder.resolve()
        if folder not in self._queues:
            self._queues[folder] = BatchQueue(folder, stop, self.options)
        return self._queues[folder]

    @property
    def stop_reasons(self) -> list[DebateError]:
        """The errors for which queues have stopped the run. Errors about batches in progress come last."""
        found = {str(error): error for queue in self._queues.values() for error in queue.stop_reasons}
        return sorted(found.values(), key=lambda error: isinstance(error, BatchPendingError))

    def open_batches(self) -> list[StoredBatch]:
        """Return the batches whose answers are not collected yet."""
        return [batch for queue in self._queues.values() for batch in queue.store.open_batches()]

    def count_open_debates(self) -> int:
        """Return the number of debates with a question in a batch that is in progress."""
        stores = (queue.store for queue in self._queues.values())
        return sum(len(store.open_debates() & store.waiting_debates()) for store in stores)

    async def aclose(self) -> None:
        """Close all queues."""
        await asyncio.gather(*(queue.aclose() for queue in self._queues.values()))
