"""Compares several verdicts: winner, kind of victory and margin of each, and where they differ."""

from collections import defaultdict
from collections.abc import Sequence

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import format_system_label
from debate_cli.domain.verdict import Verdict, Victory

_ADVERBS = {"narrow": "narrowly", "clear": "clearly", "overwhelming": "overwhelmingly"}
"""Kind of victory -> adverb for a sentence on the winner."""


class AgreementRow(FrozenModel):
    """Winner, kind of victory and margin of one verdict."""

    system: str
    run: str
    winner: str | None
    victory: Victory
    margin: float | None
    decides: bool


class Agreement(FrozenModel):
    """A comparison of verdicts."""

    rows: tuple[AgreementRow, ...]
    """One row per verdict, in the given order."""
    agree: bool | None
    """Whether all determined verdicts have the same outcome (also a draw or a conditional verdict). None if fewer than
    two are determined."""
    differences: tuple[str, ...]
    """One sentence for each difference, and for each undetermined verdict; empty for full agreement."""


def compare_verdicts(verdicts: Sequence[Verdict]) -> Agreement | None:
    """Compare the verdicts; None if there are fewer than two."""
    if len(verdicts) < 2:  # noqa: PLR2004 - one verdict has nothing to agree with
        return None
    determined = [verdict for verdict in verdicts if verdict.victory != "undetermined"]
    outcomes: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in determined:
        outcomes[_describe_outcome(verdict)].append(verdict)
    rows = tuple(AgreementRow(**verdict.model_dump(include=set(AgreementRow.model_fields))) for verdict in verdicts)
    agree = len(outcomes) == 1 if len(determined) > 1 else None
    return Agreement(rows=rows, agree=agree, differences=tuple(_describe_differences(verdicts, outcomes)))


def _describe_differences(verdicts: Sequence[Verdict], outcomes: dict[str, list[Verdict]]) -> list[str]:
    runs: dict[str, set[str]] = defaultdict(set)
    for verdict in verdicts:
        if verdict.reviewer is None:
            runs[verdict.system].add(verdict.run)

    def join_systems(group: Sequence[Verdict]) -> str:
        names = [format_system_label(item.system, item.run, runs[item.system], item.reviewer) for item in group]
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    found: list[str] = []
    if len(outcomes) > 1:
        opinions = [f"{join_systems(group)} {_verb(group)} {outcome}" for outcome, group in outcomes.items()]
        found.append(f"They differ on the outcome: {'; '.join(opinions)}.")
    for outcome, group in outcomes.items():
        kinds: dict[str, list[Verdict]] = defaultdict(list)
        for verdict in group:
            kinds[verdict.victory].append(verdict)
        if len(kinds) > 1:
            degrees = [f"{join_systems(of)} {_verb(of)} {_ADVERBS.get(kind, kind)}" for kind, of in kinds.items()]
            found.append(f"They differ on how clearly {outcome}: {'; '.join(degrees)}.")
    silent = [verdict for verdict in verdicts if verdict.victory == "undetermined"]
    if silent:
        found.append(f"No verdict from {join_systems(silent)}: too little was assessed.")
    return found


def _describe_outcome(verdict: Verdict) -> str:
    """The outcome as a clause: `Pro wins`."""
    if verdict.winner is not None:
        return f"{verdict.winner} wins"
    if verdict.option is not None:
        return f"the vote is {verdict.option}"
    return "it is a draw" if verdict.victory == "draw" else f"the verdict is {verdict.victory}"


def _verb(group: Sequence[Verdict]) -> str:
    return "say" if len(group) > 1 else "says"
