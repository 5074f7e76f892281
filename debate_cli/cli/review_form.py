"""A review at the terminal: one form after the other, with the speeches above each."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from debate_cli.app.review import WHOLE_DEBATE, Review, ReviewPart
from debate_cli.domain.reviewer import ReviewAnswers
from debate_cli.judging.answer_check import check_answer
from debate_cli.llm.form import Form, FormModel, JsonSchema, derive_schema, person_schema
from debate_cli.providers.people.form_fields import FormDraft
from debate_cli.render.person_form.form import DRAFT_SUFFIX, FilledForm, FormTask
from debate_cli.render.person_form.person import fill_in
from debate_cli.render.review_template import (
    debate_introduction,
    draft_path,
    expand_json_lists,
    read_draft,
    save_draft,
    speech_heading,
)
from debate_cli.render.sanitize import sanitize_text

CONFIDENCE_QUESTION = "How sure are you of your judgement as a whole? A number from 0 (a guess) to 1 (certain)."


class ConfidenceForm(FormModel):
    """How sure the person is."""

    confidence: float = Field(json_schema_extra={"minimum": 0, "maximum": 1}, description=CONFIDENCE_QUESTION)


class ReviewForm:
    """Asks the parts of a review that its draft does not answer."""

    def __init__(
        self, review: Review, transcript: Path, ask: Callable[[FormTask, FormDraft], Awaitable[FilledForm]] = fill_in
    ) -> None:
        """`ask`: shows a form to the person and returns it filled in."""
        self._review = review
        self._ask_form = ask
        self._transcript = transcript
        draft = read_draft(transcript, review.terms)
        self._answers = draft.answers if draft is not None else ReviewAnswers()

    async def fill_in(self) -> ReviewAnswers:
        """The complete answers. Raises FormLeftError if the person leaves; the answers so far are in the draft."""
        self._answers = self._without_unusable_parts()
        problems: tuple[str, ...] = ()
        while unanswered := self._review.evaluate(self._answers).unanswered:
            parts = self._review.evaluate(self._answers).parts
            part = next(part for part in parts if part.name in unanswered)
            problems = await self._ask_part(part, problems)
        if self._answers.confidence is None:
            form = Form("confidence", ConfidenceForm, derive_schema(ConfidenceForm))
            part = ReviewPart("your confidence", WHOLE_DEBATE, CONFIDENCE_QUESTION, form)
            value, _ = await self._ask(part, ())
            confident, _ = check_answer(value, form)
            self._answers = replace(self._answers, confidence=None if confident is None else confident.confidence)
        return self._answers

    def _without_unusable_parts(self) -> ReviewAnswers:
        unanswered = self._review.evaluate(self._answers).unanswered
        known = {part.name for part in self._review.evaluate(self._answers).parts}
        parts = {name: value for name, value in self._answers.parts.items() if name in known and name not in unanswered}
        return replace(self._answers, parts=parts)

    async def _ask_part(self, part: ReviewPart, problems: tuple[str, ...]) -> tuple[str, ...]:
        """Ask one part. If the answer is valid, keep it; else return its problems, to be shown with the next form."""
        value, seconds = await self._ask(part, problems)
        taken = {**self._answers.seconds, part.name: round(self._answers.seconds.get(part.name, 0.0) + seconds, 3)}
        given = replace(self._answers, parts={**self._answers.parts, part.name: value}, seconds=taken)
        found = tuple(
            f"{'.'.join(map(str, problem.path[1:]))}: {problem.message}"
            for problem in self._review.evaluate(given).problems
            if problem.path[0] == part.name
        )
        self._answers = replace(self._answers, seconds=taken) if found else given
        save_draft(self._transcript, self._review, self._answers)
        if not found:
            self._part_draft().unlink(missing_ok=True)
        return found

    async def _ask(self, part: ReviewPart, problems: tuple[str, ...]) -> tuple[dict[str, Any], float]:
        descriptions = dict(_descriptions(person_schema(part.form)))
        task = FormTask(
            title=f"Your review: {part.name}",
            context=self._context(part, problems),
            draft=self._part_draft(),
            explain=lambda name: descriptions.get(name, ""),
            can_abstain=True,
        )
        filled = await self._ask_form(task, FormDraft(part.form))
        return _load_object(filled.answer.text), filled.seconds

    def _part_draft(self) -> Path:
        return draft_path(self._transcript, self._review).with_suffix(DRAFT_SUFFIX)

    def _context(self, part: ReviewPart, problems: tuple[str, ...]) -> str:
        pieces = debate_introduction(self._review)
        for turn in self._review.turns_before(part):
            pieces.append(speech_heading(turn, with_number=self._review.shows_turn_numbers))
            pieces.append(sanitize_text(turn.text))
        pieces.append(sanitize_text(expand_json_lists(part.question)))
        return "\n\n".join([*pieces, *(f"Not right yet: {problem}" for problem in problems)])


def _load_object(text: str) -> dict[str, Any]:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _descriptions(schema: JsonSchema) -> list[tuple[str, str]]:
    """Name of a field -> its description, at any depth."""
    found: list[tuple[str, str]] = []
    for name, part in schema.get("properties", {}).items():
        if part.get("description"):
            found.append((name, part["description"]))
        inner: list[JsonSchema] = [part, *part.get("prefixItems", [])[:1], part.get("items") or {}]
        for each in inner:
            found += _descriptions(each)
    return found
