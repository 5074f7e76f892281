"""Builds tables and sentences that compare the verdicts of one debate."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun, format_system_label
from debate_cli.domain.reviewer import PROBABILITY, Reviewer
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.systems.aggregation import mean
from debate_cli.systems.explanation import describe_agreement, name_result
from debate_cli.systems.scales import format_scale, rank_scores
from debate_cli.systems.tables import (
    Cell,
    DebaterCell,
    JoinedCells,
    Lines,
    Number,
    Table,
    TableRow,
    column_table,
    drop_empty_columns,
    format_number,
    make_table,
)

OUTCOME_HEADS = ("winner", "victory", "margin", "out of", "scores")
"""Headers of the cells that `outcome_cells` returns."""
NONE_DECIDES = "None of these verdicts decides."


def build_agreement_table(verdicts: Sequence[Verdict]) -> Table | None:
    """Return a row per verdict: winner, victory, margin, scores and scale. None for fewer than two verdicts."""
    if len(verdicts) < 2:  # noqa: PLR2004 - one verdict has nothing to agree with
        return None
    rows = [
        (
            f"{label_verdict(verdict, verdicts)}{', decides' if verdict.decides else ''}",
            *outcome_cells(verdict),
        )
        for verdict in verdicts
    ]
    remarks = (
        *describe_repeat_stats(verdicts),
        *describe_agreement(verdicts),
        *(() if any(verdict.decides for verdict in verdicts) else (NONE_DECIDES,)),
    )
    return drop_empty_columns(make_table("agreement", ("system", *OUTCOME_HEADS), rows, remarks))


def build_review_table(debate: Debate) -> Table | None:
    """Return a row for each person's review; None if no person has reviewed the debate."""
    reviews = [(run, run.reviewer) for run in debate.runs if run.reviewer is not None]
    columns: dict[str, Callable[[tuple[JudgingRun, Reviewer]], Cell]] = {
        "review": lambda of: f"{', '.join(system.kind for system in of[0].judging.systems)} {of[0].id}",
        "by": lambda of: of[1].assessor,
        "view": lambda of: "names hidden" if of[1].blind else "names shown",
        "order shown": lambda of: ", ".join(of[1].order),
        "time": lambda of: theme.format_duration(sum(of[1].seconds.values())) if of[1].seconds else "",
        "confidence": lambda of: Number(of[1].confidence),
        "probability after each round, and at the end": lambda of: Lines(
            tuple(_describe_probabilities(debate, of[0].id))
        ),
    }
    return drop_empty_columns(column_table("reviews by people", reviews, columns)) if reviews else None


def _describe_probabilities(debate: Debate, run: str) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for assessment in debate.assessments:
        for mark in assessment.marks if assessment.run == run else ():
            if mark.criterion == PROBABILITY and mark.participant is not None:
                found.setdefault(mark.participant, []).append(f"{mark.value:g}")
    for name, values in found.items():
        yield f"{name} {', '.join(values)} %"


def outcome_cells(verdict: Verdict) -> TableRow:
    """Return winner, victory, margin, scale and ranked scores of a verdict."""
    shown = tuple(f"{name} {format_number(score)}" for name, score in rank_scores(verdict))
    scale = format_scale([verdict]) if shown else ""
    return winner_cell(verdict), _victory_cell(verdict), Number(verdict.margin), scale, JoinedCells(shown)


def winner_cell(verdict: Verdict) -> Cell:
    """Return the winner of a debate, the winning option of a vote, or `draw`."""
    if verdict.option is not None:
        return theme.option_badge(verdict.system, verdict.option)
    return "draw" if verdict.victory == "draw" else DebaterCell(verdict.winner)


def _victory_cell(verdict: Verdict) -> Cell:
    """Return how clear the victory is, e.g. `narrow`; empty for a draw."""
    return "" if verdict.victory == "draw" else verdict.victory


def label_verdict(verdict: Verdict, among: Sequence[Verdict]) -> str:
    """Return the label of a verdict: `structured`, or `structured r2` if `among` has several runs of this system.

    The label of a person's verdict always names run and person, e.g. `structured r4 (human:anna)`. The label is not
    sanitized.
    """
    runs = (item.run for item in among if item.system == verdict.system and item.reviewer is None)
    return format_system_label(verdict.system, verdict.run, runs, verdict.reviewer)


def label_listed_verdict(verdict: Verdict, among: Sequence[Verdict]) -> str:
    """Return the label of a verdict in a list of verdicts.

    - For a verdict of the first run or of a person: `label_verdict(verdict, among)`.
    - For any other verdict: system and run, e.g. `structured r2`.

    `among`: the listed verdicts of the debate.
    """
    if verdict.run == FIRST_RUN or verdict.reviewer is not None:
        return label_verdict(verdict, among)
    return f"{verdict.system} {verdict.run}"


def label_judging_system(debate: Debate, system: str, run: str) -> str:
    """Return the name of a judging system. If several judging runs use the system, `run` follows, e.g. `structured r2`."""
    runs = (known.id for known in debate.runs if any(one.kind == system for one in known.judging.systems))
    return format_system_label(system, run, runs)


def sort_deciding_first(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts, the deciding one first. If several verdicts decide, `decides` stays True only for the first."""
    head = next((verdict for verdict in verdicts if verdict.decides), None)
    rest = [
        verdict.model_copy(update={"decides": False}) if verdict.decides else verdict
        for verdict in verdicts
        if verdict is not head
    ]
    return tuple(rest) if head is None else (head, *rest)


def describe_repeat_stats(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Return a sentence for each judging system with several runs.

    Example: `structured in 3 runs: Con wins in 2, a draw in 1; Con 6.9 to 8.2, Pro 6.4 to 7.1; margin 0.13 to 1.8, out
    of 10 points.`
    """
    systems: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.reviewer is None:
            systems[verdict.system].append(verdict)
    sentences: list[str] = []
    for system, runs in systems.items():
        margins = [verdict.margin for verdict in runs if verdict.margin is not None]
        parts = (
            ", ".join(f"{outcome} in {count}" for outcome, count in count_outcomes(runs)),
            ", ".join(f"{name} {_format_range(values)}" for name, values in _scores_by_name(runs)),
            f"margin {_format_range(margins)}" if margins else "",
        )
        scale = format_scale(runs) if any(parts[1:]) else ""
        if len(runs) > 1:
            words = "; ".join(filter(None, parts))
            sentences.append(f"{system} in {len(runs)} runs: {words}{f', out of {scale}' if scale else ''}.")
    return tuple(sentences)


def count_outcomes(verdicts: Iterable[Verdict]) -> list[tuple[str, int]]:
    """Return each outcome, e.g. `Con wins`, with its number of verdicts. The most frequent outcome comes first."""
    return Counter(map(name_result, verdicts)).most_common()


def _scores_by_name(verdicts: Sequence[Verdict]) -> list[tuple[str, list[float]]]:
    found: list[tuple[str, list[float]]] = []
    for name in dict.fromkeys(name for verdict in verdicts for name in verdict.displayed_scores):
        having = [verdict for verdict in verdicts if name in verdict.displayed_scores or verdict.option_shares]
        found.append((name, [verdict.displayed_scores.get(name, 0.0) for verdict in having]))
    return sorted(found, key=lambda item: -mean(item[1]))


def _format_range(values: Sequence[float]) -> str:
    low, high = format_number(min(values)), format_number(max(values))
    return low if low == high else f"{low} to {high}"
