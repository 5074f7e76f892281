"""Use case `review`: a person fills in the forms of a judging system, and the answers become a judging run.

The judging run is saved when every form is answered.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from debate_cli.app.session import Outcome
from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.config_checks import Problem
from debate_cli.domain.debate import Debate, new_run_ids
from debate_cli.domain.events import AssessmentCompleted, JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig, settings_class
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.message_text import quote_path
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.reviewer import PROBABILITY, PROBABILITY_TOTAL, ReviewAnswers, Reviewer, ReviewTerms
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.domain.turn import Turn
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.judge_input.injection.findings import find_manipulations
from debate_cli.judge_input.transcript_prompt import last_visible_turn
from debate_cli.judging.blinding import Blinding, shuffle_order
from debate_cli.judging.judge import build_assessment, build_brief_form
from debate_cli.judging.schedule import debate_progress
from debate_cli.llm.form import Form, FormModel, derive_schema, each_of
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.redaction import Redactor
from debate_cli.providers.people.replies import check_answer
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.transcript import to_transcript, write_transcript
from debate_cli.storage.transcript_store import StoredDebate, open_debate
from debate_cli.systems.base import AssessmentContent, JudgingContext, describe_subject
from debate_cli.systems.registry import check_system_kind, get_system
from debate_cli.systems.scoring import combine_runs, score

MAX_NAME_CHARS = 40
WHOLE_DEBATE = Subject(moment="debate")
PROBABILITY_QUESTION = "How likely is each debater to be right about the motion, as far as you have read? Write a percentage for each; they sum to 100."
_SUM_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class ReviewPart:
    """One of the forms that the person fills in during a review."""

    name: str
    """What the person judges in this form, e.g. `probability after round 1`. No two forms of a review share a name."""
    subject: Subject
    question: str
    form: Form[Any]
    brief: Brief | None = None
    """The judge's task that the person does by filling in the form. None: the form asks for probabilities."""


@dataclass(frozen=True, slots=True)
class ReviewState:
    """Progress of a review."""

    parts: tuple[ReviewPart, ...]
    """The forms of the review, in reading order. An answer can lead to a further question, which gets its own form."""
    problems: tuple[Problem, ...]
    """What is wrong with the answers. The key path of each problem begins with the name of the form."""
    unanswered: tuple[str, ...]
    """Names of the forms (`ReviewPart.name`) whose answer is missing or unusable."""
    assessments: tuple[Assessment, ...]


class ProbabilityEntry(FormModel):
    """The probability of one debater."""

    participant: str
    probability: float = Field(
        json_schema_extra={"minimum": 0, "maximum": PROBABILITY_TOTAL},
        description="In percent. The probabilities of all debaters sum to 100.",
    )


class ProbabilityForm(FormModel):
    """For each debater, the probability that this debater is right."""

    probabilities: tuple[ProbabilityEntry, ...]


@dataclass(frozen=True)
class Review:
    """A review of one debate by one person."""

    debate: Debate
    """The saved debate together with the judging run of the review."""
    opened: JudgingOpened
    terms: ReviewTerms
    blinding: Blinding | None

    @property
    def run(self) -> JudgingRun:
        """The judging run of the review."""
        return self.debate.run(self.opened.run)

    @cached_property
    def shown(self) -> Debate:
        """The debate as the person sees it: in a blind review, without the debaters' names."""
        return self.mask_debate(self.debate)

    @property
    def shows_turn_numbers(self) -> bool:
        """Whether the person sees the numbers of turns. This is so if a question refers to a turn by its number."""
        return any(brief.subject.turns for brief in self._briefs(self.debate))

    def turns_before(self, part: ReviewPart) -> tuple[Turn, ...]:
        """Return the speeches that the person reads before filling in the form of `part`, in order."""
        shown = self.shown
        last = last_visible_turn(shown, part.subject)
        order = {participant.name: place for place, participant in enumerate(shown.participants)}
        visible = [turn for turn in shown.turns if last is None or turn.index <= last]
        if shown.is_sequential:
            return tuple(visible)
        return tuple(sorted(visible, key=lambda turn: (turn.round, order[turn.speaker], turn.index)))

    def evaluate(self, answers: ReviewAnswers) -> ReviewState:
        """Return the forms of the review, the problems of `answers`, and the assessments of the valid answers."""
        reading = _Reading(self, answers)
        debate, known = self.debate, set[str]()
        while new := [brief for brief in self._briefs(debate) if brief.key not in known]:
            known |= {brief.key for brief in new}
            for brief in new:
                assessment = reading.read_brief(brief, debate)
                if assessment is not None:
                    debate = debate.apply(AssessmentCompleted(at=self.opened.at, assessment=assessment))
        if self.terms.probability:
            for number in self.debate.turns_by_round:
                reading.read_probabilities(Subject(moment="round", round=number))
            reading.read_probabilities(WHOLE_DEBATE)
        return reading.state()

    def mask(self, text: str) -> str:
        """Return `text` as the person sees it: in a blind review, without the debaters' names."""
        return text if self.blinding is None else self.blinding.mask(text)

    def unmask(self, value: Any) -> Any:
        """Return the person's answer with the debaters' real names."""
        return value if self.blinding is None else self.blinding.unmask(value)

    def mask_debate(self, debate: Debate) -> Debate:
        """Return `debate` as the person sees it: in a blind review, without the debaters' names."""
        return debate if self.blinding is None else self.blinding.mask_debate(debate, self.opened.run)

    def _briefs(self, debate: Debate) -> list[Brief]:
        run = debate.run(self.opened.run)
        (settings,) = run.judging.systems
        found = get_system(settings.kind).briefs(debate, run, settings, debate_progress(debate, run))
        return [brief for brief in found if brief.key not in debate.settled_keys]


class _Reading:
    def __init__(self, review: Review, answers: ReviewAnswers) -> None:
        self._review = review
        self._answers = answers
        self._parts: list[ReviewPart] = []
        self._problems: list[Problem] = []
        self._unanswered: list[str] = []
        self._assessments: list[Assessment] = []
        self._prompts = Prompts()

    def read_brief(self, brief: Brief, debate: Debate) -> Assessment | None:
        shown, system = build_brief_form(brief, self._review.mask_debate(debate)), get_system(brief.system)
        text = self._prompts.render(
            system.prompt_package, shown.question.prompt, **shown.question.prompt_values(shown.shown, self._prompts)
        )
        name, taken = system.describe_brief(brief), {part.name for part in self._parts}
        if name in taken:
            name += f", question {sum(known.startswith(name) for known in taken) + 1}"
        part = ReviewPart(name, brief.subject, text, shown.form, brief)
        answer = self._add_part(part)
        if answer is None:
            return None
        real = build_brief_form(brief, debate)
        written = self._review.unmask(answer.model_dump(mode="json", by_alias=True))
        filled = real.form.model.model_validate_json(json.dumps(written))
        content = real.read(filled, find_manipulations(debate, brief.subject))
        assessment = build_assessment(real.context, content, self._call(name)).model_copy(
            update={"at": self._review.opened.at}
        )
        self._assessments.append(assessment)
        return assessment

    def read_probabilities(self, subject: Subject) -> None:
        names = [participant.name for participant in self._review.shown.participants]
        schema = derive_schema(ProbabilityForm, probabilities=each_of("participant", names))
        form = Form("probabilities", ProbabilityForm, schema)
        name = f"probability after {describe_subject(subject)}"
        part = ReviewPart(name, subject, PROBABILITY_QUESTION, form)
        answer = self._add_part(part)
        if answer is None:
            return
        total = sum(entry.probability for entry in answer.probabilities)
        if abs(total - PROBABILITY_TOTAL) > _SUM_TOLERANCE:
            self._refuse(part, [Problem(("probabilities",), f"sum to {total:g}; make them sum to {PROBABILITY_TOTAL}")])
            return
        marks = tuple(
            Mark(
                participant=self._review.unmask(entry.participant),
                criterion=PROBABILITY,
                value=entry.probability,
                out_of=PROBABILITY_TOTAL,
            )
            for entry in answer.probabilities
        )
        self._add_marks(subject, marks, name)

    def state(self) -> ReviewState:
        known = {part.name for part in self._parts}
        unknown = [
            Problem((name,), "there is no such part in this review; remove it", is_key_error=True)
            for name in self._answers.parts
            if name not in known
        ]
        debate = self._review.debate

        def place(part: ReviewPart) -> tuple[bool, int, bool]:
            last = last_visible_turn(debate, part.subject)
            read = sum(last is None or turn.index <= last for turn in debate.turns)
            return part.subject == WHOLE_DEBATE, read, part.brief is None

        parts = tuple(sorted(self._parts, key=place))
        problems = (*self._problems, *unknown)
        return ReviewState(parts, problems, tuple(self._unanswered), tuple(self._assessments))

    def _add_part(self, part: ReviewPart) -> Any:
        self._parts.append(part)
        if part.name not in self._answers.parts:
            self._unanswered.append(part.name)
            return None
        answer, problems = check_answer(self._answers.parts[part.name], part.form)
        if problems:
            self._refuse(part, problems)
        return None if problems else answer

    def _refuse(self, part: ReviewPart, problems: list[Problem]) -> None:
        self._unanswered.append(part.name)
        self._problems += [problem._replace(path=(part.name, *problem.path)) for problem in problems]

    def _add_marks(self, subject: Subject, marks: tuple[Mark, ...], name: str) -> None:
        for place, item in enumerate(self._assessments):
            if item.subject == subject and item.revision == 0:
                self._assessments[place] = item.model_copy(update={"marks": (*item.marks, *marks)})
                return
        opened, reviewer = self._review.opened, cast("Reviewer", self._review.opened.reviewer)
        brief = Brief(run=opened.run, system=self._review.terms.system, assessor=reviewer.assessor, subject=subject)
        (settings,) = self._review.run.judging.systems
        context = JudgingContext(self._review.debate, brief, settings)
        alone = build_assessment(context, AssessmentContent(marks=marks), self._call(name))
        self._assessments.append(alone.model_copy(update={"at": opened.at}))

    def _call(self, name: str) -> ModelCall:
        seconds = self._answers.seconds.get(name, 0.0)
        model = f"human/{self._review.terms.reviewer}"
        return ModelCall(model=model, rung="text", attempts=1, latency_s=seconds, cost_usd=0.0)


def open_review(stored: StoredDebate, terms: ReviewTerms) -> Review:
    """Begin a review of a saved debate by one person. `terms`: the settings of the review.

    Raises UsageError for an unusable system, or for an invalid name of the reviewer. Raises TranscriptError if the
    system cannot judge the debate.
    """
    debate = stored.debate
    check_system_kind(terms.system)
    check_reviewer_name(terms.reviewer)
    order = tuple(participant.name for participant in debate.participants)
    if terms.blind:
        order = shuffle_order(order, terms.seed)
    reviewer = Reviewer(name=terms.reviewer, blind=terms.blind, order=order)
    known = {system.kind: system for run in debate.runs_by_precedence(terms.system) for system in run.judging.systems}
    settings = known.get(terms.system) or settings_class(terms.system).model_validate({"kind": terms.system})
    settings = settings.for_added_run()
    settings = (settings.for_text() if debate.document_name is not None else settings).for_reviewer(reviewer.assessor)
    if not settings.seats:
        raise UsageError(
            f"--system {terms.system}: with the settings of this debate, this system asks no judge, so there is no form to "
            "fill in; choose another system"
        )
    reason = get_system(terms.system).unsuitable_reason(debate)
    if reason is not None:
        raise TranscriptError(f"{'the debate' if terms.blind else stored.path}: {reason}")
    opened = JudgingOpened(
        at=datetime.now(UTC),
        run=next(new_run_ids(debate)),
        judging=JudgingConfig(systems=(settings,)),
        models={reviewer.assessor: ModelSpec(model=f"human/{terms.reviewer}")},
        heard=len(debate.turns),
        reviewer=reviewer,
    )
    return Review(debate.apply(opened), opened, terms, Blinding(debate, order) if terms.blind else None)


def debate_key(debate: Debate) -> str:
    """Return a hash of a debate's id. Drafts of blind reviews contain the hash, because an id could reveal names."""
    return hashlib.sha256(debate.id.encode()).hexdigest()[:12]


def check_reviewer_name(name: str) -> None:
    """Raise UsageError for a name that cannot be part of a judge's id."""
    if not name.strip() or len(name) > MAX_NAME_CHARS or not name.isprintable() or "/" in name:
        shown = name[:MAX_NAME_CHARS] if name.isprintable() else ascii(name)[1:-1]
        raise UsageError(
            f"--name {shown}: a reviewer's name has 1 to {MAX_NAME_CHARS} printable characters and no slash; choose another"
        )


def save_review(path: Path, review: Review, state: ReviewState, answers: ReviewAnswers) -> Outcome:
    """Add a complete review to the transcript at `path`. Return an outcome with the verdicts of the review.

    Raises UsageError if the debate is not closed, was changed since the review began, or has this review already.
    Raises StorageError if the transcript cannot be written.
    """
    with lock_debate(path):
        stored = open_debate(path)
        before = stored.debate
        if stored.from_journal:
            raise UsageError(
                f"{path}: the debate has not ended, so no review can be stored; continue it first with "
                f"`debate run --resume {quote_path(path)}`, or add --close to end it without further speeches"
            )
        if next(new_run_ids(before)) != review.opened.run or before.turns != review.debate.turns:
            raise UsageError("the debate was changed since the review began; run the same command again")
        answered = _given_answers(review.run, state.assessments)
        for run in before.runs:
            if _given_answers(run, [item for item in before.assessments if item.run == run.id]) == answered:
                raise UsageError(f"this review is stored already, as judging run {run.id}; nothing was changed")
        reviewer = cast("Reviewer", review.opened.reviewer).model_copy(
            update={"seconds": dict(answers.seconds), "confidence": answers.confidence}
        )
        debate = before.apply(review.opened.model_copy(update={"reviewer": reviewer}))
        for assessment in state.assessments:
            debate = debate.apply(AssessmentCompleted(at=review.opened.at, assessment=assessment))
        verdicts = score(debate, runs="all")
        write_transcript(stored.path, to_transcript(debate, verdicts), Redactor(), overwrite=True)
    return Outcome(debate, combine_runs(debate, verdicts, [review.opened.run]), stored.path)


def _given_answers(run: JudgingRun, assessments: Iterable[Assessment]) -> tuple[str, bool, list[str]] | None:
    if run.reviewer is None:
        return None
    answers = sorted(item.model_dump_json(exclude={"run", "at", "exchange"}) for item in assessments)
    return run.reviewer.name, run.reviewer.blind, answers
