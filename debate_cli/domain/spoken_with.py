"""Which models really spoke and judged: others than the configured ones where the mock stood in for them."""

from __future__ import annotations

from collections.abc import Iterable

from debate_cli.domain.debate import Debate
from debate_cli.domain.exchange import ModelCall
from debate_cli.domain.participant import Participant


def models_used_by_debater(debate: Debate, person: Participant) -> tuple[str, ...]:
    """The `provider/model` that a debater spoke with, each once, in their order; the configured one before its first speech."""
    return _distinct_models(turn.exchange for turn in debate.select_turns(speaker=person.name)) or (person.model,)


def models_used_by_debaters(debate: Debate) -> tuple[str, ...]:
    """The same of all debaters, each model once."""
    return tuple(
        dict.fromkeys(model for person in debate.participants for model in models_used_by_debater(debate, person))
    )


def models_used_by_judges(debate: Debate, run: str, system: str, assessor: str | None = None) -> tuple[str, ...]:
    """The same of the judges of a system in a judging run, or of one of them; none where no model has answered yet."""
    found = (item for item in debate.assessments_of_system(system, run) if assessor in (None, item.assessor))
    return _distinct_models(item.exchange for item in found)


def _distinct_models(exchanges: Iterable[ModelCall]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(exchange.model for exchange in exchanges if exchange.attempts))
