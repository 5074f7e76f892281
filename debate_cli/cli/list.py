"""`debate list`."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import typer

from debate_cli.cli import console
from debate_cli.cli.console import write_json_chunks
from debate_cli.cli.saved_options import ListOptions
from debate_cli.errors import ExitCode
from debate_cli.render.saved_debates import dump_index_json, format_index_row, index_view
from debate_cli.storage.transcript_index import IndexEntry, UnreadableFile, list_index_entries
from debate_cli.storage.transcript_store import DEFAULT_OUTPUT_FOLDER, transcript_dirs


def run(given: ListOptions) -> None:
    """List the saved debates of a folder: who won, and what it cost."""
    folder = given.folder or next((folder for folder in transcript_dirs() if folder.exists()), None)
    if folder is None:
        console.print_status("debate: nothing is saved here yet; start with `debate run --mock`")
    entries = _ReadableEntries(folder)

    if given.json:
        write_json_chunks([dump_index_json(_newest_first(entries))])
    elif given.plain or not console.is_interactive(sys.stdout):
        for entry in entries:
            print(format_index_row(entry), flush=True)
    else:
        target = console.make_console(sys.stdout)
        for part in index_view(_newest_first(entries), str(folder or DEFAULT_OUTPUT_FOLDER)):
            target.print(part, crop=False)
    for file in entries.bad:
        console.print_status(f"debate: {file.message}")
    if entries.bad:
        raise typer.Exit(ExitCode.FAILED if entries.count else ExitCode.WRONG_INPUT)


def _newest_first(entries: Iterable[IndexEntry]) -> list[IndexEntry]:
    return sorted(entries, key=lambda entry: entry.started_at, reverse=True)


@dataclass(slots=True)
class _ReadableEntries:
    """The debates in `folder` that can be read. Iterating reads them, counts them, and collects the other files."""

    folder: Path | None
    count: int = 0
    bad: list[UnreadableFile] = field(default_factory=list[UnreadableFile])

    def __iter__(self) -> Iterator[IndexEntry]:
        for item in () if self.folder is None else list_index_entries(self.folder):
            if isinstance(item, UnreadableFile):
                self.bad.append(item)
            else:
                self.count += 1
                yield item
