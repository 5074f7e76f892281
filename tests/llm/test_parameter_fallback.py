"""Parameters are omitted or replaced after a server has rejected them."""

import asyncio
from dataclasses import replace

import pytest
from llm_support import USAGE, Act, FakeModel, request

from debate_cli.domain.model_call import Usage
from debate_cli.errors import BudgetError, ModelError, ParameterError, ServerError
from debate_cli.llm.model import Reply
from debate_cli.llm.retry import ParameterFallbackModel

ASK = replace(request(), temperature=0.7, seed=5)
NO_TEMPERATURE = ParameterError("no temperature", parameter="temperature")
NO_SEED = ParameterError("no seed", parameter="seed")


class Run:
    """Calls through one wrapper; records requests and notes."""

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
def test_a_rejected_parameter_is_omitted(acts: tuple[Act, ...], sent: list[tuple[float | None, int | None]]) -> None:
    """One after the other; the rest of the request is unchanged, and each request counts as an attempt."""
    run = Run(*acts)
    assert (run.reply().attempts, run.sent) == (len(sent), sent)


@pytest.mark.parametrize(
    ("parameter", "note"),
    [
        ("stream_options", "lab/x does not accept stream_options; later requests omit stream_options"),
        ("max_tokens", "lab/x does not accept max_tokens; later requests send max_completion_tokens instead"),
    ],
)
def test_a_rejected_field_of_the_body_is_named_in_the_request(parameter: str, note: str) -> None:
    """The adapter omits or replaces it, in all later requests too."""
    run = Run(ParameterError("no", parameter=parameter), "x")
    run.reply()
    run.reply()
    assert [asked.omitted_fields for asked in run.model.requests] == [set(), {parameter}, {parameter}]
    assert run.notes == [note]
    assert len({asked.fingerprint() for asked in run.model.requests}) == 2


def test_a_rejected_parameter_is_not_sent_again() -> None:
    """Other clients of the same model omit it too; there is one note."""
    run = Run(NO_TEMPERATURE, "x")
    run.reply()
    run.reply()
    other = Run("x", refused=run.refused)
    other.reply()
    assert (run.sent[2:], other.sent) == ([(None, 5)], [(None, 5)])
    assert (run.notes, other.notes) == (
        ["lab/x does not accept temperature; later requests omit temperature"],
        [],
    )


@pytest.mark.parametrize("error", [ServerError("503"), BudgetError("too much"), NO_TEMPERATURE])
def test_a_second_error_counts_all_attempts(error: ModelError | BudgetError) -> None:
    """A parameter that is rejected although it was not sent is an error like any other."""
    kind: type[ModelError | BudgetError] = type(error)
    with pytest.raises(kind) as caught:
        Run(NO_TEMPERATURE, error).reply()
    assert caught.value.attempts == 1 + error.attempts


def test_a_parameter_counts_as_rejected_after_an_answer_without_it() -> None:
    """If the repeated request fails too, the next call sends the parameter again, and no note is written."""
    run = Run(NO_TEMPERATURE, ServerError("503"), "x")
    with pytest.raises(ServerError):
        run.reply()
    assert (run.refused, run.notes) == (set(), [])
    run.reply()
    assert run.sent[2] == (0.7, 5)


def test_the_usage_of_rejected_attempts_is_added() -> None:
    """The reply includes the usage of requests that the server rejected."""
    costly = ParameterError("no temperature")
    costly.usage = Usage(input_tokens=7)
    assert Run(costly, "x").reply().usage == USAGE + Usage(input_tokens=7)
