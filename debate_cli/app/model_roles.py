"""Determines which model each debater and judge gets, and which mock replaces a model. Pure functions."""

from collections.abc import Iterable, Mapping

from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.config_checks import MOCK_ONLY_SETTINGS
from debate_cli.domain.judging_config import SystemSettings, judge_ids, judge_model_role
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.errors import ConfigError
from debate_cli.providers.mock.model import SCRIPTED_MODEL
from debate_cli.providers.registry import split_model_name

UNSCRIPTED_NAME = "unscripted"
"""Name of the mock that replaces a model called `scripted`, because `mock/scripted` would require a script."""


def judge_roles(system: SystemSettings) -> tuple[str | None, ...]:
    """Return the roles of a system's judges, without repetitions. Empty if the system asks no model.

    A role says which model a judge gets: a key of `models` or a `provider/model`. None means `models.judge`.
    """
    return tuple(dict.fromkeys(judge_model_role(system, assessor) for assessor in judge_ids(system)))


def all_model_specs(config: DebateConfig) -> tuple[ModelSpec, ...]:
    """Return all models of debaters and judges in `config`, without repetitions."""
    found = [config.model_for_debater(debater) for debater in config.debaters]
    for system in config.judging.systems:
        found += [config.model_for_judge(role) for role in judge_roles(system)]
    return unique_specs(spec for spec in found if spec is not None)


def judge_model_specs(config: DebateConfig) -> tuple[ModelSpec, ...]:
    """Return the models of the judges in `config`, without repetitions."""
    return all_model_specs(config.model_copy(update={"debaters": ()}))


def unique_specs(specs: Iterable[ModelSpec]) -> tuple[ModelSpec, ...]:
    """Return `specs` without repetitions, in their order."""
    return tuple({spec.model_dump_json(): spec for spec in specs}.values())


def require_judge_models(config: DebateConfig) -> None:
    """Raise ConfigError if a judge of `config` has no model."""
    for system in config.judging.systems:
        if any(config.model_for_judge(role) is None for role in judge_roles(system)):
            raise ConfigError(
                f"a judge of the system {system.kind} has no model; give --model, or a --config with models.judge"
            )


def with_run_providers(config: DebateConfig, run: JudgingRun) -> DebateConfig:
    """Return `config` with the judging run's providers added.

    A provider of the judging run replaces a provider of `config` with the same name.
    """
    return config.model_copy(update={"providers": {**config.providers, **run.providers}}) if run.providers else config


def mock_spec(spec: ModelSpec) -> ModelSpec:
    """Return the mock model that replaces `spec`.

    If `spec` is a mock already, the result is this mock without its script.
    """
    provider, name = split_model_name(spec.model)
    own = UNSCRIPTED_NAME if f"mock/{name}" == SCRIPTED_MODEL else name
    if provider == "mock":
        return spec.model_copy(update={"model": f"mock/{own}", "script": None})
    mocked = f"mock/{(own or provider).replace('/', '-')}"
    return ModelSpec(model=mocked, temperature=spec.temperature, max_output_tokens=spec.max_output_tokens)


def with_mock_models(config: DebateConfig) -> DebateConfig:
    """Return `config` with a mock in place of every model. Temperatures and limits are kept."""
    models = {name: mock_spec(spec) for name, spec in config.models.items()}
    models.setdefault("default", ModelSpec(model="mock/default"))
    debaters = tuple(
        debater.model_copy(update={"model": _mock_role(debater.model, models)}) for debater in config.debaters
    )
    systems = tuple(system.with_models(lambda role: _mock_role(role, models)) for system in config.judging.systems)
    judging = config.judging.model_copy(update={"systems": systems})
    return with_mock_providers(config).model_copy(update={"models": models, "debaters": debaters, "judging": judging})


def rename_models(config: DebateConfig, names: Mapping[str, str]) -> DebateConfig:
    """Return `config` with other models. `names`: maps a `provider/model` to its new name.

    A renamed entry of `models` loses the settings that only the mock has.
    """

    def rename(role: str | None) -> str | None:
        return role if role is None or role in config.models else names.get(role, role)

    models = {
        name: replace_model(spec, names[spec.model]) if spec.model in names else spec
        for name, spec in config.models.items()
    }
    debaters = tuple(one.model_copy(update={"model": rename(one.model)}) for one in config.debaters)
    systems = tuple(system.with_models(rename) if system.seats else system for system in config.judging.systems)
    judging = config.judging.model_copy(update={"systems": systems})
    return config.model_copy(update={"models": models, "debaters": debaters, "judging": judging})


def replace_model(spec: ModelSpec, model: str) -> ModelSpec:
    """Return `spec` with another `provider/model`, and without the settings that only the mock has."""
    return spec.model_copy(update={"model": model, **dict.fromkeys(MOCK_ONLY_SETTINGS)})


def _mock_role(model: str | None, models: Mapping[str, ModelSpec]) -> str | None:
    return model if model is None or model in models else mock_spec(ModelSpec(model=model)).model


def with_mock_providers(config: DebateConfig) -> DebateConfig:
    """Return `config` with empty `providers`, and with the mock for web search and reranking, if `config` has them.

    The models of debaters and judges stay unchanged.
    """
    evidence = config.evidence
    if evidence is not None:
        web, rerank = evidence.web, evidence.rerank
        if web is not None:
            web = web.model_copy(update={"provider": "mock", "base_url": None, "model": None, "allowed_domains": ()})
        if rerank is not None:
            rerank = rerank.model_copy(update={"model": mock_spec(ModelSpec(model=rerank.model)).model})
        evidence = evidence.model_copy(update={"web": web, "rerank": rerank})
    return config.model_copy(update={"providers": {}, "evidence": evidence})
