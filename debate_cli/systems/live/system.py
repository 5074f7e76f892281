"""The judging system `live`. One judge marks every turn, compares every exchange and reads the whole debate."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.base import JudgeQuestion, JudgingSystem
from debate_cli.systems.charts import Chart
from debate_cli.systems.live import charts, exchange_question, narrative_question, score, tables, turn_question
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.tables import Table


class LiveSystem(JudgingSystem[LiveSettings]):
    """One judge marks every turn, compares every exchange and reads the whole debate."""

    kind = "live"
    settings = LiveSettings
    prompt_package = "debate_cli.systems.live"

    def question(self, brief: Brief) -> JudgeQuestion[LiveSettings, Any]:
        """How `brief` is asked."""
        match brief.subject.moment:
            case "turn":
                return turn_question.TURN_QUESTION
            case "pair":
                return exchange_question.PAIR_QUESTION
            case _ if brief.subject.turns:
                return narrative_question.CONVERGENCE_QUESTION
            case _:
                return (
                    narrative_question.RESOLUTION_QUESTION if brief.revision else narrative_question.NARRATIVE_QUESTION
                )

    def score(self, debate: Debate, run: JudgingRun | str, settings: LiveSettings) -> Verdict:
        """The verdict; its notes are `LiveNotes`."""
        return score.score_run(debate, run, settings)

    def max_score(self, verdict: Verdict) -> float:
        """The highest composite: 100."""
        del verdict
        return 100.0

    def tables(self, verdict: Verdict) -> list[Table]:
        """All numbers of the verdict."""
        return tables.tables(verdict) or super().tables(verdict)

    def charts(self, verdict: Verdict) -> list[Chart]:
        """What the HTML report draws."""
        return list(charts.charts(verdict))


SYSTEM = LiveSystem()
