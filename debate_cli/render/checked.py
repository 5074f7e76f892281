"""Scored files with what became of their gates: what JUnit, GitHub and the index page are made of. No Rich."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from debate_cli.app.gates import GateResult
from debate_cli.domain.debate import Debate, models_used_by_debaters
from debate_cli.render.score_rows import ScoredFile


class DebateFacts(NamedTuple):
    """When a debate was held, by whom, and for how much."""

    started_at: datetime
    """UTC."""
    debaters: tuple[str, ...]
    """`provider/model` of the debaters, each once, in their order."""
    judges: tuple[str, ...]
    """`provider/model` of the judges that were heard, each once; those of all judging runs."""
    cost_usd: float | None
    """Of everything that was asked; None where a price is not known."""


class CheckedFile(NamedTuple):
    """A file, its verdicts, and its gates."""

    file: ScoredFile
    gates: tuple[GateResult, ...] = ()
    """Of those that are asked for."""
    report: str | None = None
    """Address of the debate's own page, relative to the index; None where it has none."""
    remark: str | None = None
    """A sentence on what could not be looked at, though it was asked for."""
    torn: str | None = None
    """A sentence on the journal's last line, where it is torn."""
    compared_count: int = 0
    """Stored verdicts that were held against the recomputed ones."""
    text: str = ""
    """The file as it is printed, where that was made beside the scoring; its verdicts are then left out."""
    held: DebateFacts | None = None
    """Where it is asked for: the index page shows it."""

    @property
    def unmet(self) -> list[str]:
        """A sentence for each gate that is not met."""
        return [result.problem for result in self.gates if result.problem is not None]


class UnusableFile(NamedTuple):
    """A file that could not be scored, and the sentence that says why."""

    path: str
    message: str


def collect_debate_facts(debate: Debate) -> DebateFacts:
    """When, by whom and for how much."""
    return DebateFacts(
        started_at=debate.started_at,
        debaters=models_used_by_debaters(debate),
        judges=tuple(dict.fromkeys(item.exchange.model for item in debate.assessments if item.exchange.attempts)),
        cost_usd=debate.usage.cost_usd,
    )
