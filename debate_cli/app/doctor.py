"""Use case `doctor`: asks models tiny questions to see which structured-output modes work, how fast, and at what cost.

Each mode is asked in its own request. Requests pass the adapter and the rate limiter. They pass no budget, because a
model needs only a few hundred tokens.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import ValidationError

from debate_cli.app.context import RunContext
from debate_cli.app.model_factory import all_model_specs, with_mock_models
from debate_cli.app.model_pool import ModelPool
from debate_cli.domain.config import DebateConfig, ModelSpec, Price
from debate_cli.domain.evidence import Search, SearchRecord
from debate_cli.domain.model_call import Usage, is_person
from debate_cli.domain.suggestions import format_suggestion
from debate_cli.errors import ConfigError, DebateError, ModelError, UnsupportedError, UsageError
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.json_reply import parse_reply, strip_thinking
from debate_cli.llm.model import RESTART, Message, Model, Reply, Request
from debate_cli.llm.prices import compute_cost
from debate_cli.llm.profile import Profile
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.rate_limit import ProviderGate, RateLimitedModel, RateLimiter
from debate_cli.llm.retry import ParameterFallbackModel, RetryingModel
from debate_cli.llm.structured_output import build_request
from debate_cli.llm.usage import error_usage
from debate_cli.providers.registry import ProviderRegistry, find_model_problems
from debate_cli.providers.search.table import find_search_problems, find_search_target, with_lookup_search

FormMode = Literal["native", "tool", "prompt"]
CheckKind = FormMode | Literal["stream", "search"]
CheckResult = Literal["ok", "not_enforced", "invalid", "one_piece", "rejected", "failed"]
"""not_enforced: the server does not enforce the schema; invalid: the answer does not fit it; one_piece: the stream came
all at once; rejected: the server does not support this mode; failed: no answer."""
MAX_CHECK_ATTEMPTS = 2
"""Maximum number of requests for one question, so that a server that is down is reported soon."""
CHECK_PATIENCE_S = 5.0
"""Seconds after which a provider that refuses all calls (429) is given up."""
MAX_CHECK_TOKENS = 2000
"""Output limit of a question. A reasoning model keeps its usual limit."""
CHECK_TEMPERATURE = 0.2
"""Temperature of the questions, the same as for judges."""


class SumAnswer(FormModel):
    """The form asked for in each mode. Whether the sum is right is not checked."""

    reason: str
    answer: int


SUM_FORM = Form(
    "sum",
    SumAnswer,
    {
        "type": "object",
        "properties": {"reason": {"type": "string", "maxLength": 120}, "answer": {"type": "integer"}},
        "required": ["reason", "answer"],
        "additionalProperties": False,
    },
)
_SYSTEM_PROMPT = "This is a quick check of the connection. Answer briefly."
_QUESTION = "What is three plus four, and why? Give the reason in at most ten words."
"""The question for each mode. It does not mention JSON, so that JSON in the answer shows that the mode works."""
_STREAM_QUESTION = "Count from one to thirty in words, separated by commas, and say nothing else."


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """Result of one question."""

    way: CheckKind
    result: CheckResult
    problem: str | None = None
    """The problem in one line; None for `ok`."""
    has_form: bool = False
    """Whether the answer contains the form, enforced or not."""
    usage: Usage = field(default_factory=Usage)
    latency_s: float | None = None
    """Seconds to the last byte; None if there was no answer."""
    first_text_s: float | None = None
    """Seconds to the first text; only for the stream."""

    @property
    def tokens_per_second(self) -> float | None:
        """Output tokens per second, including the wait for the first one; None if unknown."""
        return self.usage.output_tokens / self.latency_s if self.latency_s and self.usage.output_tokens else None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Results for one model."""

    model: str
    """`provider/model`."""
    problem: str | None = None
    """Why the model could not be asked (a missing key, an unknown provider). Then there are no checks."""
    checks: tuple[ModelCheck, ...] = ()
    """One per structured-output mode of its profile, best first, then the stream."""
    profile: Profile | None = None
    price: Price | None = None
    """Price of the model; None if not known."""

    @property
    def usable(self) -> bool:
        """Whether it can debate and judge: at least one mode gives a valid form, or it is a person."""
        return self.is_person or any(check.has_form for check in self.checks)

    @property
    def is_person(self) -> bool:
        """Whether it is a person. People are not asked."""
        return self.problem is None and is_person(self.model)

    @property
    def usage(self) -> Usage:
        """Tokens of all checks."""
        return sum((check.usage for check in self.checks), Usage())

    @property
    def cost_usd(self) -> float | None:
        """Cost of the checks; None if the price is not known."""
        return compute_cost(self.usage, self.price)


async def diagnose_models(specs: Sequence[ModelSpec], context: RunContext) -> tuple[Diagnosis, ...]:
    """Diagnose `specs`, in order.

    All are asked at once, within their providers' limits. A problem of one model is part of its diagnosis. Raises
    ConfigError if the providers of the configuration have problems.
    """
    registry = ProviderRegistry(context.config, context.env, folder=context.folder)
    diagnoser = _Diagnoser(context, registry)
    try:
        return tuple(await asyncio.gather(*(diagnoser.diagnose(spec) for spec in specs)))
    finally:
        await registry.aclose()


async def diagnose_search(context: RunContext) -> Diagnosis | None:
    """Make one web search as a debate would; None if no web search is configured. A problem is in the result."""
    config = with_lookup_search(context.config)
    try:
        target = find_search_target(config, context.env)
    except ConfigError as error:
        return Diagnosis("web search", problem=_one_line("; ".join(error.problems)))
    if target is None:
        return None
    if problems := find_search_problems(config, context.env):
        return Diagnosis(target.spec.model, problem=_one_line("; ".join(problem.message for problem in problems)))
    pool = ModelPool(context)
    try:
        client = pool.search_client(config, Prompts(context.prompts))
        assert client is not None
        record = await client.search(Search(key="doctor", query=config.topic))
    finally:
        await pool.aclose()
    return Diagnosis(target.spec.model, checks=(_search_check(record),), price=target.price)


def _search_check(record: SearchRecord) -> ModelCheck:
    """The result of a search. It is `ok` even if nothing was found."""
    problem = None if record.failure is None else _one_line(record.failure.message)
    usage = record.exchange.usage if record.exchange is not None else Usage()
    return ModelCheck("search", "failed" if problem else "ok", problem, has_form=problem is None, usage=usage)


def select_models(
    names: Sequence[str], config: DebateConfig, *, mock: bool
) -> tuple[tuple[ModelSpec, ...], DebateConfig]:
    """The models with these names (none: all in `config`), and the configuration to ask them with.

    Raises UsageError for a name that is neither provider/model nor in the configuration.
    """
    named = {name: _resolve_model(name, config) for name in names}
    if mock:
        config = with_mock_models(config.model_copy(update={"models": {**config.models, **named}}))
        named = {name: config.models[name] for name in named}
    specs = named.values() if names else all_model_specs(config)
    return tuple({spec.model_dump_json(): spec for spec in specs}.values()), config


def _resolve_model(name: str, config: DebateConfig) -> ModelSpec:
    try:
        spec = config.resolve_model(name)
    except ValidationError:
        spec = None
    if spec is None:
        hint = format_suggestion(name, config.models) or "; write provider/model, or add it to `models`"
        raise UsageError(f"{name}: the configuration has no model of this name{hint}")
    return spec


class _Diagnoser:
    """Diagnoses the models of one configuration, with one rate limiter per provider."""

    def __init__(self, context: RunContext, registry: ProviderRegistry) -> None:
        self._context = context
        self._registry = registry
        self._concurrency = asyncio.Semaphore(context.config.limits.concurrency)
        self._limiters: dict[str, RateLimiter] = {}

    async def diagnose(self, spec: ModelSpec) -> Diagnosis:
        problems = find_model_problems(self._context.config, [spec.model], self._context.env)
        if problems:
            return Diagnosis(spec.model, problem=_one_line("; ".join(problems)))
        if is_person(spec.model):
            return Diagnosis(spec.model, price=self._registry.price(spec))
        refused: set[str] = set()
        try:
            model = self._build_model(spec, refused)
        except ConfigError as error:
            return Diagnosis(spec.model, problem=_one_line("; ".join(error.problems)))
        profile = self._registry.profile(spec.model)
        checks = await run_checks(model, profile, build_check_request(spec, profile, self._context.config.seed))
        profile = replace(profile, sampling=profile.sampling and "temperature" not in refused)
        return Diagnosis(spec.model, None, checks, profile, self._registry.price(spec))

    def _build_model(self, spec: ModelSpec, refused: set[str]) -> Model:
        """Create the model as for a debate. The sampling parameters that its server rejects are added to `refused`."""
        row, profile = self._registry.row(spec.model), self._registry.profile(spec.model)
        if row.name not in self._limiters:
            gate = ProviderGate(row.name, note=self._context.observer.note, patience_s=CHECK_PATIENCE_S)
            self._limiters[row.name] = RateLimiter(
                row.max_concurrency, row.requests_per_minute, row.tokens_per_minute, gate=gate
            )

        def add_limits(model: Model) -> Model:
            return RateLimitedModel(model, self._limiters[row.name], profile, self._concurrency)

        note = self._context.observer.note
        adapter = self._registry.adapter(spec, add_limits)
        retrying = RetryingModel(adapter, max_attempts=MAX_CHECK_ATTEMPTS, on_retry=note, sleep=self._context.sleep)
        return ParameterFallbackModel(retrying, refused, name=spec.model, note=note)


def build_check_request(spec: ModelSpec, profile: Profile, seed: int | None) -> Request:
    """Build the question with the parameters that `spec` has in a debate."""
    limit = spec.max_output_tokens or profile.max_output_tokens
    thinks = profile.max_output_tokens > Profile().max_output_tokens
    return Request(
        system=_SYSTEM_PROMPT,
        messages=(Message("user", _QUESTION),),
        purpose="doctor",
        max_output_tokens=limit if thinks else min(limit, MAX_CHECK_TOKENS),
        temperature=CHECK_TEMPERATURE if spec.temperature is None else spec.temperature,
        seed=seed,
    )


async def run_checks(
    model: Model, profile: Profile, request: Request, *, clock: Callable[[], float] = time.perf_counter
) -> tuple[ModelCheck, ...]:
    """Ask `request` in every mode of `profile` at once, then alone as a stream to measure the speed."""
    modes = await asyncio.gather(
        *(_check_or_failure(mode, _check_mode(model, request, mode)) for mode in profile.modes)
    )
    return (*modes, await _check_or_failure("stream", _check_stream(model, request, clock)))


async def _check_or_failure(kind: CheckKind, answer: Awaitable[ModelCheck]) -> ModelCheck:
    try:
        return await answer
    except UnsupportedError as error:
        return ModelCheck(kind, "rejected", _one_line(str(error)), usage=error_usage(error))
    except ModelError as error:
        return ModelCheck(kind, "failed", _one_line(str(error)), usage=error_usage(error))
    except DebateError as error:
        return ModelCheck(kind, "failed", _one_line(str(error)))


async def _check_mode(model: Model, request: Request, mode: FormMode) -> ModelCheck:
    reply = await model.complete(build_request(request, SUM_FORM, mode))
    result, problem, has_form = _classify_reply(reply, mode)
    return ModelCheck(mode, result, problem, has_form, reply.usage, reply.latency_s)


def _classify_reply(reply: Reply, mode: FormMode) -> tuple[CheckResult, str | None, bool]:
    """The result, the problem (None for `ok`), and whether the reply contains the form."""
    if reply.refusal is not None:
        return "failed", f"the model declined to answer: {_one_line(reply.refusal)}", False
    parsed = parse_reply(reply.text, SUM_FORM, truncated=reply.truncated)
    has_form = parsed.outcome == "valid"
    if mode != "prompt" and not reply.truncated:
        alone = parse_reply(strip_thinking(reply.text), SUM_FORM, truncated=True)
        if alone.outcome != "valid":
            return "not_enforced", "the server accepts the schema but does not enforce it", has_form
    return (
        ("ok", None, True)
        if has_form
        else ("invalid", f"the answer does not fit the schema: {'; '.join(parsed.faults)}", False)
    )


async def _check_stream(model: Model, request: Request, clock: Callable[[], float]) -> ModelCheck:
    times: list[float] = []

    def on_text(piece: str) -> None:
        if piece == RESTART:
            times.clear()
        elif piece:
            times.append(clock())

    reply = await model.complete(replace(request, messages=(Message("user", _STREAM_QUESTION),)), on_text)
    ended = clock()
    first = max(0.0, reply.latency_s - (ended - times[0])) if times else None
    result, problem = _classify_stream(reply, len(times))
    return ModelCheck("stream", result, problem, usage=reply.usage, latency_s=reply.latency_s, first_text_s=first)


def _classify_stream(reply: Reply, pieces: int) -> tuple[CheckResult, str | None]:
    if reply.refusal is not None:
        return "failed", f"the model declined to answer: {_one_line(reply.refusal)}"
    if not strip_thinking(reply.text):
        return "invalid", "the answer is empty"
    return ("ok", None) if pieces > 1 else ("one_piece", "the answer was not streamed; it came in one piece")


def diagnosis_to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """A diagnosis as JSON data. Seconds have three decimals."""
    price, profile, aloud = diagnosis.price, diagnosis.profile, _stream_check(diagnosis)
    return {
        "model": diagnosis.model,
        "usable": diagnosis.usable,
        "problem": diagnosis.problem,
        "checks": [_check_to_json(check) for check in diagnosis.checks],
        "latency_s": _round(aloud.latency_s) if aloud else None,
        "first_text_s": _round(aloud.first_text_s) if aloud else None,
        "tokens_per_second": _round(aloud.tokens_per_second, 1) if aloud else None,
        "input_tokens": diagnosis.usage.input_tokens,
        "output_tokens": diagnosis.usage.output_tokens,
        "price": price.model_dump(mode="json") if price else None,
        "cost_usd": diagnosis.cost_usd if diagnosis.checks else None,
        "sampling": profile.sampling if profile else None,
        "max_output_tokens": profile.max_output_tokens if profile else None,
    }


def _check_to_json(check: ModelCheck) -> Mapping[str, Any]:
    return {
        "way": check.way,
        "result": check.result,
        "problem": check.problem,
        "has_form": check.has_form if check.way != "stream" else None,
        "input_tokens": check.usage.input_tokens,
        "output_tokens": check.usage.output_tokens,
        "latency_s": _round(check.latency_s),
        "tokens_per_second": _round(check.tokens_per_second, 1),
    }


def _stream_check(diagnosis: Diagnosis) -> ModelCheck | None:
    return next((check for check in diagnosis.checks if check.way == "stream"), None)


def _round(number: float | None, digits: int = 3) -> float | None:
    return None if number is None else round(number, digits)


def _one_line(words: str) -> str:
    return " ".join(sanitize_for_prompt(words).split())
