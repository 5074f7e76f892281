"""Output of commands with --batch."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import typer

from debate_cli.app.batches.client import BatchOptions
from debate_cli.app.batches.queue import BatchQueues
from debate_cli.cli.consent import can_ask
from debate_cli.cli.console import is_interactive, print_status
from debate_cli.domain.message_text import count_noun, quote_path
from debate_cli.errors import BatchPendingError, ExitCode
from debate_cli.render.sanitize import sanitize_line

_CLEAR_LINE = "\r\x1b[2K"


class BatchScreen:
    """Shows the progress of a command's batches on stderr."""

    def __init__(
        self,
        *,
        waits: bool = True,
        resubmit: bool = False,
        quiet: bool = False,
        show: Callable[[str], None] | None = None,
    ) -> None:
        """Create the screen.

        - `waits`: whether the command waits for the answers of batches.
        - `resubmit`: whether a lost batch is submitted again without asking the user.
        - `quiet`: whether to leave out notes and progress. Warnings are always shown.
        - `show`: prints a line above a live display, also if `quiet` is true. None if there is no live display.
        """
        self._show = show
        self._resubmit = resubmit
        self._quiet = quiet
        self.queues = BatchQueues(BatchOptions(waits, self._note, self._warn, self._show_progress, self._confirm))

    def report_end(self, command: str) -> ExitCode:
        """Print how many batches are in progress, and `command`, which continues the work.

        If errors other than BatchPendingError stopped the run, prints all of them but the first, and raises the first.
        Otherwise returns `BATCH_PENDING` if the run stopped because it does not wait for batches, else `DONE`.
        """
        self._clear()
        reasons, left = self.queues.stop_reasons, self.queues.open_batches()
        if left:
            costs = [batch.reserved_usd for batch in left]
            at_most = f", at most ${sum(cost or 0.0 for cost in costs):.4f}" if any(costs) and None not in costs else ""
            batches_are = "1 batch is" if len(left) == 1 else f"{len(left)} batches are"
            requests = count_noun(sum(batch.requests for batch in left), "request")
            debates = count_noun(self.queues.count_open_debates(), "debate")
            print_status(f"{batches_are} in progress ({requests} about {debates}{at_most}); collect the answers with:")
        else:
            print_status("some judgements are missing, and no batch is in progress; continue with:")
        print_status(command)
        failures = [error for error in reasons if not isinstance(error, BatchPendingError)]
        for failure in failures[1:]:
            print_status(f"debate: {sanitize_line(str(failure))}")
        if failures:
            raise failures[0]
        return reasons[0].exit_code if reasons else ExitCode.DONE

    def report_unfinished(self, command: str) -> ExitCode:
        """Call `report_end` and return its result if a batch is in progress or an error stopped the run.

        Otherwise print nothing and return `DONE`.
        """
        return self.report_end(command) if self.queues.stop_reasons or self.queues.open_batches() else ExitCode.DONE

    def _note(self, line: str) -> None:
        if self._show is not None or not self._quiet:
            self._warn(line)

    def _warn(self, line: str) -> None:
        self._clear()
        if self._show is not None:
            self._show(sanitize_line(line))
        else:
            print_status(f"batch: {sanitize_line(line)}")

    def _show_progress(self, done: int, total: int) -> None:
        self._clear()
        if done < total and not self._quiet and self._show is None and is_interactive(sys.stderr):
            sys.stderr.write(
                f"waiting for batches: {done} of {total} answered (Ctrl-C stops waiting, but not the batches)"
            )
            sys.stderr.flush()

    def _clear(self) -> None:
        if self._show is None and is_interactive(sys.stderr):
            sys.stderr.write(_CLEAR_LINE)

    def _confirm(self, question: str) -> bool:
        if self._resubmit or not can_ask():
            return self._resubmit
        self._clear()
        print_status(sanitize_line(question))
        return typer.confirm("Submit it again, at the risk of paying twice?", default=False, err=True)


def collect_command(targets: Iterable[Path]) -> str:
    """Return the command that collects the answers of batches for the transcripts `targets`."""
    paths = list(dict.fromkeys(targets))
    places = paths if len(paths) == 1 else list(dict.fromkeys(path.parent for path in paths))
    return " ".join(["debate judge --collect", *(quote_path(place) for place in places)])
