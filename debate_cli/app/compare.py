"""Compares two judgements: their verdicts, the standing of each claim, and their settings. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_differences import find_differences
from debate_cli.domain.debate import Debate, usage_of_briefs
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.base import Standing
from debate_cli.systems.scoring import score
from debate_cli.systems.trace import build_trace_table

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


class SideVerdict(FrozenModel):
    """A system's verdict in one of the two compared judgements."""

    run: str
    winner: str | None
    victory: Victory
    margin: float | None
    option: str | None = None
    """Option that won a vote, e.g. `PASS`; None for a verdict without an option."""
    decides: bool
    """Whether this verdict decides the debate."""
    verdict: Annotated[Verdict, Field(exclude=True, repr=False)]
    """The whole verdict. JSON output leaves this field out."""


class ScoreComparison(FrozenModel):
    """The scores that one system gives a debater in the two compared judgements A and B."""

    participant: str
    a: float | None
    """Score in judgement A; None without a score."""
    b: float | None
    change: float | None
    """Score in judgement B minus score in judgement A; None if one of them is missing."""


class VerdictChange(FrozenModel):
    """The verdicts of one system in the two compared judgements A and B."""

    system: str
    a: SideVerdict | None
    b: SideVerdict | None
    """Verdict in judgement B; None if this system has no verdict there."""
    outcome: Literal["same", "victory", "winner", "one_sided"]
    """`winner`: the winners or the chosen options differ. `victory`: only the kinds of victory differ. `one_sided`: A or
    B has no verdict of this system. `same`: winner, option and victory are equal."""
    scores: tuple[ScoreComparison, ...]


class StandingChange(FrozenModel):
    """A claim whose standing differs between the two judgements, e.g. UPHELD in A and REFUTED in B."""

    item: str
    """Id of the argument that makes the claim."""
    participant: str
    claim: str
    a: Standing | None
    b: Standing | None
    """Standing in judgement B; None if the judge did not assess the claim."""


class SettingDifference(FrozenModel):
    """A setting with different values in the two compared judgements A and B."""

    key: str
    a: JsonValue
    b: JsonValue


class JudgementComparison(FrozenModel):
    """All differences between two judgements A and B, and the verdicts of both."""

    verdicts: tuple[VerdictChange, ...]
    """One entry for each system with a verdict in A, then one for each system with a verdict only in B."""
    standings: tuple[StandingChange, ...]
    """The claims with different standings in A and B, in the order of A."""
    compared_claims: int
    """Number of arguments whose standings are compared: those with equal id and claim in A and B. 0 if A or B has no
    standings."""
    judged_claims: tuple[int, int]
    """How many arguments have a standing: (in A, in B)."""
    settings: tuple[SettingDifference, ...]
    """Settings with different values. Not compared: the sections `limits` and `output`, and the settings of a system
    that judged only in A or only in B."""

    @property
    def is_identical(self) -> bool:
        """Whether all verdicts, scores, standings and settings are equal."""
        same = all(
            item.outcome == "same" and not any(score.a != score.b for score in item.scores) for item in self.verdicts
        )
        return same and not self.standings and not self.settings


def compare_judgements(a: ComparisonSide, b: ComparisonSide) -> JudgementComparison:
    """Compare judgement A with judgement B. If a debate lacks the chosen judging run, its judgement has no verdicts."""
    first, second = _verdicts_by_system(a), _verdicts_by_system(b)
    traces = [build_trace_table(side.debate, None if side.run == LATEST_RUNS else side.run) for side in (a, b)]
    judged = tuple(sum(row.standing is not None for row in rows) for rows in traces)
    of_b = {row.id: row for row in traces[1]} if all(judged) else {}
    claims = [(row, of_b[row.id]) for row in traces[0] if row.id in of_b and row.claim == of_b[row.id].claim]
    return JudgementComparison(
        verdicts=tuple(
            _verdict_change(kind, first.get(kind), second.get(kind)) for kind in dict.fromkeys([*first, *second])
        ),
        standings=tuple(
            StandingChange(item=one.id, participant=one.participant, claim=one.claim, a=one.standing, b=other.standing)
            for one, other in claims
            if one.standing != other.standing
        ),
        compared_claims=len(claims),
        judged_claims=(judged[0], judged[1]),
        settings=_find_setting_differences(a, b),
    )


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


def _verdict_change(system: str, a: Verdict | None, b: Verdict | None) -> VerdictChange:
    of_a, of_b = (verdict.scores if verdict is not None else {} for verdict in (a, b))
    outcome: Literal["same", "victory", "winner", "one_sided"] = "same"
    if a is None or b is None:
        outcome = "one_sided"
    elif (a.winner, a.option) != (b.winner, b.option):
        outcome = "winner"
    elif a.victory != b.victory:
        outcome = "victory"
    scores: list[ScoreComparison] = []
    for name in dict.fromkeys([*of_a, *of_b]):
        one, other = of_a.get(name), of_b.get(name)
        change = None if one is None or other is None else round(other - one, _SCORE_CHANGE_DECIMALS)
        scores.append(ScoreComparison(participant=name, a=one, b=other, change=change))
    return VerdictChange(system=system, a=_side_verdict(a), b=_side_verdict(b), outcome=outcome, scores=tuple(scores))


def _side_verdict(verdict: Verdict | None) -> SideVerdict | None:
    if verdict is None:
        return None
    return SideVerdict(
        **{name: getattr(verdict, name) for name in SideVerdict.model_fields if name != "verdict"}, verdict=verdict
    )


def _find_setting_differences(a: ComparisonSide, b: ComparisonSide) -> tuple[SettingDifference, ...]:
    of_a, of_b = _systems_by_kind(a), _systems_by_kind(b)
    common = [kind for kind in of_a if kind in of_b]
    first, second = (
        _comparable_config(side, tuple(systems[kind] for kind in common)) for side, systems in ((a, of_a), (b, of_b))
    )
    found: list[SettingDifference] = []
    for difference in find_differences(first, second):
        key = difference.key
        if key.startswith(_SYSTEMS):
            index, _, rest = key.removeprefix(_SYSTEMS).partition(".")
            key = f"{_SYSTEMS}{common[int(index)]}.{rest}"
        found.append(SettingDifference(key=key, a=difference.stored, b=difference.given))
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
