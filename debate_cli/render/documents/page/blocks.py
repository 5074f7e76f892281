"""The scores of a report, a block for each verdict: its charts, and all its numbers as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render.called import called
from debate_cli.render.documents.page import criteria, curves
from debate_cli.render.documents.page.figures import Figure, Looks, filled
from debate_cli.render.report import Report
from debate_cli.render.sheets import personalities
from debate_cli.render.sheets.of_verdict import sheets_of
from debate_cli.render.sheets.sheet import Sheet

Drawer = Callable[[Verdict, Looks], Iterable[Figure]]

DRAWERS: Mapping[str, tuple[Drawer, ...]] = {
    "structured": (criteria.structured,),
    "moderator": (criteria.moderator, curves.moderator),
    "panel": (criteria.panel, curves.panel),
    "live": (criteria.live, curves.live),
    "persuasion": (curves.persuasion,),
}
"""System -> what draws its charts."""


@dataclass(frozen=True, slots=True)
class Block:
    """What one verdict rests on."""

    title: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    """Sentences that are shown without being asked for."""
    sheets: tuple[Sheet, ...]
    missing: tuple[str, ...] = ()
    """What was not assessed, where that is not said elsewhere."""


def blocks(debate: Debate, verdicts: Sequence[Verdict], looks: Looks) -> tuple[Block, ...]:
    """A block per verdict in the order given, and one of the personalities where any moved."""
    found = [_block(verdict, looks, called(verdict, verdicts)) for verdict in verdicts]
    moved = tuple(personalities.sheets(debate))
    if moved:
        found.append(Block("personalities", filled(curves.personalities(debate)), (), moved))
    return tuple(block for block in found if block.figures or block.sheets or block.missing)


def _block(verdict: Verdict, looks: Looks, title: str) -> Block:
    sheets = sheets_of(verdict)
    remarks = sheets[0].remarks if sheets else ()
    figures = filled(figure for drawer in DRAWERS[verdict.system] for figure in drawer(verdict, looks))
    bare = tuple(sheet._replace(remarks=()) if number == 0 else sheet for number, sheet in enumerate(sheets))
    return Block(title, figures, remarks, bare, () if verdict.decides else tuple(Report.missing(verdict)))
