"""Sheets of the moderator: what it comes to, the rounds, and the thirteen categories of the final evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.render.sheets.sheet import Gauge, Number, Row, Sheet, Who, notes_of, parted
from debate_cli.scoring.moderator import CATEGORIES, ROUND_CRITERIA, ClaimedTotal, FinalRow, ModeratorNotes, RoundRow

GROUPS = (
    ("argument quality", ("evidence_based_claims", "logical_structure", "relevance")),
    ("rebuttal effectiveness", ("comprehensiveness", "precision", "counter_evidence")),
    ("strategic positioning", ("framing_control", "adaptability")),
    ("rhetorical effectiveness", ("clarity", "persuasiveness", "tone_management")),
    ("intellectual integrity", ("concession_when_appropriate", "accuracy")),
)


def sheets(verdict: Verdict) -> list[Sheet]:
    """Scores, rounds, final evaluation; what was not judged is left out."""
    notes = notes_of(ModeratorNotes, verdict)
    if notes is None:
        return []
    found = [_scores(notes)]
    if notes.rounds:
        found.append(_rounds(notes.rounds))
    if any(row.categories for row in notes.final):
        found.append(_final(notes.final))
    return found


def _scores(notes: ModeratorNotes) -> Sheet:
    rows: list[Row] = []
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
    return Sheet(
        title="scores, moderator",
        heads=("debater", "rounds /30", "final /100", f"score /{notes.highest:g}", "share", ""),
        rows=tuple(rows),
        remarks=(
            *(_claimed(claim) for claim in notes.claimed),
            *(f"{reasoning.assessor}: {reasoning.text}" for reasoning in notes.reasoning),
        ),
        numeric=frozenset({1, 2, 3, 4}),
    )


def _claimed(claim: ClaimedTotal) -> str:
    where = f"round {claim.round}" if claim.round is not None else "the final evaluation"
    return (
        f"! {claim.assessor} wrote a total of {claim.claimed:g} for {claim.participant} in {where}; "
        f"its marks come to {claim.ours:g}, which counts."
    )


def _rounds(rows: Sequence[RoundRow]) -> Sheet:
    numbers = list(dict.fromkeys(row.round for row in rows))
    return Sheet(
        title="rounds, moderator",
        heads=("round", "debater", "argument", "rebuttal", "strategy", "sum /30", ""),
        rows=parted(_round(number, [row for row in rows if row.round == number]) for number in numbers),
        numeric=frozenset({2, 3, 4, 5}),
    )


def _round(number: int, rows: Sequence[RoundRow]) -> Iterable[Row]:
    for row in rows:
        bar = Gauge(row.sum, sum(ROUND_CRITERIA.values()), row.participant) if row.sum is not None else None
        marks = (Number(row.marks.get(criterion), 1) for criterion in ROUND_CRITERIA)
        yield (str(number), Who(row.participant), *marks, Number(row.sum), bar)


def _final(rows: Sequence[FinalRow]) -> Sheet:
    return Sheet(
        title="final evaluation, moderator",
        heads=("category", "out of", *(row.participant for row in rows)),
        rows=parted(_group(title, names, rows) for title, names in GROUPS),
        numeric=frozenset(range(1, len(rows) + 2)),
    )


def _group(title: str, categories: Sequence[str], rows: Sequence[FinalRow]) -> Iterable[Row]:
    """A group's own sum, then its categories."""
    sums = [
        sum(row.categories[name] for name in categories) if row.categories.keys() >= set(categories) else None
        for row in rows
    ]
    out_of = sum(CATEGORIES[name] for name in categories)
    yield (title.upper(), Number(out_of, 0), *(Number(total, strong=True) for total in sums))
    for name in categories:
        marks = (Number(row.categories.get(name), 1) for row in rows)
        yield (name.replace("_", " "), Number(CATEGORIES[name], 0), *marks)
