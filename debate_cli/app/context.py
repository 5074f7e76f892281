"""`RunContext`: everything that a use case needs besides the debate itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from debate_cli.app.consent import Destination
from debate_cli.domain.config import DebateConfig
from debate_cli.engine import StopSignal
from debate_cli.errors import StorageError
from debate_cli.evidence.corpus import Corpus
from debate_cli.llm.model import Model
from debate_cli.llm.redaction import Redactor
from debate_cli.observer import NullObserver, Observer
from debate_cli.providers.people.person import PeopleAccess
from debate_cli.storage.journal import JournalMirror

if TYPE_CHECKING:
    from debate_cli.app.batches.queue import BatchQueue
    from debate_cli.llm.budget import Budget


class Cassette(Protocol):
    """Records the calls of models, or replays recorded calls."""

    is_replay: bool
    """Whether recorded calls are replayed. If so, neither keys nor prices are needed."""

    @property
    def failure(self) -> StorageError | None:
        """Why no further call can be recorded; None as long as all calls can be recorded.

        The answer that could not be recorded is still returned, because it was paid for. Each later call raises this
        error.
        """
        ...

    def wrap(self, name: str, model: Model, redact: Callable[[str], str]) -> Model:
        """Return a model that records the calls of `model`, or replays recorded calls instead.

        `name`: the model as `provider/model`. `redact`: removes secrets.
        """
        ...


@dataclass(frozen=True, slots=True)
class RunContext:
    """Configuration and environment of one run."""

    config: DebateConfig
    folder: Path = field(default_factory=Path)
    """Folder in which the configuration's relative paths start."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables of the process's environment, and keys from `.env` files."""
    secrets: tuple[str, ...] = ()
    """Secret values, e.g. keys. They are removed from all output and from the replies of models."""
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Texts that replace shipped prompts, by the prompt's name."""
    corpus: Corpus | None = None
    """Index of the configuration's sources. None if there are no sources, or if this run does not search them."""
    mock: bool = False
    """Whether the mock provider replaces every model, including models that a stored debate names."""
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """The caller's own model objects. The key is the `provider/model` that an object replaces."""
    cassette: Cassette | None = None
    journal_mirror: JournalMirror | None = None
    """Receives a copy of each line of the journal."""
    batches: BatchQueue | None = None
    """Queue in which judges' requests wait for a batch. None: requests are sent at once."""
    budget: Budget | None = None
    """Budget that several debates share. None: the run creates its own budget from the limits of `config`."""
    people: PeopleAccess | None = None
    """Functions that ask a human debater or judge for an answer. None: people are asked through files in the default folder."""
    asked_people: tuple[str, ...] = ()
    """Model names of the people that will be asked, e.g. `human`, `human/ann`, `files/ann` or `paste`."""
    destinations: tuple[Destination, ...] = ()
    """Servers that will receive requests or provide downloaded models.

    A built-in provider's own server is left out if the only environment variables that it receives belong to this
    provider. Example: OpenAI's server is left out if it receives only OPENAI_API_KEY."""
    observer: Observer = field(default_factory=NullObserver)
    warn: Callable[[str], None] | None = None
    """Receives warnings that the user must see even if progress is hidden. None: the observer receives them as
    notes."""
    waits: dict[str, Callable[[], str]] = field(default_factory=dict[str, Callable[[], str]])
    """Maps each provider to a function that returns a text: how long the provider has refused calls, and when the next
    call is sent. The text is empty if calls need not wait. The model pool fills this mapping."""
    stop: StopSignal = field(default_factory=StopSignal)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    """Returns a monotonic time in seconds, for limits per minute. A test that replaces `sleep` must also replace this
    clock, and advance it in `sleep`."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    """Returns the current time, for the times of events."""

    @property
    def redact(self) -> Redactor:
        """Redactor that removes `secrets` from texts."""
        return Redactor(self.secrets)

    def send_warning(self, message: str) -> None:
        """Send a warning to `warn`; if `warn` is None, to the observer."""
        (self.warn or self.observer.note)(message)
