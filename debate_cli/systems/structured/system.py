"""The judging system `structured`. One judge reads the whole debate and marks every opening argument."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.base import JudgeQuestion, JudgingSystem
from debate_cli.systems.charts import Chart
from debate_cli.systems.structured import charts, questions, score, tables
from debate_cli.systems.structured.settings import StructuredSettings
from debate_cli.systems.tables import Table


class StructuredSystem(JudgingSystem[StructuredSettings]):
    """One judge reads the whole debate and marks every opening argument."""

    kind = "structured"
    settings = StructuredSettings
    prompt_package = "debate_cli.systems.structured"

    def question(self, brief: Brief) -> JudgeQuestion[StructuredSettings, Any]:
        """How `brief` is asked."""
        del brief
        return questions.STRUCTURED_QUESTION

    def score(self, debate: Debate, run: JudgingRun | str, settings: StructuredSettings) -> Verdict:
        """The verdict; its notes are `StructuredNotes`."""
        return score.score_run(debate, run, settings)

    def max_score(self, verdict: Verdict) -> float:
        """The highest mean of marks: 10."""
        del verdict
        return score.MAX_ARGUMENT_MARK

    def tables(self, verdict: Verdict) -> list[Table]:
        """All numbers of the verdict."""
        return tables.tables(verdict) or super().tables(verdict)

    def charts(self, verdict: Verdict) -> list[Chart]:
        """What the HTML report draws."""
        return list(charts.charts(verdict))


SYSTEM = StructuredSystem()
