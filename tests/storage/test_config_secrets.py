"""Secrets in a configuration: known by value, refused where they are written out, never repeated."""

from __future__ import annotations

import pytest
from config_file_support import load, problems

SECRET = "zq-Hush-7391-value"


def test_headers_stay_as_written() -> None:
    """What a header holds is filled in when it is sent, so no secret is stored; it is known as one all the same."""
    loaded = load("providers: {lab: {headers: {X-Auth: '${LAB_TOKEN}'}}}", env={"LAB_TOKEN": SECRET})
    assert loaded.config.providers["lab"].headers == {"X-Auth": "${LAB_TOKEN}"}
    assert loaded.secrets == (SECRET,)


@pytest.mark.parametrize(
    "more",
    ["background: ${MY_API_KEY}", "providers: {lab: {api_key_env: MY_API_KEY}}"],
)
def test_secrets_are_known_by_value(more: str) -> None:
    """What secret variables hold, and what providers name as their key, must never be written."""
    assert load(more, env={"MY_API_KEY": SECRET, "OTHER": "plain"}).secrets == (SECRET,)


KEYLIKE = [
    "sk-proj-abcdefgh12345678",
    "AIzaSyA1234567890abcdefghijk",
    "gsk_1234567890abcdefgh",
    "Bearer abcdefgh12345678",
]


@pytest.mark.parametrize("key", KEYLIKE)
@pytest.mark.parametrize(
    "more",
    ["background: 'use {key}'", "providers: {{lab: {{headers: {{X-A: '{key}'}}}}}}", "'the {key}': 1", "'{key}': 1"],
)
def test_a_key_in_the_file_is_an_error_that_does_not_repeat_it(more: str, key: str) -> None:
    """Wherever it stands, also as a key; nothing of it is shown."""
    (line,) = problems(more.format(key=key))
    assert "a key stands here in plain text" in line
    assert key.removeprefix("Bearer ") not in line


def test_a_secret_header_written_out_is_an_error() -> None:
    """A header that carries a secret takes a variable, whatever the secret looks like."""
    line = problems("providers: {lab: {headers: {x-api-key: hush}}}")[0]
    assert "a key stands here in plain text" in line
    assert "hush" not in line


def test_a_secret_never_shows_in_an_error() -> None:
    """A secret that lands where a known word is wanted is not repeated."""
    lines = problems("format: {kind: '${MY_SECRET}'}", env={"MY_SECRET": SECRET})
    assert lines
    assert SECRET not in "\n".join(lines)
