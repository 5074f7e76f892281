"""The sentences of the mock: picks a phrase for a property and fills its slots from the scene."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from debate_cli.providers import mock_marks
from debate_cli.providers.mock_dice import Dice
from debate_cli.providers.mock_opinions import OF_DOCUMENTS, OPINIONS, SYNONYMS
from debate_cli.providers.mock_phrases import ANGLES, NEITHER, SPOKEN, Angle
from debate_cli.providers.mock_scene import Scene

WEAK, STRONG = 0.51, 0.75
"""Below the one, a judge writes as of a weak performance; from the other on, as of a strong one."""


@dataclass(frozen=True, slots=True)
class Matter:
    """What a sentence is about."""

    name: str
    """Property that it stands under."""
    spot: str
    """Place in the answer, unique in it."""
    around: Mapping[str, Any]
    """Values of the same object and of those around it that are settled already."""
    position: int = 0
    """Index of the nearest list item that the sentence is in."""
    level: float = 0.6
    """How well a judge thinks of whom it writes about, 0-1."""


class Voice:
    """Writes the sentences of one answer. `lasting` dice are the same for all answers, `dice` for this one only."""

    def __init__(self, scene: Scene, lasting: Dice, dice: Dice) -> None:
        self._scene = scene
        self._lasting = lasting
        self._dice = dice

    def sentence(self, matter: Matter, most: int | None = None) -> str:
        """A sentence, or a few, fit for the property; of at most `most` characters where there is such a phrase."""
        phrases = self._phrases(matter)
        first = (
            int(self._dice.unit("phrase", matter.name) * len(phrases)) + matter.position + len(self._scene.own_turns)
        )
        slots = self._slots(matter)
        lead = "I turn to {target}. " if matter.name == "speech" and matter.around.get("targets") else ""
        texts = [(lead + phrases[(first + turn) % len(phrases)]).format_map(slots) for turn in range(len(phrases))]
        return next((text for text in texts if most is None or len(text) <= most), min(texts, key=len))

    def _phrases(self, matter: Matter) -> tuple[str, ...]:
        opinions = OF_DOCUMENTS if self._scene.document else OPINIONS
        table = opinions if self._scene.judging else SPOKEN
        name = matter.name.rsplit("_", 1)[-1] if matter.name.endswith(mock_marks.REASON) else matter.name
        name = SYNONYMS.get(name, name) if name not in table else name
        within = [part for part in matter.spot.split("/")[:-1] if part and not part.isdigit()]
        around = matter.around
        keys = [f"{within[-1]}/{name}"] if within else []
        keys += [
            f"{name}.{around.get('type')}",
            f"{name}.{around.get('option')}",
            f"{name}.{self._level(matter)}",
            name,
        ]
        return next((table[key] for key in keys if key in table), table["any"])

    def _level(self, matter: Matter) -> str:
        """How a judge writes: of nobody in particular, or of a weak, fair or strong performance."""
        if self._first(matter) == mock_marks.NO_ONE:
            return "even"
        return "weak" if matter.level < WEAK else "strong" if matter.level >= STRONG else "fair"

    def _slots(self, matter: Matter) -> dict[str, str]:
        angle = self._angle(matter)
        side = self._side(matter)
        slots = {
            "motion": self._scene.motion,
            "focus": self._scene.focus,
            "angle": angle.name,
            "measure": angle.measure,
            "source": angle.source,
            "stand": _stand(side),
            "target": self._target(matter),
            "name": self._whom(matter) or "the speaker",
            "other": self._other(matter),
            "turn": str(self._turn(matter)),
            "dimension": str(self._dice.pick(_dimensions(matter), "dimension", matter.spot)),
        }
        slots |= self._clauses(angle, side, slots)
        return slots | {key[0].upper() + key[1:]: _capital(value) for key, value in slots.items()}

    def _clauses(self, angle: Angle, side: str, slots: Mapping[str, str]) -> dict[str, str]:
        if side in {"for", "against"}:
            case, counter = (angle.gain, angle.harm) if side == "for" else (angle.harm, angle.gain)
            return {"case": case, "counter": counter}
        return {"case": self._dice.pick(NEITHER, side, angle.name).format_map(dict(slots)), "counter": angle.harm}

    def _angle(self, matter: Matter) -> Angle:
        """The angle of the argument meant, where that can be told; else the next of the speaker's own choice."""
        item = self._item(matter)
        meant = self._scene.angle_of(item) if item else None
        if meant is not None:
            return meant
        if self._scene.judging:
            return self._dice.pick(self._scene.angles, "angle", matter.spot)
        order = self._lasting.order(ANGLES, "angles", self._scene.motion, self._scene.speaker)
        return order[(self._scene.own_arguments + matter.position) % len(order)]

    def _side(self, matter: Matter) -> str:
        whom = self._whom(matter)
        side = self._scene.sides.get(whom or "")
        if side is not None:
            return side
        return "for" if self._dice.unit("side", matter.spot) < 0.5 else "against"  # noqa: PLR2004 - a coin

    def _whom(self, matter: Matter) -> str | None:
        """Whom the sentence is about; for a debater, the debater."""
        if not self._scene.judging:
            return self._scene.speaker
        around = matter.around
        item = self._item(matter)
        found = around.get("participant") or around.get("heading") or (self._scene.speaker_of(item) if item else None)
        found = found or self._first(matter) or self._scene.speaker
        return str(found) if found else next(iter(self._scene.sides), None)

    def _first(self, matter: Matter) -> str | None:
        """Whom the answer puts first or, where it asks about marks that were given before, these."""
        told = mock_marks.first(matter.around, self._scene.sides)
        if told is None and self._scene.scorecard:
            return str(self._scene.scorecard.get("winner") or mock_marks.NO_ONE)
        return told

    def _other(self, matter: Matter) -> str:
        others = [name for name in self._scene.sides if name != self._whom(matter)]
        return others[0] if len(others) == 1 else "the other side"

    def _target(self, matter: Matter) -> str:
        targets: object = matter.around.get("targets")
        listed = cast("list[object]", targets) if isinstance(targets, list) else []
        return self._item(matter) or str(next(iter(listed), "the argument"))

    def _turn(self, matter: Matter) -> int:
        turns = [int(turn["turn"]) for turn in self._scene.turns]
        return self._dice.pick(turns, "turn", matter.spot) if turns else 0

    @staticmethod
    def _item(matter: Matter) -> str | None:
        found = matter.around.get("target") or matter.around.get("question_target") or matter.around.get("item")
        return str(found) if found else None


def fitted(text: str, most: int | None, words: int | None = None) -> str:
    """`text` shortened to `most` characters and `words` words, after a sentence if one fits, else after a word."""
    if words is not None and len(text.split()) > words:
        text = " ".join(text.split()[:words])
        most = min(most, len(text)) if most is not None else len(text)
        text += " "
    if most is None or len(text) <= most:
        return text
    cut = text[: most + 1]
    sentence = max(cut.rfind(sign) for sign in (". ", "? ", "! "))
    if sentence > 0:
        return text[: sentence + 1]
    word = re.match(r"(?s)(.*\S)\s", cut)
    return word[1].rstrip(",;:") if word else text[:most]


def _dimensions(matter: Matter) -> list[str]:
    """Names of the dimensions that a panel judge has just marked."""
    found: object = matter.around.get("dimensions")
    listed = cast("list[object]", found) if isinstance(found, list) else []
    entries = [cast("Mapping[str, Any]", entry) for entry in listed if isinstance(entry, dict)]
    return [str(entry["name"]) for entry in entries if "name" in entry] or ["evidence"]


def _stand(side: str) -> str:
    if side in {"for", "against"}:
        return f"{side} the motion"
    return f"for the position “{side}”"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
