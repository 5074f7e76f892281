"""A debater: cue in, turn out. The only place where a speech is made.

Failure is data: what a provider could not deliver comes back as a `Failure`, never as an exception and never as a speech.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from debate_cli.debaters.conversation import PACKAGE, Dialogue, mark
from debate_cli.debaters.forms import SpokenForm
from debate_cli.debaters.hints import Hint, hints, notes
from debate_cli.debaters.occasion import Occasion
from debate_cli.debaters.reading import Said, read
from debate_cli.debaters.schemas import form_for
from debate_cli.debaters.text import rendered
from debate_cli.debaters.validation import faults, warnings
from debate_cli.domain.config import DebaterConfig
from debate_cli.domain.content import UNSTRUCTURED, Argument, Phase, Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.exchange import Exchange
from debate_cli.domain.tasks import Cue
from debate_cli.llm.ladder import Voice
from debate_cli.llm.port import RESTART, Message, OnText, Request
from debate_cli.llm.quoting import clean, new_nonce
from debate_cli.llm.template import Prompts

TEMPERATURES: dict[Phase, float] = {"opening": 0.7}
TEMPERATURE = 0.5
"""Of every other phase."""
ARGUING: tuple[Phase, ...] = ("opening", "speech")
"""Phases in which arguments are made."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A speech that is not yet a turn."""

    said: Said
    warnings: tuple[str, ...]
    exchange: Exchange

    @classmethod
    def of(cls, form: SpokenForm, exchange: Exchange, occasion: Occasion) -> _Draft:
        said = read(form, occasion)
        return cls(said, warnings(said, occasion), exchange)


class Debater:
    """One debater of a debate, speaking with `voice`."""

    def __init__(self, config: DebaterConfig, voice: Voice, prompts: Prompts) -> None:
        self._config = config
        self._voice = voice
        self._prompts = prompts
        self._dialogue = Dialogue(prompts)

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Answer `cue`, knowing only what it entitles to; `on_text` is given the model's words as they arrive.

        A speech whose shape is broken (an argument left unanswered, an answer to none) is asked for once more; what
        is wrong after that stays with its warnings.
        """
        occasion = Occasion.of(cue, debate)
        hint = hints(occasion, self._config)
        request = self._request(cue, debate, hint)
        answer = await self._voice.ladder.ask(request, form_for(occasion), on_text)
        if answer.error is not None:
            return _failure(cue, type(answer.error).__name__, str(answer.error), answer.exchange)
        if answer.form is not None:
            draft = _Draft.of(answer.form, answer.exchange, occasion)
            if faults(draft.warnings):
                again = self._again(request, answer.text, draft)
                draft = await self._mended(occasion, again, draft, on_text)
            return _turn(cue, draft, rendered(draft.said), hint)
        if answer.text.strip():
            draft = _Draft(_unstructured(answer.text, occasion), (UNSTRUCTURED,), answer.exchange)
            return _turn(cue, draft, answer.text, hint)
        return _failure(cue, ABSTAINED, f"{self._voice.name} said nothing: {answer.problem}", answer.exchange)

    def _request(self, cue: Cue, debate: Debate, hint: Hint) -> Request:
        spoken = self._dialogue.conversation(cue, debate, notes(self._config, debate, cue, hint))
        nonce, voice = new_nonce(), self._voice
        return Request(
            system=spoken.system,
            messages=spoken.marked(nonce),
            purpose=cue.phase,
            max_output_tokens=voice.max_output_tokens,
            temperature=TEMPERATURES.get(cue.phase, TEMPERATURE) if voice.temperature is None else voice.temperature,
            seed=voice.seed,
            nonce=nonce,
            stable_chars=len(spoken.messages[-1].content),
        )

    def _again(self, request: Request, reply: str, draft: _Draft) -> Request:
        """The conversation goes on with the model's reply and with what is wrong in it."""
        listed = "\n".join(f"- {warning}" for warning in draft.warnings)
        words = self._prompts.render(PACKAGE, "reask", warnings=listed)
        added = (Message("assistant", clean(reply)), Message("user", f"{words}\n{mark(request.nonce)}"))
        return replace(request, messages=(*request.messages, *added), stable_chars=0)

    async def _mended(self, occasion: Occasion, again: Request, first: _Draft, on_text: OnText | None) -> _Draft:
        """Ask once more. Of the two speeches the less broken one stays, the later one if equal; both are paid for."""
        if on_text is not None:
            on_text(RESTART)
        answer = await self._voice.ladder.ask(again, form_for(occasion), on_text)
        cost = merged(first.exchange, answer.exchange)
        if answer.form is not None:
            second = _Draft.of(answer.form, cost, occasion)
            if faults(second.warnings) <= faults(first.warnings):
                return second
        return replace(first, exchange=cost.model_copy(update={"repaired": first.exchange.repaired}))


def merged(first: Exchange, second: Exchange) -> Exchange:
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


def _unstructured(text: str, occasion: Occasion) -> Said:
    """The model's own words. Where arguments are asked for, they are one, told whole in its claim."""
    if occasion.cue.phase not in ARGUING:
        return Said(speech=text)
    (key,) = occasion.new_ids(1)
    return Said(speech=text, arguments=(Argument(id=key, claim=text, reasoning="", evidence=""),))


def _turn(cue: Cue, draft: _Draft, text: str, hint: Hint) -> Turn:
    return Turn(
        index=cue.index,
        round=cue.round,
        phase=cue.phase,
        speaker=cue.speaker,
        text=text,
        arguments=draft.said.arguments,
        responses=draft.said.responses,
        answers=draft.said.answers,
        closing=draft.said.closing,
        directive=hint.directive,
        strategy=hint.strategy,
        warnings=draft.warnings,
        exchange=draft.exchange,
    )


def _failure(cue: Cue, cause: str, message: str, exchange: Exchange) -> Failure:
    sent = exchange if exchange.attempts else None
    return Failure(task=cue, who=cue.speaker, cause=cause, message=message, final=False, exchange=sent)
