"""The differences between two judgments in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from debate_cli.app.compare import (
    ComparisonSide,
    JudgmentComparison,
    SettingDifference,
    SideVerdict,
    VerdictChange,
    judge_models_used,
)
from debate_cli.domain.debate import models_used_by_debater
from debate_cli.render import theme

MOTION_SETTING = "topic"
"""This setting has a separate row and is omitted from the settings."""
NO_DIFFERENCES = "Nothing differs: verdicts, scores, standings and settings are the same."
VICTORY_ADVERBS = {"narrow": "narrowly", "clear": "clearly", "overwhelming": "overwhelmingly"}
MAX_NAMED_CLAIMS = 6
"""Longest list of claims that is written out."""


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two sides as the user named them, and their comparison."""

    paths: tuple[str, str]
    sides: tuple[ComparisonSide, ComparisonSide]
    comparison: JudgmentComparison

    @property
    def is_same_debate(self) -> bool:
        """Whether both sides are judgments in the same file."""
        return self.paths[0] == self.paths[1]

    @property
    def is_text_only(self) -> bool:
        """Whether both sides are judgments of texts instead of debates."""
        return all(side.debate.document_name is not None for side in self.sides)


def list_setting_differences(comparison: JudgmentComparison) -> list[SettingDifference]:
    """The settings that differ, except the motion."""
    return [item for item in comparison.settings if item.key != MOTION_SETTING]


def summarize_comparison(pair: ComparedPair) -> list[str]:
    """One sentence each on motions, outcomes, systems, winners and margins, judges, claims, models, settings, cost."""
    costs = [] if pair.is_same_debate else list(_cost_sentences(*pair.sides))
    if pair.comparison.alike:
        return [NO_DIFFERENCES, *costs]
    return [
        *_motion_sentences(pair),
        *_decision_sentences(pair.comparison.verdicts),
        *_system_sentences(pair.comparison.verdicts),
        *_winner_sentences(pair.comparison.verdicts),
        *_judge_sentences(pair),
        *_claim_sentences(pair.comparison),
        *([] if pair.is_same_debate or pair.is_text_only else _debate_sentences(*pair.sides)),
        _settings_sentence(pair.comparison),
        *costs,
    ]


def _motion_sentences(pair: ComparedPair) -> Iterator[str]:
    """Whether the motions or texts are different."""
    a, b = (side.debate for side in pair.sides)
    if pair.is_text_only:
        if (a.topic, a.config.background) != (b.topic, b.config.background):
            yield "The texts are different."
    elif a.topic != b.topic:
        yield "The motions are different."


def _decision_sentences(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """The outcome of each side, by the system that decides both, else by one that judged both."""
    a = next(((item.system, item.a) for item in changes if item.a is not None and item.a.decides), None)
    b = next(((item.system, item.b) for item in changes if item.b is not None and item.b.decides), None)
    if a is None or b is None:
        judged = [name for name, found in (("A", a), ("B", b)) if found is not None]
        yield f"Only {judged[0]} was judged." if judged else "Neither side was judged."
        return
    if a[0] != b[0]:
        yield f"A is decided by {a[0]}, B by {b[0]}."
    under = _common_system(changes)
    if under is not None:
        a, b = (under[0], under[1]), (under[0], under[2])
    yield f"{_decision_clause(changes, a[1], b[1], compared=under is not None)}: {_describe_side('A', a[1], a[0])}; {_describe_side('B', b[1], b[0])}."


def _decision_clause(changes: Sequence[VerdictChange], a: SideVerdict, b: SideVerdict, *, compared: bool) -> str:
    """Whether both have the same outcome, or why that cannot be compared."""
    if not compared:
        both = any(item.a is not None and item.b is not None for item in changes)
        return f"No system {'came to a verdict on' if both else 'judged'} both, so their outcomes are not compared"
    same = "The winner is" if a.winner is not None else "The outcome is"
    return f"{same} the same" if _is_same_outcome(a, b) else "The outcomes differ"


def _common_system(changes: Sequence[VerdictChange]) -> tuple[str, SideVerdict, SideVerdict] | None:
    """The system that decides both sides; else one with a verdict on both, preferably a deciding one."""
    both = [(item.system, item.a, item.b) for item in changes if item.a is not None and item.b is not None]
    deciding = [found for found in both if found[1].decides and found[2].decides]
    known = [found for found in both if "undetermined" not in {found[1].victory, found[2].victory}]
    known.sort(key=lambda found: (not found[1].decides, not found[2].decides))
    return next(iter([*deciding, *known]), None)


def _is_same_outcome(a: SideVerdict, b: SideVerdict) -> bool:
    """Whether both sides have the same winner, or the same outcome without one."""
    known = a.winner is not None or a.option is not None
    return (a.winner, a.option) == (b.winner, b.option) and (known or a.victory == b.victory)


def _describe_side(side: str, found: SideVerdict, system: str = "") -> str:
    """The outcome of a side: `Con wins A narrowly (structured, by 1.1)`, `A is a draw (live)`, `B comes to PASS, clearly (panel)`."""
    margin = "" if found.margin is None or found.winner is None else f"by {theme.format_number(found.margin)}"
    words = ", ".join(filter(None, (system, margin)))
    beside = f" ({words})" if words else ""
    if found.winner is not None:
        return f"{found.winner} wins {side} {VICTORY_ADVERBS.get(found.victory, found.victory)}{beside}"
    if found.option is not None:
        how = VICTORY_ADVERBS.get(found.victory)
        return f"{side} comes to {found.option}{f', {how}' if how else ''}{beside}"
    ended = {"draw": "is a draw", "undetermined": "is undetermined"}.get(
        found.victory, f"is {found.victory}, without a winner"
    )
    return f"{side} {ended}{beside}"


def _system_sentences(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """Which systems judged both sides, and which only one."""
    both = [item.system for item in changes if item.outcome != "one_sided"]
    only = [
        (side, [item.system for item in changes if missing(item)])
        for side, missing in (("A", _is_missing_b), ("B", _is_missing_a))
    ]
    alone = [f"{_join_names(names)} judged {side} only" for side, names in only if names]
    if not alone:
        return
    yield _as_sentence("; ".join([*([f"{_join_names(both)} judged both"] if both else []), *alone]))


def _is_missing_a(change: VerdictChange) -> bool:
    return change.a is None


def _is_missing_b(change: VerdictChange) -> bool:
    return change.b is None


def _winner_sentences(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """Changes in the verdicts that both sides have."""
    both = [item for item in changes if item.a is not None and item.b is not None]
    same = [item for item in both if item.outcome == "same" and not _is_undetermined(item)]
    if same:
        margins = [item.system for item in same if _margins_differ(item)]
        which = f" under {_join_names(margins)}" if len(margins) < len(same) else ""
        more = f"by another margin{which}" if margins else "by the same margin"
        yield f"The verdict is the same under {_join_names([item.system for item in same])}, {more}."
    nothing = [item.system for item in both if _is_undetermined(item)]
    if nothing:
        yield _as_sentence(f"{_join_names(nothing)} has no verdict on either")
    under = _common_system(changes)
    for item in both:
        is_in_summary = under is not None and under[0] == item.system
        if item.outcome != "same" and item.a is not None and item.b is not None and not is_in_summary:
            yield f"By {item.system}, {_describe_side('A', item.a)}; {_describe_side('B', item.b)}."


def _is_undetermined(change: VerdictChange) -> bool:
    """Whether both sides are undetermined."""
    return all(found is not None and found.victory == "undetermined" for found in (change.a, change.b))


def _margins_differ(change: VerdictChange) -> bool:
    return change.a is not None and change.b is not None and change.a.margin != change.b.margin


def _judge_sentences(pair: ComparedPair) -> Iterator[str]:
    """Systems that judged both sides with different models."""
    a, b = (side.debate for side in pair.sides)
    others: dict[tuple[str, str], list[str]] = {}
    for item in pair.comparison.verdicts:
        if item.a is None or item.b is None:
            continue
        of_a, of_b = judge_models_used(a, item.system, item.a.run), judge_models_used(b, item.system, item.b.run)
        if of_a and of_b and of_a != of_b:
            others.setdefault((_join_names(of_a), _join_names(of_b)), []).append(item.system)
    for (of_a, of_b), systems in others.items():
        yield f"Under {_join_names(systems)}, A was judged by {of_a} and B by {of_b}."


def _claim_sentences(comparison: JudgmentComparison) -> Iterator[str]:
    """How many claims changed their standing, or why none is compared."""
    a, b = comparison.judged_claims
    changed = [item.item for item in comparison.standings]
    if comparison.compared_claims:
        which = f": {', '.join(changed)}" if 0 < len(changed) <= MAX_NAMED_CLAIMS else ""
        claims = _format_quantity(comparison.compared_claims, "claim")
        verb = "have" if len(changed) > 1 else "has"
        kept = f"No standing changed: {claims} compared"
        yield f"{len(changed)} of {claims} {verb} another standing{which}." if changed else f"{kept}."
    elif a and b:
        yield "The two share no claim, so there are no standings to compare."
    elif a or b:
        yield f"Only {'A' if a else 'B'} was asked which claims stand, so there are no standings to compare."


def _debate_sentences(a: ComparisonSide, b: ComparisonSide) -> Iterator[str]:
    """Unfinished sides, debaters and their models."""
    for name, side in (("A", a), ("B", b)):
        if side.debate.status == "incomplete":
            yield f"{name} is not finished: {_format_quantity(len(side.debate.turns), 'speech', 'speeches')} so far."
    models_a, models_b = (
        {who.name: models_used_by_debater(side.debate, who) for who in side.debate.participants} for side in (a, b)
    )
    common = [name for name in models_a if name in models_b]
    others = [name for name in common if models_a[name] != models_b[name]]
    if not common:
        yield "No debater is on both sides."
    elif others:
        which = "speaks with another model" if len(others) == 1 else "speak with other models"
        yield f"{_join_names(others)} {which} in B."
    elif models_a == models_b:
        yield "The debaters and their models are the same."


def _settings_sentence(comparison: JudgmentComparison) -> str:
    count = len(list_setting_differences(comparison))
    verb = "differs" if count == 1 else "differ"
    differences = f"{_format_quantity(count, 'setting')} {verb}" if count else "The settings are the same"
    return f"{differences}; limits and output are not compared."


def _cost_sentences(a: ComparisonSide, b: ComparisonSide) -> Iterator[str]:
    of_a, of_b = a.debate.usage.cost_usd, b.debate.usage.cost_usd
    if of_a is None or of_b is None or of_a == of_b:
        return
    dearer = "A" if of_a > of_b else "B"
    yield f"{dearer} cost {theme.format_cost(abs(of_a - of_b))} more."


def _format_quantity(count: int, what: str, several: str = "") -> str:
    return f"{count} {what if count == 1 else several or what + 's'}"


def _join_names(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _as_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
