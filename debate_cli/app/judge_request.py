"""Decides which judging runs `debate judge` adds to a saved debate, and turns a document into a debate to judge."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from debate_cli.app.config_resolution import config_from_transcript
from debate_cli.domain.config import DebateConfig, EvidenceConfig, Limits, ModelSpec, ProviderSpec
from debate_cli.domain.debate import Debate, new_run_ids
from debate_cli.domain.events import GENERATOR, DebateClosed, DebateOpened, Event, JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings, settings_class
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.storage.out_path import OutPath
from debate_cli.storage.transcript_store import StoredDebate
from debate_cli.storage.variables import ConfigChange
from debate_cli.systems.registry import check_system_kind, default_text_kind, get_system, is_installed, system_kinds

STORED_SECTIONS = ("judging", "limits", "models", "output", "seed")
"""Sections of a stored configuration that `judge --set` may change without `--config`."""


@dataclass(frozen=True, slots=True)
class JudgingRequest:
    """Options of `debate judge`."""

    config: DebateConfig | None = None
    """Configuration to judge with. None: the configuration that is stored in the debate."""
    context: str | None = None
    """Material that the judges see beside a document, and do not judge. None: the background of `config`."""
    systems: tuple[str, ...] = ()
    """Kinds of judging systems. Empty: the systems of `config`, else the systems stored in the debate."""
    model: str | None = None
    """`provider/model` of every judge. None: each judge keeps its own model."""
    model_option: str = "--model"
    """The option that set `model`, for error messages."""
    other_models: tuple[str, ...] = ()
    """Further models for all judges. Each model gets separate judging runs."""
    judges: int | None = None
    """Number of judges of each system. None: the number in the system's settings."""
    repeat: int = 1
    """Number of judging runs per model."""
    lookup: str | None = None
    """Where the program searches for facts that debaters state without a source: `corpus`, `web` or `both`. None: the place
    in each system's settings."""
    evidence: tuple[str, ...] = ()
    """Absolute paths of files and folders in which the program searches for the facts that `lookup` describes. Empty:
    the program searches the sources of `config`."""
    replace: bool = False
    """Whether the new assessments replace earlier assessments of the same systems."""
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    """Values for keys of `limits` in the configuration, e.g. a budget for these judging runs."""
    changes: tuple[ConfigChange, ...] = ()
    """Changes to settings of the configuration that is stored in the debate. Empty if `config` is given.

    Only sections in `STORED_SECTIONS` can be changed, e.g. `judging`.
    """
    judge_settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Changed settings of `models.judge`, e.g. `{"temperature": 0.5}`. `model` and each of `other_models` gets them."""
    batch: bool = False
    """Whether the judges are asked in batches."""
    asks_models: bool = True
    """Whether models will be asked. An estimate and a replayed cassette ask no model, and need no key."""
    out: OutPath | None = None
    """File or folder for the judged debates. None: a debate is saved in place, a document in `output.dir`.

    It is a folder if it exists as a folder, ends with a slash, or has a name without a suffix. Otherwise it is a file.
    """
    save: bool = True
    text_id: str | None = None
    """Id of the debate that is made from a document. None: an id is generated."""

    def target_for(self, default: Path) -> Path | None:
        """Return the file in which a judged debate is saved; None if it is not saved.

        - Without `out`, it is `default`.
        - If `out` is a file, it is `out`.
        - Otherwise, it is the file in the folder `out` with the name of `default`.
        """
        if not self.save or self.out is None:
            return default if self.save else None
        return self.out.path if self.out.is_file() else self.out.path / default.name

    @property
    def model_spec(self) -> ModelSpec | None:
        """`model` with `judge_settings`; None if each judge keeps its own model. Raises UsageError for a malformed name."""
        return None if self.model is None else self._judge_spec(self.model)

    @property
    def other_model_specs(self) -> tuple[ModelSpec, ...]:
        """A `ModelSpec` for each of `other_models`, with `judge_settings`. Raises UsageError for a malformed name."""
        return tuple(map(self._judge_spec, self.other_models))

    def _judge_spec(self, name: str) -> ModelSpec:
        return parse_model(name).model_copy(update=self.judge_settings)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of the requested systems: `systems`, else the systems of `config`. Empty if both are missing."""
        configured = self.config.judging.systems if self.config is not None else ()
        return self.systems or tuple(system.kind for system in configured)

    @property
    def judges_texts(self) -> bool:
        """Whether a requested system can judge a document."""
        return any(get_system(kind).judges_texts for kind in self.kinds)

    @property
    def models(self) -> dict[str, ModelSpec]:
        """Model of each role. The judge's model is `model`, else the configuration's `judge`, else its `default`."""
        models = dict(self.config.models) if self.config is not None else {}
        if "default" in models:
            models.setdefault("judge", models["default"])
        return models if self.model_spec is None else {**models, "judge": self.model_spec}

    @property
    def providers(self) -> dict[str, ProviderSpec]:
        """Maps the names of the providers in `config` to their settings. Empty if `config` is None."""
        return self.config.providers if self.config is not None else {}


def parse_model(name: str, option: str = "--model") -> ModelSpec:
    """Return the model `name` as a `ModelSpec`. Raises UsageError for a malformed name, with `option` in the message."""
    try:
        return ModelSpec(model=name)
    except ValidationError as error:
        raise UsageError(f"{option} {name}: write provider/model, for example openai/gpt-5") from error


def open_judging_runs(debate: Debate, request: JudgingRequest, at: datetime) -> tuple[JudgingOpened, ...]:
    """Return the judging runs that the request adds to `debate`: `repeat` runs for each model.

    The systems in `unsuitable_systems` are left out. Raises TranscriptError, e.g. if no system can judge the debate.
    Raises UsageError for an unusable option.
    """
    unsuitable = unsuitable_systems(debate, request)
    requested = _requested_systems(debate, request)
    requested = tuple(system for system in requested if system.kind not in unsuitable) or requested
    if request.lookup is not None and not any(system.with_lookup(request.lookup) for system in requested):
        kinds = ", ".join(system.kind for system in requested)
        option = "--evidence" if request.evidence else f"--lookup {request.lookup}"
        raise UsageError(f"{option}: no chosen system ({kinds}) looks up facts; add --system sources")
    systems = tuple(_apply_request(system, request) for system in requested)
    if debate.document_name is not None:
        systems = tuple(system.for_text() for system in systems)
    for system in systems:
        _check_judgeable(debate, system, is_named=system.kind in request.systems or not is_installed(system.kind))
    decides = (request.config or debate.config).judging.decides
    decides = decides if decides in {system.kind for system in systems} else None
    return _openings(JudgingConfig(systems=systems, decides=decides), request, at, new_run_ids(debate))


def unsuitable_systems(debate: Debate, request: JudgingRequest) -> dict[str, str]:
    """Map each system that cannot judge `debate` to the reason why it is left out.

    If the request names systems, all named systems are checked. If the request names no system, only systems that are
    not installed are checked.

    If no system can judge the debate, no system is left out. The result is then empty, and `open_judging_runs` raises
    an error with the reason.
    """
    kinds = request.systems or tuple(system.kind for system in _requested_systems(debate, request))
    asked = (kind for kind in kinds if request.systems or not is_installed(kind))
    found = ((kind, get_system(kind).unsuitable_reason(debate)) for kind in asked)
    unsuitable = {kind: reason for kind, reason in found if reason is not None}
    return unsuitable if len(unsuitable) < len(set(kinds)) else {}


def open_further_runs(judged: Debate, request: JudgingRequest, at: datetime) -> tuple[JudgingOpened, ...]:
    """Return the judging runs of a document, except the first.

    Every requested model judges the document `request.repeat` times. So with two models and `repeat=3` there are six
    runs, and the last five of them are returned.
    """
    return _openings(judged.config.judging, request, at, chain([FIRST_RUN], new_run_ids(judged)))[1:]


def _openings(
    judging: JudgingConfig, request: JudgingRequest, at: datetime, run_ids: Iterator[str]
) -> tuple[JudgingOpened, ...]:
    variants = [request, *(replace(request, model=model) for model in request.other_models)]
    repeated = [variant for variant in variants for _ in range(request.repeat)]
    numbered = list(zip(run_ids, repeated, strict=False))
    return tuple(
        JudgingOpened(
            at=at,
            run=run,
            beside=numbered[0][0] if number and request.other_models else None,
            judging=judging,
            models=variant.models,
            providers=request.providers,
            replaces=request.replace and number == 0,
        )
        for number, (run, variant) in enumerate(numbered)
    )


def document_events(name: str, text: str, debate_id: str, request: JudgingRequest, at: datetime) -> tuple[Event, ...]:
    """Return the events of a debate without speeches. Its background is `text`, the document to judge.

    Raises UsageError for an invalid setting of a judging system.
    """
    config = document_config(name, text, request)
    for system in config.judging.systems:
        _check_settings(system)
    opened = DebateOpened(at=at, id=debate_id, generator=GENERATOR, config=config, config_sha256=config.sha256())
    return opened, DebateClosed(at=at, reason="complete")


def document_config(name: str, text: str, request: JudgingRequest) -> DebateConfig:
    """Return the configuration for judging a document: without debaters, and only with systems that judge documents."""
    given = request.config
    configured = {system.kind: system for system in (given.judging.systems if given is not None else ())}
    kinds = [*(kind for kind in configured if kind in request.systems), *request.systems] or [*configured]
    able = [configured.get(kind) or _default_settings(kind) for kind in dict.fromkeys(kinds)]
    able = [system for system in able if get_system(system.kind).judges_texts] or [
        _default_settings(default_text_kind())
    ]
    context = request.context if request.context is not None or given is None else given.background
    judged = DebateConfig(
        topic=name,
        background=text,
        models=request.models,
        providers=request.providers,
        debaters=(),
        judging=JudgingConfig(
            systems=tuple(_apply_request(system, request).for_text() for system in able),
            question=given.topic if given is not None else None,
            context=context,
        ),
    )
    kept: dict[str, object] = {} if given is None else {"seed": given.seed, "prompts": given.prompts}
    kept["limits"] = (given or judged).limits.model_copy(update=dict(request.limits))
    return judged.model_copy(update=kept)


def _default_settings(kind: str) -> SystemSettings:
    return settings_class(kind).model_validate({"kind": kind})


def normalize_resume_config(config: DebateConfig, debate: Debate) -> DebateConfig:
    """Prepare the configuration given with --resume for comparison with the stored configuration of `debate`.

    Some stored values are copied into the result, so that they do not count as differences:

    - If `debate` is a judged document, the settings `topic` and `background` of the result contain the document's name
      and text.
    - If the format of `config` is free-flowing, the result has the stored `format.order`.
    """
    is_stored = not config.debaters and config.topic == debate.topic
    if debate.document_name is None or is_stored:
        order = debate.config.format.order if config.format.kind == "free_flowing" else config.format.order
        return config.model_copy(update={"format": config.format.model_copy(update={"order": order})})
    kinds = tuple(system.kind for system in debate.config.judging.systems)
    return document_config(debate.topic, debate.config.background or "", JudgingRequest(config=config, systems=kinds))


def config_for_judging(debate: Debate, request: JudgingRequest) -> DebateConfig:
    """Return the stored configuration of `debate`, changed by `request`. The stored budget is left out."""
    given = request.config
    limits = given.limits if given is not None else _limits_without_budget(debate)
    changes: dict[str, object] = {
        "limits": limits.model_copy(update=dict(request.limits)),
        "providers": {**debate.config.providers, **request.providers},
        "models": {**debate.config.models, **request.models},
    }
    evidence = given.evidence if given is not None and given.evidence is not None else debate.config.evidence
    if request.evidence:
        changes["evidence"] = (evidence or EvidenceConfig()).model_copy(update={"sources": request.evidence})
    elif evidence is not None:
        changes["evidence"] = evidence
    if given is not None:
        changes["output"] = debate.config.output.model_copy(update={"raw": given.output.raw})
        changes["seed"] = given.seed if given.seed is not None else debate.config.seed
    return debate.config.model_copy(update=changes)


def _limits_without_budget(debate: Debate) -> Limits:
    return debate.config.limits.model_copy(update={"max_cost_usd": None, "max_tokens": None})


def change_stored_settings(stored: StoredDebate, request: JudgingRequest) -> JudgingRequest:
    """Return `request` with a new `config`: the stored configuration with `request.changes` applied.

    The new `config` has no budget and no providers. It has models only if a change concerns `models`. Otherwise, the
    judges use the models stored in the debate or, if `request.model` is set, the models of the request. Without
    changes, returns `request` itself.

    Raises UsageError for a setting outside the sections `STORED_SECTIONS`, or if a change and `request.model` name
    different models. Raises ConfigError for an invalid value.
    """
    if not request.changes:
        return request
    for key in (change[0] for change in request.changes):
        if key.partition(".")[0] not in STORED_SECTIONS:
            sections = ", ".join(STORED_SECTIONS)
            raise UsageError(
                f"--set {key}: without --config, only settings of {sections} can be changed; give a configuration with --config"
            )
    kept_config = stored.debate.config
    models = {**kept_config.models, **request.models}
    config = kept_config.model_copy(update={"limits": _limits_without_budget(stored.debate), "models": models})
    kept = stored._replace(debate=stored.debate.model_copy(update={"config": config}))
    changed = config_from_transcript(
        kept, request.changes, "correct it, or judge with a configuration: debate judge ID --config CONFIG"
    )
    is_model_changed = any(change[0].partition(".")[0] == "models" for change in request.changes)
    changed_models = changed.config.models if is_model_changed else {}
    request = add_judge_settings(request, changed.config, request.changes)
    return replace(request, config=changed.config.model_copy(update={"models": changed_models, "providers": {}}))


def add_judge_settings(
    request: JudgingRequest, config: DebateConfig, changes: Iterable[ConfigChange]
) -> JudgingRequest:
    """Return `request` with new `judge_settings`: the changed settings of `models.judge`, without `model`.

    `config`: the configuration after `changes` were applied. The values of the settings come from `config`.

    If `request.model` is None, or `config` has no `models.judge`, returns `request` itself. Raises UsageError if a
    change names a model other than `request.model`.
    """
    paths = [change[0].split(".") for change in changes]
    judge = config.models.get("judge")
    if request.model is None or judge is None:
        return request
    changed = {name for path in paths if path[:2] == ["models", "judge"] for name in path[2:3]}
    if ["models"] in paths or ["models", "judge"] in paths:
        changed |= judge.model_fields_set
    if "model" in changed and judge.model != request.model:
        raise UsageError(
            f"--set models.judge.model: has no effect, because another option gives every judge the model "
            f"{request.model}; leave out one of the two"
        )
    return replace(request, judge_settings={name: getattr(judge, name) for name in changed - {"model"}})


def _requested_systems(debate: Debate, request: JudgingRequest) -> tuple[SystemSettings, ...]:
    configured = request.config.judging.systems if request.config is not None else ()
    if not request.systems:
        return configured or debate.config.judging.systems or JudgingConfig().systems
    known = {system.kind: system for system in (*debate.config.judging.systems, *configured)}
    for kind in request.systems:
        check_system_kind(kind)
    return tuple(known.get(kind) or _default_settings(kind) for kind in dict.fromkeys(request.systems))


def _apply_request(system: SystemSettings, request: JudgingRequest) -> SystemSettings:
    settings = system.for_added_run()
    if request.model is not None:
        settings = settings.with_models(lambda _role: None)
    if request.lookup is not None:
        settings = settings.with_lookup(request.lookup) or settings
    if request.judges is None:
        return settings
    several = settings.with_judge_count(request.judges)
    if several is None:
        plain = (settings_class(kind)(kind=kind) for kind in system_kinds())
        able = ", ".join(each.kind for each in plain if each.with_judge_count(2) is not None)
        raise UsageError(
            f"--judges {request.judges}: {system.kind} has one judge; leave out --judges, or use a system that can have several: {able}"
        )
    return several


def _check_settings(system: SystemSettings) -> None:
    for path, message in system.problems():
        raise UsageError(f"{'.'.join(map(str, (system.kind, *path)))}: {message}")


def _check_judgeable(debate: Debate, system: SystemSettings, *, is_named: bool) -> None:
    _check_settings(system)
    if not debate.turns and debate.document_name is None and debate.closed is not None:  # an open debate may get some
        is_resumable = debate.status == "incomplete"
        advice = "first resume this file with `debate run --resume`" if is_resumable else "judge another debate"
        raise TranscriptError(f"the debate has no speeches, so it cannot be judged; {advice}")
    reason = get_system(system.kind).unsuitable_reason(debate)
    if reason is not None and (is_named or not debate.turns):
        raise TranscriptError(reason)
