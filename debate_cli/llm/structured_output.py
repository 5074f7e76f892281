"""Asks a model to fill in a form, in the best structured-output mode that the model supports.

The modes are `native` (JSON Schema as a parameter), `tool` (forced tool call) and `prompt` (JSON Schema in the prompt).
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, overload

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import ModelCall, StructuredOutputMode
from debate_cli.errors import CallError, DebateError, RefusedError, UnsupportedError, UsageError
from debate_cli.llm.form import Form, FormModel, FormT
from debate_cli.llm.json_reply import ParsedReply, parse_reply, strip_thinking
from debate_cli.llm.meter import active_meter, pausable_deadline
from debate_cli.llm.model import Message, Model, OnText, OutputSchema, Profile, Reply, Request
from debate_cli.llm.prompt_sanitizer import prompt_line, sanitize_for_prompt
from debate_cli.llm.retry import RestartableStream, ignore_note, make_restartable
from debate_cli.llm.schema_dialect import convert_schema
from debate_cli.llm.truncation import TRUNCATED_REASONS, describe_truncation
from debate_cli.llm.usage import UsageAccumulator, compute_cost

EMPTY_REPLY: ParsedReply[Any] = ParsedReply("no_object", faults=("the answer is empty",))
"""Result of parsing an empty answer to a request for plain text."""
MAX_TRUNCATED_CHARS = 1000
"""Maximum number of characters of a truncated answer that are shown to the model when it is asked again."""


def add_form_to_request(request: Request, form: Form[Any] | None, mode: StructuredOutputMode) -> Request:
    """Return `request` with the JSON Schema of `form`. If `form` is None, the result asks for plain text.

    In mode `prompt`, the last message ends with the schema, and adapters do not send `Request.schema`.
    """
    if form is None:
        return replace(request, rung="text")
    messages = request.messages
    if mode == "prompt":
        messages = (*messages[:-1], replace(messages[-1], content=messages[-1].content + _format_instructions(form)))
    schema = OutputSchema(form.name, form.schema)
    return replace(request, messages=messages, schema=schema, rung=mode, form=form)


def change_mode(request: Request, mode: StructuredOutputMode) -> Request:
    """Return `request` in another structured-output mode. A request for plain text is returned unchanged."""
    if request.form is None or request.rung == mode:
        return request
    messages = request.messages
    if request.rung == "prompt":
        asked = messages[-1].content.removesuffix(_format_instructions(request.form))
        messages = (*messages[:-1], replace(messages[-1], content=asked))
    return add_form_to_request(replace(request, messages=messages), request.form, mode)


def _format_instructions(form: Form[Any]) -> str:
    converted = convert_schema(form.schema, "full", use_references=True)
    return (
        "\n\nAnswer with exactly one JSON object and nothing else: no code fence, no words before or after it. "
        f"It must satisfy this JSON Schema:\n{json.dumps(converted, ensure_ascii=False, separators=(',', ':'))}"
    )


def build_reask(request: Request, text: str, reading: ParsedReply[Any]) -> Request:
    """Return `request` plus two messages: the model's answer `text`, and the faults of `reading`, the parsed answer."""
    if reading.is_truncated:
        text = text[:MAX_TRUNCATED_CHARS]
        ask = (
            f"Your answer was cut off; the limit is {request.max_output_tokens} tokens. Give the whole answer again, from "
            "its beginning and much shorter."
        )
    elif reading is EMPTY_REPLY:
        ask = "Your answer was empty. Answer now."
    else:
        faults = "\n".join(f"- {fault}" for fault in reading.faults)
        ask = f"Your answer cannot be used:\n{faults}\nGive the whole answer again as one JSON object and nothing else."
    own_answer = Message("assistant", sanitize_for_prompt(text).strip() or "(no answer)")
    return replace(request, messages=(*request.messages, own_answer, Message("user", ask)), stable_chars=0)


MAX_REASKS = 2
"""Maximum number of times that a question is asked again because its answer was invalid."""
_REFUSAL_REASONS = frozenset({"content_filter", "refusal", "safety"})
"""Finish reasons that mean a refusal. Some adapters set only the finish reason, and leave `Reply.refusal` at None."""


@dataclass(frozen=True, slots=True)
class StructuredAnswer(Generic[FormT]):
    """The result of `StructuredOutputClient.ask`. The answer is valid if `error` and `problem` are None."""

    form: FormT | None
    """The filled-in form; None if the model gave no valid answer, or was asked for plain text."""
    text: str
    """Text of the last answer without the model's thinking; may be empty."""
    raw_text: str
    """The last answer exactly as the model wrote it; may be empty."""
    call: ModelCall
    """Usage, cost and attempts, added up over all requests that were needed."""
    error: DebateError | None = None
    """The error or refusal after which the model was not asked again; None if neither occurred."""
    problem: str | None = None
    """Why there is no valid answer, in one line. None if the answer is valid or `error` gives the reason."""
    timed_out: bool = False
    """Whether the deadline passed before a valid answer arrived."""
    is_final: bool = False
    """Whether the program must not ask again after the last answer, even if this answer does not fill in the form. True
    only for some answers of people (see `Reply.is_final`)."""


MAX_PLAIN_ANSWERS = 2
"""After this many plain-text answers in a row, the server is assumed to ignore the structured-output mode."""


class ModeRecord:
    """The structured-output modes that a model's server rejects or ignores. All clients of the model share one record.

    `name`: the model as `provider/model`. `rejected`: modes that the server rejected or ignored in an earlier run.
    """

    def __init__(
        self,
        name: str = "the model",
        rejected: Iterable[StructuredOutputMode] = (),
        *,
        note: Callable[[str], None] = ignore_note,
    ) -> None:
        self.rejected = set(rejected)
        """Modes that the server rejects or ignores."""
        self._name = name
        self._note = note
        self._plain_answers_in_a_row = Counter[StructuredOutputMode]()

    def record_answer(self, mode: StructuredOutputMode, *, is_plain: bool) -> bool:
        """Record an answer in `mode`. Return True if this is the first answer to show that the server ignores `mode`.

        `is_plain`: whether the answer is plain text instead of JSON.
        """
        self._plain_answers_in_a_row[mode] = self._plain_answers_in_a_row[mode] + 1 if is_plain else 0
        if self._plain_answers_in_a_row[mode] < MAX_PLAIN_ANSWERS or mode in self.rejected:
            return False
        self.rejected.add(mode)
        self._note(
            f"{self._name} ignores the schema and answers in plain text; from now on it is asked in another structured-output mode"
        )
        return True


class StructuredOutputClient:
    """Asks `model` to fill in forms, in the best structured-output mode of its `profile`.

    If the server rejects a mode, or an answer contains no JSON object or several different ones, the next mode is used.
    After an invalid answer, the model gets the answer's faults and is asked again, at most MAX_REASKS times.

    `record` lists the modes that do not work with the server. They are skipped, except the last mode of `profile`.

    `context_tokens`: context window of the model in tokens; None if unknown.
    """

    def __init__(
        self,
        model: Model,
        profile: Profile,
        *,
        name: str,
        price: Price | None = None,
        record: ModeRecord | None = None,
        context_tokens: int | None = None,
    ) -> None:
        self._model = model
        self._profile = profile
        self._name = name
        self._price = price
        self._record = record or ModeRecord(name)
        self._context_tokens = context_tokens

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
        """Ask for `form`, or for plain text if `form` is None. An error of the model becomes the answer's `error`.

        `request`: without `schema` and `form`. This method sets the fields `schema`, `form` and `rung` (the
        structured-output mode).

        `on_text` gets RESTART before the second and each later attempt.

        `patience_s`: seconds for all attempts together. Time in queues of this program does not count.

        Raises StorageError if the request cannot be stored in the journal.
        """
        modes: tuple[StructuredOutputMode, ...] = ("text",)
        if form is not None:
            rejected = self._record.rejected
            modes = tuple(mode for mode in self._profile.modes if mode not in rejected) or self._profile.modes[-1:]
        asking = _RequestState(request, form, modes, self._context_tokens)
        meter = active_meter()
        earlier = 0 if meter is None else len(meter.ended)
        deadline = asyncio.timeout(patience_s)
        try:
            async with deadline:
                with pausable_deadline(deadline):
                    return await self._ask_until_valid(asking, make_restartable(on_text))
        except TimeoutError:
            if not deadline.expired():
                raise
            if meter is None:
                asking.spent.attempts += 1
            else:
                asking.spent.replace_with(meter.ended[earlier:])
            return replace(self._build_answer(asking, problem="no answer in time"), timed_out=True)

    async def _ask_until_valid(self, asking: _RequestState, stream: RestartableStream | None) -> StructuredAnswer[Any]:
        while True:
            if stream is not None:
                stream.restart()
            try:
                reply = await self._model.complete(asking.request, stream)
            except UnsupportedError as error:
                asking.spent.add_failure(error)
                self._record.rejected.add(asking.mode)
                asking.rejected.append(asking.mode)
                if not asking.use_next_mode():
                    return self._build_answer(asking, error=error)
                continue
            except (CallError, UsageError) as error:  # not StorageError, which is a fault of the journal
                asking.spent.add_failure(error)
                return self._build_answer(asking, error=error)
            reading = asking.read_reply(reply)
            if isinstance(reading, RefusedError):
                return self._build_answer(asking, error=reading)
            is_plain = asking.has_no_object(reading) and bool(asking.answer_text)
            if len(asking.modes) > 1 and self._record.record_answer(asking.mode, is_plain=is_plain):
                asking.rejected.append(asking.mode)
            if asking.is_good(reading):
                return self._build_answer(asking, reading=reading)
            if reply.is_final or not asking.prepare_reask(reading):
                return self._build_answer(asking, problem="; ".join(reading.faults))

    def _build_answer(
        self,
        asking: _RequestState,
        *,
        reading: ParsedReply[Any] | None = None,
        error: DebateError | None = None,
        problem: str | None = None,
    ) -> StructuredAnswer[Any]:
        spent, last = asking.spent, asking.last_reply
        call = ModelCall(
            model=self._name,
            rung=asking.mode,
            attempts=spent.attempts,
            repaired=reading is not None and reading.repaired,
            usage=spent.usage,
            latency_s=spent.latency_s,
            cost_usd=compute_cost(spent.usage, self._price),
            rejected=tuple(asking.rejected),
            finish_reason=last.finish_reason if last else None,
        )
        return StructuredAnswer(
            form=reading.form if reading else None,
            text=asking.answer_text,
            raw_text=last.text if last else "",
            call=call,
            error=error,
            problem=problem,
            is_final=last is not None and last.is_final,
        )


class _RequestState:
    def __init__(
        self,
        request: Request,
        form: Form[Any] | None,
        modes: tuple[StructuredOutputMode, ...],
        context_tokens: int | None,
    ) -> None:
        self._form = form
        self._context_tokens = context_tokens
        self.modes = modes
        self._reasks = 0
        self._conversation = request
        self.request = add_form_to_request(request, form, modes[0])
        self.spent = UsageAccumulator()
        self.last_reply: Reply | None = None
        self.answer_text = ""
        self.rejected = list[StructuredOutputMode]()

    @property
    def mode(self) -> StructuredOutputMode:
        return self.modes[0]

    def use_next_mode(self) -> bool:
        if len(self.modes) == 1:
            return False
        self.modes = self.modes[1:]
        self.request = add_form_to_request(self._conversation, self._form, self.mode)
        return True

    def read_reply(self, reply: Reply) -> ParsedReply[Any] | RefusedError:
        self.spent.add_reply(reply)
        self.last_reply = reply
        self.answer_text = strip_thinking(reply.text)
        if reply.refusal is not None or reply.finish_reason in _REFUSAL_REASONS:
            words = prompt_line(reply.refusal or "", 200)
            if not words or (self._form is not None and words.startswith("{")):  # the start of a form is not a reason
                words = "no reason given"
            return RefusedError(f"The model declined to answer ({self.request.purpose}): {words}")
        truncated = reply.truncated or reply.finish_reason in TRUNCATED_REASONS
        if self._form is not None:
            parsed = parse_reply(reply.text, self._form, truncated=truncated)
            return parsed if self.is_good(parsed) or not truncated else self._read_truncated(reply)
        if truncated:
            return self._read_truncated(reply)
        return ParsedReply("valid") if self.answer_text else EMPTY_REPLY

    def _read_truncated(self, reply: Reply) -> ParsedReply[Any]:
        fault = describe_truncation(reply, self.request.max_output_tokens, self._context_tokens)
        return ParsedReply("no_object", faults=(fault,), is_truncated=True)

    def is_good(self, reading: ParsedReply[Any]) -> bool:
        lenient = self._form is not None and self._form.lenient
        return reading.outcome == "valid" or (lenient and reading.outcome == "off_schema")

    def has_no_object(self, reading: ParsedReply[Any]) -> bool:
        return reading.outcome == "no_object" and not reading.is_truncated

    def prepare_reask(self, reading: ParsedReply[Any]) -> bool:
        if self._reasks == MAX_REASKS:
            return False
        self._reasks += 1
        self._conversation = build_reask(self._conversation, self.answer_text, reading)
        if not (self.has_no_object(reading) and self.use_next_mode()):
            self.request = add_form_to_request(self._conversation, self._form, self.mode)
        return True


@dataclass(frozen=True, slots=True)
class ModelHandle:
    """A client for one model, with the settings of the debater or judge that uses it."""

    client: StructuredOutputClient
    name: str
    """The model as `provider/model`."""
    max_output_tokens: int
    temperature: float | None = None
    """Temperature for all requests to the model. None: each request keeps the default temperature of its purpose."""
    seed: int | None = None
    context_tokens: int | None = None
    """Context window of the model in tokens; None if unknown."""
