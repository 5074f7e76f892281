"""A short form of a long debate: its last turns, and a list of older arguments. Pure; no model is asked."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.turn import ResponseType, Turn

RECENT_TURNS = 2
"""Number of the newest turns of each participant that are shown whole."""
MAX_ENTRIES = 60
"""Maximum number of entries of a ledger."""
MAX_CLAIM_CHARS = 200
MAX_ANSWERS = 4
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s")


class LedgerEntry(NamedTuple):
    """A claim of an older turn, and the responses to it. Texts are untrusted and not sanitized."""

    id: str
    """Id of the argument, or `turn N` of a turn without arguments and responses."""
    speaker: str
    claim: str
    """First sentence of the argument, at most MAX_CLAIM_CHARS characters."""
    answers: tuple[tuple[str, ResponseType], ...]
    """(speaker, type) of the last responses, at most MAX_ANSWERS. Recent turns count too."""


class Ledger(NamedTuple):
    """The older part of a debate: first unanswered entries, then answered ones, each from new to old."""

    entries: tuple[LedgerEntry, ...]
    """The entries, at most MAX_ENTRIES."""
    left_out: int
    """Number of entries that did not fit."""


class RecentHistory(NamedTuple):
    """A debate in short form."""

    turns: tuple[Turn, ...]
    """Turns to show whole, by index."""
    ledger: Ledger
    """Everything older."""

    @property
    def argument_ids(self) -> frozenset[str]:
        """Ids of all arguments that are shown."""
        shown = (argument.id for turn in self.turns for argument in turn.arguments or ())
        return frozenset((*shown, *(entry.id for entry in self.ledger.entries)))


def recent_history(debate: Debate, keep: tuple[int, ...] = ()) -> RecentHistory:
    """Short form of a debate: the newest turns of each participant, and a ledger of the others.

    `keep`: indices of further turns to show whole.
    """
    newest: dict[str, list[int]] = defaultdict(list)
    for turn in reversed(debate.turns):
        if len(newest[turn.speaker]) < RECENT_TURNS:
            newest[turn.speaker].append(turn.index)
    return _history_with(debate, frozenset((*keep, *(index for indices in newest.values() for index in indices))))


@memoize_on_value
def _history_with(debate: Debate, shown: frozenset[int]) -> RecentHistory:
    older = [turn for turn in debate.turns if turn.index not in shown]
    return RecentHistory(tuple(turn for turn in debate.turns if turn.index in shown), _build_ledger(debate, older))


def _build_ledger(debate: Debate, older: Sequence[Turn]) -> Ledger:
    answers: dict[str, list[tuple[str, ResponseType]]] = defaultdict(list)
    for turn in debate.turns:
        for response in turn.responses or ():
            answers[response.target].append((turn.speaker, response.type))
    newest = [claim for turn in reversed(older) for claim in _claims(turn)]
    unanswered = [claim for claim in newest if claim[0] not in answers][:MAX_ENTRIES]
    answered = [claim for claim in newest if claim[0] in answers][: MAX_ENTRIES - len(unanswered)]
    entries = tuple(
        LedgerEntry(key, speaker, _first_sentence(text), tuple(answers.get(key, ())[-MAX_ANSWERS:]))
        for key, speaker, text in (*unanswered, *answered)
    )
    return Ledger(entries, max(0, len(newest) - MAX_ENTRIES))


@memoize_on_value
def _claims(turn: Turn) -> tuple[tuple[str, str, str], ...]:
    """(id, speaker, text) of each argument; of a turn without arguments and responses, `turn N` and its text."""
    if not turn.arguments and not turn.responses:
        return ((f"turn {turn.index}", turn.speaker, turn.text),)
    return tuple((argument.id, turn.speaker, argument.claim) for argument in turn.arguments or ())


def _first_sentence(text: str) -> str:
    sentence = _SENTENCE_END.split(" ".join(text.split()), maxsplit=1)[0]
    return sentence if len(sentence) <= MAX_CLAIM_CHARS else f"{sentence[: MAX_CLAIM_CHARS - 1].rstrip()}…"
