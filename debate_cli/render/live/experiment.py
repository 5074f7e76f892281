"""Draws the live table of an experiment: cells, cost, calls per minute, time left, and players with wins."""

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table

from debate_cli.experiments.progress import ExperimentObserver, ExperimentProgress
from debate_cli.render import theme
from debate_cli.render.experiment import player_table, progress_sentence
from debate_cli.render.terminal.bar import Bar
from debate_cli.render.terminal.drawing import render_table, terminal_line

FRAMES_PER_SECOND = 4
MAX_PLAYERS = 20
"""Maximum number of players in the live table. The table at the end of the run has no limit."""


class LiveExperimentObserver(ExperimentObserver):
    """Redraws the progress of an experiment on a terminal.

    Call `start` before the experiment runs, and `stop` afterwards.
    """

    def __init__(self, console: Console, progress: ExperimentProgress) -> None:
        self.console = console
        self._progress = progress

    def start(self) -> None:
        """Start drawing, or continue after `stop`."""
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
        """Stop drawing, and remove the table from the terminal."""
        self._live.stop()

    pause, resume = stop, start

    def changed(self, progress: ExperimentProgress) -> None:
        """Show the new progress at the next refresh."""
        self._progress = progress

    def note(self, note: str) -> None:
        """Print the note above the table."""
        self._live.console.print(terminal_line(f"note: {note}", theme.MUTED))

    def _draw(self) -> RenderableType:
        progress = self._progress
        ended = progress.cells["done"] + progress.cells["failed"]
        grid = Table.grid(padding=(0, 1))
        grid.add_row(Bar(ended, progress.total, theme.TEAL, 30), f"{ended}/{progress.total}")
        parts: list[RenderableType] = [terminal_line(progress.name, "bold")]
        if progress.rehearsal_notice:
            parts.append(terminal_line(progress.rehearsal_notice, theme.RED))
        parts += [grid, terminal_line(progress_sentence(progress))]
        players = player_table(progress)
        parts.append(render_table(players._replace(rows=players.rows[:MAX_PLAYERS]), {}))
        return Group(*parts)
