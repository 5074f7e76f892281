"""What a judging system is called where several judging runs asked it: the one notation for that."""

from __future__ import annotations

from collections.abc import Iterable


def format_system_with_run(system: str, run: str) -> str:
    """`structured r4`; not cleaned."""
    return f"{system} {run}"


def format_system_label(system: str, run: str, runs: Iterable[str]) -> str:
    """The system; with the id of its judging run where it is told of beside another of these `runs`. Not cleaned."""
    return format_system_with_run(system, run) if set(runs) - {run} else system
