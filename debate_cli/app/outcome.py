"""The result of a run or of a judging."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.domain.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a run. `print(outcome)` shows the verdict in a few lines."""

    debate: Debate = field(repr=False)
    """The debate with everything that was said and judged."""
    verdicts: tuple[Verdict, ...] = field(repr=False)
    """Verdicts of all judging runs that count, the deciding one first."""
    path: Path | None
    """The transcript; None if nothing was saved."""
    halted: CloseReason | None = None
    """`budget`, `failed` or `interrupted` if the run ended early."""
    untouched: bool = False
    """Whether nothing was left to do, and so nothing was written."""

    def __str__(self) -> str:
        """Motion, deciding verdict, scores and where the debate is saved."""
        lines = [self.debate.topic]
        for verdict in self.verdicts:
            result = f"{verdict.winner} wins" if verdict.winner else verdict.option or verdict.victory
            margin = "" if verdict.margin is None else f", {verdict.margin:g} apart"
            scores = ", ".join(f"{name} {value:g}" for name, value in verdict.scores.items())
            decides = " (decides)" if verdict.decides else ""
            victory = f" ({verdict.victory}{margin})" if verdict.winner else ""
            lines.append(f"{verdict.system}{decides}: {result}{victory}" + (f": {scores}" if scores else ""))
        if self.halted is not None:
            lines.append(f"ended early: {self.halted}")
        return "\n".join([*lines, *([f"saved: {self.path}"] if self.path is not None else [])])
