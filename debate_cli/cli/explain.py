"""`debate explain`: shows the pages about errors, which are in docs/errors and in the package."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, console, options
from debate_cli.domain.suggestions import format_suggestion_or_list
from debate_cli.errors import UsageError


class Options(NamedTuple):
    """Explain an error: what it means, and how to fix it.

    Errors name the page that explains them: "(debate explain missing-key)".
    """

    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="TOPIC",
            help="Name of a page; without one, lists all pages.",
            autocompletion=completion.complete_topics,
        ),
    ] = None
    json: options.JsonOption = False
    debug: options.DebugOption = False


def run(given: Options) -> None:
    """Explain an error: what it means, and how to fix it."""
    pages = completion.list_error_pages()
    if given.topic is not None and given.topic not in pages:
        raise UsageError(f"explain {given.topic}: there is no such page{format_suggestion_or_list(given.topic, pages)}")
    if given.json:
        chosen = pages if given.topic is None else {given.topic: pages[given.topic]}
        entries = [
            {"name": name, "title": _page_title(page), "text": _read_page(page)} for name, page in chosen.items()
        ]
        console.print_json(entries)
    elif given.topic is not None:
        _print_page(_read_page(pages[given.topic]))
    else:
        _print_list({name: _page_title(page) for name, page in pages.items()})


def _print_list(titles: Mapping[str, str]) -> None:
    """Print a line per page; on a terminal, long titles are wrapped beside the names."""
    if console.is_interactive(sys.stdout):
        from debate_cli.render.terminal.drawing import label_grid, terminal_line

        rows = [(name, terminal_line(title)) for name, title in titles.items()]
        console.make_console(sys.stdout).print(label_grid(rows))
        return
    width = max(map(len, titles))
    for name, title in titles.items():
        print(f"{name:<{width}}  {title}")


def _read_page(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _page_title(page: Path) -> str:
    return _read_page(page).partition("\n")[0].removeprefix("#").strip()


def _print_page(text: str) -> None:
    if not console.is_interactive(sys.stdout):
        sys.stdout.write(text)
        return
    from rich.markdown import Markdown

    console.make_console(sys.stdout).print(Markdown(text, hyperlinks=False))
