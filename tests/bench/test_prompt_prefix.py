"""Share of a prompt that a provider can serve from its cache: characters that repeat the beginning of an earlier request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from bench.figures import Figures
from rehearsal_support import config_of, run_debate

from debate_cli.llm.model import Model, OnText, Reply, Request

JUDGE = "mock/judge"


@dataclass
class Requests:
    """A cassette that records requests per model, in order."""

    is_replay: bool = False
    failure: None = None
    asked: dict[str, list[Request]] = field(default_factory=dict[str, list[Request]])

    def wrap(self, name: str, model: Model, redact: Callable[[str], str]) -> Model:
        """`model`, with its requests recorded."""
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
    """The input of a model: system prompt and messages."""
    return request.system + "".join(message.content for message in request.messages)


def _repeated(request: Request, earlier: Sequence[Request]) -> int:
    """Length of the longest beginning of `request` that an earlier request shares."""
    text = _input(request)
    return max((_common(text, _input(other)) for other in earlier), default=0)


def _common(one: str, other: str) -> int:
    """Length of the common beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def test_a_debater_repeats_itself(figures: Figures) -> None:
    """From the second call on, most of a debater's prompt equals the beginning of its previous one."""
    cassette = Requests()
    debaters = [
        {"name": name, "side": side, "model": f"mock/{name}"} for name, side in (("Pro", "for"), ("Con", "against"))
    ]
    run_debate(config_of(debaters=debaters, models={"judge": {"model": JUDGE}}), cassette=cassette)
    shares: list[float] = []
    for name in ("mock/Pro", "mock/Con"):
        calls = cassette.asked[name]
        assert [call.purpose for call in calls] == ["opening", "cross_examination", "closing"]
        shares += [_repeated(call, [before]) / len(_input(call)) for before, call in pairwise(calls)]
    figures.add(
        "prompt prefix, debaters' later calls, least",
        min(shares),
        "Pro and Con, calls 2 and 3: " + " ".join(f"{share:.2f}" for share in shares),
        bound=0.6,
        at_least=True,
    )
