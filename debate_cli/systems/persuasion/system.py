"""The judging system `persuasion`. Stance and conviction of the debaters, moved by every speech."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.base import JudgeQuestion, JudgingSystem
from debate_cli.systems.charts import Chart
from debate_cli.systems.persuasion import charts, questions, score, tables
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.tables import Table


class PersuasionSystem(JudgingSystem[PersuasionSettings]):
    """Stance and conviction of the debaters, moved by every speech."""

    kind = "persuasion"
    settings = PersuasionSettings
    prompt_package = "debate_cli.systems.persuasion"

    def question(self, brief: Brief) -> JudgeQuestion[PersuasionSettings, Any]:
        """How `brief` is asked."""
        del brief
        return questions.EFFECTS_QUESTION

    def score(self, debate: Debate, run: JudgingRun | str, settings: PersuasionSettings) -> Verdict:
        """The verdict; its notes are `PersuasionNotes`."""
        return score.score_run(debate, run, settings)

    def max_score(self, verdict: Verdict) -> float:
        """It depends on how many debate."""
        return score.max_score(len(verdict.scores))

    def tables(self, verdict: Verdict) -> list[Table]:
        """All numbers of the verdict."""
        return tables.tables(verdict) or super().tables(verdict)

    def charts(self, verdict: Verdict) -> list[Chart]:
        """What the HTML report draws."""
        return list(charts.charts(verdict))


SYSTEM = PersuasionSystem()
