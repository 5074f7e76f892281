"""Builds the form for a brief, and the assessment from the filled-in form; for models and for people. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from debate_cli.domain.assessment import Assessment, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.model_call import ModelCall, RawAnswer
from debate_cli.domain.tasks import Brief
from debate_cli.judge_input.injection.findings import read_addressed_to_judge, with_addressed_to_judge
from debate_cli.judge_input.injection.name_aliases import NameAliases
from debate_cli.llm.form import Form, FormModel
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.registry import get_system, settings_for


@dataclass(frozen=True, slots=True)
class BriefForm:
    """What a judge sees and fills in for a brief."""

    context: JudgingContext[Any]
    shown: JudgingContext[Any]
    """`context`, with aliases in place of names that a judge must not read."""
    question: JudgeQuestion[Any, Any]
    form: Form[Any]
    aliases: NameAliases

    def read(self, filled: FormModel, found: Sequence[Manipulation]) -> AssessmentContent:
        """Read a filled-in form. `found`: what the detector of injections found in the subject of the brief."""
        content = self.aliases.restore(self.question.read_form(filled, self.shown))
        brief = self.context.brief
        quoted, warnings = self.aliases.restore(
            read_addressed_to_judge(filled, self.context.debate, brief.subject, found)
        )
        return replace(content, findings=(*content.findings, *found, *quoted), warnings=(*content.warnings, *warnings))


def build_brief_form(brief: Brief, debate: Debate) -> BriefForm:
    """The form for `brief`. Raises KeyError if the judging run does not have the system."""
    context: JudgingContext[Any] = JudgingContext(debate, brief, settings_for(brief, debate))
    question = get_system(brief.system).question(brief)
    aliases = NameAliases(debate, context.settings)
    shown = aliases.hide(context)
    return BriefForm(context, shown, question, with_addressed_to_judge(question.build_form(shown)), aliases)


def build_assessment(
    context: JudgingContext[Any], content: AssessmentContent, exchange: ModelCall, raw: RawAnswer | None = None
) -> Assessment:
    """The assessment with `content` for the brief of `context`."""
    brief = context.brief
    return Assessment(
        **brief.model_dump(include={"run", "system", "assessor", "revision"}),
        subject=brief.subject,
        marks=content.marks,
        findings=content.findings,
        rationale=content.rationale,
        passages=context.debate.shown_passages.get(brief.key, ()),
        warnings=(*content.warnings, *context.debate.search_warnings(brief.key)),
        exchange=exchange,
        raw=raw,
    )
