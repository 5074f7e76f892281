"""The provider table as data: adding an OpenAI-compatible provider is adding a row.

What is peculiar to single models is data too (`PECULIARITIES`); nobody branches on a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from types import MappingProxyType

from debate_cli.domain.config import Price, ProviderKind
from debate_cli.llm.profile import Profile

REASONING_OUTPUT_TOKENS = 16_384
"""Output limit of models that think before they write: the hidden thoughts count as output."""


DEFAULT_PROFILE = Profile()
"""What is taken for granted of a compatible server."""


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """One provider: where it is, what opens it, what its models can do, how much it takes."""

    name: str
    kind: ProviderKind
    base_url: str | None = None
    """None for providers in this process."""
    base_url_env: str | None = None
    """Environment variable that takes the place of `base_url` where set."""
    api_key_env: str | None = None
    """Environment variable that holds the key; None means that no key is sent."""
    profile: Profile = DEFAULT_PROFILE
    max_concurrency: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    price: Price | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Extra headers; `${VAR}` in them is filled in when an adapter is made, one that comes out empty is not sent."""
    local: bool = False
    """Whether it runs on this machine."""
    stream_usage: bool = True
    """Whether the server takes `stream_options` (the others report usage of streams unasked)."""


_LLAMA_PROFILE = Profile(dialect="full", seed=True)
_SEED_PROFILE = Profile(seed=True)


def _openai_compatible(name: str, base_url: str, api_key_env: str, profile: Profile = DEFAULT_PROFILE) -> ProviderRow:
    return ProviderRow(name, "openai", base_url, api_key_env=api_key_env, profile=profile)


BUILTIN_PROVIDERS: Mapping[str, ProviderRow] = MappingProxyType(
    {
        row.name: row
        for row in (
            ProviderRow(
                "openai",
                "openai",
                "https://api.openai.com/v1",
                base_url_env="OPENAI_BASE_URL",
                api_key_env="OPENAI_API_KEY",
                profile=Profile(
                    rungs=("native", "tool", "prompt"),
                    token_limit_field="max_completion_tokens",  # noqa: S106 - tokens, not a secret
                    seed=True,
                    prompt_cache_key=True,
                ),
                headers={"OpenAI-Organization": "${OPENAI_ORG_ID:-}", "OpenAI-Project": "${OPENAI_PROJECT_ID:-}"},
            ),
            ProviderRow(
                "anthropic",
                "anthropic",
                "https://api.anthropic.com",
                base_url_env="ANTHROPIC_BASE_URL",
                api_key_env="ANTHROPIC_API_KEY",
                profile=Profile(rungs=("native", "tool", "prompt"), sampling=False, dialect="anthropic"),
            ),
            _openai_compatible("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
            ProviderRow(
                "ollama",
                "openai",
                "http://127.0.0.1:11434/v1",
                base_url_env="OLLAMA_HOST",
                profile=_SEED_PROFILE,
                local=True,
            ),
            _openai_compatible("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", _SEED_PROFILE),
            _openai_compatible("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", _SEED_PROFILE),
            _openai_compatible("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY", _SEED_PROFILE),
            _openai_compatible("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
            replace(_openai_compatible("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"), stream_usage=False),
            _openai_compatible("xai", "https://api.x.ai/v1", "XAI_API_KEY", _SEED_PROFILE),
            ProviderRow("vllm", "openai", "http://127.0.0.1:8000/v1", profile=_LLAMA_PROFILE, local=True),
            ProviderRow("llamacpp", "openai", "http://127.0.0.1:8080/v1", profile=_LLAMA_PROFILE, local=True),
            ProviderRow("lmstudio", "openai", "http://127.0.0.1:1234/v1", profile=_SEED_PROFILE, local=True),
            ProviderRow("local", "embedded", profile=_LLAMA_PROFILE, local=True),
            ProviderRow("mock", "mock", profile=Profile(dialect="full", seed=True), local=True),
        )
    }
)
"""The built-in providers by name."""

KIND_PROFILES: Mapping[ProviderKind, Profile] = MappingProxyType(
    {
        "openai": DEFAULT_PROFILE,
        "anthropic": BUILTIN_PROVIDERS["anthropic"].profile,
        "embedded": BUILTIN_PROVIDERS["local"].profile,
        "mock": BUILTIN_PROVIDERS["mock"].profile,
    }
)
"""What is taken for granted of a provider that the configuration adds."""


@dataclass(frozen=True, slots=True)
class ModelOverride:
    """Models that differ from their provider's profile."""

    pattern: str
    """Shell-style pattern of `provider/model`."""
    sampling: bool
    max_output_tokens: int


MODEL_OVERRIDES: tuple[ModelOverride, ...] = (
    ModelOverride("openai/gpt-[5-9]*-chat*", sampling=True, max_output_tokens=Profile().max_output_tokens),
    ModelOverride("openai/gpt-[5-9]*", sampling=False, max_output_tokens=REASONING_OUTPUT_TOKENS),
    ModelOverride("openai/o[1-9]*", sampling=False, max_output_tokens=REASONING_OUTPUT_TOKENS),
    ModelOverride("deepseek/*reasoner*", sampling=False, max_output_tokens=REASONING_OUTPUT_TOKENS),
)
"""The first pattern that fits counts."""


def find_profile(row: ProviderRow, model: str) -> Profile:
    """What `model` (without the provider's name) can do behind `row`."""
    for peculiarity in MODEL_OVERRIDES:
        if fnmatchcase(f"{row.name}/{model}", peculiarity.pattern):
            return replace(row.profile, sampling=peculiarity.sampling, max_output_tokens=peculiarity.max_output_tokens)
    return row.profile
