"""Stages: the steps of each format's plan, before the speakers are known.

structured: one stage per configured phase, and with `answers` one of answers to the follow-up questions of each
cross-examination. semi_structured: the same with one or more exchanges of answers. free_flowing: speeches in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from debate_cli.domain.config import FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.tasks import FollowUpQuestion
from debate_cli.domain.turn import Phase, Turn


@dataclass(frozen=True, slots=True)
class Stage:
    """What every debater is asked to do. A stage in which no debater has anything to say makes no round."""

    phase: Phase
    follow_up: bool = False
    """Whether it is a cross-examination limited to the answers of the stage before."""


def structured_stages(config: FormatConfig) -> Iterator[Stage]:
    """One stage per phase, in the order of the configuration; with `answers`, one of answers after a cross-examination."""
    return _phase_stages(config, exchanges=int(config.answers))


def semi_structured_stages(config: FormatConfig) -> Iterator[Stage]:
    """The configured phases; each cross-examination is followed by `exchanges` stages of answers."""
    return _phase_stages(config, config.exchanges)


def _phase_stages(config: FormatConfig, exchanges: int) -> Iterator[Stage]:
    """The phases with `exchanges` stages of answers; between two of them the questioners may ask once more."""
    for phase in config.phases:
        if phase == "answers":
            continue
        yield Stage(phase)
        if phase == "cross_examination":
            for exchange in range(exchanges):
                if exchange:
                    yield Stage("cross_examination", follow_up=True)
                yield Stage("answers")


def free_flowing_stages(config: FormatConfig) -> Iterator[Stage]:
    """Rounds of speeches, ordered so that the debater with the fewest speeches is always next."""
    return (Stage("speech") for _ in range(config.turns))


_STAGES_BY_FORMAT: dict[str, Callable[[FormatConfig], Iterator[Stage]]] = {
    "structured": structured_stages,
    "semi_structured": semi_structured_stages,
    "free_flowing": free_flowing_stages,
}


@memoize_on_value
def stages(config: FormatConfig) -> tuple[Stage, ...]:
    """The plan of a format."""
    return tuple(_STAGES_BY_FORMAT[config.kind](config))


def follow_up_questions(debate: Debate, asking: tuple[Turn, ...]) -> tuple[tuple[str, FollowUpQuestion], ...]:
    """(who is asked, question) for every follow-up question in the turns `asking`, in order.

    Questions about an unknown argument and questions to oneself are left out.
    """
    found = (
        (
            debate.arguments[response.target][0],
            FollowUpQuestion(asked_by=turn.speaker, target=response.target, text=follow_up),
        )
        for turn in asking
        for response in turn.responses or ()
        if response.target in debate.arguments and (follow_up := response.follow_up.strip())
    )
    return tuple((asked, question) for asked, question in found if asked != question.asked_by)
