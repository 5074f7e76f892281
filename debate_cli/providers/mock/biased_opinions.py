"""A mock judge with known biases. They show whether an audit finds a bias.

The judge's opinion depends on the words. The merit of a side follows from its first claim, not from its name, position,
length or tone. The configured biases are added. A side without substance has merit 0.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from debate_cli.domain.config import MockBias
from debate_cli.providers.mock.prompt_facts import PromptFacts, list_objects
from debate_cli.providers.mock.sentences import SeededRandom

LOWEST_MERIT, MERIT_RANGE = 0.35, 0.3
"""Lowest merit, and difference between the highest and the lowest."""
CLAIM_WORDS = 8
"""Number of words at the beginning of a claim that determine the claim's merit."""
LENGTH_STEP = 0.3
"""A side gets the whole bias for length if it is longer than the average of the other sides by this share of it."""
DITHER = 0.08
"""Width of the random change of each mark, which evens out rounding. The change is equal in every judgement."""
DRAW_MARGIN = 0.08
"""Difference of two sides' skills below which a mock judge without bias decides on a draw. A biased judge decides on a
draw below half this difference."""
TONE_WORDS = 5
"""A side gets the whole bias for tone if it has this many more words of one tone (certain or unsure) than of the
other."""
LEAST_WORDS = 15
"""Minimum number of different words of a side with substance."""
_CERTAIN = re.compile(
    r"\b(?:no doubt|absolutely certain|nobody can seriously deny|certainly|undeniabl[ey]|clearly)\b", re.IGNORECASE
)
_UNSURE = re.compile(r"\b(?:may be wrong|not quite sure|perhaps|possibly|might)\b", re.IGNORECASE)
_STUDY = re.compile(r"\bstudy by [^.]{3,60}\(\d{4}\)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_STRUCTURE = frozenset({"turn", "round", "phase", "speaker", "id", "target", "type", "shift", "question_target"})


def judge_words(facts: PromptFacts, random: SeededRandom, bias: MockBias) -> dict[str, float]:
    """Return the opinion of each side, 0 to 1: the side's merit plus the biases."""
    turns = {name: [turn for turn in facts.turns if turn.get("speaker") == name] for name in facts.sides}
    words = {name: " ".join(_spoken(own)) for name, own in turns.items()}
    lengths = {name: len(text.split()) for name, text in words.items()}
    found: dict[str, float] = {}
    for position, (name, text) in enumerate(words.items()):
        if len({word.casefold() for word in _WORD.findall(text)}) < LEAST_WORDS:
            found[name] = 0.0
            continue
        first = turns[name][0]
        claim = [*list_objects(first, "arguments"), first][0]
        others = [lengths[other] for other in words if other != name] or [0]
        excess = lengths[name] * len(others) / max(1, sum(others)) - 1
        tone = len(_CERTAIN.findall(text)) - len(_UNSURE.findall(text))
        opinion = (
            LOWEST_MERIT
            + MERIT_RANGE * claim_merit(str(claim.get("claim") or claim.get("text") or ""))
            + (bias.first / 2 if position == 0 else -bias.first / 2)
            + bias.longer / 2 * _limit(excess / LENGTH_STEP)
            + bias.confident * _limit(tone / TONE_WORDS)
            + (bias.citation if _STUDY.search(text) else 0.0)
            + bias.noise * (2 * random.unit("noise", name) - 1)
        )
        found[name] = min(1.0, max(0.0, opinion))
    return found


def _limit(value: float) -> float:
    return min(1.0, max(-1.0, value))


def claim_merit(claim: str) -> float:
    """Return the merit of a claim, 0 to 1. It is random, but equal for every judge."""
    return SeededRandom("merit").unit(" ".join(claim.split()[:CLAIM_WORDS]))


def answer_merit(answer: str) -> float:
    """Return the merit of the first claim in a debater's JSON answer; 0 without a claim."""
    found: Any = json.loads(answer)
    claims = [*list_objects(found, "arguments"), *list_objects(found, "claims")] if isinstance(found, dict) else []  # pyright: ignore[reportUnknownArgumentType]
    return claim_merit(str(claims[0].get("claim", ""))) if claims else 0.0


def _spoken(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _spoken(item) if key not in _STRUCTURE else ()
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _spoken(item)
    elif isinstance(value, str):
        yield value
