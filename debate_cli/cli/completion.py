"""What a shell completes: configurations and saved debates, by their names alone. Nothing slow is imported here.

Before an option stands on the line, a command is completed by a stand-in that knows what its words are; only with options
the command itself is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from debate_cli.storage.folder import JOURNAL, TRANSCRIPT, debates_in, is_schema

HOMES = (Path(), Path("configs"))
"""Where configurations are looked for."""
TRANSCRIPTS = Path("transcripts")
YAML = frozenset({".yaml", ".yml"})


def configs(incomplete: str) -> list[str]:
    """Configurations here and in configs/, or in the folder that was begun, with its folders."""
    if "/" in incomplete:
        return _paths(incomplete, lambda place: place.suffix in YAML)
    found = [str(place) for home in HOMES for place in _children(home) if place.suffix in YAML]
    return _beginning(incomplete, found)


def debates(incomplete: str) -> list[str]:
    """Ids of the debates in transcripts/; the files, where a path was begun."""
    if "/" in incomplete:
        return paths(incomplete)
    return _beginning(incomplete, [place.stem for place in _saved()])


def paths(incomplete: str) -> list[str]:
    """Files of debates, in transcripts/ unless a folder was begun, and the folders beside them."""
    if "/" in incomplete:
        return _paths(incomplete, lambda place: place.suffix in {TRANSCRIPT, JOURNAL} and not is_schema(place))
    return _beginning(incomplete, [str(place) for place in _saved()]) or _paths(incomplete, lambda _: False)


WORDS: dict[str, Callable[[str], list[str]]] = {
    "run": configs,
    "check": configs,
    "replay": debates,
    "diff": debates,
    "judge": paths,
    "score": paths,
}
"""What the words of a command are."""


def stand_in(name: str, load: Callable[[str], Any]) -> TyperCommand | None:
    """A command of that name that knows its words only, and asks the one that `load` loads for its options."""
    if name not in WORDS:
        return None

    class StandIn(TyperCommand):
        def shell_complete(self, ctx: Any, incomplete: str) -> Any:
            return load(name).shell_complete(ctx, incomplete)

    made = typer.Typer(add_completion=False)

    @made.command(cls=StandIn)
    def _(words: list[str] = typer.Argument(autocompletion=WORDS[name])) -> None:
        del words

    return typer.main.get_command(made)  # pyright: ignore[reportReturnType]


def _saved() -> list[Path]:
    try:
        return debates_in(TRANSCRIPTS)
    except OSError:
        return []


def _paths(incomplete: str, wanted: Callable[[Path], bool]) -> list[str]:
    """Wanted files, and folders, in the folder that was begun."""
    folder, _, _ = incomplete.rpartition("/")
    home = Path(folder or ("/" if incomplete.startswith("/") else ""))
    places = [place for place in _children(home) if place.is_dir() or wanted(place)]
    return _beginning(incomplete, [f"{place}/" if place.is_dir() else str(place) for place in places])


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(place for place in folder.iterdir() if not place.name.startswith("."))
    except OSError:
        return []


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
