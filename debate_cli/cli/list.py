"""`debate list`."""

import sys

import typer

from debate_cli.app.transcript_index import IndexEntry, UnreadableFile, list_index_entries
from debate_cli.cli import console
from debate_cli.cli.console import write_json_chunks
from debate_cli.cli.saved_options import ListOptions
from debate_cli.errors import ExitCode
from debate_cli.render.saved_debates import dump_index_json, format_index_row, index_view
from debate_cli.storage.transcript_store import DEFAULT_OUTPUT_FOLDER, transcript_dirs


def run(given: ListOptions) -> None:
    """List the saved debates of a folder, with winners and costs."""
    folder = given.folder or next((folder for folder in transcript_dirs() if folder.exists()), None)
    if folder is None:
        console.print_status("debate: nothing is saved here yet; start with `debate run --mock`")
    found = [] if folder is None else list(list_index_entries(folder))
    bad = [item for item in found if isinstance(item, UnreadableFile)]
    entries = [item for item in found if isinstance(item, IndexEntry)]
    entries.sort(key=lambda entry: entry.started_at, reverse=True)
    if given.json:
        write_json_chunks([dump_index_json(entries)])
    elif given.plain or not console.is_interactive(sys.stdout):
        for entry in entries:
            print(format_index_row(entry))
    else:
        target = console.make_console(sys.stdout)
        for part in index_view(entries, str(folder or DEFAULT_OUTPUT_FOLDER)):
            target.print(part, crop=False)
    for file in bad:
        console.print_status(f"debate: {file.message}")
    if bad:
        raise typer.Exit(ExitCode.FAILED if entries else ExitCode.WRONG_INPUT)
