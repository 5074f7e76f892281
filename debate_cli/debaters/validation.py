"""What is wrong with a speech, as warnings `code: sentence`. A warning never drops or changes anything.

Codes: id-prefix, short-claim, short-reasoning, short-evidence, unanswered, unknown-target, new-argument,
closing-too-long, duplicate-id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from debate_cli.debaters.occasion import TurnContext
from debate_cli.debaters.reading import ARGUMENT_ID, TurnContent
from debate_cli.domain.turn import Argument, Closing, Response
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt

MIN_PART_CHARS = {"claim": 10, "reasoning": 20, "evidence": 5}
"""Fewest characters of an argument's parts."""
SHAPE_WARNINGS = ("unanswered", "unknown-target")
"""Codes of what breaks the shape of a turn, so that it is asked for again."""


def find_turn_warnings(said: TurnContent, occasion: TurnContext) -> tuple[str, ...]:
    """Everything that is wrong with what was said on this occasion."""
    found = [*_arguments(said.arguments or (), occasion)]
    match occasion.cue.phase:
        case "cross_examination":
            found += _cross_examination(said, occasion)
        case "answers":
            found += _answers(said, occasion)
        case "rebuttal":
            found += _rebuttal(said, occasion)
        case "speech":
            found += _unknown_targets((item.target for item in said.responses or ()), occasion.opponent_ids)
        case "closing" if said.closing is not None:
            found += _closing(said.closing, occasion)
        case _:
            pass
    return tuple(found)


def count_shape_warnings(found: Iterable[str]) -> int:
    """How many of these warnings are of a broken shape, which is a reason to ask again."""
    return sum(warning.partition(":")[0] in SHAPE_WARNINGS for warning in found)


def _arguments(arguments: Iterable[Argument], occasion: TurnContext) -> Iterator[str]:
    taken = set(occasion.debate.arguments)
    for argument in arguments:
        name = format_argument_id(argument.id)
        if not argument.id.startswith(f"{occasion.speaker.prefix}-"):
            yield f"id-prefix: the id {name} does not begin with {occasion.speaker.prefix}-."
        if argument.id in taken:
            yield f"duplicate-id: the id {name} is used more than once."
        taken.add(argument.id)
        for part, least in MIN_PART_CHARS.items():
            length = len(getattr(argument, part).strip())
            if length < least:
                yield f"short-{part}: the {part} of {name} has {length} characters, fewer than {least}."


def _cross_examination(said: TurnContent, occasion: TurnContext) -> Iterator[str]:
    responses = said.responses or ()
    targets = [item.target for item in responses]
    yield from _unknown_targets(targets, occasion.target_ids)
    yield from _unanswered_targets(targets, occasion.target_ids, "argument")
    yield from _repeated_targets(targets)
    yield from _new_arguments(said.misplaced_arguments, responses, occasion)


def _answers(said: TurnContent, occasion: TurnContext) -> Iterator[str]:
    targets = [item.question_target for item in said.answers or ()]
    yield from _unknown_targets(targets, occasion.target_ids)
    yield from _unanswered_targets(targets, occasion.target_ids, "question about")


def _rebuttal(said: TurnContent, occasion: TurnContext) -> Iterator[str]:
    yield from _unknown_targets(said.targets, occasion.opponent_ids)
    if occasion.opponent_ids and not said.targets:
        yield "unanswered: the rebuttal names no argument that it answers."


def _closing(closing: Closing, occasion: TurnContext) -> Iterator[str]:
    """Ids do not count as words; whatever else stands in their lists does."""
    known = {*occasion.opponent_ids, *occasion.own_ids}
    listed = [word for word in (*closing.concessions, *closing.unrebutted) if word not in known]
    words = sum(len(text.split()) for text in (closing.final_position, *listed))
    if words > occasion.format.closing_words:
        yield f"closing-too-long: the closing has {words} words, more than {occasion.format.closing_words}."


def _unknown_targets(targets: Iterable[str], known: tuple[str, ...]) -> Iterator[str]:
    for target in dict.fromkeys(targets):
        if target not in known:
            yield f"unknown-target: there is no argument {format_argument_id(target)} to be answered."


def _unanswered_targets(targets: Iterable[str], known: tuple[str, ...], what: str) -> Iterator[str]:
    answered = set(targets)
    for key in known:
        if key not in answered:
            yield f"unanswered: the {what} {format_argument_id(key)} is not answered."


def _repeated_targets(targets: list[str]) -> Iterator[str]:
    for target in dict.fromkeys(targets):
        if targets.count(target) > 1:
            yield f"duplicate-id: {format_argument_id(target)} is answered more than once."


def _new_arguments(
    smuggled: tuple[Argument, ...], responses: tuple[Response, ...], occasion: TurnContext
) -> Iterator[str]:
    """An argument under an id of the speaker's own that was not given in an opening is new, wherever it stands."""
    texts = [text for item in responses for text in (item.target, item.reasoning, item.follow_up)]
    written = [
        key for text in texts for key in ARGUMENT_ID.findall(text) if key.startswith(f"{occasion.speaker.prefix}-")
    ]
    new = [item.id for item in smuggled] + [key for key in written if key not in occasion.own_ids]
    for key in dict.fromkeys(new):
        yield f"new-argument: {format_argument_id(key)} brings in a new argument, which a cross-examination may not."


def format_argument_id(key: str) -> str:
    """An id that a model wrote, fit for one line: cleaned, without line breaks, at most 40 characters."""
    return " ".join(sanitize_for_prompt(key).split())[:40]
