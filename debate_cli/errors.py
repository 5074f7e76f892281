"""Every error of debate-cli, one tree; each class knows its exit code, and the page that explains it at length.

    DebateError                     1   something failed that is not the user's input
    ├── StorageError                1   a file or folder could not be read, written or locked
    │   └── UnsavedError            1   the same in the middle of a debate; carries what could not be saved
    ├── UsageError                  2   the command line asks for what cannot be done
    │   ├── ConfigError             2   a configuration is wrong; carries every problem found
    │   │   ├── MissingKeyError     2   an API key's environment variable is not set
    │   │   └── NoLocalModelError   2   the embedded model's extra or file is not there
    │   └── TranscriptError         2   a transcript or journal cannot be used
    │       └── NewerVersionError   2   written by a newer version of this program
    ├── ModelError                  3   a provider did not give an answer
    │   ├── TransientError          3   worth another try
    │   │   ├── UnreachableError    3   no connection, or it broke
    │   │   ├── ModelTimeoutError   3   no answer in time
    │   │   ├── RateLimitedError    3   429, or the provider says it is overloaded
    │   │   ├── ServerError         3   408, 409, 5xx, an error event in mid-stream
    │   │   ├── TruncatedError      3   a stream that ended before it was finished
    │   │   └── BrokenBodyError     3   a 200 whose body is not what the protocol promises
    │   └── PermanentError          3   asking again would not help
    │       ├── RejectedError       3   400: the request itself is refused
    │       ├── UnsupportedError    3   400 naming the structured-output parameter: try the next rung
    │       ├── SamplingError       3   400 naming temperature or seed: ask without it
    │       ├── UnauthorizedError   3   401, 403
    │       ├── UnknownModelError   3   404
    │       ├── ContextOverflowError 3  the prompt does not fit the model
    │       ├── QuotaExhaustedError 3   out of credit
    │       ├── WeightsError        3   the embedded model cannot be fetched or loaded
    │       └── RefusedError        3   the model or a content filter declined
    └── BudgetError                 4   the next call does not fit what is left of the budget

Two exit codes belong to no error: 5, a gate was not met, and 130, the user stopped the run.

Every message is one sentence: what happened, where, what to do. The pages are docs/errors/PAGE.md; they come with the package,
and `debate explain PAGE` shows them.
"""

from __future__ import annotations

from typing import ClassVar


class DebateError(Exception):
    """Anything this tool reports by itself; `exit_code` is what the process ends with."""

    exit_code: ClassVar[int] = 1
    page: ClassVar[str] = ""
    """Name of the page that explains it; empty where its sentence says all."""


class StorageError(DebateError):
    """A file or folder could not be read, written or locked."""


class UnsavedError(StorageError):
    """A debate could not be saved; `transcript` is its JSON, for whoever can still print it."""

    def __init__(self, message: str, transcript: str) -> None:
        super().__init__(message)
        self.transcript = transcript


class UsageError(DebateError):
    """The command line asks for what cannot be done."""

    exit_code: ClassVar[int] = 2


class ConfigError(UsageError):
    """A configuration is wrong; `problems` holds one line for each fault found."""

    page: ClassVar[str] = "bad-config"

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class MissingKeyError(ConfigError):
    """An API key's environment variable is not set; the message names variable and provider."""

    page: ClassVar[str] = "missing-key"


class NoLocalModelError(ConfigError):
    """The embedded model cannot be used, as its extra is not installed or its file is not there."""

    page: ClassVar[str] = "local-model"


class TranscriptError(UsageError):
    """A transcript or journal cannot be used; the message names the file and, where known, the line."""


class NewerVersionError(TranscriptError):
    """A transcript or journal was written by a newer version of this program."""

    page: ClassVar[str] = "newer-transcript"


class ModelError(DebateError):
    """A provider did not give an answer.

    `attempts` requests were sent for it, and the failed ones are known to have used the tokens given,
    some of them at an estimate where `estimated`.
    """

    exit_code: ClassVar[int] = 3
    attempts: int = 1
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False


class TransientError(ModelError):
    """Worth another try; `retry_after` is the wait in seconds that the server asked for, if it did."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnreachableError(TransientError):
    """No connection to the server, or the connection broke."""

    page: ClassVar[str] = "server-down"


class ModelTimeoutError(TransientError):
    """No answer within the time allowed."""

    page: ClassVar[str] = "server-down"


class RateLimitedError(TransientError):
    """The server answered 429, or says that it is overloaded."""

    page: ClassVar[str] = "rate-limited"


class ServerError(TransientError):
    """The server answered 408, 409 or 5xx, or sent an error event in mid-stream."""


class TruncatedError(TransientError):
    """A stream ended before the model had finished."""


class BrokenBodyError(TransientError):
    """The server answered 200 with a body that is not what its protocol promises."""


class PermanentError(ModelError):
    """Asking again would not help."""


class RejectedError(PermanentError):
    """The server refuses the request itself (400)."""


class UnsupportedError(PermanentError):
    """The server refuses the way structured output was asked for; the next rung may work."""


class SamplingError(PermanentError):
    """The server refuses a sampling parameter; without `parameter`, `temperature` or `seed`, it may work."""

    def __init__(self, message: str, *, parameter: str = "temperature") -> None:
        super().__init__(message)
        self.parameter = parameter


class UnauthorizedError(PermanentError):
    """The server does not accept the key (401, 403)."""

    page: ClassVar[str] = "key-refused"


class UnknownModelError(PermanentError):
    """The server has no such model or path (404)."""

    page: ClassVar[str] = "unknown-model"


class ContextOverflowError(PermanentError):
    """The prompt does not fit into the model's context."""


class QuotaExhaustedError(PermanentError):
    """The account has no credit left."""

    page: ClassVar[str] = "rate-limited"


class WeightsError(PermanentError):
    """The embedded model's weights cannot be fetched, kept or loaded."""

    page: ClassVar[str] = "local-model"


class RefusedError(PermanentError):
    """The model, or a content filter, declined to answer."""


class BudgetError(DebateError):
    """The next call's worst case does not fit into what is left of the budget.

    `attempts` requests had been sent for the same question before, and are known to have used the tokens given,
    some of them at an estimate where `estimated`.
    """

    exit_code: ClassVar[int] = 4
    page: ClassVar[str] = "budget"
    attempts: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False


def get_error_page(cause: str) -> str:
    """The page that explains a failure whose cause is the class of that name; empty where there is none."""
    kind = globals().get(cause)
    return kind.page if isinstance(kind, type) and issubclass(kind, DebateError) else ""


def format_page_hint(page: str) -> str:
    """What points to a page at the end of a sentence, beginning with a space; empty for no page."""
    return f" (debate explain {page})" if page else ""
