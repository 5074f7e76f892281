"""Failures and usage of some judging runs only."""

from render_support import START, debate, exchange, structured_assessment

from debate_cli.domain.debate import Debate, restrict_to_runs, usage_of_briefs
from debate_cli.domain.events import Failure, JudgingOpened, TaskFailed
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.tasks import Cue, Task

FIRST: Task = structured_assessment().brief
SECOND: Task = structured_assessment().brief.model_copy(update={"run": "r2"})
SPEECH: Task = Cue(index=9, round=3, phase="closing", speaker="Ada")


def debate_with_failures() -> Debate:
    """A debate judged twice, with a failed judge in each run and a failed debater."""
    failed = debate().apply(JudgingOpened(at=START, run="r2", judging=JudgingConfig()))
    for task in (FIRST, SECOND, SPEECH):
        failure = Failure(task=task, who="who", cause="abstained", message="m", final=True, exchange=exchange())
        failed = failed.apply(TaskFailed(at=START, failure=failure))
    return failed


def test_failures_of_other_runs_are_left_out() -> None:
    """Only failures of the chosen run and of debaters remain."""
    assert [item.task for item in restrict_to_runs(debate_with_failures(), {"r2"}).failures] == [SPEECH, SECOND]


def test_the_usage_of_a_run_is_that_of_its_calls() -> None:
    """The usage of a judging run does not count speeches."""
    assert usage_of_briefs(debate_with_failures(), lambda brief: brief.run == "r2").calls == 1
