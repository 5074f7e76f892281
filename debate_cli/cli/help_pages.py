"""Help that reads well in a window of 80 columns: prose that fills its lines, examples that keep theirs, short types."""

from __future__ import annotations

from copy import copy
from inspect import cleandoc
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

EXAMPLES = "Examples:"
TYPES = {"<bool>": "", "<str>": "TEXT", "<int>": "N", "<int range>": "N", "<float>": "X", "<path>": "PATH"}
"""What an option takes, where it does not say so itself; a flag takes nothing."""
LONGEST = 24
"""Letters of a list of choices from which on it stands with the help."""


class Command(TyperCommand):
    """A subcommand with such a page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the page; the command itself stays as it is."""
        TyperCommand.format_help(page(self, ctx), ctx, formatter)


class Group(TyperGroup):
    """A command of commands with such a page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the page; the command itself stays as it is."""
        TyperGroup.format_help(page(self, ctx), ctx, formatter)


def page(command: Any, ctx: Any) -> Any:
    """A copy of a command as its page shows it."""
    shown = copy(command)
    shown.help = filled(command.help or "")
    shown.params = [_shown(param, ctx) for param in command.get_params(ctx)]
    shown.add_help_option = False  # it is among the parameters
    return shown


def filled(text: str) -> str:
    """Paragraphs without line breaks, which windows make themselves; the examples on a line each, as they were."""
    prose, found, examples = cleandoc(text).partition(f"\n\n{EXAMPLES}\n\n")
    told = "\n\n".join(" ".join(part.split()) for part in prose.split("\n\n"))
    return f"{told}\n\n{EXAMPLES}\n\n" + examples.replace("\n\n", "\n") if found else told


class _Argument(TyperArgument):
    """An argument whose name says what it takes."""

    def __init__(self, real: TyperArgument) -> None:
        vars(self).update(vars(real))

    def display_type_rich(self, ctx: Any) -> str | None:
        """Choices only."""
        told = self.display_type(ctx)
        return told if "|" in told else ""


def _shown(param: Any, ctx: Any) -> Any:
    if isinstance(param, TyperArgument):
        return _Argument(param)
    if not isinstance(param, TyperOption) or param.metavar is not None:
        return param
    told = param.display_type(ctx)
    found = copy(param)
    if "|" in told and len(told) > LONGEST:
        choices = told.strip("<>").replace("|", ", ")
        found.metavar, found.help = (
            param.opts[-1].lstrip("-").upper(),
            f"{(param.help or '').removesuffix('.')}: {choices}.",
        )
    else:
        found.metavar = TYPES.get(told)
    return found
