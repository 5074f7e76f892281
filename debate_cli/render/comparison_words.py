"""What differs between two judgements, in a few sentences; names in them are not cleaned. No Rich."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from debate_cli.domain.spoken_with import models_of_debater
from debate_cli.render import look
from debate_cli.render.comparison import Compared, listed
from debate_cli.scoring.comparison import Comparison, Concluded, Side, VerdictChange, asked_models

TITLE = "in short"
ALIKE = "Nothing differs: verdicts, scores, standings and settings are the same."
HOW = {"narrow": "narrowly", "clear": "clearly", "overwhelming": "overwhelmingly"}
FEW = 6
"""Claims that are named one by one."""


def in_short(told: Compared) -> list[str]:
    """A sentence each on other motions, what is decided, who judged, winners and margins, claims, models, settings, cost."""
    costs = [] if told.one_debate else list(_costs(*told.sides))
    if told.comparison.alike:
        return [ALIKE, *costs]
    return [
        *_motions(told),
        *_decision(told.comparison.verdicts),
        *_systems(told.comparison.verdicts),
        *_winners(told.comparison.verdicts),
        *_judges(told),
        *_claims(told.comparison),
        *([] if told.one_debate or told.texts else _debates(*told.sides)),
        _settings(told.comparison),
        *costs,
    ]


def _motions(told: Compared) -> Iterator[str]:
    """Whether something else was debated or judged, which tells what the rest is worth."""
    a, b = (side.debate for side in told.sides)
    if told.texts:
        if (a.topic, a.config.background) != (b.topic, b.config.background):
            yield "The texts are different."
    elif a.topic != b.topic:
        yield "The motions are different."


def _decision(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """What each side comes to: by the system that decides both, else by one that judged both."""
    a = next(((item.system, item.a) for item in changes if item.a is not None and item.a.decides), None)
    b = next(((item.system, item.b) for item in changes if item.b is not None and item.b.decides), None)
    if a is None or b is None:
        judged = [name for name, found in (("A", a), ("B", b)) if found is not None]
        yield f"Only {judged[0]} was judged." if judged else "Neither side was judged."
        return
    if a[0] != b[0]:
        yield f"A is decided by {a[0]}, B by {b[0]}."
    under = _compared_under(changes)
    if under is not None:
        a, b = (under[0], under[1]), (under[0], under[2])
    yield f"{_head(changes, a[1], b[1], compared=under is not None)}: {_ended('A', a[1], a[0])}; {_ended('B', b[1], b[0])}."


def _head(changes: Sequence[VerdictChange], a: Concluded, b: Concluded, *, compared: bool) -> str:
    """Whether both come to the same, or why that is not said."""
    if not compared:
        both = any(item.a is not None and item.b is not None for item in changes)
        return f"No system {'came to a verdict on' if both else 'judged'} both, so their outcomes are not compared"
    same = "The winner is" if a.winner is not None else "The outcome is"
    return f"{same} the same" if _same(a, b) else "The outcomes differ"


def _compared_under(changes: Sequence[VerdictChange]) -> tuple[str, Concluded, Concluded] | None:
    """The system that decides both sides, else one that came to a verdict on both, rather one that decides a side."""
    both = [(item.system, item.a, item.b) for item in changes if item.a is not None and item.b is not None]
    deciding = [found for found in both if found[1].decides and found[2].decides]
    known = [found for found in both if "undetermined" not in {found[1].victory, found[2].victory}]
    known.sort(key=lambda found: (not found[1].decides, not found[2].decides))
    return next(iter([*deciding, *known]), None)


def _same(a: Concluded, b: Concluded) -> bool:
    """Whether the same one wins, or nobody in the same way."""
    known = a.winner is not None or a.option is not None
    return (a.winner, a.option) == (b.winner, b.option) and (known or a.victory == b.victory)


def _ended(side: str, found: Concluded, system: str = "") -> str:
    """How a side ended: `Con wins A narrowly (structured, by 1.1)`, `A is a draw (live)`, `B comes to PASS, clearly (panel)`."""
    margin = "" if found.margin is None or found.winner is None else f"by {look.number(found.margin)}"
    words = ", ".join(filter(None, (system, margin)))
    beside = f" ({words})" if words else ""
    if found.winner is not None:
        return f"{found.winner} wins {side} {HOW.get(found.victory, found.victory)}{beside}"
    if found.option is not None:
        how = HOW.get(found.victory)
        return f"{side} comes to {found.option}{f', {how}' if how else ''}{beside}"
    ended = {"draw": "is a draw", "undetermined": "is undetermined"}.get(
        found.victory, f"is {found.victory}, without a winner"
    )
    return f"{side} {ended}{beside}"


def _systems(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """Which systems judged both, and which one only."""
    both = [item.system for item in changes if item.outcome != "one_sided"]
    only = [
        (side, [item.system for item in changes if missing(item)]) for side, missing in (("A", _not_b), ("B", _not_a))
    ]
    alone = [f"{_listed(names)} judged {side} only" for side, names in only if names]
    if not alone:
        return
    yield _sentence("; ".join([*([f"{_listed(both)} judged both"] if both else []), *alone]))


def _not_a(change: VerdictChange) -> bool:
    return change.a is None


def _not_b(change: VerdictChange) -> bool:
    return change.b is None


def _winners(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """What became of the verdicts that both have."""
    both = [item for item in changes if item.a is not None and item.b is not None]
    same = [item for item in both if item.outcome == "same" and not _undetermined(item)]
    if same:
        margins = [item.system for item in same if _margins_differ(item)]
        which = f" under {_listed(margins)}" if len(margins) < len(same) else ""
        more = f"by another margin{which}" if margins else "by the same margin"
        yield f"The verdict is the same under {_listed([item.system for item in same])}, {more}."
    nothing = [item.system for item in both if _undetermined(item)]
    if nothing:
        yield _sentence(f"{_listed(nothing)} concluded nothing on either")
    under = _compared_under(changes)
    for item in both:
        told = under is not None and under[0] == item.system
        if item.outcome != "same" and item.a is not None and item.b is not None and not told:
            yield f"By {item.system}, {_ended('A', item.a)}; {_ended('B', item.b)}."


def _undetermined(change: VerdictChange) -> bool:
    """Whether neither side's verdict says anything."""
    return all(found is not None and found.victory == "undetermined" for found in (change.a, change.b))


def _margins_differ(change: VerdictChange) -> bool:
    return change.a is not None and change.b is not None and change.a.margin != change.b.margin


def _judges(told: Compared) -> Iterator[str]:
    """Where both were judged by a system, but by other models: which ones."""
    a, b = (side.debate for side in told.sides)
    others: dict[tuple[str, str], list[str]] = {}
    for item in told.comparison.verdicts:
        if item.a is None or item.b is None:
            continue
        of_a, of_b = asked_models(a, item.system, item.a.run), asked_models(b, item.system, item.b.run)
        if of_a and of_b and of_a != of_b:
            others.setdefault((_listed(of_a), _listed(of_b)), []).append(item.system)
    for (of_a, of_b), systems in others.items():
        yield f"Under {_listed(systems)}, A was judged by {of_a} and B by {of_b}."


def _claims(comparison: Comparison) -> Iterator[str]:
    """How many claims stand otherwise, or why none is compared."""
    a, b = comparison.judged_claims
    changed = [item.item for item in comparison.standings]
    if comparison.compared_claims:
        which = f": {', '.join(changed)}" if 0 < len(changed) <= FEW else ""
        claims = _count(comparison.compared_claims, "claim")
        verb = "have" if len(changed) > 1 else "has"
        kept = f"No standing changed: {claims} looked at"
        yield f"{len(changed)} of {claims} {verb} another standing{which}." if changed else f"{kept}."
    elif a and b:
        yield "The two share no claim, so there are no standings to compare."
    elif a or b:
        yield f"Only {'A' if a else 'B'} was asked which claims stand, so there are no standings to compare."


def _debates(a: Side, b: Side) -> Iterator[str]:
    """How far they came, debaters and their models."""
    for name, side in (("A", a), ("B", b)):
        if side.debate.status == "incomplete":
            yield f"{name} is not finished: {_count(len(side.debate.turns), 'speech', 'speeches')} so far."
    models_a, models_b = (
        {who.name: models_of_debater(side.debate, who) for who in side.debate.participants} for side in (a, b)
    )
    common = [name for name in models_a if name in models_b]
    others = [name for name in common if models_a[name] != models_b[name]]
    if not common:
        yield "No debater is on both sides."
    elif others:
        which = "speaks with another model" if len(others) == 1 else "speak with other models"
        yield f"{_listed(others)} {which} in B."
    elif models_a == models_b:
        yield "The debaters and their models are the same."


def _settings(comparison: Comparison) -> str:
    count = len(listed(comparison))
    verb = "differs" if count == 1 else "differ"
    told = f"{_count(count, 'setting')} {verb}" if count else "The settings are the same"
    return f"{told}; limits and output are not looked at."


def _costs(a: Side, b: Side) -> Iterator[str]:
    of_a, of_b = a.debate.usage.cost_usd, b.debate.usage.cost_usd
    if of_a is None or of_b is None or of_a == of_b:
        return
    dearer = "A" if of_a > of_b else "B"
    yield f"{dearer} cost {look.money(abs(of_a - of_b))} more."


def _count(count: int, what: str, several: str = "") -> str:
    return f"{count} {what if count == 1 else several or what + 's'}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
