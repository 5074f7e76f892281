"""The judging system `panel`. Several judges vote and deliberate until they agree enough."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.base import JudgeQuestion, JudgingSystem
from debate_cli.systems.charts import Chart
from debate_cli.systems.panel import charts, questions, score, tables
from debate_cli.systems.panel.settings import PanelSettings
from debate_cli.systems.tables import Table


class PanelSystem(JudgingSystem[PanelSettings]):
    """Several judges vote and deliberate until they agree enough."""

    kind = "panel"
    settings = PanelSettings
    prompt_package = "debate_cli.systems.panel"

    def question(self, brief: Brief) -> JudgeQuestion[PanelSettings, Any]:
        """How `brief` is asked."""
        return questions.DELIBERATION_QUESTION if brief.revision else questions.VOTE_QUESTION

    def score(self, debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> Verdict:
        """The verdict; its notes are `PanelNotes`."""
        return score.score_run(debate, run, settings)

    def max_score(self, verdict: Verdict) -> float:
        """The whole weight of the panel: 1."""
        del verdict
        return 1.0

    def tables(self, verdict: Verdict) -> list[Table]:
        """All numbers of the verdict."""
        return tables.tables(verdict) or super().tables(verdict)

    def charts(self, verdict: Verdict) -> list[Chart]:
        """What the HTML report draws."""
        return list(charts.charts(verdict))


SYSTEM = PanelSystem()
