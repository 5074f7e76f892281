"""A mock judge with known biases, to check whether an audit finds them.

Its opinion depends on the words: the merit of a side follows from its first claim, whatever its name, place, length or
tone. The configured biases are added. A side without substance has merit 0.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, cast

from debate_cli.domain.config import MockBias
from debate_cli.providers.mock.opinions import DRAW_MARGIN, Opinions
from debate_cli.providers.mock.prompt_facts import Json, PromptFacts, list_objects
from debate_cli.providers.mock.sentences import NO_WINNER, Place, SeededRandom

LOWEST_MERIT, MERIT_RANGE = 0.35, 0.3
"""Lowest merit, and difference between the highest and the lowest."""
CLAIM_WORDS = 8
"""Number of words at the beginning of a claim that determine its merit."""
LENGTH_STEP = 0.3
"""Difference in length, as a share, from which the longer side gets the whole bias for length."""
DITHER = 0.08
"""Width of the random change of each mark, so that rounding evens out. The change is equal in every judgement."""
LEAST_WORDS = 15
"""A side with fewer different words has no substance."""
_CERTAIN = re.compile(
    r"\b(?:no doubt|absolutely certain|nobody can seriously deny|certainly|undeniabl[ey]|clearly)\b", re.IGNORECASE
)
_UNSURE = re.compile(r"\b(?:may be wrong|not quite sure|perhaps|possibly|might)\b", re.IGNORECASE)
_STUDY = re.compile(r"\bstudy by [^.]{3,60}\(\d{4}\)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_STRUCTURE = frozenset({"turn", "round", "phase", "speaker", "id", "target", "type", "shift", "question_target"})


class BiasedOpinions(Opinions):
    """Opinions that follow from the words of each side and from `bias`."""

    def __init__(self, facts: PromptFacts, lasting: SeededRandom, random: SeededRandom, bias: MockBias) -> None:
        super().__init__(facts, lasting, random)
        self._bias = bias

    @cached_property
    def _skills(self) -> dict[str, float]:
        """Opinion of each side, 0 to 1: its merit plus the biases."""
        names = list(self._facts.sides)
        turns = {name: [turn for turn in self._facts.turns if turn.get("speaker") == name] for name in names}
        words = {name: " ".join(_spoken(own)) for name, own in turns.items()}
        found: dict[str, float] = {}
        for position, name in enumerate(names):
            others = [len(words[other].split()) for other in names if other != name] or [0]
            merit = _merit(turns[name], words[name])
            if not merit:
                found[name] = 0.0
                continue
            excess = len(words[name].split()) * len(others) / max(1, sum(others)) - 1
            found[name] = (
                merit
                + (self._bias.first / 2 if position == 0 else -self._bias.first / 2)
                + self._bias.longer / 2 * min(1.0, max(-1.0, excess / LENGTH_STEP))
                + self._bias.confident * self._confidence(words[name])
                + (self._bias.citation if _STUDY.search(words[name]) else 0.0)
                + self._bias.noise * (2 * self._random.unit("noise", name) - 1)
            )
        return {name: min(1.0, max(0.0, value)) for name, value in found.items()}

    @staticmethod
    def _confidence(words: str) -> float:
        """Tone of a side, from -1 (unsure) to 1 (certain). Five words of one kind more than of the other give the extreme."""
        balance = len(_CERTAIN.findall(words)) - len(_UNSURE.findall(words))
        return min(1.0, max(-1.0, balance / 5))

    def _impression(self, place: Place) -> float:
        opinion = self._skill(place.values)
        if not opinion:
            return 0.0
        return min(1.0, max(0.0, opinion + DITHER * (self._lasting.unit("dither", place.path) - 0.5)))

    def _share(self, place: Place, *, is_whole: bool) -> float:
        item = str(place.values.get("item"))
        is_score = "participant" in place.values or self._facts.find_speaker(item) is not None
        if is_score or place.name in {"persuasion", "attack"}:
            return self._impression(place)
        return super()._share(place, is_whole=is_whole)

    def _choose_winner(self, place: Place, words: Sequence[str]) -> str:
        ranked = sorted(((self._skills.get(word, 0.0), word) for word in words if word not in NO_WINNER), reverse=True)
        if len(ranked) < 2 or ranked[0][0] - ranked[1][0] < DRAW_MARGIN / 2:  # noqa: PLR2004 - a winner beats another
            return next(word for word in words if word in NO_WINNER)
        return ranked[0][1]

    @cached_property
    def _vote(self) -> str:
        sides = {side: name for name, side in self._facts.sides.items()}
        lead = self._skills.get(sides.get("for", ""), 0.5) - self._skills.get(sides.get("against", ""), 0.5)
        return "CONDITIONAL" if abs(lead) < DRAW_MARGIN / 2 else "PASS" if lead > 0 else "FAIL"


def _merit(turns: Sequence[Json], words: str) -> float:
    """Merit of the side that made these turns; 0 if they have no substance. `words`: all words of the turns."""
    if len({word.casefold() for word in _WORD.findall(words)}) < LEAST_WORDS:
        return 0.0
    claims = [*list_objects(turns[0], "arguments"), turns[0]]
    return LOWEST_MERIT + MERIT_RANGE * claim_merit(str(claims[0].get("claim") or claims[0].get("text") or ""))


def claim_merit(claim: str) -> float:
    """Merit of a claim, 0 to 1: random, but equal for every judge."""
    return SeededRandom("merit").unit(" ".join(claim.split()[:CLAIM_WORDS]))


def answer_merit(answer: str) -> float:
    """Merit of the first claim in a debater's JSON answer; 0 if it has none."""
    found: Any = json.loads(answer)
    claims = [*list_objects(found, "arguments"), *list_objects(found, "claims")] if isinstance(found, dict) else []  # pyright: ignore[reportUnknownArgumentType]
    return claim_merit(str(claims[0].get("claim", ""))) if claims else 0.0


def _spoken(value: Any) -> Iterator[str]:
    """All texts in `value`, without ids and other structure."""
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _spoken(item) if key not in _STRUCTURE else ()
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _spoken(item)
    elif isinstance(value, str):
        yield value
