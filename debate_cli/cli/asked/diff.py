"""What `debate diff` is asked."""

from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

app = typer.Typer(add_completion=False)


@app.command()
class DiffOptions(NamedTuple):
    """Compare two saved debates, or two judging runs of one.

    What differs is told in a few sentences, then side by side: who judged, winners, margins, scores, the claims that one
    side lets stand and the other does not, settings, models and cost. Systems that judged one side only are named.
    Without --runs the newest judging run of each system counts.

    Examples:

      debate diff my-debate my-other-debate

      debate diff my-debate --runs r1,r2
    """

    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="A transcript or journal, or the id of a saved debate.",
            autocompletion=completion.complete_debates,
        ),
    ]
    b: Annotated[
        str | None,
        typer.Argument(
            metavar="B", help="Another one; left out with --runs.", autocompletion=completion.complete_debates
        ),
    ] = None
    runs: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Compare judging run X (of A) with Y (of B, or of A too).")
    ] = None
    json: options.JsonOption = False
    plain: options.PlainOption = False
    debug: options.DebugOption = False
