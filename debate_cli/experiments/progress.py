"""Progress of an experiment, and the protocol for reporting it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from debate_cli.experiments.ledger import CellRecord, CellState, Ledger, Settlement


class PlayerScore(NamedTuple):
    """Number of a player's wins, and number of deciding judgements of the player's debates."""

    won: int = 0
    judged: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an experiment."""

    name: str
    cells: Mapping[CellState, int]
    players: Mapping[str, PlayerScore]
    cost_usd: float
    tokens: int
    calls: int
    is_rehearsal: bool = False
    max_cost_usd: float | None = None
    calls_per_minute: float | None = None
    """Calls per minute in this run; None before its first call."""
    seconds_left: float | None = None
    """Estimated number of seconds left; None before this run's first cell is done."""

    @property
    def total(self) -> int:
        """Number of cells."""
        return sum(self.cells.values())

    @property
    def left(self) -> int:
        """Number of cells that are not done."""
        return self.total - self.cells["done"]


@dataclass(frozen=True, slots=True)
class Failures:
    """Number of failed cells with one cause."""

    cause: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Status:
    """The status of an experiment according to its ledger."""

    progress: Progress
    failures: tuple[Failures, ...]
    """Failed cells by cause, the most frequent cause first."""
    removed: int
    """Number of cells from earlier versions of the experiment's file. They are kept but do not count."""
    notes: tuple[str, ...] = ()
    """Sentences for the user, e.g. about debates that a judge does not judge."""


class ExperimentObserver:
    """Receives the events of a run; this class ignores them. Its methods run in the event loop, so return at once."""

    def started(self, record: CellRecord, progress: Progress) -> None:
        """Receive a cell that was started."""

    def settled(
        self, record: CellRecord, how: Settlement, winners: Mapping[str, str | None], progress: Progress
    ) -> None:
        """Receive a cell whose attempt ended.

        `winners` maps judges to winners, None if no player won. The base's judges have the name `judges`.
        """

    def changed(self, progress: Progress) -> None:
        """Receive the progress, once a second."""

    def note(self, note: str) -> None:
        """Receive a message for the user, e.g. about a retry."""


def read_status(ledger: Ledger) -> Status:
    """Return the status of an experiment according to its ledger."""
    failed = ledger.query(
        "SELECT COALESCE(cause, 'unknown'), COUNT(*), MIN(COALESCE(message, '')) FROM cells "
        "WHERE plan = ? AND state = 'failed' GROUP BY 1 ORDER BY 2 DESC, 1",
        ledger.plan,
    )
    [(removed,)] = ledger.query("SELECT COUNT(*) FROM cells WHERE plan <> ?", ledger.plan)
    notes = tuple(filter(None, (ledger.meta("notes") or "").split("\n")))
    return Status(read_progress(ledger), tuple(Failures(*row) for row in failed), removed, notes)


def read_progress(ledger: Ledger, shard: tuple[int, int] = (1, 1)) -> Progress:
    """Return the progress of an experiment, or of a shard, according to its ledger."""
    players: dict[str, PlayerScore] = {}
    deciding = ledger.query(
        "SELECT winner, first, second, COUNT(*) FROM results JOIN cells ON cell = key "
        "WHERE decides AND plan = ? AND (judge = '' OR instr(judges, judge)) GROUP BY 1, 2, 3",
        ledger.plan,
    )
    for winner, first, second, count in deciding:
        for player in dict.fromkeys((first, second)):
            known = players.get(player, PlayerScore())
            players[player] = PlayerScore(known.won + (count if winner == player else 0), known.judged + count)
    return Progress(ledger.name, ledger.counts(shard), players, *ledger.usage(), is_rehearsal=ledger.is_rehearsal)
