"""What a run may still spend. Every attempt is reserved at its worst before it is made, and settled after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import Usage
from debate_cli.errors import BudgetError, ModelError, TruncatedError
from debate_cli.llm import usage as usage_module
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.prices import compute_cost, estimate_max_cost_usage
from debate_cli.llm.rate_limit import pause_deadline
from debate_cli.llm.usage import error_usage


@dataclass(frozen=True, slots=True)
class BudgetAmount:
    """Tokens, and US dollars where a price is known."""

    tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: BudgetAmount) -> BudgetAmount:
        return BudgetAmount(self.tokens + other.tokens, self.usd + other.usd)


class Reservation:
    """Room kept for one attempt; `used` is what it turned out to use."""

    def __init__(self, kept: BudgetAmount) -> None:
        self.worst_case = kept
        self.used = BudgetAmount()


class Budget:
    """The means of a whole run, shared by all its models; a bound of None is no bound.

    It closes with the first attempt that does not fit: nothing is asked after that, were it ever so small.
    `used_cost` (US dollars) and `used_tokens` were spent before, by the run that is resumed.
    """

    def __init__(
        self,
        max_cost_usd: float | None = None,
        max_tokens: int | None = None,
        used_cost: float = 0.0,
        used_tokens: int = 0,
    ) -> None:
        self._max_cost_usd = max_cost_usd
        self._max_tokens = max_tokens
        self._used = BudgetAmount(used_tokens, used_cost)
        self._reservations: set[Reservation] = set()
        self._queue_lock = asyncio.Lock()
        self._settled = asyncio.Event()
        self._closed: str | None = None
        """The refusal that closed it."""

    @property
    def used(self) -> BudgetAmount:
        """Spent so far; calls under way not counted."""
        return self._used

    @property
    def has_cost_limit(self) -> bool:
        """Whether there is a bound in US dollars, so that every call needs a price."""
        return self._max_cost_usd is not None

    @asynccontextmanager
    async def reserve(self, worst: BudgetAmount, what: str) -> AsyncGenerator[Reservation, None]:
        """Room for one attempt that uses `worst` at the most; set `used` on what is yielded.

        Where calls under way hold the room, waits until they settle for less, first come, first served. Raises
        BudgetError, in which `what` names the call, where it would not fit even if they cost nothing more.
        """
        with pause_deadline():
            async with self._queue_lock:
                while self._closed is not None or not self._fits(self._committed_amount() + worst):
                    if self._closed is None and not (self._reservations and self._fits(self._used + worst)):
                        self._closed = self._format_refusal(worst, what)
                    if self._closed is not None:
                        raise BudgetError(self._closed)
                    self._settled.clear()
                    await self._settled.wait()
                reservation = Reservation(worst)
                self._reservations.add(reservation)
        try:
            yield reservation
        finally:
            self._reservations.remove(reservation)
            self._used += reservation.used
            self._settled.set()

    def _committed_amount(self) -> BudgetAmount:
        return sum((reservation.worst_case for reservation in self._reservations), self._used)

    def _fits(self, amount: BudgetAmount) -> bool:
        return (self._max_tokens is None or amount.tokens <= self._max_tokens) and (
            self._max_cost_usd is None or amount.usd <= self._max_cost_usd
        )

    def _format_refusal(self, worst: BudgetAmount, what: str) -> str:
        if self._max_tokens is not None and self._used.tokens + worst.tokens > self._max_tokens:
            left = max(0, self._max_tokens - self._used.tokens)
            return (
                f"Budget reached: of limits.max_tokens {self._max_tokens} there are {left} left and {what} "
                f"may need {worst.tokens}; raise the limit and resume"
            )
        most = self._max_cost_usd or 0.0
        return (
            f"Budget reached: of limits.max_cost_usd {most:.4g} there are {max(0.0, most - self._used.usd):.4f} left "
            f"and {what} may need {worst.usd:.4f}; raise the limit and resume"
        )


def _record_pieces(on_text: OnText | None, heard: list[str]) -> OnText | None:
    """`on_text`, and each piece put down in `heard`; nothing where nobody listens, as then the answer comes whole."""
    if on_text is None:
        return None

    def hear(piece: str) -> None:
        heard.append(piece)
        on_text(piece)

    return hear


def _ignore_estimate() -> None:
    """Tell nobody."""


class BudgetedModel:
    """Asks `model` within `budget`. Without a price a call is counted in tokens only, and refused where cost is bounded.

    An answer of which the server reports no tokens is counted at the estimate, and its reply says so many: `on_estimate`
    is called for each of them. So is one that broke off before any were reported; its error says so many. What failed
    before an answer began used nothing.
    """

    def __init__(
        self, model: Model, budget: Budget, price: Price | None, *, on_estimate: Callable[[], None] = _ignore_estimate
    ) -> None:
        self._model = model
        self._budget = budget
        self._price = price
        self._on_estimate = on_estimate

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`. Raises BudgetError before anything is sent, and what the model raises.

        A call that is cancelled counts with its prompt at the estimate: providers bill the prompt of a call that was
        broken off.
        """
        if self._price is None and self._budget.has_cost_limit:
            raise BudgetError(
                f"limits.max_cost_usd cannot be kept for {request.purpose}, as its model has no known price; "
                "give its provider or model a price, or drop the limit"
            )
        heard = list[str]()
        worst = estimate_max_cost_usage(
            usage_module.estimate_input_tokens(request), request.max_output_tokens, self._price
        )
        async with self._budget.reserve(self._amount(worst), f"the next call ({request.purpose})") as reservation:
            try:
                reply = self._with_usage(request, await self._model.complete(request, _record_pieces(on_text, heard)))
            except ModelError as error:
                self._set_estimated_usage(error, request, "".join(heard))
                reservation.used = self._amount(error_usage(error))
                raise
            except asyncio.CancelledError:
                reservation.used = self._amount(estimate_max_cost_usage(worst.input_tokens, 0, self._price))
                raise
            reservation.used = self._amount(reply.usage)
            return reply

    def _with_usage(self, request: Request, reply: Reply) -> Reply:
        """`reply` with the tokens it used. What a filter turned away at the door was no answer, and used none."""
        usage = reply.usage
        turned_away = reply.finish_reason == "content_filter" and not reply.text
        if usage.input_tokens + usage.output_tokens > 0 or turned_away:
            return reply
        self._on_estimate()
        said = usage_module.estimate_answer_tokens(request, reply.text or reply.refusal or "")
        answer = request.max_output_tokens if reply.truncated else said
        return replace(reply, usage=self._estimate_usage(request, answer))

    def _set_estimated_usage(self, error: ModelError, request: Request, heard: str) -> None:
        """Write on to `error` what it used at the estimate, where its answer broke off after `heard` and nothing was reported."""
        known = error_usage(error)
        if known.input_tokens + known.output_tokens > 0 or not (heard or isinstance(error, TruncatedError)):
            return
        used = self._estimate_usage(request, usage_module.estimate_answer_tokens(request, heard))
        error.input_tokens, error.output_tokens, error.estimated = used.input_tokens, used.output_tokens, True

    def _estimate_usage(self, request: Request, answer: int) -> Usage:
        """Usage of `request` and an answer of so many tokens."""
        worst = estimate_max_cost_usage(usage_module.estimate_input_tokens(request), answer, self._price)
        return worst.model_copy(update={"estimated": True})

    def _amount(self, usage: Usage) -> BudgetAmount:
        return BudgetAmount(usage.input_tokens + usage.output_tokens, compute_cost(usage, self._price) or 0.0)
