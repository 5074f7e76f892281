"""Many concurrent debates against a server that fails 30 % of requests: each ends as the policy says."""

import asyncio
import os
import resource
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from faults.fault_server import FaultServer, ReceivedRequest, Served
from faults.playbacks import GIVEN_UP, REASKED, RETRIED
from faults.runs import FakeSleep, RecordingObserver, config, session, used
from faults.wire_formats import WIRES

from debate_cli.app.session import Outcome
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import AssessmentCompleted, Failure, TurnCompleted
from debate_cli.domain.model_call import Usage
from debate_cli.domain.tasks import Cue
from debate_cli.judging.schedule import owed_briefs
from debate_cli.providers.mock.sentences import SeededRandom
from debate_cli.storage.transcript_store import open_debate
from debate_cli.systems.scoring import score, verdicts_match

DEBATES = int(os.environ.get("STORM_DEBATES", "200"))
MAX_ATTEMPTS = 5
FAILING, PERMANENT = 0.3, 0.01
"""Shares of requests that fail, and that fail permanently."""
TRANSIENT = tuple(fault for fault in [*RETRIED, *REASKED] if fault not in {"silence", "stall", "not_streamed"})
"""Faults of silence take real time; `not_streamed` does not apply to judges."""
FILES_EACH = 40
"""File descriptors per debate, both ends of its connections included."""
APART_S = 0.15
"""Seconds between the starts of two debates, each of which keeps the process busy for that long."""
HELD_BACK, LONG_WAIT = frozenset({"rate_limit", "retry_after", "overloaded"}), "long_wait"
"""Refusals that cost no attempt, and the one that ends all waiting calls."""
NO_CONNECTION = "accepted no connection in time"
"""Message of an attempt that never reaches the server, because the process is busy."""
TIMEOUT_S = 3600.0
"""Timeout; never reached, although the process is busy."""


@dataclass
class Storm:
    """Chooses faults by seed, question and attempt, independent of the order of requests."""

    seed: int
    over: bool = False
    asked: Counter[str] = field(default_factory=Counter[str])

    def plan(self, received: ReceivedRequest) -> str | None:
        """See `fault_server.Plan`."""
        if self.over:
            return None
        nth = self.asked[received.key]
        self.asked[received.key] += 1
        random = SeededRandom(f"{self.seed}/{nth}/{received.key}")
        drawn = random.unit("fails")
        if drawn >= FAILING:
            return None
        return random.pick(tuple(GIVEN_UP) if drawn < PERMANENT else TRANSIENT, "fault")


def settings(server: FaultServer, number: int) -> DebateConfig:
    """Debate `number`, judged by all five systems; wire formats alternate. Model names end with the number."""
    kind = tuple(WIRES)[number % len(WIRES)]
    names = {name: {"model": f"lab/{name}-{number}"} for name in ("pro", "con", "judge")}
    systems = [
        {"kind": "structured"},
        {"kind": "moderator", "guidance": False},
        {"kind": "panel", "personas": ["technical_architect", "qa_evaluator"], "max_rounds": 2, "timeout_s": TIMEOUT_S},
        {"kind": "live"},
        {"kind": "persuasion"},
    ]
    return config(
        server,
        kind,
        models=names,
        debaters=[{"name": "Pro", "side": "for", "model": "pro"}, {"name": "Con", "side": "against", "model": "con"}],
        format={"arguments": 1, "history": "full"},
        judging={"systems": systems},
        limits={"max_attempts": MAX_ATTEMPTS, "timeout_s": TIMEOUT_S},
    )


@pytest.fixture(autouse=True)
def isolated_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Raise the limit of open files, and hide the user's profile from Anthropic's SDK."""
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "none"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, DEBATES * FILES_EACH)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
async def test_a_storm_of_debates(tmp_path: Path) -> None:
    """No task runs twice, and transcript and server count the same tokens; resumed without faults, all debates complete."""
    storm = Storm(seed=1)
    async with FaultServer(storm.plan) as server:
        server.before = latency
        outcomes = await asyncio.gather(*(one(server, number, tmp_path) for number in range(DEBATES)))
        by_debate = requests_by_debate(server.served)
        for number, outcome in enumerate(outcomes):
            check_disk(outcome)
            check_used(outcome.debate, by_debate[number])
        check_sum([outcome.debate for outcome in outcomes], server)
        print_summary(outcomes, server)
        storm.over = True
        whole = [await resumed(server, outcome, number) for number, outcome in enumerate(outcomes)]
        check_sum([outcome.debate for outcome in whole], server)


async def latency(_served: Served) -> None:
    """Delay each answer, so that requests overlap."""
    await asyncio.sleep(0.02)


async def one(server: FaultServer, number: int, folder: Path) -> Outcome:
    """Run one debate and check its events."""
    observer, notes = RecordingObserver(), list[str]()
    await asyncio.sleep(number * APART_S)
    outcome = await session(observer, FakeSleep(), notes).begin(settings(server, number), f"storm-{number}", folder)
    check_events(observer, outcome.debate)
    messages = [*notes, *(failure.message for failure in outcome.debate.failures)]
    unheard = sum(NO_CONNECTION in words for words in messages)
    served = requests_by_debate(server.served)[number]
    assert outcome.debate.usage.attempts == len(served) + unheard
    check_end(outcome, served, unheard)
    return outcome


async def resumed(server: FaultServer, outcome: Outcome, number: int) -> Outcome:
    """Resume the debate; only final abstentions of judges are missing. A vote that is no longer needed is not asked for."""
    assert outcome.path is not None
    after = await session(RecordingObserver(), FakeSleep()).resume(open_debate(outcome.path), settings(server, number))
    assert (after.halted, after.debate.closed) == (None, "complete")
    assert all(failure.final for failure in after.debate.failures if failure.task.key in after.debate.given_up)
    assert not owed_briefs(after.debate)
    return after


def check_events(observer: RecordingObserver, debate: Debate) -> None:
    """Each task starts once and settles once, and the events fold to the debate."""
    answers = [f"turn/{event.turn.index}" for event in observer.events if isinstance(event, TurnCompleted)]
    answers += [event.assessment.brief.key for event in observer.events if isinstance(event, AssessmentCompleted)]
    settled = Counter([*answers, *(failure.task.key for failure in debate.failures)])
    assert set(settled.values()) <= {1}
    assert set(observer.asked.values()) <= {1}
    assert settled.keys() == observer.asked.keys()
    assert fold(observer.events) == debate


def check_end(outcome: Outcome, served: list[Served], unheard: int) -> None:
    """A failed debater ends the debate, a failed judge does not; and tasks fail only because of the server.

    `unheard` attempts never reached the server.
    """
    failures = outcome.debate.failures
    speechless = [failure for failure in failures if isinstance(failure.task, Cue)]
    assert outcome.debate.closed == ("failed" if speechless else "complete")
    if any(each.fault == LONG_WAIT for each in served):
        return  # it also ends the calls that wait behind it, which the server does not see
    permanent, never_served = given_up(served, unheard), unheard // MAX_ATTEMPTS
    assert sum(map(declined_or_lost, failures)) <= len(permanent) + never_served
    of_judges = sum(name.startswith("judge") for name in permanent)
    lost = sum(declined_or_lost(failure) for failure in failures if not isinstance(failure.task, Cue))
    assert of_judges <= lost <= of_judges + never_served


def declined_or_lost(failure: Failure) -> bool:
    """Whether the provider gave no answer, not an unusable one."""
    return failure.cause != "abstained" or "declined" in failure.message


def is_held_back(served: Served) -> bool:
    """Whether the attempt counts as none. An overload inside a whole answer is like a refusal; in a stream it is a fault."""
    return served.fault in HELD_BACK or (served.fault == "error_inside" and not served.received.streamed)


def given_up(served: list[Served], unheard: int) -> list[str]:
    """Model of each question that the policy gives up: at its limit of attempts, or after a permanent fault."""
    tries: defaultdict[str, list[Served]] = defaultdict(list)
    for each in served:
        tries[each.received.key].append(each)
    found: list[str] = []
    for attempts in tries.values():
        faults = [each.fault for each in attempts if not is_held_back(each)]
        if not faults:
            continue
        assert all(fault in RETRIED for fault in faults[:-1]), faults
        assert len(faults) <= MAX_ATTEMPTS
        if faults[-1] in GIVEN_UP or faults[-1] in RETRIED:
            assert faults[-1] in GIVEN_UP or len(faults) + unheard >= MAX_ATTEMPTS
            found.append(attempts[0].received.model)
    return found


def check_disk(outcome: Outcome) -> None:
    """The transcript equals the debate, its verdicts can be recomputed, and no journal is left."""
    assert outcome.path is not None
    assert not outcome.path.with_suffix(".jsonl").exists()
    stored = open_debate(outcome.path)
    assert stored.debate.turns == outcome.debate.turns
    assert stored.debate.assessments == outcome.debate.assessments
    assert stored.debate.failures == outcome.debate.failures
    recomputed = score(stored.debate, runs="all")
    assert all(verdicts_match(old, new) for old, new in zip(stored.verdicts, recomputed, strict=True))


def requests_by_debate(served: list[Served]) -> defaultdict[int, list[Served]]:
    """Requests by debate."""
    found: defaultdict[int, list[Served]] = defaultdict(list)
    for each in served:
        found[int(each.received.model.partition("-")[2])].append(each)
    return found


def reported(served: list[Served]) -> Usage:
    """Usage reported by answers."""
    return sum((each.reported for each in served), Usage())


def check_used(debate: Debate, served: list[Served]) -> None:
    """The transcript has the usage that the server reported, or a higher estimate if answers broke off or were unreadable."""
    said, counted = used(debate), reported(served)
    if said.estimated:
        assert any(each.fault is not None for each in served)
        assert said.input_tokens >= counted.input_tokens
        assert said.output_tokens >= counted.output_tokens
    else:
        assert said == counted


def check_sum(debates: list[Debate], server: FaultServer) -> None:
    """Check the usage of every debate."""
    by_debate = requests_by_debate(server.served)
    for number, debate in enumerate(debates):
        check_used(debate, by_debate[number])


def print_summary(outcomes: list[Outcome], server: FaultServer) -> None:
    """Check the share of faults and print a summary."""
    failing = Counter(each.fault for each in server.served if each.fault is not None)
    closes = Counter(outcome.debate.closed for outcome in outcomes)
    share = failing.total() / len(server.served)
    assert 0.2 < share < 0.4
    assert set(failing) >= set(TRANSIENT) or DEBATES < 100
    lost = sum(len(outcome.debate.failures) for outcome in outcomes)
    print(
        f"{DEBATES} debates, {len(server.served)} requests, {share:.0%} of them failed in {len(failing)} ways; "
        f"closed: {dict(closes)}; tasks that failed: {lost}; at most {server.max_in_flight} requests at once"
    )
