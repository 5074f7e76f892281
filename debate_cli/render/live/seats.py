"""The cast above a debate: who takes part, as what, and with which model, in a window of any width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from debate_cli.render import sanitize, theme
from debate_cli.render.live.column import Line, Span, Spans, make_line
from debate_cli.render.participants import ParticipantRow
from debate_cli.render.terminal import ITEM_SEPARATOR, wrap_items, wrap_name

SIGN, GAP = 2, 2
"""Columns of a sign with its blank, and between two columns of words."""
LEAST_PART = 20
"""Columns from which on the part that somebody takes has a column of its own; it may need several lines there."""
LEAST_BESIDE = 24
"""Columns from which on part and model stand beside the name, else below it."""
INDENT: Span = ("    ", "")


class _Told(NamedTuple):
    """A seat, its words cleaned."""

    seat: ParticipantRow
    name: str
    part: str
    model: str

    @property
    def sign(self) -> Span:
        return f"{self.seat.sign.symbol} ", self.seat.sign.colour

    @property
    def name_style(self) -> str:
        return f"bold {self.seat.sign.colour}"

    def below(self, width: int) -> list[Spans]:
        """Part and model in lines of that width, below each other where one line is not enough."""
        if cell_len(self.part + ITEM_SEPARATOR + self.model) <= width:
            return [((self.part + ITEM_SEPARATOR, theme.MUTED), (self.model, ""))]
        part = [((row, theme.MUTED),) for row in wrap_items(self.part.split(ITEM_SEPARATOR), width)]
        return [*part, *(((row, ""),) for row in wrap_name(self.model, width))]


@dataclass(frozen=True, slots=True)
class ParticipantList:
    """A seat after the other; what has no room on one line takes several, and nothing is left out."""

    seats: Sequence[ParticipantRow]

    def lines(self, width: int) -> Iterator[Line]:
        """Name, part and model in three columns; where there is less room, part and model in one; else all below the name."""
        told = [_Told(seat, *map(sanitize.sanitize_line, (seat.name, seat.part, seat.model))) for seat in self.seats]
        named, played, spoken = (
            max(map(cell_len, column), default=0)
            for column in ([who.name for who in told], [who.part for who in told], [who.model for who in told])
        )
        beside = width - SIGN - named - GAP
        playing = min(played, beside - GAP - spoken)
        for who in told:
            if playing >= min(played, LEAST_PART):
                yield from _in_columns(who, named, playing)
            elif beside >= LEAST_BESIDE:
                yield from _beside_name(who, named, beside)
            else:
                yield from _below_name(who, width)


def _in_columns(who: _Told, named: int, playing: int) -> Iterator[Line]:
    """The model in the first line."""
    rows = zip_longest([who.name], wrap_items(who.part.split(ITEM_SEPARATOR), playing), [who.model], fillvalue="")
    for place, (name, part, model) in enumerate(rows):
        yield make_line(
            ("  ", "") if place else who.sign,
            (set_cell_size(name, named), who.name_style),
            (f"  {set_cell_size(part, playing)}  ", theme.MUTED),
            (model, ""),
        )


def _beside_name(who: _Told, named: int, beside: int) -> Iterator[Line]:
    for place, words in enumerate(who.below(beside)):
        name = "" if place else who.name
        yield make_line(("  ", "") if place else who.sign, (set_cell_size(name, named + GAP), who.name_style), *words)


def _below_name(who: _Told, width: int) -> Iterator[Line]:
    for place, row in enumerate(wrap_name(who.name, width - SIGN)):
        yield make_line(("  ", "") if place else who.sign, (row, who.name_style))
    for words in who.below(width - len(INDENT[0])):
        yield make_line(INDENT, *words)
