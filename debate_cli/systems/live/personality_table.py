"""Table of the personalities that changed under pressure: start, end and curve of each trait."""

from __future__ import annotations

from collections.abc import Iterable

from debate_cli.domain.debate import Debate
from debate_cli.domain.personality import TRAIT_MAX, TRAIT_MIN, TRAITS
from debate_cli.systems.live.personality_drift import PersonalityPoint, has_moved, personality_curve
from debate_cli.systems.tables import Curve, Number, Table, TableRow, Who


def build_personality_tables(debate: Debate) -> list[Table]:
    """A table for each debater whose personality moved."""
    curves = {person.name: personality_curve(debate, person.name) for person in debate.participants}
    return [_personality_table(name, curve) for name, curve in curves.items() if has_moved(curve)]


def _personality_table(name: str, curve: tuple[PersonalityPoint, ...]) -> Table:
    return Table(
        title=f"personality, {name}",
        heads=("trait", "start", "end", "moved", "after each exchange"),
        rows=((Who(name), None, None, None, None), *_trait_rows(curve)),
        numeric=frozenset({1, 2, 3}),
    )


def _trait_rows(curve: tuple[PersonalityPoint, ...]) -> Iterable[TableRow]:
    for trait in TRAITS:
        values = tuple(round(float(getattr(point.personality, trait)), 1) for point in curve)
        moved = values[-1] - values[0]
        sign = f"{'↑' if moved > 0 else '↓'} {moved:+.1f}" if moved else "="
        yield (
            trait.replace("_", " "),
            Number(values[0], 1),
            Number(values[-1], 1),
            sign,
            Curve(values, TRAIT_MIN, TRAIT_MAX),
        )
