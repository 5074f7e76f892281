"""What a row of the table of judging systems is made of, and what its reader returns. The table is in `systems`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pydantic import create_model, model_validator

from debate_cli.domain.assessment import Finding, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.tasks import Brief
from debate_cli.domain.turn import Turn
from debate_cli.llm.form import Form, FormModel, FormT
from debate_cli.llm.prompts import Prompts

JUDGE_PROMPT_PACKAGE = "debate_cli.judging"
"""Where the prompts of judges are kept."""

SystemT = TypeVar("SystemT", bound=SystemSettings)
FormModelT = TypeVar("FormModelT", bound=FormModel)
ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class JudgingContext(Generic[SystemT]):
    """All that an assessment may depend on."""

    debate: Debate
    brief: Brief
    settings: SystemT

    @property
    def debater_names(self) -> tuple[str, ...]:
        """Names of the debaters, in their order."""
        return tuple(participant.name for participant in self.debate.participants)

    @property
    def speakers(self) -> tuple[str, ...]:
        """Names of those who spoke, in the brief's round where it is on one: nobody is judged for silence."""
        number = self.brief.subject.round
        speakers = {turn.speaker for turn in self.debate.turns if number in {None, turn.round}}
        return tuple(name for name in self.debater_names if name in speakers)

    @property
    def judged_turns(self) -> tuple[Turn, ...]:
        """The turns that the brief names, in its order."""
        return tuple(self.debate.turns_by_index[index] for index in self.brief.subject.turns)


@dataclass(frozen=True, slots=True)
class AssessmentContent:
    """A filled-in form in the domain's words."""

    marks: tuple[Mark, ...] = ()
    findings: tuple[Finding, ...] = ()
    rationale: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeQuestion(Generic[SystemT, FormT]):
    """How one kind of brief is put to a model, and how its answer is read."""

    purpose: str
    """Of the request, e.g. `judge.live.pair`."""
    prompt: str
    """Name of the prompt that asks."""
    prompt_values: Callable[[JudgingContext[SystemT], Prompts], Mapping[str, str]]
    """The values of the prompt's placeholders; untrusted words in them are quoted."""
    build_form: Callable[[JudgingContext[SystemT]], Form[FormT]]
    """The form, narrowed to this occasion."""
    read_form: Callable[[FormT, JudgingContext[SystemT]], AssessmentContent]
    """Form -> marks, findings, rationale, warnings. Pure; never fails on a form that its model accepts."""


@dataclass(frozen=True, slots=True)
class MarkSubject:
    """What a mark is about: the fields of `Mark` but its number and scale."""

    participant: str | None
    criterion: str
    item: str | None = None
    reason: str | None = None


class MarkCollector:
    """Collects marks, findings and warnings while a form is read."""

    def __init__(self) -> None:
        self._marks: list[Mark] = []
        self._findings: list[Finding] = []
        self._warnings: list[str] = []

    def add_mark(self, about: MarkSubject, value: float, low: float, high: float) -> float:
        """Add a mark, clamped to `low`-`high` with a warning where that changes it; returns what counts."""
        counted = float(min(high, max(low, value)))
        if counted != value:
            whose = " ".join(part for part in (about.participant, about.item, about.criterion) if part)
            self.add_warnings(f"clamped: {whose} {value:g} is outside {low:g}-{high:g}")
        self._marks.append(
            Mark(
                participant=about.participant,
                item=about.item,
                criterion=about.criterion,
                value=counted,
                out_of=high,
                reason=about.reason,
            )
        )
        return counted

    def add_findings(self, *findings: Finding) -> None:
        """Add findings."""
        self._findings.extend(findings)

    def add_warnings(self, *warnings: str) -> None:
        """Add warnings, each `code: what is wrong`."""
        self._warnings.extend(warnings)

    def result(self, rationale: str = "") -> AssessmentContent:
        """What was collected."""
        return AssessmentContent(tuple(self._marks), tuple(self._findings), rationale, tuple(self._warnings))


def unique_known_items(
    tally: MarkCollector, items: Iterable[ItemT], key: Callable[[ItemT], str], known: Collection[str]
) -> Iterator[ItemT]:
    """Those of `items` whose key is known, the first of each key; the others are warned of."""
    seen: set[str] = set()
    for item in items:
        name = key(item)
        if name not in known:
            tally.add_warnings(f"unknown: there is no {name!r} to judge")
        elif name in seen:
            tally.add_warnings(f"duplicate: {name} was judged twice, the first counts")
        else:
            seen.add(name)
            yield item


def require_entries(model: type[FormModelT], entries: str, key: str, wanted: Iterable[str]) -> type[FormModelT]:
    """A `model` that also refuses a form whose list `entries` has no entry with one of the `wanted` values of `key`.

    Forms are lenient (a reason may run long, a score be clamped), but one that skips what it was to judge is asked again.
    """
    return _require_entries(model, entries, key, tuple(wanted))


@lru_cache(maxsize=256)
def _require_entries(model: type[FormModelT], entries: str, key: str, wanted: tuple[str, ...]) -> type[FormModelT]:
    def answers_all(form: FormModelT) -> FormModelT:
        given = {getattr(entry, key) for entry in getattr(form, entries)}
        missing = [name for name in wanted if name not in given]
        if missing:
            raise ValueError(f"{', '.join(missing)} must be judged as well")
        return form

    validators: dict[str, Any] = {"answers_all": model_validator(mode="after")(answers_all)}
    return create_model(model.__name__, __base__=model, __validators__=validators)
