"""Loads and checks an experiment's file, its motions, and a configuration for each combination of axis values."""

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from debate_cli.app.config_resolution import resolve_config
from debate_cli.app.consent import Destination
from debate_cli.app.context import RunContext
from debate_cli.app.model_roles import all_model_specs, mock_spec, require_judge_models
from debate_cli.app.preparation import model_problems, prepare_run
from debate_cli.domain.config import DebateConfig, DebaterConfig, ModelSpec
from debate_cli.domain.config_checks import Problem, check_config
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.message_text import format_suggestion
from debate_cli.domain.model_call import TERMINAL_PROVIDERS, mock_notice
from debate_cli.errors import ConfigError, MissingKeyError
from debate_cli.experiments.settings import ExperimentFile, Motion, PlayerConfig, load_motions, read_experiment_file
from debate_cli.providers.registry import is_key_missing
from debate_cli.regular_file import is_inside
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.variables import Override

MAX_VARIANTS = 1000
"""Maximum number of combinations of axis values."""
_DEBATER_PATH = re.compile(r"\bdebaters\.(\d+)\b")


@dataclass(frozen=True, slots=True)
class ExperimentJudge:
    """A judge of the experiment, with its model and judging settings for one combination of axis values."""

    name: str
    spec: ModelSpec
    judging: JudgingConfig


@dataclass(frozen=True, slots=True)
class ConfigVariant:
    """The base configuration with one value for each axis."""

    axes: Mapping[str, Any]
    """Maps the key path of each axis, e.g. `format.rounds`, to its value in this variant."""
    context: RunContext
    """Configuration, prompts and environment. Topic and debaters are placeholders, which each cell replaces."""
    judges: tuple[ExperimentJudge, ...]
    players: Mapping[str, ModelSpec]


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that was read and checked."""

    file: ExperimentFile
    motions: tuple[Motion, ...]
    variants: tuple[ConfigVariant, ...]
    mock: bool
    """Whether the mock provider replaces every model (`--mock`)."""
    notes: tuple[str, ...]
    """Notes for the user, e.g. on ignored columns."""

    @property
    def default_folder(self) -> Path:
        """Folder for the debates, beside the experiment's file. With `--mock` it is another folder."""
        return self.file.folder / f"{self.file.config.slug}{'-mock' if self.mock else ''}"

    @property
    def rehearsal_notice(self) -> str:
        """REHEARSAL_NOTICE if every model is the mock, PARTIAL_REHEARSAL_NOTICE if only some are. Empty if none is.

        A model is the mock if the file names the mock, or if `--mock` replaces the model.
        """
        return mock_notice(
            spec.model
            for variant in self.variants
            for spec in (
                *variant.players.values(),
                *(judge.spec for judge in variant.judges),
                *all_model_specs(variant.context.config),
            )
        )

    @property
    def destinations(self) -> tuple[Destination, ...]:
        """Servers to which the debates send requests. Servers of built-in providers are left out."""
        return tuple(dict.fromkeys(place for variant in self.variants for place in variant.context.destinations))


def load_experiment(
    path: Path, env: Mapping[str, str], *, mock: bool = False, trusted_folders: Sequence[Path] = (), asked: bool = True
) -> Experiment:
    """Read and check the experiment at `path` and all files that it names.

    `asked`: whether models will be asked. If not, no API keys are needed.
    Raises ConfigError or MissingKeyError, with one line per fault.
    """
    file = read_experiment_file(path)
    motions, note = load_motions(file, trusted_folders)
    loader = _Loader(file, env, tuple(trusted_folders), mock=mock, asked=asked)
    variants: list[ConfigVariant] = []
    for axes in _combine_axes(file):
        found = loader.load(axes, reads_sources=not variants)
        corpus = variants[0].context.corpus if variants else found.context.corpus
        variants.append(replace(found, context=replace(found.context, corpus=corpus)))
    _refuse_people_at_terminal(file, variants)
    _check_judges_left(file, variants)
    return Experiment(file, motions, tuple(variants), mock, tuple(filter(None, (note, *loader.notes))))


def _refuse_people_at_terminal(file: ExperimentFile, variants: Iterable[ConfigVariant]) -> None:
    for variant in variants:
        judges = (judge.spec for judge in variant.judges)
        for spec in (*variant.players.values(), *judges, *all_model_specs(variant.context.config)):
            if spec.model.partition("/")[0] in TERMINAL_PROVIDERS:
                raise ConfigError(
                    f"{file.path}: {spec.model}: an experiment cannot ask a person at the terminal; use files/NAME to "
                    "ask a person through files, or judge saved debates with `debate review`"
                )


def pair_debaters(first: PlayerConfig, second: PlayerConfig) -> tuple[DebaterConfig, DebaterConfig]:
    """Return two debaters: `first` for the motion, `second` against it. Equal names are distinguished by `(2)`."""
    other = f"{second.name} (2)" if first.name == second.name else second.name
    one, two = (
        {key: getattr(player, key) for key in player.model_fields_set if key != "name"} for player in (first, second)
    )
    return DebaterConfig(name=first.name, side="for", **one), DebaterConfig(name=other, side="against", **two)


def is_same_model(first: str, second: str) -> bool:
    """Return whether two names mean the same model, e.g. `openai/NAME` and `openrouter/openai/NAME`."""
    one, other = first.casefold(), second.casefold()
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def is_own_model(judge: ExperimentJudge, variant: ConfigVariant, pair: tuple[str, str]) -> bool:
    """Return whether `judge` has the same model as a player in `pair`, the names of two players."""
    return any(is_same_model(judge.spec.model, variant.players[name].model) for name in pair)


def _combine_axes(file: ExperimentFile) -> list[dict[str, Any]]:
    axes = file.config.axes
    combined = list(itertools.islice(itertools.product(*axes.values()), MAX_VARIANTS + 1))
    if len(combined) > MAX_VARIANTS:
        raise ConfigError(f"{file.locate('axes')}: axes: more than {MAX_VARIANTS} combinations; remove values")
    return [dict(zip(axes, values, strict=True)) for values in combined]


def _check_judges_left(file: ExperimentFile, variants: Iterable[ConfigVariant]) -> None:
    config = file.config
    if not config.judges or config.self_judging:
        return
    for variant, pair in itertools.product(variants, config.pairs()):
        if all(is_own_model(judge, variant, pair) for judge in variant.judges):
            raise ConfigError(
                f"{file.locate('judges')}: judges: no judge is left for {pair[0]} against {pair[1]}, because each judge "
                "has the model of one of these players; add a judge with another model, or set `self_judging: true`"
            )


class _Loader:
    def __init__(
        self,
        file: ExperimentFile,
        env: Mapping[str, str],
        trusted_folders: tuple[Path, ...],
        *,
        mock: bool,
        asked: bool,
    ) -> None:
        self.file = file
        self.notes: list[str] = []
        self._env = env
        self._trusted_folders = trusted_folders
        self._mock = mock
        self._asked = asked
        self._problems: dict[str, None] = {}
        self._lacks_key = False
        self._base = file.folder / file.config.base
        if not is_inside(self._base, (file.folder, *trusted_folders)):
            message = (
                "the configuration must be in the folder of the experiment or below it; move it there, or allow its "
                "folder with --trust-path DIR"
            )
            raise ConfigError(file.source_map.format_problem(Problem(("base",), message)))

    def load(self, axes: Mapping[str, Any], *, reads_sources: bool) -> ConfigVariant:
        self._check_prompt_files(axes)
        judges: tuple[ExperimentJudge, ...] = ()
        base: LoadedConfig | None = None
        context: RunContext | None = None
        count = len(self.file.config.players)
        for index in range(0, count, 2):  # checks two players at a time
            pair = index, (index + 1) % count
            try:
                found = self._resolve(axes, pair)
                if base is None:
                    judges = self._judges(found)
                    base = self._with_own_judging(found)
                    self.notes = [*found.env.notes]
                config = found.config.model_copy(update={"judging": base.config.judging})
                prepared = prepare_run(
                    replace(base, config=config, source_map=found.source_map),
                    mock=self._mock,
                    select=lambda config, judges=judges: (*all_model_specs(config), *(judge.spec for judge in judges)),
                    asked=self._asked,
                    searches=("files", "web") if reads_sources and context is None else ("web",),
                )
                context = context or prepared
            except ConfigError as error:
                self._lacks_key |= isinstance(error, MissingKeyError)
                for line in error.problems:  # replaces key paths of debaters with key paths of players
                    place = _DEBATER_PATH.sub(lambda match, pair=pair: f"players.{pair[int(match[1]) % 2]}", line)
                    self._problems[place] = None
        self.raise_problems()
        assert base is not None
        assert context is not None
        players = {
            player.name: spec
            for player in self.file.config.players
            if (spec := self._model_of(base.config, player.model or "default"))
        }
        return ConfigVariant(axes, context, judges, players)

    def raise_problems(self) -> None:
        if self._problems:
            raise (MissingKeyError if self._lacks_key else ConfigError)(*self._problems)

    def _add(self, *path: str | int, message: str) -> None:
        self._problems[self.file.source_map.format_problem(Problem(path, message))] = None

    def _resolve(self, axes: Mapping[str, Any], pair: tuple[int, int]) -> LoadedConfig:
        limits = self.file.config.limits
        changes = [
            Override(f"limits.{key}", getattr(limits, key), self.file.locate("limits", key))
            for key in type(limits).model_fields
        ]
        changes.append(Override("topic", '"a motion"', "motions"))
        changes.append(Override("debaters", "[]", self.file.locate("players")))
        for place, (index, side) in enumerate(zip(pair, ("for", "against"), strict=True)):
            player = self.file.config.players[index]
            name = player.name if pair[0] != pair[1] or place == 0 else f"{player.name} (2)"
            data = player.model_dump(mode="json", exclude_unset=True) | {"name": name, "side": side}
            changes.append(Override(f"debaters.{place}", data, self.file.locate("players", index)))
        for key, value in axes.items():
            plain = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else value
            changes.append(Override(key, plain, f"{self.file.locate('axes', key)}: axes"))
        checks = partial(check_config, needs_models=not self._mock)
        if self.file.config.judges and not self._mock:
            checks = _check_without_judges
        return resolve_config(self._base, self._env, changes, checks=checks, trusted_folders=self._trusted_folders)

    def _judges(self, loaded: LoadedConfig) -> tuple[ExperimentJudge, ...]:
        if not self.file.config.judges:
            return ()
        judging = self._judging_by_judges(loaded.config.judging)
        found: list[ExperimentJudge] = []
        for index, judge in enumerate(self.file.config.judges):
            spec = self._model_of(loaded.config, judge.model)
            if spec is None:
                hint = (
                    format_suggestion(judge.model, loaded.config.models)
                    or "; add the entry to `models`, or write `provider/model`"
                )
                message = f"`models` of the base configuration has no entry `{judge.model}`{hint}"
                self._add("judges", index, "model", message=message)
                continue
            same = next((known.name for known in found if known.spec == spec), None)
            if same is not None:
                advice = "choose another model for one of them, or remove one"
                message = f"judge `{same}` has the same model and settings as this judge; {advice}"
                self._add("judges", index, "model", message=message)
            elif self._check_judge(loaded, index, spec):
                found.append(ExperimentJudge(judge.name, spec, judging))
        return tuple(found)

    def _judging_by_judges(self, base: JudgingConfig) -> JudgingConfig:
        systems = tuple(
            system.for_added_run().with_models(lambda _role: None) for system in base.systems if system.seats
        )
        if not systems:
            advice = "add a system that asks a judge, such as `structured`"
            self._add("judges", message=f"no judging system of the base configuration asks a judge; {advice}")
        decides = base.decides if base.decides in {system.kind for system in systems} else None
        return JudgingConfig.model_construct(systems=systems, decides=decides)

    def _check_judge(self, loaded: LoadedConfig, index: int, spec: ModelSpec) -> bool:
        problems = model_problems(loaded.config, [spec], loaded.env, loaded.folder) if self._asked else []
        own = [problem.message for problem in problems if problem.path[:1] != ("limits",)]
        for message in own:
            self._add("judges", index, "model", message=message)
        self._lacks_key |= bool(own) and is_key_missing(loaded.config, [spec.model], loaded.env)
        return not own

    def _model_of(self, config: DebateConfig, role: str) -> ModelSpec | None:
        spec = config.resolve_model(role)
        if self._mock:
            return mock_spec(spec or ModelSpec(model="mock/default"))
        return spec

    def _with_own_judging(self, loaded: LoadedConfig) -> LoadedConfig:
        if not self.file.config.judges:
            return loaded
        systems = tuple(system for system in loaded.config.judging.systems if system.steers_debate)
        judging = JudgingConfig.model_construct(systems=systems)
        config = loaded.config.model_copy(update={"judging": judging})
        if not self._mock:
            require_judge_models(config)
        return replace(loaded, config=config)

    def _check_prompt_files(self, axes: Mapping[str, Any]) -> None:
        folders = (self._base.parent, *self._trusted_folders)
        for key, value in axes.items():
            files: list[Any] = [value] if key.startswith("prompts.") else []
            if key == "prompts" and isinstance(value, dict):
                files = [*cast("dict[str, Any]", value).values()]
            for file in files:
                if isinstance(file, str) and not is_inside(self._base.parent / file, folders):
                    advice = "move it there, or allow its folder with --trust-path DIR"
                    self._add("axes", key, message=f"{file} must be in the folder of the base configuration; {advice}")
        self.raise_problems()


def _check_without_judges(config: DebateConfig) -> list[Problem]:
    return check_config(config.model_copy(update={"models": {"judge": ModelSpec(model="mock/judge"), **config.models}}))
