"""Collects the secrets that a command resolves. The command line removes them from every line that it prints.

The functions that read the environment, load a configuration or prepare a run call `record_secrets`. Commands therefore
do not call `record_secrets` themselves. Calls of the Python API collect nothing. The module `llm/redaction.py` removes
secrets from texts.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar

_collected: ContextVar[set[str] | None] = ContextVar("collected_secrets", default=None)


@contextmanager
def secret_collector() -> Generator[None]:
    """Collect the secrets recorded in the `with` block and in tasks started there. Forget them at the end of the block."""
    token = _collected.set(set())
    try:
        yield
    finally:
        _collected.reset(token)


def record_secrets(secrets: Iterable[str]) -> None:
    """Add secrets that must not be printed from now on. Does nothing outside of a `secret_collector`."""
    collected = _collected.get()
    if collected is not None:
        collected.update(secrets)


def recorded_secrets() -> frozenset[str]:
    """Return all recorded secrets; none outside of a `secret_collector`."""
    return frozenset(_collected.get() or ())
