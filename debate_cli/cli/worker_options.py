"""Options of `debate worker`, apart from the command so that help and completion load no engine."""

from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import options

EPILOG = (
    "Exit codes: 0 done (--until-empty), 1 the queue cannot be reached, 2 wrong input, or an experiment that this machine "
    "may not run (--until-empty), 130 interrupted."
)


class Options(NamedTuple):
    """Run debates of experiments that are in a queue.

    `debate experiment run EXP.yaml --queue DSN` puts an experiment into a PostgreSQL database; workers on any machines
    run its debates. They need the keys of its providers in their environment, and keep its budget and the limits a
    minute of each key together. If a worker dies, another continues its debates after their last event. An experiment
    in the queue is not trusted: allow each server that it names with --trust-host. Needs the extra `[cluster]`.

    Examples:

      DEBATE_QUEUE=postgresql://me:secret@db.example/debates debate worker

      debate worker --concurrency 32 --trust-host gpu.example:8000

      debate worker --until-empty
    """

    queue: Annotated[
        str | None,
        typer.Option(
            "--queue",
            metavar="DSN",
            envvar="DEBATE_QUEUE",
            show_envvar=False,
            help="PostgreSQL database of the queue, as postgresql://USER@HOST/NAME (default: $DEBATE_QUEUE, which no process list shows).",
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, max=1000, metavar="N", help="Debates at the same time (default: as the experiment says)."),
    ] = None
    until_empty: Annotated[bool, typer.Option("--until-empty", help="End when no cell is left.")] = False
    lease: Annotated[
        float,
        typer.Option(
            min=2,
            metavar="SECONDS",
            help="Take over the debates of a worker after this time without a sign of life (equal for all workers).",
        ),
    ] = 30
    trust_host: options.TrustHostOption = None
    json: Annotated[bool, typer.Option("--json", help="Print an event per line on stdout.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print notes only.")] = False
    debug: options.DebugOption = False
