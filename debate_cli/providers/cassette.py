"""Cassettes: files of JSON lines that record the model calls of a run, for a later replay.

The first line is a header, and each later line is a call. Secrets are redacted.
"""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from operator import not_
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Self

import jiter
from pydantic import Field, ValidationError, model_validator

from debate_cli import errors
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.model_call import Count, Usage
from debate_cli.domain.text_normalization import common_prefix_length
from debate_cli.errors import (
    BudgetError,
    CallError,
    ConfigError,
    DebateError,
    ModelError,
    PermanentError,
    StorageError,
    TransientError,
    UnrecordedCallError,
    UsageError,
)
from debate_cli.llm.model import Message, Model, OnText, Reply, Request
from debate_cli.llm.redaction import REDACTED
from debate_cli.llm.usage import error_usage
from debate_cli.providers.mock.model import split_words
from debate_cli.regular_file import make_private_folder, read_regular_file

CASSETTE_VERSION = 1
MAX_RECORDED_ATTEMPTS = 1_000_000
CASSETTE_VERSION_KEY = "cassette_version"
CASSETTE_HEADER = json.dumps({CASSETTE_VERSION_KEY: CASSETTE_VERSION}).encode() + b"\n"
"""The first line of the file."""
MAX_CASSETTE_BYTES = 256 * 1024 * 1024
CASSETTE_FILE_MODE = 0o600
TRANSIENT_ERRORS = (TransientError, BudgetError, StorageError)
"""Errors after which the same request may succeed. A replay raises such an error only if the request has no other
recorded result."""
RedactFunction = Callable[[str], str]


class RecordedError(FrozenModel):
    """The error that ended a recorded call."""

    type: str
    """Name of the error's class, which is in `debate_cli.errors`."""
    message: str
    attempts: Count = 1
    latency_s: float = Field(default=0.0, exclude_if=not_)
    input_tokens: Count = 0
    cached_tokens: Count = 0
    output_tokens: Count = 0
    cache_written_tokens: Count = Field(default=0, exclude_if=not_)
    searches: Count = Field(default=0, exclude_if=not_)
    estimated: bool = Field(default=False, exclude_if=not_)

    def to_exception(self) -> DebateError:
        """Return the recorded error as an exception."""
        kind: Any = getattr(errors, self.type, None)
        known = isinstance(kind, type) and issubclass(kind, CallError | UsageError)
        error: DebateError = kind(self.message) if known else PermanentError(self.message)
        if isinstance(error, ModelError):
            error.attempts, error.latency_s = self.attempts, self.latency_s
            error.usage = Usage.model_validate(self.model_dump(include={*Usage.model_fields}))
        return error


class RecordedCall(FrozenModel):
    """A recorded call: a request, and its reply or error."""

    fingerprint: str
    model: str
    """The model as `provider/model`."""
    request: Request
    reply: Reply | None = None
    fault: RecordedError | None = None

    @model_validator(mode="after")
    def _check_reply(self) -> Self:
        if self.reply is not None and not (
            self.reply.latency_s >= 0 and 1 <= self.reply.attempts <= MAX_RECORDED_ATTEMPTS
        ):
            msg = "latency_s or attempts is out of range"
            raise ValueError(msg)
        return self

    @property
    def is_transient(self) -> bool:
        """Whether the call ended with one of TRANSIENT_ERRORS."""
        return self.fault is not None and isinstance(self.fault.to_exception(), TRANSIENT_ERRORS)


class CassetteRecorder:
    """Appends the calls of the wrapped models to the cassette `path`. Other processes may record there too.

    The first call creates the file. Raises ConfigError if the file at `path` is not a cassette, and StorageError if the
    file cannot be written.
    """

    is_replay = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self.failure: StorageError | None = None
        """The error that ended the recording; None if no error occurred."""
        try:
            self._check_file()
        except OSError as error:
            raise _make_unwritable_error(path, error) from error

    def wrap(self, name: str, model: Model, redact: RedactFunction) -> Model:
        """Return a model that answers as `model` does. Each call is recorded under `name`, with secrets redacted.

        If a reply cannot be recorded, it is still returned, and `failure` is set. Each later call then raises `failure`
        and asks no model.
        """
        return _RecordingModel(self, name, model, redact)

    def write(self, line: str) -> None:
        """Append `line`, a call as JSON, to the file. If this fails, set `failure`, and write no further lines."""
        if self.failure is not None:
            return
        try:
            self._append(line)
        except OSError as error:
            self.failure = _make_unwritable_error(self._path, error)

    def _check_file(self) -> None:
        """Raise an error if no calls can be appended to the file. Cut off an incomplete last line; create no file."""
        make_private_folder(self._path.parent)
        if not os.path.lexists(self._path):
            with TemporaryFile(dir=self._path.parent) as file:
                file.write(CASSETTE_HEADER)
            return
        with self._open_to_append() as file:
            content = _read_cassette(self._path)
            whole = content[: content.rfind(b"\n") + 1]
            if whole:
                _check_header(self._path, whole.split(b"\n", 1)[0])
            elif content:
                raise _make_damaged_error(self._path, 1, "the first line is not the header of a cassette")
            file.truncate(len(whole))

    def _append(self, line: str) -> None:
        with self._open_to_append() as file:
            if not os.fstat(file.fileno()).st_size:
                file.write(CASSETTE_HEADER)
            file.write(line.encode(errors="backslashreplace") + b"\n")

    @contextmanager
    def _open_to_append(self) -> Generator[BinaryIO]:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(self._path, flags, CASSETTE_FILE_MODE), "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # another process may record in the same file
            yield file


class _RecordingModel:
    def __init__(self, recorder: CassetteRecorder, name: str, model: Model, redact: RedactFunction) -> None:
        self._recorder = recorder
        self._name = name
        self._model = model
        self._redact = redact

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        if self._recorder.failure is not None:
            raise self._recorder.failure
        try:
            reply = await self._model.complete(request, on_text)
        except DebateError as error:
            spent = error if isinstance(error, ModelError) else ModelError()
            used = error_usage(spent).model_dump()
            fault = RecordedError(
                type=type(error).__name__,
                message=str(error),
                attempts=spent.attempts,
                latency_s=spent.latency_s,
                **used,
            )
            self._record(request, None, fault)
            raise
        self._record(request, reply, None)
        return reply

    def _record(self, request: Request, reply: Reply | None, fault: RecordedError | None) -> None:
        known = canonicalize_request(request, self._redact)
        entry = RecordedCall(fingerprint=known.fingerprint(), model=self._name, request=known, reply=reply, fault=fault)
        line = json.dumps(entry.model_dump(mode="json"), ensure_ascii=False)
        self._recorder.write(self._redact(line))


class CassettePlayer:
    """Answers requests with the recorded calls of a cassette.

    If a request was recorded several times, its replies are returned in order, and then the last reply again and again.

    Raises ConfigError if the file is damaged or not a cassette.
    """

    is_replay = True
    failure = None

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = _load_calls(path)
        self._answers: dict[tuple[str, str], list[RecordedCall]] = {}
        for entry in self._lines.values():
            self._answers.setdefault((entry.model, entry.fingerprint), []).append(entry)
        self._served: Counter[tuple[str, str]] = Counter()

    def wrap(self, name: str, model: Model, redact: RedactFunction) -> Model:
        """Return a model that replays the calls recorded under `name`. `redact` removes secrets from requests."""
        return _ReplayingModel(self, name, redact)

    def find_reply(self, name: str, canonical: Request) -> Reply:
        """Return the recorded reply of the model `name` to a request, or raise the recorded error.

        `canonical` is the result of `canonicalize_request`. Raises UnrecordedCallError if the request was not
        recorded.
        """
        key = (name, canonical.fingerprint())
        recorded_calls = self._answers.get(key, [])
        answers = [call for call in recorded_calls if not call.is_transient] or recorded_calls
        if not answers:
            raise UnrecordedCallError(_explain_missing_call(self._path, name, canonical, self._lines))
        entry = answers[min(self._served[key], len(answers) - 1)]
        self._served[key] += 1
        if entry.reply is not None:
            return entry.reply
        if entry.fault is not None:
            raise entry.fault.to_exception()
        raise PermanentError(
            f"{self._path} has a call with neither a reply nor an error; record the cassette again with --record"
        )


class _ReplayingModel:
    def __init__(self, player: CassettePlayer, name: str, redact: RedactFunction) -> None:
        self._player = player
        self._name = name
        self._redact = redact

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        reply = self._player.find_reply(self._name, canonicalize_request(request, self._redact))
        if on_text is not None:
            for piece in split_words(reply.text):
                on_text(piece)
        return reply


def canonicalize_request(request: Request, redact: RedactFunction) -> Request:
    """Return `request` as a cassette stores it: without secrets, and with `NONCE` in place of `request.nonce`."""
    masked = request.without_nonce()
    return replace(
        masked,
        system=redact(masked.system),
        messages=tuple(Message(message.role, redact(message.content)) for message in masked.messages),
        stable_chars=0,
    )


def _read_cassette(path: Path) -> bytes:
    content = read_regular_file(path, MAX_CASSETTE_BYTES)
    if len(content) > MAX_CASSETTE_BYTES:
        raise ConfigError(
            f"{path}: is larger than {MAX_CASSETTE_BYTES // 1024**2} MiB, so it is not a cassette; choose another file"
        )
    return content


def _load_calls(path: Path) -> dict[int, RecordedCall]:
    try:
        content = _read_cassette(path)
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot read the cassette ({error.strerror}); correct the path, or record one with --record"
        ) from error
    lines = content.split(b"\n")
    if lines.pop():
        raise _make_damaged_error(path, len(lines) + 1, "the line is incomplete")
    _check_header(path, lines[0] if lines else b"")
    found: dict[int, RecordedCall] = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            found[number] = RecordedCall.model_validate_json(line)
            jiter.from_json(line, catch_duplicate_keys=True)
        except ValueError as error:
            why = str(error)
            if isinstance(error, ValidationError):
                fault = error.errors(include_url=False, include_input=False)[0]
                why = f"{'.'.join(map(str, fault['loc'])) or 'the line'}: {fault['msg']}"
            raise _make_damaged_error(path, number, why) from error
    return found


def _check_header(path: Path, line: bytes) -> None:
    try:
        header: Any = jiter.from_json(line, catch_duplicate_keys=True)
        version: object = header[CASSETTE_VERSION_KEY]
    except (ValueError, TypeError, KeyError) as error:
        raise _make_damaged_error(path, 1, "the first line is not the header of a cassette") from error
    if version != CASSETTE_VERSION:
        raise ConfigError(
            f"{path}: the cassette has version {version}, but this program reads version {CASSETTE_VERSION}; record the cassette again with --record"
        )


def _make_damaged_error(path: Path, line: int, why: str) -> ConfigError:
    return ConfigError(f"{path}, line {line}: the cassette cannot be used ({why}); record it again with --record")


def _make_unwritable_error(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"{path}: cannot write the cassette ({error.strerror}); choose a file in a writable folder with free space"
    )


# Explanation of a request that was not recorded --------------------------------------------------------------------

EXCERPT_CHARS = 40


def _explain_missing_call(path: Path, model: str, request: Request, recorded: Mapping[int, RecordedCall]) -> str:
    what = f"{path} has no recorded reply to this request ({request.purpose}, {model})"
    parts = {
        line: _compared_parts(call.model, call.request)
        for line, call in recorded.items()
        if call.request.purpose == request.purpose
    }
    if not parts:
        return f"{what}, nor any reply for that purpose; record the cassette again with --record"
    mine = _compared_parts(model, request)

    def count_common(line: int) -> int:
        return sum(common_prefix_length(value, parts[line].get(name, "")) for name, value in mine.items())

    line = max(parts, key=lambda number: (count_common(number), -number))
    theirs = parts[line]
    changed = (name for name in theirs | mine if theirs.get(name) != mine.get(name))
    name = next(changed, None)
    shown = "no visible difference" if name is None else _compare(name, theirs.get(name), mine.get(name))
    if name == "seed" and request.purpose.startswith("judge"):
        shown += " (the seed depends on the debate's earlier judging runs; replay with the debate as it was before the recording)"
    return f"{what}; compared with line {line}: {shown}; record the cassette again with --record"


def _compare(name: str, was: str | None, now: str | None) -> str:
    if was is None or now is None:
        return f"{name} is {'new' if was is None else 'missing'}"
    start = common_prefix_length(was, now)
    if was.count(REDACTED) != now.count(REDACTED):  # perhaps a secret whose variable was or is not set
        return (
            f"{name} differs from character {start + 1} on; the difference is not shown, because it may contain a secret "
            "(to see it with hidden secrets, set the API keys that were set for the recording)"
        )
    if len(was) + len(now) <= EXCERPT_CHARS:
        return f"{name} was {was!r} and is {now!r}"
    before, after = (repr(text[start : start + EXCERPT_CHARS]) for text in (was, now))
    return f"from character {start + 1} on, {name} was {before} and is {after}"


def _compared_parts(model: str, request: Request) -> dict[str, str]:
    messages = {f"message {number} ({each.role})": each.content for number, each in enumerate(request.messages, 1)}
    schema = request.schema
    schemas = {} if schema is None else {"the schema": json.dumps([schema.name, schema.json], sort_keys=True)}
    settings = {
        "the model": model,
        "temperature": request.temperature,
        "max_output_tokens": request.max_output_tokens,
        "seed": request.seed,
        "structured-output mode": request.rung,
    }
    return {"the system prompt": request.system, **messages, **schemas} | {
        name: str(value) for name, value in settings.items()
    }
