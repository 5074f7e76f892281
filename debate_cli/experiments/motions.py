"""Loads the motions of an experiment from a CSV file or from the experiment's file."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from debate_cli.errors import ConfigError
from debate_cli.experiments.settings import ExperimentFile
from debate_cli.regular_file import is_inside
from debate_cli.storage.csv_file import read_csv_file

COLUMNS = ("topic", "background", "tags")
MAX_MOTIONS_BYTES = 64_000_000
MAX_TOPIC_CHARS = 4000
MAX_BACKGROUND_CHARS = 1024 * 1024
_ID_CHARS = 12


@dataclass(frozen=True, slots=True)
class Motion:
    """A motion of an experiment."""

    topic: str
    background: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Hash of topic and background, so equal motions have equal ids in all files."""
        return hashlib.sha256(f"{self.topic}\0{self.background or ''}".encode()).hexdigest()[:_ID_CHARS]


def load_motions(file: ExperimentFile, trusted_folders: Iterable[Path] = ()) -> tuple[tuple[Motion, ...], str | None]:
    """Return the motions of an experiment, and a note on ignored columns.

    A CSV file must be in the folder of the experiment, or in one of the `trusted_folders`. Raises UsageError for a file
    that cannot be read. Raises ConfigError for a missing column `topic`, and for empty, long or repeated motions.
    """
    given = file.config.motions
    if isinstance(given, str):
        path = file.folder / given
        if not is_inside(path, (file.folder, *trusted_folders)):
            raise ConfigError(
                f"{file.locate('motions')}: motions: the file must be in the folder of the experiment or below it; move "
                "it there, or allow its folder with --trust-path DIR"
            )
        rows, note = _read_csv(path, file.locate("motions"))
    else:
        rows = {
            file.locate("motions", index): Motion(item.topic.strip(), item.background, item.tags)
            for index, item in enumerate(given)
        }
        note = None
    if not rows:
        raise ConfigError(f"{file.locate('motions')}: motions: there is no motion; add one")
    _check_motions(rows)
    return tuple(rows.values()), note


def _check_motions(rows: Mapping[str, Motion]) -> None:
    problems: list[str] = []
    seen: dict[str, str] = {}
    for place, motion in rows.items():
        first = seen.setdefault(motion.id, place)
        if not motion.topic:
            problems.append(f"{place}: topic: is empty; write a motion, or remove the row")
        elif len(motion.topic) > MAX_TOPIC_CHARS:
            problems.append(f"{place}: topic: must have at most {MAX_TOPIC_CHARS} characters; shorten it")
        elif len(motion.background or "") > MAX_BACKGROUND_CHARS:
            problems.append(f"{place}: background: must have at most {MAX_BACKGROUND_CHARS} characters; shorten it")
        elif first != place:
            problems.append(f"{place}: this motion is already at {first}; remove one of the two")
    if problems:
        raise ConfigError(*problems)


def _read_csv(path: Path, place: str) -> tuple[dict[str, Motion], str | None]:
    """Return a mapping of positions to motions, and a note on ignored columns. `place`: begins each error."""
    written, rows = read_csv_file(path, MAX_MOTIONS_BYTES, f"{place}: motions: {path}", MAX_BACKGROUND_CHARS * 4)
    columns = [name.lower() for name in written]
    if "topic" not in columns:
        found = ", ".join(filter(None, columns)) or "none"
        raise ConfigError(f"{path}:1: there is no column `topic` (columns: {found}); add it to the first line")
    motions: dict[str, Motion] = {}
    for number, row in rows:
        cells = {name.lower(): (value or "").strip() for name, value in row.items() if name in written}
        tags = [tag.strip() for tag in cells.get("tags", "").replace(",", ";").split(";")]
        motion = Motion(cells["topic"], cells.get("background") or None, tuple(filter(None, tags)))
        motions[f"{path}:{number}"] = motion
    ignored = [name for name in columns if name not in COLUMNS]
    return motions, f"{path}: ignored columns: {', '.join(ignored)}" if ignored else None
