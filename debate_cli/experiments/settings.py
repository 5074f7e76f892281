"""The keys of an experiment's file: players, motions, who meets whom, sides, axes, judges, limits. Checks the file."""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, JsonValue, StringConstraints, ValidationError

from debate_cli.csv_file import read_csv_file
from debate_cli.domain import personality
from debate_cli.domain.config import PositiveFloat, PositiveInt, Strategy
from debate_cli.domain.config_checks import KeyPath, Problem
from debate_cli.domain.frozen_model import ConfigModel
from debate_cli.domain.judging_config import duplicate_indices
from debate_cli.domain.message_text import format_suggestion, quote_path
from debate_cli.domain.personality import ArchetypeOrTraits
from debate_cli.errors import ConfigError
from debate_cli.regular_file import is_inside
from debate_cli.storage.config_errors import SourceMap, load_yaml, problems_from_validation
from debate_cli.storage.folder import slugify
from debate_cli.storage.plain_data import is_mapping
from debate_cli.storage.schema import JSON_SCHEMA_DIALECT, add_descriptions, field_docs
from debate_cli.yaml_positions import read_yaml_text

RESERVED_AXES: Mapping[str, str] = {
    "topic": "set the topics in `motions`",
    "background": "set the backgrounds in `motions`",
    "debaters": "set the debaters in `players` and `pairing`",
    "limits": "set the limits in `limits` of the experiment",
    "output": "an experiment always saves its debates in its own folder; remove this key",
    "providers": "an axis must not send requests to another server; set providers in the base configuration",
    "evidence": "set the sources in the base configuration",
    "vars": "set the variables in the base configuration",
    "version": "all debates use the same version of the configuration format; remove this key",
}
"""Keys that cannot be axes. Each key is mapped to the text that an error shows: the reason, or what to do instead."""
MAX_REPEATS = 1000
MAX_MOTIONS_BYTES = 64_000_000
MAX_BACKGROUND_CHARS = 1024 * 1024
MOTION_COLUMNS = ("topic", "background", "tags")
_ID_CHARS = 12
_PAIRING_PROBLEM = Problem(
    ("pairing",), "must be round_robin, self, {versus: NAME}, or a list of pairs such as [[a, b], [a, c]]"
)
Name = Annotated[str, Field(min_length=1, max_length=60)]


class Motion(ConfigModel):
    """A motion. In the file, it can also be a plain text, which becomes the topic."""

    topic: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
    """The question or claim to argue for and against."""
    background: str | None = Field(default=None, max_length=MAX_BACKGROUND_CHARS)
    """Context for debaters and judges; None means the background of the base configuration."""
    tags: tuple[str, ...] = ()
    """Words for grouping motions, shown as a column of the results."""

    @property
    def id(self) -> str:
        """Hash of topic and background. Motions with equal texts have equal ids."""
        return hashlib.sha256(f"{self.topic}\0{self.background or ''}".encode()).hexdigest()[:_ID_CHARS]


class PlayerConfig(ConfigModel):
    """A player: a model with its instructions."""

    name: Name
    """Unique name, used in debates and results."""
    model: str | None = None
    """Name in `models` of the base configuration, or `provider/model`; None means `models.default`."""
    system: str | None = None
    """Extra instructions, which are added to the shipped instructions in every prompt."""
    personality: ArchetypeOrTraits | None = None
    """Name of an archetype, or twelve traits."""
    elasticity: float = Field(default=0.5, ge=0, le=1)
    """How far the debate can change the traits of the personality, from 0 (not at all) to 1 (fully)."""
    recovery: float = Field(default=0, ge=0, le=1)
    """How far traits return to their initial values after an exchange (two adjacent turns) without pressure, from 0
    (not at all) to 1 (fully)."""
    conviction: float | None = Field(default=None, ge=0, le=1)
    """Conviction at the start, from 0 to 1; None means 0.7."""
    strategy: Strategy | Literal["adaptive"] | None = None
    """Strategy of arguing, for the persuasion system. `adaptive` chooses a strategy before each turn."""


class JudgeConfig(ConfigModel):
    """A judge of every debate. Each judge has a separate judging run."""

    name: Name
    """Unique name, used in results."""
    model: str
    """Name in `models` of the base configuration, or `provider/model`."""


class Versus(ConfigModel):
    """Pairs one player with every other player."""

    versus: Name
    """Player who meets every other player."""


class ExperimentLimits(ConfigModel):
    """Limits of the whole experiment. All other limits come from the base configuration."""

    max_cost_usd: PositiveFloat | None = None
    """Budget in US dollars for all debates together. It requires a known price for every model."""
    max_tokens: PositiveInt | None = None
    """Budget in input and output tokens for all debates together."""
    concurrency: int = Field(default=16, ge=1, le=1000)
    """Maximum number of debates at once, and of requests to all providers at once."""


class ExperimentConfig(ConfigModel):
    """The file of an experiment."""

    name: Name
    """Name of the experiment, and of its folder."""
    base: str
    """Path of a debate configuration, relative to the experiment's file. The configuration gives all settings that the
    experiment's file lacks."""
    motions: (
        str
        | tuple[
            Annotated[Motion, BeforeValidator(lambda value: {"topic": value} if isinstance(value, str) else value)],
            ...,
        ]
    )
    """List of motions, or path of a CSV file, relative to the experiment's file. The CSV file has the columns `topic`,
    `background` and `tags`."""
    players: tuple[PlayerConfig, ...] = Field(min_length=1)
    """The players, at least one."""
    pairing: Literal["round_robin", "self"] | Versus | tuple[tuple[Name, Name], ...] = "round_robin"
    """Who meets whom: `round_robin` (every pair), `self` (each player meets itself), `{versus: NAME}` (NAME meets every
    other player), or a list of pairs."""
    sides: Literal["both", "random", "first"] = "both"
    """Who speaks for the motion. `both`: each player once, in two debates. `random`: a player chosen with the seed.
    `first`: the first player of the pair."""
    repeat: int = Field(default=1, ge=1, le=MAX_REPEATS)
    """Number of times that each debate is run. The seed increases by 1 with each repetition."""
    axes: dict[str, tuple[JsonValue, ...]] = {}
    """Maps key paths of the base configuration to lists of values. Each debate runs with each combination of values."""
    judges: tuple[JudgeConfig, ...] = ()
    """Judges that replace the judges of the base configuration. Each judge uses the judging systems of the base
    configuration."""
    self_judging: bool = False
    """Whether a judge also judges debates in which its own model speaks."""
    limits: ExperimentLimits = ExperimentLimits()
    """Budgets of the whole experiment, and the number of debates at once."""

    @property
    def slug(self) -> str:
        """Name of the experiment's folder."""
        return slugify(self.name, 60) or "experiment"

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return each pair of players once."""
        names = [player.name for player in self.players]
        match self.pairing:
            case "round_robin":
                return tuple(combinations(names, 2))
            case "self":
                return tuple((name, name) for name in names)
            case Versus(versus=hub):
                return tuple((hub, name) for name in names if name != hub)
            case listed:
                kept: dict[tuple[str, str], None] = {}
                for first, second in listed:
                    if self.sides == "first" or (second, first) not in kept:
                        kept[first, second] = None
                return tuple(kept)


@dataclass(frozen=True, slots=True)
class ExperimentFile:
    """A checked experiment file, and the position of each value in it."""

    path: Path
    config: ExperimentConfig
    source_map: SourceMap

    @property
    def folder(self) -> Path:
        """Folder of the file. Relative paths in the file start in this folder."""
        return self.path.parent

    def locate(self, *path: str | int) -> str:
        """Return the position of the value at a key path, as `file:line:column`."""
        return self.source_map.locate(path)


def read_experiment_file(path: Path) -> ExperimentFile:
    """Read and check the file of an experiment. Raises ConfigError with one line per fault."""
    data, source_map = load_yaml(str(path), read_yaml_text(path, absent="write one, see docs/guides/experiments.md"))
    if not is_mapping(data):
        raise ConfigError(f"{path}:1:1: this is not an experiment; write a mapping with `name`, `base` and `players`")
    if "debaters" in data and not {"base", "players"} & data.keys():
        raise ConfigError(f"{path}: this is a debate, not an experiment; run it with: debate run {quote_path(path)}")
    try:
        config = ExperimentConfig.model_validate(data)
    except ValidationError as error:
        problems = problems_from_validation(error, data, ExperimentConfig)
        problems = [_PAIRING_PROBLEM if problem.path[:1] == ("pairing",) else problem for problem in problems]
        raise ConfigError(*source_map.format_problems(problems)) from error
    if problems := [
        *_check_names(("players",), [player.name for player in config.players]),
        *_check_names(("judges",), [judge.name for judge in config.judges]),
        *_check_pairing(config),
        *_check_axes(config.axes),
    ]:
        raise ConfigError(*source_map.format_problems(problems))
    return ExperimentFile(path, config, source_map)


def _check_names(path: KeyPath, names: Sequence[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name.casefold() in seen:
            yield Problem((*path, index, "name"), f"the name `{name}` is used twice; give each entry its own name")
        if not name.isprintable() or name != name.strip():
            message = "the name has a line break, a control character, or a space at its start or end; remove it"
            yield Problem((*path, index, "name"), message)
        seen.add(name.casefold())


def _check_pairing(config: ExperimentConfig) -> Iterator[Problem]:
    names = [player.name for player in config.players]
    pairing = config.pairing
    named: Iterable[tuple[KeyPath, str]] = ()
    if isinstance(pairing, Versus):
        named = ((("pairing", "versus"), pairing.versus),)
    elif isinstance(pairing, tuple):
        named = (
            (("pairing", row, column), name) for row, pair in enumerate(pairing) for column, name in enumerate(pair)
        )
    unknown = [(path, name) for path, name in named if name not in names]
    for path, name in unknown:
        hint = format_suggestion(name, names) or f"; the players are {', '.join(names)}"
        yield Problem(path, f"there is no player `{name}`{hint}")
    if unknown:
        return
    left_out = sorted(set(names) - {name for pair in config.pairs() for name in pair}, key=names.index)
    if left_out:
        verb = "is" if len(left_out) == 1 else "are"
        what = f"{', '.join(left_out)} {verb} in no pair; add a pair, or remove the player"
        yield Problem(("pairing",) if "pairing" in config.model_fields_set else ("players",), what)


def _check_axes(axes: Mapping[str, Sequence[Any]]) -> Iterator[Problem]:
    for key, values in axes.items():
        root, _, _ = key.partition(".")
        if root in RESERVED_AXES:
            yield Problem(("axes", key), f"`{root}` cannot be an axis: {RESERVED_AXES[root]}", is_key_error=True)
        elif key.rpartition(".")[2] == "script":
            yield Problem(
                ("axes", key),
                "a script cannot be an axis; set `script` in the base configuration",
                is_key_error=True,
            )
        if not values:
            yield Problem(("axes", key), "is an empty list; add values, or remove the key")
        for index in duplicate_indices(json.dumps(value, sort_keys=True) for value in values):
            yield Problem(("axes", key, index), "this value is listed twice; keep one")


def load_motions(file: ExperimentFile, trusted_folders: Iterable[Path] = ()) -> tuple[tuple[Motion, ...], str | None]:
    """Return the motions of an experiment, and a note on ignored columns. The note is None if no column is ignored.

    `trusted_folders`: folders that may contain the CSV file, besides the folder of the experiment.
    Raises UsageError if the CSV file cannot be read, and ConfigError if a motion is empty, too long or repeated.
    """
    given, place, note = file.config.motions, file.locate("motions"), None
    if isinstance(given, str):
        path = file.folder / given
        if not is_inside(path, (file.folder, *trusted_folders)):
            raise ConfigError(
                f"{place}: motions: the file must be in the folder of the experiment or below it; move it there, or allow "
                "its folder with --trust-path DIR"
            )
        motions, note = _read_motions(path, place)
    else:
        motions = {file.locate("motions", index): motion for index, motion in enumerate(given)}
    if not motions:
        raise ConfigError(f"{place}: motions: there is no motion; add a motion")
    seen: dict[str, str] = {}
    repeated = [
        f"{at}: this motion is already at {first}; remove one of the two motions"
        for at, motion in motions.items()
        if (first := seen.setdefault(motion.id, at)) != at
    ]
    if repeated:
        raise ConfigError(*repeated)
    return tuple(motions.values()), note


def _read_motions(path: Path, place: str) -> tuple[dict[str, Motion], str | None]:
    written, rows = read_csv_file(path, MAX_MOTIONS_BYTES, f"{place}: motions: {path}", MAX_BACKGROUND_CHARS * 4)
    columns = [name.lower() for name in written]
    if "topic" not in columns:
        found = ", ".join(columns) or "none"
        raise ConfigError(f"{path}:1: there is no column `topic` (columns: {found}); add `topic` to the first line")
    motions: dict[str, Motion] = {}
    problems: list[str] = []
    for number, row in rows:
        cells = {name.lower(): value.strip() for name, value in row.items()}
        tags = [tag.strip() for tag in cells.get("tags", "").replace(",", ";").split(";")]
        data = {
            "topic": cells.get("topic", ""),
            "background": cells.get("background") or None,
            "tags": [*filter(None, tags)],
        }
        try:
            motions[f"{path}:{number}"] = Motion.model_validate(data)
        except ValidationError as error:
            found = problems_from_validation(error, data, Motion)
            problems += [f"{path}:{number}: {problem.path[0]}: {problem.message}" for problem in found]
    if problems:
        raise ConfigError(*problems)
    ignored = [name for name in columns if name not in MOTION_COLUMNS]
    return motions, f"{path}: ignored columns: {', '.join(ignored)}" if ignored else None


def experiment_schema() -> dict[str, Any]:
    """Return the JSON Schema of an experiment's file, for editors."""
    docs = {**field_docs(personality), **field_docs(sys.modules[__name__])}
    schema = add_descriptions(ExperimentConfig.model_json_schema(), docs)
    for option in schema["properties"]["motions"]["anyOf"]:
        if option.get("type") == "array":
            option["items"] = {"anyOf": [{"type": "string", "pattern": r"\S"}, option["items"]]}
    return {"$schema": JSON_SCHEMA_DIALECT, **schema, "title": "experiment.yaml"}
