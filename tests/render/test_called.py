"""What verdicts of one system are called beside each other: the same wherever they are shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from render_support import START, debate, scores_view, shown, structured_assessment

from debate_cli.app.score import CheckedFile, ScoredFile
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.verdict import Verdict
from debate_cli.render.ci import format_step_summary, format_workflow_commands
from debate_cli.render.html.index import render_index
from debate_cli.render.html.page import render_html
from debate_cli.render.plain import score_lines
from debate_cli.systems.scoring import score


def judged_twice() -> Debate:
    """Structured has judged as r1 and as r2; moderator as r1 alone."""
    judging = JudgingConfig.model_validate({"systems": ["structured"]})
    told = debate().apply(JudgingOpened(at=START, run="r2", judging=judging))
    return told.apply(
        AssessmentCompleted(at=START, assessment=structured_assessment().model_copy(update={"run": "r2"}))
    )


def scored(verdicts: tuple[Verdict, ...]) -> ScoredFile:
    """A file with these verdicts."""
    return ScoredFile("a.json", "a", "A motion", "complete", verdicts)


FORMS: dict[str, Callable[[tuple[Verdict, ...]], str]] = {
    "lines": lambda found: "\n".join(score_lines([scored(found)])),
    "table": lambda found: "".join(shown(part) for part in scores_view([scored(found)])),
    "workflow commands": lambda found: "\n".join(format_workflow_commands([CheckedFile(scored(found))])),
    "step summary": lambda found: format_step_summary([CheckedFile(scored(found))]),
    "index": lambda found: render_index([CheckedFile(scored(found))]),
    "page": lambda found: render_html(judged_twice(), found),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_verdicts_of_one_system_are_called_alike_everywhere(form: Callable[[tuple[Verdict, ...]], str]) -> None:
    """By system and judging run, the debate's own too; what judged but once is called by its system alone."""
    told = form(score(judged_twice(), runs="all"))
    assert [name in told for name in ("structured r2", "structured r1", "moderator r1", "(r2)", ", run r2")] == [
        True, True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["lines", "table", "workflow commands", "step summary", "index"])
def test_a_list_names_a_later_run_that_stands_alone(name: str) -> None:
    """Nothing else in a list of files says that it is not the debate's own judging which is shown."""
    later = [verdict for verdict in score(judged_twice(), runs="latest") if verdict.system == "structured"]
    assert "structured r2" in FORMS[name](tuple(later))
