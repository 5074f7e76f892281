"""The question of the structured judge: marks, standing and fallacies of each argument, and advice."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import Field, create_model

from debate_cli.judge_input.quotes import find_quoted_turn
from debate_cli.judge_input.transcript_prompt import to_prompt_json
from debate_cli.llm.form import Form, FormModel, JsonSchema, items, one_of, text, whole_number
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, judge_form, unique_known_items
from debate_cli.systems.source_prompts import format_source_checks
from debate_cli.systems.structured.findings import Fallacy, Insight, Standing, Trace
from debate_cli.systems.structured.score import scored_arguments
from debate_cli.systems.structured.settings import StructuredSettings


class FallacyForm(FormModel):
    """A fallacy from the checklist."""

    name: str = text(40)
    quote: str = text(120, least=4, description="Words of the argument's speaker, copied.")


class _ReasoningForm(FormModel):
    item: str
    reasoning: str = text(description="Why you judge the argument as you do, in a sentence or two.")


class _ConclusionForm(FormModel):
    standing: Standing = Field(
        description="UPHELD: can be relied on. PARTIALLY_UPHELD: right in direction, limited in condition, degree or scope. "
        "REFUTED: not a basis for a decision. UNCERTAIN: the debate does not settle it."
    )
    fallacies: tuple[FallacyForm, ...] = items(
        2, default=(), description="Fallacies of the checklist that the argument commits; empty if there are none."
    )


class ArgumentJudgementForm(_ConclusionForm, _ReasoningForm):
    """The judgement of one argument. The program adds a field for the mark of each criterion."""


class StructuredForm(FormModel):
    """The judgement of the whole debate, argument by argument."""

    arguments: tuple[ArgumentJudgementForm, ...]
    key_insight: str = text(
        240, description="The most important insight for a person who has to decide about the motion."
    )
    unresolved_questions: tuple[str, ...] = items(
        3, chars=160, default=(), description="Questions that the debate leaves open."
    )
    recommendation: str = text(240, default="", description="What to do, and what to check first.")


@lru_cache(maxsize=64)
def _form_with_marks(criteria: tuple[tuple[str, str], ...]) -> type[StructuredForm]:
    fields: dict[str, Any] = {
        f"mark_{number}": (int, whole_number(1, 10, alias=criterion, description=description))
        for number, (criterion, description) in enumerate(criteria)
    }
    marked = create_model("MarkedArgumentForm", __base__=_ReasoningForm, **fields)
    judged: Any = create_model("ArgumentJudgementForm", __base__=(ArgumentJudgementForm, marked))
    entries: Any = (tuple[judged, ...], ...)
    return create_model("StructuredForm", __base__=StructuredForm, arguments=entries)


def _build_structured_form(context: JudgingContext[StructuredSettings]) -> Form[StructuredForm]:
    fallacies = [fallacy.name for fallacy in context.settings.fallacies]
    model = _form_with_marks(tuple(context.settings.criterion_descriptions.items()))
    complete = {"arguments": ("item", tuple(scored_arguments(context.debate)))}
    narrowing: dict[str, JsonSchema] = {"name": one_of(fallacies), "fallacies": {} if fallacies else {"maxItems": 0}}
    return judge_form("structured_judgment", model, complete, **narrowing)


def _structured_prompt_values(context: JudgingContext[StructuredSettings], _prompts: Prompts) -> Mapping[str, str]:
    checks = format_source_checks(context.debate, context.brief.run)
    ids = [{"item": item, "by": speaker} for item, speaker in scored_arguments(context.debate).items()]
    criteria = context.settings.criterion_descriptions.items()
    return {
        "arguments": to_prompt_json(ids),
        "criteria": to_prompt_json([{"criterion": name, "asks": description} for name, description in criteria]),
        "fallacies": to_prompt_json([fallacy.model_dump() for fallacy in context.settings.fallacies]),
        "sources": f"\n\n{checks}" if checks else "",
    }


def _read_structured_form(filled: StructuredForm, context: JudgingContext[StructuredSettings]) -> AssessmentContent:
    collector = MarkCollector()
    known = scored_arguments(context.debate)
    for entry in unique_known_items(collector, filled.arguments, lambda argument: argument.item, known):
        _read_argument(entry, context, collector)
    collector.add_findings(
        Insight(**filled.model_dump(include={"key_insight", "unresolved_questions", "recommendation"}))
    )
    return collector.result()


def _read_argument(
    entry: ArgumentJudgementForm, context: JudgingContext[StructuredSettings], collector: MarkCollector
) -> None:
    item, (speaker, argument) = entry.item, context.debate.arguments[entry.item]
    for number, criterion in enumerate(context.settings.criterion_descriptions):
        collector.add_mark(speaker, criterion, getattr(entry, f"mark_{number}"), (1, 10), item=item)
    collector.add_findings(
        Trace(participant=speaker, item=item, claim=argument.claim, standing=entry.standing, reason=entry.reasoning)
    )
    checklist = {fallacy.name.casefold(): fallacy.name for fallacy in context.settings.fallacies}
    for fallacy in entry.fallacies:
        name = checklist.get(fallacy.name.casefold())
        if name is None:
            collector.add_warnings(f"dropped_fallacy: the fallacy {fallacy.name!r} in {item} is not on the checklist")
        elif find_quoted_turn(fallacy.quote, context.debate.select_turns(speaker=speaker)) is None:
            collector.add_warnings(f"dropped_fallacy: {name!r} in {item} quotes words that {speaker} did not say")
        else:
            collector.add_findings(Fallacy(participant=speaker, item=item, name=name, quote=fallacy.quote))


STRUCTURED_QUESTION = JudgeQuestion(
    "judge.structured", "judge_structured", _structured_prompt_values, _build_structured_form, _read_structured_form
)
