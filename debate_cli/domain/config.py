"""`debate.yaml` as a value, with every default filled in.

Reading the file, positions of errors and `${VAR}` live in `storage.config_file`; what can only be said of the whole
(a role without a model, two debaters of one name) is in `domain.config_checks`.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal, cast

from pydantic import AliasChoices, Field, field_validator, model_validator

from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.personality import Archetype, Personality
from debate_cli.domain.setting import ConfigModel
from debate_cli.domain.turn import Phase

Strategy = Literal["analytical", "aggressive", "defensive", "empathetic"]
ProviderKind = Literal["openai", "anthropic", "embedded", "mock"]
PositiveFloat = Annotated[float, Field(gt=0)]
PositiveInt = Annotated[int, Field(ge=1)]


class Price(ConfigModel):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    """Of tokens sent."""
    output: float = Field(ge=0)
    """Of tokens written, hidden thoughts included."""
    cached_input: float | None = Field(default=None, ge=0)
    """Of tokens read from the provider's cache; None means the same as `input`."""
    cache_write: float | None = Field(default=None, ge=0)
    """Of tokens written to it; None means the same as `input`."""


class MockFaults(ConfigModel):
    """Share of calls (0-1) that a mock makes fail, each kind by the seed."""

    rate_limit: float = Field(default=0, ge=0, le=1)
    timeout: float = Field(default=0, ge=0, le=1)
    server_error: float = Field(default=0, ge=0, le=1)
    malformed: float = Field(default=0, ge=0, le=1)
    truncated: float = Field(default=0, ge=0, le=1)
    refusal: float = Field(default=0, ge=0, le=1)


class ProviderSpec(ConfigModel):
    """A row of the provider table: added, or laid over the built-in row of the same name field by field."""

    kind: ProviderKind | None = None
    """Protocol that it speaks; a new provider needs one, `openai` fits every OpenAI-compatible server."""
    base_url: str | None = None
    """Address up to where `/chat/completions` begins, usually ending in `/v1`; with one of your own, name `api_key_env` too."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; null means that no key is sent."""
    headers: dict[str, str] = {}
    """Extra headers; `${VAR}` in them is filled in only when a request is made, so no secret is stored."""
    max_concurrency: PositiveInt | None = None
    """Requests at the same time; lowered by itself while the server says that it is too many."""
    requests_per_minute: PositiveInt | None = None
    """Never more than this; None means no bound."""
    tokens_per_minute: PositiveInt | None = None
    """Input and output together; None means no bound."""
    structured: tuple[Literal["native", "tool", "prompt"], ...] | None = None
    """Rungs of the structured-output ladder, in order."""
    price: Price | None = None
    """Of every model of this provider that has none of its own; None means the bundled price table."""


class ModelSpec(ConfigModel):
    """A named model with its parameters."""

    model: str = Field(pattern=r"^[^/\s]+/\S.*$")
    """`provider/model`, split at the first slash."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Overrides the temperature of every phase; left out where the server turns it down."""
    max_output_tokens: PositiveInt | None = None
    """Most that one answer may have; None means what suits the model. The budget reserves this much."""
    price: Price | None = None
    """None means the provider's, else the bundled price table."""
    latency_s: float | None = Field(default=None, ge=0)
    """Mock only: seconds before the first token."""
    tokens_per_second: PositiveFloat | None = None
    """Mock only: pace of the stream; None is at once."""
    faults: MockFaults | None = None
    """Mock only."""
    script: str | None = None
    """`mock/scripted` only: YAML or JSON file with replies keyed by purpose, relative to the configuration."""


class DebaterConfig(ConfigModel):
    """Someone who argues."""

    name: str = Field(min_length=1, max_length=60)
    """Its name in transcript, scores and gates; each debater has its own."""
    side: str = Field(min_length=1, max_length=60)
    """`for`, `against`, or with three or more debaters any label."""
    model: str | None = None
    """Name in `models`, or `provider/model`; None means `models.default`."""
    prefix: str | None = Field(default=None, pattern=r"^[A-Za-z][A-Za-z0-9]{0,15}$")
    """Prefix of argument ids; None means PRO or CON for the two sides, else letters of the side or name."""
    system: str | None = None
    """Standing instructions of the user's own, added to the shipped ones."""
    personality: Archetype | Personality | None = None
    """An archetype or twelve numbers; it adapts under the pressure of the live judge."""
    elasticity: float = Field(default=0.5, ge=0, le=1)
    """How far pressure moves the personality: 0 not at all, 1 most."""
    stance: float | None = Field(default=None, ge=-1, le=1)
    """Where it stands at the start, -1 against to 1 for; None means 0.8 for, -0.8 against, 0 for other sides."""
    conviction: float | None = Field(default=None, ge=0, le=1)
    """How firmly at the start; None means 0.7."""
    strategy: Strategy | Literal["adaptive"] | None = None
    """Persuasion system: how it argues; `adaptive` picks anew before each turn."""

    @field_validator("personality", mode="before")
    @classmethod
    def _lowercase_archetype(cls, personality: object) -> object:
        return personality.lower() if isinstance(personality, str) else personality


class FormatConfig(ConfigModel):
    """How the debate runs."""

    kind: Literal["structured", "semi_structured", "free_flowing"] = "structured"
    """`structured`: phases. `semi_structured`: phases, and follow-up questions are answered. `free_flowing`: speeches in turn."""
    order: Literal["simultaneous", "sequential"] = "simultaneous"
    """Free-flowing debates are always `sequential`, which is their default."""
    arguments: int = Field(default=3, ge=1, le=10)
    """Arguments that each debater opens with."""
    closing_words: int = Field(default=200, ge=10, le=5000)
    """Most words of a closing statement."""
    phases: tuple[Phase, ...] = Field(
        default=("opening", "cross_examination", "closing"), validation_alias=AliasChoices("phases", "rounds")
    )
    """`rebuttal` may stand between the last two, repeatedly."""
    exchanges: int = Field(default=1, ge=1, le=10)
    """Semi-structured: how often follow-up questions go back and forth."""
    turns: int = Field(default=4, ge=1, le=100)
    """Free-flowing: speeches a side."""

    @model_validator(mode="before")
    @classmethod
    def _default_sequential_order(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        written = cast("dict[str, object]", data)
        in_turn = written.get("kind") == "free_flowing" and "order" not in written
        return written | {"order": "sequential"} if in_turn else written


KEY_ALIASES = {("format", "phases"): "rounds", ("format", "rounds"): "phases"}
"""Section and key -> the key's other name; the two mean one thing."""


class Limits(ConfigModel):
    """What a run may use; the whole run, every call counted, at an estimate where the provider reports no usage."""

    max_cost_usd: float | None = Field(default=None, gt=0)
    """Budget in US dollars; every model needs a known price then. None means no bound."""
    max_tokens: PositiveInt | None = None
    """Budget in tokens, input and output together; None means no bound."""
    timeout_s: float = Field(default=120, gt=0)
    """Longest silence of a server, in seconds."""
    max_attempts: int = Field(default=5, ge=1, le=20)
    """Requests for one answer, when a server is down, slow or overloaded."""
    concurrency: int = Field(default=16, ge=1, le=1000)
    """Requests at the same time, over all providers."""


class Output(ConfigModel):
    """Where results go."""

    dir: str = "transcripts"
    """Folder of the transcripts, from the working folder on."""


class DebateConfig(ConfigModel):
    """A whole configuration. Everything but `topic` and `debaters` has a default."""

    version: Literal[1] = 1
    """Of this format of configuration."""
    topic: str = Field(min_length=1, max_length=4000)
    """The motion: a question or a claim that can be argued for and against."""
    background: str | None = None
    """What debaters and judges should know. They get it as data, never as instructions."""
    seed: int | None = None
    """For the mock, and for providers that take a seed."""
    providers: dict[str, ProviderSpec] = {}
    """Providers to add, or to change, by name."""
    models: dict[str, ModelSpec] = {}
    """Models by a name of your own; `default` and `judge` are used where a role names none."""
    debaters: tuple[DebaterConfig, ...]
    """Who argues: two or more."""
    format: FormatConfig = FormatConfig()
    """How the debate runs."""
    judging: JudgingConfig = JudgingConfig()
    """Who judges, and how."""
    limits: Limits = Limits()
    """What a run may use."""
    output: Output = Output()
    """Where results go."""
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
