"""What was said in a finished turn, in pieces that can be shown. No styling here."""

from __future__ import annotations

from debate_cli.domain.turn import UNSTRUCTURED, Argument, Closing, FollowUpAnswer, Response, Turn

SpeechPart = Argument | Response | FollowUpAnswer | Closing | str
"""A string is free text."""


NEW_ARGUMENT_PREFIX = "New argument. "
"""How a turn's text tells of an argument brought where none may be."""


def split_turn(turn: Turn) -> tuple[SpeechPart, ...]:
    """The pieces of a finished turn, in the order in which they are read.

    A free speech comes first and whole; what was read out of it follows as heads, without the words a second time.
    """
    if UNSTRUCTURED in turn.warnings:
        return (turn.text,)
    if turn.phase in ("rebuttal", "speech"):
        claims = [item.model_copy(update={"reasoning": "", "evidence": ""}) for item in turn.arguments or ()]
        rebuttals = [item.model_copy(update={"reasoning": "", "follow_up": ""}) for item in turn.responses or ()]
        return (turn.text, *claims, *rebuttals)
    pieces: list[SpeechPart] = [*(turn.arguments or ()), *(turn.responses or ()), *(turn.answers or ())]
    if turn.responses is not None:
        pieces += [part for part in turn.text.split("\n\n") if part.startswith(NEW_ARGUMENT_PREFIX)]
    if turn.closing is not None:
        pieces.append(turn.closing)
    return tuple(pieces) or (turn.text,)
