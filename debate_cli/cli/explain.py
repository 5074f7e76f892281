"""`debate explain`."""

import re
import sys

from debate_cli.cli import completion, console
from debate_cli.cli.setup_options import ExplainOptions
from debate_cli.domain.message_text import format_suggestion_or_list
from debate_cli.errors import UsageError

_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")
"""Matches a link to another page, which is not on the user's machine. Group 1 is the text of the link."""


def run(given: ExplainOptions) -> None:
    """Explain an error: what it means, and how to fix it."""
    pages = {name: path.read_text(encoding="utf-8") for name, path in completion.list_error_pages().items()}
    if given.topic is not None and given.topic not in pages:
        raise UsageError(f"explain {given.topic}: there is no such page{format_suggestion_or_list(given.topic, pages)}")
    if given.json:
        chosen = pages if given.topic is None else {given.topic: pages[given.topic]}
        console.print_json([{"name": name, "title": _title(text), "text": text} for name, text in chosen.items()])
    elif given.topic is None:
        width = max(map(len, pages))
        console.print_lines(f"{name:<{width}}  {_title(text)}" for name, text in pages.items())
    elif console.is_interactive(sys.stdout):
        from debate_cli.render.terminal.error_page import ErrorPage

        page = _RELATIVE_LINK.sub(r"\1", pages[given.topic])
        console.make_console(sys.stdout).print(ErrorPage(page, hyperlinks=False), crop=False)
    else:
        sys.stdout.write(pages[given.topic])


def _title(page: str) -> str:
    return page.partition("\n")[0].removeprefix("#").strip()
