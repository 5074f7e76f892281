"""Temperature and seed are left out where a server turns them down, and only there."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from llm_support import USAGE, Act, FakeModel, request

from debate_cli.domain.model_call import Usage
from debate_cli.errors import BudgetError, ModelError, SamplingError, ServerError
from debate_cli.llm.model import Reply
from debate_cli.llm.parameter_fallback import ParameterFallbackModel

ASK = replace(request(), temperature=0.7, seed=5)
NO_TEMPERATURE = SamplingError("no temperature", parameter="temperature")
NO_SEED = SamplingError("no seed", parameter="seed")


class Run:
    """Calls through one wrapper with everything noted."""

    def __init__(self, *acts: Act, refused: set[str] | None = None) -> None:
        self.model = FakeModel(*acts)
        self.refused = set[str]() if refused is None else refused
        self.notes: list[str] = []
        self.sampled = ParameterFallbackModel(self.model, self.refused, name="lab/x", note=self.notes.append)

    def reply(self) -> Reply:
        """The reply, or the error raised."""
        return asyncio.run(self.sampled.complete(ASK))

    @property
    def sent(self) -> list[tuple[float | None, int | None]]:
        """Temperature and seed of each request."""
        return [(asked.temperature, asked.seed) for asked in self.model.requests]


@pytest.mark.parametrize(
    ("acts", "sent"),
    [
        (("x",), [(0.7, 5)]),
        ((NO_TEMPERATURE, "x"), [(0.7, 5), (None, 5)]),
        ((NO_SEED, "x"), [(0.7, 5), (0.7, None)]),
        ((NO_SEED, NO_TEMPERATURE, "x"), [(0.7, 5), (0.7, None), (None, None)]),
    ],
)
def test_what_is_turned_down_is_left_out(acts: tuple[Act, ...], sent: list[tuple[float | None, int | None]]) -> None:
    """One after the other, everything else as it was; each request counts as an attempt."""
    run = Run(*acts)
    assert (run.reply().attempts, run.sent) == (len(sent), sent)


def test_what_was_turned_down_once_is_not_sent_again() -> None:
    """Another client of the same model does not send it either; there is one note."""
    run = Run(NO_TEMPERATURE, "x")
    run.reply()
    run.reply()
    other = Run("x", refused=run.refused)
    other.reply()
    assert (run.sent[2:], other.sent) == ([(None, 5)], [(None, 5)])
    assert (run.notes, other.notes) == (["lab/x does not accept temperature; it is left out from now on"], [])


@pytest.mark.parametrize("error", [ServerError("503"), BudgetError("too much"), NO_TEMPERATURE])
def test_an_error_without_it_says_nothing_of_the_parameter(error: ModelError | BudgetError) -> None:
    """The error has all attempts, and the next question is asked with all parameters."""
    run = Run(NO_TEMPERATURE, error)
    kind: type[ModelError | BudgetError] = type(error)
    with pytest.raises(kind) as caught:
        run.reply()
    assert caught.value.attempts == 1 + error.attempts
    assert (run.refused, run.notes) == (set(), [])


def test_what_refused_attempts_used_is_added() -> None:
    """The window counts the tokens of the answer."""
    costly = SamplingError("no temperature")
    costly.input_tokens = 7
    assert Run(costly, "x").reply().usage == USAGE + Usage(input_tokens=7)
