"""The functions of `import debate_cli`. No function prints, handles a signal or returns an exit code."""
# ruff: noqa: F401
# pyright: reportUnusedImport=false

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from typing import Any, Literal

from pydantic import PrivateAttr

from debate_cli.app.api_arguments import check_arguments, check_transcript_path
from debate_cli.app.config_resolution import (
    config_from_object,
    config_redactor,
    require_valid,
    resolve_config,
    revalidate_config,
    with_environment,
    without_environment,
)
from debate_cli.app.consent import require_consents
from debate_cli.app.context import RunContext
from debate_cli.app.documents import decode_text
from debate_cli.app.import_debate import choose_targets, read_import_file
from debate_cli.app.judge_request import JudgingRequest, config_for_judging, document_events
from debate_cli.app.model_roles import all_model_specs, judge_model_specs, rename_models, replace_model
from debate_cli.app.preparation import prepare_added_runs, prepare_judge_context, prepare_run
from debate_cli.app.score import score_with_settings
from debate_cli.app.session import Outcome, Session
from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.config_checks import check_config, check_for_any_use, check_for_judging
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.message_text import format_suggestion_or_list
from debate_cli.domain.model_call import TERMINAL_PROVIDERS, Usage, is_mock
from debate_cli.domain.turn import Argument, Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import BudgetError, ConfigError, DebateError, ModelError, TranscriptError, UsageError
from debate_cli.importing.speeches import ImportChoiceError, ImportRequest
from debate_cli.llm.model import RESTART, Message, Model, Reply, Request
from debate_cli.observer import NullObserver, Observer
from debate_cli.providers.people.person import FILES_FOLDER, PeopleAccess, PromptFolder
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.folder import new_id, validate_id
from debate_cli.storage.provider_origin import WEB_SEARCH
from debate_cli.storage.transcript import to_transcript, transcript_to_events
from debate_cli.storage.transcript_store import open_debate
from debate_cli.systems.live.score import LiveNotes
from debate_cli.systems.moderator.score import ModeratorNotes
from debate_cli.systems.panel.score import PanelNotes
from debate_cli.systems.panel.settings import DEFAULT_CONVERGENCE_THRESHOLD
from debate_cli.systems.panel.votes import DimensionMarks, Votes, panel_agreement, should_panel_deliberate
from debate_cli.systems.persuasion.score import PersuasionNotes
from debate_cli.systems.sources.score import SourcesNotes
from debate_cli.systems.structured.score import StructuredNotes

IN_MEMORY_CONFIG_NAME = "the configuration"
"""Name in error messages for a configuration that is a Python object, not a file."""
PYTHON_PROVIDER = "python"
"""Provider name of the caller's own model objects. The object for the role `judge` is called `python/judge`."""
JUDGE_ROLES = ("judge", "default")
"""Keys of the argument `models` for the judges' model object. `judge` takes precedence over `default`."""


class _LoadedDebateConfig(DebateConfig):
    _loaded: LoadedConfig | None = PrivateAttr(default=None)

    def __eq__(self, other: object) -> bool:
        return _field_values(self) == _field_values(other) if isinstance(other, DebateConfig) else NotImplemented

    __hash__ = DebateConfig.__hash__

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        if self._loaded is None:
            return type(self).rebuild, (self.model_fields_set, _field_values(self), None)
        return type(self).rebuild, (self.model_fields_set, _field_values(self), without_environment(self._loaded))

    @classmethod
    def rebuild(cls, names: set[str], values: dict[str, Any], loaded: LoadedConfig | None) -> _LoadedDebateConfig:
        config = cls.model_construct(names, **values)
        config._loaded = with_environment(loaded, os.environ) if loaded is not None else None
        return config

    @classmethod
    def from_loaded(cls, loaded: LoadedConfig) -> _LoadedDebateConfig:
        config = cls.model_construct(loaded.config.model_fields_set, **_field_values(loaded.config))
        config._loaded = loaded
        return config

    def to_loaded(self) -> LoadedConfig:
        plain = DebateConfig.model_construct(self.model_fields_set, **_field_values(self))
        loaded = self._loaded
        if loaded is None:
            return config_from_object(plain, IN_MEMORY_CONFIG_NAME)
        if plain != loaded.config:
            source_map = replace(loaded.source_map, positions={}, origins={})
            plain = revalidate_config(plain, source_map)
            loaded = replace(loaded, source_map=source_map)
        if plain.prompts != loaded.config.prompts:
            prompts = config_from_object(plain, loaded.source_map.name, loaded.folder).prompts
            loaded = replace(loaded, prompts=prompts)
        unchanged = {
            name: origin
            for name, origin in loaded.provider_origins.items()
            if plain.providers.get(name) == loaded.config.providers.get(name)
            and (name != WEB_SEARCH or plain.web_search_url == loaded.config.web_search_url)
        }
        return replace(loaded, config=plain, provider_origins=unchanged)


def load_config(path: str | Path, *, overrides: Mapping[str, Any] | None = None) -> DebateConfig:
    """Load a configuration file.

    - `overrides`: maps key paths, e.g. `format.arguments`, to values or YAML texts.

    Relative paths start in the folder of the file, and a `.env` file there is read. A configuration without debaters
    can be loaded, because judging a document needs none. Raises ConfigError with a line for each fault.
    """
    check_arguments(load_config, locals())
    changes = list((overrides or {}).items())
    return _LoadedDebateConfig.from_loaded(resolve_config(Path(path), os.environ, changes, checks=check_for_any_use))


def load_transcript(path: str | Path) -> Debate:
    """Load a debate from its transcript or journal.

    Raises TranscriptError if the file cannot be read, and ConfigError if `path` is neither a string nor a `Path`.
    """
    check_arguments(load_transcript, locals())
    return open_debate(Path(path)).debate


def import_debate(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the name of the command's option
    topic: str | None = None,
    sides: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
    merge: Mapping[str, str] | None = None,
    round_by: Literal["turns", "heading"] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Debate:
    """Read a debate that was held elsewhere from a text, Markdown, subtitle, table or chat file.

    - `format`: `text`, `markdown`, `vtt`, `srt`, `csv`, `jsonl`, `chat` or `transcript`. None: the format is detected.
    - `topic`: the motion. None: the motion in the file. If the file has no motion, the name of the file.
    - `sides`: maps a speaker to `for`, `against` or another label.
    - `drop`: speakers to leave out.
    - `merge`: maps a spelling in the file to the speaker's name, e.g. `{"Dr. Lee": "Ann Lee"}`.
    - `round_by`: where a round begins. `turns`: when a speaker of the round speaks again. `heading`: at each heading.
      None: the file names its rounds. If the file names no rounds, `turns` is used.
    - `columns`: for a table, maps `speaker`, `text` or `round` to the name of a column.

    To save the debate, judge it: `judge(debate, ..., path=...)`. Raises ConfigError for a wrong argument,
    TranscriptError if the file contains no debate.
    """
    check_arguments(import_debate, locals())
    request = ImportRequest(
        format=format,
        columns=columns or {},
        topic=topic,
        sides=sides or {},
        drop=tuple(drop),
        merge=merge or {},
        round_by=round_by,
    )
    source = Path(path)
    with _wrong_arguments_as_config_errors():
        (target,) = choose_targets([source], None, Path())
        try:
            return read_import_file(source, target, request, datetime.now(UTC)).debate
        except TranscriptError as error:
            if isinstance(error.__cause__, ImportChoiceError):
                raise ConfigError(str(error)) from error
            raise


async def run_debate(
    config: DebateConfig,
    *,
    mock: bool = False,
    folder: str | Path | None = None,
    debate_id: str | None = None,
    models: Mapping[str, Model] | None = None,
    observer: Observer | None = None,
    trusted_hosts: Sequence[str] = (),
) -> Outcome:
    """Run a debate to its end.

    - `mock`: uses the mock provider for every model.
    - `folder`: where the journal and the transcript are written. None: nothing is written, so no debater or judge
      can answer through files.
    - `debate_id`: name of the files. None: an id is generated.
    - `models`: your own model objects, which have a method `complete`. A key is the `provider/model` to
      replace, or a key under `models` in the configuration, e.g. `default` or `judge`. In the debate, an object for
      `default` or `mock/default` is called `python/default`. Raises ConfigError for an object that no debater and no
      judge uses.
    - `trusted_hosts`: hosts to which the configuration may send requests and keys.

    If a model fails, no error is raised. `halted` and `debate.failures` of the outcome describe the failure.
    Raises ConfigError for a wrong argument, MissingKeyError for a missing key, and UntrustedHostError for a host that is
    not trusted. These errors are raised before any call.
    """
    check_arguments(run_debate, locals())
    loaded, own = _with_models(_to_loaded(config), models)
    with _wrong_arguments_as_config_errors():
        context = prepare_run(loaded, mock=mock, models=own, searches=("files", "web"))
        saved = Path(folder) if folder is not None else None
        session = _open_session(context, trusted_hosts, observer, saved, "folder")
        name = debate_id
        if name is None:
            name = new_id(context.config.topic, datetime.now(UTC), SystemRandom(), context.redact)
        return await session.begin(validate_id(name), saved)


async def judge(
    debate: Debate,
    *,
    config: DebateConfig | None = None,
    systems: Sequence[str] = (),
    model: str | None = None,
    models: Mapping[str, Model] | None = None,
    path: str | Path | None = None,
    observer: Observer | None = None,
    trusted_hosts: Sequence[str] = (),
) -> Outcome:
    """Judge a debate. The outcome contains the debate with a new judging run.

    - `config`: the configuration to judge with. None: the configuration that is stored in the debate.
    - `systems`: kinds of judging systems. Empty: the systems of `config`. If `config` has no systems, the systems
      stored in the debate.
    - `model`: `provider/model` of every judge. None: each judge keeps its own model.
    - `models`: your own model objects, which have a method `complete`. A key is `judge`, `default` or the
      `provider/model` to replace.
    - `path`: the transcript to write. None: nothing is written, so no judge can answer through files.
    - `trusted_hosts`: hosts to which the configuration and the debate may send requests and keys.

    Raises TranscriptError if the debate cannot be judged. Raises ConfigError for a wrong argument, and
    UntrustedHostError for a host that is not trusted.
    """
    check_arguments(judge, locals())
    saved = check_transcript_path(path) if path is not None else None
    loaded = _to_loaded_for_judging(config) if config is not None else None
    with _wrong_arguments_as_config_errors():
        request, own = _judging_request(loaded, systems, model, models)
        openings, context = prepare_added_runs(debate, request, datetime.now(UTC), loaded, debate.id, own)
        _require_used(own, _names(judge_model_specs(context.config)))
        session = _open_session(context, trusted_hosts, observer, saved and saved.parent, "path")
        return await session.judge(transcript_to_events(to_transcript(debate)), openings, saved)


async def judge_text(
    text: str,
    *,
    name: str = "text",
    context: str | None = None,
    config: DebateConfig | None = None,
    model: str | None = None,
    models: Mapping[str, Model] | None = None,
    path: str | Path | None = None,
    observer: Observer | None = None,
    trusted_hosts: Sequence[str] = (),
) -> Outcome:
    """Let judges vote on `text`, a document. If no system in `config` can judge documents, a default panel votes.

    - `name`: the name of the document in results.
    - `context`: material that is shown beside the document and not judged. None: the background of `config`.
    - `config`: the configuration to judge with. Its topic is the question of the vote. It needs no debaters.

    The other arguments are those of `judge`. Raises TranscriptError if `text` is empty or too long. Raises
    ConfigError for a wrong argument, and UntrustedHostError for a host that is not trusted.
    """
    check_arguments(judge_text, locals())
    saved = check_transcript_path(path) if path is not None else None
    text = decode_text(name, text.encode(errors="replace"))
    loaded = _to_loaded_for_judging(config) if config is not None else None
    with _wrong_arguments_as_config_errors():
        request, own = _judging_request(loaded, (), model, models)
        request = replace(request, context=context)
        now = datetime.now(UTC)
        events = document_events(name, text, new_id(name, now, SystemRandom(), config_redactor(loaded)), request, now)
        run = prepare_judge_context(
            config_for_judging(fold(events), request), loaded, name, request=request, models=own
        )
        _require_used(own, _names(judge_model_specs(run.config)))
        session = _open_session(run, trusted_hosts, observer, saved and saved.parent, "path")
        return await session.judge(events, (), saved)


def score(
    debate: Debate,
    *,
    runs: str = "latest",
    systems: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[Verdict, ...]:
    """Recompute the verdicts of a debate. The verdict that decides the debate comes first. No model is asked.

    - `runs`: `latest` (the newest judging run of each system), `all`, or the id of a judging run.
    - `systems`: kinds of judging systems. Empty: all systems.
    - `settings`: new settings by system, e.g. `{"structured": {"weights": {"logic": 1.0}}}`.

    Raises ConfigError for an unknown system, setting or run.
    """
    check_arguments(score, locals())
    with _wrong_arguments_as_config_errors():
        return score_with_settings(debate, settings or {}, runs=runs, systems=systems)


def agreement(votes: Votes, dimensions: DimensionMarks) -> float:
    """Return the agreement of a panel, 0-1.

    - `votes`: the judges' options (PASS, FAIL, CONDITIONAL), as a list or as a mapping by judge.
    - `dimensions`: maps each dimension to the judges' marks from 1 to 3, as a list or as a mapping by judge.

    V is the share of judges who voted for the most frequent option. The closeness of the marks in one dimension is 1
    minus half the difference between the highest and the lowest mark. D is the mean closeness of all dimensions.
    Dimensions with fewer than two marks are left out. If no dimension is left, D is 1.

    The agreement is 0.6 x V + 0.4 x D. With fewer than two votes, the agreement is 1.

    Raises ConfigError for an unknown option, or a mark outside 1-3.
    """
    check_arguments(agreement, locals())
    return panel_agreement(votes, dimensions)


def needs_deliberation(
    votes: Votes, dimensions: DimensionMarks, threshold: float = DEFAULT_CONVERGENCE_THRESHOLD
) -> bool:
    """Return whether a panel should vote again.

    This is the case if its agreement is below `threshold`, and if one of these is true:

    - The judges voted for different options.
    - The highest and the lowest mark of a dimension differ by 1.5 or more.

    With fewer than two votes, returns False. Raises ConfigError for an unknown option, or a mark outside 1-3.
    """
    check_arguments(needs_deliberation, locals())
    return should_panel_deliberate(votes, dimensions, threshold)


@contextmanager
def _wrong_arguments_as_config_errors() -> Generator[None]:
    try:
        yield
    except (ConfigError, TranscriptError):
        raise
    except UsageError as error:
        raise ConfigError(str(error)) from error


def _judging_request(
    loaded: LoadedConfig | None, systems: Sequence[str], model: str | None, models: Mapping[str, Model] | None
) -> tuple[JudgingRequest, dict[str, Model]]:
    config = loaded.config if loaded is not None else None
    given = dict(models or {})
    chosen = next((role for role in JUDGE_ROLES if role in given), None)
    if chosen == "judge":
        given.pop("default", None)
    roles = [_full_name(role) for role in JUDGE_ROLES]
    _require_used([_full_name(name) for name in given if "/" not in name], roles)
    judge_model = model or (chosen and _full_name(chosen))
    return JudgingRequest(config=config, systems=tuple(systems), model=judge_model), _own_models(given)


def _with_models(loaded: LoadedConfig, models: Mapping[str, Model] | None) -> tuple[LoadedConfig, dict[str, Model]]:
    """Return a copy of `loaded` that uses the caller's model objects, and a mapping from names to these objects.

    `models`: the caller's model objects. The key of each object determines its names in the mapping:

    - A role, e.g. `judge`: the object has the name `python/judge`. The copy uses this name for the role.
    - A model of the provider `mock`, e.g. `mock/judge`: the object has the names `mock/judge` and `python/judge`. The
      copy uses `python/judge` in place of `mock/judge`, because every model of the provider `mock` counts as the mock.
    - Any other `provider/model`: this text is the name of the object.

    Raises ConfigError if the changed configuration is not valid, or if no debater and no judge uses an object.
    """
    own = _own_models(models)
    specs = dict(loaded.config.models)
    for name in models or {}:
        if "/" not in name:
            spec = specs.get(name, ModelSpec(model=_full_name(name)))
            specs[name] = replace_model(spec, _full_name(name))
    config = loaded.config.model_copy(update={"models": specs})
    require_valid(replace(loaded, config=config), check_config)
    _require_used(own, _names(all_model_specs(config)), (*loaded.config.models, *JUDGE_ROLES))
    renamed = {name: f"{PYTHON_PROVIDER}/{name.partition('/')[2]}" for name in own if is_mock(name)}
    own |= {new: own[name] for name, new in renamed.items()}
    return replace(loaded, config=rename_models(config, renamed) if renamed else config), own


def _require_used(own: Iterable[str], used: Collection[str], roles: Iterable[str] = ()) -> None:
    """Raise ConfigError for a model object whose name is not in `used`: no debater and no judge uses this object.

    - `own`: names of the model objects, e.g. `python/judge`.
    - `used`: the allowed names, under which debaters or judges use models.
    - `roles`: roles to which the caller can assign a model object, e.g. `judge`. Only the error message uses them.

    The error suggests names from `used` and `roles`.
    """
    for name in own:
        if name not in used:
            given, *known = (item.removeprefix(f"{PYTHON_PROVIDER}/") for item in (name, *roles, *used))
            advice = format_suggestion_or_list(given, (item for item in dict.fromkeys(known) if item != given))
            raise ConfigError(f"models: {given}: no debater and no judge uses this model{advice}")


def _open_session(
    context: RunContext, trusted_hosts: Sequence[str], observer: Observer | None, folder: Path | None, argument: str
) -> Session:
    """Return a session for `context`. The session can ask people through files, but not at the terminal.

    - `folder`: the folder of the transcript. The files for people are in its subfolder `files`. None: the
      session cannot ask people.
    - `argument`: name of the argument with which the caller chooses the folder. Only the error message uses it.

    Raises UntrustedHostError for a host without consent. Raises ConfigError in these cases:

    - A person would answer at the terminal.
    - A person would answer through files, but `folder` is None.
    """
    require_consents(context.destinations, trusted_hosts, os.environ)
    for name in context.asked_people:
        if name.partition("/")[0] in TERMINAL_PROVIDERS:
            raise ConfigError(
                f"{name}: only the command `debate` asks a person at the terminal; run it, or use `files/NAME`, which "
                "exchanges prompts and replies as files"
            )
        if folder is None:
            raise ConfigError(
                f"{argument}: is None, but {name} needs files for its prompts and replies; pass a path, and these files are "
                f"kept in the folder `{FILES_FOLDER}` beside the transcript"
            )
    observer = observer or NullObserver()
    people = None if folder is None else PeopleAccess(PromptFolder(folder / FILES_FOLDER, observer.note))
    return Session(replace(context, observer=observer, people=people))


def _own_models(models: Mapping[str, Model] | None) -> dict[str, Model]:
    return {_full_name(name): given for name, given in (models or {}).items()}


def _names(specs: Iterable[ModelSpec]) -> list[str]:
    return [spec.model for spec in specs]


def _full_name(name: str) -> str:
    return name if "/" in name else f"{PYTHON_PROVIDER}/{name}"


def _to_loaded(config: DebateConfig) -> LoadedConfig:
    if isinstance(config, _LoadedDebateConfig):
        return config.to_loaded()
    return config_from_object(config, IN_MEMORY_CONFIG_NAME)


def _to_loaded_for_judging(config: DebateConfig) -> LoadedConfig:
    loaded = _to_loaded(config)
    require_valid(loaded, check_for_judging)
    return loaded


def _field_values(config: DebateConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in DebateConfig.model_fields}
