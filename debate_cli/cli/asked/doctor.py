"""What `debate doctor` is asked."""

from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import options

app = typer.Typer(add_completion=False)


@app.command()
class DoctorOptions(NamedTuple):
    """Ask each model a tiny question: what it can do, what it costs, how fast it is.

    One question for each way of asking for structure (native schema, forced tool call, schema in the prompt) and one
    streamed; a few hundred tokens a model. A model is usable where at least one way gives a valid form. Exit code 3
    where one is not.

    Examples:

      debate doctor

      debate doctor --config debate.yaml strong ollama/qwen3:8b
    """

    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help="provider/model, or a name in the configuration's models; without any, all it uses.",
        ),
    ] = None
    config: Annotated[
        str | None, typer.Option(metavar="CONFIG", help="A debate.yaml, or - for stdin; default as for run.")
    ] = None
    mock: options.MockOption = False
    json: options.JsonOption = False
    debug: options.DebugOption = False
