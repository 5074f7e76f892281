"""The structured-output ladder: asks one model for a form, by the best way that the model takes.

A client of the port, not a wrapper. Reading a reply is `llm.parsing`; trying again after a fault of the provider is
`llm.retry`; what to do when no form comes is the caller's.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any, Generic, overload

from debate_cli.domain.config import Price
from debate_cli.domain.exchange import Exchange, Rung
from debate_cli.errors import DebateError, RefusedError, UnsupportedError
from debate_cli.llm import posing
from debate_cli.llm.form import F, Form, FormModel
from debate_cli.llm.parsing import Parsed, parse, spoken
from debate_cli.llm.patience import lent_to
from debate_cli.llm.port import Model, OnText, Reply, Request
from debate_cli.llm.prices import cost
from debate_cli.llm.profile import Profile
from debate_cli.llm.quoting import clean
from debate_cli.llm.spending import Spending
from debate_cli.llm.streaming import Restartable, restartable

MAX_REASKS = 2
"""How often an answer that is not valid is asked for again."""
_CUT_OFF = frozenset({"length", "max_tokens"})
_DECLINED = frozenset({"content_filter", "refusal", "safety"})
"""Finish reasons, for adapters that leave the Reply's own fields unset."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[F]):
    """What came of one question: `error` is set, or `problem` is set, or the answer is good."""

    form: F | None
    """The filled-in form; None where none came or none was asked for."""
    text: str
    """The model's last own words, without its thinking; empty where it gave none."""
    exchange: Exchange
    """What all attempts together cost."""
    error: DebateError | None = None
    """A failure of the provider or the budget, or a refusal."""
    problem: str | None = None
    """Why no valid form came though the model answered, on one line: `truncated`, or what is wrong with the last answer."""
    late: bool = False
    """Whether patience ran out; `problem` says so too. What the exchange counts is then the least that was used."""


class Ladder:
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
    ) -> Answer[FormModel]: ...
    @overload
    async def ask(
        self, request: Request, form: Form[F], on_text: OnText | None = None, *, patience_s: float | None = None
    ) -> Answer[F]: ...
    async def ask(
        self,
        request: Request,
        form: Form[Any] | None,
        on_text: OnText | None = None,
        *,
        patience_s: float | None = None,
    ) -> Answer[Any]:
        """Ask for `form`, or for plain text where it is None. Never raises a DebateError.

        `request` comes without schema and rung. Re-asks and lower rungs start the stream over with RESTART. After
        `patience_s` seconds, all attempts together and not counting the wait for a free place, the question is given up.
        """
        asking = _Asking(request, form, self._rungs(form))
        patience = asyncio.timeout(patience_s)
        try:
            async with patience:
                with lent_to(patience):
                    return await self._climb(asking, restartable(on_text))
        except TimeoutError:
            if not patience.expired():
                raise
            asking.spent.attempts += 1  # the one under way
            return replace(self._answer(asking, problem="no answer in time"), late=True)

    async def _climb(self, asking: _Asking, stream: Restartable | None) -> Answer[Any]:
        while True:
            if stream is not None:
                stream.restart()
            try:
                reply = await self._model.complete(asking.request, stream)
            except UnsupportedError as error:
                self._rejected.add(asking.rung)
                if not asking.step_down(error):
                    return self._answer(asking, error=error)
                continue
            except DebateError as error:
                asking.spent.failed(error)
                return self._answer(asking, error=error)
            reading = asking.read(reply)
            if isinstance(reading, RefusedError):
                return self._answer(asking, error=reading)
            if asking.is_good(reading):
                return self._answer(asking, reading=reading)
            if not asking.ask_again(reading):
                return self._answer(asking, problem="; ".join(reading.faults))

    def _rungs(self, form: Form[Any] | None) -> tuple[Rung, ...]:
        if form is None:
            return ("text",)
        return tuple(rung for rung in self._profile.rungs if rung not in self._rejected) or self._profile.rungs[-1:]

    def _answer(
        self,
        asking: _Asking,
        *,
        reading: Parsed[Any] | None = None,
        error: DebateError | None = None,
        problem: str | None = None,
    ) -> Answer[Any]:
        spent = asking.spent
        exchange = Exchange(
            model=self._name,
            rung=asking.rung,
            attempts=spent.attempts,
            repaired=reading is not None and reading.repaired,
            usage=spent.usage,
            latency_s=spent.latency_s,
            cost_usd=cost(spent.usage, self._price),
            finish_reason=asking.finish_reason,
        )
        form = None if reading is None else reading.form
        return Answer(form=form, text=asking.text, exchange=exchange, error=error, problem=problem)


class _Asking:
    """One question under way: what is asked next, what was spent, what the model last said."""

    def __init__(self, request: Request, form: Form[Any] | None, rungs: tuple[Rung, ...]) -> None:
        self._form = form
        self._rungs = rungs
        self._reasks = 0
        self._conversation = request
        self.request = posing.posed(request, form, rungs[0])
        self.spent = Spending()
        self.text = ""
        self.finish_reason: str | None = None

    @property
    def rung(self) -> Rung:
        """The way that is asked now."""
        return self._rungs[0]

    def step_down(self, error: UnsupportedError) -> bool:
        """Go on with the next rung after the server rejected this one; False where there is none."""
        self.spent.failed(error)
        if len(self._rungs) == 1:
            return False
        self._lower()
        return True

    def read(self, reply: Reply) -> Parsed[Any] | RefusedError:
        """What `reply` holds: finish reason and refusal first, then its text."""
        self.spent.replied(reply)
        self.finish_reason = reply.finish_reason
        self.text = spoken(reply.text)
        if reply.refusal is not None or reply.finish_reason in _DECLINED:
            words = " ".join(clean(reply.refusal or "").split())[:200]
            if not words or (self._form is not None and words.startswith("{")):  # the beginning of a form is no reason
                words = "no reason given"
            return RefusedError(f"The model declined to answer ({self.request.purpose}): {words}")
        truncated = reply.truncated or reply.finish_reason in _CUT_OFF
        if self._form is not None:
            parsed = parse(reply.text, self._form, truncated=truncated)
            return parsed if self.is_good(parsed) or not truncated else posing.CUT_OFF
        if truncated:
            return posing.CUT_OFF
        return Parsed("valid") if self.text else posing.EMPTY

    def is_good(self, reading: Parsed[Any]) -> bool:
        """Whether the answer can be used."""
        lenient = self._form is not None and self._form.lenient
        return reading.outcome == "valid" or (lenient and reading.outcome == "strayed")

    def ask_again(self, reading: Parsed[Any]) -> bool:
        """Make the next request out of what was wrong with the answer; False when it was asked for often enough."""
        if self._reasks == MAX_REASKS:
            return False
        self._reasks += 1
        self._conversation = posing.again(self._conversation, self.text, reading)
        if reading.outcome == "formless" and reading is not posing.CUT_OFF and len(self._rungs) > 1:
            self._lower()
        else:
            self.request = posing.posed(self._conversation, self._form, self.rung)
        return True

    def _lower(self) -> None:
        self._rungs = self._rungs[1:]
        self.request = posing.posed(self._conversation, self._form, self.rung)


@dataclass(frozen=True, slots=True)
class Voice:
    """What an actor speaks with."""

    ladder: Ladder
    name: str
    """`provider/model`."""
    max_output_tokens: int
    temperature: float | None = None
    """Takes the place of the temperature of the occasion; None leaves that."""
    seed: int | None = None
