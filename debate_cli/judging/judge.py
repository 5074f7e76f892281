"""One judge for all five systems: builds the request, asks, reads the form. What differs is in the rows of `systems`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from debate_cli.domain.assessment import Assessment, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.judges import judge_ids, judge_title
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.tasks import Brief
from debate_cli.domain.turn import Turn
from debate_cli.errors import DebateError, RefusedError
from debate_cli.judging.injection.findings import find_manipulations, warm_caches
from debate_cli.judging.transcript_prompt import debater_names, format_shared_prompt, last_visible_turn
from debate_cli.llm.model import Message, Request
from debate_cli.llm.prompt_sanitizer import new_nonce
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle, StructuredAnswer
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.panel.questions import carry_over_vote
from debate_cli.systems.panel.settings import PanelSettings
from debate_cli.systems.registry import get_system, settings_for

JUDGE_TEMPERATURE = 0.2
"""Of a judge whose model names none."""

SEND_GRACE_S = 0.05
"""Seconds within which a question has left; then, while the model thinks, there is time to read the speeches."""

LATE = "late"


class Judge:
    """Answers briefs; `voice_for` says which model a brief is put to."""

    def __init__(
        self, voice_for: Callable[[Brief, Debate], ModelHandle], prompts: Prompts, *, searching: bool = True
    ) -> None:
        """Without `searching` no manipulation is looked for: a rehearsal has no use for it, and it takes longest."""
        self._model_for = voice_for
        self._prompts = prompts
        self._detects_injection = searching

    def warm_up(self, turn: Turn, debate: Debate) -> None:
        """Read a speech that was just made once the questions that follow from it have left, so that no judge waits for it."""
        if self._detects_injection and any(judge_ids(system) for run in debate.runs for system in run.active_systems()):
            asyncio.get_running_loop().call_later(SEND_GRACE_S, warm_caches, turn, debater_names(debate))

    async def assess(self, brief: Brief, debate: Debate) -> Assessment | Failure:
        """The assessment that `brief` asks for, or why there is none; never raises a DebateError."""
        case: JudgingContext[Any] = JudgingContext(debate, brief, settings_for(brief, debate))
        row = get_system(brief.system).question(brief)
        try:
            voice = self._model_for(brief, debate)
        except DebateError as error:
            return _build_failure(brief, error, None)
        patience = case.settings.timeout_s if isinstance(case.settings, PanelSettings) else None
        question = voice.client.ask(self._build_request(row, case, voice), row.build_form(case), patience_s=patience)
        asking = asyncio.ensure_future(question)
        try:
            await asyncio.wait([asking], timeout=SEND_GRACE_S)
            caught = find_manipulations(debate, brief.subject) if self._detects_injection else ()
            answer = await asking
        finally:
            asking.cancel()
        if answer.timed_out:
            return _late_result(case, answer.exchange)
        return _result_from_answer(row, case, answer, caught)

    def _build_request(self, row: JudgeQuestion[Any, Any], case: JudgingContext[Any], voice: ModelHandle) -> Request:
        """Rules, then what all judges share, then what this one is asked."""
        nonce = new_nonce()
        shared = format_shared_prompt(case.debate, last_visible_turn(case.debate, case.brief.subject))
        ask = self._prompts.render(
            f"debate_cli.systems.{case.brief.system}", row.prompt, **row.prompt_values(case, self._prompts)
        )
        return Request(
            system=self._prompts.render("debate_cli.judging", "judge_rules"),
            messages=(Message("user", f"{shared}[ask {nonce}]\n{ask}\n[/ask {nonce}]"),),
            purpose=row.purpose,
            max_output_tokens=voice.max_output_tokens,
            temperature=JUDGE_TEMPERATURE if voice.temperature is None else voice.temperature,
            seed=_judge_seed(voice, case),
            nonce=nonce,
            stable_chars=len(shared),
        )


def _judge_seed(voice: ModelHandle, case: JudgingContext[Any]) -> int | None:
    """Another seed for each judge of a bench, so that judges of one model do not repeat one another."""
    if voice.seed is None:
        return None
    return voice.seed + judge_ids(case.settings).index(case.brief.assessor)


def _result_from_answer(
    row: JudgeQuestion[Any, Any],
    case: JudgingContext[Any],
    answer: StructuredAnswer[Any],
    caught: tuple[Manipulation, ...],
) -> Assessment | Failure:
    if answer.error is not None:
        return _build_failure(case.brief, answer.error, answer.exchange)
    if answer.form is None:
        problem = answer.problem or "no form was filled in"
        return _build_abstention(case.brief, problem, answer.exchange)
    reading = row.read_form(answer.form, case)
    return _build_assessment(case.brief, replace(reading, findings=(*reading.findings, *caught)), answer.exchange)


def _build_assessment(brief: Brief, reading: AssessmentContent, exchange: ModelCall) -> Assessment:
    return Assessment(
        **brief.model_dump(include={"run", "system", "assessor", "revision"}),
        subject=brief.subject,
        marks=reading.marks,
        findings=reading.findings,
        rationale=reading.rationale,
        warnings=reading.warnings,
        exchange=exchange,
    )


def _build_failure(brief: Brief, error: DebateError, exchange: ModelCall | None) -> Failure:
    """A provider's or the budget's failure may be asked again on resume; a refusal is an abstention."""
    if isinstance(error, RefusedError):
        return _build_abstention(brief, str(error), exchange)
    sent = exchange if exchange is not None and exchange.attempts else None
    return Failure(
        task=brief,
        who=brief.assessor,
        cause=type(error).__name__,
        message=str(error),
        final=False,
        exchange=sent,
    )


def _build_abstention(brief: Brief, problem: str, exchange: ModelCall | None) -> Failure:
    return Failure(
        task=brief,
        who=brief.assessor,
        cause=ABSTAINED,
        message=f"the {judge_title(brief.system, brief.assessor)} abstained: {problem}",
        final=True,
        exchange=exchange,
    )


def _late_result(case: JudgingContext[PanelSettings], exchange: ModelCall) -> Assessment | Failure:
    """A judge who is late keeps its last vote; without one, it has none."""
    brief = case.brief
    kept = carry_over_vote(case)
    if kept is not None:
        return _build_assessment(brief, kept, exchange)
    return Failure(
        task=brief,
        who=brief.assessor,
        cause=LATE,
        message=f"the {judge_title(brief.system, brief.assessor)} gave no vote within {case.settings.timeout_s:g} s",
        final=True,
        exchange=exchange,
    )
