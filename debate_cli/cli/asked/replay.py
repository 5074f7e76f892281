"""What `debate replay` is asked."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

app = typer.Typer(add_completion=False)


class ReplayFormat(StrEnum):
    """What the debate is shown as."""

    terminal = "terminal"
    markdown = "markdown"
    html = "html"
    json = "json"
    svg = "svg"
    terminal_html = "terminal-html"


class ReplayPart(StrEnum):
    """A part of the debate."""

    turns = "turns"
    scores = "scores"
    trace = "trace"
    verdict = "verdict"
    briefing = "briefing"


@app.command()
class ReplayOptions(NamedTuple):
    """Show a saved debate as it was shown when it ran.

    All at once, or typed out, or step by step; also as a page, a picture or Markdown. No model is asked.

    Examples:

      debate replay transcripts/my-debate.json --only trace

      debate replay my-debate --speed 4

      debate replay my-debate --format html -o report.html

      debate replay my-debate --format svg --only verdict -o verdict.svg
    """

    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A transcript or journal, or the id of a saved debate.",
            autocompletion=completion.complete_debates,
        ),
    ]
    speed: Annotated[
        float | None,
        typer.Option(
            min=0.01, metavar="X", help="Type the speeches out, X times a fast model's pace; 0.2: read along."
        ),
    ] = None
    step: Annotated[bool, typer.Option("--step", help="Wait for a key after each turn.")] = False
    round: Annotated[int | None, typer.Option("--round", min=1, help="Only this round.")] = None
    only: Annotated[ReplayPart | None, typer.Option(help="Only this part.")] = None
    show_hidden: Annotated[bool, typer.Option("--show-hidden", help="Show hidden directives.")] = False
    plain: options.PlainOption = False
    format: Annotated[ReplayFormat, typer.Option("--format", help="What to show it as.")] = ReplayFormat.terminal
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write to a file.")] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE where it exists.")] = False
    debug: options.DebugOption = False
