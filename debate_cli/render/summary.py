"""What a reader looks for first: who won, why, which argument is the weakest, and how to have it judged again. No Rich.

Everything is read off verdicts and trace, with the weights that they were made with. Names and words are untrusted and not cleaned.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.assessment import SystemKind
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.weakest import WeakestArgument, find_weakest_argument
from debate_cli.systems.aggregation import mean
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA
from debate_cli.systems.live.score import LiveNotes
from debate_cli.systems.moderator.score import FINAL_CATEGORIES, ModeratorNotes
from debate_cli.systems.moderator.tables import CATEGORY_GROUPS
from debate_cli.systems.panel.score import PanelNotes
from debate_cli.systems.persuasion.score import PersuasionNotes
from debate_cli.systems.structured.score import CRITERIA, MAX_ARGUMENT_MARK, StructuredNotes
from debate_cli.systems.tables import parse_notes

_SUGGESTION_ORDER: tuple[SystemKind, ...] = ("structured", "panel", "moderator", "live", "persuasion")
"""Systems in the order in which they are proposed: those first that look at the debate in another way for few calls."""

NOT_JUDGED_MESSAGE = "Nobody has judged this debate."
"""What is told in the place of a verdict where there is none."""
_REPEAT_OPTION = " --repeat 3"
"""Asks the same judges again: three runs show how much scores vary."""


@dataclass(frozen=True, slots=True)
class ScoreComponent:
    """Something that a score is made of."""

    name: str
    weight: float
    """Its part of the whole, 0-1; what is 0 counts nothing."""
    whole: str
    """What it is a part of, e.g. `the score`."""
    shares: Mapping[str, float]
    """Debater -> share of the most that can be had, 0-1."""


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """A debate's conclusion in a few lines."""

    outcome: str
    reason: str
    """One or two sentences made of numbers; empty where there is no verdict."""
    weakest: WeakestArgument | None
    """None where nothing tells the arguments apart."""
    judge_again: str
    """A command, quoted for a shell."""

    @property
    def repeats(self) -> bool:
        """Whether that command asks those who have judged, as no system is left that has not."""
        return self.judge_again.endswith(_REPEAT_OPTION)


def summarize_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> VerdictSummary:
    """The gist of the deciding verdict, or of the first where none decides."""
    head = next((verdict for verdict in verdicts if verdict.decides), verdicts[0] if verdicts else None)
    return VerdictSummary(
        outcome=theme.describe_outcome(head, debate.document_name) if head is not None else NOT_JUDGED_MESSAGE,
        reason=explain_scores(head) if head is not None else "",
        weakest=find_weakest_argument(debate, verdicts),
        judge_again=suggest_judge_command(debate, debate.id),
    )


def suggest_judge_command(debate: Debate, place: str) -> str:
    """The command that has the debate saved at `place` (a path or an id) judged by a system that has not judged it yet.

    Where all that can judge it have, it asks the same judges again, to see how much their scores vary.
    """
    able = [kind for kind in _SUGGESTION_ORDER if _can_judge(debate, kind)]
    asked = {
        system.kind
        for run in debate.runs
        for system in run.judging.systems
        if debate.judged_all_turns(run, system.kind)
    }
    system = next((kind for kind in able if kind not in asked), None)
    asked = f"{able[0]}{_REPEAT_OPTION}" if system is None else system
    return f"debate judge {shlex.quote(sanitize.sanitize_line(place))} --system {asked}"


def _can_judge(debate: Debate, kind: SystemKind) -> bool:
    """Whether a system finds in the debate what it judges."""
    match kind:
        case "panel":
            return True
        case "structured":
            return bool(debate.arguments)
        case "persuasion":
            return bool(debate.turns) and len(debate.participants) > 1
        case _:
            return bool(debate.turns)


def explain_scores(verdict: Verdict) -> str:
    """Why a verdict came out so, in one or two sentences made of numbers; empty where there are none. Not cleaned."""
    if verdict.victory == "undetermined":
        missing = verdict.notes.get("missing")
        return theme.expand_error_names(str(missing[0])) if isinstance(missing, list) and missing else ""
    if verdict.system == "panel":
        return _explain_panel(verdict)
    if verdict.system == "persuasion":
        return _explain_persuasion(verdict)
    return " ".join(
        part for part in (_format_scores(verdict), _describe_widest_gap(verdict, _score_components(verdict))) if part
    )


def _format_scores(verdict: Verdict) -> str:
    """Scores, best first, and the margin."""
    ranked = sorted(verdict.scores.items(), key=lambda item: -item[1])
    told = " to ".join(f"{name} {theme.format_number(score)}" for name, score in ranked[:2])
    rest = f", {', '.join(f'{name} {theme.format_number(score)}' for name, score in ranked[2:])}" if ranked[2:] else ""
    gap = f", {theme.format_number(verdict.margin)} apart" if verdict.margin is not None else ""
    return f"{told}{rest} of {theme.max_score(verdict):g}{gap}."


def _score_components(verdict: Verdict) -> list[ScoreComponent]:
    """What the score is made of."""
    match verdict.system:
        case "structured":
            return _structured_components(parse_notes(StructuredNotes, verdict))
        case "moderator":
            return _moderator_components(parse_notes(ModeratorNotes, verdict))
        case "live":
            return _live_components(parse_notes(LiveNotes, verdict))
        case _:
            return []


def _structured_components(notes: StructuredNotes | None) -> list[ScoreComponent]:
    if notes is None:
        return []
    highest = MAX_ARGUMENT_MARK
    return [
        ScoreComponent(
            name=item,
            weight=notes.weights.get(item, 0.0),
            whole="the score",
            shares={name: of[item] / highest for name, of in notes.means.items() if item in of},
        )
        for item in CRITERIA
    ]


def _moderator_components(notes: ModeratorNotes | None) -> list[ScoreComponent]:
    found: list[ScoreComponent] = []
    for title, items in CATEGORY_GROUPS:
        most = sum(FINAL_CATEGORIES[item] for item in items)
        shares = {
            row.participant: sum(row.categories[item] for item in items) / most
            for row in (notes.final if notes is not None else ())
            if row.categories.keys() >= set(items)
        }
        found.append(ScoreComponent(title, most / sum(FINAL_CATEGORIES.values()), "the final evaluation", shares))
    return found


def _live_components(notes: LiveNotes | None) -> list[ScoreComponent]:
    found: list[ScoreComponent] = []
    for dimension, most in DIMENSION_MAXIMA.items():
        marks: dict[str, list[float]] = {}
        for row in notes.turns if notes is not None else ():
            value = getattr(row, dimension)
            if value is not None:
                marks.setdefault(row.speaker, []).append(value / most)
        shares = {name: mean(values) for name, values in marks.items()}
        found.append(ScoreComponent(dimension, most / sum(DIMENSION_MAXIMA.values()), "the score", shares))
    return found


def _describe_widest_gap(verdict: Verdict, criteria: Sequence[ScoreComponent]) -> str:
    """The criterion that sets the two first debaters furthest apart: by its gap times its weight."""
    ranked = sorted(verdict.scores, key=lambda name: -verdict.scores[name])[:2]
    counted = [item for item in criteria if item.weight > 0 and len(ranked) > 1 and item.shares.keys() >= set(ranked)]
    gaps = [(item.shares[ranked[0]] - item.shares[ranked[1]], item) for item in counted]
    apart = [(gap, item) for gap, item in gaps if round(gap, 2) != 0]
    if not apart:
        return "They are level in every criterion that counts." if counted else ""
    gap, widest = max(apart, key=lambda found: abs(found[0]) * found[1].weight)
    ahead, behind = ranked if gap > 0 else ranked[::-1]
    part = f"{widest.name}, {widest.weight:.0%} of {widest.whole}"
    return (
        f"What sets them apart most is {part}: "
        f"{ahead} {widest.shares[ahead]:.0%}, {behind} {widest.shares[behind]:.0%} of what can be had."
    )


def _explain_panel(verdict: Verdict) -> str:
    notes = parse_notes(PanelNotes, verdict)
    if notes is None or notes.option is None:
        return ""
    share = notes.weights.get(notes.option, 0.0)
    voted = f"{share:.0%} of the panel's weight voted {notes.option}"
    if verdict.is_tied:
        even = max(notes.weights.values())
        tied = " and ".join(option for option, weight in notes.weights.items() if weight == even)
        voted = f"{tied} have {even:.0%} of the panel's weight each, which counts as conditional"
    rounds = notes.deliberation_rounds
    after = f" after {rounds} round{'' if rounds == 1 else 's'} of deliberation" if rounds else ""
    agreed = f"; agreement {notes.final_agreement:.2f}" if notes.final_agreement is not None else ""
    return f"{voted}{after}{agreed}."


def _explain_persuasion(verdict: Verdict) -> str:
    notes = parse_notes(PersuasionNotes, verdict)
    fallen = notes.surrendered if notes is not None else ()
    gave_up = "".join(f" {item.name} surrendered at turn {item.turn}." for item in fallen)
    return f"{_format_scores(verdict)}{gave_up or ' Nobody surrendered.'}"
