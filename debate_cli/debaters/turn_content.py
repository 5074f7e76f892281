"""The content of a turn, and its text for terminals, other debaters and judges.

The labels in the text avoid words that the persuasion system counts, such as "evidence".
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from debate_cli.domain.evidence import Citation
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response


@dataclass(frozen=True, slots=True)
class TurnContent:
    """The content of a turn. Only the fields for its phase are set."""

    arguments: tuple[Argument, ...] | None = None
    responses: tuple[Response, ...] | None = None
    answers: tuple[FollowUpAnswer, ...] | None = None
    closing: Closing | None = None
    speech: str = ""
    targets: tuple[str, ...] = ()
    """Ids of the arguments that a rebuttal answers."""
    misplaced_arguments: tuple[Argument, ...] = ()
    """New arguments in a cross-examination. The text holds them, but they do not count as arguments."""


def format_turn_text(content: TurnContent) -> str:
    """Return a turn as text, with an empty line between paragraphs."""
    return "\n\n".join(_paragraphs(content))


def _paragraphs(content: TurnContent) -> Iterator[str]:
    if content.speech:
        yield content.speech
        unnamed = [target for target in content.targets if target not in content.speech]
        if unnamed:
            yield f"In answer to {', '.join(unnamed)}."
        return
    yield from (_format_argument(item) for item in content.arguments or ())
    for response in content.responses or ():
        first = f"To {response.target} ({response.type}): {response.reasoning}"
        yield _join_lines(first, _with_label("Question", response.follow_up), *_sources(response.citations))
    yield from (f"New argument. {_format_argument(item)}" for item in content.misplaced_arguments)
    for answer in content.answers or ():
        yield f"On {answer.question_target}: {answer.reply}{' (left open)' if answer.evaded else ''}"
    if content.closing is not None:
        yield content.closing.final_position
        yield _join_lines(
            _with_label("Conceded", ", ".join(content.closing.concessions)),
            _with_label("Unanswered", ", ".join(content.closing.unrebutted)),
            f"Position: {content.closing.shift}",
            _with_label("Why", content.closing.why),
            *_sources(content.closing.citations),
        )


def _format_argument(argument: Argument) -> str:
    return _join_lines(
        f"{argument.id}: {argument.claim}",
        argument.reasoning,
        _with_label("Support", argument.evidence),
        *_sources(argument.citations),
    )


def _sources(citations: Iterable[Citation]) -> Iterator[str]:
    return (f"Source {citation.source}: “{citation.quote}”" for citation in citations)


def _with_label(label: str, text: str) -> str:
    return f"{label}: {text}" if text.strip() else ""


def _join_lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line.strip())
