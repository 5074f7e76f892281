"""Drafts of answers on disk, so that a crash, closed window or power failure does not lose a person's text."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from debate_cli.errors import StorageError
from debate_cli.regular_file import read_regular_file
from debate_cli.storage.atomic_write import atomic_write

DRAFT_SUFFIX = ".draft"
MAX_DRAFT_BYTES = 4 * 1024 * 1024


class DraftFile:
    """The draft of one answer at `path`; None stores nothing."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._saved: dict[str, str] = {}

    def load(self) -> dict[str, str]:
        """Field -> saved text; empty if there is no readable draft."""
        if self.path is None:
            return {}
        try:
            found: Any = json.loads(read_regular_file(self.path, MAX_DRAFT_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        values: Any = cast("dict[str, Any]", found).get("values") if isinstance(found, dict) else None
        if not isinstance(values, dict):
            return {}
        members = cast("dict[str, Any]", values)
        self._saved = {key: words for key, words in members.items() if isinstance(words, str)}
        return dict(self._saved)

    def save(self, values: Mapping[str, str], title: str) -> str | None:
        """Save the texts if they have changed. If that fails, returns a sentence on why; else None."""
        if self.path is None or dict(values) == self._saved:
            return None
        data = json.dumps({"title": title, "values": dict(values)}, ensure_ascii=False, indent=1)
        try:
            atomic_write(self.path, data.encode("utf-8", "replace"), overwrite=True)
        except StorageError as error:
            return f"the draft is not on disk: {error}"
        self._saved = dict(values)
        return None

    def remove(self) -> None:
        """Remove the draft."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
