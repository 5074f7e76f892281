"""Use case `doctor`: asks models tiny questions to test their structured-output modes, their speed and their cost.

No budget applies. An answer has at most MAX_CHECK_TOKENS tokens; a reasoning model keeps its own limit.
"""

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from debate_cli.app.context import RunContext
from debate_cli.app.model_pool import ModelPool
from debate_cli.app.model_roles import all_model_specs, unique_specs, with_mock_models
from debate_cli.app.preparation import model_problems
from debate_cli.domain.config import DebateConfig, Limits, ModelSpec, Price
from debate_cli.domain.evidence import Search
from debate_cli.domain.message_text import format_suggestion
from debate_cli.domain.model_call import Usage, is_person
from debate_cli.errors import ConfigError, DebateError, ModelError, UnsupportedError, UsageError
from debate_cli.llm.form import Form, FormModel, derive_schema, text
from debate_cli.llm.json_reply import parse_reply, strip_thinking
from debate_cli.llm.model import RESTART, Message, Model, Profile, Request
from debate_cli.llm.prompt_sanitizer import prompt_line
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import add_form_to_request
from debate_cli.llm.usage import compute_cost, error_usage
from debate_cli.providers.search.table import find_search_problems, find_search_target, with_lookup_search

FormMode = Literal["native", "tool", "prompt"]
CheckKind = FormMode | Literal["stream", "search"]
CheckResult = Literal["ok", "not_enforced", "invalid", "one_piece", "rejected", "failed"]
"""Result of a check. `ok`: the check passed. `not_enforced`: the server accepts the schema but does not enforce it. `invalid`: the answer is
empty or does not fit the schema. `one_piece`: the answer was not streamed. `rejected`: the server lacks this mode.
`failed`: the call failed, or the model declined to answer."""
MAX_CHECK_ATTEMPTS = 2
CHECK_PATIENCE_S = 5.0
"""If the provider answers all calls with status 429, a check fails after this number of seconds."""
MAX_CHECK_TOKENS = 2000
"""Maximum number of output tokens of an answer. A reasoning model keeps its own limit."""
CHECK_TEMPERATURE = 0.2
"""Temperature of the questions, if the model's configuration sets none."""


class SumAnswer(FormModel):
    """Form of the answer to `_QUESTION`, a sum. Only the form of the answer is checked: a wrong sum is no problem."""

    reason: str = text(120)
    answer: int


SUM_FORM = Form("sum", SumAnswer, derive_schema(SumAnswer))
_SYSTEM_PROMPT = "This is a quick check of the connection. Answer briefly."
_QUESTION = "What is three plus four, and why? Give the reason in at most ten words."
"""Question to test a structured-output mode. It does not mention JSON, because the mode must cause the JSON answer."""
_STREAM_QUESTION = "Count from one to thirty in words, separated by commas, and say nothing else."


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """Result of one question to a model."""

    kind: CheckKind
    result: CheckResult
    problem: str | None = None
    """What was wrong, in one line; None for `ok`."""
    has_form: bool = False
    """Whether the answer contains a correctly filled-in form, even if the server did not enforce its schema."""
    usage: Usage = field(default_factory=Usage)
    latency_s: float | None = None
    """Seconds to the last byte of the answer; None without an answer."""
    first_text_s: float | None = None
    """Seconds to the first piece of the streamed answer. Only the check of streaming sets this."""

    @property
    def tokens_per_second(self) -> float | None:
        """Output tokens divided by `latency_s`; None if unknown."""
        return self.usage.output_tokens / self.latency_s if self.latency_s and self.usage.output_tokens else None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Results of all questions to one model."""

    model: str
    """The model as `provider/model`."""
    problem: str | None = None
    """Why the model could not be asked, e.g. a missing key. `checks` is then empty."""
    checks: tuple[ModelCheck, ...] = ()
    """Checks of the model's structured-output modes, best mode first, then the check of streaming."""
    profile: Profile | None = None
    price: Price | None = None
    """Price of the model; None if unknown."""

    @property
    def usable(self) -> bool:
        """Whether the model can debate and judge: it filled in a form correctly in some mode, or a person answers."""
        return self.is_person or any(check.has_form for check in self.checks)

    @property
    def is_person(self) -> bool:
        """Whether a person answers in place of a model. False if `problem` is set. A person gets no check questions."""
        return self.problem is None and is_person(self.model)

    @property
    def usage(self) -> Usage:
        """Tokens of all checks."""
        return sum((check.usage for check in self.checks), Usage())

    @property
    def cost_usd(self) -> float | None:
        """Cost of the checks; None if the price is unknown."""
        return compute_cost(self.usage, self.price)


async def diagnose_models(
    specs: Sequence[ModelSpec], context: RunContext, *, searches: bool = False
) -> tuple[Diagnosis, ...]:
    """Return a diagnosis of each model in `specs`. All models are checked at once.

    If `searches` is True and a web search is configured, the web search is checked too. A problem of a model raises no
    error, but is part of the model's diagnosis. Raises ConfigError for a problem of the configured providers.
    """
    own = context.config.limits
    limits = Limits(concurrency=own.concurrency, max_attempts=min(own.max_attempts, MAX_CHECK_ATTEMPTS))
    context = replace(context, config=context.config.model_copy(update={"limits": limits}))
    pool = ModelPool(context, patience_s=CHECK_PATIENCE_S)
    try:
        found = await asyncio.gather(*(_diagnose_model(spec, context, pool) for spec in specs))
        search = await _diagnose_search(context, pool) if searches else None
    finally:
        await pool.aclose()
    return tuple(found) if search is None else (*found, search)


async def _diagnose_model(spec: ModelSpec, context: RunContext, pool: ModelPool) -> Diagnosis:
    problems = model_problems(context.config, [spec], context.env, context.folder)
    if problems:
        return Diagnosis(spec.model, problem=prompt_line("; ".join(problem.message for problem in problems)))
    try:
        model, profile, price, refused = pool.model_for(spec, context.config)
    except ConfigError as error:
        return Diagnosis(spec.model, problem=prompt_line("; ".join(error.problems)))
    if is_person(spec.model):
        return Diagnosis(spec.model, price=price)
    checks = await run_checks(model, profile, build_check_request(spec, profile, context.config.seed))
    profile = replace(profile, sampling=profile.sampling and "temperature" not in refused)
    return Diagnosis(spec.model, None, checks, profile, price)


async def _diagnose_search(context: RunContext, pool: ModelPool) -> Diagnosis | None:
    config = with_lookup_search(context.config)
    try:
        target = find_search_target(config, context.env)
    except ConfigError as error:
        return Diagnosis("web search", problem=prompt_line("; ".join(error.problems)))
    if target is None:
        return None
    if problems := find_search_problems(config, context.env):
        return Diagnosis(target.spec.model, problem=prompt_line("; ".join(problem.message for problem in problems)))
    client = pool.search_client(config, Prompts(context.prompts))
    assert client is not None
    record = await client.search(Search(key="doctor", query=config.topic))
    usage = record.exchange.usage if record.exchange is not None else Usage()
    check = ModelCheck("search", "ok", has_form=True, usage=usage)
    if record.failure is not None:
        check = ModelCheck("search", "failed", prompt_line(record.failure.message), usage=usage)
    return Diagnosis(target.spec.model, checks=(check,), price=target.price)


def select_models(
    names: Sequence[str], config: DebateConfig, *, mock: bool
) -> tuple[tuple[ModelSpec, ...], DebateConfig]:
    """Return the models to check, and the configuration that is needed to ask them.

    - `names`: keys under `models` in `config`, or `provider/model`. If empty, all models of debaters and judges.
    - `mock`: whether mocks replace the models.

    Raises UsageError for an unknown name.
    """
    named: dict[str, ModelSpec] = {}
    for name in names:
        is_file = name not in config.models and name.endswith((".yaml", ".yml"))
        spec = None if is_file else config.resolve_model(name)
        if spec is None:
            hint = format_suggestion(name, config.models) or "; write provider/model, or add it to `models`"
            hint = f"; to use this file as the configuration, write --config {name}" if is_file else hint
            raise UsageError(f"{name}: the configuration has no model of this name{hint}")
        named[name] = spec
    if mock:
        config = with_mock_models(config.model_copy(update={"models": {**config.models, **named}}))
        named = {name: config.models[name] for name in named}
    return unique_specs(named.values()) if names else all_model_specs(config), config


def build_check_request(spec: ModelSpec, profile: Profile, seed: int | None) -> Request:
    """Return the request that asks `_QUESTION`, with the temperature and the output limit of `spec`."""
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


async def run_checks(model: Model, profile: Profile, request: Request) -> tuple[ModelCheck, ...]:
    """Send `request` in every structured-output mode of `profile`, all at once. Then test streaming."""
    modes = await asyncio.gather(
        *(_check_or_failure(mode, _check_mode(model, request, mode)) for mode in profile.modes)
    )
    return (*modes, await _check_or_failure("stream", _check_stream(model, request)))


async def _check_or_failure(kind: CheckKind, answer: Awaitable[ModelCheck]) -> ModelCheck:
    try:
        return await answer
    except DebateError as error:
        usage = error_usage(error) if isinstance(error, ModelError) else Usage()
        result = "rejected" if isinstance(error, UnsupportedError) else "failed"
        return ModelCheck(kind, result, prompt_line(str(error)), usage=usage)


async def _check_mode(model: Model, request: Request, mode: FormMode) -> ModelCheck:
    reply = await model.complete(add_form_to_request(request, SUM_FORM, mode))
    parsed = parse_reply(reply.text, SUM_FORM, truncated=reply.truncated)
    check = ModelCheck(mode, "ok", None, parsed.outcome == "valid", reply.usage, reply.latency_s)
    if reply.refusal is not None:
        problem = f"the model declined to answer: {prompt_line(reply.refusal) or 'no reason given'}"
        return replace(check, result="failed", problem=problem, has_form=False)
    if mode != "prompt" and not reply.truncated:
        alone = parse_reply(strip_thinking(reply.text), SUM_FORM, truncated=True)
        if alone.outcome != "valid":
            problem = "the server accepts the schema but does not enforce it"
            return replace(check, result="not_enforced", problem=problem)
    if check.has_form:
        return check
    return replace(check, result="invalid", problem=f"the answer does not fit the schema: {'; '.join(parsed.faults)}")


async def _check_stream(model: Model, request: Request) -> ModelCheck:
    times: list[float] = []

    def on_text(piece: str) -> None:
        if piece == RESTART:
            times.clear()
        elif piece:
            times.append(time.perf_counter())

    reply = await model.complete(replace(request, messages=(Message("user", _STREAM_QUESTION),)), on_text)
    first = max(0.0, reply.latency_s - (time.perf_counter() - times[0])) if times else None
    check = ModelCheck("stream", "ok", usage=reply.usage, latency_s=reply.latency_s, first_text_s=first)
    if reply.refusal is not None:
        problem = f"the model declined to answer: {prompt_line(reply.refusal) or 'no reason given'}"
        return replace(check, result="failed", problem=problem)
    if not strip_thinking(reply.text):
        return replace(check, result="invalid", problem="the answer is empty")
    if len(times) > 1:
        return check
    return replace(check, result="one_piece", problem="the answer was not streamed; it came in one piece")


def diagnosis_to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return a diagnosis as JSON data, with seconds rounded to milliseconds."""
    price, profile = diagnosis.price, diagnosis.profile
    stream = next((check for check in diagnosis.checks if check.kind == "stream"), ModelCheck("stream", "failed"))
    return {
        "model": diagnosis.model,
        "usable": diagnosis.usable,
        "problem": diagnosis.problem,
        "checks": [
            {
                "way": check.kind,
                "result": check.result,
                "problem": check.problem,
                "has_form": check.has_form if check.kind != "stream" else None,
                "input_tokens": check.usage.input_tokens,
                "output_tokens": check.usage.output_tokens,
                "latency_s": _round(check.latency_s),
                "tokens_per_second": _round(check.tokens_per_second, 1),
            }
            for check in diagnosis.checks
        ],
        "latency_s": _round(stream.latency_s),
        "first_text_s": _round(stream.first_text_s),
        "tokens_per_second": _round(stream.tokens_per_second, 1),
        "input_tokens": diagnosis.usage.input_tokens,
        "output_tokens": diagnosis.usage.output_tokens,
        "price": price.model_dump(mode="json") if price else None,
        "cost_usd": diagnosis.cost_usd if diagnosis.checks else None,
        "sampling": profile.sampling if profile else None,
        "max_output_tokens": profile.max_output_tokens if profile else None,
    }


def _round(number: float | None, digits: int = 3) -> float | None:
    return None if number is None else round(number, digits)
