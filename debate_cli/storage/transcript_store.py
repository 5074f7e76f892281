"""Debates in a folder: found by id or path, and which of journal and transcript tells how far one has come."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.suggestions import format_suggestion
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.storage import journal
from debate_cli.storage import transcript as transcript_module
from debate_cli.storage.folder import list_debate_files
from debate_cli.storage.ids import validate_id
from debate_cli.storage.transcript import Transcript, transcript_to_debate


def suggest_debate_id(name: str, folders: Iterable[Path]) -> str:
    """`; did you mean …?` with the id of a debate in one of `folders`; nothing where none is close, or none can be listed.

    An id that begins with `name` is close, however long it is: a made-up one ends in a date, so the last is the newest.
    """
    ids = sorted(
        {path.stem for folder in folders for path in _list_or_empty(folder)},
        key=lambda known: _similarity_key(name, known),
    )
    begun = max((known for known in ids if name and known.startswith(name.lower())), default=None)
    return f"; did you mean `{begun}`?" if begun is not None else format_suggestion(name, ids)


def _similarity_key(name: str, known: str) -> tuple[int, str]:
    """Few begin with the same letters: those are compared first, as not all of a large folder are."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(name.lower(), known, strict=False))
    return -sum(1 for _ in alike), known


def _list_or_empty(folder: Path) -> list[Path]:
    try:
        return list_debate_files(folder)
    except OSError:
        return []


class StoredDebate(NamedTuple):
    """A debate as it was found."""

    path: Path
    """The file that counts."""
    debate: Debate
    verdicts: tuple[Verdict, ...] = ()
    """As stored; none while only a journal tells of the debate."""
    torn_line_warning: str | None = None
    """One sentence on a torn last line of the journal, if there was one."""

    @property
    def from_journal(self) -> bool:
        """Whether the journal counts, so that the debate never came to its transcript."""
        return self.path.suffix == journal.JOURNAL_SUFFIX


def find_debate(reference: str, folders: Iterable[Path]) -> Path:
    """The file of a debate: `reference` is a path, or an id of which one of `folders` holds journal or transcript.

    Of the two, where both are there, the one returned may be either: `open_debate` looks at both. Raises UsageError
    where there is neither; a folder is no debate, unless its name is the id of one.
    """
    path = Path(reference)
    if path.suffix in {journal.JOURNAL_SUFFIX, transcript_module.TRANSCRIPT_SUFFIX} or len(path.parts) > 1:
        beside = next((place for place in _journal_and_transcript(path) if place.exists() and not place.is_dir()), None)
        if path.is_dir():
            if beside is None:
                raise _folder_error(path)
            return beside
        if not path.exists() and beside is None:
            raise UsageError(f"{path}: no such file; name a transcript or journal")
        return path
    try:
        name = validate_id(reference)
    except UsageError as error:
        raise (_folder_error(path) if reference and path.is_dir() else error) from None
    looked: list[Path] = []
    for folder in dict.fromkeys(folders):
        there = next((place for place in _journal_and_transcript(folder / name) if place.exists()), None)
        if there is not None:
            return there
        looked.append(folder)
    if path.is_dir():
        raise _folder_error(path)
    places = " or ".join(map(str, looked))
    raise UsageError(f"`{reference}`: there is no such debate in {places}{_suggestion(reference, looked)}")


def _suggestion(reference: str, folders: Iterable[Path]) -> str:
    return suggest_debate_id(reference, folders) or "; name its id or its file"


def _folder_error(path: Path) -> UsageError:
    return UsageError(
        f"{path}: is a folder; name one of its debates, which `debate list {shlex.quote(str(path))}` shows"
    )


def open_debate(path: Path) -> StoredDebate:
    """The debate of which `path` is the journal or the transcript, as far as the two together tell.

    Raises TranscriptError where the file cannot be used.
    """
    if path.suffix == transcript_module.TRANSCRIPT_SUFFIX and not path.with_suffix(journal.JOURNAL_SUFFIX).exists():
        return _from_transcript(path)
    written, whole = _journal_and_transcript(path)
    there = [place for place in (written, whole) if place.exists()]
    if path not in {written, whole} or len(there) != 2:  # noqa: PLR2004 - journal and transcript
        only = there[0] if len(there) == 1 and path in {written, whole} else path
        return _from_journal(only) if only.suffix == journal.JOURNAL_SUFFIX else _from_transcript(only)
    from_journal = _from_journal(written)
    try:
        from_transcript = _from_transcript(whole)
    except TranscriptError:
        return from_journal
    return from_transcript if _covers_journal(from_transcript.debate, from_journal.debate) else from_journal


def load_last_transcript(stored: StoredDebate) -> StoredDebate | None:
    """The debate as it was when verdicts were last stored: a journal goes on from there. None where none ever were.

    Raises TranscriptError.
    """
    whole = stored.path.with_suffix(transcript_module.TRANSCRIPT_SUFFIX)
    if not stored.from_journal:
        return stored
    return _from_transcript(whole) if whole.exists() else None


def expand_references(references: Iterable[str], folders: Iterable[Path] = ()) -> list[Path]:
    """The files that paths, folders and globs mean, each once, in order; a folder's are sorted by name.

    An id means the debate that the first of `folders` holds. A folder stands for its transcripts and for the journals of
    debates that have none. What does not exist is returned as it is: reading it says so. Raises UsageError for a glob or
    folder that holds nothing, and for a misspelt id that is alone.
    """
    found: dict[Path, None] = {}
    homes: list[Path] | None = None
    for reference in references:
        path = Path(reference)
        if path.is_dir():
            files = list_debate_files(path)
        elif glob.has_magic(reference) and not path.exists():
            files = sorted(place for place in map(Path, glob.glob(reference, recursive=True)) if place.is_file())  # noqa: PTH207 - takes absolute patterns too
        else:
            if homes is None and _may_be_id(path):
                homes = list(folders)
            files = [_file_by_id(path, homes or ())]
        if not files:
            raise UsageError(f"{reference}: holds no transcripts; name a transcript, a folder or a glob")
        found.update(dict.fromkeys(files))
    if len(found) == 1 and homes:
        _refuse_misspelled_id(next(iter(found)), homes)
    return list(found)


def _refuse_misspelled_id(path: Path, folders: Sequence[Path]) -> None:
    """Raise UsageError where `path` is no file, and probably the id of a debate in one of `folders`."""
    hint = suggest_debate_id(path.name, folders) if _may_be_id(path) else ""
    if hint:
        places = " or ".join(dict.fromkeys(map(str, folders)))
        raise UsageError(f"`{path}`: there is no such debate in {places}{hint}")


def _may_be_id(path: Path) -> bool:
    return not path.exists() and not path.suffix and len(path.parts) == 1


def _file_by_id(path: Path, folders: Sequence[Path]) -> Path:
    """The file of the debate of that id in `folders`; `path` where it is none, or there is no such debate."""
    places = (place for folder in folders for place in reversed(_journal_and_transcript(folder / path)))
    return next((place for place in places if place.exists()), path) if _may_be_id(path) else path


def _journal_and_transcript(path: Path) -> tuple[Path, Path]:
    """The places of journal and transcript of one debate; `path` is either, or both without the suffix."""
    bare = (
        path.with_suffix("") if path.suffix in {journal.JOURNAL_SUFFIX, transcript_module.TRANSCRIPT_SUFFIX} else path
    )
    return bare.with_name(bare.name + journal.JOURNAL_SUFFIX), bare.with_name(
        bare.name + transcript_module.TRANSCRIPT_SUFFIX
    )


def _from_journal(path: Path) -> StoredDebate:
    contents = journal.read_journal(path)
    return StoredDebate(path, fold(contents.events), torn_line_warning=contents.torn_line_warning)


def _from_transcript(path: Path) -> StoredDebate:
    transcript: Transcript = transcript_module.load_transcript_file(path)
    return StoredDebate(path, transcript_to_debate(transcript), transcript.verdicts)


def _covers_journal(whole: Debate, journalled: Debate) -> bool:
    """Whether a transcript holds everything its journal does: the process died between writing it and removing that."""
    return (
        journalled.closed is not None
        and (journalled.started_at, journalled.config_sha256) == (whole.started_at, whole.config_sha256)
        and (journalled.closed == whole.closed or whole.status == "complete")
        and journalled.answered_keys <= whole.answered_keys
        and len(journalled.failures) <= len(whole.failures)
        and {run.id for run in journalled.runs} <= {run.id for run in whole.runs}
    )
