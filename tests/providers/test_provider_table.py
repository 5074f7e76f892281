"""Providers of a configuration override rows of the provider table."""

from typing import Any

import pytest
from provider_config_support import config

from debate_cli.errors import ConfigError
from debate_cli.providers.provider_table import BUILTIN_PROVIDERS, build_provider_table

KEY = "sk-real-0123456789"


def test_a_new_row_has_the_profile_of_its_kind() -> None:
    """A new OpenAI-compatible row tries native, then prompt, and limits answers with max_tokens."""
    row = build_provider_table(config(lab={"kind": "openai", "base_url": "http://127.0.0.1:8000/v1"}))["lab"]
    assert (row.profile.modes, row.profile.token_limit_field, row.api_key_env) == (
        ("native", "prompt"),
        "max_tokens",
        None,
    )


def test_fields_override_a_built_in_row() -> None:
    """Fields that a configuration omits keep their built-in value."""
    row = build_provider_table(config(groq={"max_concurrency": 2, "structured": ["prompt"]}))["groq"]
    assert (row.max_concurrency, row.profile.modes) == (2, ("prompt",))
    assert (row.base_url, row.api_key_env) == (BUILTIN_PROVIDERS["groq"].base_url, "GROQ_API_KEY")


def test_a_second_account_of_the_same_vendor_needs_no_address() -> None:
    """A new row with its own key uses the vendor's server and profile."""
    row = build_provider_table(config(work={"kind": "anthropic", "api_key_env": "WORK_KEY"}))["work"]
    assert (row.base_url, row.profile) == (
        BUILTIN_PROVIDERS["anthropic"].base_url,
        BUILTIN_PROVIDERS["anthropic"].profile,
    )


@pytest.mark.parametrize(
    ("name", "spec", "words"),
    [
        ("openai", {"base_url": "http://evil.example/v1"}, "api_key_env: null"),
        ("openai", {"kind": "anthropic"}, "api_key_env"),
        ("lab", {"base_url": "http://127.0.0.1:1/v1"}, "kind: is missing"),
        ("lab", {"kind": "openai"}, "base_url: is missing"),
        ("lab", {"kind": "openai", "base_url": "127.0.0.1:8000"}, "is not an address"),
        ("lab", {"kind": "openai", "base_url": "ftp://x/y"}, "is not an address"),
        ("lab", {"kind": "openai", "base_url": "http://x:99999/"}, "is not an address"),
        ("lab", {"kind": "openai", "base_url": "http://x/", "api_key_env": KEY}, "not the key itself"),
        (
            "lab",
            {"kind": "openai", "base_url": "http://x/", "headers": {"X-Api-Key": KEY}},
            "must not contain a secret",
        ),
        ("lab", {"kind": "openai", "base_url": "http://x/", "headers": {"X A": "b"}}, "not a valid HTTP header"),
        ("openai", {"headers": {"Host": "evil.example"}}, "is a header that the program sets itself"),
        ("openai", {"headers": {"transfer-encoding": "chunked"}}, "is a header that the program sets itself"),
        ("openai", {"headers": {"X-Session-Token": "hush"}}, "must not contain a secret"),
        ("openai", {"headers": {"X-Auth": "hush"}}, "must not contain a secret"),
        ("openai", {"structured": []}, "add a mode of structured output"),
        ("a/b", {"kind": "openai", "base_url": "http://x/"}, "must contain no slashes"),
    ],
)
def test_an_invalid_row_is_refused(name: str, spec: dict[str, Any], words: str) -> None:
    """The message names the field and does not repeat a pasted key."""
    with pytest.raises(ConfigError) as caught:
        build_provider_table(config(**{name: spec}))
    assert str(caught.value).startswith(f"providers.{name}")
    assert words in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("own", [{"api_key_env": None}, {"api_key_env": "MY_KEY"}])
def test_a_redirected_row_with_its_own_key_is_accepted(own: dict[str, Any]) -> None:
    """A row may have another address if it names a key variable, or null."""
    row = build_provider_table(config(openai={"base_url": "http://127.0.0.1:1/v1"} | own))["openai"]
    assert row.api_key_env == own["api_key_env"]
