"""The configuration of judging. The settings of each judging system are in its folder in `systems`.

Settings determine scores. So they are stored with a debate, and `debate score` may override them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Self, cast

from pydantic import BeforeValidator, ConfigDict, Field, SerializeAsAny, ValidationInfo, model_serializer
from pydantic_core import PydanticCustomError

from debate_cli.domain.evidence import LookupPlace
from debate_cli.domain.frozen_model import ByKind, ConfigModel, Kind
from debate_cli.domain.reviewer import is_reviewer_id
from debate_cli.plugins import SYSTEMS

NonNegative = Annotated[float, Field(ge=0, le=1e6)]
"""A weight or a bound. The maximum keeps sums and products finite."""
UnitInterval = Annotated[float, Field(ge=0, le=1)]
SOLE_JUDGE_ID = "judge"
"""Id of a judge who judges alone."""
MAX_JUDGES = 25
"""Maximum number of judges of a system."""


class JudgeSeat(NamedTuple):
    """The place of one judge in a system: its model and weight."""

    id: str
    model: str | None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    model_path: tuple[str | int, ...] = ("judge",)
    """Key path of the model in the settings."""
    weight: float | None = None
    """Weight of the judge's opinion; None if all judges have equal weight."""


class SystemSettings(ConfigModel):
    """Base class of the settings of a judging system. A subclass sets the default of `kind`."""

    judges_each_turn: ClassVar[bool] = False
    """Whether the system only judges single turns. Later turns then do not make earlier judgments incomplete."""

    kind: Kind
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """The judges in their order; empty if the system asks no model."""
        return numbered_seats(1, self.judge)

    @property
    def lookup_places(self) -> frozenset[LookupPlace]:
        """Places in which the system looks up claims of debaters; empty if it looks nothing up."""
        return frozenset()

    def with_lookup(self, lookup: str) -> Self | None:
        """Return the settings with this `lookup`; None if the system looks nothing up."""
        return None

    @property
    def asks_in_turn(self) -> bool:
        """Whether debaters must speak one after the other because the system judges each turn before the next."""
        return False

    @property
    def steers_debate(self) -> bool:
        """Whether the system influences the debate, because debaters read its findings or it can end the debate."""
        return self.asks_in_turn

    @property
    def judge_timeout_s(self) -> float | None:
        """Seconds after which a judge counts as late; None if the system has no limit."""
        return None

    @property
    def method(self) -> str:
        """Method of a system without judges, in one or two words; else empty."""
        return ""

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield contradictions in the settings, each as a key path within the settings and a sentence.

        The base class checks only `thresholds`.
        """
        thresholds = getattr(self, "thresholds", None)
        if isinstance(thresholds, Thresholds) and thresholds.draw > thresholds.clear:
            yield ("thresholds",), "`clear` is below `draw`; raise `clear`"

    def notices(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield unexpected effects of valid settings, each as a key path within the settings and a sentence."""
        yield from ()

    def with_models(self, rename: Callable[[str | None], str | None]) -> Self:
        """Return the settings with `rename` applied to the model of every judge."""
        return self.model_copy(update={"judge": rename(self.judge)})

    def with_judge_count(self, count: int) -> Self | None:
        """Return the settings with `count` judges; None if the system has only one judge."""
        return self if count == 1 else None

    def for_reviewer(self, assessor: str) -> Self:
        """Return the settings with a person as the only judge. `assessor`: the person's id and name in `models`."""
        return (self.with_judge_count(1) or self).with_models(lambda _role: assessor)

    def without_surrender(self) -> Self:
        """Return the settings without surrender, so that a simulated debate has all its turns."""
        return self

    def for_added_run(self) -> Self:
        """Return the settings for judging a saved debate, without options that only apply during a debate."""
        return self

    def for_text(self) -> Self:
        """Return the settings for judging a text instead of a debate."""
        return self


class UninstalledSettings(SystemSettings):
    """Settings of a system whose plug-in is not installed. They are kept as they were read."""

    model_config = ConfigDict(extra="allow")

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """Always empty, because a system that is not installed cannot ask a judge."""
        return ()

    @model_serializer(mode="plain")
    def _as_stored(self) -> dict[str, Any]:
        stored = {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}
        return {**stored, **(self.model_extra or {})}


class Thresholds(ConfigModel):
    """Bounds of the margin between the two best scores, in points. Each system has its own defaults."""

    draw: NonNegative
    """A margin below this is a draw."""
    clear: NonNegative
    """Margin from which a victory is clear. Each system decides whether a margin of exactly this value is clear."""


def default_bounds(**defaults: float) -> BeforeValidator:
    """Return a validator that fills in `defaults` for bounds that are left out."""

    def fill(bounds: object) -> object:
        return {**defaults, **cast("dict[str, object]", bounds)} if isinstance(bounds, dict) else bounds

    return BeforeValidator(fill)


def duplicate_indices(words: Iterable[str]) -> list[int]:
    """Return the indices of the words that repeat an earlier one in `words`."""
    first: dict[str, int] = {}
    return [index for index, word in enumerate(words) if first.setdefault(word, index) != index]


def judge_id_problems(key: str, ids: Sequence[str]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield a fault for each id with a slash or a control character, and for each repeated id.

    `key`: name of the setting that lists the judges.
    """
    for index, judge in enumerate(ids):
        if "/" in judge or not judge.isprintable():
            yield (key, index), "a judge's id must contain no slashes or control characters; rename it"
    for index in duplicate_indices(map(str.casefold, ids)):
        yield (key, index), "an earlier judge has this id; give each a different id"


def numbered_seats(count: int, model: str | None) -> tuple[JudgeSeat, ...]:
    """Return `count` judges with one model, named `judge` or `judge-1`, `judge-2`, …. A reviewer keeps its own id."""
    if count == 1:
        return (JudgeSeat(model if model is not None and is_reviewer_id(model) else SOLE_JUDGE_ID, model),)
    return tuple(JudgeSeat(f"{SOLE_JUDGE_ID}-{number}", model) for number in range(1, count + 1))


def settings_class(kind: str) -> type[SystemSettings]:
    """Return the settings class of a system; `UninstalledSettings` if it is not installed."""
    return SYSTEMS.load(kind).settings if SYSTEMS.has(kind) else UninstalledSettings


def _parse_settings(value: object, _info: ValidationInfo) -> object:
    written = {"kind": value} if isinstance(value, str) else value
    if not isinstance(written, dict):
        return written
    data = cast("dict[str, Any]", written)
    if "kind" not in data:
        raise PydanticCustomError("union_tag_not_found", "has no `kind`")
    kind = data["kind"]
    return settings_class(kind).model_validate(data) if isinstance(kind, str) else data


AnySettings = Annotated[
    SerializeAsAny[SystemSettings],
    ByKind(_parse_settings, lambda: {kind: settings_class(kind) for kind in SYSTEMS.built_in}),
]
"""Settings of any system, parsed by their `kind`."""


class JudgingConfig(ConfigModel):
    """The judging systems of a debate."""

    decides: str | None = None
    """`kind` of the system whose verdict decides the debate and is shown first; None means the first system."""
    systems: tuple[AnySettings, ...] = Field(
        default=cast("tuple[SystemSettings, ...]", ("structured",)), validate_default=True
    )
    """One or more judging systems. A bare name selects the system's defaults."""
    question: str | None = Field(default=None, exclude_if=lambda question: question is None)
    """The question about a judged text, only in transcripts. `judge --config` copies `topic` here."""
    context: str | None = Field(default=None, exclude_if=lambda context: context is None)
    """Material that judges of a text see and do not judge, only in transcripts. `judge --config` copies `background`
    here."""

    def notices(self) -> tuple[str, ...]:
        """Return a sentence with a key path for each unexpected effect of the systems' settings."""
        return tuple(
            f"{'.'.join(map(str, ('judging', 'systems', index, *path)))} {sentence}"
            for index, system in enumerate(self.systems)
            for path, sentence in system.notices()
        )

    @property
    def lookup_places(self) -> frozenset[LookupPlace]:
        """Places where a system of this configuration looks up facts."""
        return frozenset[LookupPlace]().union(*(system.lookup_places for system in self.systems))

    @property
    def deciding_kind(self) -> str | None:
        """`kind` of the system that decides; None if there is no system."""
        return self.decides or next((system.kind for system in self.systems), None)


def judge_ids(system: SystemSettings) -> tuple[str, ...]:
    """Return the ids of a system's judges, in their order; empty if the system asks no model."""
    return tuple(seat.id for seat in system.seats)


def judge_title(kind: str, assessor: str) -> str:
    """Return the title of a system's judge, e.g. `structured judge`, `moderator judge-2` or `panel judge skeptic`."""
    is_sole_or_numbered = assessor == SOLE_JUDGE_ID or assessor.startswith(f"{SOLE_JUDGE_ID}-")
    return f"{kind} {assessor}" if is_sole_or_numbered else f"{kind} {SOLE_JUDGE_ID} {assessor}"


def judge_model_role(system: SystemSettings, assessor: str) -> str | None:
    """Return a judge's model as a name in `models` or `provider/model`; None means the default judge model.

    Raises KeyError if `assessor` is not one of the system's judges.
    """
    return {seat.id: seat.model for seat in system.seats}[assessor]
