"""The moderator's two forms: a round, and the whole debate."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.assessment import Clash, Momentum, Summary, SummaryPoint
from debate_cli.domain.judging_config import ModeratorSettings
from debate_cli.judging.transcript_prompt import to_prompt_json
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.prompts import Prompts
from debate_cli.systems import form_schema
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, MarkSubject, require_entries, unique_known_items
from debate_cli.systems.moderator.score import (
    CLAIMED_TOTAL_CRITERION,
    CLAIMED_TOTAL_TOLERANCE,
    FINAL_CATEGORIES,
    ROUND_CRITERIA,
)

NO_MOMENTUM = "nobody"
FORMAT_EMPHASIS = {
    "structured": "This is a structured debate: weigh point-by-point engagement and keeping to the task of each round.",
    "semi_structured": "This is a semi-structured debate: weigh how productively follow-up questions were put and answered.",
    "free_flowing": "This is a free-flowing debate: weigh substance wherever it stands; there are no set tasks to keep to.",
}
"""What each format stresses."""


class RoundMarksForm(FormModel):
    """One participant's round."""

    participant: str
    argument_quality_reason: str
    argument_quality: int
    rebuttal_effectiveness_reason: str
    rebuttal_effectiveness: int
    strategic_positioning_reason: str
    strategic_positioning: int
    total: float


class PointsForm(FormModel):
    """Points under one heading."""

    heading: str
    points: tuple[str, ...]


class ClashForm(FormModel):
    """Where participants meet."""

    about: str
    participants: tuple[str, ...]
    engaged: bool


class RoundForm(FormModel):
    """A round."""

    scores: tuple[RoundMarksForm, ...]
    summary: tuple[PointsForm, ...] = ()
    clashes: tuple[ClashForm, ...] = ()
    consensus: tuple[str, ...] = ()
    momentum_why: str = ""
    momentum_toward: str = NO_MOMENTUM
    guidance: str = ""


class FinalMarksForm(FormModel):
    """One participant's whole debate."""

    participant: str
    reasoning: str
    evidence_based_claims: int
    logical_structure: int
    relevance: int
    comprehensiveness: int
    precision: int
    counter_evidence: int
    framing_control: int
    adaptability: int
    clarity: int
    persuasiveness: int
    tone_management: int
    concession_when_appropriate: int
    accuracy: int
    total: float


class FinalForm(FormModel):
    """The whole debate."""

    scores: tuple[FinalMarksForm, ...]
    evaluation: str


def build_round_form(case: JudgingContext[ModeratorSettings]) -> Form[RoundForm]:
    """Everyone who spoke in the round; clashes where several did, guidance only where it is asked for."""
    marks: dict[str, form_schema.JsonSchema] = {}
    for criterion in ROUND_CRITERIA:
        marks |= {f"{criterion}_reason": form_schema.string(100), criterion: form_schema.integer_between(0, 10)}
    marks["total"] = form_schema.integer_between(0, 30)
    heading = form_schema.one_of(case.debater_names) if len(case.debater_names) == 2 else form_schema.string(60)  # noqa: PLR2004 - two sides
    fields: dict[str, form_schema.JsonSchema] = {
        "scores": form_schema.fixed_array(
            [form_schema.object_of(participant=form_schema.const(name), **marks) for name in case.speakers]
        ),
        "summary": form_schema.array_of(
            form_schema.object_of(heading=heading, points=form_schema.array_of(form_schema.string(100), 2, least=1)),
            max(2, len(case.debater_names)),
        ),
        **_clash_properties(case.speakers),
        "consensus": form_schema.array_of(form_schema.string(100), 2),
        "momentum_why": form_schema.string(120),
        "momentum_toward": form_schema.one_of((*case.speakers, NO_MOMENTUM)),
    }
    if case.settings.guidance:
        fields["guidance"] = form_schema.string(240, least=0)
    model = require_entries(RoundForm, "scores", "participant", case.speakers)
    return Form(name="moderator_round", model=model, schema=form_schema.object_of(**fields), lenient=True)


def _clash_properties(heard: tuple[str, ...]) -> dict[str, form_schema.JsonSchema]:
    """Who speaks alone meets nobody."""
    if len(heard) < 2:  # noqa: PLR2004 - it takes two
        return {}
    clash = form_schema.object_of(
        about=form_schema.string(100),
        participants=form_schema.array_of(form_schema.one_of(heard), len(heard), least=2),
        engaged={"type": "boolean"},
    )
    return {"clashes": form_schema.array_of(clash, 2)}


def build_final_form(case: JudgingContext[ModeratorSettings]) -> Form[FinalForm]:
    """Thirteen categories for everyone who spoke, then the evaluation."""
    marks = {name: form_schema.integer_between(0, int(out_of)) for name, out_of in FINAL_CATEGORIES.items()}
    scores = [
        form_schema.object_of(
            participant=form_schema.const(name),
            reasoning=form_schema.string(200),
            **marks,
            total=form_schema.integer_between(0, 100),
        )
        for name in case.speakers
    ]
    return Form(
        name="moderator_final",
        model=require_entries(FinalForm, "scores", "participant", case.speakers),
        schema=form_schema.object_of(scores=form_schema.fixed_array(scores), evaluation=form_schema.string(400)),
        lenient=True,
    )


def moderator_prompt_values(case: JudgingContext[ModeratorSettings], _prompts: Prompts) -> Mapping[str, str]:
    """Round, names, the format's stress, and whether to give guidance."""
    by = "participant" if len(case.debater_names) == 2 else "subtopic"  # noqa: PLR2004 - two sides
    return {
        "round": str(case.brief.subject.round or ""),
        "participants": to_prompt_json(case.speakers),
        "stress": FORMAT_EMPHASIS[case.debate.config.format.kind],
        "summary_by": by,
        "guidance": GUIDANCE_INSTRUCTION if case.settings.guidance else "",
    }


GUIDANCE_INSTRUCTION = (
    "At last give guidance for the next round, addressed to all: one or two sentences that gently bring back whoever "
    "strayed from the motion, take no side and reveal no scores; empty where none is needed."
)


def read_round_form(filled: RoundForm, case: JudgingContext[ModeratorSettings]) -> AssessmentContent:
    """Three marks with a reason per participant, the claimed total, the summary and the clashes."""
    tally = MarkCollector()
    for entry in unique_known_items(tally, filled.scores, lambda item: item.participant, case.speakers):
        ours = 0.0
        for criterion in ROUND_CRITERIA:
            about = MarkSubject(entry.participant, criterion, reason=getattr(entry, f"{criterion}_reason"))
            ours += tally.add_mark(about, getattr(entry, criterion), 0, 10)
        _add_claimed_total(tally, entry.participant, entry.total, ours, 30)
    tally.add_findings(_build_summary(filled, case))
    for clash in filled.clashes:
        known = tuple(dict.fromkeys(name for name in clash.participants if name in case.debater_names))
        if len(known) < len(set(clash.participants)):
            tally.add_warnings(f"unknown: a participant of the clash about {clash.about!r} is not in the debate")
        if known:
            tally.add_findings(Clash(participants=known, about=clash.about, engaged=clash.engaged))
    return tally.result()


def read_final_form(filled: FinalForm, case: JudgingContext[ModeratorSettings]) -> AssessmentContent:
    """Thirteen marks and the claimed total per participant; the evaluation is the rationale."""
    tally = MarkCollector()
    for entry in unique_known_items(tally, filled.scores, lambda item: item.participant, case.speakers):
        ours = 0.0
        for name, out_of in FINAL_CATEGORIES.items():
            ours += tally.add_mark(MarkSubject(entry.participant, name), getattr(entry, name), 0, out_of)
        _add_claimed_total(tally, entry.participant, entry.total, ours, 100, entry.reasoning)
    return tally.result(filled.evaluation)


def _build_summary(filled: RoundForm, case: JudgingContext[ModeratorSettings]) -> Summary:
    toward = filled.momentum_toward if filled.momentum_toward in case.debater_names else None
    return Summary(
        points=tuple(SummaryPoint(heading=item.heading, points=item.points) for item in filled.summary),
        consensus=filled.consensus,
        momentum=Momentum(toward=toward, why=filled.momentum_why) if filled.momentum_why else None,
        guidance=filled.guidance if case.settings.guidance else "",
    )


def _add_claimed_total(
    tally: MarkCollector, participant: str, claimed: float, ours: float, out_of: float, reason: str = ""
) -> None:
    """Keep the judge's own total beside ours; it counts for nothing."""
    if abs(claimed - ours) > CLAIMED_TOTAL_TOLERANCE:
        tally.add_warnings(f"claimed_total: {participant} was given {claimed:g}, the marks add up to {ours:g}")
    tally.add_mark(MarkSubject(participant, CLAIMED_TOTAL_CRITERION, reason=reason or None), claimed, 0, out_of)


ROUND_QUESTION = JudgeQuestion(
    purpose="judge.moderator.round",
    prompt="judge_moderator_round",
    prompt_values=moderator_prompt_values,
    build_form=build_round_form,
    read_form=read_round_form,
)
FINAL_QUESTION = JudgeQuestion(
    purpose="judge.moderator.final",
    prompt="judge_moderator_final",
    prompt_values=moderator_prompt_values,
    build_form=build_final_form,
    read_form=read_final_form,
)
