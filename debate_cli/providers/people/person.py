"""People as a `Model`, at the terminal or through files. No price, retry or rate limit applies to people.

The reply to `DIR/DEBATE/003-pro-opening.prompt.md` is `003-pro-opening.reply.md` in the same folder. If the reply
cannot be used, `003-pro-opening.problem.md` says why. The second prompt for a task is `003-pro-opening.2.prompt.md`.
"""

import asyncio
import os
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.model_call import Usage
from debate_cli.domain.text_normalization import ascii_slug
from debate_cli.errors import ConfigError, PermanentError
from debate_cli.llm.meter import pause_deadline
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.retry import ignore_note
from debate_cli.providers.people.prompt_page import find_prompt_hash, format_page
from debate_cli.providers.people.replies import PersonAnswer, read_reply
from debate_cli.regular_file import follow_links, is_inside, make_private_folder, read_regular_file

FILES_FOLDER = "files"
"""Name of the default folder for prompts and replies, inside the folder of transcripts."""
PROMPT, REPLY, PROBLEM = ".prompt.md", ".reply.md", ".problem.md"
FILE_MODE = 0o600
MAX_REPLY_BYTES = 1024 * 1024
MAX_SLUG_CHARS = 80
FIRST_POLL_S, LAST_POLL_S = 0.1, 1.0
"""The first pause and the longest pause between two checks for a reply, in seconds."""
POLL_GROWTH = 1.05
SETTLED_S = 2.0
"""Number of seconds without a change after which a reply file is complete."""
Sleep = Callable[[float], Awaitable[object]]


class PersonModel:
    """Asks a person by calling `ask`. The reply's latency is the time that the person takes."""

    def __init__(self, ask: Callable[[Request], Awaitable[Reply]]) -> None:
        self._ask = ask

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Return the person's answer."""
        began = time.monotonic()
        with pause_deadline():
            reply = await self._ask(request)
        return replace(reply, latency_s=round(reply.latency_s or time.monotonic() - began, 3))


# Files ---------------------------------------------------------------------------------------------------------------


class PromptFolder:
    """Exchanges prompts and replies in `folder`. `note` shows the user the path of each awaited reply.

    A reply that is a link out of `folder` is not read, because other people may write into a shared folder.
    """

    def __init__(
        self, folder: Path, note: Callable[[str], None] = ignore_note, *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._folder = folder
        self._note = note
        self._sleep = sleep
        self._file_names: dict[tuple[str, str], str] = {}
        self._request_counts: Counter[tuple[str, str]] = Counter()

    async def answer(self, request: Request) -> Reply:
        """Write the prompt of `request`, and wait for a usable reply. Raises PermanentError if file access fails."""
        try:
            task, digest = self._write_prompt(request)
            self._note(f"waiting for {_add_suffix(task, REPLY)}")
            return await self._wait(request, task, digest)
        except OSError as error:
            raise PermanentError(
                f"{error.filename or self._folder}: cannot be used for prompts and replies ({error.strerror}); "
                "correct its permissions, or choose another folder with --files"
            ) from error

    def _write_prompt(self, request: Request) -> tuple[Path, str]:
        origin = request.origin
        folder = self._folder / (to_slug(origin.debate) if origin is not None else "other")
        make_private_folder(folder)
        slug = to_slug(origin.name if origin is not None else request.purpose)
        key = (folder.name, origin.key if origin is not None else request.purpose)
        digest = find_prompt_hash(format_page(request, None)) or ""
        if key not in self._file_names:
            self._file_names[key] = self._choose_name(folder, slug, digest)
        self._request_counts[key] += 1
        again = f".{self._request_counts[key]}" if self._request_counts[key] > 1 else ""
        task = folder / (self._file_names[key] + again)
        prompt, reply = _add_suffix(task, PROMPT), _add_suffix(task, REPLY)
        if _hash_of_file(prompt) != digest:
            _add_suffix(task, PROBLEM).unlink(missing_ok=True)
            with suppress(FileNotFoundError):  # it answers an earlier prompt
                reply.rename(_add_suffix(task, ".old-reply.md"))
            _write_file(prompt, format_page(request, reply.name))
        return task, digest

    def _choose_name(self, folder: Path, slug: str, digest: str) -> str:
        pattern = re.compile(rf"(\d{{3,}})-([a-z0-9-]+){re.escape(PROMPT)}")
        numbered = sorted(
            (match for path in folder.iterdir() if (match := pattern.fullmatch(path.name))), key=lambda m: int(m[1])
        )
        taken = {name for (of, _), name in self._file_names.items() if of == folder.name}
        free = [name for m in numbered if m[2] == slug and (name := f"{m[1]}-{m[2]}") not in taken]
        same = next((name for name in free if _hash_of_file(folder / (name + PROMPT)) == digest), None)
        unanswered = next((name for name in free if not (folder / (name + REPLY)).exists()), None)
        last = max((int(match[1]) for match in numbered), default=0)
        return same or unanswered or f"{last + 1:03d}-{slug}"

    async def _wait(self, request: Request, task: Path, digest: str) -> Reply:
        reply, problem = _add_suffix(task, REPLY), _add_suffix(task, PROBLEM)
        pause, unusable, last, since = FIRST_POLL_S, None, None, time.time()
        while True:
            stamp = self._read_stamp(reply)
            if stamp != last:
                last, since = stamp, time.time()
            if stamp is not None and stamp != unusable and _is_complete(stamp, since):
                found = self._read_reply(reply, request, digest)
                if self._read_stamp(reply) == stamp and found.is_usable:
                    problem.unlink(missing_ok=True)
                    if found.problems:
                        self._note(f"{reply} is used in spite of its faults: {'; '.join(found.problems)}")
                    return Reply(text=found.text, usage=Usage(), finish_reason="stop", is_final=found.is_final)
                if self._read_stamp(reply) == stamp:
                    pause, unusable = FIRST_POLL_S, stamp
                    listed = "\n".join(f"- {fault}" for fault in found.problems)
                    advice = "Correct it and save it again under the same name."
                    _write_file(problem, f"`{reply.name}` cannot be used:\n\n{listed}\n\n{advice}\n")
                    self._note(f"{reply} cannot be used; {problem.name} says why")
            await self._sleep(pause)
            pause = min(LAST_POLL_S, pause * POLL_GROWTH)

    def _read_stamp(self, path: Path) -> tuple[int, ...] | None:
        try:
            found = path.stat(follow_symlinks=self._contains(path))
        except FileNotFoundError:
            return None
        except OSError:  # e.g. a link to itself
            found = path.lstat()
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino

    def _read_reply(self, path: Path, request: Request, digest: str) -> PersonAnswer:
        if self._contains(path):
            return _read_reply_file(follow_links(path), request, digest)
        problem = "it is a link that leads out of the folder for replies; put the reply itself into this folder"
        return PersonAnswer("", (problem,), is_usable=False)

    def _contains(self, path: Path) -> bool:
        return is_inside(path, (self._folder,))


def _is_complete(stamp: tuple[int, ...], since: float) -> bool:
    """Return whether a reply file is complete: it was renamed after its last change, or it is unchanged for SETTLED_S seconds.

    `stamp`: the result of `PromptFolder._read_stamp` for the file. `since`: when this stamp was first seen, in seconds
    since 1970.

    A file was renamed if its change time is later than its modification time.
    """
    modified_ns, changed_ns, *_ = stamp
    return changed_ns > modified_ns or time.time() - min(since, modified_ns / 1e9) >= SETTLED_S


def _read_reply_file(path: Path, request: Request, digest: str) -> PersonAnswer:
    text, problem = "", None
    try:
        data = read_regular_file(path, MAX_REPLY_BYTES)
        if len(data) > MAX_REPLY_BYTES:
            problem = f"the file is larger than {MAX_REPLY_BYTES // 1024} KiB"
        else:
            text = data.decode()
    except UnicodeDecodeError:
        problem = "the file is not valid UTF-8; save it as UTF-8"
    except OSError as error:
        problem = f"the file cannot be read ({error.strerror})"
    answered = find_prompt_hash(text)
    if problem is None and answered not in {None, digest}:
        problem = f"it answers another prompt ({answered}); read the prompt again"
    if problem is not None:
        return PersonAnswer("", (problem,), is_usable=False)
    accepts_text = request.origin is not None and request.origin.accepts_text
    return read_reply(text, request.form, accepts_text=accepts_text)


def _add_suffix(task: Path, suffix: str) -> Path:
    return task.with_name(task.name + suffix)


def _hash_of_file(path: Path) -> str | None:
    try:
        return find_prompt_hash(read_regular_file(path, MAX_REPLY_BYTES).decode("utf-8", "replace"))
    except OSError:
        return None


def _write_file(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    opened = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, FILE_MODE)
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def to_slug(text: str) -> str:
    """Convert `text` to a part of a file name with only a-z, 0-9 and dashes."""
    return ascii_slug(text)[:MAX_SLUG_CHARS].strip("-") or "task"


# Access of a run -----------------------------------------------------------------------------------------------------

AskAtTerminal = Callable[[Request, float | None], Awaitable[Reply]]
"""Function that asks a person at the terminal. Arguments: the request, and the time limit in seconds or None."""


@dataclass(frozen=True, slots=True)
class PeopleAccess:
    """Functions that ask the people of a debate, at the terminal and through files."""

    files: PromptFolder
    """Exchanges prompts and replies as files, for the provider `files`."""
    human: AskAtTerminal | None = None
    """Asks with a form at the terminal. None if there is no terminal."""
    paste: AskAtTerminal | None = None
    """Shows a prompt at the terminal and reads the pasted answer. None if there is no terminal."""


def default_files_folder(config: DebateConfig) -> Path:
    """Return the default folder for prompts and replies: `files` in the folder of transcripts."""
    return Path(config.output.dir) / FILES_FOLDER


def make_person(provider: str, people: PeopleAccess, time_limit_s: float | None = None) -> Model:
    """Return a model whose answers a person writes. `provider`: `human`, `paste` or `files`.

    Raises ConfigError if `provider` needs a terminal and there is none.
    """
    if provider == "files":
        return PersonModel(people.files.answer)
    terminal = people.human if provider == "human" else people.paste
    if terminal is None:
        raise ConfigError(describe_missing_terminal(provider))
    return PersonModel(lambda request: terminal(request, time_limit_s))


def describe_missing_terminal(provider: str) -> str:
    """Return the error message for a missing terminal. `provider`: the provider or model that needs it, e.g. `human`."""
    other = (
        "with `model: paste/NAME`, a person pastes an answer at a terminal"
        if provider.partition("/")[0] == "human"
        else "with `model: human`, a person fills in a form at a terminal"
    )
    return (
        f"{provider}: needs a terminal for input and output; run the command at a terminal, or use `files/NAME`, "
        f"which exchanges prompts and replies as files ({other})"
    )
