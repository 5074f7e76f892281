"""Lists the user's sources, and indexes and searches their passages.

The index is a SQLite file in the user's cache folder. Its name is a hash that includes the files' contents.
"""

import hashlib
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from debate_cli.domain.evidence import FoundPassage, Passage
from debate_cli.errors import StorageError, UsageError
from debate_cli.evidence.documents import SourceFile, read_sections, read_source_bytes
from debate_cli.evidence.sections import Section, UnreadableSourceError
from debate_cli.evidence.splitting import split_section
from debate_cli.evidence.tokens import COMMON_ENGLISH_WORDS
from debate_cli.evidence.unspaced_scripts import separate_characters, split_words
from debate_cli.regular_file import is_inside, make_private_folder

INDEX_VERSION = 8
"""Version of the indexes, which is part of their names. Increase it if changed code builds different indexes."""
KEPT_INDEXES = 5
"""Number of most recently used indexes that always stay in the cache. Any other index is deleted after a day without
use."""
MAX_QUERY_TERMS = 40
_DAY_S = 86_400
MAX_FILES = 100_000
_WITHOUT_SOURCES = "or leave out the sources, which are optional"


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is not indexed."""

    name: str
    reason: str
    """Why the file is not indexed, in one sentence without the file's name."""


def list_source_files(given: str, base: Path, title: str | None = None) -> list[SourceFile]:
    """List the files that `given` names: a file, a folder with everything below it, or a pattern such as `docs/*.md`.

    Hidden files are left out, unless a pattern names them. Raises UsageError if `given` names no file or folder.
    """
    path = base / given
    if path.is_dir():
        shown = path.name if Path(given).is_absolute() else os.path.normpath(given)
        return list(_visible_files(path, path.rglob("*"), Path(shown), frozenset()))
    if path.exists():
        return [SourceFile(path, given, title)]
    if any(char in given for char in "*?[") and not Path(given).is_absolute():
        return list(_visible_files(base, base.glob(given), Path(), frozenset(Path(given).parts)))
    raise UsageError(f"evidence: {given}: no such file or folder; correct the path, {_WITHOUT_SOURCES}")


def _visible_files(folder: Path, found: Iterable[Path], shown: Path, named: frozenset[str]) -> Iterator[SourceFile]:
    for file in sorted(found):
        name = file.relative_to(folder)
        leaves_folder = not is_inside(file, [folder])
        is_hidden = any(part.startswith(".") and part not in named for part in name.parts)
        if not is_hidden and (leaves_folder or not file.is_dir()):
            yield SourceFile(file, str(shown / name), leaves_folder=leaves_folder)


def _locator(section: Section, start: int, end: int) -> str:
    parts = [section.heading] if section.heading else []
    if section.page is not None:
        parts.append(f"page {section.page}")
    if section.first_line is not None:
        first = section.first_line + section.text.count("\n", 0, start)
        last = first + section.text.count("\n", start, end)
        parts.append(f"{section.unit} {first}" if first == last else f"{section.unit}s {first}–{last}")
    return ", ".join(parts)


class Corpus:
    """The indexed passages of some files."""

    def __init__(self, path: Path, files: Sequence[str], skipped: Sequence[SkippedFile], content_sha256: str) -> None:
        self._path = path
        self.content_sha256 = content_sha256
        """Hash of the names, titles and contents of the files."""
        self.files = tuple(files)
        """Names of the indexed files."""
        self.skipped = tuple(skipped)

    def passages(self) -> list[FoundPassage]:
        """Return all passages, in the order of the files."""
        with closing(_open_index(self._path)) as index:
            rows = index.execute("SELECT source, title, locator, text FROM passages ORDER BY rowid")
            return [FoundPassage(*row) for row in rows]

    def count_passages(self) -> Mapping[str, int]:
        """Return the number of passages of each file, by file name."""
        with closing(_open_index(self._path)) as index:
            return dict(index.execute("SELECT source, count(*) FROM passages GROUP BY source").fetchall())

    def find_changed(self, known: Iterable[Passage]) -> list[str]:
        """Return the names of files that have changed, sorted. `known`: passages that the files had earlier.

        A file has changed if the corpus lacks one of its earlier passages.
        """
        sources = {passage.text: passage.source for passage in known if passage.origin == "corpus"}
        with closing(_open_index(self._path)) as index:
            query = "SELECT text FROM passages WHERE text IN (SELECT value FROM json_each(?))"
            found = {text for (text,) in index.execute(query, (json.dumps([*sources]),))}
        return sorted({source for text, source in sources.items() if text not in found})

    def search(self, query: str, limit: int) -> list[FoundPassage]:
        """Return at most `limit` passages that fit `query`, the best first."""
        with closing(_open_index(self._path)) as index:
            match = " OR ".join(f'"{_index_text(term)}"' for term in query_terms(query))
            if not match:
                return []
            ranked = index.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank, rowid LIMIT ?", (match, limit)
            ).fetchall()
            texts = "SELECT source, title, locator, text FROM passages WHERE rowid = ?"
            return [FoundPassage(*index.execute(texts, row).fetchone()) for row in ranked]


def _open_index(path: Path) -> sqlite3.Connection:
    with suppress(OSError):  # stores the time of the last use
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def query_terms(query: str) -> tuple[str, ...]:
    """Return the distinct words of `query` without common English words, at most MAX_QUERY_TERMS.

    If all words are common, return the common words. In scripts without spaces, each pair of neighbouring characters is a
    word.
    """
    words = tuple(dict.fromkeys(split_words(query.casefold())))
    specific = tuple(word for word in words if word not in COMMON_ENGLISH_WORDS)
    return (specific or words)[:MAX_QUERY_TERMS]


def open_corpus(files: Sequence[SourceFile], passage_words: int, cache: Path) -> Corpus:
    """Open the corpus of `files`. Its index is stored in the folder `cache`.

    Raises UsageError if there are too many files, or if none can be indexed. Raises StorageError if the index cannot be
    written.
    """
    if len(files) > MAX_FILES:
        raise UsageError(f"evidence: the sources are {len(files):,} files, more than {MAX_FILES:,}; use fewer files")
    skipped: list[SkippedFile] = []
    kept: list[SourceFile] = []
    content = hashlib.sha256()
    for file in files:
        if file.leaves_folder:
            skipped.append(
                SkippedFile(file.name, "it is a link to a place outside the folder; copy the file into the folder")
            )
            continue
        try:
            sha256 = hashlib.sha256(read_source_bytes(file.path)).hexdigest()
        except UnreadableSourceError as error:
            skipped.append(SkippedFile(file.name, str(error)))
            continue
        content.update(f"{file.name}\0{file.title}\0{sha256}\0".encode("utf-8", "replace"))
        kept.append(file)

    def fill(index: sqlite3.Connection) -> None:
        for file in kept:
            _index_file(index, file, passage_words)

    place = _ensure_index(f"{INDEX_VERSION}/{passage_words}/{content.hexdigest()}", cache, fill)
    skipped += _read_skipped(place) or []
    skipped_names = {file.name for file in skipped}
    corpus = Corpus(place, [file.name for file in kept if file.name not in skipped_names], skipped, content.hexdigest())
    if not corpus.count_passages():
        why = f" ({skipped[0].name}: {skipped[0].reason})" if skipped else ""
        raise UsageError(f"evidence: the sources contain no text{why}; use files with text, {_WITHOUT_SOURCES}")
    return corpus


def restore_corpus(passages: Sequence[FoundPassage], skipped: Sequence[SkippedFile], cache: Path) -> Corpus:
    """Open a corpus of the given passages. Its index is stored in the folder `cache`.

    `skipped`: the files that are not indexed.
    Raises StorageError if the index cannot be written.
    """
    rows = [(each.source, each.title, each.locator, each.text) for each in passages]
    key = json.dumps([INDEX_VERSION, rows])

    def fill(index: sqlite3.Connection) -> None:
        for row in rows:
            _add_passage(index, *row)

    place = _ensure_index(key, cache, fill)
    return Corpus(place, [*dict.fromkeys(each.source for each in passages)], skipped, place.stem)


def _ensure_index(key: str, cache: Path, fill: Callable[[sqlite3.Connection], object]) -> Path:
    place = cache / f"{hashlib.sha256(key.encode()).hexdigest()}.sqlite"
    if _read_skipped(place) is None:
        _build(fill, place)
    return place


def _read_skipped(place: Path) -> list[SkippedFile] | None:
    try:
        with closing(_open_index(place)) as index:
            return [SkippedFile(*row) for row in index.execute("SELECT name, reason FROM skipped ORDER BY rowid")]
    except sqlite3.DatabaseError:
        return None


def _build(fill: Callable[[sqlite3.Connection], object], place: Path) -> None:
    try:
        make_private_folder(place.parent)
        handle, draft = tempfile.mkstemp(dir=place.parent, suffix=".tmp")
    except OSError as error:
        raise StorageError(
            f"{place.parent}: the index of the sources cannot be written ({error.strerror}); set XDG_CACHE_HOME to a "
            "folder that can be written"
        ) from error
    os.close(handle)
    try:
        with closing(sqlite3.connect(draft)) as index, index:
            index.execute("PRAGMA journal_mode = OFF")
            index.execute("PRAGMA synchronous = OFF")
            index.execute("CREATE TABLE passages (source TEXT, title TEXT, locator TEXT, text TEXT)")
            columns = "title, locator, text, content = '', tokenize = 'porter unicode61 remove_diacritics 2'"
            index.execute(f"CREATE VIRTUAL TABLE words USING fts5({columns})")
            index.execute("CREATE TABLE skipped (name TEXT, reason TEXT)")
            fill(index)
        Path(draft).replace(place)
        _delete_old_indexes(place.parent, time.time() - _DAY_S)
    finally:
        Path(draft).unlink(missing_ok=True)


def _delete_old_indexes(cache: Path, since: float) -> None:
    with suppress(OSError):
        used = sorted(((file.stat().st_atime, file) for file in cache.iterdir()), reverse=True)
        complete = [file for _, file in used if file.suffix == ".sqlite"]
        for at, file in used:
            if at < since and file.suffix in {".sqlite", ".tmp"} and file not in complete[:KEPT_INDEXES]:
                file.unlink(missing_ok=True)


def _index_file(index: sqlite3.Connection, file: SourceFile, passage_words: int) -> None:
    try:
        title, sections = read_sections(file, read_source_bytes(file.path))
    except UnreadableSourceError as error:
        index.execute("INSERT INTO skipped VALUES (?, ?)", (file.name, str(error)))
        return
    for section in sections:
        for text, start, end in split_section(section, passage_words):
            _add_passage(index, file.name, title, _locator(section, start, end), text)


def _add_passage(index: sqlite3.Connection, source: str, title: str, locator: str, text: str) -> None:
    place = index.execute("INSERT INTO passages VALUES (?, ?, ?, ?)", (source, title, locator, text)).lastrowid
    words = map(_index_text, (title, locator, text))
    index.execute("INSERT INTO words (rowid, title, locator, text) VALUES (?, ?, ?, ?)", (place, *words))


def _index_text(text: str) -> str:
    """Return `text` as it is indexed: `ß` as `ss`, and each character of a script without spaces as a word."""
    return separate_characters(text.casefold())
