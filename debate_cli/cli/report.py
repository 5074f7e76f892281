"""The HTML page that `debate run --report` leaves beside the transcript."""

from __future__ import annotations

from pathlib import Path

from debate_cli.errors import UsageError
from debate_cli.session import Outcome
from debate_cli.storage.disk import write_whole
from debate_cli.storage.json_form import Redact
from debate_cli.storage.transcript import debate_of, to_transcript
from debate_cli.storage.transcript_file import dump, parse


def refuse_existing(place: Path, *, force: bool) -> None:
    """Raise UsageError, before anything is asked, where the page could not be written to `place`."""
    if place.is_dir():
        raise UsageError(f"--report {place}: this is a folder; name a file")
    if place.exists() and not force:
        raise UsageError(f"--report {place}: exists already; choose another file, or overwrite it with --force")


def write_report(place: Path, outcome: Outcome, redact: Redact, *, show_hidden: bool, force: bool) -> None:
    """Write the page of what was saved, secrets taken out as they are there. Raises StorageError."""
    from debate_cli.render.html import html

    saved = parse(dump(to_transcript(outcome.debate, outcome.verdicts), redact).encode(), str(place))
    page = html(debate_of(saved), saved.verdicts, show_hidden=show_hidden)
    write_whole(place, page.encode("utf-8", "replace"), overwrite=force)
