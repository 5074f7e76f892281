"""A debater answers a cue with a turn, or with a `Failure` if the model gives no usable answer."""

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

from debate_cli.debaters.conversation import (
    DEBATER_PROMPT_PACKAGE,
    TurnInstructions,
    build_conversation,
    build_recent_conversation,
    build_turn_instructions,
    format_task,
    task_marker,
)
from debate_cli.debaters.forms import DebaterForm, TurnContent, build_debater_form, format_turn_text, read_turn_content
from debate_cli.debaters.turn_context import TurnContext
from debate_cli.debaters.validation import count_shape_warnings, find_turn_warnings
from debate_cli.domain.argument_ids import describe_renamed, rename_arguments
from debate_cli.domain.config import DebaterConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.model_call import RawAnswer, add_model_calls
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import UNSTRUCTURED, Argument, Phase, Response, Turn
from debate_cli.judge_input.injection.name_aliases import NameAliases
from debate_cli.llm.history_policy import DebateLength, HistoryPolicy
from debate_cli.llm.model import RESTART, Message, OnText, Request, RequestOrigin
from debate_cli.llm.prompt_sanitizer import new_nonce, sanitize_for_prompt
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle, StructuredAnswer

PHASE_TEMPERATURES: dict[Phase, float] = {"opening": 0.7}
DEBATER_TEMPERATURE = 0.5
"""Default sampling temperature for phases that are not in `PHASE_TEMPERATURES`."""
ARGUMENT_PHASES: tuple[Phase, ...] = ("opening", "speech")
"""Phases in which a speaker may make new arguments."""


class Debater:
    """Answers the cues of one debater: asks a model for each turn."""

    def __init__(
        self,
        config: DebaterConfig,
        model: ModelHandle,
        prompts: Prompts,
        history: HistoryPolicy | None = None,
        *,
        keeps_raw: bool = False,
    ) -> None:
        """`keeps_raw`: whether a turn stores the prompt and the text of the model's answer."""
        self._keeps_raw = keeps_raw
        self._config = config
        self._history = history or HistoryPolicy()
        self._model = model
        self._prompts = prompts

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Answer `cue`. If the answer has a warning in `SHAPE_WARNINGS`, the model is asked once more.

        `on_text` receives the model's text as it arrives.
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
        lengths = [len(passage.text) for passage in TurnContext.from_cue(cue, debate).passages]
        fitting = self._history.count_fitting(lengths, self._history.context_tokens(self._model))
        debate = debate.show_first_passages(cue.key, fitting)
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
        read = partial(self._read_answer, context=context, instructions=instructions, system=request.system)
        turn = read(answer)
        if (
            isinstance(turn, Failure)
            or answer.form is None
            or answer.is_final
            or not count_shape_warnings(turn.warnings)
        ):
            return turn
        if on_text is not None:
            on_text(RESTART)
        again = self._build_reask(request, answer.text, turn.warnings)
        return _choose_turn(turn, await self._model.client.ask(again, build_debater_form(context), on_text), read)

    def _build_request(self, cue: Cue, debate: Debate, instructions: TurnInstructions, *, is_recent: bool) -> Request:
        build = build_recent_conversation if is_recent else build_conversation
        system, (*earlier, last) = build(cue, debate, self._config, instructions, self._prompts)
        nonce, model = new_nonce(), self._model
        phase_temperature = PHASE_TEMPERATURES.get(cue.phase, DEBATER_TEMPERATURE)
        return Request(
            system=system,
            messages=(*earlier, Message("user", f"{last.content}\n{task_marker(nonce)}")),
            purpose=cue.phase,
            max_output_tokens=model.max_output_tokens,
            temperature=phase_temperature if model.temperature is None else model.temperature,
            seed=model.seed,
            nonce=nonce,
            stable_chars=len(last.content),
            origin=RequestOrigin(
                debate=debate.id,
                key=cue.key,
                name=f"{cue.speaker} {cue.phase}",
                title=f"{cue.speaker}: {cue.phase.replace('_', '-')}, round {cue.round}",
                accepts_text=True,
            ),
        )

    def _build_reask(self, request: Request, reply: str, warnings: tuple[str, ...]) -> Request:
        listed = "\n".join(f"- {warning}" for warning in warnings)
        words = self._prompts.render(DEBATER_PROMPT_PACKAGE, "reask", warnings=listed)
        added = (
            Message("assistant", sanitize_for_prompt(reply)),
            Message("user", f"{words}\n{task_marker(request.nonce)}"),
        )
        return replace(request, messages=(*request.messages, *added), stable_chars=0)

    def _read_answer(
        self, answer: StructuredAnswer[Any], context: TurnContext, instructions: TurnInstructions, system: str
    ) -> Turn | Failure:
        cue = context.cue
        if answer.error is not None:
            return _failure(cue, type(answer.error).__name__, str(answer.error), answer)
        if answer.form is not None:
            content, warnings = _read_form(answer.form, context)
        elif answer.text.strip():
            content, warnings = _unstructured_content(answer.text, context), (UNSTRUCTURED,)
        else:
            return _failure(cue, ABSTAINED, f"{self._model.name} gave no answer: {answer.problem}", answer)
        raw = None
        if self._keeps_raw:
            task = format_task(context, instructions.strategy, self._prompts)
            raw = RawAnswer(text=answer.raw_text, system=system, task=task)
        return Turn(
            index=cue.index,
            round=cue.round,
            phase=cue.phase,
            speaker=cue.speaker,
            text=format_turn_text(content),
            arguments=content.arguments,
            responses=content.responses,
            answers=content.answers,
            closing=content.closing,
            passages=instructions.passages,
            directive=instructions.directive,
            strategy=instructions.strategy,
            warnings=warnings,
            exchange=answer.call,
            raw=raw,
        )


def _choose_turn(first: Turn, answer: StructuredAnswer[Any], read: partial[Turn | Failure]) -> Turn:
    cost = add_model_calls(first.exchange, answer.call)
    second = read(replace(answer, call=cost))
    if isinstance(second, Turn):
        is_better = count_shape_warnings(second.warnings) <= count_shape_warnings(first.warnings)
        if is_better if answer.form is not None else answer.is_final:
            return second
    repaired = first.exchange.repaired
    return first.model_copy(update={"exchange": cost.model_copy(update={"repaired": repaired})})


def _read_form(form: DebaterForm, context: TurnContext) -> tuple[TurnContent, tuple[str, ...]]:
    content = read_turn_content(form, context)
    arguments, renamed = rename_arguments(content.arguments or (), context.speaker, context.own_ids, renumber=True)
    if renamed:
        content = replace(content, arguments=arguments)
    changes = map(sanitize_for_prompt, describe_renamed(renamed))
    return content, (*changes, *find_turn_warnings(content, context))


def _unstructured_content(text: str, context: TurnContext) -> TurnContent:
    if context.cue.phase == "cross_examination":
        challenges = (Response(target=key, type="challenge", reasoning="") for key in context.target_ids)
        return TurnContent(speech=text, responses=tuple(challenges))
    if context.cue.phase not in ARGUMENT_PHASES:
        return TurnContent(speech=text)
    (key,) = context.new_ids(1)
    return TurnContent(speech=text, arguments=(Argument(id=key, claim=text, reasoning="", evidence=""),))


def _failure(cue: Cue, cause: str, message: str, answer: StructuredAnswer[Any]) -> Failure:
    sent = answer.call if answer.call.attempts else None
    return Failure(task=cue, who=cue.speaker, cause=cause, message=message, final=False, exchange=sent)
