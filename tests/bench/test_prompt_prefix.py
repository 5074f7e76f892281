"""Share of a prompt that a provider can serve from its cache: characters that repeat the beginning of an earlier request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from bench.figures import Figures
from rehearsal_support import config_of, hold

from debate_cli.llm.model import Model, OnText, Reply, Request

JUDGE = "mock/judge"


@dataclass
class Requests:
    """A tape that keeps what is asked, per model and in order."""

    serves: bool = False
    asked: dict[str, list[Request]] = field(default_factory=dict[str, list[Request]])

    def wrap(self, name: str, model: Model) -> Model:
        """`model`, overheard."""
        return _Overheard(model, self.asked.setdefault(name, []))


@dataclass
class _Overheard:
    model: Model
    asked: list[Request]

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer as the model does."""
        self.asked.append(request)
        return await self.model.complete(request, on_text)


def _input(request: Request) -> str:
    """What a model reads: system and messages, one after the other."""
    return request.system + "".join(message.content for message in request.messages)


def _repeated(request: Request, earlier: Sequence[Request]) -> int:
    """Leading characters of `request` that begin an earlier one too, at the most."""
    text = _input(request)
    return max((_common(text, _input(other)) for other in earlier), default=0)


def _common(one: str, other: str) -> int:
    """How many leading characters are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def test_a_debater_repeats_itself(figures: Figures) -> None:
    """From the second call on, most of what a debater is sent begins as its call before did."""
    tape = Requests()
    debaters = [
        {"name": name, "side": side, "model": f"mock/{name}"} for name, side in (("Pro", "for"), ("Con", "against"))
    ]
    hold(config_of(debaters=debaters, models={"judge": {"model": JUDGE}}), tape=tape)
    shares: list[float] = []
    for name in ("mock/Pro", "mock/Con"):
        calls = tape.asked[name]
        assert [call.purpose for call in calls] == ["opening", "cross_examination", "closing"]
        shares += [_repeated(call, [before]) / len(_input(call)) for before, call in pairwise(calls)]
    figures.add(
        "prompt prefix, debaters' later calls, least",
        min(shares),
        "Pro and Con, calls 2 and 3: " + " ".join(f"{share:.2f}" for share in shares),
        bound=0.6,
        at_least=True,
    )
