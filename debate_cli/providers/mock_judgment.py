"""The mock's opinions: which of several, how many, what number. They agree with one another across a whole debate.

Every debater has a lasting skill, drawn from the seed; scores, comparisons, standings and votes follow it with some
noise, so tables show a difference and two judges do not say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from debate_cli.providers import mock_marks
from debate_cli.providers.mock_dice import Dice
from debate_cli.providers.mock_marks import NOBODY
from debate_cli.providers.mock_scene import Scene

Json = Mapping[str, Any]

CHANCES: dict[str, tuple[float, ...]] = {
    "fallacies": (0.15,),
    "suspect_claims": (0.15,),
    "contradictions": (0.08,),
    "dropped_premises": (0.1,),
    "logic_gap": (0.2,),
    "missing": (0.3, 0.3),
    "consensus": (0.6,),
    "clashes": (1, 0.4),
    "points": (1, 0.6),
    "summary": (1, 1),
    "unresolved_questions": (1, 0.7),
    "critical_findings": (1, 0.5),
    "remediation_required": (0.8, 0.4),
    "claims": (0.9, 0.3),
    "rebuttals": (0.95, 0.3),
    "concessions": (0.2,),
    "unrebutted": (0.5, 0.2),
    "targets": (1, 0.5),
}
"""Of a list: how likely a first item is, a second one if there was a first, and so on."""
USUAL = (1.0, 0.5)
CHOICES: dict[str, dict[str, float]] = {
    "type": {"refute": 0.3, "challenge": 0.32, "concede": 0.1, "partial": 0.28},
    "shift": {"strengthened": 0.2, "unchanged": 0.3, "adjusted": 0.4, "weakened": 0.1},
    "pattern": {"none": 0.6, "asymmetric_depth": 0.25, "coherence_collapse": 0.05, "convergence_failure": 0.1},
}
"""How likely each word is, where not all are alike."""
STANDINGS = ((0.45, "REFUTED"), (0.55, "UNCERTAIN"), (0.75, "PARTIALLY_UPHELD"), (1.01, "UPHELD"))
"""Upper bound of the impression -> standing."""
ROTATED = frozenset({"participants", "heading", "participant", "id", "item", "target"})
"""Choices that lists go through one by one."""
PRESSURES = frozenset({"cognitive", "emotional", "strategic", "credibility"})
PANEL = "judge.panel.vote"
VOTED = {"PASS": 0.8, "FAIL": 0.2, "CONDITIONAL": 0.5}
"""Vote -> where the marks beside it fall on their scale, on average."""
FIRM_FIRST, FIRM_LATER = 0.4, 0.75
"""How likely a panel judge votes as the panel leans: at first, and when asked again."""
LEADS = 0.8
"""How good it is what those say whom an answer puts first, where it does not mark them."""
EVEN = 0.08
"""Skills that differ by less are a draw."""


class Judgment:
    """The choices of one answer. `lasting` dice are the same for all answers, `dice` for this one only."""

    def __init__(self, scene: Scene, lasting: Dice, dice: Dice) -> None:
        self._scene = scene
        self._lasting = lasting
        self._dice = dice

    @cached_property
    def _skills(self) -> dict[str, float]:
        """Per debater 0-1: spread evenly in an order of the dice's, so that no two are alike."""
        names = self._lasting.order(sorted(self._scene.sides), "skills", self._scene.motion)
        step = 1 / max(1, len(names))
        return {name: (rank + 0.2 + 0.6 * self._lasting.unit("skill", name)) * step for rank, name in enumerate(names)}

    def skill(self, around: Json) -> float:
        """Of whom the values `around` are about; for the motion as such, of those who are for it."""
        whom = around.get("participant") or self._scene.speaker_of(str(around.get("item"))) or self._scene.speaker
        if whom is None:
            whom = next((name for name, side in self._scene.sides.items() if side == "for"), None)
        return self._skills.get(str(whom), self._lasting.unit("skill", self._scene.motion))

    def impression(self, path: str, around: Json) -> float:
        """How good something seems, 0-1: the skill behind it and some noise."""
        return 0.4 + 0.25 * self.skill(around) + 0.3 * self._dice.unit("impression", path)

    def level(self, around: Json, share: float | None = None) -> float:
        """How good that is which a sentence is about, 0-1: by the standing beside it, the `share` of its marks, or who leads."""
        standing = next((bound for bound, name in STANDINGS if name == around.get("standing")), None)
        if standing is not None:
            return standing - 0.03
        if share is not None:
            return share
        return LEADS if mock_marks.first(around, self._scene.sides) else 0.35 + 0.5 * self.skill(around)

    def number(self, name: str, path: str, around: Json, schema: Json, *, whole: bool) -> float:
        """A number within the bounds of `schema`; 0 to 10 where it has none, or a count of steps."""
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        high = schema.get("maximum", schema.get("exclusiveMaximum", max(10, low + 10)))
        value = low + (high - low) * self._share(name, path, around, whole=whole)
        if whole:
            low, high = low + ("exclusiveMinimum" in schema), high - ("exclusiveMaximum" in schema)
            return int(min(high, max(low, round(value))))
        return round(value, 2)

    def _share(self, name: str, path: str, around: Json, *, whole: bool) -> float:
        """Where on its scale a number falls, above 0 and below 1."""
        unit = self._dice.unit("number", path)
        if name in PRESSURES and not whole:
            return 0.1 + 0.7 * unit * unit
        if name in {"persuasion", "attack"}:
            return 0.05 + 0.4 * unit + 0.25 * self.skill({"participant": self._scene.speaker})
        if name == "points":
            return 0.1 + 0.25 * unit
        if name == "confidence":
            return 0.55 + 0.4 * unit
        if self._scene.request.purpose == PANEL:
            spread = 0.7 if self._scene.own_vote is None else 0.3
            return VOTED[self._option] + spread * (unit - 0.5)
        return self.impression(path, around)

    def choice(self, name: str, path: str, around: Json, options: Sequence[Any], position: int) -> Any:
        """One of `options`."""
        words = [str(option) for option in options]
        if "CONDITIONAL" in words and "PASS" in words:
            return self._option
        if "PARTIALLY_UPHELD" in words:
            impression = self.impression(path, around)
            return next((word for bound, word in STANDINGS if impression < bound and word in words), options[0])
        if NOBODY.intersection(words):
            return self._better(path, words, around)
        if name in ROTATED:
            return options[position % len(options)]
        if name in CHOICES and set(CHOICES[name]) == set(words):
            return self._weighted(CHOICES[name], path)
        return self._dice.pick(options, "choice", path)

    def _weighted(self, weights: Mapping[str, float], path: str) -> str:
        unit, upper = self._dice.unit("choice", path), 0.0
        for word, weight in weights.items():
            upper += weight
            if unit < upper:
                return word
        return next(iter(weights))

    def _better(self, path: str, words: Sequence[str], around: Json) -> str:
        """Whom the marks `around` put first, else the more skilled of the debaters named, as it seems this time.

        Nobody where they are alike.
        """
        names = [word for word in words if word not in NOBODY]
        nobody = next(word for word in words if word in NOBODY)
        marked = mock_marks.first({key: around[key] for key in (mock_marks.LISTED,) if key in around}, names)
        if marked is not None:
            return marked or nobody
        seeming = {name: self._skills.get(name, 0.5) + 1.2 * self._dice.unit("better", path, name) for name in names}
        ranked = sorted(names, key=lambda name: -seeming[name])
        if len(ranked) > 1 and seeming[ranked[0]] - seeming[ranked[1]] < EVEN:
            return nobody
        return ranked[0] if ranked else words[0]

    @cached_property
    def _lean(self) -> str:
        """How a panel of mocks ends up voting."""
        skill = self.skill({})
        return "PASS" if skill > 0.6 else "FAIL" if skill < 0.35 else "CONDITIONAL"  # noqa: PLR2004 - thirds, about

    @cached_property
    def _option(self) -> str:
        """What a panel judge votes: mixed at first; asked again, most come round."""
        own = self._scene.own_vote
        if self._dice.unit("vote") < (FIRM_FIRST if own is None else FIRM_LATER):
            return self._lean
        return self._dice.pick(tuple(VOTED), "option") if own is None else str(own.get("vote", self._lean))

    def yes(self, name: str, path: str) -> bool:
        """Whether something is so; that a question was evaded is the exception."""
        return self._dice.unit("yes", path) < (0.1 if name == "evaded" else 0.8)

    def count(self, name: str, path: str, around: Json) -> int:
        """How many items a list would have, bounds aside."""
        if name in {"fallacies", "suspect_claims"} and not self._quotable(around):
            return 0
        if name == "remediation_required" and around.get("option") == "PASS":
            return 0
        count = 0
        for chance in CHANCES.get(name, USUAL):
            if self._dice.unit("count", path, count) >= chance:
                break
            count += 1
        return count

    def some(self, name: str, path: str, options: Sequence[Any], least: int, most: int) -> list[Any]:
        """Some of `options` in their order, none twice unless there are fewer than `least`."""
        if name == "concessions" and self._scene.conceded:
            chosen = [option for option in options if option in self._scene.conceded]
        elif name == "concessions":
            chosen = []
        elif name == "participants":
            chosen = list(options[:2])
        else:
            chosen = self._dice.order(options, "some", path)[: self.count(name, path, {})]
        spare = [option for option in options if option not in chosen]
        while len(chosen) < least:
            chosen.append(spare.pop(0) if spare else options[0])
        return sorted(chosen[:most], key=list(options).index)

    def branch(self, name: str, path: str, branches: Sequence[Json]) -> Json:
        """One of several schemas: null now and then, else the first that is not null."""
        full = [branch for branch in branches if branch.get("type") != "null"]
        chance = 0.8 if name == "changed_because" else 0.3
        if not full or (len(full) < len(branches) and self._dice.unit("null", path) < chance):
            return {"type": "null"}
        return full[0]

    def reconciled(self, filled: dict[str, Any], properties: Mapping[str, Json]) -> dict[str, Any]:
        """The numbers of one object made to agree, bounds allowing: a total is a sum, delivery stays within framing."""
        counts = {key: item for key, item in filled.items() if isinstance(item, int) and not isinstance(item, bool)}
        agreed: dict[str, int] = {}
        if "total" in counts:
            agreed["total"] = sum(counts.values()) - counts["total"]
        if "delivery" in counts and "framing" in counts:
            agreed["delivery"] = min(counts["delivery"], counts["framing"])
        return filled | {key: value for key, value in agreed.items() if _allowed(value, properties[key])}

    def words(self, name: str, path: str, around: Json) -> str | None:
        """What is not a phrase but words of the transcript, or none at all; None where a phrase is wanted."""
        if name == "quote":
            said = self._quotable(around)
            return _excerpt(self._dice.pick(said, "quote", path)) if said else None
        if name == "changed_because":
            own = self._scene.own_vote
            changed = own is not None and own.get("vote") != around.get("option")
            return None if changed else ""
        return None

    def _quotable(self, around: Json) -> tuple[str, ...]:
        item = around.get("item")
        return self._scene.sentences(item=cast("str | None", item), turns=self._scene.judged_turns[:1])


def _allowed(value: int, schema: Json) -> bool:
    """Whether an integer's schema, as forms have it, allows `value`."""
    plain = "minimum" in schema and "maximum" in schema and "const" not in schema and "enum" not in schema
    return plain and schema["minimum"] <= value <= schema["maximum"]


def _excerpt(sentence: str) -> str:
    """The first nine words of a sentence, without what ends it."""
    return " ".join(sentence.split()[:9]).rstrip(".,;:?!")
