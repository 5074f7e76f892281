"""Words for shell completion: configurations, saved debates, error pages and judging systems.

Typer offers only the words that begin with what the user has typed.
"""

from pathlib import Path

from debate_cli.plugins import SYSTEMS
from debate_cli.storage.folder import list_debate_files

CONFIG_DIRS = (Path(), Path("configs"))
TRANSCRIPT_DIR = Path("transcripts")
YAML_SUFFIXES = frozenset({".yaml", ".yml"})
PACKAGE_DIR = Path(__file__).parent.parent
ERROR_PAGE_DIRS = (PACKAGE_DIR / "pages", PACKAGE_DIR.parent / "docs" / "errors")
"""Folders of the error pages, in an installed package and in a checkout. The first existing folder is used."""


def complete_configs() -> list[str]:
    """Return the paths of configurations in the current folder and in configs/."""
    return [str(path) for folder in CONFIG_DIRS for path in _list_children(folder) if path.suffix in YAML_SUFFIXES]


def complete_debates() -> list[str]:
    """Return the ids of the debates in transcripts/."""
    return [path.stem for path in _list_saved()]


def complete_paths() -> list[str]:
    """Return the paths of the debates in transcripts/."""
    return list(map(str, _list_saved()))


def complete_topics() -> list[str]:
    """Return the names of the pages that `debate explain` shows."""
    return list(list_error_pages())


def list_error_pages() -> dict[str, Path]:
    """Map the name of each error page to its file, sorted by name."""
    folder = next(path for path in ERROR_PAGE_DIRS if path.is_dir())
    return {path.stem: path for path in _list_children(folder) if path.suffix == ".md"}


def complete_systems() -> list[str]:
    """Return the names of the judging systems."""
    return list(SYSTEMS.names())


def _list_saved() -> list[Path]:
    return list_debate_files(TRANSCRIPT_DIR) if TRANSCRIPT_DIR.is_dir() else []


def _list_children(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []
