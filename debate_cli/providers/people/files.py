"""People and programs that answer through files: writes a prompt and waits for a reply file.

`DIR/DEBATE/003-pro-opening.prompt.md` is answered in `003-pro-opening.reply.md`. For an unusable reply,
`003-pro-opening.problem.md` says why. A later request for the same task is `003-pro-opening.2.prompt.md`. The number
counts the tasks of the folder. After a resume, a task keeps its files, so a reply that was written meanwhile is used.
"""

import asyncio
import os
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from debate_cli.domain.model_call import Usage
from debate_cli.domain.text_normalization import ascii_slug
from debate_cli.errors import PermanentError
from debate_cli.llm.model import Reply, Request
from debate_cli.llm.retry import ignore_note
from debate_cli.providers.people.prompt_page import find_prompt_hash, format_page
from debate_cli.providers.people.replies import ReadReply, read_reply
from debate_cli.regular_file import read_regular_file

PROMPT, REPLY, PROBLEM = ".prompt.md", ".reply.md", ".problem.md"
FILE_MODE, FOLDER_MODE = 0o600, 0o700
MAX_REPLY_BYTES = 1024 * 1024
MAX_SLUG_CHARS = 80
"""Maximum length of a part of a file name, as in ids of debates."""
FIRST_POLL_S, LAST_POLL_S = 0.1, 1.0
"""Seconds between two checks for a reply, growing from the first to the second value."""
POLL_GROWTH = 1.05
SETTLED_S = 2.0
"""Seconds without a change after which a reply is read. A reply that is renamed into place is read at once."""
Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class PromptPlace:
    """The files of one request."""

    folder: Path
    name: str
    """Beginning of its file names: `003-pro-opening`, or `003-pro-opening.2` for the second request of a task."""

    @property
    def prompt(self) -> Path:
        """Path of the prompt, which we write."""
        return self.folder / (self.name + PROMPT)

    @property
    def reply(self) -> Path:
        """Path of the reply, which a person or program writes."""
        return self.folder / (self.name + REPLY)

    @property
    def problem(self) -> Path:
        """Path of the file that says what is wrong with the reply."""
        return self.folder / (self.name + PROBLEM)


@dataclass(frozen=True, slots=True)
class _SeenReply:
    """A reply file that has been read."""

    stamp: tuple[int, ...]
    """File metadata that shows a change."""
    text: str
    problem: str | None = None
    """Why the file cannot be read as text."""


class PromptFolder:
    """Exchanges prompts and replies in `folder`. Calls `note` with the path of each reply that it waits for."""

    def __init__(
        self, folder: Path, note: Callable[[str], None] = ignore_note, *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._folder = folder
        self._note = note
        self._sleep = sleep
        self._names: dict[tuple[str, str], str] = {}
        """(Debate, key of a task) -> beginning of its file names."""
        self._requests: Counter[tuple[str, str]] = Counter()
        """(Debate, key of a task) -> number of requests so far."""

    async def answer(self, request: Request) -> Reply:
        """Write the prompt of `request` and wait for a usable reply. Raises PermanentError if the files cannot be written."""
        try:
            place, digest = self._write_prompt(request)
            self._note(f"waiting for {place.reply}")
            return await self._wait(request, place, digest)
        except OSError as error:
            raise PermanentError(
                f"{error.filename or self._folder}: cannot be used for prompts and replies ({error.strerror}); "
                "correct its permissions, or name another folder with --files"
            ) from error

    def _write_prompt(self, request: Request) -> tuple[PromptPlace, str]:
        """Write the prompt unless the same one exists. Returns its place and hash."""
        origin = request.origin
        folder = self._folder / (to_slug(origin.debate) if origin is not None else "other")
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        slug = to_slug(origin.name if origin is not None else request.purpose)
        key = (folder.name, origin.key if origin is not None else request.purpose)
        digest = find_prompt_hash(format_page(request, None)) or ""
        if key not in self._names:
            self._names[key] = self._choose_name(folder, slug, digest)
        self._requests[key] += 1
        again = f".{self._requests[key]}" if self._requests[key] > 1 else ""
        place = PromptPlace(folder, self._names[key] + again)
        if _hash_of_file(place.prompt) != digest:
            place.problem.unlink(missing_ok=True)
            with suppress(FileNotFoundError):  # it answers an earlier prompt
                place.reply.rename(place.reply.with_name(f"{place.name}.old-reply.md"))
            _write_file(place.prompt, format_page(request, place.reply.name))
        return place, digest

    def _choose_name(self, folder: Path, slug: str, digest: str) -> str:
        """Name of a task: that of an equal prompt of an earlier run.

        If there is none, that of an unanswered prompt; if there is none of these either, one with a new number.
        """
        pattern = re.compile(rf"(\d{{3,}})-([a-z0-9-]+){re.escape(PROMPT)}")
        numbered = sorted(
            (match for path in folder.iterdir() if (match := pattern.fullmatch(path.name))), key=lambda m: int(m[1])
        )
        taken = {name for (of, _), name in self._names.items() if of == folder.name}
        free = [name for m in numbered if m[2] == slug and (name := f"{m[1]}-{m[2]}") not in taken]
        same = next((name for name in free if _hash_of_file(folder / (name + PROMPT)) == digest), None)
        unanswered = next((name for name in free if not (folder / (name + REPLY)).exists()), None)
        last = max((int(match[1]) for match in numbered), default=0)
        return same or unanswered or f"{last + 1:03d}-{slug}"

    async def _wait(self, request: Request, place: PromptPlace, digest: str) -> Reply:
        pause, watch, rejected = FIRST_POLL_S, _ReplyWatch(place.reply), None
        while True:
            seen = watch.look()
            if seen is not None and seen.stamp != rejected:
                found = _read_reply_for(request, digest, seen)
                if found.is_usable:
                    place.problem.unlink(missing_ok=True)
                    return Reply(text=found.text, usage=Usage(), finish_reason="stop", is_final=found.is_final)
                rejected, pause = seen.stamp, FIRST_POLL_S
                listed = "\n".join(f"- {problem}" for problem in found.problems)
                advice = "Correct it and save it again under the same name."
                _write_file(place.problem, f"`{place.reply.name}` cannot be used:\n\n{listed}\n\n{advice}\n")
                self._note(f"{place.reply} cannot be used; {place.problem.name} says why")
            await self._sleep(pause)
            pause = min(LAST_POLL_S, pause * POLL_GROWTH)


class _ReplyWatch:
    """Checks a reply file until it is complete: renamed into place, or unchanged for SETTLED_S seconds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, ...] | None = None
        self._since = 0.0
        """When the present stamp was first seen, or the file's modification time if that is earlier."""

    def look(self) -> _SeenReply | None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        stamp = _to_stamp(found)
        if stamp != self._stamp:
            self._stamp, self._since = stamp, min(time.time(), found.st_mtime)
        is_renamed = found.st_ctime_ns > found.st_mtime_ns
        if not is_renamed and time.time() - self._since < SETTLED_S:
            return None
        seen = _read_file(self._path, stamp)
        with suppress(FileNotFoundError):
            return seen if _to_stamp(self._path.stat()) == stamp else None
        return None


def _to_stamp(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def _read_file(path: Path, stamp: tuple[int, ...]) -> _SeenReply:
    try:
        data = read_regular_file(path, MAX_REPLY_BYTES)
        if len(data) > MAX_REPLY_BYTES:
            return _SeenReply(stamp, "", f"the file is larger than {MAX_REPLY_BYTES // 1024} KiB")
        return _SeenReply(stamp, data.decode())
    except UnicodeDecodeError:
        return _SeenReply(stamp, "", "the file is not valid UTF-8; save it as UTF-8")
    except OSError as error:
        return _SeenReply(stamp, "", f"the file cannot be read ({error.strerror})")


def _read_reply_for(request: Request, digest: str, seen: _SeenReply) -> ReadReply:
    """The reply as an answer to the prompt with the hash `digest`."""
    if seen.problem is not None:
        return ReadReply("", (seen.problem,), is_usable=False)
    answered = find_prompt_hash(seen.text)
    if answered not in {None, digest}:
        return ReadReply("", (f"it answers another prompt ({answered}); read the prompt again",), is_usable=False)
    accepts_text = request.origin is not None and request.origin.accepts_text
    return read_reply(seen.text, request.form, accepts_text=accepts_text)


def _hash_of_file(path: Path) -> str | None:
    try:
        return find_prompt_hash(read_regular_file(path, MAX_REPLY_BYTES).decode("utf-8", "replace"))
    except OSError:
        return None


def _write_file(path: Path, text: str) -> None:
    """Write a file atomically. Replaces a link instead of following it."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, FILE_MODE)
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def to_slug(text: str) -> str:
    """`text` as a part of a file name: a-z, 0-9 and dashes."""
    return ascii_slug(text)[:MAX_SLUG_CHARS].strip("-") or "task"
