"""Tasks: a cue asks a debater for a turn, a brief asks a judge for an assessment."""

from functools import cached_property
from typing import Literal

from pydantic import Field

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.turn import Phase

MAX_REVISION = 100

Moment = Literal["turn", "pair", "round", "debate"]
MOMENTS: tuple[Moment, ...] = ("turn", "pair", "round", "debate")
"""What a judge can assess: one turn, a pair of turns, a round or the debate. A transcript lists assessments in this
order."""


def speech_key(index: int) -> str:
    """Return the key of the cue for the turn with this index."""
    return f"turn/{index}"


class Subject(FrozenModel):
    """The part of a debate that an assessment is about."""

    moment: Moment
    round: int | None = None
    """Number of the round; None if the subject is not a round."""
    turns: tuple[int, ...] = ()
    """Indices of the turns; empty for a whole round or debate."""


class FollowUpQuestion(FrozenModel):
    """A follow-up question to a debater about an earlier argument."""

    asked_by: str
    target: str
    """Id of the argument that this follow-up question is about."""
    text: str


class Cue(FrozenModel):
    """A request for the next turn of a speaker."""

    index: int = Field(ge=0)
    """Index of the requested turn; identifies the cue."""
    round: int = Field(ge=1)
    phase: Phase
    speaker: str
    sees: tuple[int, ...] = ()
    """Indices of the turns that the speaker may see, in ascending order."""
    questions: tuple[FollowUpQuestion, ...] = ()
    """In the phase `answers`: the questions that the speaker must answer. In a second or later cross-examination: the
    questions that the speaker asked and the opponents have answered."""
    guidance: str | None = None
    """The moderator's guidance to all debaters for this round."""

    @property
    def key(self) -> str:
        """Key of the cue, unique in a debate, e.g. `turn/3`."""
        return speech_key(self.index)


class Brief(FrozenModel):
    """A request to a judge to assess the debate or a part of it.

    The answer is an `Assessment`, which repeats all fields of the brief.
    """

    run: str
    """Id of the judging run: `r1` for the debate's own run, `r2` and so on for later runs."""
    system: str
    """Kind of the judging system, e.g. `structured`."""
    assessor: str
    """Id of the judge."""
    subject: Subject
    revision: int = Field(default=0, ge=0, le=MAX_REVISION)
    """0 for the first question to the judge about this subject, 1 for the second, and so on. For `panel`, each voting
    round is a question."""

    @cached_property
    def key(self) -> str:
        """Key of the brief, unique in a debate, e.g. `r1/live/judge/pair/2-3/0`."""
        where = "-".join(str(n) for n in self.subject.turns) or str(self.subject.round or "all")
        return f"{self.run}/{self.system}/{self.assessor}/{self.subject.moment}/{where}/{self.revision}"


Task = Cue | Brief
