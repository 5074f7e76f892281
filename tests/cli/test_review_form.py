"""A review at the terminal asks one form after the other, and continues where the person left."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judging_support import fill_form
from saved_support import first_debate, write_transcript_file

from debate_cli.app.review import Review, open_review
from debate_cli.cli.review import ReviewForm
from debate_cli.domain.reviewer import ReviewTerms
from debate_cli.providers.people.form_fields import FormDraft
from debate_cli.providers.people.replies import PersonAnswer
from debate_cli.render.person_form.form import FilledForm, FormLeftError, FormState, FormTask
from debate_cli.storage.transcript_store import open_debate


class Person:
    """Fills in forms in the simplest way: `change` alters an answer, given its number, and may leave."""

    def __init__(self, change: Callable[[int, dict[str, Any]], None]) -> None:
        self._change = change
        self.tasks: list[FormTask] = []

    async def __call__(self, task: FormTask, sheet: FormDraft) -> FilledForm:
        """Answer after 5 seconds."""
        self.tasks.append(task)
        value = fill_form(sheet.form.schema)
        self._change(len(self.tasks), value)
        return FilledForm(PersonAnswer(json.dumps(value)), 5.0)


@pytest.fixture
def review(tmp_path: Path) -> Review:
    """A blind review with probabilities of the debate `one`."""
    path = write_transcript_file(tmp_path / "transcripts" / "one.json", first_debate())
    return open_review(
        open_debate(path), ReviewTerms(system="structured", reviewer="anna", blind=True, seed=1, probability=True)
    )


def halves(value: dict[str, Any]) -> None:
    """Give all debaters the same probability."""
    for entry in value.get("probabilities", ()):
        entry["probability"] = 50


def test_a_wrong_answer_cannot_be_sent(review: Review, tmp_path: Path) -> None:
    """The form names what is missing, then what is wrong, and is sent when it is right. Its draft is removed."""

    async def fill_in(task: FormTask, sheet: FormDraft) -> FilledForm:
        assert task.draft is not None
        task.draft.write_text("{}")
        state = FormState(sheet, can_abstain=task.can_abstain, has_draft=False)
        if "confidence" in task.title:
            assert state.send() is not None  # it may stay empty
        for number in ("70", "50") if "probability" in task.title else ():
            state.send()
            messages.append(state.message)
            for item in sheet.fields():
                sheet.set(item, number)
        answer = state.send() or PersonAnswer(json.dumps(fill_form(sheet.form.schema)))
        return FilledForm(answer, 5.0)

    messages: list[str] = []
    path = tmp_path / "transcripts" / "one.json"
    answers = asyncio.run(ReviewForm(review, path, fill_in).fill_in())
    assert messages[:2] == [
        "The answer cannot be sent yet. Missing: Speaker A, probability; Speaker B, probability.",
        "The answer cannot be sent yet. Wrong: probabilities: sum to 140; make them sum to 100.",
    ]
    assert not review.evaluate(answers).problems
    assert answers.seconds["probability after round 1"] == 5.0
    assert not list(path.parent.glob("*.draft"))


def test_a_draft_belongs_to_its_reviewer(review: Review, tmp_path: Path) -> None:
    """Two names without a letter of the alphabet of file names have two drafts."""
    path = tmp_path / "transcripts" / "one.json"
    first, second = (replace(review, terms=review.terms.model_copy(update={"reviewer": name})) for name in ("李", "王"))
    people = [Person(lambda _number, value: halves(value)) for _ in range(2)]
    for reviewed, person in zip((first, second), people, strict=True):
        asyncio.run(ReviewForm(reviewed, path, person).fill_in())
    assert len(people[1].tasks) == len(people[0].tasks)


def test_a_review_continues_after_the_person_left(review: Review, tmp_path: Path) -> None:
    """Parts that are answered are in the draft and are not asked again; the titles and texts name no debater."""

    def leave(number: int, value: dict[str, Any]) -> None:
        halves(value)
        if number == 3:
            raise FormLeftError

    path = tmp_path / "transcripts" / "one.json"
    with pytest.raises(FormLeftError):
        asyncio.run(ReviewForm(review, path, Person(leave)).fill_in())
    person = Person(lambda _number, value: halves(value))
    asyncio.run(ReviewForm(review, path, person).fill_in())
    titles = [task.title for task in person.tasks]
    assert titles[0] == "Your review: probability after round 3"
    assert not any(
        name in text for name in ("Ada", "Bo ", "PRO-") for task in person.tasks for text in (task.title, task.context)
    )
