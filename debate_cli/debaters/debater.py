"""A debater: cue in, turn out. The only place where a speech is made.

Failure is data: what a provider could not deliver comes back as a `Failure`, never as an exception and never as a speech.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from debate_cli.debaters.conversation import DEBATER_PROMPT_PACKAGE, ConversationBuilder, task_marker
from debate_cli.debaters.forms import DebaterForm
from debate_cli.debaters.hints import TurnInstructions, build_speaker_instructions, build_turn_instructions
from debate_cli.debaters.occasion import TurnContext
from debate_cli.debaters.reading import TurnContent, read_turn_content
from debate_cli.debaters.schemas import build_debater_form
from debate_cli.debaters.text import format_turn_text
from debate_cli.debaters.validation import count_shape_warnings, find_turn_warnings
from debate_cli.domain.config import DebaterConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import UNSTRUCTURED, Argument, Phase, Turn
from debate_cli.llm.model import RESTART, Message, OnText, Request
from debate_cli.llm.prompt_sanitizer import new_nonce, sanitize_for_prompt
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle

PHASE_TEMPERATURES: dict[Phase, float] = {"opening": 0.7}
DEBATER_TEMPERATURE = 0.5
"""Of every other phase."""
ARGUMENT_PHASES: tuple[Phase, ...] = ("opening", "speech")
"""Phases in which arguments are made."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A speech that is not yet a turn."""

    content: TurnContent
    warnings: tuple[str, ...]
    exchange: ModelCall

    @classmethod
    def from_form(cls, form: DebaterForm, exchange: ModelCall, occasion: TurnContext) -> _Draft:
        said = read_turn_content(form, occasion)
        return cls(said, find_turn_warnings(said, occasion), exchange)


class Debater:
    """One debater of a debate, speaking with `voice`."""

    def __init__(self, config: DebaterConfig, voice: ModelHandle, prompts: Prompts) -> None:
        self._config = config
        self._model = voice
        self._prompts = prompts
        self._conversation_builder = ConversationBuilder(prompts)

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Answer `cue`, knowing only what it entitles to; `on_text` is given the model's words as they arrive.

        A speech whose shape is broken (an argument left unanswered, an answer to none) is asked for once more; what
        is wrong after that stays with its warnings.
        """
        occasion = TurnContext.from_cue(cue, debate)
        hint = build_turn_instructions(occasion, self._config)
        request = self._build_request(cue, debate, hint)
        answer = await self._model.client.ask(request, build_debater_form(occasion), on_text)
        if answer.error is not None:
            return _failure(cue, type(answer.error).__name__, str(answer.error), answer.exchange)
        if answer.form is not None:
            draft = _Draft.from_form(answer.form, answer.exchange, occasion)
            if count_shape_warnings(draft.warnings):
                again = self._build_reask(request, answer.text, draft)
                draft = await self._reask(occasion, again, draft, on_text)
            return _build_turn(cue, draft, format_turn_text(draft.content), hint)
        if answer.text.strip():
            draft = _Draft(_unstructured_content(answer.text, occasion), (UNSTRUCTURED,), answer.exchange)
            return _build_turn(cue, draft, answer.text, hint)
        return _failure(cue, ABSTAINED, f"{self._model.name} said nothing: {answer.problem}", answer.exchange)

    def _build_request(self, cue: Cue, debate: Debate, hint: TurnInstructions) -> Request:
        spoken = self._conversation_builder.build(
            cue, debate, build_speaker_instructions(self._config, debate, cue, hint)
        )
        nonce, voice = new_nonce(), self._model
        return Request(
            system=spoken.system,
            messages=spoken.with_task_marker(nonce),
            purpose=cue.phase,
            max_output_tokens=voice.max_output_tokens,
            temperature=PHASE_TEMPERATURES.get(cue.phase, DEBATER_TEMPERATURE)
            if voice.temperature is None
            else voice.temperature,
            seed=voice.seed,
            nonce=nonce,
            stable_chars=len(spoken.messages[-1].content),
        )

    def _build_reask(self, request: Request, reply: str, draft: _Draft) -> Request:
        """The conversation goes on with the model's reply and with what is wrong in it."""
        listed = "\n".join(f"- {warning}" for warning in draft.warnings)
        words = self._prompts.render(DEBATER_PROMPT_PACKAGE, "reask", warnings=listed)
        added = (
            Message("assistant", sanitize_for_prompt(reply)),
            Message("user", f"{words}\n{task_marker(request.nonce)}"),
        )
        return replace(request, messages=(*request.messages, *added), stable_chars=0)

    async def _reask(self, occasion: TurnContext, again: Request, first: _Draft, on_text: OnText | None) -> _Draft:
        """Ask once more. Of the two speeches the less broken one stays, the later one if equal; both are paid for."""
        if on_text is not None:
            on_text(RESTART)
        answer = await self._model.client.ask(again, build_debater_form(occasion), on_text)
        cost = merge_model_calls(first.exchange, answer.exchange)
        if answer.form is not None:
            second = _Draft.from_form(answer.form, cost, occasion)
            if count_shape_warnings(second.warnings) <= count_shape_warnings(first.warnings):
                return second
        return replace(first, exchange=cost.model_copy(update={"repaired": first.exchange.repaired}))


def merge_model_calls(first: ModelCall, second: ModelCall) -> ModelCall:
    """One exchange for a question and its re-ask. A price that is not known makes the sum unknown."""
    costs = (first.cost_usd, second.cost_usd)
    return second.model_copy(
        update={
            "attempts": first.attempts + second.attempts,
            "usage": first.usage + second.usage,
            "latency_s": round(first.latency_s + second.latency_s, 6),
            "cost_usd": None if None in costs else sum(cost for cost in costs if cost is not None),
        }
    )


def _unstructured_content(text: str, occasion: TurnContext) -> TurnContent:
    """The model's own words. Where arguments are asked for, they are one, told whole in its claim."""
    if occasion.cue.phase not in ARGUMENT_PHASES:
        return TurnContent(speech=text)
    (key,) = occasion.new_ids(1)
    return TurnContent(speech=text, arguments=(Argument(id=key, claim=text, reasoning="", evidence=""),))


def _build_turn(cue: Cue, draft: _Draft, text: str, hint: TurnInstructions) -> Turn:
    return Turn(
        index=cue.index,
        round=cue.round,
        phase=cue.phase,
        speaker=cue.speaker,
        text=text,
        arguments=draft.content.arguments,
        responses=draft.content.responses,
        answers=draft.content.answers,
        closing=draft.content.closing,
        directive=hint.directive,
        strategy=hint.strategy,
        warnings=draft.warnings,
        exchange=draft.exchange,
    )


def _failure(cue: Cue, cause: str, message: str, exchange: ModelCall) -> Failure:
    sent = exchange if exchange.attempts else None
    return Failure(task=cue, who=cue.speaker, cause=cause, message=message, final=False, exchange=sent)
