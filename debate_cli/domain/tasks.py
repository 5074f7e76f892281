"""What is asked of an actor: a cue to speak, a brief to judge. Both are decided by pure schedulers."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.turn import Phase

MAX_REVISION = 100
"""Deliberation rounds that a file may tell of; a panel holds no more than 20, and each is looked at."""

Moment = Literal["turn", "pair", "round", "debate"]
MOMENTS: tuple[Moment, ...] = ("turn", "pair", "round", "debate")
"""In the order in which assessments of them are read."""


def speech_key(index: int) -> str:
    """Key of the cue to make the turn of that index."""
    return f"turn/{index}"


class Subject(FrozenModel):
    """What an assessment is about."""

    moment: Moment
    round: int | None = None
    """Set for `round` only."""
    turns: tuple[int, ...] = ()
    """Indices of the turns meant; empty means all that the moment covers."""


class FollowUpQuestion(FrozenModel):
    """A follow-up question put to a debater (semi-structured format)."""

    asked_by: str
    target: str
    """Id of the argument that the question is about."""
    text: str


class Cue(FrozenModel):
    """It is this speaker's turn. An actor sees only what the cue entitles it to."""

    index: int = Field(ge=0)
    """Index of the turn to be made; the cue's identity."""
    round: int = Field(ge=1)
    phase: Phase
    speaker: str
    sees: tuple[int, ...] = ()
    """Indices of the turns that the speaker may see, own ones included, ascending."""
    questions: tuple[FollowUpQuestion, ...] = ()
    """For the phase `answers`: what is to be answered."""
    guidance: str | None = None
    """The moderator's open word to all for this round."""

    @property
    def key(self) -> str:
        """Identity within a debate: `turn/3`."""
        return speech_key(self.index)


class Brief(FrozenModel):
    """A judge owes an assessment of this subject. Equal in its fields to the head of the assessment it asks for."""

    run: str
    """Judging run, `r1` for the one of the debate itself, `r2`... for later ones."""
    system: str
    """`structured`, `moderator`, `panel`, `live` or `persuasion`."""
    assessor: str
    """Id of the judge."""
    subject: Subject
    revision: int = Field(default=0, ge=0, le=MAX_REVISION)
    """Deliberation round of a panel; 1 for live's resolution of a conflict between narrative and scorecard; else 0."""

    @cached_property
    def key(self) -> str:
        """Identity within a debate, e.g. `r1/live/judge/pair/2-3/0`."""
        where = "-".join(str(n) for n in self.subject.turns) or str(self.subject.round or "all")
        return f"{self.run}/{self.system}/{self.assessor}/{self.subject.moment}/{where}/{self.revision}"


Task = Cue | Brief
