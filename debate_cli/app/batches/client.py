"""Submits questions to the vendors in batches, and collects the answers. `queue.py` decides when."""

import asyncio
import copy
import json
import random
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from debate_cli.domain.message_text import count_noun, quote_path
from debate_cli.domain.model_call import StructuredOutputMode
from debate_cli.engine import StopSignal
from debate_cli.errors import (
    LostBatchError,
    ModelError,
    ParameterError,
    PermanentError,
    TransientError,
    UnsupportedError,
    UsageError,
)
from debate_cli.llm.model import BatchApi, BatchIntent, Reply, Request
from debate_cli.llm.retry import MAX_RETRY_AFTER_S, draw_backoff
from debate_cli.llm.structured_output import change_mode
from debate_cli.storage.batch_store import BatchStore, RequestKey, StoredBatch, StoredRequest

MAX_SUBMISSIONS = 5
"""Maximum number of attempts to submit one batch."""
_MODES: tuple[StructuredOutputMode, ...] = ("native", "tool", "prompt")


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """Options of a command that uses batches."""

    waits: bool
    """Whether to wait for the answers of batches. If False, the run stops when all its tasks wait for batches."""
    note: Callable[[str], None]
    """Shows the user a line about a batch, unless the user wants no notes."""
    warn: Callable[[str], None]
    """Shows the user a line about a batch, even if the user wants no notes."""
    progress: Callable[[int, int], None]
    """Receives two counts at each check of the submitted batches: finished requests, and all requests."""
    confirm: Callable[[str], bool]
    """Asks the user whether to submit requests that an earlier batch may already contain. True means yes."""


@dataclass(slots=True, eq=False)
class Question:
    """A request to a judge, and the asyncio future that receives the answer."""

    key: RequestKey
    api: BatchApi
    request: Request
    max_usd: float | None
    """Maximum cost of the request in US dollars; None if the price is unknown."""
    redact: Callable[[str], str]
    answer: asyncio.Future[Reply]
    submitted: StoredRequest | None = None
    """The stored request of a batch that asks this question; None if no batch contains the question."""
    submitted_as: Request = field(init=False)
    """`request` in the structured-output mode in which it was submitted. Equal to `request` if `submitted` is None."""
    failure: ModelError | UsageError | None = None
    """Why the question cannot be submitted, or why the last check of its batch failed; None if nothing failed."""

    def __post_init__(self) -> None:
        self.submitted_as = self.request

    @property
    def is_due(self) -> bool:
        """Whether the question must be submitted."""
        return self.submitted is None and self.failure is None


class BatchClient:
    """Submits the questions of one folder's debates, and collects the answers.

    `store`: keeps the submitted questions and the answers. `stop`: tells the client that a stop of the run was
    requested. After this request, a batch that the vendor did not accept is not submitted again.
    """

    def __init__(self, store: BatchStore, stop: StopSignal, options: BatchOptions) -> None:
        self._store = store
        self._stop = stop
        self._options = options
        self.collect_command = f"debate judge --collect {quote_path(store.path.parent)}"
        self._apis: dict[tuple[object, ...], BatchApi] = {}
        self._used_ids = set[str]()
        """Custom ids of the requests whose answers were used in this run."""
        self._unsaved_rejections: list[str] = []
        """Custom ids of rejected requests whose rejection is not saved in `_store` yet."""

    def find_submitted(self, question: Question) -> Reply | None:
        """Set `question.submitted` if an earlier run submitted the question. Return the answer if it is collected already.

        A question that was submitted in another structured-output mode counts as the same question, unless the vendor
        has rejected that request.

        Raises ModelError if the vendor reports that the request failed. If the question was submitted with another
        prompt, asks the user whether to submit it again. Raises UsageError if the user declines or cannot be asked.
        """
        question.api = self._apis.setdefault(question.api.identity, question.api)
        try:
            return self._find_submitted(question)
        finally:
            self._save_rejections()

    def _find_submitted(self, question: Question) -> Reply | None:
        key = question.key
        stored = self._store.find_by_task(key)
        found = self._find_in_any_mode(question, stored)
        if found is not None:
            question.submitted, question.submitted_as = found
            answer = question.submitted.answer
            return None if answer is None else self._read(question, question.submitted, answer)
        for other in stored:
            if other.custom_id not in self._used_ids and not self._is_rejected(question.api, question.request, other):
                problem = (
                    f"{self._store.path}: debate {key.debate}: the prompt of {key.task} has changed since it was submitted "
                    f"to {key.model}; collect the answer with the earlier --config and version of debate-cli, or submit "
                    f"the new prompt with: {self.collect_command} --resubmit"
                )
                if not self._options.confirm(problem):
                    raise UsageError(problem)
                self._store.drop(other.custom_id)
        return None

    def _find_in_any_mode(
        self, question: Question, stored: Sequence[StoredRequest]
    ) -> tuple[StoredRequest, Request] | None:
        """Find the stored request that asks `question`, in any structured-output mode.

        Return this stored request, and `question.request` in the same mode. None if no stored request asks `question`.
        """
        own = next((each for each in stored if each.key == question.key), None)
        if own is not None:
            return own, question.request
        unused = [each for each in stored if each.custom_id not in self._used_ids]
        for asked in (change_mode(question.request, mode) for mode in _MODES) if unused else ():
            fingerprint = compute_fingerprint(asked)
            for each in unused:
                if each.key.fingerprint == fingerprint and not self._is_rejected(question.api, asked, each):
                    return each, asked
        return None

    async def submit(self, questions: Sequence[Question]) -> None:
        """Submit `questions`, one of the lists from `split_into_batches`, as one batch. Raises ModelError."""
        by_key = {question.key: question for question in questions}
        api, model = questions[0].api, questions[0].key.model
        costs = [question.max_usd for question in by_key.values()]
        usd = None if None in costs else sum(cost or 0.0 for cost in costs)
        batch = StoredBatch(f"dbt-{secrets.token_hex(6)}", model, time.time(), len(by_key), usd)
        requests = {key: StoredRequest(f"{batch.key}-{number}", batch.key, key) for number, key in enumerate(by_key)}
        entries = [api.entry(requests[key].custom_id, each.request) for key, each in by_key.items()]
        vendor_id = await self._send(api, batch, requests.values(), entries)
        self._store.confirm(batch.key, vendor_id)
        for question in questions:
            question.submitted = requests[question.key]
        most = f", at most ${usd:.4f}" if usd else ""
        self._options.note(f"submitted {vendor_id} to {model}: {count_noun(len(by_key), 'request')}{most}")

    async def collect(self, batch: StoredBatch, questions: Sequence[Question]) -> int:
        """If `batch` has ended, answer its `questions`. Return how many of its requests the vendor has processed.

        A question whose request was not processed, or has no result, is answered with an error. Raises ModelError or
        UsageError if the batch cannot be checked or read.
        """
        api = questions[0].api
        vendor_id = batch.vendor_id or await self._find_at_vendor(api, batch, questions)
        if vendor_id is None:
            return 0
        results: dict[str, str] = {}
        unanswered: ModelError | None = None
        try:
            status = await api.status(vendor_id)
            if not status.has_ended:
                return status.done
            results = await self._download(api, vendor_id, questions)
            unanswered = status.unanswered
        except LostBatchError as error:
            if not self._options.confirm(str(error)):
                raise LostBatchError(
                    f"{error}, or ask and pay again with: {self.collect_command} --resubmit"
                ) from error
        errors = [self._answer(question, results, unanswered) for question in questions]
        self._save_rejections()
        failed = sum(isinstance(error, PermanentError) for error in errors)
        again = sum(isinstance(error, TransientError) for error in errors)
        again += sum(question.submitted is None for question in questions)
        cancelled = sum(question.answer.cancelled() for question in questions)
        parts = [f"{len(questions) - again - failed - cancelled} of {count_noun(len(questions), 'request')} answered"]
        parts += [f"{again} moved to the next batch"] if again else []
        parts += [f"{failed} failed"] if failed else []
        self._options.note(f"{vendor_id} has ended: {', '.join(parts)}")
        return batch.requests

    async def aclose(self) -> None:
        """Close the connections."""
        await asyncio.gather(*(api.aclose() for api in self._apis.values()))

    async def _send(
        self, api: BatchApi, batch: StoredBatch, requests: Collection[StoredRequest], entries: Sequence[dict[str, Any]]
    ) -> str:
        """Submit `entries`, and return the vendor's id of the batch.

        After a temporary error, wait and try again, unless the vendor may have accepted the batch. The batch is not in
        the store during the wait, because the vendor does not have it. If the program ends during the wait, a later
        command then does not look for the batch at the vendor.
        """
        for number in range(1, MAX_SUBMISSIONS + 1):
            self._store.add(batch, requests)
            try:
                return await api.submit(batch.key, entries)
            except ModelError as error:
                if error.may_be_billed:
                    found = await api.find(BatchIntent(batch.key, batch.requests, batch.written_at))
                    if found.id is not None:
                        return found.id
                    raise
                self._store.drop_batch(batch.key)
                wait = getattr(error, "retry_after", None) or draw_backoff(number, random.uniform)
                is_last = number == MAX_SUBMISSIONS or wait > MAX_RETRY_AFTER_S or self._stop.requested
                if is_last or not isinstance(error, TransientError):
                    raise
                self._options.note(
                    f"{batch.model}: the vendor did not accept the batch; submitting it again in {wait:.1f} s"
                )
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):  # wait_for of Python 3.11 may swallow a cancellation
                        await self._stop.wait(lambda: True)
                if self._stop.requested:
                    raise
        raise AssertionError

    async def _find_at_vendor(self, api: BatchApi, batch: StoredBatch, questions: Sequence[Question]) -> str | None:
        """Return the vendor's id of a batch whose submission was interrupted; None if no batch can be checked now.

        Returns None in these cases:

        - The vendor may have the batch, but the batch cannot be identified yet.
        - The vendor does not have the batch, and the user agrees to submit its questions again. The batch is removed
          from the store, and the questions become due.

        Raises UsageError if the user declines or cannot be asked.
        """
        found = await api.find(BatchIntent(batch.key, batch.requests, batch.written_at))
        if found.id is not None:
            self._store.confirm(batch.key, found.id)
            self._options.note(f"found the batch {found.id} at the vendor; its submission had been interrupted")
            return found.id
        if found.may_exist:
            return None
        at = datetime.fromtimestamp(batch.written_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
        problem = (
            f"a batch of {count_noun(batch.requests, 'request')} to {batch.model} was being submitted at {at} when the program "
            "ended, and it cannot be identified in the vendor's list"
        )
        if not self._options.confirm(problem):
            raise UsageError(
                f"{problem}; look for the batch on the vendor's dashboard; if it is not there, submit it again with: "
                f"{self.collect_command} --resubmit"
            )
        self._store.drop_batch(batch.key)
        for question in questions:
            question.submitted = None
        return None

    async def _download(self, api: BatchApi, vendor_id: str, questions: Sequence[Question]) -> dict[str, str]:
        """Store the results of a batch, and return them by custom id. Warns about results that are damaged or missing."""
        wanted = {each.submitted.custom_id: each for each in questions if each.submitted is not None}
        results: dict[str, str] = {}
        damaged: list[str] = []
        async for custom_id, result in api.results(
            vendor_id, {name: each.submitted_as for name, each in wanted.items()}
        ):
            if custom_id:
                results[custom_id] = wanted.get(custom_id, questions[0]).redact(result)
            else:
                damaged.append(result)
        self._store.save_answers(results.items())
        if damaged:
            lacking = sorted({each.key.debate for custom_id, each in wanted.items() if custom_id not in results})
            self._options.warn(
                f"{vendor_id}: these results are damaged or missing: {', '.join(damaged)}; judgements of these debates are "
                f"asked for again: {', '.join(lacking) or 'none'}"
            )
        return results

    def _answer(self, question: Question, results: dict[str, str], unanswered: ModelError | None) -> ModelError | None:
        """Answer a question of a batch that has ended. Return the error if the question is answered with an error.

        An earlier run may have submitted the question in another structured-output mode than the mode of
        `question.request`. If that request failed with PermanentError, the question stays open, and must be submitted
        again in the mode of `question.request`.
        """
        submitted = question.submitted
        if question.answer.done() or submitted is None:
            return None
        result = results.get(submitted.custom_id)
        try:
            if result is None:
                self._store.drop(submitted.custom_id)
                if unanswered is not None:
                    raise copy.copy(unanswered)
                error = TransientError(
                    f"{question.key.model} sent no result for the request {submitted.custom_id} of its batch"
                )
                error.may_be_billed = True
                raise error
            question.answer.set_result(self._read(question, submitted, result))
        except ModelError as error:
            if isinstance(error, PermanentError) and submitted.key != question.key:  # its own mode may be accepted
                question.submitted, question.submitted_as = None, question.request
                return None
            question.answer.set_exception(error)
            return error
        return None

    def _read(self, question: Question, submitted: StoredRequest, result: str) -> Reply:
        self._used_ids.add(submitted.custom_id)
        try:
            return question.api.read(result, question.submitted_as)
        except (UnsupportedError, ParameterError):
            # A restart needs the rejection to find the next request, which has another mode or fewer parameters.
            self._note_rejection(submitted)
            raise
        except ModelError:
            self._store.drop(submitted.custom_id)
            raise

    def _is_rejected(self, api: BatchApi, request: Request, stored: StoredRequest) -> bool:
        """Return whether the vendor has rejected the request `stored`. `request`: the same request, with its prompt."""
        try:
            if stored.answer is not None and not stored.is_rejected:
                api.read(stored.answer, request)
        except PermanentError:
            self._note_rejection(stored)
            return True
        except ModelError:
            return False
        return stored.is_rejected

    def _note_rejection(self, stored: StoredRequest) -> None:
        if not stored.is_rejected:
            self._unsaved_rejections.append(stored.custom_id)

    def _save_rejections(self) -> None:
        if self._unsaved_rejections:
            self._store.mark_rejected(self._unsaved_rejections)
            self._unsaved_rejections.clear()


def compute_fingerprint(request: Request) -> str:
    """Return the SHA-256 of the content of a request, without its seed."""
    return replace(request, seed=None).fingerprint()


def split_into_batches(questions: Iterable[Question]) -> Iterator[list[Question]]:
    """Divide questions into batches that the vendors accept. Equal questions share one request of a batch."""
    in_order = sorted(questions, key=lambda question: (id(question.api), question.key))
    batch, requests, size = list[Question](), 0, 0
    for _, group in groupby(in_order, key=lambda question: (id(question.api), question.key)):
        equal = list(group)
        api = equal[0].api
        length = len(json.dumps(api.entry("x" * 64, equal[0].request))) + 1
        is_full = requests == api.max_requests or size + length > api.max_bytes
        if batch and (batch[0].api is not api or is_full):
            yield batch
            batch, requests, size = [], 0, 0
        batch += equal
        requests, size = requests + 1, size + length
    if batch:
        yield batch
