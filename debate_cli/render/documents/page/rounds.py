"""The transcript as it is read: rounds of speeches, and cross-examination as threads of argument, answer, question, reply."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from debate_cli.domain.content import Answer, Response, Turn
from debate_cli.domain.debate import Debate
from debate_cli.render import look
from debate_cli.render.documents.page import anchors
from debate_cli.render.spoken import Piece, of_turn

THREADED = frozenset({"cross_examination", "answers"})
"""Phases whose turns are read together, argument by argument."""


@dataclass(frozen=True, slots=True)
class Speech:
    """A turn, and of what it says the part that is read in one piece."""

    turn: Turn
    place: str
    pieces: tuple[Piece, ...]
    """What stands in a thread is left out."""
    threaded: int
    """Pieces that stand in threads."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An answer to an argument, or a reply to the question about it."""

    speaker: str
    turn: int
    place: str
    said: Response | Answer


@dataclass(frozen=True, slots=True)
class Thread:
    """What was said about one argument in cross-examination."""

    item: str
    """Id of the argument, which may be none of the debate's."""
    claim: str
    speaker: str | None
    """Who made the argument; None where nobody did."""
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """A round; of cross-examination, with the rounds of answers that belong to it."""

    numbers: tuple[int, ...]
    title: str
    """The number and what was done, e.g. `Rounds 2–3 · cross-examination and answers`."""
    threads: tuple[Thread, ...]
    speeches: tuple[Speech, ...]


def rounds(debate: Debate) -> tuple[Round, ...]:
    """The rounds in their order."""
    places = anchors.arguments(debate)
    found: list[Round] = []
    for threaded, turns in groupby(debate.turns, key=lambda turn: turn.phase in THREADED):
        if threaded:
            found.append(_threaded(debate, tuple(turns), places))
        else:
            found += [
                Round((number,), _title((number,), (phase,)), (), tuple(_speech(turn) for turn in of))
                for (number, phase), of in groupby(turns, key=lambda turn: (turn.round, turn.phase))
            ]
    return tuple(found)


def _speech(turn: Turn) -> Speech:
    return Speech(turn, anchors.turn(turn.index), of_turn(turn), 0)


def _threaded(debate: Debate, turns: Sequence[Turn], places: Mapping[str, str]) -> Round:
    numbers = tuple(dict.fromkeys(turn.round for turn in turns))
    return Round(
        numbers,
        _title(numbers, tuple(dict.fromkeys(turn.phase for turn in turns))),
        tuple(_threads(debate, turns, places)),
        tuple(_rest(turn) for turn in turns),
    )


def _title(numbers: Sequence[int], phases: Sequence[str]) -> str:
    which = f"Rounds {numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else f"Round {numbers[0]}"
    return f"{which} · {' and '.join(look.PHASES[phase] for phase in phases)}"


def _rest(turn: Turn) -> Speech:
    """What a turn says outside of threads."""
    pieces = of_turn(turn)
    left = tuple(piece for piece in pieces if not isinstance(piece, Response | Answer))
    return Speech(turn, anchors.turn(turn.index), left, len(pieces) - len(left))


def _threads(debate: Debate, turns: Iterable[Turn], places: Mapping[str, str]) -> Iterable[Thread]:
    """A thread per argument that was spoken of, in the order of the debate; unknown ones last."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for turn in turns:
        for said in of_turn(turn):
            if isinstance(said, Response):
                place = anchors.response(turn.index, said.target, places)
                entries[said.target].append(Entry(turn.speaker, turn.index, place, said))
            elif isinstance(said, Answer):
                place = anchors.reply(turn.index, said.question_target, places)
                entries[said.question_target].append(Entry(turn.speaker, turn.index, place, said))
    for item in (
        *(item for item in debate.arguments if item in entries),
        *(item for item in entries if item not in debate.arguments),
    ):
        speaker, argument = debate.arguments.get(item, (None, None))
        yield Thread(item, argument.claim if argument is not None else "", speaker, tuple(entries[item]))
