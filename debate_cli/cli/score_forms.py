"""The forms of `debate score`: their names, and those for continuous integration and for browsers, each loaded when asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from debate_cli.cli import screen
from debate_cli.cli.asked.score import Format
from debate_cli.cli.score_pages import Pages, page_beside
from debate_cli.errors import StorageError
from debate_cli.render import scores_table
from debate_cli.render.checked import Checked, Unusable
from debate_cli.render.scores_table import Scored

PRINTED: Mapping[Format, Callable[[Scored], str]] = {
    Format.json: scores_table.as_json,
    Format.jsonl: scores_table.as_jsonl,
    Format.csv: scores_table.as_csv,
}
"""How a file is printed in the forms in which no other file matters."""


def printed(how: Format) -> Callable[[Scored], str] | None:
    """The one of these that stdout is given; None for the other forms."""
    return scores_table.as_clean_csv if how is Format.csv and sys.stdout.isatty() else PRINTED.get(how)


SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable by which GitHub names the file that a step's summary is appended to."""


def show(
    form: Literal["junit", "github", "html"],
    files: Sequence[Checked],
    unusable: Sequence[Unusable],
    pages: Pages | None,
) -> None:
    """Print the files in this form; an index whose debates have pages goes where those are."""
    if form == "junit":
        from debate_cli.render.documents.junit import junit

        sys.stdout.write(junit(files, unusable))
    elif form == "github":
        _github(files, unusable)
    else:
        _index(files, unusable, pages)


def _github(files: Sequence[Checked], unusable: Sequence[Unusable]) -> None:
    from debate_cli.render.documents.github import commands, step_summary

    for line in commands(files, unusable):
        print(line)
    place = os.environ.get(SUMMARY)
    if not place:
        return
    try:
        with Path(place).open("a", encoding="utf-8", errors="replace") as file:
            file.write(step_summary(files, unusable))
    except OSError as error:
        raise StorageError(f"{place}: cannot be written ({error.strerror}); unset {SUMMARY}, or name a file") from error


def _index(files: Sequence[Checked], unusable: Sequence[Unusable], pages: Pages | None) -> None:
    from debate_cli.render.documents.index import index

    if pages is not None:
        screen.tell(f"written: {pages.write_index(index(files, unusable))}")
        return
    beside = [checked._replace(report=page_beside(Path(checked.file.path))) for checked in files]
    sys.stdout.write(index(beside, unusable))
