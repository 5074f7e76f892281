"""Renders a debate as one printable HTML page, which loads nothing and has a strict Content-Security-Policy.

Jinja2 escapes all text except anchors, which consist of numbers. The only script sorts table rows and reads no other
text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.content import chair
from debate_cli.render.content.report import DOCUMENT_PARTS, DebateReport, ReportPart, build_debate_report
from debate_cli.render.content.speech_parts import index_citations
from debate_cli.render.content.summary import group_changes, label_change
from debate_cli.render.html.anchors import PageAnchors
from debate_cli.render.html.charts import DrawnChart, draw_chart, participant_classes
from debate_cli.render.html.provenance import collect_provenance
from debate_cli.render.html.sources import collect_cited_sources
from debate_cli.render.html.templating import build_environment, csp_hash, read_template
from debate_cli.render.html.transcript import build_round_sections, collect_judge_reasons
from debate_cli.systems import debate_tables
from debate_cli.systems.base import TurnScore
from debate_cli.systems.charts import Chart
from debate_cli.systems.registry import get_system
from debate_cli.systems.tables import Table
from debate_cli.systems.weakest import score_arguments

PART_TEMPLATES: dict[ReportPart, str] = {
    "verdict": "verdict", "briefing": "briefing", "cast": "cast", "scores": "scores", "map": "map", "trace": "trace",
    "turns": "transcript", "sources": "sources", "judges": "judges", "usage": "provenance",
}  # fmt: skip
"""Maps each part to its template, whose name is also the anchor. The template `provenance` shows changed settings."""
PAGE_TEMPLATES = (
    "page.html.j2", "cells.html.j2", "speech.html.j2", "chart.html.j2", "page.css", "report.css", "sorting.js",
    *(f"{name}.html.j2" for name in PART_TEMPLATES.values()),
)  # fmt: skip
STANDING_ORDER = ("UPHELD", "PARTIALLY_UPHELD", "UNCERTAIN", "REFUTED", None)
"""Standings in their sort order."""


@dataclass(frozen=True, slots=True)
class ScoreBlock:
    """The charts and tables of one verdict, or of one section that judging systems add."""

    title: str
    charts: tuple[DrawnChart, ...]
    tables: tuple[Table, ...]
    remarks: tuple[str, ...] = ()
    """Sentences that are visible while the tables are collapsed."""
    missing: tuple[str, ...] = ()
    """Sentences on missing assessments; empty for the deciding verdict, because its card shows them."""


def render_html(debate: Debate, verdicts: Sequence[Verdict], *, show_hidden: bool = False) -> str:
    """Return the page: verdict, briefing, scores, argument map, trace, transcript, sources, judges' reasons, provenance."""
    context = _template_context(debate, verdicts)
    style, script = read_template("page.css") + read_template("report.css"), read_template("sorting.js")
    environment = build_environment(PAGE_TEMPLATES)
    return environment.get_template("page.html.j2").render(
        **context,
        page=PageAnchors(debate.arguments, [source.id for source in context["cited_sources"]]),
        debate=debate,
        show_hidden=show_hidden,
        signs=theme.participant_styles(debate.participants),
        responses=theme.RESPONSE_BADGES,
        shifts=theme.SHIFT_BADGES,
        standings=theme.STANDING_BADGES,
        rank={standing: number for number, standing in enumerate(STANDING_ORDER)},
        outcome=partial(theme.describe_outcome, document=debate.document_name),
        scale=theme.score_axis_max,
        usage=theme.format_usage(debate.usage),
        templates=[f"{PART_TEMPLATES[part]}.html.j2" for part in DOCUMENT_PARTS if part in PART_TEMPLATES],
        closed=theme.describe_close(debate),
        chair_opens=chair.announce_debate(debate),
        chair_closes=chair.announce_close(debate, debate.closed),
        style_hash=csp_hash(style),
        script_hash=csp_hash(script),
    )


def _template_context(debate: Debate, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    report = build_debate_report(debate, verdicts)
    ordered = [item.verdict for item in report.verdicts]
    classes = participant_classes(debate.participants)
    rows = report.trace_rows
    names = dict.fromkeys(row.participant for row in rows)
    citations = index_citations(debate)
    context: dict[str, Any] = {
        "is_text": debate.document_name is not None,
        "report": report,
        "head": next(iter(report.verdicts), None),
        "changes": group_changes(report.summary.required_changes),
        "label_change": label_change,
        "classes": classes,
        "blocks": _score_blocks(report, classes),
        "map": {name: [row for row in rows if row.participant == name] for name in names},
        "rows": rows,
        "scores_of": score_arguments(debate, ordered).by_argument,
        "rounds": build_round_sections(debate),
        "turn_scores": _scores_by_turn(ordered),
        "reasons": collect_judge_reasons(debate),
        "citations": citations,
        "source_badges": debate_tables.SOURCE_BADGES,
        "support_badges": debate_tables.SUPPORT_BADGES,
        "cited_sources": collect_cited_sources(debate, citations),
        "findings": debate_tables.build_findings_tables(debate),
        "provenance": collect_provenance(debate),
    }
    return context | {"parts": _page_sections(context)}


def _page_sections(context: Mapping[str, Any]) -> list[tuple[str, str]]:
    report = context["report"]
    has: dict[ReportPart, Any] = {
        "briefing": report.briefing,
        "cast": False,  # no target of the navigation
        "map": context["map"],
        "trace": report.trace_rows,
        "turns": context["rounds"] or not context["is_text"],
        "sources": context["cited_sources"],
        "judges": context["reasons"].whole or context["findings"],
    }
    names = [PART_TEMPLATES[part] for part in DOCUMENT_PARTS if part in PART_TEMPLATES and has.get(part, True)]
    return [(name, name.capitalize()) for name in names]


def _score_blocks(report: DebateReport, classes: Mapping[str, str]) -> list[ScoreBlock]:
    """Return a block for each verdict, then a block for each section that judging systems add."""

    def draw(charts: Sequence[Chart]) -> tuple[DrawnChart, ...]:
        return tuple(draw_chart(chart, classes) for chart in charts if not chart.is_empty)

    blocks: list[ScoreBlock] = []
    for item in report.verdicts:
        charts = get_system(item.verdict.system).charts(item.verdict)
        tables = tuple(table._replace(remarks=()) if not number else table for number, table in enumerate(item.tables))
        remarks = item.tables[0].remarks if item.tables else ()
        blocks.append(
            ScoreBlock(item.label, draw(charts), tables, remarks, () if item.verdict.decides else item.missing)
        )
    blocks += [ScoreBlock(section.title, draw(section.charts), section.tables) for section in report.sections]
    return [block for block in blocks if block.charts or block.tables or block.missing]


def _scores_by_turn(verdicts: Sequence[Verdict]) -> dict[int, tuple[str, TurnScore]]:
    scores: dict[int, tuple[str, TurnScore]] = {}
    for verdict in verdicts:
        for turn, score in get_system(verdict.system).turn_scores(verdict).items():
            scores.setdefault(turn, (verdict.system, score))
    return scores
