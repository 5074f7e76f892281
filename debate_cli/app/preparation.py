"""Prepares a run, a resumed debate or a judging run: checks its models, collects secrets, creates its `RunContext`."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from debate_cli.app.config_resolution import all_secrets, redact_config
from debate_cli.app.consent import (
    Destination,
    find_destinations,
    find_hub_destinations,
    find_search_destination,
    stored_origins,
)
from debate_cli.app.context import Cassette, RunContext
from debate_cli.app.evidence import open_sources
from debate_cli.app.judge_request import JudgingRequest, config_for_judging, normalize_resume_config, open_judging_runs
from debate_cli.app.model_roles import (
    all_model_specs,
    judge_model_specs,
    mock_spec,
    require_judge_models,
    unique_specs,
    with_mock_models,
)
from debate_cli.app.resume import (
    PendingModels,
    closing_event,
    config_in_force,
    find_fixed_differences,
    find_pending_models,
)
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.config_checks import KeyPath, Problem, find_model_key_paths
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateResumed, JudgingOpened
from debate_cli.domain.model_call import is_person
from debate_cli.domain.nested_texts import map_texts
from debate_cli.errors import ConfigError, MissingKeyError, NoLocalModelError, UsageError
from debate_cli.evidence.corpus import Corpus
from debate_cli.llm.model import Model
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.redaction import Redactor
from debate_cli.providers.mock.model import SCRIPTED_MODEL, ReplyScript
from debate_cli.providers.provider_table import ProviderRow, find_provider_problems, merge_provider_rows
from debate_cli.providers.registry import (
    collect_provider_secrets,
    find_batch_problem,
    find_price,
    find_row_problems,
    format_unknown_provider,
    is_extra_missing,
    is_key_missing,
    split_model_name,
)
from debate_cli.providers.search.table import (
    find_rerank_problems,
    find_search_problems,
    is_search_key_missing,
    rerank_spec,
    with_lookup_search,
)
from debate_cli.providers.weights import find_hub_file, is_weights_file
from debate_cli.resolved_secrets import record_secrets
from debate_cli.storage.config_errors import SourceMap
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX
from debate_cli.storage.plain_data import is_list, is_mapping
from debate_cli.storage.serialization import config_to_json
from debate_cli.storage.transcript_store import StoredDebate
from debate_cli.storage.variables import load_environment

SearchPlace = Literal["files", "web"]
"""Where a run searches for passages: in the configured sources, or on the web."""
ModelSelector = Callable[[DebateConfig], Sequence[ModelSpec]]
"""Receives a configuration. Returns those of its models that a run will ask."""


def prepare_run(
    loaded: LoadedConfig,
    *,
    mock: bool = False,
    cassette: Cassette | None = None,
    select: ModelSelector = all_model_specs,
    asked: bool = True,
    added: Mapping[str, PendingModels] | None = None,
    models: Mapping[str, Model] | None = None,
    searches: Collection[SearchPlace] = (),
) -> RunContext:
    """Check the selected models and the user's prompts, and create the run's context.

    - `select`: returns the models to check.
    - `asked`: whether models will be asked. An estimate asks none.
    - `added`: models of added judging runs. The keys name the runs in errors.
    - `models`: the caller's own model objects, by `provider/model`.
    - `searches`: where the run searches for passages.

    Raises MissingKeyError and ConfigError. Raises UsageError for sources that cannot be read.
    """
    config = with_mock_models(loaded.config) if mock else loaded.config
    Prompts(loaded.prompts).validate()
    own_models, others = models or {}, added or {}
    secrets = set(all_secrets(loaded)).union(
        *(collect_provider_secrets(each.config, loaded.env) for each in others.values())
    )
    record_secrets(secrets)
    wanted = tuple(spec for spec in select(config) if spec.model not in own_models)
    _refuse_secret_names(loaded, wanted)
    serves_all = cassette is not None and cassette.is_replay
    parts = [] if serves_all else _list_parts(PendingModels(config, wanted), loaded.source_map, others, searches)
    if asked and parts:
        _require_callable(parts, loaded.env, loaded.folder, Redactor(secrets))
        _require_search(with_lookup_search(config), loaded, searches, Redactor(secrets))
    return RunContext(
        config,
        loaded.folder,
        loaded.env,
        tuple(secrets),
        loaded.prompts,
        _open_corpus(config, loaded) if "files" in searches else None,
        mock=mock,
        models=own_models,
        cassette=cassette,
        asked_people=_list_people(parts) if asked else (),
        destinations=_find_destinations(parts, loaded, searches) if parts else (),
    )


_NAME_KEYS = frozenset({"name", "side", "model", "prefix", "id", "persona", "judge", "provider"})
"""Keys of a configuration whose values are names. Screens show names, and transcripts refer to them."""
_NAMED_SECTIONS: tuple[KeyPath, ...] = (("providers",), ("models",))
"""Sections of a configuration in which each key is a name."""
_MIN_SECRET_CHARS = 8
"""Names in a configuration must not contain secrets of at least this number of characters. The names are not searched
for shorter secrets, because an ordinary name can contain a short text by chance."""


def _refuse_secret_names(loaded: LoadedConfig, others: Iterable[ModelSpec]) -> None:
    """Raise ConfigError if a name in the configuration, or a model in `others`, contains a secret."""
    redact = Redactor(secret for secret in all_secrets(loaded) if len(secret) >= _MIN_SECRET_CHARS)
    judge: KeyPath = ("models", "judge")
    configured = list(_iter_names(config_to_json(loaded.config), ()))
    known = {name for _, name in configured}
    names = [*configured, *((judge, spec.model) for spec in others if spec.model not in known)]
    message = "contains a secret, i.e. an API key or the value of a secret variable; choose a name without it"
    problems = [Problem(path, message) for path, name in names if redact.finds_secret(name)]
    if problems:
        raise ConfigError(*loaded.source_map.format_problems(problems, redact))


def _iter_names(data: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Yield a pair for each name in `data`: a key path, and the name.

    - A value of a key in `_NAME_KEYS` is a name. The pair has the key path of this value.
    - A key in a section of `_NAMED_SECTIONS` is a name. The pair has the key path of the section, e.g. `models`.

    `data`: a configuration, or the part of it at `path`.
    """
    if is_list(data):
        for index, item in enumerate(data):
            yield from _iter_names(item, (*path, index))
    elif is_mapping(data):
        for key, item in data.items():
            if path in _NAMED_SECTIONS:
                yield path, key
            yield from _iter_names(item, (*path, key))
    elif isinstance(data, str) and path[-1] in _NAME_KEYS:
        yield path, data


def _list_parts(
    own: PendingModels, source: SourceMap, added: Mapping[str, PendingModels], searches: Collection[SearchPlace]
) -> list[tuple[PendingModels, SourceMap]]:
    """Return the models that a run asks, in groups, each with the `SourceMap` of its configuration.

    The groups are `own`, the values of `added` and, if there is one, the model that sorts the passages found in files.
    """
    ordering = rerank_spec(own.config) if "files" in searches else None
    return [
        (own, source),
        *((pending, SourceMap(name)) for name, pending in added.items()),
        *([] if ordering is None else [(PendingModels(own.config, (ordering,)), source)]),
    ]


def _list_people(parts: Sequence[tuple[PendingModels, SourceMap]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(spec.model for own, _ in parts for spec in own.models if is_person(spec.model)))


def _open_corpus(config: DebateConfig, loaded: LoadedConfig) -> Corpus | None:
    if loaded.corpus is not None or config.evidence is None:
        return loaded.corpus
    return open_sources(config.evidence, loaded.folder, loaded.env)


def _require_search(
    config: DebateConfig, loaded: LoadedConfig, searches: Collection[SearchPlace], redact: Redactor
) -> None:
    problems = find_rerank_problems(config) if "files" in searches else []
    problems += find_search_problems(config, loaded.env) if "web" in searches else []
    if problems:
        kind = MissingKeyError if is_search_key_missing(config, loaded.env) else ConfigError
        raise kind(*(redact(loaded.source_map.format_problem(problem)) for problem in problems))


def _find_destinations(
    parts: Sequence[tuple[PendingModels, SourceMap]], loaded: LoadedConfig, searches: Collection[SearchPlace]
) -> tuple[Destination, ...]:
    found: dict[Destination, None] = {}
    for number, (pending, source) in enumerate(parts):
        origins = loaded.provider_origins if number == 0 else stored_origins(source.name, pending.config, loaded)
        found |= dict.fromkeys(find_destinations(pending.config, pending.models, origins, loaded.env))
    for pending, source in parts:
        found |= dict.fromkeys(find_hub_destinations(source.name, pending.models, loaded.env))
    if "web" in searches:
        config = with_lookup_search(parts[0][0].config)
        search = find_search_destination(config, loaded.provider_origins, loaded.env)
        found |= {} if search is None else {search: None}
    return tuple(found)


def prepare_resume(
    loaded: LoadedConfig,
    stored: StoredDebate,
    *,
    mock: bool,
    cassette: Cassette | None,
    asked: bool,
    close: bool = False,
) -> RunContext:
    """Create the context for resuming a stored debate with the configuration `loaded`.

    `close`: whether the debate gets no further speeches, so that only judges are asked. `asked`: whether models will be
    asked; an estimate asks none.

    Raises ConfigError for a setting that would change earlier speeches. Raises UsageError for a file without the suffix
    of a transcript or journal, and for `close` if the debate has no speeches.
    """
    name = str(stored.path)
    _check_resumable(stored, close=close)
    config = config_in_force(stored.debate.config, _check_changes(loaded, stored), models=not mock)
    debate = stored.debate.apply(DebateResumed(at=stored.debate.started_at, config=config))
    main, *added = find_pending_models(debate.apply(closing_event(debate.started_at)) if close else debate)
    every = unique_specs(spec for pending in (main, *added) for spec in pending.models)
    specs = tuple(map(mock_spec, every)) if mock else main.models
    if asked and every and loaded.source_map.name == name:
        _refuse_stored_paths(
            name,
            [spec for spec in specs if spec in _named_specs(stored.debate.config)],
            sorted(loaded.config.prompts.keys() - loaded.prompts.keys()),
            "debate run CONFIG --resume ID",
        )
    return prepare_run(
        replace(loaded, config=main.config, provider_origins=stored_origins(name, main.config, loaded)),
        mock=mock,
        cassette=cassette,
        select=lambda _: specs,
        asked=asked,
        added={} if mock else {f"{name}, judging run {each.run}": each for each in added},
        searches=_search_places(loaded, stored, main.config, speaks=not close and debate.status == "incomplete"),
    )


def _check_resumable(stored: StoredDebate, *, close: bool) -> None:
    path = stored.path
    if path.suffix not in {TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX}:
        target = path.with_suffix(TRANSCRIPT_SUFFIX).name
        raise UsageError(
            f"{path}: the file of a saved debate must end in {TRANSCRIPT_SUFFIX} or {JOURNAL_SUFFIX}; rename this file, for example to {target}"
        )
    if close and not stored.debate.turns:
        advice = "leave out --close to continue the debate"
        raise UsageError(f"{path}: --close: nothing was said yet, so there is nothing to judge; {advice}")


def _search_places(
    loaded: LoadedConfig, stored: StoredDebate, config: DebateConfig, *, speaks: bool
) -> list[SearchPlace]:
    places = config.judging.lookup_places
    is_own_config = loaded.source_map.name == str(stored.path)
    may_read = not is_own_config or ("evidence", "sources") in loaded.source_map.origins
    found: list[SearchPlace] = ["files"] if may_read and (speaks or "corpus" in places) else []
    if speaks or "web" in places:
        found.append("web")
    return found


def prepare_added_runs(
    debate: Debate,
    request: JudgingRequest,
    at: datetime,
    loaded: LoadedConfig | None,
    name: str,
    models: Mapping[str, Model] | None = None,
) -> tuple[tuple[JudgingOpened, ...], RunContext]:
    """Return the judging runs that `request` adds to `debate`, and the context for them. Raises UsageError.

    - `loaded`: the configuration of --config; None without this option. Relative paths start in its folder. Its prompts
      replace the built-in ones. Errors name positions in its file.
    - `name`: the debate's name or file, for error messages.
    """
    openings = open_judging_runs(debate, request, at)
    config = config_for_judging(debate, request).model_copy(update={"judging": openings[0].judging})
    if request.asks_models:
        changed = _named_specs(request.config)
        if request.changes:  # a change of another setting does not make a stored file the user's own
            files = {(spec.model, spec.script) for spec in _named_specs(debate.config)}
            changed = tuple(spec for spec in changed if (spec.model, spec.script) not in files)
        own = [*changed, *filter(None, (request.model_spec, *request.other_model_specs))]
        stored = [spec for spec in judge_model_specs(config) if spec not in own]
        _refuse_stored_paths(name, stored, (), "debate judge ID --config CONFIG")
    return openings, prepare_judge_context(config, loaded, name, request=request, models=models)


def prepare_judge_context(
    config: DebateConfig,
    loaded: LoadedConfig | None,
    name: str,
    *,
    request: JudgingRequest,
    models: Mapping[str, Model] | None = None,
) -> RunContext:
    """Create the context for asking the judges of `config`. The models of debaters are not checked.

    - `loaded`: the configuration of --config; None without this option. Relative paths start in its folder. Its prompts
      replace the built-in ones. Errors name positions in its file.
    - `name`: name or file of what is judged, for error messages.
    """
    require_judge_models(config)
    own = loaded or LoadedConfig(config, Path(), (), {}, SourceMap(name), load_environment(Path(), os.environ))
    own = replace(own, config=config, provider_origins=stored_origins(name, config, loaded))
    if request.model is not None:
        origins = {**own.source_map.origins, ("models", "judge"): request.model_option}
        own = replace(own, source_map=replace(own.source_map, origins=origins))
    specs = (*judge_model_specs(config), *request.other_model_specs)
    if request.batch:
        require_batches(config, specs, name if request.model is None else request.model_option)
    places = config.judging.lookup_places
    given = request.config.evidence if request.config is not None else None
    names_files = request.evidence or (given is not None and given.sources)
    searches: list[SearchPlace] = ["web"] if "web" in places else []
    if "corpus" in places and names_files:
        searches.append("files")
    if places and not searches:
        raise ConfigError(
            f"{name}: a judging system looks up facts in files, but no files are given; give them with --evidence, or in "
            "evidence.sources of --config"
        )
    return prepare_run(own, select=lambda _: specs, asked=request.asks_models, models=models, searches=searches)


def require_batches(config: DebateConfig, specs: Iterable[ModelSpec], name: str) -> None:
    """Raise ConfigError if the provider of a model in `specs` offers no batches. The message begins with `name`."""
    rows = merge_provider_rows(config)
    for spec in specs:
        row = rows.get(split_model_name(spec.model)[0])
        problem = None if row is None else find_batch_problem(row, spec.model)
        if problem is not None:
            raise ConfigError(f"{name}: {problem}")


def _named_specs(config: DebateConfig | None) -> tuple[ModelSpec, ...]:
    return (*config.models.values(), *all_model_specs(config)) if config is not None else ()


def _refuse_stored_paths(name: str, specs: Sequence[ModelSpec], prompts: Sequence[str], command: str) -> None:
    """Raise ConfigError if a stored debate names files.

    The debate may come from a stranger, so files that it names are not opened.
    """
    files = [
        *(f"prompts.{prompt}" for prompt in prompts),
        *(f"the script of {spec.model}" for spec in specs if spec.script is not None),
        *(spec.model for spec in specs if is_weights_file(spec.model)),
    ]
    if files:
        raise ConfigError(
            f"{name}: files that a saved debate names are not opened ({', '.join(dict.fromkeys(files))}), because the "
            f"debate may come from a stranger; give the debate's configuration: {command}"
        )


def _check_changes(loaded: LoadedConfig, stored: StoredDebate) -> DebateConfig:
    kept = stored.debate.config
    redact = Redactor({*all_secrets(loaded), *all_secrets(replace(loaded, config=kept))})
    given = redact_config(normalize_resume_config(loaded.config, stored.debate), redact)
    lines = find_fixed_differences(stored.debate, given, partial(map_texts, change=redact))
    if lines:
        raise ConfigError(
            f"{stored.path}: to resume this debate, you may change models, providers, limits and coming rounds, but not "
            "the settings below; restore these settings in the configuration",
            *(f"  {line}" for line in lines),
        )
    return given


def _require_callable(
    parts: Sequence[tuple[PendingModels, SourceMap]], env: Mapping[str, str], folder: Path, redact: Redactor
) -> None:
    own_source = parts[0][1]
    problems: dict[Problem, SourceMap] = {}
    for pending, source in parts:
        found = model_problems(pending.config, pending.models, env, folder)
        for problem in (*find_provider_problems(pending.config), *found):
            problems.setdefault(problem, own_source if problem.path[:1] == ("limits",) else source)
    if not problems:
        return
    named = [(pending.config, [spec.model for spec in pending.models]) for pending, _ in parts]
    kind = ConfigError
    if any(is_key_missing(config, names, env) for config, names in named):
        kind = MissingKeyError
    elif any(is_extra_missing(config, names) for config, names in named):
        kind = NoLocalModelError
    raise kind(*(redact(source.format_problem(problem)) for problem, source in problems.items()))


def model_problems(
    config: DebateConfig, specs: Sequence[ModelSpec], env: Mapping[str, str], folder: Path
) -> list[Problem]:
    """Return the problems that prevent calls to the models `specs`.

    Wrong settings come first. Then follow problems of this machine, e.g. a missing key.
    """
    table = merge_provider_rows(config)
    found: list[Problem] = []
    missing: dict[str, Problem] = {}
    for spec in specs:
        paths = find_model_key_paths(config, [spec.model]) or [()]
        provider = split_model_name(spec.model)[0]
        row = table.get(provider)
        if row is None:
            if provider not in config.providers:
                found += [Problem(path, format_unknown_provider(spec.model, table)) for path in paths]
            continue
        found += _spec_problems(spec, row, paths[0], folder)
        if config.limits.max_cost_usd is not None and find_price(spec, row, env) is None:
            message = (
                f"cannot be enforced, because the price of {spec.model} is unknown; add "
                "`price: {input, output}` per million tokens (0 if it costs nothing) to its provider or its entry in "
                "`models`, or remove the limit"
            )
            found.append(Problem(("limits", "max_cost_usd"), message))
        place = paths[0]
        own = config.providers.get(row.name)
        if own is not None:
            place = ("providers", row.name, *(("api_key_env",) if own.api_key_env is not None else ()))
        for message in find_row_problems(row, env):
            missing.setdefault(message, Problem(place, message))
    return [*dict.fromkeys(found), *missing.values()]


def _spec_problems(spec: ModelSpec, row: ProviderRow, path: KeyPath, folder: Path) -> list[Problem]:
    if spec.model == SCRIPTED_MODEL:
        try:
            ReplyScript.load(spec, folder)
        except ConfigError as error:
            return [Problem((*path[:-1], "script") if spec.script is not None else path, str(error))]
    if row.kind == "embedded":
        try:
            file = find_hub_file(spec.model, spec.sha256)
        except NoLocalModelError as error:
            return [Problem(path, str(error))]
        if file is not None and not file.sha256:
            message = (
                "is not in the table of `debate models pull`, so its checksum is needed; add `sha256` beside `model`"
            )
            return [Problem(path, message)]
    return []
