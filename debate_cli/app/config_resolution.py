"""Creates a `LoadedConfig` from a file, a text, an object or a stored debate, for the command line and Python."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from debate_cli.domain.config import DebateConfig, move_legacy_sections
from debate_cli.domain.config_checks import Problem, check_config, check_stored_config
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.message_text import quote_path
from debate_cli.domain.nested_texts import map_texts
from debate_cli.errors import ConfigError, UsageError
from debate_cli.evidence.corpus import list_source_files
from debate_cli.llm.redaction import Redactor
from debate_cli.providers.provider_table import find_provider_problems
from debate_cli.providers.registry import collect_provider_secrets
from debate_cli.regular_file import is_inside
from debate_cli.resolved_secrets import record_secrets
from debate_cli.storage.config_errors import SourceMap, problems_from_validation
from debate_cli.storage.config_file import (
    STDIN_NAME,
    ConfigCheck,
    LoadedConfig,
    read_config_file,
    read_prompt_files,
)
from debate_cli.storage.plain_data import is_mapping
from debate_cli.storage.provider_origin import settings_fingerprint
from debate_cli.storage.serialization import Redact, config_to_json
from debate_cli.storage.transcript_store import StoredDebate
from debate_cli.storage.variables import ConfigChange, Environment, apply_overrides, load_environment
from debate_cli.systems.registry import get_system, is_installed, system_kinds

T = TypeVar("T")


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
    - `shipped`: whether the file is part of the package. If True, relative paths start in the working folder,
      and `.env` is read there.
    - `checks`: function that returns contradictions between settings.
    - `trusted_folders`: folders from which the configuration may name files, besides its own folder.
    """
    folder = Path() if path is None or shipped else path.parent
    loaded = read_config_file(
        path,
        text=text,
        overrides=changes,
        env=load_environment(folder, env),
        checks=(checks, find_provider_problems),
        trusted_folders=trusted_folders,
    )
    is_beside_dotenv = path is not None and not shipped
    origins = {
        name: replace(origin, is_beside_dotenv=is_beside_dotenv) for name, origin in loaded.provider_origins.items()
    }
    return replace(loaded, folder=folder, provider_origins=origins)


def config_from_object(config: DebateConfig, name: str, folder: Path | None = None) -> LoadedConfig:
    """Return `config` as a `LoadedConfig` without a file. Raises ConfigError if a value in it is not valid.

    `name`: the configuration's name in errors. `folder`: where relative paths start; None for the working folder.
    """
    base = folder or Path()
    source_map = SourceMap(name)
    config = revalidate_config(config, source_map)
    prompts, problems = read_prompt_files(config.prompts, base)
    if problems:
        raise ConfigError(*map(source_map.format_problem, problems))
    return LoadedConfig(config, base, (), prompts, source_map, load_environment(base, os.environ))


def revalidate_config(config: DebateConfig, source_map: SourceMap) -> DebateConfig:
    """Return `config` after a check of all its values, because `model_copy` validates nothing.

    If values must be converted, e.g. a mapping to a `DebaterConfig`, the result is a copy with the converted values.
    Raises ConfigError with one line per wrong value.
    """
    data = move_legacy_sections(_written_values(config))
    try:
        valid = DebateConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(*source_map.format_problems(problems_from_validation(error, data))) from error
    return config if valid == config else valid


def _written_values(value: Any) -> Any:
    if isinstance(value, BaseModel):
        names = value.model_fields_set | ({"kind"} & type(value).model_fields.keys())
        written = {name: _written_values(getattr(value, name)) for name in names}
        return {**written, **(value.model_extra or {})}
    if is_mapping(value):
        return {key: _written_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_written_values(item) for item in cast("Sequence[Any]", value)]
    return value


def require_valid(loaded: LoadedConfig, check: ConfigCheck) -> None:
    """Raise ConfigError for the problems that `check` finds, and for problems of providers."""
    problems = [*check(loaded.config), *find_provider_problems(loaded.config)]
    if problems:
        raise ConfigError(*loaded.source_map.format_problems(problems))


def without_environment(loaded: LoadedConfig) -> LoadedConfig:
    """Return `loaded` without variables and keys, to send it to another process.

    Secrets that are part of the configuration itself stay, so that the other process redacts them too.
    """
    written = json.dumps([loaded.config.model_dump(mode="json"), dict(loaded.prompts)])
    secrets = tuple(secret for secret in loaded.secrets if json.dumps(secret)[1:-1] in written)
    return replace(loaded, secrets=secrets, env=Environment({}), corpus=None)


def with_environment(loaded: LoadedConfig, env: Mapping[str, str]) -> LoadedConfig:
    """Return `loaded` with the variables of `env` and the configuration's `.env` file. API keys among them become secrets."""
    environment = load_environment(loaded.folder, env)
    keys = {environment.get(spec.api_key_env or "", "") for spec in loaded.config.providers.values()}
    return replace(loaded, secrets=tuple(sorted({*loaded.secrets, *keys} - {""})), env=environment)


_STDIN_POSITION = re.compile(r"^stdin(:\d+)*")


def config_from_transcript(
    stored: StoredDebate,
    changes: Sequence[ConfigChange] = (),
    advice: str = "resume with the configuration's file: debate run CONFIG --resume ID",
) -> LoadedConfig:
    """Return the configuration of a stored debate, with `changes` applied.

    Files that the debate names are not opened. Relative paths start in the working folder.

    Raises ConfigError if a judging system of the debate is not installed. Also raises ConfigError if the result is not
    valid; the last line of this error is `advice`.
    """
    _require_systems(stored)
    env = load_environment(Path(), os.environ)
    without_settings = {name: value for name, value in env.items() if not name.startswith("DEBATE_")}
    try:
        kept = stored.debate.config
        data = {key: value for key, value in config_to_json(kept).items() if key not in {"evidence", "prompts"}}
        text = json.dumps(escape_variables(data))
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
        config = _keep_stored_values(loaded.config, kept, changes)
        return replace(loaded, config=config, source_map=source_map, env=env, provider_origins=origins)
    except ConfigError as error:
        problems = [_STDIN_POSITION.sub(lambda _: str(stored.path), problem) for problem in error.problems]
        raise ConfigError(*problems, advice) from error


def _require_systems(stored: StoredDebate) -> None:
    missing = [system.kind for system in stored.debate.config.judging.systems if not is_installed(system.kind)]
    if not missing:
        return
    able = (kind for kind in system_kinds() if get_system(kind).unsuitable_reason(stored.debate) is None)
    other = next((f"debate judge {quote_path(stored.path)} --system {kind}" for kind in able), None)
    advice = f", or judge with another system: {other}" if other is not None else ""
    raise ConfigError(
        *(
            f"{stored.path}: the judging system `{kind}` is not installed; install its package{advice}"
            for kind in missing
        )
    )


def _keep_stored_values(config: DebateConfig, kept: DebateConfig, changes: Sequence[ConfigChange]) -> DebateConfig:
    """Return `config` with the prompts, variables and evidence of the stored configuration `kept`.

    A value in `changes` takes precedence over the stored value. Variables that are not in `kept.vars` are left out.
    """
    variables: dict[str, Any] = apply_overrides({"vars": kept.vars}, changes)[0]["vars"] or {}
    config = config.model_copy(
        update={
            "prompts": {**kept.prompts, **config.prompts},
            "vars": {name: str(variables.get(name, value)) for name, value in kept.vars.items()},
        }
    )
    if kept.evidence is None:
        return config
    given = config.evidence
    changed = {} if given is None else {name: getattr(given, name) for name in given.model_fields_set}
    return config.model_copy(update={"evidence": kept.evidence.model_copy(update=changed)})


def escape_variables(data: T) -> T:
    """Replace `${` by `$${` in texts, so that `${NAME}` in them does not become the value of a variable.

    Headers are not changed, because variables in headers are meant to be replaced.
    """
    return map_texts(data, lambda text: text.replace("${", "$${"), keys=False, skip={"headers"})


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
            "judging": JudgingConfig.model_validate(map_texts(config.judging.model_dump(mode="json"), redact)),
        }
    )


def list_input_files(loaded: LoadedConfig) -> Iterator[Path]:
    """Yield the files that a configuration consists of: its own file, background, prompts, scripts and sources.

    Standard input is not a file. Sources that do not exist are left out.
    """
    config = loaded.config
    if loaded.source_map.name != STDIN_NAME:
        yield Path(loaded.source_map.name)
    if loaded.background_file is not None:
        yield loaded.background_file
    scripts = [spec.script for spec in config.models.values() if spec.script is not None]
    yield from (loaded.folder / name for name in (*config.prompts.values(), *scripts))
    sources = () if config.evidence is None else config.evidence.named_sources
    yield from list_evidence_files((source.path for source in sources), loaded.folder)


def list_evidence_files(sources: Iterable[str], folder: Path) -> Iterator[Path]:
    """Yield the files of the evidence `sources`: files, folders and patterns, relative to `folder`.

    A source that does not exist is left out.
    """
    for source in sources:
        with suppress(UsageError):
            yield from (file.path for file in list_source_files(source, folder))


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
    """Return all values in `loaded` that must never be written, e.g. keys of providers.

    They are also removed from printed lines.
    """
    secrets = {*loaded.secrets, *collect_provider_secrets(loaded.config, loaded.env)}
    record_secrets(secrets)
    return tuple(secrets)


def config_redactor(loaded: LoadedConfig | None) -> Redactor:
    """Return a redactor for the secrets of `loaded`. Without `loaded`, only texts that look like keys are removed."""
    return Redactor(() if loaded is None else all_secrets(loaded))
