"""Address, key and headers of a server, and the protocol of an object that serves models over shared connections."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from debate_cli.llm.model import Model
from debate_cli.llm.profile import Profile

FIRST_ERROR_STATUS = 300
"""Lowest HTTP status of an error. Redirects are errors because they are not followed."""
ANSWER_TIMEOUT_FACTOR = 10
"""Default time limit of a whole answer, as a multiple of the limit for a pause between two bytes (`timeout_s`)."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address, key and limits for requests to one provider. `repr` shows no secrets."""

    provider: str
    """Name of the row, for messages."""
    base_url: str = field(repr=False)
    """`http(s)://host[:port][/path]`. It may contain credentials, so messages show only `host`."""
    api_key: str | None = field(default=None, repr=False)
    """None: no key is sent."""
    api_key_env: str | None = None
    """Environment variable of the key, for messages."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Extra headers, with variables filled in."""
    timeout_s: float = 120.0
    """Longest pause between two bytes from the server, in seconds."""
    answer_timeout_s: float | None = None
    """Longest time of a whole answer, in seconds; None: `ANSWER_TIMEOUT_FACTOR` times `timeout_s`."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values that no message may show."""
    max_body_bytes: int = 16 * 1024 * 1024
    """Maximum size of an answer after decompression, streamed or not."""

    @property
    def host(self) -> str:
        """`host` or `host:port`, without credentials and path."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def answer_deadline_s(self) -> float:
        """Longest time of a whole answer, in seconds."""
        return ANSWER_TIMEOUT_FACTOR * self.timeout_s if self.answer_timeout_s is None else self.answer_timeout_s


class ModelServer(Protocol):
    """Serves the models of one provider over shared connections."""

    def model(self, name: str, profile: Profile) -> Model:
        """The model that the server knows as `name`."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
