"""Which models really spoke and judged: others than the configured ones where the mock stood in for them."""

from __future__ import annotations

from collections.abc import Iterable

from debate_cli.domain.debate import Debate
from debate_cli.domain.exchange import Exchange
from debate_cli.domain.participant import Participant


def models_of_debater(debate: Debate, person: Participant) -> tuple[str, ...]:
    """The `provider/model` that a debater spoke with, each once, in their order; the configured one before its first speech."""
    return _asked(turn.exchange for turn in debate.spoken(speaker=person.name)) or (person.model,)


def models_of_debaters(debate: Debate) -> tuple[str, ...]:
    """The same of all debaters, each model once."""
    return tuple(dict.fromkeys(model for person in debate.participants for model in models_of_debater(debate, person)))


def models_of_judge(debate: Debate, run: str, system: str, assessor: str | None = None) -> tuple[str, ...]:
    """The same of the judges of a system in a judging run, or of one of them; none where no model has answered yet."""
    found = (item for item in debate.of_system(system, run) if assessor in (None, item.assessor))
    return _asked(item.exchange for item in found)


def _asked(exchanges: Iterable[Exchange]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(exchange.model for exchange in exchanges if exchange.attempts))
