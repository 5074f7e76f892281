"""The tasks: a cue asks a debater to speak, a brief asks a judge to judge. Pure schedulers create both."""

from functools import cached_property
from typing import Literal

from pydantic import Field

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.turn import Phase

MAX_REVISION = 100
"""Maximum of `revision` in a file. A panel has at most 20 deliberation rounds."""

Moment = Literal["turn", "pair", "round", "debate"]
MOMENTS: tuple[Moment, ...] = ("turn", "pair", "round", "debate")
"""All moments, in the order of assessments in a transcript."""


def speech_key(index: int) -> str:
    """Return the key of the cue for the turn with this index."""
    return f"turn/{index}"


class Subject(FrozenModel):
    """The part of a debate that an assessment is about."""

    moment: Moment
    round: int | None = None
    """Number of the round if the subject is a round, else None."""
    turns: tuple[int, ...] = ()
    """Indices of the turns; empty means all turns of the round or debate."""


class FollowUpQuestion(FrozenModel):
    """A follow-up question for a debater (semi-structured format)."""

    asked_by: str
    target: str
    """Id of the argument that the question is about."""
    text: str


class Cue(FrozenModel):
    """A request for the next turn of a speaker."""

    index: int = Field(ge=0)
    """Index of the requested turn; identifies the cue."""
    round: int = Field(ge=1)
    phase: Phase
    speaker: str
    sees: tuple[int, ...] = ()
    """Indices of the turns that the speaker may see, including the speaker's own turns, ascending."""
    questions: tuple[FollowUpQuestion, ...] = ()
    """Questions to answer in the phase `answers`, or the speaker's own questions in a follow-up cross-examination."""
    guidance: str | None = None
    """The moderator's guidance to all debaters for this round."""

    @property
    def key(self) -> str:
        """Identity within a debate: `turn/3`."""
        return speech_key(self.index)


class Brief(FrozenModel):
    """A request to a judge to assess a subject. The assessment repeats these fields."""

    run: str
    """Judging run: `r1` belongs to the debate itself, `r2` and so on were added later."""
    system: str
    """Kind of the judging system, e.g. `structured`."""
    assessor: str
    """Id of the judge."""
    subject: Subject
    revision: int = Field(default=0, ge=0, le=MAX_REVISION)
    """Panel: number of the deliberation round. Live, on the whole debate: 0 for the narrative, 1 for the resolution of
    a conflict, 2 for the review of the register. Otherwise 0."""

    @cached_property
    def key(self) -> str:
        """Identity within a debate, e.g. `r1/live/judge/pair/2-3/0`."""
        where = "-".join(str(n) for n in self.subject.turns) or str(self.subject.round or "all")
        return f"{self.run}/{self.system}/{self.assessor}/{self.subject.moment}/{where}/{self.revision}"


Task = Cue | Brief
