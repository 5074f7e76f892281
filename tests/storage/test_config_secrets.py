"""Secrets in a configuration: known by value, refused in plain text, never repeated in an error."""

import pytest
from config_file_support import load, problems

from debate_cli.storage.variables import VariableResolver, is_secret_variable

SECRET = "zq-Hush-7391-value"
KEY = "sk-proj-abcdefgh12345678"


def test_headers_stay_as_written() -> None:
    """`${VAR}` in a header is resolved when it is sent; its value is known as a secret."""
    loaded = load("providers: {lab: {headers: {X-Auth: '${LAB_TOKEN}'}}}", env={"LAB_TOKEN": SECRET})
    assert loaded.config.providers["lab"].headers == {"X-Auth": "${LAB_TOKEN}"}
    assert loaded.secrets == (SECRET,)


@pytest.mark.parametrize("more", ["background: ${MY_API_KEY}", "providers: {lab: {api_key_env: MY_API_KEY}}"])
def test_secrets_are_known_by_value(more: str) -> None:
    """The values of secret variables and of the keys that providers name are secrets."""
    env = {"MY_API_KEY": SECRET, "DEBATE_VAR_MY_API_KEY": SECRET, "OTHER": "plain"}
    assert load(more, env=env).secrets == (SECRET,)


@pytest.mark.parametrize("name", ["MY_SECRET", "OPENAI_API_KEY", "WALDO"])
def test_a_secret_in_an_address_is_an_error(name: str) -> None:
    """A variable that is secret by name, or is a provider's key, must not be in an address."""
    more = f"providers: {{lab: {{kind: openai, api_key_env: WALDO, base_url: 'https://h/${{{name}}}'}}}}"
    (line,) = problems(more, env={name: SECRET, "WALDO": SECRET})
    assert f"{name} contains a secret, which must not be part of an address" in line
    assert SECRET not in line


@pytest.mark.parametrize(
    "more",
    [
        "background: 'use {key}'",
        "seed: {key}",
        "format: {{{key}: 1}}",
        "providers: {{lab: {{headers: {{X-A: '{key}'}}}}}}",
        "'the {key}': 1",
    ],
)
@pytest.mark.parametrize(
    "key", [KEY, "AIzaSyA1234567890abcdefghijk", "gsk_1234567890abcdefgh", "Bearer abcdefgh12345678"]
)
def test_a_key_in_plain_text_is_one_error_that_does_not_repeat_it(more: str, key: str) -> None:
    """A key written as a value, in a text or as a key is refused and not repeated."""
    (line,) = problems(more.format(key=key))
    assert line.endswith(
        ": this is a secret in plain text; put it into an environment variable, and refer to the variable here"
    )
    assert key.removeprefix("Bearer ") not in line


def test_a_wrong_option_does_not_repeat_a_key() -> None:
    """A key in the path or the value of an option that cannot be applied is redacted."""
    lines = problems(overrides=[("models.a", f"{{{KEY}: 1, {KEY}: 2}}"), (f"models.{KEY}..", "1")])
    assert [KEY in line for line in lines] == [False, False]


def test_a_secret_never_shows_in_an_error() -> None:
    """An error that quotes a wrong word redacts the value of a secret variable."""
    lines = problems("format: {kind: '${MY_SECRET}'}", env={"MY_SECRET": SECRET})
    assert lines
    assert SECRET not in "\n".join(lines)


SECRET_NAMES = (
    "LAB_KEY", "key", "LAB_APIKEY", "TOKEN_2", "MY_SECRET_A", "PASSWORD", "DB_PASS", "MYSQL_PWD", "REDIS_AUTH", "AWS_CRED",
    "SITE_COOKIE", "SENTRY_DSN", "SLACK_WEBHOOK", "LAB_SESSION_ID",
)  # fmt: skip
OTHER_NAMES = ("MONKEY", "TOKENIZER", "AUTHOR", "COMPASS", "PASSENGERS", "SECRETARY", "DSNAME", "OBSESSION")


@pytest.mark.parametrize("name", SECRET_NAMES + OTHER_NAMES)
def test_a_part_of_the_name_marks_a_secret(name: str) -> None:
    """A variable is secret if one of its parts between underscores is a word such as KEY."""
    assert is_secret_variable(name) == (name in SECRET_NAMES)


@pytest.mark.parametrize(("value", "secrets"), [("hush-hush", ("hush-hush",)), ("hush", ())])
def test_a_short_value_is_no_secret(value: str, secrets: tuple[str, ...]) -> None:
    """A secret variable with a short value is not redacted, because it may be an ordinary word."""
    resolver = VariableResolver({}, {"LAB_TOKEN": value})
    assert resolver.resolve("${LAB_TOKEN}", ("background",)) == value
    assert tuple(resolver.secrets) == secrets
