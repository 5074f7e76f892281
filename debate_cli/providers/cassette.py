"""Cassettes: a run's exchanges with models, recorded to a file and served back from it.

A cassette is JSON lines: a header, then one line per exchange, appended as exchanges end. What went wrong is recorded
like what went well. Secrets are redacted before anything is written, and the run that records hears the redacted answers
too, so that its replay asks the same questions. How an unknown request is explained is in `providers.cassette_search`.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from debate_cli import errors
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.errors import BudgetError, ConfigError, DebateError, ModelError, PermanentError, StorageError
from debate_cli.errors import TransientError as Transient
from debate_cli.llm.model import Message, Model, OnText, Reply, Request
from debate_cli.providers.mock.model import split_words

EXCERPT_CHARS = 40
"""Characters shown from the first difference on."""


def explain_missing_call(path: Path, model: str, request: Request, recorded: Mapping[int, tuple[str, Request]]) -> str:
    """One sentence; `recorded` holds model and request per line of the cassette."""
    what = f"{path} holds no answer to this request ({request.purpose}, {model})"
    same = {line: entry for line, entry in recorded.items() if entry[1].purpose == request.purpose}
    if not same:
        return f"{what}, nor to any other for that purpose: record it again with --record."
    line = max(same, key=lambda number: (_similarity(request, same[number][1]), same[number][0] == model, -number))
    differences = list(_find_differences(model, request, *same[line])) or ["nothing that is told here"]
    return f"{what}; compared with line {line}, {'; '.join(differences)}. Record it again with --record."


def _similarity(request: Request, other: Request) -> int:
    """Characters that the two have in common from the beginning of system and messages."""
    mine, theirs = _named_texts(request), _named_texts(other)
    return sum(_common_prefix_length(text, theirs.get(name, "")) for name, text in mine.items())


def _find_differences(model: str, request: Request, other_model: str, other: Request) -> Iterator[str]:
    if model != other_model:
        yield f"the model was {other_model} and is {model}"
    mine, theirs = _named_texts(request), _named_texts(other)
    for name in theirs | mine:
        if mine.get(name) != theirs.get(name):
            yield _format_difference(name, theirs.get(name), mine.get(name))
            break
    for name in ("temperature", "max_output_tokens", "seed", "rung"):
        was, now = getattr(other, name), getattr(request, name)
        if was != now:
            yield f"{name} was {was} and is {now}"


def _format_difference(name: str, was: str | None, now: str | None) -> str:
    """Texts are told from the first character that differs; what comes after a difference is not told."""
    if was is None or now is None:
        return f"{name} is {'new' if was is None else 'missing'}"
    start = _common_prefix_length(was, now)
    before, after = _excerpt(was, start), _excerpt(now, start)
    told = f"it was {before} and is {after}" if before != after else f"in what is not seen, before {after}"
    return f"{name} differs from character {start + 1} on: {told}"


def _excerpt(text: str, start: int) -> str:
    """The words from there on, on one line and without what is not seen: they may be anybody's."""
    rest = text[start : start + EXCERPT_CHARS]
    if not rest:
        return "at its end"
    seen = " ".join("".join(sign if sign.isprintable() else " " * sign.isspace() for sign in rest).split())
    return f"“{seen}{'…' if start + EXCERPT_CHARS < len(text) else ''}”" if seen else "a blank"


def _named_texts(request: Request) -> dict[str, str]:
    """The texts of a request by name, in the order in which they are sent."""
    messages = {
        f"message {number} ({message.role})": message.content
        for number, message in enumerate(request.messages, start=1)
    }
    schema = (
        {}
        if request.schema is None
        else {"the schema": json.dumps([request.schema.name, request.schema.json], sort_keys=True, ensure_ascii=False)}
    )
    return {"the system prompt": request.system, **messages, **schema}


def _common_prefix_length(one: str, other: str) -> int:
    """Length of the common beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


CASSETTE_VERSION = 1
CASSETTE_VERSION_KEY = "cassette_version"
CASSETTE_FILE_MODE = 0o600
PASSING_ERRORS = (Transient, BudgetError, StorageError)
"""Errors that say nothing about the request: replayed only where it never got an answer."""
RedactFunction = Callable[[str], str]


class RecordedError(FrozenModel):
    """An error that ended an exchange."""

    type: str
    """Name of the class in `debate_cli.errors`."""
    message: str
    attempts: int = 1
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = Field(default=False, exclude_if=lambda estimated: not estimated)

    def to_exception(self) -> DebateError:
        """The error again."""
        kind: Any = getattr(errors, self.type, None)
        known = isinstance(kind, type) and issubclass(kind, DebateError)
        error: DebateError = kind(self.message) if known else PermanentError(self.message)
        if isinstance(error, ModelError):
            error.attempts = self.attempts
            error.input_tokens, error.cached_tokens = self.input_tokens, self.cached_tokens
            error.output_tokens, error.estimated = self.output_tokens, self.estimated
        return error


class RecordedCall(FrozenModel):
    """One exchange: the request as it was sent, its nonce blanked, and either a reply or a fault."""

    fingerprint: str
    model: str
    """`provider/model`."""
    request: Request
    reply: Reply | None = None
    fault: RecordedError | None = None


RECORDED_CALL_ADAPTER: TypeAdapter[RecordedCall] = TypeAdapter(RecordedCall)


class CassetteRecorder:
    """Writes every exchange of the models that it is wrapped around to `path`.

    A cassette that is there already is continued, so a resumed run may go on recording; a line that a crash left torn is
    cut off. Raises ConfigError when `path` is no cassette, StorageError when it cannot be written.
    """

    serves = False

    def __init__(self, path: Path, redact: RedactFunction = str) -> None:
        self._path = path
        self._redact = redact
        try:
            self._open_file()
        except OSError as error:
            raise _make_unwritable_error(path, error) from error

    def wrap(self, name: str, model: Model) -> Model:
        """`model`, known as `name`, with its exchanges recorded."""
        return _RecordingModel(self, name, model)

    def record(self, name: str, request: Request, reply: Reply | None, fault: RecordedError | None) -> None:
        """Append one exchange; it is on its way to the disk when this returns."""
        known = canonicalize_request(request, self._redact)
        entry = RecordedCall(fingerprint=known.fingerprint(), model=name, request=known, reply=reply, fault=fault)
        line = json.dumps(RECORDED_CALL_ADAPTER.dump_python(entry, mode="json"), ensure_ascii=False)
        try:
            self._append(self._redact(line))
        except OSError as error:
            raise _make_unwritable_error(self._path, error) from error

    def redact_reply(self, reply: Reply) -> Reply:
        """`reply` as the cassette will tell it."""
        refusal = None if reply.refusal is None else self._redact(reply.refusal)
        return replace(reply, text=self._redact(reply.text), refusal=refusal)

    def _open_file(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        there = self._path.read_bytes() if self._path.exists() else b""
        whole = there[: there.rfind(b"\n") + 1]
        if whole:
            _check_header(self._path, whole.split(b"\n", 1)[0])
        elif there:
            raise _make_damaged_error(self._path, 1, "it does not begin as a cassette does")
        with self._path.open("ab") as file:
            os.fchmod(file.fileno(), CASSETTE_FILE_MODE)
            file.truncate(len(whole))
        if not whole:
            self._append(json.dumps({CASSETTE_VERSION_KEY: CASSETTE_VERSION}))

    def _append(self, line: str) -> None:
        opened = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, CASSETTE_FILE_MODE)
        with open(opened, "ab") as file:  # noqa: PTH123 - a descriptor, so that the mode holds from the first byte
            file.write(line.encode(errors="backslashreplace") + b"\n")


class _RecordingModel:
    def __init__(self, recorder: CassetteRecorder, name: str, model: Model) -> None:
        self._recorder = recorder
        self._name = name
        self._model = model

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer as the model does, after writing down what it answered."""
        try:
            reply = await self._model.complete(request, on_text)
        except DebateError as error:
            self._recorder.record(self._name, request, None, _to_recorded_error(error))
            raise
        reply = self._recorder.redact_reply(reply)
        self._recorder.record(self._name, request, reply, None)
        return reply


class CassettePlayer:
    """Serves the exchanges of a cassette; asks no model.

    A request made several times is answered as it was recorded, in that order, then with the last answer again. One that
    was never recorded is a PermanentError that says what differs from the nearest one that was. Raises ConfigError,
    naming file and line, for a file that is no cassette or is damaged.
    """

    serves = True

    def __init__(self, path: Path, redact: RedactFunction = str) -> None:
        self._path = path
        self._redact = redact
        self._lines = _load_calls(path)
        self._answers: dict[tuple[str, str], list[RecordedCall]] = {}
        for entry in self._lines.values():
            self._answers.setdefault((entry.model, entry.fingerprint), []).append(entry)
        self._served: Counter[tuple[str, str]] = Counter()

    def wrap(self, name: str, model: Model) -> Model:  # noqa: ARG002 - a recorder needs it
        """Whoever answers as `name`; the model itself is not asked."""
        return _ReplayingModel(self, name)

    def find_reply(self, name: str, request: Request) -> Reply:
        """What was recorded for `request`, or raise it."""
        known = canonicalize_request(request, self._redact)
        key = (name, known.fingerprint())
        answers = _drop_passing_errors(self._answers.get(key, []))
        if not answers:
            recorded = {line: (entry.model, entry.request) for line, entry in self._lines.items()}
            raise PermanentError(explain_missing_call(self._path, name, known, recorded))
        entry = answers[min(self._served[key], len(answers) - 1)]
        self._served[key] += 1
        if entry.reply is None:
            raise (
                entry.fault.to_exception()
                if entry.fault
                else PermanentError(f"{self._path} holds an exchange without an end.")
            )
        return entry.reply


class _ReplayingModel:
    def __init__(self, player: CassettePlayer, name: str) -> None:
        self._player = player
        self._name = name

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The recorded reply, told word by word."""
        reply = self._player.find_reply(self._name, request)
        for piece in split_words(reply.text) if on_text else ():
            on_text(piece)  # pyright: ignore[reportOptionalCall] - nothing is iterated without it
        return reply


def canonicalize_request(request: Request, redact: RedactFunction) -> Request:
    """`request` as a cassette knows it: without secrets, and with the nonce blanked. Doing so twice changes nothing."""

    def plain(text: str) -> str:
        return redact(text.replace(request.nonce, "NONCE") if request.nonce else text)

    return replace(
        request,
        system=plain(request.system),
        messages=tuple(Message(message.role, plain(message.content)) for message in request.messages),
        nonce="",
        stable_chars=0,
    )


def _to_recorded_error(error: DebateError) -> RecordedError:
    spent = error if isinstance(error, ModelError) else ModelError()
    return RecordedError(
        type=type(error).__name__,
        message=str(error),
        attempts=spent.attempts,
        input_tokens=spent.input_tokens,
        cached_tokens=spent.cached_tokens,
        output_tokens=spent.output_tokens,
        estimated=spent.estimated,
    )


def _drop_passing_errors(entries: list[RecordedCall]) -> list[RecordedCall]:
    """`entries` without faults that passed: where an answer came in the end, a replay need not fail first."""
    passing = {kind.__name__ for kind in _with_subclasses(PASSING_ERRORS)}
    kept = [entry for entry in entries if entry.fault is None or entry.fault.type not in passing]
    return kept or entries


def _with_subclasses(kinds: tuple[type[DebateError], ...]) -> set[type[DebateError]]:
    return {kind for parent in kinds for kind in (parent, *_with_subclasses(tuple(parent.__subclasses__())))}


def _load_calls(path: Path) -> dict[int, RecordedCall]:
    """The exchanges of a cassette by their line; the first line, 1, is the header."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{path}: the cassette cannot be read ({error.strerror}); name another, or record it with --record"
        ) from error
    lines = content.split(b"\n")
    if lines.pop():
        raise _make_damaged_error(path, len(lines) + 1, "the recording broke off there")
    _check_header(path, lines[0] if lines else b"")
    found: dict[int, RecordedCall] = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            found[number] = RECORDED_CALL_ADAPTER.validate_json(line)
        except ValidationError as error:
            what = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, what["loc"])) or "the line"
            raise _make_damaged_error(path, number, f"{where}: {what['msg']}") from error
    return found


def _check_header(path: Path, line: bytes) -> None:
    try:
        header: Any = json.loads(line)
        version: object = header[CASSETTE_VERSION_KEY]
    except (ValueError, TypeError, KeyError) as error:
        raise _make_damaged_error(path, 1, "it does not begin as a cassette does") from error
    if version != CASSETTE_VERSION:
        raise ConfigError(f"{path}: is a cassette of version {version}, this program reads version {CASSETTE_VERSION}.")


def _make_damaged_error(path: Path, line: int, why: str) -> ConfigError:
    return ConfigError(f"{path}, line {line}: the cassette cannot be used ({why}); record it again with --record.")


def _make_unwritable_error(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"{path}: the cassette cannot be written ({error.strerror}); free some space, or choose another file."
    )
