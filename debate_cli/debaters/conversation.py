"""The messages to a debater's model: first the rules, then the debate, then the task.

Each request begins with the messages of the debater's previous request, so that a provider can cache these messages.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from debate_cli.debaters.turn_context import TurnContext
from debate_cli.domain.config import DebaterConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.nested_texts import map_texts
from debate_cli.domain.personality import TRAITS, Personality
from debate_cli.domain.recent_history import ClaimLedger, recent_history
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import UNSTRUCTURED, StrategyPick, Turn
from debate_cli.formats.schedule import list_cues
from debate_cli.judge_input.injection.detector import mask_injection
from debate_cli.llm.model import Message
from debate_cli.llm.prompt_sanitizer import quote_for_prompt, sanitize_for_prompt
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.registry import debater_instructions, pick_adaptive_strategy

STRATEGY_INSTRUCTIONS = {
    "analytical": "take the arguments apart step by step, and rely on evidence and sound reasoning",
    "aggressive": "press the weakest premise of your opponents hard, and name each of their errors",
    "defensive": "protect your strongest arguments against what was said, and concede only what you cannot defend",
    "persuasive": "persuade the opponents who are not firm: build on what they accept, and show what speaks for your position",
    "balanced": "weigh the positions of all sides against each other, and show why yours is the best answer to them",
    "empathetic": "start from what your opponents rightly care about, and lead from there to your position",
}


@dataclass(frozen=True, slots=True)
class TurnInstructions:
    """Instructions to the debater for one turn. The finished turn also stores them."""

    directive: str | None = None
    """Instruction for this turn only, which the speaker must not mention; None if there is none."""
    strategy: StrategyPick | None = None
    passages: tuple[str, ...] = ()
    """Ids of the passages that the speaker may cite."""


def build_turn_instructions(context: TurnContext, config: DebaterConfig) -> TurnInstructions:
    """Return the instructions to the speaker of `context.cue` for the next turn."""
    strategy = config.strategy
    if strategy == "adaptive":
        pick = pick_adaptive_strategy(context.debate, context.cue)
    else:
        pick = None if strategy is None else StrategyPick(name=strategy, reason="As configured.")
    parts = list(filter(None, debater_instructions(context.debate, context.cue)))
    directive = " ".join(["For this turn only. Never mention this.", *parts]) if parts else None
    return TurnInstructions(directive, pick, tuple(passage.id for passage in context.passages))


def format_strategy(pick: StrategyPick | None) -> str:
    """Return the sentence of the prompt that describes the picked strategy.

    The result is empty if `pick` is None, or if no strategy has the name in `pick`.
    """
    if pick is None or pick.name not in STRATEGY_INSTRUCTIONS:
        return ""
    return f"Strategy for this turn: {pick.name}. That is: {STRATEGY_INSTRUCTIONS[pick.name]}."


def format_character(personality: Personality | None) -> str:
    """Return a text for the prompt that describes the personality; empty if `personality` is None."""
    if personality is None:
        return ""
    traits = ", ".join(f"{trait.replace('_', ' ')} {round(getattr(personality, trait), 1):g}" for trait in TRAITS)
    return f"Your character, each trait from 1 to 10: {traits}. Show it in how you argue. Never mention it."


DEBATER_PROMPT_PACKAGE = "debate_cli.debaters"


class Conversation(NamedTuple):
    """The system message and the other messages of a request. The last message contains the task."""

    system: str
    messages: tuple[Message, ...]


def task_marker(nonce: str) -> str:
    """Return the line that ends a request. `nonce` is random text, so that no speech can imitate the line."""
    return f"Marker of this task: {nonce}"


def build_conversation(
    cue: Cue, debate: Debate, config: DebaterConfig, instructions: TurnInstructions, prompts: Prompts
) -> Conversation:
    """Return the conversation with `cue.speaker`: earlier cues with their answers, then a message for `cue`."""
    messages: list[Message] = []
    before: Cue | None = None
    for earlier in list_cues(debate):
        if earlier.speaker == cue.speaker and earlier.index < cue.index:
            turn = debate.turns_by_index[earlier.index]
            question = _format_question(TurnContext.from_cue(earlier, debate), before, turn.strategy, prompts)
            messages += [Message("user", question), Message("assistant", format_own_turn(turn))]
            before = earlier
    context = TurnContext.from_cue(cue, debate)
    question = _format_question(context, before, instructions.strategy, prompts)
    messages.append(Message("user", "\n".join([question, *_format_passages(context, prompts)])))
    return Conversation(_system_text(context, config, instructions, prompts), tuple(messages))


def build_recent_conversation(
    cue: Cue, debate: Debate, config: DebaterConfig, instructions: TurnInstructions, prompts: Prompts
) -> Conversation:
    """Return a shorter conversation: one message with a list of earlier arguments, the last turns, and the task of `cue`.

    If there are no earlier arguments to list, returns the full conversation (`build_conversation`).
    """
    context = TurnContext.from_cue(cue, debate).with_recent_history()
    history = recent_history(context.debate)
    if not history.ledger.entries:
        return build_conversation(cue, debate, config, instructions, prompts)
    parts = [*_introduction(context), *_format_ledger(history.ledger)]
    for turn in history.turns:
        is_own = turn.speaker == cue.speaker
        parts.append(f"You said, {turn.phase}: {format_own_turn(turn)}" if is_own else _format_opponent_turn(turn))
    parts += [format_task(context, instructions.strategy, prompts), *_format_passages(context, prompts)]
    return Conversation(_system_text(context, config, instructions, prompts), (Message("user", "\n".join(parts)),))


def _system_text(context: TurnContext, config: DebaterConfig, instructions: TurnInstructions, prompts: Prompts) -> str:
    rules = prompts.render(DEBATER_PROMPT_PACKAGE, "rules", closing_words=str(context.format.closing_words))
    parts = (rules, format_character(context.speaker.personality), config.system, instructions.directive)
    return "\n\n".join(filter(None, parts))


def _format_ledger(ledger: ClaimLedger) -> Iterator[str]:
    yield "Earlier in the debate, in short (unanswered claims first, then answered ones, newest first):"
    for entry in ledger.entries:
        answers = ", ".join(f"{quote_for_prompt(who)} {kind}" for who, kind in entry.answers) or "unanswered"
        head = f"{quote_for_prompt(entry.id)} {quote_for_prompt(entry.speaker)}"
        yield f"- {head}: {quote_for_prompt(entry.claim)} ({answers})"
    if ledger.left_out:
        yield f"- {ledger.left_out} older claims are left out"
    yield "The last speeches:"


def _format_question(context: TurnContext, before: Cue | None, strategy: StrategyPick | None, prompts: Prompts) -> str:
    cue = context.cue
    new = set(cue.sees).difference(before.sees if before is not None else ())
    parts = list(_introduction(context)) if before is None else []
    for turn in context.debate.turns:
        if turn.index in new and turn.speaker != cue.speaker:
            parts.append(_format_opponent_turn(turn))
    return "\n".join([*parts, format_task(context, strategy, prompts)])


def format_task(context: TurnContext, strategy: StrategyPick | None, prompts: Prompts) -> str:
    """Return the part of the prompt that says what the speaker of `context.cue` must do.

    It contains the moderator's guidance for the round (if there is one), the instruction for the phase, and the
    strategy.
    """
    cue, form = context.cue, context.format
    advice = f"The chair's advice for this round: {quote_for_prompt(cue.guidance)}" if cue.guidance else ""
    task = prompts.render(
        DEBATER_PROMPT_PACKAGE,
        "follow_up" if cue.phase == "cross_examination" and cue.questions else cue.phase,
        round=str(cue.round),
        count=str(form.arguments),
        ids=_format_ids(context.new_ids(form.arguments)),
        targets=_format_ids(context.keep_shown(context.target_ids)),
        own=_format_ids(context.keep_shown(context.own_ids)),
        closing_words=str(form.closing_words),
        questions="\n".join(
            f"- about {quote_for_prompt(item.target)}, asked by {quote_for_prompt(item.asked_by)}: {quote_for_prompt(item.text)}"
            for item in cue.questions
        ),
    )
    return "\n".join(filter(None, (advice, task, format_strategy(strategy))))


def _format_ids(keys: tuple[str, ...]) -> str:
    return ", ".join(map(quote_for_prompt, keys)) or "none"


def _format_passages(context: TurnContext, prompts: Prompts) -> Iterator[str]:
    if context.passages:
        yield prompts.render(DEBATER_PROMPT_PACKAGE, "citing")
    for passage in context.passages:
        place = ", ".join(filter(None, (passage.title, passage.source, passage.locator)))
        text = quote_for_prompt(mask_injection(passage.text))
        yield f"Passage {passage.id}, {quote_for_prompt(mask_injection(place))}: {text}"


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
    claims = turn.arguments or () if turn.phase == "speech" and UNSTRUCTURED not in turn.warnings else ()
    listed = "".join(f"\n- claim {quote_for_prompt(item.id)}: {quote_for_prompt(item.claim)}" for item in claims)
    return f"{quote_for_prompt(turn.speaker)}, {turn.phase}: {quote_for_prompt(turn.text)}{listed}"


@memoize_on_value
def format_own_turn(turn: Turn) -> str:
    """Return `turn` as the model wrote it: a filled-in form as compact JSON, or plain text."""
    if UNSTRUCTURED in turn.warnings:
        return sanitize_for_prompt(turn.text)
    fields = map_texts(_turn_fields(turn), sanitize_for_prompt, keys=False)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


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
        written = [item.model_dump(mode="json") for item in turn.responses]
        order = ("target", "reasoning", "type", "follow_up", "citations")  # as in the form
        return {"responses": [{name: item[name] for name in order if name in item} for item in written]}
    return turn.model_dump(mode="json", include={"arguments", "answers", "closing"}, exclude_none=True)
