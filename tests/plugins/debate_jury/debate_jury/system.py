"""The judging system `jury`: N members, one vote each; the debater, or the opinion of a text, with most votes wins."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from debate_cli.domain.assessment import Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_config import JudgeSeat, SystemSettings, numbered_seats
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.aggregation import get_run_id, ordered_assessments
from debate_cli.systems.base import (
    AssessmentContent,
    JudgeQuestion,
    JudgeVote,
    JudgingContext,
    JudgingSystem,
    ReportSection,
)
from debate_cli.systems.charts import Chart, bar_chart
from debate_cli.systems.outcome import UNDETERMINED_OUTCOME, build_verdict, decide_outcome
from debate_cli.systems.tables import Badge, DebaterCell, Table, parse_notes

OPINIONS = {"ACCEPT": Badge("✓", "ACCEPT", "good"), "REJECT": Badge("✗", "REJECT", "bad")}
"""What members vote for when they judge a text."""
PERCENT = 100


class JurySettings(SystemSettings):
    """A jury."""

    kind: Literal["jury"] = "jury"
    judge: str | None = None
    members: int = Field(default=3, ge=1, le=99)
    """Number of members."""

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """One seat per member."""
        return numbered_seats(self.members, self.judge)

    def with_judge_count(self, count: int) -> JurySettings:
        """The jury with so many members."""
        return self.model_copy(update={"members": count})


class JuryVote(Finding):
    """A member's vote."""

    kind: Literal["jury_vote"] = "jury_vote"
    choice: str
    """Name of a debater; for a text, one of `OPINIONS`."""

    def describe(self) -> list[str]:
        """What got the vote."""
        return [f"votes for {self.choice}"]


class VoteForm(FormModel):
    """One word."""

    vote: str


class JuryNotes(FrozenModel):
    """Shape of the notes of a jury's verdict."""

    votes: dict[str, str]
    missing: tuple[str, ...]
    option: str | None
    """Opinion of a text with most votes; None for a debate."""
    weights: dict[str, float]
    """Percent of the votes for each opinion of a text; empty for a debate."""


def choices(context: JudgingContext[JurySettings]) -> tuple[str, ...]:
    """What a member can vote for."""
    return context.debater_names or tuple(OPINIONS)


def prompt_values(context: JudgingContext[JurySettings], _prompts: Prompts) -> Mapping[str, str]:
    """The choices."""
    return {"choices": json.dumps(choices(context))}


def build_form(context: JudgingContext[JurySettings]) -> Form[VoteForm]:
    """One of the choices."""
    vote = {"type": "string", "enum": list(choices(context))}
    schema = {"type": "object", "properties": {"vote": vote}, "required": ["vote"], "additionalProperties": False}
    return Form(name="jury_vote", model=VoteForm, schema=schema)


def read_form(form: VoteForm, context: JudgingContext[JurySettings]) -> AssessmentContent:
    """The vote; an unknown choice is no vote."""
    if form.vote not in choices(context):
        return AssessmentContent(warnings=(f"unknown: {form.vote!r} is no choice",))
    return AssessmentContent(findings=(JuryVote(choice=form.vote),))


VOTE = JudgeQuestion("judge.jury", "jury_vote", prompt_values, build_form, read_form)


class JurySystem(JudgingSystem[JurySettings]):
    """A jury."""

    kind = "jury"
    settings = JurySettings
    findings = (JuryVote,)
    prompt_package = "debate_jury"
    judges_texts = True
    options = OPINIONS
    options_in_debates = False
    max_option_score = PERCENT

    def question(self, brief: Brief) -> JudgeQuestion[JurySettings, VoteForm]:
        """The only question."""
        return VOTE

    def score(self, debate: Debate, run: JudgingRun | str, settings: JurySettings) -> Verdict:
        """A vote is a point."""
        votes = {
            item.assessor: finding.choice
            for item in ordered_assessments(debate, self.kind, run)
            for finding in item.findings
            if isinstance(finding, JuryVote)
        }
        counted = Counter(votes.values())
        names = [person.name for person in debate.participants]
        is_text, option = not names, None
        scores = {name: float(counted[name]) for name in names or OPINIONS} if votes else {}
        outcome = decide_outcome(scores, lambda margin: "clear" if margin > 1 else "narrow")
        weights = {name: PERCENT * score / len(votes) for name, score in scores.items()} if is_text else {}
        if is_text:
            option, margin = outcome.winner, outcome.margin and PERCENT * outcome.margin / len(votes)
            outcome, scores = outcome._replace(winner=None, margin=margin), {}
        absent = [seat.id for seat in settings.seats if seat.id not in votes]
        missing = tuple(f"{judge} did not vote." for judge in absent)
        notes = JuryNotes(votes=votes, missing=missing, option=option, weights=weights)
        return build_verdict(self.kind, get_run_id(run), outcome if votes else UNDETERMINED_OUTCOME, scores, notes)

    def votes(self, verdict: Verdict) -> list[JudgeVote]:
        """Each member's vote on a text."""
        votes = parse_notes(JuryNotes, verdict)
        return [JudgeVote(judge, choice, ("one word",)) for judge, choice in votes.votes.items() if choice in OPINIONS]

    def charts(self, verdict: Verdict) -> list[Chart]:
        """Votes per debater; percent of the votes for each opinion of a text."""
        votes = {name: {"votes": score} for name, score in verdict.displayed_scores.items()}
        highest = self.max_score(verdict)
        return [bar_chart("Votes of the jury", "One bar per choice.", {"votes": "votes"}, votes, (0, highest))]

    def sections(self, debate: Debate) -> list[ReportSection]:
        """How long the jury listened."""
        rows = tuple(
            (DebaterCell(person.name), str(len(debate.select_turns(speaker=person.name))))
            for person in debate.participants
        )
        heard = Table("heard by the jury", ("debater", "speeches"), rows)
        return [ReportSection("jury", (heard,), ())] if rows else []


SYSTEM = JurySystem()
