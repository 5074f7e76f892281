"""Shell completion of configurations and saved debates, by file name.

Slow modules are not imported here. The `Options` of each command name the completion function of an option or argument.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from debate_cli.plugins import SYSTEMS
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX, is_schema_file, list_debate_files

CONFIG_DIRS = (Path(), Path("configs"))
"""Folders that are searched for configurations."""
TRANSCRIPT_DIR = Path("transcripts")
YAML_SUFFIXES = frozenset({".yaml", ".yml"})
PACKAGE_DIR = Path(__file__).parent.parent
ERROR_PAGE_DIRS = (PACKAGE_DIR / "pages", PACKAGE_DIR.parent / "docs" / "errors")
"""Folders with the pages about errors: in the installed package, else in the checkout."""


def complete_configs(incomplete: str) -> list[str]:
    """Complete configurations and folders. Before a folder is typed, offer configurations here and in configs/."""
    if "/" in incomplete:
        return _match_paths(incomplete, lambda path: path.suffix in YAML_SUFFIXES)
    found = [str(path) for folder in CONFIG_DIRS for path in _list_children(folder) if path.suffix in YAML_SUFFIXES]
    return _filter_by_prefix(incomplete, found)


def complete_debates(incomplete: str) -> list[str]:
    """Complete ids of the debates in transcripts/, or files if the user has typed a path."""
    if "/" in incomplete:
        return complete_paths(incomplete)
    return _filter_by_prefix(incomplete, [path.stem for path in _list_saved()])


def complete_paths(incomplete: str) -> list[str]:
    """Complete files of debates and folders. Before a folder is typed, offer files in transcripts/, else folders."""
    if "/" in incomplete:
        suffixes = {TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX}
        return _match_paths(incomplete, lambda path: path.suffix in suffixes and not is_schema_file(path.name))
    return _filter_by_prefix(incomplete, [str(path) for path in _list_saved()]) or complete_folders(incomplete)


def complete_folders(incomplete: str) -> list[str]:
    """Complete folders in the typed folder."""
    return _match_paths(incomplete, lambda _: False)


def complete_topics(incomplete: str) -> list[str]:
    """Complete names of the pages that `debate explain` shows."""
    return _filter_by_prefix(incomplete, list_error_pages())


def list_error_pages() -> dict[str, Path]:
    """Map the names of the pages about errors to their files, sorted by name."""
    folder = next(path for path in ERROR_PAGE_DIRS if path.is_dir())
    return {path.stem: path for path in _list_children(folder) if path.suffix == ".md"}


def complete_systems(incomplete: str) -> list[str]:
    """Complete names of the judging systems."""
    return _filter_by_prefix(incomplete, SYSTEMS.names())


def _list_saved() -> list[Path]:
    return list_debate_files(TRANSCRIPT_DIR) if TRANSCRIPT_DIR.is_dir() else []


def _match_paths(incomplete: str, accepts: Callable[[Path], bool]) -> list[str]:
    """Return the folders and accepted files in the typed folder that begin with the typed text.

    If a folder is the only match, its entries are returned instead, because a shell would add a space after it.
    """
    begun = incomplete[: incomplete.rfind("/") + 1]
    paths = [path for path in _list_children(Path(begun)) if path.is_dir() or accepts(path)]
    found = _filter_by_prefix(incomplete, [f"{begun}{path.name}{'/' if path.is_dir() else ''}" for path in paths])
    if len(found) == 1 and found[0].endswith("/") and found[0] != incomplete:
        return _match_paths(found[0], accepts) or found
    return found


def _list_children(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


def _filter_by_prefix(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
