"""Scores a debate: computes the verdict of each judging system, marks the verdict that decides, compares verdicts.

Pure: no clock, network or randomness.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings, judge_ids
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Notes, Verdict
from debate_cli.systems.registry import get_system, is_installed


def score(
    debate: Debate,
    *,
    runs: str = "latest",
    systems: Collection[str] | None = None,
    settings: Mapping[str, SystemSettings] | None = None,
) -> tuple[Verdict, ...]:
    """Return the verdicts of a debate: first the deciding verdict, then the others by models, then those by people.

    The others by models are in the order of their runs. The verdicts by people are in the order of their runs too.

    `runs`: which judging runs are scored.

    - `latest`: for each system, one run in which models judged. Also all runs in which a person judged.
    - `all`: all runs.
    - The id of one run. An unknown id gives no verdicts.

    `systems`: the kinds of systems to score; None means all. `settings`: maps kinds of systems to settings that replace
    the stored settings.

    For `latest`, these rules choose a system's run. A later rule counts only if the earlier rules leave several runs.

    1. Runs with judgements are preferred.
    2. Runs about all turns are preferred to runs about only some of the turns.
    3. The newest run is chosen.

    If the chosen run belongs to a comparison of judge models, all compared runs with judgements are scored.

    The function `deciding_kind` says which system decides the debate. The deciding verdict is a verdict of this system.
    If the system has several verdicts, the rules above choose the run whose verdict decides. If the system has no
    verdict, the first verdict by models in the order of the runs decides.

    The deciding verdict gets the flag `decides`. In two cases, no verdict gets the flag:

    - Only people judged.
    - The deciding verdict belongs to a comparison of judge models, and several compared runs have judgements. Then the
      verdicts of the same system from all these runs come first.
    """
    replacing = settings or {}
    chosen = [
        (run, system) for run, system in _select_systems(debate, runs) if systems is None or system.kind in systems
    ]
    scored = [_score_system(debate, run, replacing.get(system.kind, system)) for run, system in chosen]
    judged = [
        verdict
        for verdict, pair in zip(scored, chosen, strict=True)
        if verdict.reviewer is None and _has_judged(debate, *pair)
    ]
    judged.sort(key=lambda item: debate.judged_all_turns(debate.run(item.run), item.system))
    by_models = [verdict for verdict in scored if verdict.reviewer is None]
    ordered = _put_deciding_first(by_models, deciding_kind(debate, runs), judged)
    side_by_side = _compared_with(debate, ordered[0], judged) if len(judged) > 1 else ()
    if len(side_by_side) > 1:
        ordered = _put_compared_first(by_models, side_by_side)
    return (*ordered, *(verdict for verdict in scored if verdict.reviewer is not None))


def deciding_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts that decide the debate. Verdicts by persons are ignored.

    - Usually, one verdict has the flag `decides`. Then only this verdict is returned.
    - In a comparison of judge models, no verdict has the flag. The first verdict then shows which system decides. The
      verdicts of this system from all compared runs are returned.
    """
    verdicts = [verdict for verdict in verdicts if verdict.reviewer is None]
    decisive = [verdict for verdict in verdicts if verdict.decides]
    if decisive or not verdicts:
        return tuple(decisive[:1])
    return _compared_with(debate, verdicts[0], verdicts)


def combine_runs(debate: Debate, verdicts: Iterable[Verdict], runs: Iterable[str]) -> tuple[Verdict, ...]:
    """Return the verdicts of several runs: first the main verdict, then all others, run by run.

    The main run is the newest run that no person judged. The main verdict is the deciding verdict of the main run. Only
    the main verdict gets the flag `decides`.

    If the main run belongs to a comparison of judge models, no verdict gets the flag. The deciding system's verdicts of
    all compared runs then come first.

    `runs`: ids of the runs, oldest first.
    """
    given = tuple(verdicts)
    found = [item for run in runs for item in verdicts_of_run(debate, given, run)]
    head = next((item for item in reversed(found) if item.decides), None)
    ordered = found if head is None else [head, *(item for item in found if item is not head)]
    if head is not None and len(debate.compared_runs(head.run)) > 1:
        return _put_compared_first(found, _compared_with(debate, head, found))
    return tuple(item.model_copy(update={"decides": item is head}) for item in ordered)


def _compared_with(debate: Debate, head: Verdict, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Return the items of `verdicts` that have the same system as `head` and come from one of the compared runs.

    The compared runs are the run of `head` and all other runs in the same comparison of judge models. If the run of
    `head` belongs to no comparison, only items from this run are returned.
    """
    compared = {run.id for run in debate.compared_runs(head.run)}
    return tuple(item for item in verdicts if item.system == head.system and item.run in compared)


def _put_compared_first(verdicts: Iterable[Verdict], compared: Collection[Verdict]) -> tuple[Verdict, ...]:
    """Return copies of all verdicts, with `decides` set to False. Those in `compared` come first.

    Among the verdicts in `compared`, undetermined verdicts come last. Otherwise, the order does not change.
    """
    ranks = {(item.system, item.run): int(item.victory == "undetermined") for item in compared}
    ordered = sorted(verdicts, key=lambda item: ranks.get((item.system, item.run), 2))
    return tuple(item.model_copy(update={"decides": False}) for item in ordered)


def verdicts_of_run(debate: Debate, verdicts: Iterable[Verdict], run: str) -> tuple[Verdict, ...]:
    """Return the items of `verdicts` that belong to the judging run `run`.

    - If models judged, the deciding verdict comes first and gets the flag `decides`.
    - If a person judged, no verdict gets the flag.
    """
    own = [item for item in verdicts if item.run == run]
    bare = [item.model_copy(update={"decides": False}) if item.decides else item for item in own]
    if debate.run(run).reviewer is not None:
        return tuple(bare)
    kinds = [system.kind for system in debate.run(run).active_systems()]
    return _put_deciding_first(sorted(bare, key=lambda item: kinds.index(item.system)), deciding_kind(debate, run))


def _score_system(debate: Debate, run: JudgingRun, settings: SystemSettings) -> Verdict:
    if not is_installed(settings.kind):
        return _kept_verdict(debate, run, settings.kind)
    found = get_system(settings.kind).score(debate, run, settings)
    if run.reviewer is not None:
        found = found.model_copy(update={"reviewer": run.reviewer.name})
    if debate.judged_all_turns(run, settings.kind):
        return found
    part = f"The judging run {run.id} covers only the first {run.heard} of {len(debate.turns)} speeches."
    notes = found.notes
    if isinstance(notes, Notes):
        return found.model_copy(update={"notes": notes.model_copy(update={"missing": (*notes.missing, part)})})
    missing = cast("list[JsonValue]", notes.get("missing", []))
    return found.model_copy(update={"notes": {**notes, "missing": [*missing, part]}})


def _kept_verdict(debate: Debate, run: JudgingRun, kind: str) -> Verdict:
    for verdict in debate.kept_verdicts:
        if (verdict.system, verdict.run) == (kind, run.id):
            return verdict.model_copy(update={"decides": False})
    missing: list[JsonValue] = [f"The judging system {kind} is not installed; install its plug-in."]
    return Verdict(
        system=kind, run=run.id, winner=None, victory="undetermined", margin=None, scores={}, notes={"missing": missing}
    )


def _put_deciding_first(
    verdicts: Sequence[Verdict], deciding: str | None, judged: Sequence[Verdict] = ()
) -> tuple[Verdict, ...]:
    if not verdicts:
        return ()
    newest = [*reversed(judged), *reversed(verdicts)]
    head = next((item for item in newest if item.system == deciding), verdicts[0])
    rest = [item for item in verdicts if item is not head]
    return (head.model_copy(update={"decides": True}), *rest)


def _select_systems(debate: Debate, runs: str) -> list[tuple[JudgingRun, SystemSettings]]:
    counted = [(run, system) for run in debate.runs for system in run.active_systems()]
    if runs == "all" or (runs == "latest" and len(debate.runs) == 1):
        return counted
    if runs == "latest":
        reviews = [pair for pair in counted if pair[0].reviewer is not None]
        models = [pair for pair in counted if pair[0].reviewer is None]
        standing = sorted(models, key=lambda pair: debate.judged_all_turns(pair[0], pair[1].kind))
        judged = [pair for pair in standing if _has_judged(debate, *pair)]
        newest = {system.kind: run.id for run, system in [*standing, *judged]}
        compared = {kind: {run.id for run in debate.compared_runs(run_id)} for kind, run_id in newest.items()}
        chosen = [
            (run, system)
            for run, system in models
            if run.id == newest[system.kind] or (run.id in compared[system.kind] and _has_judged(debate, run, system))
        ]
        return [*chosen, *reviews]
    return [(run, system) for run, system in counted if run.id == runs]


def _has_judged(debate: Debate, run: JudgingRun, system: SystemSettings) -> bool:
    return bool(debate.assessments_of_system(system.kind, run.id)) or not judge_ids(system)


def deciding_kind(debate: Debate, runs: str) -> str | None:
    """Return the kind of the system whose verdict decides. None if the selected runs use no judging system.

    `runs`: selects judging runs: `latest`, `all` or the id of one run.
    """
    asked = [run for run in debate.runs if runs in {"latest", "all", run.id}]
    named = [
        run.judging.decides for run in debate.runs_by_precedence() if run.judging.decides is not None and run in asked
    ]
    if named:
        return named[-1]
    return next((run.judging.deciding_kind for run in asked if run.judging.systems), None)


TOLERANCE = 1e-6


def verdicts_match(stored: Verdict, recomputed: Verdict) -> bool:
    """Return whether two verdicts have the same outcome, scores, version of the rules, and numbers in their notes.

    Sentences in the notes are not compared, because their wording may change between versions.
    """
    if (stored.rules, stored.winner, stored.victory) != (recomputed.rules, recomputed.winner, recomputed.victory):
        return False
    if stored.scores.keys() != recomputed.scores.keys() or not _are_equal(stored.margin, recomputed.margin):
        return False
    if not all(_are_equal(score, recomputed.scores[name]) for name, score in stored.scores.items()):
        return False
    first, second = (
        dict(_numbers(notes.to_json() if isinstance(notes, Notes) else notes, ""))
        for notes in (stored.notes, recomputed.notes)
    )
    return all(_are_equal(first[path], second[path]) for path in first.keys() & second.keys())


def _are_equal(stored: float | None, recomputed: float | None) -> bool:
    if stored is None or recomputed is None:
        return stored is recomputed
    # a stored whole number may be too large for arithmetic with floats, but not for comparisons
    return stored == recomputed or recomputed - TOLERANCE <= stored <= recomputed + TOLERANCE


def _numbers(value: JsonValue, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _numbers(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _numbers(item, f"{path}[{index}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value
