"""Builds the forms that judges fill in, and reads the answers. Marks outside their scale are clamped with a warning."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import create_model, model_validator

from debate_cli.domain.assessment import Finding, Mark
from debate_cli.llm.form import Form, FormModel, JsonSchema, derive_schema, each_of
from debate_cli.systems.base import AssessmentContent

FormModelT = TypeVar("FormModelT", bound=FormModel)
ItemT = TypeVar("ItemT")


class MarkCollector:
    """Collects the marks, findings and warnings of one filled-in form."""

    def __init__(self) -> None:
        self._marks: list[Mark] = []
        self._findings: list[Finding] = []
        self._warnings: list[str] = []

    def add_mark(
        self, participant: str | None, criterion: str, value: float, bounds: tuple[float, float], **details: str | None
    ) -> float:
        """Add a mark and return its value. A value outside `bounds` (lowest, highest) is clamped with a warning.

        `details`: the fields `item` and `reason` of the `Mark`.
        """
        low, high = bounds
        counted = float(min(high, max(low, value)))
        if counted != value:
            whose = " ".join(part for part in (participant, details.get("item"), criterion) if part)
            self.add_warnings(f"clamped: {whose} {value:g} is outside {low:g}-{high:g} and counts as {counted:g}")
        self._marks.append(Mark(participant=participant, criterion=criterion, value=counted, out_of=high, **details))
        return counted

    def add_findings(self, *findings: Finding) -> None:
        """Add findings in the given order."""
        self._findings.extend(findings)

    def add_warnings(self, *warnings: str) -> None:
        """Add warnings of the form `code: what is wrong`."""
        self._warnings.extend(warnings)

    def result(self, rationale: str = "") -> AssessmentContent:
        """Return the collected marks, findings and warnings, as the content of an assessment."""
        return AssessmentContent(tuple(self._marks), tuple(self._findings), rationale, tuple(self._warnings))


def unique_known_items(
    collector: MarkCollector, items: Iterable[ItemT], key: Callable[[ItemT], str], known: Collection[str]
) -> Iterator[ItemT]:
    """Yield the judge's first item about each name in `known`.

    Repeated items about a name, and items about unknown names, are dropped with a warning. `key` returns the name that
    an item is about.
    """
    seen: set[str] = set()
    for item in items:
        name = key(item)
        if name not in known:
            collector.add_warnings(f"unknown: the judge was not asked about {name!r}, so this answer is dropped")
        elif name in seen:
            collector.add_warnings(f"duplicate: {name} was judged more than once; the first answer counts")
        else:
            seen.add(name)
            yield item


def judge_form(
    name: str,
    model: type[FormModelT],
    complete: Mapping[str, tuple[str, Collection[str]]] | None = None,
    /,
    **narrowing: JsonSchema | None,
) -> Form[FormModelT]:
    """Return the form that a judge fills in. If a required entry is missing in an answer, the judge is asked again.

    `complete`: the required entries of lists. With `{"targets": ("participant", ["Ann", "Bob"])}`, the list `targets`
    needs one entry with `participant: Ann` and one with `participant: Bob`. With `{"targets": ("participant", [])}`, the
    form has no list `targets`.

    `narrowing`: `NAME=keywords` adds JSON Schema keywords to the property NAME. `NAME=None` removes the property.
    """
    lists = {entries: each_of(key, values) if values else None for entries, (key, values) in (complete or {}).items()}
    schema = derive_schema(model, **lists, **narrowing)
    for entries, (key, values) in (complete or {}).items():
        model = _require_entries(model, entries, key, tuple(values))
    return Form(name, model, schema, lenient=True)


@lru_cache(maxsize=256)
def _require_entries(model: type[FormModelT], entries: str, key: str, wanted: tuple[str, ...]) -> type[FormModelT]:
    def answers_all(form: FormModelT) -> FormModelT:
        given = {getattr(entry, key) for entry in getattr(form, entries)}
        missing = [name for name in wanted if name not in given]
        if missing:
            raise ValueError(f"{', '.join(missing)} must be judged as well")
        return form

    validators: dict[str, Any] = {f"answers_all_{entries}": model_validator(mode="after")(answers_all)}
    return create_model(model.__name__, __base__=model, __validators__=validators)
