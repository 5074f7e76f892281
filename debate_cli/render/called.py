"""What each of several verdicts is called beside the others, and which of them heads them. No Rich."""

from __future__ import annotations

from collections.abc import Sequence

from debate_cli.domain.verdict import Verdict


def called(verdict: Verdict, among: Sequence[Verdict]) -> str:
    """Its system; with the id of its judging run where another verdict `among` them is of the same system. Not cleaned."""
    runs = {item.run for item in among if item.system == verdict.system}
    return f"{verdict.system} {verdict.run}" if runs - {verdict.run} else verdict.system


def deciding_first(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts in their order, but the one that decides before all, and no other flagged so.

    Of the verdicts of several judging runs, each of which has one that decides it, the first that is flagged stands for all.
    """
    head = next((verdict for verdict in verdicts if verdict.decides), None)
    rest = [_beside(verdict) for verdict in verdicts if verdict is not head]
    return tuple(rest) if head is None else (head, *rest)


def _beside(verdict: Verdict) -> Verdict:
    return verdict.model_copy(update={"decides": False}) if verdict.decides else verdict
