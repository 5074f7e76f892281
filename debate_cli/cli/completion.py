"""Shell completion of configurations, saved debates, error pages and judging systems."""

from collections.abc import Iterable
from pathlib import Path

from debate_cli.plugins import SYSTEMS
from debate_cli.storage.folder import list_debate_files

CONFIG_DIRS = (Path(), Path("configs"))
TRANSCRIPT_DIR = Path("transcripts")
YAML_SUFFIXES = frozenset({".yaml", ".yml"})
PACKAGE_DIR = Path(__file__).parent.parent
ERROR_PAGE_DIRS = (PACKAGE_DIR / "pages", PACKAGE_DIR.parent / "docs" / "errors")
"""Folders of the error pages, in an installed package and in a checkout. The first existing folder is used."""


def complete_configs(incomplete: str) -> list[str]:
    """Return completions: paths of configurations in the current folder and in configs/."""
    found = [str(path) for folder in CONFIG_DIRS for path in _list_children(folder) if path.suffix in YAML_SUFFIXES]
    return _filter_by_prefix(incomplete, found)


def complete_debates(incomplete: str) -> list[str]:
    """Return completions: ids of the debates in transcripts/."""
    return _filter_by_prefix(incomplete, [path.stem for path in _list_saved()])


def complete_paths(incomplete: str) -> list[str]:
    """Return completions: paths of the debates in transcripts/."""
    return _filter_by_prefix(incomplete, map(str, _list_saved()))


def complete_topics(incomplete: str) -> list[str]:
    """Return completions: names of the pages that `debate explain` shows."""
    return _filter_by_prefix(incomplete, list_error_pages())


def list_error_pages() -> dict[str, Path]:
    """Map the name of each error page to its file, sorted by name."""
    folder = next(path for path in ERROR_PAGE_DIRS if path.is_dir())
    return {path.stem: path for path in _list_children(folder) if path.suffix == ".md"}


def complete_systems(incomplete: str) -> list[str]:
    """Return completions: names of the judging systems."""
    return _filter_by_prefix(incomplete, SYSTEMS.names())


def _list_saved() -> list[Path]:
    return list_debate_files(TRANSCRIPT_DIR) if TRANSCRIPT_DIR.is_dir() else []


def _list_children(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


def _filter_by_prefix(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
