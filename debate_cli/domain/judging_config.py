"""The configuration of judging. Each judging system defines its own settings in a subpackage of `debate_cli.systems`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Self, cast

from pydantic import BeforeValidator, ConfigDict, Field, SerializeAsAny, ValidationInfo, model_serializer
from pydantic_core import PydanticCustomError

from debate_cli.domain.evidence import LookupPlace
from debate_cli.domain.frozen_model import ByKind, ConfigModel, Kind
from debate_cli.domain.reviewer import is_reviewer_id
from debate_cli.plugins import SYSTEMS

MAX_WEIGHT = 1e6
"""Maximum of weights and thresholds. Keeps sums and products finite."""
NonNegative = Annotated[float, Field(ge=0, le=MAX_WEIGHT)]
UnitInterval = Annotated[float, Field(ge=0, le=1)]
SOLE_JUDGE_ID = "judge"
MAX_JUDGES = 25


class JudgeSeat(NamedTuple):
    """A judge of a system: id, model and weight."""

    id: str
    model: str | None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    model_path: tuple[str | int, ...] = ("judge",)
    """Key path of the judge's model within the settings of the system, e.g. (`judges`, 0, `model`)."""
    weight: float | None = None
    """Weight of the judge's opinion; None if all judges have equal weight."""


class SystemSettings(ConfigModel):
    """Settings of a judging system. Each system has a subclass with its own `kind`."""

    judges_each_turn: ClassVar[bool] = False
    """Whether the system judges each turn separately, so that later turns do not change a judgement."""
    scoring_fields: ClassVar[tuple[str, ...]] = ()
    """Names of the settings that only `score` uses. They have no effect on the questions to judges."""

    kind: Kind
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """The judges, in the order of the settings; empty if the system asks no model."""
        return numbered_seats(1, self.judge)

    @property
    def lookup_places(self) -> frozenset[LookupPlace]:
        """Where the program searches for facts that debaters state without a source: `corpus`, `web` or both.

        Empty if the system checks no such facts.
        """
        return frozenset()

    def with_lookup(self, lookup: str) -> Self | None:
        """Return the settings with another value of `lookup`; None if the system has no setting `lookup`.

        `lookup` says where the program searches for facts that debaters state without a source.
        """
        return None

    @property
    def asks_in_turn(self) -> bool:
        """Whether the system judges each turn before the next speech begins."""
        return False

    @property
    def steers_debate(self) -> bool:
        """Whether judging influences the debate.

        True if debaters read the system's findings. Also true if the system can end the debate.
        """
        return self.asks_in_turn

    @property
    def judge_timeout_s(self) -> float | None:
        """Seconds that a judge has for an answer; None if the system has no limit."""
        return None

    @property
    def method(self) -> str:
        """Name of the scoring method, e.g. `keywords`. Empty if the method has no name.

        It is shown in place of the judges if the system has no judges.
        """
        return ""

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield (key path within the settings, error message) for each contradiction in the settings."""
        thresholds = getattr(self, "thresholds", None)
        if isinstance(thresholds, Thresholds) and thresholds.draw > thresholds.clear:
            yield ("thresholds",), "`clear` is below `draw`; raise `clear`"

    def notices(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield (key path within the settings, notice) for each valid setting with an effect that may surprise users."""
        yield from ()

    def with_models(self, rename: Callable[[str | None], str | None]) -> Self:
        """Return the settings with other judge models. `rename`: maps each old model to the new model."""
        return self.model_copy(update={"judge": rename(self.judge)})

    @property
    def criterion_weights(self) -> Mapping[str, float]:
        """Maps criteria to their weights. Default: empty, because most systems have no weighted criteria."""
        return {}

    def with_weights(self, weights: Mapping[str, float]) -> Self | None:
        """Return the settings with these weights of the criteria. Returns None if the system has no weighted criteria.

        Criteria that are not in `weights` get 0. Raises ValueError for an unknown criterion.
        """
        return None

    def question_settings(self) -> Self:
        """Return a copy in which the fields named in `scoring_fields` have their defaults.

        Use: compare two settings objects of a system. If the copies are equal, judges get the same questions with both.
        """
        fields = type(self).model_fields
        return self.model_copy(
            update={name: fields[name].get_default(call_default_factory=True) for name in self.scoring_fields}
        )

    def with_judge_count(self, count: int) -> Self | None:
        """Return the settings with `count` judges. Returns None if the system cannot have that many."""
        return self if count == 1 else None

    def for_reviewer(self, assessor: str) -> Self:
        """Return the settings with one person as the only judge.

        `assessor`: id of the person, e.g. `human:anna`. The settings contain this id as the name of the judge's model.
        The judging run must map the name to the real model, e.g. `human/anna`, in `models`.
        """
        return (self.with_judge_count(1) or self).with_models(lambda _role: assessor)

    def without_surrender(self) -> Self:
        """Return the settings with surrender switched off."""
        return self

    def for_added_run(self) -> Self:
        """Return the settings for judging a saved debate, without options that apply only during a debate."""
        return self

    def for_text(self) -> Self:
        """Return the settings for judging a document instead of a debate."""
        return self


class UninstalledSettings(SystemSettings):
    """Settings of a system whose plug-in is not installed. Keeps all stored fields."""

    model_config = ConfigDict(extra="allow")

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """Always empty, because the system is not installed."""
        return ()

    @model_serializer(mode="plain")
    def _as_stored(self) -> dict[str, Any]:
        stored = {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}
        return {**stored, **(self.model_extra or {})}


class Thresholds(ConfigModel):
    """Thresholds for the margin between the two best scores, in the unit of the scores."""

    draw: NonNegative
    """Margin below which the debate is a draw, in the unit of the scores."""
    clear: NonNegative
    """Margin from which a victory is clear, in the unit of the scores. Each system decides whether a margin of exactly
    this size is clear."""


def default_bounds(**defaults: float) -> BeforeValidator:
    """Return a validator that adds missing keys from `defaults`, e.g. `clear` if `thresholds` has only `draw`."""

    def fill(bounds: object) -> object:
        return {**defaults, **cast("dict[str, object]", bounds)} if isinstance(bounds, dict) else bounds

    return BeforeValidator(fill)


def duplicate_indices(words: Iterable[str]) -> list[int]:
    """Return the index of each word that repeats an earlier word."""
    first: dict[str, int] = {}
    return [index for index, word in enumerate(words) if first.setdefault(word, index) != index]


def judge_id_problems(key: str, ids: Sequence[str]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield (key path, sentence) for each invalid or repeated id of a judge.

    `key`: name of the setting that lists the judges.
    """
    for index, judge in enumerate(ids):
        if "/" in judge or not judge.isprintable():
            yield (key, index), "a judge's id must contain no slashes or control characters; rename it"
    for index in duplicate_indices(map(str.casefold, ids)):
        yield (key, index), "an earlier judge has this id; give each judge a different id"


def numbered_seats(count: int, model: str | None) -> tuple[JudgeSeat, ...]:
    """Return `count` judges with one model. One judge has the id `judge`; several have `judge-1`, `judge-2`, ….

    Exception: if `count` is 1 and `model` names a person, e.g. `human:anna`, the judge's id is `human:anna`.
    """
    if count == 1:
        return (JudgeSeat(model if model is not None and is_reviewer_id(model) else SOLE_JUDGE_ID, model),)
    return tuple(JudgeSeat(f"{SOLE_JUDGE_ID}-{number}", model) for number in range(1, count + 1))


def settings_class(kind: str) -> type[SystemSettings]:
    """Return the settings class of a system; `UninstalledSettings` if the system is not installed."""
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
"""Settings of any system; their `kind` selects the class."""


class JudgingConfig(ConfigModel):
    """The judging systems of a debate."""

    decides: str | None = None
    """`kind` of the system whose verdict decides the debate; None means the first system."""
    systems: tuple[AnySettings, ...] = Field(
        default=cast("tuple[SystemSettings, ...]", ("structured",)), validate_default=True
    )
    """Judging systems, at least one. A name alone selects the system's default settings."""
    question: str | None = Field(default=None, exclude_if=lambda question: question is None)
    """The question that judges answer about a document. A transcript stores it here; a configuration has it under
    `topic`."""
    context: str | None = Field(default=None, exclude_if=lambda context: context is None)
    """Context for the judges of a document. A transcript stores it here; a configuration has it under `background`."""

    def notices(self) -> tuple[str, ...]:
        """Return a sentence for each setting with an effect that may surprise users. A sentence begins with the key path."""
        return tuple(
            f"{'.'.join(map(str, ('judging', 'systems', index, *path)))} {sentence}"
            for index, system in enumerate(self.systems)
            for path, sentence in system.notices()
        )

    def question_settings(self) -> Self:
        """Return a copy in which `decides`, and each setting that only `score` uses, has its default value.

        These settings have no effect on the questions to judges. Use: compare two configurations. If the copies are
        equal, judges get the same questions with both.
        """
        systems = tuple(system.question_settings() for system in self.systems)
        return self.model_copy(update={"systems": systems, "decides": None})

    @property
    def lookup_places(self) -> frozenset[LookupPlace]:
        """The union of `lookup_places` of all systems."""
        return frozenset[LookupPlace]().union(*(system.lookup_places for system in self.systems))

    @property
    def deciding_kind(self) -> str | None:
        """`kind` of the system whose verdict decides the debate; None if there is no system."""
        return self.decides or next((system.kind for system in self.systems), None)


def judge_ids(system: SystemSettings) -> tuple[str, ...]:
    """Return the ids of a system's judges, in the order of the settings; empty if the system asks no model."""
    return tuple(seat.id for seat in system.seats)


def judge_title(kind: str, assessor: str) -> str:
    """Return the title of a system's judge, e.g. `structured judge`, `moderator judge-2` or `panel judge skeptic`."""
    is_sole_or_numbered = assessor == SOLE_JUDGE_ID or assessor.startswith(f"{SOLE_JUDGE_ID}-")
    return f"{kind} {assessor}" if is_sole_or_numbered else f"{kind} {SOLE_JUDGE_ID} {assessor}"


def judge_model_role(system: SystemSettings, assessor: str) -> str | None:
    """Return the configured model of the judge `assessor`; None if the settings of `system` do not set one.

    The result is a name in `models`, or `provider/model`. Raises KeyError if the system has no judge `assessor`.
    """
    return {seat.id: seat.model for seat in system.seats}[assessor]
