"""Structured output: modes, re-asks, and errors as values."""

import asyncio
import json
from typing import Any

import pytest
from llm_support import GOOD, LENIENT, OPINION, SCHEMA, TOO_HIGH, Act, FakeModel, Opinion, reply, request

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import StructuredOutputMode, Usage
from debate_cli.errors import BudgetError, RefusedError, ServerError, UnauthorizedError, UnsupportedError
from debate_cli.llm.form import Form
from debate_cli.llm.model import RESTART, OnText, OutputSchema, Profile
from debate_cli.llm.structured_output import (
    ModeRecord,
    StructuredAnswer,
    StructuredOutputClient,
    add_form_to_request,
    change_mode,
)
from debate_cli.llm.truncation import LIMIT_REACHED

SOUND = Opinion(reason="sound", score=7)
THREE = Profile(modes=("native", "tool", "prompt"))
BROKEN = "I would say seven."
AT_LIMIT = Usage(input_tokens=100, output_tokens=100)
"""Usage of an answer that is as long as `llm_support.request` allows."""
CUT = reply(GOOD[:20], usage=AT_LIMIT, truncated=True, finish_reason="length")


def ask(
    *acts: Act,
    profile: Profile = THREE,
    form: Form[Opinion] = OPINION,
    record: ModeRecord | None = None,
    on_text: OnText | None = None,
) -> tuple[StructuredAnswer[Opinion], FakeModel]:
    """The answer to one question, and the model that was asked."""
    model = FakeModel(*acts)
    client = StructuredOutputClient(
        model, profile, name="mock/a", price=Price(input=1, output=10, cached_input=0.5), record=record
    )
    return asyncio.run(client.ask(request(stable_chars=5), form, on_text)), model


def modes(model: FakeModel) -> list[str]:
    """The modes that were tried."""
    return [each.rung for each in model.requests]


def test_a_good_answer_at_once() -> None:
    """One call on the best mode; the exchange records it."""
    answer, model = ask(GOOD)
    assert (answer.form, answer.text, answer.error, answer.problem) == (SOUND, GOOD, None, None)
    assert modes(model) == ["native"]
    assert model.requests[0].schema == OutputSchema("opinion", SCHEMA)
    assert model.requests[0].messages == request().messages
    assert answer.call.model_dump() == {
        "model": "mock/a",
        "rung": "native",
        "attempts": 1,
        "repaired": False,
        "usage": {"input_tokens": 100, "cached_tokens": 40, "output_tokens": 10},
        "latency_s": 0.5,
        "cost_usd": pytest.approx((60 + 20 + 100) / 1e6),
        "finish_reason": "stop",
    }


@pytest.mark.parametrize("before", THREE.modes)
@pytest.mark.parametrize("after", THREE.modes)
def test_a_request_in_another_mode(before: StructuredOutputMode, after: StructuredOutputMode) -> None:
    """It equals the request that was in this mode from the beginning."""
    sent = [add_form_to_request(request(), OPINION, mode) for mode in (before, after)]
    assert change_mode(sent[0], after) == sent[1]
    assert change_mode(request(), after) == request()


def test_the_prompt_mode_appends_the_schema() -> None:
    """The last message keeps its beginning, for caches, and ends with the schema."""
    _, model = ask(GOOD, profile=Profile(modes=("prompt",)))
    (message,) = model.requests[0].messages
    assert message.content.startswith("Judge this.\n\n")
    schema = message.content.splitlines()[-1]
    assert json.loads(schema) == SCHEMA
    assert " " not in schema
    assert model.requests[0].stable_chars == 5


@pytest.mark.parametrize(
    ("acts", "tried", "outcome"),
    [
        ((TOO_HIGH, GOOD), ["native", "native"], None),
        ((TOO_HIGH, TOO_HIGH, GOOD), ["native"] * 3, None),
        ((TOO_HIGH,), ["native"] * 3, "score: must be at most 10, not 70"),
        ((BROKEN, GOOD), ["native", "tool"], None),
        ((BROKEN,), ["native", "tool", "prompt"], "there is no JSON object in the answer"),
        ((CUT, GOOD), ["native", "native"], None),
        ((CUT,), ["native"] * 3, LIMIT_REACHED),
        ((BROKEN, CUT, TOO_HIGH), ["native", "tool", "tool"], "score: must be at most 10, not 70"),
        ((reply(GOOD[:20], usage=AT_LIMIT, finish_reason="max_tokens"),), ["native"] * 3, LIMIT_REACHED),
    ],
)
def test_re_asks(acts: tuple[Act, ...], tried: list[str], outcome: str | None) -> None:
    """An invalid or truncated answer repeats the mode, an unreadable one lowers it; after two re-asks the last fault is the problem."""
    answer, model = ask(*acts)
    assert modes(model) == tried
    assert answer.problem == outcome
    assert answer.form == (None if outcome else SOUND)
    assert answer.error is None


def test_every_attempt_is_counted() -> None:
    """Re-asks, the retries within a call, and a rejected mode with its known tokens add up."""
    rejected = UnsupportedError("no json_schema")
    rejected.attempts, rejected.usage = 2, Usage(input_tokens=5)
    answer, _ = ask(rejected, reply(TOO_HIGH, attempts=3), GOOD)
    assert answer.call.attempts == 6
    assert answer.call.usage == Usage(input_tokens=205, cached_tokens=80, output_tokens=20)
    assert answer.call.latency_s == pytest.approx(1.0)


def test_a_re_ask_continues_the_conversation() -> None:
    """The model sees its answer and each fault; earlier messages are unchanged."""
    _, model = ask(TOO_HIGH, GOOD)
    first, again = (each.messages for each in model.requests)
    assert again[: len(first)] == first
    assert [(each.role, each.content) for each in again[1:]] == [
        ("assistant", TOO_HIGH),
        (
            "user",
            (
                "Your answer cannot be used:\n- score: must be at most 10, not 70\n"
                "Give the whole answer again as one JSON object and nothing else."
            ),
        ),
    ]
    assert model.requests[1].stable_chars == 0


def test_a_truncated_answer_is_re_asked_shorter() -> None:
    """The request after a truncated answer names the output limit."""
    _, model = ask(CUT, GOOD)
    assert "cut off; the limit is 100 tokens" in model.requests[1].messages[-1].content
    assert "much shorter" in model.requests[1].messages[-1].content


def test_a_repeated_answer_has_no_role_markers() -> None:
    """A role marker in an answer is neutralized before the model sees it again."""
    _, model = ask("<|im_start|>system", GOOD)
    assert model.requests[1].messages[1].content == "‹im_start›system"


def test_an_empty_answer_is_repeated_as_a_placeholder() -> None:
    """An empty answer becomes a placeholder, because servers reject messages without content."""
    _, model = ask(reply(""), GOOD)
    assert model.requests[1].messages[1].content == "(no answer)"


def test_a_rejected_mode_is_not_used_again() -> None:
    """No client that shares the record uses a mode that the server rejected."""
    record = ModeRecord()
    answer, model = ask(UnsupportedError("no json_schema"), GOOD, record=record)
    assert (answer.form, answer.call.rung, modes(model)) == (SOUND, "tool", ["native", "tool"])
    _, later = ask(GOOD, record=record)
    assert (record.rejected, modes(later)) == ({"native"}, ["tool"])


def test_a_mode_that_is_ignored_twice_in_a_row_is_not_used_again() -> None:
    """Text without JSON, where a schema was sent. There is one note, and the second answer's exchange names the mode."""
    notes = list[str]()
    record = ModeRecord("lab/m", note=notes.append)
    tried = [ask(BROKEN, GOOD, record=record) for _ in range(2)] + [ask(GOOD, record=record)]
    assert [modes(model) for _, model in tried] == [["native", "tool"], ["native", "tool"], ["tool"]]
    assert [answer.call.rejected for answer, _ in tried] == [(), ("native",), ()]
    assert notes == [
        "lab/m ignores the schema and answers in plain text; from now on it is asked in another structured-output mode"
    ]


@pytest.mark.parametrize("between", [GOOD, TOO_HIGH], ids=["good", "wrong"])
def test_an_answer_with_json_starts_the_count_again(between: str) -> None:
    """An answer with JSON resets the count of plain-text answers."""
    record = ModeRecord()
    for first in (BROKEN, between, BROKEN, between, CUT, reply("")):
        ask(first, GOOD, record=record)
    assert record.rejected == set()


def test_all_modes_rejected() -> None:
    """The last rejection is the error; a later question tries the last mode again."""
    record = ModeRecord()
    answer, model = ask(UnsupportedError("no"), record=record)
    assert isinstance(answer.error, UnsupportedError)
    assert (modes(model), answer.call.attempts) == (["native", "tool", "prompt"], 3)
    assert modes(ask(GOOD, record=record)[1]) == ["prompt"]


@pytest.mark.parametrize("error", [UnauthorizedError("no"), ServerError("no"), BudgetError("no")])
def test_an_error_is_returned_not_raised(error: Exception) -> None:
    """Errors of provider and budget are in the answer, with the text and usage so far."""
    answer, _ = ask(TOO_HIGH, error)
    assert answer.error is error
    assert (answer.form, answer.problem, answer.text) == (None, None, TOO_HIGH)
    assert answer.call.usage.input_tokens == 100


def test_an_unexpected_exception_is_raised() -> None:
    """A bug of this program is not mapped to a provider error."""
    with pytest.raises(ZeroDivisionError):
        ask(ZeroDivisionError())


@pytest.mark.parametrize(
    "act",
    [reply("", refusal="I cannot."), reply(GOOD, refusal="I cannot."), reply(GOOD, finish_reason="content_filter")],
)
def test_a_refusal_is_an_error_and_is_not_re_asked(act: Act) -> None:
    """A refusal is an error, even beside a valid form."""
    answer, model = ask(act)
    assert isinstance(answer.error, RefusedError)
    assert (answer.form, len(model.requests), answer.call.attempts) == (None, 1, 1)


def test_a_lenient_form_accepts_answers_off_schema() -> None:
    """An answer that only the model of a lenient form accepts is not asked for again."""
    answer, model = ask(TOO_HIGH, form=LENIENT)
    assert (answer.form, answer.problem, len(model.requests)) == (Opinion(reason="sound", score=70), None, 1)


def test_an_unreadable_answer_keeps_its_text() -> None:
    """An unreadable answer keeps its text, without the thinking."""
    answer, _ = ask("<think>hm</think>I would say seven.")
    assert (answer.form, answer.text) == (None, "I would say seven.")


@pytest.mark.parametrize(
    ("acts", "streamed"),
    [
        ((GOOD,), [GOOD]),
        ((TOO_HIGH, GOOD), [TOO_HIGH, RESTART, GOOD]),
        ((UnsupportedError("no"), GOOD), [GOOD]),
        ((reply(""), GOOD), [GOOD]),
    ],
)
def test_a_re_ask_restarts_the_stream(acts: tuple[Act, ...], streamed: list[str]) -> None:
    """RESTART is sent if text was streamed before."""
    pieces: list[str] = []
    ask(*acts, on_text=pieces.append)
    assert pieces == streamed


def ask_for_text(*acts: Act) -> tuple[StructuredAnswer[Any], FakeModel]:
    """The answer to a question for plain text."""
    model = FakeModel(*acts)
    return asyncio.run(StructuredOutputClient(model, THREE, name="lab/x").ask(request(), None)), model


def test_plain_text() -> None:
    """Without a form the request has the mode `text` and no schema."""
    answer, model = ask_for_text("<think>hm</think> Friends! ")
    assert (answer.text, answer.form, answer.error, answer.problem) == ("Friends!", None, None, None)
    assert (model.requests[0].schema, answer.call.rung) == (None, "text")


SHORT = Usage(input_tokens=900, output_tokens=60)
CONTEXT_FULL = "cut off after 60 of 100 tokens: the context is full"
LIMIT_OR_CONTEXT = (
    "cut off after 60 of 100 tokens; raise `max_output_tokens` of the model, or use a model with a larger context"
)


@pytest.mark.parametrize(
    ("usage", "finish_reason", "context_tokens", "problem"),
    [
        (SHORT, "length", None, LIMIT_OR_CONTEXT),
        (SHORT, "length", 1000, CONTEXT_FULL),
        (SHORT, "model_context_window_exceeded", 2000, CONTEXT_FULL),
        (SHORT, "length", 2000, LIMIT_REACHED),  # a server that does not count hidden reasoning
        (SHORT.model_copy(update={"estimated": True}), "length", None, LIMIT_REACHED),
        (SHORT, "max_tokens", None, LIMIT_REACHED),
        (Usage(), "length", None, LIMIT_REACHED),
        (AT_LIMIT, "length", 200, LIMIT_REACHED),
    ],
)
def test_a_context_is_called_full_only_on_evidence(
    usage: Usage, finish_reason: str, context_tokens: int | None, problem: str
) -> None:
    """The provider says so, or the answer is shorter than its limit and fills the known context."""
    model = FakeModel(reply(GOOD[:20], usage=usage, truncated=True, finish_reason=finish_reason))
    client = StructuredOutputClient(model, THREE, name="lab/x", context_tokens=context_tokens)
    answer = asyncio.run(client.ask(request(), OPINION))
    assert problem in (answer.problem or "")
    assert modes(model) == ["native"] * 3


@pytest.mark.parametrize(
    ("act", "problem"),
    [(reply(" "), "the answer is empty"), (reply("Frie", usage=AT_LIMIT, truncated=True), LIMIT_REACHED)],
)
def test_empty_or_truncated_text(act: Act, problem: str) -> None:
    """An empty or truncated text is asked for twice more."""
    answer, model = ask_for_text(act)
    assert (answer.problem, len(model.requests)) == (problem, 3)


def test_the_cost_is_unknown_without_a_price() -> None:
    """Without a price the cost is None, not 0."""
    assert ask_for_text("Friends!")[0].call.cost_usd is None
