"""A form as a list of fields that a person fills in one by one. Without side effects."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from debate_cli.llm.form import Form, JsonSchema, person_schema
from debate_cli.llm.model import Request
from debate_cli.providers.people.replies import PersonAnswer, check_value, convert_answer, read_reply
from debate_cli.providers.people.yaml_form import describe_value
from debate_cli.yaml_positions import KeyPath

FieldKind = Literal["text", "choice", "choices", "number", "yes_no", "lines"]
"""What a person enters. `text`: any words; `choice`: one option; `choices`: any number of options; `number`: a
number; `yes_no`: yes or no; `lines`: a list of short texts."""
DEFAULT_MAX_ITEMS = 10
"""Maximum number of items in a list if the form sets no maximum."""


@dataclass(frozen=True, slots=True)
class FormField:
    """A field that a person fills in."""

    path: KeyPath
    label: str
    """Label that the person sees, e.g. `PRO-1, claim`."""
    kind: FieldKind
    options: tuple[str, ...] = ()
    """Options to choose from, for the kinds `choice`, `choices` and `yes_no`."""
    hint: str = ""
    """Short description of the allowed input, for the person."""
    required: bool = True
    """Whether the person must fill in the field."""
    explanation: str = ""
    """Text of the form that explains the field."""

    @property
    def key(self) -> str:
        """The path as text, for example `scores/0/reason`. It is the key of the field in `AnswerSheet.values`."""
        return "/".join(map(str, self.path))


@dataclass
class AnswerSheet(ABC):
    """The texts that a person has entered into the fields of an answer so far."""

    values: dict[str, str] = field(default_factory=dict[str, str], kw_only=True)
    """Maps the key of a field to the field's text. If the person chose options, each line of the text is an option."""

    @abstractmethod
    def fields(self) -> tuple[FormField, ...]:
        """Return the fields in the order in which they are shown."""

    @abstractmethod
    def read(self) -> PersonAnswer:
        """Return the entered texts as an answer, with the problems of the answer."""

    def set(self, item: FormField, words: str) -> None:
        """Set the text of the field `item`. An empty text clears the field."""
        if words.strip():
            self.values[item.key] = words
        else:
            self.values.pop(item.key, None)

    def get(self, item: FormField) -> str:
        """Return the text of the field `item`; empty if nothing was entered."""
        return self.values.get(item.key, "")

    def missing(self) -> tuple[FormField, ...]:
        """Return the required fields that are empty."""
        return tuple(item for item in self.fields() if item.required and not self.get(item).strip())


@dataclass
class FormDraft(AnswerSheet):
    """An answer that is entered field by field.

    A list without a fixed length shows one empty item after its last filled item.
    """

    form: Form[Any]

    @cached_property
    def _schema(self) -> JsonSchema:
        return person_schema(self.form)

    def fields(self) -> tuple[FormField, ...]:
        """Return the fields in the order of the form."""
        return tuple(_fields(self._schema, (), "", self.values, required=True))

    def value(self) -> dict[str, Any]:
        """Return the filled-in form as JSON data. A text that does not fit its field's type stays a text."""
        found = _value(self.form.schema, (), self.values, drops_empty=self.form.lenient)
        return convert_answer(found, self._schema)

    def read(self) -> PersonAnswer:
        """Return the filled-in form as an answer, with the problems of the answer."""
        return check_value(self.value(), self.form)


@dataclass
class TextSheet(AnswerSheet):
    """An answer that is entered as one text: JSON or YAML of the requested form, or plain words."""

    request: Request

    def fields(self) -> tuple[FormField, ...]:
        """Return the only field."""
        return (FormField(("answer",), "answer", "text", hint="paste it here"),)

    def read(self) -> PersonAnswer:
        """Return the text as an answer to the request."""
        origin = self.request.origin
        (answer,) = self.fields()
        accepts_text = origin is not None and origin.accepts_text
        return read_reply(self.get(answer), self.request.form, accepts_text=accepts_text)


def _fields(
    schema: JsonSchema, path: KeyPath, label: str, values: Mapping[str, str], *, required: bool
) -> Iterator[FormField]:
    for name, part in schema.get("properties", {}).items():
        if "const" in part:
            continue
        words = name.replace("_", " ")
        own = f"{label}, {words}" if label else words
        needed = required and name in schema["required"]
        for item in _field(part, (*path, name), own, values, required=needed):
            yield replace(item, explanation=item.explanation or part.get("description", ""))


def _field(
    part: JsonSchema, path: KeyPath, label: str, values: Mapping[str, str], *, required: bool
) -> Iterator[FormField]:
    kind = part.get("type")
    item: JsonSchema = part.get("items", {})
    if kind == "object":
        yield from _fields(part, path, label, values, required=required)
    elif kind == "array" and ("prefixItems" in part or item.get("type") == "object"):
        for number, (entry, is_required) in enumerate(_entries(part, path, values)):
            given = [part["const"] for part in entry.get("properties", {}).values() if "const" in part]
            singular = f"{label[:-3]}y" if label.endswith("ies") else label.removesuffix("s")
            own = str(given[0]) if given else f"{singular} {number + 1}"
            yield from _fields(entry, (*path, number), own, values, required=required and is_required)
    elif kind == "array":
        if part.get("maxItems") == 0:
            return
        options = tuple(map(str, item.get("enum", ())))
        needed = required and part.get("minItems", 0) > 0
        listed = f"{describe_value(part)}, one on each line"
        hint = listed if not options else "choose at least one" if needed else "choose any"
        yield FormField(path, label, "choices" if options else "lines", options, hint, needed)
    elif "enum" in part:
        yield FormField(path, label, "choice", tuple(map(str, part["enum"])), "choose one", required)
    elif kind == "boolean":
        yield FormField(path, label, "yes_no", ("yes", "no"), "choose one", required)
    elif kind in {"integer", "number"}:
        yield FormField(path, label, "number", (), describe_value(part), required)
    else:
        least = part.get("minLength", 0)
        needed = required and least > 0
        hint = "may stay empty" if not needed else f"at least {least} characters" if least > 1 else ""
        yield FormField(path, label, "text", (), hint, needed)


def _entries(part: JsonSchema, path: KeyPath, values: Mapping[str, str]) -> Iterator[tuple[JsonSchema, bool]]:
    known: list[JsonSchema] = part.get("prefixItems", [])
    if known:
        yield from ((entry, True) for entry in known)
        return
    least = part.get("minItems", 0)
    most = part.get("maxItems", DEFAULT_MAX_ITEMS)
    shown = min(most, max(least, _filled_items(path, values) + 1))
    yield from ((part["items"], number < max(least, _filled_items(path, values))) for number in range(shown))


def _filled_items(path: KeyPath, values: Mapping[str, str]) -> int:
    start = "".join(f"{part}/" for part in path)
    numbers = [int(key.removeprefix(start).partition("/")[0]) for key in values if key.startswith(start)]
    return max(numbers, default=-1) + 1


def _value(schema: JsonSchema, path: KeyPath, values: Mapping[str, str], *, drops_empty: bool) -> Any:
    if "const" in schema:
        return schema["const"]
    words = values.get("/".join(map(str, path)), "")
    match schema.get("type"):
        case "object":
            found = {
                name: _value(part, (*path, name), values, drops_empty=drops_empty)
                for name, part in schema.get("properties", {}).items()
            }
            return {name: value for name, value in found.items() if value is not None}
        case "array" if "prefixItems" in schema or schema.get("items", {}).get("type") == "object":
            return [
                _value(entry, (*path, number), values, drops_empty=drops_empty)
                for number, (entry, is_wanted) in enumerate(_entries(schema, path, values))
                if any(key.startswith(f"{'/'.join(map(str, (*path, number)))}/") for key in values)
                or (is_wanted and not drops_empty)
            ]
        case "array":
            return [line.strip() for line in words.splitlines() if line.strip()]
        case "string" if "enum" not in schema:
            return words.strip()
        case _:
            return words.strip() or None
