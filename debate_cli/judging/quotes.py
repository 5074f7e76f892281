"""Whether words that a judge quotes were said. Matching forgives case, spaces, typography and an ellipsis, nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from debate_cli.domain.content import Turn
from debate_cli.domain.wording import EDGES, normalised
from debate_cli.judging.transcript_view import shown

LEAST = 4
"""Characters that a quote must have, normalised: fewer would be found anywhere."""


def said(quote: str, text: str) -> bool:
    """Whether `quote` occurs in `text`; parts divided by an ellipsis must occur one after the other."""
    parts = [part.strip(EDGES) for part in re.split(r"\.\.\.|\[\.{3}\]|\[…\]|…", normalised(quote))]
    parts = [part for part in parts if part]
    if sum(len(part) for part in parts) < LEAST:
        return False
    where, haystack = 0, normalised(text)
    for part in parts:
        found = haystack.find(part, where)
        if found < 0:
            return False
        where = found + len(part)
    return True


def said_in(quote: str, turn: Turn) -> bool:
    """Whether `quote` occurs in one of the texts of `turn`."""
    return any(said(quote, text) for text in texts(turn)) or any(said(quote, shown(text)) for text in texts(turn))


def turn_of(quote: str, turns: Iterable[Turn]) -> Turn | None:
    """The first of `turns` in which `quote` occurs."""
    return next((turn for turn in turns if said_in(quote, turn)), None)


def texts(turn: Turn) -> Iterator[str]:
    """Everything that `turn` says: its text, then the pieces of its structure."""
    yield turn.text
    for argument in turn.arguments or ():
        yield from (argument.claim, argument.reasoning, argument.evidence)
    for response in turn.responses or ():
        yield from (response.reasoning, response.follow_up)
    for answer in turn.answers or ():
        yield answer.reply
    if turn.closing is not None:
        yield from (turn.closing.final_position, *turn.closing.concessions, *turn.closing.unrebutted)
