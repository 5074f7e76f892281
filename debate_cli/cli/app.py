"""The command `debate`: a table of subcommands. A subcommand's module is imported when the subcommand is named."""

import importlib
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from debate_cli.cli.console import (
    CLOSED_PIPE,
    UNWRITABLE_ERRNOS,
    ClosedPipeError,
    ignore_broken_pipe,
    prepare_streams,
    print_status,
    redirect_to_devnull,
    write_json_chunks,
)
from debate_cli.cli.help_format import FormattedCommand, FormattedGroup, describe_usage_error, format_unknown_command
from debate_cli.cli.workflow_guard import guard_workflow
from debate_cli.errors import (
    ConfigError,
    DebateError,
    UnsavedError,
    UsageError,
    describe_missing_module,
    format_page_hint,
)
from debate_cli.version import __version__

INTERRUPTED = 130
"""Exit code after Ctrl-C."""
NON_REPEATABLE_OPTIONS = ("fail_under", "expect_winner", "max_warnings")
"""Options that are refused if they are given twice. Click itself would silently use the last one."""
DEBATE_PANEL, SAVED_PANEL, SETUP_PANEL = "Debate", "Saved debates", "Setting up"


class CommandSummary(NamedTuple):
    """A subcommand's row in `debate --help`. The subcommand itself is a module in `debate_cli.cli`."""

    panel: str
    help: str
    """First line of the subcommand's own help. A test compares the two."""
    options: str = ""
    """Module in `debate_cli.cli` with the options, if it is separate; help imports only this one."""
    module: str = ""
    """Module in `debate_cli.cli` of the subcommand, if its name differs."""


COMMANDS: dict[str, CommandSummary] = {
    "run": CommandSummary(DEBATE_PANEL, "Run a debate and save its transcript.", "run_options"),
    "experiment": CommandSummary(
        DEBATE_PANEL,
        "Run many debates from one file: players, motions, both side orders, judges.",
        "experiment_options",
    ),
    "worker": CommandSummary(DEBATE_PANEL, "Run debates of experiments that are in a queue.", "worker_options"),
    "judge": CommandSummary(SAVED_PANEL, "Judge saved debates (again), without their debaters.", "judge_options"),
    "score": CommandSummary(SAVED_PANEL, "Recompute verdicts from saved debates, without any model."),
    "replay": CommandSummary(SAVED_PANEL, "Show a saved debate as `debate run` showed it."),
    "list": CommandSummary(SAVED_PANEL, "List the saved debates of a folder: who won, and what it cost."),
    "review": CommandSummary(SAVED_PANEL, "Judge a saved debate yourself, beside the models."),
    "diff": CommandSummary(SAVED_PANEL, "Compare two saved debates, or two judging runs of one."),
    "import": CommandSummary(
        SAVED_PANEL, "Make transcripts of debates that were held elsewhere.", "import_options", "import_command"
    ),
    "audit": CommandSummary(SAVED_PANEL, "Measure whether a judge can be trusted.", "audit_options"),
    "init": CommandSummary(SETUP_PANEL, "Write a commented debate.yaml and its schema."),
    "personas": CommandSummary(SETUP_PANEL, "Suggest the judges of a panel: the stakeholders that documents imply."),
    "explain": CommandSummary(SETUP_PANEL, "Explain an error: what it means, and how to fix it."),
    "check": CommandSummary(SETUP_PANEL, "Check configurations, and name missing keys."),
    "doctor": CommandSummary(
        SETUP_PANEL, "Ask each model a tiny question: what it can do, what it costs, how fast it is."
    ),
    "models": CommandSummary(SETUP_PANEL, "List the providers, what each can do, and whether its key is set."),
    "evidence": CommandSummary(
        SETUP_PANEL, "Show which sources a debate has, and which passages a query finds in them."
    ),
    "prompts": CommandSummary(SETUP_PANEL, "List the prompts that debaters and judges get, or show the text of one."),
    "schema": CommandSummary(SETUP_PANEL, "Print the JSON Schema of a configuration, a transcript or an experiment."),
}


class LazyCommandGroup(FormattedGroup):
    """Lists the subcommands from `COMMANDS` and imports one when it is named."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the subcommands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """Return a placeholder with name and summary: enough for `debate --help` and for completing names."""
        summary = COMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=summary.help, rich_help_panel=summary.panel) if summary else None

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of `debate` with explicit defaults.

        If a default were None, Typer would import pydantic, which would double the start-up time.
        """
        params = super().get_params(ctx)
        for param in params:
            param.default = param.default or False
        return params

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the subcommand with its options."""
        if not ctx.resilient_parsing and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(format_unknown_command(args[0], COMMANDS))
        name, command, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name in COMMANDS else command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand and return its exit code.

        If stdout closes early, a subcommand that ends with an exit code keeps it. Any other raises ClosedPipeError.
        """
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except typer.Abort as error:  # Ctrl-C or Ctrl-D at a prompt
            print(file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from error
        except typer.Exit:
            with ignore_broken_pipe():
                pass
            raise
        except BrokenPipeError as error:
            redirect_to_devnull(sys.stdout)
            raise ClosedPipeError from error
        return result


class Subcommand(FormattedCommand):
    """A subcommand that refuses an option of NON_REPEATABLE_OPTIONS that is given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options. Raises UsageError for a non-repeatable option that is given twice."""
        if not ctx.resilient_parsing and any(arg.startswith("--") for arg in args):
            *_, given = self.make_parser(ctx).parse_args(args=[*args])
            for option in given:
                if option.name in NON_REPEATABLE_OPTIONS and given.count(option) > 1:
                    raise UsageError(f"{option.opts[0]} is given {given.count(option)} times; give it once")
        return super().parse_args(ctx, args)


def load_command(name: str) -> Any:
    """Import the module with the options of a subcommand; when the subcommand runs, import its own module.

    The module with the options has `Options` (a NamedTuple of options and help) and perhaps `EPILOG`. The subcommand's
    module, which may be the same, has `run(Options)`.
    """
    summary = COMMANDS[name]
    declared = importlib.import_module(f"debate_cli.cli.{summary.options or name}")
    single = typer.Typer(add_completion=False)
    single.command(cls=Subcommand, epilog=getattr(declared, "EPILOG", None))(declared.Options)
    command = typer.main.get_command(single)
    command.name = name

    def run(**values: Any) -> None:
        importlib.import_module(f"debate_cli.cli.{summary.module or name}").run(declared.Options(**values))

    command.callback = run
    return command


app = typer.Typer(
    cls=LazyCommandGroup,
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
    "  debate init                          write your own debate.yaml\n"
    "  debate run debate.yaml               run it; the transcript is saved\n"
    "  debate replay ID --only verdict      who won, and how clearly\n"
    "  debate judge ID --system panel       ask other judges, without debaters\n"
    "  debate score transcripts/            all verdicts, recomputed, in one table\n"
    "  debate explain                       pages about errors and how to fix them\n\n"
    "Exit codes: 0 done, 1 failed, 2 wrong input, 3 a provider failed, 4 budget reached, 5 a gate was not met, "
    "6 a batch is in progress, 130 interrupted, 141 output pipe closed."
)
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Let language models argue: a motion, debaters, judges, and a verdict that can be recomputed."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line `argv` (None: `sys.argv`) and exit.

    Every error becomes one sentence on stderr and an exit code.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    guard_workflow()
    try:
        code: int | None = app(args or ["--help"], prog_name="debate", standalone_mode=False)
        sys.exit(code or (0 if args else 2))
    except TyperException as error:  # a wrong option or argument
        exit_with_error(error, error.exit_code, describe_usage_error(error), debug="--debug" in args)
    except UnsavedError as error:
        message = f"{error}; {_print_unsaved_transcript(error.transcript)}"
        exit_with_error(error, error.exit_code, message, debug="--debug" in args)
    except DebateError as error:
        exit_with_error(error, error.exit_code, debug="--debug" in args)
    except ClosedPipeError:
        sys.exit(CLOSED_PIPE)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except RecursionError as error:
        exit_with_error(error, 1, debug="--debug" in args)
    except Exception as error:  # noqa: BLE001 - the last net: a traceback is for --debug
        exit_with_error(error, 1, _format_unexpected_error(error), debug="--debug" in args)


def _print_unsaved_transcript(transcript: str) -> str:
    """Print to stdout a transcript that could not be saved. Returns a clause that says where it is now."""
    try:
        write_json_chunks([transcript])
        sys.stdout.flush()
    except OSError as error:
        redirect_to_devnull(sys.stdout)
        return f"standard output cannot be written either ({error.strerror}), so the debate is lost"
    return "the debate so far is on standard output as JSON"


def _format_unexpected_error(error: Exception) -> str:
    """The message for an exception that is not a DebateError: a missing package, a full disk at stdout, or a bug."""
    if isinstance(error, OSError) and error.errno in UNWRITABLE_ERRNOS and error.filename is None:
        redirect_to_devnull(sys.stdout)
        return f"standard output cannot be written ({error.strerror}); redirect it elsewhere"
    if isinstance(error, ModuleNotFoundError):
        return describe_missing_module(error)
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"unexpected {what}; please report it with the output of --debug"


def exit_with_error(error: BaseException, code: int, message: str | None = None, *, debug: bool) -> None:
    """Print the error and exit with `code`; with `debug`, print the traceback first."""
    if debug:
        traceback.print_exception(error)
    lines = list(error.problems) if isinstance(error, ConfigError) else [f"debate: {message or error}"]
    if isinstance(error, DebateError) and error.page and lines:
        last = max(number for number, line in enumerate(lines) if number == 0 or not line.startswith(" "))
        lines[last] = lines[last].removesuffix(".") + format_page_hint(error.page)
    for line in lines:
        print_status(line)
    sys.exit(code)
