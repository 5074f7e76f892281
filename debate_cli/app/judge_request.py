"""Which judging is added to a saved debate: from a configuration, from names of systems, or the stored one again.

Pure: what the models then say is the session's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from debate_cli.domain.config import DebateConfig, ModelSpec, ProviderSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed, DebateOpened, Event, Generator, JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.panel.settings import PanelJudge, PanelSettings
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.registry import check_system_kind
from debate_cli.systems.structured.settings import StructuredSettings
from debate_cli.version import __version__

_SYSTEM: TypeAdapter[SystemSettings] = TypeAdapter(SystemSettings)
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
        _check_judgeable(debate, system)
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
        _check_panel_size(system)
    opened = DebateOpened(at=at, id=debate_id, generator=GENERATOR, config=config, config_sha256=config.sha256())
    return opened, DebateClosed(at=at, reason="complete")


def document_config(name: str, text: str, wish: JudgingRequest) -> DebateConfig:
    """The configuration under which a text is judged: the wish's panel and all that is said of asking it, and nobody who debates."""
    given = wish.config
    configured = given.judging.systems if given is not None else ()
    panel = next((system for system in configured if isinstance(system, PanelSettings)), PanelSettings())
    kept = {} if given is None else {"limits": given.limits, "seed": given.seed, "prompts": given.prompts}
    judged = DebateConfig(
        topic=name,
        background=text,
        models=wish.models,
        providers=wish.providers,
        debaters=(),
        judging=JudgingConfig(systems=(_apply_request(panel, wish),)),
    )
    return judged.model_copy(update=kept)


def normalize_resume_config(config: DebateConfig, debate: Debate) -> DebateConfig:
    """What `config`, given to go on with `debate`, would have had it held under: itself, but for a text its panel alone.

    A free-flowing debate goes one after the other, whatever order an older one says.
    """
    if debate.document_name is None or not config.debaters:
        order = debate.config.format.order if config.format.kind == "free_flowing" else config.format.order
        return config.model_copy(update={"format": config.format.model_copy(update={"order": order})})
    return document_config(
        debate.topic, debate.config.background or "", JudgingRequest(config=config, systems=("panel",))
    )


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
    return tuple(known.get(kind) or _SYSTEM.validate_python({"kind": kind}) for kind in dict.fromkeys(wish.systems))  # pyright: ignore[reportArgumentType,reportCallIssue]


def _apply_request(system: SystemSettings, wish: JudgingRequest) -> SystemSettings:
    """The system with the wish's model and number of judges; a saved debate takes no feedback."""
    changes: dict[str, object] = {}
    if isinstance(system, LiveSettings):
        changes["feedback"] = False
    if wish.model is not None:
        changes["judge"] = None
    if isinstance(system, PanelSettings):
        changes["judges"] = _panel_judges(system, wish)
    elif wish.judges is not None and isinstance(system, StructuredSettings | ModeratorSettings):
        changes["judges"] = wish.judges
    elif wish.judges not in (None, 1):
        raise UsageError(
            f"--judges {wish.judges}: {system.kind} has one judge; several sit in structured, moderator and panel"
        )
    return system.model_copy(update=changes)


def _panel_judges(panel: PanelSettings, wish: JudgingRequest) -> tuple[PanelJudge, ...]:
    """As many judges as wished for: the configured ones in order, then the same personas again under new ids."""
    bench = panel.members
    if wish.model is not None:
        bench = tuple(judge.model_copy(update={"model": None}) for judge in bench)
    if wish.judges is None:
        return bench
    rounds = -(-wish.judges // len(bench))
    again = [
        judge if number == 0 else judge.model_copy(update={"id": f"{judge.id}-{number + 1}"})
        for number in range(rounds)
        for judge in bench
    ]
    return tuple(again[: wish.judges])


def _check_panel_size(system: SystemSettings) -> None:
    if isinstance(system, PanelSettings) and len(system.members) < system.min_judges:
        there = "1 judge is" if len(system.members) == 1 else f"{len(system.members)} judges are"
        raise UsageError(f"panel: {there} fewer than min_judges {system.min_judges}; name more")


def _check_judgeable(debate: Debate, system: SystemSettings) -> None:
    _check_panel_size(system)
    if not debate.turns and debate.document_name is None and debate.closed is not None:  # an open one may be under way
        raise TranscriptError(
            f"has no speeches yet, so nobody can judge it; go on with it first: debate run --resume {debate.id}"
        )
    if not debate.turns and not isinstance(system, PanelSettings):
        raise TranscriptError(f"has no speeches, so {system.kind} cannot judge it; panel can judge any text")
    if isinstance(system, PersuasionSettings) and len(debate.participants) < 2:  # noqa: PLR2004 - someone must be persuaded
        raise TranscriptError("persuasion needs two debaters or more; judge it by another system")


def _deciding_system(debate: Debate, wish: JudgingRequest, systems: Sequence[SystemSettings]) -> str | None:
    """The system that decides: as configured where it is among those asked for, else the first."""
    named = wish.config.judging.decides if wish.config is not None else debate.config.judging.decides
    return named if named in {system.kind for system in systems} else None
