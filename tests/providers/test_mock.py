"""The mock answers any request the same everywhere, in pieces, at the pace and with the faults that it is given."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from debate_cli.domain.config import MockFaults, ModelSpec
from debate_cli.errors import ConfigError, ModelTimeoutError, PermanentError, RateLimitedError, ServerError
from debate_cli.llm.model import Message, OutputSchema, Reply, Request
from debate_cli.providers.mock.model import SIMULATED_FAULTS, MockModel, SimulatedFault, pick_fault, split_words

ASK = Request(
    system="You judge.",
    messages=(Message("user", 'Motion: "Should cities ban cars?"\nYou are "Pro", side "for".'),),
    purpose="opening",
    max_output_tokens=500,
)
CLAIM: dict[str, Any] = {"type": "object", "properties": {"claim": {"type": "string"}}, "required": ["claim"]}


class Naps:
    """Sleeping that takes no time and is remembered."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        """Note the nap."""
        self.taken.append(seconds)


def model(seed: int = 7, *, sleep: Any = None, folder: Path = Path(), **fields: Any) -> MockModel:
    """A mock with these parameters."""
    spec = ModelSpec.model_validate({"model": "mock/test"} | fields)
    return MockModel(spec, seed=seed, folder=folder, sleep=sleep or Naps())


def ask(mock: MockModel, request: Request = ASK) -> Reply:
    """One answer."""
    return asyncio.run(mock.complete(request))


def test_the_same_request_has_the_same_answer() -> None:
    """Two mocks of one seed and name agree."""
    assert ask(model()).text == ask(model()).text


def test_an_answer_is_the_same_on_every_machine() -> None:
    """The words follow from seed and request alone; this text was written by another process."""
    asked = replace(ASK, schema=OutputSchema("claim", CLAIM), rung="native")
    assert json.loads(ask(model(), asked).text) == {
        "claim": "People learn early what they will need anyway, and that speaks for the motion."
    }


def test_seeds_differ() -> None:
    """Ten seeds do not all say the same."""
    assert len({ask(model(seed)).text for seed in range(10)}) > 3


def test_models_of_other_names_differ() -> None:
    """A panel of several mocks does not speak with one voice."""
    assert len({ask(model(model=f"mock/{name}")).text for name in "abcdefghij"}) > 3


def test_the_nonce_has_no_influence() -> None:
    """The random tag of a call changes nothing in the answer."""
    tagged = [
        replace(ASK, messages=(*ASK.messages, Message("user", f"[ask {nonce}] Go.")), nonce=nonce)
        for nonce in ("aaaa1111", "bbbb2222")
    ]
    assert ask(model(), tagged[0]).text == ask(model(), tagged[1]).text


def test_usage_is_about_a_quarter_of_the_characters() -> None:
    """Tokens are reported, as many as text of that length has."""
    reply = ask(model())
    assert reply.usage.output_tokens == -(-len(reply.text) // 4)
    assert reply.usage.input_tokens == -(-ASK.input_chars // 4)


def test_it_streams_in_pieces() -> None:
    """What arrives piece by piece is the reply's text, and it is more than one piece."""
    heard: list[str] = []
    reply = asyncio.run(model().complete(ASK, heard.append))
    assert "".join(heard) == reply.text
    assert len(heard) > 5


@pytest.mark.parametrize("text", ["", " ", "one", " two  words ", "a\n\nb c\td ", '{"x": [1, 2]}'])
def test_pieces_join_to_the_text(text: str) -> None:
    """No character is lost between the pieces."""
    assert "".join(split_words(text)) == text


def test_without_a_pace_nothing_is_waited_for() -> None:
    """A mock that is not told to be slow only lets others go on."""
    naps = Naps()
    reply = ask(model(sleep=naps))
    assert sum(naps.taken) == 0
    assert reply.latency_s == 0


def test_latency_and_pace_are_slept_and_reported() -> None:
    """The first token comes after `latency_s`, the others at the pace; the reply says how long it took."""
    naps = Naps()
    reply = ask(model(sleep=naps, latency_s=2, tokens_per_second=10))
    assert naps.taken[0] == 2
    assert sum(naps.taken) == pytest.approx(2 + len(reply.text) / 40)
    assert reply.latency_s == pytest.approx(sum(naps.taken), abs=0.001)


@pytest.mark.parametrize(
    ("kind", "error"),
    [("rate_limit", RateLimitedError), ("timeout", ModelTimeoutError), ("server_error", ServerError)],
)
def test_faults_of_the_provider_are_raised(kind: str, error: type[Exception]) -> None:
    """A simulated fault is the error that an adapter would raise."""
    with pytest.raises(error):
        ask(model(faults={kind: 1}))


def test_a_malformed_answer_is_no_json() -> None:
    """What should be JSON breaks off, and nothing tells so but the text."""
    reply = ask(model(faults={"malformed": 1}), replace(ASK, schema=OutputSchema("claim", CLAIM)))
    assert reply.finish_reason == "stop"
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(reply.text)


def test_a_truncated_answer_says_so() -> None:
    """The text is shorter than the whole one, and marked."""
    reply = ask(model(faults={"truncated": 1}))
    assert (reply.truncated, reply.finish_reason) == (True, "length")
    assert len(reply.text) < len(ask(model()).text)


def test_a_refusal_is_a_reply() -> None:
    """Declining is data, without a text."""
    reply = ask(model(faults={"refusal": 1}))
    assert reply.refusal
    assert reply.text == ""


def test_a_retry_draws_again() -> None:
    """The same request made again may succeed where it failed, and the same calls fail in a second run."""

    def outcomes() -> list[bool]:
        mock, found = model(faults={"rate_limit": 0.5}), list[bool]()
        for _ in range(12):
            try:
                found.append(bool(ask(mock)))
            except RateLimitedError:
                found.append(False)
        return found

    first = outcomes()
    assert {True, False} == set(first)
    assert first == outcomes()


@pytest.mark.parametrize(("unit", "fault"), [(0.05, "rate_limit"), (0.15, "malformed"), (0.25, "refusal"), (0.9, None)])
def test_shares_lie_side_by_side(unit: float, fault: SimulatedFault | None) -> None:
    """Each kind of fault takes its share of the draws, in a fixed order."""
    assert pick_fault(MockFaults(rate_limit=0.1, malformed=0.1, refusal=0.1), unit) == fault


def test_every_fault_of_the_configuration_is_known() -> None:
    """No key of `faults` is without effect."""
    assert set(SIMULATED_FAULTS) == set(MockFaults.model_fields)


class TestScript:
    """`mock/scripted`."""

    @staticmethod
    def scripted(tmp_path: Path, text: str) -> MockModel:
        """A mock whose script is `text`."""
        (tmp_path / "replies.yaml").write_text(text)
        return model(model="mock/scripted", script="replies.yaml", folder=tmp_path)

    def test_a_string_is_sent_as_it_is(self, tmp_path: Path) -> None:
        """No quotes are put around it."""
        assert ask(self.scripted(tmp_path, "opening: I say so.")).text == "I say so."

    def test_an_object_is_sent_as_json(self, tmp_path: Path) -> None:
        """YAML in, JSON out."""
        assert ask(self.scripted(tmp_path, "opening: {claim: ü, n: 1}")).text == '{"claim": "ü", "n": 1}'

    def test_json_is_a_script_too(self, tmp_path: Path) -> None:
        """A JSON file is read as well."""
        assert ask(self.scripted(tmp_path, '{"opening": ["a"]}')).text == "a"

    def test_a_list_is_served_in_order_and_its_last_item_repeated(self, tmp_path: Path) -> None:
        """So a broken answer can be followed by a good one."""
        mock = self.scripted(tmp_path, "opening: [nonsense, {claim: good}]")
        assert [ask(mock).text for _ in range(3)] == ["nonsense", '{"claim": "good"}', '{"claim": "good"}']

    def test_words_in_the_request_choose_a_reply_of_their_own(self, tmp_path: Path) -> None:
        """`purpose@WORDS` goes before `purpose` where the words are found."""
        mock = self.scripted(tmp_path, """{opening: general, 'opening@You are "Pro"': for Pro}""")
        assert ask(mock).text == "for Pro"
        assert ask(mock, replace(ASK, messages=(Message("user", 'You are "Con"'),))).text == "general"

    def test_a_purpose_that_is_missing_is_named(self, tmp_path: Path) -> None:
        """The error says which file lacks what, and asking again would not help."""
        with pytest.raises(PermanentError, match=r"replies\.yaml has no reply for `opening`"):
            ask(self.scripted(tmp_path, "closing: x"))

    @pytest.mark.parametrize("text", ["- a list", "just words", "{broken", ""])
    def test_a_file_that_is_no_mapping_is_a_configuration_error(self, tmp_path: Path, text: str) -> None:
        """It is found when the model is built, and the file is named."""
        with pytest.raises(ConfigError, match=r"replies\.yaml"):
            self.scripted(tmp_path, text)

    def test_a_file_that_is_missing_is_a_configuration_error(self, tmp_path: Path) -> None:
        """The path is in the message."""
        with pytest.raises(ConfigError, match=r"nowhere\.yaml"):
            model(model="mock/scripted", script="nowhere.yaml", folder=tmp_path)

    def test_a_script_that_cannot_be_read_is_placed(self, tmp_path: Path) -> None:
        """With file, line and column, and without the words of a parser."""
        with pytest.raises(ConfigError) as caught:
            self.scripted(tmp_path, "closing: x\nopening: a: b")
        assert f"{tmp_path}/replies.yaml:2:11: " in str(caught.value)
        assert "mapping values" not in str(caught.value)

    def test_a_script_must_be_named(self) -> None:
        """`mock/scripted` without `script` cannot answer."""
        with pytest.raises(ConfigError, match="script"):
            model(model="mock/scripted")
