"""The files of one run: its journal and its transcript. Says which files a run may replace."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import ContextOverflowError, StorageError, TranscriptError, UsageError
from debate_cli.storage.atomic_write import friendly_os_errors
from debate_cli.storage.folder import JOURNAL_SUFFIX
from debate_cli.storage.journal import Journal
from debate_cli.storage.serialization import Redact
from debate_cli.storage.transcript import Transcript, write_transcript
from debate_cli.storage.transcript_store import is_transcript_of, open_debate


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of a debate that is being run or judged."""

    path: Path
    journal: Journal
    found: tuple[int, ...] | None
    """Identity of the file at `path` when the run began (see `file_identity`); None if there was no file."""
    force: bool = False
    """Whether to replace a file that another program has written to `path` since the run began."""
    unjudged: Debate | None = None
    """The debate before the judging. `need_writing` compares the judged debate with this debate, to find out whether
    `path` must be written. None: `path` is always written."""

    def write(self, transcript: Transcript, redact: Redact) -> None:
        """Write `transcript` to `path`.

        Raises StorageError if `path` cannot be written, or if another program has written it and `force` is False.
        """
        if not self.force and file_identity(self.path) not in {None, self.found}:
            raise StorageError(
                f"{self.path}: another program wrote this file during the run, so it was not replaced; move it away"
            )
        write_transcript(self.path, transcript, redact, overwrite=self.force or self.found is not None)

    def need_writing(self, debate: Debate, verdicts: Iterable[Verdict]) -> bool:
        """Return whether the judged `debate` must be written to `path`.

        True in each of these cases:

        - `self.unjudged` (the debate before the judging) is None.
        - A judge answered, or something was paid.
        - A new judging run has a verdict that is not `undetermined`.
        - A prompt was too long. This failure must be saved, because a resumed judging run shortens the prompt.
        """
        before = self.unjudged
        if before is None or debate.answered_keys != before.answered_keys or _paid(debate) != _paid(before):
            return True
        known = {run.id for run in before.runs}
        is_judged = any(item.run not in known and item.victory != "undetermined" for item in verdicts)
        new = [item for item in debate.failures if item not in before.failures]
        return is_judged or any(item.cause == ContextOverflowError.__name__ for item in new)


def _paid(debate: Debate) -> tuple[int, int, int]:
    usage = debate.usage
    return usage.input_tokens, usage.output_tokens, usage.searches


def refuse_foreign(path: Path, debate: Debate) -> None:
    """Raise UsageError if the file at `path` is not a readable transcript of `debate`. A missing file is accepted."""
    if not path.exists():
        return
    expected = f"the transcript of the debate in {path.with_suffix(JOURNAL_SUFFIX).name}"
    advice = "move it away, or overwrite it with --force"
    try:
        is_own = is_transcript_of(path, debate)
    except TranscriptError as error:
        raise UsageError(f"{path}: cannot be read as {expected}; {advice}") from error
    if not is_own:
        raise UsageError(f"{path}: is not {expected}; {advice}")


def refuse_changed(path: Path, read: Debate) -> None:
    """Raise UsageError if `path` or its journal no longer contains `read`, the debate that was read from it."""
    with friendly_os_errors(path, "read"):
        if not path.exists() and not path.with_suffix(JOURNAL_SUFFIX).exists():
            return
    stored = open_debate(path)
    there = stored.debate
    if stored.from_journal:
        refuse_foreign(path, there)
    if (there.id, there.started_at) != (read.id, read.started_at):
        raise UsageError(f"{path}: exists already; choose another --out or --id, or overwrite it with --force")
    if (there.id, there.answered_keys, there.runs) != (read.id, read.answered_keys, read.runs):
        raise UsageError(
            f"{path} was changed since it was read; judge it again, choose another --out, or overwrite it with --force"
        )


def file_identity(path: Path) -> tuple[int, ...] | None:
    """Return numbers that identify the present file at `path`: its inode, size and modification time.

    None if there is no file.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
