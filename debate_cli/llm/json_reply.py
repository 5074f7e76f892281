"""Parses the text of a reply into a filled-in form or a list of faults. Pure.

`llm.structured_output` decides what to do about faults.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, Literal, Self, cast

import json_repair
from pydantic import ValidationError

from debate_cli.llm.form import Form, FormT
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt
from debate_cli.llm.schema_check import MAX_SHOWN_CHARS, find_violations
from debate_cli.llm.schema_dialect import restore_lists

MAX_REPAIR_CHARS = 50_000
"""A longer text is not repaired, because json-repair copies its result at every character."""
MAX_REPAIR_READS = 200_000
"""Maximum number of reads of one text by json-repair. They take half a second and suffice for MAX_REPAIR_CHARS."""
_SLICE_CHARS = 100
"""Number of characters in a slice that count as a further read. Each slice counts as at least one."""


class _RepairLimitError(Exception):
    """Repairing the text takes too long. json-repair does not catch this class."""


class _ReadCounter:
    def __init__(self, left: int) -> None:
        self.remaining = left

    def consume(self, reads: int) -> None:
        """Subtract `reads`. Raises _RepairLimitError if none is left."""
        self.remaining -= reads
        if self.remaining < 0:
            raise _RepairLimitError


class _CountedText(str):
    """A text that counts how often it is read.

    Texts that json-repair builds from it, by `text[:i] + sign + text[i:]`, are counted too.
    """

    __slots__ = ("_meter",)

    _meter: _ReadCounter

    @classmethod
    def wrap(cls, text: str, meter: _ReadCounter) -> Self:
        metered = cls(text)
        metered._meter = meter
        return metered

    def __getitem__(self, key: Any, /) -> str:  # pyright: ignore[reportIncompatibleMethodOverride] - as str takes it
        piece = str.__getitem__(self, key)
        self._meter.consume(1 + len(piece) // _SLICE_CHARS)
        head = isinstance(key, slice) and cast("slice[Any, Any, Any]", key).start is None
        return _CountedText.wrap(piece, self._meter) if head else piece

    def __add__(self, other: str, /) -> str:
        return _CountedText.wrap(str.__add__(self, other), self._meter)


def repair_json(broken: str) -> dict[str, Any] | None:
    """Repair the JSON object `broken`; None if its meaning is unclear or the repair takes too long."""
    if len(broken) > MAX_REPAIR_CHARS:
        return None
    try:
        value: Any = json_repair.loads(_CountedText.wrap(broken, _ReadCounter(MAX_REPAIR_READS)), skip_json_loads=True)
    except Exception:  # noqa: BLE001 - on some texts the library stumbles: AssertionError, IndexError, RecursionError ...
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) and value else None


ParseOutcome = Literal["valid", "off_schema", "invalid", "no_object"]
"""valid: satisfies the schema; off_schema: satisfies only the form's model; invalid: JSON but not a form; no_object: no
JSON object, several different ones, or an unreadable one."""
MAX_FAULTS = 12
"""Maximum number of faults that are listed for one reply."""
MAX_FAULT_CHARS = 240
"""Maximum length of one fault."""

MAX_OBJECTS = 500
"""A reply with more JSON objects is not parsed."""
MAX_WRAPPERS = 8
"""Maximum number of objects around a form that are unwrapped."""

_THINKING_TAG = re.compile(r"<(?P<end>/?)think(?:ing)?>", re.IGNORECASE)
_LOOKS_LIKE_JSON = re.compile(r"""\{\s*(?:["'}]|\w+["']?\s*:|//|/\*)""")
_QUOTED_OR_BRACE = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}]', re.DOTALL)


class _ForbiddenError(ValueError):
    """JSON with an ambiguous meaning: NaN, or a duplicate key. Never repaired."""


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[FormT]):
    """Result of parsing one reply."""

    outcome: ParseOutcome
    form: FormT | None = None
    """The filled-in form; set for `valid` and `off_schema`."""
    faults: tuple[str, ...] = ()
    """Faults, one line each; empty for `valid`."""
    repaired: bool = False
    """Whether the JSON had to be repaired."""


def strip_thinking(text: str) -> str:
    """`text` without the model's thinking.

    Removes `<think>…</think>`, everything before a closing tag without an opening one, and everything after an opening tag
    without a closing one.
    """
    return _split_thinking(text)[0]


def _split_thinking(text: str) -> tuple[str, str]:
    """The text outside of thinking, and the last thinking if it has no closing tag."""
    kept: list[str] = []
    visible_from: int | None = 0
    thought = 0
    for tag in _THINKING_TAG.finditer(text):
        if tag["end"]:
            kept = [] if visible_from is not None else kept
            visible_from = tag.end()
        elif visible_from is not None:
            kept.append(text[visible_from : tag.start()])
            visible_from, thought = None, tag.end()
    ends_visible = visible_from is not None
    return "".join([*kept, text[visible_from:] if ends_visible else ""]).strip(), "" if ends_visible else text[thought:]


def parse_reply(text: str, form: Form[FormT], *, truncated: bool = False) -> ParsedReply[FormT]:
    """Find the one object in `text` that fills in `form`. Never raises.

    Tried in this order: the whole text as an object; exactly one valid object inside the text (in code fences, with
    prose around it); one broken object, repaired. If the text is only unfinished thinking, the object at its end is the
    answer. Of a truncated text, only the whole is tried.
    """
    text = text.strip()
    try:
        whole = _load_strict(text)
    except ValueError:
        whole = None
    if isinstance(whole, dict):
        return _choose_object([cast("dict[str, Any]", whole)], form)
    if truncated:
        return ParsedReply("no_object", faults=("the answer was cut off at the token limit",))
    visible, thought = _split_thinking(text)
    return (
        _parse_embedded_object(visible, form) if visible or not thought else _parse_unfinished_thinking(thought, form)
    )


def _parse_unfinished_thinking(thought: str, form: Form[FormT]) -> ParsedReply[FormT]:
    """The one valid object at the very end of unfinished thinking. Objects elsewhere may be drafts."""
    found = _ObjectScan(thought)
    if found.objects and not found.too_many and thought[found.end :].strip() in {"", "```"}:
        parsed = _choose_object(found.objects, form)
        if parsed.outcome == "valid" and _parse_unwrapped(found.objects[-1], form).outcome == "valid":
            return parsed
    return _choose_object([], form)


def _parse_embedded_object(text: str, form: Form[FormT]) -> ParsedReply[FormT]:
    """The one valid object in a text. If no object is valid, the one broken object, repaired.

    A broken object that contains a valid form is not repaired: it may be a draft, or two joined answers.
    """
    found = _ObjectScan(text)
    parsed = _choose_object(found.objects, form)
    several = parsed.outcome == "no_object" and len(found.objects) > 1
    if found.too_many:
        return ParsedReply("no_object", faults=(f"more than {MAX_OBJECTS} objects: give exactly one",))
    if parsed.form is not None or several:
        return parsed
    if found.forbidden:
        return ParsedReply("invalid", faults=_format_faults(iter(dict.fromkeys(found.forbidden))))
    repaired = repair_json(found.broken[0]) if len(found.broken) == 1 else None
    if repaired is None or _choose_object(_ObjectScan(found.broken[0][1:]).objects, form).form is not None:
        return parsed
    again = _choose_object([repaired], form)
    return ParsedReply(again.outcome, again.form, again.faults, repaired=again.form is not None)


class _ObjectScan:
    """The outermost JSON objects of a text."""

    def __init__(self, text: str) -> None:
        self.objects: list[dict[str, Any]] = []
        """Valid JSON objects."""
        self.broken: list[str] = []
        """Texts that look like JSON objects and are not valid."""
        self.end = 0
        """End of the last valid object."""
        self.forbidden: list[str] = []
        begun = _LOOKS_LIKE_JSON.search(text)
        while begun is not None and not self.too_many:
            begun = _LOOKS_LIKE_JSON.search(text, self._read_object(text, begun.start()))

    @property
    def too_many(self) -> bool:
        """Whether the text has more than MAX_OBJECTS objects; the rest of it was not read."""
        return len(self.objects) + len(self.broken) + len(self.forbidden) > MAX_OBJECTS

    def _read_object(self, text: str, start: int) -> int:
        try:
            value, end = _DECODER.raw_decode(text, start)
        except _ForbiddenError as error:
            self.forbidden.append(str(error))
            return _find_object_end(text, start)
        except (ValueError, RecursionError):
            end = _find_object_end(text, start)
            self.broken.append(text[start:end])
            return end
        self.objects.append(value)
        self.end = end
        return end


def _find_object_end(text: str, start: int) -> int:
    depth = 0
    for match in _QUOTED_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    last = text.rfind("}", start)
    return last + 1 if last >= 0 else len(text)


def _choose_object(objects: list[dict[str, Any]], form: Form[FormT]) -> ParsedReply[FormT]:
    """The one object that is a form.

    Objects that satisfy the schema have precedence over those that only fit the model.
    """
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


def _parse_unwrapped(candidate: dict[str, Any], form: Form[FormT]) -> ParsedReply[FormT]:
    first = reading = _validate_form(candidate, form)
    for _ in range(MAX_WRAPPERS):
        if reading.form is not None or len(candidate) != 1:
            break
        inner = next(iter(candidate.values()))
        if not isinstance(inner, dict):
            break
        candidate = cast("dict[str, Any]", inner)
        reading = _validate_form(candidate, form)
    return reading if reading.form is not None else first


def _validate_form(candidate: dict[str, Any], form: Form[FormT]) -> ParsedReply[FormT]:
    candidate = restore_lists(candidate, form.schema)
    violations = _format_faults(map(str, find_violations(candidate, form.schema)))
    try:
        filled = form.model.model_validate_json(json.dumps(candidate, allow_nan=False), strict=True)
    except ValidationError as error:
        return ParsedReply("invalid", faults=violations or _format_faults(_pydantic_faults(error)))
    except (ValueError, RecursionError):
        return ParsedReply("invalid", faults=violations or ("the object is nested too deeply, or is not valid JSON",))
    return ParsedReply("off_schema" if violations else "valid", filled, violations)


def _format_faults(faults: Iterator[str]) -> tuple[str, ...]:
    """The first faults, one short line each."""
    lines: list[str] = []
    try:
        for fault in faults:
            if len(lines) == MAX_FAULTS:
                return (*lines, "and more")
            lines.append(" ".join(sanitize_for_prompt(fault[: 2 * MAX_FAULT_CHARS]).split())[:MAX_FAULT_CHARS])
    except RecursionError:
        return ("the object is nested too deeply",)
    return tuple(lines)


def _pydantic_faults(error: ValidationError) -> Iterator[str]:
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"])
        yield f"{path.removeprefix('.') or 'the object'}: {fault['msg']}"


def _load_strict(text: str) -> Any:
    """Parse `text` as strict JSON. Raises ValueError."""
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen = set[str]()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))
        raise _ForbiddenError(f"the key {sanitize_for_prompt(twice[:MAX_SHOWN_CHARS])!r} occurs twice in one object")
    return members


def _reject_constant(name: str) -> Any:
    raise _ForbiddenError(f"{name} is not a JSON number")


def _parse_finite_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _ForbiddenError(f"{digits[:MAX_SHOWN_CHARS]} is too large for a JSON number")
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_reject_duplicate_keys, parse_constant=_reject_constant, parse_float=_parse_finite_float
)
