"""Stages: the plan of each format, before the speakers are known.

structured: one stage per configured phase; with `answers`, each cross-examination is followed by a stage of answers to
its questions. semi_structured: the same stages, with one or more exchanges of questions and answers after each
cross-examination. free_flowing: alternating speeches.
"""

from dataclasses import dataclass

from debate_cli.domain.config import FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.tasks import FollowUpQuestion
from debate_cli.domain.turn import Phase, Turn


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of the plan for all debaters. If no debater has anything to say in it, it makes no round."""

    phase: Phase
    follow_up: bool = False
    """Whether this stage is a cross-examination about the answers of the stage before."""


@memoize_on_value
def stages(config: FormatConfig) -> tuple[Stage, ...]:
    """The plan of a format.

    Free-flowing: stages of speeches. Otherwise the configured phases; after each cross-examination come its exchanges:
    a stage of answers, then for every further exchange a stage of questions and one of answers.
    """
    if config.kind == "free_flowing":
        return (Stage("speech"),) * config.turns
    exchanges = config.exchanges if config.kind == "semi_structured" else int(config.answers)
    again = (Stage("cross_examination", follow_up=True), Stage("answers"))
    answered = ((Stage("answers"), *again * (exchanges - 1))) if exchanges else ()
    found: list[Stage] = []
    for phase in config.phases:
        if phase != "answers":
            found += [Stage(phase), *(answered if phase == "cross_examination" else ())]
    return tuple(found)


def follow_up_questions(debate: Debate, asking: tuple[Turn, ...]) -> tuple[tuple[str, FollowUpQuestion], ...]:
    """(debater to answer, question) for every follow-up question in the turns `asking`, in order.

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
