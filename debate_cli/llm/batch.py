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
    """The state of a submitted batch."""

    has_ended: bool
    """Whether the results of the batch can be read. They may be missing for some requests."""
    done: int = 0
    """Number of requests that the vendor has processed; 0 if the vendor does not say."""
    unanswered: ModelError | None = None
    """Why an ended batch lacks the results of some requests; None if it should have all results."""


@dataclass(frozen=True, slots=True)
class BatchIntent:
    """A batch that is about to be submitted. It is stored before anything is sent."""

    key: str
    """Unique name. The custom id of each request begins with it."""
    requests: int
    at: float
    """When the intent was stored, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class FoundBatch:
    """The result of a search in the vendor's list for a batch whose id is unknown."""

    id: str | None
    """Id of the batch; None if it was not identified."""
    may_exist: bool = False
    """Whether a batch that is still in progress may turn out to be the wanted batch when it ends."""


class BatchApi(Protocol):
    """The batches of one model. Every method but `entry` may raise ModelError."""

    identity: tuple[object, ...]
    """Identity of the batch API: equal for objects that reach the same model with the same API key."""
    max_requests: int
    max_bytes: int
    """Maximum size of one batch in bytes."""

    def entry(self, custom_id: str, request: Request) -> dict[str, Any]:
        """Return one entry of a batch for `request`, in the form that `submit` takes."""
        ...

    async def submit(self, key: str, entries: Sequence[dict[str, Any]]) -> str:
        """Submit a batch and return its id.

        Raises ModelError. Its `may_be_billed` says whether the vendor may have accepted the batch despite the error.
        """
        ...

    async def status(self, batch_id: str) -> BatchStatus:
        """Return the state of a batch."""
        ...

    def results(self, batch_id: str, requests: Mapping[str, Request]) -> AsyncIterator[tuple[str, str]]:
        """Yield the custom id and the result (JSON from the vendor) of each processed request, in any order.

        `requests` maps custom ids to the expected requests. If the batch has further requests, their results may be
        yielded too.
        """
        ...

    def read(self, result: str, request: Request) -> Reply:
        """Convert a result to a reply. Raise ModelError if the request failed."""
        ...

    async def find(self, intent: BatchIntent) -> FoundBatch:
        """Search the vendor's list for the batch that `intent` announced."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
