"""Asks models tiny questions to find out which ways of asking work, how fast they answer and what that costs.

Every question goes to the real adapter, within the provider's limits, and neither to the ladder (each rung is asked by
itself) nor to a budget: a check takes a few hundred tokens a model.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from debate_cli.domain.config import DebateConfig, ModelSpec, Price
from debate_cli.domain.exchange import Usage
from debate_cli.errors import ConfigError, DebateError, ModelError, UnsupportedError
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.limits import Limited, Limiter
from debate_cli.llm.parsing import parse, spoken
from debate_cli.llm.port import RESTART, Message, Model, Reply, Request
from debate_cli.llm.posing import posed
from debate_cli.llm.prices import cost
from debate_cli.llm.profile import Profile
from debate_cli.llm.quoting import clean
from debate_cli.llm.retry import Retrying
from debate_cli.llm.sampled import Sampled
from debate_cli.llm.spending import usage_of
from debate_cli.providers.registry import Registry, check
from debate_cli.wiring import Surroundings

Rung = Literal["native", "tool", "prompt"]
Way = Rung | Literal["stream"]
Result = Literal["ok", "not_enforced", "invalid", "one_piece", "rejected", "failed"]
"""ok: as it should be; not_enforced: answered, but the server left the model free to stray from the schema; invalid:
answered without a form; one_piece: the stream came all at once; rejected: the server does not take this way of asking;
failed: no answer."""
ATTEMPTS = 2
"""Requests for one question at the most: one slip is forgiven, a server that is down is told of at once."""
MOST_TOKENS = 2000
"""Output limit of a question, but for models that think: those are given what they have in a debate."""
TEMPERATURE = 0.2
"""As judges are asked with; a server that takes none is found out."""


class Sum(FormModel):
    """What is asked for on each rung. That the answer is right is not looked at."""

    reason: str
    answer: int


SUM = Form(
    "sum",
    Sum,
    {
        "type": "object",
        "properties": {"reason": {"type": "string", "maxLength": 120}, "answer": {"type": "integer"}},
        "required": ["reason", "answer"],
        "additionalProperties": False,
    },
)
_RULES = "This is a quick check of the connection. Answer briefly."
_ASKED = "What is three plus four, and why? Give the reason in at most ten words."
"""Says nothing of JSON: who answers with the form all the same was made to."""
_ASKED_ALOUD = "Count from one to thirty in words, separated by commas, and say nothing else."


@dataclass(frozen=True, slots=True)
class Check:
    """One question and what came of it."""

    way: Way
    result: Result
    problem: str | None = None
    """One line on what is wrong; None for `ok`."""
    has_form: bool = False
    """Whether the answer held the form, enforced or not."""
    usage: Usage = field(default_factory=Usage)
    latency_s: float | None = None
    """Seconds to the last byte; None where no answer came."""
    first_text_s: float | None = None
    """Seconds to the first text; of a stream only."""

    @property
    def tokens_per_second(self) -> float | None:
        """Tokens written per second, the wait for the first among them; None where it cannot be told."""
        return self.usage.output_tokens / self.latency_s if self.latency_s and self.usage.output_tokens else None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found out about one model."""

    model: str
    """`provider/model`."""
    problem: str | None = None
    """Why it could not be asked at all (a missing key, an unknown provider); there are no checks then."""
    checks: tuple[Check, ...] = ()
    """One for each rung of its profile, best first, and the stream."""
    profile: Profile | None = None
    price: Price | None = None
    """None where it is not known."""

    @property
    def usable(self) -> bool:
        """Whether at least one rung gives a valid form, so that it can debate and judge."""
        return any(check.has_form for check in self.checks)

    @property
    def usage(self) -> Usage:
        """Tokens of all checks."""
        return sum((check.usage for check in self.checks), Usage())

    @property
    def cost_usd(self) -> float | None:
        """What the checks cost; None where the price is not known."""
        return cost(self.usage, self.price)


async def examine(wanted: Sequence[ModelSpec], config: DebateConfig, around: Surroundings) -> tuple[Diagnosis, ...]:
    """A diagnosis of each of `wanted`, in order; all are asked at once, as far as their providers' limits let.

    The providers are those of `config`. Raises ConfigError where these make no sense; what is wrong with one model is in
    its diagnosis.
    """
    registry = Registry(config, around.env, folder=around.folder)
    surgery = _Surgery(config, around, registry)
    try:
        return tuple(await asyncio.gather(*(surgery.diagnosis(spec) for spec in wanted)))
    finally:
        await registry.aclose()


class _Surgery:
    """Examines the models of one configuration; one limiter a provider, as in a debate."""

    def __init__(self, config: DebateConfig, around: Surroundings, registry: Registry) -> None:
        self._config = config
        self._around = around
        self._registry = registry
        self._overall = asyncio.Semaphore(config.limits.concurrency)
        self._limiters: dict[str, Limiter] = {}

    async def diagnosis(self, spec: ModelSpec) -> Diagnosis:
        problems = check(self._config, [spec.model], self._around.env)
        if problems:
            return Diagnosis(spec.model, problem=_line("; ".join(problems)))
        refused: set[str] = set()
        try:
            model = self._model(spec, refused)
        except ConfigError as error:
            return Diagnosis(spec.model, problem=_line("; ".join(error.problems)))
        profile = self._registry.profile(spec.model)
        checks = await checked(model, profile, question(spec, profile, self._config.seed))
        profile = replace(profile, sampling=profile.sampling and "temperature" not in refused)
        return Diagnosis(spec.model, None, checks, profile, self._registry.price(spec))

    def _model(self, spec: ModelSpec, refused: set[str]) -> Model:
        """The model as it would be asked; `refused` takes the sampling parameters that its server turns down."""
        row = self._registry.row(spec.model)
        if row.name not in self._limiters:
            self._limiters[row.name] = Limiter(row.max_concurrency, row.requests_per_minute, row.tokens_per_minute)

        def limited(model: Model) -> Model:
            return Limited(model, self._limiters[row.name], self._overall)

        note = self._around.note
        adapter = self._registry.adapter(spec, limited)
        retrying = Retrying(adapter, max_attempts=ATTEMPTS, on_retry=note, sleep=self._around.sleep)
        return Sampled(retrying, refused, name=spec.model, note=note)


def question(spec: ModelSpec, profile: Profile, seed: int | None) -> Request:
    """What is asked, with the parameters that `spec` would be asked with in a debate."""
    limit = spec.max_output_tokens or profile.max_output_tokens
    thinks = profile.max_output_tokens > Profile().max_output_tokens
    return Request(
        system=_RULES,
        messages=(Message("user", _ASKED),),
        purpose="doctor",
        max_output_tokens=limit if thinks else min(limit, MOST_TOKENS),
        temperature=TEMPERATURE if spec.temperature is None else spec.temperature,
        seed=seed,
    )


async def checked(
    model: Model, profile: Profile, request: Request, *, clock: Callable[[], float] = time.perf_counter
) -> tuple[Check, ...]:
    """Ask `request` on every rung of `profile` at once, then a streamed question, by itself as it tells the speed."""
    rungs = await asyncio.gather(*(_asked(rung, _on_rung(model, request, rung)) for rung in profile.rungs))
    return (*rungs, await _asked("stream", _streamed(model, request, clock)))


async def _asked(way: Way, answer: Awaitable[Check]) -> Check:
    """The check that `answer` comes to, a failure too."""
    try:
        return await answer
    except UnsupportedError as error:
        return Check(way, "rejected", _line(str(error)), usage=usage_of(error))
    except ModelError as error:
        return Check(way, "failed", _line(str(error)), usage=usage_of(error))
    except DebateError as error:
        return Check(way, "failed", _line(str(error)))


async def _on_rung(model: Model, request: Request, rung: Rung) -> Check:
    reply = await model.complete(posed(request, SUM, rung))
    result, problem, has_form = _reading(reply, rung)
    return Check(rung, result, problem, has_form, reply.usage, reply.latency_s)


def _reading(reply: Reply, rung: Rung) -> tuple[Result, str | None, bool]:
    """What an answer on `rung` shows: result, problem, whether it holds the form."""
    if reply.refusal is not None:
        return "failed", f"the model declined to answer: {_line(reply.refusal)}", False
    parsed = parse(reply.text, SUM, truncated=reply.truncated)
    has_form = parsed.outcome == "valid"
    if rung != "prompt" and not reply.truncated:
        alone = parse(spoken(reply.text), SUM, truncated=True)  # takes the text as it stands, or not at all
        if alone.outcome != "valid":
            return "not_enforced", "the server takes the schema and does not hold the model to it", has_form
    return (
        ("ok", None, True)
        if has_form
        else ("invalid", f"what came does not fit the schema: {'; '.join(parsed.faults)}", False)
    )


async def _streamed(model: Model, request: Request, clock: Callable[[], float]) -> Check:
    heard: list[float] = []

    def on_text(piece: str) -> None:
        if piece == RESTART:
            heard.clear()
        elif piece:
            heard.append(clock())

    reply = await model.complete(replace(request, messages=(Message("user", _ASKED_ALOUD),)), on_text)
    ended = clock()
    first = max(0.0, reply.latency_s - (ended - heard[0])) if heard else None
    result, problem = _heard(reply, len(heard))
    return Check("stream", result, problem, usage=reply.usage, latency_s=reply.latency_s, first_text_s=first)


def _heard(reply: Reply, pieces: int) -> tuple[Result, str | None]:
    if reply.refusal is not None:
        return "failed", f"the model declined to answer: {_line(reply.refusal)}"
    if not spoken(reply.text):
        return "invalid", "the answer is empty"
    return ("ok", None) if pieces > 1 else ("one_piece", "the answer came in one piece at its end")


def as_data(diagnosis: Diagnosis) -> dict[str, Any]:
    """A diagnosis as JSON data; seconds to the millisecond."""
    price, profile, aloud = diagnosis.price, diagnosis.profile, _stream_of(diagnosis)
    return {
        "model": diagnosis.model,
        "usable": diagnosis.usable,
        "problem": diagnosis.problem,
        "checks": [_check_data(check) for check in diagnosis.checks],
        "latency_s": _rounded(aloud.latency_s) if aloud else None,
        "first_text_s": _rounded(aloud.first_text_s) if aloud else None,
        "tokens_per_second": _rounded(aloud.tokens_per_second, 1) if aloud else None,
        "input_tokens": diagnosis.usage.input_tokens,
        "output_tokens": diagnosis.usage.output_tokens,
        "price": price.model_dump(mode="json") if price else None,
        "cost_usd": diagnosis.cost_usd if diagnosis.checks else None,
        "sampling": profile.sampling if profile else None,
        "max_output_tokens": profile.max_output_tokens if profile else None,
    }


def _check_data(check: Check) -> Mapping[str, Any]:
    return {
        "way": check.way,
        "result": check.result,
        "problem": check.problem,
        "has_form": check.has_form if check.way != "stream" else None,
        "input_tokens": check.usage.input_tokens,
        "output_tokens": check.usage.output_tokens,
        "latency_s": _rounded(check.latency_s),
        "tokens_per_second": _rounded(check.tokens_per_second, 1),
    }


def _stream_of(diagnosis: Diagnosis) -> Check | None:
    return next((check for check in diagnosis.checks if check.way == "stream"), None)


def _rounded(number: float | None, digits: int = 3) -> float | None:
    return None if number is None else round(number, digits)


def _line(words: str) -> str:
    return " ".join(clean(words).split())
