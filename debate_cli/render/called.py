"""What each of several verdicts is called beside the others, and which of them heads them. No Rich."""

from __future__ import annotations

from collections.abc import Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN, format_system_label, format_system_with_run
from debate_cli.domain.verdict import Verdict


def label_verdict(verdict: Verdict, among: Sequence[Verdict]) -> str:
    """Its system; with the id of its judging run where another verdict `among` them is of the same system. Not cleaned."""
    return format_system_label(
        verdict.system, verdict.run, (item.run for item in among if item.system == verdict.system)
    )


def label_listed_verdict(verdict: Verdict, among: Sequence[Verdict]) -> str:
    """The same where nothing else says which run it is: a later run than the debate's own is named though it is alone."""
    return (
        label_verdict(verdict, among)
        if verdict.run == FIRST_RUN
        else format_system_with_run(verdict.system, verdict.run)
    )


def label_judging_system(debate: Debate, system: str, run: str) -> str:
    """The system that a judge answers for; with the judging run, where it judges in another one of the debate too."""
    return format_system_label(
        system, run, (known.id for known in debate.runs if any(one.kind == system for one in known.judging.systems))
    )


def sort_deciding_first(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts in their order, but the one that decides before all, and no other flagged so.

    Of the verdicts of several judging runs, each of which has one that decides it, the first that is flagged stands for all.
    """
    head = next((verdict for verdict in verdicts if verdict.decides), None)
    rest = [_without_decides(verdict) for verdict in verdicts if verdict is not head]
    return tuple(rest) if head is None else (head, *rest)


def _without_decides(verdict: Verdict) -> Verdict:
    return verdict.model_copy(update={"decides": False}) if verdict.decides else verdict
