"""Options of `debate import`, apart from the command so that help and completion load no engine."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

EPILOG = options.EXIT_CODES_WITH_MODELS


class Format(StrEnum):
    """Formats of files with one debate, and public data sets."""

    text = "text"
    markdown = "markdown"
    vtt = "vtt"
    srt = "srt"
    csv = "csv"
    jsonl = "jsonl"
    chat = "chat"
    transcript = "transcript"
    debatrix = "debatrix"
    nyu = "nyu"
    lechmazur = "lechmazur"
    ukp = "ukp"


class RoundBy(StrEnum):
    """What divides the speeches into rounds."""

    turns = "turns"
    heading = "heading"


class Options(NamedTuple):
    """Make transcripts of debates that were held elsewhere.

    Reads text (`Name: words`), Markdown, subtitles, tables, chats and our own transcripts, and keeps every word. The
    transcript can be judged, scored, replayed and reported as any other. Shows what it found, and writes nothing with
    --dry-run. The formats debatrix, nyu, lechmazur and ukp read folders of public data sets; what people said about
    their debates is written to `labels.csv` beside the transcripts. Several files or a folder give one transcript each,
    named after the file; broken files are reported, the others are imported.

    Examples:

      debate import hearing.txt --dry-run

      debate import hearing.txt --drop "The Chair" --merge "Dr. A=Ann Lee" --side "Ann Lee=for" --side Bo=against

      debate import answers.csv --map speaker=who,text=body --topic "Should we move?"

      debate import debates/ -o transcripts/

      debate import hearing.txt --arguments anthropic/claude-sonnet-5
    """

    paths: Annotated[list[Path], typer.Argument(metavar="FILE", help="Files with a debate each, and folders of them.")]
    format: Annotated[
        Format | None, typer.Option(help="Format of the files, or a public data set; default: recognised by content.")
    ] = None
    topic: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The motion; default: that of the file, else the file's name.")
    ] = None
    side: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SIDE",
            help="Side of a speaker: for, against, or any label if there are three or more (repeatable).",
        ),
    ] = None
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Leave out a speaker, such as a chair (repeatable).")
    ] = None
    merge: Annotated[
        list[str] | None,
        typer.Option(metavar="SPELLING=NAME", help="Treat a spelling as another name of a speaker (repeatable)."),
    ] = None
    round_by: Annotated[
        RoundBy | None,
        typer.Option(
            help="`turns`: a round ends before someone speaks again. `heading`: each heading begins a round. "
            "Default: the rounds that a table names, else `turns`."
        ),
    ] = None
    map: Annotated[
        str | None,
        typer.Option("--map", metavar="FIELD=COLUMN,…", help="Columns of a table for speaker, text and round."),
    ] = None
    arguments: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER/MODEL",
            help="Ask this model for the claims of each speech; their passages are checked word for word. Without it, each speech is one argument.",
        ),
    ] = None
    mock: options.MockOption = False
    config: Annotated[
        str | None,
        typer.Option(
            metavar="CONFIG",
            help="Configuration with providers and limits for --arguments.",
            autocompletion=completion.complete_configs,
        ),
    ] = None
    max_cost: options.MaxCostOption = None
    max_tokens: options.MaxTokensOption = None
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="PATH",
            help="Folder, or .json file, for the result; default: where `run` saves debates.",
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing transcripts.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show speakers, speeches and rounds; write nothing.")] = (
        False
    )
    json: options.JsonOption = False
    debug: options.DebugOption = False
