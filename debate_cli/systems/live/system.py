"""The judging system `live`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from debate_cli.domain.assessment import Assessment, Finding, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.tasks import MOMENTS, Brief, Cue
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import iter_findings, ordered_assessments, stored_settings
from debate_cli.systems.base import (
    SOURCES_KIND,
    WHOLE_DEBATE,
    JudgeQuestion,
    JudgeQuote,
    JudgingSystem,
    LiveReport,
    PlannedCalls,
    Progress,
    ReportSection,
    TurnScore,
    briefs_for,
    pair_briefs,
    sum_marks,
    turn_briefs,
)
from debate_cli.systems.charts import Chart
from debate_cli.systems.explanation import describe_scores
from debate_cli.systems.live import questions, register, score, tables
from debate_cli.systems.live.calibration import (
    DIMENSION_MAXIMA,
    build_scorecard,
    pair_end_indices,
)
from debate_cli.systems.live.findings import (
    CausalChain,
    Convergence,
    LogicGap,
    Narrative,
    PairComparison,
    Pressure,
    RegisterDecision,
    Resolution,
    SuspectClaim,
    format_missing_parts,
)
from debate_cli.systems.live.personality_drift import build_personality_section, describe_pressure
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.tables import Table, format_number, parse_notes

WHOLE_DEBATE_NAMES = {
    score.NARRATIVE_REVISION: "narrative of the debate",
    score.RESOLUTION_REVISION: "narrative against scorecard",
    score.REVIEW_REVISION: "register review",
}


class _LiveSystem(JudgingSystem[LiveSettings]):
    kind = "live"
    settings = LiveSettings
    findings = (
        PairComparison, SuspectClaim, LogicGap, RegisterDecision, Narrative, Resolution, Convergence, Pressure, CausalChain,
    )  # fmt: skip
    prompt_package = "debate_cli.systems.live"
    highest_score = 100.0

    def briefs(self, debate: Debate, run: JudgingRun, settings: LiveSettings, progress: Progress) -> Iterator[Brief]:
        exchanges = (
            *turn_briefs(run.id, settings, progress.judgeable_turns),
            *_pair_briefs(debate, run.id, settings, progress.judgeable_turns),
        )
        yield from exchanges
        if not progress.is_over or not debate.turns:
            return
        if len(debate.turns) >= score.MIN_CONVERGENCE_TURNS:
            yield from briefs_for(run.id, settings, score.convergence_subject(debate))
        if not all(map(debate.is_settled, exchanges)):
            return
        revisions = (score.NARRATIVE_REVISION, score.REVIEW_REVISION)
        whole = tuple(brief for revision in revisions for brief in briefs_for(run.id, settings, WHOLE_DEBATE, revision))
        yield from whole
        if all(map(debate.is_settled, whole)) and score.has_narrative_conflict(debate, run, settings):
            yield from briefs_for(run.id, settings, WHOLE_DEBATE, revision=score.RESOLUTION_REVISION)

    def planned_calls(self, settings: LiveSettings, turns: int, rounds: int) -> PlannedCalls:
        planned = turns + max(0, turns - 1) + 2 + (turns >= score.MIN_CONVERGENCE_TURNS)
        return PlannedCalls(planned, follow_ups=1, quoted_answers=planned - 1)

    def question(self, brief: Brief) -> JudgeQuestion[LiveSettings, Any]:
        match brief.subject.moment:
            case "turn":
                return questions.TURN_QUESTION
            case "pair":
                return questions.PAIR_QUESTION
            case _ if brief.subject.turns:
                return questions.CONVERGENCE_QUESTION
            case _ if score.is_review(brief):
                return register.REVIEW_QUESTION
            case _ if brief.revision == score.RESOLUTION_REVISION:
                return questions.RESOLUTION_QUESTION
            case _:
                return questions.NARRATIVE_QUESTION

    def waits_for(self, brief: Brief) -> tuple[str, ...]:
        return (SOURCES_KIND,) if score.is_review(brief) else ()

    def awaited_briefs(
        self, debate: Debate, settings: LiveSettings, index: int, round_number: int | None
    ) -> tuple[Brief, ...]:
        if not settings.feedback or round_number is None:
            return ()
        turns = range(index)
        return (*turn_briefs(FIRST_RUN, settings, turns), *_pair_briefs(debate, FIRST_RUN, settings, turns))

    def instruct(self, debate: Debate, settings: LiveSettings, cue: Cue) -> str:
        return describe_pressure(debate, cue.speaker)

    def score(self, debate: Debate, run: JudgingRun | str, settings: LiveSettings) -> Verdict:
        return score.score_run(debate, run, settings)

    def describe_brief(self, brief: Brief) -> str:
        if brief.subject.moment != "debate":
            return super().describe_brief(brief)
        if brief.subject.turns:
            return "the debate's start and end"
        return WHOLE_DEBATE_NAMES.get(brief.revision, "the debate")

    def explain(self, verdict: Verdict) -> str:
        means = score.dimension_means(parse_notes(score.LiveNotes, verdict))
        return describe_scores(verdict, self.max_score(verdict), means, DIMENSION_MAXIMA)

    def quote(self, debate: Debate, verdict: Verdict) -> JudgeQuote | None:
        narrative = parse_notes(score.LiveNotes, verdict).narrative
        agrees = narrative is not None and narrative.winner == verdict.winner
        return JudgeQuote(narrative.reasoning) if narrative is not None and agrees else None

    def turn_scores(self, verdict: Verdict) -> dict[int, TurnScore]:
        return {
            row.turn: TurnScore(row.composite, {name: getattr(row, name) for name in DIMENSION_MAXIMA})
            for row in parse_notes(score.LiveNotes, verdict).turns
            if row.composite is not None
        }

    def tables(self, verdict: Verdict) -> Iterator[Table]:
        return tables.tables(verdict)

    def charts(self, verdict: Verdict) -> Iterator[Chart]:
        return tables.charts(verdict)

    def sections(self, debate: Debate) -> Iterator[ReportSection]:
        section = build_personality_section(debate)
        if section is not None:
            yield section

    def live_report(self, assessment: Assessment, debate: Debate) -> LiveReport:
        return _build_report(assessment, debate, stored_settings(debate, assessment.run, LiveSettings()))


def _pair_briefs(debate: Debate, run: str, settings: LiveSettings, turns: Sequence[int]) -> tuple[Brief, ...]:
    return pair_briefs(run, settings, [(end - 1, end) for end in pair_end_indices(debate.turns) if end in turns])


def _build_report(assessment: Assessment, debate: Debate, settings: LiveSettings) -> LiveReport:
    is_turn = assessment.subject.moment == "turn"
    marks = {mark.criterion: mark for mark in assessment.marks}
    shown = [marks[name] for name in DIMENSION_MAXIMA if name in marks]
    sentences = [", ".join(f"{mark.criterion} {format_number(mark.value, 1)}/{mark.out_of:g}" for mark in shown)]
    sentences += [sentence for finding in assessment.findings for sentence in _describe(finding)]
    if score.is_review(assessment):
        counts = Counter(decision.status for _, decision in iter_findings([assessment], RegisterDecision))
        sentences.append(", ".join(f"{counts[status]} {status}" for status in sorted(counts)) or "no entries")
    sentences += _describe_changes(assessment, debate, settings)
    return LiveReport(sum_marks(assessment.marks, DIMENSION_MAXIMA) if is_turn else (), tuple(filter(None, sentences)))


def _describe(finding: Finding) -> Iterable[str]:
    match finding:
        case CausalChain():
            return [f"the main argument lacks: {format_missing_parts(finding.missing)}"] if finding.missing else []
        case Narrative():
            return [f"{finding.winner or 'no debater'} is ahead"]
        case Manipulation() | Pressure() | RegisterDecision():
            return []
        case _:
            return finding.describe()


def _describe_changes(assessment: Assessment, debate: Debate, settings: LiveSettings) -> Iterator[str]:
    own = _reading_position(assessment)
    near = {turn + step for turn in _touched_turns(assessment) for step in (-1, 0, 1)}
    earlier = [
        item
        for item in ordered_assessments(debate, "live", assessment.run)
        if _reading_position(item) < own
        and (assessment.subject.moment == "debate" or not near.isdisjoint(_touched_turns(item)))
    ]
    before, after = (
        [
            *tables.list_changes(
                (*card.chain_limits, *card.calibrations),
                card.penalties,
                {turn: of.get("logic", 0.0) for turn, of in card.calibrated.items()},
            )
        ]
        for card in (build_scorecard(debate, given, settings) for given in (earlier, [*earlier, assessment]))
    )
    known = set(before)
    new = [item for item in after if item not in known]
    for item in sorted(new, key=lambda item: item.turn):
        change = f"{format_number(item.before, 1)} → {format_number(item.after, 1)}"
        yield f"turn {item.turn + 1} {item.dimension} {change}, {item.why}"


def _reading_position(assessment: Assessment) -> tuple[float, int, int]:
    subject = assessment.subject
    last = max(subject.turns, default=0) if subject.moment != "debate" else float("inf")
    return last, MOMENTS.index(subject.moment), assessment.revision


def _touched_turns(assessment: Assessment) -> set[int]:
    charged = (finding.turn for finding in assessment.findings if isinstance(finding, SuspectClaim | LogicGap))
    return {*assessment.subject.turns, *charged}


SYSTEM = _LiveSystem()
