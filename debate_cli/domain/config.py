"""`debate.yaml` as a value, with every default filled in.

Reading the file, positions of errors and `${VAR}` live in `storage.config_file`; what can only be said of the whole
(a role without a model, two debaters of one name) is in `domain.config_checks`.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, field_validator

from debate_cli.domain.content import Phase
from debate_cli.domain.personality import Archetype, Personality
from debate_cli.domain.systems import JudgingConfig
from debate_cli.domain.value import Value

Strategy = Literal["analytical", "aggressive", "defensive", "empathetic"]
ProviderKind = Literal["openai", "anthropic", "embedded", "mock"]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class Price(Value):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    """None means the same as `input`."""


class Faults(Value):
    """Share of calls (0-1) that a mock makes fail, each kind by the seed."""

    rate_limit: float = Field(default=0, ge=0, le=1)
    timeout: float = Field(default=0, ge=0, le=1)
    server_error: float = Field(default=0, ge=0, le=1)
    malformed: float = Field(default=0, ge=0, le=1)
    truncated: float = Field(default=0, ge=0, le=1)
    refusal: float = Field(default=0, ge=0, le=1)


class ProviderSpec(Value):
    """A row of the provider table: added, or laid over the built-in row of the same name field by field."""

    kind: ProviderKind | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; null means that no key is sent."""
    headers: dict[str, str] = {}
    """Extra headers; `${VAR}` in them is filled in only when a request is made, so no secret is stored."""
    max_concurrency: Count | None = None
    requests_per_minute: Count | None = None
    tokens_per_minute: Count | None = None
    structured: tuple[Literal["native", "tool", "prompt"], ...] | None = None
    """Rungs of the structured-output ladder, in order."""
    price: Price | None = None


class ModelSpec(Value):
    """A named model with its parameters."""

    model: str = Field(pattern=r"^[^/\s]+/\S.*$")
    """`provider/model`, split at the first slash."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Overrides the temperature of every phase."""
    max_output_tokens: Count | None = None
    price: Price | None = None
    latency_s: float | None = Field(default=None, ge=0)
    """Mock only: seconds before the first token."""
    tokens_per_second: Positive | None = None
    """Mock only: pace of the stream; None is at once."""
    faults: Faults | None = None
    """Mock only."""
    script: str | None = None
    """`mock/scripted` only: YAML or JSON file with replies keyed by purpose, relative to the configuration."""


class DebaterConfig(Value):
    """Someone who argues."""

    name: str = Field(min_length=1, max_length=60)
    side: str = Field(min_length=1, max_length=60)
    """`for`, `against`, or with three or more debaters any label."""
    model: str | None = None
    """Name in `models`, or `provider/model`; None means `models.default`."""
    prefix: str | None = Field(default=None, pattern=r"^[A-Za-z][A-Za-z0-9]{0,15}$")
    """Prefix of argument ids; None means PRO or CON for the two sides, else letters of the side or name."""
    system: str | None = None
    """Standing instructions of the user's own, added to the shipped ones."""
    personality: Archetype | Personality | None = None
    elasticity: float = Field(default=0.5, ge=0, le=1)
    stance: float | None = Field(default=None, ge=-1, le=1)
    conviction: float | None = Field(default=None, ge=0, le=1)
    strategy: Strategy | Literal["adaptive"] | None = None

    @field_validator("personality", mode="before")
    @classmethod
    def _any_case(cls, personality: object) -> object:
        return personality.lower() if isinstance(personality, str) else personality


class FormatConfig(Value):
    """How the debate runs."""

    kind: Literal["structured", "semi_structured", "free_flowing"] = "structured"
    order: Literal["simultaneous", "sequential"] = "simultaneous"
    """Not for free-flowing, which is always one after the other."""
    arguments: int = Field(default=3, ge=1, le=10)
    """Arguments that each debater opens with."""
    closing_words: int = Field(default=200, ge=10, le=5000)
    phases: tuple[Phase, ...] = Field(
        default=("opening", "cross_examination", "closing"), validation_alias=AliasChoices("phases", "rounds")
    )
    """`rebuttal` may stand between the last two, repeatedly."""
    exchanges: int = Field(default=1, ge=1, le=10)
    """Semi-structured: how often follow-up questions go back and forth."""
    turns: int = Field(default=4, ge=1, le=100)
    """Free-flowing: speeches a side."""


class Limits(Value):
    """What a run may use; the whole run, every call counted."""

    max_cost_usd: float | None = Field(default=None, gt=0)
    max_tokens: Count | None = None
    timeout_s: float = Field(default=120, gt=0)
    """Longest silence of a server, in seconds."""
    max_attempts: int = Field(default=5, ge=1, le=20)
    concurrency: int = Field(default=16, ge=1, le=1000)


class Output(Value):
    """Where results go."""

    dir: str = "transcripts"


class DebateConfig(Value):
    """A whole configuration. Everything but `topic` and `debaters` has a default."""

    version: Literal[1] = 1
    topic: str = Field(min_length=1, max_length=4000)
    background: str | None = None
    seed: int | None = None
    providers: dict[str, ProviderSpec] = {}
    models: dict[str, ModelSpec] = {}
    debaters: tuple[DebaterConfig, ...]
    format: FormatConfig = FormatConfig()
    judging: JudgingConfig = JudgingConfig()
    limits: Limits = Limits()
    output: Output = Output()
    prompts: dict[str, str] = {}
    """Name of a shipped prompt -> file beside the configuration that takes its place."""

    def debater(self, name: str) -> DebaterConfig:
        """The debater of that name; KeyError if there is none."""
        for debater in self.debaters:
            if debater.name == name:
                return debater
        raise KeyError(name)

    def model_for_debater(self, debater: DebaterConfig) -> ModelSpec | None:
        """What this debater speaks with: its own model, else `models.default`; None where there is none."""
        return self.resolve_model(debater.model or "default")

    def model_for_judge(self, role: str | None) -> ModelSpec | None:
        """What a judge judges with: its own model, else `models.judge`, else `models.default`, else None."""
        if role is not None:
            return self.resolve_model(role)
        return self.resolve_model("judge") or self.resolve_model("default")

    def resolve_model(self, role: str) -> ModelSpec | None:
        """Look a role up in `models`; a role with a slash is `provider/model` itself."""
        if role in self.models:
            return self.models[role]
        return ModelSpec(model=role) if "/" in role else None

    def sha256(self) -> str:
        """Hash of the canonical JSON form."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()
