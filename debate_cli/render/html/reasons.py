"""Judges' reasons, sorted by what they are about: a turn, a round, or the whole debate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.debate import Debate
from debate_cli.render import theme
from debate_cli.render.agreement import label_judging_system
from debate_cli.render.judge_report import finding_text


@dataclass(frozen=True, slots=True)
class MarkGroup:
    """The marks that a judge gave one debater, or one of its arguments."""

    name: str | None
    """None for marks on the debate itself."""
    item: str | None
    marks: tuple[str, ...]
    """`logic 7 of 10`"""
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgeReason:
    """What one judge said about one thing; all words are untrusted."""

    heading: str
    """What the judge was asked; where there are several judging runs, which of them."""
    model: str
    rationale: str
    marked: tuple[MarkGroup, ...]
    found: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgeReasons:
    """All reasons, each in one place."""

    turns: dict[int, tuple[JudgeReason, ...]]
    """Under the last turn that they are about."""
    rounds: dict[int, tuple[JudgeReason, ...]]
    whole: tuple[JudgeReason, ...]


def collect_judge_reasons(debate: Debate) -> JudgeReasons:
    """The reasons of every judging run; replaced ones no longer count and are left out."""
    counted = {(run.id, system.kind) for run in debate.runs for system in run.active_systems()}
    turns: dict[int, list[JudgeReason]] = defaultdict(list)
    rounds: dict[int, list[JudgeReason]] = defaultdict(list)
    whole: list[JudgeReason] = []
    for assessment in debate.assessments:
        if (assessment.run, assessment.system) not in counted:
            continue
        reason, subject = (
            _reason(assessment, label_judging_system(debate, assessment.system, assessment.run)),
            assessment.subject,
        )
        if subject.moment in ("turn", "pair") and subject.turns:
            turns[max(subject.turns)].append(reason)
        elif subject.moment == "round" and subject.round is not None:
            rounds[subject.round].append(reason)
        else:
            whole.append(reason)
    return JudgeReasons(
        {index: tuple(of) for index, of in turns.items()},
        {number: tuple(of) for number, of in rounds.items()},
        tuple(whole),
    )


def _reason(assessment: Assessment, called: str) -> JudgeReason:
    return JudgeReason(
        heading=_reason_heading(assessment, called),
        model=assessment.exchange.model,
        rationale=assessment.rationale,
        marked=tuple(_group_marks(assessment.marks)),
        found=tuple(sentence for finding in assessment.findings for sentence in finding_text(finding)),
        warnings=assessment.warnings,
    )


def _reason_heading(assessment: Assessment, called: str) -> str:
    """What the judge was asked; the live judge is asked for up to three things about the whole debate."""
    subject = assessment.subject
    if assessment.system != "live" or subject.moment != "debate":
        return theme.format_brief(assessment.brief, called)
    if subject.turns:
        return f"{called}, the debate's start and end"
    return f"{called}, narrative {'against scorecard' if assessment.revision else 'of the debate'}"


def _group_marks(marks: Iterable[Mark]) -> Iterable[MarkGroup]:
    """One entry per debater and argument, in the order in which they come."""
    grouped: dict[tuple[str | None, str | None], list[Mark]] = defaultdict(list)
    for mark in marks:
        grouped[mark.participant, mark.item].append(mark)
    for (name, item), of in grouped.items():
        yield MarkGroup(
            name,
            item,
            tuple(
                f"{mark.criterion.replace('_', ' ')} {theme.format_number(mark.value, 1)} of {mark.out_of:g}"
                for mark in of
            ),
            tuple(dict.fromkeys(mark.reason for mark in of if mark.reason)),
        )
