"""Models of one provider share its limits in a run, however many roles and judging runs use them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from formats_support import NOON
from llm_support import request
from model_server import ModelServer, model_server

from debate_cli.app.context import RunContext
from debate_cli.app.model_pool import ModelPool
from debate_cli.app.model_roles import with_run_providers
from debate_cli.domain.config import DebateConfig, ModelSpec, ProviderSpec
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.errors import BudgetError
from debate_cli.llm.form import FormModel
from debate_cli.llm.model import OnText, Reply, Request
from debate_cli.llm.structured_output import ModelHandle, StructuredAnswer
from debate_cli.observer import NullObserver

NO_USAGE = "lab reports no usage: its tokens are estimated (debate explain budget)"
ELSEWHERE = "http://127.0.0.1:9/v1"
BIG, SMALL = ModelSpec(model="lab/big"), ModelSpec(model="lab/small")


def row(address: str) -> dict[str, Any]:
    """A provider that takes one call at a time."""
    return {"kind": "openai", "base_url": address, "api_key_env": None, "max_concurrency": 1}


class Noting(NullObserver):
    """A pool's observer that records notes."""

    def __init__(self, receive: Callable[[str], None]) -> None:
        self._receive = receive

    def note(self, note: str) -> None:
        """Record the note."""
        self._receive(note)


def lab_config(address: str) -> DebateConfig:
    """A debate whose provider `lab` is at an address."""
    debaters = [{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}]
    return DebateConfig.model_validate({"topic": "x", "providers": {"lab": row(address)}, "debaters": debaters})


class Asking:
    """The model pool of a debate whose provider `lab` is at an address."""

    def __init__(self, address: str, note: Callable[[str], None] = lambda _: None) -> None:
        self.config = lab_config(address)
        self.pool = ModelPool(RunContext(self.config, observer=Noting(note)))

    def handle_for(self, spec: ModelSpec, run: JudgingRun | None = None) -> ModelHandle:
        """The handle of a model for the debate, or for a judging run."""
        return self.pool.handle_for(spec, self.config if run is None else with_run_providers(self.config, run))


def judging(run: str, **rows: dict[str, Any]) -> JudgingRun:
    """A judging run with its own providers."""
    providers = {name: ProviderSpec.model_validate(row) for name, row in rows.items()}
    return JudgingRun.model_validate(
        {"id": run, "judging": {"systems": ["structured"]}, "providers": providers, "started_at": NOON}
    )


def asked(server: ModelServer, handles: Callable[[Asking], Sequence[ModelHandle]]) -> int:
    """Highest number of requests that the server answered at once when all handles ask concurrently."""

    async def ask() -> None:
        asking = Asking(server.base_url)
        try:
            await asyncio.gather(*(handle.client.ask(request(), None) for handle in handles(asking)))
        finally:
            await asking.pool.aclose()

    asyncio.run(ask())
    return server.most_at_once


def two_models(asking: Asking) -> Sequence[ModelHandle]:
    """Two models of one provider, in the debate itself."""
    return asking.handle_for(BIG), asking.handle_for(SMALL)


def two_askers(asking: Asking) -> Sequence[ModelHandle]:
    """One model asked by the debate, and one asked by a judging run with another provider."""
    return asking.handle_for(BIG), asking.handle_for(BIG, judging("r2", other=row(ELSEWHERE)))


@pytest.mark.parametrize("handles", [two_models, two_askers])
def test_the_models_of_a_provider_keep_its_limit_together(
    handles: Callable[[Asking], Sequence[ModelHandle]],
) -> None:
    """With a limit of one call, two calls never overlap; all calls are made in the end."""
    with model_server(latency_s=0.2) as server:
        assert (asked(server, handles), len(server.bodies)) == (1, 2)


def test_judging_runs_that_mean_the_same_share_a_model() -> None:
    """A judging run with rows equal to the debate's, or to those of an earlier run, shares their limits."""
    asking = Asking(ELSEWHERE)
    own, moved = row(ELSEWHERE), row("http://127.0.0.1:10/v1")
    first, second = (asking.handle_for(BIG, judging(run, lab=moved)) for run in ("r2", "r3"))
    assert first is second
    assert asking.handle_for(BIG, judging("r4", lab=own)) is asking.handle_for(BIG)
    asyncio.run(asking.pool.aclose())


def test_a_judging_run_with_another_server_has_a_model_handle() -> None:
    """A row of the same name with another address gets separate limits."""
    asking = Asking(ELSEWHERE)
    assert asking.handle_for(BIG, judging("r2", lab=row("http://127.0.0.1:10/v1"))) is not asking.handle_for(BIG)
    asyncio.run(asking.pool.aclose())


def answers(server: ModelServer, notes: list[str]) -> list[StructuredAnswer[FormModel]]:
    """Answers to three questions in sequence, the second to another model, at a judge's temperature."""

    async def ask() -> list[StructuredAnswer[FormModel]]:
        asking = Asking(server.base_url, notes.append)
        warm = replace(request(), temperature=0.2)
        try:
            return [await asking.handle_for(spec).client.ask(warm, None) for spec in (BIG, SMALL, BIG)]
        finally:
            await asking.pool.aclose()

    return asyncio.run(ask())


def test_a_provider_that_reports_no_usage_is_noted_once() -> None:
    """A note names the provider once; each answer of its models counts with an estimate."""
    notes: list[str] = []
    with model_server() as server:
        server.counts = False
        found = answers(server, notes)
    assert all(answer.call.usage.input_tokens and answer.call.usage.output_tokens for answer in found)
    assert notes == [NO_USAGE]


def test_a_refused_temperature_is_found_out_once_a_model() -> None:
    """The first question of each model is repeated without the temperature, and the attempt counts; later ones omit it."""
    notes: list[str] = []
    with model_server() as server:
        server.unsupported = "temperature"
        found = answers(server, notes)
        sent = ["temperature" in body for body in server.bodies]
    assert [answer.error for answer in found] == [None] * 3
    assert [answer.call.attempts for answer in found] == [2, 2, 1]
    assert sent == [True, False, True, False, False]
    assert notes == [
        f"lab/{name} does not accept temperature; later requests omit temperature" for name in ("big", "small")
    ]


class Counting:
    """A model of the caller that counts concurrent calls of all such models."""

    now, most = 0, 0

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer after a pause."""
        Counting.now += 1
        Counting.most = max(Counting.most, Counting.now)
        await asyncio.sleep(0)
        Counting.now -= 1
        return Reply(text="fine", usage=Usage(), finish_reason="stop")


def test_models_of_the_caller_keep_the_limit_of_all_providers() -> None:
    """`limits.concurrency` bounds the calls to different models together."""
    Counting.most = 0
    config = DebateConfig.model_validate({"topic": "x", "limits": {"concurrency": 2}})
    names = [f"python/{number}" for number in range(4)]
    pool = ModelPool(RunContext(config, models={name: Counting() for name in names}))

    async def ask() -> None:
        await asyncio.gather(
            *(pool.handle_for(ModelSpec(model=name), config).client.ask(request(), None) for name in names * 2)
        )

    asyncio.run(ask())
    assert Counting.most == 2


def test_known_costs_count_beside_a_call_without_a_price() -> None:
    """A resumed debate does not spend its budget again because one earlier call had no price."""
    config = DebateConfig.model_validate({"topic": "x", "limits": {"max_cost_usd": 1}})
    earlier = ModelCall(model="lab/a", rung="text", attempts=1, usage=Usage(), cost_usd=1.5)
    unpriced = earlier.model_copy(update={"cost_usd": None})
    pool = ModelPool(RunContext(config), used=[earlier, unpriced])
    answer = asyncio.run(pool.handle_for(ModelSpec(model="mock/m"), config).client.ask(request(), None))
    assert isinstance(answer.error, BudgetError)
