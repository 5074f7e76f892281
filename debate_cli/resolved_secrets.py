"""The secrets that this process has resolved. The command line removes them from every line that it prints.

Whatever resolves a secret records it here: reading the environment, loading a configuration, preparing a run. So no command
has to hide the secrets that it uses. This module does not redact; `llm/redaction.py` does.
"""

from collections.abc import Iterable

_recorded: set[str] = set()


def record_secrets(secrets: Iterable[str]) -> None:
    """Add secrets that must not be printed from now on."""
    _recorded.update(secrets)


def recorded_secrets() -> frozenset[str]:
    """Return all recorded secrets."""
    return frozenset(_recorded)


def forget_secrets() -> None:
    """Remove all recorded secrets, so that a command which runs later in the same process starts without them."""
    _recorded.clear()
