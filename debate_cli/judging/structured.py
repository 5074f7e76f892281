"""The structured judge's form: four criteria per argument, standing, fallacies, and the insight for who decides."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.assessment import Fallacy, Insight, Standing, Trace
from debate_cli.domain.systems import Structured
from debate_cli.judging import schema
from debate_cli.judging.quotes import turn_of
from debate_cli.judging.rows import About, Case, Reading, Row, Tally, first_of_each, must_answer
from debate_cli.judging.transcript_view import literal
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.template import Prompts
from debate_cli.scoring.structured import CRITERIA, scored_arguments

STANDINGS: tuple[Standing, ...] = ("UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN")


class FallacyForm(FormModel):
    """A fallacy from the checklist."""

    name: str
    quote: str


class ArgumentForm(FormModel):
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

    arguments: tuple[ArgumentForm, ...]
    key_insight: str
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""


def form(case: Case[Structured]) -> Form[StructuredForm]:
    """Each argument of the debate, in its order; needs at least one."""
    items = tuple(scored_arguments(case.debate))
    score = schema.integer(1, 10)
    named = schema.one_of(case.settings.fallacies) if case.settings.fallacies else schema.text(40)
    fallacy = schema.obj(name=named, quote=schema.text(120, least=4))
    argument = {
        "reasoning": schema.text(),
        **dict.fromkeys(CRITERIA, score),
        "standing": schema.one_of(STANDINGS),
        "fallacies": schema.listed(fallacy, 2 if case.settings.fallacies else 0),
    }
    return Form(
        name="structured_judgment",
        model=must_answer(StructuredForm, "arguments", "item", items),
        schema=schema.obj(
            arguments=schema.each([schema.obj(item=schema.const(item), **argument) for item in items]),
            key_insight=schema.text(240),
            unresolved_questions=schema.listed(schema.text(), 3),
            recommendation=schema.text(240),
        ),
        lenient=True,
    )


def fill(case: Case[Structured], _prompts: Prompts) -> Mapping[str, str]:
    """Which arguments there are, and the checklist."""
    ids = [{"item": item, "by": speaker} for item, speaker in scored_arguments(case.debate).items()]
    return {"arguments": literal(ids), "fallacies": literal(case.settings.fallacies)}


def read(filled: StructuredForm, case: Case[Structured]) -> Reading:
    """Four marks and a trace per argument, fallacies whose quote was said, the insight."""
    tally = Tally()
    known = scored_arguments(case.debate)
    for entry in first_of_each(tally, filled.arguments, lambda argument: argument.item, known):
        _read_argument(entry, case, tally)
    tally.find(
        Insight(
            key_insight=filled.key_insight,
            unresolved_questions=filled.unresolved_questions,
            recommendation=filled.recommendation,
        )
    )
    return tally.reading()


def _read_argument(entry: ArgumentForm, case: Case[Structured], tally: Tally) -> None:
    speaker, argument = case.debate.arguments[entry.item]
    for criterion in CRITERIA:
        tally.mark(About(speaker, criterion, item=entry.item), getattr(entry, criterion), 1, 10)
    tally.find(
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


def _read_fallacy(fallacy: FallacyForm, item: str, case: Case[Structured], tally: Tally) -> None:
    """Keep a fallacy that is on the checklist and whose words its speaker said."""
    speaker, _ = case.debate.arguments[item]
    name = next((known for known in case.settings.fallacies if known.casefold() == fallacy.name.casefold()), None)
    if name is None:
        tally.warn(f"dropped_fallacy: {item} {fallacy.name!r} is not on the checklist")
    elif turn_of(fallacy.quote, case.debate.spoken(speaker=speaker)) is None:
        tally.warn(f"dropped_fallacy: {item} {name}, the words quoted were not said by {speaker}")
    else:
        tally.find(Fallacy(participant=speaker, item=item, name=name, quote=fallacy.quote))


ROW = Row(purpose="judge.structured", prompt="judge_structured", fill=fill, form=form, read=read)
