"""The provider table: built-in rows, rows of plug-ins, and the changes that a configuration makes.

To add an OpenAI-compatible provider, add a row to `BUILTIN_PROVIDERS`. An installed package adds a row through the
entry point group `debate_cli.providers`: the entry point has the provider's name and refers to a `ProviderRow`.

A key is sent only to the server of its own row. A configuration that changes the server of a row must also name the
key. So no file can send the key of a built-in provider to another server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from urllib.parse import urlsplit

from debate_cli.domain.config import DebateConfig, Price, ProviderKind, ProviderSpec
from debate_cli.domain.model_call import PERSON_PROVIDERS
from debate_cli.errors import ConfigError
from debate_cli.llm.profile import Profile
from debate_cli.plugins import PROVIDERS
from debate_cli.providers.endpoint import Endpoint, ModelServer

REASONING_OUTPUT_TOKENS = 16_384
"""Output limit of reasoning models in tokens. Their hidden reasoning counts as output."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]{0,1000}))?\}")

REMOTE_KINDS = ("openai", "anthropic")
OLLAMA_SEARCH_KEY = "OLLAMA_API_KEY"
"""Environment variable with the key for Ollama's web search. Ollama's models need no key."""
DEFAULT_PROFILE = Profile()


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """One provider: its address, key and limits, and the abilities of its models."""

    name: str
    kind: str
    """Protocol: a `ProviderKind`, or any word if the row has its own `make_server`."""
    base_url: str | None = None
    """Address of the server; None for a provider in this process."""
    base_url_env: str | None = None
    """Environment variable that overrides `base_url`."""
    api_key_env: str | None = None
    """Environment variable that holds the key; None sends no key."""
    profile: Profile = DEFAULT_PROFILE
    max_concurrency: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    price: Price | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Extra headers. `${VAR}` is filled in when the adapter is created. An empty header is not sent."""
    local: bool = False
    """Whether the provider's models run on this machine."""
    stream_usage: bool = True
    """Whether the server accepts `stream_options`, which requests the usage of a stream. A server that does not accept
    `stream_options` reports the usage without a request for it."""
    batches: bool = False
    """Whether the provider answers batches of requests at half the price."""
    make_server: Callable[[ProviderRow, Endpoint], ModelServer] | None = None
    """Creates the server object for a protocol of a plug-in. None selects the server object by `kind`."""

    @property
    def is_remote(self) -> bool:
        """Whether requests go to a server. They then need an address, and perhaps a key."""
        return self.kind in REMOTE_KINDS or (self.make_server is not None and self.base_url is not None)


PERSON_KIND = "person"
"""Kind of the providers for people. A configuration cannot add one."""
PERSON_PROFILE = Profile(modes=("native",), sampling=False, dialect="full")
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
                    modes=("native", "tool", "prompt"),
                    token_limit_field="max_completion_tokens",  # noqa: S106 - tokens, not a secret
                    seed=True,
                    prompt_cache_key=True,
                ),
                headers={"OpenAI-Organization": "${OPENAI_ORG_ID:-}", "OpenAI-Project": "${OPENAI_PROJECT_ID:-}"},
                batches=True,
            ),
            ProviderRow(
                "anthropic",
                "anthropic",
                "https://api.anthropic.com",
                base_url_env="ANTHROPIC_BASE_URL",
                api_key_env="ANTHROPIC_API_KEY",
                profile=Profile(modes=("native", "tool", "prompt"), sampling=False, dialect="anthropic"),
                batches=True,
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
            ProviderRow("mock", "mock", profile=Profile(dialect="full", seed=True), local=True, batches=True),
            *(ProviderRow(name, PERSON_KIND, profile=PERSON_PROFILE, local=True) for name in PERSON_PROVIDERS),
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
"""Maps a `kind` to the profile of providers that a configuration adds."""


@dataclass(frozen=True, slots=True)
class ModelOverride:
    """Deviations of some models from the profile of their provider."""

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
"""Models that deviate from the profile of their provider. The first matching pattern applies to a model."""


def find_profile(row: ProviderRow, model: str) -> Profile:
    """Return the profile of `model`, a name without its provider."""
    for override in MODEL_OVERRIDES:
        if fnmatchcase(f"{row.name}/{model}", override.pattern):
            return replace(row.profile, sampling=override.sampling, max_output_tokens=override.max_output_tokens)
    return row.profile


_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_HEADER = re.compile(r"authorization|cookie|(?:^|[-_])(?:key|token|secret)$", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_ROUTING_HEADER = re.compile(
    r"host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*", re.IGNORECASE
)
"""Headers that could send a request with its key to another server, or that two servers could read differently."""


def load_provider_rows() -> dict[str, ProviderRow]:
    """Return the rows of this package and of plug-ins, by name. Raises ConfigError for a plug-in without a row."""
    rows = dict(BUILTIN_PROVIDERS)
    for name in PROVIDERS.names():
        row = PROVIDERS.load(name)
        if not isinstance(row, ProviderRow):
            raise ConfigError(f"the plug-in `{name}` does not refer to a ProviderRow; update or remove its package")
        rows.setdefault(name, replace(row, name=name))
    return rows


def build_provider_table(config: DebateConfig) -> dict[str, ProviderRow]:
    """Return all rows with the changes of `config`, by name. Raises ConfigError with every problem found."""
    problems = find_provider_problems(config)
    if problems:
        raise ConfigError(*problems)
    return merge_provider_rows(config)


def merge_provider_rows(config: DebateConfig) -> dict[str, ProviderRow]:
    """Return the rows as `build_provider_table` does, but ignore problems. A new row without a kind is left out."""
    table = load_provider_rows()
    for name, spec in config.providers.items():
        start = _find_base_row(name, spec)
        if start is not None:
            table[name] = _apply_spec(start, spec)
    return table


def find_provider_problems(config: DebateConfig) -> list[str]:
    """Return the problems of the providers in `config`, one line each. Never quotes a value that could be a secret."""
    return [problem for name, spec in config.providers.items() for problem in _find_spec_problems(name, spec)]


def find_url_problem(url: str) -> str | None:
    """Return why `url` cannot be the address of a server; None if it can."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        parts, is_address = urlsplit(""), False
    if not is_address or " " in url or not url.isprintable():
        return "is not an address like http://127.0.0.1:8000/v1"
    if not parts.netloc.isascii() or "\\" in parts.netloc or parts.netloc.count("@") > 1:
        return "names its host with characters that programs read in different ways; write the host in ASCII, like lab.example"
    return None


def _find_base_row(name: str, spec: ProviderSpec) -> ProviderRow | None:
    """Return the row that `spec` changes: the known row `name`, else a new row of its kind; None without a kind."""
    preset = load_provider_rows().get(name)
    if preset is not None and spec.kind in {None, preset.kind}:
        return preset
    if spec.kind is None:
        return None
    official = BUILTIN_PROVIDERS.get(spec.kind)
    if spec.base_url is None and official is not None and spec.kind in REMOTE_KINDS:
        return ProviderRow(name, spec.kind, official.base_url, profile=official.profile, batches=official.batches)
    has_batches = spec.kind == "mock"
    return ProviderRow(
        name, spec.kind, profile=KIND_PROFILES[spec.kind], local=spec.kind not in REMOTE_KINDS, batches=has_batches
    )


def _apply_spec(row: ProviderRow, spec: ProviderSpec) -> ProviderRow:
    redirected = spec.base_url is not None
    profile = row.profile if spec.structured is None else replace(row.profile, modes=spec.structured)
    configured = {name.lower() for name in spec.headers}
    kept_headers = {
        name: value for name, value in row.headers.items() if not redirected and name.lower() not in configured
    }
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
        headers={**kept_headers, **spec.headers},
    )


def _find_spec_problems(name: str, spec: ProviderSpec) -> list[str]:
    where = f"providers.{name}"
    found: list[str] = []
    if not name or "/" in name or any(sign.isspace() for sign in name):
        found.append(f"{where}: the name of a provider must not contain a slash or a space")
    if name in PERSON_PROVIDERS:
        found.append(f"{where}: this name stands for people; choose another name for a provider")
    preset = load_provider_rows().get(name)
    names_key = "api_key_env" in spec.model_fields_set
    if preset is None and spec.kind is None:
        found.append(
            f"{where}.kind: is missing; add `kind: openai` for an OpenAI-compatible server "
            "(other kinds: anthropic, embedded, mock)"
        )
    elif preset is None and spec.kind in REMOTE_KINDS and spec.base_url is None and not spec.api_key_env:
        found.append(f"{where}.base_url: is missing; give the address of the server (or an api_key_env)")
    if preset is not None and not names_key and (spec.base_url is not None or spec.kind not in {None, preset.kind}):
        found.append(
            f"{where}.base_url: sends {name}'s requests to another server; also name the key for that server: "
            f"add api_key_env, or api_key_env: null to send no key"
        )
    if spec.base_url is not None and (problem := find_url_problem(spec.base_url)):
        found.append(f"{where}.base_url: {problem}")
    if spec.api_key_env is not None and not _VARIABLE_NAME.fullmatch(spec.api_key_env):
        found.append(f"{where}.api_key_env: must be the name of an environment variable, not the key itself")
    found += [
        f"{where}.headers.{header}: {problem}"
        for header, value in spec.headers.items()
        if (problem := _find_header_problem(header, value))
    ]
    return found


def _find_header_problem(name: str, value: str) -> str | None:
    if not _HEADER_NAME.fullmatch(name) or not value.isascii() or not value.isprintable():
        return "is not a valid HTTP header"
    if _ROUTING_HEADER.fullmatch(name):
        return "belongs to the connection, not to the request; remove it, and name the server in base_url"
    if _SECRET_HEADER.search(name) and not find_variables(value):
        return "must name the environment variable of a secret, as ${VAR}, not its value"
    return None


# Environment variables in texts -------------------------------------------------------------------------------------


def fill_variables(text: str, env: Mapping[str, str]) -> str:
    """Fill in `${VAR}` and `${VAR:-default}` in `text`. Raises KeyError with the name of an unset variable."""

    def fill(match: re.Match[str]) -> str:
        name, default = match.groups()
        value = env.get(name, "").strip() or default
        if value is None:
            raise KeyError(name)
        return value

    return _VARIABLE.sub(fill, text)


def find_variables(text: str) -> tuple[str, ...]:
    """Return the names of the variables in `text`, in order."""
    return tuple(match.group(1) for match in _VARIABLE.finditer(text))
