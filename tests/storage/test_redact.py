"""Redaction: by value and by pattern, once and for all, without breaking JSON or ordinary words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debate_cli.storage.redact import REDACTED, Redactor, looks_like_secret, redact_values

SECRET = "zq-Hush-7391"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"the key {SECRET}.", "the key [redacted]."),
        ("sk-proj-abcdEFGH12345678", "[redacted]"),
        ("a sk-ant-api03-abcdefgh and more", "a [redacted] and more"),
        ("AIzaSyA1234567890abcdefghijk", "[redacted]"),
        ("gsk_1234567890abcdefgh", "[redacted]"),
        ("Authorization: Bearer abc123DEF456", "Authorization: Bearer [redacted]"),
        ("bearer  averylongtokenwithoutdigits", "bearer  [redacted]"),
        ("x-api-key: hush-hush", "x-api-key: [redacted]"),
        ('{"x-api-key": "hush-hush"}', '{"x-api-key": "[redacted]"}'),
        ("https://me:pw@example.org/v1?a=b", "https://[redacted]@example.org/v1?a=b"),
        (r'{"text": "line\nsk-abcdefgh12345678"}', r'{"text": "line\n[redacted]"}'),
    ],
)
def test_secrets_are_replaced(text: str, redacted: str) -> None:
    """Each shape, in plain text and in JSON."""
    assert Redactor([SECRET])(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "a task-oriented approach, risk-averse and disk-bound",
        "scikit: sk-learn-contrib",
        "Bearer authentication is a standard; bearer tokens are not.",
        "see https://example.org:8443/a@b and mail me@example.org",
        "the x-api-key header carries it",
        "ollama serves llama",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    """What merely looks a little like a secret is left alone, and so is what stands in for one."""
    assert Redactor(["ollama", "a"])(text) == text
    assert not looks_like_secret(text)


def test_longer_secrets_go_first() -> None:
    """Of two secrets of which one begins the other nothing is left."""
    assert Redactor(["abcdef", "abcdefghij"])("abcdefghij abcdef") == "[redacted] [redacted]"


ALPHABET = 'ab1-\\"\n é🙂:/@='
PIECES = st.sampled_from(
    [SECRET, "sk-abcdefgh12345678", "Bearer abc123def456", "https://a:b@c", "x-api-key: abcdefg", REDACTED]
)
TEXTS = st.lists(st.text(ALPHABET, max_size=8) | PIECES, max_size=6).map("".join)


@settings(deadline=None)
@given(TEXTS, st.text(ALPHABET, min_size=6, max_size=9))
def test_twice_is_once(text: str, secret: str) -> None:
    """Redacting what is redacted changes nothing."""
    redact = Redactor([secret, SECRET])
    assert redact(redact(text)) == redact(text)


@settings(deadline=None)
@given(TEXTS, st.text(ALPHABET, min_size=6, max_size=9))
def test_json_stays_json(text: str, secret: str) -> None:
    """A serialised line that is redacted as a whole is still JSON."""
    redact = Redactor([secret, SECRET])
    assert isinstance(json.loads(redact(json.dumps({"a": text}))), dict)


@settings(deadline=None)
@given(TEXTS, st.text(ALPHABET, min_size=6, max_size=9))
def test_a_value_is_gone_from_what_is_written(text: str, secret: str) -> None:
    """Applied to the values before they are written, nothing of a secret is in them."""
    data = redact_values({"words": [f"{text}{secret}{text}"], secret: 1}, Redactor([secret]))
    assert all(secret not in word.replace(REDACTED, "\0") for word in (*data, *data["words"]))


@pytest.mark.parametrize(
    "key",
    [
        "sk-abcdefgh12345678",
        "AIzaSyA1234567890abcdef",
        "gsk_1234567890abcdef",
        "xai-1234567890abcdef",
        "hf_1234567890abcdef",
        "ghp_1234567890abcdef",
        "gho_1234567890abcdef",
        "ghu_1234567890abcdef",
        "ghs_1234567890abcdef",
        "ghr_1234567890abcdef",
        "github_pat_1234567890abcdef",
        "AKIAABCDEFGH12345678",
    ],
)
def test_every_shape_of_a_key_is_taken_out(key: str) -> None:
    """Also where nobody said that it is one."""
    assert key not in Redactor()(f"the key is {key} they said")


@pytest.mark.parametrize("spelled", [r"a\u0026b€c\u003cd", r"a\u0026b\u20ACc\u003Cd", r"a\\u0026b\\u20acc<d"])
def test_signs_escaped_by_other_programs_are_known(spelled: str) -> None:
    """Go and PHP write & and < as escapes, some with capital digits, and texts within texts double the backslash."""
    assert Redactor(["a&b€c<d"])(f"x {spelled} y") == "x [redacted] y"


@pytest.mark.parametrize(
    ("text", "unsure"),
    [("so they sai", 3), ("so they said ", 0), ("Authorization: Bearer ab", 9), ("a bearer ", 7), ("漢字の", 0)],
)
def test_the_last_word_may_be_the_beginning_of_a_secret(text: str, unsure: int) -> None:
    """And so may what tells it for a credential; what stands before has been seen whole."""
    assert Redactor(["canary-secret"]).uncertain_tail(text) == unsure
