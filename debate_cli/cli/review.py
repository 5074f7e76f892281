"""`debate review`."""

import asyncio
import getpass
import json
import random
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import typer
from pydantic import Field

from debate_cli.app.review import WHOLE_DEBATE, Review, ReviewPart, ReviewState, debate_key, open_review, save_review
from debate_cli.app.score import ScoredFile
from debate_cli.app.session import Outcome
from debate_cli.cli.console import (
    is_interactive,
    print_json,
    print_status,
    write_document,
    write_json_chunks,
)
from debate_cli.cli.saved_options import ReviewOptions
from debate_cli.domain.config_checks import Problem
from debate_cli.domain.message_text import quote_path, sanitize_text
from debate_cli.domain.reviewer import ReviewAnswers, ReviewTerms
from debate_cli.errors import ExitCode, UsageError
from debate_cli.llm.form import Form, FormModel, derive_schema
from debate_cli.providers.people.form_fields import FormDraft
from debate_cli.providers.people.prompt_page import format_prompt_text
from debate_cli.providers.people.replies import PersonAnswer, check_answer, format_problem
from debate_cli.render import score_rows
from debate_cli.render.person_form.form import DRAFT_SUFFIX, FilledForm, FormLeftError, FormTask
from debate_cli.render.person_form.person import fill_in
from debate_cli.render.review_template import (
    debate_introduction,
    draft_path,
    format_review_template,
    read_draft,
    save_draft,
    speech_heading,
)
from debate_cli.render.sanitize import sanitize_line
from debate_cli.storage.review_file import ReviewFile, read_review_file
from debate_cli.storage.transcript_store import StoredDebate, find_debate, open_debate, transcript_dirs
from debate_cli.systems.registry import default_text_kind
from debate_cli.systems.scales import describe_answer

DEFAULT_SYSTEM = "structured"


def run(given: ReviewOptions) -> None:
    """Judge a saved debate yourself, beside the models."""
    stored = open_debate(find_debate(given.debate, transcript_dirs()))
    file = read_review_file(given.source) if given.source is not None else None
    review = open_review(stored, _terms(given, stored) if file is None else _terms_of_file(file, given, stored))
    answers = ReviewAnswers() if file is None else file.answers
    if given.template:
        write_document(f"{line}\n" for line in format_review_template(review, review.evaluate(answers).parts, answers))
        return
    if file is None:
        answers = _fill_in(review, stored)
        state = review.evaluate(answers)
    else:
        state = _check_file(given, review, file)
    outcome = save_review(stored.path, review, state, answers)
    draft_path(stored.path, review.terms).unlink(missing_ok=True)
    for warning in (warning for item in state.assessments for warning in item.warnings):
        print_status(f"note: {sanitize_line(review.mask(warning))}")
    _print_result(outcome, review, as_json=given.json)


def _fill_in(review: Review, stored: StoredDebate) -> ReviewAnswers:
    if not (sys.stdin.isatty() and is_interactive(sys.stdout)):
        raise UsageError(
            "there is no terminal for the form; write it as a file with --template, then store it with --from FILE"
        )
    try:
        return asyncio.run(_end_on_signals(ReviewForm(review, stored.path).fill_in()))
    except FormLeftError as error:
        places = (draft_path(stored.path, review.terms), _form_draft_path(stored.path, review.terms))
        if any(path.exists() for path in places):
            print_status("the draft is saved; the same command continues the review")
        raise typer.Exit(ExitCode.INTERRUPTED) from error


def _form_draft_path(transcript: Path, terms: ReviewTerms) -> Path:
    return draft_path(transcript, terms).with_suffix(DRAFT_SUFFIX)


async def _end_on_signals(form: Coroutine[Any, Any, ReviewAnswers]) -> ReviewAnswers:
    task = asyncio.ensure_future(form)
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError as error:
        raise FormLeftError from error


def _terms(given: ReviewOptions, stored: StoredDebate) -> ReviewTerms:
    try:
        name = given.name or getpass.getuser()
    except (KeyError, OSError) as error:  # e.g. a foreign user id in a container
        raise UsageError(
            "the operating system knows no name for this user; give the reviewer's name with --name"
        ) from error
    terms = ReviewTerms(
        system=given.system or (DEFAULT_SYSTEM if stored.debate.document_name is None else default_text_kind()),
        reviewer=name,
        blind=given.blind,
        seed=given.seed if given.seed is not None else random.SystemRandom().randrange(10**6) if given.blind else 0,
        probability=given.probability,
    )
    draft = read_draft(stored.path, terms)
    return terms if draft is None or given.seed is not None else terms.model_copy(update={"seed": draft.terms.seed})


def _terms_of_file(file: ReviewFile, given: ReviewOptions, stored: StoredDebate) -> ReviewTerms:
    terms = file.terms
    options = {
        "--system": (given.system, terms.system),
        "--name": (given.name, terms.reviewer),
        "--blind": (given.blind or None, terms.blind),
        "--probability": (given.probability or None, terms.probability),
        "--seed": (given.seed, terms.seed),
    }
    for option, (wanted, written) in options.items():
        if wanted not in {None, written}:
            raise UsageError(
                f"{option} differs from the value in {given.source}; leave the option out, or write a new template with --template"
            )
    if file.debate_key != debate_key(stored.debate):
        raise UsageError(
            f"{given.source}: is the review of another debate; give the id of that debate, or write a new template"
        )
    return terms


def _check_file(given: ReviewOptions, review: Review, file: ReviewFile) -> ReviewState:
    state = review.evaluate(file.answers)
    file.check(state.problems, {part.name for part in state.parts})
    if state.unanswered:
        names = ", ".join(map(review.mask, state.unanswered))
        raise UsageError(
            f"{given.source}: has no answer to {names}; write a new template, which keeps all answers given so far: "
            f"debate review ID --from {quote_path(given.source)} --template > NEW-FILE"
        )
    return state


def _print_result(outcome: Outcome, review: Review, *, as_json: bool) -> None:
    """Print the result of the review.

    After a blind review, no debater is named, because the person may review the debate again.
    """
    if as_json and review.terms.blind:
        print_json({"blind": True, "judging_run": review.run.id})
        return
    if as_json:
        debate = outcome.debate
        row = ScoredFile(str(outcome.path), debate.id, debate.topic, debate.status, outcome.verdicts)
        write_json_chunks(score_rows.dump_scores_json([row]))
        return
    shown = "the debate" if review.terms.blind else review.debate.id
    for verdict in () if review.terms.blind else outcome.verdicts:
        print(sanitize_line(describe_answer(verdict, outcome.debate.document_name)))
    print_status(
        f"saved: your judging run {review.run.id} of {shown}; "
        f"compare it with the verdicts of models: debate score {quote_path(outcome.path or review.debate.id)}"
    )


CONFIDENCE_QUESTION = "How sure are you of your judgement as a whole? A number from 0 (a guess) to 1 (certain)."


class ConfidenceForm(FormModel):
    """Form that asks how sure the person is."""

    confidence: float | None = Field(
        default=None, json_schema_extra={"minimum": 0, "maximum": 1}, description=CONFIDENCE_QUESTION
    )


@dataclass
class CheckedForm(FormDraft):
    """A form that can be sent only if its answers have no problems."""

    check: Callable[[Any], Sequence[Problem]]
    """Returns the problems of the filled-in form."""

    def read(self) -> PersonAnswer:
        """Return the filled-in form. If it has problems, it is marked as unusable."""
        problems = tuple(map(format_problem, self.check(self.value())))
        return PersonAnswer(json.dumps(self.value()), problems, is_usable=not problems, is_readable=not problems)


class ReviewForm:
    """Asks the reviewer, form by form, for the answers that the saved draft lacks."""

    def __init__(
        self, review: Review, transcript: Path, ask: Callable[[FormTask, FormDraft], Awaitable[FilledForm]] = fill_in
    ) -> None:
        """`ask`: shows a form to the reviewer and returns the filled-in form."""
        self._review = review
        self._ask_form = ask
        self._transcript = transcript
        draft = read_draft(transcript, review.terms)
        self._answers = ReviewAnswers() if draft is None else draft.answers

    async def fill_in(self) -> ReviewAnswers:
        """Ask for the missing answers and return all answers.

        Raises FormLeftError if the reviewer leaves the form; the draft is kept.
        """
        while (state := self._review.evaluate(self._answers)).unanswered:
            part = next(part for part in state.parts if part.name in state.unanswered)
            value, seconds = await self._ask(part, partial(self._find_problems, part.name))
            taken = {**self._answers.seconds, part.name: seconds}
            self._answers = replace(self._answers, parts={**self._answers.parts, part.name: value}, seconds=taken)
            save_draft(self._transcript, self._review, self._answers)
        if self._answers.confidence is None:
            form = Form("confidence", ConfidenceForm, derive_schema(ConfidenceForm))
            part = ReviewPart("your confidence", WHOLE_DEBATE, CONFIDENCE_QUESTION, form)
            value, _ = await self._ask(part, lambda value: check_answer(value, form)[1])
            self._answers = replace(self._answers, confidence=value.get("confidence"))
        return self._answers

    def _find_problems(self, part: str, value: Any) -> list[Problem]:
        given = replace(self._answers, parts={**self._answers.parts, part: value})
        problems = self._review.evaluate(given).problems
        return [problem._replace(path=problem.path[1:]) for problem in problems if problem.path[0] == part]

    async def _ask(self, part: ReviewPart, check: Callable[[Any], Sequence[Problem]]) -> tuple[dict[str, Any], float]:
        draft = _form_draft_path(self._transcript, self._review.terms)
        task = FormTask(title=f"Your review: {part.name}", context=self._context(part), draft=draft)
        filled = await self._ask_form(task, CheckedForm(part.form, check))
        draft.unlink(missing_ok=True)
        return json.loads(filled.answer.text), filled.seconds

    def _context(self, part: ReviewPart) -> str:
        pieces = debate_introduction(self._review)
        for turn in self._review.turns_before(part):
            pieces.append(speech_heading(turn, with_number=self._review.shows_turn_numbers))
            pieces.append(sanitize_text(turn.text))
        return "\n\n".join([*pieces, sanitize_text(format_prompt_text(part.question))])
