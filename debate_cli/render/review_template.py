"""Writes the YAML file of `debate review`. Speeches and explanations are comments; the reviewer fills in the fields."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from debate_cli.app.review import Review, ReviewPart, debate_key
from debate_cli.domain.message_text import sanitize_text
from debate_cli.domain.reviewer import ReviewAnswers, ReviewTerms
from debate_cli.domain.turn import Turn
from debate_cli.errors import ConfigError
from debate_cli.llm.form import person_schema
from debate_cli.providers.people.person import to_slug
from debate_cli.providers.people.prompt_page import format_prompt_text
from debate_cli.providers.people.yaml_form import WIDTH, comment_lines, form_lines, to_flow
from debate_cli.render.sanitize import sanitize_line
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.review_file import ReviewFile, read_review_file

_RULE = "# " + "-" * (WIDTH - 2)
_HASH_CHARS = 8


def format_review_template(review: Review, parts: Sequence[ReviewPart], answers: ReviewAnswers) -> Iterator[str]:
    """Yield the lines of the YAML file of a review.

    `parts`: the questions to the reviewer. `answers`: the answers given so far.
    """
    yield from _header_lines(review, answers)
    seen: set[int] = set()
    for part in parts:
        for turn in review.turns_before(part):
            if turn.index not in seen:
                seen.add(turn.index)
                yield _RULE
                yield from comment_lines(speech_heading(turn, with_number=review.shows_turn_numbers))
                yield "#"
                yield from comment_lines(sanitize_text(turn.text), "#   ")
        yield _RULE
        yield from comment_lines(sanitize_text(format_prompt_text(part.question)))
        yield f"  {to_flow(sanitize_line(part.name))}:"
        lines = form_lines(person_schema(part.form), answers.parts.get(part.name), " " * 4)
        yield from map(sanitize_text, lines)


def speech_heading(turn: Turn, *, with_number: bool) -> str:
    """Return e.g. `Speaker A, round 1, opening`. `with_number` appends the number of the turn."""
    number = f", turn {turn.index + 1} (number {turn.index} in the forms)" if with_number else ""
    return f"{sanitize_line(turn.speaker)}, round {turn.round}, {turn.phase.replace('_', ' ')}{number}"


def debate_introduction(review: Review) -> list[str]:
    """Return paragraphs on motion, background and debaters. In a blind review, the names of debaters are hidden."""
    shown = review.shown
    lines = [f"{'Text' if shown.document_name is not None else 'Motion'}: {sanitize_line(shown.topic)}"]
    if shown.config.background:
        lines.append(f"Background: {sanitize_text(shown.config.background)}")
    for person in shown.participants:
        side = f" argues {person.side} the motion" if person.side in {"for", "against"} else ""
        lines.append(f"{sanitize_line(person.name)}{side}." if side else f"{sanitize_line(person.name)} takes part.")
    return lines


def _header_lines(review: Review, answers: ReviewAnswers) -> Iterator[str]:
    terms = review.terms
    yield from comment_lines(
        f"Review of a debate with the judging system {terms.system}. Fill in every empty value. Texts go on the indented line "
        "below the field's name. Leave the other lines unchanged. Then store the file: debate review ID --from THIS-FILE"
    )
    yield "#"
    for paragraph in debate_introduction(review):
        yield from comment_lines(paragraph)
    yield "review:"
    for name, value in {"debate": debate_key(review.debate), **terms.model_dump()}.items():
        yield f"  {name}: {to_flow(value)}"
    yield f"confidence: {to_flow(answers.confidence)}  # how sure you are of your judgement as a whole, a number from 0 to 1"
    yield "seconds:  # optional: the seconds that you took for each part"
    yield from (f"  {to_flow(name)}: {value}" for name, value in answers.seconds.items())
    yield "answers:"


def draft_path(transcript: Path, terms: ReviewTerms) -> Path:
    """Return the path of a review's draft. The draft is in the folder of the transcript."""
    reviewer = to_slug(terms.reviewer)
    if reviewer != terms.reviewer:
        reviewer += f"-{hashlib.sha256(terms.reviewer.encode()).hexdigest()[:_HASH_CHARS]}"
    view = "blind-" if terms.blind else ""
    return transcript.with_name(f"{transcript.stem}.review-{reviewer}-{view}{to_slug(terms.system)}.yaml")


def read_draft(transcript: Path, terms: ReviewTerms) -> ReviewFile | None:
    """Return the saved draft of the review that `terms` describes; None if there is no readable draft."""
    path = draft_path(transcript, terms)
    if not path.is_file():
        return None
    try:
        return read_review_file(path)
    except ConfigError:
        return None


def save_draft(transcript: Path, review: Review, answers: ReviewAnswers) -> None:
    """Save `answers` as a draft in the folder of the transcript. Raises StorageError."""
    lines = format_review_template(review, review.evaluate(answers).parts, answers)
    atomic_write(draft_path(transcript, review.terms), "\n".join([*lines, ""]).encode(), overwrite=True)
