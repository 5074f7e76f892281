"""The conversation of a debater with its model: rules, then the debate, which grows only at its end.

Earlier messages stay identical byte by byte, so that a provider's cache applies. Other participants' words are quoted
as JSON strings.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from debate_cli.debaters.instructions import SpeakerInstructions
from debate_cli.debaters.turn_context import TurnContext
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.recent_history import Ledger, recent_history
from debate_cli.domain.tasks import Cue
from debate_cli.domain.text_normalization import map_json_texts
from debate_cli.domain.turn import UNSTRUCTURED, Response, Turn
from debate_cli.formats.schedule import list_cues
from debate_cli.judge_input.injection.detector import mask_injection
from debate_cli.llm.model import Message
from debate_cli.llm.prompt_sanitizer import quote_for_prompt, sanitize_for_prompt
from debate_cli.llm.prompts import Prompts

DEBATER_PROMPT_PACKAGE = "debate_cli.debaters"
"""Package with the prompts of debaters."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The rules and the messages. The last message states the task, without the task marker."""

    system: str
    messages: tuple[Message, ...]

    def with_task_marker(self, nonce: str) -> tuple[Message, ...]:
        """The messages. The last one ends with the task marker of this call."""
        *earlier, last = self.messages
        return (*earlier, Message("user", f"{last.content}\n{task_marker(nonce)}"))


def task_marker(nonce: str) -> str:
    """Last line of the last message of a call. Earlier text cannot contain its `nonce`, so it cannot forge the line."""
    return f"Marker of this task: {nonce}"


class AnsweredMessages:
    """Cache of the messages for the cues that one debater has answered; every later full prompt repeats them."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[tuple[object, ...], tuple[Message, Message]]] = {}
        """Index of a cue -> (everything that the messages depend on, the messages)."""

    def build(
        self, cue: Cue, before: Cue | None, debate: Debate, prompts: Prompts, strategies: Mapping[int, str]
    ) -> tuple[Message, Message]:
        """Two messages: the answered `cue`, and the answer. `before`: the cue that the speaker answered before it."""
        source = (cue, before, debate.turns[: cue.index + 1], debate.config, prompts, strategies.get(cue.index))
        kept = self._kept.get(cue.index)
        if kept is None or kept[0] != source:
            question = _user_message(TurnContext.from_cue(cue, debate), before, prompts, strategies)
            answer = Message("assistant", format_own_turn(debate.turns_by_index[cue.index]))
            kept = self._kept[cue.index] = (source, (question, answer))
        return kept[1]


def build_conversation(
    cue: Cue,
    debate: Debate,
    instructions: SpeakerInstructions,
    prompts: Prompts,
    answered: AnsweredMessages | None = None,
) -> Conversation:
    """Build the full conversation of `cue.speaker` with its model: all its earlier cues and answers, then `cue`."""
    strategies, answered = instructions.strategies or {}, answered or AnsweredMessages()
    messages: list[Message] = []
    before: Cue | None = None
    for earlier in list_cues(debate):
        if earlier.speaker == cue.speaker and earlier.index < cue.index:
            messages += answered.build(earlier, before, debate, prompts, strategies)
            before = earlier
    context = TurnContext.from_cue(cue, debate)
    last = _user_message(context, before, prompts, strategies)
    messages.append(Message("user", "\n".join([last.content, *_format_passages(context, prompts)])))
    return Conversation(_system_text(instructions, debate, prompts), tuple(messages))


def _system_text(instructions: SpeakerInstructions, debate: Debate, prompts: Prompts) -> str:
    rules = prompts.render(DEBATER_PROMPT_PACKAGE, "rules", closing_words=str(debate.config.format.closing_words))
    return "\n\n".join(text for text in (rules, instructions.persistent, instructions.directive) if text)


def build_recent_conversation(
    cue: Cue,
    debate: Debate,
    instructions: SpeakerInstructions,
    prompts: Prompts,
    answered: AnsweredMessages | None = None,
) -> Conversation:
    """The conversation of `cue.speaker` in short form: a ledger, the last turns of each participant, and the task."""
    context = TurnContext.from_cue(cue, debate).with_recent_history()
    history = recent_history(context.debate)
    if not history.ledger.entries:
        return build_conversation(cue, debate, instructions, prompts, answered)
    strategy = (instructions.strategies or {}).get(cue.index)
    parts = [*_introduction(context), *_format_ledger(history.ledger)]
    parts += [
        f"You said, {turn.phase}: {format_own_turn(turn)}"
        if turn.speaker == cue.speaker
        else _format_opponent_turn(turn)
        for turn in history.turns
    ]
    parts += [*_format_task(context, prompts, strategy), *_format_passages(context, prompts)]
    return Conversation(_system_text(instructions, debate, prompts), (Message("user", "\n".join(parts)),))


def _format_ledger(ledger: Ledger) -> Iterator[str]:
    """The ledger (earlier arguments in short) as lines, then the heading of the last speeches, which follow it."""
    yield "Earlier in the debate, in short (unanswered claims first, then answered ones, newest first):"
    for entry in ledger.entries:
        answers = ", ".join(f"{_quote_short(who)} {kind}" for who, kind in entry.answers) or "unanswered"
        yield f"- {_quote_short(entry.id)} {_quote_short(entry.speaker)}: {_quote_short(entry.claim)} ({answers})"
    if ledger.left_out:
        yield f"- and {ledger.left_out} older ones that are left out"
    yield "The last speeches:"


def _user_message(context: TurnContext, before: Cue | None, prompts: Prompts, strategies: Mapping[int, str]) -> Message:
    """The message for the cue of `context`: the others' speeches since `before` (the speaker's last cue), and the task."""
    cue = context.cue
    new = set(cue.sees).difference(before.sees if before is not None else ())
    parts = list(_introduction(context)) if before is None else []
    parts += [
        _format_opponent_turn(turn)
        for turn in context.debate.turns
        if turn.index in new and turn.speaker != cue.speaker
    ]
    parts += _format_task(context, prompts, strategies.get(cue.index))
    return Message("user", "\n".join(parts))


def format_task(context: TurnContext, instructions: SpeakerInstructions, prompts: Prompts) -> str:
    """The message for the cue of `context` without the speeches: advice of the chair, task and strategy."""
    return "\n".join(_format_task(context, prompts, (instructions.strategies or {}).get(context.cue.index)))


def _format_task(context: TurnContext, prompts: Prompts, strategy: str | None) -> Iterator[str]:
    if context.cue.guidance:
        yield f"The chair's advice for this round: {quote_for_prompt(context.cue.guidance)}"
    yield _render_task(context, prompts)
    if strategy is not None:
        yield strategy


def _format_passages(context: TurnContext, prompts: Prompts) -> Iterator[str]:
    """The passages that the speaker may cite, and how to cite them. Words that address a judge are masked.

    They end the last message, so that earlier messages stay the same for a provider's cache.
    """
    if not context.passages:
        return
    yield prompts.render(DEBATER_PROMPT_PACKAGE, "citing")
    for passage in context.passages:
        place = ", ".join(filter(None, (passage.title, passage.source, passage.locator)))
        yield f"Passage {passage.id}, {quote_for_prompt(mask_injection(place))}: {quote_for_prompt(mask_injection(passage.text))}"


def _introduction(context: TurnContext) -> Iterator[str]:
    debate, speaker = context.debate, context.speaker
    yield f"Motion: {quote_for_prompt(debate.topic)}"
    if debate.config.background:
        yield f"Background: {quote_for_prompt(debate.config.background)}"
    yield f"You are {quote_for_prompt(speaker.name)}, side {quote_for_prompt(speaker.side)}."
    others = [item for item in debate.participants if item.name != speaker.name]
    yield f"Against you: {', '.join(f'{quote_for_prompt(item.name)}, side {quote_for_prompt(item.side)}' for item in others)}."


@memoize_on_value
def _format_opponent_turn(turn: Turn) -> str:
    """A speech of another participant.

    A free speech is followed by its claims, because its text does not contain their ids.
    """
    claims = turn.arguments or () if turn.phase == "speech" and UNSTRUCTURED not in turn.warnings else ()
    listed = "".join(f"\n- claim {quote_for_prompt(item.id)}: {quote_for_prompt(item.claim)}" for item in claims)
    return f"{quote_for_prompt(turn.speaker)}, {turn.phase}: {quote_for_prompt(turn.text)}{listed}"


def _render_task(context: TurnContext, prompts: Prompts) -> str:
    cue, form = context.cue, context.format
    name = "follow_up" if cue.phase == "cross_examination" and cue.questions else cue.phase
    return prompts.render(
        DEBATER_PROMPT_PACKAGE,
        name,
        round=str(cue.round),
        count=str(form.arguments),
        ids=_format_ids(context.new_ids(form.arguments)),
        targets=_format_ids(context.offer(context.target_ids)),
        own=_format_ids(context.offer(context.own_ids)),
        closing_words=str(form.closing_words),
        questions="\n".join(
            f"- about {quote_for_prompt(item.target)}, asked by {quote_for_prompt(item.asked_by)}: {quote_for_prompt(item.text)}"
            for item in cue.questions
        ),
    )


def _format_ids(keys: tuple[str, ...]) -> str:
    return ", ".join(map(_quote_short, keys)) or "none"


_quote_short = lru_cache(maxsize=4096)(quote_for_prompt)
"""Quote ids, names and claims of a ledger. Cached, because many prompts repeat them."""


@memoize_on_value
def format_own_turn(turn: Turn) -> str:
    """A turn as the speaker's model wrote it: compact JSON in the form of its phase, or plain text if it is unstructured."""
    if UNSTRUCTURED in turn.warnings:
        return sanitize_for_prompt(turn.text)
    return json.dumps(
        map_json_texts(_turn_fields(turn), sanitize_for_prompt), ensure_ascii=False, separators=(",", ":")
    )


def _turn_fields(turn: Turn) -> dict[str, object]:
    if turn.phase == "speech":
        return {
            "speech": turn.text,
            "claims": [item.model_dump(exclude={"id"}) for item in turn.arguments or ()],
            "rebuttals": [item.model_dump(exclude={"follow_up"}) for item in turn.responses or ()],
        }
    if turn.phase == "rebuttal":
        return {"speech": turn.text}
    if turn.responses is not None:
        order = ("target", "reasoning", "type", "follow_up")
        return {"responses": [_ordered(item, order) for item in turn.responses]}
    return turn.model_dump(mode="json", include={"arguments", "answers", "closing"}, exclude_none=True)


def _ordered(response: Response, order: Sequence[str]) -> dict[str, object]:
    """The fields of `response` in the order of the form, then its citations if any."""
    fields = response.model_dump(mode="json")
    return {name: fields[name] for name in order} | {name: fields[name] for name in fields if name == "citations"}
