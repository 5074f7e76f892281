"""A whole debate as one HTML page: nothing is loaded, one script of ours, a strict Content-Security-Policy, printable.

Every text goes through Jinja2's autoescaping. Only our own SVG (written by an element tree) and names of places are marked
as safe. The script moves rows of a table and reads no other text. No Rich.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import cast, look
from debate_cli.render.called import called
from debate_cli.render.documents.page import anchors
from debate_cli.render.documents.page.answers import Answer, Replied, answers, replies
from debate_cli.render.documents.page.argument_map import argument_map
from debate_cli.render.documents.page.blocks import blocks
from debate_cli.render.documents.page.figures import looks
from debate_cli.render.documents.page.provenance import provenance
from debate_cli.render.documents.page.reasons import reasons
from debate_cli.render.documents.page.rounds import rounds
from debate_cli.render.documents.policy import digest
from debate_cli.render.documents.templating import environment, source
from debate_cli.render.gist import gist
from debate_cli.render.reasons import judges_words
from debate_cli.render.report import report
from debate_cli.render.sheets import findings
from debate_cli.render.sheets.sheet import Cell, Lines, notes_of
from debate_cli.render.spoken import Piece
from debate_cli.render.weakest import argument_scores
from debate_cli.scoring.live import LiveNotes, TurnRow
from debate_cli.scoring.trace import TraceRow, trace_table

TEMPLATES = (
    "page.html.j2", "cells.html.j2", "speech.html.j2", "verdict.html.j2", "scores.html.j2", "map.html.j2", "trace.html.j2",
    "transcript.html.j2", "judges.html.j2", "provenance.html.j2", "page.css", "report.css", "sorting.js",
)  # fmt: skip
TONES = {look.GREEN: "good", look.RED: "bad", look.GOLD: "mixed", look.BLUE: "calm", look.QUIET: "quiet"}
"""Colour of a sign on a terminal -> class of the style sheet."""
BRIEF = 30
"""Letters up to which what stands in a table is not broken."""
BEST_FIRST = ("UPHELD", "PARTIALLY_UPHELD", "UNCERTAIN", "REFUTED", None)
"""Standings in the order in which they are sorted."""


def html(debate: Debate, verdicts: Sequence[Verdict], *, show_hidden: bool = False) -> str:
    """The page: verdict and briefing first, then scores, argument map and trace, then every speech, then where it comes from."""
    places = anchors.arguments(debate)
    style, script = source("page.css") + source("report.css"), source("sorting.js")
    return (
        _environment(places)
        .get_template("page.html.j2")
        .render(
            **_told(debate, verdicts),
            debate=debate,
            show_hidden=show_hidden,
            places=places,
            signs=look.voices(debate.participants),
            responses=look.RESPONSES,
            shifts=look.SHIFTS,
            standings=look.STANDINGS,
            rank={standing: number for number, standing in enumerate(BEST_FIRST)},
            outcome=partial(look.outcome, text=debate.text),
            scale=look.scale,
            usage=look.usage_words(debate.usage),
            closed=look.closed_words(debate),
            style_hash=digest(style),
            script_hash=digest(script),
        )
    )


def _told(debate: Debate, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """What is made of the debate, by the names under which the templates know it."""
    told = report(debate, verdicts)
    head = told.verdicts[0] if told.verdicts else None
    classes = looks(debate.participants)
    rows = trace_table(debate)
    found: dict[str, Any] = {
        "is_text": debate.text is not None,
        "told": told,
        "head": head,
        "gist": gist(debate, told.verdicts),
        "said": judges_words(debate, head, told.briefing) if head is not None else None,
        "cast": [*cast.debaters(debate), *cast.judges(debate, debate.runs[0])],
        "classes": classes,
        "blocks": blocks(debate, told.verdicts, classes),
        "map": argument_map(debate, rows),
        "rows": rows,
        "scores_of": argument_scores(debate, told.verdicts),
        "rounds": rounds(debate),
        "live_rows": _live(told.verdicts),
        "reasons": reasons(debate),
        "told_findings": findings.sheets(debate),
        "called": partial(called, among=told.verdicts),
        "provenance": provenance(debate),
    }
    return found | {"parts": _parts(found)}


def _parts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Places and names of the parts that the page has."""
    there = {
        "briefing": found["told"].briefing,
        "scores": True,
        "map": found["map"],
        "trace": found["rows"],
        "transcript": found["rounds"] or not found["is_text"],
        "judges": found["reasons"].whole or found["told_findings"],
        "provenance": True,
    }
    return [("verdict", "Verdict"), *((place, place.capitalize()) for place, shown in there.items() if shown)]


def _live(verdicts: Sequence[Verdict]) -> dict[int, TurnRow]:
    """Turn -> how the first live verdict scored it."""
    found: dict[int, TurnRow] = {}
    for verdict in verdicts:
        notes = notes_of(LiveNotes, verdict) if verdict.system == "live" else None
        for row in notes.turns if notes is not None else ():
            if row.composite is not None:
                found.setdefault(row.turn, row)
    return found


@dataclass(slots=True)
class _Places:
    """Names of places on the page, as the templates ask for them."""

    arguments: Mapping[str, str]
    taken: set[str] = field(default_factory=set[str])

    def once(self, place: str) -> Markup:
        """The attribute that gives an element the name `place`; nothing where another one has it."""
        if not place or place in self.taken:
            return Markup()
        self.taken.add(place)
        return Markup(' id="{}"').format(place)

    def argument(self, item: str) -> str:
        """Where an argument's words stand; empty for none of the debate's."""
        return self.arguments.get(item, "")

    def response(self, item: str, turn: int) -> str:
        """Where a turn's answer to an argument stands."""
        return anchors.response(turn, item, self.arguments)

    def answers(self, row: TraceRow) -> tuple[Answer, ...]:
        """The answers to a claim."""
        return answers(row, self.arguments)

    def replies(self, row: TraceRow) -> tuple[Replied, ...]:
        """What was replied to the questions about a claim."""
        return replies(row, self.arguments)

    def reply(self, item: str, turn: int) -> str:
        """Where a turn's reply to the question about an argument stands."""
        return anchors.reply(turn, item, self.arguments)


def _environment(arguments: Mapping[str, str]) -> Environment:
    made = environment(TEMPLATES)
    places = _Places(arguments)
    filters: dict[str, Callable[..., object]] = {
        "kind": _kind,
        "breadth": _breadth,
        "tone": _tone,
        "once": places.once,
        "argument_place": places.argument,
        "response_place": places.response,
        "reply_place": places.reply,
        "answers": places.answers,
        "replies": places.replies,
    }
    made.filters.update(filters)
    return made


def _breadth(value: Cell) -> str:
    """Class of a cell of words in a table: a few are not broken, of many there is room for some on a line."""
    words = value.cells if isinstance(value, Lines) else (value,)
    longest = max((len(word) for word in words if isinstance(word, str)), default=0)
    return "" if not longest else "brief" if longest <= BRIEF else "words"


def _tone(colour: str) -> str:
    """Class of a sign's colour."""
    return TONES.get(colour, "calm")


def _kind(value: Piece | Cell) -> str:
    """Name of a piece's or a cell's type, for the templates."""
    return type(value).__name__
