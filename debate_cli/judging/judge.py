"""The judge, for all judging systems: builds the request for a brief, asks the model, reads the filled-in form."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from debate_cli.domain.assessment import Assessment, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.judging_config import SOLE_JUDGE_ID, judge_ids, judge_title
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.model_call import ModelCall, RawAnswer, is_mock
from debate_cli.domain.tasks import Brief
from debate_cli.errors import DebateError, RefusedError
from debate_cli.judge_input.injection.findings import (
    find_manipulations,
    read_addressed_to_judge,
    with_addressed_to_judge,
)
from debate_cli.judge_input.injection.name_aliases import NameAliases
from debate_cli.judge_input.transcript_prompt import count_visible, format_full_prompt, format_recent_prompt
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.history_policy import DebateLength, HistoryPolicy
from debate_cli.llm.model import Message, Request, RequestOrigin
from debate_cli.llm.prompt_sanitizer import new_nonce
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle, StructuredAnswer
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.registry import get_system, settings_for

JUDGE_TEMPERATURE = 0.2
"""Sampling temperature of a request to a judge if the configuration sets none."""

LATE = "late"


@dataclass(frozen=True, slots=True)
class BriefForm:
    """The form that a judge fills in for a brief (a request to assess), with the part of the debate that the judge reads."""

    context: JudgingContext[Any]
    shown: JudgingContext[Any]
    """`context` with aliases (`ITEM-1`) in place of names that a judge must not read."""
    question: JudgeQuestion[Any, Any]
    form: Form[Any]
    aliases: NameAliases

    def read(self, filled: FormModel, found: Sequence[Manipulation]) -> AssessmentContent:
        """Return the content of the filled-in form. `found`: findings about words that address the judge."""
        content = self.aliases.restore(self.question.read_form(filled, self.shown))
        brief = self.context.brief
        quoted, warnings = self.aliases.restore(
            read_addressed_to_judge(filled, self.context.debate, brief.subject, found)
        )
        return replace(content, findings=(*content.findings, *found, *quoted), warnings=(*content.warnings, *warnings))


def build_brief_form(brief: Brief, debate: Debate) -> BriefForm:
    """Return the form for `brief`. Raises KeyError if the judging run does not have the brief's system."""
    context: JudgingContext[Any] = JudgingContext(debate, brief, settings_for(brief, debate))
    question = get_system(brief.system).question(brief)
    aliases = NameAliases(debate, context.settings)
    shown = aliases.hide(context)
    return BriefForm(context, shown, question, with_addressed_to_judge(question.build_form(shown)), aliases)


def build_assessment(
    context: JudgingContext[Any], content: AssessmentContent, call: ModelCall, raw: RawAnswer | None = None
) -> Assessment:
    """Return the assessment that answers the brief of `context`, with the given content."""
    brief = context.brief
    return Assessment(
        **brief.model_dump(include={"run", "system", "assessor", "revision"}),
        subject=brief.subject,
        marks=content.marks,
        findings=content.findings,
        rationale=content.rationale,
        passages=context.debate.shown_passages.get(brief.key, ()),
        warnings=(*content.warnings, *context.debate.search_warnings(brief.key)),
        exchange=call,
        raw=raw,
    )


class Judge:
    """Answers briefs with the help of models. `model_for` returns the model for a brief."""

    def __init__(
        self,
        model_for: Callable[[Brief, Debate], ModelHandle],
        prompts: Prompts,
        *,
        history: HistoryPolicy | None = None,
        keeps_raw: bool = False,
    ) -> None:
        """`keeps_raw`: whether an assessment stores the prompt and the text of the model's answer."""
        self._model_for = model_for
        self._prompts = prompts
        self._history = history or HistoryPolicy()
        self._keeps_raw = keeps_raw

    async def assess(self, brief: Brief, debate: Debate) -> Assessment | Failure:
        """Answer `brief`. Raises StorageError if the journal cannot be written."""
        asked = build_brief_form(brief, debate)
        context = asked.context
        try:
            model = self._model_for(brief, debate)
        except DebateError as error:
            return _result_without_form(brief, error, None, None)
        found = await asyncio.to_thread(find_manipulations, debate, brief.subject)
        answer, request, _ = await self._history.ask(
            model,
            lambda: self._choose_request(asked.question, asked.shown, model),
            lambda request, _: model.client.ask(request, asked.form, patience_s=context.settings.judge_timeout_s),
        )
        if answer.timed_out:
            kept = get_system(brief.system).late_answer(context)
            if kept is not None:
                return build_assessment(context, kept, answer.call)
            late = f"gave no vote within {context.settings.judge_timeout_s:g} s"
            return _final_failure(brief, LATE, late, answer.call)
        raw = self._raw_answer(answer, request)
        if answer.form is None:
            return _result_without_form(brief, answer.error, answer.problem, answer.call, raw)
        filled = asked.read(answer.form, found)
        return build_assessment(context, filled, answer.call, raw if self._keeps_raw else None)

    def _raw_answer(self, answer: StructuredAnswer[Any], request: Request) -> RawAnswer | None:
        if not answer.raw_text.strip():
            return None
        if not self._keeps_raw:
            return RawAnswer(text=answer.raw_text)
        task = request.messages[-1].content[request.stable_chars :]
        return RawAnswer(text=answer.raw_text, system=request.system, task=task)

    def _choose_request(
        self, question: JudgeQuestion[Any, Any], context: JudgingContext[Any], model: ModelHandle
    ) -> tuple[Request, bool]:
        is_about_whole = context.brief.subject.moment == "debate"
        choose = self._history.build_whole if is_about_whole else self._history.build
        return choose(
            partial(self._build_request, question, context, model),
            DebateLength(*count_visible(context.debate, context.brief.subject)),
            self._history.context_tokens(model),
        )

    def _build_request(
        self, question: JudgeQuestion[Any, Any], context: JudgingContext[Any], model: ModelHandle, *, is_recent: bool
    ) -> Request:
        format_shared = format_recent_prompt if is_recent else format_full_prompt
        shared = format_shared(context.debate, context.brief.subject)
        ask = self._prompts.render(
            get_system(context.brief.system).prompt_package,
            question.prompt,
            **question.prompt_values(context, self._prompts),
        )
        rules = self._prompts.render("debate_cli.judging", "judge_rules")
        request = build_request(model, question.purpose, rules, shared, ask)
        brief = context.brief
        judge = "" if brief.assessor == SOLE_JUDGE_ID else f" {brief.assessor}"
        run = "" if brief.run == FIRST_RUN else f" {brief.run}"
        origin = RequestOrigin(
            context.debate.id,
            brief.key,
            name=f"judge {brief.system}{judge}{run}",
            title=f"{judge_title(brief.system, brief.assessor)}: {_describe_task(brief)}",
        )
        return replace(request, seed=_judge_seed(model, context), origin=origin)


def _describe_task(brief: Brief) -> str:
    """Return a name of the brief, e.g. `turn 1 (numbered 0 below)`.

    The number in parentheses counts turns from 0, as prompts and forms do.
    """
    name = get_system(brief.system).describe_brief(brief)
    if brief.subject.moment not in {"turn", "pair"}:
        return name
    return f"{name} (numbered {' and '.join(map(str, brief.subject.turns))} below)"


def build_request(model: ModelHandle, purpose: str, rules: str, shown: str, ask: str) -> Request:
    """Return a request: the system message `rules`, and a message with the material `shown` and the task `ask`."""
    nonce = new_nonce()
    return Request(
        system=rules,
        messages=(Message("user", f"{shown}[ask {nonce}]\n{ask}\n[/ask {nonce}]"),),
        purpose=purpose,
        max_output_tokens=model.max_output_tokens,
        temperature=JUDGE_TEMPERATURE if model.temperature is None else model.temperature,
        seed=model.seed,
        nonce=nonce,
        stable_chars=len(shown),
    )


def _judge_seed(model: ModelHandle, context: JudgingContext[Any]) -> int | None:
    judges = judge_ids(context.settings)
    earlier_runs = [run.id for run in context.debate.runs].index(context.brief.run)
    place = earlier_runs * len(judges) + judges.index(context.brief.assessor)
    if model.seed is None and (place == 0 or not is_mock(model.name)):  # without a seed, the mock repeats its answer
        return None
    return (model.seed or 0) + place


def _result_without_form(
    brief: Brief,
    error: DebateError | None,
    problem: str | None,
    call: ModelCall | None,
    raw: RawAnswer | None = None,
) -> Failure:
    """Return the failure of a brief whose judge filled in no form.

    A refusal or an unusable answer is an abstention: the failure is final. After any other error, e.g. of the network, a
    resumed run asks the judge again.
    """
    if error is not None and not isinstance(error, RefusedError):
        sent = call if call is not None and call.attempts else None
        cause = type(error).__name__
        return Failure(task=brief, who=brief.assessor, cause=cause, message=str(error), final=False, exchange=sent)
    return _final_failure(brief, ABSTAINED, f"abstained: {error or problem or 'no form was filled in'}", call, raw)


def _final_failure(
    brief: Brief, cause: str, what: str, call: ModelCall | None, raw: RawAnswer | None = None
) -> Failure:
    message = f"the {judge_title(brief.system, brief.assessor)} {what}"
    return Failure(task=brief, who=brief.assessor, cause=cause, message=message, final=True, exchange=call, raw=raw)
