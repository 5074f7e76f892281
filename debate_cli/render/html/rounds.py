"""The transcript as it is read: rounds of speeches, and cross-examination as threads of argument, answer, question, reply."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from debate_cli.domain.debate import Debate
from debate_cli.domain.turn import FollowUpAnswer, Response, Turn
from debate_cli.render import theme
from debate_cli.render.html import anchors
from debate_cli.render.speech_parts import SpeechPart, split_turn

CROSS_EXAMINATION_PHASES = frozenset({"cross_examination", "answers"})
"""Phases whose turns are read together, argument by argument."""


@dataclass(frozen=True, slots=True)
class SpeechSection:
    """A turn, and of what it says the part that is read in one piece."""

    turn: Turn
    place: str
    pieces: tuple[SpeechPart, ...]
    """What stands in a thread is left out."""
    threaded: int
    """Pieces that stand in threads."""


@dataclass(frozen=True, slots=True)
class ThreadEntry:
    """An answer to an argument, or a reply to the question about it."""

    speaker: str
    turn: int
    place: str
    said: Response | FollowUpAnswer


@dataclass(frozen=True, slots=True)
class ThreadSection:
    """What was said about one argument in cross-examination."""

    item: str
    """Id of the argument, which may be none of the debate's."""
    claim: str
    speaker: str | None
    """Who made the argument; None where nobody did."""
    entries: tuple[ThreadEntry, ...]


@dataclass(frozen=True, slots=True)
class RoundSection:
    """A round; of cross-examination, with the rounds of answers that belong to it."""

    numbers: tuple[int, ...]
    title: str
    """The number and what was done, e.g. `Rounds 2–3 · cross-examination and answers`."""
    threads: tuple[ThreadSection, ...]
    speeches: tuple[SpeechSection, ...]


def build_round_sections(debate: Debate) -> tuple[RoundSection, ...]:
    """The rounds in their order."""
    places = anchors.argument_anchors(debate)
    found: list[RoundSection] = []
    for threaded, turns in groupby(debate.turns, key=lambda turn: turn.phase in CROSS_EXAMINATION_PHASES):
        if threaded:
            found.append(_cross_examination_section(debate, tuple(turns), places))
        else:
            found += [
                RoundSection((number,), _title((number,), (phase,)), (), tuple(_speech(turn) for turn in of))
                for (number, phase), of in groupby(turns, key=lambda turn: (turn.round, turn.phase))
            ]
    return tuple(found)


def _speech(turn: Turn) -> SpeechSection:
    return SpeechSection(turn, anchors.turn_anchor(turn.index), split_turn(turn), 0)


def _cross_examination_section(debate: Debate, turns: Sequence[Turn], places: Mapping[str, str]) -> RoundSection:
    numbers = tuple(dict.fromkeys(turn.round for turn in turns))
    return RoundSection(
        numbers,
        _title(numbers, tuple(dict.fromkeys(turn.phase for turn in turns))),
        tuple(_threads(debate, turns, places)),
        tuple(_unthreaded_speech(turn) for turn in turns),
    )


def _title(numbers: Sequence[int], phases: Sequence[str]) -> str:
    which = f"Rounds {numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else f"Round {numbers[0]}"
    return f"{which} · {' and '.join(theme.PHASE_LABELS[phase] for phase in phases)}"


def _unthreaded_speech(turn: Turn) -> SpeechSection:
    """What a turn says outside of threads."""
    pieces = split_turn(turn)
    left = tuple(piece for piece in pieces if not isinstance(piece, Response | FollowUpAnswer))
    return SpeechSection(turn, anchors.turn_anchor(turn.index), left, len(pieces) - len(left))


def _threads(debate: Debate, turns: Iterable[Turn], places: Mapping[str, str]) -> Iterable[ThreadSection]:
    """A thread per argument that was spoken of, in the order of the debate; unknown ones last."""
    entries: dict[str, list[ThreadEntry]] = defaultdict(list)
    for turn in turns:
        for said in split_turn(turn):
            if isinstance(said, Response):
                place = anchors.response_anchor(turn.index, said.target, places)
                entries[said.target].append(ThreadEntry(turn.speaker, turn.index, place, said))
            elif isinstance(said, FollowUpAnswer):
                place = anchors.reply_anchor(turn.index, said.question_target, places)
                entries[said.question_target].append(ThreadEntry(turn.speaker, turn.index, place, said))
    for item in (
        *(item for item in debate.arguments if item in entries),
        *(item for item in entries if item not in debate.arguments),
    ):
        speaker, argument = debate.arguments.get(item, (None, None))
        yield ThreadSection(item, argument.claim if argument is not None else "", speaker, tuple(entries[item]))
