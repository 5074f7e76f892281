"""Reviews that fill in every form with the simplest answer."""

from typing import Any

from judging_support import fill_form

from debate_cli.app.review import Review, ReviewPart
from debate_cli.domain.reviewer import PROBABILITY_TOTAL, ReviewAnswers


def answer(part: ReviewPart) -> Any:
    """The simplest answer to a part; probabilities are equal."""
    filled = fill_form(part.form.schema)
    entries: list[dict[str, Any]] = filled.get("probabilities", [])
    for entry in entries:
        entry["probability"] = PROBABILITY_TOTAL / len(entries)
    return filled


def answer_all(review: Review) -> ReviewAnswers:
    """Answers to every part, including those that the answers raise."""
    answers = ReviewAnswers()
    while (state := review.evaluate(answers)).unanswered:
        parts = {part.name: part for part in state.parts}
        answers = ReviewAnswers({**answers.parts, **{name: answer(parts[name]) for name in state.unanswered}})
    return answers
