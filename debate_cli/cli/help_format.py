"""Help that reads well in a window of 80 columns: prose that fills its lines, examples that keep theirs, short types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy
from inspect import cleandoc
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from debate_cli.domain.suggestions import format_suggestion

_CHOICE_ERROR = re.compile(r"(?P<value>'.*'|\".*\") is not one of (?P<known>'[^']*'(?:, '[^']*')*)\.", re.DOTALL)
_MAX_QUOTED_CHARS = 60
"""Characters of a wrong word that are repeated."""
_BOUND_ERRORS = (
    (r"Input should be a valid integer", "must be a whole number"),
    (r"Input should be a (?:valid|finite) number", "must be a number"),
    (r"Input should be greater than or equal to (\S+)", r"must be at least \1"),
    (r"Input should be less than or equal to (\S+)", r"must be at most \1"),
)


def format_unknown_command(name: str, known: Iterable[str]) -> str:
    """A sentence on a command that is none."""
    shown = name if len(name) <= _MAX_QUOTED_CHARS else f"{name[:_MAX_QUOTED_CHARS]}…"
    return f"No such command {shown!r}{format_suggestion(name, known) or '.'}"


def rewrite_usage_error(message: str) -> str:
    """What is wrong with the value of an option or argument; what is not known is left as it is."""
    message = message.removeprefix("Value error, ")
    if choice := _CHOICE_ERROR.fullmatch(message):
        known = re.findall(r"'([^']*)'", choice["known"])
        return (
            f"{choice['value']} is none of {', '.join(known)}{format_suggestion(choice['value'][1:-1], known) or '.'}"
        )
    for pattern, plain in _BOUND_ERRORS:
        if bound := re.match(pattern, message):
            return f"{bound.expand(plain)}."
    return message


EXAMPLES_HEADING = "Examples:"
TYPE_METAVARS = {"<bool>": "", "<str>": "TEXT", "<int>": "N", "<int range>": "N", "<float>": "X", "<path>": "PATH"}
"""What an option takes, where it does not say so itself; a flag takes nothing."""
MAX_CHOICES_WIDTH = 24
"""Letters of a list of choices from which on it stands with the help."""


class FormattedCommand(TyperCommand):
    """A subcommand with such a page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the page; the command itself stays as it is."""
        TyperCommand.format_help(copy_for_help(self, ctx), ctx, formatter)


class FormattedGroup(TyperGroup):
    """A command of commands with such a page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the page; the command itself stays as it is."""
        TyperGroup.format_help(copy_for_help(self, ctx), ctx, formatter)


def copy_for_help(command: Any, ctx: Any) -> Any:
    """A copy of a command as its page shows it."""
    shown = copy(command)
    shown.help = reflow_help(command.help or "")
    shown.params = [_format_param(param, ctx) for param in command.get_params(ctx)]
    shown.add_help_option = False  # it is among the parameters
    return shown


def reflow_help(text: str) -> str:
    """Paragraphs without line breaks, which windows make themselves; the examples on a line each, as they were."""
    prose, found, examples = cleandoc(text).partition(f"\n\n{EXAMPLES_HEADING}\n\n")
    told = "\n\n".join(" ".join(part.split()) for part in prose.split("\n\n"))
    return f"{told}\n\n{EXAMPLES_HEADING}\n\n" + examples.replace("\n\n", "\n") if found else told


class _HelpArgument(TyperArgument):
    """An argument whose name says what it takes."""

    def __init__(self, real: TyperArgument) -> None:
        vars(self).update(vars(real))

    def display_type_rich(self, ctx: Any) -> str | None:
        """Choices only."""
        told = self.display_type(ctx)
        return told if "|" in told else ""


def _format_param(param: Any, ctx: Any) -> Any:
    if isinstance(param, TyperArgument):
        return _HelpArgument(param)
    if not isinstance(param, TyperOption) or param.metavar is not None:
        return param
    told = param.display_type(ctx)
    found = copy(param)
    if "|" in told and len(told) > MAX_CHOICES_WIDTH:
        choices = told.strip("<>").replace("|", ", ")
        found.metavar, found.help = (
            param.opts[-1].lstrip("-").upper(),
            f"{(param.help or '').removesuffix('.')}: {choices}.",
        )
    else:
        found.metavar = TYPE_METAVARS.get(told)
    return found
