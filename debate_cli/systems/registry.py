"""The judging systems as rows of one table: what a brief asks of a model, and how the answer is read."""

from __future__ import annotations

import re
from typing import Any

from debate_cli.domain.assessment import SYSTEM_KINDS
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.suggestions import closest_match, format_suggestion_or_list
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.errors import UsageError
from debate_cli.systems.base import JudgeQuestion
from debate_cli.systems.live import exchange_question, narrative_question, turn_question
from debate_cli.systems.moderator import questions as moderator_questions
from debate_cli.systems.panel import questions as panel_questions
from debate_cli.systems.persuasion import questions as persuasion_questions
from debate_cli.systems.structured import questions as structured_questions

QuestionKey = tuple[str, str, bool]
"""System, what it judges (a moment, or `convergence`), and whether an earlier revision stands behind it."""

QUESTIONS: dict[QuestionKey, JudgeQuestion[Any, Any]] = {
    ("structured", "debate", False): structured_questions.STRUCTURED_QUESTION,
    ("moderator", "round", False): moderator_questions.ROUND_QUESTION,
    ("moderator", "debate", False): moderator_questions.FINAL_QUESTION,
    ("panel", "debate", False): panel_questions.VOTE_QUESTION,
    ("panel", "debate", True): panel_questions.DELIBERATION_QUESTION,
    ("live", "turn", False): turn_question.TURN_QUESTION,
    ("live", "pair", False): exchange_question.PAIR_QUESTION,
    ("live", "debate", False): narrative_question.NARRATIVE_QUESTION,
    ("live", "debate", True): narrative_question.RESOLUTION_QUESTION,
    ("live", "convergence", False): narrative_question.CONVERGENCE_QUESTION,
    ("persuasion", "turn", False): persuasion_questions.EFFECTS_QUESTION,
}


def question_for(brief: Brief) -> JudgeQuestion[Any, Any]:
    """The row that answers `brief`; KeyError for a brief that no schedule of ours makes."""
    return QUESTIONS[brief.system, _subject_kind(brief.subject), brief.revision > 0]


def settings_for(brief: Brief, debate: Debate) -> SystemSettings:
    """The settings of the brief's system in its judging run; KeyError if the run does not have it."""
    for system in debate.run(brief.run).judging.systems:
        if system.kind == brief.system:
            return system
    raise KeyError(brief.system)


def _subject_kind(subject: Subject) -> str:
    """A subject `debate` that names turns compares the first with the last ones."""
    return "convergence" if subject.moment == "debate" and subject.turns else subject.moment


_NAME_SEPARATORS = re.compile(r"[\s,;+]+")


def check_system_kind(kind: str) -> None:
    """Check the value of a `--system` option. Raises UsageError, with a suggestion, if no judging system has this name."""
    if kind in SYSTEM_KINDS:
        return
    meant = [closest_match(part, SYSTEM_KINDS) for part in _NAME_SEPARATORS.split(kind) if part]
    if len(meant) > 1 and None not in meant:
        repeated = " ".join(f"--system {name}" for name in dict.fromkeys(meant))
        raise UsageError(f"--system {kind}: names several judging systems; repeat the option: {repeated}")
    raise UsageError(f"--system {kind}: there is no such judging system{format_suggestion_or_list(kind, SYSTEM_KINDS)}")
