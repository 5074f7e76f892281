"""The judging systems as rows of one table: what a brief asks of a model, and how the answer is read."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.systems import SystemSettings
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.judging import live, live_arc, live_pair, moderator, panel, persuasion, structured
from debate_cli.judging.rows import JudgeQuestion

QuestionKey = tuple[str, str, bool]
"""System, what it judges (a moment, or `convergence`), and whether an earlier revision stands behind it."""

QUESTIONS: dict[QuestionKey, JudgeQuestion[Any, Any]] = {
    ("structured", "debate", False): structured.STRUCTURED_QUESTION,
    ("moderator", "round", False): moderator.ROUND_QUESTION,
    ("moderator", "debate", False): moderator.FINAL_QUESTION,
    ("panel", "debate", False): panel.VOTE_QUESTION,
    ("panel", "debate", True): panel.DELIBERATION_QUESTION,
    ("live", "turn", False): live.TURN_QUESTION,
    ("live", "pair", False): live_pair.PAIR_QUESTION,
    ("live", "debate", False): live_arc.NARRATIVE_QUESTION,
    ("live", "debate", True): live_arc.RESOLUTION_QUESTION,
    ("live", "convergence", False): live_arc.CONVERGENCE_QUESTION,
    ("persuasion", "turn", False): persuasion.EFFECTS_QUESTION,
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
