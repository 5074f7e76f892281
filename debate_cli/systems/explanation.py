"""Sentences about verdicts. Names in them are not sanitized."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from debate_cli.domain.judging_run import format_system_label
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.tables import format_number

ADVERBS: dict[Victory, str] = {"narrow": "narrowly", "clear": "clearly", "overwhelming": "overwhelmingly"}


def describe_scores(
    verdict: Verdict,
    max_score: float | None,
    marks: Mapping[str, Mapping[str, float]] | None = None,
    maxima: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
    whole: str = "the score",
) -> str:
    """Return a sentence with the scores; empty if the verdict has no scores.

    If `maxima` is given, a second sentence names the criterion with the largest weighted difference between the two
    best debaters.

    - `max_score`: highest possible score; None if it is unknown.
    - `marks`: maps each debater to a mapping from criteria to marks.
    - `maxima`: maps criteria to highest possible marks.
    - `weights`: maps criteria to weights, 0-1. None means weights in proportion to `maxima`.
    - `whole`: name of the total in the second sentence, e.g. `the score` in `(40% of the score)`.
    """
    ranked = sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
    if not ranked:
        return ""
    first = " to ".join(f"{name} {format_number(score)}" for name, score in ranked[:2])
    rest = "".join(f", {name} {format_number(score)}" for name, score in ranked[2:])
    scores = f"{first}{rest}." if max_score is None else f"{first}{rest} of {max_score:g}."
    if len(ranked) == 1 or not maxima:
        return scores
    weights = weights or {name: most / sum(maxima.values()) for name, most in maxima.items()}
    best = {name: (marks or {}).get(name, {}) for name, _ in ranked[:2]}
    shares = {
        criterion: {name: of[criterion] / most for name, of in best.items()}
        for criterion, most in maxima.items()
        if weights.get(criterion) and all(criterion in of for of in best.values())
    }
    return f"{scores} {_describe_widest_gap(shares, weights, whole)}".rstrip()


def _describe_widest_gap(shares: Mapping[str, Mapping[str, float]], weights: Mapping[str, float], whole: str) -> str:
    gaps = {criterion: max(of.values()) - min(of.values()) for criterion, of in shares.items()}
    apart = [criterion for criterion, gap in gaps.items() if round(gap, 2) != 0]
    if not apart:
        return "The two best debaters are level in every criterion that counts." if shares else ""
    widest = max(apart, key=lambda criterion: gaps[criterion] * weights[criterion])
    (ahead, most), (behind, least) = sorted(shares[widest].items(), key=lambda item: -item[1])
    return (
        f"The largest difference is in {widest.replace('_', ' ')} ({weights[widest]:.0%} of {whole}): "
        f"{ahead} {most:.0%}, {behind} {least:.0%} of the maximum."
    )


def describe_agreement(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Return sentences that say how the verdicts differ, and which of them are undetermined.

    If all verdicts agree and none is undetermined, the only sentence is `They agree.`

    `verdicts`: two or more.
    """
    outcomes: dict[str, list[Verdict]] = defaultdict(list)
    degrees: dict[str, list[Verdict]] = defaultdict(list)
    undetermined = [verdict for verdict in verdicts if verdict.victory == "undetermined"]
    for verdict in verdicts:
        if verdict.victory != "undetermined":
            outcomes[_outcome_clause(verdict)].append(verdict)
            degrees[ADVERBS.get(verdict.victory, verdict.victory)].append(verdict)
    found: list[str] = []
    if len(outcomes) > 1:
        found.append(f"They differ on the outcome: {_join_opinions(verdicts, outcomes)}.")
    elif len(degrees) > 1:
        found.append(f"They differ on how clearly {next(iter(outcomes))}: {_join_opinions(verdicts, degrees)}.")
    if undetermined:
        found.append(f"No verdict from {_join_systems(verdicts, undetermined)}: too little was assessed.")
    return tuple(found or ["They agree."])


def name_result(verdict: Verdict) -> str:
    """Return the outcome, e.g. `Con wins`, `PASS`, `a draw` or `undetermined`. It does not say how clear a victory is."""
    if verdict.winner is not None:
        return f"{verdict.winner} wins"
    return verdict.option or ("a draw" if verdict.victory == "draw" else verdict.victory)


def _outcome_clause(verdict: Verdict) -> str:
    if verdict.winner is not None:
        return f"{verdict.winner} wins"
    if verdict.option is not None:
        return f"the vote is {verdict.option}"
    return "it is a draw" if verdict.victory == "draw" else f"the verdict is {verdict.victory}"


def _join_opinions(verdicts: Sequence[Verdict], opinions: Mapping[str, Sequence[Verdict]]) -> str:
    return "; ".join(
        f"{_join_systems(verdicts, group)} {'say' if len(group) > 1 else 'says'} {opinion}"
        for opinion, group in opinions.items()
    )


def _join_systems(verdicts: Sequence[Verdict], group: Sequence[Verdict]) -> str:
    names = [
        format_system_label(
            item.system,
            item.run,
            {other.run for other in verdicts if other.system == item.system and other.reviewer is None},
            item.reviewer,
        )
        for item in group
    ]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
