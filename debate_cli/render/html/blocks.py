"""The scores of a report, a block for each verdict: its charts, and all its numbers as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render.agreement import label_verdict
from debate_cli.render.html import criteria, curves
from debate_cli.render.html.figures import Figure, ParticipantClasses, drop_empty_figures
from debate_cli.render.report import DebateReport
from debate_cli.render.sheets.of_verdict import build_verdict_tables
from debate_cli.systems.live import personality_table
from debate_cli.systems.tables import Table

ChartBuilder = Callable[[Verdict, ParticipantClasses], Iterable[Figure]]

CHART_BUILDERS: Mapping[str, tuple[ChartBuilder, ...]] = {
    "structured": (criteria.structured_mark_charts,),
    "moderator": (criteria.moderator_category_charts, curves.moderator_round_charts),
    "panel": (criteria.panel_vote_charts, curves.panel_agreement_charts),
    "live": (criteria.live_dimension_charts, curves.live_turn_charts),
    "persuasion": (curves.persuasion_charts,),
}
"""System -> what draws its charts."""


@dataclass(frozen=True, slots=True)
class ScoreBlock:
    """What one verdict rests on."""

    title: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    """Sentences that are shown without being asked for."""
    sheets: tuple[Table, ...]
    missing: tuple[str, ...] = ()
    """What was not assessed, where that is not said elsewhere."""


def build_score_blocks(
    debate: Debate, verdicts: Sequence[Verdict], looks: ParticipantClasses
) -> tuple[ScoreBlock, ...]:
    """A block per verdict in the order given, and one of the personalities where any moved."""
    found = [_block(verdict, looks, label_verdict(verdict, verdicts)) for verdict in verdicts]
    moved = tuple(personality_table.build_personality_tables(debate))
    if moved:
        found.append(ScoreBlock("personalities", drop_empty_figures(curves.personality_charts(debate)), (), moved))
    return tuple(block for block in found if block.figures or block.sheets or block.missing)


def _block(verdict: Verdict, looks: ParticipantClasses, title: str) -> ScoreBlock:
    sheets = build_verdict_tables(verdict)
    remarks = sheets[0].remarks if sheets else ()
    figures = drop_empty_figures(
        figure for drawer in CHART_BUILDERS[verdict.system] for figure in drawer(verdict, looks)
    )
    bare = tuple(sheet._replace(remarks=()) if number == 0 else sheet for number, sheet in enumerate(sheets))
    return ScoreBlock(title, figures, remarks, bare, () if verdict.decides else tuple(DebateReport.missing(verdict)))
