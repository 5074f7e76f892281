"""Schemas as llama.cpp enforces them best: what its grammars leave open is closed by what they do not.

Bounds of fractions are not enforced, so a fraction is chosen from a list. A very small model (`plain`) writes noise where
it may write anything and repeats what it may repeat, so its texts are held to
sentences of plain words and its lists to subsets. What needs quoting word by word, it is not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

JsonObject = dict[str, Any]

FRACTION_STEPS = 10
"""A fraction is one of eleven."""
_WORD = "[a-z]{0,12}('[a-z]{1,2})?"
_GROUP = f"( [A-Za-z]{_WORD}( [A-Za-z][a-z]{{0,4}}){{0,2}})"
"""A word of any length and at most two short ones: so a bound on groups is a bound on characters, and not too low a one."""
MAX_FIRST_WORD_CHARS = 17
"""Most characters of the first word of a sentence and the sign at its end."""
MAX_GROUP_CHARS = 17 + 2 * 6
"""Most characters of a group."""
AVERAGE_WORD_CHARS = 5
"""Characters of an ordinary word with its space."""
MAX_SENTENCE_GROUPS = 8
"""Most groups of a plain sentence."""
MIN_SENTENCE_GROUPS = 2
"""Fewest groups of a plain sentence; where not even so many fit, a text is a name or a quotation."""
MAX_SENTENCES = 3
"""Most sentences of one text."""
MAX_SUBSET_OPTIONS = 5
"""Lists of more options are not spelled out as subsets: there would be too many."""
VERBATIM_PROPERTIES = frozenset({"quote"})
"""Properties whose words must be somebody else's."""


def narrow_schema(schema: Mapping[str, Any], *, plain: bool, name: str = "") -> JsonObject:
    """`schema` narrowed to what llama.cpp enforces: what the result accepts is within the upper bounds of `schema`.

    `plain` holds texts to sentences of plain words; `name` is the property that the schema stands under.
    """

    def deeper(part: Mapping[str, Any], under: str = name) -> JsonObject:
        return narrow_schema(part, plain=plain, name=under)

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
        return {"enum": _fraction_options(schema["minimum"], schema["maximum"])}
    if plain and schema.get("type") == "array":
        return _narrow_list(narrowed)
    if plain and schema.get("type") == "string" and name not in VERBATIM_PROPERTIES:
        return _narrow_text(narrowed)
    return narrowed


def _fraction_options(low: float, high: float) -> list[float]:
    return [round(low + (high - low) * step / FRACTION_STEPS, 4) for step in range(FRACTION_STEPS + 1)]


def _narrow_list(schema: JsonObject) -> JsonObject:
    """A list of some of few words becomes a choice among the lists without repetition."""
    items: JsonObject = schema["items"] if isinstance(schema.get("items"), dict) else {}
    if VERBATIM_PROPERTIES & set(items.get("properties", ())) and not schema.get("minItems", 0):
        return {"enum": [[]]}
    words: Sequence[Any] = items.get("enum", [])
    least, most = schema.get("minItems", 0), min(schema.get("maxItems", len(words)), len(words))
    if "prefixItems" in schema or not 0 < len(words) <= MAX_SUBSET_OPTIONS or least > most:
        return schema
    return {"enum": [list(chosen) for size in range(least, most + 1) for chosen in combinations(words, size)]}


def _narrow_text(schema: JsonObject) -> JsonObject:
    """A text becomes sentences of plain words, never longer than its bound, and shorter only if all words are tiny."""
    most: int = schema.get(
        "maxLength", MAX_SENTENCES * (MAX_FIRST_WORD_CHARS + MAX_SENTENCE_GROUPS * MAX_GROUP_CHARS + 1)
    )
    groups = min(MAX_SENTENCE_GROUPS, (most - MAX_FIRST_WORD_CHARS) // MAX_GROUP_CHARS)
    least = max(MIN_SENTENCE_GROUPS, schema.get("minLength", 0) // AVERAGE_WORD_CHARS)
    if groups < least or "pattern" in schema:
        return schema
    more = min(MAX_SENTENCES, most // (MAX_FIRST_WORD_CHARS + groups * MAX_GROUP_CHARS + 1)) - 1
    first, other = (f"[A-Z]{_WORD}{_GROUP}{{{count},{groups}}}" for count in (least, MIN_SENTENCE_GROUPS))
    following = f"([.?!] {other}){{0,{more}}}" if more > 0 else ""
    return {"type": "string", "pattern": f"^{first}{following}[.?!]$"}
