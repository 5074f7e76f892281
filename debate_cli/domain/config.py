"""`debate.yaml` as a value: every key with its default and its limits."""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, cast

from pydantic import Field, ValidationError, model_validator

from debate_cli.domain.frozen_model import ConfigModel
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.model_call import PERSON_PROVIDERS
from debate_cli.domain.personality import ArchetypeOrTraits
from debate_cli.domain.turn import Phase


class EvidenceSource(ConfigModel):
    """A file, folder or file pattern, with an optional title."""

    path: str = Field(min_length=1)
    """A file, a folder, or a pattern such as `reports/*.md`, relative to the configuration."""
    title: str | None = Field(default=None, min_length=1, max_length=200)
    """Title of the file, if `path` is a single file. Has no effect on a folder or pattern. None means the first heading
    of each file, or the file's name if there is no heading."""


Domain = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*(/\S*)?$", max_length=253)]
"""A domain such as `example.org`, or a part of it such as `example.org/blog`; without `https://`."""


class WebSearchConfig(ConfigModel):
    """Web search before each speech. Debaters may cite the results."""

    provider: str = Field(min_length=1)
    """`anthropic`, `openai`, `ollama`, `searxng`, or an entry of `providers` of the kind `openai` or `anthropic`."""
    max_searches: int = Field(default=2, ge=1, le=10)
    """Maximum number of searches for one speech."""
    allowed_domains: tuple[Domain, ...] = Field(default=(), max_length=20)
    """Accepted domains, without `https://`; subdomains are included. An empty list accepts all domains."""
    base_url: str | None = None
    """Address of the search server, required for `searxng`. None means the provider's own address."""
    model: str | None = Field(default=None, min_length=1)
    """Model that searches, for `anthropic` and `openai` only. None means the first model of `provider` in the
    configuration."""


class RerankConfig(ConfigModel):
    """Reranking of passages by meaning, with an embedding model."""

    model: str = Field(pattern=r"^[^/\s]+/\S.*$")
    """Embedding model as `provider/model`, of OpenAI or a compatible server."""


class EvidenceConfig(ConfigModel):
    """Sources of a debate. Before each speech, the debater gets passages that the speech may cite."""

    sources: tuple[Annotated[str, Field(min_length=1)] | EvidenceSource, ...] = Field(default=(), max_length=1000)
    """Files, folders or patterns, relative to the configuration. `{path: a.md, title: Our data}` gives a file a title."""
    web: WebSearchConfig | None = Field(default=None, exclude_if=lambda web: web is None)
    """Web search; None means that only files are searched."""
    rerank: RerankConfig | None = Field(default=None, exclude_if=lambda rerank: rerank is None)
    """Reranking, by meaning, of the passages from `sources`. None means that they are ranked by their words only."""
    passages: int = Field(default=6, ge=1, le=30)
    """Maximum number of passages that a debater gets before each speech."""
    passage_words: int = Field(default=120, ge=20, le=2000)
    """Approximate number of words in a passage. Sentences are not split. In Chinese, Japanese, Thai and other scripts
    without spaces, each character counts as a word."""

    @property
    def named_sources(self) -> tuple[EvidenceSource, ...]:
        """The sources as objects. A source written as a path has no title."""
        return tuple(EvidenceSource(path=item) if isinstance(item, str) else item for item in self.sources)


Strategy = Literal["aggressive", "defensive", "persuasive", "balanced", "empathetic", "analytical"]
ProviderKind = Literal["openai", "anthropic", "embedded", "mock"]
PositiveFloat = Annotated[float, Field(gt=0)]
PositiveInt = Annotated[int, Field(ge=1, le=10**12)]
PricePerMillion = Annotated[float, Field(ge=0, le=1e6)]


class Price(ConfigModel):
    """Prices in US dollars. Prices of tokens are per million tokens."""

    input: PricePerMillion
    """Price of input tokens."""
    output: PricePerMillion
    """Price of output tokens, including hidden reasoning."""
    cached_input: PricePerMillion | None = None
    """Price of input tokens read from the provider's cache; None means the price `input`."""
    cache_write: PricePerMillion | None = None
    """Price of input tokens written to the provider's cache; None means the price `input`."""
    search: Annotated[float | None, Field(ge=0, le=1e6, exclude_if=lambda price: price is None)] = None
    """US dollars for one web search; None means that the price is not known."""


class MockFaults(ConfigModel):
    """Share (0-1) of the mock's calls that fail, per kind of failure. The seed decides which calls fail."""

    rate_limit: float = Field(default=0, ge=0, le=1)
    """Share of calls rejected because of a rate limit."""
    timeout: float = Field(default=0, ge=0, le=1)
    """Share of calls that time out."""
    server_error: float = Field(default=0, ge=0, le=1)
    """Share of answers that a server error interrupts."""
    malformed: float = Field(default=0, ge=0, le=1)
    """Share of answers that end after two thirds, so that their JSON is invalid."""
    truncated: float = Field(default=0, ge=0, le=1)
    """Share of answers that end after two thirds, and report the limit of output tokens as the reason."""
    refusal: float = Field(default=0, ge=0, le=1)
    """Share of calls that the model refuses."""


class MockBias(ConfigModel):
    """Biases of the mock as a judge, for tests of an audit.

    A bias of 0.1 gives a side an advantage of a tenth of the scale. A negative bias gives a disadvantage.
    """

    first: float = Field(default=0, ge=-1, le=1)
    """How much higher the judge marks the side that is shown first, as a share of the scale."""
    longer: float = Field(default=0, ge=-1, le=1)
    """How much higher the judge marks a side whose speeches are at least 30 % longer, as a share of the scale."""
    confident: float = Field(default=0, ge=-1, le=1)
    """How much higher the judge marks a side that often claims to be certain, as a share of the scale. The marks of
    a side that often claims to be unsure are lower by the same share."""
    citation: float = Field(default=0, ge=-1, le=1)
    """How much higher the judge marks a side that names a study, as a share of the scale."""
    noise: float = Field(default=0, ge=0, le=1)
    """Largest random change of a side's marks, as a share of the scale. Each judgement raises or lowers the marks by a
    random amount up to this share."""


class ProviderSpec(ConfigModel):
    """A new provider, or changes to the built-in provider with this name."""

    kind: ProviderKind | None = None
    """Protocol of the server, required for a new provider. `openai` fits every OpenAI-compatible server. Only the provider
    `mock` has the kind `mock`."""
    base_url: str | None = None
    """Address without `/chat/completions`, usually ending in `/v1`. If you change the address of a built-in
    provider, also set `api_key_env`."""
    api_key_env: str | None = None
    """Name of the environment variable with the API key. null sends no key."""
    headers: dict[str, str] = {}
    """Extra HTTP headers. `${VAR}` is replaced when a request is sent. The value of VAR is never stored."""
    max_concurrency: PositiveInt | None = None
    """Maximum number of concurrent requests, lowered after refusals (status 429 or 529). None means the provider's
    default."""
    requests_per_minute: PositiveInt | None = None
    """Maximum number of requests per minute; None means no limit."""
    tokens_per_minute: PositiveInt | None = None
    """Maximum number of input and output tokens per minute; None means no limit."""
    structured: tuple[Literal["native", "tool", "prompt"], ...] | None = None
    """Modes of structured output, in the order in which they are tried; None means the provider's default modes."""
    price: Price | None = None
    """Price of the provider's models that have no `price`. None means the bundled price table."""


PREFIX_PATTERN = r"^[A-Za-z][A-Za-z0-9]{0,15}$"
"""Regular expression of the prefixes of argument ids."""
OUTPUT_LIMIT_SETTING = "max_output_tokens"
"""Key of the setting in `models` that limits the length of an answer."""


class ModelSpec(ConfigModel):
    """A named model with its parameters."""

    model: str = Field(pattern=r"^([^/\s]+/\S.*|human|files|paste)$")
    """`provider/model`, split at the first slash; or `human`, `files` or `paste` for a person."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Sampling temperature in every phase. None means the default of each phase."""
    max_output_tokens: PositiveInt | None = None
    """Maximum tokens of one answer. The budget reserves this number for each call. None means the model's default."""
    price: Price | None = None
    """Price of this model. None means the provider's price, or the bundled price table if the provider has no price."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$")] | None = Field(
        default=None, exclude_if=lambda checksum: checksum is None
    )
    """SHA-256 of the file, for `local/hf:REPO/FILE.gguf` only. Required for a file that `debate models pull` does not
    list."""
    latency_s: float | None = Field(default=None, ge=0)
    """Mock only: seconds before the first token."""
    tokens_per_second: PositiveFloat | None = None
    """Mock only: speed of the stream; None sends the whole answer at once."""
    faults: MockFaults | None = None
    """Mock only: failures to simulate."""
    bias: MockBias | None = None
    """Mock only: biases of the mock when it judges."""
    strength: float | None = Field(default=None, ge=0, le=1)
    """Mock only: skill as a debater, from 0 (sends its first draft) to 1 (sends the best of ten drafts)."""
    time_limit_s: PositiveFloat | None = None
    """`human` and `paste` only: seconds for each answer. After that time, the text written so far is the answer."""
    script: str | None = None
    """`mock/scripted` only: YAML or JSON file that maps purposes of requests, e.g. `opening`, to replies. Relative to
    the configuration."""


class DebaterConfig(ConfigModel):
    """A debater."""

    name: str = Field(min_length=1, max_length=60)
    """Unique name, used in transcript, scores and gates."""
    side: str = Field(min_length=1, max_length=60)
    """`for` or `against`; with three or more debaters, any label."""
    model: str | None = None
    """Name in `models`, or `provider/model`; None means `models.default`."""
    prefix: str | None = Field(default=None, pattern=PREFIX_PATTERN)
    """Prefix of argument ids. None means PRO on the side `for`, CON on the side `against`, and the first letters of any
    other side."""
    system: str | None = None
    """Extra instructions for this debater, added to every prompt."""
    personality: ArchetypeOrTraits | None = None
    """Name of an archetype, or twelve traits. The judging system `live` can change the traits during the debate."""
    elasticity: float = Field(default=0.5, ge=0, le=1)
    """How far the debate can change the traits of the personality, from 0 (not at all) to 1 (fully)."""
    recovery: float = Field(default=0, ge=0, le=1)
    """How far traits return to their initial values after an exchange (two adjacent turns) without pressure, from 0 (not
    at all) to 1 (fully)."""
    stance: float | None = Field(default=None, ge=-1, le=1)
    """Stance at the start, from -1 (against) to 1 (for). None means 0.8 on the side `for`, -0.8 on the side `against`,
    and 0 on any other side."""
    conviction: float | None = Field(default=None, ge=0, le=1)
    """Conviction at the start, from 0 to 1; None means 0.7."""
    strategy: Strategy | Literal["adaptive"] | None = None
    """Strategy of arguing, for the judging system `persuasion`. Before each turn, `adaptive` picks the strategy with
    the highest predicted effect."""


MAX_ROUNDS = 500
"""Maximum of `format.rounds`."""


def phases_of_rounds(count: int) -> tuple[Phase, ...]:
    """Return the phases of a debate with `count` rounds (at least 1). Each round after the third adds a rebuttal."""
    if count <= 2:  # noqa: PLR2004 - opening and closing
        return ("opening", "closing")[:count]
    rebuttals: tuple[Phase, ...] = ("rebuttal",) * (count - 3)
    return ("opening", "cross_examination", *rebuttals, "closing")


class FormatConfig(ConfigModel):
    """The format of a debate. `rounds: N` is short for N phases, or for N `turns` in a free-flowing debate."""

    kind: Literal["structured", "semi_structured", "free_flowing"] = "structured"
    """`structured`: phases. `semi_structured`: phases with answers to follow-up questions. `free_flowing`: debaters
    take turns, without phases."""
    order: Literal["simultaneous", "sequential"] = "simultaneous"
    """`simultaneous`: the debaters of a round speak at once. `sequential`: each debater hears the earlier
    speeches of the round. Free-flowing debates are always `sequential`."""
    arguments: int = Field(default=3, ge=1, le=10)
    """Number of arguments in each debater's opening."""
    closing_words: int = Field(default=200, ge=10, le=5000)
    """Maximum words of a closing statement. A character of a script without spaces, such as Chinese, counts as a word."""
    phases: tuple[Phase, ...] = ("opening", "cross_examination", "closing")
    """Phases in order. One or more `rebuttal` may precede `closing`."""
    rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] | tuple[Phase, ...] | None = Field(default=None, exclude=True)
    """Short form of `phases`: a list of phases, or the number of rounds. 1: opening. 2: opening, closing. 3: opening,
    cross-examination, closing. 4 or more: also rebuttals before the closing. In a free-flowing debate, the number sets
    `turns`."""
    exchanges: int = Field(default=1, ge=1, le=10)
    """Number of exchanges after a cross-examination in a semi-structured debate. The first exchange is a round of
    answers to the questions of the cross-examination. Each later exchange is a round of follow-up questions and a round
    of answers."""
    answers: bool = False
    """Whether a round of answers follows each cross-examination. Semi-structured debates always have this round."""
    turns: int = Field(default=4, ge=1, le=MAX_ROUNDS)
    """Number of speeches of each debater in a free-flowing debate."""
    history: Literal["auto", "full", "recent"] = "auto"
    """What a prompt contains. `full`: the whole debate. `recent`: the newest speeches and a list of older arguments.
    `auto`: `full` while the debate has at most 40 turns and the prompt is short, else `recent`."""

    @model_validator(mode="after")
    def _expand_rounds(self) -> Self:
        is_free, rounds, expanded = self.kind == "free_flowing", self.rounds, vars(self)
        if is_free and "order" not in self.model_fields_set:
            expanded["order"] = "sequential"
        if rounds is None:
            return self
        clash = next((key for key in ROUND_KEYS["rounds"] if key in self.model_fields_set), None)
        if clash is not None:
            raise ValueError(f"`rounds` and `{clash}` both define rounds; keep one")
        if is_free and isinstance(rounds, int):
            key, value = "turns", rounds
        else:
            key, value = "phases", phases_of_rounds(rounds) if isinstance(rounds, int) else rounds
        expanded |= {key: value, "rounds": None}
        self.model_fields_set.discard("rounds")
        self.model_fields_set.add(key)
        return self


ROUND_KEYS = {"rounds": ("phases", "turns"), "phases": ("rounds",)}
"""Maps a key of `format` to its alternatives: other keys of `format` that must not be set beside it."""


class Limits(ConfigModel):
    """Limits of a run. If a provider reports no usage, an estimate is used."""

    max_cost_usd: float | None = Field(default=None, gt=0, le=1e9)
    """Budget in US dollars; requires a known price for every model. None means no limit."""
    max_tokens: PositiveInt | None = None
    """Budget in input and output tokens together; None means no limit."""
    timeout_s: float = Field(default=120, gt=0)
    """Maximum seconds without a byte from the server."""
    answer_timeout_s: float | None = Field(default=None, gt=0)
    """Maximum seconds for a whole answer, even if bytes keep coming; None means 10 × `timeout_s`."""
    max_attempts: int = Field(default=5, ge=1, le=20)
    """Maximum number of requests for one answer, including retries. Requests refused with status 429 or 529 do not
    count."""
    concurrency: int = Field(default=16, ge=1, le=1000)
    """Maximum number of concurrent requests to all providers together."""


class Output(ConfigModel):
    """Where results are saved."""

    dir: str = "transcripts"
    """Folder of transcripts, relative to the working folder."""
    raw: bool = False
    """Whether to store the model's text and prompt with each turn and assessment."""


class DebateConfig(ConfigModel):
    """A whole configuration. A debate requires `topic` and `debaters`; a judged document requires only `topic`."""

    version: Literal[1] = 1
    """Version of the configuration format."""
    topic: str = Field(min_length=1, max_length=4000)
    """The motion: a question or claim to debate. For a judged document, the question that judges answer."""
    background: str | None = None
    """Context that debaters and judges read as data, not as instructions. `{file: NAME}` reads a file."""
    seed: int | None = None
    """Seed of the mock, and of providers that support one."""
    providers: dict[str, ProviderSpec] = {}
    """Providers to add or to change, by name."""
    models: dict[str, ModelSpec] = {}
    """Models by name. Debaters without a model use `default`; judges without a model use `judge`, else `default`."""
    debaters: tuple[DebaterConfig, ...] = ()
    """The debaters, at least two. Not needed for judging documents."""
    format: FormatConfig = FormatConfig()
    """Format of the debate."""
    evidence: Annotated[EvidenceConfig | None, Field(exclude_if=lambda value: value is None)] = None
    """Sources that debaters may cite; None for a debate without sources."""
    judging: JudgingConfig = Field(
        default_factory=JudgingConfig, json_schema_extra={"default": {"systems": ["structured"]}}
    )
    """Judging systems and their judges."""
    limits: Limits = Limits()
    """Limits of a run."""
    output: Output = Output()
    """Where results are saved."""
    vars: dict[str, str] = {}
    """Values for `${NAME}` in texts. `--var` and `DEBATE_VAR_NAME` override them."""
    prompts: dict[str, str] = {}
    """Maps names of built-in prompts to files that replace them. The files are in the folder of the configuration."""
    victory_conditions: dict[str, float] | None = Field(default=None, exclude_if=lambda given: given is None)
    """Deprecated. Set `victory_conditions` of the system `persuasion` in `judging.systems` instead."""
    persuasion_factors: dict[str, float] | None = Field(default=None, exclude_if=lambda given: given is None)
    """Deprecated. Instead, give the system `persuasion` in `judging.systems` the settings `factors: {…}` and
    `effects: factors`."""

    @model_validator(mode="before")
    @classmethod
    def _move_legacy_sections(cls, data: object) -> object:
        return move_legacy_sections(cast("dict[str, object]", data)) if isinstance(data, dict) else data

    @property
    def web_search_url(self) -> str | None:
        """Value of `evidence.web.base_url`; None if it is not set."""
        return None if self.evidence is None or self.evidence.web is None else self.evidence.web.base_url

    def debater(self, name: str) -> DebaterConfig:
        """Return the debater with this name. Raises KeyError."""
        return {debater.name: debater for debater in self.debaters}[name]

    def model_for_debater(self, debater: DebaterConfig) -> ModelSpec | None:
        """Return the debater's own model, else `models.default`; None if neither is set."""
        return self.resolve_model(debater.model or "default")

    def model_for_judge(self, role: str | None) -> ModelSpec | None:
        """Return the model or person that judges; None if `role` is unknown.

        `role`: a name in `models`, `provider/model` or a person, e.g. `human`. If `role` is None, the result is
        `models.judge`, or `models.default` if there is no `models.judge`.
        """
        if role is not None:
            return self.resolve_model(role)
        return self.resolve_model("judge") or self.resolve_model("default")

    def resolve_model(self, role: str) -> ModelSpec | None:
        """Return the settings of the model or person that `role` names; None if `role` is unknown or malformed.

        `role`: a name in `models`, `provider/model` or a person, e.g. `human`.
        """
        if role in self.models:
            return self.models[role]
        if "/" not in role and role not in PERSON_PROVIDERS:
            return None
        try:
            return ModelSpec(model=role)
        except ValidationError:  # a stored configuration may contain e.g. `openai/`
            return None

    def sha256(self) -> str:
        """Return the SHA-256 of the configuration's JSON with sorted keys."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


LEGACY_KIND = "persuasion"
"""Kind of the judging system that now has the settings of LEGACY_SECTIONS."""
LEGACY_SECTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "victory_conditions": ("victory_conditions", {}),
    "persuasion_factors": (
        "factors",
        {"base_persuasion": "persuasion", "strategy_bonus": "strategy_fit", "evidence_bonus": "evidence"},
    ),
}
"""Maps each old section of `debate.yaml` to (name of the new setting, mapping of old keys to new keys).

Keys that are not listed keep their names.
"""


def move_legacy_sections(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `data` with the sections in LEGACY_SECTIONS moved into the settings of the system `persuasion`.

    - If `judging.systems` is not set, `persuasion` becomes the only system.
    - If `judging.systems` does not list `persuasion`, nothing is moved.
    - Settings that `persuasion` already has are not overwritten.
    """
    moved = dict(data)
    sections = [section for section in LEGACY_SECTIONS if isinstance(data.get(section), dict)]
    judging: object = data.get("judging") or {}
    named = cast("dict[str, Any]", judging) if isinstance(judging, dict) else {"systems": None}
    systems = named.get("systems", [LEGACY_KIND])
    if not sections or not isinstance(systems, list | tuple):
        return moved
    listed = [
        dict(cast("dict[str, Any]", item)) if isinstance(item, dict) else {"kind": item}
        for item in cast("list[Any]", systems)
    ]
    settings = next((item for item in listed if item.get("kind") == LEGACY_KIND), None)
    if settings is None:
        return moved
    for section in sections:
        name, keys = LEGACY_SECTIONS[section]
        if name not in settings:
            settings[name] = {keys.get(key, key): value for key, value in moved.pop(section).items()}
            if name == "factors":
                settings.setdefault("effects", "factors")
    return {**moved, "judging": {**named, "systems": listed}}
