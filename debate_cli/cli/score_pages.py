"""A folder of pages: one of each debate, and the index that links them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError
from debate_cli.storage.disk import atomic_write

INDEX_FILE = "index.html"
PAGE_SUFFIX = ".html"


@dataclass(slots=True)
class PageWriter:
    """Pages as they are written. Nothing that was there before is overwritten without `force`."""

    folder: Path
    force: bool
    used_names: set[str] = field(default_factory=lambda: {INDEX_FILE})
    """Those given away."""

    def __post_init__(self) -> None:
        """Raises UsageError where a page is named for a folder, or there is an index already, before any page is written."""
        if self.folder.suffix == PAGE_SUFFIX and not self.folder.is_dir():
            raise UsageError(
                f"-o {self.folder}: several pages are written, {INDEX_FILE} among them; name a folder for them"
            )
        if not self.force and (self.folder / INDEX_FILE).exists():
            raise UsageError(
                f"{self.folder / INDEX_FILE} exists already; choose another folder, or overwrite it with --force"
            )

    def write_page(self, path: Path, debate: Debate, verdicts: Sequence[Verdict]) -> str:
        """Write the page of the debate that was read from `path`; its name in the folder. Raises StorageError."""
        from debate_cli.render.documents.html import render_html

        name = self._unique_name(path.stem)
        atomic_write(self.folder / name, render_html(debate, verdicts).encode("utf-8", "replace"), overwrite=self.force)
        return name

    def write_index(self, page: str) -> Path:
        """Write the index; where it is. Raises StorageError."""
        place = self.folder / INDEX_FILE
        atomic_write(place, page.encode("utf-8", "replace"), overwrite=self.force)
        return place

    def _unique_name(self, stem: str) -> str:
        """A name of its own for each page, whatever folders the debates lie in."""
        number = 1
        while (name := f"{stem}{'' if number == 1 else f'-{number}'}{PAGE_SUFFIX}") in self.used_names:
            number += 1
        self.used_names.add(name)
        return name


def find_page(path: Path) -> str | None:
    """The page that was made of a debate and stands beside its file, if there is one."""
    place = path.with_suffix(PAGE_SUFFIX)
    return str(place) if place.is_file() else None
