"""One judge for all five systems: builds the request, asks, reads the form. What differs is in the rows of `systems`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from debate_cli.domain.assessment import Assessment, Manipulation
from debate_cli.domain.bench import assessors, title
from debate_cli.domain.content import Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.exchange import Exchange
from debate_cli.domain.systems import Panel
from debate_cli.domain.tasks import Brief
from debate_cli.errors import DebateError, RefusedError
from debate_cli.judging.manipulation import manipulations, read_ahead
from debate_cli.judging.panel import kept_vote
from debate_cli.judging.rows import PACKAGE, Case, Reading, Row
from debate_cli.judging.systems import row_for, settings_for
from debate_cli.judging.transcript_view import debaters_of, last_turn, shared_part
from debate_cli.llm.ladder import Answer, Voice
from debate_cli.llm.port import Message, Request
from debate_cli.llm.quoting import new_nonce
from debate_cli.llm.template import Prompts

TEMPERATURE = 0.2
"""Of a judge whose model names none."""

SENDING_S = 0.05
"""Seconds within which a question has left; then, while the model thinks, there is time to read the speeches."""

LATE = "late"


class Judge:
    """Answers briefs; `voice_for` says which model a brief is put to."""

    def __init__(
        self, voice_for: Callable[[Brief, Debate], Voice], prompts: Prompts, *, searching: bool = True
    ) -> None:
        """Without `searching` no manipulation is looked for: a rehearsal has no use for it, and it takes longest."""
        self._voice_for = voice_for
        self._prompts = prompts
        self._searching = searching

    def hear(self, turn: Turn, debate: Debate) -> None:
        """Read a speech that was just made once the questions that follow from it have left, so that no judge waits for it."""
        if self._searching and any(assessors(system) for run in debate.runs for system in run.active()):
            asyncio.get_running_loop().call_later(SENDING_S, read_ahead, turn, debaters_of(debate))

    async def assess(self, brief: Brief, debate: Debate) -> Assessment | Failure:
        """The assessment that `brief` asks for, or why there is none; never raises a DebateError."""
        case: Case[Any] = Case(debate, brief, settings_for(brief, debate))
        row = row_for(brief)
        try:
            voice = self._voice_for(brief, debate)
        except DebateError as error:
            return _failed(brief, error, None)
        patience = case.settings.timeout_s if isinstance(case.settings, Panel) else None
        question = voice.ladder.ask(self._request(row, case, voice), row.form(case), patience_s=patience)
        asking = asyncio.ensure_future(question)
        try:
            await asyncio.wait([asking], timeout=SENDING_S)
            caught = manipulations(debate, brief.subject) if self._searching else ()
            answer = await asking
        finally:
            asking.cancel()
        if answer.late:
            return _late(case, answer.exchange)
        return _answered(row, case, answer, caught)

    def _request(self, row: Row[Any, Any], case: Case[Any], voice: Voice) -> Request:
        """Rules, then what all judges share, then what this one is asked."""
        nonce = new_nonce()
        shared = shared_part(case.debate, last_turn(case.debate, case.brief.subject))
        ask = self._prompts.render(PACKAGE, row.prompt, **row.fill(case, self._prompts))
        return Request(
            system=self._prompts.render(PACKAGE, "judge_rules"),
            messages=(Message("user", f"{shared}[ask {nonce}]\n{ask}\n[/ask {nonce}]"),),
            purpose=row.purpose,
            max_output_tokens=voice.max_output_tokens,
            temperature=TEMPERATURE if voice.temperature is None else voice.temperature,
            seed=_seed(voice, case),
            nonce=nonce,
            stable_chars=len(shared),
        )


def _seed(voice: Voice, case: Case[Any]) -> int | None:
    """Another seed for each judge of a bench, so that judges of one model do not repeat one another."""
    if voice.seed is None:
        return None
    return voice.seed + assessors(case.settings).index(case.brief.assessor)


def _answered(
    row: Row[Any, Any], case: Case[Any], answer: Answer[Any], caught: tuple[Manipulation, ...]
) -> Assessment | Failure:
    if answer.error is not None:
        return _failed(case.brief, answer.error, answer.exchange)
    if answer.form is None:
        problem = answer.problem or "no form was filled in"
        return _abstained(case.brief, problem, answer.exchange)
    reading = row.read(answer.form, case)
    return _assessment(case.brief, replace(reading, findings=(*reading.findings, *caught)), answer.exchange)


def _assessment(brief: Brief, reading: Reading, exchange: Exchange) -> Assessment:
    return Assessment(
        **brief.model_dump(include={"run", "system", "assessor", "revision"}),
        subject=brief.subject,
        marks=reading.marks,
        findings=reading.findings,
        rationale=reading.rationale,
        warnings=reading.warnings,
        exchange=exchange,
    )


def _failed(brief: Brief, error: DebateError, exchange: Exchange | None) -> Failure:
    """A provider's or the budget's failure may be asked again on resume; a refusal is an abstention."""
    if isinstance(error, RefusedError):
        return _abstained(brief, str(error), exchange)
    sent = exchange if exchange is not None and exchange.attempts else None
    return Failure(
        task=brief,
        who=brief.assessor,
        cause=type(error).__name__,
        message=str(error),
        final=False,
        exchange=sent,
    )


def _abstained(brief: Brief, problem: str, exchange: Exchange | None) -> Failure:
    return Failure(
        task=brief,
        who=brief.assessor,
        cause=ABSTAINED,
        message=f"the {title(brief.system, brief.assessor)} abstained: {problem}",
        final=True,
        exchange=exchange,
    )


def _late(case: Case[Panel], exchange: Exchange) -> Assessment | Failure:
    """A judge who is late keeps its last vote; without one, it has none."""
    brief = case.brief
    kept = kept_vote(case)
    if kept is not None:
        return _assessment(brief, kept, exchange)
    return Failure(
        task=brief,
        who=brief.assessor,
        cause=LATE,
        message=f"the {title(brief.system, brief.assessor)} gave no vote within {case.settings.timeout_s:g} s",
        final=True,
        exchange=exchange,
    )
