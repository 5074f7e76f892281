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
from debate_cli.domain.config_checks import Problem, check
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened
from debate_cli.errors import ConfigError
from debate_cli.llm.template import Prompts
from debate_cli.providers.registry import secrets
from debate_cli.providers.table import row_problems
from debate_cli.rejudging import Wish, judging_config, openings
from debate_cli.storage.config_file import LoadedConfig, Places, load_config
from debate_cli.storage.environment import environment
from debate_cli.storage.prompt_files import read_prompts
from debate_cli.wiring import PROMPT_PACKAGES, Surroundings, Tape, mocked, require_judges, require_models, specs

Wanted = Callable[[DebateConfig], Sequence[ModelSpec]]
"""Which models of a configuration are to be asked."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A configuration that can be run, and what is around it."""

    config: DebateConfig
    around: Surroundings
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejudging:
    """Judging runs that are to be added to a debate, and what they are judged with."""

    openings: tuple[JudgingOpened, ...]
    prepared: Prepared


def load(path: Path, env: Mapping[str, str], changes: Sequence[tuple[str, str]] = ()) -> LoadedConfig:
    """The configuration at `path` with `changes` (key path, YAML value) laid over it. Raises ConfigError with every fault.

    `env` is the process's own; the `.env` files are read here.
    """
    return load_config(path, overrides=changes, env=environment(path.parent, env), more_checks=(providers_make_sense,))


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
) -> Prepared:
    """Make sure that every model that is `wanted` can be asked, before the first call is; None: nothing will be asked.

    Prompts that are replaced are checked, too. `env` is the process's own. Raises MissingKeyError and ConfigError.
    """
    config = mocked(loaded.config) if mock else loaded.config
    known = environment(loaded.folder, env)
    Prompts(loaded.prompts).check(*PROMPT_PACKAGES)
    if wanted is not None and (tape is None or not tape.serves):
        require_models(config, tuple(wanted(config)), known)
    kept = hidden(loaded, env)
    return Prepared(config, Surroundings(loaded.folder, known, prompts=loaded.prompts, tape=tape, secrets=kept), kept)


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
    return tuple({*loaded.secrets, *secrets(loaded.config, environment(loaded.folder, env))})
