"""The structured-output ladder: asks one model for a form, by the best way that the model takes.

A client of the port, not a wrapper. Reading a reply is `llm.parsing`; trying again after a fault of the provider is
`llm.retry`; what to do when no form comes is the caller's.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from typing import Any, Generic, overload

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import ModelCall, StructuredOutputMode
from debate_cli.errors import DebateError, RefusedError, UnsupportedError
from debate_cli.llm.form import Form, FormModel, FormT
from debate_cli.llm.json_reply import ParsedReply, parse_reply, strip_thinking
from debate_cli.llm.model import Message, Model, OnText, OutputSchema, Reply, Request
from debate_cli.llm.prices import compute_cost
from debate_cli.llm.profile import Profile
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt
from debate_cli.llm.rate_limit import pausable_deadline
from debate_cli.llm.retry import RestartableStream, make_restartable
from debate_cli.llm.schema_dialect import convert_schema
from debate_cli.llm.usage import UsageAccumulator

TRUNCATED_REPLY: ParsedReply[Any] = ParsedReply("formless", faults=("truncated",))
"""An answer that reached the token limit."""
EMPTY_REPLY: ParsedReply[Any] = ParsedReply("formless", faults=("the answer is empty",))
"""Plain text was asked for and none came."""
MAX_TRUNCATED_CHARS = 1000
"""Characters of a cut-off answer that are shown to the model again."""


def build_request(request: Request, form: Form[Any] | None, rung: StructuredOutputMode) -> Request:
    """`request` as it is sent on `rung`; on `prompt` the schema stands at the end of the last message.

    The schema goes along on every rung; on `prompt` adapters do not send it.
    """
    if form is None:
        return replace(request, rung="text")
    messages = request.messages
    if rung == "prompt":
        last = messages[-1]
        messages = (*messages[:-1], replace(last, content=last.content + _format_schema_instructions(form)))
    return replace(request, messages=messages, schema=OutputSchema(form.name, form.schema), rung=rung)


def build_reask(request: Request, text: str, reading: ParsedReply[Any]) -> Request:
    """`request` continued by the model's answer `text` and what it is to do better."""
    if reading is TRUNCATED_REPLY:
        text = text[:MAX_TRUNCATED_CHARS]
        ask = (
            f"Your answer was cut off at the limit of {request.max_output_tokens} tokens. "
            "Give the whole answer again, from its beginning and much shorter."
        )
    elif reading is EMPTY_REPLY:
        ask = "Your answer was empty. Answer now."
    else:
        faults = "\n".join(f"- {fault}" for fault in reading.faults)
        ask = f"Your answer cannot be used:\n{faults}\nGive the whole answer again as one JSON object and nothing else."
    said = Message("assistant", sanitize_for_prompt(text).strip() or "(no answer)")
    return replace(request, messages=(*request.messages, said, Message("user", ask)), stable_chars=0)


def _format_schema_instructions(form: Form[Any]) -> str:
    schema = json.dumps(
        convert_schema(form.schema, "full", use_references=True), ensure_ascii=False, separators=(",", ":")
    )
    return (
        "\n\nAnswer with exactly one JSON object and nothing else: no code fence, no words before or after it. "
        f"It must satisfy this JSON Schema:\n{schema}"
    )


MAX_REASKS = 2
"""How often an answer that is not valid is asked for again."""
_TRUNCATED_REASONS = frozenset({"length", "max_tokens"})
_REFUSAL_REASONS = frozenset({"content_filter", "refusal", "safety"})
"""Finish reasons, for adapters that leave the Reply's own fields unset."""


@dataclass(frozen=True, slots=True)
class StructuredAnswer(Generic[FormT]):
    """What came of one question: `error` is set, or `problem` is set, or the answer is good."""

    form: FormT | None
    """The filled-in form; None where none came or none was asked for."""
    text: str
    """The model's last own words, without its thinking; empty where it gave none."""
    exchange: ModelCall
    """What all attempts together cost."""
    error: DebateError | None = None
    """A failure of the provider or the budget, or a refusal."""
    problem: str | None = None
    """Why no valid form came though the model answered, on one line: `truncated`, or what is wrong with the last answer."""
    timed_out: bool = False
    """Whether patience ran out; `problem` says so too. What the exchange counts is then the least that was used."""


class StructuredOutputClient:
    """Asks `model` with the rungs of its `profile`, best first.

    A rung that the server rejects is added to `rejected` and not tried again in this run; give the same set to all
    ladders of one model. An answer without readable JSON is asked for again one rung lower, one that is readable but
    wrong on the same rung with its faults listed, a cut-off one with the request to be shorter; twice in all.
    """

    def __init__(
        self, model: Model, profile: Profile, *, name: str, price: Price | None = None, rejected: set[str] | None = None
    ) -> None:
        self._model = model
        self._profile = profile
        self._name = name
        self._price = price
        self._rejected = set[str]() if rejected is None else rejected

    @overload
    async def ask(
        self, request: Request, form: None, on_text: OnText | None = None, *, patience_s: float | None = None
    ) -> StructuredAnswer[FormModel]: ...
    @overload
    async def ask(
        self, request: Request, form: Form[FormT], on_text: OnText | None = None, *, patience_s: float | None = None
    ) -> StructuredAnswer[FormT]: ...
    async def ask(
        self,
        request: Request,
        form: Form[Any] | None,
        on_text: OnText | None = None,
        *,
        patience_s: float | None = None,
    ) -> StructuredAnswer[Any]:
        """Ask for `form`, or for plain text where it is None. Never raises a DebateError.

        `request` comes without schema and rung. Re-asks and lower rungs start the stream over with RESTART. After
        `patience_s` seconds, all attempts together and not counting the wait for a free place, the question is given up.
        """
        asking = _RequestState(request, form, self._usable_rungs(form))
        patience = asyncio.timeout(patience_s)
        try:
            async with patience:
                with pausable_deadline(patience):
                    return await self._ask_until_valid(asking, make_restartable(on_text))
        except TimeoutError:
            if not patience.expired():
                raise
            asking.spent.attempts += 1  # the one under way
            return replace(self._build_answer(asking, problem="no answer in time"), timed_out=True)

    async def _ask_until_valid(self, asking: _RequestState, stream: RestartableStream | None) -> StructuredAnswer[Any]:
        while True:
            if stream is not None:
                stream.restart()
            try:
                reply = await self._model.complete(asking.request, stream)
            except UnsupportedError as error:
                self._rejected.add(asking.rung)
                if not asking.use_next_rung(error):
                    return self._build_answer(asking, error=error)
                continue
            except DebateError as error:
                asking.spent.add_failure(error)
                return self._build_answer(asking, error=error)
            reading = asking.read_reply(reply)
            if isinstance(reading, RefusedError):
                return self._build_answer(asking, error=reading)
            if asking.is_good(reading):
                return self._build_answer(asking, reading=reading)
            if not asking.prepare_reask(reading):
                return self._build_answer(asking, problem="; ".join(reading.faults))

    def _usable_rungs(self, form: Form[Any] | None) -> tuple[StructuredOutputMode, ...]:
        if form is None:
            return ("text",)
        return tuple(rung for rung in self._profile.rungs if rung not in self._rejected) or self._profile.rungs[-1:]

    def _build_answer(
        self,
        asking: _RequestState,
        *,
        reading: ParsedReply[Any] | None = None,
        error: DebateError | None = None,
        problem: str | None = None,
    ) -> StructuredAnswer[Any]:
        spent = asking.spent
        exchange = ModelCall(
            model=self._name,
            rung=asking.rung,
            attempts=spent.attempts,
            repaired=reading is not None and reading.repaired,
            usage=spent.usage,
            latency_s=spent.latency_s,
            cost_usd=compute_cost(spent.usage, self._price),
            finish_reason=asking.finish_reason,
        )
        form = None if reading is None else reading.form
        return StructuredAnswer(form=form, text=asking.text, exchange=exchange, error=error, problem=problem)


class _RequestState:
    """One question under way: what is asked next, what was spent, what the model last said."""

    def __init__(self, request: Request, form: Form[Any] | None, rungs: tuple[StructuredOutputMode, ...]) -> None:
        self._form = form
        self._rungs = rungs
        self._reasks = 0
        self._conversation = request
        self.request = build_request(request, form, rungs[0])
        self.spent = UsageAccumulator()
        self.text = ""
        self.finish_reason: str | None = None

    @property
    def rung(self) -> StructuredOutputMode:
        """The way that is asked now."""
        return self._rungs[0]

    def use_next_rung(self, error: UnsupportedError) -> bool:
        """Go on with the next rung after the server rejected this one; False where there is none."""
        self.spent.add_failure(error)
        if len(self._rungs) == 1:
            return False
        self._drop_rung()
        return True

    def read_reply(self, reply: Reply) -> ParsedReply[Any] | RefusedError:
        """What `reply` holds: finish reason and refusal first, then its text."""
        self.spent.add_reply(reply)
        self.finish_reason = reply.finish_reason
        self.text = strip_thinking(reply.text)
        if reply.refusal is not None or reply.finish_reason in _REFUSAL_REASONS:
            words = " ".join(sanitize_for_prompt(reply.refusal or "").split())[:200]
            if not words or (self._form is not None and words.startswith("{")):  # the beginning of a form is no reason
                words = "no reason given"
            return RefusedError(f"The model declined to answer ({self.request.purpose}): {words}")
        truncated = reply.truncated or reply.finish_reason in _TRUNCATED_REASONS
        if self._form is not None:
            parsed = parse_reply(reply.text, self._form, truncated=truncated)
            return parsed if self.is_good(parsed) or not truncated else TRUNCATED_REPLY
        if truncated:
            return TRUNCATED_REPLY
        return ParsedReply("valid") if self.text else EMPTY_REPLY

    def is_good(self, reading: ParsedReply[Any]) -> bool:
        """Whether the answer can be used."""
        lenient = self._form is not None and self._form.lenient
        return reading.outcome == "valid" or (lenient and reading.outcome == "strayed")

    def prepare_reask(self, reading: ParsedReply[Any]) -> bool:
        """Make the next request out of what was wrong with the answer; False when it was asked for often enough."""
        if self._reasks == MAX_REASKS:
            return False
        self._reasks += 1
        self._conversation = build_reask(self._conversation, self.text, reading)
        if reading.outcome == "formless" and reading is not TRUNCATED_REPLY and len(self._rungs) > 1:
            self._drop_rung()
        else:
            self.request = build_request(self._conversation, self._form, self.rung)
        return True

    def _drop_rung(self) -> None:
        self._rungs = self._rungs[1:]
        self.request = build_request(self._conversation, self._form, self.rung)


@dataclass(frozen=True, slots=True)
class ModelHandle:
    """What an actor speaks with."""

    client: StructuredOutputClient
    name: str
    """`provider/model`."""
    max_output_tokens: int
    temperature: float | None = None
    """Takes the place of the temperature of the occasion; None leaves that."""
    seed: int | None = None
