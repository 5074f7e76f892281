"""Help pages that fit 80 columns: reflowed prose, examples on their own lines, short type names."""

import re
from collections.abc import Iterable
from copy import copy
from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from debate_cli.domain.suggestions import format_suggestion

_CHOICE_ERROR = re.compile(r"(?P<value>'.*'|\".*\") is not one of (?P<known>'[^']*'(?:, '[^']*')*)\.", re.DOTALL)
_MAX_QUOTED_CHARS = 60
"""Maximum length of a quoted wrong value."""
_BOUND_ERRORS = (
    (r"Input should be a valid integer", "must be a whole number"),
    (r"Input should be a (?:valid|finite) number", "must be a number"),
    (r"Input should be greater than or equal to (\S+)", r"must be at least \1"),
    (r"Input should be less than or equal to (\S+)", r"must be at most \1"),
)


def format_unknown_command(name: str, known: Iterable[str]) -> str:
    """Message for an unknown command, with a suggestion."""
    shown = name if len(name) <= _MAX_QUOTED_CHARS else f"{name[:_MAX_QUOTED_CHARS]}…"
    return f"no such command {shown!r}{format_suggestion(name, known)}"


def describe_usage_error(error: TyperException) -> str:
    """A sentence about a wrong option or argument, with the command that shows the help."""
    if isinstance(error, typer.BadParameter):
        error.message = rewrite_usage_error(error.message)
    message = " ".join(error.format_message().split()).rstrip(".")
    context: Any = getattr(error, "ctx", None)
    command = "debate" if context is None else context.command_path
    hint = "" if message.endswith("?") else f"; see: {command} --help"
    return f"{message[:1].lower()}{message[1:]}{hint}"


def rewrite_usage_error(message: str) -> str:
    """Rewrite Typer's message about the wrong value of an option in plain words. Unknown messages stay unchanged."""
    message = message.removeprefix("Value error, ")
    if choice := _CHOICE_ERROR.fullmatch(message):
        known = re.findall(r"'([^']*)'", choice["known"])
        return f"{choice['value']} is not one of {', '.join(known)}{format_suggestion(choice['value'][1:-1], known)}"
    for pattern, plain in _BOUND_ERRORS:
        if bound := re.match(pattern, message):
            return bound.expand(plain)
    return message


EXAMPLES_HEADING = "Examples:"
TYPE_METAVARS = {"<bool>": "", "<str>": "TEXT", "<int>": "N", "<int range>": "N", "<float>": "X", "<path>": "PATH"}
"""Type -> placeholder for the value of an option that has no metavar. A flag has no value."""
MAX_CHOICES_WIDTH = 24
"""Maximum width of a list of choices that replaces an option's placeholder. A wider list goes into its help text."""


class FormattedCommand(TyperCommand):
    """A subcommand whose help is reflowed."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Format the help of a copy of the command. The command itself stays unchanged."""
        TyperCommand.format_help(copy_for_help(self, ctx), ctx, formatter)


class FormattedGroup(TyperGroup):
    """A group of subcommands whose help is reflowed."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Format the help of a copy of the group. The group itself stays unchanged."""
        TyperGroup.format_help(copy_for_help(self, ctx), ctx, formatter)


def copy_for_help(command: Any, ctx: Any) -> Any:
    """A copy of a command with reflowed help and placeholders."""
    shown = copy(command)
    shown.help = reflow_help(command.help or "")
    shown.params = [_format_param(param, ctx) for param in command.get_params(ctx)]
    shown.add_help_option = False  # it is among the parameters
    return shown


def reflow_help(text: str) -> str:
    """Join the lines of each paragraph, so that the terminal wraps them. Examples keep one line each."""
    prose, found, examples = cleandoc(text).partition(f"\n\n{EXAMPLES_HEADING}\n\n")
    reflowed = "\n\n".join(" ".join(part.split()) for part in prose.split("\n\n"))
    return f"{reflowed}\n\n{EXAMPLES_HEADING}\n\n" + examples.replace("\n\n", "\n") if found else reflowed


class _HelpArgument(TyperArgument):
    """An argument whose help shows its choices. Other types are not shown: the placeholder names them already."""

    def __init__(self, real: TyperArgument) -> None:
        vars(self).update(vars(real))

    def display_type_rich(self, ctx: Any) -> str | None:
        type_name = self.display_type(ctx)
        return type_name if "|" in type_name else ""


def _format_param(param: Any, ctx: Any) -> Any:
    if isinstance(param, TyperArgument):
        return _HelpArgument(param)
    if not isinstance(param, TyperOption) or param.metavar is not None:
        return param
    type_name = param.display_type(ctx)
    found = copy(param)
    if "|" in type_name and len(type_name) > MAX_CHOICES_WIDTH:
        choices = type_name.strip("<>").replace("|", ", ")
        found.metavar, found.help = (
            param.opts[-1].lstrip("-").upper(),
            f"{(param.help or '').removesuffix('.')}: {choices}.",
        )
    else:
        found.metavar = TYPE_METAVARS.get(type_name)
    return found
