"""`Endpoint`: address, key and limits of a server. `ModelServer`: the interface of a provider's server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from debate_cli.llm.model import Model, Profile

FIRST_ERROR_STATUS = 300
"""Lowest HTTP status that is an error. Redirects (3xx) are errors, because they are not followed."""
ANSWER_TIMEOUT_FACTOR = 10
"""Default of `answer_timeout_s`, as a multiple of `timeout_s`."""


def answer_deadline(timeout_s: float, answer_timeout_s: float | None) -> float:
    """Return the longest time for a whole answer, in seconds: `answer_timeout_s`, or a default from `timeout_s`."""
    return ANSWER_TIMEOUT_FACTOR * timeout_s if answer_timeout_s is None else answer_timeout_s


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address, key and limits for requests to one provider. `repr` shows no secrets."""

    provider: str
    """Name of the provider, for messages."""
    base_url: str = field(repr=False)
    """Address as `http(s)://host[:port][/path]`. Messages show only `host`, because addresses may contain passwords."""
    api_key: str | None = field(default=None, repr=False)
    """Key to send. None sends no key."""
    api_key_env: str | None = None
    """Name of the environment variable with the key, for messages. None if the key has no variable."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Extra HTTP headers. The values of environment variables are already filled in."""
    timeout_s: float = 120.0
    """Longest time without a byte from the server, in seconds."""
    answer_timeout_s: float | None = None
    """Longest time for a whole answer, in seconds. None means `ANSWER_TIMEOUT_FACTOR` times `timeout_s`."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Secret values that messages must not show."""
    max_body_bytes: int = 16 * 1024 * 1024
    """Maximum size of an answer in bytes, after decompression."""

    @property
    def host(self) -> str:
        """The server as `host` or `host:port`, without user and password."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def answer_deadline_s(self) -> float:
        """Longest time for a whole answer, in seconds."""
        return answer_deadline(self.timeout_s, self.answer_timeout_s)


class ModelServer(Protocol):
    """Serves the models of one provider over shared connections."""

    def model(self, name: str, profile: Profile) -> Model:
        """Return the model `name` of this server."""
        ...

    async def aclose(self) -> None:
        """Close the server's connections."""
        ...
