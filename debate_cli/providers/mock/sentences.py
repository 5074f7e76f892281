"""Sentences of the mock: picks one from `sentences.yaml` for a property of a form and fills its slots."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar, cast

import yaml
from pydantic import BaseModel, ConfigDict

from debate_cli.providers.mock.prompt_facts import Json, PromptFacts, list_objects

T = TypeVar("T")

WINNER_FIELDS = ("momentum_toward", "winner", "logic", "rhetoric", "tactics")
"""Properties that may name the leading side, overall or in one respect."""
NO_WINNER = frozenset({"draw", "even"})
"""Options of WINNER_FIELDS that name no side."""
CLOSE_SHARE = 0.04
"""Totals are equal if they differ by less than this share of the higher one."""
OUTPERFORMED_SHARE = 0.85
"""A participant with less than this share of the highest total was consistently outperformed."""
TIED = ""
"""The result of `find_leader` if no side leads."""
WEAK_BELOW, STRONG_FROM = 0.51, 0.75
"""Quality (0-1) below which a performance is weak, and from which it is strong."""


class SeededRandom:
    """Random draws that are equal on every machine. A draw depends on `seed` and its key, not on earlier draws."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def unit(self, *key: object) -> float:
        """A number in [0, 1)."""
        text = "/".join([self._seed, *map(str, key)])
        return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:6]) / 2**48

    def pick(self, choices: Sequence[T], *key: object) -> T:
        """One of `choices`, all equally likely."""
        return choices[int(self.unit(*key) * len(choices))]

    def shuffle(self, items: Sequence[T], *key: object) -> list[T]:
        """`items` in random order."""
        return [items[index] for index in sorted(range(len(items)), key=lambda index: self.unit(*key, index))]


class Angle(BaseModel):
    """A viewpoint from which any motion can be argued."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    gain: str
    harm: str
    measure: str
    source: str


class SentenceBank(BaseModel):
    """The content of `sentences.yaml`; its comments explain the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    angles: tuple[Angle, ...]
    neutral_cases: tuple[str, ...]
    debater: dict[str, tuple[str, ...]]
    judge: dict[str, tuple[str, ...]]
    document_judge: dict[str, tuple[str, ...]]
    synonyms: dict[str, str]
    list_lengths: dict[str, tuple[float, ...]]
    choice_weights: dict[str, dict[str, float]]


@cache
def load_sentence_bank() -> SentenceBank:
    """The packaged sentence bank."""
    return SentenceBank.model_validate(
        yaml.safe_load(files("debate_cli.providers.mock").joinpath("sentences.yaml").read_text("utf-8"))
    )


@dataclass(frozen=True, slots=True)
class Place:
    """A field of a mock answer, with the facts for its sentence."""

    name: str = "text"
    """Name of the property; for the items of a list, name of the list."""
    path: str = ""
    """Path of the place within the answer, which is unique."""
    values: Json = field(default_factory=dict[str, Any])
    """Values written so far, of this object and the objects around it."""
    index: int = 0
    """Index of the innermost list item that contains the place."""
    quality: float = 0.6
    """Quality of the judged performance, 0-1."""


class SentenceWriter:
    """Writes the sentences of one answer. `lasting` is the same for all answers of a model, `random` for this one only."""

    def __init__(self, facts: PromptFacts, lasting: SeededRandom, random: SeededRandom) -> None:
        self._facts = facts
        self._lasting = lasting
        self._random = random
        self._bank = load_sentence_bank()

    def write(self, place: Place, max_chars: int | None = None) -> str:
        """One or more sentences for `place`, of at most `max_chars` characters if the bank has such short ones."""
        templates = self._templates(place)
        slots = self._slots(place)
        first = int(self._random.unit("phrase", place.name) * len(templates)) + place.index + len(self._facts.own_turns)
        prefix = "I turn to {target}. " if place.name == "speech" and place.values.get("targets") else ""
        texts = [
            (prefix + templates[(first + step) % len(templates)]).format_map(slots) for step in range(len(templates))
        ]
        text = next((text for text in texts if max_chars is None or len(text) <= max_chars), min(texts, key=len))
        return self._without_repetition(text, place) if place.name == "claim" else text

    def _without_repetition(self, claim: str, place: Place) -> str:
        """The claim; preceded by `Point 4:` if the prompt contains it already, so that every claim is new."""
        if self._facts.is_judge or claim not in self._facts.debate_text:
            return claim
        return f"Point {self._facts.last_argument_number + 1 + place.index}: {claim}"

    def _templates(self, place: Place) -> tuple[str, ...]:
        table = self._bank.judge if self._facts.is_judge else self._bank.debater
        if self._facts.is_judge and self._facts.is_document:
            table = table | self._bank.document_judge
        name = "reason" if place.name.endswith("_reason") else place.name
        name = self._bank.synonyms.get(name, name) if name not in table else name
        parents = [part for part in place.path.split("/")[:-1] if part and not part.isdigit()]
        tied = self._leader(place) == TIED
        quality = "weak" if place.quality < WEAK_BELOW else "strong" if place.quality >= STRONG_FROM else "fair"
        keys = [
            f"{parents[-1] if parents else ''}/{name}",
            f"{name}.{place.values.get('type')}",
            f"{name}.{place.values.get('supports')}",
            f"{name}.exists_{place.values.get('exists')}",
            f"{name}.{place.values.get('option')}",
            f"{name}.{'even' if tied else quality}",
            name,
        ]
        return next((table[key] for key in keys if key in table), table["any"])

    def _slots(self, place: Place) -> dict[str, str]:
        angle, side, target = self._angle(place), self._side(place), find_item(place.values)
        name = self._person(place) or "the speaker"
        others = [other for other in self._facts.sides if other != name]
        turns = [int(turn["turn"]) for turn in self._facts.turns]
        dimensions = [str(item["name"]) for item in list_objects(place.values, "dimensions") if "name" in item]
        slots = {
            "motion": self._facts.motion,
            "focus": self._facts.focus,
            "angle": angle.name,
            "measure": angle.measure,
            "source": angle.source,
            "stand": f"{side} the motion" if side in {"for", "against"} else f"for the position “{side}”",
            "target": target or _first_target(place.values),
            "name": name,
            "other": others[0] if len(others) == 1 else "the other side",
            "turn": str(self._random.pick(turns, "turn", place.path) if turns else 0),
            "dimension": self._random.pick(dimensions or ["evidence"], "dimension", place.path),
        }
        if self._facts.is_document:
            slots["passage"] = self._random.pick(self._facts.document_passages, "passage", place.path)
        if side in {"for", "against"}:
            slots |= {"case": angle.gain, "counter": angle.harm}
            slots |= {"case": angle.harm, "counter": angle.gain} if side == "against" else {}
        else:
            case = self._random.pick(self._bank.neutral_cases, side, angle.name)
            slots |= {"case": case.format_map(slots), "counter": angle.harm}
        return slots | {key.capitalize(): value[:1].upper() + value[1:] for key, value in slots.items()}

    def _angle(self, place: Place) -> Angle:
        """Angle of the argument that the sentence is about. If there is none: random for a judge, else the next one."""
        item = find_item(place.values)
        found = self._angle_of_argument(item) if item else None
        if found is not None:
            return found
        if self._facts.is_judge:
            said = self._facts.user_text.casefold()
            used = [angle for angle in self._bank.angles if angle.gain in said or angle.harm in said]
            return self._random.pick(used or self._bank.angles, "angle", place.path)
        order = self._lasting.shuffle(self._bank.angles, "angles", self._facts.motion, self._facts.speaker)
        return order[(self._facts.own_argument_count + place.index) % len(order)]

    def _angle_of_argument(self, item: str) -> Angle | None:
        """The angle of an argument: the first in the text after its id; None if the mock did not write the argument."""
        start = self._facts.debate_text.find(item)
        if start < 0:
            return None
        passage = self._facts.debate_text[start : start + 400].casefold()
        found = [
            (passage.find(clause), number)
            for number, angle in enumerate(self._bank.angles)
            for clause in (angle.gain, angle.harm)
            if clause in passage
        ]
        return self._bank.angles[min(found)[1]] if found else None

    def _side(self, place: Place) -> str:
        side = self._facts.sides.get(self._person(place) or "")
        return side or ("for" if self._random.unit("side", place.path) < 0.5 else "against")  # noqa: PLR2004 - one half

    def _person(self, place: Place) -> str | None:
        """The participant that the sentence is about. In a debater's answer it is the debater."""
        if not self._facts.is_judge:
            return self._facts.speaker
        item = find_item(place.values)
        found = place.values.get("participant") or place.values.get("heading")
        found = found or (self._facts.find_speaker(item) if item else None)
        found = found or self._leader(place) or self._facts.speaker
        return str(found) if found else next(iter(self._facts.sides), None)

    def _leader(self, place: Place) -> str | None:
        """The leader in this answer, else on the scorecard in the prompt; TIED or None as in `find_leader`."""
        leader = find_leader(place.values, self._facts.sides)
        if leader is None and self._facts.scorecard:
            return str(self._facts.scorecard.get("winner") or TIED)
        return leader


def find_leader(values: Json, names: Collection[str]) -> str | None:
    """The leader among `names` by the winners that `values` names, else by the totals; TIED if equal, None if unknown."""
    choices = [values[key] for key in WINNER_FIELDS if isinstance(values.get(key), str)]
    votes = Counter(name for name in choices if name in names)
    if votes or NO_WINNER.intersection(choices):
        return _highest(votes, margin=0.0)
    totals = _totals(values)
    return _highest(totals, margin=CLOSE_SHARE) if len(totals) > 1 else None


def find_outperformed(values: Json) -> list[str]:
    """Names of the participants whose totals in `values` are far below the highest."""
    totals = _totals(values)
    return [name for name, total in totals.items() if total < OUTPERFORMED_SHARE * max(totals.values())]


def _totals(values: Json) -> dict[str, int]:
    """Participant -> total, for the entries of `scores` that have both."""
    scores = [entry for entry in list_objects(values, "scores") if "participant" in entry]
    return {str(entry["participant"]): entry["total"] for entry in scores if isinstance(entry.get("total"), int)}


def find_item(values: Json) -> str | None:
    """Id of the argument that a sentence is about, from the other fields of its JSON object; None if there is none."""
    found = values.get("target") or values.get("question_target") or values.get("item")
    return str(found) if found else None


def shorten(text: str, max_chars: int | None, max_words: int | None = None) -> str:
    """`text` cut to the limits, after a sentence if one fits, else after a word."""
    if max_words is not None and len(text.split()) > max_words:
        text = " ".join(text.split()[:max_words])
        max_chars = len(text) if max_chars is None else min(max_chars, len(text))
        text += " "
    if max_chars is None or len(text) <= max_chars:
        return text
    cut = text[: max_chars + 1]
    sentence_end = max(cut.rfind(mark) for mark in (". ", "? ", "! "))
    if sentence_end > 0:
        return text[: sentence_end + 1]
    words = re.match(r"(?s)(.*\S)\s", cut)
    return words[1].rstrip(",;:") if words else text[:max_chars]


def _highest(counts: Mapping[str, float], margin: float) -> str:
    best = max(counts, key=lambda name: counts[name], default=TIED)
    rivals = [name for name in counts if name != best and counts[name] >= counts[best] * (1 - margin)]
    return TIED if rivals else best


def _first_target(values: Json) -> str:
    targets = cast("list[object]", values.get("targets") or ["the argument"])
    return str(targets[0]) if isinstance(targets, list) else "the argument"  # pyright: ignore[reportUnnecessaryIsInstance]
