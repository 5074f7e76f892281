"""`debate list`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from debate_cli.cli import options, screen
from debate_cli.cli.homes import USUAL, homes
from debate_cli.render.plain.catalogue import columns, json_document
from debate_cli.storage.catalogue import Card, Unreadable, catalogue

app = typer.Typer(add_completion=False)


@app.command("list")
def list_(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Where the debates are; default: where run saves them.")
    ] = None,
    json_: options.Json = False,
    plain: options.Plain = False,
    debug: options.Debug = False,
) -> None:
    """List the saved debates of a folder: who won, and what it cost.

    On a terminal the newest comes first. Off it, each debate is a line as soon as it is read, by name, its columns parted
    by tabs: id, start (UTC), topic, models, winners, cost in USD, state. Files that cannot be used are named at the end,
    with exit code 1.

    Examples:

      debate list

      debate list | cut -f 1,5

      debate list --json | jq '.[] | select(.state != "complete").path'
    """
    del debug  # acted on where errors are caught
    place = folder or next((place for place in homes() if place.exists()), None)
    if place is None:
        screen.tell("debate: nothing is saved here yet; start with `debate run --mock`")
        found: Iterator[Card | Unreadable] = iter(())
    else:
        found = catalogue(place)
    bad: list[Unreadable] = []
    _show(_readable(found, bad), place or USUAL, as_json=json_, plain=plain)
    for file in bad:
        screen.tell(f"debate: {file.message}")
    if bad:
        raise typer.Exit(1)


def _readable(found: Iterator[Card | Unreadable], bad: list[Unreadable]) -> Iterator[Card]:
    """The debates one by one; the other files are put into `bad`."""
    for item in found:
        if isinstance(item, Unreadable):
            bad.append(item)
        else:
            yield item


def _show(cards: Iterator[Card], folder: Path, *, as_json: bool, plain: bool) -> None:
    """One document, a list on a terminal, lines that come as they are read elsewhere."""
    if as_json:
        sys.stdout.write(json_document(sorted(cards, key=lambda card: card.started_at, reverse=True)))
    elif plain or not screen.interactive(sys.stdout):
        for card in cards:
            print(columns(card), flush=True)
    else:
        from debate_cli.render.drawn.catalogue import catalogue_view

        newest_first = sorted(cards, key=lambda card: card.started_at, reverse=True)
        target = screen.console(sys.stdout)
        for part in catalogue_view(newest_first, str(folder)):
            target.print(part)
