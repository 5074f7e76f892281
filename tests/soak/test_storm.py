"""Many debates at once against a server that fails three requests in ten: each ends as the policy prescribes."""

from __future__ import annotations

import asyncio
import resource
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from faults.fault_server import FaultServer, Heard, Served
from faults.playbacks import GIVEN_UP, REASKED, RETRIED
from faults.runs import Waits, Witness, config, session, used
from faults.wire_formats import WIRES

from debate_cli.app.session import Outcome
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import AssessmentCompleted, Failure, TurnCompleted
from debate_cli.domain.model_call import Usage
from debate_cli.domain.tasks import Cue
from debate_cli.providers.mock.sentences import SeededRandom
from debate_cli.storage.transcript_store import open_debate
from debate_cli.systems.scoring import score

DEBATES = 200
MAX_ATTEMPTS = 5
FAILING, HOPELESS = 0.3, 0.01
"""Shares of requests that fail, and that fail in a way that another try would not mend."""
TRANSIENT = tuple(fault for fault in [*RETRIED, *REASKED] if fault not in {"silence", "stall", "not_streamed"})
"""Silence costs real time. The last one cannot befall judges."""
FILES_EACH = 40
"""File descriptors that a debate may have open, both ends of its connections counted."""
APART_S = 0.15
"""Between the beginnings of two debates, as each keeps the process busy that long; all are under way at once soon."""
NO_CONNECTION = "accepted no connection in time"
"""So busy that a connection may not come in time: an attempt that the server never hears of."""
PATIENCE_S = 3600.0
"""Nobody is late: so many debates in one process keep it busy."""


@dataclass
class Storm:
    """Which request meets which fault: by the seed, the question, and how often that was asked; not by who came first."""

    seed: int
    over: bool = False
    asked: Counter[str] = field(default_factory=Counter[str])

    def plan(self, heard: Heard) -> str | None:
        """See `fault_server.Plan`."""
        if self.over:
            return None
        nth = self.asked[heard.key]
        self.asked[heard.key] += 1
        random = SeededRandom(f"{self.seed}/{nth}/{heard.key}")
        drawn = random.unit("fails")
        if drawn >= FAILING:
            return None
        return random.pick(tuple(GIVEN_UP) if drawn < HOPELESS else TRANSIENT, "fault")


def settings(server: FaultServer, number: int) -> DebateConfig:
    """Debate `number`, judged by all five systems; the wire formats take turns. Its models bear its number."""
    kind = tuple(WIRES)[number % len(WIRES)]
    names = {name: {"model": f"lab/{name}-{number}"} for name in ("pro", "con", "judge")}
    systems = [
        {"kind": "structured"},
        {"kind": "moderator", "guidance": False},
        {
            "kind": "panel",
            "personas": ["technical_architect", "qa_evaluator"],
            "max_rounds": 2,
            "timeout_s": PATIENCE_S,
        },
        {"kind": "live"},
        {"kind": "persuasion"},
    ]
    return config(
        server,
        kind,
        models=names,
        debaters=[{"name": "Pro", "side": "for", "model": "pro"}, {"name": "Con", "side": "against", "model": "con"}],
        format={"arguments": 1},
        judging={"systems": systems},
        limits={"max_attempts": MAX_ATTEMPTS, "timeout_s": PATIENCE_S},
    )


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Room for all connections; and no profile of whoever runs the tests for Anthropic's SDK."""
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "none"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, DEBATES * FILES_EACH)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
def test_a_storm_of_debates(tmp_path: Path) -> None:
    """All end as prescribed, nothing is doubled, and the books agree to the token; resumed in fair weather, all are whole."""

    async def story() -> None:
        storm = Storm(seed=1)
        async with FaultServer(storm.plan) as server:
            server.before = latency
            outcomes = await asyncio.gather(*(one(server, number, tmp_path) for number in range(DEBATES)))
            by_debate = books(server.served)
            for number, outcome in enumerate(outcomes):
                check_disk(outcome)
                check_used(outcome.debate, by_debate[number])
            check_sum([outcome.debate for outcome in outcomes], server)
            tell(outcomes, server)
            storm.over = True
            whole = [await resumed(server, outcome, number) for number, outcome in enumerate(outcomes)]
            check_sum([outcome.debate for outcome in whole], server)

    asyncio.run(story())


async def latency(_served: Served) -> None:
    """Long enough for requests to be under way at once."""
    await asyncio.sleep(0.02)


async def one(server: FaultServer, number: int, folder: Path) -> Outcome:
    """A debate of the storm, watched."""
    witness, notes = Witness(), list[str]()
    await asyncio.sleep(number * APART_S)
    outcome = await session(witness, Waits(), notes).begin(settings(server, number), f"storm-{number}", folder)
    check_events(witness, outcome.debate)
    told = [*notes, *(failure.message for failure in outcome.debate.failures)]
    unheard = sum(NO_CONNECTION in words for words in told)
    served = books(server.served)[number]
    assert outcome.debate.usage.attempts == len(served) + unheard
    check_end(outcome, served, unheard)
    return outcome


async def resumed(server: FaultServer, outcome: Outcome, number: int) -> Outcome:
    """The debate gone on with; nothing is missing in it but what judges declined to say."""
    assert outcome.path is not None
    after = await session(Witness(), Waits()).resume(open_debate(outcome.path), settings(server, number))
    assert (after.halted, after.debate.closed) == (None, "complete")
    assert all(failure.final for failure in after.debate.failures if failure.task.key not in after.debate.answered_keys)
    return after


def check_events(witness: Witness, debate: Debate) -> None:
    """Each task was asked once, and settled once; and the events are the debate."""
    answers = [f"turn/{event.turn.index}" for event in witness.events if isinstance(event, TurnCompleted)]
    answers += [event.assessment.brief.key for event in witness.events if isinstance(event, AssessmentCompleted)]
    settled = Counter([*answers, *(failure.task.key for failure in debate.failures)])
    assert set(settled.values()) <= {1}
    assert set(witness.asked.values()) <= {1}
    assert settled.keys() == witness.asked.keys()
    assert fold(witness.events) == debate


def check_end(outcome: Outcome, served: list[Served], unheard: int) -> None:
    """A debater who cannot be heard ends the debate, a judge never does; and somebody failed only where the server let him.

    `unheard` attempts never came to the server.
    """
    failures = outcome.debate.failures
    speechless = [failure for failure in failures if isinstance(failure.task, Cue)]
    assert outcome.debate.closed == ("failed" if speechless else "complete")
    hopeless = given_up(served, unheard)
    assert sum(map(declined_or_lost, failures)) <= len(hopeless)
    assert sum(name.startswith("judge") for name in hopeless) == sum(
        declined_or_lost(failure) for failure in failures if not isinstance(failure.task, Cue)
    )


def declined_or_lost(failure: Failure) -> bool:
    """Whether a provider gave no answer, rather than one that cannot be used."""
    return failure.cause != "abstained" or "declined" in failure.message


def given_up(served: list[Served], unheard: int) -> list[str]:
    """Models, one for each request that the policy does not make again: met its limit of attempts, or a hopeless fault."""
    tries: defaultdict[str, list[Served]] = defaultdict(list)
    for each in served:
        tries[each.heard.key].append(each)
    found: list[str] = []
    for attempts in tries.values():
        faults = [each.fault for each in attempts]
        assert all(fault in RETRIED for fault in faults[:-1]), faults
        assert len(faults) <= MAX_ATTEMPTS
        if faults[-1] in GIVEN_UP or faults[-1] in RETRIED:
            assert faults[-1] in GIVEN_UP or len(faults) + unheard >= MAX_ATTEMPTS
            found.append(attempts[0].heard.model)
    return found


def check_disk(outcome: Outcome) -> None:
    """The transcript is there, whole and the debate; its verdicts can be had again from it; no journal is left."""
    assert outcome.path is not None
    assert not outcome.path.with_suffix(".jsonl").exists()
    stored = open_debate(outcome.path)
    assert stored.debate.turns == outcome.debate.turns
    assert stored.debate.assessments == outcome.debate.assessments
    assert stored.debate.failures == outcome.debate.failures
    assert stored.verdicts == score(stored.debate, runs="all")


def books(served: list[Served]) -> defaultdict[int, list[Served]]:
    """What the server did for each debate."""
    found: defaultdict[int, list[Served]] = defaultdict(list)
    for each in served:
        found[int(each.heard.model.partition("-")[2])].append(each)
    return found


def reported(served: list[Served]) -> Usage:
    """All tokens that answers told of."""
    return sum((each.reported for each in served), Usage())


def check_used(debate: Debate, served: list[Served]) -> None:
    """A transcript says what the server reported; where streams broke off untold, more of it, as an estimate."""
    said, counted = used(debate), reported(served)
    if said.estimated:
        assert any(each.fault is not None and each.heard.streamed for each in served)
        assert said.input_tokens > counted.input_tokens
    else:
        assert said == counted


def check_sum(debates: list[Debate], server: FaultServer) -> None:
    """All transcripts together say what the server counted, debate by debate."""
    by_debate = books(server.served)
    for number, debate in enumerate(debates):
        check_used(debate, by_debate[number])


def tell(outcomes: list[Outcome], server: FaultServer) -> None:
    """Say how the storm went."""
    failing = Counter(each.fault for each in server.served if each.fault is not None)
    closes = Counter(outcome.debate.closed for outcome in outcomes)
    share = failing.total() / len(server.served)
    assert 0.2 < share < 0.4
    assert set(failing) >= set(TRANSIENT) or DEBATES < 100
    lost = sum(len(outcome.debate.failures) for outcome in outcomes)
    print(
        f"{DEBATES} debates, {len(server.served)} requests, {share:.0%} of them failed in {len(failing)} ways; "
        f"closed: {dict(closes)}; tasks that failed: {lost}; at most {server.most_under_way} requests at once"
    )
