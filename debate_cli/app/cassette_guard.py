"""Stops a run whose calls can no longer be recorded."""

from dataclasses import dataclass

from debate_cli.app.context import Cassette
from debate_cli.domain.events import Event
from debate_cli.engine import EventLog, StopSignal


@dataclass(frozen=True, slots=True)
class CassetteGuardedLog:
    """Log of a run with a cassette. Requests a stop if the cassette cannot be written, once the answer is safe."""

    log: EventLog
    cassette: Cassette
    stop: StopSignal

    def append(self, event: Event) -> None:
        """Write the event."""
        self.log.append(event)

    async def sync(self) -> None:
        """Wait until all written events are safe. Then request a stop if the cassette could not be written."""
        await self.log.sync()
        if self.cassette.failure is not None and not self.stop.requested:
            self.stop.request()
