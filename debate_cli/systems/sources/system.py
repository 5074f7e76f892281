"""The judging system `sources`."""

from collections.abc import Iterator
from typing import Any

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import judge_ids
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.evidence.source_checks import check_sources
from debate_cli.systems.aggregation import iter_findings
from debate_cli.systems.base import (
    JudgeQuestion,
    JudgingSystem,
    LiveReport,
    PlannedCalls,
    Progress,
    round_briefs,
)
from debate_cli.systems.debate_tables import SOURCE_BADGES
from debate_cli.systems.source_support import (
    SourceLookup,
    SourceSupport,
    citation_key,
    describe_lookups,
    lookup_items,
)
from debate_cli.systems.sources import questions, score, tables
from debate_cli.systems.sources.settings import SourcesSettings
from debate_cli.systems.tables import Table, parse_notes


class _SourcesSystem(JudgingSystem[SourcesSettings]):
    kind = "sources"
    settings = SourcesSettings
    findings = (SourceSupport, SourceLookup)
    prompt_package = "debate_cli.systems.sources"
    unit = "credit"
    highest_score = 1.0
    scores_are_shares = True

    def briefs(self, debate: Debate, run: JudgingRun, settings: SourcesSettings, progress: Progress) -> Iterator[Brief]:
        rounds = score.judged_rounds(debate)
        yield from round_briefs(run.id, settings, (number for number in progress.finished_rounds if number in rounds))

    def planned_calls(self, settings: SourcesSettings, turns: int, rounds: int) -> PlannedCalls:
        return PlannedCalls(len(judge_ids(settings)) * rounds)

    def question(self, brief: Brief) -> JudgeQuestion[SourcesSettings, Any]:
        return questions.ROUND_QUESTION

    def lookup_queries(self, debate: Debate, brief: Brief) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.claim for item in lookup_items(debate, brief.subject.round)))

    def unsuitable_reason(self, debate: Debate) -> str | None:
        if debate.turns and not score.judged_rounds(debate):
            return (
                "neither cites nor names a source, so the judging system `sources` cannot judge it; use another system"
            )
        return super().unsuitable_reason(debate)

    def score(self, debate: Debate, run: JudgingRun | str, settings: SourcesSettings) -> Verdict:
        return score.score_run(debate, run, settings)

    def headline(self, verdict: Verdict) -> str:
        return " ".join(filter(None, (*_poor_citations(verdict), super().headline(verdict))))

    def live_report(self, assessment: Assessment, debate: Debate) -> LiveReport:
        outcomes = {citation_key(check): f"{SOURCE_BADGES[check.outcome].word}: " for check in check_sources(debate)}
        sentences = [
            f"{outcomes.get(citation_key(finding), '')}{sentence}"
            for _, finding in iter_findings([assessment], SourceSupport)
            for sentence in finding.describe()
        ]
        return LiveReport(sentences=(*sentences, *describe_lookups(assessment, debate)))

    def tables(self, verdict: Verdict) -> Iterator[Table]:
        return tables.tables(verdict)


def _poor_citations(verdict: Verdict) -> Iterator[str]:
    notes = parse_notes(score.SourcesNotes, verdict)
    kinds = {
        "altered": "Altered quotes",
        "not_found": "Quotes not found",
        "contradicted": "Contradicted by their source",
    }
    for name, label in kinds.items():
        counts = [f"{row.name} {getattr(row, name)}" for row in notes.debaters if getattr(row, name)]
        if counts:
            yield f"{label}: {', '.join(counts)}."


SYSTEM = _SourcesSystem()
