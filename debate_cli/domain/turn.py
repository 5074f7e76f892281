"""A debater's arguments, responses, answers and closings, and the turn that contains them."""

from collections.abc import Iterable, Iterator
from operator import not_
from typing import Annotated, Literal

from pydantic import Field

from debate_cli.domain.evidence import Citation, PassageIds
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.model_call import ModelCall, RawAnswer

Phase = Literal["opening", "cross_examination", "answers", "rebuttal", "closing", "speech"]
"""Phase of a debate. `answers` follows a cross-examination; `speech` is the phase of free-flowing debates."""
ResponseType = Literal["refute", "challenge", "concede", "partial"]
"""How the speaker treats an argument: `refute` (wrong), `challenge` (weakly supported), `concede` (right) or `partial`
(right in its core)."""
PositionShift = Literal["strengthened", "unchanged", "adjusted", "weakened"]

CLOSING_ITEM = "closing"
"""Value of `item` for the closing statement, in the pairs (item, citation) from `Turn.citations`."""
UNSTRUCTURED = "unstructured"
"""Warning of a turn whose text is the model's unchanged answer, because the answer did not fit the form."""


Citations = Annotated[tuple[Citation, ...], Field(exclude_if=not_)]
"""Quotes from sources that support an argument, a response or a closing statement; omitted in files if there are none."""


class Argument(FrozenModel):
    """An argument of an opening, or of a speech in the free-flowing format."""

    id: str
    """The debater's prefix and a number, e.g. `PRO-1`."""
    claim: str
    """What the argument claims, in one sentence."""
    reasoning: str
    """Why the claim holds."""
    evidence: str
    """The facts that the argument relies on, in the debater's words."""
    citations: Citations = ()
    """Quotes from sources that support the argument."""


class Response(FrozenModel):
    """The answer to one argument of an opponent."""

    target: str
    """Id of the answered argument."""
    type: ResponseType
    reasoning: str
    follow_up: str = ""
    """A question to the author of the argument; empty if there is none."""
    citations: Citations = ()


class FollowUpAnswer(FrozenModel):
    """The reply to one follow-up question."""

    question_target: str
    """Id of the argument that the question was about."""
    reply: str
    evaded: bool | None = None
    """True if the replying debater admits to leaving the question open; None if the debater does not say."""


class Closing(FrozenModel):
    """The closing statement of a debater."""

    concessions: tuple[str, ...] = ()
    """Ids or wordings of conceded arguments."""
    unrebutted: tuple[str, ...] = ()
    """Ids of the debater's own arguments that no opponent answered, according to the debater."""
    final_position: str
    shift: PositionShift
    why: Annotated[str, Field(exclude_if=not_)] = ""
    """What changed the debater's position; omitted in files if not stated."""
    citations: Citations = ()


class StrategyPick(FrozenModel):
    """The strategy that a debater followed in a turn, and why."""

    name: str
    reason: str
    predicted: Annotated[float | None, Field(exclude_if=lambda predicted: predicted is None)] = None
    """How much this strategy was predicted to persuade the opponents, from 0 (not at all) to 1.2, as a mean over the
    opponents who had not surrendered. None if there was no such opponent, or if the configuration sets the strategy."""


class Turn(FrozenModel):
    """A speech. If the debater filled in a form, `text` is composed from the form."""

    index: int = Field(ge=0)
    """Position in the debate, from 0."""
    round: int = Field(ge=1)
    """Number of the round, from 1."""
    phase: Phase
    """Phase of the debate, e.g. `opening`."""
    speaker: str
    """Name of the debater."""
    text: str
    """The speech as people read it."""
    arguments: tuple[Argument, ...] | None = None
    """The arguments; None in phases without arguments."""
    responses: tuple[Response, ...] | None = None
    """Responses to the opponents' arguments; None in phases without responses."""
    answers: tuple[FollowUpAnswer, ...] | None = None
    """Replies to follow-up questions; None in phases without replies."""
    closing: Closing | None = None
    """The closing statement; None in other phases."""
    passages: PassageIds = ()
    """Ids of the passages that the speaker was shown; omitted in files if there are none."""
    directive: str | None = None
    """Hidden instruction that the speaker was given for this turn."""
    strategy: StrategyPick | None = None
    """The strategy that the debater followed; None without a strategy."""
    warnings: tuple[str, ...] = ()
    """Warnings in the form `code: description`, or the single word `unstructured`."""
    exchange: ModelCall
    """The call to the model: which model, its usage and its latency."""
    raw: RawAnswer | None = Field(default=None, exclude_if=lambda raw: raw is None)
    """The model's answer with its prompt if `output.raw` is true, else None."""

    def citations(self) -> Iterator[tuple[str, Citation]]:
        """Yield (item, citation) for each citation. The item is an argument's id, or `closing`."""
        for item, citations in citations_by_item(self.arguments, self.responses, self.closing):
            yield from ((item, citation) for citation in citations)

    @property
    def has_citations(self) -> bool:
        """Whether any part of the turn has a citation."""
        closing = () if self.closing is None else (self.closing,)
        parts = (*(self.arguments or ()), *(self.responses or ()), *closing)
        return any(part.citations for part in parts)

    @property
    def is_one_item(self) -> bool:
        """Whether the turn has exactly one argument, whose claim is the whole text, as in imported speeches."""
        return self.arguments is not None and len(self.arguments) == 1 and self.arguments[0].claim == self.text


def citations_by_item(
    arguments: Iterable[Argument] | None, responses: Iterable[Response] | None, closing: Closing | None
) -> Iterator[tuple[str, tuple[Citation, ...]]]:
    """Yield (item, citations) for each part of a turn. The item is an argument's id, or `closing`."""
    yield from ((argument.id, argument.citations) for argument in arguments or ())
    yield from ((response.target, response.citations) for response in responses or ())
    if closing is not None:
        yield CLOSING_ITEM, closing.citations
