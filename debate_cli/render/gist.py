"""What a reader looks for first: who won, why, which argument is the weakest, and how to have it judged again. No Rich.

Everything is read off verdicts and trace; nothing is weighed here. Names and words are untrusted and not cleaned.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.assessment import Standing
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import hostile, look
from debate_cli.render.sheets.moderator import GROUPS
from debate_cli.render.sheets.sheet import notes_of
from debate_cli.scoring.live import LiveNotes
from debate_cli.scoring.moderator import CATEGORIES, ModeratorNotes
from debate_cli.scoring.panel import PanelNotes
from debate_cli.scoring.persuasion import PersuasionNotes
from debate_cli.scoring.reading import mean
from debate_cli.scoring.scorecard import MAXIMA
from debate_cli.scoring.structured import CRITERIA, StructuredNotes
from debate_cli.scoring.trace import TraceRow, trace_table

Marks = Mapping[str, Mapping[str, float]]
"""Criterion -> debater -> share of the most that can be had, 0-1."""
_WORST_FIRST: tuple[Standing | None, ...] = ("REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD", None, "UPHELD")


@dataclass(frozen=True, slots=True)
class Weakest:
    """The argument that held up worst."""

    row: TraceRow
    score: float | None
    """Its structured score, 1-10; None where it has none."""


@dataclass(frozen=True, slots=True)
class Gist:
    """A debate's conclusion in a few lines."""

    outcome: str
    reason: str
    """One or two sentences made of numbers; empty where there is no verdict."""
    weakest: Weakest | None
    """None where nothing tells the arguments apart."""
    judge_again: str
    """A command, quoted for a shell."""


def gist(debate: Debate, verdicts: Sequence[Verdict]) -> Gist:
    """The gist of the deciding verdict, or of the first where none decides."""
    head = next((verdict for verdict in verdicts if verdict.decides), verdicts[0] if verdicts else None)
    return Gist(
        outcome=look.outcome(head) if head is not None else "Nobody has judged this debate.",
        reason=_reason(head) if head is not None else "",
        weakest=weakest(debate, verdicts),
        judge_again=judge_again(debate, head),
    )


def weakest(debate: Debate, verdicts: Sequence[Verdict]) -> Weakest | None:
    """The argument with the lowest structured score, of equal ones the one of worse standing; else of the worst standing."""
    scores: dict[str, float] = {}
    for verdict in verdicts:
        notes = notes_of(StructuredNotes, verdict) if verdict.system == "structured" else None
        for row in notes.arguments if notes is not None else ():
            if row.score is not None:
                scores.setdefault(row.id, row.score)
    rows = [row for row in trace_table(debate) if row.id in scores or row.standing not in {None, "UPHELD"}]
    if not rows:
        return None
    highest = look.SCALES["structured"]
    worst = min(rows, key=lambda row: (scores.get(row.id, highest), _WORST_FIRST.index(row.standing)))
    return Weakest(worst, scores.get(worst.id))


def judge_again(debate: Debate, verdict: Verdict | None) -> str:
    """The command that has the debate judged once more by the same system."""
    system = verdict.system if verdict is not None else debate.config.judging.deciding
    return f"debate judge {shlex.quote(hostile.line(debate.id))} --system {system}"


def _reason(verdict: Verdict) -> str:
    if verdict.victory == "undetermined":
        missing = verdict.notes.get("missing")
        return str(missing[0]) if isinstance(missing, list) and missing else ""
    if verdict.system == "panel":
        return _of_panel(verdict)
    if verdict.system == "persuasion":
        return _of_persuasion(verdict)
    return " ".join(part for part in (_scores(verdict), _widest(verdict, _criteria(verdict))) if part)


def _scores(verdict: Verdict) -> str:
    """Scores, best first, and the margin."""
    ranked = sorted(verdict.scores.items(), key=lambda item: -item[1])
    told = " to ".join(f"{name} {look.number(score)}" for name, score in ranked[:2])
    rest = f", {', '.join(f'{name} {look.number(score)}' for name, score in ranked[2:])}" if ranked[2:] else ""
    out_of = look.SCALES.get(verdict.system)
    scale = f" of {out_of:g}" if out_of else ""
    gap = f", {look.number(verdict.margin)} apart" if verdict.margin is not None else ""
    return f"{told}{rest}{scale}{gap}."


def _criteria(verdict: Verdict) -> Marks:
    """What the score is made of, per debater as a share of the most."""
    match verdict.system:
        case "structured":
            notes = notes_of(StructuredNotes, verdict)
            means = notes.means if notes is not None else {}
            return {
                item: {name: of[item] / look.SCALES["structured"] for name, of in means.items() if item in of}
                for item in CRITERIA
            }
        case "moderator":
            return _groups(notes_of(ModeratorNotes, verdict))
        case "live":
            return _dimensions(notes_of(LiveNotes, verdict))
        case _:
            return {}


def _groups(notes: ModeratorNotes | None) -> Marks:
    rows = notes.final if notes is not None else ()
    return {
        title: {
            row.participant: sum(row.categories[item] for item in items) / sum(CATEGORIES[item] for item in items)
            for row in rows
            if row.categories.keys() >= set(items)
        }
        for title, items in GROUPS
    }


def _dimensions(notes: LiveNotes | None) -> Marks:
    rows = notes.turns if notes is not None else ()
    found: dict[str, dict[str, float]] = {}
    for dimension, most in MAXIMA.items():
        marks: dict[str, list[float]] = {}
        for row in rows:
            value = getattr(row, dimension)
            if value is not None:
                marks.setdefault(row.speaker, []).append(value / most)
        found[dimension] = {name: mean(values) for name, values in marks.items()}
    return found


def _widest(verdict: Verdict, marks: Marks) -> str:
    """The criterion that sets the two first debaters furthest apart."""
    ranked = sorted(verdict.scores, key=lambda name: -verdict.scores[name])[:2]
    gaps = {
        criterion: of[ranked[0]] - of[ranked[1]]
        for criterion, of in marks.items()
        if len(ranked) > 1 and of.keys() >= set(ranked)
    }
    if not gaps:
        return ""
    criterion = max(gaps, key=lambda item: abs(gaps[item]))
    if round(gaps[criterion], 2) == 0:
        return "They are level in every criterion."
    ahead, behind = ranked if gaps[criterion] > 0 else ranked[::-1]
    of = marks[criterion]
    return f"Furthest apart in {criterion}: {ahead} {of[ahead]:.0%}, {behind} {of[behind]:.0%} of what can be had."


def _of_panel(verdict: Verdict) -> str:
    notes = notes_of(PanelNotes, verdict)
    if notes is None or notes.option is None:
        return ""
    share = notes.weights.get(notes.option, 0.0)
    voted = f"{share:.0%} of the panel's weight voted {notes.option}"
    after = f" after {notes.deliberation_rounds} rounds of deliberation" if notes.deliberation_rounds > 1 else ""
    agreed = f"; agreement {notes.final_agreement:.2f}" if notes.final_agreement is not None else ""
    return f"{voted}{after}{agreed}."


def _of_persuasion(verdict: Verdict) -> str:
    notes = notes_of(PersuasionNotes, verdict)
    fallen = notes.surrendered if notes is not None else ()
    gave_up = "".join(f" {item.name} surrendered at turn {item.turn}." for item in fallen)
    return f"{_scores(verdict)}{gave_up or ' Nobody surrendered.'}"
