"""Finds the facts in a prompt, writes sentences from `sentences.yaml`, and quotes sources, for the mock.

A fact that a prompt lacks has a neutral default, so the mock can answer any prompt.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal, TypeVar, cast

import yaml
from pydantic import BaseModel, ConfigDict

from debate_cli.domain.nested_texts import iter_texts
from debate_cli.llm.model import Request

T = TypeVar("T")
Json = Mapping[str, Any]

MIN_SENTENCE_CHARS = 30
"""A mock judge quotes from a speech only sentences with at least this many characters."""
MIN_PASSAGE_CHARS = 12
"""Minimum length in characters of a mock judge's quote from a document. Such a quote is the beginning of a sentence."""
_STRING = r'("(?:[^"\\]|\\.)*")'
_MOTION = re.compile(rf"^(?:Motion|MOTION|TITLE): {_STRING}", re.MULTILINE)
_DOCUMENT = re.compile(rf"^DOCUMENT: {_STRING}$", re.MULTILINE)
_SIDES = re.compile(rf"(?:You are |Against you: |, ){_STRING}, side {_STRING}")
_SPEAKER = re.compile(rf"^You are {_STRING}, side", re.MULTILINE)
_JUDGED_TURN = re.compile(rf"\bturn (\d+) by {_STRING}")
_OWN_VOTE = re.compile(r"^Your last vote: (\{.*\})$", re.MULTILINE)
_SCORECARD = re.compile(r"^The scorecard of single turns, as data: (\{.*\})$", re.MULTILINE)
_PASSAGE = re.compile(rf"^Passage (S\d+), {_STRING.replace('(', '(?:', 1)}: {_STRING}$", re.MULTILINE)
_CITED_SOURCE = re.compile(r'"source"\s*:')
_WORD = re.compile(r"[^\W\d_][\w-]{3,}")
_NOT_A_NOUN = re.compile(
    r".*(?:ly|ing|ive|ous|ful|able|ible|less|ed)$|(?:should|would|could|there|their|these|those|under|with|from|into|more"
    r"|most|than|that|this|what|when|where|which|whether|while|over|after|before|about|against|between|become|make|makes"
    r"|have|been|will|must|does|adopt|replace|allow|every|small|large|best|better|good|first|only|also|still|they|them|each"
    r"|other|another|ever)$"
)


class PromptFacts:
    """What the mock finds in the prompt of one request, e.g. the motion, the debaters' sides and the turns."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.user_text = "\n".join(message.content for message in request.messages if message.role == "user")
        self.is_judge = request.purpose.startswith("judge.")
        last = request.messages[-1].content if request.messages else ""
        self.task = last[request.stable_chars :] if self.is_judge else last
        """The task in the prompt: for a judge the text after the transcript, for a debater the last message."""
        self.motion: str = _find_json(_MOTION, self.user_text) or "the proposal"
        """The motion, or the title of a judged document."""
        self.document: str = _find_json(_DOCUMENT, self.user_text)
        """The judged document; empty for a debate."""
        self.sides = _find_sides(self.user_text)
        """Maps the name of a debater to the debater's side."""
        found = _parse_lines(self.user_text)
        self.turns = tuple(turn for turn in found if type(turn.get("turn")) is int and "speaker" in turn)
        """The turns of the transcript that a judge reads."""
        self.speakers = {
            argument.get("id"): str(turn["speaker"])
            for turn in reversed(self.turns)
            for argument in list_objects(turn, "arguments")
        }
        """Maps the id of an argument to the debater who made it; for a repeated id, to the first debater."""
        items = _parse_lines(self.task)
        self.quote_checks = {
            str(item["citation"]): str(item.get("quote_check")) for item in items if "citation" in item
        }
        """Maps the id of a citation to the result of its quote check, as the prompt states it."""
        self.looked_up = {
            item["passage"]: str(item.get("text")) for item in items if isinstance(item.get("passage"), str)
        }
        """Maps the id of each search result in the task to its text."""
        own = [message.content for message in request.messages if message.role == "assistant"]
        self.own_turns = tuple(map(_parse_object, own))
        """Earlier answers of the debater who is asked, as parsed JSON."""
        self.own_citation_count = sum(len(_CITED_SOURCE.findall(content)) for content in own)
        self.debate_text = "\n".join([*own, self.user_text])
        """The debater's earlier answers, followed by the other messages of the prompt."""

    @cached_property
    def speaker(self) -> str | None:
        """Name of the debater who is asked or, in a judge's prompt, of the debater who spoke in the judged turn.

        None if the prompt names no such debater.
        """
        if not self.is_judge:
            return _find_json(_SPEAKER, self.user_text) or None
        judged = _JUDGED_TURN.findall(self.task)
        return json.loads(judged[-1][1]) if judged else None

    @cached_property
    def passages(self) -> dict[str, str]:
        """The passages that a debater may cite: maps the id of each passage to its text."""
        return {name: json.loads(text) for name, text in _PASSAGE.findall(self.user_text)}

    @cached_property
    def own_vote(self) -> Json:
        """Last vote of a judge who votes again, as a JSON object; empty for a first vote."""
        return _find_json(_OWN_VOTE, self.user_text) or {}

    @cached_property
    def scorecard(self) -> Json:
        """The scorecard, if the prompt asks why the scorecard and the narrative name different winners.

        Empty in other prompts. The scorecard contains the scores of the turns. The narrative is the judge's account of
        the whole debate.

        The scorecard's key `winner` is a debater's name or null.
        """
        return _find_json(_SCORECARD, self.user_text) or {}

    def document_passages(self) -> list[str]:
        """Return the first words of each quotable sentence of the document; the motion if no sentence is quotable."""
        lines = [line.strip(" \t-*>|") for line in self.document.splitlines() if not line.startswith("#")]
        starts = [first_words(part) for line in lines for part in re.split(r"(?<=[.!?])\s", line)]
        return [start for start in starts if len(start) >= MIN_PASSAGE_CHARS and '"' not in start] or [self.motion]

    def focus(self) -> str:
        """Return the subject of the motion: its longest word that looks like a noun."""
        words = [word for word in _WORD.findall(self.motion) if not _NOT_A_NOUN.match(word.casefold())]
        return max(words, key=len, default="this proposal")

    def quotable_sentences(self, item: str | None, *, before: bool) -> list[str]:
        """Return the sentences that a judge can quote.

        - If `item` is the id of an argument: the sentences of the argument's claim.
        - If `item` is None: the sentences of the judged turn. If `before` is true, the sentences of the turn before the
          judged turn. If the prompt names no judged turn, the sentences of all turns.
        """
        if item:
            arguments = [each for turn in self.turns for each in list_objects(turn, "arguments")]
            texts = [str(each.get("claim")) for each in arguments if each.get("id") == item]
        else:
            judged = sorted({int(index) for index, _ in _JUDGED_TURN.findall(self.task)})
            quoted = [judged[0] - 1] if before and len(judged) == 1 else judged[:1]
            turns = [turn for turn in self.turns if not judged or turn["turn"] in quoted]
            texts = [text for turn in turns for text in iter_texts(turn, keys=False)]
        return [part for text in texts for part in re.split(r"(?<=[.!?])\s", text) if len(part) >= MIN_SENTENCE_CHARS]


def _find_json(pattern: re.Pattern[str], text: str) -> Any:
    found = pattern.search(text)
    return json.loads(found[1]) if found else ""


def _find_sides(text: str) -> dict[str, str]:
    for line in text.splitlines():
        if line.startswith("DEBATERS: "):
            return {item["name"]: item["side"] for item in json.loads(line.removeprefix("DEBATERS: "))}
    return {json.loads(name): json.loads(side) for name, side in _SIDES.findall(text)}


def first_words(sentence: str, count: int = 9) -> str:
    """Return the first `count` words of `sentence`, without a punctuation mark at the end.

    If a number would be the last of these words, it is left out, because its unit may follow.
    """
    words = sentence.split()
    size = count - (len(words) > count and words[count - 1][-1].isdigit())
    return " ".join(words[:size]).rstrip(".,;:?!")


def list_objects(values: Json, name: str) -> list[Json]:
    """Return the objects in the list `values[name]`; empty if there is no such list."""
    found: object = values.get(name)
    items = cast("list[object]", found) if isinstance(found, list) else []
    return [cast("Json", item) for item in items if isinstance(item, dict)]


def _parse_lines(text: str) -> list[dict[str, Any]]:
    return [value for line in text.splitlines() if line.startswith("{") and (value := _parse_object(line))]


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value: object = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


# Sentences -----------------------------------------------------------------------------------------------------------

_ARGUMENT_NUMBER = re.compile(r'"[^"\s]*-(\d{1,9})"')
WINNER_FIELDS = ("momentum_toward", "winner", "logic", "rhetoric", "tactics")
"""Properties of a judge's answer whose value may be the leading side."""
NO_WINNER = frozenset({"draw", "even"})
"""Values of WINNER_FIELDS that name no side."""
CLOSE_SHARE = 0.04
"""Two sides are tied if their total scores differ by at most this share of the higher total score."""
TIED = ""
"""Result of `find_leader` if no side leads."""
WEAK_BELOW, STRONG_FROM = 0.51, 0.75
"""A performance is weak if its quality (0-1) is below the first number, and strong if it reaches the second number."""


class SeededRandom:
    """Random numbers and choices, equal on every machine. Each of them depends only on `seed` and on a key."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def unit(self, *key: object) -> float:
        """Return a random number, at least 0 and below 1, that depends on the seed and on `key`."""
        text = "/".join([self._seed, *map(str, key)])
        return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:6]) / 2**48

    def pick(self, choices: Sequence[T], *key: object) -> T:
        """Return one of `choices`, all equally likely. The choice depends on the seed and on `key`."""
        return choices[int(self.unit(*key) * len(choices))]

    def shuffle(self, items: Sequence[T], *key: object) -> list[T]:
        """Return `items` in a random order that depends on the seed and on `key`."""
        return [items[index] for index in sorted(range(len(items)), key=lambda index: self.unit(*key, index))]


class SentenceBank(BaseModel):
    """The content of `sentences.yaml`. Comments in the file explain the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    angles: tuple[dict[str, str], ...]
    """Points of view for arguing any motion, each with name, gain, harm, measure and source."""
    neutral_cases: tuple[str, ...]
    debater: dict[str, tuple[str, ...]]
    judge: dict[str, tuple[str, ...]]
    document_judge: dict[str, tuple[str, ...]]
    synonyms: dict[str, str]
    list_lengths: dict[str, tuple[float, ...]]
    choice_weights: dict[str, dict[str, float]]
    samples: tuple[dict[str, str], ...]


@cache
def load_sentence_bank() -> SentenceBank:
    """Return the packaged sentence bank."""
    return SentenceBank.model_validate(
        yaml.safe_load(files("debate_cli.providers.mock").joinpath("sentences.yaml").read_text("utf-8"))
    )


@dataclass(frozen=True, slots=True)
class Place:
    """A field of a mock answer, with the facts that the field's sentence mentions."""

    name: str = "text"
    """Name of the field. If the field is an item of a list: name of the list."""
    path: str = ""
    """Path of the field within the answer, such as `/scores/0/reason`."""
    values: Json = field(default_factory=dict[str, Any])
    """Maps names to the values of fields that are already filled in: earlier fields of the object that contains this
    field, and of the objects around it."""
    index: int = 0
    """Index of the list item that contains the field. In nested lists, the index in the innermost list. Otherwise 0."""
    quality: float = 0.6
    """How the sentence rates the judged performance: 0 is bad, 1 is good."""


class SentenceWriter:
    """Writes the sentences of one answer.

    `lasting`: random numbers that are equal in all answers of a model. `random`: random numbers for this answer.
    """

    def __init__(self, facts: PromptFacts, lasting: SeededRandom, random: SeededRandom) -> None:
        self._facts = facts
        self._lasting = lasting
        self._random = random
        self._bank = load_sentence_bank()

    def write(self, place: Place, max_chars: int | None = None) -> str:
        """Return a text for `place` of at most `max_chars` characters. If all texts are longer, return the shortest.

        A claim that is already in the prompt gets a prefix such as `Point 4:`.
        """
        templates = self._templates(place)
        slots = self._slots(place)
        first = int(self._random.unit("phrase", place.name) * len(templates)) + place.index + len(self._facts.own_turns)
        prefix = "I turn to {target}. " if place.name == "speech" and place.values.get("targets") else ""
        texts = [
            (prefix + templates[(first + step) % len(templates)]).format_map(slots) for step in range(len(templates))
        ]
        text = next((text for text in texts if max_chars is None or len(text) <= max_chars), min(texts, key=len))
        if place.name != "claim" or self._facts.is_judge or text not in self._facts.debate_text:
            return text
        last = max(map(int, _ARGUMENT_NUMBER.findall(self._facts.debate_text)), default=0)
        return f"Point {last + 1 + place.index}: {text}"

    def _templates(self, place: Place) -> tuple[str, ...]:
        table = self._bank.judge if self._facts.is_judge else self._bank.debater
        if self._facts.is_judge and self._facts.document:
            table = table | self._bank.document_judge
        name = "reason" if place.name.endswith("_reason") else place.name
        name = self._bank.synonyms.get(name, name) if name not in table else name
        parents = [part for part in place.path.split("/")[:-1] if part and not part.isdigit()]
        quality = "weak" if place.quality < WEAK_BELOW else "strong" if place.quality >= STRONG_FROM else "fair"
        keys = [
            f"{parents[-1] if parents else ''}/{name}",
            f"{name}.{place.values.get('type')}",
            f"{name}.{place.values.get('supports')}",
            f"{name}.exists_{place.values.get('exists')}",
            f"{name}.{place.values.get('option')}",
            f"{name}.{'even' if self._leader(place) == TIED else quality}",
            name,
        ]
        return next((table[key] for key in keys if key in table), table["any"])

    def _slots(self, place: Place) -> dict[str, str]:
        facts, angle = self._facts, self._angle(place)
        name = self._person(place) or "the speaker"
        side = facts.sides.get(self._person(place) or "") or self._random.pick(("for", "against"), "side", place.path)
        others = [other for other in facts.sides if other != name]
        targets: object = place.values.get("targets")
        target = str(targets[0]) if isinstance(targets, list) and targets else "the argument"  # pyright: ignore[reportUnknownArgumentType]
        dimensions = [str(item["name"]) for item in list_objects(place.values, "dimensions") if "name" in item]
        slots = {
            "motion": facts.motion,
            "focus": facts.focus(),
            "angle": angle["name"],
            "measure": angle["measure"],
            "source": angle["source"],
            "stand": f"{side} the motion" if side in {"for", "against"} else f"for the position “{side}”",
            "target": find_item(place.values) or target,
            "name": name,
            "other": others[0] if len(others) == 1 else "the other side",
            "argument": str(self._random.pick(list(facts.speakers) or ["the argument"], "argument", place.path)),
            "dimension": self._random.pick(dimensions or ["evidence"], "dimension", place.path),
            "case": angle["harm"] if side == "against" else angle["gain"],
            "counter": angle["gain"] if side == "against" else angle["harm"],
        }
        if facts.document:
            slots["passage"] = self._random.pick(facts.document_passages(), "passage", place.path)
        if side not in {"for", "against"}:
            slots["case"] = self._random.pick(self._bank.neutral_cases, side, angle["name"]).format_map(slots)
        return slots | {key.capitalize(): value[:1].upper() + value[1:] for key, value in slots.items()}

    def _angle(self, place: Place) -> dict[str, str]:
        angles = self._bank.angles
        start = self._facts.debate_text.find(find_item(place.values) or "\0")
        passage = self._facts.debate_text[start : start + 400].casefold() if start >= 0 else ""
        found = [
            (at, angle)
            for angle in angles
            for clause in (angle["gain"], angle["harm"])
            if (at := passage.find(clause)) >= 0
        ]
        if found:
            return min(found, key=lambda pair: pair[0])[1]
        if self._facts.is_judge:
            said = self._facts.user_text.casefold()
            used = [angle for angle in angles if angle["gain"] in said or angle["harm"] in said]
            return self._random.pick(used or angles, "angle", place.path)
        order = self._lasting.shuffle(angles, "angles", self._facts.motion, self._facts.speaker)
        made = sum(len(list_objects(turn, name)) for turn in self._facts.own_turns for name in ("arguments", "claims"))
        return order[(made + place.index) % len(order)]

    def _person(self, place: Place) -> str | None:
        if not self._facts.is_judge:
            return self._facts.speaker
        found = place.values.get("participant") or place.values.get("heading")
        found = found or self._facts.speakers.get(find_item(place.values))
        found = found or self._leader(place) or self._facts.speaker
        return str(found) if found else next(iter(self._facts.sides), None)

    def _leader(self, place: Place) -> str | None:
        leader = find_leader(place.values, self._facts.sides)
        if leader is None and self._facts.scorecard:
            return str(self._facts.scorecard.get("winner") or TIED)
        return leader


def find_leader(values: Json, names: Collection[str]) -> str | None:
    """Return the name of the leading side in `values`; TIED for a tie; None if `values` does not show who leads.

    If `values` has fields for a winner, the most common name in them is the leader. Otherwise, the leader is the side
    with the highest total.

    `values`: fields of a judge's answer. `names`: names of the sides.
    """
    choices = [values[key] for key in WINNER_FIELDS if isinstance(values.get(key), str)]
    votes = Counter(name for name in choices if name in names)
    if votes or NO_WINNER.intersection(choices):
        return _highest(votes, margin=0.0)
    totals = participant_totals(values)
    return _highest(totals, margin=CLOSE_SHARE) if len(totals) > 1 else None


def participant_totals(values: Json) -> dict[str, int]:
    """Map each participant in the list `scores` of `values` to the participant's total. `values`: a judge's answer."""
    scores = [entry for entry in list_objects(values, "scores") if "participant" in entry]
    return {str(entry["participant"]): entry["total"] for entry in scores if isinstance(entry.get("total"), int)}


def find_item(values: Json) -> str | None:
    """Return the id of the argument that `values`, an object in an answer, is about; None if it names no argument."""
    found = values.get("target") or values.get("question_target") or values.get("item")
    return str(found) if found else None


def cut_to_limits(text: str, max_chars: int | None, max_words: int | None = None) -> str:
    """Cut `text` to at most `max_chars` characters and `max_words` words; None means no limit.

    The cut is at the end of a sentence if possible, else at the end of a word.
    """
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


# Quotes of sources ---------------------------------------------------------------------------------------------------

Manner = Literal["exact", "near", "altered", "invented"]
MANNERS: tuple[Manner, ...] = (
    "exact", "exact", "altered", "exact", "near", "exact", "exact", "invented", "near", "exact",
)  # fmt: skip
"""How the mock quotes passages. Entry 1 is the manner of a debater's first quote, entry 2 of the second, and so on.
After the last entry, the list begins again."""
MIN_SENTENCE_WORDS, MAX_CITED_WORDS = 6, 16
"""The mock quotes from sentences with at least MIN_SENTENCE_WORDS words. A quote has at most MAX_CITED_WORDS words."""
INVENTED_QUOTE = "every team that has tried it would do it again"
_ARTICLE = re.compile(r"(?<=[a-z] )(?:the|an?) (?=[a-z])")
_NEGATION = re.compile(r"\b(?:not|no) ")
_NUMBER_EXCEPT_YEARS = re.compile(r"(?<![\w.,])(?!(?:19|20)\d\d\b)\d[\d.,]*(?=\W|$)")
_VERB = re.compile(r"\b(is|are|was|were|has|had|would|will|can|could) ")


def cite(passage: str, number: int, random: SeededRandom) -> str:
    """Return a quote of the text `passage`. `MANNERS[number % len(MANNERS)]` says how it differs from the text.

    - `exact`: not at all.
    - `near`: an article is left out, if there is one.
    - `altered`: the meaning is changed, e.g. by another number.
    - `invented`: the quote is `INVENTED_QUOTE`, which is not in the text.
    """
    manner = MANNERS[number % len(MANNERS)]
    sentences = [part for part in re.split(r"(?<=[.!?])\s+|\n", passage) if len(part.split()) >= MIN_SENTENCE_WORDS]
    quotes = [first_words(sentence, MAX_CITED_WORDS) for sentence in sentences or [passage]]
    if manner == "near":
        quotes = [_ARTICLE.sub("", quote, count=1) for quote in quotes if _ARTICLE.search(quote)] or quotes
    if manner == "altered":
        telling = [quote for quote in quotes if _NEGATION.search(quote) or _NUMBER_EXCEPT_YEARS.search(quote)]
        quotes = [_alter_meaning(quote) for quote in telling or quotes]
    return INVENTED_QUOTE if manner == "invented" else random.pick(quotes, "cited", number)


def _alter_meaning(quote: str) -> str:
    if _NEGATION.search(quote):
        return _NEGATION.sub("", quote, count=1)
    numbers = list(_NUMBER_EXCEPT_YEARS.finditer(quote))
    if numbers:
        place = numbers[-1].start()
        return f"{quote[:place]}{int(quote[place]) % 9 + 1}{quote[place + 1 :]}"
    return _VERB.sub(r"\1 not ", quote, count=1) if _VERB.search(quote) else f"{quote} in every case"
