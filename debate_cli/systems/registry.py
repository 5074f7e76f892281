"""The judging systems as rows of one table: what a brief asks of a model, and how the answer is read."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.tasks import Brief, Subject
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
