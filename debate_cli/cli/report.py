"""The HTML page that `debate run --report` leaves beside the transcript."""

from __future__ import annotations

import tempfile
from pathlib import Path

from debate_cli.cli.screen import tell
from debate_cli.errors import StorageError
from debate_cli.session import Outcome
from debate_cli.storage.disk import make_folder, told_plainly, write_whole
from debate_cli.storage.json_form import Redact
from debate_cli.storage.transcript import debate_of, to_transcript
from debate_cli.storage.transcript_file import dump, parse


def try_folder(place: Path) -> None:
    """Make sure, before anything is asked, that a file can be written at `place`. Raises StorageError."""
    make_folder(place.parent)
    with (
        told_plainly(place, "written"),
        tempfile.NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}.", suffix=".tmp"),
    ):
        pass


def write_report(place: Path, outcome: Outcome, redact: Redact, *, show_hidden: bool, force: bool) -> int:
    """Write the page of what was saved, secrets taken out as they are there, and tell of it; 0, or the exit code why not."""
    from debate_cli.render.documents.html import html

    saved = parse(dump(to_transcript(outcome.debate, outcome.verdicts), redact).encode(), str(place))
    page = html(debate_of(saved), saved.verdicts, show_hidden=show_hidden)
    try:
        write_whole(place, page.encode("utf-8", "replace"), overwrite=force)
    except StorageError as error:
        tell(f"debate: {error}")
        return error.exit_code
    tell(f"written: {place}")
    return 0
