"""`debate explain`: the pages about what goes wrong, which lie in docs/errors and come with the package."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from debate_cli.cli import completion, options, screen
from debate_cli.errors import UsageError

app = typer.Typer(add_completion=False)


@app.command()
def explain(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="TOPIC", help="Name of a page; without one, all are listed.", autocompletion=completion.topics
        ),
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Explain an error: what it means, and the ways out of it.

    Errors name the page that is about them: "(debate explain missing-key)".
    """
    del debug  # acted on where errors are caught
    pages = completion.pages()
    if topic is None:
        width = max(map(len, pages))
        for name, page in pages.items():
            print(f"{name:<{width}}  {_title(page)}")
        return
    if topic not in pages:
        raise UsageError(f"explain {topic}: there is no such page; known are {', '.join(pages)}")
    _show(pages[topic].read_text(encoding="utf-8"))


def _title(page: Path) -> str:
    with page.open(encoding="utf-8") as lines:
        return lines.readline().removeprefix("#").strip()


def _show(text: str) -> None:
    """Drawn on a terminal, as it is written elsewhere."""
    if not screen.interactive(sys.stdout):
        sys.stdout.write(text)
        return
    from rich.markdown import Markdown

    screen.console(sys.stdout).print(Markdown(text, hyperlinks=False))
