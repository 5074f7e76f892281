"""Finds the weakest argument and why it is weak: its costliest mark, its fallacies, or a judge's reason.

Everything is derived from verdicts and trace. Names and words are untrusted and not sanitized.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import newest_run
from debate_cli.systems.structured.findings import Fallacy, Standing
from debate_cli.systems.structured.score import MAX_ARGUMENT_MARK, ArgumentRow, StructuredNotes
from debate_cli.systems.structured.trace import TraceRow, build_trace_table, structured_assessments
from debate_cli.systems.tables import STANDING_BADGES, format_number, parse_notes

_WORST_FIRST: tuple[Standing | None, ...] = ("REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD", None, "UPHELD")


@dataclass(frozen=True, slots=True)
class WeakestArgument:
    """The weakest argument."""

    row: TraceRow
    score: float | None
    """Structured score, 1-10; None without one."""
    main_deduction: str
    """The largest deduction from its score, in a sentence; empty without one."""
    fallacies: tuple[str, ...]
    """Names of the fallacies that judges found in it, without duplicates."""
    all_upheld: bool
    """Whether every claim was upheld, so that this one is weak only by comparison."""
    scored_by_other_system: bool = False
    """Whether the first verdict shown is of another system than the score."""

    @property
    def title(self) -> str:
        """A heading for it."""
        return "Lowest score, though every claim was upheld" if self.all_upheld else "Weakest argument"

    @property
    def standing_and_score(self) -> str:
        """Standing and score, if known: `refuted, 5.7 of 10`."""
        standing = STANDING_BADGES[self.row.standing].word if self.row.standing is not None else ""
        return ", ".join(part for part in (standing, self.marked) if part)

    @property
    def marked(self) -> str:
        """Its score, with an explanation if its claim was upheld while others were not."""
        by = " by structured" if self.scored_by_other_system else ""
        score = f"{format_number(self.score)} of {MAX_ARGUMENT_MARK:g}{by}" if self.score is not None else ""
        relied_on = self.row.standing == "UPHELD" and not self.all_upheld
        return f"though with the lowest score, {score}" if score and relied_on else score

    @property
    def fallacy_text(self) -> str:
        """The fallacies in a sentence; empty for none."""
        found = ", ".join(self.fallacies)
        return f"{'Fallacy' if len(self.fallacies) == 1 else 'Fallacies'} found in it: {found}." if found else ""

    @property
    def criticism(self) -> str:
        """The judge's reason for a standing below upheld; else empty."""
        found_wanting = self.row.standing not in {None, "UPHELD"}
        return (self.row.reason or "").strip() if found_wanting else ""

    @property
    def because(self) -> tuple[str, ...]:
        """All reasons: the deduction, the fallacies, the judge's words."""
        return tuple(reason for reason in (self.main_deduction, self.fallacy_text, self.criticism) if reason)


def find_weakest_argument(debate: Debate, verdicts: Sequence[Verdict]) -> WeakestArgument | None:
    """Find the argument with the lowest structured score (ties: the worse standing), or without scores the worst standing.

    None if the arguments cannot be ranked.
    """
    notes = _structured_notes(debate, verdicts)
    scored = {row.id: row for row in notes.arguments if row.score is not None} if notes is not None else {}
    scores = argument_scores(debate, verdicts)
    table = build_trace_table(debate)
    rows = [row for row in table if row.id in scored or row.standing not in {None, "UPHELD"}]
    ranks = [(scores.get(row.id, MAX_ARGUMENT_MARK), _WORST_FIRST.index(row.standing)) for row in rows]
    if not rows or (len(rows) > 1 and len(set(ranks)) == 1):
        return None
    worst = rows[ranks.index(min(ranks))]
    marked = scored.get(worst.id)
    return WeakestArgument(
        row=worst,
        score=marked.score if marked is not None else None,
        main_deduction=_describe_main_deduction(marked, notes.weights)
        if marked is not None and notes is not None
        else "",
        fallacies=_fallacy_names(debate, worst.id),
        all_upheld=all(row.standing == "UPHELD" for row in table),
        scored_by_other_system=next((verdict.system for verdict in verdicts), "structured") != "structured",
    )


def argument_scores(debate: Debate, verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Argument id -> score, 1-10, from the structured verdict whose judge gave the standings; else from the first."""
    notes = _structured_notes(debate, verdicts)
    return {row.id: row.score for row in notes.arguments if row.score is not None} if notes is not None else {}


def _structured_notes(debate: Debate, verdicts: Sequence[Verdict]) -> StructuredNotes | None:
    """Notes of the structured verdict behind the trace table; else of the first one with scores."""
    newest = newest_run(debate, "structured")
    structured = [verdict for verdict in verdicts if verdict.system == "structured"]
    structured.sort(key=lambda verdict: newest is None or verdict.run != newest.id)
    found = [notes for verdict in structured if (notes := parse_notes(StructuredNotes, verdict)) is not None]
    return next((notes for notes in found if any(row.score is not None for row in notes.arguments)), None)


def _fallacy_names(debate: Debate, item: str) -> tuple[str, ...]:
    """Names of the fallacies that the judges of the standings found in an argument."""
    findings = [finding for given in structured_assessments(debate, None) for finding in given.findings]
    found = [finding.name for finding in findings if isinstance(finding, Fallacy) and finding.item == item]
    return tuple(dict.fromkeys(name for name in found if name.strip()))


def _describe_main_deduction(row: ArgumentRow, weights: Mapping[str, float]) -> str:
    """The largest deduction from the score: a weighted mark (ties: the lower mark), or the fallacies."""
    highest = MAX_ARGUMENT_MARK
    marks = row.marks
    taken = {name: weights.get(name, 0.0) * (highest - mark) for name, mark in marks.items() if mark is not None}
    name = max(taken, key=lambda name: (round(taken[name], 6), -(marks[name] or 0.0)), default="")
    most = taken.get(name, 0.0)
    if row.penalty > most:
        return f"Fallacies take {format_number(row.penalty, 1)} off its score."
    if most <= 0:
        return ""
    mark = format_number(marks[name] or 0.0, 1)
    return f"Costliest mark: {name} {mark} of {highest:g}, {weights[name]:.0%} of the score."
