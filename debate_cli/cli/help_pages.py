"""Help that reads well in a window of 80 columns: prose that fills its lines, examples that keep theirs, short types."""

from __future__ import annotations

from copy import copy
from inspect import cleandoc
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

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
