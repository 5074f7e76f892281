"""Collects the secrets that a command resolves. The command line removes them from every line that it prints.

Functions that resolve secrets record them here: they read the environment, load a configuration or prepare a run. So no
command has to hide the secrets that it uses. Callers of the Python API collect nothing. This module does not redact;
`llm/redaction.py` does.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar

_collected: ContextVar[set[str] | None] = ContextVar("collected_secrets", default=None)


@contextmanager
def secret_collector() -> Generator[None]:
    """Collect the secrets that are recorded in the `with` block, also by its tasks. They are forgotten at its end."""
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
