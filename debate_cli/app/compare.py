"""Compares two judgments: their verdicts, the standing of each claim, and their settings. Pure.

A side is a debate as judged by one of its judging runs, or by the newest run of each system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_differences import find_differences
from debate_cli.domain.debate import Debate, usage_of_briefs
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.claim_review import Standing
from debate_cli.systems.scoring import score
from debate_cli.systems.trace import TraceRow, build_trace_table

LATEST_RUNS = "latest"
_SYSTEMS = "judging.systems."
_SCORE_CHANGE_DECIMALS = 9
"""Number of decimals to which a difference of scores is rounded."""


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """A debate as judged by the judging run with the id `run` or, for `latest`, by the newest run of each system."""

    debate: Debate
    run: str = LATEST_RUNS


class SideVerdict(FrozenModel):
    """Verdict of one system on one side."""

    run: str
    winner: str | None
    victory: Victory
    margin: float | None
    option: str | None = None
    """The option that a panel voted for, if there is no winner."""
    decides: bool
    """Whether this is the deciding verdict of its side."""


class ScoreChange(FrozenModel):
    """A debater's score under one system on both sides; None on a side without a score."""

    participant: str
    a: float | None
    b: float | None
    change: float | None
    """b − a; None if either is missing."""


class VerdictChange(FrozenModel):
    """The verdicts of one system on both sides."""

    system: str
    a: SideVerdict | None
    b: SideVerdict | None
    """Verdict of side B; None if this system did not judge it."""
    outcome: Literal["same", "victory", "winner", "one_sided"]
    """How the verdicts differ. `winner`: in the winner, or in a panel's option. `victory`: in the kind of victory.
    `one_sided`: only one side has a verdict."""
    scores: tuple[ScoreChange, ...]


class StandingChange(FrozenModel):
    """A claim with different standings on the two sides."""

    item: str
    """Id of the argument."""
    participant: str
    claim: str
    a: Standing | None
    b: Standing | None
    """Standing on side B; None if the judge did not assess it."""


class SettingDifference(FrozenModel):
    """A setting that differs, with both configured values."""

    key: str
    a: JsonValue
    b: JsonValue


class JudgmentComparison(FrozenModel):
    """All differences between two sides, and the verdicts of both."""

    verdicts: tuple[VerdictChange, ...]
    """One for each system that judged a side, those of A first."""
    standings: tuple[StandingChange, ...]
    """Changed ones only, in the order of A."""
    compared_claims: int
    """Number of arguments with the same id and claim on both sides; 0 unless both sides have standings."""
    judged_claims: tuple[int, int]
    """Numbers of arguments with a standing on side A, and on side B."""
    settings: tuple[SettingDifference, ...]
    """Differences, except in limits, output, and the settings of systems that judged only one side."""

    @property
    def alike(self) -> bool:
        """Whether all verdicts, scores, standings and settings are equal."""
        same = all(
            item.outcome == "same" and not any(score.a != score.b for score in item.scores) for item in self.verdicts
        )
        return same and not self.standings and not self.settings


def compare_judgments(a: ComparisonSide, b: ComparisonSide) -> JudgmentComparison:
    """Compare side A with side B. A side whose debate has no such judging run has no verdicts."""
    first, second = _verdicts_by_system(a), _verdicts_by_system(b)
    kinds: list[str] = list(dict.fromkeys([*first, *second]))
    traced = _side_trace(a), _side_trace(b)
    claims = _shared_claims(*traced)
    return JudgmentComparison(
        verdicts=tuple(_verdict_change(kind, first.get(kind), second.get(kind)) for kind in kinds),
        standings=tuple(_standing_change(*rows) for rows in claims if rows[0].standing != rows[1].standing),
        compared_claims=len(claims),
        judged_claims=(_count_judged(traced[0]), _count_judged(traced[1])),
        settings=_find_setting_differences(a, b),
    )


def judge_models_used(debate: Debate, system: str, run: str) -> tuple[str, ...]:
    """`provider/model` of every judge of a system that answered in a run, each once."""
    calls = (item.exchange for item in debate.assessments_of_system(system, run))
    return tuple(dict.fromkeys(exchange.model for exchange in calls if exchange.attempts))


def judging_cost(debate: Debate, runs: Mapping[str, str]) -> float | None:
    """Cost in US dollars of all calls in `runs` (system -> its run), failed or not; None if a price is unknown."""
    return usage_of_briefs(debate, lambda brief: runs.get(brief.system) == brief.run).cost_usd


def _verdicts_by_system(side: ComparisonSide) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for verdict in score(side.debate, runs=side.run):  # of runs side by side the newest, which is first
        if verdict.reviewer is None or side.run != LATEST_RUNS:
            found.setdefault(verdict.system, verdict)
    return found


def _shared_claims(a: Sequence[TraceRow], b: Sequence[TraceRow]) -> list[tuple[TraceRow, TraceRow]]:
    if not (_count_judged(a) and _count_judged(b)):
        return []
    of_b = {row.id: row for row in b}
    pairs = [(row, of_b[row.id]) for row in a if row.id in of_b]
    return [(one, other) for one, other in pairs if one.claim == other.claim]


def _count_judged(rows: Sequence[TraceRow]) -> int:
    return sum(row.standing is not None for row in rows)


def _side_trace(side: ComparisonSide) -> tuple[TraceRow, ...]:
    return build_trace_table(side.debate, None if side.run == LATEST_RUNS else side.run)


def _verdict_change(system: str, a: Verdict | None, b: Verdict | None) -> VerdictChange:
    of_a, of_b = (verdict.scores if verdict is not None else {} for verdict in (a, b))
    return VerdictChange(
        system=system,
        a=_side_verdict(a),
        b=_side_verdict(b),
        outcome=_outcome_change(a, b),
        scores=tuple(_score_change(name, of_a.get(name), of_b.get(name)) for name in dict.fromkeys([*of_a, *of_b])),
    )


def _side_verdict(verdict: Verdict | None) -> SideVerdict | None:
    if verdict is None:
        return None
    return SideVerdict(
        run=verdict.run,
        winner=verdict.winner,
        victory=verdict.victory,
        margin=verdict.margin,
        option=verdict.option,
        decides=verdict.decides,
    )


def _outcome_change(a: Verdict | None, b: Verdict | None) -> Literal["same", "victory", "winner", "one_sided"]:
    if a is None or b is None:
        return "one_sided"
    if (a.winner, a.option) != (b.winner, b.option):
        return "winner"
    return "same" if a.victory == b.victory else "victory"


def _score_change(name: str, a: float | None, b: float | None) -> ScoreChange:
    change = None if a is None or b is None else round(b - a, _SCORE_CHANGE_DECIMALS)
    return ScoreChange(participant=name, a=a, b=b, change=change)


def _standing_change(a: TraceRow, b: TraceRow) -> StandingChange:
    return StandingChange(item=a.id, participant=a.participant, claim=a.claim, a=a.standing, b=b.standing)


def _find_setting_differences(a: ComparisonSide, b: ComparisonSide) -> tuple[SettingDifference, ...]:
    of_a, of_b = _systems_by_kind(a), _systems_by_kind(b)
    common = [kind for kind in of_a if kind in of_b]
    of_each = (
        _comparable_config(side, tuple(systems[kind] for kind in common)) for side, systems in ((a, of_a), (b, of_b))
    )
    first, second = of_each
    return tuple(
        SettingDifference(key=_key_with_kind(found.key, common), a=found.stored, b=found.given)
        for found in find_differences(first, second)
    )


def _systems_by_kind(side: ComparisonSide) -> dict[str, SystemSettings]:
    found = [(run, system) for run in _counted_runs(side) for system in run.active_systems()]
    standing = sorted(found, key=lambda pair: side.debate.judged_all_turns(pair[0], pair[1].kind))
    return {system.kind: system for _, system in standing}


def _comparable_config(side: ComparisonSide, systems: tuple[SystemSettings, ...]) -> DebateConfig:
    """The debate's configuration with `systems` as its only judging systems, and with the models of the side's runs."""
    config, runs = side.debate.config, _counted_runs(side)
    named = [run.judging.decides for run in runs if run.judging.decides is not None]
    decides = named[-1] if named else runs[0].judging.deciding_kind if runs else None
    models = config.models | {name: spec for run in runs for name, spec in run.models.items()}
    judging = JudgingConfig.model_construct(systems=systems, decides=decides)
    return config.model_copy(update={"judging": judging, "models": models})


def _key_with_kind(key: str, kinds: list[str]) -> str:
    index, _, rest = key.removeprefix(_SYSTEMS).partition(".")
    return f"{_SYSTEMS}{kinds[int(index)]}.{rest}" if key.startswith(_SYSTEMS) else key


def _counted_runs(side: ComparisonSide) -> list[JudgingRun]:
    """The runs that count for a side, the one with the highest precedence last.

    Runs whose systems were all replaced do not count. With `latest`, runs of reviewers do not count either.
    """
    return [
        run
        for run in side.debate.runs_by_precedence()
        if run.active_systems() and (side.run == run.id or (side.run == LATEST_RUNS and run.reviewer is None))
    ]
