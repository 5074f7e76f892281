"""The budget of a run, in tokens and US dollars. Each request reserves its maximum usage before it is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.errors import BudgetError, ModelError
from debate_cli.llm.meter import active_meter, pause_deadline
from debate_cli.llm.model import Model, OnText, Profile, Reply, Request
from debate_cli.llm.usage import (
    compute_cost,
    error_usage,
    estimate_answer_tokens,
    estimate_input_tokens,
    estimate_max_cost_usage,
)

BUDGET_OPTIONS = {"limits.max_tokens": ("--max-tokens", "N"), "limits.max_cost_usd": ("--max-cost", "USD")}
"""Maps each limit of the budget to the option that raises it, and to the placeholder for the option's value."""


def exceeded_limits(errors: Iterable[str]) -> list[str]:
    """Return the limits that messages of BudgetError name, e.g. `limits.max_tokens`."""
    named = " ".join(errors)
    return [limit for limit in BUDGET_OPTIONS if limit in named]


@dataclass(frozen=True, slots=True)
class BudgetAmount:
    """An amount of tokens and US dollars. `usd` is 0 if the price is unknown."""

    tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: BudgetAmount) -> BudgetAmount:
        return BudgetAmount(self.tokens + other.tokens, self.usd + other.usd)

    def __sub__(self, other: BudgetAmount) -> BudgetAmount:
        return BudgetAmount(self.tokens - other.tokens, self.usd - other.usd)

    @classmethod
    def of_calls(cls, calls: Iterable[ModelCall]) -> BudgetAmount:
        """Return the total tokens and the total known cost of `calls`."""
        amounts = (cls(call.usage.input_tokens + call.usage.output_tokens, call.cost_usd or 0.0) for call in calls)
        return sum(amounts, _NOTHING)


_NOTHING = BudgetAmount()


@dataclass(eq=False, slots=True)
class BudgetReservation:
    """The amount that a request reserved before it was sent, and the amount that the request used."""

    worst_case: BudgetAmount
    used: BudgetAmount = _NOTHING


class Budget:
    """The budget of a run, shared by all models. The first request that could exceed a limit closes the budget.

    `used`: the amount that the run used before it was resumed.
    """

    def __init__(
        self, max_cost_usd: float | None = None, max_tokens: int | None = None, used: BudgetAmount = _NOTHING
    ) -> None:
        self._max_cost_usd = max_cost_usd
        self._max_tokens = max_tokens
        self.used = used
        """The amount that all ended requests used, including requests from before the run was resumed."""
        self._used_elsewhere = _NOTHING
        self._reservations: set[BudgetReservation] = set()
        self._queue_lock = asyncio.Lock()
        self._settled = asyncio.Event()
        self._closing_message: str | None = None
        self.is_limited = max_tokens is not None or max_cost_usd is not None
        """Whether the budget has a limit in tokens or US dollars."""
        self.has_cost_limit = max_cost_usd is not None
        """Whether the budget has a limit in US dollars."""

    def set_used_elsewhere(self, amount: BudgetAmount) -> None:
        """Set the amount of this budget that other processes have used since this process started."""
        self._used_elsewhere = amount

    @property
    def is_closed(self) -> bool:
        """Whether the budget has refused a request. A closed budget refuses all later requests."""
        return self._closing_message is not None

    @asynccontextmanager
    async def reserve(self, worst: BudgetAmount, what: str) -> AsyncGenerator[BudgetReservation, None]:
        """Reserve `worst`, the maximum usage of one request, during the `with` block.

        Yields a reservation. In the block, the caller sets its `used` to the actual usage of the request.

        If reservations of other requests leave too little of the budget for `worst`, waits until these requests end. If
        there is still too little, closes the budget. Raises BudgetError if the budget is closed.

        `what`: name of the request in the error message.
        """
        with pause_deadline():
            async with self._queue_lock:
                while self._closing_message is not None or not self._fits(
                    sum((held.worst_case for held in self._reservations), self.used + worst)
                ):
                    if self._closing_message is None and not (self._reservations and self._fits(self.used + worst)):
                        self._closing_message = self._format_refusal(worst, what)
                    if self._closing_message is not None:
                        raise BudgetError(self._closing_message)
                    self._settled.clear()
                    await self._settled.wait()
                reservation = BudgetReservation(worst)
                self._reservations.add(reservation)
        try:
            yield reservation
        finally:
            self._reservations.remove(reservation)
            self.used += reservation.used
            self._settled.set()

    def _fits(self, amount: BudgetAmount) -> bool:
        total = amount + self._used_elsewhere
        return (self._max_tokens is None or total.tokens <= self._max_tokens) and (
            self._max_cost_usd is None or total.usd <= self._max_cost_usd
        )

    def _format_refusal(self, worst: BudgetAmount, what: str) -> str:
        used = self.used + self._used_elsewhere
        if self._max_tokens is not None and used.tokens + worst.tokens > self._max_tokens:
            left = max(0, self._max_tokens - used.tokens)
            return (
                f"Budget reached: {what} may need {worst.tokens} tokens, but only {left} of {self._max_tokens} "
                "are left (limits.max_tokens); raise the limit"
            )
        most = self._max_cost_usd or 0.0
        return (
            f"Budget reached: {what} may cost ${worst.usd:.4f}, but only ${max(0.0, most - used.usd):.4f} "
            f"of ${most:.4g} is left (limits.max_cost_usd); raise the limit"
        )


class BudgetedModel:
    """Model wrapper. Sends a request to `model` if the remaining budget covers the maximum usage of the request.

    If the budget has a limit in US dollars and `price` is None, every request is refused.

    `name`: the model as `provider/model`; None for the mock, which costs nothing.

    `on_estimate` is called for each reply without reported usage. The usage of such a reply is estimated.
    """

    def __init__(
        self,
        model: Model,
        budget: Budget,
        price: Price | None,
        profile: Profile,
        *,
        name: str | None = None,
        on_estimate: Callable[[], None] = lambda: None,
    ) -> None:
        self._model = model
        self._budget = budget
        self._price = price
        self._profile = profile
        self._name = name
        self._on_estimate = on_estimate

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`.

        Raises BudgetError if the remaining budget is too small. Also raises BudgetError if the budget has a limit in
        US dollars and the price is unknown.
        """
        if self._price is None and self._budget.has_cost_limit:
            raise BudgetError(
                f"limits.max_cost_usd cannot be enforced, because the price of the model for {request.purpose} is unknown; "
                "give the provider or model a `price`, or remove the limit"
            )
        received = list[str]()

        def record(piece: str) -> None:
            received.append(piece)
            if on_text is not None:
                on_text(piece)

        worst = self._estimate_worst_case(request)
        most = BudgetAmount.of_calls([self._to_call(request, worst)])
        async with self._budget.reserve(most, f"the next call ({request.purpose})") as reservation:
            meter = active_meter()
            if meter is not None and self._name is not None:
                meter.record_request(self._to_call(request, self._lost_usage(request, worst, Usage(), "")))
            began = 0.0 if meter is None else meter.active_s()
            used, latency_s = Usage(), 0.0
            try:
                reply = await self._model.complete(request, None if on_text is None else record)
                reply = self._with_usage(request, worst, reply)
                used, latency_s = reply.usage, reply.latency_s
            except ModelError as error:
                used, latency_s = error_usage(error), error.latency_s
                if error.may_be_billed or received:
                    error.usage = used = self._lost_usage(request, worst, used, "".join(received))
                raise
            except asyncio.CancelledError:
                used = self._lost_usage(request, worst, Usage(), "".join(received))
                latency_s = 0.0 if meter is None else meter.active_s() - began
                raise
            finally:
                ended = self._to_call(request, used, latency_s)
                reservation.used = BudgetAmount.of_calls([ended])
                if meter is not None:
                    meter.ended.append(ended)
            return reply

    def _estimate_worst_case(self, request: Request) -> Usage:
        prompt = estimate_input_tokens(request, self._profile)
        searches = 0 if request.search is None else request.search.max_searches
        usage = estimate_max_cost_usage(prompt, request.max_output_tokens, self._price)
        return usage.model_copy(update={"searches": searches, "estimated": True})

    def _to_call(self, request: Request, usage: Usage, latency_s: float = 0.0) -> ModelCall:
        return ModelCall(
            model=self._name or "",
            rung=request.rung,
            attempts=1,
            usage=usage,
            latency_s=latency_s,
            cost_usd=compute_cost(usage, self._price),
        )

    def _with_usage(self, request: Request, worst: Usage, reply: Reply) -> Reply:
        usage = reply.usage
        is_filtered = reply.finish_reason == "content_filter" and not reply.text
        if usage.input_tokens + usage.output_tokens + usage.searches > 0 or is_filtered:
            return reply
        self._on_estimate()
        answer_tokens = estimate_answer_tokens(request, reply.text or reply.refusal or "")
        answer = request.max_output_tokens if reply.truncated else answer_tokens
        return replace(reply, usage=worst.model_copy(update={"output_tokens": answer}))

    def _lost_usage(self, request: Request, worst: Usage, known: Usage, received: str) -> Usage:
        limited = self._budget.is_limited
        answer = request.max_output_tokens if limited else estimate_answer_tokens(request, received)
        if not known.input_tokens:
            return worst.model_copy(update={"output_tokens": answer})
        return known.model_copy(update={"output_tokens": max(known.output_tokens, answer), "estimated": True})
