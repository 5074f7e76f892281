"""Two judgements side by side as sheets: for a terminal, for plain lines, for JSON. No Rich."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.render import look
from debate_cli.render.look import Sign
from debate_cli.render.sheets.sheet import Cell, Lines, Number, Row, Sheet, Who, parted
from debate_cli.scoring.comparison import Comparison, Concluded, SettingChange, Side, StandingChange, VerdictChange

OUTCOMES = {
    "same": Sign("=", "same", look.BLUE),
    "victory": Sign("~", "other victory", look.GOLD),
    "winner": Sign("≠", "other winner", look.RED),
    "one_sided": Sign("…", "one side only", look.GOLD),
}
ALIKE = "Nothing differs: verdicts, scores, standings and settings are the same."


@dataclass(frozen=True, slots=True)
class Compared:
    """Both sides as they were named, and what differs."""

    paths: tuple[str, str]
    sides: tuple[Side, Side]
    comparison: Comparison


def sheets(told: Compared) -> list[Sheet]:
    """What is compared, the verdicts, the scores, and what else differs; what does not is said in a sentence."""
    found = [_sides(told), _verdicts(told.comparison)]
    scores = [item for item in told.comparison.verdicts if item.scores]
    if scores:
        found.append(_scores(scores))
    if told.comparison.standings:
        found.append(_standings(told.comparison.standings))
    if told.comparison.settings:
        found.append(_settings(told.comparison.settings))
    return found


def document(told: Compared) -> dict[str, Any]:
    """`{a, b, alike, verdicts, standings, compared_claims, settings}`; a and b are `{path, id, run, topic, status, cost_usd}`."""
    a, b = (_about(path, side) for path, side in zip(told.paths, told.sides, strict=True))
    return {"a": a, "b": b, "alike": told.comparison.alike, **told.comparison.model_dump(mode="json")}


def signs(told: Compared) -> dict[str, Sign]:
    """Sign per debater, those of A first."""
    a, b = (look.voices(side.debate.participants) for side in told.sides)
    return {**b, **a}


def _about(path: str, side: Side) -> dict[str, Any]:
    debate = side.debate
    return {
        "path": path,
        "id": debate.id,
        "run": side.run,
        "topic": debate.topic,
        "status": debate.status,
        "cost_usd": debate.usage.cost_usd,
    }


def _sides(told: Compared) -> Sheet:
    a, b = (side.debate for side in told.sides)
    rows: list[Row] = (
        [("file", *told.paths)] if told.paths[0] != told.paths[1] else [("file", told.paths[0], "the same")]
    )
    rows.append(("judging run", *(side.run for side in told.sides)))
    if a.id != b.id:
        rows += [
            ("debate", a.id, b.id),
            ("motion", a.topic, b.topic if b.topic != a.topic else "the same"),
            ("debaters", _models(a), _models(b)),
            ("speeches", str(len(a.turns)), str(len(b.turns))),
            ("cost", look.money(a.usage.cost_usd), look.money(b.usage.cost_usd)),
        ]
    return Sheet(title="compared", heads=("", "A", "B"), rows=tuple(rows))


def _models(debate: Debate) -> Cell:
    return Lines(tuple(f"{person.name}: {person.model}" for person in debate.participants))


def _verdicts(comparison: Comparison) -> Sheet:
    rows = tuple(
        (item.system, _concluded(item.a), _concluded(item.b), OUTCOMES[item.outcome]) for item in comparison.verdicts
    )
    remarks = [ALIKE] if comparison.alike else list(_unchanged(comparison))
    return Sheet(title="verdicts", heads=("system", "A", "B", "outcome"), rows=rows, remarks=tuple(remarks))


def _unchanged(comparison: Comparison) -> Iterable[str]:
    if not comparison.compared_claims:
        yield "No claim was judged on both sides, so there are no standings to compare."
    elif not comparison.standings:
        yield "No standing changed."
    if not comparison.settings:
        yield "The settings are the same; limits and output are not looked at."


def _concluded(found: Concluded | None) -> Cell:
    if found is None:
        return None
    margin = "" if found.margin is None else f", margin {look.number(found.margin)}"
    words = f"{found.victory}{margin}"
    return words if found.winner is None else Lines((Who(found.winner), words))


def _scores(changes: Sequence[VerdictChange]) -> Sheet:
    return Sheet(
        title="scores",
        heads=("system", "debater", "A", "B", "change"),
        rows=parted(_score_rows(item) for item in changes),
        numeric=frozenset({2, 3, 4}),
    )


def _score_rows(change: VerdictChange) -> Iterable[Row]:
    for score in change.scores:
        yield (change.system, Who(score.participant), Number(score.a), Number(score.b), _signed(score.change))


def _signed(change: float | None) -> str:
    if change is None:
        return "—"
    if change == 0:
        return "="
    return f"{'+' if change > 0 else '−'}{look.number(abs(change))}"


def _standings(changes: Sequence[StandingChange]) -> Sheet:
    rows = tuple(
        (item.item, Who(item.participant), item.claim, _standing(item.a), _standing(item.b)) for item in changes
    )
    return Sheet(title="standings that changed", heads=("id", "by", "claim", "A", "B"), rows=rows)


def _standing(standing: str | None) -> Cell:
    return look.STANDINGS[standing] if standing is not None else "not judged"


def _settings(changes: Sequence[SettingChange]) -> Sheet:
    rows = tuple((item.key, item.a, item.b) for item in changes)
    return Sheet(title="settings that differ", heads=("setting", "A", "B"), rows=rows)
