"""`debate explain`: the pages about what goes wrong, which lie in docs/errors and come with the package."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from debate_cli.cli import completion, options, screen
from debate_cli.domain.did_you_mean import suggestion_or_list
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
    json_: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Explain an error: what it means, and the ways out of it.

    Errors name the page that is about them: "(debate explain missing-key)".
    """
    del debug  # acted on where errors are caught
    pages = completion.pages()
    if topic is not None and topic not in pages:
        raise UsageError(f"explain {topic}: there is no such page{suggestion_or_list(topic, pages)}")
    if json_:
        chosen = pages if topic is None else {topic: pages[topic]}
        told = [{"name": name, "title": _title(page), "text": _text(page)} for name, page in chosen.items()]
        print(json.dumps(told, ensure_ascii=False, indent=2))
    elif topic is not None:
        _show(_text(pages[topic]))
    else:
        width = max(map(len, pages))
        for name, page in pages.items():
            print(f"{name:<{width}}  {_title(page)}")


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _title(page: Path) -> str:
    return _text(page).partition("\n")[0].removeprefix("#").strip()


def _show(text: str) -> None:
    """Drawn on a terminal, as it is written elsewhere."""
    if not screen.interactive(sys.stdout):
        sys.stdout.write(text)
        return
    from rich.markdown import Markdown

    screen.console(sys.stdout).print(Markdown(text, hyperlinks=False))
