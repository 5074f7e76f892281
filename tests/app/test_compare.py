"""JudgementComparison of two judgements (`debate diff`): claims, settings, cost and runs. Outcomes and scores: `render/test_comparison.py`."""

from typing import Any

import pytest
from render_support import START, debate, exchange, structured_assessment, with_assessment

from debate_cli.app.compare import ComparisonSide, JudgementComparison, judging_cost
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure, JudgingOpened, TaskFailed
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.tasks import Cue

BASE = debate()


def with_structured(**fields: Any) -> Debate:
    """The debate with its structured assessment changed."""
    return with_assessment(BASE, structured_assessment().model_copy(update=fields))


def with_second_run(*, replaces: bool = False, **settings: Any) -> Debate:
    """The debate with a run r2 in which `structured`, with `settings`, gives the same assessment."""
    judging = JudgingConfig.model_validate({"systems": [{"kind": "structured", **settings}]})
    models = {"judge": ModelSpec(model="mock/other")}
    found = BASE.apply(JudgingOpened(at=START, run="r2", judging=judging, models=models, replaces=replaces))
    return found.with_assessments([*found.assessments, structured_assessment().model_copy(update={"run": "r2"})])


def test_different_claims_with_one_id_are_not_compared() -> None:
    """PRO-1 of another debate is another claim."""
    claim = "Something else altogether is said here."
    changed = tuple(
        item.model_copy(update={"claim": claim}) if item.id == "PRO-1" else item
        for item in BASE.turns[0].arguments or ()
    )
    turns = (BASE.turns[0].model_copy(update={"arguments": changed}), *BASE.turns[1:])
    other = Debate.model_validate({**BASE.model_dump(), "turns": turns})
    found = JudgementComparison(ComparisonSide(BASE), ComparisonSide(other))
    assert (len(found.claims), found.standings) == (3, ())


def test_standings_need_a_structured_assessment_on_both_sides() -> None:
    """A missing assessment is not a change."""
    kept = [item for item in BASE.assessments if item.system != "structured"]
    found = JudgementComparison(ComparisonSide(BASE), ComparisonSide(BASE.with_assessments(kept)))
    assert (len(found.claims), found.standings, found.judged_claims) == (0, (), (4, 0))


def test_settings_are_compared_as_plain_data() -> None:
    """None for a missing value, a number for a number; limits are not compared."""
    other = debate(limits={"max_tokens": 1000}, seed=9)
    settings = JudgementComparison(ComparisonSide(BASE), ComparisonSide(other)).settings
    assert [tuple(item) for item in settings] == [("seed", None, 9)]


def test_judging_cost_is_the_sum_of_the_named_systems() -> None:
    """0 without systems, None if one call has no price."""
    costs = [item.exchange.cost_usd or 0 for item in BASE.assessments if item.system == "moderator"]
    unpriced = with_structured(exchange=exchange().model_copy(update={"cost_usd": None}))
    assert judging_cost(BASE, {"moderator": "r1"}) == pytest.approx(sum(costs))
    assert judging_cost(BASE, {}) == 0
    assert judging_cost(unpriced, {"structured": "r1"}) is None


def test_judging_cost_includes_failed_calls_of_the_run() -> None:
    """Failures of other runs and of debaters do not count."""
    brief = structured_assessment().brief
    failed = BASE
    for task in (brief, brief.model_copy(update={"run": "r2"}), Cue(index=9, round=3, phase="closing", speaker="Ada")):
        failure = Failure(task=task, who="judge", cause="abstained", message="m", final=True, exchange=exchange())
        failed = failed.apply(TaskFailed(at=START, failure=failure))
    before = judging_cost(BASE, {"structured": "r1"})
    assert before is not None
    assert judging_cost(failed, {"structured": "r1"}) == pytest.approx(before + 0.002)


def test_two_runs_of_one_debate_can_be_compared() -> None:
    """A system with a verdict in one run only is one-sided; the model of the run is a setting."""
    other = with_second_run()
    found = JudgementComparison(ComparisonSide(other, "r1"), ComparisonSide(other, "r2"))
    assert [(item.system, item.outcome) for item in found.verdicts] == [
        ("structured", "same"),
        ("moderator", "one_sided"),
    ]
    assert [tuple(item) for item in found.settings] == [("models.judge.model", "mock/judge", "mock/other")]
    assert not found.is_identical


def test_the_newest_run_of_each_system_is_the_default() -> None:
    """Structured of r2, moderator of r1."""
    found = JudgementComparison(ComparisonSide(with_second_run()), ComparisonSide(BASE))
    assert [item.a.run for item in found.verdicts if item.a is not None] == ["r2", "r1"]


def test_a_replaced_system_has_no_verdict() -> None:
    """r2 replaces the structured assessment of r1."""
    other = with_second_run(replaces=True)
    found = JudgementComparison(ComparisonSide(other, "r1"), ComparisonSide(other, "r2"))
    assert {item.system: item.outcome for item in found.verdicts} == {
        "moderator": "one_sided",
        "structured": "one_sided",
    }


def test_a_participant_scored_on_one_side_has_no_change() -> None:
    """Its one score is listed."""
    other = with_structured(marks=tuple(mark for mark in structured_assessment().marks if mark.participant == "Bo"))
    (structured, _) = JudgementComparison(ComparisonSide(BASE), ComparisonSide(other)).verdicts
    ada = next(item for item in structured.scores() if item.participant == "Ada")
    assert (ada.a is not None, ada.b, ada.change) == (True, None, None)


def test_the_newest_of_several_runs_is_compared() -> None:
    """It is the last one by number, even if an older run of its comparison of models gave no verdict."""
    judging = JudgingConfig.model_validate({"systems": [{"kind": "structured"}]})
    found = BASE
    for run, beside in (("r2", None), ("r3", "r2")):
        found = found.apply(JudgingOpened(at=START, run=run, judging=judging, models={}, beside=beside))
    silent, full = (
        structured_assessment().model_copy(update=fields) for fields in ({"run": "r2", "marks": ()}, {"run": "r3"})
    )
    found = found.with_assessments([*BASE.assessments, silent, full])
    newest = JudgementComparison(ComparisonSide(BASE), ComparisonSide(found)).verdicts[0].b
    assert newest is not None
    assert (newest.run, newest.victory == "undetermined") == ("r3", False)
