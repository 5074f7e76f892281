"""Use case `import --format debatrix | nyu | lechmazur | ukp`: debates of public data sets, and their labels as CSV."""

import csv
import hashlib
import io
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache, partial
from pathlib import Path, PurePosixPath

from debate_cli.app.import_debate import DebateIds, ImportedFile, ImportRequest, read_bytes
from debate_cli.app.judge_request import GENERATOR
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Origin
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.importing.datasets import DRAW, DatasetDebate, HumanLabel, read_debates
from debate_cli.importing.debate import build_debate
from debate_cli.importing.speaker_labels import clean_name, fold_name
from debate_cli.importing.speeches import UnreadableDebateError, decode_text
from debate_cli.regular_file import is_inside
from debate_cli.storage.folder import TRANSCRIPT_SUFFIX

LABELS_FILE = "labels.csv"
MAX_DATASET_BYTES = 500_000_000
"""Maximum size of one file of a data set."""
_COLUMNS = ("id", "winner", "rater", "probability")


class LabelTable:
    """The labels of the imported debates."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, str, str]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, debate: Debate, labels: Sequence[HumanLabel]) -> None:
        """Add the labels of a debate. The winner's name is replaced by the one in the transcript."""
        names = {fold_name(person.name): person.name for person in debate.participants}
        for label in labels:
            winner = DRAW if label.winner == DRAW else names.get(fold_name(clean_name(label.winner)))
            if winner is not None:
                chance = "" if label.probability is None else f"{label.probability:g}"
                self._rows.append((debate.id, winner, label.rater, chance))

    def to_csv(self) -> bytes:
        """The table as CSV with column names."""
        target = io.StringIO(newline="")
        rows = csv.writer(target, lineterminator="\n")
        rows.writerow(_COLUMNS)
        rows.writerows(sorted(self._rows))
        return target.getvalue().encode()


def read_dataset(
    paths: Sequence[Path], request: ImportRequest, folder: Path, at: datetime
) -> Iterator[tuple[str, Callable[[], ImportedFile], tuple[HumanLabel, ...]]]:
    """For each debate of the data set `request.format`: its name, a function that creates its transcript, its labels.

    The function raises TranscriptError. `folder`: where the transcripts will be written. Raises UsageError if there is
    no debate.
    """
    assert request.format is not None  # the data set is named by its format
    if request.columns:
        raise UsageError(f"--map names columns of a table, but {request.format} is a data set; leave it out")
    hash_file = cache(_hash_file)
    ids = DebateIds()
    found = False
    for path in paths:
        files = _list_files(path)
        texts = {name: partial(_read_text, file) for name, file in files.items()}
        for debate in read_debates(request.format, texts):
            found = True
            target = folder / f"{ids.choose(debate.name)}{TRANSCRIPT_SUFFIX}"
            load = partial(_build, debate, files[debate.file], hash_file, request, target, at)
            yield debate.name, load, debate.labels
    if not found:
        raise UsageError(
            f"{', '.join(map(str, paths))}: holds no debate of the data set {request.format}; name the folder that "
            "docs/studies/README.md describes"
        )


def _list_files(path: Path) -> dict[PurePosixPath, Path]:
    """The file, or all files in and below the folder, by relative path, without hidden ones and links that leave it."""
    if not path.is_dir():
        return {PurePosixPath(path.name): path}
    found = [Path(place, name) for place, _, names in os.walk(path) for name in names if not name.startswith(".")]
    return {PurePosixPath(file.relative_to(path).as_posix()): file for file in found if is_inside(file, [path])}


def _hash_file(path: Path) -> str:
    return hashlib.sha256(read_bytes(path, MAX_DATASET_BYTES)).hexdigest()


def _read_text(path: Path) -> str:
    try:
        return decode_text(read_bytes(path, MAX_DATASET_BYTES))[0]
    except UnreadableDebateError as error:
        raise UnreadableDebateError(f"{path}: {error}") from error
    except TranscriptError as error:
        raise UnreadableDebateError(str(error)) from error


def _build(
    debate: DatasetDebate,
    path: Path,
    hash_file: Callable[[Path], str],
    request: ImportRequest,
    target: Path,
    at: datetime,
) -> ImportedFile:
    assert request.format is not None  # as above
    try:
        if isinstance(debate.found, UnreadableDebateError):
            raise debate.found
        origin = Origin(file=path.name, sha256=hash_file(path), format=request.format)
        imported = build_debate(debate.found, origin, request.choices, target.stem, GENERATOR, at)
    except UnreadableDebateError as error:
        raise TranscriptError(f"{path}: {debate.name}: {error}") from error
    return ImportedFile(path, target, request.format, "UTF-8", imported)
