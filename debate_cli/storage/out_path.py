"""`OutPath`: a path that an option names for output."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class OutPath:
    """A file or folder for output, which may not exist yet."""

    path: Path
    is_folder: bool
    """Whether `path` is a folder: it exists as a folder, or it was given with a slash at its end."""

    @classmethod
    def parse(cls, text: str) -> "OutPath":
        """Convert `text`, the value of an option, to an `OutPath`.

        `is_folder` is True if `text` ends with a slash or names an existing folder. Otherwise `is_folder` is False, and
        the result of `is_file` depends on the suffix.
        """
        return cls(Path(text), text.endswith(("/", os.sep)) or os.path.isdir(text))  # noqa: PTH112 - never raises

    def is_file(self, *suffixes: str) -> bool:
        """Return whether `path` is a file, which may not exist yet: it has one of `suffixes`, and it is not a folder.

        Without `suffixes`, any suffix will do.
        """
        suffix = self.path.suffix
        return not self.is_folder and (suffix in suffixes if suffixes else bool(suffix))

    def __str__(self) -> str:
        return str(self.path)
