"""The port `BatchApi`, through which a vendor answers many requests within a day, at half the price.

Adapters are in `providers.batches`. `app.batches` gathers requests, submits them and waits for the answers.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from debate_cli.errors import ModelError
from debate_cli.llm.model import Reply, Request


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """State of a submitted batch."""

    has_ended: bool
    """Whether its results can be read. They may be missing for some requests."""
    done: int = 0
    """Requests that the vendor has processed; 0 if it does not say."""
    unanswered: ModelError | None = None
    """Why results of an ended batch are missing for some requests; None if every request should have a result."""


@dataclass(frozen=True, slots=True)
class BatchIntent:
    """A batch that is about to be submitted. Stored before anything is sent."""

    key: str
    """Unique name. The custom id of each request begins with it."""
    requests: int
    at: float
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class FoundBatch:
    """Result of searching the vendor's list for a batch whose id is unknown."""

    id: str | None
    """Id of the batch; None if it was not identified."""
    may_exist: bool = False
    """Whether a batch in progress may be the one that is searched for. This becomes known when that batch ends."""


class BatchApi(Protocol):
    """The batches of one model. Every method but `entry` may raise ModelError."""

    identity: tuple[object, ...]
    """Equal for objects that reach the same model with the same key."""
    max_requests: int
    max_bytes: int
    """Limits of one batch."""

    def entry(self, custom_id: str, request: Request) -> dict[str, Any]:
        """The entry of a batch for `request`: what `submit` takes."""
        ...

    async def submit(self, key: str, entries: Sequence[dict[str, Any]]) -> str:
        """Submit a batch; return its id.

        Raises ModelError, whose `may_be_billed` says whether the vendor may have accepted the batch nevertheless.
        """
        ...

    async def status(self, batch_id: str) -> BatchStatus:
        """State of a batch."""
        ...

    def results(self, batch_id: str, requests: Mapping[str, Request]) -> AsyncIterator[tuple[str, str]]:
        """Custom id and result (JSON from the vendor) of each processed request, in any order.

        `requests`: the expected requests by custom id. Results of other requests may be included.
        """
        ...

    def read(self, result: str, request: Request) -> Reply:
        """Convert a result to a reply. Raises the error of a request that was not answered."""
        ...

    async def find(self, intent: BatchIntent) -> FoundBatch:
        """Search the vendor's list for the batch of `intent`."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
