"""The HTML page that `debate run --report` leaves beside the transcript."""

from __future__ import annotations

import tempfile
from pathlib import Path

from debate_cli.cli.screen import print_status
from debate_cli.errors import StorageError
from debate_cli.session import Outcome
from debate_cli.storage.disk import atomic_write, friendly_os_errors, make_folder
from debate_cli.storage.json_form import Redact
from debate_cli.storage.transcript import to_transcript, transcript_to_debate
from debate_cli.storage.transcript_file import dump_transcript, parse_transcript


def check_writable(place: Path) -> None:
    """Make sure, before anything is asked, that a file can be written at `place`. Raises StorageError."""
    make_folder(place.parent)
    with (
        friendly_os_errors(place, "written"),
        tempfile.NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}.", suffix=".tmp"),
    ):
        pass


def write_report(place: Path, outcome: Outcome, redact: Redact, *, show_hidden: bool, force: bool) -> int:
    """Write the page of what was saved, secrets taken out as they are there, and tell of it; 0, or the exit code why not."""
    from debate_cli.render.documents.html import render_html

    saved = parse_transcript(
        dump_transcript(to_transcript(outcome.debate, outcome.verdicts), redact).encode(), str(place)
    )
    page = render_html(transcript_to_debate(saved), saved.verdicts, show_hidden=show_hidden)
    try:
        atomic_write(place, page.encode("utf-8", "replace"), overwrite=force)
    except StorageError as error:
        print_status(f"debate: {error}")
        return error.exit_code
    print_status(f"written: {place}")
    return 0
