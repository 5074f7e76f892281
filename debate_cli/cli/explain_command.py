"""`debate explain`: the pages about what goes wrong, which lie in docs/errors and come with the package."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from debate_cli.cli import completion, screen
from debate_cli.cli.asked.explain import Explain
from debate_cli.domain.did_you_mean import suggestion_or_list
from debate_cli.errors import UsageError


def carry_out(asked: Explain) -> None:
    """Explain an error: what it means, and the ways out of it."""
    pages = completion.pages()
    if asked.topic is not None and asked.topic not in pages:
        raise UsageError(f"explain {asked.topic}: there is no such page{suggestion_or_list(asked.topic, pages)}")
    if asked.json:
        chosen = pages if asked.topic is None else {asked.topic: pages[asked.topic]}
        told = [{"name": name, "title": _title(page), "text": _text(page)} for name, page in chosen.items()]
        print(json.dumps(told, ensure_ascii=False, indent=2))
    elif asked.topic is not None:
        _show(_text(pages[asked.topic]))
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
