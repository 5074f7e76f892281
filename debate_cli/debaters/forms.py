"""What a debater fills in, one form a phase. Lenient where a model may be: keys in any order, texts of any length.

How far the schema narrows a form for one occasion is in `schemas`; what becomes of a filled-in form, in `reading`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from debate_cli.domain.turn import PositionShift, ResponseType
from debate_cli.llm.form import FormModel

ArgumentId = Annotated[str, Field(min_length=1, max_length=64)]
"""The id of an argument, as the model wrote it."""


class ArgumentForm(FormModel):
    """One argument."""

    id: ArgumentId
    claim: str
    reasoning: str
    evidence: str


class OpeningForm(FormModel):
    """Phase `opening`."""

    arguments: list[ArgumentForm] = Field(min_length=1)


class ResponseForm(FormModel):
    """The answer to one argument."""

    target: ArgumentId
    reasoning: str
    type: ResponseType
    follow_up: str = ""


class CrossExaminationForm(FormModel):
    """Phase `cross_examination`."""

    responses: list[ResponseForm]
    arguments: list[ArgumentForm] = []
    """Never asked for: arguments of the speaker's own, out of order here, are taken in so that they can be noted."""


class AnswerForm(FormModel):
    """The reply to one question."""

    question_target: ArgumentId
    reply: str
    evaded: bool | None = None


class AnswersForm(FormModel):
    """Phase `answers`."""

    answers: list[AnswerForm]


class RebuttalForm(FormModel):
    """Phase `rebuttal`."""

    targets: list[ArgumentId] = []
    """Ids of the arguments answered; those that the speech quotes count as well."""
    speech: str = Field(min_length=1)


class ClosingPartForm(FormModel):
    """The parts of a closing."""

    concessions: list[str] = []
    unrebutted: list[str] = []
    final_position: str = Field(min_length=1)
    shift: PositionShift


class ClosingForm(FormModel):
    """Phase `closing`."""

    closing: ClosingPartForm


class ClaimForm(FormModel):
    """A claim made in a free speech; its id is given by us."""

    claim: str
    reasoning: str
    evidence: str


class RebuttalPartForm(FormModel):
    """A rebuttal made in a free speech."""

    target: ArgumentId
    type: ResponseType
    reasoning: str


class SpeechForm(FormModel):
    """Phase `speech` of the free-flowing format."""

    speech: str = Field(min_length=1)
    claims: list[ClaimForm] = []
    rebuttals: list[RebuttalPartForm] = []


DebaterForm = OpeningForm | CrossExaminationForm | AnswersForm | RebuttalForm | ClosingForm | SpeechForm
