"""How far the verdicts of one system lie apart over several judging runs: what `judge --repeat` is asked for. No Rich.

Names are untrusted and not cleaned.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme


def describe_repeat_stats(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """A sentence for each system of which there are verdicts of several judging runs, in the order in which they occur.

    `structured in 3 runs: Con wins 2, a draw 1; Con 6.9 to 8.2, Pro 6.4 to 7.1; margin 0.13 to 1.8.`
    """
    systems: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        systems[verdict.system].append(verdict)
    return tuple(_describe_system(system, of) for system, of in systems.items() if len(of) > 1)


def _describe_system(system: str, verdicts: Sequence[Verdict]) -> str:
    outcomes = Counter(map(_outcome_label, verdicts)).most_common()
    margins = [verdict.margin for verdict in verdicts if verdict.margin is not None]
    parts = [
        ", ".join(f"{outcome} {count}" for outcome, count in outcomes),
        ", ".join(f"{name} {_format_range(values)}" for name, values in _scores_by_name(verdicts)),
        f"margin {_format_range(margins)}" if margins else "",
    ]
    return f"{system} in {len(verdicts)} runs: {'; '.join(filter(None, parts))}."


def _outcome_label(verdict: Verdict) -> str:
    """What a verdict says, such that the number of verdicts that say it can follow."""
    if verdict.winner is not None:
        return f"{verdict.winner} wins"
    if verdict.option is not None:
        return verdict.option
    return "a draw" if verdict.victory == "draw" else verdict.victory


def _scores_by_name(verdicts: Sequence[Verdict]) -> list[tuple[str, list[float]]]:
    """Scores per debater, the highest mean first; of a panel that let nobody win, the shares of all options that any had."""
    names = dict.fromkeys(name for verdict in verdicts for name in verdict.displayed_scores)
    found = [(name, list(_scores_of(name, verdicts))) for name in names]
    return sorted(found, key=lambda item: -sum(item[1]) / len(item[1]))


def _scores_of(name: str, verdicts: Iterable[Verdict]) -> Iterable[float]:
    """Its score in each; an option without any weight has no share, which is none of it."""
    for verdict in verdicts:
        if name in verdict.displayed_scores:
            yield verdict.displayed_scores[name]
        elif verdict.option_shares:
            yield 0.0


def _format_range(values: Sequence[float]) -> str:
    low, high = theme.format_number(min(values)), theme.format_number(max(values))
    return low if low == high else f"{low} to {high}"
