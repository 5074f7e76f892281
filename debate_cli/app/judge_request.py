"""Which judging is added to a saved debate: from a configuration, from names of systems, or the stored one again.

Pure: what the models then say is the session's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from debate_cli.domain.config import DebateConfig, ModelSpec, ProviderSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed, DebateOpened, Event, Generator, JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings, settings_class
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.systems.panel.settings import PanelSettings
from debate_cli.systems.registry import check_system_kind, get_system, system_kinds
from debate_cli.version import __version__

GENERATOR = Generator(name="debate-cli", version=__version__)


@dataclass(frozen=True, slots=True)
class JudgingRequest:
    """What the user asked for."""

    config: DebateConfig | None = None
    """Its `judging`, `models` and `providers` count."""
    systems: tuple[str, ...] = ()
    """Kinds; empty means those of the configuration, or the stored ones."""
    model: str | None = None
    """`provider/model` in the place of every judge's."""
    judges: int | None = None
    """Judges of each system."""
    repeat: int = 1
    """How many judging runs."""
    replace: bool = False

    @property
    def model_spec(self) -> ModelSpec | None:
        """What every judge speaks with; None where each speaks with its own. Raises UsageError for no model's name."""
        if self.model is None:
            return None
        try:
            return ModelSpec(model=self.model)
        except ValidationError as error:
            raise UsageError(f"--model {self.model}: write provider/model, for example openai/gpt-5") from error

    @property
    def kinds(self) -> tuple[str, ...]:
        """The systems asked for, by name or by the configuration; empty where neither says."""
        configured = self.config.judging.systems if self.config is not None else ()
        return self.systems or tuple(system.kind for system in configured)

    @property
    def models(self) -> dict[str, ModelSpec]:
        """What roles mean in the judging asked for; a judge of the configuration never becomes one of the debate."""
        models = dict(self.config.models) if self.config is not None else {}
        if "default" in models:
            models.setdefault("judge", models["default"])
        return models if self.model_spec is None else {**models, "judge": self.model_spec}

    @property
    def providers(self) -> dict[str, ProviderSpec]:
        """Rows of the provider table that the configuration comes with."""
        return self.config.providers if self.config is not None else {}


def open_judging_runs(debate: Debate, wish: JudgingRequest, at: datetime) -> tuple[JudgingOpened, ...]:
    """The judging runs that `wish` adds to `debate`, with ids of their own.

    Raises UsageError for an unknown system, and where the debate cannot be judged by one.
    """
    systems = tuple(_apply_request(system, wish) for system in _requested_systems(debate, wish))
    for system in systems:
        _check_judgeable(debate, system, is_named=system.kind in wish.systems)
    judging = JudgingConfig(systems=systems, decides=_deciding_system(debate, wish, systems))
    taken = len(debate.runs)
    return tuple(
        JudgingOpened(
            at=at,
            run=f"r{taken + number + 1}",
            judging=judging,
            models=wish.models,
            providers=wish.providers,
            replaces=wish.replace and number == 0,
        )
        for number in range(wish.repeat)
    )


def document_events(name: str, text: str, debate_id: str, wish: JudgingRequest, at: datetime) -> tuple[Event, ...]:
    """The events of a debate that is a text alone, for a panel to vote on: opened, and closed as there is nobody to speak.

    Raises UsageError where the panel is too small.
    """
    config = document_config(name, text, wish)
    for system in config.judging.systems:
        _check_settings(system)
    opened = DebateOpened(at=at, id=debate_id, generator=GENERATOR, config=config, config_sha256=config.sha256())
    return opened, DebateClosed(at=at, reason="complete")


def document_config(name: str, text: str, wish: JudgingRequest) -> DebateConfig:
    """The configuration under which a text is judged: the requested systems that judge texts (default: panel), no debaters."""
    given = wish.config
    configured = given.judging.systems if given is not None else ()
    wanted = tuple(system for system in configured if not wish.systems or system.kind in wish.systems)
    absent = [kind for kind in wish.systems if kind not in {system.kind for system in wanted}]
    wanted += tuple(settings_class(kind).model_validate({"kind": kind}) for kind in absent)
    able = tuple(system for system in wanted if get_system(system.kind).judges_texts)
    kept = {} if given is None else {"limits": given.limits, "seed": given.seed, "prompts": given.prompts}
    judged = DebateConfig(
        topic=name,
        background=text,
        models=wish.models,
        providers=wish.providers,
        debaters=(),
        judging=JudgingConfig(systems=tuple(_apply_request(system, wish) for system in able or (PanelSettings(),))),
    )
    return judged.model_copy(update=kept)


def normalize_resume_config(config: DebateConfig, debate: Debate) -> DebateConfig:
    """What `config`, given to go on with `debate`, would have had it held under: itself, but for a text its panel alone.

    A free-flowing debate goes one after the other, whatever order an older one says.
    """
    if debate.document_name is None or not config.debaters:
        order = debate.config.format.order if config.format.kind == "free_flowing" else config.format.order
        return config.model_copy(update={"format": config.format.model_copy(update={"order": order})})
    kinds = tuple(system.kind for system in debate.config.judging.systems)
    return document_config(debate.topic, debate.config.background or "", JudgingRequest(config=config, systems=kinds))


def config_for_judging(debate: Debate, wish: JudgingRequest) -> DebateConfig:
    """The configuration under which the added runs are judged: the stored one with the wish's models and providers."""
    given = wish.config
    changes: dict[str, object] = {
        "limits": given.limits if given is not None else _limits_without_budget(debate),
        "providers": {**debate.config.providers, **wish.providers},
        "models": {**debate.config.models, **wish.models},
    }
    if given is not None:
        changes["seed"] = given.seed if given.seed is not None else debate.config.seed
    return debate.config.model_copy(update=changes)


def _limits_without_budget(debate: Debate) -> object:
    """The stored limits without those on cost and tokens, which were the debate's own."""
    return debate.config.limits.model_copy(update={"max_cost_usd": None, "max_tokens": None})


def _requested_systems(debate: Debate, wish: JudgingRequest) -> tuple[SystemSettings, ...]:
    """The systems asked for, each as configured, else as stored, else with its defaults."""
    configured = wish.config.judging.systems if wish.config is not None else ()
    if not wish.systems:
        return configured or debate.config.judging.systems
    known = {system.kind: system for system in (*debate.config.judging.systems, *configured)}
    for kind in wish.systems:
        check_system_kind(kind)
    return tuple(
        known.get(kind) or settings_class(kind).model_validate({"kind": kind}) for kind in dict.fromkeys(wish.systems)
    )  # pyright: ignore[reportArgumentType,reportCallIssue]


def _apply_request(system: SystemSettings, wish: JudgingRequest) -> SystemSettings:
    """The system with the requested model and number of judges, without what only a running debate can use."""
    settings = system.for_added_run()
    if wish.model is not None:
        settings = settings.with_models(lambda _role: None)
    if wish.judges is None:
        return settings
    several = settings.with_judge_count(wish.judges)
    if several is None:
        able = ", ".join(kind for kind in system_kinds() if _takes_judges(kind))
        raise UsageError(f"--judges {wish.judges}: {system.kind} has one judge; these have several: {able}")
    return several


def _takes_judges(kind: str) -> bool:
    return settings_class(kind)(kind=kind).with_judge_count(2) is not None


def _check_settings(system: SystemSettings) -> None:
    """Raise UsageError if the settings contradict themselves."""
    for path, message in system.problems():
        raise UsageError(f"{'.'.join(map(str, (system.kind, *path)))}: {message}")


def _check_judgeable(debate: Debate, system: SystemSettings, *, is_named: bool) -> None:
    """Raise TranscriptError if no judge, or not this one, can judge the debate. A system that is not named may find nothing."""
    _check_settings(system)
    if not debate.turns and debate.document_name is None and debate.closed is not None:  # an open one may be under way
        raise TranscriptError(
            f"has no speeches yet, so nobody can judge it; go on with it first: debate run --resume {debate.id}"
        )
    reason = get_system(system.kind).why_not(debate)
    if reason is not None and (is_named or not debate.turns):
        raise TranscriptError(reason)


def _deciding_system(debate: Debate, wish: JudgingRequest, systems: Sequence[SystemSettings]) -> str | None:
    """The system that decides: as configured where it is among those asked for, else the first."""
    named = wish.config.judging.decides if wish.config is not None else debate.config.judging.decides
    return named if named in {system.kind for system in systems} else None
