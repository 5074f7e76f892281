"""Formats the progress and results of `debate experiment` as sentences, plain lines and JSON.

A cell is one debate of the experiment.
"""

import json
from collections.abc import Iterator
from typing import Any, TextIO

from debate_cli.domain.message_text import count_noun
from debate_cli.domain.model_call import PARTIAL_REHEARSAL_NOTICE, REHEARSAL_NOTICE
from debate_cli.experiments.ledger import CellRecord
from debate_cli.experiments.progress import (
    ExperimentObserver,
    ExperimentProgress,
    FailureGroup,
    PlayerScore,
    Status,
    Winners,
)
from debate_cli.experiments.runner import LOCKED, RunSummary
from debate_cli.render import sanitize, theme
from debate_cli.systems.tables import Gauge, Number, Table, make_table


def player_table(progress: ExperimentProgress) -> Table:
    """Return a row per player: number of judgements won, number of all judgements, and share won."""
    shares = {name: score.won / score.judged if score.judged else 0.0 for name, score in progress.players.items()}
    rows = [
        (name, Number(progress.players[name].won, 0), Number(progress.players[name].judged, 0), Gauge(share, 1))
        for name, share in sorted(shares.items(), key=lambda item: (-item[1], item[0]))
        if progress.players[name].judged or not progress.players[name].against_itself
    ]
    return make_table("players", ("player", "won", "of", "share"), rows)


def progress_sentence(progress: ExperimentProgress) -> str:
    """Return one line: number of cells by state, cost, calls per minute, time left."""
    cells = progress.cells
    parts = [f"{cells['done']:,} of {progress.total:,} cells done"]
    parts += [f"{cells[state]:,} {state}" for state in ("running", "failed") if cells[state]]
    parts += [f"{cells['open']:,} left"] if cells["open"] else []
    parts.append(format_spending(progress))
    if progress.calls_per_minute is not None:
        parts.append(f"{progress.calls_per_minute:,.0f} calls a minute")
    if progress.seconds_left:
        parts.append(f"about {theme.format_duration(progress.seconds_left)} left")
    return " · ".join(parts)


def format_spending(progress: ExperimentProgress) -> str:
    """Return the cost: `$0.12`, or `$0.12 of $5` if there is a budget."""
    cost = theme.format_cost(progress.cost_usd)
    return cost if progress.max_cost_usd is None else f"{cost} of ${progress.max_cost_usd:g}"


def rehearsal_lines(notice: str) -> list[str]:
    """Return the notice that an experiment uses the mock, as sanitized lines; no lines if `notice` is empty."""
    return [sanitize.sanitize_line(notice)] if notice else []


def status_lines(status: Status) -> Iterator[str]:
    """Yield the state of an experiment as sanitized plain lines, without the notice that it uses the mock."""
    progress = status.progress
    yield sanitize.sanitize_line(progress.name)
    yield progress_sentence(progress)
    names = [sanitize.sanitize_line(name) for name in progress.players]
    width = max(map(len, names), default=0)
    for name, score in zip(names, progress.players.values(), strict=True):
        yield f"  {name.ljust(width)}  {_describe_score(score)}"
    yield from map(sanitize.sanitize_line, status_remarks(status))


def _describe_score(score: PlayerScore) -> str:
    parts = [f"won {score.won} of {score.judged} judgements"] if score.judged or not score.against_itself else []
    if score.against_itself:
        parts.append(f"{count_noun(score.against_itself, 'judgement')} of debates in which it met itself")
    return ", ".join(parts)


def status_remarks(status: Status) -> list[str]:
    """Return sentences: failed cells, the notes of `status`, and cells that are no longer in the experiment's file."""
    lines = [format_failures(each) for each in status.failures]
    lines += [f"note: {note}" for note in status.notes]
    if status.removed:
        lines.append(
            f"note: {count_noun(status.removed, 'cell')} of earlier versions of the experiment's file: kept in the folder, but not counted"
        )
    return lines


def format_failures(failures: FailureGroup) -> str:
    """Return one line on cells that failed for the same cause: their number, the cause, and one error message."""
    return f"failed: {count_noun(failures.count, 'cell')}: {theme.format_cause(failures.cause)}: {failures.example}"


def status_data(status: Status) -> dict[str, Any]:
    """Return the state of an experiment as JSON data."""
    return {
        "name": status.progress.name,
        **progress_data(status.progress),
        "failures": [{"cause": each.cause, "cells": each.count, "example": each.example} for each in status.failures],
        "removed": status.removed,
        "notes": list(status.notes),
    }


def progress_data(progress: ExperimentProgress) -> dict[str, Any]:
    """Return the progress as JSON data."""
    return {
        "rehearsal": progress.rehearsal_notice == REHEARSAL_NOTICE,
        "rehearsal_in_part": progress.rehearsal_notice == PARTIAL_REHEARSAL_NOTICE,
        "cells": dict(progress.cells),
        "players": {name: score._asdict() for name, score in progress.players.items()},
        "cost_usd": round(progress.cost_usd, 10),
        "tokens": progress.tokens,
        "calls": progress.calls,
        "calls_per_minute": progress.calls_per_minute,
        "seconds_left": progress.seconds_left,
    }


class PlainExperimentObserver(ExperimentObserver):
    """Prints a line for each cell after each attempt to run the cell."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def settled(self, record: CellRecord, winners: Winners, progress: ExperimentProgress) -> None:
        """Print a line with the cell's state, its players, and the winners or the error message."""
        cell = record.cell
        done = progress.cells["done"] + progress.cells["failed"]
        end = ", ".join(f"{judge}: {winner or 'no winner'}" for judge, winner in winners.items())
        if record.state == "failed":
            end = f"{theme.format_cause(record.cause or 'unknown')}: {record.message}"
        pair = f"{cell.first} against {cell.second}"
        self._print(f"[{done}/{progress.total}] {_describe_end(record)}", pair, end, cell.debate)

    def note(self, note: str) -> None:
        """Print the note."""
        self._print(f"note: {note}")

    def _print(self, *parts: str) -> None:
        line = "  ".join(clean for part in parts if (clean := sanitize.sanitize_line(part)))
        print(line, file=self._stream, flush=True)


_OPEN_CAUSES = {"budget": "budget reached", LOCKED: "in use by another process"}


def _describe_end(record: CellRecord) -> str:
    return record.state if record.state != "open" else _OPEN_CAUSES.get(record.cause or "", "interrupted")


class JsonExperimentObserver(ExperimentObserver):
    """Prints each event as one line of JSON."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def started(self, record: CellRecord, progress: ExperimentProgress) -> None:
        """Print the cell that was started."""
        self._print({"type": "started", **_cell_data(record)}, progress)

    def settled(self, record: CellRecord, winners: Winners, progress: ExperimentProgress) -> None:
        """Print the cell whose run has ended, with its state and the winner that each judge named."""
        end = {"state": record.state, "cause": record.cause, "message": record.message, "winners": dict(winners)}
        self._print({"type": "settled", **_cell_data(record), **end}, progress)

    def note(self, note: str) -> None:
        """Print the note."""
        self._print({"type": "note", "note": note}, None)

    def finish(self, summary: RunSummary) -> None:
        """Print the summary of the run."""
        end = {"finished": summary.finished, "failed": summary.failed, "stopped": summary.stopped}
        self._print({"type": "ended", **end, **progress_data(summary.progress)}, None)

    def _print(self, data: dict[str, Any], progress: ExperimentProgress | None) -> None:
        counts = {} if progress is None else {"cells": dict(progress.cells), "cost_usd": round(progress.cost_usd, 10)}
        line = json.dumps({**data, **counts}, ensure_ascii=False)
        print(sanitize.escape_json(line), file=self._stream, flush=True)


def _cell_data(record: CellRecord) -> dict[str, Any]:
    cell = record.cell
    return {
        "cell": cell.key,
        "debate": cell.debate,
        "motion": cell.motion,
        "first": cell.first,
        "second": cell.second,
        "repeat": cell.repeat,
        "axes": json.loads(cell.axes),
    }
