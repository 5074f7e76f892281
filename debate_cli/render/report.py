"""What a written report of a debate tells beside its speeches; Markdown and HTML are made of this. No Rich."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import look
from debate_cli.render.called import called, deciding_first
from debate_cli.render.sheets import findings, personalities
from debate_cli.render.sheets.agreement import agreement_sheet
from debate_cli.render.sheets.of_verdict import sheets_of
from debate_cli.render.sheets.sheet import Sheet
from debate_cli.render.sheets.structured import trace_sheet
from debate_cli.scoring.briefing import Briefing, briefing
from debate_cli.scoring.trace import trace_table

Part = Literal["turns", "scores", "trace", "verdict", "briefing"]
"""A part of a debate that can be shown alone."""


@dataclass(frozen=True, slots=True)
class Report:
    """Verdicts, the deciding one first, and what they rest on."""

    verdicts: tuple[Verdict, ...]
    agreement: Sheet | None
    """With several verdicts: they side by side."""
    briefing: Briefing | None
    scores: tuple[Sheet, ...]
    """What the verdicts rest on, and how personalities moved."""
    trace: Sheet | None
    """None where nobody has argued yet."""

    @property
    def sheets(self) -> tuple[Sheet, ...]:
        """Scores and trace."""
        return (*self.scores, self.trace) if self.trace is not None else self.scores

    @staticmethod
    def missing(verdict: Verdict) -> list[str]:
        """Sentences on what was not assessed."""
        found = verdict.notes.get("missing")
        return [look.missing_words(str(sentence)) for sentence in found] if isinstance(found, list) else []


def report(debate: Debate, verdicts: Sequence[Verdict]) -> Report:
    """Gather the report of a debate."""
    ordered = deciding_first(verdicts)
    rows = trace_table(debate)
    return Report(
        verdicts=ordered,
        agreement=agreement_sheet(ordered),
        briefing=briefing(debate),
        scores=(
            *(sheet for verdict in ordered for sheet in _told_apart(verdict, ordered)),
            *personalities.sheets(debate),
            *findings.sheets(debate),
        ),
        trace=trace_sheet(rows) if rows else None,
    )


def _told_apart(verdict: Verdict, among: Sequence[Verdict]) -> list[Sheet]:
    """The tables of a verdict; where others are of its system, their titles have its judging run."""
    sheets = sheets_of(verdict)
    name = called(verdict, among)
    if name == verdict.system:
        return sheets
    return [sheet._replace(title=f"{sheet.title.removesuffix(f', {verdict.system}')}, {name}") for sheet in sheets]
