"""The judging system `moderator`. A neutral chair marks every round and the whole debate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.base import (
    WHOLE_DEBATE,
    JudgeQuestion,
    JudgeQuote,
    JudgingSystem,
    LiveReport,
    PlannedCalls,
    Progress,
    briefs_for,
    sum_marks,
)
from debate_cli.systems.charts import Chart
from debate_cli.systems.explanation import ScoreComponent, describe_scores
from debate_cli.systems.moderator import charts, questions, score, tables
from debate_cli.systems.moderator.findings import Clash, Summary
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.tables import Table, parse_notes


class ModeratorSystem(JudgingSystem[ModeratorSettings]):
    """A neutral chair marks every round and the whole debate."""

    kind = "moderator"
    settings = ModeratorSettings
    findings = (Summary, Clash)
    prompt_package = "debate_cli.systems.moderator"
    suggestion_rank = 3

    def briefs(
        self, debate: Debate, run: JudgingRun, settings: ModeratorSettings, progress: Progress
    ) -> Iterator[Brief]:
        """Every finished round; the whole debate once it is over."""
        if not debate.turns:
            return
        for number in progress.finished_rounds:
            yield from briefs_for(run.id, settings, Subject(moment="round", round=number))
        if progress.is_over:
            yield from briefs_for(run.id, settings, WHOLE_DEBATE)

    def planned_calls(self, settings: ModeratorSettings, turns: int, rounds: int) -> PlannedCalls:
        """One question per chair and round, and one on the whole debate."""
        del turns
        return PlannedCalls(settings.judges * (rounds + 1), quoted_answers=rounds)

    def question(self, brief: Brief) -> JudgeQuestion[ModeratorSettings, Any]:
        """One question on a round, another on the whole debate."""
        return questions.ROUND_QUESTION if brief.subject.moment == "round" else questions.FINAL_QUESTION

    def awaited(
        self, debate: Debate, settings: ModeratorSettings, index: int, round_number: int | None
    ) -> Iterator[Brief]:
        """With guidance, a round waits for the judging of the round before it."""
        del debate, index
        if settings.guidance and round_number is not None and round_number > 1:
            yield from briefs_for(FIRST_RUN, settings, Subject(moment="round", round=round_number - 1))

    def guidance(self, debate: Debate, settings: ModeratorSettings, round_number: int) -> str | None:
        """The guidance that the chairs gave on the round before."""
        if not settings.guidance:
            return None
        given = [
            finding.guidance.strip()
            for item in debate.assessments_of_system(self.kind, FIRST_RUN)
            if item.subject.moment == "round" and item.subject.round == round_number - 1
            for finding in item.findings
            if isinstance(finding, Summary)
        ]
        return "\n".join(text for text in given if text) or None

    def score(self, debate: Debate, run: JudgingRun | str, settings: ModeratorSettings) -> Verdict:
        """The verdict; its notes are `ModeratorNotes`."""
        return score.score_run(debate, run, settings)

    def max_score(self, verdict: Verdict) -> float:
        """A quarter of 30 and three quarters of 100: 82.5."""
        del verdict
        return score.MAX_MODERATOR_SCORE

    def explain(self, verdict: Verdict) -> str:
        """The scores, and the group of categories with the largest difference in the final evaluation."""
        notes = parse_notes(score.ModeratorNotes, verdict)
        components: list[ScoreComponent] = []
        for title, items in tables.CATEGORY_GROUPS:
            most = sum(score.FINAL_CATEGORIES[item] for item in items)
            shares = {
                row.participant: sum(row.categories[item] for item in items) / most
                for row in (notes.final if notes is not None else ())
                if row.categories.keys() >= set(items)
            }
            weight = most / sum(score.FINAL_CATEGORIES.values())
            components.append(ScoreComponent(title, weight, "the final evaluation", shares))
        return describe_scores(verdict, self.max_score(verdict), components)

    def quote(self, debate: Debate, verdict: Verdict) -> JudgeQuote | None:
        """The first reasoning of an agreeing judge."""
        notes = parse_notes(score.ModeratorNotes, verdict)
        judges = {item.assessor for item in self.agreeing_assessments(debate, verdict)}
        reasoning = notes.reasoning if notes is not None else ()
        return next((JudgeQuote(item.text) for item in reasoning if item.assessor in judges), None)

    def tables(self, verdict: Verdict) -> list[Table]:
        """Scores, rounds and the final evaluation."""
        return tables.tables(verdict) or super().tables(verdict)

    def charts(self, verdict: Verdict) -> list[Chart]:
        """The final evaluation by category, and the rounds."""
        return list(charts.charts(verdict))

    def live_report(self, assessment: Assessment, debate: Debate) -> LiveReport:
        """Sums of marks; of a round also the reasons, the summary and the clashes."""
        del debate
        if assessment.subject.moment != "round":
            return LiveReport(sum_marks(assessment.marks, score.FINAL_CATEGORIES))
        sentences = [
            f"{mark.participant}, {mark.criterion.replace('_', ' ')} {mark.value:g}: {mark.reason.rstrip('.')}"
            for mark in assessment.marks
            if mark.participant is not None and mark.criterion in score.ROUND_CRITERIA and mark.reason
        ]
        found = [finding for finding in assessment.findings if isinstance(finding, Summary | Clash)]
        sentences += [sentence for finding in found for sentence in finding.describe()]
        return LiveReport(sum_marks(assessment.marks, score.ROUND_CRITERIA), tuple(sentences))


SYSTEM = ModeratorSystem()
