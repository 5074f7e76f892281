"""The judging system `structured`."""

from collections.abc import Iterator
from typing import Any

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import iter_findings
from debate_cli.systems.base import (
    SOURCES_KIND,
    ArgumentMark,
    ClaimReview,
    JudgeQuestion,
    JudgeQuote,
    JudgingSystem,
    LiveReport,
)
from debate_cli.systems.charts import Chart
from debate_cli.systems.explanation import describe_scores
from debate_cli.systems.structured import score, tables
from debate_cli.systems.structured.findings import Fallacy, Insight, Trace
from debate_cli.systems.structured.settings import StructuredSettings
from debate_cli.systems.tables import Table, parse_notes


class _StructuredSystem(JudgingSystem[StructuredSettings]):
    kind = "structured"
    settings = StructuredSettings
    findings = (Fallacy, Trace, Insight)
    prompt_package = "debate_cli.systems.structured"
    highest_score = score.MAX_ARGUMENT_MARK
    reviews_claims = True

    def question(self, brief: Brief) -> JudgeQuestion[StructuredSettings, Any]:
        from debate_cli.systems.structured import questions

        return questions.STRUCTURED_QUESTION

    def waits_for(self, brief: Brief) -> tuple[str, ...]:
        return (SOURCES_KIND,)

    def unsuitable_reason(self, debate: Debate) -> str | None:
        if debate.turns and not score.scored_arguments(debate):
            return "has no arguments, so the judging system `structured` cannot judge it; use another system"
        return super().unsuitable_reason(debate)

    def score(self, debate: Debate, run: JudgingRun | str, settings: StructuredSettings) -> Verdict:
        return score.score_run(debate, run, settings)

    def min_score(self, verdict: Verdict) -> float:
        return score.MIN_ARGUMENT_MARK

    def explain(self, verdict: Verdict) -> str:
        notes = parse_notes(score.StructuredNotes, verdict)
        maxima = dict.fromkeys(notes.weights, score.MAX_ARGUMENT_MARK)
        return describe_scores(verdict, self.highest_score, notes.means, maxima, notes.weights)

    def quote(self, debate: Debate, verdict: Verdict) -> JudgeQuote | None:
        given = self.agreeing_assessments(debate, verdict)
        texts = [item.rationale for item in given] + [
            insight.key_insight for _, insight in iter_findings(given, Insight)
        ]
        return next((JudgeQuote(text) for text in texts if text.strip()), None)

    def argument_marks(self, verdict: Verdict) -> Iterator[ArgumentMark]:
        notes = parse_notes(score.StructuredNotes, verdict)
        for row in notes.arguments:
            for criterion, weight in notes.weights.items():
                mark = row.marks.get(criterion)
                yield ArgumentMark(row.id, row.participant, criterion, mark, score.MAX_ARGUMENT_MARK, weight, row.score)

    def review_claims(self, debate: Debate, run: str) -> ClaimReview | None:
        return score.review_claims(debate, run)

    def tables(self, verdict: Verdict) -> Iterator[Table]:
        return tables.tables(verdict)

    def charts(self, verdict: Verdict) -> Iterator[Chart]:
        return tables.charts(verdict)

    def live_report(self, assessment: Assessment, debate: Debate) -> LiveReport:
        items = {mark.item for mark in assessment.marks if mark.item}
        sentence = f"marked {len(items)} of {len(debate.arguments)} arguments"
        found = [
            f"{fallacy.name} {f'in {fallacy.item}' if fallacy.item else f'by {fallacy.participant}'}"
            for _, fallacy in iter_findings([assessment], Fallacy)
        ]
        if found:
            sentence += f", found {len(found)} {'fallacy' if len(found) == 1 else 'fallacies'}: {', '.join(found)}"
        return LiveReport(sentences=(sentence,))


SYSTEM = _StructuredSystem()
