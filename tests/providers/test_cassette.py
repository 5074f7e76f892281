"""Cassettes: recording, replay, the file's format, and the explanation of a request that was not recorded."""

import asyncio
import json
import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from llm_support import FakeModel
from rehearsal_support import config_of, run_debate

from debate_cli.app.context import RunContext
from debate_cli.app.session import Session
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.model_call import Usage
from debate_cli.errors import (
    BudgetError,
    ConfigError,
    DebateError,
    ModelError,
    PermanentError,
    RejectedError,
    ServerError,
    StorageError,
    UnsavedError,
    UnsupportedError,
)
from debate_cli.llm.model import Message, OnText, OutputSchema, Reply, Request
from debate_cli.llm.usage import error_usage
from debate_cli.providers.cassette import CassettePlayer, CassetteRecorder
from debate_cli.providers.mock.model import MockModel
from debate_cli.storage.transcript_store import open_debate

ASK = Request(
    system="Rules.",
    messages=(Message("user", "Motion: cats. Tag aaaa1111."),),
    purpose="opening",
    max_output_tokens=100,
    schema=OutputSchema("s", {"type": "object"}),
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


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """Path of a cassette that does not exist yet."""
    return tmp_path / "run.cassette"


def record(
    path: Path,
    *acts: Reply | DebateError,
    request: Request = ASK,
    redact: Callable[[str], str] = str,
    name: str = "lab/m",
) -> list[Reply]:
    """Record `acts` as answers to the same request; returns the replies that the recording run gets."""
    model, replies = CassetteRecorder(path).wrap(name, FakeModel(*acts), redact), list[Reply]()
    for act in acts:
        if isinstance(act, DebateError):
            with pytest.raises(type(act)):
                asyncio.run(model.complete(request))
        else:
            replies.append(asyncio.run(model.complete(request)))
    return replies


def play(
    player: CassettePlayer,
    request: Request = ASK,
    name: str = "lab/m",
    on_text: OnText | None = None,
    redact: Callable[[str], str] = str,
) -> Reply:
    """The recorded answer; a call to the wrapped model would fail."""
    return asyncio.run(player.wrap(name, FakeModel(), redact).complete(request, on_text))


def with_text(text: str) -> Reply:
    """A reply with this text."""
    return replace(REPLY, text=text)


def with_message(text: str) -> Request:
    """A request with this message."""
    return replace(ASK, messages=(Message("user", text),))


# Replay ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_",
    [ASK, replace(with_message("Motion: cats. Tag bbbb2222."), nonce="bbbb2222")],
    ids=["same", "other nonce"],
)
def test_a_reply_is_replayed_whole(cassette: Path, request_: Request) -> None:
    """Text, usage, attempts, latency and finish reason are those recorded; the random tag of a call is ignored."""
    record(cassette, REPLY)
    assert play(CassettePlayer(cassette), request_) == REPLY


def test_repeated_requests_are_served_in_order(cassette: Path) -> None:
    """After the last recorded reply, that reply is repeated."""
    record(cassette, with_text("one"), with_text("two"))
    player = CassettePlayer(cassette)
    assert [play(player).text for _ in range(3)] == ["one", "two", "two"]


def test_each_model_has_its_own_replies(cassette: Path) -> None:
    """Two models with the same request each give their own answer."""
    record(cassette, with_text("one"), name="lab/one")
    record(cassette, with_text("two"), name="lab/two")
    player = CassettePlayer(cassette)
    assert [play(player, name=name).text for name in ("lab/two", "lab/one")] == ["two", "one"]


def test_the_player_streams(cassette: Path) -> None:
    """The pieces that the player streams join to the recorded text."""
    record(cassette, REPLY)
    pieces: list[str] = []
    play(CassettePlayer(cassette), on_text=pieces.append)
    assert "".join(pieces) == REPLY.text
    assert len(pieces) > 1


ALL_USAGE = Usage.model_validate({"estimated": True} | {n: 9 for n in Usage.model_fields if n != "estimated"})


@pytest.mark.parametrize("kind", [UnsupportedError, RejectedError, ServerError])
def test_an_error_is_replayed(cassette: Path, kind: type[ModelError]) -> None:
    """An error is replayed with its class, message, attempts, usage and seconds."""
    error = kind("down")
    error.attempts, error.usage, error.latency_s = 5, ALL_USAGE, 2.5
    record(cassette, error)
    with pytest.raises(kind, match="down") as caught:
        play(CassettePlayer(cassette))
    assert (caught.value.attempts, caught.value.latency_s) == (5, 2.5)
    assert error_usage(caught.value) == ALL_USAGE


@pytest.mark.parametrize("error", [ServerError("down"), BudgetError("too much")])
def test_a_temporary_error_before_an_answer_is_not_replayed(cassette: Path, error: DebateError) -> None:
    """If a retry got an answer, the replay returns that answer at once."""
    record(cassette, error, REPLY)
    assert play(CassettePlayer(cassette)) == REPLY


def test_a_permanent_error_before_an_answer_is_replayed(cassette: Path) -> None:
    """Errors and replies come in the recorded order."""
    record(cassette, RejectedError("bad"), REPLY)
    with pytest.raises(RejectedError):
        play(CassettePlayer(cassette))


SYSTEMS = ["structured", "moderator", "panel", "live", {"kind": "persuasion", "effects": "judge"}]


def content(debate: Debate) -> dict[str, Any]:
    """Turns and assessments, with the cost of every call."""
    return debate.model_dump(mode="json", include={"turns", "assessments", "closed"})


@pytest.mark.parametrize("kind", ["structured", pytest.param("free_flowing", marks=pytest.mark.soak)])
def test_a_whole_debate_can_be_replayed(cassette: Path, kind: str) -> None:
    """The replayed debate is equal, although its model would fail."""
    config = config_of(format={"kind": kind, "arguments": 2}, judging={"systems": SYSTEMS})
    first = run_debate(config, cassette=CassetteRecorder(cassette))
    failing = {"default": {"model": "mock/rehearsal", "faults": {"rate_limit": 1}}}
    parts = config.model_dump(include={"format", "judging"})
    assert content(run_debate(config_of(**parts, models=failing), cassette=CassettePlayer(cassette))) == content(first)


def test_a_debate_with_faults_can_be_replayed(cassette: Path) -> None:
    """Re-asks after broken answers are replayed in order."""
    faults = {"malformed": 0.2, "server_error": 0.2, "truncated": 0.1}
    config = config_of(models={"default": {"model": "mock/rehearsal", "faults": faults}})
    first = run_debate(config, cassette=CassetteRecorder(cassette))
    assert first.usage.attempts > first.usage.calls
    assert without_rejected(run_debate(config, cassette=CassettePlayer(cassette))) == without_rejected(first)


def without_rejected(debate: Debate) -> dict[str, Any]:
    """The content without the rejected modes, which are stored with the first of simultaneous calls that ends."""
    whole = content(debate)
    for part in (*whole["turns"], *whole["assessments"]):
        part["exchange"].pop("rejected", None)
    return whole


# File ------------------------------------------------------------------------------------------------------------


def test_only_the_owner_can_read_a_new_cassette(tmp_path: Path) -> None:
    """The file gets mode 0600, and each new folder 0700. An existing file keeps its mode."""
    cassette = tmp_path / "new" / "inner" / "run.cassette"
    record(cassette, REPLY)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new", cassette.parent, cassette)]
    assert modes == [0o700, 0o700, 0o600]
    cassette.chmod(0o644)
    record(cassette, REPLY)
    assert stat.S_IMODE(cassette.stat().st_mode) == 0o644


def test_the_file_is_readable(cassette: Path) -> None:
    """The version comes first; each line has fingerprint, model, purpose and the request's text."""
    record(cassette, REPLY)
    header, line = map(json.loads, cassette.read_text().splitlines())
    assert header == {"cassette_version": 1}
    assert line["fingerprint"] == ASK.fingerprint()
    assert (line["model"], line["request"]["purpose"]) == ("lab/m", "opening")
    assert line["request"]["messages"] == [{"role": "user", "content": "Motion: cats. Tag NONCE."}]


SECRET = "hunter2hunter2"


def redact(text: str) -> str:
    """`text` without the secret."""
    return text.replace(SECRET, "[redacted]")


def test_no_secret_is_recorded(cassette: Path) -> None:
    """Requests, replies and errors are redacted."""
    request = replace(ASK, system=f"Key {SECRET}.")
    record(cassette, with_text(f"It is {SECRET}."), RejectedError(f"bad {SECRET}"), request=request, redact=redact)
    assert SECRET not in cassette.read_text()
    assert play(CassettePlayer(cassette), request, redact=redact).text == "It is [redacted]."


@pytest.mark.parametrize("words", ["Motion: {}?", "Motion: {}, a longer one, on which more words depend?"])
def test_a_secret_whose_variable_is_not_set_is_not_shown(cassette: Path, words: str) -> None:
    """The request is not found. The error says why, and shows no part of the request."""
    request = with_message(words.format(SECRET))
    record(cassette, REPLY, request=request, redact=redact)
    with pytest.raises(PermanentError) as caught:
        play(CassettePlayer(cassette), request)
    assert SECRET not in str(caught.value)
    assert str(caught.value).endswith(
        "line 2: message 1 (user) differs from character 9 on; the difference is not shown, because it may contain a secret "
        "(to see it with hidden secrets, set the API keys that were set for the recording); record the cassette again with --record"
    )


HEADER = '{"cassette_version": 1}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, ""),
        ("", "line 1"),
        ("hello\n", "line 1"),
        ("[1]\n", "line 1"),
        ('{"cassette_version": 2}\n', "version 2"),
        (HEADER + "{}\n", "line 2.*fingerprint"),
        (HEADER + "nonsense\n", "line 2"),
        (HEADER + '{"fingerprint": "x", "model"', "line 2.*incomplete"),
    ],
)
def test_a_missing_or_damaged_cassette_is_refused(cassette: Path, content: str | None, message: str) -> None:
    """The error names the file and the line."""
    if content is not None:
        cassette.write_text(content)
    with pytest.raises(ConfigError, match=rf"run\.cassette.*{message}"):
        CassettePlayer(cassette)


def test_a_repeated_key_is_refused(cassette: Path) -> None:
    """A key that occurs twice is an error, because JSON readers disagree on which value counts."""
    record(cassette, with_text("one"))
    cassette.write_text(cassette.read_text().replace('"fingerprint"', '"fingerprint":"x","fingerprint"', 1))
    with pytest.raises(ConfigError, match=r"line 2.*Detected duplicate key .fingerprint."):
        CassettePlayer(cassette)


def test_an_impossible_number_of_tokens_is_refused(cassette: Path) -> None:
    """A negative number is an error of its line before the first call."""
    record(cassette, RejectedError("x"))
    cassette.write_text(cassette.read_text().replace('"input_tokens": 0', '"input_tokens": -1', 1))
    with pytest.raises(ConfigError, match=r"line 2.*fault\.input_tokens"):
        CassettePlayer(cassette)


def test_a_recording_can_be_continued(cassette: Path) -> None:
    """A second recorder appends, after removing an incomplete last line."""
    record(cassette, with_text("one"))
    with cassette.open("a") as file:
        file.write('{"fingerprint": "to')
    record(cassette, with_text("two"))
    player = CassettePlayer(cassette)
    assert [play(player).text for _ in range(2)] == ["one", "two"]


def test_two_recorders_share_a_new_file(cassette: Path) -> None:
    """Neither removes a call of the other, and the file gets one header."""
    first, second = CassetteRecorder(cassette), CassetteRecorder(cassette)
    assert not cassette.exists()
    for recorder, text in ((second, "one"), (first, "two")):
        asyncio.run(recorder.wrap("lab/m", FakeModel(with_text(text)), str).complete(ASK))
    player = CassettePlayer(cassette)
    assert [play(player).text for _ in range(2)] == ["one", "two"]


@pytest.mark.parametrize("content", ["name: not ours\n", "no newline"])
def test_another_file_is_not_overwritten(cassette: Path, content: str) -> None:
    """A file that is not a cassette is not changed."""
    cassette.write_text(content)
    with pytest.raises(ConfigError):
        CassetteRecorder(cassette)
    assert cassette.read_text() == content


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_not_recorded_to(tmp_path: Path, cassette: Path, *, exists: bool) -> None:
    """A downloaded folder may hold a link to a file elsewhere, which stays as it is."""
    target = tmp_path / "target"
    if exists:
        target.touch(0o644)
    cassette.symlink_to(target)
    with pytest.raises(StorageError, match=r"cannot write the cassette .*; choose a file in a writable folder"):
        CassetteRecorder(cassette)
    assert [(path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in tmp_path.glob("target")] == (
        [(b"", 0o644)] if exists else []
    )


def test_an_unwritable_path_is_an_error_before_the_first_call(tmp_path: Path) -> None:
    """A new recorder checks that the file can be written."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        CassetteRecorder(tmp_path / "file" / "run.cassette")


def test_an_answer_that_cannot_be_recorded_is_not_lost(tmp_path: Path) -> None:
    """It was paid for, so it is returned. The next call is refused before it reaches the model."""
    folder = tmp_path / "tapes"
    recorder = CassetteRecorder(folder / "run.cassette")
    model = FakeModel(REPLY, REPLY)
    recorded = recorder.wrap("lab/m", model, str)
    shutil.rmtree(folder)
    assert asyncio.run(recorded.complete(ASK)) == REPLY
    with pytest.raises(StorageError, match="cannot write the cassette"):
        asyncio.run(recorded.complete(ASK))
    assert len(model.requests) == 1


def test_a_cassette_that_cannot_be_written_stops_the_debate_and_loses_no_answer(tmp_path: Path) -> None:
    """Both openings were asked at once. They are saved, and the error names the cassette and the command to resume."""
    folder = tmp_path / "tapes"
    context = RunContext(config_of(), cassette=CassetteRecorder(folder / "run.cassette"))
    shutil.rmtree(folder)
    with pytest.raises(StorageError) as caught:
        asyncio.run(Session(context).begin("one", tmp_path))
    path = tmp_path / "one.json"
    assert str(caught.value).startswith(f"{folder / 'run.cassette'}: cannot write the cassette")
    assert str(caught.value).endswith(f"the debate so far is in {path}; resume it with: debate run --resume {path}")
    kept = open_debate(path).debate
    assert (kept.closed, path.with_suffix(".jsonl").exists()) == ("interrupted", False)
    assert [turn.phase for turn in kept.turns] == ["opening", "opening"]
    assert (kept.failures, kept.reservations) == ((), ())


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_cassette_that_fails_on_the_last_answer_costs_no_debate(tmp_path: Path, *, is_saved: bool) -> None:
    """The complete debate becomes a transcript, or is printed if it is not saved. Then the error is raised."""
    whole = tmp_path / "whole.cassette"
    run_debate(config_of(), cassette=CassetteRecorder(whole))
    left = len(whole.read_text().splitlines()) - 1

    class FullAtTheEnd(CassetteRecorder):
        """Takes all calls but the last."""

        def write(self, line: str) -> None:
            """Take or refuse a call."""
            nonlocal left
            left -= 1
            if not left:
                self.failure = StorageError("the disk is full")

    context = RunContext(config_of(), cassette=FullAtTheEnd(tmp_path / "run.cassette"))
    with pytest.raises(StorageError, match="the disk is full") as caught:
        asyncio.run(Session(context).begin("one", tmp_path if is_saved else None))
    if not is_saved:
        assert isinstance(caught.value, UnsavedError)
        assert json.loads(caught.value.transcript)["status"] == "complete"
        return
    path = tmp_path / "one.json"
    assert str(caught.value).endswith(f"; the debate is complete and saved in {path}")
    kept = open_debate(path)
    assert (kept.debate.status, kept.from_journal, len(kept.verdicts)) == ("complete", False, 1)
    assert not path.with_suffix(".jsonl").exists()


# Requests that were not recorded ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (replace(ASK, system="Rules!"), "the system prompt was 'Rules.' and is 'Rules!'"),
        (replace(with_message("Motion: dogs."), nonce=""), "is 'Motion: dogs.'"),
        (replace(ASK, messages=(*ASK.messages, Message("user", "More."))), "message 2 (user) is new"),
        (replace(ASK, schema=OutputSchema("s", {"type": "array"})), "on, the schema was "),
        (replace(ASK, schema=None), "the schema is missing"),
        (replace(ASK, temperature=0.5), "temperature was '0.7' and is '0.5'"),
        (replace(ASK, rung="prompt"), "structured-output mode was 'native' and is 'prompt'"),
        (replace(ASK, purpose="closing"), "nor any reply for that purpose"),
        (
            replace(ASK, system="Rules" + "x" * 50),
            f"from character 6 on, the system prompt was '.' and is '{'x' * 40}'",
        ),
        (replace(ASK, system="Rules\u202e\x07."), r"is 'Rules\u202e\x07.'"),
        (replace(ASK, system="Rules\n"), r"is 'Rules\n'"),
    ],
)
def test_an_unknown_request_is_compared_with_the_nearest(cassette: Path, changed: Request, message: str) -> None:
    """The permanent error names the difference on one printable line."""
    record(cassette, REPLY)
    with pytest.raises(PermanentError) as caught:
        play(CassettePlayer(cassette), changed)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_the_nearest_request_has_the_longest_common_beginning(cassette: Path) -> None:
    """Of two recorded requests with one purpose, the more similar one is compared."""
    record(cassette, REPLY, request=with_message("Motion: dogs. A"))
    record(cassette, REPLY, request=with_message("Motion: cats. A"))
    expected = r"line 3: message 1 \(user\) was 'Motion: cats. A' and is 'Motion: cats. B'"
    with pytest.raises(PermanentError, match=expected):
        play(CassettePlayer(cassette), with_message("Motion: cats. B"))


@pytest.mark.parametrize("kind", [CassettePlayer, CassetteRecorder])
def test_a_file_without_end_is_not_read(cassette: Path, kind: type[CassettePlayer | CassetteRecorder]) -> None:
    """A sparse file of a terabyte, which takes no room on disk, is refused."""
    with cassette.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(ConfigError, match="not a cassette"):
        kind(cassette)


def test_a_fifo_is_not_opened(tmp_path: Path) -> None:
    """Opening a FIFO blocks. It is refused as a cassette and as a script of the mock."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="cannot read the cassette"):
        CassettePlayer(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="not a regular file"):
        MockModel(ModelSpec(model="mock/scripted", script="pipe"), seed=1, folder=tmp_path)
