"""The live judge's forms for the whole debate: narrative, its reconciliation with the scorecard, and convergence."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.assessment import (
    Arc,
    Convergence,
    ConvergenceOutcome,
    Narrative,
    Pattern,
    Resolution,
)
from debate_cli.domain.systems import Live
from debate_cli.domain.verdict import Verdict
from debate_cli.judging import schema
from debate_cli.judging.rows import Case, Reading, Row, Tally, first_of_each
from debate_cli.judging.transcript_view import literal
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.template import Prompts
from debate_cli.scoring import score

PATTERNS: tuple[Pattern, ...] = ("coherence_collapse", "asymmetric_depth", "convergence_failure", "none")
OUTCOMES: tuple[ConvergenceOutcome, ...] = (
    "genuine_agreement",
    "definitional_dispute",
    "degree_disagreement",
    "degenerate_convergence",
    "sustained_disagreement",
)
NOBODY = "nobody"


class ArcForm(FormModel):
    """One participant's way through the debate."""

    participant: str
    arc: str


class NarrativeForm(FormModel):
    """The debate as a story."""

    arcs: tuple[ArcForm, ...]
    reasoning: str
    pattern: Pattern
    winner: str


class ResolutionForm(FormModel):
    """Why narrative and scorecard differ."""

    explanation: str


class ConvergenceForm(FormModel):
    """What became of the disagreement."""

    early: str
    late: str
    outcome: ConvergenceOutcome


def narrative_of(case: Case[Live]) -> Narrative | None:
    """The narrative already told in the brief's run, if it is."""
    for item in case.debate.of_system("live", case.brief.run):
        for finding in item.findings:
            if isinstance(finding, Narrative):
                return finding
    return None


def scorecard(case: Case[Live]) -> Verdict | None:
    """What the marks of the brief's run say."""
    return next(iter(score(case.debate, runs=case.brief.run, systems=("live",))), None)


def narrative_form(case: Case[Live]) -> Form[NarrativeForm]:
    """An arc for every participant, then the winner."""
    arcs = [schema.obj(participant=schema.const(name), arc=schema.text()) for name in case.heard]
    return Form(
        name="live_narrative",
        model=NarrativeForm,
        schema=schema.obj(
            arcs=schema.each(arcs),
            reasoning=schema.text(240),
            pattern=schema.one_of(PATTERNS),
            winner=schema.one_of((*case.heard, NOBODY)),
        ),
        lenient=True,
    )


def resolution_form(_case: Case[Live]) -> Form[ResolutionForm]:
    """One explanation."""
    return Form(
        name="live_resolution", model=ResolutionForm, schema=schema.obj(explanation=schema.text(320)), lenient=True
    )


def convergence_form(_case: Case[Live]) -> Form[ConvergenceForm]:
    """The disagreement early and late, then the outcome."""
    return Form(
        name="live_convergence",
        model=ConvergenceForm,
        schema=schema.obj(early=schema.text(), late=schema.text(), outcome=schema.one_of(OUTCOMES)),
        lenient=True,
    )


def fill(case: Case[Live], _prompts: Prompts) -> Mapping[str, str]:
    """The names."""
    return {"participants": literal(case.heard)}


def fill_resolution(case: Case[Live], _prompts: Prompts) -> Mapping[str, str]:
    """The two winners, the scores, and the narrative's reasons."""
    told, verdict = narrative_of(case), scorecard(case)
    return {
        "narrative": literal(told.model_dump(include={"winner", "reasoning", "pattern"}) if told else None),
        "scorecard": literal({"winner": verdict.winner, "scores": verdict.scores} if verdict else None),
    }


def fill_convergence(case: Case[Live], _prompts: Prompts) -> Mapping[str, str]:
    """Which turns are compared."""
    first, second, *rest = case.brief.subject.turns
    return {"early": f"{first} and {second}", "late": " and ".join(map(str, rest))}


def read_narrative(filled: NarrativeForm, case: Case[Live]) -> Reading:
    """The narrative; a winner who did not take part counts as none."""
    tally = Tally()
    arcs = tuple(first_of_each(tally, filled.arcs, lambda item: item.participant, case.heard))
    if filled.winner not in (*case.heard, NOBODY):
        tally.warn(f"unknown: {filled.winner!r} did not take part and cannot have won")
    tally.find(
        Narrative(
            winner=filled.winner if filled.winner in case.heard else None,
            reasoning=filled.reasoning,
            pattern=filled.pattern,
            arcs=tuple(Arc(participant=item.participant, arc=item.arc) for item in arcs),
        )
    )
    return tally.reading(filled.reasoning)


def read_resolution(filled: ResolutionForm, _case: Case[Live]) -> Reading:
    """The explanation."""
    return Reading(findings=(Resolution(explanation=filled.explanation),), rationale=filled.explanation)


def read_convergence(filled: ConvergenceForm, _case: Case[Live]) -> Reading:
    """The outcome."""
    return Reading(findings=(Convergence(outcome=filled.outcome, early=filled.early, late=filled.late),))


NARRATIVE = Row(
    purpose="judge.live.narrative", prompt="judge_live_narrative", fill=fill, form=narrative_form, read=read_narrative
)
RESOLUTION = Row(
    purpose="judge.live.resolution",
    prompt="judge_live_resolution",
    fill=fill_resolution,
    form=resolution_form,
    read=read_resolution,
)
CONVERGENCE = Row(
    purpose="judge.live.convergence",
    prompt="judge_live_convergence",
    fill=fill_convergence,
    form=convergence_form,
    read=read_convergence,
)
