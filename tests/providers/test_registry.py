"""The registry: names, keys, addresses and secrets of providers, and the adapters that it builds."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from provider_config_support import config
from wire_support import Wire, http_response

from debate_cli.domain.config import ModelSpec
from debate_cli.errors import MissingKeyError, UnreachableError
from debate_cli.llm.model import Message, Model, Request
from debate_cli.providers.provider_table import (
    BUILTIN_PROVIDERS,
    build_provider_table,
    parse_ollama_host,
    resolve_base_url,
)
from debate_cli.providers.registry import (
    ProviderRegistry,
    collect_provider_secrets,
    find_row_problems,
    format_unknown_provider,
)

HERE = Path()
KEY = "sk-real-0123456789"
REQUEST = Request(system="s", messages=(Message("user", "u"),), purpose="opening", max_output_tokens=9)
ANSWER = http_response({"choices": [{"index": 0, "message": {"content": "x"}, "finish_reason": "stop"}], "usage": None})


@pytest.mark.parametrize("name", list(BUILTIN_PROVIDERS))
def test_every_built_in_row_is_complete(name: str) -> None:
    """A provider in this process has no address; a remote one has an address and a key."""
    row = BUILTIN_PROVIDERS[name]
    assert (row.base_url is None) == (row.kind in {"embedded", "mock", "person"})
    assert (row.api_key_env is None) == row.local


def test_an_sdk_is_imported_by_the_first_call_that_needs_it() -> None:
    """Creating adapters needs no SDK and no HTTP library. A call to an OpenAI-compatible server imports only OpenAI's SDK."""
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from debate_cli.domain.config import DebateConfig, ModelSpec\n"
        "from debate_cli.errors import UnreachableError\n"
        "from debate_cli.llm.model import Message, Request\n"
        "from debate_cli.providers.registry import ProviderRegistry\n"
        "lab = {'kind': 'openai', 'base_url': 'http://127.0.0.1:9/v1', 'api_key_env': None}\n"
        "config = DebateConfig.model_validate({'topic': 'T', 'debaters': [], 'providers': {'lab': lab}})\n"
        "registry = ProviderRegistry(config, {}, folder=Path())\n"
        "models = [registry.adapter(ModelSpec(model=f'{name}/x')) for name in ('openai', 'anthropic', 'mock', 'lab')]\n"
        "print(sorted({'openai', 'anthropic', 'httpx2', 'xllamacpp'} & set(sys.modules)))\n"
        "request = Request(system='s', messages=(Message('user', 'u'),), purpose='x', max_output_tokens=1)\n"
        "try:\n"
        "    asyncio.run(models[-1].complete(request))\n"
        "except UnreachableError:\n"
        "    print(sorted({'openai', 'anthropic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['openai']"]


# Requirements ------------------------------------------------------------------------------------------------


def problems(name: str, env: dict[str, str], **providers: dict[str, Any]) -> list[str]:
    """Problems of the provider `name`."""
    return find_row_problems(build_provider_table(config(**providers))[name], env)


def test_a_missing_key_is_named_with_its_provider() -> None:
    """The message names variable and provider."""
    [problem] = problems("openai", {})
    assert "OPENAI_API_KEY is not set: provider openai needs it; " in problem


@pytest.mark.parametrize("key", ["", "  ", "with space", "umläut", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_a_problem(key: str) -> None:
    """Blank keys and keys with characters that HTTP does not allow."""
    assert problems("openai", {"OPENAI_API_KEY": key})


@pytest.mark.parametrize(
    ("name", "env"),
    [
        ("mock", {}),
        ("ollama", {}),
        ("openai", {"OPENAI_API_KEY": KEY}),
        ("openai", {"OPENAI_API_KEY": f"{KEY}\n"}),
    ],
)
def test_complete_requirements_are_no_problem(name: str, env: dict[str, str]) -> None:
    """Local providers need nothing; a line break after a key is ignored."""
    assert problems(name, env) == []


@pytest.mark.parametrize(
    ("model", "words"),
    [("opnai/x", "did you mean `openai`?"), ("OpenAI/x", "did you mean `openai`?"), ("zzz/x", "known are anthropic")],
)
def test_an_unknown_provider_is_named_with_a_suggestion(model: str, words: str) -> None:
    """A misspelt name gets a suggestion, another one the list of providers."""
    assert words in format_unknown_provider(model, BUILTIN_PROVIDERS)


def test_an_unset_variable_in_a_header_is_a_problem() -> None:
    """The message names variable, header and provider."""
    lab = {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "headers": {"X-Team": "${TEAM}"}}
    assert problems("lab", {}, lab=lab) == [
        "TEAM is not set: header X-Team of provider lab needs it; set it in the environment or in .env"
    ]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("gpu", "http://gpu:11434/v1"),
        (":8080", "http://127.0.0.1:8080/v1"),
        ("http://gpu:1", "http://gpu:1/v1"),
        ("https://gpu.example/", "https://gpu.example/v1"),
        ("http://gpu:1/v1/", "http://gpu:1/v1"),
        ("https://gpu.example/ollama", "https://gpu.example/ollama/v1"),
        ("[::1]:11434", "http://[::1]:11434/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
    ],
)
def test_forms_of_ollama_host(host: str, url: str) -> None:
    """OLLAMA_HOST may lack its scheme, port and path."""
    assert parse_ollama_host(host) == url
    assert resolve_base_url(BUILTIN_PROVIDERS["ollama"], {"OLLAMA_HOST": host}) == url


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_base_url_variables_of_the_vendors(name: str) -> None:
    """OPENAI_BASE_URL and ANTHROPIC_BASE_URL apply to their own providers; blank values are ignored."""
    variable = f"{name.upper()}_BASE_URL"
    assert resolve_base_url(BUILTIN_PROVIDERS[name], {variable: "http://127.0.0.1:9"}) == "http://127.0.0.1:9"
    assert resolve_base_url(BUILTIN_PROVIDERS[name], {variable: " "}) == BUILTIN_PROVIDERS[name].base_url


def test_base_url_of_the_configuration_takes_precedence() -> None:
    """The address in the configuration overrides the variable of the environment."""
    row = build_provider_table(config(openai={"base_url": "http://127.0.0.1:1/v1", "api_key_env": None}))["openai"]
    assert resolve_base_url(row, {"OPENAI_BASE_URL": "http://127.0.0.1:9"}) == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(("kind", "is_sent"), [("openai", True), ("anthropic", False)])
def test_a_seed_is_sent_to_a_server_of_your_own(kind: str, is_sent: bool) -> None:
    """A server that speaks OpenAI's protocol gets the seed; Anthropic's protocol has none."""
    row = build_provider_table(config(lab={"kind": kind, "base_url": "http://127.0.0.1:9/v1", "api_key_env": None}))[
        "lab"
    ]
    assert row.profile.seed is is_sent


def test_resolved_secrets_of_providers() -> None:
    """Keys, variables in headers and passwords in addresses are secret."""
    lab = {"kind": "openai", "base_url": "http://me:hunter22@127.0.0.1:1/v1", "headers": {"X-Token": "Bearer ${TOKEN}"}}
    env = {"OPENAI_API_KEY": KEY, "TOKEN": "token-0123456", "HOME": "/home/somebody"}
    assert collect_provider_secrets(config(lab=lab), env) == tuple(sorted((KEY, "token-0123456", "hunter22")))
    lab["base_url"] = "http://a-token-0123@127.0.0.1:1/v1"  # a user without a password
    assert "a-token-0123" in collect_provider_secrets(config(lab=lab), env)


# Adapters --------------------------------------------------------------------------------------------------------


def test_a_key_is_never_sent_to_a_redirected_server() -> None:
    """With `api_key_env: null`, no request holds the key of the built-in row."""

    async def run() -> str:
        async with Wire([ANSWER]) as wire:
            moved = config(openai={"base_url": f"{wire.url}/v1", "api_key_env": None})
            env = {"OPENAI_API_KEY": KEY, "OPENAI_ORG_ID": "org-0123456", "OPENAI_PROJECT_ID": "proj-0123456"}
            registry = ProviderRegistry(moved, env, folder=HERE)
            await registry.adapter(ModelSpec(model="openai/gpt-4o")).complete(REQUEST)
            await registry.aclose()
            return str(wire.seen[0].headers)

    sent = asyncio.run(run())
    assert KEY not in sent
    assert "0123456" not in sent


def test_key_and_headers_of_a_row_are_sent() -> None:
    """Variables are filled in from the given environment, `$${` is a literal `${`, and a line break after a key is removed."""

    async def run() -> dict[str, str]:
        async with Wire([ANSWER]) as wire:
            lab = {
                "kind": "openai",
                "base_url": wire.url,
                "api_key_env": "LAB",
                "headers": {"X-Team": "${TEAM:-none} ${N} $${N}"},
            }
            registry = ProviderRegistry(config(lab=lab), {"LAB": f"{KEY}\n", "N": "7"}, folder=HERE)
            await registry.adapter(ModelSpec(model="lab/m")).complete(REQUEST)
            await registry.aclose()
            return dict(wire.seen[0].headers)

    headers = asyncio.run(run())
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["x-team"] == "none 7 ${N}"


@pytest.mark.parametrize(("env", "put"), [({}, 0), ({"LAB": KEY}, 1)])
async def test_limits_wrap_only_models_with_a_key(env: dict[str, str], put: int) -> None:
    """A missing key is reported at the call and takes no slot."""
    limited: list[Model] = []

    def within(model: Model) -> Model:
        limited.append(model)
        return model

    row = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key_env": "LAB"}
    registry = ProviderRegistry(config(lab=row), env, folder=HERE)
    adapter = registry.adapter(ModelSpec(model="lab/m"), within)
    assert limited == []
    with pytest.raises(UnreachableError if env else MissingKeyError):
        await adapter.complete(REQUEST)
    await registry.aclose()
    assert len(limited) == put
