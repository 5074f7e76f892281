"""Assessments: the marks and findings of judges, in one shape for all judging systems."""

from functools import cache, cached_property, lru_cache
from typing import Annotated, Any, Literal, cast

from pydantic import ConfigDict, Field, SerializeAsAny, ValidationInfo, model_serializer
from pydantic_core import PydanticCustomError

from debate_cli.domain.evidence import PassageIds
from debate_cli.domain.frozen_model import ByKind, FrozenModel, Kind, UtcDatetime
from debate_cli.domain.model_call import ModelCall, RawAnswer
from debate_cli.domain.tasks import MAX_REVISION, Brief, Subject
from debate_cli.plugins import SYSTEMS


class Mark(FrozenModel):
    """One number that a judge gave, e.g. 7 of 10 for the logic of an argument."""

    participant: str | None
    """Name of the debater. None if the mark is about the whole debate or document."""
    item: str | None = None
    """Id of the marked argument; None if the mark is not about a single argument."""
    criterion: str
    """Name of what the mark measures, e.g. `logic`."""
    value: float = Field(strict=True)
    """The mark, on a scale from 0 to `out_of`."""
    out_of: float = Field(gt=0, strict=True)
    """Upper end of the scale, which starts at 0. Scoring clamps a stored mark that is outside the scale."""
    reason: str | None = None
    """Why the judge gave the mark; None if the judge gave no reason."""


class Finding(FrozenModel):
    """Something that a judge or the program found, e.g. a contradiction. Each subclass has its own `kind`."""

    kind: Kind

    def describe(self) -> list[str]:
        """Return sentences that describe the finding. The sentences may contain untrusted text."""
        details = [
            f"{name.replace('_', ' ')}: {value}"
            for name, value in self
            if name != "kind" and value not in (None, (), "")
        ]
        return [f"{self.kind.replace('_', ' ')}: {'; '.join(details)}"]


class UninstalledFinding(Finding):
    """A finding of a system whose plug-in is not installed. Keeps all stored fields."""

    model_config = ConfigDict(extra="allow")

    @model_serializer(mode="plain")
    def _as_stored(self) -> dict[str, Any]:
        return {"kind": self.kind, **(self.model_extra or {})}


class Contradiction(Finding):
    """A turn that contradicts an earlier turn of the same speaker."""

    kind: Literal["contradiction"] = "contradiction"
    participant: str
    earlier: int
    later: int
    explanation: str

    def describe(self) -> list[str]:
        """Describe the contradiction between the two turns."""
        return [f"Turn {self.later + 1} contradicts turn {self.earlier + 1}: {self.explanation}"]


class DroppedPremise(Finding):
    """A premise that its speaker no longer supports."""

    kind: Literal["dropped_premise"] = "dropped_premise"
    participant: str
    earlier: int
    later: int
    premise: str

    def describe(self) -> list[str]:
        """Describe the dropped premise, with the turns that state and drop it."""
        return [f"Turn {self.later + 1} drops a premise of turn {self.earlier + 1}: {self.premise}"]


class Manipulation(Finding):
    """Words in a speech, the motion or the background that are addressed to the judge."""

    kind: Literal["manipulation"] = "manipulation"
    participant: str | None
    turn: int | None
    quote: str
    technique: str
    found_by: Literal["rules", "judge"] = "rules"
    """`rules`: the program found the words by rules, and hid them from judges. `judge`: a judge quoted the words."""

    @property
    def label(self) -> str:
        """The field `technique` if the program found the manipulation by rules, else the text `found by the judge`."""
        return self.technique if self.found_by == "rules" else "found by the judge"

    def describe(self) -> list[str]:
        """Describe who addressed the judge, where, and with which words."""
        by = f"by {self.participant}" if self.participant is not None else "in the text"
        where = f" in turn {self.turn + 1}" if self.turn is not None else ""
        return [f"! manipulation {by}{where} ({self.label}): “{self.quote}”"]


class SourceRemark(Finding):
    """A judge's remark about a source. Occurs only in files of version 0.1."""

    kind: Literal["source_check"] = "source_check"
    participant: str
    turn: int
    source: str
    verdict: str

    def describe(self) -> list[str]:
        """Describe the source and what the judge said about it."""
        return [f"{self.participant}, turn {self.turn + 1}: {self.source}: {self.verdict}"]


SHARED_FINDINGS: dict[str, type[Finding]] = {
    "contradiction": Contradiction,
    "dropped_premise": DroppedPremise,
    "manipulation": Manipulation,
    "source_check": SourceRemark,
}
"""Findings that all systems may report: maps each `kind` to its class."""


@lru_cache(maxsize=256)
def finding_class(kind: str, system: str) -> type[Finding] | None:
    """Return the class of a finding by its `kind` and its judging system; None for an unknown kind.

    Findings of a system that is not installed have the class `UninstalledFinding`.
    """
    if kind in SHARED_FINDINGS:
        return SHARED_FINDINGS[kind]
    if not SYSTEMS.has(system):
        return UninstalledFinding
    return system_findings(system).get(kind) or _built_in_findings().get(kind)


@cache
def system_findings(system: str) -> dict[str, type[Finding]]:
    """Return the classes of a system's own findings, by kind."""
    classes: tuple[type[Finding], ...] = SYSTEMS.load(system).findings
    return {cls.model_fields["kind"].default: cls for cls in classes}


def _parse_finding(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, dict):
        return value
    data = cast("dict[str, Any]", value)
    kind, system = data.get("kind"), info.data.get("system")
    if not isinstance(kind, str) or not isinstance(system, str):
        return data
    cls = finding_class(kind, system)
    if cls is None:
        raise PydanticCustomError(
            "unknown_finding",
            "the judging system {system} has no finding of this kind; correct `kind`",
            {"system": system},
        )
    return cls.model_validate(data)


@cache
def _built_in_findings() -> dict[str, type[Finding]]:
    own = [finding for system in SYSTEMS.built_in for finding in system_findings(system).items()]
    return {**dict(own), **SHARED_FINDINGS}


AnyFinding = Annotated[SerializeAsAny[Finding], ByKind(_parse_finding, _built_in_findings)]
"""A finding of any system; its `kind` selects the class."""


class Assessment(FrozenModel):
    """A judge's answer to one brief. A brief is a request to judge the debate or a part of it."""

    run: str
    """Id of the judging run, e.g. `r1`."""
    system: str
    """Kind of the judging system, e.g. `structured`."""
    assessor: str
    """Id of the judge."""
    subject: Subject
    """What was judged: a turn, a pair of turns, a round or the debate."""
    revision: int = Field(default=0, ge=0, le=MAX_REVISION)
    """0 for the first question to the judge about this subject, 1 for the second, and so on. For `panel`, each voting
    round is a question."""
    marks: tuple[Mark, ...] = ()
    """The judge's marks, e.g. one per argument and criterion."""
    findings: tuple[AnyFinding, ...] = ()
    """What the judge reports besides marks, e.g. fallacies or a vote."""
    rationale: str = ""
    """The judge's reasons, in the judge's words."""
    passages: PassageIds = ()
    """Ids of the passages that the program found and showed to the judge; omitted in files if there are none."""
    warnings: tuple[str, ...] = ()
    """What the program changed or doubts in the answer, e.g. a removed quote or a wrong total."""
    exchange: ModelCall
    """The call to the model: which model, its usage and its latency."""
    at: UtcDatetime | None = Field(default=None, exclude_if=lambda at: at is None)
    """Time of the answer; None in files of older versions."""
    raw: RawAnswer | None = Field(default=None, exclude_if=lambda raw: raw is None)
    """The judge's answer with its prompt if `output.raw` is true, else None."""

    @cached_property
    def brief(self) -> Brief:
        """The brief that this assessment answers."""
        return Brief(
            run=self.run, system=self.system, assessor=self.assessor, subject=self.subject, revision=self.revision
        )
