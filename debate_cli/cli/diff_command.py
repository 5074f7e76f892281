"""`debate diff`."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from debate_cli.cli import completion, options, screen
from debate_cli.cli.homes import homes
from debate_cli.errors import UsageError
from debate_cli.render.comparison import Compared, document
from debate_cli.scoring.comparison import LATEST, Side, compare
from debate_cli.storage.library import StoredDebate, find, open_debate

app = typer.Typer(add_completion=False)


@app.command()
def diff(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A transcript or journal, or the id of a saved debate.", autocompletion=completion.debates
        ),
    ],
    b: Annotated[
        str | None,
        typer.Argument(metavar="B", help="Another one; left out with --runs.", autocompletion=completion.debates),
    ] = None,
    runs: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Compare judging run X (of A) with Y (of B, or of A too).")
    ] = None,
    json_: options.Json = False,
    plain: options.Plain = False,
    debug: options.Debug = False,
) -> None:
    """Compare two saved debates, or two judging runs of one.

    What differs is told in a few sentences, then side by side: who judged, winners, margins, scores, the claims that one
    side lets stand and the other does not, settings, models and cost. Systems that judged one side only are named.
    Without --runs the newest judging run of each system counts.

    Examples:

      debate diff my-debate my-other-debate

      debate diff my-debate --runs r1,r2
    """
    del debug  # acted on where errors are caught
    if b is None and runs is None:
        raise UsageError("name two debates, or two judging runs of one with --runs r1,r2")
    first = open_debate(find(a, homes()))
    second = open_debate(find(b, homes())) if b is not None else first
    named = _runs(runs) if runs is not None else (LATEST, LATEST)
    sides = _side(first, named[0]), _side(second, named[1])
    told = Compared((str(first.path), str(second.path)), sides, compare(*sides))
    if json_:
        print(json.dumps(document(told), ensure_ascii=False, indent=2))
    else:
        _show(told, plain=plain)


def _runs(text: str) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):  # noqa: PLR2004 - two sides
        raise UsageError(f"--runs {text}: name two judging runs, for example r1,r2")
    return names[0], names[1]


def _side(stored: StoredDebate, run: str) -> Side:
    known = [known.id for known in stored.debate.runs]
    if run not in {LATEST, *known}:
        raise UsageError(f"{stored.path}: --runs {run}: there is no such judging run; it has {', '.join(known)}")
    return Side(stored.debate, run)


def _show(told: Compared, *, plain: bool) -> None:
    """Tables on a terminal, plain lines elsewhere."""
    if plain or not screen.interactive(sys.stdout):
        from debate_cli.render.plain.comparison import comparison_lines

        sys.stdout.writelines(f"{line}\n" for line in comparison_lines(told))
        return
    from debate_cli.render.drawn.comparison import comparison_view

    target = screen.console(sys.stdout)
    for part in comparison_view(told):
        target.print(part)
