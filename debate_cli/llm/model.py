"""The protocol `Model`, the interface to every language model.

Provider adapters, test fakes and wrappers (retries, rate limits, budget, redaction, recording) implement `Model`.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import Field, SkipValidation

from debate_cli.domain.model_call import StructuredOutputMode, Usage
from debate_cli.errors import ModelError
from debate_cli.llm.form import Form

OnText = Callable[[str], None]
"""A callback that gets each piece of an answer's text, and RESTART if the answer begins again."""
RESTART = "\x00restart"
"""Value that tells an `OnText` to discard the text of the answer so far, because the answer begins again."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. The system message is in `Request.system` instead."""

    role: Literal["user", "assistant"]
    """Who wrote the message: the program (`user`) or the model (`assistant`)."""
    content: str
    """The text of the message."""


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """A JSON Schema for the answer to a request."""

    name: str
    """Name of the schema in a request: 1 to 64 ASCII letters, digits, `_` and `-`, which all providers accept."""
    json: dict[str, Any]
    """The JSON Schema. Adapters convert it to the dialect of their provider (`llm.schema_dialect`)."""


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """The task of a debater or judge that a request belongs to, for example a debater's opening."""

    debate: str
    """Id of the debate."""
    key: str
    """Key of the task within the debate. All requests for one task have the same key."""
    name: str
    """Participant and task as a part of file names, for example `Pro opening` or `judge structured`."""
    title: str
    """Participant and task as a heading, for example `Pro: opening, round 1`."""
    accepts_text: bool = False
    """Whether an answer in plain words is accepted: true for speeches, false for judgements."""


@dataclass(frozen=True, slots=True)
class WebSearch:
    """Settings of the web search that a request asks for."""

    max_searches: int
    """Maximum number of searches for the request. The provider may charge for each search."""
    allowed_domains: tuple[str, ...] = ()
    """Domains that results may come from; empty means all domains."""
    by_model: bool = False
    """Whether a language model makes the search. False means a search engine, which uses no tokens."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model."""

    system: str
    """The system message."""
    messages: tuple[Message, ...]
    """The messages after the system message, oldest first."""
    purpose: str
    """Kind of task, such as `opening` or `judge.panel.vote`. For mock scripts and messages; not sent to the model."""
    max_output_tokens: int
    """Maximum number of tokens in the answer."""
    schema: OutputSchema | None = None
    """JSON Schema that the answer must follow; None for plain text."""
    search: WebSearch | None = None
    """The requested web search, whose query is the last message; None for a request without a web search."""
    rung: StructuredOutputMode = "text"
    """Structured-output mode in which `schema` is sent; `text` if the request has no schema."""
    temperature: float | None = None
    """Sampling temperature; None means the provider's default."""
    seed: int | None = None
    """Sampling seed; None means that no seed is sent."""
    nonce: str = ""
    """Random text inside the last message, new in each request. It does not change `fingerprint`."""
    stable_chars: int = 0
    """Number of characters at the start of the last message. Later requests repeat this start, so providers can cache
    it."""
    origin: Annotated[RequestOrigin | None, SkipValidation, Field(exclude=True)] = None
    """The task that the request belongs to. Not sent to the model, and not stored in a cassette."""
    form: Annotated[Form[Any] | None, SkipValidation, Field(exclude=True)] = None
    """The form of the answer, used only if a person answers. Not sent to the model, and not stored in a cassette."""
    omitted_fields: Annotated[frozenset[str], SkipValidation, Field(exclude=True)] = frozenset()
    """Fields of a request's body that the server has rejected, such as `stream_options`. The adapter omits or replaces
    them. Not stored in a cassette."""

    def fingerprint(self) -> str:
        """Return a SHA-256 of the request's content. Requests that differ only in their nonce have the same SHA-256."""
        masked = self.without_nonce()
        body: dict[str, Any] = {
            "system": masked.system,
            "messages": [[message.role, message.content] for message in masked.messages],
            "purpose": self.purpose,
            "max_output_tokens": self.max_output_tokens,
            "schema": None if self.schema is None else [self.schema.name, self.schema.json],
            "rung": self.rung,
            "temperature": self.temperature,
            "seed": self.seed,
        }
        if self.search is not None:
            body["search"] = [self.search.max_searches, self.search.allowed_domains, self.search.by_model]
        if self.omitted_fields:
            body["omitted_fields"] = sorted(self.omitted_fields)
        return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def without_nonce(self) -> Self:
        """Return the request with the text `NONCE` in place of the nonce, so that equal requests compare equal."""
        if not self.nonce:
            return self
        messages = tuple(Message(each.role, each.content.replace(self.nonce, "NONCE")) for each in self.messages)
        return replace(self, system=self.system.replace(self.nonce, "NONCE"), messages=messages, nonce="")

    @property
    def offered_tool(self) -> str | None:
        """Name of the tool that the model must call in structured-output mode `tool`; None in other modes."""
        return self.schema.name if self.schema is not None and self.rung == "tool" else None

    @property
    def input_chars(self) -> int:
        """Number of characters in the system message and all messages."""
        return len(self.system) + sum(len(message.content) for message in self.messages)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a model. In structured-output mode `tool`, `text` holds the tool call's arguments as JSON."""

    text: str
    """What the model wrote."""
    usage: Usage
    """Tokens and web searches of the call."""
    finish_reason: str | None
    """Why the model stopped, in the provider's words, for example `stop` or `max_tokens`; None if the provider does not
    say."""
    truncated: bool = False
    """Whether the text broke off because the token limit was reached."""
    refusal: str | None = None
    """What the model wrote when it declined to answer (may be empty); None if the model answered."""
    latency_s: float = 0.0
    """Seconds from sending the request to the last byte of the answer. The mock simulates this time."""
    attempts: int = 1
    """Number of requests sent to get this answer, including retries. `usage` is the sum over these requests."""
    is_final: bool = False
    """Whether the answer is kept even if it does not fill in the requested form, so that the person who wrote it is not
    asked again. False for models."""


class Model(Protocol):
    """A language model that answers requests."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`, and pass the text to `on_text` as it arrives.

        Raises only ModelError or BudgetError. A refusal of the model (`Reply.refusal`) and a text that breaks off at
        the token limit (`Reply.truncated`) are not errors: the reply is returned.
        """
        ...


@dataclass(frozen=True, slots=True)
class Profile:
    """The abilities of one model at one provider."""

    modes: tuple[Literal["native", "tool", "prompt"], ...] = ("native", "prompt")
    """Structured-output modes that the model supports, best first."""
    sampling: bool = True
    """Whether the model accepts a temperature. If not, no seed is sent either."""
    token_limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105 - tokens, not a secret
    """Name of the field for the output limit in an OpenAI-style request."""
    dialect: Literal["full", "openai", "anthropic"] = "openai"
    """JSON Schema dialect: `full` (with bounds and patterns), `openai` (strict mode), `anthropic` (output_config)."""
    schema_references: bool = True
    """Whether the provider accepts `$ref` and `$defs` in a schema."""
    seed: bool = False
    """Whether the provider accepts a seed."""
    prompt_cache_key: bool = False
    """Whether the provider accepts OpenAI's prompt_cache_key."""
    stream_usage: bool = True
    """Whether the provider accepts OpenAI's `stream_options`, which ask for the token counts of a stream."""
    max_output_tokens: int = 4096
    """Output limit in tokens if the configuration sets none."""


# Batches -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """The state of a submitted batch."""

    has_ended: bool
    """Whether the batch has ended. Only then can its results be read."""
    done: int = 0
    """Number of requests that the vendor has processed; 0 if the vendor does not say."""
    unanswered: ModelError | None = None
    """The error of all requests that have no result after the end of the batch; None if the vendor reports no error."""


@dataclass(frozen=True, slots=True)
class BatchIntent:
    """The record of a batch, stored just before the batch is submitted."""

    key: str
    """Unique name of the batch. The custom id of each request begins with this name."""
    requests: int
    at: float
    """Time at which this record was stored, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class FoundBatch:
    """The result of a search for one batch in the vendor's list of batches."""

    id: str | None
    """Id of the batch; None if the batch was not found."""
    may_exist: bool = False
    """Whether the vendor may have the batch although it was not found. Some batches can be identified only after they
    have ended. False if the batch was found."""


class BatchApi(Protocol):
    """The vendor's batch interface for one model. Every method except `entry` may raise ModelError."""

    identity: tuple[object, ...]
    """Identifies the model and the API key. Two objects with the same model and key have equal values."""
    max_requests: int
    max_bytes: int
    """Maximum size of one batch in bytes."""

    def entry(self, custom_id: str, request: Request) -> dict[str, Any]:
        """Convert `request` to an entry for `submit`."""
        ...

    async def submit(self, key: str, entries: Sequence[dict[str, Any]]) -> str:
        """Submit a batch with the unique name `key`, and return the batch's id.

        Raises ModelError, whose `may_be_billed` says whether the vendor may have accepted the batch.
        """
        ...

    async def status(self, batch_id: str) -> BatchStatus:
        """Return the state of a batch. Raises LostBatchError if the vendor no longer has the batch."""
        ...

    def results(self, batch_id: str, requests: Mapping[str, Request]) -> AsyncIterator[tuple[str, str]]:
        """Yield (custom id, result as the vendor's JSON) for each processed request, in any order.

        For each damaged line of the results, and once for all missing lines of a file, yield an empty custom id and a
        description of these lines.

        Raises LostBatchError if the vendor no longer has the results, or if no line can be read.

        `requests` maps custom ids to requests. Only the mock uses it: the mock answers the requests during this call.
        """
        ...

    def read(self, result: str, request: Request) -> Reply:
        """Parse `result`, the JSON with the vendor's answer to `request`. Raises ModelError if the request failed."""
        ...

    async def find(self, intent: BatchIntent) -> FoundBatch:
        """Search the vendor's list of batches for the batch that `intent` describes."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
