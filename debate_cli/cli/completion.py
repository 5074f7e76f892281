"""What a shell completes: configurations and saved debates, by their names alone. Nothing slow is imported here.

Which option or argument is completed by which of these stands in `debate_cli.cli.asked`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from debate_cli.storage.folder import JOURNAL, TRANSCRIPT, debates_in, is_schema

HOMES = (Path(), Path("configs"))
"""Where configurations are looked for."""
TRANSCRIPTS = Path("transcripts")
YAML = frozenset({".yaml", ".yml"})
PACKAGE = Path(__file__).parent.parent
PAGES = (PACKAGE / "pages", PACKAGE.parent / "docs" / "errors")
"""Where the pages about errors are: in the installed package, else in the checkout."""
SYSTEMS = ("structured", "moderator", "panel", "live", "persuasion")


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
        return _paths(incomplete, lambda place: place.suffix in {TRANSCRIPT, JOURNAL} and not is_schema(place.name))
    return _beginning(incomplete, [str(place) for place in _saved()]) or _paths(incomplete, lambda _: False)


def folders(incomplete: str) -> list[str]:
    """Folders, in the one that was begun."""
    return _paths(incomplete, lambda _: False)


def topics(incomplete: str) -> list[str]:
    """Names of the pages that `debate explain` shows."""
    return _beginning(incomplete, pages())


def pages() -> dict[str, Path]:
    """Name -> page about an error, by name."""
    home = next((place for place in PAGES if place.is_dir()), PAGES[0])
    return {place.stem: place for place in _children(home) if place.suffix == ".md"}


def systems(incomplete: str) -> list[str]:
    """Names of the judging systems."""
    return _beginning(incomplete, SYSTEMS)


def _saved() -> list[Path]:
    try:
        return debates_in(TRANSCRIPTS)
    except OSError:
        return []


def _paths(incomplete: str, wanted: Callable[[Path], bool]) -> list[str]:
    """Wanted files, and folders, in the folder that was begun; where that is one folder alone, what is in it.

    A shell puts a space after the only word that it is offered, and no path goes on after a space.
    """
    begun = incomplete[: incomplete.rfind("/") + 1]
    places = [place for place in _children(Path(begun)) if place.is_dir() or wanted(place)]
    found = _beginning(incomplete, [f"{begun}{place.name}{'/' if place.is_dir() else ''}" for place in places])
    if len(found) == 1 and found[0].endswith("/") and found[0] != incomplete:
        return _paths(found[0], wanted) or found
    return found


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(place for place in folder.iterdir() if not place.name.startswith("."))
    except OSError:
        return []


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
