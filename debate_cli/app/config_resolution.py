"""Creates a `LoadedConfig` from a file, a text, an object or a stored debate, for the command line and Python."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.config_checks import Problem, check_config, check_judging_config, check_stored_config
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.errors import ConfigError
from debate_cli.providers.provider_table import find_provider_problems
from debate_cli.providers.registry import collect_provider_secrets
from debate_cli.regular_file import is_inside
from debate_cli.storage.config_errors import SourceMap
from debate_cli.storage.config_file import ConfigCheck, LoadedConfig, read_config_file, read_prompt_files
from debate_cli.storage.plain_data import redact_values
from debate_cli.storage.provider_origin import settings_fingerprint
from debate_cli.storage.redact import Redactor
from debate_cli.storage.serialization import Redact, config_to_json
from debate_cli.storage.transcript_store import StoredDebate
from debate_cli.storage.variables import ConfigChange, load_environment


def resolve_config(
    path: Path | None,
    env: Mapping[str, str],
    changes: Sequence[ConfigChange] = (),
    *,
    text: str | None = None,
    shipped: bool = False,
    checks: ConfigCheck = check_config,
    trusted_folders: Sequence[Path] = (),
) -> LoadedConfig:
    """Load the configuration at `path`, and apply `changes`. Raises ConfigError.

    - `env`: variables of the process. The `.env` file beside the configuration adds more.
    - `text`: text to read in place of the file.
    - `shipped`: whether the file is part of the package. If True, relative paths and `.env` start in the working
      folder.
    - `checks`: returns contradictions between settings.
    - `trusted_folders`: folders from which the configuration may name files, besides its own folder.
    """
    folder = Path() if path is None or shipped else path.parent
    loaded = read_config_file(
        path,
        text=text,
        overrides=changes,
        env=load_environment(folder, env),
        checks=(checks, provider_problems),
        trusted_folders=trusted_folders,
    )
    is_beside_dotenv = path is not None and not shipped
    origins = {
        name: replace(origin, is_beside_dotenv=is_beside_dotenv) for name, origin in loaded.provider_origins.items()
    }
    return replace(loaded, folder=folder, provider_origins=origins)


def provider_problems(config: DebateConfig) -> list[Problem]:
    """Return the problems of the configured providers, except problems that `check_config` reports."""
    known = {problem.path for problem in check_config(config)}
    found: list[Problem] = []
    for line in find_provider_problems(config):  # `providers.NAME.KEY: message`; names and keys may contain dots
        key, _, message = line.partition(": ")
        names = (each for each in config.providers if f"{key}.".startswith(f"providers.{each}."))
        name = max(names, key=len, default="")
        rest = key.removeprefix(f"providers.{name}").strip(".").split(".", 1)
        found.append(Problem(("providers", name, *filter(None, rest)), message))
    return [problem for problem in found if problem.path not in known]


def check_for_mock(config: DebateConfig) -> list[Problem]:
    """Return the contradictions in `config` for a run on the mock provider. Missing models are allowed."""
    return check_config(_with_default_model(config))


def check_for_judging(config: DebateConfig) -> list[Problem]:
    """Return the contradictions in `config` for `debate judge`. Missing debaters and models are allowed."""
    return check_judging_config(_with_default_model(config))


def check_for_any_use(config: DebateConfig) -> list[Problem]:
    """Return the contradictions in `config`.

    A configuration with debaters is checked for a run, and a configuration without debaters for `debate judge`.
    """
    return check_config(config) if config.debaters else check_for_judging(config)


def _with_default_model(config: DebateConfig) -> DebateConfig:
    return config.model_copy(update={"models": {"default": ModelSpec(model="mock/default"), **config.models}})


def config_from_object(config: DebateConfig, name: str, folder: Path | None = None) -> LoadedConfig:
    """Return `config` as a `LoadedConfig` without a file. Raises ConfigError.

    `name`: the configuration's name in errors. `folder`: where relative paths start; None for the working folder.
    """
    base = folder or Path()
    source_map = SourceMap(name)
    prompts, problems = read_prompt_files(config.prompts, base)
    if problems:
        raise ConfigError(*map(source_map.format_problem, problems))
    return LoadedConfig(config, base, (), prompts, source_map, load_environment(base, os.environ))


_STDIN_POSITION = re.compile(r"^stdin(:\d+)*")


def config_from_transcript(
    stored: StoredDebate,
    changes: Sequence[ConfigChange] = (),
    advice: str = "resume with the configuration's file: debate run CONFIG --resume ID",
) -> LoadedConfig:
    """Return the configuration of a stored debate, with `changes` applied.

    Files that the debate names are not opened. Relative paths start in the working folder. Raises ConfigError if the
    result is not valid. `advice`: the last line of this error.
    """
    env = load_environment(Path(), os.environ)
    without_settings = {name: value for name, value in env.items() if not name.startswith("DEBATE_")}
    try:
        kept = stored.debate.config
        data = {key: value for key, value in config_to_json(kept).items() if key != "evidence"}
        text = json.dumps(escape_variables({**data, "prompts": {}}))
        loaded = read_config_file(
            None, text=text, overrides=changes, env=without_settings, checks=(check_stored_config,)
        )
        source_map = SourceMap(str(stored.path), origins=loaded.source_map.origins)
        origins = {
            name: replace(
                origin, file=str(stored.path), fingerprint=settings_fingerprint(name, loaded.config.providers[name])
            )
            if name in loaded.config.providers
            else origin
            for name, origin in loaded.provider_origins.items()
        }
        prompts = {"prompts": {**kept.prompts, **loaded.config.prompts}}
        config = loaded.config.model_copy(update=prompts) if prompts["prompts"] else loaded.config
        if kept.evidence is not None:
            given = config.evidence
            changed = {} if given is None else {name: getattr(given, name) for name in given.model_fields_set}
            config = config.model_copy(update={"evidence": kept.evidence.model_copy(update=changed)})
        return replace(loaded, config=config, source_map=source_map, env=env, provider_origins=origins)
    except ConfigError as error:
        problems = [_STDIN_POSITION.sub(lambda _: str(stored.path), problem) for problem in error.problems]
        raise ConfigError(*problems, advice) from error


def escape_variables(data: Any) -> Any:
    """Replace `${` by `$${`, so that `${NAME}` in stored texts does not become the value of a variable.

    Headers are not changed, because variables in headers are meant to be replaced.
    """
    if isinstance(data, str):
        return data.replace("${", "$${")
    if isinstance(data, list):
        return [escape_variables(item) for item in cast("list[Any]", data)]
    if isinstance(data, dict):
        parts = cast("dict[str, Any]", data)
        return {key: part if key == "headers" else escape_variables(part) for key, part in parts.items()}
    return data


def redact_config(config: DebateConfig, redact: Redact) -> DebateConfig:
    """Return `config` with secrets removed from the texts that models and people read. All other settings stay."""
    return config.model_copy(
        update={
            "topic": redact(config.topic),
            "background": None if config.background is None else redact(config.background),
            "debaters": tuple(
                debater if debater.system is None else debater.model_copy(update={"system": redact(debater.system)})
                for debater in config.debaters
            ),
            "judging": JudgingConfig.model_validate(redact_values(config.judging.model_dump(mode="json"), redact)),
        }
    )


def check_output_folder(loaded: LoadedConfig, trusted_folders: Sequence[Path]) -> None:
    """Raise ConfigError if the configuration's file sets `output.dir` outside the allowed folders.

    The working folder, the folder of the file and `trusted_folders` are allowed.
    """
    path = ("output", "dir")
    if any(path[:length] in loaded.source_map.origins for length in (1, 2)):
        return
    if not is_inside(Path(loaded.config.output.dir), (Path(), loaded.folder, *trusted_folders)):
        problem = Problem(
            path,
            "leads out of the working folder; choose where to save with --out DIR, or allow it with --trust-path DIR",
        )
        raise ConfigError(loaded.source_map.format_problem(problem))


def all_secrets(loaded: LoadedConfig) -> tuple[str, ...]:
    """Return all values in `loaded` that must never be written, e.g. keys of providers."""
    return tuple({*loaded.secrets, *collect_provider_secrets(loaded.config, loaded.env)})


def config_redactor(loaded: LoadedConfig | None) -> Redactor:
    """Return a redactor for the secrets of `loaded`. Without `loaded`, only texts that look like keys are removed."""
    return Redactor(() if loaded is None else all_secrets(loaded))
