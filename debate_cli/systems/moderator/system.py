"""The judging system `moderator`. A neutral chair marks every round and the whole debate."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.base import JudgeQuestion, JudgingSystem
from debate_cli.systems.charts import Chart
from debate_cli.systems.moderator import charts, questions, score, tables
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.tables import Table


class ModeratorSystem(JudgingSystem[ModeratorSettings]):
    """A neutral chair marks every round and the whole debate."""

    kind = "moderator"
    settings = ModeratorSettings
    prompt_package = "debate_cli.systems.moderator"

    def question(self, brief: Brief) -> JudgeQuestion[ModeratorSettings, Any]:
        """How `brief` is asked."""
        return questions.ROUND_QUESTION if brief.subject.moment == "round" else questions.FINAL_QUESTION

    def score(self, debate: Debate, run: JudgingRun | str, settings: ModeratorSettings) -> Verdict:
        """The verdict; its notes are `ModeratorNotes`."""
        return score.score_run(debate, run, settings)

    def max_score(self, verdict: Verdict) -> float:
        """A quarter of 30 and three quarters of 100: 82.5."""
        del verdict
        return score.MAX_MODERATOR_SCORE

    def tables(self, verdict: Verdict) -> list[Table]:
        """All numbers of the verdict."""
        return tables.tables(verdict) or super().tables(verdict)

    def charts(self, verdict: Verdict) -> list[Chart]:
        """What the HTML report draws."""
        return list(charts.charts(verdict))


SYSTEM = ModeratorSystem()
