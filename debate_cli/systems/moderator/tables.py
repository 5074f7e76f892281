"""Tables of the moderator: total scores, the rounds, and the thirteen categories of the final evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.moderator.criteria import FINAL_CATEGORIES, ROUND_CRITERIA
from debate_cli.systems.moderator.score import ClaimedTotal, FinalRow, ModeratorNotes, ModeratorRoundRow
from debate_cli.systems.tables import Gauge, Number, Table, TableRow, Who, join_row_groups, parse_notes

CATEGORY_GROUPS = (
    ("argument quality", ("evidence_based_claims", "logical_structure", "relevance")),
    ("rebuttal effectiveness", ("comprehensiveness", "precision", "counter_evidence")),
    ("strategic positioning", ("framing_control", "adaptability")),
    ("rhetorical effectiveness", ("clarity", "persuasiveness", "tone_management")),
    ("intellectual integrity", ("concession_when_appropriate", "accuracy")),
)


def tables(verdict: Verdict) -> list[Table]:
    """Scores, rounds, final evaluation; parts without judgments are omitted."""
    notes = parse_notes(ModeratorNotes, verdict)
    if notes is None:
        return []
    found = [_score_table(notes)]
    if notes.rounds:
        found.append(_round_table(notes.rounds))
    if any(row.categories for row in notes.final):
        found.append(_final_table(notes.final))
    return found


def _score_table(notes: ModeratorNotes) -> Table:
    rows: list[TableRow] = []
    for row in notes.final:
        share = f"{row.share:.0%}" if row.share is not None else "—"
        bar = Gauge(row.score, notes.highest, row.participant) if row.score is not None else None
        rows.append(
            (
                Who(row.participant),
                Number(row.round_mean),
                Number(row.total),
                Number(row.score, strong=True),
                share,
                bar,
            )
        )
    return Table(
        title="scores, moderator",
        heads=("debater", "rounds /30", "final /100", f"score /{notes.highest:g}", "share", ""),
        rows=tuple(rows),
        remarks=(
            *(_claimed_total_remark(claim) for claim in notes.claimed),
            *(f"{reasoning.assessor}: {reasoning.text}" for reasoning in notes.reasoning),
        ),
        numeric=frozenset({1, 2, 3, 4}),
    )


def _claimed_total_remark(claim: ClaimedTotal) -> str:
    where = f"round {claim.round}" if claim.round is not None else "the final evaluation"
    return (
        f"! {claim.assessor} wrote a total of {claim.claimed:g} for {claim.participant} in {where}; "
        f"the sum of its marks is {claim.ours:g}, which counts."
    )


def _round_table(rows: Sequence[ModeratorRoundRow]) -> Table:
    numbers = list(dict.fromkeys(row.round for row in rows))
    return Table(
        title="rounds, moderator",
        heads=("round", "debater", "argument", "rebuttal", "strategy", "sum /30", ""),
        rows=join_row_groups(_round_rows(number, [row for row in rows if row.round == number]) for number in numbers),
        numeric=frozenset({2, 3, 4, 5}),
    )


def _round_rows(number: int, rows: Sequence[ModeratorRoundRow]) -> Iterable[TableRow]:
    for row in rows:
        bar = Gauge(row.sum, sum(ROUND_CRITERIA.values()), row.participant) if row.sum is not None else None
        marks = (Number(row.marks.get(criterion), 1) for criterion in ROUND_CRITERIA)
        yield (str(number), Who(row.participant), *marks, Number(row.sum), bar)


def _final_table(rows: Sequence[FinalRow]) -> Table:
    return Table(
        title="final evaluation, moderator",
        heads=("category", "out of", *(row.participant for row in rows)),
        rows=join_row_groups(_category_rows(title, names, rows) for title, names in CATEGORY_GROUPS),
        numeric=frozenset(range(1, len(rows) + 2)),
    )


def _category_rows(title: str, categories: Sequence[str], rows: Sequence[FinalRow]) -> Iterable[TableRow]:
    """A group's own sum, then its categories."""
    sums = [
        sum(row.categories[name] for name in categories) if row.categories.keys() >= set(categories) else None
        for row in rows
    ]
    out_of = sum(FINAL_CATEGORIES[name] for name in categories)
    yield (title.upper(), Number(out_of, 0), *(Number(total, strong=True) for total in sums))
    for name in categories:
        marks = (Number(row.categories.get(name), 1) for row in rows)
        yield (name.replace("_", " "), Number(FINAL_CATEGORIES[name], 0), *marks)
