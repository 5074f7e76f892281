"""Two judgements side by side as sheets: for a terminal, for plain lines, for JSON. No Rich.

What differs in a few sentences does not live here, but in `comparison_words`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from debate_cli.domain.bench import assessors
from debate_cli.domain.called import in_run
from debate_cli.domain.debate import Debate
from debate_cli.domain.setting_words import pair
from debate_cli.domain.spoken_with import models_of_debater
from debate_cli.render import cast, look
from debate_cli.render.look import Sign
from debate_cli.render.sheets.sheet import Cell, Lines, Number, Row, Sheet, Who, parted
from debate_cli.scoring.comparison import (
    LATEST,
    Comparison,
    Concluded,
    SettingChange,
    Side,
    StandingChange,
    VerdictChange,
    asked_models,
    judging_cost,
)

OUTCOMES = {
    "same": Sign("=", "same", look.BLUE),
    "victory": Sign("~", "other victory", look.GOLD),
    "winner": Sign("≠", "other winner", look.RED),
}
ONE_WINS = Sign("≠", "other outcome", look.RED)
"""Somebody wins on one side, nobody on the other."""
ONLY_A, ONLY_B = Sign("…", "only A", look.GOLD), Sign("…", "only B", look.GOLD)
SAME = "the same"
MOTION = "topic"
"""The setting that stands among what is compared, and not again among the settings."""
_SYSTEMS = "judging.systems."
_BENCH = f"{_SYSTEMS}panel.judges"
_ROOM_OF_NAMES = 240
"""Letters that the names of a panel are told in."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Both sides as they were named, and what differs."""

    paths: tuple[str, str]
    sides: tuple[Side, Side]
    comparison: Comparison

    @property
    def one_debate(self) -> bool:
        """Whether the sides are two judgements of the same file."""
        return self.paths[0] == self.paths[1]

    @property
    def texts(self) -> bool:
        """Whether the sides are judgements of texts, in which nobody debates."""
        return all(side.debate.text is not None for side in self.sides)


def sheets(told: Compared) -> list[Sheet]:
    """What is compared, the verdicts, the scores, the claims and the settings; those in which nothing differs are left out."""
    found = [_sides(told)]
    if told.comparison.verdicts:
        found.append(_verdicts(told.comparison))
    scores = [item for item in told.comparison.verdicts if _comparable(item)]
    if scores:
        found.append(_scores(scores))
    if told.comparison.standings:
        found.append(_standings(told.comparison.standings))
    settings = listed(told.comparison)
    if settings:
        found.append(_settings(settings))
    return found


def listed(comparison: Comparison) -> list[SettingChange]:
    """The settings that differ, without the motion."""
    return [item for item in comparison.settings if item.key != MOTION]


def document(told: Compared) -> dict[str, Any]:
    """`{a, b, alike, verdicts, standings, compared_claims, judged_claims, settings}`.

    a and b are `{path, id, run, topic, status, debaters, judges, cost_usd, judging_cost_usd}`: the models that
    spoke by the names of the debaters, those that judged by system.
    """
    a, b = (
        _about(path, side, systems) for path, side, systems in zip(told.paths, told.sides, _systems(told), strict=True)
    )
    return {"a": a, "b": b, "alike": told.comparison.alike, **told.comparison.model_dump(mode="json")}


def signs(told: Compared) -> dict[str, Sign]:
    """Sign per debater, those of A first."""
    a, b = (look.voices(side.debate.participants) for side in told.sides)
    return {**b, **a}


Systems = dict[str, str]
"""Per system that has a verdict, the run in which it judged."""


def _systems(told: Compared) -> tuple[Systems, Systems]:
    verdicts = told.comparison.verdicts
    return (
        {item.system: item.a.run for item in verdicts if item.a is not None},
        {item.system: item.b.run for item in verdicts if item.b is not None},
    )


def _about(path: str, side: Side, systems: Systems) -> dict[str, Any]:
    debate = side.debate
    return {
        "path": path,
        "id": debate.id,
        "run": side.run,
        "topic": debate.topic,
        "status": debate.status,
        "debaters": {person.name: ", ".join(models_of_debater(debate, person)) for person in debate.participants},
        "judges": {system: list(asked_models(debate, system, run)) for system, run in systems.items()},
        "cost_usd": debate.usage.cost_usd,
        "judging_cost_usd": judging_cost(debate, systems),
    }


def _sides(told: Compared) -> Sheet:
    a, b = (side.debate for side in told.sides)
    of_a, of_b = _systems(told)
    rows: list[Row] = [_row("file", *told.paths)]
    if any(side.run != LATEST for side in told.sides):
        rows.append(("judging run", *("newest" if side.run == LATEST else side.run for side in told.sides)))
    if not told.one_debate:
        rows += [
            _row("debate", a.id, b.id),
            _row("text" if told.texts else "motion", a.topic, b.topic),
            *([] if told.texts else [_debaters(a, b)]),
            *([("state", a.status, b.status)] if "incomplete" in {a.status, b.status} else []),
            *([] if told.texts else [("speeches", str(len(a.turns)), str(len(b.turns)))]),
        ]
    found_a = {item.system: item.a for item in told.comparison.verdicts if item.a is not None}
    found_b = {item.system: item.b for item in told.comparison.verdicts if item.b is not None}
    rows.append(("judges", _judges(told.sides[0], found_a), _judges(told.sides[1], found_b)))
    if not told.one_debate:
        rows.append(("cost", look.money(a.usage.cost_usd), look.money(b.usage.cost_usd)))
    rows.append(("judging cost", look.money(judging_cost(a, of_a)), look.money(judging_cost(b, of_b))))
    return Sheet(title="compared", heads=("", "A", "B"), rows=tuple(rows))


def _debaters(a: Debate, b: Debate) -> Row:
    return ("debaters", *(_lines(f"{seat.name}: {seat.model}" for seat in cast.debaters(debate)) for debate in (a, b)))


def _row(head: str, a: str, b: str) -> Row:
    return (head, a, b if b != a else SAME)


def _lines(parts: Iterable[str]) -> Cell:
    return Lines(tuple(parts))


def _judges(side: Side, verdicts: Mapping[str, Concluded]) -> Cell:
    if not verdicts:
        return "nobody"
    together: dict[tuple[str, str], list[str]] = {}
    for system, found in verdicts.items():
        models = ", ".join(asked_models(side.debate, system, found.run)) or _unheard(side, system, found)
        together.setdefault((found.run, models), []).append(system)
    return _lines(
        f"{', '.join(in_run(name, run) for name in names)}: {models}" for (run, models), names in together.items()
    )


def _unheard(side: Side, system: str, concluded: Concluded) -> str:
    """Why no model judged, in the verdict's own word where that comes of it."""
    found = next((item for item in side.debate.run(concluded.run).active() if item.kind == system), None)
    if found is None or not assessors(found):
        return "no model"
    unheard = "no judge was heard"
    return f"{concluded.victory}, {unheard}" if concluded.victory == "undetermined" else unheard


def _comparable(change: VerdictChange) -> bool:
    """Whether any debater has a score on both sides."""
    return any(score.change is not None for score in change.scores)


def _verdicts(comparison: Comparison) -> Sheet:
    rows = tuple((item.system, *_concluded(item), _outcome(item)) for item in comparison.verdicts)
    return Sheet(title="verdicts", heads=("system", "A", "B", "outcome"), rows=rows)


def _concluded(change: VerdictChange) -> tuple[Cell, Cell]:
    """Both conclusions; where no debater has a score on both sides, the scores stand with them."""
    alone = not _comparable(change)
    of_a = " · ".join(f"{score.participant} {look.number(score.a)}" for score in change.scores if score.a is not None)
    of_b = " · ".join(f"{score.participant} {look.number(score.b)}" for score in change.scores if score.b is not None)
    return _conclusion(change.a, of_a if alone else ""), _conclusion(change.b, of_b if alone else "")


def _conclusion(found: Concluded | None, scores: str) -> Cell:
    if found is None:
        return "not judged"
    margin = "" if found.margin is None else f"margin {look.number(found.margin)}"
    cells: list[Cell] = [Who(found.winner)] if found.winner is not None else []
    if found.option is not None:
        cells = [look.VOTES[found.option]]
    victory = "" if found.option == "CONDITIONAL" else found.victory
    ended = ", ".join(filter(None, (victory, margin)))
    return Lines((*cells, ended, *([scores] if scores else [])))


def _outcome(change: VerdictChange) -> Sign:
    if change.outcome == "one_sided":
        return ONLY_A if change.b is None else ONLY_B
    if change.outcome == "winner" and None in (change.a and change.a.winner, change.b and change.b.winner):
        return ONE_WINS
    return OUTCOMES[change.outcome]


def _scores(changes: Sequence[VerdictChange]) -> Sheet:
    return Sheet(
        title="scores",
        heads=("system", "", "A", "B", "change"),
        rows=parted(_score_rows(item) for item in changes),
        numeric=frozenset({2, 3, 4}),
    )


def _score_rows(change: VerdictChange) -> Iterable[Row]:
    for score in change.scores:
        yield (change.system, Who(score.participant), Number(score.a), Number(score.b), _signed(score.change))
    a, b = (found.margin if found is not None else None for found in (change.a, change.b))
    grown = b - a if a is not None and b is not None and change.outcome != "winner" else None
    yield (change.system, "margin", Number(a), Number(b), _signed(grown))


def _signed(change: float | None) -> str:
    if change is None:
        return "—"
    words = look.number(abs(change))
    if float(words) == 0:
        return "="
    return f"{'+' if change > 0 else '−'}{words}"


def _standings(changes: Sequence[StandingChange]) -> Sheet:
    rows = tuple(
        (item.item, Who(item.participant), item.claim, _standing(item.a), _standing(item.b)) for item in changes
    )
    return Sheet(title="claims whose standing differs", heads=("id", "by", "claim", "A", "B"), rows=rows)


def _standing(standing: str | None) -> Cell:
    return look.STANDINGS[standing] if standing is not None else "not judged"


def _settings(changes: Sequence[SettingChange]) -> Sheet:
    rows = tuple((item.key.removeprefix(_SYSTEMS), *_values(item)) for item in changes)
    return Sheet(title="settings that differ", heads=("setting", "A", "B"), rows=rows, keyed=True)


def _values(change: SettingChange) -> tuple[str, str]:
    """Both values in words; the members of a panel by their names, as there is no room for all that is set of them."""
    if change.key != _BENCH:
        return pair(change.a, change.b)
    return pair(_names(change.a), _names(change.b), _ROOM_OF_NAMES)


def _names(judges: JsonValue) -> list[str] | None:
    """The names of a panel's members; None where none is listed, so that other settings or the defaults name them."""
    listed_ones = judges if isinstance(judges, list) else []
    return [str(judge["id"]) for judge in listed_ones if isinstance(judge, dict)] or None
