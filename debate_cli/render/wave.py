"""The wave under way: speeches that are still growing, fitted into the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.panel import Panel
from rich.spinner import Spinner
from rich.text import Text

from debate_cli.domain.content import Turn
from debate_cli.domain.tasks import Cue
from debate_cli.render import look
from debate_cli.render.look import Sign
from debate_cli.render.speech import Tail, Wave, exchange_words, framed, side_by_side, speech
from debate_cli.render.spoken import after_restart, of_stream, of_turn

FRAME = 2
"""Lines that a frame takes above and below its body."""
LEAST = 3
"""Lines of a body at least."""


@dataclass(slots=True)
class Stream:
    """A speech that was asked for; `pieces` grow while it streams, `turn` is there when it is whole."""

    cue: Cue
    pieces: list[str] = field(default_factory=list[str])
    turn: Turn | None = None


def growing(streams: Sequence[Stream], signs: Mapping[str, Sign], width: int, height: int) -> list[RenderableType]:
    """The frames of the wave, together at most `height` lines high where that is possible."""
    if side_by_side(len(streams), width):
        return [Wave([_panel(stream, signs, height - FRAME) for stream in streams])]
    share = max(LEAST, height // len(streams) - FRAME)
    fitting = max(1, height // (LEAST + FRAME))
    return [_panel(stream, signs, share) for stream in _most_telling(streams, fitting)]


def _most_telling(streams: Sequence[Stream], count: int) -> list[Stream]:
    """Where not all fit: those that still grow, then the finished ones, in the order of the debate."""
    chosen = sorted(streams, key=lambda stream: (stream.turn is not None, stream.cue.index))[:count]
    return sorted(chosen, key=lambda stream: stream.cue.index)


def _panel(stream: Stream, signs: Mapping[str, Sign], height: int) -> Panel:
    sign = signs[stream.cue.speaker]
    if stream.turn is not None:
        body = Tail(speech(of_turn(stream.turn)), max(1, height))
        return framed(body, stream.cue.speaker, sign, exchange_words(stream.turn.index, stream.turn.exchange))
    raw = after_restart(list(stream.pieces))
    pieces = of_stream(raw)
    body = (
        Tail(speech(pieces), max(1, height))
        if pieces
        else Spinner("dots", Text("thinking", style=look.QUIET), style=sign.colour)
    )
    return framed(body, stream.cue.speaker, sign, Text(f"{len(raw)} characters" if raw else "asked", style=look.QUIET))
