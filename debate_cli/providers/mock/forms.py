"""Answers of the mock: fills in any JSON schema with consistent choices, numbers and sentences.

Supports `const`, `enum`, `anyOf`/`oneOf` (the first branch), `allOf`, local `$ref`s, types, properties, lists, lengths
and bounds. Strings with a `pattern` or `format` come from a list of samples. Other keywords are ignored.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from debate_cli.domain.config import MockBias
from debate_cli.llm.model import Request
from debate_cli.providers.mock.opinions import Opinions
from debate_cli.providers.mock.prompt_facts import Json, PromptFacts
from debate_cli.providers.mock.sentences import (
    NO_WINNER,
    Place,
    SeededRandom,
    SentenceWriter,
    load_sentence_bank,
    shorten,
)

_WORD_LIMIT = re.compile(r"at most (\d+) words")
MAX_SAMPLE_CHARS = 1_000_000
MAX_DEPTH = 12
"""Depth below which only required parts of objects and lists are written. It ends recursive schemas."""


def write_answer(request: Request, seed: str, bias: MockBias | None = None) -> str:
    """Return the mock's answer to `request`: JSON if the request has a schema, else prose. Deterministic for each seed.

    With `bias`, a judge's opinions follow from the words of each side.
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
        """Return `schema` with references, alternatives and `allOf` resolved."""
        while key := next((key for key in ("$ref", "anyOf", "oneOf", "allOf") if key in schema), None):
            rest = {name: value for name, value in schema.items() if name != key}
            if key == "$ref":
                parts = [_follow_reference(schema[key], self._root)]
            elif key == "allOf":
                parts = [self._resolve(part, place) for part in schema[key]]
            else:
                branches = [branch for branch in schema[key] if branch.get("type") != "null"]
                is_null = len(branches) < len(schema[key]) and (not branches or self._opinions.is_null(place))
                parts = [{"type": "null"} if is_null else branches[0]]
            schema = _merge([rest, *parts])
        return schema

    def _write_object(self, schema: Json, place: Place) -> dict[str, Any]:
        """Write an object: choices and numbers, then the winner, then the sentences, which mention these values."""
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
                sample_text, pattern = sample["text"], schema.get("pattern", "")
                is_of_format = schema.get("format") in {None, sample.get("format")}
                is_of_length = least <= len(sample_text) <= (most or MAX_SAMPLE_CHARS)
                if is_of_format and is_of_length and re.search(pattern, sample_text):
                    return sample_text
        quote = self._opinions.quote(place) if place.name == "quote" else None
        if quote is not None:
            return shorten(quote, most)
        if place.name == "claim" and "quote" in place.values:
            return shorten(f"{place.values['quote']}.", most)
        if place.name == "changed_because" and self._opinions.keeps_vote(place.values):
            return ""
        text = self._sentences.write(place, most)
        while len(text) < least:
            text += " " + self._sentences.write(replace(place, index=place.index + 1))
        word_limits = _WORD_LIMIT.findall(self._facts.task) if place.name == "final_position" else []
        return shorten(text, most, int(word_limits[-1]) if word_limits else None)


def _writing_order(name: str, schema: Json) -> int:
    """Return the rank of a property: properties are written by rising rank.

    0: choices and numbers; 1: the scores of participants; 2: winner and losers; 3: sentences.
    """
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
    """Return the score (0-1) that the sentence `name` explains: the mean position of numbers on their scales.

    `logic_reason` explains `logic`. A sentence with another name explains all numbers beside it except the total.
    Returns None if the sentence explains no number.
    """
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
    """Make the numbers of one object consistent: `total` is the sum of the others, `delivery` at most `framing`."""
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


def _follow_reference(reference: str, root: Json) -> Json:
    """Return the part of `root` at a local reference (`#`, `#/$defs/Name`). Raises KeyError if there is none."""
    target: Any = root
    for part in filter(None, reference.lstrip("#").split("/")):
        target = target[part]
    return cast("Json", target)


def _merge(parts: list[Json]) -> Json:
    """Merge `parts` into one schema.

    Properties and required names are united. The last value of any other keyword applies.
    """
    merged: dict[str, Any] = {}
    for part in parts:
        properties = {**merged.get("properties", {}), **part.get("properties", {})}
        required = list(dict.fromkeys([*merged.get("required", []), *part.get("required", [])]))
        merged |= part
        merged |= {"properties": properties} if properties else {}
        merged |= {"required": required} if required else {}
    return merged
