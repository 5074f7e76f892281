"""`debate list`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from debate_cli.cli import screen
from debate_cli.cli.asked.list import List
from debate_cli.cli.homes import USUAL, homes
from debate_cli.cli.json_output import hand_on_json
from debate_cli.render.plain.catalogue import columns, json_document
from debate_cli.storage.catalogue import Card, Unreadable, catalogue


def carry_out(asked: List) -> None:
    """List the saved debates of a folder: who won, and what it cost."""
    place = asked.folder or next((place for place in homes() if place.exists()), None)
    if place is None:
        screen.tell("debate: nothing is saved here yet; start with `debate run --mock`")
        found: Iterator[Card | Unreadable] = iter(())
    else:
        found = catalogue(place)
    bad: list[Unreadable] = []
    _show(_readable(found, bad), place or USUAL, as_json=asked.json, plain=asked.plain)
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
        hand_on_json([json_document(sorted(cards, key=lambda card: card.started_at, reverse=True))])
    elif plain or not screen.interactive(sys.stdout):
        for card in cards:
            print(columns(card), flush=True)
    else:
        from debate_cli.render.drawn.catalogue import catalogue_view

        newest_first = sorted(cards, key=lambda card: card.started_at, reverse=True)
        target = screen.console(sys.stdout)
        for part in catalogue_view(newest_first, str(folder)):
            target.print(part)
