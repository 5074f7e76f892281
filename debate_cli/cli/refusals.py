"""What the framework says of a wrong command or value, in plain words and with the word that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable

from debate_cli.domain.did_you_mean import format_suggestion

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
