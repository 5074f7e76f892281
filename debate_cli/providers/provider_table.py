"""The provider table: built-in rows, rows of plug-ins, and the changes that a configuration makes.

A plug-in adds a `ProviderRow` by an entry point of the group `debate_cli.providers`. A key is sent only to the server
of its row. A configuration that changes the server must therefore also name the key for that server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from ipaddress import ip_address
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

from debate_cli.domain.config import DebateConfig, Limits, Price, ProviderSpec
from debate_cli.domain.config_checks import KeyPath, Problem
from debate_cli.domain.model_call import PERSON_PROVIDERS
from debate_cli.errors import ConfigError, MissingKeyError
from debate_cli.llm.model import Profile
from debate_cli.plugins import PROVIDERS
from debate_cli.providers.endpoint import Endpoint, ModelServer

REMOTE_KINDS = ("openai", "anthropic")
PERSON_KIND = "person"
"""Kind of the providers for people. A configuration cannot add a provider of this kind."""
OLLAMA_SEARCH_KEY = "OLLAMA_API_KEY"
"""Name of the environment variable with the key for Ollama's web search."""
DEFAULT_PROFILE = Profile()


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """A provider: its address, key and limits, and the abilities of its models."""

    name: str
    kind: str
    """Name of the protocol: a `ProviderKind`, or any word if `make_server` is set."""
    base_url: str | None = None
    """Address of the server; None for a provider in this process."""
    base_url_env: str | None = None
    """Name of the environment variable whose value replaces `base_url`; None if no variable replaces it."""
    api_key_env: str | None = None
    """Name of the environment variable with the API key; if None, requests are sent without a key."""
    profile: Profile = DEFAULT_PROFILE
    max_concurrency: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    price: Price | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Extra HTTP headers. `${VAR}` becomes the value of the environment variable VAR. An empty header is not sent."""
    local: bool = False
    """Whether the provider's models run on this machine."""
    batches: bool = False
    """Whether the provider answers batches of requests, at half the price."""
    trial_models: Collection[str] = ()
    """Names of the models that are only for trying out the program, because they are too small to judge."""
    make_server: Callable[[ProviderRow, Endpoint], ModelServer] | None = None
    """Creates the `ModelServer` of a plug-in. None means the built-in `ModelServer` for `kind`."""

    @property
    def is_remote(self) -> bool:
        """Whether requests go over HTTP to a server. False for embedded models, the mock and people."""
        return self.kind in REMOTE_KINDS or (self.make_server is not None and self.base_url is not None)


_LLAMA_PROFILE = Profile(dialect="full", seed=True)
_SEED_PROFILE = Profile(seed=True)
_PERSON_PROFILE = Profile(modes=("native",), sampling=False, dialect="full")
_OPENAI_PROFILE = Profile(
    modes=("native", "tool", "prompt"),
    token_limit_field="max_completion_tokens",  # noqa: S106 - tokens, not a secret
    seed=True,
    prompt_cache_key=True,
)
_ANTHROPIC_PROFILE = Profile(modes=("native", "tool", "prompt"), sampling=False, dialect="anthropic")
_OPENAI_HEADERS = {"OpenAI-Organization": "${OPENAI_ORG_ID:-}", "OpenAI-Project": "${OPENAI_PROJECT_ID:-}"}
_GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta/openai"
_ROWS = (
    ProviderRow(
        "openai", "openai", "https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY", _OPENAI_PROFILE,
        headers=_OPENAI_HEADERS, batches=True,
    ),
    ProviderRow(
        "anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY",
        _ANTHROPIC_PROFILE, batches=True,
    ),
    ProviderRow("gemini", "openai", _GEMINI_URL, None, "GEMINI_API_KEY", Profile(schema_references=False)),
    ProviderRow("ollama", "openai", "http://127.0.0.1:11434/v1", "OLLAMA_HOST", None, _SEED_PROFILE, local=True),
    ProviderRow("openrouter", "openai", "https://openrouter.ai/api/v1", None, "OPENROUTER_API_KEY", _SEED_PROFILE),
    ProviderRow("groq", "openai", "https://api.groq.com/openai/v1", None, "GROQ_API_KEY", _SEED_PROFILE),
    ProviderRow("together", "openai", "https://api.together.xyz/v1", None, "TOGETHER_API_KEY", _SEED_PROFILE),
    ProviderRow("deepseek", "openai", "https://api.deepseek.com/v1", None, "DEEPSEEK_API_KEY"),
    ProviderRow("mistral", "openai", "https://api.mistral.ai/v1", None, "MISTRAL_API_KEY", Profile(stream_usage=False)),
    ProviderRow("xai", "openai", "https://api.x.ai/v1", None, "XAI_API_KEY", _SEED_PROFILE),
    ProviderRow("vllm", "openai", "http://127.0.0.1:8000/v1", profile=_LLAMA_PROFILE, local=True),
    ProviderRow("llamacpp", "openai", "http://127.0.0.1:8080/v1", profile=_LLAMA_PROFILE, local=True),
    ProviderRow("lmstudio", "openai", "http://127.0.0.1:1234/v1", profile=_SEED_PROFILE, local=True),
    ProviderRow("local", "embedded", profile=_LLAMA_PROFILE, local=True, trial_models=("smollm2",)),
    ProviderRow("mock", "mock", profile=_LLAMA_PROFILE, local=True, batches=True),
    *(ProviderRow(name, PERSON_KIND, profile=_PERSON_PROFILE, local=True) for name in PERSON_PROVIDERS),
)  # fmt: skip
BUILTIN_PROVIDERS: Mapping[str, ProviderRow] = MappingProxyType({row.name: row for row in _ROWS})

REASONING_MODELS = ("openai/gpt-[5-9]*", "openai/o[1-9]*", "deepseek/*reasoner*")
"""Shell-style patterns of models that reason before they answer. No temperature is sent to these models."""
CHAT_MODELS = "openai/gpt-[5-9]*-chat*"
"""Pattern of exceptions to REASONING_MODELS: these models do not reason."""
REASONING_OUTPUT_TOKENS = 16_384


def is_trial_model(model: str) -> bool:
    """Return whether `model`, a `provider/model`, is only for trying out the program."""
    provider, _, name = model.partition("/")
    return provider in BUILTIN_PROVIDERS and name in BUILTIN_PROVIDERS[provider].trial_models


def find_profile(row: ProviderRow, model: str) -> Profile:
    """Return the profile of a model of `row`. `model` is the model's name without the provider."""
    name = f"{row.name}/{model}"
    if fnmatchcase(name, CHAT_MODELS) or not any(fnmatchcase(name, pattern) for pattern in REASONING_MODELS):
        return row.profile
    return replace(row.profile, sampling=False, max_output_tokens=REASONING_OUTPUT_TOKENS)


def load_provider_rows() -> dict[str, ProviderRow]:
    """Return the built-in rows and those of plug-ins, by name.

    Raises ConfigError for a plug-in that does not refer to a `ProviderRow`.
    """
    rows = dict(BUILTIN_PROVIDERS)
    for name in PROVIDERS.names():
        row = PROVIDERS.load(name)
        if not isinstance(row, ProviderRow):
            raise ConfigError(f"the plug-in `{name}` does not refer to a ProviderRow; update or remove its package")
        rows.setdefault(name, replace(row, name=name))
    return rows


# Changes by a configuration ------------------------------------------------------------------------------------------

_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_CONNECTION_HEADER = re.compile(
    r"host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*", re.IGNORECASE
)


def build_provider_table(config: DebateConfig) -> dict[str, ProviderRow]:
    """Map each provider's name to its row, with the changes in `config`. Raises ConfigError with all problems."""
    if problems := find_provider_problems(config):
        raise ConfigError(*(f"{'.'.join(map(str, problem.path))}: {problem.message}" for problem in problems))
    return merge_provider_rows(config)


def merge_provider_rows(config: DebateConfig) -> dict[str, ProviderRow]:
    """Map each provider's name to its row, with the changes in `config`. Does not check the changes.

    A new provider in `config` is left out if its `kind` is missing.
    """
    table = load_provider_rows()
    for name, spec in config.providers.items():
        preset = table.get(name)
        if preset is not None and spec.kind in {None, preset.kind}:
            table[name] = _apply_spec(preset, spec)
        elif spec.kind is not None:
            vendor = BUILTIN_PROVIDERS["local" if spec.kind == "embedded" else spec.kind]
            is_compatible = spec.kind == "openai" and spec.base_url is not None
            table[name] = _apply_spec(
                ProviderRow(
                    name,
                    spec.kind,
                    vendor.base_url,
                    profile=_SEED_PROFILE if is_compatible else vendor.profile,
                    local=vendor.local,
                    batches=vendor.batches and spec.base_url is None,
                ),
                spec,
            )
    return table


def _apply_spec(row: ProviderRow, spec: ProviderSpec) -> ProviderRow:
    redirected = spec.base_url is not None
    configured = {name.lower() for name in spec.headers}
    kept_headers = {
        name: value for name, value in row.headers.items() if not redirected and name.lower() not in configured
    }
    return replace(
        row,
        base_url=spec.base_url or row.base_url,
        base_url_env=None if redirected else row.base_url_env,
        api_key_env=spec.api_key_env if redirected or "api_key_env" in spec.model_fields_set else row.api_key_env,
        profile=row.profile if spec.structured is None else replace(row.profile, modes=spec.structured),
        max_concurrency=spec.max_concurrency or row.max_concurrency,
        requests_per_minute=spec.requests_per_minute or row.requests_per_minute,
        tokens_per_minute=spec.tokens_per_minute or row.tokens_per_minute,
        price=spec.price or row.price,
        headers={**kept_headers, **spec.headers},
    )


def find_provider_problems(config: DebateConfig) -> list[Problem]:
    """Return the problems of the providers in `config`. No message quotes a value that may be secret."""
    known = load_provider_rows()
    return [
        Problem(("providers", name, *key), message)
        for name, spec in config.providers.items()
        for key, message in _find_spec_problems(name, spec, known.get(name))
    ]


def _find_spec_problems(name: str, spec: ProviderSpec, preset: ProviderRow | None) -> Iterator[tuple[KeyPath, str]]:
    if not re.fullmatch(r"[^/\s]+", name):
        yield (), "a provider's name must contain no slashes or spaces; rename it"
    if name in PERSON_PROVIDERS:
        yield (), "this name is reserved for people; choose another name for the provider"
    if preset is None and spec.kind is None:
        message = "is missing; add `kind: openai` for an OpenAI-compatible server (other kinds: anthropic, embedded)"
        yield ("kind",), message
    elif preset is None and spec.kind in REMOTE_KINDS and spec.base_url is None and not spec.api_key_env:
        message = "is missing; give the address of the server, or give api_key_env to use the vendor's server"
        yield ("base_url",), message
    is_moved = preset is not None and (spec.base_url is not None or spec.kind not in {None, preset.kind})
    if is_moved and "api_key_env" not in spec.model_fields_set:
        message = (
            f"sends {name}'s requests to another server; also choose the key for that server: "
            "add api_key_env: VARIABLE, or api_key_env: null to send no key"
        )
        yield ("base_url",), message
    if spec.base_url is not None and (problem := find_url_problem(spec.base_url)):
        yield ("base_url",), problem
    if spec.structured is not None and not spec.structured:
        yield ("structured",), "is an empty list; add a mode of structured output, or remove the key"
    if spec.api_key_env is not None and not _VARIABLE_NAME.fullmatch(spec.api_key_env):
        yield ("api_key_env",), "must be the name of an environment variable, not the key itself"
    yield from _find_header_problems(spec.headers)


def _find_header_problems(headers: Mapping[str, str]) -> Iterator[tuple[KeyPath, str]]:
    for name, value in headers.items():
        path = ("headers", name)
        if not _HEADER_NAME.fullmatch(name) or not value.isascii() or not value.isprintable():
            yield path, "is not a valid HTTP header; correct its name or its value"
        elif _CONNECTION_HEADER.fullmatch(name):
            yield (
                path,
                "is a header that the program sets itself; remove it (the address of the server belongs in base_url)",
            )
        elif value and _SECRET_HEADER.search(name) and not find_variables(value):
            yield path, "must not contain a secret; write ${VAR}, and set the environment variable VAR"


# Addresses -----------------------------------------------------------------------------------------------------------

OLLAMA_PORT = 11434
HTTP_PORT, HTTPS_PORT = 80, 443


def find_url_problem(url: str) -> str | None:
    """Return the problem with `url` as the address of a server; None if there is no problem."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        parts, is_address = urlsplit(""), False
    if not is_address or " " in url or not url.isprintable():
        return "is not an address like http://127.0.0.1:8000/v1; correct it"
    if not parts.netloc.isascii() or "\\" in parts.netloc or parts.netloc.count("@") > 1:
        return "has a backslash, a second `@` or a character outside ASCII in its host part; write a plain host, like lab.example"
    return None


def resolve_base_url(row: ProviderRow, env: Mapping[str, str]) -> str | None:
    """Return the provider's address; None for a provider in this process.

    An address in the environment variable `row.base_url_env` replaces `row.base_url`.
    """
    named = env.get(row.base_url_env, "").strip() if row.base_url_env else ""
    if not named:
        return row.base_url
    return parse_ollama_host(named) if row.base_url_env == "OLLAMA_HOST" else named


def parse_ollama_host(host: str) -> str:
    """Return the complete address for a value of OLLAMA_HOST, which may lack scheme, port and `/v1`.

    The host 0.0.0.0 becomes 127.0.0.1.
    """
    scheme, _, rest = host.rpartition("://")
    netloc, _, path = rest.rstrip("/").partition("/")
    name, colon, port = netloc.rpartition(":")
    if not colon or netloc.endswith("]"):
        name, port = netloc, "" if scheme else str(OLLAMA_PORT)
    name = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(name, name)  # noqa: S104 - a server listens there, a client cannot call it
    path = "/".join(part for part in (path.removesuffix("v1").strip("/"), "v1") if part)
    return f"{scheme or 'http'}://{name}{f':{port}' if port else ''}/{path}"


def server_name(url: str) -> str:
    """Return `host:port` of `url`, without the port if it is 443. Empty if `url` has no host."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        port = parts.port or (HTTPS_PORT if parts.scheme == "https" else HTTP_PORT)
    except ValueError:
        return ""
    host = f"[{host}]" if ":" in host else host
    return host if not host or port == HTTPS_PORT else f"{host}:{port}"


def is_loopback(url: str) -> bool:
    """Return whether the host of `url` is this machine: `localhost` or a loopback address."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


# Keys and variables --------------------------------------------------------------------------------------------------

_VARIABLE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]{0,1000}))?\}")


def fill_variables(text: str, env: Mapping[str, str]) -> str:
    """Replace `${VAR}` and `${VAR:-default}` in `text` by values in `env`, and `$${` by a literal `${`.

    Raises KeyError with the name of an unset variable.
    """

    def fill(match: re.Match[str]) -> str:
        name, default = match.groups()
        if name is None:
            return "${"
        value = env.get(name, "").strip() or default
        if value is None:
            raise KeyError(name)
        return value

    return _VARIABLE.sub(fill, text)


def find_variables(text: str) -> tuple[str, ...]:
    """Return the names of the variables `${VAR}` in `text`, in the order of the text."""
    return tuple(match.group(1) for match in _VARIABLE.finditer(text) if match.group(1))


def find_key_problem(row: ProviderRow, env: Mapping[str, str]) -> str | None:
    """Return the problem with the provider's API key, as a sentence; None if there is no problem."""
    if row.api_key_env is None or not (row.is_remote or row.make_server is not None):
        return None
    key = env.get(row.api_key_env, "").strip()
    if not key:
        return (
            f"{row.api_key_env} is not set: provider {row.name} needs it; "
            "set it in the environment or in .env, or run with --mock"
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        return (
            f"{row.api_key_env} contains characters that no key has, so provider {row.name} cannot use it; set it again"
        )
    return None


def find_address_problems(row: ProviderRow, env: Mapping[str, str]) -> list[str]:
    """Return the problems of the address and the headers of `row`, one line each."""
    if not row.is_remote:
        return []
    found: list[str] = []
    problem = find_url_problem(resolve_base_url(row, env) or "")
    if problem:
        found.append(f"{row.base_url_env or f'providers.{row.name}.base_url'} {problem}")
    for name, value in row.headers.items():
        try:
            ready = fill_variables(value, env)
        except KeyError as unset:
            found.append(
                f"{unset.args[0]} is not set: header {name} of provider {row.name} needs it; set it in the environment or in .env"
            )
            continue
        if not ready.isascii() or not ready.isprintable():
            found.append(
                f"header {name} of provider {row.name} contains characters that HTTP cannot send; correct its value"
            )
    return found


def resolve_endpoint(row: ProviderRow, env: Mapping[str, str], limits: Limits) -> Endpoint:
    """Return address, key, headers and limits for requests to the provider of `row`.

    Raises MissingKeyError for an unusable key, and ConfigError for an unusable address or header.
    """
    if problem := find_key_problem(row, env):
        raise MissingKeyError(problem)
    if problems := find_address_problems(row, env):
        raise ConfigError(*problems)
    return Endpoint(
        provider=row.name,
        base_url=resolve_base_url(row, env) or "",
        api_key=env[row.api_key_env].strip() if row.api_key_env else None,
        api_key_env=row.api_key_env,
        headers={name: ready for name, value in row.headers.items() if (ready := fill_variables(value, env))},
        timeout_s=limits.timeout_s,
        answer_timeout_s=limits.answer_timeout_s,
        secrets=collect_secrets((row,), env),
    )


def collect_secrets(rows: Iterable[ProviderRow], env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets of `rows`, sorted. `env`: environment variables.

    Secrets of a row are its key, the values of variables in its headers, and the password in its address. If an address
    has no password, its user name is a secret.
    """
    found: set[str] = set()
    for row in rows:
        named = {name for value in row.headers.values() for name in find_variables(value)} | {row.api_key_env or ""}
        found.update(env.get(name, "").strip() for name in named)
        try:
            address = urlsplit(resolve_base_url(row, env) or "")
        except ValueError:
            continue
        password = address.password or address.username or ""  # a token may be the user name
        found.update((password, unquote(password)))
    return tuple(sorted(found - {""}))
