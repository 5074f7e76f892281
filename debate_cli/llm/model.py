"""The port `Model`, through which every language model is asked. Provider adapters and test fakes implement it.

Wrappers for retries, rate limits, budget, redaction and recording implement the port too. The structured-output client
(`llm.structured_output`) uses the port and does not implement it.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, SkipValidation

from debate_cli.domain.model_call import StructuredOutputMode, Usage
from debate_cli.llm.form import Form

OnText = Callable[[str], None]
"""Called with each piece of text as it arrives, and with RESTART when the call starts again."""
RESTART = "\x00restart"
"""Passed to `on_text` when the call is made again. The text streamed so far must be discarded."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. The system message is not one of them; it is `Request.system`."""

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
    """Whether an answer in plain words is valid: true for speeches, false for judgements."""


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
    """The web search to make; None for an ordinary call. The last message is the query."""
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
