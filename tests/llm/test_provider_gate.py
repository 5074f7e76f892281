"""The gate of a provider that refuses calls (429 and 529), measured with a fake clock."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count, pairwise

import pytest
from llm_support import Act, Clock, FakeModel, reply, request

from debate_cli.errors import RateLimitedError, ServerError
from debate_cli.llm.meter import pausable_deadline
from debate_cli.llm.model import OnText, Profile, Reply, Request
from debate_cli.llm.rate_limit import MAX_CLOSED_S, ProviderGate, RateLimitedModel, RateLimiter
from debate_cli.llm.retry import RetryingModel

LATENCY_S, REFUSAL_S = 1.0, 0.125


@dataclass
class Server:
    """Accepts a call if `allows(times of accepted calls, now)`; refuses it with `retry_after` otherwise."""

    clock: Clock
    allows: Callable[[list[float], float], bool]
    retry_after: Callable[[list[float], float], float | None] = lambda _accepted, _now: None
    accepted: list[float] = field(default_factory=list[float])
    names: list[str] = field(default_factory=list[str])
    """Texts of the accepted calls."""
    refused: list[float] = field(default_factory=list[float])

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer after a second, refuse after a tenth of one."""
        now = self.clock.now
        if not self.allows(self.accepted, now):
            self.refused.append(now)
            await self.clock.sleep(REFUSAL_S)
            raise RateLimitedError("lab answered 429", retry_after=self.retry_after(self.accepted, now))
        self.accepted.append(now)
        self.names.append(request.messages[0].content)
        await self.clock.sleep(LATENCY_S)
        return reply("well")


@dataclass
class Gated:
    """Models behind one gate."""

    clock: Clock = field(default_factory=Clock)
    notes: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.gate = ProviderGate("lab", note=self.notes.append, clock=self.clock, random=lambda _low, high: high)
        self.limiter = RateLimiter(8, gate=self.gate, clock=self.clock, sleep=self.clock.sleep)

    def model(self, *acts: Act, seconds: float = 0.0) -> RateLimitedModel:
        """A model that does `acts`, each after `seconds`."""
        return self.behind(FakeModel(*acts, before=lambda: self.clock.sleep(seconds)))

    def behind(self, model: FakeModel | Server) -> RateLimitedModel:
        """`model` behind the gate."""
        return RateLimitedModel(model, self.limiter, Profile())

    def ask(self, server: Server, calls: int) -> list[Reply | BaseException]:
        """Make `calls` concurrent calls through the retry policy, with a single attempt each."""
        model = RetryingModel(self.behind(server), max_attempts=1)
        return asyncio.run(self.clock.run(*(model.complete(request(str(number))) for number in range(calls))))


ALLOWANCE, WINDOW_S = 12, 60.0


def fixed_window(accepted: list[float], now: float) -> bool:
    """Twelve calls in each minute of the clock."""
    return sum(at // WINDOW_S == now // WINDOW_S for at in accepted) < ALLOWANCE


def sliding_window(accepted: list[float], now: float) -> bool:
    """Twelve calls in any sixty seconds."""
    return sum(at > now - WINDOW_S for at in accepted) < ALLOWANCE


def bucket(accepted: list[float], now: float) -> bool:
    """Twelve calls at once, and one more every five seconds."""
    tokens, last = float(ALLOWANCE), 0.0
    for at in [*accepted, now]:
        tokens, last = min(ALLOWANCE, tokens + (at - last) * ALLOWANCE / WINDOW_S) - 1, at
    return tokens > -1e-9


def until_allowed(allows: Callable[[list[float], float], bool]) -> Callable[[list[float], float], float]:
    """The Retry-After of a server: whole seconds until `allows` accepts a call."""
    return lambda accepted, now: next(seconds for seconds in range(1, 61) if allows(accepted, now + seconds))


@pytest.mark.parametrize("allows", [fixed_window, sliding_window, bucket])
@pytest.mark.parametrize("says_when", [True, False], ids=["Retry-After", "no Retry-After"])
def test_a_server_with_an_allowance_answers_every_call_in_nearly_the_time_it_needs(
    allows: Callable[[list[float], float], bool], says_when: bool
) -> None:
    """75 calls with one attempt each, 12 a minute: all are answered in at most 1.3 times the least time, few are refused."""
    gated = Gated()
    server = Server(gated.clock, allows)
    if says_when:
        server.retry_after = until_allowed(allows)
    answers = gated.ask(server, 75)
    assert [answer for answer in answers if not isinstance(answer, Reply)] == []
    least = 75 * WINDOW_S / ALLOWANCE
    assert gated.clock.now <= 1.3 * least
    assert len(server.refused) <= 75 / 3


@pytest.mark.parametrize("calls", [20, 80])
def test_a_server_that_refuses_every_second_request_is_not_asked_ever_more_slowly(calls: int) -> None:
    """The time of a call does not depend on their number."""
    gated, requests = Gated(), count()
    server = Server(gated.clock, lambda _accepted, _now: next(requests) % 2 == 0)
    answers = gated.ask(server, calls)
    assert [answer for answer in answers if not isinstance(answer, Reply)] == []
    assert gated.clock.now <= 9 * calls


def test_time_in_which_no_call_was_due_does_not_slow_the_pace() -> None:
    """A pause of slow speeches does not slow the calls of the judges after it."""
    gated = Gated()

    def accept(seconds: float) -> None:
        call = gated.gate.start_call()
        gated.clock.now += seconds
        gated.gate.accept(call)

    for seconds in [20.0] * 30 + [0.25] * 20:
        accept(seconds)
    refused = gated.gate.start_call()
    gated.gate.refuse(refused, RateLimitedError("lab answered 429", retry_after=10), waiting=1)
    gated.clock.now += gated.gate.wait_s()
    accept(0)
    assert gated.gate.wait_s() == pytest.approx(1.02 * 15 / 20)


def test_a_single_refusal_at_the_start_does_not_slow_the_run() -> None:
    """One of the first two calls is refused. The calls after the probe have no gaps of the length of Retry-After."""
    gated = Gated()
    server = Server(gated.clock, lambda accepted, _now: bool(accepted or server.refused), lambda _accepted, _now: 15.0)
    gated.ask(server, 2)
    gated.ask(server, 8)
    _, probe, *others = server.accepted
    assert (len(others), len(server.refused)) == (8, 1)
    assert max(others) < probe + 4 * LATENCY_S


def test_a_refusal_brings_back_the_pace_that_held() -> None:
    """A server asks for a whole minute although a few seconds would do: that pause does not slow the calls after it."""
    gated = Gated()
    server = Server(gated.clock, fixed_window, lambda _accepted, _now: 60.0)
    gated.ask(server, 75)
    after = [at for at in server.accepted if at > server.refused[-1]]
    assert server.refused[-1] > WINDOW_S, "the faster pace was refused"
    assert max(later - earlier for earlier, later in pairwise(after)) <= 1.1 * WINDOW_S / ALLOWANCE


def test_after_a_refusal_one_probe_leaves_and_the_others_follow_in_order() -> None:
    """Eight calls are refused together. Nothing leaves for seven seconds, then one call, and after its answer the rest."""
    gated = Gated()
    server = Server(gated.clock, lambda _accepted, now: now >= 7, lambda _accepted, _now: 7.0)
    gated.ask(server, 12)
    assert server.refused == [0.0] * 8
    assert server.accepted[:2] == [7 + REFUSAL_S, 8 + REFUSAL_S]
    assert server.names == [str(number) for number in range(12)]


def test_refusals_count_as_requests_and_not_as_attempts() -> None:
    """A policy with one attempt gets its answer, which counts all three requests and their seconds."""
    gated = Gated()
    refusal = RateLimitedError("429", retry_after=1)
    refusal.latency_s = 0.25
    model = RetryingModel(gated.model(refusal, refusal, "well"), max_attempts=1)
    (answer,) = asyncio.run(gated.clock.run(model.complete(request())))
    assert (answer.text, answer.attempts, answer.latency_s) == ("well", 3, 1.0)


def test_each_closing_has_one_note() -> None:
    """It names the provider, the wait, and the waiting calls: those in the queue and the first refused one."""
    gated = Gated()
    gated.ask(Server(gated.clock, lambda _accepted, now: now >= 12, lambda _accepted, _now: 12.0), 13)
    assert gated.notes == ["lab limits requests: waiting 12 s, 6 calls wait (gives up after 10 min)"]


def test_a_server_that_refuses_everything_is_noted_at_growing_intervals() -> None:
    """After 0, ½, 1, 2, 4 and 8 minutes, a note says how long the calls have waited and when the gate gives up."""
    gated = Gated()
    gated.ask(Server(gated.clock, lambda _accepted, _now: False, lambda _accepted, _now: 20.0), 1)
    waits = "waiting 20 s", "waited 40 s", "waited 1 min", "waited 2 min", "waited 4 min", "waited 8 min"
    assert gated.notes == [f"lab limits requests: {wait}, 1 call waits (gives up after 10 min)" for wait in waits]


def test_an_accepted_call_ends_the_reminders() -> None:
    """The next closing of the gate is noted like the first one."""
    gated = Gated()
    server = Server(gated.clock, lambda _accepted, now: 50 <= now < 100, lambda _accepted, _now: 20.0)
    gated.ask(server, 1)
    gated.clock.now = 100
    gated.ask(server, 1)
    assert [note.partition(",")[0].partition(": ")[2] for note in gated.notes][:3] == [
        "waiting 20 s",
        "waited 40 s",
        "waiting 20 s",
    ]


def test_the_state_of_the_gate_can_be_asked_at_any_time() -> None:
    """While the gate is closed, it says how long it has waited, for how long it will wait, and when it tries again."""
    gated = Gated()
    states = [gated.gate.describe_wait()]
    for step in ("refuse", "accept"):
        call = gated.gate.start_call()
        if step == "refuse":
            gated.gate.refuse(call, RateLimitedError("429", retry_after=20), waiting=1)
            gated.clock.now += 15
        else:
            gated.gate.accept(call)
        states.append(gated.gate.describe_wait())
    assert states == ["", "lab limits requests: waited 15 of at most 600 s, next try in 5 s", ""]


def test_a_late_refusal_of_an_earlier_call_closes_nothing() -> None:
    """The refusal of a call that left before the accepted probe is out of date."""
    gated = Gated()
    slow = gated.model(RateLimitedError("429"), "well", seconds=5)
    quick = gated.model(RateLimitedError("429", retry_after=1), "well")
    answers = asyncio.run(gated.clock.run(slow.complete(request()), quick.complete(request())))
    assert [answer.text for answer in answers] == ["well", "well"]
    assert len(gated.notes) == 1


def test_an_accepted_probe_ends_the_growth_of_the_backoff() -> None:
    """Refusals in a row wait 1 s, then 2 s; the first one after an accepted call waits 1 s again."""
    gated, waits = Gated(), list[float]()
    for is_accepted in (False, False, True, False):
        call = gated.gate.start_call()
        if is_accepted:
            gated.gate.accept(call)
        else:
            gated.gate.refuse(call, RateLimitedError("429"), waiting=1)
            waits.append(gated.gate.wait_s())
        gated.gate.end(call)
        gated.clock.now += gated.gate.wait_s()
    assert waits == [1.0, 2.0, 1.0]


@pytest.mark.parametrize("probe", [ServerError("503"), asyncio.CancelledError()])
def test_a_probe_that_ends_otherwise_is_followed_by_another(probe: BaseException) -> None:
    """The gate stays closed to all calls but the next probe."""
    gated = Gated()
    first = gated.model(RateLimitedError("429", retry_after=1), probe)
    other = gated.model("well")

    async def later() -> Reply:
        await gated.clock.sleep(0.5)
        return await other.complete(request())

    _, answer = asyncio.run(gated.clock.run(first.complete(request()), later()))
    assert answer.text == "well"


def test_a_long_retry_after_fails_all_waiting_calls_with_one_message() -> None:
    """The calls in the queue are not sent. A call after that wait is."""
    gated = Gated()
    server = Server(gated.clock, lambda _accepted, now: now >= 300, lambda _accepted, _now: 300.0)
    answers = gated.ask(server, 12)
    message = "lab answered 429 — gave up, because the wait is longer than 60 s; resume later"
    assert {(type(answer), str(answer)) for answer in answers} == {(RateLimitedError, message)}
    assert len(server.refused) == 8
    gated.clock.now = 301
    (later,) = gated.ask(server, 1)
    assert isinstance(later, Reply)


def test_ten_minutes_without_an_accepted_call_fail_all_waiting_calls() -> None:
    """A server that refuses everything is asked by probes alone, at growing intervals."""
    gated = Gated()
    server = Server(gated.clock, lambda _accepted, _now: False)
    answers = gated.ask(server, 12)
    message = "lab answered 429 — gave up after 10 minutes without an accepted call; resume later"
    assert {str(answer) for answer in answers} == {message}
    assert MAX_CLOSED_S <= gated.clock.now <= MAX_CLOSED_S + 30
    assert len(server.refused) <= 8 + MAX_CLOSED_S / 30 + 6


def test_the_wait_at_the_gate_is_not_time_of_the_deadline() -> None:
    """The deadline of a call is paused until it leaves again."""

    async def story() -> str:
        limiter = RateLimiter(1, gate=ProviderGate(random=lambda _low, _high: 0.3))
        model = RateLimitedModel(FakeModel(RateLimitedError("429"), "well"), limiter, Profile())
        async with asyncio.timeout(0.1) as deadline:
            with pausable_deadline(deadline):
                return (await model.complete(request())).text

    assert asyncio.run(story()) == "well"


class RefusesInTheMiddle:
    """Streams half an answer, then reports an overload."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Stream and raise."""
        assert on_text is not None
        on_text("half")
        raise RateLimitedError("overloaded")


def test_a_refusal_in_the_middle_of_an_answer_costs_an_attempt() -> None:
    """The provider bills what it wrote, so the policy's number of attempts holds."""
    gated = Gated()
    model = RetryingModel(
        RateLimitedModel(RefusesInTheMiddle(), gated.limiter, Profile()), max_attempts=2, sleep=gated.clock.sleep
    )
    (error,) = asyncio.run(gated.clock.run(model.complete(request(), lambda _text: None)))
    assert str(error) == "overloaded — gave up after 2 attempts"
