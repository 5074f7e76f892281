"""Shortens a long debate to its newest turns and a list of older claims."""

import re
from collections.abc import Collection
from typing import NamedTuple

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.message_text import one_line
from debate_cli.domain.turn import ResponseType, Turn

RECENT_TURNS = 2
"""Number of newest turns of each participant that are shown in full."""
MAX_ENTRIES = 60
MAX_CLAIM_CHARS = 200
MAX_ANSWERS = 4
Answers = tuple[tuple[str, ResponseType], ...]
"""Responses to a claim as pairs (speaker, type), at most MAX_ANSWERS."""
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s")


class LedgerEntry(NamedTuple):
    """A claim of an older turn, with the responses to the claim. The texts are not sanitized."""

    id: str
    """Id of the argument that makes the claim, e.g. `PRO-1`. If the claim is a whole turn: the word `turn` and the
    turn's index, e.g. `turn 3`."""
    speaker: str
    claim: str
    """First sentence of the claim, at most MAX_CLAIM_CHARS characters."""
    answers: Answers
    """The newest responses to the claim."""


class ClaimLedger(NamedTuple):
    """The claims of older turns: first the unanswered claims, then the answered ones.

    Both groups start with the newest claim.
    """

    entries: tuple[LedgerEntry, ...]
    left_out: int
    """Number of claims that `entries` leaves out."""


class RecentHistory(NamedTuple):
    """A debate in short form: the newest turns in full, the older turns as claims."""

    turns: tuple[Turn, ...]
    """Turns to show in full, sorted by index."""
    ledger: ClaimLedger
    """Claims of the older turns, which are not in `turns`."""

    @property
    def argument_ids(self) -> frozenset[str]:
        """Ids of all arguments in `turns` and `ledger`."""
        shown = (argument.id for turn in self.turns for argument in turn.arguments or ())
        return frozenset((*shown, *(entry.id for entry in self.ledger.entries)))


@memoize_on_value
def recent_history(debate: Debate, keep: tuple[int, ...] = ()) -> RecentHistory:
    """Return a short form of `debate`: each participant's newest turns in full, and the claims of older turns.

    `keep`: indices of older turns that also stay in full.
    """
    newest: dict[str, list[int]] = {}
    for turn in debate.turns:
        newest.setdefault(turn.speaker, []).append(turn.index)
    recent = (index for indices in newest.values() for index in indices[-RECENT_TURNS:])
    shown = sorted({*keep, *recent} & debate.turns_by_index.keys())
    return RecentHistory(tuple(debate.turns_by_index[index] for index in shown), _build_ledger(debate, shown))


class _Claim(NamedTuple):
    id: str
    speaker: str
    text: str


def _build_ledger(debate: Debate, shown: Collection[int]) -> ClaimLedger:
    answers: dict[str, Answers] = {}
    for turn in debate.turns:
        for response in turn.responses or ():
            given: Answers = (*answers.get(response.target, ()), (turn.speaker, response.type))
            answers[response.target] = given[-MAX_ANSWERS:]
    older = [claim for turn in reversed(debate.turns) if turn.index not in shown for claim in reversed(_claims(turn))]
    listed = sorted(older, key=lambda claim: claim.id in answers)[:MAX_ENTRIES]
    entries = tuple(
        LedgerEntry(claim.id, claim.speaker, _first_sentence(claim.text), answers.get(claim.id, ())) for claim in listed
    )
    return ClaimLedger(entries, len(older) - len(entries))


def _claims(turn: Turn) -> tuple[_Claim, ...]:
    if not turn.arguments and not turn.responses:
        return (_Claim(f"turn {turn.index}", turn.speaker, turn.text),)
    return tuple(_Claim(item.id, turn.speaker, item.claim) for item in turn.arguments or ())


def _first_sentence(text: str) -> str:
    sentence = _SENTENCE_END.split(one_line(text), maxsplit=1)[0]
    return sentence if len(sentence) <= MAX_CLAIM_CHARS else f"{sentence[: MAX_CLAIM_CHARS - 1].rstrip()}…"
