"""Which argument held up worst, and what made it so: its costliest mark, its fallacies, or what a judge found. No Rich.

Everything is read off verdicts and trace. Names and words are untrusted and not cleaned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.systems.structured.findings import Fallacy, Standing
from debate_cli.systems.structured.score import CRITERIA, MAX_ARGUMENT_MARK, ArgumentRow, StructuredNotes
from debate_cli.systems.structured.trace import TraceRow, build_trace_table, newest_run, structured_assessments
from debate_cli.systems.tables import parse_notes

_WORST_FIRST: tuple[Standing | None, ...] = ("REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD", None, "UPHELD")


@dataclass(frozen=True, slots=True)
class WeakestArgument:
    """The argument that held up worst."""

    row: TraceRow
    score: float | None
    """Its structured score, 1-10; None where it has none."""
    main_deduction: str
    """What takes most off its score, a sentence of numbers; empty where nothing does, or it has no score."""
    fallacies: tuple[str, ...]
    """What judges call the fallacies that they found in it, each once."""
    all_upheld: bool
    """Whether every claim of the debate was upheld, this one too: it is the weakest only in comparison."""
    scored_by_other_system: bool = False
    """Whether the verdict that it is told with is another system's than the one that scored it."""

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return "Lowest score, though every claim stood" if self.all_upheld else "Weakest argument"

    @property
    def standing_and_score(self) -> str:
        """Its standing and its score, as far as there are any: `refuted, 5.7 of 10`; empty without both."""
        standing = theme.STANDING_BADGES[self.row.standing].word if self.row.standing is not None else ""
        return ", ".join(part for part in (standing, self.marked) if part)

    @property
    def marked(self) -> str:
        """Its score; where its claim was upheld beside others that were not, a word on why it is named all the same."""
        by = " by structured" if self.scored_by_other_system else ""
        score = f"{theme.format_number(self.score)} of {MAX_ARGUMENT_MARK:g}{by}" if self.score is not None else ""
        relied_on = self.row.standing == "UPHELD" and not self.all_upheld
        return f"though with the lowest score, {score}" if score and relied_on else score

    @property
    def fallacy_text(self) -> str:
        """The fallacies found in it, as a sentence; empty for none."""
        found = ", ".join(self.fallacies)
        return f"{'Fallacy' if len(self.fallacies) == 1 else 'Fallacies'} found in it: {found}." if found else ""

    @property
    def criticism(self) -> str:
        """What a judge found wanting in it; empty where its claim was upheld, as the words then praise it."""
        found_wanting = self.row.standing not in {None, "UPHELD"}
        return (self.row.reason or "").strip() if found_wanting else ""

    @property
    def because(self) -> tuple[str, ...]:
        """The reasons there are: the mark, the fallacies, then the judge's words."""
        return tuple(reason for reason in (self.main_deduction, self.fallacy_text, self.criticism) if reason)


def find_weakest_argument(debate: Debate, verdicts: Sequence[Verdict]) -> WeakestArgument | None:
    """The argument with the lowest structured score, of equal ones the one of worse standing; else of the worst standing.

    None where nothing tells the arguments apart.
    """
    notes = _structured_notes(debate, verdicts)
    scored = {row.id: row for row in notes.arguments if row.score is not None} if notes is not None else {}
    table = build_trace_table(debate)
    rows = [row for row in table if row.id in scored or row.standing not in {None, "UPHELD"}]
    ranks = [(_score_or_max(scored.get(row.id)), _WORST_FIRST.index(row.standing)) for row in rows]
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
    """Argument id -> its score, 1-10, by the structured verdict whose judge gave the standings; else by the first."""
    notes = _structured_notes(debate, verdicts)
    return {row.id: row.score for row in notes.arguments if row.score is not None} if notes is not None else {}


def _structured_notes(debate: Debate, verdicts: Sequence[Verdict]) -> StructuredNotes | None:
    """The notes of the structured verdict that belongs to the trace table; else of the first that has scores."""
    newest = newest_run(debate, "structured")
    structured = [verdict for verdict in verdicts if verdict.system == "structured"]
    structured.sort(key=lambda verdict: newest is None or verdict.run != newest.id)
    found = [notes for verdict in structured if (notes := parse_notes(StructuredNotes, verdict)) is not None]
    return next((notes for notes in found if any(row.score is not None for row in notes.arguments)), None)


def _fallacy_names(debate: Debate, item: str) -> tuple[str, ...]:
    """Names of the fallacies found in an argument by the judges who gave the standings."""
    findings = [finding for given in structured_assessments(debate, None) for finding in given.findings]
    found = [finding.name for finding in findings if isinstance(finding, Fallacy) and finding.item == item]
    return tuple(dict.fromkeys(name for name in found if name.strip()))


def _score_or_max(row: ArgumentRow | None) -> float:
    return MAX_ARGUMENT_MARK if row is None or row.score is None else row.score


def _describe_main_deduction(row: ArgumentRow, weights: Mapping[str, float]) -> str:
    """What takes most points off the score: a mark by its weight (the lower of equal ones), or the fallacies."""
    highest = MAX_ARGUMENT_MARK
    marks: dict[str, float | None] = {name: getattr(row, name) for name in CRITERIA}
    taken = {name: weights.get(name, 0.0) * (highest - mark) for name, mark in marks.items() if mark is not None}
    name = max(taken, key=lambda name: (round(taken[name], 6), -(marks[name] or 0.0)), default="")
    most = taken.get(name, 0.0)
    if row.penalty > most:
        return f"Fallacies take {theme.format_number(row.penalty, 1)} off its score."
    if most <= 0:
        return ""
    mark = theme.format_number(marks[name] or 0.0, 1)
    return f"Costliest mark: {name} {mark} of {highest:g}, {weights[name]:.0%} of the score."
