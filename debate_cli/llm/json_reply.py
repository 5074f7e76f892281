"""Parses the text of a reply into a filled-in form, or into a list of the reply's faults. Pure functions."""

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, Self, SupportsIndex, cast

import json_repair
from pydantic import ValidationError

from debate_cli.llm.form import MAX_SHOWN_CHARS, Form, FormT, JsonSchema, find_violations
from debate_cli.llm.prompt_sanitizer import prompt_line, sanitize_for_prompt
from debate_cli.llm.schema_dialect import restore_lists

MAX_REPAIR_CHARS = 64_000
MAX_REPAIR_VISITS = 10_000_000
"""Maximum result of `_count_visits` for a broken JSON text. If the result is higher, the text is not repaired, because
json_repair may visit the same parts of the text too often. The result is far lower for typical replies, but higher for
a reply of about 900 small objects."""
MAX_REPAIR_READS = 600_000
"""Maximum number of times that json_repair may read a character or slice of a broken JSON text. It reads each character
of a typical reply one to five times, but much more often if the text is malicious."""
MAX_FAULTS = 12
MAX_FAULT_CHARS = 240
MAX_OBJECTS = 500
"""Maximum number of JSON objects in a reply. A reply with more objects is rejected."""
MAX_WRAPPERS = 8
"""Maximum number of objects with a single key, such as `{"answer": …}`, that may be nested around a form."""

ParseOutcome = Literal["valid", "off_schema", "invalid", "no_object"]
"""How well a reply fits a form. `valid`: fits the JSON Schema. `off_schema`: fits the form's pydantic model, but not
the schema. `invalid`: JSON that does not fit the form. `no_object`: no readable JSON object, or several different
objects."""

_LIST_ITEM = re.compile(r"[,\"'“”]|\d+|true|false|null|none", re.IGNORECASE)
_CLASS_START = re.compile(r"\[|\\u005b|\\x5b", re.IGNORECASE)
_THINKING_TAG = re.compile(r"<(?P<end>/?)think(?:ing)?>", re.IGNORECASE)
_LOOKS_LIKE_JSON = re.compile(r"""\{\s*(?:["'}]|\w+["']?\s*:|//|/\*)""")
_QUOTED_OR_BRACE = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}]', re.DOTALL)

_NAME_OR_BRACKET = re.compile(
    r"""(?P<name>"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|(?<!\w)'(?:[^'\\]|\\.)*+(?:'|\\?\Z)|“[^”]*+(?:”|\Z)|\w++)(?P<colon>\s*+:)?"""
    r"""|//[^\n]*+|/\*.*?(?:\*/|\Z)|[][{}]""",
    re.DOTALL,
)
"""Matches a comment, a bracket, or a name with or without quotes. A name before a colon is a key."""


class _ForbiddenError(ValueError):
    """The JSON has a key twice in one object, or a number that is not finite."""


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[FormT]):
    """The result of parsing one reply."""

    outcome: ParseOutcome
    form: FormT | None = None
    """The filled-in form; None if `outcome` is `invalid` or `no_object`."""
    faults: tuple[str, ...] = ()
    """What is wrong with the reply, one line per fault; empty if `outcome` is `valid`."""
    repaired: bool = False
    """Whether the program repaired the JSON of the reply."""
    is_truncated: bool = False
    """Whether the reply is unusable because it was cut off."""


def strip_thinking(text: str) -> str:
    """Return `text` without the model's thinking, which is between `<think>` and `</think>`.

    Without a start tag, all text before the end tag is thinking. Without an end tag, all text after the start tag is
    thinking.
    """
    kept: list[str] = []
    visible_from: int | None = 0
    for tag in _THINKING_TAG.finditer(text):
        if tag["end"]:
            kept = [] if visible_from is not None else kept
            visible_from = tag.end()
        elif visible_from is not None:
            kept.append(text[visible_from : tag.start()])
            visible_from = None
    if visible_from is not None:
        kept.append(text[visible_from:])
    return "".join(kept).strip()


def parse_reply(text: str, form: Form[FormT], *, truncated: bool = False) -> ParsedReply[FormT]:
    """Return the form that `text` fills in, or the faults of `text`. Never raises.

    `text` may have words around its JSON object. Several different filled-in forms are a fault. Broken JSON is repaired
    if possible.

    `truncated`: whether the reply was cut off at its token limit. Such a reply must be one valid JSON object, without
    words around it. It is not repaired.
    """
    try:
        whole: Any = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict):
        return _choose_object([cast("dict[str, Any]", whole)], form)
    if truncated:
        return ParsedReply("no_object", faults=("the answer was cut off at the token limit",))
    return _parse_embedded_object(_find_objects(strip_thinking(text)), form)


def is_cut_off(text: str) -> bool:
    """Return whether `text` ends inside a JSON object and contains no complete JSON object."""
    found = _find_objects(strip_thinking(text))
    return found.is_cut_off and not found.valid


def repair_json(broken: str) -> dict[str, Any] | None:
    """Repair the text `broken` and return it as a JSON object; None if it cannot be repaired.

    A text that exceeds MAX_REPAIR_CHARS, MAX_REPAIR_VISITS or MAX_REPAIR_READS is not repaired.
    """
    if len(broken) > MAX_REPAIR_CHARS or _count_visits(broken) > MAX_REPAIR_VISITS:
        return None
    try:
        repaired: Any = json_repair.loads(_MeteredText(broken, iter(range(MAX_REPAIR_READS))), skip_json_loads=True)
        value: Any = json.loads(json.dumps(repaired))  # replaces slices of the metered text by plain texts
    except Exception:  # noqa: BLE001 - some texts make the library raise AssertionError, IndexError, RecursionError ...
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) and value else None


def _count_visits(broken: str) -> int:
    """Return an upper limit for how often json_repair reads list items and characters of `broken` again.

    - At each `[` and each `}`, it may read all list items again.
    - At each quotation mark between a `[` and the next `]`, it may read again from this `[` to the first white space.
      There it looks for a regular expression.
    """
    brackets = sum(map(broken.count, "[}"))
    items = brackets + sum(1 for _ in _LIST_ITEM.finditer(broken))
    classes = [part.partition("]")[0] for part in _CLASS_START.split(broken)[1:]]
    return brackets * items + sum(
        len(each.split(None, 1)[0]) * sum(map(each.count, "\"'”")) for each in classes if each.strip()
    )


class _MeteredText(str):
    """A text that can be read a limited number of times. After that, each read raises StopIteration.

    `reads`: an iterator with one element for each allowed read. Slices and concatenations (`+`) of the text take
    elements from the same iterator.
    """

    __slots__ = ("_reads",)
    _reads: Iterator[int]

    def __new__(cls, text: str, reads: Iterator[int]) -> Self:
        metered = super().__new__(cls, text)
        metered._reads = reads
        return metered

    def __getitem__(self, key: SupportsIndex | slice, /) -> str:
        next(self._reads)
        part = super().__getitem__(key)
        return _MeteredText(part, self._reads) if isinstance(key, slice) else part

    def __add__(self, other: str, /) -> str:
        return _MeteredText(super().__add__(other), self._reads)


@dataclass(slots=True)
class _FoundObjects:
    valid: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    broken: list[str] = field(default_factory=list[str])
    forbidden: list[str] = field(default_factory=list[str])
    too_many: bool = False
    is_cut_off: bool = False
    """Whether the text ends inside an object."""


def _find_objects(text: str) -> _FoundObjects:
    found = _FoundObjects()
    begun = _LOOKS_LIKE_JSON.search(text)
    while begun is not None:
        if len(found.valid) + len(found.broken) + len(found.forbidden) == MAX_OBJECTS:
            found.too_many = True
            break
        start = begun.start()
        try:
            value, end = _DECODER.raw_decode(text, start)
            found.valid.append(value)
        except (ValueError, RecursionError) as error:
            closed = _find_end(text, start)
            end = closed or text.rfind("}", start) + 1 or len(text)
            found.is_cut_off |= closed is None
            if isinstance(error, _ForbiddenError):
                found.forbidden.append(str(error))
            else:
                found.broken.append(text[start:end])
        begun = _LOOKS_LIKE_JSON.search(text, end)
    return found


def _find_end(text: str, start: int) -> int | None:
    """Return the index after the object that begins at `start`; None if its last brace is missing."""
    depth = 0
    for match in _QUOTED_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return None


def _parse_embedded_object(found: _FoundObjects, form: Form[FormT]) -> ParsedReply[FormT]:
    """Parse the JSON objects of a reply into the form.

    An object with invalid JSON (a broken object) is repaired only under these conditions:

    - The reply has no other broken object, and no valid object that fits the form.
    - No object of the reply has the same key twice, or a number that is not finite.
    - The broken object contains no inner object that fits the form. Such an inner object may be a draft.
    """
    if found.too_many:
        return ParsedReply("no_object", faults=(f"more than {MAX_OBJECTS} objects: give exactly one",))
    parsed = _choose_object(found.valid, form)
    if parsed.form is not None or (parsed.outcome == "no_object" and found.valid):
        return parsed
    if found.forbidden:
        return ParsedReply("invalid", faults=_format_faults(dict.fromkeys(found.forbidden)))
    repaired = repair_json(found.broken[0]) if len(found.broken) == 1 else None
    if repaired is None or _choose_object(_find_objects(found.broken[0][1:]).valid, form).form is not None:
        return parsed
    repeated = _find_repeated_key(found.broken[0], frozenset(_property_names(form.schema)))
    if repeated is not None:
        return ParsedReply("invalid", faults=_format_faults([_describe_repeated_key(repeated)]))
    again = _choose_object([repaired], form)
    return replace(again, repaired=again.form is not None)


def _choose_object(objects: list[dict[str, Any]], form: Form[FormT]) -> ParsedReply[FormT]:
    readings = [_parse_unwrapped(candidate, form) for candidate in objects]
    for outcome in ("valid", "off_schema"):
        fitting = [reading for reading in readings if reading.outcome == outcome]
        if fitting and all(reading.form == fitting[0].form for reading in fitting):
            return fitting[0]
        if fitting:
            return ParsedReply("no_object", faults=("several different objects: give exactly one",))
    if readings:
        return min(readings, key=lambda reading: len(reading.faults))
    return ParsedReply("no_object", faults=("there is no JSON object in the answer",))


def _parse_unwrapped(candidate: dict[str, Any], form: Form[FormT], wrappers: int = MAX_WRAPPERS) -> ParsedReply[FormT]:
    parsed = _validate_form(candidate, form)
    inner: Any = next(iter(candidate.values()), None)
    if parsed.form is not None or len(candidate) != 1 or not isinstance(inner, dict) or wrappers == 0:
        return parsed
    unwrapped = _parse_unwrapped(cast("dict[str, Any]", inner), form, wrappers - 1)
    return parsed if unwrapped.form is None else unwrapped


def _validate_form(candidate: dict[str, Any], form: Form[FormT]) -> ParsedReply[FormT]:
    candidate = restore_lists(candidate, form.schema)
    violations: tuple[str, ...] = ()
    try:
        violations = _format_faults(map(str, find_violations(candidate, form.schema)))
        filled = form.model.model_validate_json(json.dumps(candidate, allow_nan=False), strict=True)
    except ValidationError as error:
        faults = (
            f"{'.'.join(map(str, fault['loc'])) or 'the object'}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_context=False, include_input=False)
        )
        return ParsedReply("invalid", faults=violations or _format_faults(faults))
    except (ValueError, RecursionError):
        return ParsedReply("invalid", faults=("the object is nested too deeply, or is not valid JSON",))
    return ParsedReply("off_schema" if violations else "valid", filled, violations)


def _format_faults(faults: Iterable[str]) -> tuple[str, ...]:
    lines: list[str] = []
    for fault in faults:
        if len(lines) == MAX_FAULTS:
            return (*lines, "and more")
        lines.append(prompt_line(fault[: 2 * MAX_FAULT_CHARS], MAX_FAULT_CHARS))
    return tuple(lines)


def _property_names(schema: JsonSchema | bool) -> Iterator[str]:
    if isinstance(schema, bool):  # in JSON Schema, true allows any value
        return
    properties: dict[str, JsonSchema | bool] = schema.get("properties", {})
    yield from properties
    for part in (*properties.values(), *schema.get("prefixItems", ()), schema.get("items", True)):
        yield from _property_names(part)


def _find_repeated_key(broken: str, names: Collection[str]) -> str | None:
    """Return a key that occurs twice in one object of a broken JSON text; None if no key is repeated.

    A repair would keep only the last value of such a key. Only keys in `names` are looked for, because words before a
    colon in a broken text look like keys.
    """
    objects: list[set[str]] = [set()]
    for match in _NAME_OR_BRACKET.finditer(broken):
        key = match["name"].strip("\"'“”") if match["colon"] else None
        if key is not None and key in objects[-1]:
            return key
        if key is not None and key in names:
            objects[-1].add(key)
        elif match.group() in "{[":
            objects.append(set())
        elif match.group() in "}]" and len(objects) > 1:
            objects.pop()
    return None


# Strict JSON ------------------------------------------------------------------------------------------------------


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise _ForbiddenError(_describe_repeated_key(name))
        members[name] = value
    return members


def _describe_repeated_key(name: str) -> str:
    return f"the key {sanitize_for_prompt(name[:MAX_SHOWN_CHARS])!r} occurs twice in one object"


def _parse_number(digits: str) -> float:
    """Parse a number with a decimal point or exponent. A whole number, e.g. `8.0`, becomes an int, as in JSON Schema.

    Raises _ForbiddenError for a number that is not finite, e.g. `NaN` or `1e999`.
    """
    number = float(digits)
    if not math.isfinite(number):
        raise _ForbiddenError(f"{digits[:MAX_SHOWN_CHARS]} is not a finite number")
    return int(number) if number.is_integer() else number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_reject_duplicate_keys, parse_constant=_parse_number, parse_float=_parse_number
)
