"""Converts experiments to documents (compressed JSON) for the queue. Workers convert the documents back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import PlainSerializer, TypeAdapter, ValidationError

from debate_cli.app.consent import stored_origins
from debate_cli.app.context import RunContext
from debate_cli.app.model_roles import all_model_specs
from debate_cli.app.preparation import prepare_run
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.evidence import FoundPassage
from debate_cli.domain.model_call import is_person
from debate_cli.domain.nested_texts import map_texts
from debate_cli.errors import ConfigError
from debate_cli.evidence.corpus import Corpus, SkippedFile, restore_corpus
from debate_cli.experiments.definition import ConfigVariant, Experiment, ExperimentJudge
from debate_cli.experiments.settings import ExperimentConfig, ExperimentFile, Motion
from debate_cli.providers.weights import is_weights_file
from debate_cli.regular_file import cache_folder
from debate_cli.storage.config_errors import SourceMap
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.serialization import config_to_json
from debate_cli.storage.variables import Environment, load_environment

MAX_DOCUMENT_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _StoredVariant:
    axes: Mapping[str, Any]
    config: Annotated[DebateConfig, PlainSerializer(config_to_json)]
    prompts: Mapping[str, str]
    judges: tuple[ExperimentJudge, ...]
    players: Mapping[str, ModelSpec]


@dataclass(frozen=True, slots=True)
class _Document:
    config: ExperimentConfig
    motions: tuple[Motion, ...]
    variants: tuple[_StoredVariant, ...]
    mock: bool
    passages: Sequence[FoundPassage] | None
    skipped: Sequence[SkippedFile]


def dump_experiment(experiment: Experiment) -> bytes:
    """Return an experiment as a document (compressed JSON) without secrets.

    Raises ConfigError if workers cannot run the experiment, e.g. because a person takes part.
    """
    context = experiment.variants[0].context
    _require_portable(experiment.file.path.name, experiment.variants)
    document = _Document(
        experiment.file.config.model_copy(update={"motions": ()}),
        experiment.motions,
        tuple(
            _StoredVariant(each.axes, each.context.config, each.context.prompts, each.judges, each.players)
            for each in experiment.variants
        ),
        experiment.mock,
        None if context.corpus is None else [*context.corpus.passages()],
        [] if context.corpus is None else context.corpus.skipped,
    )
    data = TypeAdapter(_Document).dump_python(document, mode="json")
    if map_texts(data, context.redact) != data:
        raise ConfigError(
            f"{experiment.file.path}: contains an API key or another secret, which must not go into the queue; remove it, or "
            "put it into a variable and write ${VAR}"
        )
    return zlib.compress(json.dumps(data, ensure_ascii=False).encode())


def load_document(data: bytes, name: str, env: Mapping[str, str]) -> Experiment:
    """Load an experiment that `dump_experiment` returned as a document. API keys come from the variables in `env`.

    `name`: name of the document in errors. Raises ConfigError if this version cannot read the document, and
    MissingKeyError if an API key is missing.
    """
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(data, MAX_DOCUMENT_BYTES)
        if unpacker.unconsumed_tail:
            raise ConfigError(
                f"{name}: is larger than {MAX_DOCUMENT_BYTES // 1024**2} MiB; split the experiment into smaller ones"
            )
        document = TypeAdapter(_Document).validate_json(text)
    except (zlib.error, ValidationError) as error:
        raise ConfigError(
            f"{name}: is not an experiment that this version can run; upgrade debate-cli on this machine"
        ) from error
    environment = load_environment(Path(), env)
    corpus = None
    if document.passages is not None:
        corpus = restore_corpus(document.passages, document.skipped, cache_folder(env, "evidence"))
    variants = tuple(_load_variant(stored, document, name, environment, corpus) for stored in document.variants)
    file = ExperimentFile(Path(name), document.config, SourceMap(name))
    return Experiment(file, document.motions, variants, document.mock, tuple(environment.notes))


def _load_variant(
    stored: _StoredVariant, document: _Document, name: str, env: Environment, corpus: Corpus | None
) -> ConfigVariant:
    specs = (*stored.players.values(), *(judge.spec for judge in stored.judges))
    context = RunContext(stored.config, corpus=corpus, prompts=stored.prompts)
    variant = ConfigVariant(stored.axes, context, stored.judges, stored.players)
    _require_portable(name, [variant])
    loaded = LoadedConfig(stored.config, Path(), (), stored.prompts, SourceMap(name), env, corpus=corpus)
    loaded = replace(loaded, provider_origins=stored_origins(name, stored.config, None))
    prepared = prepare_run(
        loaded, mock=document.mock, select=lambda config: (*all_model_specs(config), *specs), searches=("files", "web")
    )
    return replace(variant, context=prepared)


def _require_portable(name: str, variants: Iterable[ConfigVariant]) -> None:
    for variant in variants:
        config = variant.context.config
        specs = (*all_model_specs(config), *variant.players.values(), *(judge.spec for judge in variant.judges))
        local = [
            spec.model
            for spec in specs
            if spec.script is not None or is_weights_file(spec.model) or is_person(spec.model)
        ]
        if local:
            raise ConfigError(
                f"{name}: a worker cannot use {', '.join(dict.fromkeys(local))}, because workers read no files of this machine "
                "and ask no people; use other models, or run without --queue"
            )
        if variant.context.corpus is None and config.evidence is not None and config.evidence.sources:
            raise ConfigError(
                f"{name}: lacks the texts of its sources; put it into the queue again "
                "with: debate experiment run EXP.yaml --queue DSN"
            )
