"""All errors of debate-cli in one tree. Each class has an exit code and, where one exists, a help page.

    DebateError             base class
    ├── StorageError        files and folders
    ├── LeaseLostError      an experiment with several workers
    ├── UsageError          the command line, configurations (ConfigError), saved debates (TranscriptError)
    ├── CallError           a question to a model ended without an answer
    │   ├── ModelError      TransientError: a retry may succeed; PermanentError: it cannot
    │   └── BudgetError     the budget does not allow the call
    └── BatchPendingError   a batch is in progress

`ExitCode` lists all exit codes; some, such as 5 (a gate was not met), belong to no error.

Every message is one sentence: what happened, where, what to do. The help pages are docs/errors/PAGE.md; `debate explain
PAGE` shows them.
"""

import sys
from collections.abc import Sequence
from enum import IntEnum
from typing import ClassVar, Self


class ExitCode(IntEnum):
    """Exit codes of the command `debate`, with their meanings for help texts."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        """Create the exit code with its number and meaning."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    DONE = 0, "done"
    FAILED = 1, "failed"
    WRONG_INPUT = 2, "wrong input"
    PROVIDER_FAILED = 3, "a provider failed"
    BUDGET_REACHED = 4, "budget reached"
    GATE_NOT_MET = 5, "a gate was not met"
    BATCH_PENDING = 6, "a batch is in progress"
    INTERRUPTED = 130, "interrupted"
    CLOSED_PIPE = 141, "output pipe closed"


class DebateError(Exception):
    """Base class of the errors of this program. `exit_code`: exit code of the process."""

    exit_code: ClassVar[ExitCode] = ExitCode.FAILED
    page: ClassVar[str] = ""
    """Name of the help page; empty if there is none."""

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems, one line each. By default the only problem is the message."""
        return (str(self),)


class StorageError(DebateError):
    """A file or folder could not be read, written or locked."""


class UnsavedError(StorageError):
    """A debate could not be saved. `transcript`: the debate as JSON, which the command line prints."""

    def __init__(self, message: str, transcript: str) -> None:
        super().__init__(message)
        self.transcript = transcript


class LeaseLostError(DebateError):
    """A worker may no longer write a debate of an experiment.

    Another worker has taken over the debate, or the queue cannot be reached.
    """


class UsageError(DebateError):
    """The command line cannot be executed as given."""

    exit_code: ClassVar[ExitCode] = ExitCode.WRONG_INPUT


class ConfigError(UsageError):
    """A configuration, or an argument of a Python function, is wrong. `problems`: one line per problem."""

    page: ClassVar[str] = "bad-config"

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self._problems = problems

    @property
    def problems(self) -> tuple[str, ...]:
        """One line per problem."""
        return self._problems


class MissingKeyError(ConfigError):
    """An API key's environment variable is not set; the message names variable and provider."""

    page: ClassVar[str] = "missing-key"


class NoLocalModelError(ConfigError):
    """An embedded model cannot run: its name is wrong, or its file, its SHA-256 or an extra is missing."""

    page: ClassVar[str] = "local-model"


class UntrustedHostError(ConfigError):
    """A file names a host that the user has not allowed. The message names the file, the provider and the host."""

    page: ClassVar[str] = "untrusted-host"


class MissingExtraError(UsageError):
    """Packages of an extra are not installed. The message names them, and the command that installs them."""


class TranscriptError(UsageError):
    """A transcript or journal cannot be used; the message names the file and, where known, the line."""


class NewerVersionError(TranscriptError):
    """A transcript or journal was written by a newer version of this program."""

    page: ClassVar[str] = "newer-transcript"


class CallError(DebateError):
    """A question to a model ended without an answer.

    `attempts`: number of requests sent for the question. `usage`: the `domain.model_call.Usage` of these requests; None
    if unknown. `latency_s`: seconds that the provider took for these requests.
    """

    attempts: int = 0
    usage: object = None
    latency_s: float = 0.0


class ModelError(CallError):
    """A provider did not give an answer."""

    exit_code: ClassVar[ExitCode] = ExitCode.PROVIDER_FAILED
    attempts: int = 1
    """Number of requests sent for the question."""
    may_be_billed: bool = False
    """Whether the provider may charge for the last request, whose answer is missing or incomplete."""


class TransientError(ModelError):
    """A retry may succeed. `is_final`: True if the program makes no further attempt.

    `retry_after`: number of seconds that the server asks to wait; None if the server names no time.
    """

    is_final: bool = False

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnreachableError(TransientError):
    """No connection to the server, or a broken connection."""

    page: ClassVar[str] = "server-down"
    may_be_billed = True


class ModelTimeoutError(TransientError):
    """No answer within the time allowed."""

    page: ClassVar[str] = "server-down"
    may_be_billed = True


class RateLimitedError(TransientError):
    """The server answered with status 429, or reports an overload."""

    page: ClassVar[str] = "rate-limited"


class ServerError(TransientError):
    """The server answered with status 408, 409 or 5xx, or sent an error event in a stream."""

    page: ClassVar[str] = "server-down"


class TruncatedError(TransientError):
    """A stream ended before the model had finished."""

    may_be_billed = True


class BrokenBodyError(TransientError):
    """The server answered with status 200 and a body that does not follow its protocol."""

    page: ClassVar[str] = "broken-answer"
    may_be_billed = True


class PermanentError(ModelError):
    """A retry cannot succeed."""


class RejectedError(PermanentError):
    """The server refuses the request itself (status 400)."""


class UnsupportedError(PermanentError):
    """The server refuses this mode of structured output, e.g. `native`. The next mode, e.g. `tool`, may work."""


class ParameterError(PermanentError):
    """The server refuses `parameter`, a parameter such as `temperature`; a call without it may work."""

    def __init__(self, message: str, *, parameter: str = "temperature") -> None:
        super().__init__(message)
        self.parameter = parameter


class UnauthorizedError(PermanentError):
    """The server does not accept the key (status 401 or 403)."""

    page: ClassVar[str] = "key-refused"


class UnknownModelError(PermanentError):
    """The server has no such model or path (status 404)."""

    page: ClassVar[str] = "unknown-model"


class LostBatchError(PermanentError):
    """The provider no longer has a batch or its results, or the results cannot be read."""


class ContextOverflowError(PermanentError):
    """The prompt does not fit into the model's context."""

    page: ClassVar[str] = "context-overflow"


class QuotaExhaustedError(PermanentError):
    """The account has no credit left."""

    page: ClassVar[str] = "rate-limited"


class WeightsError(PermanentError):
    """The weights of an embedded model cannot be downloaded, stored or loaded."""

    page: ClassVar[str] = "local-model"


class UnrecordedCallError(PermanentError):
    """The replayed cassette has no reply to this request."""


class CallerModelError(PermanentError):
    """A model object of a Python caller or of a plug-in did not return a `Reply`, or raised a wrong exception.

    Such an object may raise only `ModelError` and `BudgetError`.
    """


class RefusedError(PermanentError):
    """The model, or a content filter, declined to answer."""


class BudgetError(CallError):
    """The next call could cost more than the budget has left."""

    exit_code: ClassVar[ExitCode] = ExitCode.BUDGET_REACHED
    page: ClassVar[str] = "budget"


class BatchPendingError(DebateError):
    """A batch is in progress, and the command does not wait for its answers."""

    exit_code: ClassVar[ExitCode] = ExitCode.BATCH_PENDING


def get_error_page(cause: str) -> str:
    """Return the help page's name for `cause`, the name of an error class. Empty if the class has no page."""
    kind = globals().get(cause)
    return kind.page if isinstance(kind, type) and issubclass(kind, DebateError) else ""


def describe_missing_module(error: ModuleNotFoundError) -> str:
    """Return the message about a missing Python package, with the command that installs it."""
    return (
        f"the Python package {error.name} is missing, so the installation is incomplete; install it with "
        f"{format_install_command()}"
    )


def format_install_command(extra: str = "") -> str:
    """Return one text: the command that installs this program, and the folder in which to run the command.

    `extra`: name of an extra (a set of optional packages) to install too, e.g. `documents`. Empty: no extra.
    """
    package = f"'.[{extra}]'" if extra else "."
    return f"`{sys.executable} -m pip install {package}` in the checkout of debate-cli"


def format_page_hint(page: str) -> str:
    """Return ` (debate explain PAGE)` for the end of a message. Empty if `page` is empty."""
    return f" (debate explain {page})" if page else ""


def add_page_hint(lines: Sequence[str], page: str) -> list[str]:
    """Return the lines of one or more errors, with the command that shows their help page at the end of the last error.

    A line that begins with a blank belongs to the error before it. `page`: empty if there is no page; the lines are then
    unchanged.
    """
    starts = [number for number, line in enumerate(lines) if number == 0 or not line.startswith(" ")]
    changed = list(lines)
    if page and starts:
        hint = f" (for all these errors: debate explain {page})" if len(starts) > 1 else format_page_hint(page)
        changed[starts[-1]] = changed[starts[-1]].removesuffix(".") + hint
    return changed
