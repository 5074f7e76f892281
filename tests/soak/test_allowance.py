"""A server that allows a number of requests in a time: debates with all five systems end complete."""

import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count

import pytest
from faults.fault_server import FaultServer, ReceivedRequest
from faults.runs import RecordingObserver, config
from rehearsal_support import Sessions, config_of

from debate_cli.app.context import RunContext

ALLOWED, WINDOW_S = 12, 7.0
"""Requests in any seven seconds, which is also the Retry-After of the refusals: a minute, about nine times as fast."""
SYSTEMS = [
    {"kind": "structured", "judges": 25},
    {"kind": "moderator", "judges": 10},
    {"kind": "panel", "personas": ["technical_architect", "qa_evaluator", "domain_expert"], "max_rounds": 2},
    {"kind": "live"},
    {"kind": "persuasion"},
]


@dataclass
class Allowance:
    """Plans a 429 for each request beyond the allowance."""

    fault: str
    accepted: list[float] = field(default_factory=list[float])
    answers: Counter[str] = field(default_factory=Counter[str])

    def plan(self, _received: ReceivedRequest) -> str | None:
        """See `fault_server.Plan`."""
        now = time.monotonic()
        if sum(at > now - WINDOW_S for at in self.accepted) >= ALLOWED:
            self.answers[self.fault] += 1
            return self.fault
        self.accepted.append(now)
        self.answers["accepted"] += 1
        return None


@pytest.mark.slow
async def test_a_debate_ends_complete_in_the_time_of_the_allowance() -> None:
    """Nothing is missing. Prints the time as a multiple of what the allowance needs for the accepted requests.

    The server sends Retry-After. Without it the backoff, which is not as much faster, would be most of the time;
    `tests/llm/test_provider_gate.py` covers that case with a fake clock.
    """
    allowance = Allowance("retry_after")
    async with FaultServer(allowance.plan) as server:
        settings = config(
            server, "openai", format={"arguments": 2}, judging={"systems": SYSTEMS}, limits={"max_attempts": 2}
        )
        observer = RecordingObserver()
        started = time.monotonic()
        outcome = await Sessions(RunContext(config_of(), observer=observer)).begin(settings, f"a{next(COUNT)}", None)
        took = time.monotonic() - started
    least = allowance.answers["accepted"] * WINDOW_S / ALLOWED
    print(
        f"\n{dict(allowance.answers)} in {took:.1f} s, the allowance needs {least:.1f} s ({took / least:.2f}); "
        f"notes: {len(observer.notes)}, missing: {len(outcome.debate.failures)}"
    )
    assert outcome.debate.failures == ()
    assert outcome.debate.closed == "complete"


COUNT = count()
