"""Gates: conditions on a judged debate that an exit code can stand for. Pure, like everything beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Gates:
    """What must hold; None and empty mean that nothing is asked."""

    under_name: str | None = None
    """Whose score `under_score` is about; None means the higher one's."""
    under_score: float | None = None
    winner: str | None = None
    """Name of the debater who must have won, or `draw`."""
    max_warnings: int | None = None
    """Of all turns and assessments together."""
    forbidden: tuple[str, ...] = ()
    """Kinds of findings that must not be there, e.g. `manipulation`."""

    def unmet(self, debate: Debate, verdicts: Sequence[Verdict]) -> list[str]:
        """One sentence for each gate that is not met. An undetermined debate meets none that asks for a verdict."""
        deciding = next((verdict for verdict in verdicts if verdict.decides), verdicts[0] if verdicts else None)
        found = [self._score(deciding), self._winner(deciding), self._warnings(debate)]
        found += [_forbidden(debate, kind) for kind in self.forbidden]
        return [sentence for sentence in found if sentence is not None]

    def _score(self, verdict: Verdict | None) -> str | None:
        if self.under_score is None:
            return None
        name = self.under_name or "the higher score"
        if verdict is None or verdict.victory == "undetermined":
            return f"--fail-under: the verdict is undetermined, so {name} cannot reach {self.under_score:g}"
        score = verdict.scores.get(self.under_name) if self.under_name else max(verdict.scores.values(), default=None)
        if score is None:
            return f"--fail-under: {name} has no score in the verdict of {verdict.system}"
        if score < self.under_score:
            return (
                f"--fail-under: {name} has {score:.2f} in the verdict of {verdict.system}, below {self.under_score:g}"
            )
        return None

    def _winner(self, verdict: Verdict | None) -> str | None:
        if self.winner is None:
            return None
        if verdict is None or verdict.victory == "undetermined":
            return f"--expect-winner: expected {self.winner}, but the verdict is undetermined"
        winner = verdict.winner or verdict.victory
        if winner != self.winner:
            return f"--expect-winner: expected {self.winner}, but the verdict of {verdict.system} is {winner}"
        return None

    def _warnings(self, debate: Debate) -> str | None:
        if self.max_warnings is None:
            return None
        count = sum(len(turn.warnings) for turn in debate.turns)
        count += sum(len(assessment.warnings) for assessment in debate.assessments)
        return f"--max-warnings: {count} warnings, more than {self.max_warnings}" if count > self.max_warnings else None


def _forbidden(debate: Debate, kind: str) -> str | None:
    count = sum(finding.kind == kind for assessment in debate.assessments for finding in assessment.findings)
    return f"--fail-on: {count} findings of {kind}" if count else None
