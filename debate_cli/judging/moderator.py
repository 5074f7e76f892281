"""The moderator's two forms: a round, and the whole debate."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.assessment import Clash, Momentum, Summary, SummaryPoint
from debate_cli.domain.systems import Moderator
from debate_cli.judging import schema
from debate_cli.judging.rows import About, Case, Reading, Row, Tally, first_of_each, must_answer
from debate_cli.judging.transcript_view import literal
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.template import Prompts
from debate_cli.scoring.moderator import CATEGORIES, CLAIMED, ROUND_CRITERIA, TOLERANCE

NOBODY = "nobody"
STRESS = {
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
    momentum_toward: str = NOBODY
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


def round_form(case: Case[Moderator]) -> Form[RoundForm]:
    """Everyone who spoke in the round; clashes where several did, guidance only where it is asked for."""
    marks: dict[str, schema.Json] = {}
    for criterion in ROUND_CRITERIA:
        marks |= {f"{criterion}_reason": schema.text(100), criterion: schema.integer(0, 10)}
    marks["total"] = schema.integer(0, 30)
    heading = schema.one_of(case.names) if len(case.names) == 2 else schema.text(60)  # noqa: PLR2004 - two sides
    fields: dict[str, schema.Json] = {
        "scores": schema.each([schema.obj(participant=schema.const(name), **marks) for name in case.heard]),
        "summary": schema.listed(
            schema.obj(heading=heading, points=schema.listed(schema.text(100), 2, least=1)), max(2, len(case.names))
        ),
        **_clashes(case.heard),
        "consensus": schema.listed(schema.text(100), 2),
        "momentum_why": schema.text(120),
        "momentum_toward": schema.one_of((*case.heard, NOBODY)),
    }
    if case.settings.guidance:
        fields["guidance"] = schema.text(240, least=0)
    model = must_answer(RoundForm, "scores", "participant", case.heard)
    return Form(name="moderator_round", model=model, schema=schema.obj(**fields), lenient=True)


def _clashes(heard: tuple[str, ...]) -> dict[str, schema.Json]:
    """Who speaks alone meets nobody."""
    if len(heard) < 2:  # noqa: PLR2004 - it takes two
        return {}
    clash = schema.obj(
        about=schema.text(100),
        participants=schema.listed(schema.one_of(heard), len(heard), least=2),
        engaged={"type": "boolean"},
    )
    return {"clashes": schema.listed(clash, 2)}


def final_form(case: Case[Moderator]) -> Form[FinalForm]:
    """Thirteen categories for everyone who spoke, then the evaluation."""
    marks = {name: schema.integer(0, int(out_of)) for name, out_of in CATEGORIES.items()}
    scores = [
        schema.obj(participant=schema.const(name), reasoning=schema.text(200), **marks, total=schema.integer(0, 100))
        for name in case.heard
    ]
    return Form(
        name="moderator_final",
        model=must_answer(FinalForm, "scores", "participant", case.heard),
        schema=schema.obj(scores=schema.each(scores), evaluation=schema.text(400)),
        lenient=True,
    )


def fill(case: Case[Moderator], _prompts: Prompts) -> Mapping[str, str]:
    """Round, names, the format's stress, and whether to give guidance."""
    by = "participant" if len(case.names) == 2 else "subtopic"  # noqa: PLR2004 - two sides
    return {
        "round": str(case.brief.subject.round or ""),
        "participants": literal(case.heard),
        "stress": STRESS[case.debate.config.format.kind],
        "summary_by": by,
        "guidance": GUIDANCE if case.settings.guidance else "",
    }


GUIDANCE = (
    "At last give guidance for the next round, addressed to all: one or two sentences that gently bring back whoever "
    "strayed from the motion, take no side and reveal no scores; empty where none is needed."
)


def read_round(filled: RoundForm, case: Case[Moderator]) -> Reading:
    """Three marks with a reason per participant, the claimed total, the summary and the clashes."""
    tally = Tally()
    for entry in first_of_each(tally, filled.scores, lambda item: item.participant, case.heard):
        ours = 0.0
        for criterion in ROUND_CRITERIA:
            about = About(entry.participant, criterion, reason=getattr(entry, f"{criterion}_reason"))
            ours += tally.mark(about, getattr(entry, criterion), 0, 10)
        _claimed(tally, entry.participant, entry.total, ours, 30)
    tally.find(_summary(filled, case))
    for clash in filled.clashes:
        known = tuple(dict.fromkeys(name for name in clash.participants if name in case.names))
        if len(known) < len(set(clash.participants)):
            tally.warn(f"unknown: a participant of the clash about {clash.about!r} is not in the debate")
        if known:
            tally.find(Clash(participants=known, about=clash.about, engaged=clash.engaged))
    return tally.reading()


def read_final(filled: FinalForm, case: Case[Moderator]) -> Reading:
    """Thirteen marks and the claimed total per participant; the evaluation is the rationale."""
    tally = Tally()
    for entry in first_of_each(tally, filled.scores, lambda item: item.participant, case.heard):
        ours = 0.0
        for name, out_of in CATEGORIES.items():
            ours += tally.mark(About(entry.participant, name), getattr(entry, name), 0, out_of)
        _claimed(tally, entry.participant, entry.total, ours, 100, entry.reasoning)
    return tally.reading(filled.evaluation)


def _summary(filled: RoundForm, case: Case[Moderator]) -> Summary:
    toward = filled.momentum_toward if filled.momentum_toward in case.names else None
    return Summary(
        points=tuple(SummaryPoint(heading=item.heading, points=item.points) for item in filled.summary),
        consensus=filled.consensus,
        momentum=Momentum(toward=toward, why=filled.momentum_why) if filled.momentum_why else None,
        guidance=filled.guidance if case.settings.guidance else "",
    )


def _claimed(tally: Tally, participant: str, claimed: float, ours: float, out_of: float, reason: str = "") -> None:
    """Keep the judge's own total beside ours; it counts for nothing."""
    if abs(claimed - ours) > TOLERANCE:
        tally.warn(f"claimed_total: {participant} was given {claimed:g}, the marks add up to {ours:g}")
    tally.mark(About(participant, CLAIMED, reason=reason or None), claimed, 0, out_of)


ROUND = Row(
    purpose="judge.moderator.round", prompt="judge_moderator_round", fill=fill, form=round_form, read=read_round
)
FINAL = Row(
    purpose="judge.moderator.final", prompt="judge_moderator_final", fill=fill, form=final_form, read=read_final
)
