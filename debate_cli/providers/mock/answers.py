"""Answers of the mock: fills in any JSON schema with consistent choices, numbers and sentences.

Scores, comparisons and votes depend on a random skill of each debater. With `bias`, they depend on the speeches.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import combinations
from operator import getitem
from typing import Any, cast

from debate_cli.domain.config import MockBias
from debate_cli.domain.nested_texts import iter_texts
from debate_cli.evidence.unspaced_scripts import count_words
from debate_cli.llm.model import Request
from debate_cli.providers.mock.sentences import (
    MANNERS,
    NO_WINNER,
    TIED,
    Json,
    Place,
    PromptFacts,
    SeededRandom,
    SentenceWriter,
    cite,
    cut_to_limits,
    find_leader,
    first_words,
    list_objects,
    load_sentence_bank,
    participant_totals,
)

_WORD_LIMIT = re.compile(r"at most (\d+) words")
MAX_DEPTH = 12
"""Nesting depth from which optional properties are left out, so that recursive schemas end."""


def write_answer(request: Request, seed: str, bias: MockBias | None = None) -> str:
    """Return the mock's answer to `request`: JSON if the request has a schema, else prose.

    Equal requests and seeds give equal answers. With `bias`, a judge's opinions depend on what the debaters say.
    """
    facts = PromptFacts(request)
    lasting = SeededRandom(seed)
    random = SeededRandom(f"{lasting.unit('request')}/{request.fingerprint()}")
    sentences = SentenceWriter(facts, lasting, random)
    if request.schema is None:
        return sentences.write(Place("reasoning" if facts.is_judge else "text", index=len(facts.own_turns)))
    writer = _FormWriter(request.schema.json, facts, sentences, Opinions(facts, lasting, random, bias))
    return json.dumps(writer.write(request.schema.json, Place()), ensure_ascii=False)


class _FormWriter:
    def __init__(self, root: Json, facts: PromptFacts, sentences: SentenceWriter, opinions: Opinions) -> None:
        self._root = root
        self._facts = facts
        self._sentences = sentences
        self._opinions = opinions

    def write(self, schema: Json, place: Place) -> Any:
        schema = self._resolve(schema, place)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._opinions.choose(place, schema["enum"])
        match _type(schema):
            case "object":
                return self._write_object(schema, place)
            case "array":
                return self._write_array(schema, place)
            case "integer" | "number" as kind:
                return self._opinions.number(place, schema, is_whole=kind == "integer")
            case "boolean":
                return self._opinions.is_true(place)
            case "null":
                return None
            case _:
                return self._write_text(schema, place)

    def _resolve(self, schema: Json, place: Place) -> Json:
        while key := next((key for key in ("$ref", "anyOf", "oneOf", "allOf") if key in schema), None):
            rest = {name: value for name, value in schema.items() if name != key}
            if key == "$ref":
                names = filter(None, schema[key].lstrip("#").split("/"))
                parts = [reduce(getitem, names, cast("Any", self._root))]
            elif key == "allOf":
                parts = [self._resolve(part, place) for part in schema[key]]
            else:
                branches = [branch for branch in schema[key] if branch.get("type") != "null"]
                is_null = len(branches) < len(schema[key]) and (not branches or self._opinions.is_null(place))
                parts = [{"type": "null"} if is_null else branches[0]]
            schema = _merge([rest, *parts])
        return schema

    def _write_object(self, schema: Json, place: Place) -> dict[str, Any]:
        """Return an object that fits `schema`. Sentences are written last, because they mention choices and numbers."""
        required: list[str] = schema.get("required", [])
        any_value: Json = {}
        properties = dict.fromkeys(required, any_value) | cast("dict[str, Json]", schema.get("properties", {}))
        if place.path.count("/") >= MAX_DEPTH:
            properties = {name: part for name, part in properties.items() if name in required}
        properties = {
            name: self._resolve(part, replace(place, name=name, path=f"{place.path}/{name}", values={}))
            for name, part in properties.items()
        }
        written: dict[str, Any] = {}
        order = {name: _writing_order(name, part) for name, part in properties.items()}
        for name in sorted(properties, key=order.__getitem__):
            if order[name] > 0:
                written = _reconcile(written, properties)
            values = {**place.values, **written}
            quality = self._opinions.quality(values, _score_share(name, written, properties))
            inside = Place(name, f"{place.path}/{name}", values, place.index, quality)
            written[name] = self.write(properties[name], inside)
        written = _reconcile(written, properties)
        return {name: written[name] for name in properties}

    def _write_array(self, schema: Json, place: Place) -> list[Any]:
        def inside(index: int) -> Place:
            return replace(place, path=f"{place.path}/{index}", index=index)

        fixed: list[Json] = schema.get("prefixItems", [])
        items = [self.write(part, inside(index)) for index, part in enumerate(fixed)]
        rest: Any = schema.get("items", {})
        least = int(schema.get("minItems", 0))
        most = int(schema.get("maxItems", max(least, 3)))
        if isinstance(rest, bool) or len(items) >= most or (fixed and not rest):
            return items
        rest = self._resolve(rest, place)
        if "enum" in rest:
            return items + self._opinions.choose_some(place, rest["enum"], least, most)
        is_deep = place.path.count("/") >= MAX_DEPTH
        count = max(least, min(most, 0 if is_deep else self._opinions.list_length(place)))
        return items + [self.write(rest, inside(index)) for index in range(len(items), count)]

    def _write_text(self, schema: Json, place: Place) -> str:
        least, most = int(schema.get("minLength", 0)), cast("int | None", schema.get("maxLength"))
        if "pattern" in schema or "format" in schema:
            for sample in load_sentence_bank().samples:
                words = sample["text"]
                is_of_length = least <= len(words) <= (most or len(words))
                is_of_format = schema.get("format") in {None, sample.get("format")}
                if is_of_length and is_of_format and re.search(schema.get("pattern", ""), words):
                    return words
        quote = self._opinions.quote(place) if place.name == "quote" else None
        if quote is not None:
            text = quote
        elif place.name == "claim" and isinstance(place.values.get("quote"), str):
            text = f"{place.values['quote']}."
        elif place.name == "changed_because" and self._opinions.keeps_vote(place.values):
            text = ""
        else:
            text = self._sentences.write(place, most)
        while len(text) < least:
            text += " " + self._sentences.write(replace(place, index=place.index + 1))
        return cut_to_limits(text, most, self._closing_words_left(place))

    def _closing_words_left(self, place: Place) -> int | None:
        """Return the number of words that a field of a closing may have. None: the field has no such limit."""
        position = place.values.get("final_position")
        is_limited = place.name == "final_position" or (place.name == "why" and isinstance(position, str))
        limits = _WORD_LIMIT.findall(self._facts.task) if is_limited else []
        return max(0, int(limits[-1]) - count_words(str(position or ""))) if limits else None


def _writing_order(name: str, schema: Json) -> int:
    if _has_sentences(schema):
        return 1 if name == "scores" else 3
    is_ranking = name == "consistently_outperformed" or NO_WINNER.intersection(map(str, schema.get("enum", ())))
    return 2 if is_ranking else 0


def _has_sentences(schema: Json) -> bool:
    if "const" in schema or "enum" in schema:
        return False
    match _type(schema):
        case "array":
            items = [*schema.get("prefixItems", []), schema.get("items", {})]
            return any(_has_sentences(cast("Json", item)) for item in items if isinstance(item, Mapping))
        case "object":
            return any(map(_has_sentences, schema.get("properties", {}).values()))
        case kind:
            return kind == "string"


def _score_share(name: str, written: Json, properties: Mapping[str, Json]) -> float | None:
    scales = {
        key: properties[key]["maximum"] - properties[key]["minimum"]
        for key, value in written.items()
        if key != "total" and type(value) is int and {"minimum", "maximum"} <= set(properties[key])
    }
    own = name.removesuffix("_reason")
    explained = [own] if own in scales else list(scales)
    size = sum(scales[key] for key in explained)
    return sum(written[key] - properties[key]["minimum"] for key in explained) / size if size else None


def _reconcile(written: dict[str, Any], properties: Mapping[str, Json]) -> dict[str, Any]:
    numbers = {key: value for key, value in written.items() if type(value) is int}
    agreed: dict[str, int] = {}
    if "total" in numbers:
        agreed["total"] = sum(numbers.values()) - numbers["total"]
    if {"delivery", "framing"} <= numbers.keys():
        agreed["delivery"] = min(numbers["delivery"], numbers["framing"])
    for key, value in agreed.items():
        schema = properties[key]
        if "enum" not in schema and schema.get("minimum", value + 1) <= value <= schema.get("maximum", value - 1):
            written = {**written, key: value}
    return written


def _type(schema: Json) -> str:
    kind: Any = schema.get("type")
    if isinstance(kind, list):
        kinds = cast("list[str]", kind)
        return next((item for item in kinds if item != "null"), "null")
    if kind is None:
        return "object" if "properties" in schema else "array" if "items" in schema else "string"
    return str(kind)


def _merge(parts: list[Json]) -> Json:
    merged: dict[str, Any] = {}
    for part in parts:
        properties = {**merged.get("properties", {}), **part.get("properties", {})}
        required = list(dict.fromkeys([*merged.get("required", []), *part.get("required", [])]))
        merged |= part
        merged |= {"properties": properties} if properties else {}
        merged |= {"required": required} if required else {}
    return merged


# Choices and numbers -------------------------------------------------------------------------------------------------

STANDINGS = ((0.45, "REFUTED"), (0.55, "UNCERTAIN"), (0.75, "PARTIALLY_UPHELD"), (1.01, "UPHELD"))
"""Maps a judge's impression of an argument (0-1) to the argument's standing, as pairs (upper bound, standing). The first
pair whose bound is above the impression applies, e.g. UNCERTAIN for an impression of 0.5."""
VOTE_LEVELS = {"PASS": 0.8, "FAIL": 0.2, "CONDITIONAL": 0.5}
"""Maps a mock judge's vote to the level of the numbers in the same answer. Example: in an answer that votes PASS, the
numbers are around 80 % of their range."""
FIRST_VOTE_AGREES, LATER_VOTE_AGREES = 0.4, 0.75
"""Probabilities that a mock judge votes with the majority: in the judge's first vote, and in a later vote."""
LEADER_QUALITY = 0.8
OUTPERFORMED_SHARE = 0.85
"""A participant is listed as consistently outperformed if the total score is below this share of the highest total."""
DEFAULT_LIST_LENGTH = (1.0, 0.5)
PRESSURES = frozenset({"cognitive", "emotional", "strategic", "credibility"})
PROPERTIES_IN_ORDER = frozenset({"participants", "debater", "heading", "participant", "id", "item", "target"})
"""Names of properties whose allowed values are used in order: item 1 of a list gets the first value, and so on."""

SUPPORT_OF_POOR_QUOTES = {"altered": "partly", "not_found": "no", "no_such_source": "no", "unchecked": "unknown"}
"""Maps the result of a failed quote check to the mock's answer in the field `supports`."""
RELEVANCE = {"yes": "yes", "partly": "yes", "contradicts": "yes", "no": "no", "unknown": "unknown"}
"""Maps the mock's answer in the field `supports` to its answer in the field `relevant`."""
QUOTING_LISTS = frozenset({"fallacies", "suspect_claims", "logic_gap", "added"})
"""Names of lists in a judge's answer. Each item of such a list quotes a speech."""


class Opinions:
    """Makes the choices and numbers of one answer.

    `lasting`: random numbers that are equal in all answers of a model. `random`: random numbers for this answer.

    With `bias`, a judge's opinions depend on what the debaters say.
    """

    def __init__(
        self, facts: PromptFacts, lasting: SeededRandom, random: SeededRandom, bias: MockBias | None = None
    ) -> None:
        self._facts = facts
        self._lasting = lasting
        self._random = random
        self._bank = load_sentence_bank()
        self._is_biased = bias is not None
        names = lasting.shuffle(sorted(facts.sides), "skills", facts.motion)
        drawn = {name: (rank + 0.2 + 0.6 * lasting.unit("skill", name)) / len(names) for rank, name in enumerate(names)}
        self._skills = drawn if bias is None else judge_with_bias(facts, random, bias)
        rank = sorted(facts.sides).index(facts.speaker) if facts.speaker in facts.sides else 0
        self._next_citation = facts.own_citation_count + rank * len(MANNERS) // 2

    def _skill(self, values: Json) -> float:
        person = values.get("participant") or self._facts.speakers.get(str(values.get("item"))) or self._facts.speaker
        if person is None:
            person = next((name for name, side in self._facts.sides.items() if side == "for"), None)
        return self._skills.get(str(person), self._lasting.unit("skill", self._facts.motion))

    def _impression(self, place: Place) -> float:
        skill = self._skill(place.values)
        if not self._is_biased:
            return 0.4 + 0.25 * skill + 0.3 * self._random.unit("impression", place.path)
        dither = DITHER * (self._lasting.unit("dither", place.path) - 0.5)
        return min(1.0, max(0.0, skill + dither)) if skill else 0.0

    def quality(self, values: Json, score: float | None) -> float:
        """Return how the judge's next sentence rates the performance: 0 is bad, 1 is good.

        The result follows from the first of these that exists:

        - the field `standing` in `values`, a judge's verdict on an argument
        - `score`, the score that the sentence explains
        - a debater who leads in `values`; the result is then LEADER_QUALITY
        - the skill of the judged debater
        """
        standing = next((bound for bound, name in STANDINGS if name == values.get("standing")), None)
        if standing is not None:
            return standing - 0.03
        if score is not None:
            return score
        return LEADER_QUALITY if find_leader(values, self._facts.sides) else 0.35 + 0.5 * self._skill(values)

    def number(self, place: Place, schema: Json, *, is_whole: bool) -> float:
        """Return a number between the bounds in `schema`, which are 0 and 10 by default."""
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        high = schema.get("maximum", schema.get("exclusiveMaximum", max(10, low + 10)))
        value = low + (high - low) * self._position_on_scale(place, is_whole=is_whole)
        if not is_whole:
            return round(value, 2)
        low, high = low + ("exclusiveMinimum" in schema), high - ("exclusiveMaximum" in schema)
        return int(min(high, max(low, round(value))))

    def _position_on_scale(self, place: Place, *, is_whole: bool) -> float:
        unit = self._random.unit("number", place.path)
        is_effect = place.name in {"persuasion", "attack"}
        is_score = "participant" in place.values or self._facts.speakers.get(str(place.values.get("item"))) is not None
        if self._is_biased and (is_score or is_effect):
            return self._impression(place)
        if place.name in PRESSURES and not is_whole:
            return 0.1 + 0.7 * unit * unit
        if is_effect:
            return 0.05 + 0.4 * unit + 0.25 * self._skill({"participant": self._facts.speaker})
        if place.name == "points":
            return 0.1 + 0.25 * unit
        if place.name == "confidence":
            return 0.55 + 0.4 * unit
        if self._asks_for_vote:
            return VOTE_LEVELS[self._vote] + (0.3 if self._facts.own_vote else 0.7) * (unit - 0.5)
        return self._impression(place)

    def choose(self, place: Place, options: Sequence[Any]) -> Any:
        """Return one of `options`, the values that the form allows at `place`."""
        words = [str(option) for option in options]
        if VOTE_LEVELS.keys() == set(words):
            return self._vote
        if "PARTIALLY_UPHELD" in words:
            impression = self._impression(place)
            return next((word for bound, word in STANDINGS if impression < bound and word in words), options[0])
        if NO_WINNER.intersection(words):
            return self._choose_winner(place, words)
        if place.name in PROPERTIES_IN_ORDER:
            return options[place.index % len(options)]
        if place.name in {"supports", "relevant"}:
            return self._choose_about_source(place, words)
        if place.name == "passage" and self._facts.looked_up:
            is_known = place.values.get("exists") != "unknown"
            fitting = [word for word in words if (word in self._facts.looked_up) == is_known]
            return self._random.pick(fitting or words, "choice", place.path)
        weights = self._bank.choice_weights.get(place.name, {})
        if weights and set(weights) == set(words):
            return self._choose_weighted(weights, place)
        return self._random.pick(options, "choice", place.path)

    def _choose_about_source(self, place: Place, words: Sequence[str]) -> str:
        check = self._facts.quote_checks.get(str(place.values.get("citation")), "")
        answer = RELEVANCE.get(str(place.values.get("supports"))) if place.name == "relevant" else None
        answer = answer or SUPPORT_OF_POOR_QUOTES.get(check)
        answer = answer or self._choose_weighted(self._bank.choice_weights["supports"], place)
        return answer if answer in words else words[0]

    def _choose_weighted(self, weights: Mapping[str, float], place: Place) -> str:
        unit, upper = self._random.unit("choice", place.path), 0.0
        for word, weight in weights.items():
            upper += weight
            if unit < upper:
                return word
        return next(iter(weights))

    def _choose_winner(self, place: Place, words: Sequence[str]) -> str:
        names = [word for word in words if word not in NO_WINNER]
        draw = next(word for word in words if word in NO_WINNER)
        leader = None if self._is_biased else find_leader({"scores": place.values.get("scores")}, names)
        if leader is not None:
            return draw if leader == TIED else leader
        noise, unknown, margin = (0.0, 0.0, DRAW_MARGIN / 2) if self._is_biased else (1.2, 0.5, DRAW_MARGIN)
        better = {name: noise * self._random.unit("better", place.path, name) for name in names}
        ranked = sorted(((self._skills.get(name, unknown) + better[name], name) for name in names), reverse=True)
        is_draw = len(ranked) > 1 and ranked[0][0] - ranked[1][0] < margin
        return draw if is_draw or not ranked else ranked[0][1]

    @cached_property
    def _asks_for_vote(self) -> bool:
        schema = self._facts.request.schema
        option: Json = {} if schema is None else schema.json.get("properties", {}).get("option", {})
        return VOTE_LEVELS.keys() == set(option.get("enum", ()))

    @cached_property
    def _vote(self) -> str:
        if self._is_biased:
            sides = {side: name for name, side in self._facts.sides.items()}
            lead = self._skills.get(sides.get("for", ""), 0.5) - self._skills.get(sides.get("against", ""), 0.5)
            return "CONDITIONAL" if abs(lead) < DRAW_MARGIN / 2 else "PASS" if lead > 0 else "FAIL"
        skill = self._skill({})
        majority = "PASS" if skill > 0.6 else "FAIL" if skill < 0.35 else "CONDITIONAL"  # noqa: PLR2004 - about thirds
        own = self._facts.own_vote
        if self._random.unit("vote") < (LATER_VOTE_AGREES if own else FIRST_VOTE_AGREES):
            return majority
        return str(own.get("vote", majority)) if own else self._random.pick(tuple(VOTE_LEVELS), "option")

    def is_true(self, place: Place) -> bool:
        """Return a random boolean: usually false for the property `evaded`, usually true for others."""
        return self._random.unit("yes", place.path) < (0.1 if place.name == "evaded" else 0.8)

    def is_null(self, place: Place) -> bool:
        """Return a random boolean: whether a nullable value is null."""
        return self._random.unit("null", place.path) < (0.8 if place.name == "changed_because" else 0.3)

    def list_length(self, place: Place) -> int:
        """Return the number of items in a list. The caller applies the bounds of the schema."""
        if place.name in QUOTING_LISTS and not self.quote(place):
            return 0
        if place.name == "remediation_required" and place.values.get("option") == "PASS":
            return 0
        chances = self._bank.list_lengths.get(place.name, DEFAULT_LIST_LENGTH)
        drawn = [self._random.unit("count", place.path, index) < chance for index, chance in enumerate(chances)]
        return [*drawn, False].index(False)

    def choose_some(self, place: Place, options: Sequence[Any], least: int, most: int) -> list[Any]:
        """Return at least `least` and at most `most` of the `options`, in the order of `options`.

        If there are fewer than `least` options, the first option is repeated.
        """
        if place.name == "concessions":
            answered = [item for turn in self._facts.own_turns for item in list_objects(turn, "responses")]
            wanted = {item.get("target") for item in answered if item.get("type") == "concede"}
        elif place.name == "participants":
            pairs = [*combinations(options, 2)] or [tuple(options)]
            wanted = set(pairs[place.index % len(pairs)])
        elif place.name == "consistently_outperformed":
            totals = participant_totals(place.values)
            wanted = {name for name, total in totals.items() if total < OUTPERFORMED_SHARE * max(totals.values())}
        else:
            wanted = set(self._random.shuffle(options, "some", place.path)[: self.list_length(place)])
        chosen = [option for option in options if option in wanted]
        spare = [option for option in options if option not in wanted]
        while len(chosen) < least:
            chosen.append(spare.pop(0) if spare else options[0])
        return sorted(chosen[:most], key=list(options).index)

    def quote(self, place: Place) -> str | None:
        """Return words for a quotation; None if there is no sentence to quote.

        Quotes the first of these texts that the prompt has: the cited source, the passage that a search found, the judged
        argument, the judged turn.
        """
        if place.values.get("source") in self._facts.passages:
            self._next_citation += 1
            return cite(self._facts.passages[place.values["source"]], self._next_citation - 1, self._random)
        if "claim" in place.values and self._facts.looked_up:
            found = self._facts.looked_up.get(str(place.values.get("passage")))
            return "" if found is None else cite(found, place.index, self._random)
        item = place.values.get("item")
        sentences = self._facts.quotable_sentences(str(item) if item else None, before="logic_gap" in place.path)
        return first_words(self._random.pick(sentences, "quote", place.path)) if sentences else None

    def keeps_vote(self, values: Json) -> bool:
        """Return whether the vote in `values` equals the judge's previous vote. True if there is no previous vote."""
        own = self._facts.own_vote
        return not own or own.get("vote") == values.get("option")


# Judges with known biases --------------------------------------------------------------------------------------------

LOWEST_MERIT, MERIT_RANGE = 0.35, 0.3
"""Without the effects of `bias`, a mock judge's opinion of a side is between LOWEST_MERIT and LOWEST_MERIT + MERIT_RANGE.
Opinions are numbers from 0 to 1."""
CLAIM_WORDS = 8
"""Number of words at the start of a claim that determine the claim's merit (see `claim_merit`)."""
LENGTH_STEP = 0.3
"""The mock's bias `longer` has its full effect if a side's speeches are longer than the average speech of the other sides
by this share. Example: 0.3 means 30 % longer."""
DITHER = 0.08
"""A mock judge with `bias` adds a random number from -DITHER / 2 to DITHER / 2 to a debater's skill (0-1)."""
DRAW_MARGIN = 0.08
"""A mock judge decides on a draw if the skills (0-1) of the two best debaters differ by less than this number. A judge
with `bias` uses half of this number."""
TONE_WORDS = 5
"""Tone at which the mock's bias `confident` has its full effect. The tone of a debater's speeches is the number of
words that express certainty, minus the number of words that express doubt."""
MIN_DIFFERENT_WORDS = 15
"""Minimum number of different words in a debater's speeches. With fewer words, a biased judge's opinion of the debater
is 0."""
_CERTAIN = re.compile(
    r"\b(?:no doubt|absolutely certain|nobody can seriously deny|certainly|undeniabl[ey]|clearly)\b", re.IGNORECASE
)
_UNSURE = re.compile(r"\b(?:may be wrong|not quite sure|perhaps|possibly|might)\b", re.IGNORECASE)
_STUDY = re.compile(r"\bstudy by [^.]{3,60}\(\d{4}\)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_STRUCTURE = frozenset({"turn", "round", "phase", "speaker", "id", "target", "type", "shift", "question_target"})


def judge_with_bias(facts: PromptFacts, random: SeededRandom, bias: MockBias) -> dict[str, float]:
    """Map each debater to a judge's opinion (0-1): the merit of the debater's first claim plus effects of `bias`."""
    turns = {name: [turn for turn in facts.turns if turn.get("speaker") == name] for name in facts.sides}
    words = {name: " ".join(iter_texts(own, keys=False, skip=_STRUCTURE)) for name, own in turns.items()}
    lengths = {name: len(text.split()) for name, text in words.items()}
    found: dict[str, float] = {}
    for position, (name, text) in enumerate(words.items()):
        if len({word.casefold() for word in _WORD.findall(text)}) < MIN_DIFFERENT_WORDS:
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
    """Return the merit (0-1) of a claim: a random number that is equal for every judge."""
    return SeededRandom("merit").unit(" ".join(claim.split()[:CLAIM_WORDS]))


def answer_merit(answer: str) -> float:
    """Return the merit (0-1) of the first claim in a debater's JSON answer; 0 if there is no claim."""
    found: Any = json.loads(answer)
    claims = [*list_objects(found, "arguments"), *list_objects(found, "claims")] if isinstance(found, dict) else []  # pyright: ignore[reportUnknownArgumentType]
    return claim_merit(str(claims[0].get("claim", ""))) if claims else 0.0
