"""A recorded run can be replayed without a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cassette_support import ASK, REPLY, play, record
from rehearsal_support import config_of, hold

from debate_cli.domain.debate import Debate
from debate_cli.domain.model_call import Usage
from debate_cli.errors import BudgetError, DebateError, RejectedError, ServerError, UnsupportedError
from debate_cli.llm.model import Message
from debate_cli.llm.usage import error_usage
from debate_cli.providers.cassette import CassettePlayer, CassetteRecorder


def test_a_reply_comes_back_whole(cassette: Path) -> None:
    """Text, usage, attempts, latency and the reason to stop are those that were recorded."""
    record(cassette, REPLY)
    assert play(CassettePlayer(cassette)) == REPLY


def test_another_nonce_is_the_same_request(cassette: Path) -> None:
    """The random tag of a call is ignored."""
    record(cassette, REPLY)
    again = replace(ASK, messages=(Message("user", "Motion: cats. Tag bbbb2222."),), nonce="bbbb2222")
    assert play(CassettePlayer(cassette), again) == REPLY


def test_repeats_are_served_in_order_and_the_last_one_again(cassette: Path) -> None:
    """The same request made three times, recorded twice."""
    record(cassette, replace(REPLY, text="one"), replace(REPLY, text="two"))
    player = CassettePlayer(cassette)
    assert [play(player).text for _ in range(3)] == ["one", "two", "two"]


def test_models_are_kept_apart(cassette: Path) -> None:
    """Two models asked the same thing each give their own answer."""
    record(cassette, replace(REPLY, text="one"), name="lab/one")
    record(cassette, replace(REPLY, text="two"), name="lab/two")
    player = CassettePlayer(cassette)
    assert [play(player, name=name).text for name in ("lab/two", "lab/one")] == ["two", "one"]


def test_the_player_streams(cassette: Path) -> None:
    """The streamed pieces join to the text."""
    record(cassette, REPLY)
    heard: list[str] = []
    play(CassettePlayer(cassette), on_text=heard.append)
    assert "".join(heard) == REPLY.text
    assert len(heard) > 1


@pytest.mark.parametrize(
    "error", [UnsupportedError("no schema"), RejectedError("bad"), BudgetError("too much"), ServerError("down")]
)
def test_an_error_is_replayed(cassette: Path, error: DebateError) -> None:
    """It is of the same class and says the same."""
    record(cassette, error)
    with pytest.raises(type(error), match=str(error)):
        play(CassettePlayer(cassette))


def test_the_tokens_of_an_error_are_replayed(cassette: Path) -> None:
    """Failed attempts count."""
    error = ServerError("down")
    error.attempts, error.output_tokens = 5, 77
    record(cassette, error)
    with pytest.raises(ServerError) as raised:
        play(CassettePlayer(cassette))
    assert (raised.value.attempts, raised.value.output_tokens) == (5, 77)


def test_estimates_are_replayed_as_estimates(cassette: Path) -> None:
    """Answers and errors are redacted."""
    guessed, error = Usage(input_tokens=9, estimated=True), RejectedError("bad")
    error.input_tokens, error.estimated = 9, True
    record(cassette, replace(REPLY, usage=guessed), error)
    player = CassettePlayer(cassette)
    assert play(player).usage == guessed
    with pytest.raises(RejectedError) as raised:
        play(player)
    assert error_usage(raised.value) == guessed


@pytest.mark.parametrize("error", [ServerError("down"), BudgetError("too much")])
def test_a_fault_that_passed_is_not_replayed(cassette: Path, error: DebateError) -> None:
    """Where a retry got the answer, the replay gets it at once."""
    record(cassette, error, REPLY)
    assert play(CassettePlayer(cassette)) == REPLY


def test_a_refusal_of_the_request_is_replayed_before_the_answer(cassette: Path) -> None:
    """A permanent error is replayed in its place."""
    record(cassette, RejectedError("bad"), REPLY)
    with pytest.raises(RejectedError):
        play(CassettePlayer(cassette))


SYSTEMS = ["structured", "moderator", "panel", "live", {"kind": "persuasion", "effects": "judge"}]


def _said(debate: Debate) -> dict[str, Any]:
    return debate.model_dump(mode="json", include={"turns", "assessments", "closed"})


@pytest.mark.parametrize("kind", ["structured", "free_flowing"])
def test_a_whole_debate_can_be_replayed(cassette: Path, kind: str) -> None:
    """The replay of a debate is that debate, every exchange's cost included, and no model is asked."""
    config = config_of(format={"kind": kind, "arguments": 2}, judging={"systems": SYSTEMS})
    first = hold(config, tape=CassetteRecorder(cassette))
    models = {"default": {"model": "mock/rehearsal", "faults": {"rate_limit": 1}}}
    second = hold(
        config_of(**config.model_dump(include={"format", "judging"}), models=models), tape=CassettePlayer(cassette)
    )
    assert _said(second) == _said(first)


def test_a_debate_with_faults_can_be_replayed(cassette: Path) -> None:
    """Re-asks after broken answers are replayed in order."""
    faults = {"malformed": 0.2, "rate_limit": 0.2, "truncated": 0.1}
    config = config_of(models={"default": {"model": "mock/rehearsal", "faults": faults}})
    first = hold(config, tape=CassetteRecorder(cassette))
    assert first.usage.attempts > first.usage.calls
    assert _said(hold(config, tape=CassettePlayer(cassette))) == _said(first)
