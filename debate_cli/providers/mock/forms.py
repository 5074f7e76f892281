"""The mock's answers: walks a JSON schema and fills it with choices, numbers and sentences that fit together.

Takes `const`, `enum`, `anyOf`/`oneOf`, `allOf`, `type` (or a list of types), `properties`, `required`, `items`, `prefixItems`,
`minItems`, `maxItems`, lengths, simple `pattern`s, common `format`s, bounds and local `$ref`s; everything else in a schema is
not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from debate_cli.llm.model import Request
from debate_cli.providers.mock_dice import Dice
from debate_cli.providers.mock_judgment import Judgment
from debate_cli.providers.mock_marks import LISTED, NOBODY, share
from debate_cli.providers.mock_pattern import formed
from debate_cli.providers.mock_scene import Scene
from debate_cli.providers.mock_schema import as_object, laid_over, referred
from debate_cli.providers.mock_voice import Matter, Voice, fitted

Json = Mapping[str, Any]
WORDS = 3
"""The stage of an object at which sentences are written: before them numbers and choices, the marks of each, who leads."""
DEEP = 12
"""Objects and lists within one another from where on only what must be there is written."""


def write(request: Request, lasting: Dice) -> str:
    """The text of an answer to `request`: JSON where it has a schema, else prose. The same for the same dice."""
    scene = Scene.of(request)
    dice = Dice(f"{lasting.unit('request')}/{request.fingerprint()}")
    voice = Voice(scene, lasting, dice)
    if request.schema is None:
        matter = Matter("reasoning" if scene.judging else "text", "", {}, position=len(scene.own_turns))
        return voice.sentence(matter)
    writer = _Writer(scene, voice, Judgment(scene, lasting, dice), request.schema.json)
    return json.dumps(writer.value(request.schema.json, Spot()), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the answer, and what is settled around it."""

    name: str = "text"
    """Property that the value stands under; that of the list, for its items."""
    path: str = ""
    around: Json = field(default_factory=dict[str, Any])
    position: int = 0
    share: float | None = None
    """Where on their scales the marks stand that a sentence here gives the reason for, 0-1; None where there are none."""

    @property
    def deep(self) -> bool:
        """Whether it is time to come to an end, as in a schema that refers to itself."""
        return self.path.count("/") >= DEEP

    def under(self, name: str, around: Json, share: float | None = None) -> Spot:
        """The place of a property of the object here."""
        return replace(self, name=name, path=f"{self.path}/{name}", around=around, share=share)

    def at(self, index: int) -> Spot:
        """The place of a list's item."""
        return replace(self, path=f"{self.path}/{index}", position=index)


class _Writer:
    def __init__(self, scene: Scene, voice: Voice, judgment: Judgment, root: Json) -> None:
        self._scene = scene
        self._voice = voice
        self._judgment = judgment
        self._root = root

    def value(self, schema: Json, spot: Spot) -> Any:
        """A value that `schema` accepts."""
        schema = self._plain(schema, spot)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._judgment.choice(spot.name, spot.path, spot.around, schema["enum"], spot.position)
        match _kind(schema):
            case "object":
                return self._object(schema, spot)
            case "array":
                return self._array(schema, spot)
            case "integer" | "number" as kind:
                return self._judgment.number(spot.name, spot.path, spot.around, schema, whole=kind == "integer")
            case "boolean":
                return self._judgment.yes(spot.name, spot.path)
            case "null":
                return None
            case _:
                return self._text(schema, spot)

    def _plain(self, schema: Json, spot: Spot) -> Json:
        """`schema` without references and alternatives; of the latter, the first that is not null."""
        schema = as_object(schema)
        while found := next((key for key in ("$ref", "allOf", "anyOf", "oneOf") if key in schema), None):
            beside = {key: value for key, value in schema.items() if key != found}
            if found == "$ref":
                parts = [referred(str(schema[found]), self._root)]
            elif found == "allOf":
                parts = [self._plain(part, spot) for part in schema[found]]
            else:
                branches = [as_object(branch) for branch in schema[found]]
                parts = [self._judgment.branch(spot.name, spot.path, branches)]
            schema = laid_over([beside, *parts])
        return schema

    def _object(self, schema: Json, spot: Spot) -> dict[str, Any]:
        """Sentences are written last, so that they can speak of the choices and numbers beside them."""
        required: list[str] = schema.get("required", [])
        known: Mapping[str, Json] = schema.get("properties", {})
        open_ones = {name: as_object(schema.get("additionalProperties")) for name in required if name not in known}
        properties = {name: part for name, part in known.items() if name in required or not spot.deep} | open_ones
        plain = {name: self._plain(part, spot.under(name, {})) for name, part in properties.items()}
        filled: dict[str, Any] = {}
        for stage in range(WORDS + 1):
            for name, part in properties.items():
                if _stage(name, plain[name]) == stage:
                    place = spot.under(name, {**spot.around, **filled}, share(name, filled, plain))
                    filled[name] = self.value(part, place)
            if stage == 0:
                filled = self._judgment.reconciled(filled, properties)
        return {name: filled[name] for name in properties}

    def _array(self, schema: Json, spot: Spot) -> list[Any]:
        listed: list[Json] = schema.get("prefixItems", [])
        values = [self.value(part, spot.at(index)) for index, part in enumerate(listed)]
        rest: Any = schema.get("items", {})
        least = int(schema.get("minItems", 0))
        most = int(schema.get("maxItems", max(least, 3)))
        if isinstance(rest, bool) or len(values) >= most or (listed and not rest):
            return values
        rest = self._plain(rest, spot)
        usual = 0 if spot.deep else self._judgment.count(spot.name, spot.path, spot.around)
        wanted = max(least, min(most, usual))
        if "enum" in rest:
            chosen = self._judgment.some(spot.name, spot.path, rest["enum"], least, most)
            return values + chosen
        return values + [self.value(rest, spot.at(index)) for index in range(len(values), wanted)]

    def _text(self, schema: Json, spot: Spot) -> str:
        most = cast("int | None", schema.get("maxLength"))
        formal = formed(schema.get("pattern"), schema.get("format"), int(schema.get("minLength", 0)), most)
        if formal is not None:
            return formal
        ready = self._judgment.words(spot.name, spot.path, spot.around)
        if ready is not None:
            return fitted(ready, most)
        level = self._judgment.level(spot.around, spot.share)
        matter = Matter(spot.name, spot.path, spot.around, spot.position, level)
        text = self._voice.sentence(matter, most)
        while len(text) < int(schema.get("minLength", 0)):
            text += " " + self._voice.sentence(replace(matter, position=matter.position + 1))
        limit = self._scene.word_limit if spot.name == "final_position" else None
        return fitted(text, most, limit)


def _kind(schema: Json) -> str:
    kind: Any = schema.get("type")
    if isinstance(kind, list):
        kinds = cast("list[str]", kind)
        return next((item for item in kinds if item != "null"), "null")
    if kind is None:
        return "object" if "properties" in schema else "array" if "items" in schema else "string"
    return str(kind)


def _stage(name: str, schema: Json) -> int:
    """When a property is written: who leads, after the marks that say so; words after all else."""
    if _is_free(schema):
        return 1 if name == LISTED else WORDS
    return 2 if NOBODY.intersection(map(str, schema.get("enum", ()))) else 0


def _is_free(schema: Json) -> bool:
    """Whether the value is words of the writer's own, or holds such words."""
    if "const" in schema or "enum" in schema:
        return False
    kind = _kind(schema)
    if kind == "array":
        items = [*schema.get("prefixItems", []), schema.get("items", {})]
        return any(_is_free(cast("Json", item)) for item in items if isinstance(item, Mapping))
    if kind == "object":
        return any(_is_free(part) for part in schema.get("properties", {}).values())
    return kind == "string"
