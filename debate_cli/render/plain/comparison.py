"""Two judgements side by side as plain lines. No Rich."""

from __future__ import annotations

from debate_cli.render import sanitize
from debate_cli.render.comparison import ComparedPair, build_comparison_tables
from debate_cli.render.comparison_words import COMPARISON_TITLE, summarize_comparison
from debate_cli.render.plain.sheet import table_lines


def comparison_lines(told: ComparedPair) -> list[str]:
    """What differs in a few sentences, then a row of each table a line."""
    found = [f"== {COMPARISON_TITLE.capitalize()} ==", *map(sanitize.sanitize_line, summarize_comparison(told))]
    return found + [line for sheet in build_comparison_tables(told) for line in table_lines(sheet)]
