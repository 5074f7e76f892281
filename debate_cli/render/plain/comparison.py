"""Two judgements side by side as plain lines. No Rich."""

from __future__ import annotations

from debate_cli.render import hostile
from debate_cli.render.comparison import Compared, sheets
from debate_cli.render.comparison_words import TITLE, in_short
from debate_cli.render.plain.sheet import sheet_lines


def comparison_lines(told: Compared) -> list[str]:
    """What differs in a few sentences, then a row of each table a line."""
    found = [f"== {TITLE.capitalize()} ==", *map(hostile.line, in_short(told))]
    return found + [line for sheet in sheets(told) for line in sheet_lines(sheet)]
