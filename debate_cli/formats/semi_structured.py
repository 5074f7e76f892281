"""The semi-structured format: after a cross-examination its follow-up questions are answered by those they were put to."""

from __future__ import annotations

from collections.abc import Iterator

from debate_cli.domain.config import FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import FollowUpQuestion
from debate_cli.domain.turn import Turn
from debate_cli.formats.stage import Stage


def semi_structured_stages(config: FormatConfig) -> tuple[Stage, ...]:
    """The configured phases; each cross-examination is followed by `exchanges` stages of answers.

    Between two stages of answers the questioners may ask once more.
    """
    return tuple(_iter_stages(config))


def _iter_stages(config: FormatConfig) -> Iterator[Stage]:
    for phase in config.phases:
        if phase == "answers":
            continue
        yield Stage(phase)
        if phase == "cross_examination":
            for exchange in range(config.exchanges):
                if exchange:
                    yield Stage("cross_examination", follow_up=True)
                yield Stage("answers")


def follow_up_questions(debate: Debate, asking: tuple[Turn, ...]) -> tuple[tuple[str, FollowUpQuestion], ...]:
    """(who is asked, question) for every follow-up in the turns `asking`, in their order.

    A question about an argument that nobody made has nobody to answer it and is left out, and so is one to oneself.
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
