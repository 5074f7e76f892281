"""The progress of an experiment, and the base class of observers that display the progress."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from debate_cli.experiments.cells import Cell
from debate_cli.experiments.ledger import CellRecord, CellState, Ledger, ResultRow

BASE_JUDGES = "judges of the base configuration"
"""Name under which the judges of the base configuration are shown. Together they count as one judge."""
Winners = Mapping[str, str | None]
"""Maps names of judges to the winner of a debate, or to None if no player won."""


class PlayerScore(NamedTuple):
    """How often judges name a player as the winner. Counts only judgements by the system that decides the winner."""

    won: int = 0
    """Number of judgements that name the player as the winner of a debate against another player."""
    judged: int = 0
    """Number of judgements on the player's debates against other players."""
    against_itself: int = 0
    """Number of judgements on the player's debates against itself. They count as neither won nor lost."""

    def add(self, count: int, *, won: bool, against_itself: bool) -> "PlayerScore":
        """Return the score after `count` further judgements.

        `won`: whether they name the player as winner. `against_itself`: whether the player debated against itself.
        """
        if against_itself:
            return self._replace(against_itself=self.against_itself + count)
        return self._replace(won=self.won + count * won, judged=self.judged + count)


@dataclass(frozen=True, slots=True)
class ExperimentProgress:
    """The progress of an experiment."""

    name: str
    cells: Mapping[CellState, int]
    players: Mapping[str, PlayerScore]
    cost_usd: float
    tokens: int
    calls: int
    rehearsal_notice: str = ""
    """Notice that the mock gives all answers, or some of them. Empty if no cell uses the mock."""
    max_cost_usd: float | None = None
    calls_per_minute: float | None = None
    """Calls per minute in this run. None before the first call of this run."""
    seconds_left: float | None = None
    """Estimated number of seconds left. None until the first cell of this run ends."""

    @property
    def total(self) -> int:
        """Number of all cells."""
        return sum(self.cells.values())

    @property
    def left(self) -> int:
        """Number of cells that are not done."""
        return self.total - self.cells["done"]

    def move(self, before: CellState, after: CellState) -> "ExperimentProgress":
        """Return the progress after one cell changed its state."""
        counts = {before: self.cells[before] - 1, after: self.cells[after] + 1}
        return replace(self, cells={**self.cells, **counts})

    def add_winners(self, record: CellRecord, winners: Winners) -> "ExperimentProgress":
        """Return a copy that also counts the judgements on the cell of `record`.

        `winners`: the winner that each judge names.
        """
        players, cell = dict(self.players), record.cell
        for winner in winners.values():
            for name in dict.fromkeys((cell.first, cell.second)):
                known = players.get(name, PlayerScore())
                players[name] = known.add(1, won=winner == name, against_itself=cell.first == cell.second)
        return replace(self, players=players)


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """The cells that failed for one cause: how many, and the message of one cell."""

    cause: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Status:
    """Status of an experiment, read from its ledger."""

    progress: ExperimentProgress
    failures: tuple[FailureGroup, ...]
    """Failed cells, grouped by cause. The most frequent cause comes first."""
    removed: int
    """Number of cells that the newest version of the experiment's file no longer has."""
    notes: tuple[str, ...] = ()
    """Notes for the user, e.g. on debates that a judge does not judge."""


class ExperimentObserver:
    """Base class of observers. Its methods do nothing. In subclasses, a method must not block."""

    def started(self, record: CellRecord, progress: ExperimentProgress) -> None:
        """Called when a cell was started."""

    def settled(self, record: CellRecord, winners: Winners, progress: ExperimentProgress) -> None:
        """Called after an attempt to run a cell, with the new record of the cell."""

    def changed(self, progress: ExperimentProgress) -> None:
        """Called once a second with the progress of the experiment."""

    def note(self, note: str) -> None:
        """Called with a message for the user, e.g. on a retry."""


def read_status(ledger: Ledger) -> Status:
    """Read the status of an experiment from its ledger."""
    failed = ledger.query(
        "SELECT COALESCE(cause, 'unknown'), COUNT(*), MIN(COALESCE(message, '')) FROM cells "
        "WHERE plan = ? AND state = 'failed' GROUP BY 1 ORDER BY 2 DESC, 1",
        ledger.plan,
    )
    [(removed,)] = ledger.query("SELECT COUNT(*) FROM cells WHERE plan <> ?", ledger.plan)
    notes = tuple(filter(None, (ledger.meta("notes") or "").split("\n")))
    return Status(read_progress(ledger), tuple(FailureGroup(*row) for row in failed), removed, notes)


def deciding_winners(cell: Cell, results: Iterable[ResultRow]) -> Winners:
    """Map each judge of a cell to the winner that it names. Only results of the deciding judging system count."""
    found = ((cell.find_judge(questions, scoring), row) for questions, scoring, row in results)
    return {judge.name or BASE_JUDGES: row["winner"] for judge, row in found if judge is not None and row["decides"]}


def read_progress(ledger: Ledger, shard: tuple[int, int] = (1, 1), *, now: float | None = None) -> ExperimentProgress:
    """Read the progress of an experiment from its ledger. The running cells of dead workers count as open.

    `shard`: the number of the shard and the number of all shards, e.g. `(1, 4)` for the first of four shards.
    `now`: seconds since 1970; None means the current time.
    """
    players: dict[str, PlayerScore] = {}
    deciding = ledger.query(
        "SELECT winner, first, second, COUNT(cell) FROM cells "
        "LEFT JOIN results ON cell = key AND decides AND EXISTS (SELECT 1 FROM json_each(judges) "
        "WHERE json_extract(value, '$[0]') = questions AND json_extract(value, '$[1]') = scoring) "
        "WHERE plan = ? GROUP BY 1, 2, 3",
        ledger.plan,
    )
    for winner, first, second, count in deciding:
        for player in dict.fromkeys((first, second)):
            known = players.get(player, PlayerScore())
            players[player] = known.add(count, won=winner == player, against_itself=first == second)
    return ExperimentProgress(
        ledger.name, ledger.counts(shard, now=now), players, *ledger.usage(), ledger.rehearsal_notice
    )
