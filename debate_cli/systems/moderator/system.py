"""The judging system `moderator`."""

from collections.abc import Iterator
from typing import Any

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import iter_findings
from debate_cli.systems.base import (
    SOURCES_KIND,
    JudgeQuestion,
    JudgingSystem,
    LiveReport,
    PlannedCalls,
    Progress,
    round_briefs,
    sum_marks,
)
from debate_cli.systems.charts import Chart
from debate_cli.systems.explanation import describe_scores
from debate_cli.systems.moderator import questions, score, tables
from debate_cli.systems.moderator.criteria import FINAL, FINAL_SHARE, MAX_SCORE, ROUND, ROUND_SHARE
from debate_cli.systems.moderator.findings import Clash, DebateSummary, NonEngagement, Summary
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.tables import Table, parse_notes


class _ModeratorSystem(JudgingSystem[ModeratorSettings]):
    kind = "moderator"
    settings = ModeratorSettings
    findings = (Summary, Clash, NonEngagement, DebateSummary)
    prompt_package = "debate_cli.systems.moderator"
    highest_score = MAX_SCORE

    def briefs(
        self, debate: Debate, run: JudgingRun, settings: ModeratorSettings, progress: Progress
    ) -> Iterator[Brief]:
        yield from round_briefs(run.id, settings, progress.finished_rounds)
        yield from super().briefs(debate, run, settings, progress)

    def planned_calls(self, settings: ModeratorSettings, turns: int, rounds: int) -> PlannedCalls:
        return PlannedCalls(settings.judges * (rounds + 1), quoted_answers=rounds)

    def question(self, brief: Brief) -> JudgeQuestion[ModeratorSettings, Any]:
        return questions.ROUND_QUESTION if brief.subject.moment == "round" else questions.FINAL_QUESTION

    def waits_for(self, brief: Brief) -> tuple[str, ...]:
        return (SOURCES_KIND,)

    def awaited_briefs(
        self, debate: Debate, settings: ModeratorSettings, index: int, round_number: int | None
    ) -> Iterator[Brief]:
        if settings.guidance and round_number is not None and round_number > 1:
            yield from round_briefs(FIRST_RUN, settings, (round_number - 1,))

    def guidance(self, debate: Debate, settings: ModeratorSettings, round_number: int) -> str | None:
        if not settings.guidance:
            return None
        given = [
            item
            for item in debate.assessments_of_system(self.kind, FIRST_RUN)
            if item.subject.moment == "round" and item.subject.round == round_number - 1
        ]
        advice = (summary.guidance.strip() for _, summary in iter_findings(given, Summary))
        return "\n".join(filter(None, advice)) or None

    def score(self, debate: Debate, run: JudgingRun | str, settings: ModeratorSettings) -> Verdict:
        return score.score_run(debate, run, settings)

    def explain(self, verdict: Verdict) -> str:
        notes = parse_notes(score.ModeratorNotes, verdict)
        marks = {
            row.participant: {
                group: sum(row.categories[item] for item in items)
                for group, items in FINAL.groups.items()
                if row.categories.keys() >= set(items)
            }
            for row in notes.final
        }
        scores = describe_scores(verdict, MAX_SCORE, marks, FINAL.group_maxima, whole="the final evaluation")
        rounds = f"{ROUND_SHARE:.0%} of the mean points per round"
        final = f"{FINAL_SHARE:.0%} of the points in the final evaluation"
        return f"{scores} A score is {rounds} plus {final}." if scores else ""

    def tables(self, verdict: Verdict) -> Iterator[Table]:
        return tables.tables(verdict)

    def charts(self, verdict: Verdict) -> Iterator[Chart]:
        return tables.charts(verdict)

    def live_report(self, assessment: Assessment, debate: Debate) -> LiveReport:
        asked = ROUND if assessment.subject.moment == "round" else FINAL
        sentences: list[str] = []
        for name in dict.fromkeys(mark.participant for mark in assessment.marks):
            for group, criteria in asked.groups.items():
                own = [mark for mark in assessment.marks if mark.participant == name and mark.criterion in criteria]
                total = f"{sum(mark.value for mark in own):g}/{sum(mark.out_of for mark in own):g}"
                reasons = dict.fromkeys(mark.reason for mark in own if mark.reason)
                sentences += [f"{name}, {group.replace('_', ' ')} {total}: {reason.rstrip('.')}" for reason in reasons]
        for finding in assessment.findings:
            sentences += finding.describe() if isinstance(finding, self.findings) else ()
        totals = sum_marks(assessment.marks, asked.maxima)
        return LiveReport(totals, tuple(sentences))


SYSTEM = _ModeratorSystem()
