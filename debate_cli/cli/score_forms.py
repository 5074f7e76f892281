"""The forms of `debate score`: their names, and those for continuous integration and for browsers, each loaded when asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from debate_cli.cli import screen
from debate_cli.cli.asked.score import ScoreFormat
from debate_cli.cli.score_pages import PageWriter, find_page
from debate_cli.errors import StorageError
from debate_cli.render import scores_table
from debate_cli.render.checked import CheckedFile, UnusableFile
from debate_cli.render.scores_table import ScoredFile

SCORE_FORMATTERS: Mapping[ScoreFormat, Callable[[ScoredFile], str]] = {
    ScoreFormat.json: scores_table.dump_file_json,
    ScoreFormat.jsonl: scores_table.dump_file_jsonl,
    ScoreFormat.csv: scores_table.dump_file_csv,
}
"""How a file is printed in the forms in which no other file matters."""


def formatter_for(how: ScoreFormat) -> Callable[[ScoredFile], str] | None:
    """The one of these that stdout is given; None for the other forms."""
    return (
        scores_table.dump_sanitized_csv if how is ScoreFormat.csv and sys.stdout.isatty() else SCORE_FORMATTERS.get(how)
    )


GITHUB_SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
"""The variable by which GitHub names the file that a step's summary is appended to."""


def print_score_report(
    form: Literal["junit", "github", "html"],
    files: Sequence[CheckedFile],
    unusable: Sequence[UnusableFile],
    pages: PageWriter | None,
) -> None:
    """Print the files in this form; an index whose debates have pages goes where those are."""
    if form == "junit":
        from debate_cli.render.documents.junit import format_junit

        sys.stdout.write(format_junit(files, unusable))
    elif form == "github":
        _print_github(files, unusable)
    else:
        _print_index(files, unusable, pages)


def _print_github(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile]) -> None:
    from debate_cli.render.documents.github import format_step_summary, format_workflow_commands

    for line in format_workflow_commands(files, unusable):
        print(line)
    place = os.environ.get(GITHUB_SUMMARY_VARIABLE)
    if not place:
        return
    try:
        with Path(place).open("a", encoding="utf-8", errors="replace") as file:
            file.write(format_step_summary(files, unusable))
    except OSError as error:
        raise StorageError(
            f"{place}: cannot be written ({error.strerror}); unset {GITHUB_SUMMARY_VARIABLE}, or name a file"
        ) from error


def _print_index(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile], pages: PageWriter | None) -> None:
    from debate_cli.render.documents.index import render_index

    if pages is not None:
        screen.print_status(f"written: {pages.write_index(render_index(files, unusable))}")
        return
    beside = [checked._replace(report=find_page(Path(checked.file.path))) for checked in files]
    sys.stdout.write(render_index(beside, unusable))
