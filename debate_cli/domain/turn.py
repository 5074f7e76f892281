"""What a debater says: arguments, responses, answers, closings, and the turn that carries them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.model_call import ModelCall

Phase = Literal["opening", "cross_examination", "answers", "rebuttal", "closing", "speech"]
"""`answers` belongs to the semi-structured format, `speech` to the free-flowing one."""
ResponseType = Literal["refute", "challenge", "concede", "partial"]
"""refute: factual or logical error; challenge: evidence or conditions insufficient; concede: accepted;
partial: core accepted, degree or scope disputed."""
PositionShift = Literal["strengthened", "unchanged", "adjusted", "weakened"]

UNSTRUCTURED = "unstructured"
"""The warning on a turn whose model could not produce the shape: its own words are kept as they came."""


class Argument(FrozenModel):
    """One argument of an opening (or of a free speech)."""

    id: str
    """Prefix of the debater and a number, e.g. `PRO-1`."""
    claim: str
    reasoning: str
    evidence: str


class Response(FrozenModel):
    """The answer to one opposing argument."""

    target: str
    """Id of the argument answered."""
    type: ResponseType
    reasoning: str
    follow_up: str = ""
    """A question to the one who made the argument; may be empty."""


class FollowUpAnswer(FrozenModel):
    """The reply to one follow-up question (semi-structured format)."""

    question_target: str
    """Id of the argument that the question was about."""
    reply: str
    evaded: bool | None = None
    """Whether the one answering admits to leave the question open; None where not said."""


class Closing(FrozenModel):
    """The last word of a debater."""

    concessions: tuple[str, ...] = ()
    """Ids (or words) of what is conceded."""
    unrebutted: tuple[str, ...] = ()
    """Ids of own arguments that stand unanswered."""
    final_position: str
    shift: PositionShift


class StrategyPick(FrozenModel):
    """The strategy a debater followed in one turn, and why."""

    name: str
    reason: str


class Turn(FrozenModel):
    """One speech. `text` is always there, rendered from the structure where there is one."""

    index: int = Field(ge=0)
    """Position in the debate, from 0; given by the cue, so it does not depend on who answered first."""
    round: int = Field(ge=1)
    phase: Phase
    speaker: str
    """`name` of the debater."""
    text: str
    arguments: tuple[Argument, ...] | None = None
    responses: tuple[Response, ...] | None = None
    answers: tuple[FollowUpAnswer, ...] | None = None
    closing: Closing | None = None
    directive: str | None = None
    """Hidden instruction that the speaker was given for this turn."""
    strategy: StrategyPick | None = None
    warnings: tuple[str, ...] = ()
    """`code: what is wrong`, or `unstructured` alone."""
    exchange: ModelCall
