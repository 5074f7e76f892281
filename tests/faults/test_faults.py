"""Faults of a server in both wire formats, streamed and whole: retries, messages, transcript and counted tokens.

One fault of each class runs by default; `make soak` runs all of them.
"""

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from faults.fault_server import FaultServer, ReceivedRequest
from faults.playbacks import FAULTS, GIVEN_UP, REASKED, REFUSED_CONNECTION, RETRIED, TAKEN, Asked
from faults.runs import FakeSleep, RecordingObserver, config, session, used
from faults.table import FRAME, PATH, Seen, read, rows, write
from faults.trials import KINDS, MAX_ATTEMPTS, Ending, Trial, run

from debate_cli.domain.model_call import Usage
from debate_cli.llm.retry import MAX_WAIT_S
from debate_cli.llm.structured_output import MAX_REASKS

HELD_BACK = ("rate_limit", "retry_after", "overloaded")
"""Refusals, which close the provider's gate and cost no attempt."""
POLICIES = {
    **dict.fromkeys([REFUSED_CONNECTION, *RETRIED], "retried"),
    **dict.fromkeys(HELD_BACK, "held back"),
    **dict.fromkeys(REASKED, "asked again"),
    **dict.fromkeys(GIVEN_UP, "given up"),
    **dict.fromkeys(TAKEN, "accepted"),
}
LOST_ANSWERS = {
    "reset", "hangs_up", "reset_in_body", "cut", "vanished", "silence", "stall", "html", "no_body", "broken_json", "other_json",
    "not_streamed",
}  # fmt: skip
"""Faults of a server that may have written, and billed, an answer that does not arrive whole."""
RETRYING = ": retrying in"
"""Part of the note on a retry."""
HELD = re.compile(
    r"lab limits requests: (waiting [\d.]+ s|waited \d+ (?:s|min)), 1 call waits \(gives up after 10 min\)"
)
SHORTENED = "from now on prompts contain the last speeches"
LATE_S = 1.5
"""Deadline of a judge in seconds, which pass in real time if no answer comes."""
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
"""Cause of the failure after a persistent fault; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a trial."""

    attempts: int | None
    """None if they end after a time, not after a number."""
    retries: int
    """Retries of the policy, each with a note."""
    kept: str
    closed: str
    cause: str = ""
    final: bool = False


def expected(trial: Trial) -> Result:
    """The result that the policy prescribes."""
    policy = policy_of(trial)
    if policy == "accepted":
        return Result(1, 0, "answer", "complete")
    waits = policy == "retried"
    if not trial.lasting:
        return Result(2, int(waits), "answer", "complete")
    attempts = {"retried": MAX_ATTEMPTS, "held back": None, "asked again": 1 + MAX_REASKS, "given up": 1}[policy]
    named = CAUSES[trial.fault]
    cause = named if isinstance(named, str) else named[trial.asked]
    if not cause:
        return Result(attempts, 0, "own words", "complete")
    closed = "failed" if trial.asked == "streamed" else "complete"
    return Result(
        attempts,
        (attempts - 1) * int(waits) if attempts else 0,
        "nothing",
        closed,
        cause,
        final=trial.asked == "whole" and cause == "abstained",
    )


def actual(ending: Ending) -> Result:
    """The actual result of a trial."""
    failure = ending.failure
    cause, final = ("", False) if failure is None else (failure.cause, failure.final)
    attempts = None if policy_of(ending.trial) == "held back" and failure is not None else ending.attempts
    retries = sum(RETRYING in note for note in ending.notes)
    return Result(attempts, retries, ending.kept, str(ending.closed), cause, final)


def policy_of(trial: Trial) -> str:
    """The policy. An error in the body of an answer that is not streamed is a refusal: nothing of the answer arrived."""
    return "held back" if (trial.fault, trial.asked) == ("error_inside", "whole") else POLICIES[trial.fault]


def trials(fault: str) -> list[Trial]:
    """All trials of a fault. A fault without a second attempt is only tried as a persistent one."""
    durations = (False, True) if POLICIES[fault] in {"retried", "held back", "asked again"} else (True,)
    return [
        Trial(kind, fault, asked, lasting) for kind in KINDS for asked in FAULTS[fault].asked for lasting in durations
    ]


@pytest.fixture(autouse=True)
def without_anthropic_profile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep Anthropic's SDK from reading the profile of the user who runs the tests."""
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))


def one_fault_per_class() -> list[str]:
    """The first fault of each policy and cause; all faults under SOAK=1, or when the docs are written."""
    if os.environ.get("SOAK") or os.environ.get("UPDATE_GOLDEN"):
        return list(FAULTS)
    chosen = {(POLICIES[fault], str(CAUSES.get(fault, ""))): fault for fault in reversed(list(FAULTS))}
    return [fault for fault in FAULTS if fault in chosen.values()]


@pytest.mark.parametrize("fault", one_fault_per_class())
def test_a_fault_ends_as_the_policy_says(fault: str, tmp_path: Path) -> None:
    """Requests, waits, notes, transcript and usage follow the policy, and docs/faults.md describes them."""
    endings: dict[Trial, Ending] = {}
    for number, trial in enumerate(trials(fault)):
        ending = asyncio.run(run(trial, tmp_path / str(number)))
        assert actual(ending) == expected(trial), trial
        check_waits(trial, ending)
        check_usage(trial, ending)
        check_streamed_text(trial, ending)
        endings[trial] = ending
    check_docs(fault, endings)


def check_waits(trial: Trial, ending: Ending) -> None:
    """Waits are within bounds, or as long as the server asks, and noted."""
    assert ending.notes or not ending.waits, trial
    assert all(wait == 7 if trial.fault == "retry_after" else 0 < wait <= MAX_WAIT_S for wait in ending.waits)
    for note in ending.notes:
        if RETRYING in note:
            assert note.startswith("lab (HOST) ")
            assert any(f": retrying in {wait:.1f} s (attempt " in note for wait in ending.waits)
        else:
            assert HELD.fullmatch(note) or (trial.fault == "overflow" and SHORTENED in note), note
        if RETRYING in note and ending.failure is not None:
            assert ending.failure.message.startswith(f"{note.split(RETRYING)[0]}; ")


def check_usage(trial: Trial, ending: Ending) -> None:
    """The transcript counts exactly the reported usage; an answer that does not arrive whole is estimated."""
    if trial.fault in LOST_ANSWERS or (trial.fault, trial.asked) == ("error_inside", "streamed"):
        assert ending.used.estimated, trial
        assert ending.used.input_tokens >= ending.counted.input_tokens, trial
        assert total(ending.used) > total(ending.counted), trial
    else:
        assert ending.used == ending.counted, trial
    if trial.fault != REFUSED_CONNECTION:
        assert ending.all_attempts == ending.all_arrived, trial
        assert len(ending.served) == ending.attempts, trial


def total(usage: Usage) -> int:
    """Tokens of prompts and answers."""
    return usage.input_tokens + usage.output_tokens


def check_streamed_text(trial: Trial, ending: Ending) -> None:
    """Text of a void attempt does not stay on the screen."""
    if trial.asked == "streamed" and ending.kept == "answer":
        assert ending.shown in [each.text for each in ending.served if each.text], trial


def check_docs(fault: str, endings: dict[Trial, Ending]) -> None:
    """The table in the docs describes the results."""
    seen: dict[tuple[str, Asked], Seen] = {
        (kind, asked): Seen(
            asked,
            policy_of(Trial(kind, fault, asked, lasting=True)),
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


async def test_what_a_late_judge_used_is_counted() -> None:
    """Unusable answers count as reported, the answer that never comes at an estimate."""

    def plan(received: ReceivedRequest) -> str | None:
        if received.model != "judge":
            return None
        return "wrong_schema" if len(received.question.messages) == 1 else "silence"

    async with FaultServer(plan) as server:
        panel = {"kind": "panel", "personas": ["qa_evaluator", "domain_expert"], "timeout_s": LATE_S}
        settings = config(server, "openai", judging={"systems": [panel]})
        outcome = await session(RecordingObserver(), FakeSleep()).begin(settings, "late", None)
        assert [(item.cause, item.exchange and item.exchange.attempts) for item in outcome.debate.failures] == [
            ("late", 2),
            ("late", 2),
        ]
        assert used(outcome.debate).estimated
        assert total(used(outcome.debate)) > total(server.counted)
        assert outcome.debate.usage.attempts == len(server.served)


async def test_a_failed_call_is_stored_with_the_seconds_that_it_took() -> None:
    """The failure of a debater whose connection is always reset has the seconds of all attempts."""
    async with FaultServer(lambda received: "reset" if received.model == "pro" else None) as server:
        settings = config(server, "openai", limits={"max_attempts": 2})
        outcome = await session(RecordingObserver(), FakeSleep()).begin(settings, "reset", None)
    (failure,) = outcome.debate.failures
    assert failure.exchange is not None
    assert (failure.cause, failure.exchange.attempts) == ("UnreachableError", 2)
    assert failure.exchange.latency_s > 0


def test_the_docs_list_all_faults() -> None:
    """docs/faults.md lists the faults in the order of the tests, below its introduction."""
    assert PATH.read_text(encoding="utf-8").startswith(FRAME)
    assert list(read()) == [fault.title for fault in FAULTS.values()]
