"""`MockModel`: deterministic answers, streaming, pace, simulated faults, and scripts."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from debate_cli.domain.config import MockFaults, ModelSpec
from debate_cli.errors import ConfigError, ModelError, ModelTimeoutError, PermanentError, RateLimitedError, ServerError
from debate_cli.llm.model import Message, OutputSchema, Reply, Request
from debate_cli.providers.mock.model import MockModel, SimulatedFault, pick_fault

BOMB = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 8)}]\n" for before, name in zip("abcdefg", "bcdefgh", strict=True)
)
"""Eight lines with 8⁸ words once each alias is a copy."""
ASK = Request(
    system="You judge.",
    messages=(Message("user", 'Motion: "Should cities ban cars?"\nYou are "Pro", side "for".'),),
    purpose="opening",
    max_output_tokens=500,
)
CLAIM: dict[str, Any] = {"type": "object", "properties": {"claim": {"type": "string"}}, "required": ["claim"]}


class FakeSleep:
    """Records the seconds instead of sleeping."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        """Record one sleep."""
        self.taken.append(seconds)


def model(seed: int = 7, *, sleep: Any = None, folder: Path = Path(), **fields: Any) -> MockModel:
    """A mock with these parameters."""
    spec = ModelSpec.model_validate({"model": "mock/test"} | fields)
    return MockModel(spec, seed=seed, folder=folder, sleep=sleep or FakeSleep())


def ask(mock: MockModel, request: Request = ASK) -> Reply:
    """One answer."""
    return asyncio.run(mock.complete(request))


def test_an_answer_depends_on_seed_and_request_alone() -> None:
    """The expected text was written by another process."""
    asked = replace(ASK, schema=OutputSchema("claim", CLAIM), rung="native")
    assert json.loads(ask(model(), asked).text) == {
        "claim": "People learn early what they will need anyway, and that speaks for the motion."
    }


@pytest.mark.parametrize("vary", ["seed", "model"])
def test_seeds_and_names_differ(vary: str) -> None:
    """Ten seeds, and the ten mocks of a panel, give more than three answers."""
    mocks = [model(number) if vary == "seed" else model(model=f"mock/{number}") for number in range(10)]
    assert len({ask(mock).text for mock in mocks}) > 3


def test_the_nonce_does_not_change_the_answer() -> None:
    """The nonce is the random tag of a call."""
    tagged = [
        replace(ASK, messages=(*ASK.messages, Message("user", f"[ask {nonce}] Go.")), nonce=nonce)
        for nonce in ("aaaa1111", "bbbb2222")
    ]
    assert ask(model(), tagged[0]).text == ask(model(), tagged[1]).text


def test_it_streams_in_pieces() -> None:
    """The streamed pieces join to the text of the reply."""
    pieces: list[str] = []
    reply = asyncio.run(model().complete(ASK, pieces.append))
    assert "".join(pieces) == reply.text
    assert len(pieces) > 5


@pytest.mark.parametrize(("latency_s", "pace"), [(0, None), (2, 10)])
def test_latency_pace_and_usage_are_reported(latency_s: float, pace: float | None) -> None:
    """The mock waits `latency_s`, then streams at the pace. A token is four characters."""
    sleeps = FakeSleep()
    reply = ask(model(sleep=sleeps, latency_s=latency_s, tokens_per_second=pace))
    assert sum(sleeps.taken) == pytest.approx(latency_s + (len(reply.text) / 4 / pace if pace else 0))
    assert reply.latency_s == pytest.approx(sum(sleeps.taken), abs=0.001)
    assert reply.usage.output_tokens == -(-len(reply.text) // 4)
    assert reply.usage.input_tokens == -(-ASK.input_chars // 4)


@pytest.mark.parametrize(
    ("kind", "error"), [("rate_limit", RateLimitedError), ("timeout", ModelTimeoutError), ("server_error", ServerError)]
)
def test_faults_of_the_provider_are_raised(kind: str, error: type[ModelError]) -> None:
    """A simulated fault is the error that an adapter would raise. It has the seconds that the mock waited."""
    sleeps = FakeSleep()
    with pytest.raises(error) as caught:
        ask(model(sleep=sleeps, latency_s=3, tokens_per_second=10, faults={kind: 1}))
    assert caught.value.latency_s == pytest.approx(sum(sleeps.taken), abs=0.001)


def test_a_malformed_answer_is_broken_json() -> None:
    """The JSON breaks off although the finish reason is `stop`."""
    reply = ask(model(faults={"malformed": 1}), replace(ASK, schema=OutputSchema("claim", CLAIM)))
    assert reply.finish_reason == "stop"
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(reply.text)


def test_a_truncated_answer_is_marked() -> None:
    """The text is shorter than without the fault."""
    reply = ask(model(faults={"truncated": 1}))
    assert (reply.truncated, reply.finish_reason) == (True, "length")
    assert len(reply.text) < len(ask(model()).text)


def test_a_refusal_is_a_reply() -> None:
    """A refusal is a reply without text, not an error."""
    reply = ask(model(faults={"refusal": 1}))
    assert reply.refusal
    assert reply.text == ""


def test_a_retry_can_succeed() -> None:
    """A repeated request can succeed after a failure; a second run has the same failures."""

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
def test_faults_have_their_probability(unit: float, fault: SimulatedFault | None) -> None:
    """Each fault has its probability, in a fixed order."""
    assert pick_fault(MockFaults(rate_limit=0.1, malformed=0.1, refusal=0.1), unit) == fault


class TestScript:
    """`mock/scripted`."""

    @staticmethod
    def scripted(tmp_path: Path, text: str) -> MockModel:
        """A mock whose script is `text`."""
        (tmp_path / "replies.yaml").write_text(text)
        return model(model="mock/scripted", script="replies.yaml", folder=tmp_path)

    @pytest.mark.parametrize(
        ("script", "sent"),
        [
            ("opening: I say so.", "I say so."),
            ("opening: {claim: ü, n: 1}", '{"claim": "ü", "n": 1}'),
            ('{"opening": ["a"]}', "a"),
            ('{"opening": "\\ud83d\\ude00"}', "😀"),
        ],
    )
    def test_a_string_is_sent_as_it_is_and_an_object_as_json(self, tmp_path: Path, script: str, sent: str) -> None:
        """A script in YAML or JSON gives a string unchanged and an object as JSON."""
        assert ask(self.scripted(tmp_path, script)).text == sent

    def test_a_list_is_served_in_order_and_its_last_item_repeated(self, tmp_path: Path) -> None:
        """A list can hold a broken answer followed by a good one."""
        mock = self.scripted(tmp_path, "opening: [nonsense, {claim: good}]")
        assert [ask(mock).text for _ in range(3)] == ["nonsense", '{"claim": "good"}', '{"claim": "good"}']

    def test_text_in_the_request_selects_a_reply(self, tmp_path: Path) -> None:
        """`purpose@TEXT` takes precedence over `purpose` if the prompt contains the text."""
        mock = self.scripted(tmp_path, """{opening: general, 'opening@You are "Pro"': for Pro}""")
        assert ask(mock).text == "for Pro"
        assert ask(mock, replace(ASK, messages=(Message("user", 'You are "Con"'),))).text == "general"

    def test_a_missing_purpose_is_named(self, tmp_path: Path) -> None:
        """The error names the file and the missing purpose, and is permanent."""
        with pytest.raises(PermanentError, match=r"replies\.yaml has no reply for `opening`"):
            ask(self.scripted(tmp_path, "closing: x"))

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (None, "{0}: no such file; correct the `script` of mock/scripted"),
            (b"opening: \xff", "{0}:1:10: not valid UTF-8; save the file as UTF-8"),
            (b"closing: x\nopening: a: b", "{0}:2:11: not valid YAML (mapping values are not allowed in this context); "),
            (b"opening: x\nopening: y", "{0}:2:1: opening: duplicate key; keep one"),
            (BOMB.encode(), "{0}:1:20: more than 20000 values, where each alias counts as a copy; make the file smaller"),
            (b"- opening", "{0}: the script of mock/scripted must map purposes (opening, ...) to replies; begin it with"),
        ],
    )  # fmt: skip
    def test_an_unusable_script_is_a_configuration_error(
        self, tmp_path: Path, content: bytes | None, message: str
    ) -> None:
        """The error names the file, the position if known, and what to do."""
        if content is not None:
            (tmp_path / "replies.yaml").write_bytes(content)
        with pytest.raises(ConfigError) as caught:
            model(model="mock/scripted", script="replies.yaml", folder=tmp_path)
        assert str(caught.value).startswith(message.format(tmp_path / "replies.yaml"))
