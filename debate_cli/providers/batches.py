"""Batches of requests at OpenAI, Anthropic and the mock, and the errors of requests in them, e.g. of expired ones.

`openai.py` and `anthropic.py` build the requests and read the answers.
"""

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from pydantic import TypeAdapter

from debate_cli.errors import (
    LostBatchError,
    ModelError,
    RefusedError,
    RejectedError,
    ServerError,
    UnknownModelError,
)
from debate_cli.llm.model import BatchApi, BatchIntent, BatchStatus, FoundBatch, Model, Profile, Reply, Request
from debate_cli.providers import error_mapping
from debate_cli.providers.anthropic import MESSAGES_API
from debate_cli.providers.cassette import RecordedError
from debate_cli.providers.endpoint import FIRST_ERROR_STATUS, Endpoint
from debate_cli.providers.error_mapping import SentRequest
from debate_cli.providers.http_model import (
    HttpServer,
    ProviderApi,
    describe_request,
    make_refusal_reply,
    omit_key_headers,
    read_whole_answer,
)
from debate_cli.providers.openai import CHAT_API

MAX_RESULT_BYTES = 512 * 1024 * 1024
"""Maximum size in bytes of a batch's results after decompression."""
CLOCK_SKEW_S = 300.0
"""Largest expected difference in seconds between the vendor's clock and the clock of this machine."""
SUBMISSION_S = 3600.0
"""Maximum age in seconds of a `BatchIntent` when its batch is created. A later batch does not belong to the intent."""
PAGE_SIZE = 100
METADATA_KEY = "debate-cli"


def make_batches(kind: str, endpoint: Endpoint, name: str, profile: Profile) -> BatchApi:
    """Create the batch API for the model `name`. `kind` is `openai` or `anthropic`."""
    batches = _AnthropicBatches if kind == "anthropic" else _OpenAIBatches
    return batches(replace(endpoint, max_body_bytes=MAX_RESULT_BYTES), name, profile)


class _VendorBatches(ABC):
    max_requests: int
    max_bytes: int
    _api: ProviderApi

    def __init__(self, endpoint: Endpoint, name: str, profile: Profile) -> None:
        self._server = HttpServer(self._api, endpoint)
        self._name = name
        self._profile = profile
        self.identity: tuple[object, ...] = (type(self), name, endpoint.base_url, endpoint.api_key)

    async def aclose(self) -> None:
        await self._server.aclose()

    async def submit(self, key: str, entries: Sequence[dict[str, Any]]) -> str:
        is_prepared = False
        try:
            with self._mapped_errors():
                prepared = await self._prepare(key, entries)
                is_prepared = True
                return str((await self._create(key, prepared))["id"])
        except ModelError as error:
            error.may_be_billed = is_prepared and (error.may_be_billed or isinstance(error, ServerError))
            raise

    async def status(self, batch_id: str) -> BatchStatus:
        with self._mapped_batch_errors(batch_id):
            return self._read_status(await self._get_batch(batch_id))

    async def results(self, batch_id: str, requests: Mapping[str, Request]) -> AsyncIterator[tuple[str, str]]:
        with self._mapped_batch_errors(batch_id):
            files = list(self._result_files(await self._get_batch(batch_id)))
        found: list[tuple[str, str]] = []
        for path, expected in files:
            try:
                with self._mapped_batch_errors(batch_id):
                    found += await self._read_file(path, expected)
            except LostBatchError:
                if not found:  # without the file of errors, which comes last, the answers are known
                    raise
        if found and not any(custom_id for custom_id, _ in found):
            raise self._lost(f"sends unreadable results of the batch {batch_id}")
        for each in found:
            yield each

    async def _read_file(self, path: str, expected: int) -> list[tuple[str, str]]:
        """Return a pair (custom id, line) for each line of the results in the file `path`.

        For a damaged line, the pair is an empty text and the line's place, e.g. `line 3 of PATH`. If lines are missing,
        the last pair is an empty text and their number, e.g. `2 of the 9 lines of PATH`. In both cases, the file has
        been read twice.

        `expected`: number of lines according to the vendor.
        """
        lines = list[tuple[str, str]]()
        for _ in range(2):
            text: str = await self._get(path, cast_to=str)
            numbered = enumerate(text.split("\n"), start=1)
            lines = [_read_line(line, f"line {number} of {path}") for number, line in numbered if line.strip()]
            if len(lines) < expected:
                lines.append(("", f"{expected - len(lines)} of the {expected} lines of {path}"))
            if all(custom_id for custom_id, _ in lines):
                break
        return lines

    def read(self, result: str, request: Request) -> Reply:
        asked = describe_request(self._server.endpoint, self._name, request, self._params(request))
        answer = self._api.reply_builder(request.offered_tool)
        try:
            with error_mapping.map_errors(self._api.error_rules, asked, lambda: answer.usage):
                read_whole_answer(self._read_result(json.loads(result), asked), asked, answer)
        except RefusedError as refused:
            return make_refusal_reply(refused)
        return answer.build_reply(0.0)

    async def find(self, intent: BatchIntent) -> FoundBatch:
        may_exist = False
        with self._mapped_errors():
            async for batch in self._list_batches(intent.at - CLOCK_SKEW_S):
                matches = await self._matches(batch, intent)
                if matches:
                    return FoundBatch(str(batch["id"]))
                may_exist = may_exist or matches is None
        return FoundBatch(None, may_exist)

    def _params(self, request: Request) -> dict[str, Any]:
        return self._api.build_body(request, self._name, self._profile, False)  # noqa: FBT003 - not streamed

    def _mapped_errors(self) -> AbstractContextManager[None]:
        asked = SentRequest(self._server.endpoint, self._name, structured=False)
        return error_mapping.map_errors(self._api.error_rules, asked)

    @contextmanager
    def _mapped_batch_errors(self, batch_id: str) -> Generator[None]:
        try:
            with self._mapped_errors():
                yield
        except UnknownModelError:
            raise self._lost(f"no longer has the batch {batch_id} or its results") from None

    def _lost(self, what: str) -> LostBatchError:
        where = self._server.endpoint
        return LostBatchError(
            f"{where.provider} ({where.host}) {what}; collect again with the API key and base_url that submitted the batch"
        )

    async def _get_batch(self, batch_id: str) -> Any:
        return await self._get(f"{self._batches_path}/{quote(batch_id, safe='')}")

    async def _get(self, path: str, params: Mapping[str, object] | None = None, *, cast_to: Any = object) -> Any:
        client = self._server.client()
        options = {"params": params or {}, "headers": omit_key_headers(client)}
        async with asyncio.timeout(self._server.endpoint.answer_deadline_s):
            return await client.get(path, options=options, cast_to=cast_to)

    async def _post(self, path: str, body: object) -> Any:
        client = self._server.client()
        async with asyncio.timeout(self._server.endpoint.answer_deadline_s):
            return await client.post(path, options={"headers": omit_key_headers(client)}, cast_to=object, body=body)

    async def _list_batches(self, since: float) -> AsyncIterator[dict[str, Any]]:
        after: dict[str, object] = {}
        seen = set[str]()
        while True:
            page = await self._get(self._batches_path, {"limit": PAGE_SIZE, **after})
            ids = [str(batch["id"]) for batch in page["data"]]
            if not seen.isdisjoint(ids):
                where = self._server.endpoint
                raise ServerError(
                    f"{where.provider} ({where.host}) sends the same page of its list of batches twice, so the batch cannot be "
                    "found; try again later"
                )
            seen.update(ids)
            for batch in page["data"]:
                if self._created_at(batch) < since:
                    return
                yield batch
            if not page.get("has_more") or not ids:
                return
            after = {self._cursor: ids[-1]}

    _batches_path: str
    _cursor: str

    @abstractmethod
    def entry(self, custom_id: str, request: Request) -> dict[str, Any]: ...

    async def _prepare(self, key: str, entries: Sequence[dict[str, Any]]) -> Any:
        return entries

    @abstractmethod
    async def _create(self, key: str, prepared: Any) -> Any: ...

    @abstractmethod
    def _read_status(self, batch: Any) -> BatchStatus: ...

    @abstractmethod
    def _result_files(self, batch: Any) -> Iterator[tuple[str, int]]:
        """Yield (path, lines) for each file of results. `lines`: number of lines according to the vendor; 0 if unknown."""

    @abstractmethod
    def _read_result(self, line: Any, asked: SentRequest) -> Any:
        """Return the answer in `line`, a parsed line of the results. Raises ModelError if `line` contains an error."""

    @abstractmethod
    async def _matches(self, batch: Any, intent: BatchIntent) -> bool | None:
        """Return whether `batch` was created for `intent`; None if this is known only after the batch has ended."""

    @abstractmethod
    def _created_at(self, batch: Any) -> float: ...


class _OpenAIBatches(_VendorBatches):
    max_requests = 50_000
    max_bytes = 190 * 1024 * 1024
    _api = CHAT_API
    _batches_path = "/batches"
    _cursor = "after"

    def entry(self, custom_id: str, request: Request) -> dict[str, Any]:
        return {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": self._params(request)}

    async def _prepare(self, key: str, entries: Sequence[dict[str, Any]]) -> Any:
        content = "\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries).encode(errors="replace")
        client = self._server.client()
        headers = omit_key_headers(client)
        file = await client.files.create(file=(f"{key}.jsonl", content), purpose="batch", extra_headers=headers)
        return file.id

    async def _create(self, key: str, prepared: Any) -> Any:
        body = {
            "input_file_id": prepared,
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {METADATA_KEY: key},
        }
        return await self._post(self._batches_path, body)

    def _read_status(self, batch: Any) -> BatchStatus:
        counts = _mapping(batch.get("request_counts"))
        status = str(batch["status"])
        unanswered: ModelError | None = None
        if status == "failed":
            fault = _mapping(next(iter(_mapping(batch.get("errors")).get("data") or ()), None))
            words = error_mapping.sanitize_message(str(fault.get("message") or "no reason given"))
            unanswered = RejectedError(f"{self._server.endpoint.provider} rejected the batch {batch['id']}: {words}")
        elif status in {"expired", "cancelled"}:
            unanswered = _not_processed(status)
        ended = status in {"completed", "failed", "expired", "cancelled"}
        return BatchStatus(ended, int(counts.get("completed", 0)) + int(counts.get("failed", 0)), unanswered)

    def _result_files(self, batch: Any) -> Iterator[tuple[str, int]]:
        completed = int(_mapping(batch.get("request_counts")).get("completed", 0))
        for name, expected in (("output_file_id", completed), ("error_file_id", 0)):
            if batch.get(name):
                yield f"/files/{quote(batch[name], safe='')}/content", expected

    def _read_result(self, line: Any, asked: SentRequest) -> Any:
        response, error = line.get("response"), line.get("error")
        if response is None:
            code = str(_mapping(error).get("code") or "")
            if code in {"batch_expired", "batch_cancelled"}:
                raise _not_processed(code.removeprefix("batch_"))
            raise error_mapping.error_from_object(error, asked)
        if response["status_code"] >= FIRST_ERROR_STATUS:
            raise error_mapping.error_from_status(response["status_code"], json.dumps(response.get("body")), asked)
        return response["body"]

    async def _matches(self, batch: Any, intent: BatchIntent) -> bool | None:
        return _mapping(batch.get("metadata")).get(METADATA_KEY) == intent.key

    def _created_at(self, batch: Any) -> float:
        return float(batch["created_at"])


class _AnthropicBatches(_VendorBatches):
    max_requests = 100_000
    max_bytes = 240 * 1024 * 1024
    _api = MESSAGES_API
    _batches_path = "/v1/messages/batches"
    _cursor = "after_id"

    def entry(self, custom_id: str, request: Request) -> dict[str, Any]:
        return {"custom_id": custom_id, "params": self._params(request)}

    async def _create(self, key: str, prepared: Any) -> Any:
        return await self._post(self._batches_path, {"requests": list(prepared)})

    def _read_status(self, batch: Any) -> BatchStatus:
        return BatchStatus(batch["processing_status"] == "ended", _count_processed(batch))

    def _result_files(self, batch: Any) -> Iterator[tuple[str, int]]:
        if batch.get("archived_at"):
            raise self._lost(f"no longer has the results of the batch {batch['id']}")
        yield f"{self._batches_path}/{quote(batch['id'], safe='')}/results", _count_processed(batch)

    def _read_result(self, line: Any, asked: SentRequest) -> Any:
        from anthropic.types import Message

        result = line["result"]
        if result["type"] == "succeeded":
            return Message.construct(**result["message"])
        if result["type"] == "errored":
            raise error_mapping.error_from_object(result["error"], asked)
        raise _not_processed(str(result["type"]))

    async def _matches(self, batch: Any, intent: BatchIntent) -> bool | None:
        if (
            self._created_at(batch) > intent.at + SUBMISSION_S
            or sum(batch["request_counts"].values()) != intent.requests
        ):
            return False
        if batch["processing_status"] != "ended":
            return None
        try:
            custom_ids = [custom_id async for custom_id, _ in self.results(str(batch["id"]), {})]
        except LostBatchError:
            return False
        return any(custom_id.startswith(f"{intent.key}-") for custom_id in custom_ids)

    def _created_at(self, batch: Any) -> float:
        return datetime.fromisoformat(batch["created_at"]).timestamp()


def _read_line(line: str, place: str) -> tuple[str, str]:
    """Return (custom id, `line`) for a line of the results. If `line` is damaged, return ("", `place`).

    `place`: where the line is, for messages, e.g. `line 3 of PATH`.
    """
    try:
        custom_id = json.loads(line)["custom_id"]
    except error_mapping.UNREADABLE_ANSWER:
        custom_id = None
    return (str(custom_id), line) if custom_id else ("", place)


def _count_processed(batch: Any) -> int:
    return sum(int(batch["request_counts"][name]) for name in ("succeeded", "errored", "canceled", "expired"))


def _mapping(value: Any) -> dict[str, Any]:
    return value or {}


def _not_processed(how: str) -> ModelError:
    return ServerError(
        f"the request was not processed (the provider reports: {how}); ask again with --batch, or "
        "without --batch for immediate answers"
    )


# Mock ------------------------------------------------------------------------------------------------------------

_REPLIES: TypeAdapter[Reply] = TypeAdapter(Reply)


def make_mock_batches(model: Model, name: str, latency_s: float) -> BatchApi:
    """Create the batch API of the mock model `name`. Each batch ends `latency_s` seconds after its submission."""
    return _MockBatches(model, name, latency_s)


class _MockBatches:
    max_requests = 50_000
    max_bytes = 200 * 1024 * 1024

    def __init__(self, model: Model, name: str, latency_s: float) -> None:
        self.identity: tuple[object, ...] = (type(self), name)
        self._model = model
        self._latency_s = latency_s

    def entry(self, custom_id: str, request: Request) -> dict[str, Any]:
        return {"custom_id": custom_id}

    async def submit(self, key: str, entries: Sequence[dict[str, Any]]) -> str:
        return f"mock-{time.time() + self._latency_s:.3f}"

    async def status(self, batch_id: str) -> BatchStatus:
        return BatchStatus(time.time() >= float(batch_id.removeprefix("mock-")))

    async def results(self, batch_id: str, requests: Mapping[str, Request]) -> AsyncIterator[tuple[str, str]]:
        for custom_id, request in requests.items():
            try:
                yield custom_id, _REPLIES.dump_json(await self._model.complete(request)).decode()
            except ModelError as error:
                failed = RecordedError(type=type(error).__name__, message=str(error))
                yield custom_id, json.dumps({"error": failed.model_dump()})

    def read(self, result: str, request: Request) -> Reply:
        failed = json.loads(result).get("error")
        if failed is not None:
            raise RecordedError.model_validate(failed).to_exception()
        return _REPLIES.validate_json(result)

    async def find(self, intent: BatchIntent) -> FoundBatch:
        return FoundBatch(None)

    async def aclose(self) -> None:
        pass
