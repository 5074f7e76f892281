"""What a run will ask before it asks: calls, tokens and cost, as planned and at the worst, for each role.

Planned is what a rehearsal on the mock needed. At the worst every speech fills its limit, every question is asked again as
often as is allowed, and panels deliberate to their last round; requests that a provider answers with a fault are tried
again beyond that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from debate_cli.domain.bench import assessors, role
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.exchange import Exchange, Usage
from debate_cli.domain.systems import Panel, System
from debate_cli.formats import planned_turns
from debate_cli.judging.schedules import further_questions, planned_briefs
from debate_cli.llm.ladder import MAX_REASKS
from debate_cli.llm.prices import cost
from debate_cli.providers.registry import Registry
from debate_cli.rehearsal import Rehearsed, rehearse
from debate_cli.wiring import Surroundings

ASKS = 1 + MAX_REASKS
"""How often one question is asked at the most, as answers come without the right form."""
SPEECH_ASKS = 2 * ASKS
"""The same of a speech, which is asked for once more where its shape is broken."""
REASK_TOKENS = 600
"""What is wrong with an answer, in words, generously."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Requests and what they take."""

    calls: int
    usage: Usage
    cost_usd: float | None
    """None where the price is not known."""

    def __add__(self, other: Amount) -> Amount:
        known = self.cost_usd is not None and other.cost_usd is not None
        both = (self.cost_usd or 0.0) + (other.cost_usd or 0.0)
        return Amount(self.calls + other.calls, self.usage + other.usage, both if known else None)


NOTHING = Amount(0, Usage(), 0.0)


@dataclass(frozen=True, slots=True)
class Share:
    """What one debater, or one judge of a system, is expected to be asked."""

    role: str
    spec: ModelSpec
    planned: Amount
    worst: Amount


@dataclass(frozen=True, slots=True)
class Forecast:
    """A whole run."""

    speeches: int
    assessments: int
    """At the least: a panel may deliberate further, a narrative may have to be resolved."""
    shares: tuple[Share, ...]

    @property
    def planned(self) -> Amount:
        """Of all roles."""
        return sum((share.planned for share in self.shares), NOTHING)

    @property
    def worst(self) -> Amount:
        """Of all roles."""
        return sum((share.worst for share in self.shares), NOTHING)


def planned_calls(config: DebateConfig) -> int:
    """Calls that a run makes when nothing is asked again, at the least."""
    return planned_turns(config) + planned_briefs(config)


async def forecast(config: DebateConfig, around: Surroundings) -> Forecast:
    """What running `config` would ask. No model is asked for it."""
    reckoning = _Reckoning(config, Registry(config, around.env, folder=around.folder), await rehearse(config, around))
    shares = (
        *reckoning.debaters(),
        *(share for system in config.judging.systems for share in reckoning.judges(system)),
    )
    return Forecast(planned_turns(config), planned_briefs(config), shares)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked of one role again and again."""

    planned: int
    worst: int
    """How often, with every further round."""
    asks: int
    """How often one is asked at the most."""
    prompt: int
    """Tokens of its prompt at the most, whatever was said before at its longest."""


@dataclass(frozen=True, slots=True)
class _Reckoning:
    config: DebateConfig
    registry: Registry
    rehearsed: Rehearsed

    def debaters(self) -> Iterator[Share]:
        """The shares of the debaters."""
        turns = planned_turns(self.config) // max(1, len(self.config.debaters))
        speech = self.rehearsed.longest("opening", "cross_examination", "answers", "rebuttal", "closing", "speech")
        for debater in self.config.debaters:
            spec = self.config.model_for_debater(debater)
            spoken = [turn.exchange for turn in self.rehearsed.debate.turns if turn.speaker == debater.name]
            if spec is not None:
                question = _Question(turns, turns, SPEECH_ASKS, speech + self._heard_by_speaker(turns))
                yield self._share(debater.name, spec, question, spoken)

    def judges(self, system: System) -> Iterator[Share]:
        """The shares of a system's judges."""
        seats = assessors(system)
        asked = _planned_of(self.config, system) // max(1, len(seats))
        for seat in seats:
            spec = self.config.model_for_judge(role(system, seat))
            told = self.rehearsed.debate.of_system(system.kind, "r1")
            if spec is not None:
                read = self._heard() + self._read(system, self._output(spec), asked)
                question = _Question(
                    asked,
                    asked + further_questions(system),
                    ASKS,
                    self.rehearsed.longest(f"judge.{system.kind}") + read,
                )
                name = f"{system.kind} {seat}"
                yield self._share(name, spec, question, [item.exchange for item in told if item.assessor == seat])

    def _share(self, name: str, spec: ModelSpec, question: _Question, rehearsed: Sequence[Exchange]) -> Share:
        price, output = self.registry.price(spec), self._output(spec)
        calls = question.worst * question.asks
        again = sum(range(question.asks)) * (output + REASK_TOKENS)
        worst = Usage(input_tokens=calls * question.prompt + question.worst * again, output_tokens=calls * output)
        planned = _average(rehearsed, question.planned)
        return Share(
            name,
            spec,
            Amount(question.planned, planned, cost(planned, price)),
            Amount(calls, worst, cost(worst, price)),
        )

    def _heard_by_speaker(self, turns: int) -> int:
        """The same as a speaker of so many turns hears of it before each, on the average and last in every round."""
        speakers = len(self.config.debaters)
        before = speakers - 1 + speakers * (turns - 1) / 2
        return math.ceil(self._heard() / max(1, turns * speakers) * before)

    def _heard(self) -> int:
        """Tokens of the whole debate, every speech at its full length."""
        speakers = [self.config.model_for_debater(debater) for debater in self.config.debaters]
        longest = max((self._output(spec) for spec in speakers if spec is not None), default=0)
        return planned_turns(self.config) * longest

    def _read(self, system: System, output: int, asked: int) -> int:
        """Tokens of the judges' words that a judge is shown: the panel's, or its own earlier ones."""
        return output * (len(assessors(system)) if isinstance(system, Panel) else asked - 1)

    def _output(self, spec: ModelSpec) -> int:
        return spec.max_output_tokens or self.registry.profile(spec.model).max_output_tokens


def _planned_of(config: DebateConfig, system: System) -> int:
    judging = config.judging.model_copy(update={"systems": (system,)})
    return planned_briefs(config.model_copy(update={"judging": judging}))


def _average(rehearsed: Sequence[Exchange], calls: int) -> Usage:
    """What so many calls use, if each uses what those of the rehearsal did on the average."""
    count = max(1, len(rehearsed))
    spent = sum((exchange.usage for exchange in rehearsed), Usage())
    return Usage(
        input_tokens=round(spent.input_tokens * calls / count), output_tokens=round(spent.output_tokens * calls / count)
    )
