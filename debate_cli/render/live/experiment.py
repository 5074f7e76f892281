"""The live table of an experiment: counts, players with wins, cost, calls per minute, time left, running debates."""

from collections import deque
from collections.abc import Mapping

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from debate_cli.experiments.ledger import CellRecord, Settlement
from debate_cli.experiments.progress import ExperimentObserver, Progress
from debate_cli.render import theme
from debate_cli.render.experiment import REHEARSAL, describe_end, player_table, progress_sentence
from debate_cli.render.terminal.drawing import render_table, terminal_line

FRAMES_PER_SECOND = 4
MAX_PLAYERS = 20
"""Maximum number of players in the live table. The final table shows all."""
RECENT = 5
"""Number of recently ended cells to show."""


class LiveExperimentObserver(ExperimentObserver):
    """Redraws the state of a run on a terminal. Call `start` before and `stop` after the run."""

    def __init__(self, console: Console, progress: Progress) -> None:
        self.console = console
        self._progress = progress
        self._recent: deque[Text] = deque(maxlen=RECENT)

    def start(self) -> None:
        """Start drawing, also after a pause."""
        self._live = Live(
            get_renderable=self._draw,
            console=self.console,
            refresh_per_second=FRAMES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._live.start(refresh=True)

    def stop(self) -> None:
        """Remove the table from the terminal."""
        self._live.stop()

    pause, resume = stop, start

    def started(self, record: CellRecord, progress: Progress) -> None:
        """Show the new counts."""
        self._progress = progress

    def settled(
        self, record: CellRecord, how: Settlement, winners: Mapping[str, str | None], progress: Progress
    ) -> None:
        """Show the new counts, and add the cell to the recent ones."""
        self._progress = progress
        cell = record.cell
        names = ", ".join(dict.fromkeys(winner or "no winner" for winner in winners.values()))
        end = names if how.state == "done" else f"{describe_end(how)} {how.message or ''}"
        style = theme.RED if how.state == "failed" else theme.MUTED
        self._recent.append(terminal_line(f"{cell.first} against {cell.second}: {end}  {cell.debate}", style))

    def changed(self, progress: Progress) -> None:
        """Show the new rates."""
        self._progress = progress

    def note(self, note: str) -> None:
        """Print the note above the table."""
        self._live.console.print(terminal_line(f"note: {note}", theme.MUTED))

    def _draw(self) -> RenderableType:
        progress = self._progress
        ended = progress.cells["done"] + progress.cells["failed"]
        grid = Table.grid(padding=(0, 1))
        grid.add_row(ProgressBar(total=max(1, progress.total), completed=ended, width=30), f"{ended}/{progress.total}")
        parts: list[RenderableType] = [terminal_line(progress.name, "bold")]
        if progress.is_rehearsal:
            parts.append(terminal_line(REHEARSAL, theme.RED))
        parts += [grid, terminal_line(progress_sentence(progress))]
        players = player_table(progress)
        parts.append(render_table(players._replace(rows=players.rows[:MAX_PLAYERS]), {}))
        return Group(*parts, *self._recent)
