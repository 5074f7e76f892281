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
from debate_cli.render import participants, theme
from debate_cli.render.agreement import label_verdict
from debate_cli.render.html import anchors
from debate_cli.render.html.answers import AnswerGroup, ReplyGroup, group_answers, group_replies
from debate_cli.render.html.argument_map import build_argument_map
from debate_cli.render.html.blocks import build_score_blocks
from debate_cli.render.html.content_security import csp_hash
from debate_cli.render.html.figures import participant_classes
from debate_cli.render.html.provenance import collect_provenance
from debate_cli.render.html.reasons import collect_judge_reasons
from debate_cli.render.html.rounds import build_round_sections
from debate_cli.render.html.templating import build_environment, read_template
from debate_cli.render.reasons import quote_judge
from debate_cli.render.report import build_debate_report
from debate_cli.render.speech_parts import SpeechPart
from debate_cli.render.summary import summarize_verdicts
from debate_cli.render.weakest import argument_scores
from debate_cli.systems import findings_table
from debate_cli.systems.live.score import LiveNotes, TurnRow
from debate_cli.systems.structured.trace import TraceRow, build_trace_table
from debate_cli.systems.tables import Cell, Lines, parse_notes

PAGE_TEMPLATES = (
    "page.html.j2", "cells.html.j2", "speech.html.j2", "verdict.html.j2", "scores.html.j2", "map.html.j2", "trace.html.j2",
    "transcript.html.j2", "judges.html.j2", "provenance.html.j2", "page.css", "report.css", "sorting.js",
)  # fmt: skip
COLOUR_CLASSES = {theme.GREEN: "good", theme.RED: "bad", theme.GOLD: "mixed", theme.BLUE: "calm", theme.MUTED: "quiet"}
"""Colour of a sign on a terminal -> class of the style sheet."""
SHORT_CELL_LENGTH = 30
"""Letters up to which what stands in a table is not broken."""
STANDING_ORDER = ("UPHELD", "PARTIALLY_UPHELD", "UNCERTAIN", "REFUTED", None)
"""Standings in the order in which they are sorted."""


def render_html(debate: Debate, verdicts: Sequence[Verdict], *, show_hidden: bool = False) -> str:
    """The page: verdict and briefing first, then scores, argument map and trace, then every speech, then where it comes from."""
    places = anchors.argument_anchors(debate)
    style, script = read_template("page.css") + read_template("report.css"), read_template("sorting.js")
    return (
        _environment(places)
        .get_template("page.html.j2")
        .render(
            **_template_context(debate, verdicts),
            debate=debate,
            show_hidden=show_hidden,
            places=places,
            signs=theme.participant_styles(debate.participants),
            responses=theme.RESPONSE_BADGES,
            shifts=theme.SHIFT_BADGES,
            standings=theme.STANDING_BADGES,
            rank={standing: number for number, standing in enumerate(STANDING_ORDER)},
            outcome=partial(theme.describe_outcome, document=debate.document_name),
            scale=theme.score_axis_max,
            usage=theme.format_usage(debate.usage),
            closed=theme.describe_close(debate),
            style_hash=csp_hash(style),
            script_hash=csp_hash(script),
        )
    )


def _template_context(debate: Debate, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """What is made of the debate, by the names under which the templates know it."""
    told = build_debate_report(debate, verdicts)
    head = told.verdicts[0] if told.verdicts else None
    classes = participant_classes(debate.participants)
    rows = build_trace_table(debate)
    found: dict[str, Any] = {
        "is_text": debate.document_name is not None,
        "told": told,
        "head": head,
        "gist": summarize_verdicts(debate, told.verdicts),
        "said": quote_judge(debate, head, told.briefing) if head is not None else None,
        "cast": [*participants.debater_rows(debate), *participants.judge_rows(debate, debate.runs[0])],
        "classes": classes,
        "blocks": build_score_blocks(debate, told.verdicts, classes),
        "map": build_argument_map(debate, rows),
        "rows": rows,
        "scores_of": argument_scores(debate, told.verdicts),
        "rounds": build_round_sections(debate),
        "live_rows": _live_scores_by_turn(told.verdicts),
        "reasons": collect_judge_reasons(debate),
        "told_findings": findings_table.build_findings_tables(debate),
        "called": partial(label_verdict, among=told.verdicts),
        "provenance": collect_provenance(debate),
    }
    return found | {"parts": _page_sections(found)}


def _page_sections(found: Mapping[str, Any]) -> list[tuple[str, str]]:
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


def _live_scores_by_turn(verdicts: Sequence[Verdict]) -> dict[int, TurnRow]:
    """Turn -> how the first live verdict scored it."""
    found: dict[int, TurnRow] = {}
    for verdict in verdicts:
        notes = parse_notes(LiveNotes, verdict) if verdict.system == "live" else None
        for row in notes.turns if notes is not None else ():
            if row.composite is not None:
                found.setdefault(row.turn, row)
    return found


@dataclass(slots=True)
class _Anchors:
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
        return anchors.response_anchor(turn, item, self.arguments)

    def answers(self, row: TraceRow) -> tuple[AnswerGroup, ...]:
        """The answers to a claim."""
        return group_answers(row, self.arguments)

    def replies(self, row: TraceRow) -> tuple[ReplyGroup, ...]:
        """What was replied to the questions about a claim."""
        return group_replies(row, self.arguments)

    def reply(self, item: str, turn: int) -> str:
        """Where a turn's reply to the question about an argument stands."""
        return anchors.reply_anchor(turn, item, self.arguments)


def _environment(arguments: Mapping[str, str]) -> Environment:
    made = build_environment(PAGE_TEMPLATES)
    places = _Anchors(arguments)
    filters: dict[str, Callable[..., object]] = {
        "kind": _type_name,
        "breadth": _cell_width_class,
        "tone": _colour_class,
        "sign_of": theme.sign_of,
        "once": places.once,
        "argument_place": places.argument,
        "response_place": places.response,
        "reply_place": places.reply,
        "answers": places.answers,
        "replies": places.replies,
    }
    made.filters.update(filters)
    return made


def _cell_width_class(value: Cell) -> str:
    """Class of a cell of words in a table: a few are not broken, of many there is room for some on a line."""
    words = value.cells if isinstance(value, Lines) else (value,)
    longest = max((len(word) for word in words if isinstance(word, str)), default=0)
    return "" if not longest else "brief" if longest <= SHORT_CELL_LENGTH else "words"


def _colour_class(colour: str) -> str:
    """Class of a sign's colour."""
    return COLOUR_CLASSES.get(colour, "calm")


def _type_name(value: SpeechPart | Cell) -> str:
    """Name of a piece's or a cell's type, for the templates."""
    return type(value).__name__
