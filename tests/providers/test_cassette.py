"""A recorded run can be replayed without a model; what a cassette does not know, it explains."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rehearsal_support import config_of, hold

from debate_cli.domain.debate import Debate
from debate_cli.domain.exchange import Usage
from debate_cli.errors import (
    BudgetError,
    ConfigError,
    DebateError,
    PermanentError,
    RejectedError,
    ServerError,
    StorageError,
    UnsupportedError,
)
from debate_cli.llm.port import Message, OnText, Reply, Request, Schema
from debate_cli.providers.cassette import Player, Recorder

ASK = Request(
    system="Rules.",
    messages=(Message("user", "Motion: cats. Tag aaaa1111."),),
    purpose="opening",
    max_output_tokens=100,
    schema=Schema("s", {"type": "object"}),
    rung="native",
    temperature=0.7,
    nonce="aaaa1111",
)
REPLY = Reply(
    text='{"claim": "Katzen – ja."}',
    usage=Usage(input_tokens=9, cached_tokens=3, output_tokens=5),
    finish_reason="stop",
    latency_s=1.25,
    attempts=2,
)


class Said:
    """A model that says or raises what it is given, in order."""

    def __init__(self, *acts: Reply | DebateError) -> None:
        self._acts = list(acts)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:  # noqa: ARG002 - the port
        """The next act."""
        act = self._acts.pop(0)
        if isinstance(act, DebateError):
            raise act
        return act


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the cassette is."""
    return tmp_path / "run.cassette"


def record(
    path: Path,
    *acts: Reply | DebateError,
    request: Request = ASK,
    redact: Callable[[str], str] = str,
    name: str = "lab/m",
) -> list[Reply]:
    """Record `acts` as answers to the same request; returns the replies that the caller heard."""
    model, heard = Recorder(path, redact).wrap(name, Said(*acts)), list[Reply]()
    for act in acts:
        if isinstance(act, DebateError):
            with pytest.raises(type(act)):
                asyncio.run(model.complete(request))
        else:
            heard.append(asyncio.run(model.complete(request)))
    return heard


def play(player: Player, request: Request = ASK, name: str = "lab/m", on_text: OnText | None = None) -> Reply:
    """The recorded answer; the model behind must not be asked."""
    return asyncio.run(player.wrap(name, Said()).complete(request, on_text))


def test_a_reply_comes_back_whole(path: Path) -> None:
    """Text, usage, attempts, latency and the reason to stop are those that were recorded."""
    record(path, REPLY)
    assert play(Player(path)) == REPLY


def test_another_nonce_is_the_same_request(path: Path) -> None:
    """The random tag of a call plays no part."""
    record(path, REPLY)
    again = replace(ASK, messages=(Message("user", "Motion: cats. Tag bbbb2222."),), nonce="bbbb2222")
    assert play(Player(path), again) == REPLY


def test_repeats_are_served_in_order_and_the_last_one_again(path: Path) -> None:
    """The same request made three times, recorded twice."""
    record(path, replace(REPLY, text="one"), replace(REPLY, text="two"))
    player = Player(path)
    assert [play(player).text for _ in range(3)] == ["one", "two", "two"]


def test_models_are_kept_apart(path: Path) -> None:
    """Two models asked the same thing each give their own answer."""
    record(path, replace(REPLY, text="one"), name="lab/one")
    record(path, replace(REPLY, text="two"), name="lab/two")
    player = Player(path)
    assert [play(player, name=name).text for name in ("lab/two", "lab/one")] == ["two", "one"]


def test_the_player_streams(path: Path) -> None:
    """What is heard in pieces is the text."""
    record(path, REPLY)
    heard: list[str] = []
    play(Player(path), on_text=heard.append)
    assert "".join(heard) == REPLY.text
    assert len(heard) > 1


@pytest.mark.parametrize(
    "error", [UnsupportedError("no schema"), RejectedError("bad"), BudgetError("too much"), ServerError("down")]
)
def test_an_error_is_replayed(path: Path, error: DebateError) -> None:
    """It is of the same class and says the same."""
    record(path, error)
    with pytest.raises(type(error), match=str(error)):
        play(Player(path))


def test_the_tokens_of_an_error_are_replayed(path: Path) -> None:
    """What failed attempts cost is not lost."""
    error = ServerError("down")
    error.attempts, error.output_tokens = 5, 77
    record(path, error)
    with pytest.raises(ServerError) as raised:
        play(Player(path))
    assert (raised.value.attempts, raised.value.output_tokens) == (5, 77)


@pytest.mark.parametrize("error", [ServerError("down"), BudgetError("too much")])
def test_a_fault_that_passed_is_not_replayed(path: Path, error: DebateError) -> None:
    """Where a resumed recording got the answer after all, the replay gets it at once."""
    record(path, error, REPLY)
    assert play(Player(path)) == REPLY


def test_a_refusal_of_the_request_is_replayed_before_the_answer(path: Path) -> None:
    """An error that says something about the request keeps its place."""
    record(path, RejectedError("bad"), REPLY)
    with pytest.raises(RejectedError):
        play(Player(path))


def test_only_the_owner_can_read_it(path: Path) -> None:
    """Mode 0600, also where the file was there and more open."""
    record(path, REPLY)
    path.chmod(0o644)
    Recorder(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_begins_with_its_version(path: Path) -> None:
    """The header is there before the first exchange."""
    Recorder(path)
    assert json.loads(path.read_text()) == {"cassette_version": 1}


def test_it_can_be_read_by_people(path: Path) -> None:
    """A line holds fingerprint, model, purpose and the request in its own words."""
    record(path, REPLY)
    line = json.loads(path.read_text().splitlines()[1])
    assert line["fingerprint"] == ASK.fingerprint()
    assert (line["model"], line["request"]["purpose"]) == ("lab/m", "opening")
    assert line["request"]["messages"] == [{"role": "user", "content": "Motion: cats. Tag NONCE."}]


class TestSecrets:
    """Redaction."""

    SECRET = "hunter2hunter2"

    @classmethod
    def redact(cls, text: str) -> str:
        """Take the secret out."""
        return text.replace(cls.SECRET, "[redacted]")

    def test_no_secret_is_written(self, path: Path) -> None:
        """Neither from requests nor from replies nor from errors."""
        request = replace(ASK, system=f"Key {self.SECRET}.")
        reply = replace(REPLY, text=f"It is {self.SECRET}.")
        record(path, reply, RejectedError(f"bad {self.SECRET}"), request=request, redact=self.redact)
        assert self.SECRET not in path.read_text()

    def test_the_recording_run_hears_what_the_replay_will_hear(self, path: Path) -> None:
        """Otherwise the replay would ask other questions afterwards."""
        heard = record(path, replace(REPLY, text=f"It is {self.SECRET}."), redact=self.redact)
        assert heard == [play(Player(path))]

    def test_a_request_with_a_secret_is_found_again(self, path: Path) -> None:
        """A player that knows the secret looks for the request without it."""
        request = replace(ASK, system=f"Key {self.SECRET}.")
        record(path, REPLY, request=request, redact=self.redact)
        assert play(Player(path, self.redact), request) == REPLY


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (replace(ASK, system="Rules!"), r'system prompt differs from character 6 on: it was "\." and is "!"'),
        (
            replace(ASK, messages=(Message("user", "Motion: dogs."),), nonce=""),
            r'message 1 \(user\) differs .* is "dogs\."',
        ),
        (replace(ASK, messages=(*ASK.messages, Message("user", "More."))), r"message 2 \(user\) is new"),
        (replace(ASK, schema=Schema("s", {"type": "array"})), r"the schema differs"),
        (replace(ASK, schema=None), r"the schema is missing"),
        (replace(ASK, temperature=0.5), r"temperature was 0\.7 and is 0\.5"),
        (replace(ASK, max_output_tokens=7), r"max_output_tokens was 100 and is 7"),
        (replace(ASK, seed=3), r"seed was None and is 3"),
        (replace(ASK, rung="prompt"), r"rung was native and is prompt"),
        (replace(ASK, purpose="closing"), r"nor to any other for that purpose"),
    ],
)
def test_an_unknown_request_is_compared_with_the_nearest(path: Path, changed: Request, told: str) -> None:
    """The error names what differs, and asking again would not help."""
    record(path, REPLY)
    with pytest.raises(PermanentError, match=told):
        play(Player(path), changed)


def test_another_model_is_told(path: Path) -> None:
    """A model that was renamed is the difference."""
    record(path, REPLY)
    with pytest.raises(PermanentError, match="the model was lab/m and is lab/n"):
        play(Player(path), name="lab/n")


def test_the_nearest_is_the_one_with_the_longest_common_beginning(path: Path) -> None:
    """Among two recorded requests of one purpose, the more similar is compared with."""
    record(path, REPLY, request=replace(ASK, messages=(Message("user", "Motion: dogs. A"),)))
    record(path, REPLY, request=replace(ASK, messages=(Message("user", "Motion: cats. A"),)))
    with pytest.raises(
        PermanentError, match=r'line 3, message 1 \(user\) differs from character 15 on: it was "A" and is "B"'
    ):
        play(Player(path), replace(ASK, messages=(Message("user", "Motion: cats. B"),)))


def test_control_characters_do_not_reach_the_error(path: Path) -> None:
    """Untrusted words are told as JSON writes them, on one line."""
    record(path, REPLY)
    with pytest.raises(PermanentError) as raised:
        play(Player(path), replace(ASK, system="Rules\x1b[31m\n."))
    assert str(raised.value).isprintable()


HEADER = '{"cassette_version": 1}\n'


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "line 1"),
        ("hello\n", "line 1"),
        ("[1]\n", "line 1"),
        ('{"cassette_version": 2}\n', "version 2"),
        (HEADER + "{}\n", "line 2.*fingerprint"),
        (HEADER + "nonsense\n", "line 2"),
        (HEADER + '{"fingerprint": "x", "model"', "line 2.*broke off"),
    ],
)
def test_a_damaged_cassette_is_told_with_its_line(path: Path, content: str, told: str) -> None:
    """Nothing is played from a file that is not sound."""
    path.write_text(content)
    with pytest.raises(ConfigError, match=rf"run\.cassette.*{told}"):
        Player(path)


def test_a_missing_cassette_is_told(path: Path) -> None:
    """The path is in the message."""
    with pytest.raises(ConfigError, match=r"run\.cassette"):
        Player(path)


def test_a_recording_can_be_continued(path: Path) -> None:
    """A second recorder adds to what is there, after cutting off what a crash left torn."""
    record(path, replace(REPLY, text="one"))
    with path.open("a") as file:
        file.write('{"fingerprint": "to')
    record(path, replace(REPLY, text="two"))
    player = Player(path)
    assert [play(player).text for _ in range(2)] == ["one", "two"]


@pytest.mark.parametrize("content", ["name: not ours\n", "no newline"])
def test_another_file_is_not_written_over(path: Path, content: str) -> None:
    """What is no cassette is left alone."""
    path.write_text(content)
    with pytest.raises(ConfigError):
        Recorder(path)
    assert path.read_text() == content


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """Before any model was asked."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        Recorder(tmp_path / "file" / "run.cassette")


SYSTEMS = ["structured", "moderator", "panel", "live", {"kind": "persuasion", "effects": "judge"}]


def _said(debate: Debate) -> dict[str, Any]:
    return debate.model_dump(mode="json", include={"turns", "assessments", "closed"})


@pytest.mark.parametrize("kind", ["structured", "free_flowing"])
def test_a_whole_debate_can_be_replayed(path: Path, kind: str) -> None:
    """The replay of a debate is that debate, every exchange's cost included, and no model is asked."""
    config = config_of(format={"kind": kind, "arguments": 2}, judging={"systems": SYSTEMS})
    first = hold(config, tape=Recorder(path))
    models = {"default": {"model": "mock/rehearsal", "faults": {"rate_limit": 1}}}
    second = hold(config_of(**config.model_dump(include={"format", "judging"}), models=models), tape=Player(path))
    assert _said(second) == _said(first)


def test_a_debate_with_faults_can_be_replayed(path: Path) -> None:
    """Re-asks after broken answers are found again in their order."""
    faults = {"malformed": 0.2, "rate_limit": 0.2, "truncated": 0.1}
    config = config_of(models={"default": {"model": "mock/rehearsal", "faults": faults}})
    first = hold(config, tape=Recorder(path))
    assert first.usage.attempts > first.usage.calls
    assert _said(hold(config, tape=Player(path))) == _said(first)
