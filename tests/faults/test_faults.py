"""Every fault of a server, in both wire formats, streamed and whole: asked again as the policy says, told, kept, counted."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from faults.fault_server import FaultServer, Heard
from faults.playbacks import FAULTS, GIVEN_UP, REASKED, REFUSED_CONNECTION, RETRIED, TAKEN, Asked
from faults.runs import Waits, Witness, config, session, used
from faults.table import FRAME, PATH, Seen, read, rows, write
from faults.trials import KINDS, MAX_ATTEMPTS, SILENCE_S, Ending, Trial, run

from debate_cli.llm.retry import MAX_WAIT_S, MIN_WAIT_S
from debate_cli.llm.structured_output import MAX_REASKS

POLICIES = {
    **dict.fromkeys([REFUSED_CONNECTION, *RETRIED], "retried"),
    **dict.fromkeys(REASKED, "asked again"),
    **dict.fromkeys(GIVEN_UP, "given up"),
    **dict.fromkeys(TAKEN, "accepted"),
}
BREAKING_OFF = {"reset_in_body", "cut", "vanished", "stall", "broken_json", "error_inside"}
"""Faults that come after the beginning of an answer, and before OpenAI's format tells of tokens."""
LATE_S = 1.5
"""Patience with a judge: enough for an answer that comes, and real time for one that does not."""
UNREACHABLE, BROKEN = "UnreachableError", "BrokenBodyError"
CAUSES: dict[str, str | dict[Asked, str]] = {
    REFUSED_CONNECTION: UNREACHABLE,
    "rate_limit": "RateLimitedError",
    "retry_after": "RateLimitedError",
    "server_error": "ServerError",
    "unavailable": "ServerError",
    "overloaded": "RateLimitedError",
    "request_timeout": "ServerError",
    "conflict": "ServerError",
    "reset": UNREACHABLE,
    "hangs_up": UNREACHABLE,
    "reset_in_body": UNREACHABLE,
    "cut": {"streamed": "TruncatedError", "whole": BROKEN},
    "vanished": UNREACHABLE,
    "silence": "ModelTimeoutError",
    "stall": "ModelTimeoutError",
    "html": BROKEN,
    "no_body": BROKEN,
    "broken_json": BROKEN,
    "other_json": BROKEN,
    "not_streamed": BROKEN,
    "error_inside": "RateLimitedError",
    "empty": "abstained",
    "long_wait": "RateLimitedError",
    "quota": "QuotaExhaustedError",
    "bad_request": "RejectedError",
    "bad_key": "UnauthorizedError",
    "forbidden": "UnauthorizedError",
    "no_model": "UnknownModelError",
    "overflow": "ContextOverflowError",
    "refusal": {"streamed": "RefusedError", "whole": "abstained"},
    "filtered_answer": {"streamed": "RefusedError", "whole": "abstained"},
    "filtered_prompt": {"streamed": "RefusedError", "whole": "abstained"},
    "wrong_schema": {"streamed": "", "whole": "abstained"},
    "prose": {"streamed": "", "whole": "abstained"},
    "token_limit": {"streamed": "", "whole": "abstained"},
    "mislabelled": "",
}
"""Cause of the failure that a lasting fault leaves; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Came:
    """What a trial comes to."""

    attempts: int
    waits: int
    kept: str
    closed: str
    cause: str = ""
    final: bool = False


def expected(trial: Trial) -> Came:
    """What the policy prescribes."""
    policy = POLICIES[trial.fault]
    if policy == "accepted":
        return Came(1, 0, "answer", "complete")
    waits = policy == "retried"
    if not trial.lasting:
        return Came(2, int(waits), "answer", "complete")
    attempts = {"retried": MAX_ATTEMPTS, "asked again": 1 + MAX_REASKS, "given up": 1}[policy]
    named = CAUSES[trial.fault]
    cause = named if isinstance(named, str) else named[trial.asked]
    if not cause:
        return Came(attempts, 0, "own words", "complete")
    closed = "failed" if trial.asked == "streamed" else "complete"
    return Came(
        attempts,
        (attempts - 1) * int(waits),
        "nothing",
        closed,
        cause,
        final=trial.asked == "whole" and cause == "abstained",
    )


def came(ending: Ending) -> Came:
    """What the trial came to."""
    failure = ending.failure
    cause, final = ("", False) if failure is None else (failure.cause, failure.final)
    return Came(ending.attempts, len(ending.waits), ending.kept, str(ending.closed), cause, final)


def trials(fault: str) -> list[Trial]:
    """All trials of a fault; one that is given up or taken at once has no way to pass."""
    durations = (False, True) if POLICIES[fault] in {"retried", "asked again"} else (True,)
    return [
        Trial(kind, fault, asked, lasting) for kind in KINDS for asked in FAULTS[fault].asked for lasting in durations
    ]


@pytest.fixture(autouse=True)
def no_profile_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep Anthropic's SDK from reading a profile of whoever runs the tests."""
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_ends_as_the_policy_says(fault: str, tmp_path: Path) -> None:
    """Requests, waits, notes, what is kept and counted are as prescribed, and the docs tell of it."""
    endings: dict[Trial, Ending] = {}
    for number, trial in enumerate(trials(fault)):
        ending = asyncio.run(run(trial, tmp_path / str(number)))
        assert came(ending) == expected(trial), trial
        check_waits(trial, ending)
        check_books(trial, ending)
        check_screen(trial, ending)
        endings[trial] = ending
    check_docs(fault, endings)


def check_waits(trial: Trial, ending: Ending) -> None:
    """Each wait is within bounds, or as long as the server asks; and is told of."""
    for wait, note in zip(ending.waits, ending.notes, strict=True):
        assert wait == 7 if trial.fault == "retry_after" else MIN_WAIT_S <= wait <= MAX_WAIT_S, trial
        assert f": trying again in {wait:.1f} s (attempt " in note
        assert note.startswith("lab (HOST) ")
        if ending.failure is not None:
            assert note.split(": trying again")[0] == ending.failure.message.split(" — gave up after")[0]


def check_books(trial: Trial, ending: Ending) -> None:
    """The transcript counts what the server told of, neither more nor less; a stream that broke off untold at an estimate."""
    if trial.kind == "openai" and trial.asked == "streamed" and trial.fault in BREAKING_OFF:
        assert ending.used.estimated, trial
        assert ending.used.input_tokens > ending.counted.input_tokens, trial
    else:
        assert ending.used == ending.counted, trial
    if trial.fault != REFUSED_CONNECTION:
        assert ending.all_attempts == ending.all_arrived, trial
        assert len(ending.served) == ending.attempts, trial


def check_screen(trial: Trial, ending: Ending) -> None:
    """Nothing of a void attempt stays on the screen."""
    if trial.asked == "streamed" and ending.kept == "answer":
        assert ending.shown in [each.text for each in ending.served if each.text], trial


def check_docs(fault: str, endings: dict[Trial, Ending]) -> None:
    """The table says what was seen."""
    seen: dict[tuple[str, Asked], Seen] = {
        (kind, asked): Seen(
            asked,
            POLICIES[fault],
            endings.get(Trial(kind, fault, asked, lasting=False)),
            endings[Trial(kind, fault, asked, lasting=True)],
        )
        for kind in KINDS
        for asked in FAULTS[fault].asked
    }
    lines = rows(fault, seen)
    if os.environ.get("UPDATE_GOLDEN"):
        write(FAULTS[fault].title, lines)
    assert read().get(FAULTS[fault].title) == lines, "look at the difference, then set UPDATE_GOLDEN=1"


def test_what_a_late_judge_used_before_is_counted() -> None:
    """Answers that could not be used cost what they cost, though the next ones never came."""

    def plan(heard: Heard) -> str | None:
        if heard.model != "judge":
            return None
        return "wrong_schema" if len(heard.question.messages) == 1 else "silence"

    async def story() -> None:
        async with FaultServer(plan) as server:
            panel = {"kind": "panel", "personas": ["qa_evaluator", "domain_expert"], "timeout_s": LATE_S}
            settings = config(server, "openai", judging={"systems": [panel]})
            outcome = await session(Witness(), Waits()).begin(settings, "late", None)
            assert [(item.cause, item.exchange and item.exchange.attempts) for item in outcome.debate.failures] == [
                ("late", 2),
                ("late", 2),
            ]
            assert used(outcome.debate) == server.counted
            assert outcome.debate.usage.attempts == len(server.served)

    asyncio.run(story())


@contextmanager
def busy_door() -> Generator[int]:
    """A port that takes no connection, as its queue is full and nobody looks after it."""
    with socket.socket() as door, ExitStack() as queue:
        door.bind(("127.0.0.1", 0))
        door.listen(0)
        for _ in range(4):
            waiting = queue.enter_context(socket.socket())
            waiting.settimeout(0)
            waiting.connect_ex(door.getsockname())
        yield door.getsockname()[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_connection_that_is_never_taken_is_told_as_such(kind: str) -> None:
    """Not as an answer that did not come."""
    server, notes = FaultServer(), list[str]()
    with busy_door() as port:
        server.port = port
        settings = config(server, kind, limits={"max_attempts": 1, "timeout_s": SILENCE_S})
        outcome = asyncio.run(session(Witness(), Waits(), notes).begin(settings, "door", None))
    (first, *_) = outcome.debate.failures
    assert first.cause == "ModelTimeoutError"
    assert "took no connection in time; check the network and base_url" in first.message


def test_the_docs_tell_of_all_faults_and_no_others() -> None:
    """In the order of the tests, under the words above the table."""
    assert PATH.read_text(encoding="utf-8").startswith(FRAME)
    assert list(read()) == [fault.title for fault in FAULTS.values()]
