"""Use case `import`: turns files with debates that were held elsewhere, and public data sets, into transcripts."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache, partial
from pathlib import Path, PurePosixPath

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Origin
from debate_cli.domain.message_text import count_noun, quote_path
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.importing.datasets import DRAW, DatasetDebate, HumanLabel, read_debates
from debate_cli.importing.debate import ImportedDebate, build_debate
from debate_cli.importing.formats import READERS, SUFFIXES, TABLE_FORMATS, detect_format
from debate_cli.importing.speaker_labels import clean_name, fold_name
from debate_cli.importing.speeches import ImportRequest, UnreadableDebateError, decode_file
from debate_cli.llm.redaction import Redactor
from debate_cli.regular_file import is_inside, read_regular_file, visible_files
from debate_cli.storage.folder import MAX_ID_LENGTH, TRANSCRIPT_SUFFIX, free_name, slugify, validate_id
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.out_path import OutPath
from debate_cli.storage.transcript import to_transcript, write_transcript

LABELS_FILE = "labels.csv"
MAX_FILE_BYTES, MAX_DATASET_BYTES = 20_000_000, 500_000_000
"""Maximum size in bytes: of a file with one debate, and of a file of a public data set."""
_ID_NUMBER_CHARS = 6


def find_import_files(paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """Return the files to import, and notes about the skipped files of folders.

    Raises UsageError if a folder has no file to import.
    """
    found: list[Path] = []
    links = unknown = 0
    for folder in paths:
        if not folder.is_dir():
            found.append(folder)
            continue
        visible = visible_files(folder)
        inside = [file for file in visible if is_inside(file, [folder])]
        files = [file for file in inside if file.suffix.lower() in SUFFIXES]
        if not files:
            why = "; links out of the folder are not followed" if len(inside) < len(visible) else ""
            raise UsageError(
                f"{folder}: contains no file to import{why}; choose a folder with {', '.join(sorted(SUFFIXES))} files"
            )
        links += len(visible) - len(inside)
        unknown += len(inside) - len(files)
        found += files
    skipped = {"because of an unknown suffix": unknown, "because a link leads out of the folder": links}
    notes = [
        f"{count_noun(count, 'file')} skipped, {reason}; to import one, give its path as FILE"
        for reason, count in skipped.items()
        if count
    ]
    return list(dict.fromkeys(found)), notes


def choose_targets(files: Sequence[Path], out: OutPath | None, folder: Path) -> list[Path]:
    """For each file, return the path of its transcript.

    The transcripts are in the folder `out`, or in `folder` if `out` is None. If `out` ends in .json and is not a folder,
    it is the path of the only transcript. Raises UsageError if there are several files for one transcript.
    """
    if out is not None and out.is_file(TRANSCRIPT_SUFFIX):
        if len(files) > 1:
            raise UsageError(f"--out {out}: is one file, but there are {len(files)} debates; give a folder to write to")
        validate_id(out.path.stem)
        return [out.path]
    taken: set[str] = set()
    folder = folder if out is None else out.path
    return [folder / f"{_choose_id(file.stem, taken)}{TRANSCRIPT_SUFFIX}" for file in files]


def _choose_id(name: str, taken: set[str]) -> str:
    found = free_name(slugify(name, MAX_ID_LENGTH - _ID_NUMBER_CHARS) or "debate", taken)
    taken.add(found)
    return found


def read_import_file(path: Path, target: Path, request: ImportRequest, at: datetime) -> ImportedDebate:
    """Read the debate in a file. Raises TranscriptError if the file has no debate, UsageError for unusable columns."""
    data = _read_bytes(path, MAX_FILE_BYTES)
    if request.format is None and path.suffix.lower() in {".yaml", ".yml"}:
        raise TranscriptError(
            f"{path}: a YAML file is usually a configuration, not a debate; run it with "
            f"`debate run {quote_path(path)}`, or import it as text with --format text"
        )
    try:
        text, encoding = decode_file(data)
        name = request.format or detect_format(text, path.name)
        if request.columns and name not in TABLE_FORMATS:
            raise UsageError(f"--map names columns of a table, but {path} is in the format {name}; leave out --map")
        origin = Origin(file=path.name, sha256=hashlib.sha256(data).hexdigest(), format=name)
        found = READERS[name](text, request.columns)._replace(encoding=encoding)
        return build_debate(found, origin, request, path, target, at)
    except UnreadableDebateError as error:
        raise TranscriptError(f"{path}: {error}") from error


def save_import(file: ImportedDebate, *, force: bool) -> None:
    """Write the transcript of an imported file. Raises StorageError, e.g. if `target` exists and `force` is False."""
    with lock_debate(file.target):
        write_transcript(file.target, to_transcript(file.debate), Redactor(), overwrite=force)


def _read_bytes(path: Path, most: int) -> bytes:
    try:
        data = read_regular_file(path, most)
    except FileNotFoundError as error:
        raise TranscriptError(f"{path}: no such file; give the path of a file that contains a debate") from error
    except OSError as error:
        raise TranscriptError(f"{path}: cannot be read ({error.strerror}); make it readable") from error
    except ValueError as error:
        raise TranscriptError(
            f"{path}: not a valid file name; give the path of a file that contains a debate"
        ) from error
    if len(data) > most:
        raise TranscriptError(f"{path}: larger than {most // 1_000_000} MB; split the file")
    return data


def label_rows(debate: Debate, labels: Sequence[HumanLabel]) -> Iterator[tuple[str, str, str, str]]:
    """Yield a row of `labels.csv` for each label: id, winner, rater and probability.

    A label whose winner is neither a debater nor a draw is left out.
    """
    names = {fold_name(person.name): person.name for person in debate.participants}
    for label in labels:
        winner = DRAW if label.winner == DRAW else names.get(fold_name(clean_name(label.winner)))
        if winner is not None:
            yield debate.id, winner, label.rater, "" if label.probability is None else f"{label.probability:g}"


def format_labels(rows: Iterable[tuple[str, str, str, str]]) -> bytes:
    """Return the content of `labels.csv` (id, winner, rater, probability): a header line, then the sorted rows."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(("id", "winner", "rater", "probability"))
    writer.writerows(sorted(rows))
    return target.getvalue().encode()


def read_dataset(
    paths: Sequence[Path], request: ImportRequest, folder: Path, at: datetime
) -> Iterator[tuple[Callable[[], ImportedDebate], tuple[HumanLabel, ...]]]:
    """For each debate in the data set, yield a pair: a function that builds the debate, and a tuple of labels.

    Each label is one rater's judgement of the debate. The function raises TranscriptError if it cannot build the debate.

    - `request.format`: name of the data set.
    - `folder`: folder for the transcripts.

    Raises UsageError if the data set has no debates, if `request` names columns, or if `folder` ends in .json.
    """
    name = request.format or ""
    if request.columns:
        raise UsageError(f"--map names columns of a table, but {name} is a data set; leave out --map")
    if folder.suffix == TRANSCRIPT_SUFFIX and not folder.is_dir():
        raise UsageError(
            f"--out {folder}: is one file, but each debate of the data set {name} needs its own file; give a folder to write to"
        )

    @cache
    def hash_file(path: Path) -> str:
        return hashlib.sha256(_read_bytes(path, MAX_DATASET_BYTES)).hexdigest()

    taken: set[str] = set()
    for path in paths:
        files = {PurePosixPath(path.name): path}
        if path.is_dir():
            inside = (file for file in visible_files(path) if is_inside(file, [path]))
            files = {PurePosixPath(file.relative_to(path).as_posix()): file for file in inside}
        texts = {place: cache(partial(_read_text, file)) for place, file in files.items()}
        for debate in read_debates(name, texts):
            target = folder / f"{_choose_id(debate.name, taken)}{TRANSCRIPT_SUFFIX}"
            load = partial(_build_from_dataset, debate, files[debate.file], hash_file, request, target, at)
            yield load, debate.labels
    if not taken:
        raise UsageError(
            f"{', '.join(map(str, paths))}: contains no debate of the data set {name}; give the folder that "
            "docs/studies/README.md describes"
        )


def _read_text(path: Path) -> str:
    try:
        return decode_file(_read_bytes(path, MAX_DATASET_BYTES))[0]
    except UnreadableDebateError as error:
        raise UnreadableDebateError(f"{path}: {error}") from error
    except TranscriptError as error:
        raise UnreadableDebateError(str(error)) from error


def _build_from_dataset(
    debate: DatasetDebate,
    path: Path,
    hash_file: Callable[[Path], str],
    request: ImportRequest,
    target: Path,
    at: datetime,
) -> ImportedDebate:
    name = request.format or ""
    try:
        if isinstance(debate.content, UnreadableDebateError):
            raise debate.content
        origin = Origin(file=path.name, sha256=hash_file(path), format=name)
        return build_debate(debate.content, origin, request, path, target, at)
    except UnreadableDebateError as error:
        raise TranscriptError(f"{path}: {debate.name}: {error}") from error
