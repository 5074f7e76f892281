"""The question that asks a judge of a panel for a vote."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from debate_cli.domain.assessment import Mark
from debate_cli.judge_input.transcript_prompt import sanitize_takeovers, to_prompt_json
from debate_cli.llm.form import Form, FormModel, items, keep_if, share, text, whole_number
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, judge_form, unique_known_items
from debate_cli.systems.panel.settings import (
    MAX_DIMENSION_MARK,
    MIN_DIMENSION_MARK,
    PERSONA_WEIGHTS,
    PanelJudge,
    PanelSettings,
)
from debate_cli.systems.panel.votes import (
    Ballot,
    Vote,
    VoteOption,
    ballots_by_round,
    explains_change,
    find_disagreements,
)

MAX_SHOWN_REASON_CHARS = 300
"""Maximum number of characters of a judge's reasoning that other judges read. Longer reasoning is cut."""
MAX_FINDING_CHARS = 200
"""Maximum length of a critical finding or a required correction, in characters."""


class DimensionForm(FormModel):
    """A judge's mark in one dimension."""

    name: str
    value: int = whole_number(MIN_DIMENSION_MARK, MAX_DIMENSION_MARK)


class VoteForm(FormModel):
    """A judge's vote, marks and reasons."""

    reasoning: str = text(240)
    dimensions: tuple[DimensionForm, ...]
    option: VoteOption
    confidence: float = share()
    critical_findings: tuple[str, ...] = items(3, chars=MAX_FINDING_CHARS, default=())
    remediation_required: tuple[str, ...] = items(2, chars=MAX_FINDING_CHARS, default=())
    changed_because: str | None = text(least=0, default=None)


def _build_vote_form(context: JudgingContext[PanelSettings]) -> Form[VoteForm]:
    complete = {"dimensions": ("name", context.settings.dimensions)}
    return judge_form("panel_vote", VoteForm, complete, changed_because=keep_if(context.brief.revision > 0))


def _vote_prompt_values(context: JudgingContext[PanelSettings], prompts: Prompts) -> Mapping[str, str]:
    judge = next(judge for judge in context.settings.members if judge.id == context.brief.assessor)
    ballots = tuple(_previous_votes(context).values())
    divided = [item.about for item in find_disagreements(ballots, context.settings)]
    votes = {ballot.judge: to_prompt_json(_vote_for_prompt(ballot, divided)) for ballot in ballots}
    is_debate = bool(context.debate.participants)
    citing = " and quoting, word for word and in quotation marks, the passage that it is about"
    return {
        "persona": _format_persona(judge, prompts),
        "dimensions": to_prompt_json(context.settings.dimensions),
        "matter": "motion" if is_debate else "document",
        "where": 'name the turn, as in "turn 3 concedes the cost"' if is_debate else "name the passage of the document",
        "citing": "" if is_debate else citing,
        "own_vote": votes.get(context.brief.assessor, to_prompt_json(None)),
        "other_votes": "\n".join(vote for judge, vote in votes.items() if judge != context.brief.assessor),
        "divided": ", ".join(divided) or "nothing",
    }


def _read_vote_form(filled: VoteForm, context: JudgingContext[PanelSettings]) -> AssessmentContent:
    collector = MarkCollector()
    for entry in unique_known_items(collector, filled.dimensions, lambda item: item.name, context.settings.dimensions):
        collector.add_mark(None, entry.name, entry.value, (MIN_DIMENSION_MARK, MAX_DIMENSION_MARK))
    confidence = min(1.0, max(0.0, filled.confidence))
    if confidence != filled.confidence:
        collector.add_warnings(f"clamped: confidence {filled.confidence:g} is outside 0-1 and counts as {confidence:g}")
    because = (filled.changed_because or "").strip() or None
    before = _previous_votes(context).get(context.brief.assessor)
    changed = before is not None and before.option != filled.option
    if changed and not explains_change(because, context.debate):
        collector.add_warnings("unexplained_change: the judge changed its vote without a valid reason")
    collector.add_findings(
        Vote(
            option=filled.option,
            confidence=confidence,
            critical_findings=filled.critical_findings,
            remediation_required=filled.remediation_required,
            changed_because=because if changed else None,
        )
    )
    return collector.result(filled.reasoning)


def _format_persona(judge: PanelJudge, prompts: Prompts) -> str:
    if judge.description is None and judge.persona in PERSONA_WEIGHTS:
        return prompts.render("debate_cli.systems.panel", f"persona_{judge.persona}")
    return sanitize_takeovers(judge.description or judge.persona.replace("_", " "))


def _previous_votes(context: JudgingContext[PanelSettings]) -> dict[str, Ballot]:
    rounds = ballots_by_round(context.debate, context.brief.run, context.settings)
    earlier = [number for number in rounds if number < context.brief.revision]
    return {ballot.judge: ballot for ballot in (rounds[max(earlier)] if earlier else ())}


def carry_over_vote(context: JudgingContext[PanelSettings]) -> AssessmentContent | None:
    """Return the earlier vote of a judge who did not answer in time, with `late` set to True.

    None if the judge has not voted yet.
    """
    last = _previous_votes(context).get(context.brief.assessor)
    if last is None:
        return None
    return AssessmentContent(
        marks=tuple(
            Mark(participant=None, criterion=name, value=value, out_of=MAX_DIMENSION_MARK)
            for name, value in last.dimensions.items()
        ),
        findings=(last.vote.model_copy(update={"late": True, "changed_because": None}),),
        rationale=last.rationale,
        warnings=("late: the judge did not answer in time, so its last vote counts",),
    )


def _vote_for_prompt(ballot: Ballot, divided: Sequence[str]) -> dict[str, object]:
    findings = ballot.vote.critical_findings
    dimensions: list[dict[str, object]] = []
    for name, value in ballot.dimensions.items():
        naming = [text for text in findings if name in divided and name.casefold() in text.casefold()]
        dimensions.append({"name": name, "value": value, **({"finding": naming[0]} if naming else {})})
    return {
        "judge": ballot.judge,
        "vote": ballot.option,
        "confidence": ballot.vote.confidence,
        "reason": ballot.rationale[:MAX_SHOWN_REASON_CHARS],
        "dimensions": dimensions,
    }


VOTE_QUESTION = JudgeQuestion(
    "judge.panel.vote", "judge_panel_vote", _vote_prompt_values, _build_vote_form, _read_vote_form
)
DELIBERATION_QUESTION = replace(VOTE_QUESTION, prompt="judge_panel_deliberation")
