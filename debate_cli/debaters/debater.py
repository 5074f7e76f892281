"""A debater answers a cue with a turn.

A failure of the provider is returned as a `Failure`: it is neither an exception nor a speech.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import partial

from debate_cli.debaters.conversation import (
    DEBATER_PROMPT_PACKAGE,
    AnsweredMessages,
    build_conversation,
    build_recent_conversation,
    format_task,
    task_marker,
)
from debate_cli.debaters.forms import DebaterForm, build_debater_form, read_turn_content
from debate_cli.debaters.instructions import TurnInstructions, build_speaker_instructions, build_turn_instructions
from debate_cli.debaters.turn_content import TurnContent, format_turn_text
from debate_cli.debaters.turn_context import TurnContext
from debate_cli.debaters.validation import count_shape_warnings, find_turn_warnings
from debate_cli.domain.argument_ids import describe_renamed, rename_arguments
from debate_cli.domain.config import DebaterConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.model_call import ModelCall, RawAnswer, add_model_calls
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import UNSTRUCTURED, Argument, Phase, Response, Turn
from debate_cli.judge_input.injection.name_aliases import NameAliases
from debate_cli.llm.history_policy import DebateLength, HistoryPolicy
from debate_cli.llm.model import RESTART, Message, OnText, Request, RequestOrigin
from debate_cli.llm.prompt_sanitizer import new_nonce, sanitize_for_prompt
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle

PHASE_TEMPERATURES: dict[Phase, float] = {"opening": 0.7}
DEBATER_TEMPERATURE = 0.5
"""Default temperature of phases that are not in `PHASE_TEMPERATURES`."""
ARGUMENT_PHASES: tuple[Phase, ...] = ("opening", "speech")
"""Phases that may contain arguments."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """The model's first or second answer to a cue; one of them becomes the turn."""

    content: TurnContent
    warnings: tuple[str, ...]
    exchange: ModelCall
    raw_text: str
    """The answer, unchanged."""

    @classmethod
    def from_form(cls, form: DebaterForm, exchange: ModelCall, raw_text: str, context: TurnContext) -> _Draft:
        content = read_turn_content(form, context)
        arguments, renamed = rename_arguments(content.arguments or (), context.speaker, context.own_ids)
        if renamed:
            content = replace(content, arguments=arguments)
        warnings = (*map(sanitize_for_prompt, describe_renamed(renamed)), *find_turn_warnings(content, context))
        return cls(content, warnings, exchange, raw_text)

    @classmethod
    def from_text(cls, text: str, exchange: ModelCall, raw_text: str, context: TurnContext) -> _Draft:
        return cls(_unstructured_content(text, context), (UNSTRUCTURED,), exchange, raw_text)


class Debater:
    """One debater of a debate and the model that speaks for it."""

    def __init__(
        self,
        config: DebaterConfig,
        model: ModelHandle,
        prompts: Prompts,
        history: HistoryPolicy | None = None,
        *,
        keeps_raw: bool = False,
    ) -> None:
        """`keeps_raw`: whether each turn stores the model's unchanged answer and its prompt."""
        self._keeps_raw = keeps_raw
        self._config = config
        self._history = history or HistoryPolicy()
        self._model = model
        self._prompts = prompts
        self._answered = AnsweredMessages()

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Answer `cue`; `on_text` receives the model's text as it arrives.

        If the answer has a fault of shape (one of `SHAPE_WARNINGS`, e.g. an argument is not answered), the model is
        asked once more. Remaining faults become warnings.
        """
        aliases = NameAliases(debate)
        shown = copy(self)
        shown._config = aliases.hide(self._config)
        answer = aliases.restore(await shown._answer(aliases.hide(cue), aliases.hide(debate), on_text))
        failed = debate.search_warnings(cue.key)
        if isinstance(answer, Failure) or not failed:
            return answer
        return answer.model_copy(update={"warnings": (*answer.warnings, *failed)})

    async def _answer(self, cue: Cue, debate: Debate, on_text: OnText | None) -> Turn | Failure:
        debate = self._with_fitting_passages(cue, debate)
        context = TurnContext.from_cue(cue, debate)
        instructions = build_turn_instructions(context, self._config)
        choose = partial(
            self._history.build,
            partial(self._build_request, cue, debate, instructions),
            DebateLength(len(context.debate.turns), context.debate.speech_chars),
        )
        answer, request, is_recent = await self._history.ask(
            self._model,
            lambda: choose(self._history.context_tokens(self._model)),
            lambda request, is_recent: self._model.client.ask(
                request, build_debater_form(context.with_recent_history() if is_recent else context), on_text
            ),
        )
        if is_recent:
            context = context.with_recent_history()
        if answer.error is not None:
            return _failure(cue, type(answer.error).__name__, str(answer.error), answer.exchange)
        if answer.form is not None:
            draft = _Draft.from_form(answer.form, answer.exchange, answer.raw_text, context)
            if count_shape_warnings(draft.warnings) and not answer.is_final:
                again = self._build_reask(request, answer.text, draft)
                draft = await self._reask(context, again, draft, on_text)
            turn = _build_turn(cue, draft, instructions)
            return self._with_raw_answer(turn, draft, request, context)
        if answer.text.strip():
            draft = _Draft.from_text(answer.text, answer.exchange, answer.raw_text, context)
            turn = _build_turn(cue, draft, instructions)
            return self._with_raw_answer(turn, draft, request, context)
        return _failure(cue, ABSTAINED, f"{self._model.name} gave no answer: {answer.problem}", answer.exchange)

    def _with_fitting_passages(self, cue: Cue, debate: Debate) -> Debate:
        """The debate with as many passages for `cue` as fit into the model's context."""
        lengths = [len(passage.text) for passage in TurnContext.from_cue(cue, debate).passages]
        fitting = self._history.count_fitting(lengths, self._history.context_tokens(self._model))
        return debate.show_first_passages(cue.key, fitting)

    def _with_raw_answer(self, turn: Turn, draft: _Draft, request: Request, context: TurnContext) -> Turn:
        """`turn`. With `keeps_raw`, the model's unchanged answer and the prompt without the transcript are added to it."""
        if not self._keeps_raw:
            return turn
        own = TurnInstructions(turn.directive, turn.strategy)
        instructions = build_speaker_instructions(self._config, context.debate, context.cue, own)
        task = format_task(context, instructions, self._prompts)
        return turn.model_copy(update={"raw": RawAnswer(text=draft.raw_text, system=request.system, task=task)})

    def _build_request(self, cue: Cue, debate: Debate, instructions: TurnInstructions, *, is_recent: bool) -> Request:
        build = build_recent_conversation if is_recent else build_conversation
        speaker = build_speaker_instructions(self._config, debate, cue, instructions)
        conversation = build(cue, debate, speaker, self._prompts, self._answered)
        nonce, model = new_nonce(), self._model
        return Request(
            system=conversation.system,
            messages=conversation.with_task_marker(nonce),
            purpose=cue.phase,
            max_output_tokens=model.max_output_tokens,
            temperature=PHASE_TEMPERATURES.get(cue.phase, DEBATER_TEMPERATURE)
            if model.temperature is None
            else model.temperature,
            seed=model.seed,
            nonce=nonce,
            stable_chars=len(conversation.messages[-1].content),
            origin=_origin(cue, debate),
        )

    def _build_reask(self, request: Request, reply: str, draft: _Draft) -> Request:
        """The request with the model's reply and its faults added to the conversation."""
        listed = "\n".join(f"- {warning}" for warning in draft.warnings)
        words = self._prompts.render(DEBATER_PROMPT_PACKAGE, "reask", warnings=listed)
        added = (
            Message("assistant", sanitize_for_prompt(reply)),
            Message("user", f"{words}\n{task_marker(request.nonce)}"),
        )
        return replace(request, messages=(*request.messages, *added), stable_chars=0)

    async def _reask(self, context: TurnContext, again: Request, first: _Draft, on_text: OnText | None) -> _Draft:
        """Ask once more. The answer with fewer shape warnings counts; in a tie, the second one. Both answers are charged.

        A person may answer in plain words instead of the form; they replace the first answer.
        """
        if on_text is not None:
            on_text(RESTART)
        answer = await self._model.client.ask(again, build_debater_form(context), on_text)
        cost = add_model_calls(first.exchange, answer.exchange)
        if answer.form is not None:
            second = _Draft.from_form(answer.form, cost, answer.raw_text, context)
            if count_shape_warnings(second.warnings) <= count_shape_warnings(first.warnings):
                return second
        elif answer.is_final and answer.text.strip():
            return _Draft.from_text(answer.text, cost, answer.raw_text, context)
        return replace(first, exchange=cost.model_copy(update={"repaired": first.exchange.repaired}))


def _origin(cue: Cue, debate: Debate) -> RequestOrigin:
    return RequestOrigin(
        debate=debate.id,
        key=cue.key,
        name=f"{cue.speaker} {cue.phase}",
        title=f"{cue.speaker}: {cue.phase.replace('_', '-')}, round {cue.round}",
        accepts_text=True,
    )


def _unstructured_content(text: str, context: TurnContext) -> TurnContent:
    """The content of an answer that is plain text instead of a form.

    In a phase with arguments the whole text is the claim of one argument; in a cross-examination it challenges every
    argument that it could answer.
    """
    if context.cue.phase == "cross_examination":
        challenges = (Response(target=key, type="challenge", reasoning="") for key in context.target_ids)
        return TurnContent(speech=text, responses=tuple(challenges))
    if context.cue.phase not in ARGUMENT_PHASES:
        return TurnContent(speech=text)
    (key,) = context.new_ids(1)
    return TurnContent(speech=text, arguments=(Argument(id=key, claim=text, reasoning="", evidence=""),))


def _build_turn(cue: Cue, draft: _Draft, instructions: TurnInstructions) -> Turn:
    return Turn(
        index=cue.index,
        round=cue.round,
        phase=cue.phase,
        speaker=cue.speaker,
        text=format_turn_text(draft.content),
        arguments=draft.content.arguments,
        responses=draft.content.responses,
        answers=draft.content.answers,
        closing=draft.content.closing,
        passages=instructions.passages,
        directive=instructions.directive,
        strategy=instructions.strategy,
        warnings=draft.warnings,
        exchange=draft.exchange,
    )


def _failure(cue: Cue, cause: str, message: str, exchange: ModelCall) -> Failure:
    sent = exchange if exchange.attempts else None
    return Failure(task=cue, who=cue.speaker, cause=cause, message=message, final=False, exchange=sent)
