"""The two questions of the moderator: one about a round, one about the whole debate."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import create_model

from debate_cli.domain.message_text import spell_number
from debate_cli.evidence.unspaced_scripts import count_words
from debate_cli.judge_input.transcript_prompt import to_prompt_json
from debate_cli.llm.form import Form, FormModel, items, one_of, some_of, text, whole_number
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import FormModelT, MarkCollector, judge_form, unique_known_items
from debate_cli.systems.moderator.criteria import FINAL, ROUND, CriterionSet
from debate_cli.systems.moderator.findings import Clash, DebateSummary, Momentum, NonEngagement, Summary, SummaryPoint
from debate_cli.systems.moderator.score import CLAIMED_TOTAL_CRITERION, CLAIMED_TOTAL_TOLERANCE
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.source_prompts import format_source_checks

NO_MOMENTUM = "even"
FORMAT_EMPHASIS = {
    "structured": "This is a structured debate: weigh point-by-point engagement and whether each turn keeps to the task of its round.",
    "semi_structured": "This is a semi-structured debate: weigh how productively the participants asked and answered follow-up questions.",
    "free_flowing": "This is a free-flowing debate: weigh substance wherever it appears; the rounds have no set tasks.",
}


class MarksForm(FormModel):
    """Form in which a judge marks one participant. The program adds fields for reasons, marks and the judge's own total."""

    participant: str


class PointsForm(FormModel):
    """One heading in the summary of a round, with the points below it."""

    heading: str = text(60)
    points: tuple[str, ...] = items(2, least=1, chars=100)


class ClashForm(FormModel):
    """A point on which participants disagree."""

    about: str = text(100)
    participants: tuple[str, ...] = items(2, least=2)
    engaged: bool


class NonEngagementForm(FormModel):
    """A point that a participant left unanswered."""

    debater: str
    about: str = text(100)


class RoundForm(FormModel):
    """The judge's answers about one round."""

    scores: tuple[MarksForm, ...]
    summary: tuple[PointsForm, ...] = items(2, default=())
    clashes: tuple[ClashForm, ...] = items(2, default=())
    non_engagement: tuple[NonEngagementForm, ...] = items(2, default=())
    consensus: tuple[str, ...] = items(2, chars=100, default=())
    momentum_why: str = text(120, default="")
    momentum_toward: str = NO_MOMENTUM
    guidance: str = text(240, default="")


class FinalForm(FormModel):
    """The judge's answers about the whole debate."""

    scores: tuple[MarksForm, ...]
    overall_summary: str = text(400, default="")
    evaluation: str = text(400)
    consistently_outperformed: tuple[str, ...] = items(1, default=())


def _with_marks(form: type[FormModelT], asked: CriterionSet, reason_chars: int) -> type[FormModelT]:
    fields: dict[str, Any] = {}
    for group, names in asked.groups.items():
        fields[f"{group}_reason"] = (str, text(reason_chars))
        fields |= {name: (int, whole_number(0, asked.maxima[name])) for name in names}
    fields["total"] = (float | None, whole_number(0, asked.total, default=None))
    marked: Any = create_model("MarksForm", __base__=MarksForm, **fields)
    scores: Any = (tuple[marked, ...], ...)
    return create_model(form.__name__, __base__=form, scores=scores)


_ROUND_FORM = _with_marks(RoundForm, ROUND, 100)
_FINAL_FORM = _with_marks(FinalForm, FINAL, 120)


def _build_round_form(context: JudgingContext[ModeratorSettings]) -> Form[RoundForm]:
    names, speakers = context.debater_names, context.speakers
    pairs = len(speakers) * (len(speakers) - 1) // 2
    return judge_form(
        "moderator_round",
        _ROUND_FORM,
        {"scores": ("participant", speakers)},
        summary={"maxItems": max(2, len(names))},
        heading=one_of(names) if len(names) == 2 else {},  # noqa: PLR2004 - two sides
        clashes={"maxItems": min(6, max(2, pairs))} if pairs else None,
        participants=some_of(speakers, least=2),
        non_engagement={"maxItems": max(2, len(speakers))},
        debater=one_of(speakers),
        momentum_toward=one_of((*speakers, NO_MOMENTUM)),
    )


def _build_final_form(context: JudgingContext[ModeratorSettings]) -> Form[FinalForm]:
    outperformed = some_of(context.speakers) | {"maxItems": max(1, len(context.speakers) - 1)}
    complete = {"scores": ("participant", context.speakers)}
    return judge_form("moderator_final", _FINAL_FORM, complete, consistently_outperformed=outperformed)


def _moderator_prompt_values(context: JudgingContext[ModeratorSettings], _prompts: Prompts) -> Mapping[str, str]:
    is_pair = len(context.debater_names) == 2  # noqa: PLR2004 - two sides
    subject = context.brief.subject
    asked = ROUND if subject.moment == "round" else FINAL
    checks = format_source_checks(context.debate, context.brief.run, subject.round)
    engagement = "Look at how each participant engages with every other participant, not only with the first speaker."
    return {
        "round": str(subject.round or ""),
        "count": spell_number(len(asked.groups)),
        "criteria": _format_round_criteria() if asked is ROUND else _format_final_criteria(),
        "total": str(asked.total),
        "participants": to_prompt_json(context.speakers),
        "stress": FORMAT_EMPHASIS[context.debate.config.format.kind],
        "summary_by": "participant" if is_pair else "subtopic",
        "engagement": "" if is_pair else engagement,
        "spoken": _format_spoken_words(context),
        "sources": f"\n\n{checks}" if checks else "",
    }


def _format_round_criteria() -> str:
    return "\n".join(f"- {criterion.name}: {criterion.asks}" for criterion in ROUND.criteria)


def _format_final_criteria() -> str:
    lines = {item.name: f"{item.name} (0-{item.most}): {item.asks}" for item in FINAL.criteria}
    return "\n".join(
        "\n  - ".join((f"- {group.replace('_', ' ')}", *(lines[name] for name in names)))
        for group, names in FINAL.groups.items()
    )


def _format_spoken_words(context: JudgingContext[ModeratorSettings]) -> str:
    if context.debate.config.format.kind != "free_flowing":
        return ""
    words = dict.fromkeys(context.debater_names, 0)
    for turn in context.debate.turns:
        if turn.round <= (context.brief.subject.round or turn.round):
            words[turn.speaker] += count_words(turn.text)
    return f"Invite those who spoke least to speak up; words spoken so far: {to_prompt_json(words)}."


def _read_round_form(filled: RoundForm, context: JudgingContext[ModeratorSettings]) -> AssessmentContent:
    collector = MarkCollector()
    _add_marks(collector, filled.scores, context, ROUND)
    toward = filled.momentum_toward if filled.momentum_toward in context.debater_names else None
    collector.add_findings(
        Summary(
            points=tuple(SummaryPoint(heading=item.heading, points=item.points) for item in filled.summary),
            consensus=filled.consensus,
            momentum=Momentum(toward=toward, why=filled.momentum_why) if filled.momentum_why else None,
            guidance=filled.guidance,
        )
    )
    for clash in filled.clashes:
        if named := _known_debaters(collector, clash.participants, f"in the clash over {clash.about!r}", context):
            collector.add_findings(Clash(participants=named, about=clash.about, engaged=clash.engaged))
    for missed in filled.non_engagement:
        for name in _known_debaters(collector, (missed.debater,), f"as silent on {missed.about!r}", context):
            collector.add_findings(NonEngagement(participant=name, about=missed.about))
    return collector.result()


def _read_final_form(filled: FinalForm, context: JudgingContext[ModeratorSettings]) -> AssessmentContent:
    collector = MarkCollector()
    _add_marks(collector, filled.scores, context, FINAL)
    worse = _known_debaters(collector, filled.consistently_outperformed, "among the outperformed debaters", context)
    if filled.overall_summary or worse:
        collector.add_findings(DebateSummary(text=filled.overall_summary, consistently_outperformed=worse))
    return collector.result(filled.evaluation)


def _known_debaters(
    collector: MarkCollector, names: Iterable[str], where: str, context: JudgingContext[ModeratorSettings]
) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(names))
    known = tuple(name for name in named if name in context.debater_names)
    if known != named:
        collector.add_warnings(
            f"unknown: {where}, the judge names someone who is not in the debate, so this name is dropped"
        )
    return known


def _add_marks(
    collector: MarkCollector,
    entries: Iterable[MarksForm],
    context: JudgingContext[ModeratorSettings],
    asked: CriterionSet,
) -> None:
    for entry in unique_known_items(collector, entries, lambda item: item.participant, context.speakers):
        computed = 0.0
        for group, names in asked.groups.items():
            reason = getattr(entry, f"{group}_reason")
            for name in names:
                bounds = (0, asked.maxima[name])
                computed += collector.add_mark(entry.participant, name, getattr(entry, name), bounds, reason=reason)
        claimed: float | None = getattr(entry, "total")  # noqa: B009 - the completed form has this field
        if claimed is None:
            continue
        if abs(claimed - computed) > CLAIMED_TOTAL_TOLERANCE:
            collector.add_warnings(
                f"claimed_total: the judge gave {entry.participant} a total of {claimed:g}, but the marks add up to {computed:g}, and this sum counts"
            )
        collector.add_mark(entry.participant, CLAIMED_TOTAL_CRITERION, claimed, (0, asked.total))


ROUND_QUESTION = JudgeQuestion(
    "judge.moderator.round", "judge_moderator_round", _moderator_prompt_values, _build_round_form, _read_round_form
)
FINAL_QUESTION = JudgeQuestion(
    "judge.moderator.final", "judge_moderator_final", _moderator_prompt_values, _build_final_form, _read_final_form
)
