"""The texts that a panel judges: finds the files of `debate judge`, and reads files and standard input."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from debate_cli.errors import TranscriptError, UsageError
from debate_cli.regular_file import follow_links, is_inside, read_regular_file
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX, list_debate_files
from debate_cli.storage.transcript_store import expand_references

STDIN = "-"
"""The argument for standard input."""
STDIN_NAME = "stdin"
TRANSCRIPT_SUFFIXES = frozenset({TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX})
MAX_TEXT_BYTES = 400_000
"""Maximum size of a text for a panel, and of its context, in bytes."""
_PROBE_BYTES = 4096
_TRANSCRIPT_MARK = b'"schema_version"'
"""Key at the start of every transcript and journal."""


class JudgeSource(NamedTuple):
    """A saved debate or a text to judge."""

    path: Path
    is_text: bool
    content: bytes | None = None
    """The text from standard input; None for a file."""

    @property
    def name(self) -> str:
        """Name of the text in results: its path (for links) if it is in the working folder, else its file name."""
        if self.content is not None:
            return STDIN_NAME
        try:
            return self.path.absolute().relative_to(Path.cwd()).as_posix()
        except ValueError:
            return self.path.name

    def read_text(self) -> str:
        """Read the text. Raises TranscriptError if it is unreadable, too long or empty."""
        return read_text_file(self.path) if self.content is None else _decode(STDIN_NAME, self.content)


def find_sources(
    references: Sequence[str],
    folders: Iterable[Path],
    *,
    judges_texts: bool,
    read_stdin: Callable[[int], bytes],
    not_judged: Iterable[Path] = (),
) -> tuple[list[JudgeSource], list[str]]:
    """The debates and texts of `references`, each once, and a note for each folder of which files are skipped.

    `references`: paths, ids (searched in `folders`), folders, globs and `-` (standard input). With `judges_texts`, `-`
    is a text, and so is every text file in and below a folder without saved debates, except those in `not_judged`.
    `read_stdin`: reads at most the given number of bytes. Raises UsageError, TranscriptError.
    """
    if not judges_texts and STDIN in references:
        raise UsageError("-: standard input is a text, which only a panel judges; add --system panel")
    text_folders = [Path(reference) for reference in references if judges_texts and _is_text_folder(Path(reference))]
    others = [reference for reference in references if reference != STDIN and Path(reference) not in text_folders]
    found = [
        JudgeSource(path, is_text=path.suffix not in TRANSCRIPT_SUFFIXES) for path in expand_references(others, folders)
    ]
    notes: list[str] = []
    excluded = set(map(follow_links, not_judged))
    for folder in text_folders:
        texts, skipped = _texts_in(folder, excluded)
        if not texts:
            raise UsageError(f"{folder}: holds no transcripts and no text files; name a folder that does, or a file")
        found += [JudgeSource(path, is_text=True) for path in texts]
        if skipped:
            count = f"{len(skipped)} file{'' if len(skipped) == 1 else 's'}"
            kinds = "no text files, or are JSON, links out of the folder, the configuration or its context"
            notes.append(f"{folder}: {count} skipped, because they are {kinds}: {', '.join(skipped)}")
    if STDIN in references:
        found.append(JudgeSource(Path(STDIN_NAME), is_text=True, content=read_stdin(MAX_TEXT_BYTES + 1)))
    return list(dict.fromkeys(found)), notes


def read_text_file(path: Path) -> str:
    """The text of a file. Raises TranscriptError if it is unreadable, too long or empty."""
    try:
        data = read_regular_file(path, MAX_TEXT_BYTES)
    except OSError as error:
        raise TranscriptError(f"{path}: cannot be read ({error.strerror}); name a transcript or a text file") from error
    return _decode(str(path), data)


def _decode(name: str, data: bytes) -> str:
    if len(data) > MAX_TEXT_BYTES:
        raise TranscriptError(f"{name}: larger than {MAX_TEXT_BYTES // 1000} kB; give the panel a shorter text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TranscriptError(f"{name}: not valid UTF-8 text; name a transcript or a text file") from error
    if not any(sign.isprintable() and not sign.isspace() for sign in text):
        raise TranscriptError(f"{name}: has no text to judge; write something into it, or name another file")
    return text


def _is_text_folder(path: Path) -> bool:
    return path.is_dir() and not any(map(_may_be_debate, list_debate_files(path)))


def _may_be_debate(path: Path) -> bool:
    return _TRANSCRIPT_MARK in _read_start(path)


def _texts_in(folder: Path, excluded: Collection[Path]) -> tuple[list[Path], list[str]]:
    """The text files in and below `folder`, and the names of its other files; both sorted, without hidden files.

    Files in `excluded` are among the others, and so are links that leave the folder: their files must not reach a
    model.
    """
    texts: list[Path] = []
    others: list[str] = []
    for path in sorted(_visible_files(folder)):
        is_candidate = path.suffix not in TRANSCRIPT_SUFFIXES and follow_links(path) not in excluded
        if is_candidate and is_inside(path, [folder]) and _looks_like_text(path):
            texts.append(path)
        else:
            others.append(path.relative_to(folder).as_posix())
    return texts, others


def _visible_files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in names if not name.startswith("."))


def _looks_like_text(path: Path) -> bool:
    start = _read_start(path)
    try:
        text = start.decode("utf-8-sig")
    except UnicodeDecodeError as error:  # a character may be cut at the end
        text = start[: error.start].decode() if len(start) - error.start < 4 else ""  # noqa: PLR2004 - longest character
    return "\0" not in text and any(sign.isprintable() and not sign.isspace() for sign in text)


def _read_start(path: Path) -> bytes:
    try:
        return read_regular_file(path, _PROBE_BYTES)[:_PROBE_BYTES]
    except OSError:
        return b""
