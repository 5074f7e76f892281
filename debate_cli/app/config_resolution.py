"""The one road from a configuration to something that can be run, for the command line and for Python alike.

On it lie the configuration's folder, the `.env` files, the prompts that it replaces, and every secret that must not be
written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from debate_cli.app.judge_request import JudgingRequest, config_for_judging, open_judging_runs
from debate_cli.app.model_factory import (
    Cassette,
    RunContext,
    all_model_specs,
    mock_spec,
    require_judge_models,
    with_mock_models,
)
from debate_cli.app.resume import PendingModels, find_remaining_work
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.config_checks import KeyPath, Problem, check_config, find_model_key_paths
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened
from debate_cli.errors import ConfigError, MissingKeyError, NoLocalModelError
from debate_cli.llm.prompts import Prompts
from debate_cli.providers.mock.model import SCRIPTED_MODEL, ReplyScript
from debate_cli.providers.provider_table import ProviderRow, find_provider_problems, merge_provider_rows
from debate_cli.providers.registry import (
    collect_provider_secrets,
    find_price,
    find_row_problems,
    format_unknown_provider,
    models_without_extra,
    models_without_key,
    split_model_name,
)
from debate_cli.storage.config_errors import SourceMap
from debate_cli.storage.config_file import LoadedConfig, read_config_file, read_prompt_files
from debate_cli.storage.overrides import ConfigChange
from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript_store import StoredDebate
from debate_cli.storage.variables import load_environment

ModelSelector = Callable[[DebateConfig], Sequence[ModelSpec]]
"""Which models of a configuration are to be asked."""


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A configuration that can be run, and what is around it."""

    config: DebateConfig
    context: RunContext
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelRequirement:
    """Models that are to be asked beside those of a configuration, and where it is said what reaches them."""

    pending: PendingModels
    source_map: SourceMap

    def source_map_for(self, problem: Problem, own: SourceMap) -> SourceMap:
        """Where to look for a problem; the limits are those of the configuration, whose places are its `own`."""
        return own if problem.path[:1] == ("limits",) else self.source_map


@dataclass(frozen=True, slots=True)
class PreparedJudging:
    """Judging runs that are to be added to a debate, and what they are judged with."""

    openings: tuple[JudgingOpened, ...]
    prepared: PreparedRun


def resolve_config(
    path: Path | None,
    env: Mapping[str, str],
    changes: Sequence[ConfigChange] = (),
    *,
    text: str | None = None,
    mock: bool = False,
) -> LoadedConfig:
    """Load the configuration at `path` (or `text`) with `changes` (key path, value) applied.

    With `mock`, no role needs a model, as the mock answers for all. `env` is the environment of the process; `.env` files
    are read here. Raises ConfigError; whether the models can be reached is checked by `prepare_run`.
    """
    known = load_environment(path.parent if path is not None else Path(), env)
    return read_config_file(
        path,
        text=text,
        overrides=changes,
        env=known,
        own_checks=_check_for_mock if mock else check_config,
        more_checks=(provider_problems,),
    )


def _check_for_mock(config: DebateConfig) -> list[Problem]:
    """What is wrong with `config` as the mock will hold it: who names no model speaks with the mock."""
    models = {"default": ModelSpec(model="mock/default"), **config.models}
    return check_config(config.model_copy(update={"models": models}))


def provider_problems(config: DebateConfig) -> list[Problem]:
    """What is wrong with the providers of `config` beyond what the domain says of them, each with its key path."""
    told = {problem.path for problem in check_config(config)}
    found = [_provider_problem(line, config) for line in find_provider_problems(config)]
    return [problem for problem in found if problem.path not in told]


def _provider_problem(line: str, config: DebateConfig) -> Problem:
    """A line `providers.NAME.KEY: what is wrong` as a problem; a provider's name may hold dots, and so may a header's."""
    key, _, message = line.partition(": ")
    names = (name for name in config.providers if key == f"providers.{name}" or key.startswith(f"providers.{name}."))
    name = max(names, key=len, default="")
    rest = key.removeprefix(f"providers.{name}").strip(".").split(".", 1)
    return Problem(("providers", name, *filter(None, rest)), message)


def config_from_object(config: DebateConfig, name: str, folder: Path | None = None) -> LoadedConfig:
    """A configuration that no file holds, as if it had been read in `folder` (None: the working folder).

    `name` is what errors call it. Raises ConfigError where a prompt that it replaces cannot be read there.
    """
    home = folder or Path()
    places = SourceMap(name)
    prompts, problems = read_prompt_files(config.prompts, home)
    if problems:
        raise ConfigError(*map(places.format_problem, problems))
    return LoadedConfig(config, home, (), prompts, places)


def prepare_run(
    loaded: LoadedConfig,
    env: Mapping[str, str],
    *,
    mock: bool = False,
    tape: Cassette | None = None,
    wanted: ModelSelector | None = all_model_specs,
    added: Sequence[ModelRequirement] = (),
) -> PreparedRun:
    """Make sure that every model that is `wanted` can be asked, before the first call is; None: nothing will be asked.

    What is `added` is asked as well, each under a configuration of its own. Prompts that are replaced are checked, too.
    `env` is the process's own. Raises MissingKeyError and ConfigError.
    """
    config = with_mock_models(loaded.config) if mock else loaded.config
    known = load_environment(loaded.folder, env)
    Prompts(loaded.prompts).validate()
    if wanted is not None and (tape is None or not tape.serves):
        _require_callable(
            (ModelRequirement(PendingModels(config, tuple(wanted(config))), loaded.source_map), *added), known, loaded
        )
    kept = tuple(
        {
            *_all_secrets(loaded, known),
            *(value for part in added for value in collect_provider_secrets(part.pending.config, known)),
        }
    )
    around = RunContext(loaded.folder, known, prompts=loaded.prompts, cassette=tape, mock=mock, secrets=kept)
    return PreparedRun(config, around, kept)


def prepare_resume(
    loaded: LoadedConfig,
    stored: StoredDebate,
    env: Mapping[str, str],
    *,
    mock: bool,
    tape: Cassette | None,
    asked: bool,
) -> PreparedRun:
    """What is left of a stored debate, like `prepare`; `loaded` is the configuration that it is resumed with.

    Where nothing is going to be `asked`, no model is looked at.
    """
    rest = find_remaining_work(stored.debate, loaded.config)
    models = tuple(map(mock_spec, rest.models)) if mock else rest.main.models
    return prepare_run(
        replace(loaded, config=rest.config),
        env,
        mock=mock,
        tape=tape,
        wanted=(lambda _: models) if asked else None,
        added=()
        if mock
        else [ModelRequirement(each, SourceMap(f"{stored.path}, judging run {each.run}")) for each in rest.added_runs],
    )


def _require_callable(parts: Sequence[ModelRequirement], env: Mapping[str, str], loaded: LoadedConfig) -> None:
    """Make sure that all of `parts` can be asked; what several of them lack is told of the first.

    Raises ConfigError, MissingKeyError or NoLocalModelError with all problems.
    """
    problems: dict[Problem, SourceMap] = {}
    for part in parts:
        config = part.pending.config
        for problem in (
            *provider_problems(config),
            *model_problems(config, part.pending.models, env, loaded.folder),
        ):
            problems.setdefault(problem, part.source_map_for(problem, loaded.source_map))
    if not problems:
        return
    named = [(part.pending.config, [spec.model for spec in part.pending.models]) for part in parts]
    absent = NoLocalModelError if any(models_without_extra(config, models) for config, models in named) else ConfigError
    kind = MissingKeyError if any(models_without_key(config, models, env) for config, models in named) else absent
    redact = Redactor(
        (
            *all_secrets(loaded, env),
            *(value for part in parts for value in collect_provider_secrets(part.pending.config, env)),
        )
    )
    raise kind(*(redact(places.format_problem(problem)) for problem, places in problems.items()))


def model_problems(
    config: DebateConfig, wanted: Sequence[ModelSpec], env: Mapping[str, str], folder: Path
) -> list[Problem]:
    """What keeps `wanted` models from being asked, each with its key path, what is not at hand last.

    An unknown provider, a script that cannot be read (it lies in `folder`), a bound on cost with a model whose price is
    not known; a key that is not set, an address that is none, an embedded model whose extra is not installed.
    """
    table = merge_provider_rows(config)
    found: list[Problem] = []
    absent: dict[str, Problem] = {}
    looked_at: set[str] = set()
    for spec in wanted:
        places = find_model_key_paths(config, [spec.model]) or [()]
        row = table.get(split_model_name(spec.model)[0])
        if row is None:
            unknown = (
                ""
                if split_model_name(spec.model)[0] in config.providers
                else format_unknown_provider(spec.model, table)
            )
            found += [Problem(place, unknown) for place in places if unknown]
            continue
        found += _script_problems(spec, places[0], folder)
        if config.limits.max_cost_usd is not None and find_price(spec, row, env) is None:
            found.append(_missing_price_problem(spec))
        if row.name not in looked_at:
            looked_at.add(row.name)
            for message in find_row_problems(row, env, [each.model for each in wanted]):
                absent.setdefault(message, Problem(_row_key_path(row, config, places[0]), message))
    return [*dict.fromkeys(found), *absent.values()]


def _row_key_path(row: ProviderRow, config: DebateConfig, place: KeyPath) -> KeyPath:
    """Where to look for what is wrong with a row: the configuration's own entry, else the place that names a model of it."""
    own = config.providers.get(row.name)
    if own is None:
        return place
    return ("providers", row.name, *(("api_key_env",) if own.api_key_env is not None else ()))


def _script_problems(spec: ModelSpec, place: KeyPath, folder: Path) -> list[Problem]:
    if spec.model != SCRIPTED_MODEL:
        return []
    try:
        ReplyScript.load(spec, folder)
    except ConfigError as error:
        return [Problem((*place[:-1], "script") if spec.script is not None else place, str(error))]
    return []


def _missing_price_problem(spec: ModelSpec) -> Problem:
    message = (
        f"cannot be kept: {spec.model} has no known price; give its provider or its entry in `models` "
        "`price: {input, output}` per million tokens (0 where nobody bills them), or drop the limit"
    )
    return Problem(("limits", "max_cost_usd"), message)


def prepare_judging(
    debate: Debate, wish: JudgingRequest, at: datetime, loaded: LoadedConfig | None, env: Mapping[str, str]
) -> PreparedJudging:
    """The judging runs that `wish` adds to `debate`, once every judge can be asked; no debater is looked at.

    `loaded` is where the wish's configuration comes from. Raises UsageError where the debate cannot be judged so.
    """
    added = open_judging_runs(debate, wish, at)
    config = config_for_judging(debate, wish).model_copy(update={"judging": added[0].judging})
    return PreparedJudging(added, prepare_judges(config, loaded, env, debate.id))


def prepare_judges(config: DebateConfig, loaded: LoadedConfig | None, env: Mapping[str, str], name: str) -> PreparedRun:
    """`config` for its judges alone, with what is around `loaded`; `name` stands for a configuration without a file."""
    require_judge_models(config)
    around = LoadedConfig(config, Path(), (), {}, SourceMap(name)) if loaded is None else replace(loaded, config=config)
    return prepare_run(around, env, wanted=judge_model_specs)


def judge_model_specs(config: DebateConfig) -> tuple[ModelSpec, ...]:
    """The models of the judges alone."""
    return all_model_specs(config.model_copy(update={"debaters": ()}))


def all_secrets(loaded: LoadedConfig, env: Mapping[str, str]) -> tuple[str, ...]:
    """Every value that is never to be written."""
    return _all_secrets(loaded, load_environment(loaded.folder, env))


def _all_secrets(loaded: LoadedConfig, known: Mapping[str, str]) -> tuple[str, ...]:
    return tuple({*loaded.secrets, *collect_provider_secrets(loaded.config, known)})
