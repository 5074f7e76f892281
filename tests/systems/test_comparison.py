"""Two judgements side by side: what changed, in numbers and words, and what is not compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render_support import START, debate, exchange, structured_assessment

from debate_cli.app.compare import ComparisonSide, compare_judgments, judge_models_used, judging_cost
from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure, JudgingOpened, TaskFailed
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.tasks import Cue
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.findings import Trace

TOLD = debate()


def judged(told: Debate, assessment: Assessment) -> Debate:
    """The debate with `assessment` in the place of its structured one."""
    kept = [item for item in told.assessments if (item.system, item.run) != (assessment.system, assessment.run)]
    return told.with_assessments([*kept, assessment])


def marked(value: float, participant: str = "Ada") -> Debate:
    """The debate in which every structured mark of one debater is `value`."""
    marks = tuple(
        mark.model_copy(update={"value": value}) if mark.participant == participant else mark
        for mark in structured_assessment().marks
    )
    return judged(TOLD, structured_assessment().model_copy(update={"marks": marks}))


def standing(item: str, found: str) -> Debate:
    """The debate in which one claim was found to stand otherwise."""
    findings = tuple(
        finding.model_copy(update={"standing": found})
        if isinstance(finding, Trace) and finding.item == item
        else finding
        for finding in structured_assessment().findings
    )
    return judged(TOLD, structured_assessment().model_copy(update={"findings": findings}))


def claiming(claim: str) -> Debate:
    """The debate in which PRO-1 is another claim."""
    other = tuple(
        item.model_copy(update={"claim": claim}) if item.id == "PRO-1" else item
        for item in TOLD.turns[0].arguments or ()
    )
    turns = (TOLD.turns[0].model_copy(update={"arguments": other}), *TOLD.turns[1:])
    return Debate.model_validate({**TOLD.model_dump(), "turns": turns})


def rejudged(*, replaces: bool = False, **settings: Any) -> Debate:
    """The debate with a second run, in which `structured` judged it as in the first; `settings` are that system's."""
    judging = JudgingConfig.model_validate({"systems": [{"kind": "structured", **settings}]})
    opened = JudgingOpened(
        at=START, run="r2", judging=judging, models={"judge": ModelSpec(model="mock/other")}, replaces=replaces
    )
    told = TOLD.apply(opened)
    return told.with_assessments([*told.assessments, structured_assessment().model_copy(update={"run": "r2"})])


def test_a_debate_is_like_itself() -> None:
    """No change of any kind, and every claim was compared."""
    found = compare_judgments(ComparisonSide(TOLD), ComparisonSide(TOLD))
    assert found.alike
    assert [item.outcome for item in found.verdicts] == ["same", "same"]
    assert (found.standings, found.settings, found.compared_claims) == ((), (), 4)


@dataclass(frozen=True, slots=True)
class Case:
    """Marks of Ada on one side, and what becomes of the structured verdict (Bo wins narrowly on the other)."""

    value: float
    outcome: str


@pytest.mark.parametrize("case", [Case(10, "winner"), Case(1, "victory"), Case(6, "same")], ids=str)
def test_the_outcome_tells_how_far_the_verdict_changed(case: Case) -> None:
    """Another winner, the same in another way, or the same."""
    (structured, moderator) = compare_judgments(ComparisonSide(TOLD), ComparisonSide(marked(case.value))).verdicts
    assert (structured.outcome, moderator.outcome) == (case.outcome, "same")


def test_scores_are_told_with_their_change() -> None:
    """B minus A, per debater."""
    other = marked(10)
    (structured, _) = compare_judgments(ComparisonSide(TOLD), ComparisonSide(other)).verdicts
    before, after = score(TOLD)[0].scores, score(other)[0].scores
    assert {item.participant: (item.a, item.b) for item in structured.scores} == {
        name: (before[name], after[name]) for name in ("Ada", "Bo")
    }
    assert [item.change for item in structured.scores if item.participant == "Bo"] == [0]


@given(st.integers(1, 10), st.integers(1, 10))
def test_the_other_way_round_every_change_is_reversed(first: int, second: int) -> None:
    """Comparing B with A tells the same with the sign changed."""
    a, b = ComparisonSide(marked(first)), ComparisonSide(marked(second))
    there, back = compare_judgments(a, b), compare_judgments(b, a)
    assert [item.outcome for item in there.verdicts] == [item.outcome for item in back.verdicts]
    changes = [[item.change for verdict in found.verdicts for item in verdict.scores] for found in (there, back)]
    assert changes[0] == [None if change is None else -change for change in changes[1]]
    assert there.alike == back.alike == (first == second)


def test_a_standing_that_changed_is_told() -> None:
    """With the claim, who made it, and both standings; the others are not."""
    (changed,) = compare_judgments(ComparisonSide(TOLD), ComparisonSide(standing("PRO-2", "REFUTED"))).standings
    assert (changed.item, changed.participant, changed.a, changed.b) == ("PRO-2", "Ada", "UPHELD", "REFUTED")


def test_another_claim_of_the_same_id_is_not_compared() -> None:
    """PRO-1 of another debate is another claim, whatever its standing."""
    found = compare_judgments(ComparisonSide(TOLD), ComparisonSide(claiming("Something else altogether is said here.")))
    assert (found.compared_claims, found.standings) == (3, ())


def test_without_a_structured_judge_no_standing_is_compared() -> None:
    """It did not change: nobody was asked."""
    kept = [item for item in TOLD.assessments if item.system != "structured"]
    found = compare_judgments(ComparisonSide(TOLD), ComparisonSide(TOLD.with_assessments(kept)))
    assert (found.compared_claims, found.standings, found.judged_claims) == (0, (), (4, 0))


def test_a_setting_is_told_as_it_is_configured() -> None:
    """As data, not as words: nothing for what is not set, a number for a number."""
    (seed,) = compare_judgments(ComparisonSide(TOLD), ComparisonSide(debate(seed=9))).settings
    assert (seed.a, seed.b) == (None, 9)


def test_the_verdict_that_decides_is_marked() -> None:
    """On each side it is the first system's."""
    found = compare_judgments(ComparisonSide(TOLD), ComparisonSide(TOLD)).verdicts
    assert [(item.a is not None and item.a.decides, item.b is not None and item.b.decides) for item in found] == [
        (True, True),
        (False, False),
    ]


def test_the_models_that_judged_are_those_that_were_heard() -> None:
    """Each once; none of a system that no model was asked for."""
    assert judge_models_used(TOLD, "structured", "r1") == ("mock/judge",)
    assert judge_models_used(TOLD, "panel", "r1") == ()


def test_judging_costs_what_its_own_calls_cost() -> None:
    """Those of the named systems in the named runs; nothing for none, unknown with one unpriced."""
    costs = [item.exchange.cost_usd or 0 for item in TOLD.assessments if item.system == "moderator"]
    unpriced = structured_assessment().model_copy(update={"exchange": exchange().model_copy(update={"cost_usd": None})})
    assert judging_cost(TOLD, {"moderator": "r1"}) == pytest.approx(sum(costs))
    assert judging_cost(TOLD, {}) == 0
    assert judging_cost(judged(TOLD, unpriced), {"structured": "r1"}) is None


def test_a_judge_that_could_not_be_heard_costs_as_well() -> None:
    """Where it was asked in the named run; a speech that failed is not judging."""
    silent = structured_assessment().brief
    tasks = (
        silent,
        silent.model_copy(update={"run": "r2"}),
        Cue(index=9, round=3, phase="closing", speaker="Ada"),
    )
    told = TOLD
    for task in tasks:
        failure = Failure(task=task, who="judge", cause="abstained", message="m", final=True, exchange=exchange())
        told = told.apply(TaskFailed(at=START, failure=failure))
    before = judging_cost(TOLD, {"structured": "r1"})
    assert before is not None
    assert judging_cost(told, {"structured": "r1"}) == pytest.approx(before + 0.002)


def test_two_runs_of_one_debate() -> None:
    """A system that judged in one of them only stands on one side; the run's own model is told."""
    told = rejudged()
    found = compare_judgments(ComparisonSide(told, "r1"), ComparisonSide(told, "r2"))
    assert [(item.system, item.outcome) for item in found.verdicts] == [
        ("structured", "same"),
        ("moderator", "one_sided"),
    ]
    assert [(item.key, item.a, item.b) for item in found.settings] == [
        ("models.judge.model", "mock/judge", "mock/other")
    ]
    assert not found.alike


def test_a_system_is_called_by_its_kind() -> None:
    """Not by its place among the others, which may differ."""
    told = rejudged(weights={"logic": 1})
    keys = [item.key for item in compare_judgments(ComparisonSide(told, "r1"), ComparisonSide(told, "r2")).settings]
    assert "judging.systems.structured.weights.logic" in keys


def test_the_newest_run_counts_by_default() -> None:
    """Per system: structured of r2, moderator of r1."""
    found = compare_judgments(ComparisonSide(rejudged()), ComparisonSide(TOLD))
    assert [item.a.run for item in found.verdicts if item.a is not None] == ["r2", "r1"]


def test_what_was_replaced_concludes_nothing() -> None:
    """The first run's structured judgement no longer counts."""
    told = rejudged(replaces=True)
    outcomes = {
        item.system: item.outcome
        for item in compare_judgments(ComparisonSide(told, "r1"), ComparisonSide(told, "r2")).verdicts
    }
    assert outcomes == {"moderator": "one_sided", "structured": "one_sided"}


def test_limits_are_not_looked_at() -> None:
    """How much a debate may use says nothing of what it is; another seed does."""
    other = debate(limits={"max_tokens": 1000}, seed=9)
    assert [item.key for item in compare_judgments(ComparisonSide(TOLD), ComparisonSide(other)).settings] == ["seed"]


def test_a_debater_on_one_side_only_has_no_change() -> None:
    """Its score is told, the change is not."""
    marks = tuple(mark for mark in structured_assessment().marks if mark.participant == "Bo")
    other = judged(TOLD, structured_assessment().model_copy(update={"marks": tuple[Mark, ...](marks)}))
    (structured, _) = compare_judgments(ComparisonSide(TOLD), ComparisonSide(other)).verdicts
    ada = next(item for item in structured.scores if item.participant == "Ada")
    assert (ada.a is not None, ada.b, ada.change) == (True, None, None)
