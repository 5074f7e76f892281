"""Finds the debates and documents for `debate judge`, and reads documents from files and standard input."""

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from debate_cli.errors import TranscriptError, UsageError
from debate_cli.regular_file import (
    follow_links,
    is_folder,
    is_inside,
    is_special_file,
    read_regular_file,
    shorten_path,
    visible_files,
)
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX, list_debate_files
from debate_cli.storage.transcript_store import expand_references
from debate_cli.systems.registry import text_system_options

STDIN = "-"
"""Argument of `debate judge` for standard input."""
STDIN_NAME = "stdin"
TRANSCRIPT_SUFFIXES = frozenset({TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX})
_DATA_SUFFIXES = TRANSCRIPT_SUFFIXES | {".yaml", ".yml"}
"""Suffixes of files that are skipped when a folder of documents is judged. YAML files are mostly configurations."""
MAX_TEXT_BYTES = 400_000
"""Maximum size in bytes of a document to judge, and of the file of `--context`."""
_PROBE_BYTES = 4096
_TRANSCRIPT_MARK, _GENERATOR_MARK = b'"schema_version"', b'"generator"'


class JudgeSource(NamedTuple):
    """A saved debate or a document to judge."""

    path: Path
    is_text: bool
    content: bytes | None = None
    """The document from standard input. None: the content is in the file `path`."""

    @property
    def name(self) -> str:
        """Name of the source in results: the path from the working folder or, for a file elsewhere, the file name."""
        if self.content is not None:
            return STDIN_NAME
        try:
            return self.path.absolute().relative_to(Path.cwd()).as_posix()
        except ValueError:
            return self.path.name

    def read_text(self) -> str:
        """Read the document. Raises TranscriptError if it is unreadable, too long or empty."""
        return read_text_file(self.path) if self.content is None else decode_text(STDIN_NAME, self.content)


def find_sources(
    references: Sequence[str],
    folders: Iterable[Path],
    *,
    judges_texts: bool,
    read_stdin: Callable[[int], bytes],
    not_judged: Iterable[Path] = (),
) -> tuple[list[JudgeSource], list[str]]:
    """Return two lists: the debates and documents in `references`, and a note for each folder with skipped files.

    - `references`: paths, ids of debates in `folders`, folders, globs, and `-` for standard input.
    - `judges_texts`: whether documents can be judged. If True, a folder without saved debates stands for all text files
      in it and below it. If False, `-` raises UsageError.
    - `read_stdin`: function that reads at most the given number of characters from standard input, and returns these
      characters as UTF-8 bytes.
    - `not_judged`: files to skip in folders.

    Raises UsageError, e.g. for a folder without usable files.
    """
    if not judges_texts and STDIN in references:
        raise UsageError(
            f"standard input is a document, and no chosen system judges documents; add {text_system_options()}"
        )
    folders_named = [Path(reference) for reference in references if judges_texts and is_folder(Path(reference))]
    text_folders = list(filter(_is_text_folder, folders_named))
    others = [reference for reference in references if reference != STDIN and Path(reference) not in text_folders]
    found = [
        JudgeSource(path, is_text=path.suffix not in TRANSCRIPT_SUFFIXES) for path in expand_references(others, folders)
    ]
    notes: list[str] = []
    excluded = frozenset(map(follow_links, not_judged))
    for folder in text_folders:
        texts, skipped = _list_texts(folder, excluded)
        found += [JudgeSource(path, is_text=True) for path in texts]
        if skipped:
            names = ", ".join(path.relative_to(folder).as_posix() for path in skipped)
            notes.append(
                f"{folder}: these files are not judged (empty or data files, links out of the folder, or files that other options name): {names}"
            )
    if STDIN in references:
        found.append(JudgeSource(Path(STDIN_NAME), is_text=True, content=read_stdin(MAX_TEXT_BYTES + 1)))
    return list(dict.fromkeys(found)), notes


def is_saved_debate(content: bytes) -> bool:
    """Return whether `content`, which may be the start of a file, looks like a transcript or a journal."""
    start = content[:_PROBE_BYTES]
    return start.lstrip()[:1] == b"{" and _TRANSCRIPT_MARK in start and _GENERATOR_MARK in start


def _is_text_folder(folder: Path) -> bool:
    """Return whether `folder` is a folder of documents to judge. A folder with saved debates is not.

    A folder with a name like `my-debate.json` must contain a text. If it contains none, the user probably wrote
    `*.json` to name transcripts, and the shell included the folder.
    """
    if any(_TRANSCRIPT_MARK in _read_start(file) for file in list_debate_files(folder)):
        return False
    return folder.suffix not in TRANSCRIPT_SUFFIXES or any(_is_text_in(path, folder) for path in visible_files(folder))


def _list_texts(folder: Path, excluded: Collection[Path]) -> tuple[list[Path], list[Path]]:
    """Return the documents in a folder and below it, and the skipped files, e.g. JSON and YAML files.

    A special file, e.g. a FIFO, counts as a document, so that reading it reports an error. Raises UsageError if there
    are no documents.
    """
    files = visible_files(folder)
    texts = [
        path
        for path in files
        if follow_links(path) not in excluded and (_is_text_in(path, folder) or is_special_file(path))
    ]
    if not texts:
        raise UsageError(f"{folder}: contains no transcripts and no text files; choose another folder, or a file")
    return texts, [path for path in files if path not in texts]


def read_text_file(path: Path) -> str:
    """Return the text of a file. Raises TranscriptError if it is unreadable, too long or empty."""
    try:
        data = read_regular_file(path, MAX_TEXT_BYTES)
    except OSError as error:
        raise TranscriptError(
            f"{shorten_path(path)}: cannot be read ({error.strerror}); choose a transcript or a text file"
        ) from error
    return decode_text(str(path), data)


def decode_text(name: str, data: bytes) -> str:
    """Return the text in `data`. Raises TranscriptError if it is not UTF-8, too long or empty. `name`: for the error message."""
    if len(data) > MAX_TEXT_BYTES:
        raise TranscriptError(f"{name}: larger than {MAX_TEXT_BYTES // 1000} kB; give a shorter text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TranscriptError(f"{name}: not valid UTF-8 text; choose a transcript or a text file") from error
    if not any(sign.isprintable() and not sign.isspace() for sign in text):
        raise TranscriptError(f"{name}: has no text to judge; write a text into it, or choose another file")
    return text


def _is_text_in(path: Path, folder: Path) -> bool:
    start = _read_start(path)
    is_text = bool(start.strip()) and b"\0" not in start
    return is_text and path.suffix.lower() not in _DATA_SUFFIXES and is_inside(path, [folder])


def _read_start(path: Path) -> bytes:
    try:
        return read_regular_file(path, _PROBE_BYTES)
    except OSError:
        return b""
