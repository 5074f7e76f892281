"""The live judge's forms for the whole debate: narrative, its reconciliation with the scorecard, and convergence."""

from collections.abc import Mapping

from debate_cli.domain.assessment import Contradiction, DroppedPremise, Finding
from debate_cli.domain.verdict import Verdict
from debate_cli.judge_input.transcript_prompt import to_prompt_json
from debate_cli.llm.form import Form, FormModel, each_of, one_of, text
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.aggregation import ordered_assessments
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, judge_form, unique_known_items
from debate_cli.systems.live.findings import Arc, Convergence, ConvergenceOutcome, DebatePattern, Narrative, Resolution
from debate_cli.systems.live.score import dimension_shares
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.scoring import score

NO_WINNER = "even"


class ArcForm(FormModel):
    """How one participant developed over the debate."""

    participant: str
    arc: str = text()


class NarrativeForm(FormModel):
    """The debate told as a story."""

    arcs: tuple[ArcForm, ...]
    reasoning: str = text(240)
    winner: str


class ResolutionForm(FormModel):
    """Why narrative and scorecard name different winners."""

    explanation: str = text(320)
    pattern: DebatePattern = "none"


class ConvergenceForm(FormModel):
    """How the disagreement developed."""

    early: str = text()
    late: str = text()
    outcome: ConvergenceOutcome


def find_narrative(context: JudgingContext[LiveSettings]) -> Narrative | None:
    """The narrative of the brief's run; None if there is none yet."""
    for item in context.debate.assessments_of_system("live", context.brief.run):
        for finding in item.findings:
            if isinstance(finding, Narrative):
                return finding
    return None


def build_narrative_form(context: JudgingContext[LiveSettings]) -> Form[NarrativeForm]:
    """The form with an arc for every participant, then the winner."""
    arcs, winner = each_of("participant", context.speakers), one_of((*context.speakers, NO_WINNER))
    return judge_form("live_narrative", NarrativeForm, arcs=arcs, winner=winner)


def build_resolution_form(_context: JudgingContext[LiveSettings]) -> Form[ResolutionForm]:
    """The form with the explanation, then the pattern."""
    return judge_form("live_resolution", ResolutionForm)


def build_convergence_form(_context: JudgingContext[LiveSettings]) -> Form[ConvergenceForm]:
    """The form with the disagreement early and late, then the outcome."""
    return judge_form("live_convergence", ConvergenceForm)


def narrative_prompt_values(context: JudgingContext[LiveSettings], _prompts: Prompts) -> Mapping[str, str]:
    """Values of the prompt: the names of the speakers, and the inconsistencies that were found in their turns."""
    return {"participants": to_prompt_json(context.speakers), **_format_inconsistencies(context)}


def resolution_prompt_values(context: JudgingContext[LiveSettings], _prompts: Prompts) -> Mapping[str, str]:
    """Values of the prompt: narrative, scorecard, and the inconsistencies that were found in turns."""
    narrative = find_narrative(context)
    verdict = next(iter(score(context.debate, runs=context.brief.run, systems=("live",))), None)
    return {
        "narrative": to_prompt_json(narrative.model_dump(include={"winner", "reasoning"}) if narrative else None),
        "scorecard": to_prompt_json(_describe_scorecard(verdict) if verdict else None),
        **_format_inconsistencies(context),
    }


def _describe_scorecard(verdict: Verdict) -> dict[str, object]:
    """Winner, scores, and for each debater and dimension the mean share of the maximum, in percent."""
    shares = dimension_shares(verdict)
    return {
        "winner": verdict.winner,
        "scores": verdict.scores,
        "percent_of_maximum": {
            name: {dimension: round(100 * of[name]) for dimension, of in shares.items() if name in of}
            for name in verdict.scores
        },
    }


def _format_inconsistencies(context: JudgingContext[LiveSettings]) -> dict[str, str]:
    """Contradictions and dropped premises that were found in turns, for a prompt."""
    found: dict[type[Finding], list[object]] = {Contradiction: [], DroppedPremise: []}
    for item in ordered_assessments(context.debate, "live", context.brief.run):
        for finding in item.findings:
            if type(finding) in found:
                found[type(finding)].append(finding.model_dump(exclude={"kind"}))
    return {
        "contradictions": to_prompt_json(found[Contradiction]),
        "dropped_premises": to_prompt_json(found[DroppedPremise]),
    }


def convergence_prompt_values(context: JudgingContext[LiveSettings], _prompts: Prompts) -> Mapping[str, str]:
    """Values of the prompt: the numbers of the turns to compare, the first ones and the last ones."""
    first, second, *rest = context.brief.subject.turns
    return {"early": f"{first} and {second}", "late": " and ".join(map(str, rest))}


def read_narrative_form(filled: NarrativeForm, context: JudgingContext[LiveSettings]) -> AssessmentContent:
    """Read the narrative. A winner who did not take part is dropped."""
    collector = MarkCollector()
    arcs = tuple(unique_known_items(collector, filled.arcs, lambda item: item.participant, context.speakers))
    if filled.winner not in (*context.speakers, NO_WINNER):
        collector.add_warnings(f"unknown: {filled.winner!r} did not take part and cannot have won")
    collector.add_findings(
        Narrative(
            winner=filled.winner if filled.winner in context.speakers else None,
            reasoning=filled.reasoning,
            arcs=tuple(Arc(participant=item.participant, arc=item.arc) for item in arcs),
        )
    )
    return collector.result(filled.reasoning)


def read_resolution_form(filled: ResolutionForm, _context: JudgingContext[LiveSettings]) -> AssessmentContent:
    """The explanation and the pattern."""
    return AssessmentContent(
        findings=(Resolution(explanation=filled.explanation, pattern=filled.pattern),), rationale=filled.explanation
    )


def read_convergence_form(filled: ConvergenceForm, _context: JudgingContext[LiveSettings]) -> AssessmentContent:
    """The outcome of the comparison, as a finding."""
    return AssessmentContent(findings=(Convergence(outcome=filled.outcome, early=filled.early, late=filled.late),))


NARRATIVE_QUESTION = JudgeQuestion(
    "judge.live.narrative", "judge_live_narrative", narrative_prompt_values, build_narrative_form, read_narrative_form
)
RESOLUTION_QUESTION = JudgeQuestion(
    "judge.live.resolution",
    "judge_live_resolution",
    resolution_prompt_values,
    build_resolution_form,
    read_resolution_form,
)
CONVERGENCE_QUESTION = JudgeQuestion(
    "judge.live.convergence",
    "judge_live_convergence",
    convergence_prompt_values,
    build_convergence_form,
    read_convergence_form,
)
