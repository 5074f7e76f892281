"""Schemas as llama.cpp enforces them best: what its grammars leave open is closed by what they do not.

Bounds of fractions are not enforced, so a fraction is chosen from a list. A very small model (`plain`) writes noise where
it may write anything and repeats what it may repeat, so its texts are held to sentences and its lists to subsets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

Json = dict[str, Any]

STEPS = 10
"""A fraction is one of eleven."""
PLAIN_CHARS = r"""[^"\\<>{}\[\]@#|_~^`*=+/\x00-\x1f]"""
"""What sentences are made of: no markup, no code, no addresses."""
SHORTEST = 24
"""Characters that a sentence has, where more than four times as many are allowed."""
LONGEST = 600
"""Characters of a text that the schema does not bound."""
SENTENCES = 60
"""From this many characters allowed on, a text is sentences; shorter ones are names and quotations."""
MOST_OPTIONS = 5
"""Lists of more options are not spelled out as subsets: there would be too many."""
VERBATIM = frozenset({"quote"})
"""Properties whose words must be somebody else's."""


def enforced(schema: Mapping[str, Any], *, plain: bool, name: str = "") -> Json:
    """`schema` narrowed to what llama.cpp enforces: whatever the result accepts, `schema` accepts.

    `plain` holds texts to sentences of `PLAIN_CHARS`; `name` is the property that the schema stands under.
    """

    def deeper(part: Mapping[str, Any], under: str = name) -> Json:
        return enforced(part, plain=plain, name=under)

    if "const" in schema or "enum" in schema:
        return dict(schema)
    narrowed = dict(schema)
    if "properties" in schema:
        narrowed["properties"] = {key: deeper(part, key) for key, part in schema["properties"].items()}
    if "prefixItems" in schema:
        narrowed["prefixItems"] = [deeper(part) for part in schema["prefixItems"]]
    if isinstance(schema.get("items"), Mapping):
        narrowed["items"] = deeper(schema["items"])
    if schema.get("type") == "number" and {"minimum", "maximum"} <= schema.keys():
        return {"enum": _fractions(schema["minimum"], schema["maximum"])}
    if plain and schema.get("type") == "array":
        return _subsets(narrowed)
    if plain and schema.get("type") == "string" and name not in VERBATIM:
        return _sentences(narrowed)
    return narrowed


def _fractions(low: float, high: float) -> list[float]:
    return [round(low + (high - low) * step / STEPS, 4) for step in range(STEPS + 1)]


def _subsets(schema: Json) -> Json:
    """A list of some of few words becomes a choice among the lists without repetition."""
    items: Json = schema["items"] if isinstance(schema.get("items"), dict) else {}
    words: Sequence[Any] = items.get("enum", [])
    least, most = schema.get("minItems", 0), min(schema.get("maxItems", len(words)), len(words))
    if "prefixItems" in schema or not 0 < len(words) <= MOST_OPTIONS or least > most:
        return schema
    return {"enum": [list(chosen) for size in range(least, most + 1) for chosen in combinations(words, size)]}


def _sentences(schema: Json) -> Json:
    most = min(schema.get("maxLength", LONGEST), LONGEST)
    least = max(schema.get("minLength", 0), min(SHORTEST, most // 4))
    if most < SENTENCES or least > most or "pattern" in schema:
        return schema
    body = f"{PLAIN_CHARS}{{{max(0, least - 2)},{most - 2}}}"
    return {"type": "string", "pattern": f"^[A-Z]{body}[.?!]$"}
