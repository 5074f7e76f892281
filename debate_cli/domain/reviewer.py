"""Reviews of saved debates by people: the reviewer, the settings and the answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from debate_cli.domain.frozen_model import FrozenModel

PROBABILITY = "probability"
"""Criterion of a mark whose value is the probability, in percent, that the debater is right."""
PROBABILITY_TOTAL = 100
"""Required sum, in percent, of the probabilities that a reviewer gives to the debaters."""

Seconds = Annotated[float, Field(ge=0, le=1e9)]


class Reviewer(FrozenModel):
    """The person who judged a saved debate, and how the debate was shown."""

    name: str = Field(min_length=1, max_length=80)
    """The person's name, without the prefix `human:`."""
    blind: bool = False
    """Whether names, models and earlier verdicts were hidden."""
    order: tuple[str, ...] = ()
    """Names of the debaters in the order in which the person saw them."""
    seconds: dict[str, Seconds] = {}
    """Seconds that the person took, by part of the review. Parts without a measured time are left out."""
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    """The person's confidence in the whole judgement, 0-1; None if not stated."""

    @property
    def assessor(self) -> str:
        """Id of the person as a judge, e.g. `human:anna`."""
        return reviewer_id(self.name)


class ReviewTerms(FrozenModel):
    """The settings of a review."""

    system: str
    """Kind of the judging system whose forms the person fills in."""
    reviewer: str
    """Name of the person."""
    blind: bool = False
    """Whether names, models and earlier verdicts are hidden."""
    seed: int = 0
    """Seed for the order of the debaters in a blind review."""
    probability: bool = False
    """Whether the person states, after each round, the probability that each debater is right."""


@dataclass(frozen=True, slots=True)
class ReviewAnswers:
    """The answers that a person has given so far in a review."""

    parts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Maps each part of the review to the filled-in form. In the forms, debaters have the names that the person
    sees."""
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    confidence: float | None = None


_PREFIX = "human:"


def reviewer_id(name: str) -> str:
    """Return the id of a person as a judge: `human:NAME`."""
    return f"{_PREFIX}{name}"


def is_reviewer_id(judge: str) -> bool:
    """Whether `judge` is the id of a person who judges with `debate review`."""
    return judge.startswith(_PREFIX)
