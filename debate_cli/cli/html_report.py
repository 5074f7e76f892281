"""Writes the HTML page that `--report FILE` names."""

from pathlib import Path

from debate_cli.app.new_limits import find_saved_remedy
from debate_cli.app.remedies import Remedy
from debate_cli.app.session import Outcome
from debate_cli.cli.console import print_status
from debate_cli.domain.nested_texts import map_texts
from debate_cli.errors import ExitCode, StorageError
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.serialization import Redact
from debate_cli.storage.transcript import to_transcript, transcript_to_debate


def write_report(place: Path, outcome: Outcome, redact: Redact, *, show_hidden: bool, force: bool) -> ExitCode:
    """Write the HTML report of a debate, without secrets. Return `DONE`.

    If the file cannot be written, print the error and return its exit code.
    """
    from debate_cli.render.html.page import render_html

    saved = map_texts(to_transcript(outcome.debate, outcome.verdicts), redact)
    remedy = Remedy(()) if outcome.path is None else find_saved_remedy(outcome.path, outcome.debate)
    page = render_html(transcript_to_debate(saved), saved.verdicts, show_hidden=show_hidden, remedy=remedy)
    try:
        atomic_write(place, page.encode("utf-8", "replace"), overwrite=force)
    except StorageError as error:
        print_status(f"debate: {error}")
        return error.exit_code
    print_status(f"written: {place}")
    return ExitCode.DONE
