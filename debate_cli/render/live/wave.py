"""The wave under way: speeches that are still growing, fitted into the window as rows that can be sent as they are.

A piece of a speech that is finished is laid out once; each frame lays out the piece that still grows, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Turn
from debate_cli.render import theme
from debate_cli.render.cross_examination import ThreadIndex
from debate_cli.render.live.column import BLANK_LINE, Line, Paragraph, Spans, layout_lines, make_line
from debate_cli.render.live.frame import FRAME_COLUMNS, FRAME_LINES, Frame, column_width, fits_side_by_side, frame_line
from debate_cli.render.live.region import StyleRenderer, TerminalRow
from debate_cli.render.live.speech import SpeechContext, format_call, frame_title, part_paragraphs
from debate_cli.render.speech_parts import SpeechPart, parse_partial_speech, split_turn, text_since_restart
from debate_cli.render.theme import Sign

MIN_BODY_LINES = 3
"""Lines of a body at least."""
SPINNER_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@dataclass(slots=True)
class SpeechStream:
    """A speech that was asked for; `pieces` grow while it streams, `turn` is there when it is whole."""

    cue: Cue
    threads: ThreadIndex = field(default_factory=ThreadIndex)
    pieces: list[str] = field(default_factory=list[str])
    turn: Turn | None = None


class StreamingSpeech:
    """One speech in its frame."""

    def __init__(self, stream: SpeechStream, signs: Mapping[str, Sign], ink: StyleRenderer) -> None:
        self.stream = stream
        self._signs = signs
        self._heard = SpeechContext.for_turn(stream.cue, signs, stream.threads)
        self._ink = ink
        self._seen: tuple[int, int, bool] = (-1, 0, False)
        self._body: list[TerminalRow] = []
        self._foot: Spans = ()
        self._laid_out: dict[SpeechPart, list[TerminalRow]] = {}

    def rows(self, width: int, height: int, tick: int) -> list[TerminalRow]:
        """The frame, `width` columns wide and at most `height` lines high: of a long speech its newest words."""
        self._follow(width)
        body = self._body or [self._row(_thinking(tick, self._sign.colour), width)]
        room = max(1, height - FRAME_LINES)
        if len(body) > room:
            body = (
                [self._row(make_line(("⋯", theme.MUTED)), width), *body[len(body) - room + 1 :]]
                if room > 1
                else body[-1:]
            )
        frame = Frame(frame_title(self.stream.cue.speaker, self._signs), self._foot, self._sign.colour, ())
        border = self._ink.border
        return [self._ink.row(frame.top_edge(width, border)), *body, self._ink.row(frame.lower(width, border))]

    def blank(self, width: int) -> TerminalRow:
        """An empty line of the frame."""
        return self._row(make_line(), width)

    @property
    def _sign(self) -> Sign:
        return self._signs.get(self.stream.cue.speaker, theme.UNKNOWN_BADGE)

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
            pieces: Sequence[SpeechPart] = split_turn(stream.turn)
            words = format_call(stream.turn.index, stream.turn.exchange)
        else:
            raw = text_since_restart(stream.pieces)
            pieces = parse_partial_speech(raw)
            words = f"{len(raw)} characters" if raw else "asked"
        self._foot = ((words, theme.MUTED),)
        self._body = self._bodies(pieces, width)

    def _bodies(self, pieces: Sequence[SpeechPart], width: int) -> list[TerminalRow]:
        before, self._laid_out = self._laid_out, {}
        found: list[TerminalRow] = []
        for piece in pieces:
            rows = before.get(piece)
            if rows is None:
                rows = self._rows(part_paragraphs(piece, self._heard), width)
            self._laid_out[piece] = rows
            found += [*self._rows((BLANK_LINE,), width), *rows] if found else rows
        return found

    def _rows(self, paragraphs: Sequence[Paragraph], width: int) -> list[TerminalRow]:
        return [self._row(made, width) for made in layout_lines(paragraphs, width - FRAME_COLUMNS)]

    def _row(self, body: Line, width: int) -> TerminalRow:
        return self._ink.row(frame_line(body, width, self._sign.colour, self._ink.border))


def streaming_rows(speeches: Sequence[StreamingSpeech], width: int, height: int, tick: int) -> list[TerminalRow]:
    """The frames of the wave, together at most `height` lines high where that is possible."""
    if fits_side_by_side(len(speeches), width):
        return _beside(speeches, column_width(len(speeches), width), height, tick)
    share = max(MIN_BODY_LINES + FRAME_LINES, height // max(1, len(speeches)))
    fitting = max(1, height // (MIN_BODY_LINES + FRAME_LINES))
    return [row for speech in _most_telling(speeches, fitting) for row in speech.rows(width, min(share, height), tick)]


def _beside(speeches: Sequence[StreamingSpeech], width: int, height: int, tick: int) -> list[TerminalRow]:
    columns = [speech.rows(width, height, tick) for speech in speeches]
    highest = max(len(rows) for rows in columns)
    for speech, rows in zip(speeches, columns, strict=True):
        rows[-1:-1] = [speech.blank(width)] * (highest - len(rows))
    return [TerminalRow.join(cells) for cells in zip(*columns, strict=True)]


def _most_telling(speeches: Sequence[StreamingSpeech], count: int) -> list[StreamingSpeech]:
    """Where not all fit: those that still grow, then the finished ones, in the order of the debate."""
    by_need = sorted(speeches, key=lambda speech: (speech.stream.turn is not None, speech.stream.cue.index))
    return sorted(by_need[:count], key=lambda speech: speech.stream.cue.index)


def _thinking(tick: int, colour: str) -> Line:
    return make_line((SPINNER_FRAMES[tick % len(SPINNER_FRAMES)], colour), (" thinking", theme.MUTED))
