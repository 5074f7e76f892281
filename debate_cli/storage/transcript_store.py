"""Finds saved debates by id or path. Reads the journal or the transcript, whichever is newer."""

import contextlib
import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.message_text import did_you_mean, format_suggestion, quote_path
from debate_cli.domain.text_normalization import common_prefix_length
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import ConfigError, TranscriptError, UsageError
from debate_cli.regular_file import follow_links, is_folder, may_exist
from debate_cli.storage.folder import (
    JOURNAL_SUFFIX,
    TRANSCRIPT_SUFFIX,
    contains_debates,
    is_schema_file,
    list_debate_files,
    validate_id,
)
from debate_cli.storage.journal import cut_at_damage, read_before_damage, read_journal
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.plain_data import get_child, is_mapping
from debate_cli.storage.transcript import load_transcript_file, transcript_to_debate

if TYPE_CHECKING:
    from debate_cli.storage.variables import ConfigChange

_SUFFIXES = {JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX}


class StoredDebate(NamedTuple):
    """A debate and the file it was read from."""

    path: Path
    debate: Debate
    verdicts: tuple[Verdict, ...] = ()
    """The verdicts in the transcript; empty if the debate was read from its journal."""
    incomplete_line_warning: str | None = None
    """Warning about an incomplete last line of the journal, which is ignored; None if all lines are complete."""

    @property
    def from_journal(self) -> bool:
        """Whether the debate was read from its journal, because the transcript is older, missing or unreadable."""
        return self.path.suffix == JOURNAL_SUFFIX


def find_debate(reference: str, folders: Iterable[Path]) -> Path:
    """Return the path of a debate's journal or transcript. `reference`: a path, or an id to search in `folders`.

    Raises UsageError if `reference` cannot name a debate, and TranscriptError if there is no debate with this id.
    """
    path = Path(reference)
    is_path = path.suffix in _SUFFIXES or len(path.parts) > 1
    if not is_path and os.path.isfile(path):  # noqa: PTH113 - never raises
        return path
    if not is_path and not (reference and is_folder(path)):
        validate_id(reference)
    searched = list(dict.fromkeys(folders))
    for base in [path] if is_path else [folder / reference for folder in searched]:
        named = (base,) if base.suffix in _SUFFIXES else ()
        for place in (*named, *_journal_and_transcript(base), base):
            if may_exist(place) and not is_folder(place):
                return place
    if is_folder(path):
        listing = f"debate list {quote_path(path)}"
        raise UsageError(f"{path}: is a folder; choose one of its debates, which `{listing}` shows")
    if is_path:
        raise UsageError(f"{path}: no such file; give the path of a transcript or journal")
    hint = suggest_debate_id(reference, searched) or "; give the id or the path of a saved debate, see `debate list`"
    raise TranscriptError(describe_unknown_id(reference, searched, hint))


def is_unknown_id(path: Path) -> bool:
    """Return whether `path` can only be the id of a debate: it has neither a suffix nor a folder, and there is no such file.

    The debate may exist in a folder of transcripts.
    """
    return not path.suffix and len(path.parts) == 1 and not may_exist(path)


def refuse_unknown_id(path: Path, folders: Iterable[Path]) -> None:
    """Raise TranscriptError if `path` is the id of a debate that is not in `folders`. Other paths are not checked."""
    if is_unknown_id(path):
        find_debate(str(path), folders)


def describe_unknown_id(name: str, folders: Iterable[Path], advice: str) -> str:
    """Return the message that no debate in `folders` has the id `name`. `advice`: the end of the message."""
    return f"`{name}`: there is no such debate in {' or '.join(map(str, folders))}{advice}"


def suggest_debate_id(name: str, folders: Iterable[Path]) -> str:
    """Return `; did you mean …?` with an id of a debate in `folders`; empty if no id is similar to `name`.

    If several ids begin with `name`, the alphabetically last of them is suggested.
    """
    ids: set[str] = set()
    for folder in folders:
        with contextlib.suppress(OSError):
            ids |= {path.stem for path in list_debate_files(folder)}
    longer = max((known for known in ids if name and known.startswith(name)), default=None)
    if longer is not None:
        return f"; {did_you_mean(longer)}"
    return format_suggestion(name, sorted(ids, key=lambda known: (-common_prefix_length(name, known), known)))


def open_debate(path: Path, *, up_to_damage: bool = False) -> StoredDebate:
    """Read a debate from its journal or its transcript, whichever is newer.

    `path`: one of the two files. `up_to_damage`: whether to read a damaged journal up to the damage. Raises
    TranscriptError if the file cannot be read.
    """
    suffix = path.suffix
    if suffix not in _SUFFIXES:
        return _from_transcript(path)
    base = str(path).removesuffix(suffix)
    if not os.path.exists(base + JOURNAL_SUFFIX):  # noqa: PTH110 - never raises
        is_other_file = suffix == JOURNAL_SUFFIX and os.path.exists(base + TRANSCRIPT_SUFFIX)  # noqa: PTH110
        return _from_transcript(Path(base + TRANSCRIPT_SUFFIX) if is_other_file else path)
    journal, transcript = _journal_and_transcript(path)
    contents = (read_before_damage if up_to_damage else read_journal)(journal)
    from_journal = StoredDebate(
        journal, fold(contents.events), incomplete_line_warning=contents.incomplete_line_warning
    )
    if not transcript.exists():
        return from_journal
    try:
        from_transcript = _from_transcript(transcript)
    except TranscriptError:
        return from_journal
    return from_transcript if _covers_journal(from_transcript.debate, from_journal.debate) else from_journal


def cut_damaged_journal(path: Path) -> str | None:
    """Remove the damaged end of the journal of the debate at `path`. The debate is locked meanwhile.

    Returns a message about the removed lines; None if nothing was removed.
    """
    journal, _ = _journal_and_transcript(path)
    if not journal.exists():
        return None
    with lock_debate(journal):
        return cut_at_damage(journal)


def load_last_transcript(stored: StoredDebate) -> StoredDebate | None:
    """Return the debate from its transcript, even if its journal is newer. Returns None if there is no transcript.

    Raises TranscriptError if the transcript cannot be read.
    """
    transcript = stored.path.with_suffix(TRANSCRIPT_SUFFIX)
    if not stored.from_journal:
        return stored
    return _from_transcript(transcript) if transcript.exists() else None


def is_transcript_of(path: Path, debate: Debate) -> bool:
    """Return whether the transcript at `path` belongs to `debate`. The transcript may be older than `debate`.

    Raises TranscriptError if the transcript cannot be read.
    """
    return _is_same_debate(_from_transcript(path).debate, debate)


def expand_references(references: Iterable[str], folders: Iterable[Path] = ()) -> list[Path]:
    """Expand paths, ids, folders and globs to a list of files without repetitions. `folders`: where to search for ids.

    - A path is returned even if it cannot be opened, e.g. the path of a missing file or of a FIFO. So is an unknown id.
    - A folder is replaced by the debates in it.
    - A glob is replaced by the files that match it.
    - Exception: a folder without debates is returned itself if its name ends in `.json` or `.jsonl`.

    If several paths lead to one file, the first path that is not a link is returned.

    Raises UsageError if a folder or glob has no files.
    """
    found: dict[Path, Path] = {}
    searched: list[Path] | None = None
    for reference in references:
        path = Path(reference)
        files = [path]
        if is_folder(path):
            files = list_debate_files(path)
            if not files and path.suffix in _SUFFIXES:  # e.g. from a glob that the shell expanded
                files = [path]
        elif glob.has_magic(reference) and not may_exist(path):
            files = _expand_glob(reference)
        elif is_unknown_id(path):
            searched = list(folders) if searched is None else searched
            places = (place for folder in searched for place in reversed(_journal_and_transcript(folder / path)))
            files = [next(filter(may_exist, places), path)]
        if not files:
            raise UsageError(
                f"{reference}: contains no transcripts; give the path of a transcript or of a folder with transcripts"
            )
        for file in files:
            place = follow_links(file)
            found[place] = min(found.get(place, file), file, key=os.path.islink)
    paths = list(found.values())
    return [path for path in paths if not is_schema_file(path.name)] or paths


def _expand_glob(pattern: str) -> list[Path]:
    places = map(Path, glob.glob(pattern, recursive=True))  # noqa: PTH207 - takes absolute patterns too
    return sorted(
        place for place in places if not is_folder(place) or (place.suffix in _SUFFIXES and not contains_debates(place))
    )


def _journal_and_transcript(path: Path) -> tuple[Path, Path]:
    base = str(path).removesuffix(path.suffix if path.suffix in _SUFFIXES else "")
    return Path(base + JOURNAL_SUFFIX), Path(base + TRANSCRIPT_SUFFIX)


def _from_transcript(path: Path) -> StoredDebate:
    transcript = load_transcript_file(path)
    return StoredDebate(path, transcript_to_debate(transcript), transcript.verdicts)


def _covers_journal(transcript: Debate, journal: Debate) -> bool:
    return (
        journal.closed is not None
        and _is_same_debate(journal, transcript)
        and (journal.closed == transcript.closed or transcript.status == "complete")
        and journal.answered_keys <= transcript.answered_keys
        and len(journal.failures) <= len(transcript.failures)
        and len(journal.changes) <= len(transcript.changes)
        and {run.id for run in journal.runs} <= {run.id for run in transcript.runs}
    )


def _is_same_debate(first: Debate, second: Debate) -> bool:
    return (first.started_at, first.config_sha256) == (second.started_at, second.config_sha256)


DEFAULT_OUTPUT_FOLDER = Path("transcripts")
DEFAULT_CONFIG_PATHS = (Path("configs/debate.yaml"), Path("debate.yaml"))
"""Configurations that `run` looks for if no path is given. It reads the first that exists, else the packaged one."""


def transcript_dirs(
    out: Path | None = None, config: str | None = None, changes: "Sequence[ConfigChange]" = ()
) -> Iterator[Path]:
    """Yield the folders in which to search for a debate: the output folder, then DEFAULT_OUTPUT_FOLDER.

    The output folder is the first of these that is set:

    - `out`
    - `output.dir` in `changes`
    - the environment variable DEBATE_OUT
    - `output.dir` in the configuration file `config`. If `config` is None or `-`, the first existing file of
      DEFAULT_CONFIG_PATHS is read. Errors in the file are ignored.

    `changes`: changes to the configuration from options. The changes may also set variables that `output.dir` uses.
    """
    named = Path(config) if config is not None and config != "-" else None
    file = named or next((path for path in DEFAULT_CONFIG_PATHS if path.is_file()), None)
    first = out or _output_dir(file, changes)
    yield from dict.fromkeys((first, DEFAULT_OUTPUT_FOLDER))


def _output_dir(config: Path | None, changes: "Sequence[ConfigChange]") -> Path:
    from debate_cli.storage.variables import VariableResolver, apply_overrides, overrides_from_env
    from debate_cli.yaml_positions import parse_yaml, read_yaml_text

    data: Any = None
    if config is not None:
        with contextlib.suppress(ConfigError):
            data = parse_yaml(read_yaml_text(config, absent="")).data
    changed, _, _ = apply_overrides(data if is_mapping(data) else {}, [*overrides_from_env(os.environ), *changes])
    given = changed.get("vars")
    resolver = VariableResolver({}, given if is_mapping(given) else {})
    folder = resolver.resolve(get_child(changed.get("output"), "dir"), ("output", "dir"))
    return Path(folder) if isinstance(folder, str) and folder and "\0" not in folder else DEFAULT_OUTPUT_FOLDER
