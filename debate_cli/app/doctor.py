"""Use case `doctor`: asks models one tiny question to test their structured output, streaming, speed and cost.

No budget applies. An answer has at most MAX_CHECK_TOKENS tokens; a reasoning model keeps its own limit.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from debate_cli.app.context import RunContext
from debate_cli.app.model_pool import ModelPool, PooledModel
from debate_cli.app.model_roles import all_model_specs, unique_specs, with_mock_models
from debate_cli.app.preparation import model_problems
from debate_cli.domain.config import DebateConfig, Limits, ModelSpec, Price
from debate_cli.domain.evidence import Search
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.message_text import format_suggestion
from debate_cli.domain.model_call import StructuredOutputMode, Usage, is_person
from debate_cli.errors import ConfigError, UnsupportedError, UsageError
from debate_cli.llm.form import Form, FormModel, derive_schema, text
from debate_cli.llm.json_reply import parse_reply, strip_thinking
from debate_cli.llm.model import RESTART, Message, Profile, Request
from debate_cli.llm.prompt_sanitizer import prompt_line
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import StructuredAnswer, StructuredOutputClient
from debate_cli.llm.usage import compute_cost
from debate_cli.providers.search.table import find_search_problems, find_search_target, with_lookup_search

CheckResult = Literal["ok", "not_enforced", "invalid", "one_piece", "rejected", "failed"]
"""Result of a check. `ok`: the check passed. `not_enforced`: the server accepts the schema but does not enforce it. `invalid`: no
answer fits the schema. `one_piece`: the answer was not streamed. `rejected`: the server lacks this mode. `failed`: the
call failed, or the model declined to answer."""
MAX_CHECK_ATTEMPTS = 2
CHECK_PATIENCE_S = 5.0
"""Seconds after which a check fails if the provider answers every call with status 429."""
MAX_CHECK_TOKENS = 2000
"""Maximum number of output tokens of an answer. A reasoning model keeps its own limit."""
CHECK_TEMPERATURE = 0.2
"""Temperature of the question, if the model's configuration sets none."""


class CountAnswer(FormModel):
    """Form of the answer to `_QUESTION`. Only the form of the answer is checked: a wrong count is no problem."""

    words: str = text(400)
    last: int


COUNT_FORM = Form("count", CountAnswer, derive_schema(CountAnswer))
_SYSTEM_PROMPT = "This is a quick check of the connection. Answer briefly."
_QUESTION = "Count from one to thirty in words, separated by commas. What is the last number?"
"""Question of every check. The answer is long enough to measure the speed. The question does not mention JSON, so that only
the structured-output mode can cause a JSON answer."""


class Check(FrozenModel):
    """Result of testing a structured-output mode, streaming or the web search."""

    way: StructuredOutputMode | Literal["stream", "search"]
    result: CheckResult


class Diagnosis(FrozenModel):
    """What one question to a model shows; also the JSON output of `debate doctor`."""

    model: str
    """The model as `provider/model`."""
    usable: bool = False
    """Whether the model can debate and judge: it filled in the form, or a person answers."""
    problem: str | None = None
    """Why the model cannot be used, in one line, e.g. a missing key or the provider's error. None if it can be used."""
    checks: tuple[Check, ...] = ()
    """The structured-output modes that were tried, best mode first, then streaming. Empty if nothing was asked."""
    latency_s: float | None = None
    """Seconds that the provider took for all requests."""
    first_text_s: float | None = None
    """Seconds to the first piece of the streamed answer. Earlier requests are included."""
    tokens_per_second: float | None = None
    """Output tokens divided by `latency_s`; None if unknown."""
    input_tokens: int = 0
    output_tokens: int = 0
    price: Price | None = None
    """Price of the model; None if unknown."""
    cost_usd: float | None = None
    """Cost of all requests; None if the price is unknown."""
    sampling: bool | None = None
    """Whether the model takes a temperature."""
    max_output_tokens: int | None = None


async def diagnose_models(
    specs: Sequence[ModelSpec], context: RunContext, *, searches: bool = False
) -> tuple[Diagnosis, ...]:
    """Return a diagnosis of each model in `specs`. All models are asked at once.

    If `searches` is True and a web search is configured, the web search is checked too. A problem of a model raises no
    error, but is part of the model's diagnosis. Raises ConfigError for a problem of the configured providers.
    """
    own = context.config.limits
    limits = Limits(concurrency=own.concurrency, max_attempts=min(own.max_attempts, MAX_CHECK_ATTEMPTS))
    context = replace(context, config=context.config.model_copy(update={"limits": limits}))
    pool = ModelPool(context, patience_s=CHECK_PATIENCE_S)
    try:
        found = await asyncio.gather(*(_diagnose_model(spec, context, pool) for spec in specs))
        return (*found, *(await _diagnose_search(context, pool) if searches else ()))
    finally:
        await pool.aclose()


async def _diagnose_model(spec: ModelSpec, context: RunContext, pool: ModelPool) -> Diagnosis:
    problems = [problem.message for problem in model_problems(context.config, [spec], context.env, context.folder)]
    if problems:
        return Diagnosis(model=spec.model, problem=prompt_line("; ".join(problems)))
    try:
        pooled = pool.model_for(spec, context.config)
    except ConfigError as error:
        return Diagnosis(model=spec.model, problem=prompt_line("; ".join(error.problems)))
    if is_person(spec.model):
        return Diagnosis(model=spec.model, usable=True, price=pooled.price)
    return await ask_model(spec, pooled, context.config.seed)


async def _diagnose_search(context: RunContext, pool: ModelPool) -> tuple[Diagnosis, ...]:
    config, name = with_lookup_search(context.config), "web search"
    try:
        target = find_search_target(config, context.env)
        if target is None:
            return ()
        name = target.spec.model
        problems = tuple(problem.message for problem in find_search_problems(config, context.env))
        client = None if problems else pool.search_client(config, Prompts(context.prompts))
    except ConfigError as error:
        return (Diagnosis(model=name, problem=prompt_line("; ".join(error.problems))),)
    if client is None:
        return (Diagnosis(model=name, problem=prompt_line("; ".join(problems))),)
    record = await client.search(Search(key="doctor", query=config.topic))
    usage, failure = record.exchange.usage if record.exchange is not None else Usage(), record.failure
    found = Diagnosis(
        model=name,
        usable=failure is None,
        problem=prompt_line(failure.message) if failure is not None else None,
        checks=(Check(way="search", result="ok" if failure is None else "failed"),),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        price=target.price,
        cost_usd=compute_cost(usage, target.price),
    )
    return (found,)


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
            hint = f"; name the file with --config {name}" if is_file else hint
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


async def ask_model(spec: ModelSpec, pooled: PooledModel, seed: int | None) -> Diagnosis:
    """Ask a model for one form, streamed, in its best structured-output mode that works."""
    profile, price = pooled.profile, pooled.price
    times: list[float] = []

    def on_text(piece: str) -> None:
        if piece == RESTART:
            times.clear()
        elif piece:
            times.append(time.perf_counter())

    client = StructuredOutputClient(pooled.model, profile, name=spec.model, price=price)
    answer = await client.ask(build_check_request(spec, profile, seed), COUNT_FORM, on_text)
    usage, latency = answer.call.usage, answer.call.latency_s
    first = max(0.0, latency - (time.perf_counter() - times[0])) if times else None
    problem = answer.problem if answer.error is None else str(answer.error)
    stream = [Check(way="stream", result="ok" if len(times) > 1 else "one_piece")] if answer.text else []
    return Diagnosis(
        model=spec.model,
        usable=answer.form is not None,
        problem=prompt_line(problem) if problem is not None else None,
        checks=(*_check_modes(answer, profile), *stream),
        latency_s=round(latency, 3) if answer.text else None,
        first_text_s=round(first, 3) if first is not None else None,
        tokens_per_second=round(usage.output_tokens / latency, 1) if latency and usage.output_tokens else None,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        price=price,
        cost_usd=answer.call.cost_usd,
        sampling=profile.sampling and "temperature" not in pooled.rejected_parameters,
        max_output_tokens=profile.max_output_tokens,
    )


def _check_modes(answer: StructuredAnswer[CountAnswer], profile: Profile) -> Iterator[Check]:
    """Yield the result of each mode that was tried.

    A mode that was given up without an error is `not_enforced`, because its answer contained no JSON.
    """
    for mode in profile.modes[: profile.modes.index(answer.call.rung)]:
        yield Check(way=mode, result="rejected" if mode in answer.call.rejected else "not_enforced")
    result: CheckResult = "ok"
    if answer.error is not None:
        result = "rejected" if isinstance(answer.error, UnsupportedError) else "failed"
    elif answer.form is None:
        result = "invalid"
    elif answer.call.rung != "prompt":
        bare = parse_reply(strip_thinking(answer.raw_text), COUNT_FORM, truncated=True)
        result = "ok" if bare.outcome == "valid" else "not_enforced"
    yield Check(way=answer.call.rung, result=result)
