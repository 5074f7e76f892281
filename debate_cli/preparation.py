"""The one road from a configuration to something that can be run, for the command line and for Python alike.

On it lie the configuration's folder, the `.env` files, the prompts that it replaces, and every secret that must not be
written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.config_checks import KeyPath, Problem, check
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened
from debate_cli.domain.model_places import written
from debate_cli.errors import ConfigError, MissingKeyError, NoLocalModelError
from debate_cli.llm.template import Prompts
from debate_cli.providers.mock import SCRIPTED
from debate_cli.providers.mock_script import Script
from debate_cli.providers.presets import ProviderRow
from debate_cli.providers.pricing import price
from debate_cli.providers.registry import extraless, keyless, row_faults, secrets, split, unknown_provider
from debate_cli.providers.table import merged, row_problems
from debate_cli.rejudging import Wish, judging_config, openings
from debate_cli.resuming import Asked, remainder
from debate_cli.storage.config_file import LoadedConfig, Places, load_config
from debate_cli.storage.environment import environment
from debate_cli.storage.library import StoredDebate
from debate_cli.storage.overrides import Change
from debate_cli.storage.prompt_files import read_prompts
from debate_cli.storage.redact import Redactor
from debate_cli.wiring import PROMPT_PACKAGES, Surroundings, Tape, mock_of, mocked, require_judges, specs

Wanted = Callable[[DebateConfig], Sequence[ModelSpec]]
"""Which models of a configuration are to be asked."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A configuration that can be run, and what is around it."""

    config: DebateConfig
    around: Surroundings
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Models that are to be asked beside those of a configuration, and where it is said what reaches them."""

    asked: Asked
    places: Places

    def place(self, problem: Problem, own: Places) -> Places:
        """Where to look for a problem; the limits are those of the configuration, whose places are its `own`."""
        return own if problem.path[:1] == ("limits",) else self.places


@dataclass(frozen=True, slots=True)
class Rejudging:
    """Judging runs that are to be added to a debate, and what they are judged with."""

    openings: tuple[JudgingOpened, ...]
    prepared: Prepared


def load(
    path: Path | None,
    env: Mapping[str, str],
    changes: Sequence[Change] = (),
    *,
    text: str | None = None,
    asked: bool = False,
    mock: bool = False,
) -> LoadedConfig:
    """The configuration at `path` (or `text`) with `changes` (key path, YAML value) laid over it.

    Where the `mock` will stand in the place of every model, none has to be named.

    `env` is the process's own; the `.env` files are read here. Raises ConfigError with every fault; where its models are
    to be `asked`, with what keeps them from it too. Where nothing else is wrong `prepare` says that.
    """
    folder = path.parent if path is not None else Path()
    known = environment(folder, env)

    def askable(config: DebateConfig) -> list[Problem]:
        return model_problems(config, specs(config), known, folder)

    return load_config(
        path,
        text=text,
        overrides=changes,
        env=known,
        own_checks=_check_for_mock if mock else check,
        more_checks=(providers_make_sense,),
        late_checks=(askable,) if asked else (),
    )


def _check_for_mock(config: DebateConfig) -> list[Problem]:
    """What is wrong with `config` as the mock will hold it: who names no model speaks with the mock."""
    models = {"default": ModelSpec(model="mock/default"), **config.models}
    return check(config.model_copy(update={"models": models}))


def providers_make_sense(config: DebateConfig) -> list[Problem]:
    """What is wrong with the providers of `config` beyond what the domain says of them, each with its key path."""
    told = {problem.path for problem in check(config)}
    found = [_placed(line, config) for line in row_problems(config)]
    return [problem for problem in found if problem.path not in told]


def _placed(line: str, config: DebateConfig) -> Problem:
    """A line `providers.NAME.KEY: what is wrong` as a problem; a provider's name may hold dots, and so may a header's."""
    key, _, message = line.partition(": ")
    names = (name for name in config.providers if key == f"providers.{name}" or key.startswith(f"providers.{name}."))
    name = max(names, key=len, default="")
    rest = key.removeprefix(f"providers.{name}").strip(".").split(".", 1)
    return Problem(("providers", name, *filter(None, rest)), message)


def built(config: DebateConfig, name: str, folder: Path | None = None) -> LoadedConfig:
    """A configuration that no file holds, as if it had been read in `folder` (None: the working folder).

    `name` is what errors call it. Raises ConfigError where a prompt that it replaces cannot be read there.
    """
    home = folder or Path()
    places = Places(name)
    prompts, problems = read_prompts(config.prompts, home)
    if problems:
        raise ConfigError(*map(places.line, problems))
    return LoadedConfig(config, home, (), prompts, places)


def prepare(
    loaded: LoadedConfig,
    env: Mapping[str, str],
    *,
    mock: bool = False,
    tape: Tape | None = None,
    wanted: Wanted | None = specs,
    added: Sequence[Part] = (),
) -> Prepared:
    """Make sure that every model that is `wanted` can be asked, before the first call is; None: nothing will be asked.

    What is `added` is asked as well, each under a configuration of its own. Prompts that are replaced are checked, too.
    `env` is the process's own. Raises MissingKeyError and ConfigError.
    """
    config = mocked(loaded.config) if mock else loaded.config
    known = environment(loaded.folder, env)
    Prompts(loaded.prompts).check(*PROMPT_PACKAGES)
    if wanted is not None and (tape is None or not tape.serves):
        _require((Part(Asked(config, tuple(wanted(config))), loaded.places), *added), known, loaded)
    kept = tuple({*_hidden(loaded, known), *(value for part in added for value in secrets(part.asked.config, known))})
    around = Surroundings(loaded.folder, known, prompts=loaded.prompts, tape=tape, mock=mock, secrets=kept)
    return Prepared(config, around, kept)


def resumed(
    loaded: LoadedConfig, stored: StoredDebate, env: Mapping[str, str], *, mock: bool, tape: Tape | None, asked: bool
) -> Prepared:
    """What is left of a stored debate, like `prepare`; `loaded` is the configuration that it is resumed with.

    Where nothing is going to be `asked`, no model is looked at.
    """
    rest = remainder(stored.debate, loaded.config)
    models = tuple(map(mock_of, rest.models)) if mock else rest.own.models
    return prepare(
        replace(loaded, config=rest.config),
        env,
        mock=mock,
        tape=tape,
        wanted=(lambda _: models) if asked else None,
        added=() if mock else [Part(each, Places(f"{stored.path}, judging run {each.run}")) for each in rest.added],
    )


def _require(parts: Sequence[Part], env: Mapping[str, str], loaded: LoadedConfig) -> None:
    """Make sure that all of `parts` can be asked; what several of them lack is told of the first.

    Raises ConfigError, MissingKeyError or NoLocalModelError with all problems.
    """
    problems: dict[Problem, Places] = {}
    for part in parts:
        config = part.asked.config
        for problem in (
            *providers_make_sense(config),
            *model_problems(config, part.asked.models, env, loaded.folder),
        ):
            problems.setdefault(problem, part.place(problem, loaded.places))
    if not problems:
        return
    named = [(part.asked.config, [spec.model for spec in part.asked.models]) for part in parts]
    absent = NoLocalModelError if any(extraless(config, models) for config, models in named) else ConfigError
    kind = MissingKeyError if any(keyless(config, models, env) for config, models in named) else absent
    redact = Redactor((*hidden(loaded, env), *(value for part in parts for value in secrets(part.asked.config, env))))
    raise kind(*(redact(places.line(problem)) for problem, places in problems.items()))


def model_problems(
    config: DebateConfig, wanted: Sequence[ModelSpec], env: Mapping[str, str], folder: Path
) -> list[Problem]:
    """What keeps `wanted` models from being asked, each with its key path, what is not at hand last.

    An unknown provider, a script that cannot be read (it lies in `folder`), a bound on cost with a model whose price is
    not known; a key that is not set, an address that is none, an embedded model whose extra is not installed.
    """
    table = merged(config)
    found: list[Problem] = []
    absent: dict[str, Problem] = {}
    looked_at: set[str] = set()
    for spec in wanted:
        places = written(config, [spec.model]) or [()]
        row = table.get(split(spec.model)[0])
        if row is None:
            unknown = "" if split(spec.model)[0] in config.providers else unknown_provider(spec.model, table)
            found += [Problem(place, unknown) for place in places if unknown]
            continue
        found += _script_problems(spec, places[0], folder)
        if config.limits.max_cost_usd is not None and price(spec, row, env) is None:
            found.append(_unpriced(spec))
        if row.name not in looked_at:
            looked_at.add(row.name)
            for message in row_faults(row, env, [each.model for each in wanted]):
                absent.setdefault(message, Problem(_place_of(row, config, places[0]), message))
    return [*dict.fromkeys(found), *absent.values()]


def _place_of(row: ProviderRow, config: DebateConfig, place: KeyPath) -> KeyPath:
    """Where to look for what is wrong with a row: the configuration's own entry, else the place that names a model of it."""
    own = config.providers.get(row.name)
    if own is None:
        return place
    return ("providers", row.name, *(("api_key_env",) if own.api_key_env is not None else ()))


def _script_problems(spec: ModelSpec, place: KeyPath, folder: Path) -> list[Problem]:
    if spec.model != SCRIPTED:
        return []
    try:
        Script.load(spec, folder)
    except ConfigError as error:
        return [Problem((*place[:-1], "script") if spec.script is not None else place, str(error))]
    return []


def _unpriced(spec: ModelSpec) -> Problem:
    message = (
        f"cannot be kept: {spec.model} has no known price; give its provider or its entry in `models` "
        "`price: {input, output}` per million tokens (0 where nobody bills them), or drop the limit"
    )
    return Problem(("limits", "max_cost_usd"), message)


def rejudging(
    debate: Debate, wish: Wish, at: datetime, loaded: LoadedConfig | None, env: Mapping[str, str]
) -> Rejudging:
    """The judging runs that `wish` adds to `debate`, once every judge can be asked; no debater is looked at.

    `loaded` is where the wish's configuration comes from. Raises UsageError where the debate cannot be judged so.
    """
    added = openings(debate, wish, at)
    config = judging_config(debate, wish).model_copy(update={"judging": added[0].judging})
    return Rejudging(added, for_judges(config, loaded, env, debate.id))


def for_judges(config: DebateConfig, loaded: LoadedConfig | None, env: Mapping[str, str], name: str) -> Prepared:
    """`config` for its judges alone, with what is around `loaded`; `name` stands for a configuration without a file."""
    require_judges(config)
    around = LoadedConfig(config, Path(), (), {}, Places(name)) if loaded is None else replace(loaded, config=config)
    return prepare(around, env, wanted=judges_of)


def judges_of(config: DebateConfig) -> tuple[ModelSpec, ...]:
    """The models of the judges alone."""
    return specs(config.model_copy(update={"debaters": ()}))


def hidden(loaded: LoadedConfig, env: Mapping[str, str]) -> tuple[str, ...]:
    """Every value that is never to be written."""
    return _hidden(loaded, environment(loaded.folder, env))


def _hidden(loaded: LoadedConfig, known: Mapping[str, str]) -> tuple[str, ...]:
    return tuple({*loaded.secrets, *secrets(loaded.config, known)})
