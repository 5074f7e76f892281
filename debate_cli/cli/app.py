"""The command `debate`: its subcommands by name, loaded in two steps, each only when it is needed.

What a subcommand can be asked is read when it is named: enough for its help, for what is misspelt and for a shell that
completes. What it does is read when it is asked to do it. So help and version pay for neither engine nor SDK.
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
import traceback
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand

from debate_cli import __version__
from debate_cli.cli.console import (
    CLOSED_PIPE,
    UNWRITABLE_ERRNOS,
    ClosedPipeError,
    ignore_broken_pipe,
    print_status,
    redirect_to_devnull,
)
from debate_cli.cli.help_format import FormattedCommand, FormattedGroup
from debate_cli.errors import ConfigError, DebateError, UnsavedError, UsageError, format_page_hint

INTERRUPTED = 130
"""Exit code of what the user stopped."""
NON_REPEATABLE_OPTIONS = ("fail_under", "expect_winner", "max_warnings")
"""Gates of which one alone counts; a second would pass unseen."""
DEBATE_PANEL, SAVED_PANEL, SETUP_PANEL = "Debate", "Saved debates", "Setting up"


class CommandEntry(NamedTuple):
    """A subcommand before it is loaded.

    Its options are those of the Typer app `app` in `debate_cli.cli.asked.NAME`, which makes one value of them; what is
    done about that is `carry_out` in `debate_cli.cli.NAME_command`.
    """

    panel: str
    help: str
    """First line of the command's own help; a test holds the two together."""


COMMANDS: dict[str, CommandEntry] = {
    "run": CommandEntry(DEBATE_PANEL, "Run a debate and save its transcript."),
    "judge": CommandEntry(SAVED_PANEL, "Judge saved debates (again), without their debaters."),
    "score": CommandEntry(SAVED_PANEL, "Recompute verdicts from saved debates, without any model."),
    "replay": CommandEntry(SAVED_PANEL, "Show a saved debate as it was shown when it ran."),
    "list": CommandEntry(SAVED_PANEL, "List the saved debates of a folder: who won, and what it cost."),
    "diff": CommandEntry(SAVED_PANEL, "Compare two saved debates, or two judging runs of one."),
    "init": CommandEntry(SETUP_PANEL, "Write a commented debate.yaml and its schema."),
    "explain": CommandEntry(SETUP_PANEL, "Explain an error: what it means, and the ways out of it."),
    "check": CommandEntry(SETUP_PANEL, "Check configurations, and say which keys are missing."),
    "doctor": CommandEntry(
        SETUP_PANEL, "Ask each model a tiny question: what it can do, what it costs, how fast it is."
    ),
    "models": CommandEntry(SETUP_PANEL, "List the providers, what each can do, and whether its key is set."),
    "schema": CommandEntry(SETUP_PANEL, "Print the JSON Schema of a configuration or a transcript."),
}


class LazyCommandGroup(FormattedGroup):
    """Lists the subcommands from a table; imports what one can be asked when it is named."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the table."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """A stand-in with name and help, enough for help and completion of names."""
        del ctx
        entry = COMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=entry.help, rich_help_panel=entry.panel) if entry else None

    def get_params(self, ctx: Any) -> list[Any]:
        """The flags before the subcommand, off where they are not given: to look at None, Typer imports pydantic."""
        found = super().get_params(ctx)
        for flag in found:
            flag.default = flag.default or False
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The real command, with its options."""
        if not ctx.resilient_parsing and args[0] not in COMMANDS and not args[0].startswith("-"):
            from debate_cli.cli.help_format import format_unknown_command  # compares words: only where one is wrong

            ctx.fail(format_unknown_command(args[0], COMMANDS))
        name, command, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name in COMMANDS else command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand. Where nobody reads its output to the end, the exit code it chose stands, if it chose one.

        Raises ClosedPipeError where it did not: its framework would take that for a failure.
        """
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except typer.BadParameter as error:
            from debate_cli.cli.help_format import rewrite_usage_error  # the same

            error.message = rewrite_usage_error(error.message)
            raise
        except typer.Abort as error:  # Ctrl-C or Ctrl-D where a question is asked
            print(file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from error
        except typer.Exit:
            with ignore_broken_pipe():
                pass
            raise
        except BrokenPipeError as error:
            redirect_to_devnull(sys.stdout)
            raise ClosedPipeError from error
        return done


class Subcommand(FormattedCommand):
    """A subcommand that makes a value of its options, and hands it to its work."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options. Raises UsageError where a gate is given twice, of which the framework would let the last one count."""
        if not ctx.resilient_parsing and any(arg.startswith("--") for arg in args):
            *_, given = self.make_parser(ctx).parse_args(args=[*args])
            for option in given:
                if option.name in NON_REPEATABLE_OPTIONS and given.count(option) > 1:
                    raise UsageError(f"{option.opts[0]} is given {given.count(option)} times; give this gate once")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Import the work, and do it."""
        asked = super().invoke(ctx)
        return load_handler(str(self.name))(asked)


def load_command(name: str) -> Any:
    """Build a subcommand from the module that says what it can be asked."""
    module = importlib.import_module(f"debate_cli.cli.asked.{name}")
    for declared in module.app.registered_commands:
        declared.cls = Subcommand
    command = typer.main.get_command(module.app)
    command.name = name
    return command


def load_handler(name: str) -> Callable[[Any], None]:
    """Import the module that does what a subcommand is asked; what it does, given that."""
    gc.disable()  # as in __main__, for whoever comes another way
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looked for among all installed packages otherwise
    module = importlib.import_module(f"debate_cli.cli.{name}")
    gc.freeze()
    gc.enable()
    return module.run


app = typer.Typer(
    cls=LazyCommandGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"debate-cli {__version__}")
        raise typer.Exit


@app.callback(
    epilog="Examples:\n\n"
    "  debate run --mock                    a rehearsal: no key, no model\n"
    "  debate init                          a debate.yaml of your own\n"
    "  debate run debate.yaml               run it; the transcript is saved\n"
    "  debate replay ID --only verdict      who won, and how clearly\n"
    "  debate judge ID --system panel       ask other judges, without debaters\n"
    "  debate score transcripts/            all verdicts, recomputed, in one table\n"
    "  debate explain                       pages about what may go wrong\n\n"
    "Exit codes: 0 done, 1 failed, 2 wrong input, 3 a provider failed, 4 budget reached, 5 a gate was not met, 130 interrupted, "
    "141 nobody read the output to its end."
)
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Let language models argue: a motion, debaters, judges, and a verdict that can be recomputed."""


def main() -> None:
    """Run the command line; every error becomes one sentence on stderr and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except UnsavedError as error:
        exit_with_error(error, error.exit_code, f"{error}; {_print_unsaved_transcript(error.transcript)}")
    except DebateError as error:
        exit_with_error(error, error.exit_code)
    except ClosedPipeError:
        sys.exit(CLOSED_PIPE)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except RecursionError as error:
        exit_with_error(error, 1)
    except Exception as error:  # noqa: BLE001 - the last net: a traceback is for --debug
        exit_with_error(error, 1, _format_unexpected_error(error))


def _print_unsaved_transcript(transcript: str) -> str:
    """Print a transcript that could not be saved; what became of it."""
    from debate_cli.cli.console import write_json_chunks  # what is never needed where all goes well

    try:
        write_json_chunks([transcript])
        sys.stdout.flush()
    except OSError as error:
        redirect_to_devnull(sys.stdout)
        return f"standard output cannot be written either ({error.strerror}), so that the debate is lost"
    return "the debate so far stands on standard output as JSON"


def _format_unexpected_error(error: Exception) -> str:
    """What is said of an error that nothing foresaw, and of an output that cannot be written."""
    if isinstance(error, OSError) and error.errno in UNWRITABLE_ERRNOS and error.filename is None:
        redirect_to_devnull(sys.stdout)
        return f"standard output cannot be written ({error.strerror}); send it to a place that has room for it"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"unexpected {what}; please report it with the output of --debug"


def exit_with_error(error: BaseException, code: int, message: str | None = None) -> None:
    """Print the error and end the process with `code`; with `--debug`, the traceback first."""
    if "--debug" in sys.argv:
        traceback.print_exception(error)
    lines = list(error.problems) if isinstance(error, ConfigError) else [f"debate: {message or error}"]
    if isinstance(error, DebateError) and error.page and lines:
        last = max(place for place, line in enumerate(lines) if place == 0 or not line.startswith(" "))
        lines[last] = lines[last].removesuffix(".") + format_page_hint(error.page)
    for line in lines:
        print_status(line)
    sys.exit(code)
