"""Checks the content of a turn, and describes each fault in a warning of the form `code: sentence`.

Codes: short-claim, short-reasoning, short-evidence, unanswered, unknown-target, new-argument, closing-too-long,
duplicate-id, citation.
"""

from collections.abc import Iterable, Iterator, Sequence

from debate_cli.debaters.forms import ARGUMENT_ID, MIN_PART_CHARS, TurnContent
from debate_cli.debaters.turn_context import TurnContext
from debate_cli.domain.evidence import MAX_CITATIONS
from debate_cli.domain.turn import Argument, Closing, citations_by_item
from debate_cli.evidence.source_checks import FAILED_OUTCOMES, check_citation
from debate_cli.evidence.unspaced_scripts import count_words
from debate_cli.llm.prompt_sanitizer import prompt_line

SHAPE_WARNINGS = ("unanswered", "unknown-target")
"""Codes of warnings after which the model is asked again."""


def find_turn_warnings(content: TurnContent, context: TurnContext) -> tuple[str, ...]:
    """Return all warnings about `content`, a debater's answer to `context.cue`."""
    found = [*_arguments(content.arguments or (), context), *_citations(content, context)]
    match context.cue.phase:
        case "cross_examination":
            found += _targets([item.target for item in content.responses or ()], context.target_ids, "argument")
            found += _cross_examination(content, context)
        case "answers":
            answered = [item.question_target for item in content.answers or ()]
            found += _targets(answered, context.target_ids, "question about")
        case "rebuttal":
            found += _unknown_targets(content.targets, context.opponent_ids)
            if context.opponent_ids and not content.targets:
                found.append("unanswered: the rebuttal names no argument that it answers.")
        case "speech":
            found += _unknown_targets((item.target for item in content.responses or ()), context.opponent_ids)
        case "closing" if content.closing is not None:
            found += _closing(content.closing, context)
        case _:
            pass
    return tuple(found)


def count_shape_warnings(found: Iterable[str]) -> int:
    """Return the number of warnings with a code in `SHAPE_WARNINGS`."""
    return sum(warning.partition(":")[0] in SHAPE_WARNINGS for warning in found)


def _arguments(arguments: Iterable[Argument], context: TurnContext) -> Iterator[str]:
    taken = set(context.debate.arguments)
    for argument in arguments:
        name = format_argument_id(argument.id)
        if argument.id in taken:
            yield f"duplicate-id: the id {name} is used more than once."
        taken.add(argument.id)
        for part, least in MIN_PART_CHARS.items():
            length = len(getattr(argument, part).strip())
            if length < least:
                yield f"short-{part}: the {part} of {name} has {length} characters, fewer than {least}."


def _citations(content: TurnContent, context: TurnContext) -> Iterator[str]:
    cited = citations_by_item(content.arguments, content.responses, content.closing)
    for item, citations in cited:
        name = format_argument_id(item)
        if len(citations) > MAX_CITATIONS:
            yield f"citation: {name} has {len(citations)} citations, more than {MAX_CITATIONS}."
        for citation in citations:
            outcome, check = check_citation(citation, context.debate.passages_by_id.get(citation.source))
            if outcome in FAILED_OUTCOMES:
                words = prompt_line(check.difference)
                fault = (
                    "names a source that does not exist"
                    if outcome == "no_such_source"
                    else f"is {outcome.replace('_', ' ')}"
                )
                yield f"citation: the quote for {name} {fault}{': ' * bool(words)}{words}."


def _targets(targets: Sequence[str], known: tuple[str, ...], what: str) -> Iterator[str]:
    yield from _unknown_targets(targets, known)
    for key in known:
        if key not in targets:
            yield f"unanswered: the {what} {format_argument_id(key)} is not answered."


def _unknown_targets(targets: Iterable[str], known: tuple[str, ...]) -> Iterator[str]:
    for target in dict.fromkeys(targets):
        if target not in known:
            yield f"unknown-target: there is no argument {format_argument_id(target)} to answer."


def _cross_examination(content: TurnContent, context: TurnContext) -> Iterator[str]:
    responses = content.responses or ()
    targets = [item.target for item in responses]
    for target in dict.fromkeys(targets):
        if targets.count(target) > 1:
            yield f"duplicate-id: {format_argument_id(target)} is answered more than once."
    texts = [text for item in responses for text in (item.target, item.reasoning, item.follow_up)]
    named = [key for text in texts for key in ARGUMENT_ID.findall(text)]
    written = [key for key in named if key.startswith(f"{context.speaker.prefix}-") and key not in context.own_ids]
    for key in dict.fromkeys([*(item.id for item in content.misplaced_arguments), *written]):
        yield f"new-argument: {format_argument_id(key)} is a new argument, which is not allowed in a cross-examination."


def _closing(closing: Closing, context: TurnContext) -> Iterator[str]:
    known = {*context.opponent_ids, *context.own_ids}
    listed = [word for word in (*closing.concessions, *closing.unrebutted) if word not in known]
    words = sum(map(count_words, (closing.final_position, closing.why, *listed)))
    if words > context.format.closing_words:
        yield f"closing-too-long: the closing has {words} words, more than {context.format.closing_words}."


def format_argument_id(key: str) -> str:
    """Return an argument id from a model's answer as sanitized text: one line of at most 40 characters."""
    return prompt_line(key, 40)
