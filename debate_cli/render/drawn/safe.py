"""The one door by which untrusted text reaches a terminal: cleaned, and a Rich `Text`, so that no markup is read in it."""

from __future__ import annotations

from rich.text import Text

from debate_cli.render import sanitize, theme


def terminal_text(text: str, style: str = "") -> Text:
    """`text` as it may be printed, line breaks kept."""
    return Text(sanitize.sanitize_text(text).strip("\n"), style=style)


def terminal_line(text: str, style: str = "") -> Text:
    """`text` as it may be printed, on one line."""
    return Text(sanitize.sanitize_line(text), style=style)


def join_text(*parts: Text | str | tuple[str, str], separator: str = "") -> Text:
    """The parts in one `Text`; a tuple is (own words, style), a bare string is our own words."""
    found = Text(end="\n")
    for number, part in enumerate(parts):
        if number and separator:
            found.append(separator, style=theme.MUTED)
        if isinstance(part, Text):
            found.append_text(part)
        elif isinstance(part, tuple):
            found.append(*part)
        else:
            found.append(part)
    return found
