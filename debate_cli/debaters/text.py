"""What was said as plain text to be read: in a terminal, by the other debaters, by judges.

The labels are none of the words by which persuasion is scored ("evidence" is one), so they count for nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from debate_cli.debaters.reading import TurnContent
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response


def format_turn_text(said: TurnContent) -> str:
    """The speech as text; paragraphs are parted by an empty line."""
    return "\n\n".join(_paragraphs(said))


def _paragraphs(said: TurnContent) -> Iterator[str]:
    if said.speech:
        yield said.speech
        unnamed = [target for target in said.targets if target not in said.speech]
        if unnamed:
            yield f"In answer to {', '.join(unnamed)}."
        return
    yield from (_argument(item) for item in said.arguments or ())
    yield from (_response(item) for item in said.responses or ())
    yield from (f"New argument. {_argument(item)}" for item in said.misplaced_arguments)
    yield from (_answer(item) for item in said.answers or ())
    if said.closing is not None:
        yield from _closing(said.closing)


def _argument(argument: Argument) -> str:
    return _join_lines(
        f"{argument.id}: {argument.claim}", argument.reasoning, _with_label("Support", argument.evidence)
    )


def _response(response: Response) -> str:
    first = f"To {response.target} ({response.type}): {response.reasoning}"
    return _join_lines(first, _with_label("Question", response.follow_up))


def _answer(answer: FollowUpAnswer) -> str:
    left_open = " (left open)" if answer.evaded else ""
    return f"On {answer.question_target}: {answer.reply}{left_open}"


def _closing(closing: Closing) -> Iterator[str]:
    yield closing.final_position
    yield _join_lines(
        _with_label("Conceded", ", ".join(closing.concessions)),
        _with_label("Unrebutted", ", ".join(closing.unrebutted)),
        f"Position: {closing.shift}",
    )


def _with_label(label: str, text: str) -> str:
    return f"{label}: {text}" if text.strip() else ""


def _join_lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line.strip())
