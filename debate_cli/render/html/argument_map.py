"""The argument map: debaters, what they claim, who answered how, what was replied; every box leads to the words.

Boxes and lines with their places; the template writes them as SVG with the words as HTML in it, so that they wrap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from debate_cli.domain.debate import Debate
from debate_cli.render import theme
from debate_cli.render.html import anchors
from debate_cli.render.html.answers import Occurrence, group_answers, group_replies
from debate_cli.render.theme import Sign
from debate_cli.systems.structured.trace import TraceRow

BoxKind = Literal["side", "claim", "answer", "reply"]

BOX_SIZES: dict[BoxKind, tuple[float, float]] = {
    "side": (116.0, 40.0),
    "claim": (330.0, 86.0),
    "answer": (176.0, 40.0),
    "reply": (150.0, 40.0),
}
"""Width and height of a box, in the units of the map."""
GAPS = (44.0, 12.0)
MARGIN = 4.0
PAGE_RATIO = 1.3
"""Height of a sheet of paper within its margins, for a width of 1; that of A4, less a heading."""
MAX_MAP_CLAIMS = 120
"""Claims that the map shows; the trace table has them all."""


@dataclass(frozen=True, slots=True)
class Box:
    """Something that was said, or who said it."""

    kind: BoxKind
    who: str
    place: str
    """Name of the place on the page that it leads to; empty for none."""
    id: str = ""
    """Of the argument."""
    words: str = ""
    sign: Sign | None = None
    """Standing of a claim, way of an answer."""
    x: float = 0.0
    y: float = 0.0
    """The upper left corner."""

    @property
    def width(self) -> float:
        """In units of the map."""
        return BOX_SIZES[self.kind][0]

    @property
    def height(self) -> float:
        """In units of the map."""
        return BOX_SIZES[self.kind][1]


@dataclass(frozen=True, slots=True)
class Connector:
    """A line from the right edge of one box to the left edge of another."""

    path: str
    """Path data."""
    meaning: str
    """`claims`, the type of the response, or `replies`."""


@dataclass(frozen=True, slots=True)
class ArgumentMap:
    """The map, ready to be written."""

    boxes: tuple[Box, ...]
    wires: tuple[Connector, ...]
    width: float
    height: float
    left_out: int
    """Claims that there was no room for."""

    @property
    def tall(self) -> bool:
        """Whether it is longer than a sheet of paper that it fills in its width."""
        return self.height > PAGE_RATIO * self.width


@dataclass(slots=True)
class _UnplacedMap:
    """Boxes and lines before they have a place."""

    boxes: dict[str, Box]
    wires: list[tuple[str, str, str]]
    """From, to, meaning."""

    def add(self, key: str, box: Box, sources: Iterable[tuple[str, str]]) -> None:
        self.boxes[key] = box
        self.wires += [(source, key, meaning) for source, meaning in sources]


def build_argument_map(debate: Debate, rows: Sequence[TraceRow]) -> ArgumentMap | None:
    """The map of what the trace table tells; None where nobody has argued."""
    if not rows:
        return None
    shown = rows[:MAX_MAP_CLAIMS]
    return _place_boxes(_sketch(debate, shown), len(rows) - len(shown))


def _sketch(debate: Debate, rows: Sequence[TraceRow]) -> _UnplacedMap:
    places = anchors.argument_anchors(debate)
    names = dict.fromkeys(row.participant for row in rows)
    sides = {name: f"side {number}" for number, name in enumerate(names)}
    sketch = _UnplacedMap({key: Box("side", name, "") for name, key in sides.items()}, [])
    for row in sorted(rows, key=lambda row: list(names).index(row.participant)):
        sign = theme.STANDING_BADGES[row.standing] if row.standing is not None else None
        claim = Box("claim", row.participant, places[row.id], row.id, row.claim, sign)
        sketch.add(places[row.id], claim, [(sides[row.participant], "claims")])
        _answers(sketch, row, places)
    return sketch


def _answers(sketch: _UnplacedMap, row: TraceRow, places: Mapping[str, str]) -> None:
    """The answers to a claim, and what was replied to their questions."""
    claim = places[row.id]
    asked: dict[int, str] = {}
    for number, answer in enumerate(group_answers(row, places)):
        key = f"{claim} answer {number}"
        asked |= {said.turn: key for said in answer.said if said.asks}
        words = " ".join(part for part in (_times(answer.said), "and asks" if answer.asks else "") if part)
        box = Box("answer", answer.by, answer.said[0].place, words=words, sign=answer.sign)
        sketch.add(key, box, [(claim, answer.type)])
    turns = sorted(reply.turn for reply in row.replies)
    for number, replied in enumerate(group_replies(row, places)):
        words = f"{'leaves it open' if replied.evaded else 'replies'} {_times(replied.said)}".rstrip()
        box = Box("reply", replied.by, replied.said[0].place, words=words)
        sources = dict.fromkeys(key for said in replied.said for key in _questions(asked, turns, said.turn))
        sketch.add(f"{claim} reply {number}", box, [(key, "replies") for key in sources or (claim,)])


def _questions(asked: Mapping[int, str], replies_at: Sequence[int], turn: int) -> Iterable[str]:
    """The boxes that asked between the last reply before `turn` and `turn`."""
    since = max((before for before in replies_at if before < turn), default=-1)
    return (key for at, key in asked.items() if since < at < turn)


def _times(said: Sequence[Occurrence]) -> str:
    return f"{len(said)} times" if len(said) > 1 else ""


def _place_boxes(sketch: _UnplacedMap, left_out: int) -> ArgumentMap:
    from debate_cli.render.html.layered import layout_layers

    sides = {key for key, box in sketch.boxes.items() if box.kind == "side"}
    sizes = {key: (box.width, box.height) for key, box in sketch.boxes.items() if key not in sides}
    edges = [(source, target) for source, target, _ in sketch.wires if source not in sides]
    margin = MARGIN + BOX_SIZES["side"][0] + GAPS[0]
    boxes = {
        key: _move_box(sketch.boxes[key], x - sizes[key][0] / 2 + margin, y - sizes[key][1] / 2 + MARGIN)
        for key, (x, y) in layout_layers(sizes, edges, GAPS).items()
    }
    for side in sides:  # beside its first claim: there it is seen at once, however long the map is
        first = next(boxes[target] for source, target, _ in sketch.wires if source == side)
        box = sketch.boxes[side]
        boxes[side] = _move_box(box, MARGIN, first.y + (first.height - box.height) / 2)
    return ArgumentMap(
        tuple(boxes[key] for key in sketch.boxes),
        tuple(Connector(_path(boxes[source], boxes[target]), meaning) for source, target, meaning in sketch.wires),
        max(box.x + box.width for box in boxes.values()) + MARGIN,
        max(box.y + box.height for box in boxes.values()) + MARGIN,
        left_out,
    )


def _move_box(box: Box, x: float, y: float) -> Box:
    return Box(box.kind, box.who, box.place, box.id, box.words, box.sign, round(x, 1), round(y, 1))


def _path(source: Box, target: Box) -> str:
    """A curve that leaves and arrives level; from a debater, whose lines are many, along a common trunk."""
    x1, y1 = source.x + source.width, source.y + source.height / 2
    x2, y2 = target.x, target.y + target.height / 2
    middle = (x1 + x2) / 2
    if source.kind == "side":
        return f"M{x1:.1f} {y1:.1f} H{middle:.1f} V{y2:.1f} H{x2:.1f}"
    return f"M{x1:.1f} {y1:.1f} C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
