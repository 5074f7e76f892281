"""A whole debate as one HTML page: no script, nothing loaded, a strict Content-Security-Policy, light and dark, printable.

Every text goes through Jinja2's autoescaping; nothing is marked as safe. No Rich.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import cast, look
from debate_cli.render.lines import CLOSES
from debate_cli.render.report import report
from debate_cli.render.sheets.sheet import Cell
from debate_cli.render.spoken import Piece, of_turn
from debate_cli.render.templating import digest, environment, source

TEMPLATES = ("page.html.j2", "cells.html.j2", "speech.html.j2", "page.css")


def html(debate: Debate, verdicts: Sequence[Verdict], *, show_hidden: bool = False) -> str:
    """The page: verdict and briefing first, then scores and trace, then every speech."""
    style = source("page.css")
    made = environment(TEMPLATES)
    made.filters["kind"] = _kind
    told = report(debate, verdicts)
    rounds = [
        (number, look.PHASES[phase], [(turn, of_turn(turn)) for turn in turns])
        for (number, phase), turns in groupby(debate.turns, key=lambda turn: (turn.round, turn.phase))
    ]
    return made.get_template("page.html.j2").render(
        debate=debate,
        told=told,
        rounds=rounds,
        cast=[*cast.debaters(debate), *cast.judges(debate, debate.runs[0])],
        classes={person.name: f"voice-{number % 6}" for number, person in enumerate(debate.participants)},
        signs=look.voices(debate.participants),
        responses=look.RESPONSES,
        shifts=look.SHIFTS,
        outcome=look.outcome,
        scale=look.scale,
        usage=look.usage_words(debate.usage),
        closed=CLOSES[debate.closed] if debate.closed is not None else "",
        show_hidden=show_hidden,
        style=style,
        style_hash=digest(style),
    )


def _kind(value: Piece | Cell) -> str:
    """Name of a piece's or a cell's type, for the templates."""
    return type(value).__name__
