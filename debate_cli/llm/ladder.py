"""The structured-output ladder (being built; the interface is settled)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, overload

from debate_cli.domain.config import Price
from debate_cli.domain.exchange import Exchange
from debate_cli.errors import DebateError
from debate_cli.llm.form import F, Form, FormModel
from debate_cli.llm.port import Model, OnText, Request
from debate_cli.llm.profile import Profile


@dataclass(frozen=True, slots=True)
class Answer(Generic[F]):
    """What came of one question. Exactly one holds: `error` is set, `problem` is set, or the answer is good."""

    form: F | None
    """The filled-in form; None where none came or none was asked for."""
    text: str
    """The model's last own words, without its thinking; empty where it gave none."""
    exchange: Exchange
    """What all attempts together cost."""
    error: DebateError | None = None
    """A failure of the provider or the budget: no answer at all."""
    problem: str | None = None
    """Why no valid form came though the model answered; one line."""
    breaches: tuple[str, ...] = ()
    """Where `form` strays from the occasion's schema though it was asked to mend it: for the caller to judge."""


class Ladder:
    """Asks one model for forms, by the best way that it takes."""

    def __init__(
        self, model: Model, profile: Profile, *, name: str, price: Price | None = None, rejected: set[str] | None = None
    ) -> None:
        self._model = model

    @overload
    async def ask(self, request: Request, form: None, on_text: OnText | None = None) -> Answer[FormModel]: ...
    @overload
    async def ask(self, request: Request, form: Form[F], on_text: OnText | None = None) -> Answer[F]: ...
    async def ask(
        self, request: Request, form: Form[F] | None, on_text: OnText | None = None
    ) -> Answer[F] | Answer[FormModel]:
        """Ask; never raises a DebateError."""
        raise NotImplementedError


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
