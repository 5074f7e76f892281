"""Scores a debate: selects judging runs and systems, lets each system score, and marks the deciding verdict.

Pure: no clock, network or randomness. The scorer of a system is the module `score.py` in its folder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from debate_cli.domain.debate import Debate
from debate_cli.domain.judges import judge_ids
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import AnyNotes, Notes, Verdict
from debate_cli.systems.registry import get_system, is_installed


def score(
    debate: Debate,
    *,
    runs: str = "latest",
    systems: Collection[str] | None = None,
    settings: Mapping[str, SystemSettings] | None = None,
) -> tuple[Verdict, ...]:
    """The verdicts of a debate, the deciding one first and flagged `decides`.

    `runs` is `all`, the id of one run (an unknown id gives no verdict), or `latest`: per system the newest run in which
    it judged anything, else the newest run. A run that judged before the last speech ranks behind those that judged all.
    `systems` selects kinds of systems. `settings` replaces stored settings, per kind. If the system that should decide
    has no verdict, the first verdict decides.
    """
    replacing = settings or {}
    chosen = [
        (run, system) for run, system in _select_systems(debate, runs) if systems is None or system.kind in systems
    ]
    verdicts = [_score_system(debate, run, replacing.get(system.kind, system)) for run, system in chosen]
    judged = [verdict for verdict, pair in zip(verdicts, chosen, strict=True) if _has_judged(debate, *pair)]
    judged.sort(key=lambda item: debate.judged_all_turns(debate.run(item.run), item.system))
    return _put_deciding_first(verdicts, _deciding_kind(debate, runs), judged) if verdicts else ()


def verdicts_of_run(debate: Debate, verdicts: Iterable[Verdict], run: str) -> tuple[Verdict, ...]:
    """Select the verdicts of one judging run from `verdicts`. Equal to `score` of that run, without scoring again."""
    own = [item for item in verdicts if item.run == run]
    bare = [item.model_copy(update={"decides": False}) if item.decides else item for item in own]
    kinds = [system.kind for system in debate.run(run).active_systems()]
    return (
        _put_deciding_first(sorted(bare, key=lambda item: kinds.index(item.system)), _deciding_kind(debate, run))
        if bare
        else ()
    )


def _score_system(debate: Debate, run: JudgingRun, settings: SystemSettings) -> Verdict:
    """The verdict of one system over one run. Its notes say if the run judged only a part of the debate."""
    if not is_installed(settings.kind):
        return _kept_verdict(debate, run, settings.kind)
    found = get_system(settings.kind).score(debate, run, settings)
    if debate.judged_all_turns(run, settings.kind):
        return found
    part = f"{run.id} judged the debate when {run.heard} of its {len(debate.turns)} speeches had been made."
    return found.model_copy(update={"notes": _add_missing(found.notes, part)})


def _add_missing(notes: AnyNotes, sentence: str) -> AnyNotes:
    if isinstance(notes, Notes):
        return notes.model_copy(update={"missing": (*notes.missing, sentence)})
    missing = cast("list[JsonValue]", notes.get("missing", []))
    return {**notes, "missing": [*missing, sentence]}


def _kept_verdict(debate: Debate, run: JudgingRun, kind: str) -> Verdict:
    """The stored verdict of a system that is not installed, unchanged; undetermined if none is stored."""
    for verdict in debate.kept_verdicts:
        if (verdict.system, verdict.run) == (kind, run.id):
            return verdict.model_copy(update={"decides": False})
    missing: list[JsonValue] = [f"The judging system {kind} is not installed."]
    return Verdict(
        system=kind, run=run.id, winner=None, victory="undetermined", margin=None, scores={}, notes={"missing": missing}
    )


def _put_deciding_first(
    verdicts: Sequence[Verdict], deciding: str | None, judged: Sequence[Verdict] = ()
) -> tuple[Verdict, ...]:
    """Flag the deciding verdict and move it to the front. `verdicts` is not empty.

    Of several verdicts by the deciding system, the last one decides; those in `judged` take precedence over others.
    """
    newest = [*reversed(judged), *reversed(verdicts)]
    head = next((item for item in newest if item.system == deciding), verdicts[0])
    rest = [item for item in verdicts if item is not head]
    return (head.model_copy(update={"decides": True}), *rest)


def _select_systems(debate: Debate, runs: str) -> list[tuple[JudgingRun, SystemSettings]]:
    """Runs and systems to score: oldest run first, systems in the configured order."""
    counted = [(run, system) for run in debate.runs for system in run.active_systems()]
    if runs == "all":
        return counted
    if runs == "latest":
        standing = sorted(counted, key=lambda pair: debate.judged_all_turns(pair[0], pair[1].kind))
        judged = [pair for pair in standing if _has_judged(debate, *pair)]
        newest = {system.kind: run.id for run, system in [*standing, *judged]}
        return [(run, system) for run, system in counted if newest[system.kind] == run.id]
    return [(run, system) for run, system in counted if run.id == runs]


def _has_judged(debate: Debate, run: JudgingRun, system: SystemSettings) -> bool:
    """Whether a system gave any assessment in a run, or needs none because it has no judges."""
    return not judge_ids(system) or bool(debate.assessments_of_system(system.kind, run.id))


def _deciding_kind(debate: Debate, runs: str) -> str | None:
    """Kind of the deciding system: the newest explicit `decides`, else the first system of the first run that has any.

    A run that judged before the last speech ranks behind those that judged all.
    """
    asked = [run for run in debate.runs if runs in {"latest", "all", run.id}]
    named = [
        run.judging.decides for run in debate.runs_by_precedence() if run in asked and run.judging.decides is not None
    ]
    if named:
        return named[-1]
    return next((run.judging.deciding_kind for run in asked if run.judging.systems), None)
