"""The command `debate` and the table of its subcommands. A subcommand's module is imported when the subcommand runs."""

import errno
import importlib
import sys
import traceback
from collections.abc import Sequence
from inspect import cleandoc
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from debate_cli.cli import options
from debate_cli.cli.console import (
    UNWRITABLE_ERRNOS,
    ClosedPipeError,
    guard_workflow,
    ignore_broken_pipe,
    is_interactive,
    prepare_streams,
    print_status,
    redirect_to_devnull,
    write_json_chunks,
)
from debate_cli.domain.message_text import format_suggestion
from debate_cli.errors import (
    ConfigError,
    DebateError,
    ExitCode,
    UnsavedError,
    UsageError,
    add_page_hint,
    describe_missing_module,
)
from debate_cli.regular_file import shorten_path
from debate_cli.resolved_secrets import secret_collector
from debate_cli.version import __version__

SINGLE_OPTIONS = ("fail_under", "expect_winner", "max_warnings", "only")
"""Options that the user may give only once. Other options may be repeated: they use all values, or the last one."""
EXAMPLES_HEADING = "Examples:"
TYPE_METAVARS = {"<bool>": "", "<str>": "TEXT", "<int>": "N", "<int range>": "N", "<float>": "X", "<path>": "PATH"}
"""Maps the type of an option to the placeholder of its value in help, e.g. `N`. A flag has an empty placeholder."""
PLAIN_WORDS = (
    ("Value error, ", ""),
    ("Input should be ", "must be "),
    ("greater than or equal to", "at least"),
    ("less than or equal to", "at most"),
)
"""Replacements in errors about options: pairs of pydantic's words and plainer words."""
UNUSABLE_PATH_ERRNOS = frozenset({errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOTDIR, errno.ELOOP})
"""Error numbers of a path that cannot lead to a file, or leads to a file that this user may not use."""
MAX_CHOICES_WIDTH = 24
"""Maximum length of a list of choices in the placeholder column of help, in characters."""
DEBATE_PANEL, SAVED_PANEL, SETUP_PANEL = "Debate", "Saved debates", "Setting up"
COMMANDS: dict[str, tuple[str, str]] = {
    "run": (DEBATE_PANEL, "debate_options:RunOptions"),
    "experiment": (DEBATE_PANEL, "debate_options:ExperimentOptions"),
    "worker": (DEBATE_PANEL, "debate_options:WorkerOptions"),
    "judge": (SAVED_PANEL, "saved_options:JudgeOptions"),
    "score": (SAVED_PANEL, "saved_options:ScoreOptions"),
    "replay": (SAVED_PANEL, "saved_options:ReplayOptions"),
    "list": (SAVED_PANEL, "saved_options:ListOptions"),
    "review": (SAVED_PANEL, "saved_options:ReviewOptions"),
    "diff": (SAVED_PANEL, "saved_options:DiffOptions"),
    "import": (SAVED_PANEL, "saved_options:ImportOptions"),
    "audit": (SAVED_PANEL, "saved_options:AuditOptions"),
    "init": (SETUP_PANEL, "setup_options:InitOptions"),
    "personas": (SETUP_PANEL, "setup_options:PersonasOptions"),
    "explain": (SETUP_PANEL, "setup_options:ExplainOptions"),
    "check": (SETUP_PANEL, "setup_options:CheckOptions"),
    "doctor": (SETUP_PANEL, "setup_options:DoctorOptions"),
    "models": (SETUP_PANEL, "setup_options:ModelsOptions"),
    "evidence": (SETUP_PANEL, "setup_options:EvidenceOptions"),
    "prompts": (SETUP_PANEL, "setup_options:PromptsOptions"),
    "schema": (SETUP_PANEL, "setup_options:SchemaOptions"),
}
"""Maps each subcommand to its panel in `debate --help`, and to the class of its options, whose docstring is the help."""


class _ColouredHelp:
    """Base class of commands. Help is coloured only on a terminal, and no word in help is cut."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help.

        Turns colour on or off first, because Typer ignores the variable CI and colours help under GitHub Actions even
        in a pipe.
        """
        from typer import rich_utils

        from debate_cli.cli.help_table import HelpTable

        rich_utils.COLOR_SYSTEM = "auto" if is_interactive(sys.stdout) else None
        module: Any = rich_utils
        module.Table = HelpTable
        parent: Any = super()
        parent.format_help(ctx, formatter)


class LazyCommandGroup(_ColouredHelp, TyperGroup):
    """The subcommands of `debate`. The module of a subcommand is imported only when the subcommand runs."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the subcommands in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """Return the subcommand without its options. Returns None for an unknown name.

        Lists of subcommands, e.g. in `debate --help`, need no options. `resolve_command` adds the options.
        """
        if cmd_name not in COMMANDS:
            return None
        panel, _ = COMMANDS[cmd_name]
        return TyperCommand(cmd_name, help=_options_class(cmd_name).__doc__, rich_help_panel=panel)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the flags of `debate` itself. A flag without a default gets the default False.

        Typer would convert the default None with pydantic, and the import of pydantic is slow.
        """
        params = super().get_params(ctx)
        for param in params:
            param.default, param.metavar = param.default or False, ""
        return params

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the name of the subcommand, the subcommand with its options, and the remaining arguments."""
        if not ctx.resilient_parsing and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no such command {args[0]!r}{format_suggestion(args[0], COMMANDS)}")
        name, command, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name in COMMANDS else command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand. Raises ClosedPipeError if stdout is closed."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except typer.Abort as error:  # Ctrl-C or Ctrl-D at a prompt
            print(file=sys.stderr)
            raise typer.Exit(ExitCode.INTERRUPTED) from error
        except typer.Exit:
            with ignore_broken_pipe():
                pass
            raise
        except BrokenPipeError as error:
            redirect_to_devnull(sys.stdout)
            raise ClosedPipeError from error
        return result


class Subcommand(_ColouredHelp, TyperCommand):
    """A subcommand. Refuses an empty value, and an option in SINGLE_OPTIONS that is given twice.

    In its help, the values of options have short placeholders, e.g. `N` for an int.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options. Raises an error for an empty value, and for an option in SINGLE_OPTIONS that is given twice."""
        if not ctx.resilient_parsing:
            parser: Any = self.make_parser(ctx)
            values, _, given = parser.parse_args(args=[*args])
            for param in given:
                value = values[param.name]
                if "" in (value if isinstance(value, list | tuple) else (value,)):
                    raise typer.BadParameter("it is empty, perhaps because a variable is not set", ctx, param)
                if param.name in SINGLE_OPTIONS and not param.multiple and given.count(param) > 1:
                    raise UsageError(f"{param.opts[0]} is given {given.count(param)} times; give it once")
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options and arguments. Their values have short placeholders in help, e.g. `N` for an int."""
        params: list[Any] = super().get_params(ctx)
        for param in params:
            _shorten_type(param, param.display_type(ctx))
        return params


def _show_no_type(ctx: object) -> str:  # noqa: ARG001 - Typer passes it by name
    return ""


def _shorten_type(param: Any, type_name: str) -> None:
    if param.param_type_name == "argument":
        if "|" not in type_name:
            param.display_type_rich = _show_no_type
    elif param.metavar is None:
        param.metavar = TYPE_METAVARS.get(type_name)
        if "|" in type_name and len(type_name) > MAX_CHOICES_WIDTH:
            choices = type_name.strip("<>").replace("|", ", ")
            param.metavar = param.opts[-1].lstrip("-").upper()
            param.help = f"{(param.help or '').removesuffix('.')}: {choices}."


class CommonOptions(NamedTuple):
    """Options of all subcommands. No subcommand receives them; `main` looks for them in the command line."""

    debug: Annotated[bool, typer.Option("--debug", expose_value=False, help="Show the traceback of an error.")] = False


def load_command(name: str) -> Any:
    """Return the subcommand `name` with its options and its help. Its module is imported when the subcommand runs."""
    declared = _options_class(name)
    command = _build_command(declared)
    command.params += _build_command(CommonOptions).params
    command.name = name
    command.help = reflow_help(command.help or "")

    def run(**values: Any) -> None:
        importlib.import_module(command_module(name)).run(declared(**values))

    command.callback = run
    return command


def _options_class(name: str) -> Any:
    _, place = COMMANDS[name]
    return resolve_name(f"debate_cli.cli.{place}")


def command_module(name: str) -> str:
    """Return the import path of the module of the subcommand `name`."""
    return f"debate_cli.cli.{'import_command' if name == 'import' else name}"  # `import` is a keyword of Python


def _build_command(declared: Any) -> Any:
    single = typer.Typer(add_completion=False)
    single.command(cls=Subcommand, epilog=getattr(declared, "EPILOG", None))(declared)
    return typer.main.get_command(single)


def reflow_help(text: str) -> str:
    """Join the lines of each paragraph of a help text. Each example keeps its own line."""
    prose, found, examples = cleandoc(text).partition(f"\n\n{EXAMPLES_HEADING}\n\n")
    reflowed = "\n\n".join(" ".join(part.split()) for part in prose.split("\n\n"))
    return reflowed + found + examples.replace("\n\n", "\n")


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
    + options.format_exit_codes(ExitCode)
)
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Let language models argue: a motion, debaters, judges, and a verdict that can be recomputed."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    `argv`: the arguments after the program's name. None: the arguments in `sys.argv`.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    guard_workflow()
    with secret_collector():
        _run(args)


def _run(args: list[str]) -> None:
    """Run the command line and exit."""
    try:
        code: int | None = app(args or ["--help"], prog_name="debate", standalone_mode=False)
        sys.exit(code or (ExitCode.DONE if args else ExitCode.WRONG_INPUT))
    except ClosedPipeError:
        sys.exit(ExitCode.CLOSED_PIPE)
    except SystemExit as error:  # Rich exits with 1 if the pipe is closed while it prints the help
        if isinstance(error.__context__, BrokenPipeError):
            sys.exit(ExitCode.CLOSED_PIPE)
        raise
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except Exception as raised:  # noqa: BLE001 - every error becomes a message; --debug adds the traceback
        if "--debug" in args:
            traceback.print_exception(raised)
        error = _as_usage_error(raised)
        for line in _describe_error(error):
            print_status(line)
        sys.exit(error.exit_code if isinstance(error, DebateError | TyperException) else ExitCode.FAILED)


def _as_usage_error(error: Exception) -> Exception:
    """Return a UsageError if `error` is an OSError about an unusable path. Return any other error unchanged."""
    match error:
        case OSError(filename=str() | Path()) if error.errno in UNUSABLE_PATH_ERRNOS:
            reason = f"{shorten_path(error.filename)}: cannot be used ({error.strerror}); choose another path"
        case FileNotFoundError(filename=None) if _is_working_folder_deleted():
            reason = "the working folder was deleted; change to another"
        case _:
            return error
    return UsageError(reason)


def _is_working_folder_deleted() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _describe_error(error: Exception) -> list[str]:
    match error:
        case TyperException():
            return [f"debate: {_describe_usage_error(error)}"]
        case ConfigError():
            lines = list(error.problems)
        case UnsavedError():
            lines = [f"debate: {error}; {_print_unsaved_transcript(error.transcript)}"]
        case DebateError():
            lines = [f"debate: {error}"]
        case OSError(filename=None) if error.errno in UNWRITABLE_ERRNOS:
            redirect_to_devnull(sys.stdout)
            return [f"debate: standard output cannot be written ({error.strerror}); redirect it elsewhere"]
        case ModuleNotFoundError():
            return [f"debate: {describe_missing_module(error)}"]
        case _:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            return [f"debate: unexpected {what}; please report it with the output of --debug"]
    return add_page_hint(lines, error.page)


def _describe_usage_error(error: TyperException) -> str:
    message = " ".join(error.format_message().split()).partition(", unable to parse")[0].rstrip(".")
    for words, plain in PLAIN_WORDS:
        message = message.replace(words, plain)
    word, is_choice, choices = message.rpartition(": ")[2].partition(" is not one of ")
    if is_choice:
        message += format_suggestion(word.strip("'"), [choice.strip("'") for choice in choices.split(", ")])
    context: Any = getattr(error, "ctx", None)
    hint = "" if message.endswith("?") else f"; see: {context.command_path if context else 'debate'} --help"
    return f"{message[:1].lower()}{message[1:]}{hint}"


def _print_unsaved_transcript(transcript: str) -> str:
    try:
        write_json_chunks([transcript])
        sys.stdout.flush()
    except OSError as error:
        redirect_to_devnull(sys.stdout)
        return f"standard output cannot be written either ({error.strerror}), so the debate is lost"
    return "the debate so far is on standard output as JSON"
