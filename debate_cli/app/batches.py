"""Asks judges through the vendors' batch APIs: gathers requests of many debates, submits them, collects the answers."""

import asyncio
import copy
import json
import random
import resource
import secrets
import shlex
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import Price
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.domain.message_text import count_noun
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import Turn
from debate_cli.engine import GRACE_S, Actors, StopSignal
from debate_cli.errors import (
    BatchPendingError,
    DebateError,
    LostBatchError,
    ModelError,
    StorageError,
    TransientError,
    UsageError,
)
from debate_cli.llm.meter import pause_deadline
from debate_cli.llm.model import BatchApi, BatchIntent, Model, OnText, Profile, Reply, Request
from debate_cli.llm.rate_limit import MAX_CLOSED_S
from debate_cli.llm.retry import MAX_RETRY_AFTER_S, draw_backoff
from debate_cli.llm.usage import compute_cost, estimate_input_tokens, estimate_max_cost_usage
from debate_cli.storage.batch_store import BatchStore, RequestKey, StoredBatch, StoredRequest

MAX_WAITING_DEBATES = 10_000
"""Maximum number of debates that wait for batches at the same time. A waiting debate takes about 0.4 MB of memory."""
FILES_PER_DEBATE, OTHER_FILES = 2, 200
"""Number of open files of each debate (journal and lock file), and of the rest of the process."""
SETTLE_S = 0.1
"""Seconds to wait before a batch is submitted. If a debate asks another question meanwhile, the wait starts again."""
FIRST_POLL_S, MAX_POLL_S, POLL_GROWTH = 0.5, 60.0, 1.5
"""Interval between checks of the submitted batches: first and longest interval in seconds, and growth factor."""
MAX_SUBMISSIONS = 5
"""Maximum number of attempts to submit one batch."""


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


TaskState = Literal["working", "waiting"]


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """Options of a command that uses batches."""

    waits: bool
    """Whether to wait for the answers of batches. If False, the run stops when only waiting is left to do."""
    note: Callable[[str], None]
    """Shows the user a line about a batch."""
    warn: Callable[[str], None]
    """Shows the user a line about a batch, also if the user wants no notes."""
    progress: Callable[[int, int], None]
    """Receives two counts at each check of the submitted batches: finished requests, and all requests."""
    confirm: Callable[[str], bool]
    """Asks the user whether to submit requests that an earlier batch may already contain. True means yes."""


@dataclass(slots=True, eq=False)
class _Question:
    key: RequestKey
    api: BatchApi
    request: Request
    worst_usd: float | None
    redact: Callable[[str], str]
    answer: asyncio.Future[Reply]
    custom_id: str | None = None
    batch_key: str | None = None
    failure: ModelError | UsageError | None = None
    """Why the question could not be submitted, or its batch not be checked the last time; None if nothing failed."""

    @property
    def is_due(self) -> bool:
        """Whether the question must be submitted."""
        return self.batch_key is None and self.failure is None


class BatchQueue:
    """Collects the requests of the debates in one folder, and submits them in batches."""

    def __init__(self, folder: Path, stop: StopSignal, options: BatchOptions) -> None:
        """`stop`: if the queue cannot go on, it requests a stop of the run through this signal."""
        self._store = BatchStore(folder)
        self._collect_command = f"debate judge --collect {shlex.quote(str(folder))}"
        self._stop = stop
        self._options = options
        self._apis: dict[tuple[object, ...], BatchApi] = {}
        self._questions: dict[_Question, None] = {}
        """The questions in the order in which they were asked. Only the keys of this dict are used."""
        self._served: set[str] = set()
        """Ids (`custom_id`) of the batch requests that were answered in this run."""
        self._tasks = Counter[TaskState]()
        self._version = 0
        """Counter that grows when a task starts, asks a question or ends."""
        self._driver: asyncio.Task[None] | None = None
        self._interrupted = set[str]()
        """Ids of the debates whose judging was interrupted in this run."""
        self._answered_at = 0.0
        """When a vendor accepted a batch or reported on one, on the monotonic clock."""
        self.halted: tuple[DebateError, ...] = ()
        """Errors that made this queue stop the run; empty if the queue has not stopped the run."""

    @contextmanager
    def count_task(self, state: TaskState) -> Generator[None]:
        """During the `with` block, count one more task of a debate in `state`.

        A task that waits for an answer is counted twice: as `working` and as `waiting`. So if both counts are equal,
        every task waits, and a batch can be submitted.
        """
        self._tasks[state] += 1
        self._version += 1
        try:
            with pause_deadline() if state == "waiting" else nullcontext():
                yield
        finally:
            self._tasks[state] -= 1
            self._version += 1

    async def ask(self, question: _Question) -> Reply:
        """Return the stored answer to a question. If none is stored, wait for the answer from a batch.

        Raises ModelError.
        """
        question.api = self._apis.setdefault(question.api.identity, question.api)
        stored = self._store.find(question.key)
        if stored is None:
            self._refuse_changed(question)
        else:
            question.custom_id, question.batch_key = stored.custom_id, stored.batch
            if stored.answer is not None:
                return self._read(question, stored.answer)
        self._store.create()
        self._questions[question] = None
        self._version += 1
        if self._driver is None or self._driver.done():
            self._driver = asyncio.ensure_future(self._drive())
        try:
            return await question.answer
        finally:
            del self._questions[question]

    def keep(self, debate: str) -> None:
        """Let `aclose` store that the debate with the id `debate` waits for judgements, perhaps not yet in a batch."""
        self._interrupted.add(debate)

    def forget(self, debate: str) -> None:
        """Remove the stored debate with the id `debate` and its requests. Its transcript must be saved before."""
        self._store.forget(debate)

    def open_batches(self) -> list[StoredBatch]:
        """Return the batches whose answers are not collected yet."""
        return self._store.open_batches()

    async def aclose(self) -> None:
        """Wait for the end of a running submission, close the connections, and store the ids of `keep`."""
        if self._driver is not None:
            await asyncio.wait([self._driver], timeout=GRACE_S)
            self._driver.cancel()
            await asyncio.gather(self._driver, return_exceptions=True)
        for api in self._apis.values():
            await api.aclose()
        if self._interrupted:
            self._store.add_waiting(self._interrupted)

    def _refuse_changed(self, question: _Question) -> None:
        key = question.key
        for other in self._store.find_by_task(key):
            if other.custom_id not in self._served:
                error = UsageError(
                    f"{self._store.path}: debate {key.debate}: the prompt of {key.task} has changed since it was submitted "
                    f"to {key.model}; collect the answer with the earlier --config and version of debate-cli, or submit "
                    f"the new prompt with: {self._collect_command} --resubmit"
                )
                if not self._options.confirm(str(error)):
                    self._fail([question], error)
                    return
                self._store.drop([other.custom_id])

    def _read(self, question: _Question, result: str) -> Reply:
        assert question.custom_id is not None
        self._served.add(question.custom_id)
        try:
            return question.api.read(result, question.request)
        except ModelError:
            self._store.drop([question.custom_id])
            raise

    async def _drive(self) -> None:
        wait_s, next_poll = FIRST_POLL_S, 0.0
        try:
            self._answered_at = time.monotonic()
            while self._questions and not self.halted:
                version = self._version
                await asyncio.sleep(SETTLE_S)
                is_quiet = version == self._version and self._tasks["working"] == self._tasks["waiting"]
                new = [question for question in self._questions if question.is_due]
                if new and is_quiet:
                    for chunk in _split(new):
                        await self._submit(chunk)
                    wait_s, next_poll = FIRST_POLL_S, 0.0
                elif time.monotonic() >= next_poll and len(new) < len(self._questions):
                    version = self._version
                    await self._poll()
                    next_poll, wait_s = time.monotonic() + wait_s, min(MAX_POLL_S, POLL_GROWTH * wait_s)
                    has_news = any(each.answer.done() or each.is_due for each in self._questions)
                    if is_quiet and version == self._version and not has_news:
                        self._halt_if_stuck()
        except DebateError as error:
            self._halt(error)
        except Exception as error:  # noqa: BLE001 - without this, all debates would wait forever
            self._halt(
                StorageError(
                    f"{self._store.path}: unexpected {type(error).__name__}: {error}; repeat the command to collect the answers"
                )
            )

    def _halt_if_stuck(self) -> None:
        """Stop the run if waiting is not wanted, or if no question can be answered any more."""
        failures = [each.failure for each in self._questions if each.failure is not None]
        may_recover = any(isinstance(failure, TransientError) for failure in failures)
        is_closed = not may_recover or time.monotonic() - self._answered_at > MAX_CLOSED_S
        if self._options.waits and not (is_closed and len(failures) == len(self._questions)):
            return
        pending = BatchPendingError(f"a batch is in progress; collect its answers with: {self._collect_command}")
        self._halt(*(failures or [pending]))

    def _halt(self, *why: DebateError) -> None:
        self.halted = self.halted or why
        if not self._stop.requested:
            self._stop.request()

    def _fail(self, questions: Sequence[_Question], why: ModelError | UsageError) -> None:
        """Record that the batch of `questions` could not be submitted or checked. The other batches go on."""
        is_first = questions[0].failure is None
        for question in questions:
            question.failure = why
        is_retried = isinstance(why, TransientError) and questions[0].batch_key is not None
        goes_on = is_retried or any(each.failure is None for each in self._questions)
        if self._options.waits and is_first and goes_on:
            self._options.note(f"{why}; checking the batch again" if is_retried else str(why))

    async def _submit(self, chunk: Sequence[list[_Question]]) -> None:
        key = f"dbt-{secrets.token_hex(6)}"
        firsts = [same[0] for same in chunk]
        api, model = firsts[0].api, firsts[0].key.model
        costs = [question.worst_usd for question in firsts]
        usd = None if None in costs else sum(cost or 0.0 for cost in costs)
        batch = StoredBatch(key, model, time.time(), len(chunk), usd)
        rows = [StoredRequest(f"{key}-{number}", key, first.key) for number, first in enumerate(firsts)]
        self._store.add(batch, rows)
        entries = [api.entry(row.custom_id, first.request) for row, first in zip(rows, firsts, strict=True)]
        try:
            vendor_id = await self._send(api, batch, entries)
        except ModelError as error:
            self._fail([question for same in chunk for question in same], error)
            return
        self._answered_at = time.monotonic()
        self._store.confirm(key, vendor_id)
        for row, same in zip(rows, chunk, strict=True):
            for question in same:
                question.custom_id, question.batch_key = row.custom_id, key
        most = f", at most ${usd:.4f}" if usd else ""
        self._options.note(f"submitted {vendor_id} to {model}: {count_noun(len(chunk), 'request')}{most}")

    async def _send(self, api: BatchApi, batch: StoredBatch, entries: Sequence[dict[str, Any]]) -> str:
        for number in range(1, MAX_SUBMISSIONS + 1):
            try:
                return await api.submit(batch.key, entries)
            except ModelError as error:
                if error.may_be_billed:
                    found = await api.find(BatchIntent(batch.key, batch.requests, batch.written_at))
                    if found.id is not None:
                        return found.id
                    raise
                wait = getattr(error, "retry_after", None) or draw_backoff(number, random.uniform)
                if not isinstance(error, TransientError) or number == MAX_SUBMISSIONS or wait > MAX_RETRY_AFTER_S:
                    self._store.drop_batch(batch.key)
                    raise
            self._options.note(
                f"{batch.model}: the vendor did not accept the batch; submitting it again in {wait:.1f} s"
            )
            await asyncio.sleep(wait)
        raise AssertionError

    async def _poll(self) -> None:
        by_batch: dict[str, list[_Question]] = {}
        for question in self._questions:
            may_recover = question.failure is None or isinstance(question.failure, TransientError)
            if question.batch_key is not None and not question.answer.done() and may_recover:
                by_batch.setdefault(question.batch_key, []).append(question)
        batches = [self._store.batch(key) for key in by_batch]
        done = 0
        for batch in batches:
            questions = by_batch[batch.key]
            try:
                done += await self._poll_batch(batch, questions)
            except (ModelError, UsageError) as error:
                self._fail(questions, error)
            else:
                self._answered_at = time.monotonic()
                for question in questions:
                    question.failure = None
        self._options.progress(done, sum(batch.requests for batch in batches))

    async def _poll_batch(self, batch: StoredBatch, questions: Sequence[_Question]) -> int:
        api = questions[0].api
        vendor_id = batch.vendor_id or await self._find(api, batch, questions)
        if vendor_id is None:
            return 0
        results: dict[str, str] = {}
        unanswered: ModelError | None = None
        try:
            status = await api.status(vendor_id)
            if not status.has_ended:
                return status.done
            results = await self._collect(api, vendor_id, questions)
            unanswered = status.unanswered
        except LostBatchError as error:
            if not self._options.confirm(str(error)):
                raise LostBatchError(
                    f"{error}, or ask again, which is paid again, with: {self._collect_command} --resubmit"
                ) from error
        failed = [self._settle(question, results, unanswered) for question in questions]
        again = sum(isinstance(error, TransientError) for error in failed)
        lost = sum(error is not None for error in failed) - again
        parts = [f"{len(questions) - again - lost} of {count_noun(len(questions), 'request')} answered"]
        parts += [f"{again} moved to the next batch"] if again else []
        parts += [f"{lost} failed"] if lost else []
        self._options.note(f"{vendor_id} has ended: {', '.join(parts)}")
        return batch.requests

    async def _collect(self, api: BatchApi, vendor_id: str, questions: Sequence[_Question]) -> dict[str, str]:
        """Store the results of a batch, and return them by custom id. A damaged line of the results is left out."""
        wanted = {question.custom_id: question.request for question in questions if question.custom_id is not None}
        results: dict[str, str] = {}
        damaged: list[str] = []
        async for custom_id, result in api.results(vendor_id, wanted):
            if custom_id:
                results[custom_id] = questions[0].redact(result)
            else:
                damaged.append(result)
        self._store.save_answers(results.items())
        if damaged:
            lacking = sorted({each.key.debate for each in questions if each.custom_id not in results})
            self._options.warn(
                f"{vendor_id}: damaged and not used: {', '.join(damaged)}; judgements without a result, which are asked for "
                f"again: {', '.join(lacking) or 'none'}"
            )
        return results

    def _settle(self, question: _Question, results: dict[str, str], unanswered: ModelError | None) -> ModelError | None:
        assert question.custom_id is not None
        result = results.get(question.custom_id)
        if question.answer.done():
            return None
        try:
            if result is None:
                self._store.drop([question.custom_id])
                if unanswered is not None:
                    raise copy.copy(unanswered)
                missing = f"{question.key.model} sent no result for the request {question.custom_id} of its batch"
                error = TransientError(missing)
                error.may_be_billed = True
                raise error
            question.answer.set_result(self._read(question, result))
        except ModelError as error:
            question.answer.set_exception(error)
            return error
        return None

    async def _find(self, api: BatchApi, batch: StoredBatch, questions: Sequence[_Question]) -> str | None:
        found = await api.find(BatchIntent(batch.key, batch.requests, batch.written_at))
        if found.id is not None:
            self._store.confirm(batch.key, found.id)
            self._options.note(f"found the batch {found.id} at the vendor; its submission had been interrupted")
            return found.id
        at = datetime.fromtimestamp(batch.written_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
        what = f"a batch of {count_noun(batch.requests, 'request')} to {batch.model} was being submitted at {at} when the program ended"
        if found.may_exist:
            return None
        problem = f"{what}, and it cannot be identified in the vendor's list"
        if not self._options.confirm(problem):
            raise UsageError(
                f"{problem}; look for the batch on the vendor's dashboard; if it is not there, submit it again with: "
                f"{self._collect_command} --resubmit"
            )
        self._store.drop_batch(batch.key)
        for each in questions:
            each.custom_id = each.batch_key = None
        return None


def _split(questions: Iterable[_Question]) -> Iterator[list[list[_Question]]]:
    """Divide questions into batches, and each batch into requests. Equal questions share one request."""
    by_request: dict[tuple[int, RequestKey], list[_Question]] = {}
    for question in questions:
        by_request.setdefault((id(question.api), question.key), []).append(question)
    requests = sorted(by_request.values(), key=lambda same: id(same[0].api))
    for _, group in groupby(requests, key=lambda same: id(same[0].api)):
        chunk, size = list[list[_Question]](), 0
        for same in group:
            api = same[0].api
            length = len(json.dumps(api.entry("x" * 64, same[0].request))) + 1
            if chunk and (len(chunk) == api.max_requests or size + length > api.max_bytes):
                yield chunk
                chunk, size = [], 0
            chunk.append(same)
            size += length
        yield chunk


@dataclass(frozen=True, slots=True)
class QueuedModel:
    """A model that puts its requests into `queue`, where they wait for a batch."""

    queue: BatchQueue
    name: str
    """The model as `provider/model`."""
    open_api: Callable[[], BatchApi]
    profile: Profile
    price: Price | None
    """Price of the model in a batch; None if unknown."""
    redact: Callable[[str], str]

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Wait until a batch with the request has ended, and return the answer. `on_text` is never called."""
        assert request.origin is not None, "only judges are asked in batches"
        prompt = estimate_input_tokens(request, self.profile)
        worst = estimate_max_cost_usage(prompt, request.max_output_tokens, self.price)
        wording = replace(request, seed=None).fingerprint()
        return await self.queue.ask(
            _Question(
                RequestKey(self.name, request.origin.debate, request.origin.key, wording),
                self.open_api(),
                request,
                compute_cost(worst, self.price),
                self.redact,
                asyncio.get_running_loop().create_future(),
            )
        )


@dataclass(frozen=True, slots=True)
class WaitingModel:
    """Wrapper of `model`. While a call waits for its answer, `queue` counts the call."""

    model: Model
    queue: BatchQueue

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Ask `model`, and return its answer. Until the answer arrives, `queue` counts the call as waiting."""
        with self.queue.count_task("waiting"):
            return await self.model.complete(request, on_text)


@dataclass(frozen=True, slots=True)
class _TrackedActor:
    actor: Any
    queue: BatchQueue

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        with self.queue.count_task("working"):
            return await self.actor.speak(cue, debate, on_text)

    async def assess(self, brief: Brief, debate: Debate) -> Assessment | Failure:
        with self.queue.count_task("working"):
            return await self.actor.assess(brief, debate)


def wrap_actors(actors: Actors, queue: BatchQueue) -> Actors:
    """Wrap debaters and judge, so that `queue` counts how many of them are speaking or judging."""
    speakers = {name: _TrackedActor(speaker, queue) for name, speaker in actors.debaters.items()}
    return replace(actors, debaters=speakers, judge=_TrackedActor(actors.judge, queue))


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
    def halted(self) -> list[DebateError]:
        """Errors that made queues stop the run, those about batches in progress last; empty if no queue has stopped it."""
        found = {str(why): why for queue in self._queues.values() for why in queue.halted}
        return sorted(found.values(), key=lambda why: isinstance(why, BatchPendingError))

    def open_batches(self) -> list[StoredBatch]:
        """Return the batches whose answers are not collected yet."""
        return [batch for queue in self._queues.values() for batch in queue.open_batches()]

    async def aclose(self) -> None:
        """Close all queues."""
        await asyncio.gather(*(queue.aclose() for queue in self._queues.values()))
