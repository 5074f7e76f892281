"""The structured judge's form: four criteria per argument, standing, fallacies, and the insight for who decides."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.assessment import Fallacy, Insight, Standing, Trace
from debate_cli.domain.judging_config import StructuredSettings
from debate_cli.judging.transcript_prompt import to_prompt_json
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.prompts import Prompts
from debate_cli.systems import form_schema
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, MarkSubject, require_entries, unique_known_items
from debate_cli.systems.quotes import find_quoted_turn
from debate_cli.systems.structured.score import CRITERIA, scored_arguments

ARGUMENT_STANDINGS: tuple[Standing, ...] = ("UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN")


class FallacyForm(FormModel):
    """A fallacy from the checklist."""

    name: str
    quote: str


class ArgumentJudgmentForm(FormModel):
    """One argument judged."""

    item: str
    reasoning: str
    logic: int
    evidence: int
    responsiveness: int
    honesty: int
    standing: Standing
    fallacies: tuple[FallacyForm, ...] = ()


class StructuredForm(FormModel):
    """The whole debate judged argument by argument."""

    arguments: tuple[ArgumentJudgmentForm, ...]
    key_insight: str
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""


def build_structured_form(case: JudgingContext[StructuredSettings]) -> Form[StructuredForm]:
    """Each argument of the debate, in its order; needs at least one."""
    items = tuple(scored_arguments(case.debate))
    score = form_schema.integer_between(1, 10)
    named = form_schema.one_of(case.settings.fallacies) if case.settings.fallacies else form_schema.string(40)
    fallacy = form_schema.object_of(name=named, quote=form_schema.string(120, least=4))
    argument = {
        "reasoning": form_schema.string(),
        **dict.fromkeys(CRITERIA, score),
        "standing": form_schema.one_of(ARGUMENT_STANDINGS),
        "fallacies": form_schema.array_of(fallacy, 2 if case.settings.fallacies else 0),
    }
    return Form(
        name="structured_judgment",
        model=require_entries(StructuredForm, "arguments", "item", items),
        schema=form_schema.object_of(
            arguments=form_schema.fixed_array(
                [form_schema.object_of(item=form_schema.const(item), **argument) for item in items]
            ),
            key_insight=form_schema.string(240),
            unresolved_questions=form_schema.array_of(form_schema.string(), 3),
            recommendation=form_schema.string(240),
        ),
        lenient=True,
    )


def structured_prompt_values(case: JudgingContext[StructuredSettings], _prompts: Prompts) -> Mapping[str, str]:
    """Which arguments there are, and the checklist."""
    ids = [{"item": item, "by": speaker} for item, speaker in scored_arguments(case.debate).items()]
    return {"arguments": to_prompt_json(ids), "fallacies": to_prompt_json(case.settings.fallacies)}


def read_structured_form(filled: StructuredForm, case: JudgingContext[StructuredSettings]) -> AssessmentContent:
    """Four marks and a trace per argument, fallacies whose quote was said, the insight."""
    tally = MarkCollector()
    known = scored_arguments(case.debate)
    for entry in unique_known_items(tally, filled.arguments, lambda argument: argument.item, known):
        _read_argument(entry, case, tally)
    tally.add_findings(
        Insight(
            key_insight=filled.key_insight,
            unresolved_questions=filled.unresolved_questions,
            recommendation=filled.recommendation,
        )
    )
    return tally.result()


def _read_argument(entry: ArgumentJudgmentForm, case: JudgingContext[StructuredSettings], tally: MarkCollector) -> None:
    speaker, argument = case.debate.arguments[entry.item]
    for criterion in CRITERIA:
        tally.add_mark(MarkSubject(speaker, criterion, item=entry.item), getattr(entry, criterion), 1, 10)
    tally.add_findings(
        Trace(
            participant=speaker,
            item=entry.item,
            claim=argument.claim,
            standing=entry.standing,
            reason=entry.reasoning,
        )
    )
    for fallacy in entry.fallacies:
        _read_fallacy(fallacy, entry.item, case, tally)


def _read_fallacy(
    fallacy: FallacyForm, item: str, case: JudgingContext[StructuredSettings], tally: MarkCollector
) -> None:
    """Keep a fallacy that is on the checklist and whose words its speaker said."""
    speaker, _ = case.debate.arguments[item]
    name = next((known for known in case.settings.fallacies if known.casefold() == fallacy.name.casefold()), None)
    if name is None:
        tally.add_warnings(f"dropped_fallacy: {item} {fallacy.name!r} is not on the checklist")
    elif find_quoted_turn(fallacy.quote, case.debate.select_turns(speaker=speaker)) is None:
        tally.add_warnings(f"dropped_fallacy: {item} {name}, the words quoted were not said by {speaker}")
    else:
        tally.add_findings(Fallacy(participant=speaker, item=item, name=name, quote=fallacy.quote))


STRUCTURED_QUESTION = JudgeQuestion(
    purpose="judge.structured",
    prompt="judge_structured",
    prompt_values=structured_prompt_values,
    build_form=build_structured_form,
    read_form=read_structured_form,
)
