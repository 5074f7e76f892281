"""Judgments that are missing of a debate that came to its end: a judge could not be reached, and is asked again on resume.

Told from what failed or was cut off alone, so that neither the schedules nor the domain are loaded: what would be asked
after those answers is not counted. Who knows all that is owed is `judging.schedules`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from debate_cli.domain.debate import Debate

_SPEECH_KEY_PREFIX = "turn/"
"""What the key of a speech begins with; that of a judgment begins with its run and its system."""
FIRST_RUN_ID = "r1"
"""The judging run of the debate itself, which no list of runs holds."""


class _FailedJudgment(NamedTuple):
    """A judgment that was not given."""

    key: str
    """The same for the same judgment."""
    run_and_system: tuple[str, str]
    """Judging run and system."""
    is_final: bool
    is_pending: bool
    """Whether it was not asked again since."""


class _AddedRun(NamedTuple):
    """A judging run after the debate's own."""

    run: str
    replaced_systems: frozenset[str]
    """Systems whose earlier judgments no longer count."""


def count_missing_in_fields(fields: Mapping[str, Any]) -> int:
    """How many are missing of the transcript of these fields; 0 where the debate is incomplete, as then more is missing.

    Raises what looking into something else than a transcript raises.
    """
    if fields["status"] != "complete":
        return 0
    failed = [
        _FailedJudgment(
            json.dumps(task, sort_keys=True),
            (task["run"], task["system"]),
            item["final"],
            not item.get("forgiven", False),
        )
        for item in fields["failures"]
        if "run" in (task := item["task"])
    ]
    added = [
        _AddedRun(run["id"], frozenset(system["kind"] for system in run["judging"]["systems"] if run["replaces"]))
        for run in fields.get("runs", ())
    ]
    return _count_missing(failed, fields.get("unanswered", ()), added)


def count_missing_judgments(debate: Debate) -> int:
    """The same of a debate that was opened."""
    if debate.status != "complete":
        return 0
    keys = [(item.task.key, item.final) for item in debate.failures]
    failed = [
        _FailedJudgment(key, _run_and_system(key), final, key in debate.given_up)
        for key, final in keys
        if not key.startswith(_SPEECH_KEY_PREFIX)
    ]
    added = [
        _AddedRun(run.id, frozenset(system.kind for system in run.judging.systems if run.replaces))
        for run in debate.runs[1:]
    ]
    return _count_missing(failed, debate.unanswered, added)


def _count_missing(failed: Iterable[_FailedJudgment], unanswered: Iterable[str], added: Sequence[_AddedRun]) -> int:
    """Of what failed, what may be asked again; with what was in flight when a judging was stopped. Each once."""
    found = {item.key: item.run_and_system for item in failed if item.is_pending}
    for item in failed:
        if item.is_final:
            found.pop(item.key, None)
    benches = [*found.values(), *(_run_and_system(key) for key in unanswered if not key.startswith(_SPEECH_KEY_PREFIX))]
    order = {FIRST_RUN_ID: 0, **{run.run: number for number, run in enumerate(added, start=1)}}
    return sum(
        not any(system in later.replaced_systems for later in added[order[run] :])
        for run, system in benches
        if run in order
    )


def _run_and_system(key: str) -> tuple[str, str]:
    run, _, rest = key.partition("/")
    return run, rest.partition("/")[0]
