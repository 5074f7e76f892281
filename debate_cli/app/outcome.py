"""The result of a run or of a judging."""

from dataclasses import dataclass, field
from pathlib import Path

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.explanation import describe_outcome
from debate_cli.systems.registry import get_system
from debate_cli.systems.tables import format_number


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a run. `print(outcome)` shows the verdict in a few lines."""

    debate: Debate = field(repr=False)
    """The debate with all speeches and assessments."""
    verdicts: tuple[Verdict, ...] = field(repr=False)
    """Verdicts of all judging runs that count, the deciding one first."""
    path: Path | None
    """The transcript; None if nothing was saved."""
    halted: CloseReason | None = None
    """`budget`, `failed` or `interrupted` if the run ended early."""
    untouched: bool = False
    """Whether nothing was left to do, so that nothing was written."""

    def __str__(self) -> str:
        """Motion, verdicts with scores, required changes of a judged text, and the file of the debate."""
        lines = [self.debate.topic]
        for verdict in self.verdicts:
            answer = describe_outcome(verdict, self.debate.document_name).rstrip(".")
            margin = (
                f", by {format_number(verdict.margin)}"
                if verdict.winner is not None and verdict.margin is not None
                else ""
            )
            scores = ", ".join(f"{name} {format_number(value)}" for name, value in verdict.scores.items())
            decides = " (decides)" if verdict.decides else ""
            lines.append(f"{verdict.system}{decides}: {answer}{margin}{f' ({scores})' if scores else ''}")
            changes = get_system(verdict.system).headline(verdict).required_changes
            lines += [f"  must change: {change.text} ({', '.join(change.judges)})" for change in changes]
        if self.halted is not None:
            lines.append(f"ended early: {self.halted}")
        return "\n".join([*lines, *([f"saved: {self.path}"] if self.path is not None else [])])
