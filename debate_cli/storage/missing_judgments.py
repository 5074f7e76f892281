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

_SPEECH = "turn/"
"""What the key of a speech begins with; that of a judgment begins with its run and its system."""
OWN_RUN = "r1"
"""The judging run of the debate itself, which no list of runs holds."""


class _Failed(NamedTuple):
    """A judgment that was not given."""

    key: str
    """The same for the same judgment."""
    bench: tuple[str, str]
    """Judging run and system."""
    final: bool
    open: bool
    """Whether it was not asked again since."""


class _Added(NamedTuple):
    """A judging run after the debate's own."""

    run: str
    replaced: frozenset[str]
    """Systems whose earlier judgments no longer count."""


def missing_in(fields: Mapping[str, Any]) -> int:
    """How many are missing of the transcript of these fields; 0 where the debate is incomplete, as then more is missing.

    Raises what looking into something else than a transcript raises.
    """
    if fields["status"] != "complete":
        return 0
    failed = [
        _Failed(
            json.dumps(task, sort_keys=True),
            (task["run"], task["system"]),
            item["final"],
            not item.get("forgiven", False),
        )
        for item in fields["failures"]
        if "run" in (task := item["task"])
    ]
    added = [
        _Added(run["id"], frozenset(system["kind"] for system in run["judging"]["systems"] if run["replaces"]))
        for run in fields.get("runs", ())
    ]
    return _counted(failed, fields.get("unanswered", ()), added)


def missing_of(debate: Debate) -> int:
    """The same of a debate that was opened."""
    if debate.status != "complete":
        return 0
    keys = [(item.task.key, item.final) for item in debate.failures]
    failed = [
        _Failed(key, _bench(key), final, key in debate.given_up) for key, final in keys if not key.startswith(_SPEECH)
    ]
    added = [
        _Added(run.id, frozenset(system.kind for system in run.judging.systems if run.replaces))
        for run in debate.runs[1:]
    ]
    return _counted(failed, debate.unanswered, added)


def _counted(failed: Iterable[_Failed], unanswered: Iterable[str], added: Sequence[_Added]) -> int:
    """Of what failed, what may be asked again; with what was in flight when a judging was stopped. Each once."""
    found = {item.key: item.bench for item in failed if item.open}
    for item in failed:
        if item.final:
            found.pop(item.key, None)
    benches = [*found.values(), *(_bench(key) for key in unanswered if not key.startswith(_SPEECH))]
    order = {OWN_RUN: 0, **{run.run: number for number, run in enumerate(added, start=1)}}
    return sum(
        not any(system in later.replaced for later in added[order[run] :]) for run, system in benches if run in order
    )


def _bench(key: str) -> tuple[str, str]:
    run, _, rest = key.partition("/")
    return run, rest.partition("/")[0]
