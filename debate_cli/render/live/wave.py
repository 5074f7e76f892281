"""The wave under way: speeches that are still growing, fitted into the window as rows that can be sent as they are.

A piece of a speech that is finished is laid out once; each frame lays out the piece that still grows, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from debate_cli.domain.content import Turn
from debate_cli.domain.tasks import Cue
from debate_cli.render import look
from debate_cli.render.live.column import BLANK, Line, Paragraph, Spans, laid_out, line
from debate_cli.render.live.frame import EDGES, SIDES, Frame, beside, column_width, side_by_side
from debate_cli.render.live.region import Ink, Row
from debate_cli.render.live.speech import Heard, exchange_words, frame_title, piece_paragraphs
from debate_cli.render.look import Sign
from debate_cli.render.spoken import Piece, of_turn
from debate_cli.render.streamed import after_restart, of_stream
from debate_cli.render.threads import Threads

LEAST = 3
"""Lines of a body at least."""
DOTS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@dataclass(slots=True)
class Stream:
    """A speech that was asked for; `pieces` grow while it streams, `turn` is there when it is whole."""

    cue: Cue
    threads: Threads = field(default_factory=Threads)
    pieces: list[str] = field(default_factory=list[str])
    turn: Turn | None = None


class Growing:
    """One speech in its frame."""

    def __init__(self, stream: Stream, signs: Mapping[str, Sign], ink: Ink) -> None:
        self.stream = stream
        self._signs = signs
        self._heard = Heard.at(stream.cue, signs, stream.threads)
        self._ink = ink
        self._seen: tuple[int, int, bool] = (-1, 0, False)
        self._body: list[Row] = []
        self._foot: Spans = ()
        self._laid_out: dict[Piece, list[Row]] = {}

    def rows(self, width: int, height: int, tick: int) -> list[Row]:
        """The frame, `width` columns wide and at most `height` lines high: of a long speech its newest words."""
        self._follow(width)
        body = self._body or [self._row(_thinking(tick, self._sign.colour), width)]
        room = max(1, height - EDGES)
        if len(body) > room:
            body = [self._row(line(("⋯", look.QUIET)), width), *body[len(body) - room + 1 :]] if room > 1 else body[-1:]
        frame = Frame(frame_title(self.stream.cue.speaker, self._signs), self._foot, self._sign.colour, ())
        border = self._ink.border
        return [self._ink.row(frame.upper(width, border)), *body, self._ink.row(frame.lower(width, border))]

    def blank(self, width: int) -> Row:
        """An empty line of the frame."""
        return self._row(line(), width)

    @property
    def _sign(self) -> Sign:
        return self._signs.get(self.stream.cue.speaker, look.UNKNOWN)

    def _follow(self, width: int) -> None:
        """Bring the body up to what has come in."""
        stream = self.stream
        seen = len(stream.pieces), width, stream.turn is not None
        if seen == self._seen:
            return
        if width != self._seen[1]:
            self._laid_out = {}
        self._seen = seen
        if stream.turn is not None:
            pieces: Sequence[Piece] = of_turn(stream.turn)
            words = exchange_words(stream.turn.index, stream.turn.exchange)
        else:
            raw = after_restart(stream.pieces)
            pieces = of_stream(raw)
            words = f"{len(raw)} characters" if raw else "asked"
        self._foot = ((words, look.QUIET),)
        self._body = self._bodies(pieces, width)

    def _bodies(self, pieces: Sequence[Piece], width: int) -> list[Row]:
        before, self._laid_out = self._laid_out, {}
        found: list[Row] = []
        for piece in pieces:
            rows = before.get(piece)
            if rows is None:
                rows = self._rows(piece_paragraphs(piece, self._heard), width)
            self._laid_out[piece] = rows
            found += [*self._rows((BLANK,), width), *rows] if found else rows
        return found

    def _rows(self, paragraphs: Sequence[Paragraph], width: int) -> list[Row]:
        return [self._row(made, width) for made in laid_out(paragraphs, width - SIDES)]

    def _row(self, body: Line, width: int) -> Row:
        return self._ink.row(beside(body, width, self._sign.colour, self._ink.border))


def growing(speeches: Sequence[Growing], width: int, height: int, tick: int) -> list[Row]:
    """The frames of the wave, together at most `height` lines high where that is possible."""
    if side_by_side(len(speeches), width):
        return _beside(speeches, column_width(len(speeches), width), height, tick)
    share = max(LEAST + EDGES, height // max(1, len(speeches)))
    fitting = max(1, height // (LEAST + EDGES))
    return [row for speech in _most_telling(speeches, fitting) for row in speech.rows(width, min(share, height), tick)]


def _beside(speeches: Sequence[Growing], width: int, height: int, tick: int) -> list[Row]:
    columns = [speech.rows(width, height, tick) for speech in speeches]
    highest = max(len(rows) for rows in columns)
    for speech, rows in zip(speeches, columns, strict=True):
        rows[-1:-1] = [speech.blank(width)] * (highest - len(rows))
    return [Row.beside(cells) for cells in zip(*columns, strict=True)]


def _most_telling(speeches: Sequence[Growing], count: int) -> list[Growing]:
    """Where not all fit: those that still grow, then the finished ones, in the order of the debate."""
    by_need = sorted(speeches, key=lambda speech: (speech.stream.turn is not None, speech.stream.cue.index))
    return sorted(by_need[:count], key=lambda speech: speech.stream.cue.index)


def _thinking(tick: int, colour: str) -> Line:
    return line((DOTS[tick % len(DOTS)], colour), (" thinking", look.QUIET))
