"""The moderator's two questions: about a round, and about the whole debate."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.judging.transcript_prompt import to_prompt_json
from debate_cli.llm.form import (
    Form,
    FormModel,
    derive_schema,
    each_of,
    items,
    keep_if,
    one_of,
    some_of,
    text,
    whole_number,
)
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, MarkSubject, require_entries, unique_known_items
from debate_cli.systems.moderator.criteria import FINAL_CATEGORIES, ROUND_CRITERIA
from debate_cli.systems.moderator.findings import Clash, Momentum, Summary, SummaryPoint
from debate_cli.systems.moderator.score import CLAIMED_TOTAL_CRITERION, CLAIMED_TOTAL_TOLERANCE
from debate_cli.systems.moderator.settings import ModeratorSettings

NO_MOMENTUM = "nobody"
FORMAT_EMPHASIS = {
    "structured": "This is a structured debate: weigh point-by-point engagement and whether each turn keeps to the task of its round.",
    "semi_structured": "This is a semi-structured debate: weigh how productively the participants asked and answered follow-up questions.",
    "free_flowing": "This is a free-flowing debate: weigh substance wherever it appears; the rounds have no set tasks.",
}
"""The emphasis of the moderator in each format."""


class RoundMarksForm(FormModel):
    """The marks of one participant in a round."""

    participant: str
    argument_quality_reason: str = text(100)
    argument_quality: int = whole_number(0, 10)
    rebuttal_effectiveness_reason: str = text(100)
    rebuttal_effectiveness: int = whole_number(0, 10)
    strategic_positioning_reason: str = text(100)
    strategic_positioning: int = whole_number(0, 10)
    total: float = whole_number(0, 30)


class PointsForm(FormModel):
    """Points under one heading."""

    heading: str = text(60)
    points: tuple[str, ...] = items(2, least=1, chars=100)


class ClashForm(FormModel):
    """A point on which participants clash."""

    about: str = text(100)
    participants: tuple[str, ...] = items(2, least=2)
    engaged: bool


class RoundForm(FormModel):
    """The judgment of a round."""

    scores: tuple[RoundMarksForm, ...]
    summary: tuple[PointsForm, ...] = items(2, default=())
    clashes: tuple[ClashForm, ...] = items(2, default=())
    consensus: tuple[str, ...] = items(2, chars=100, default=())
    momentum_why: str = text(120, default="")
    momentum_toward: str = NO_MOMENTUM
    guidance: str = text(240, least=0, default="")


class FinalMarksForm(FormModel):
    """The marks of one participant for the whole debate."""

    participant: str
    reasoning: str = text(200)
    evidence_based_claims: int = whole_number(0, 10)
    logical_structure: int = whole_number(0, 10)
    relevance: int = whole_number(0, 10)
    comprehensiveness: int = whole_number(0, 10)
    precision: int = whole_number(0, 10)
    counter_evidence: int = whole_number(0, 5)
    framing_control: int = whole_number(0, 10)
    adaptability: int = whole_number(0, 10)
    clarity: int = whole_number(0, 5)
    persuasiveness: int = whole_number(0, 5)
    tone_management: int = whole_number(0, 5)
    concession_when_appropriate: int = whole_number(0, 5)
    accuracy: int = whole_number(0, 5)
    total: float = whole_number(0, 100)


class FinalForm(FormModel):
    """The judgment of the whole debate."""

    scores: tuple[FinalMarksForm, ...]
    evaluation: str = text(400)


def build_round_form(context: JudgingContext[ModeratorSettings]) -> Form[RoundForm]:
    """The form for everyone who spoke in the round, with clashes if several spoke, and guidance if it is requested."""
    names, speakers = context.debater_names, context.speakers
    schema = derive_schema(
        RoundForm,
        scores=each_of("participant", speakers),
        summary={"maxItems": max(2, len(names))},
        heading=one_of(names) if len(names) == 2 else {},  # noqa: PLR2004 - two sides
        clashes=keep_if(len(speakers) > 1),
        participants=some_of(speakers, least=2),
        momentum_toward=one_of((*speakers, NO_MOMENTUM)),
        guidance=keep_if(context.settings.guidance),
    )
    model = require_entries(RoundForm, "scores", "participant", speakers)
    return Form(name="moderator_round", model=model, schema=schema, lenient=True)


def build_final_form(context: JudgingContext[ModeratorSettings]) -> Form[FinalForm]:
    """The form with thirteen categories for everyone who spoke, and an evaluation."""
    return Form(
        name="moderator_final",
        model=require_entries(FinalForm, "scores", "participant", context.speakers),
        schema=derive_schema(FinalForm, scores=each_of("participant", context.speakers)),
        lenient=True,
    )


def moderator_prompt_values(context: JudgingContext[ModeratorSettings], _prompts: Prompts) -> Mapping[str, str]:
    """Values of the prompt: round, names, emphasis of the format, and the request for guidance."""
    by = "participant" if len(context.debater_names) == 2 else "subtopic"  # noqa: PLR2004 - two sides
    return {
        "round": str(context.brief.subject.round or ""),
        "participants": to_prompt_json(context.speakers),
        "stress": FORMAT_EMPHASIS[context.debate.config.format.kind],
        "summary_by": by,
        "guidance": GUIDANCE_INSTRUCTION if context.settings.guidance else "",
    }


GUIDANCE_INSTRUCTION = (
    "Finally, write guidance for the next round, addressed to all: one or two sentences that gently redirect anyone who strayed "
    "from the motion, take no side and reveal no scores. Leave it empty if none is needed."
)


def read_round_form(filled: RoundForm, context: JudgingContext[ModeratorSettings]) -> AssessmentContent:
    """Three marks with a reason per participant, the claimed total, the summary and the clashes."""
    collector = MarkCollector()
    for entry in unique_known_items(collector, filled.scores, lambda item: item.participant, context.speakers):
        ours = 0.0
        for criterion in ROUND_CRITERIA:
            about = MarkSubject(entry.participant, criterion, reason=getattr(entry, f"{criterion}_reason"))
            ours += collector.add_mark(about, getattr(entry, criterion), 0, 10)
        _add_claimed_total(collector, entry.participant, entry.total, ours, 30)
    collector.add_findings(_build_summary(filled, context))
    for clash in filled.clashes:
        known = tuple(dict.fromkeys(name for name in clash.participants if name in context.debater_names))
        if len(known) < len(set(clash.participants)):
            collector.add_warnings(f"unknown: a participant of the clash about {clash.about!r} is not in the debate")
        if known:
            collector.add_findings(Clash(participants=known, about=clash.about, engaged=clash.engaged))
    return collector.result()


def read_final_form(filled: FinalForm, context: JudgingContext[ModeratorSettings]) -> AssessmentContent:
    """Thirteen marks and the claimed total per participant; the evaluation is the rationale."""
    collector = MarkCollector()
    for entry in unique_known_items(collector, filled.scores, lambda item: item.participant, context.speakers):
        ours = 0.0
        for name, out_of in FINAL_CATEGORIES.items():
            ours += collector.add_mark(MarkSubject(entry.participant, name), getattr(entry, name), 0, out_of)
        _add_claimed_total(collector, entry.participant, entry.total, ours, 100, entry.reasoning)
    return collector.result(filled.evaluation)


def _build_summary(filled: RoundForm, context: JudgingContext[ModeratorSettings]) -> Summary:
    toward = filled.momentum_toward if filled.momentum_toward in context.debater_names else None
    return Summary(
        points=tuple(SummaryPoint(heading=item.heading, points=item.points) for item in filled.summary),
        consensus=filled.consensus,
        momentum=Momentum(toward=toward, why=filled.momentum_why) if filled.momentum_why else None,
        guidance=filled.guidance if context.settings.guidance else "",
    )


def _add_claimed_total(
    collector: MarkCollector, participant: str, claimed: float, ours: float, out_of: float, reason: str = ""
) -> None:
    """Store the judge's own total beside ours; it does not count."""
    if abs(claimed - ours) > CLAIMED_TOTAL_TOLERANCE:
        collector.add_warnings(
            f"claimed_total: the judge gave {participant} a total of {claimed:g}, but its marks add up to {ours:g}"
        )
    collector.add_mark(MarkSubject(participant, CLAIMED_TOTAL_CRITERION, reason=reason or None), claimed, 0, out_of)


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
