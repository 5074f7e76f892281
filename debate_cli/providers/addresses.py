"""Resolves the address, key and headers of a provider row with environment variables, and finds its secret values."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from debate_cli.domain.config import Limits
from debate_cli.errors import ConfigError, MissingKeyError
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.provider_table import ProviderRow, fill_variables, find_url_problem, find_variables

MIN_KEY_CHARS = 6
"""Minimum length of a secret. Shorter values ("none", "test") are not redacted, because that would damage texts."""
OLLAMA_PORT = 11434
HTTP_PORT, HTTPS_PORT = 80, 443
_MAX_NAMED_MODELS = 2
"""Maximum number of models that the message on a missing key names."""


def resolve_base_url(row: ProviderRow, env: Mapping[str, str]) -> str | None:
    """Return the address in the environment variable of `row`, else in `row`; None for a provider in this process."""
    named = env.get(row.base_url_env, "").strip() if row.base_url_env else ""
    if not named:
        return row.base_url
    return parse_ollama_host(named) if row.base_url_env == "OLLAMA_HOST" else named


def server_name(url: str) -> str:
    """Return the host of `url` for messages and comparisons; empty without a host.

    The port is included unless it is 443. So `http://api.example` becomes `api.example:80` and differs from
    `https://api.example`.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        port = parts.port or (HTTPS_PORT if parts.scheme == "https" else HTTP_PORT)
    except ValueError:
        return ""
    host = f"[{host}]" if ":" in host else host
    return host if not host or port == HTTPS_PORT else f"{host}:{port}"


def is_loopback(url: str) -> bool:
    """Whether `url` is an address of this machine. No name is looked up."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def parse_ollama_host(host: str) -> str:
    """Complete the address in OLLAMA_HOST: scheme, port and `/v1` may be missing; 0.0.0.0 means this machine."""
    scheme, _, rest = host.rpartition("://")
    netloc, _, path = rest.rstrip("/").partition("/")
    name, colon, port = netloc.rpartition(":")
    if not colon or netloc.endswith("]"):
        name, port = netloc, "" if scheme else str(OLLAMA_PORT)
    name = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(name, name)  # noqa: S104 - a server listens there, a client cannot call it
    path = "/".join(part for part in (path.removesuffix("v1").strip("/"), "v1") if part)
    return f"{scheme or 'http'}://{name}{f':{port}' if port else ''}/{path}"


def find_key_problem(row: ProviderRow, env: Mapping[str, str], models: Iterable[str] = ()) -> str | None:
    """Return why the key of `row` cannot be used, in one sentence; None if it can. The sentence names `models`."""
    if not row.is_remote or row.api_key_env is None:
        return None
    key = env.get(row.api_key_env, "").strip()
    if not key:
        return (
            f"{row.api_key_env} is not set: provider {row.name} needs it{_format_models(models)}; set it in the environment or in .env, "
            "or run with --mock"
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        return (
            f"{row.api_key_env} contains characters that no key has, so provider {row.name} cannot use it; set it again"
        )
    return None


def _format_models(models: Iterable[str]) -> str:
    """Name the models that need a key, as in ` for gpt-5 and 3 more models`."""
    names = list(dict.fromkeys(model.partition("/")[2] for model in models))
    if len(names) > _MAX_NAMED_MODELS:
        names = [*names[: _MAX_NAMED_MODELS - 1], f"{len(names) - _MAX_NAMED_MODELS + 1} more models"]
    return f" for {' and '.join(names)}" if names else ""


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
            found.append(f"{unset.args[0]} is not set: header {name} of provider {row.name} needs it")
            continue
        if not ready.isascii() or not ready.isprintable():
            found.append(f"header {name} of provider {row.name} contains characters that HTTP cannot send")
    return found


def resolve_endpoint(row: ProviderRow, env: Mapping[str, str], limits: Limits) -> Endpoint:
    """Return the address, key and headers of `row`. Raises MissingKeyError or ConfigError."""
    if problem := find_key_problem(row, env):
        raise MissingKeyError(problem)
    if problems := find_address_problems(row, env):
        raise ConfigError(*problems)
    headers = {name: ready for name, value in row.headers.items() if (ready := fill_variables(value, env))}
    return Endpoint(
        provider=row.name,
        base_url=resolve_base_url(row, env) or "",
        api_key=env[row.api_key_env].strip() if row.api_key_env else None,
        api_key_env=row.api_key_env,
        headers=headers,
        timeout_s=limits.timeout_s,
        answer_timeout_s=limits.answer_timeout_s,
        secrets=collect_secrets((row,), env),
    )


def collect_secrets(rows: Iterable[ProviderRow], env: Mapping[str, str]) -> tuple[str, ...]:
    """Return every secret value of `rows` in `env`, longest first: keys, variables in headers, passwords in URLs."""
    found: set[str] = set()
    for row in rows:
        named = {row.api_key_env} if row.api_key_env else set[str]()
        named.update(name for value in row.headers.values() for name in find_variables(value))
        found.update(env.get(name, "").strip() for name in named)
        found.update(_url_passwords(resolve_base_url(row, env) or ""))
    return tuple(
        sorted((value for value in found if len(value) >= MIN_KEY_CHARS), key=lambda value: (-len(value), value))
    )


def _url_passwords(url: str) -> set[str]:
    try:
        password = urlsplit(url).password or ""
    except ValueError:
        return set()
    return {password, unquote(password)}
