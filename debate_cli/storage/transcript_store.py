"""Finds saved debates by id or path, and reads the journal or the transcript, whichever is more recent."""

import glob
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.suggestions import format_suggestion
from debate_cli.domain.text_normalization import common_prefix_length
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import ConfigError, TranscriptError, UsageError
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX, is_schema_file, list_debate_files, validate_id
from debate_cli.storage.journal import cut_at_damage, read_journal
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.plain_data import get_child, is_mapping
from debate_cli.storage.transcript import load_transcript_file, transcript_to_debate
from debate_cli.storage.variables import VariableResolver, apply_overrides, overrides_from_env
from debate_cli.storage.yaml_positions import parse_yaml, read_yaml_text

_SUFFIXES = {JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX}


class StoredDebate(NamedTuple):
    """A debate and the file it was read from."""

    path: Path
    debate: Debate
    verdicts: tuple[Verdict, ...] = ()
    """The stored verdicts; empty if the debate was read from its journal."""
    torn_line_warning: str | None = None
    """A sentence about an incomplete last line of the journal; None if there is none."""

    @property
    def from_journal(self) -> bool:
        """Whether the debate was read from its journal because its transcript is older or missing."""
        return self.path.suffix == JOURNAL_SUFFIX


def find_debate(reference: str, folders: Iterable[Path]) -> Path:
    """The journal or the transcript of a debate. `reference`: a path, or an id to search in `folders`.

    If both files exist, either may be returned, because `open_debate` reads both. Raises UsageError if there is none.
    """
    path = Path(reference)
    if path.suffix in _SUFFIXES or len(path.parts) > 1:
        return _find_by_path(path)
    try:
        name = validate_id(reference)
    except UsageError as error:
        if path.is_file():
            return path
        raise (_folder_error(path) if reference and path.is_dir() else error) from None
    searched = list(dict.fromkeys(folders))
    for folder in searched:
        found = next((place for place in _journal_and_transcript(folder / name) if place.exists()), None)
        if found is not None:
            return found
    if path.is_dir():
        raise _folder_error(path)
    hint = suggest_debate_id(reference, searched) or "; name its id or its file"
    raise UsageError(f"`{reference}`: there is no such debate in {' or '.join(map(str, searched))}{hint}")


def _find_by_path(path: Path) -> Path:
    beside = next((place for place in _journal_and_transcript(path) if place.exists() and not place.is_dir()), None)
    if path.is_dir():
        if beside is None:
            raise _folder_error(path)
        return beside
    if not path.exists() and beside is None:
        raise UsageError(f"{path}: no such file; name a transcript or journal")
    return path


def _folder_error(path: Path) -> UsageError:
    listing = f"debate list {shlex.quote(str(path))}"
    return UsageError(f"{path}: is a folder; name one of its debates, which `{listing}` shows")


def suggest_debate_id(name: str, folders: Iterable[Path]) -> str:
    """`; did you mean …?` with a similar id of a debate in `folders`; empty if there is none.

    Of ids that begin with `name`, the last is suggested: generated ids end in a date, so it is the newest.
    """
    ids = {path.stem for folder in folders for path in _list_or_empty(folder)}
    longer = max((known for known in ids if name and known.startswith(name.lower())), default=None)
    if longer is not None:
        return f"; did you mean `{longer}`?"
    return format_suggestion(name, sorted(ids, key=lambda known: (-common_prefix_length(name.lower(), known), known)))


def _list_or_empty(folder: Path) -> list[Path]:
    try:
        return list_debate_files(folder)
    except OSError:
        return []


def open_debate(path: Path) -> StoredDebate:
    """The debate whose journal or transcript is `path`, read from the more recent of the two.

    Raises TranscriptError if the file cannot be read.
    """
    journal, transcript = _journal_and_transcript(path)
    if path not in {journal, transcript}:
        return _from_transcript(path)
    if not journal.exists():
        return _from_transcript(transcript if transcript.exists() else path)
    from_journal = _from_journal(journal)
    if not transcript.exists():
        return from_journal
    try:
        from_transcript = _from_transcript(transcript)
    except TranscriptError:
        return from_journal
    return from_transcript if _covers_journal(from_transcript.debate, from_journal.debate) else from_journal


def cut_damaged_journal(path: Path) -> str | None:
    """Cut the journal of the debate at `path` before its first damaged line, and keep a copy of the original.

    Returns a sentence on what was cut; None if nothing is damaged. Raises TranscriptError, StorageError.
    """
    journal, _ = _journal_and_transcript(path)
    if not journal.exists():
        return None
    with lock_debate(journal):
        return cut_at_damage(journal)


def load_last_transcript(stored: StoredDebate) -> StoredDebate | None:
    """The debate as stored in its transcript, with the last stored verdicts; None if there is no transcript.

    Raises TranscriptError.
    """
    transcript = stored.path.with_suffix(TRANSCRIPT_SUFFIX)
    if not stored.from_journal:
        return stored
    return _from_transcript(transcript) if transcript.exists() else None


def expand_references(references: Iterable[str], folders: Iterable[Path] = ()) -> list[Path]:
    """The files of paths, ids, folders and globs, each once, in order; those of a folder are sorted by name.

    Ids are searched in `folders`. A folder contributes its transcripts, and its journals without a transcript. A JSON
    Schema is left out, unless it is the only file. A path that does not exist is kept: reading it gives the error.
    Raises UsageError for an empty glob or folder, and for a misspelt id if it is the only reference.
    """
    found: dict[Path, None] = {}
    searched: list[Path] | None = None
    for reference in references:
        path = Path(reference)
        if path.is_dir():
            files = list_debate_files(path)
        elif glob.has_magic(reference) and not path.exists():
            files = sorted(place for place in map(Path, glob.glob(reference, recursive=True)) if place.is_file())  # noqa: PTH207 - takes absolute patterns too
        else:
            if searched is None and _may_be_id(path):
                searched = list(folders)
            files = [_file_by_id(path, searched or ())]
        if not files:
            raise UsageError(f"{reference}: holds no transcripts; name a transcript, a folder or a glob")
        found.update(dict.fromkeys(files))
    if len(found) == 1 and searched:
        _refuse_misspelled_id(next(iter(found)), searched)
    return [path for path in found if not is_schema_file(path.name)] or list(found)


def _refuse_misspelled_id(path: Path, folders: Sequence[Path]) -> None:
    """Raise UsageError if `path` is not a file but is similar to the id of a debate in `folders`."""
    hint = suggest_debate_id(path.name, folders) if _may_be_id(path) else ""
    if hint:
        places = " or ".join(dict.fromkeys(map(str, folders)))
        raise UsageError(f"`{path}`: there is no such debate in {places}{hint}")


def _may_be_id(path: Path) -> bool:
    return not path.exists() and not path.suffix and len(path.parts) == 1


def _file_by_id(path: Path, folders: Sequence[Path]) -> Path:
    places = (place for folder in folders for place in reversed(_journal_and_transcript(folder / path)))
    return next((place for place in places if place.exists()), path) if _may_be_id(path) else path


def _journal_and_transcript(path: Path) -> tuple[Path, Path]:
    """Paths of the journal and of the transcript of a debate. `path`: one of the two, or their path without a suffix."""
    bare = path.with_suffix("") if path.suffix in _SUFFIXES else path
    return bare.with_name(bare.name + JOURNAL_SUFFIX), bare.with_name(bare.name + TRANSCRIPT_SUFFIX)


def _from_journal(path: Path) -> StoredDebate:
    contents = read_journal(path)
    return StoredDebate(path, fold(contents.events), torn_line_warning=contents.torn_line_warning)


def _from_transcript(path: Path) -> StoredDebate:
    transcript = load_transcript_file(path)
    return StoredDebate(path, transcript_to_debate(transcript), transcript.verdicts)


def _covers_journal(transcript: Debate, journal: Debate) -> bool:
    """Whether the transcript has all events of the journal, as after a crash just before the journal was removed."""
    return (
        journal.closed is not None
        and (journal.started_at, journal.config_sha256) == (transcript.started_at, transcript.config_sha256)
        and (journal.closed == transcript.closed or transcript.status == "complete")
        and journal.answered_keys <= transcript.answered_keys
        and len(journal.failures) <= len(transcript.failures)
        and len(journal.changes) <= len(transcript.changes)
        and {run.id for run in journal.runs} <= {run.id for run in transcript.runs}
    )


DEFAULT_OUTPUT_FOLDER = Path("transcripts")
DEFAULT_CONFIG_PATHS = (Path("configs/debate.yaml"), Path("debate.yaml"))
"""Configurations for `run` without an argument: the first that exists, else the packaged one."""


def transcript_dirs(out: Path | None = None, config: str | None = None) -> Iterator[Path]:
    """The folders in which to search for a debate, in order; DEFAULT_OUTPUT_FOLDER is always included.

    The first is `out`, else DEBATE_OUT, else `output.dir` of `config` or of the default configuration. The
    configuration is read only when the first folder is requested.
    """
    first = out or default_transcript_dir(config)
    yield first
    if first != DEFAULT_OUTPUT_FOLDER:
        yield DEFAULT_OUTPUT_FOLDER


def default_transcript_dir(config: str | None = None) -> Path:
    """The folder in which `run` saves a debate of this configuration if no option sets another.

    Errors in the configuration are ignored here; `run` reports them.
    """
    named = Path(config) if config is not None and config != "-" else None
    path = named or next((path for path in DEFAULT_CONFIG_PATHS if path.is_file()), None)
    return _output_dir(path, os.environ)


def _output_dir(config: Path | None, env: Mapping[str, str]) -> Path:
    data, _, _ = apply_overrides(_read_mapping(config) if config is not None else {}, overrides_from_env(env))
    given = data.get("vars")
    resolver = VariableResolver({}, given if is_mapping(given) else {})
    folder = resolver.resolve(get_child(data.get("output"), "dir"), ("output", "dir"))
    return Path(folder) if isinstance(folder, str) and folder and "\0" not in folder else DEFAULT_OUTPUT_FOLDER


def _read_mapping(config: Path) -> dict[str, object]:
    try:
        data = parse_yaml(read_yaml_text(config, absent="")).data
    except ConfigError:
        return {}
    return data if is_mapping(data) else {}
