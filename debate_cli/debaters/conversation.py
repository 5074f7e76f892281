"""What a debater's model is sent: rules, then the debate as a conversation that only grows at its end.

Every earlier message is rendered again byte for byte as it was sent (but for the line with the mark of its call), so a
provider's cache can serve all but the news. Nobody else's words stand outside a JSON string.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from debate_cli.debaters.occasion import TurnContext
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import UNSTRUCTURED, Turn
from debate_cli.formats import list_cues
from debate_cli.llm.model import Message
from debate_cli.llm.prompt_sanitizer import quote_for_prompt, sanitize_for_prompt
from debate_cli.llm.prompts import Prompts

DEBATER_PROMPT_PACKAGE = "debate_cli.debaters"
"""Where the prompts of debaters are kept."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Rules and messages, the last of which asks; the mark of the call is not yet in it."""

    system: str
    messages: tuple[Message, ...]

    def with_task_marker(self, nonce: str) -> tuple[Message, ...]:
        """The messages with the line that tells by `nonce` where the task of this call ends."""
        *earlier, last = self.messages
        return (*earlier, Message("user", f"{last.content}\n{task_marker(nonce)}"))


def task_marker(nonce: str) -> str:
    """The last line of a call's last message: nothing that was written before the call can hold its nonce."""
    return f"Mark of this task: {nonce}"


@dataclass(frozen=True, slots=True)
class SpeakerInstructions:
    """What a speaker is told besides the debate; both hidden, both our own words."""

    directive: str | None = None
    """For this turn only."""
    strategies: Mapping[int, str] | None = None
    """Per index of an own turn, the line that tells the strategy to follow in it."""
    persistent: str = ""
    """The same in every turn: character and the user's own instructions."""


@dataclass(frozen=True, slots=True)
class _ConversationPrefix:
    """The beginning of a conversation, and all that it was made of."""

    cues: tuple[Cue, ...] = ()
    """Those that the speaker has answered; a question and an answer each."""
    turns: tuple[Turn, ...] = ()
    """What had been said by everybody when the last of them was answered."""
    strategies: tuple[str | None, ...] = ()
    config: DebateConfig | None = None
    messages: tuple[Message, ...] = ()

    def is_prefix_of(self, answered: tuple[Cue, ...], debate: Debate, strategies: Mapping[int, str]) -> bool:
        """Whether the conversation of someone who has `answered` so much begins with this one."""
        count = len(self.cues)
        return (
            debate.config is self.config
            and answered[:count] == self.cues
            and debate.turns[: len(self.turns)] == self.turns
            and tuple(strategies.get(cue.index) for cue in self.cues) == self.strategies
        )


class ConversationBuilder:
    """The conversations of one debater with its model. Each is the one before and more, so what stands is not made anew.

    What comes out depends on cue, debate and notes alone: a new dialogue says the same.
    """

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts
        self._prefix = _ConversationPrefix()

    def build(self, cue: Cue, debate: Debate, notes: SpeakerInstructions) -> Conversation:
        """The conversation of `cue.speaker` up to `cue`."""
        rules = self._prompts.render(
            DEBATER_PROMPT_PACKAGE, "rules", closing_words=str(debate.config.format.closing_words)
        )
        system = "\n\n".join(text for text in (rules, notes.persistent, notes.directive) if text)
        strategies = notes.strategies or {}
        answered = tuple(item for item in list_cues(debate) if item.speaker == cue.speaker and item.index < cue.index)
        if not self._prefix.is_prefix_of(answered, debate, strategies):
            self._prefix = _ConversationPrefix()
        self._prefix = self._extend(self._prefix, answered, debate, strategies)
        before = answered[-1] if answered else None
        return Conversation(system, (*self._prefix.messages, self._user_message(cue, before, debate, strategies)))

    def _extend(
        self, past: _ConversationPrefix, answered: tuple[Cue, ...], debate: Debate, strategies: Mapping[int, str]
    ) -> _ConversationPrefix:
        """`past` with the cues that were answered since."""
        added: list[Message] = []
        before = past.cues[-1] if past.cues else None
        for cue in answered[len(past.cues) :]:
            added += (
                self._user_message(cue, before, debate, strategies),
                Message("assistant", format_own_turn(debate.turns_by_index[cue.index])),
            )
            before = cue
        return _ConversationPrefix(
            cues=answered,
            turns=tuple(turn for turn in debate.turns if before is not None and turn.index <= before.index),
            strategies=tuple(strategies.get(cue.index) for cue in answered),
            config=debate.config,
            messages=(*past.messages, *added),
        )

    def _user_message(self, cue: Cue, before: Cue | None, debate: Debate, strategies: Mapping[int, str]) -> Message:
        """What the speaker is told and asked at `cue`; `before` is the last cue that it answered."""
        occasion = TurnContext.from_cue(cue, debate)
        news = set(cue.sees).difference(before.sees if before is not None else ())
        parts = [
            *(_introduction(occasion) if before is None else ()),
            *(
                _format_opponent_turn(turn)
                for turn in occasion.debate.turns
                if turn.index in news and turn.speaker != cue.speaker
            ),
            *([f"The chair's advice for this round: {quote_for_prompt(cue.guidance)}"] if cue.guidance else ()),
            _render_task(occasion, self._prompts),
            *([strategies[cue.index]] if cue.index in strategies else ()),
        ]
        return Message("user", "\n".join(parts))


def _introduction(occasion: TurnContext) -> Iterator[str]:
    debate, speaker = occasion.debate, occasion.speaker
    yield f"Motion: {quote_for_prompt(debate.topic)}"
    if debate.config.background:
        yield f"Background: {quote_for_prompt(debate.config.background)}"
    yield f"You are {quote_for_prompt(speaker.name)}, side {quote_for_prompt(speaker.side)}."
    others = [item for item in debate.participants if item.name != speaker.name]
    yield f"Against you: {', '.join(f'{quote_for_prompt(item.name)}, side {quote_for_prompt(item.side)}' for item in others)}."


def _format_opponent_turn(turn: Turn) -> str:
    """A speech of somebody else's. Where the text of a free speech does not tell the ids of its claims, they follow."""
    claims = turn.arguments or () if turn.phase == "speech" and UNSTRUCTURED not in turn.warnings else ()
    listed = "".join(f"\n- claim {quote_for_prompt(item.id)}: {quote_for_prompt(item.claim)}" for item in claims)
    return f"{quote_for_prompt(turn.speaker)}, {turn.phase}: {quote_for_prompt(turn.text)}{listed}"


def _render_task(occasion: TurnContext, prompts: Prompts) -> str:
    cue, form = occasion.cue, occasion.format
    name = "follow_up" if cue.phase == "cross_examination" and cue.questions else cue.phase
    return prompts.render(
        DEBATER_PROMPT_PACKAGE,
        name,
        round=str(cue.round),
        count=str(form.arguments),
        ids=_format_ids(occasion.new_ids(form.arguments)),
        targets=_format_ids(occasion.target_ids),
        own=_format_ids(occasion.own_ids),
        closing_words=str(form.closing_words),
        questions="\n".join(
            f"- about {quote_for_prompt(item.target)}, asked by {quote_for_prompt(item.asked_by)}: {quote_for_prompt(item.text)}"
            for item in cue.questions
        ),
    )


def _format_ids(keys: tuple[str, ...]) -> str:
    return ", ".join(quote_for_prompt(key) for key in keys) or "none"


def format_own_turn(turn: Turn) -> str:
    """A turn as its speaker's model gave it: compact JSON in the form of its phase, or plain text where there was none."""
    if UNSTRUCTURED in turn.warnings:
        return sanitize_for_prompt(turn.text)
    return json.dumps(_clean_strings(_turn_fields(turn)), ensure_ascii=False, separators=(",", ":"))


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
        return {"responses": [{name: getattr(item, name) for name in order} for item in turn.responses]}
    return turn.model_dump(mode="json", include={"arguments", "answers", "closing"}, exclude_none=True)


def _clean_strings(value: object) -> object:
    if isinstance(value, str):
        return sanitize_for_prompt(value)
    if isinstance(value, Mapping):
        return {key: _clean_strings(item) for key, item in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_clean_strings(item) for item in cast("Sequence[object]", value)]
    return value
