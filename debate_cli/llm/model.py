"""The port `Model`, through which every language model is asked. Provider adapters and test fakes implement it.

Wrappers for retries, rate limits, budget, redaction and recording implement the port too. The structured-output client
(`llm.structured_output`) uses the port and does not implement it.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, SkipValidation

from debate_cli.domain.model_call import StructuredOutputMode, Usage
from debate_cli.errors import ModelError
from debate_cli.llm.form import Form

OnText = Callable[[str], None]
"""Called with each piece of text as it arrives, and with RESTART when the call starts again."""
RESTART = "\x00restart"
"""Passed to `on_text` when the call is made again. The text streamed so far must be discarded."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. The system message is `Request.system` instead."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """A JSON Schema that the answer must satisfy."""

    name: str
    """Name that providers accept: [a-zA-Z0-9_-]{1,64}"""
    json: dict[str, Any]
    """The schema, as in `Form.schema`. Adapters convert it to the dialect of their provider (`llm.schema_dialect`)."""


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """The task of a debate that a request belongs to. It names files and headings for people; models do not see it."""

    debate: str
    """Id of the debate."""
    key: str
    """Identity of the task within the debate. All requests for one task share it."""
    name: str
    """Who is asked for what, as a part of a file name: `Pro opening`, `judge structured`."""
    title: str
    """Who is asked for what, as a heading: `Pro: opening, round 1`."""
    accepts_text: bool = False
    """Whether an answer in plain words is valid: true for speeches, false for judgments."""


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A request for a web search. `llm.search.dump_results` writes the text of its reply."""

    max_searches: int
    """Maximum number of searches that the provider may make and charge for."""
    allowed_domains: tuple[str, ...] = ()
    """Domains of accepted results; empty means all."""
    by_model: bool = False
    """Whether a model makes the search, which uses tokens. A search engine uses none."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model. The parts that change least come first: the system message, then the messages in order."""

    system: str
    messages: tuple[Message, ...]
    purpose: str
    """Kind of task: `opening`, `cross_examination`, ..., `judge.structured`, `judge.panel.vote`. Used in scripts and
    messages, not sent."""
    max_output_tokens: int
    schema: OutputSchema | None = None
    search: WebSearch | None = None
    """The web search to make; None for an ordinary call. The query of a search is its last message."""
    rung: StructuredOutputMode = "text"
    """Structured-output mode in which `schema` is requested. The structured-output client sets it."""
    temperature: float | None = None
    seed: int | None = None
    nonce: str = ""
    """Random tag in the last message of this call. Fingerprints ignore it."""
    stable_chars: int = 0
    """Number of characters at the start of the last message that later requests repeat. A hint for the provider's
    cache."""
    origin: Annotated[RequestOrigin | None, SkipValidation, Field(exclude=True)] = None
    """The task that the request belongs to. Neither sent nor recorded."""
    form: Annotated[Form[Any] | None, SkipValidation, Field(exclude=True)] = None
    """The form behind `schema`, to check a person's answer. Neither sent nor recorded."""

    def fingerprint(self) -> str:
        """Return the SHA-256 of everything that is sent. The nonce is masked, so it does not change the result."""
        body: dict[str, Any] = {
            "system": self._mask_nonce(self.system),
            "messages": [[message.role, self._mask_nonce(message.content)] for message in self.messages],
            "purpose": self.purpose,
            "max_output_tokens": self.max_output_tokens,
            "schema": None if self.schema is None else [self.schema.name, self.schema.json],
            "rung": self.rung,
            "temperature": self.temperature,
            "seed": self.seed,
        }
        if self.search is not None:
            body["search"] = [self.search.max_searches, self.search.allowed_domains, self.search.by_model]
        return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def _mask_nonce(self, text: str) -> str:
        return text.replace(self.nonce, "NONCE") if self.nonce else text

    @property
    def input_chars(self) -> int:
        """Number of characters in the system message and all messages."""
        return len(self.system) + sum(len(message.content) for message in self.messages)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a model. In the mode `tool`, `text` is the JSON of the tool call's arguments."""

    text: str
    usage: Usage
    finish_reason: str | None
    """Why the model stopped, in the provider's words: `stop`, `end_turn`, `length`, `max_tokens`, `content_filter`,
    ..."""
    truncated: bool = False
    """Whether the text is incomplete because the token limit was reached."""
    refusal: str | None = None
    """The model's words if it declined to answer; None if it answered."""
    latency_s: float = 0.0
    """Seconds from sending to the last byte, measured by the adapter (simulated by the mock)."""
    attempts: int = 1
    """Number of requests sent, with retries. `usage` includes the usage of retries."""
    is_final: bool = False
    """Whether a person gave the answer and wants it used unchanged, even if something is missing. The question is then
    not asked again."""


class Model(Protocol):
    """A language model of any provider."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`. Stream the text to `on_text` if given.

        Raises only ModelError or BudgetError. A refusal and a reached token limit are fields of the reply, not errors.
        An unreadable answer is an error.
        """
        ...


@dataclass(frozen=True, slots=True)
class Profile:
    """The abilities of one model at one provider."""

    modes: tuple[Literal["native", "tool", "prompt"], ...] = ("native", "prompt")
    """Structured-output modes that the model supports, best first."""
    sampling: bool = True
    """Whether temperature and seed may be sent."""
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
    max_output_tokens: int = 4096
    """Output limit in tokens if the configuration sets none."""


# Batches -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """The state of a submitted batch."""

    has_ended: bool
    """Whether the results of the batch can be read. They may be missing for some requests."""
    done: int = 0
    """Number of requests that the vendor has processed; 0 if the vendor does not say."""
    unanswered: ModelError | None = None
    """Why an ended batch lacks the results of some requests; None if it should have all results."""


@dataclass(frozen=True, slots=True)
class BatchIntent:
    """A batch that is about to be submitted. It is stored before anything is sent."""

    key: str
    """Unique name. The custom id of each request begins with it."""
    requests: int
    at: float
    """When the intent was stored, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class FoundBatch:
    """The result of a search in the vendor's list for a batch whose id is unknown."""

    id: str | None
    """Id of the batch; None if it was not identified."""
    may_exist: bool = False
    """Whether a batch that is still in progress may turn out to be the wanted batch when it ends."""


class BatchApi(Protocol):
    """The batches of one model. Every method but `entry` may raise ModelError."""

    identity: tuple[object, ...]
    """Identity of the batch API: equal for objects that reach the same model with the same API key."""
    max_requests: int
    max_bytes: int
    """Maximum size of one batch in bytes."""

    def entry(self, custom_id: str, request: Request) -> dict[str, Any]:
        """Return one entry of a batch for `request`, in the form that `submit` takes."""
        ...

    async def submit(self, key: str, entries: Sequence[dict[str, Any]]) -> str:
        """Submit a batch with the unique name `key`, and return its id.

        Raises ModelError. Its `may_be_billed` says whether the vendor may have accepted the batch despite the error.
        """
        ...

    async def status(self, batch_id: str) -> BatchStatus:
        """Return the state of a batch."""
        ...

    def results(self, batch_id: str, requests: Mapping[str, Request]) -> AsyncIterator[tuple[str, str]]:
        """Yield the custom id and the result (JSON from the vendor) of each processed request, in any order.

        `requests` maps custom ids to the expected requests. If the batch has further requests, their results may be
        yielded too.
        """
        ...

    def read(self, result: str, request: Request) -> Reply:
        """Convert a result to a reply. Raise ModelError if the request failed."""
        ...

    async def find(self, intent: BatchIntent) -> FoundBatch:
        """Search the vendor's list for the batch that `intent` announced."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
