"""Finds what differs between two judgements: verdicts, standings of claims, settings. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_differences import Difference, find_differences
from debate_cli.domain.debate import Debate, usage_of_briefs
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.scoring import score
from debate_cli.systems.trace import TraceRow, build_trace_table

LATEST_RUNS = "latest"
_SYSTEMS = "judging.systems."
_SCORE_CHANGE_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One of two compared judgements, A or B: a debate and the id of a judging run.

    The id `latest` means the newest run of each system.
    """

    debate: Debate
    run: str = LATEST_RUNS
    path: str = ""
    """Path of the debate's file."""


class ScoreComparison(NamedTuple):
    """The scores that one system gives a debater in the two compared judgements A and B."""

    participant: str
    a: float | None
    """Score in judgement A; None without a score."""
    b: float | None
    change: float | None
    """Score in judgement B minus score in judgement A; None if one of them is missing."""


class VerdictPair(NamedTuple):
    """The verdicts of one system in the two compared judgements A and B; None where the system has no verdict."""

    system: str
    a: Verdict | None
    b: Verdict | None

    @property
    def outcome(self) -> Literal["same", "victory", "winner", "one_sided"]:
        """How the verdicts differ.

        - `winner`: the winners or the chosen options differ.
        - `victory`: only the kinds of victory differ.
        - `one_sided`: A or B has no verdict of this system.
        - `same`: winner, option and victory are equal.
        """
        if self.a is None or self.b is None:
            return "one_sided"
        if (self.a.winner, self.a.option) != (self.b.winner, self.b.option):
            return "winner"
        return "same" if self.a.victory == self.b.victory else "victory"

    def scores(self) -> Iterator[ScoreComparison]:
        """Yield the scores of each debater."""
        of_a, of_b = (verdict.scores if verdict is not None else {} for verdict in (self.a, self.b))
        for name in dict.fromkeys([*of_a, *of_b]):
            one, other = of_a.get(name), of_b.get(name)
            change = None if one is None or other is None else round(other - one, _SCORE_CHANGE_DECIMALS)
            yield ScoreComparison(name, one, other, change)


@dataclass(frozen=True)
class JudgementComparison:
    """All differences between two judgements A and B.

    A judgement has no verdicts if its debate lacks the chosen judging run.
    """

    a: ComparisonSide
    b: ComparisonSide

    @cached_property
    def verdicts(self) -> tuple[VerdictPair, ...]:
        """A pair for each system with a verdict in A, then one for each system with a verdict only in B."""
        of_a, of_b = _verdicts_by_system(self.a), _verdicts_by_system(self.b)
        return tuple(VerdictPair(kind, of_a.get(kind), of_b.get(kind)) for kind in dict.fromkeys([*of_a, *of_b]))

    @cached_property
    def claims(self) -> tuple[tuple[TraceRow, TraceRow], ...]:
        """The arguments with equal id and claim in A and B, in the order of A. Empty if A or B has no standings."""
        of_a, of_b = _trace_rows(self.a), {row.id: row for row in _trace_rows(self.b)}
        if not all(self.judged_claims):
            return ()
        return tuple((row, of_b[row.id]) for row in of_a if row.id in of_b and row.claim == of_b[row.id].claim)

    @property
    def standings(self) -> tuple[tuple[TraceRow, TraceRow], ...]:
        """The compared claims whose standings differ. A standing is None if no judge assessed the claim."""
        return tuple((one, other) for one, other in self.claims if one.standing != other.standing)

    @cached_property
    def judged_claims(self) -> tuple[int, int]:
        """Number of arguments with a standing, e.g. UPHELD, as (number in A, number in B)."""
        in_a, in_b = (sum(row.standing is not None for row in _trace_rows(side)) for side in (self.a, self.b))
        return in_a, in_b

    @cached_property
    def settings(self) -> tuple[Difference, ...]:
        """Settings with different values.

        Not compared: the sections `limits` and `output`, and the settings of a system that judged only in A or only in
        B.
        """
        return _find_setting_differences(self.a, self.b)

    @property
    def is_identical(self) -> bool:
        """Whether all verdicts, scores, standings and settings are equal."""
        same = all(
            pair.outcome == "same" and not any(score.a != score.b for score in pair.scores()) for pair in self.verdicts
        )
        return same and not self.standings and not self.settings


def judging_cost(debate: Debate, runs: Mapping[str, str]) -> float | None:
    """Return the cost of judging runs in US dollars; None if a price is unknown.

    `runs`: maps each system to the id of its judging run.
    """
    return usage_of_briefs(debate, lambda brief: runs.get(brief.system) == brief.run).cost_usd


def _verdicts_by_system(side: ComparisonSide) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    ages = {run.id: age for age, run in enumerate(side.debate.runs)}
    for verdict in score(side.debate, runs=side.run):
        known = found.get(verdict.system)
        is_newest = known is None or ages[verdict.run] > ages[known.run]
        if is_newest and (verdict.reviewer is None or side.run != LATEST_RUNS):
            found[verdict.system] = verdict
    return found


def _trace_rows(side: ComparisonSide) -> tuple[TraceRow, ...]:
    return build_trace_table(side.debate, None if side.run == LATEST_RUNS else side.run)


def _find_setting_differences(a: ComparisonSide, b: ComparisonSide) -> tuple[Difference, ...]:
    of_a, of_b = _systems_by_kind(a), _systems_by_kind(b)
    common = [kind for kind in of_a if kind in of_b]
    first, second = (
        _comparable_config(side, tuple(systems[kind] for kind in common)) for side, systems in ((a, of_a), (b, of_b))
    )
    found: list[Difference] = []
    for difference in find_differences(first, second):
        key = difference.key
        if key.startswith(_SYSTEMS):
            index, _, rest = key.removeprefix(_SYSTEMS).partition(".")
            key = f"{_SYSTEMS}{common[int(index)]}.{rest}"
        found.append(difference._replace(key=key))
    return tuple(found)


def _systems_by_kind(side: ComparisonSide) -> dict[str, SystemSettings]:
    found = [(run, system) for run in _counted_runs(side) for system in run.active_systems()]
    standing = sorted(found, key=lambda pair: side.debate.judged_all_turns(pair[0], pair[1].kind))
    return {system.kind: system for _, system in standing}


def _comparable_config(side: ComparisonSide, systems: tuple[SystemSettings, ...]) -> DebateConfig:
    config, runs = side.debate.config, _counted_runs(side)
    named = [run.judging.decides for run in runs if run.judging.decides is not None]
    decides = named[-1] if named else runs[0].judging.deciding_kind if runs else None
    models = config.models | {name: spec for run in runs for name, spec in run.models.items()}
    judging = JudgingConfig.model_construct(systems=systems, decides=decides)
    return config.model_copy(update={"judging": judging, "models": models})


def _counted_runs(side: ComparisonSide) -> list[JudgingRun]:
    return [
        run
        for run in side.debate.runs_by_precedence()
        if run.active_systems() and (side.run == run.id or (side.run == LATEST_RUNS and run.reviewer is None))
    ]
