"""The provider table with the configuration's own rows laid over it, and what is wrong with those.

The rule that matters most: a key goes only where its row says. A row whose server the configuration changes must name
its own key, so that no configuration file can send the key of a built-in provider elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from urllib.parse import urlsplit

from debate_cli.domain.config import DebateConfig, Price, ProviderKind, ProviderSpec
from debate_cli.errors import ConfigError
from debate_cli.llm.profile import Profile
from debate_cli.providers.env_text import find_variables

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
            _openai_compatible(
                "gemini",
                "https://generativelanguage.googleapis.com/v1beta/openai",
                "GEMINI_API_KEY",
                Profile(schema_references=False),
            ),
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


REMOTE_KINDS = ("openai", "anthropic")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_HEADER = re.compile(r"authorization|cookie|(?:^|[-_])(?:key|token|secret)$", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def build_provider_table(config: DebateConfig) -> dict[str, ProviderRow]:
    """The built-in rows with those of `config` added or laid over; raises ConfigError with every problem found."""
    problems = find_provider_problems(config)
    if problems:
        raise ConfigError(*problems)
    return merge_provider_rows(config)


def merge_provider_rows(config: DebateConfig) -> dict[str, ProviderRow]:
    """Like `rows`, without looking for problems; rows that make no sense are left out."""
    table = dict(BUILTIN_PROVIDERS)
    for name, spec in config.providers.items():
        start = _find_base_row(name, spec)
        if start is not None:
            table[name] = _apply_spec(start, spec)
    return table


def find_provider_problems(config: DebateConfig) -> list[str]:
    """What is wrong with the providers of `config`, one line each; never quotes a value that could be a secret."""
    return [problem for name, spec in config.providers.items() for problem in _find_spec_problems(name, spec)]


def find_url_problem(url: str) -> str | None:
    """Why `url` cannot be the address of a server; None when it can."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        fine = False
    if fine and not any(sign.isspace() or not sign.isprintable() for sign in url):
        return None
    return "is not an address like http://127.0.0.1:8000/v1"


def _find_base_row(name: str, spec: ProviderSpec) -> ProviderRow | None:
    """The row that `spec` is laid over: the built-in one, or an empty one of its kind."""
    preset = BUILTIN_PROVIDERS.get(name)
    if preset is not None and spec.kind in {None, preset.kind}:
        return preset
    if spec.kind is None:
        return None
    official = BUILTIN_PROVIDERS.get(spec.kind)
    if spec.base_url is None and official is not None and spec.kind in REMOTE_KINDS:
        return ProviderRow(name, spec.kind, official.base_url, profile=official.profile)
    return ProviderRow(name, spec.kind, profile=KIND_PROFILES[spec.kind], local=spec.kind not in REMOTE_KINDS)


def _apply_spec(row: ProviderRow, spec: ProviderSpec) -> ProviderRow:
    redirected = spec.base_url is not None
    profile = row.profile if spec.structured is None else replace(row.profile, rungs=spec.structured)
    return replace(
        row,
        base_url=spec.base_url or row.base_url,
        base_url_env=None if redirected else row.base_url_env,
        api_key_env=spec.api_key_env if redirected or "api_key_env" in spec.model_fields_set else row.api_key_env,
        profile=profile,
        max_concurrency=spec.max_concurrency or row.max_concurrency,
        requests_per_minute=spec.requests_per_minute or row.requests_per_minute,
        tokens_per_minute=spec.tokens_per_minute or row.tokens_per_minute,
        price=spec.price or row.price,
        headers=spec.headers if redirected else _merge_headers(row.headers, spec.headers),
    )


def _merge_headers(shipped: Mapping[str, str], own: Mapping[str, str]) -> Mapping[str, str]:
    replaced = {name.lower() for name in own}
    return {name: value for name, value in shipped.items() if name.lower() not in replaced} | dict(own)


def _find_spec_problems(name: str, spec: ProviderSpec) -> list[str]:
    where = f"providers.{name}"
    found: list[str] = []
    if not name or "/" in name or any(sign.isspace() for sign in name):
        found.append(f"{where}: a provider's name has no slash and no space in it")
    preset = BUILTIN_PROVIDERS.get(name)
    names_key = "api_key_env" in spec.model_fields_set
    if preset is None and spec.kind is None:
        found.append(
            f"{where}.kind: is missing; add `kind: openai` for a server that speaks OpenAI's protocol "
            "(others are anthropic, embedded and mock)"
        )
    elif preset is None and spec.kind in REMOTE_KINDS and spec.base_url is None and not spec.api_key_env:
        found.append(f"{where}.base_url: is missing; a new provider names its server (or a key of its own)")
    if preset is not None and not names_key and (spec.base_url is not None or spec.kind not in {None, preset.kind}):
        found.append(
            f"{where}.base_url: sends {name}'s requests to another server, so the key must be named as well: "
            f"add api_key_env with a variable of its own, or api_key_env: null to send none"
        )
    if spec.base_url is not None and (problem := find_url_problem(spec.base_url)):
        found.append(f"{where}.base_url: {problem}")
    if spec.api_key_env is not None and not _VARIABLE_NAME.fullmatch(spec.api_key_env):
        found.append(f"{where}.api_key_env: is the name of an environment variable, never the key itself")
    found += [
        f"{where}.headers.{header}: {problem}"
        for header, value in spec.headers.items()
        if (problem := _find_header_problem(header, value))
    ]
    return found


def _find_header_problem(name: str, value: str) -> str | None:
    if not _HEADER_NAME.fullmatch(name) or not value.isascii() or not value.isprintable():
        return "is not a header that HTTP can send"
    if _SECRET_HEADER.search(name) and not find_variables(value):
        return "names a secret by its environment variable, as ${VAR}, never by its value"
    return None
