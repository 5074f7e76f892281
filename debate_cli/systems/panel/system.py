"""The judging system `panel`."""

from collections.abc import Iterable, Iterator
from typing import Any

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import first_finding
from debate_cli.systems.base import (
    WHOLE_DEBATE,
    AssessmentContent,
    JudgeQuestion,
    JudgeQuote,
    JudgeVote,
    JudgingContext,
    JudgingSystem,
    LiveReport,
    PlannedCalls,
    Progress,
    Requirement,
    briefs_for,
)
from debate_cli.systems.charts import Chart
from debate_cli.systems.panel import questions, score, tables
from debate_cli.systems.panel.settings import PanelSettings
from debate_cli.systems.panel.votes import MIN_VOTES_TO_COMPARE, Vote, ballots_by_round, should_deliberate
from debate_cli.systems.tables import Table, format_number, format_share, parse_notes


class _PanelSystem(JudgingSystem[PanelSettings]):
    kind = "panel"
    settings = PanelSettings
    findings = (Vote,)
    judges_texts = True
    options = tables.VOTE_BADGES
    prompt_package = "debate_cli.systems.panel"
    unit = "weight"
    highest_score = 1.0
    scores_are_shares = True

    def briefs(self, debate: Debate, run: JudgingRun, settings: PanelSettings, progress: Progress) -> Iterator[Brief]:
        if not progress.is_over or self.unsuitable_reason(debate) is not None:
            return
        due = tuple(briefs_for(run.id, settings, WHOLE_DEBATE))
        yield from due
        rounds = ballots_by_round(debate, run, settings)
        last = max(rounds, default=-1) + should_deliberate(rounds, settings)
        for revision in range(1, last + 1):
            if not all(map(debate.is_settled, due)):
                return
            voters = {ballot.judge for number in rounds if number < revision for ballot in rounds[number]}
            again = briefs_for(run.id, settings, WHOLE_DEBATE, revision)
            due = tuple(brief for brief in again if brief.assessor in voters)
            yield from due

    def planned_calls(self, settings: PanelSettings, turns: int, rounds: int) -> PlannedCalls:
        judges = len(settings.members)
        may_deliberate = judges >= max(MIN_VOTES_TO_COMPARE, settings.min_judges)
        return PlannedCalls(judges, follow_ups=settings.max_rounds if may_deliberate else 0, quoted_answers=judges)

    def question(self, brief: Brief) -> JudgeQuestion[PanelSettings, Any]:
        return questions.DELIBERATION_QUESTION if brief.revision else questions.VOTE_QUESTION

    def late_answer(self, context: JudgingContext[PanelSettings]) -> AssessmentContent | None:
        return questions.carry_over_vote(context)

    def live_report(self, assessment: Assessment, debate: Debate) -> LiveReport:
        vote = first_finding([assessment], Vote)
        if vote is None:
            return super().live_report(assessment, debate)
        badge = tables.VOTE_BADGES[vote.option]._replace(word=vote.choice)
        return LiveReport(sentences=tuple(vote.reasons), vote=badge)

    def score(self, debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> Verdict:
        return score.score_run(debate, run, settings)

    def describe_brief(self, brief: Brief) -> str:
        return f"vote {brief.revision + 1}"

    def explain(self, verdict: Verdict) -> str:
        notes = parse_notes(score.PanelNotes, verdict)
        if notes.option is None:
            return ""
        meaning = tables.explain_options(verdict)
        if notes.judges == 1:
            return (
                f"One judge decides alone: {notes.rounds[-1].votes[0].judge} voted {notes.option}. {meaning}".rstrip()
            )
        share = notes.weights.get(notes.option, 0.0)
        others = "".join(
            f", {option} {format_share(weight)}"
            for option, weight in sorted(notes.weights.items(), key=lambda item: -item[1])
            if weight and option != notes.option
        )
        voted = f"{notes.option} has {format_share(share)} of the voting weight{others}"
        if verdict.is_tied:
            even = max(notes.weights.values())
            tied = " and ".join(option for option, weight in notes.weights.items() if weight == even)
            voted = f"{tied} each have {format_share(even)} of the voting weight, so the verdict is CONDITIONAL"
        rounds = notes.deliberation_rounds
        after = f"After {rounds} round{'' if rounds == 1 else 's'} of deliberation, " if rounds else ""
        agreed = (
            f"; agreement of votes and marks {format_number(notes.final_agreement)}"
            if notes.final_agreement is not None
            else ""
        )
        return f"{after}{voted}{agreed}. {meaning}".rstrip()

    def quote(self, debate: Debate, verdict: Verdict) -> JudgeQuote | None:
        notes = parse_notes(score.PanelNotes, verdict)
        final = notes.rounds[-1].votes if notes.rounds else ()
        votes = [vote for vote in final if vote.option == notes.option and vote.rationale.strip()]
        chosen = max(votes, key=lambda vote: vote.weight, default=None)
        return JudgeQuote(chosen.rationale, chosen.judge) if chosen is not None else None

    def votes(self, verdict: Verdict) -> Iterable[JudgeVote]:
        notes = parse_notes(score.PanelNotes, verdict)
        return map(_to_vote, notes.rounds[-1].votes if notes.rounds else ())

    def dissent(self, verdict: Verdict) -> Iterable[JudgeVote]:
        return map(_to_vote, parse_notes(score.PanelNotes, verdict).dissent)

    def required_changes(self, verdict: Verdict) -> tuple[Requirement, ...]:
        return parse_notes(score.PanelNotes, verdict).required_changes

    def conditions(self, verdict: Verdict) -> tuple[Requirement, ...]:
        return score.find_conditions(parse_notes(score.PanelNotes, verdict))

    def tables(self, verdict: Verdict) -> Iterator[Table]:
        return tables.tables(verdict)

    def charts(self, verdict: Verdict) -> Iterator[Chart]:
        return tables.charts(verdict)


def _to_vote(row: score.BallotRow) -> JudgeVote:
    reasons = (*row.remediation_required, *row.critical_findings)
    return JudgeVote(row.judge, row.option, reasons or (row.rationale,), row.rationale)


SYSTEM = _PanelSystem()
