"""The question to a judge of sources, about the citations and the uncited claims of one round."""

from collections.abc import Mapping

from debate_cli.domain.evidence import Passage
from debate_cli.evidence.source_checks import FAILED_OUTCOMES, LookupItem, SourceCheck, check_sources, iter_texts_about
from debate_cli.judge_input.injection.detector import mask_injection
from debate_cli.judge_input.transcript_prompt import debater_names, to_prompt_json
from debate_cli.llm.form import Form, FormModel, text
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, judge_form, unique_known_items
from debate_cli.systems.source_prompts import name_item
from debate_cli.systems.source_support import (
    Quality,
    SourceLookup,
    SourceSupport,
    Support,
    check_lookup,
    lookup_items,
)
from debate_cli.systems.sources.settings import SourcesSettings

NO_PASSAGE = "none"
"""Word that a judge writes instead of a passage id, if no passage shows whether the evidence or source exists."""


class CitationAnswer(FormModel):
    """The judge's answer about one citation."""

    citation: str
    reason: str = text(200)
    supports: Support
    reputable: Quality
    recent: Quality
    relevant: Quality


class ClaimAnswer(FormModel):
    """The judge's answer about one uncited claim, or about one cited source that the debate does not have."""

    claim: str
    reason: str = text(200)
    exists: Quality
    passage: str = NO_PASSAGE
    quote: str = text(400, least=0, default="")


class SourcesForm(FormModel):
    """The judge's answers about one round."""

    citations: tuple[CitationAnswer, ...] = ()
    claims: tuple[ClaimAnswer, ...] = ()


def _round_citations(context: JudgingContext[SourcesSettings]) -> dict[str, SourceCheck]:
    turns = context.debate.turns_by_index
    number = context.brief.subject.round
    checks = [check for check in check_sources(context.debate) if turns[check.turn].round == number]
    return {f"C{count}": check for count, check in enumerate(checks, start=1)}


def _round_claims(context: JudgingContext[SourcesSettings]) -> dict[str, LookupItem]:
    found = lookup_items(context.debate, context.brief.subject.round)
    return {f"U{count}": item for count, item in enumerate(found, start=1)}


def _found_passages(context: JudgingContext[SourcesSettings]) -> tuple[Passage, ...]:
    shown = context.debate.shown_passages.get(context.brief.key, ())
    return tuple(passage for passage in context.debate.passages if passage.id in shown)


def build_form(context: JudgingContext[SourcesSettings]) -> Form[SourcesForm]:
    """Return the form for the citations and claims of a round.

    For each claim, the judge answers whether its evidence or source exists. If the search found no passages at all, the
    only possible answer is `unknown`.
    """
    citations, claims = tuple(_round_citations(context)), tuple(_round_claims(context))
    passages = [passage.id for passage in _found_passages(context)]
    return judge_form(
        "sources",
        SourcesForm,
        {"citations": ("citation", citations), "claims": ("claim", claims)},
        exists={} if passages else {"enum": ["unknown"]},
        passage={"enum": [*passages, NO_PASSAGE]} if passages else None,
        quote={} if passages else None,
    )


def prompt_values(context: JudgingContext[SourcesSettings], prompts: Prompts) -> Mapping[str, str]:
    """Return the values of the prompt's placeholders: the round, its citations, and its uncited claims."""
    lines = [_citation_line(key, check, context) for key, check in _round_citations(context).items()]
    return {
        "round": str(context.brief.subject.round),
        "citations": "\n".join(lines) or "none",
        "claims": _format_claims(context, prompts),
    }


def _citation_line(key: str, check: SourceCheck, context: JudgingContext[SourcesSettings]) -> str:
    turn = context.debate.turns_by_index[check.turn]
    passage = context.debate.passages_by_id.get(check.source)
    names = debater_names(context.debate)
    return to_prompt_json(
        {
            "citation": key,
            "debater": turn.speaker,
            "for": name_item(context.debate, check.item),
            "says": mask_injection(next(iter_texts_about(turn, check.item), ""), names),
            "quote": mask_injection(check.quote, names),
            "passage": None if passage is None else _passage_words(passage, names),
            "quote_check": check.outcome,
            "difference": mask_injection(check.difference, names),
        }
    )


def _format_claims(context: JudgingContext[SourcesSettings], prompts: Prompts) -> str:
    claims = _round_claims(context)
    if not claims:
        return ""
    names = debater_names(context.debate)
    lines = [
        to_prompt_json({
            "claim": key, "debater": item.debater, "for": name_item(context.debate, item.item),
            "names": mask_injection(item.claim, names),
        })
        for key, item in claims.items()
    ]  # fmt: skip
    passages = [
        to_prompt_json({"passage": passage.id, **_passage_words(passage, names)})
        for passage in _found_passages(context)
    ]
    name = "judge_sources_lookup" if passages else "judge_sources_claims"
    package = "debate_cli.systems.sources"
    return "\n\n" + prompts.render(package, name, claims="\n".join(lines), passages="\n".join(passages))


def _passage_words(passage: Passage, names: tuple[str, ...]) -> dict[str, str]:
    words = {"title": passage.title, "source": passage.source, "text": passage.text}
    return {name: mask_injection(value, names) for name, value in words.items()}


def read_form(filled: SourcesForm, context: JudgingContext[SourcesSettings]) -> AssessmentContent:
    """Return a finding for each entry of the form: an entry is about a citation or a claim.

    In an entry about a claim, the judge names a passage of the prompt, and quotes words from this passage.

    - If the entry names no passage of the prompt, `exists` in the finding becomes `unknown`.
    - If the quoted words are not in the passage, `exists` keeps the judge's value, and a warning is added. Later,
      `check_lookup` returns `unknown` for this finding.
    """
    collector = MarkCollector()
    citations, claims = _round_citations(context), _round_claims(context)
    for answer in unique_known_items(collector, filled.citations, lambda item: item.citation, citations):
        cited = citations[answer.citation].model_dump(include={"turn", "item", "source", "quote"})
        collector.add_findings(SourceSupport(**cited, **answer.model_dump(exclude={"citation"})))
    shown = {passage.id for passage in _found_passages(context)}
    for answer in unique_known_items(collector, filled.claims, lambda item: item.claim, claims):
        claim, has_passage = claims[answer.claim], answer.passage in shown
        finding = SourceLookup(
            turn=claim.turn,
            item=claim.item,
            source=claim.source,
            exists=answer.exists if has_passage else "unknown",
            passage=answer.passage if has_passage else "",
            quote=answer.quote if has_passage else "",
            reason=answer.reason,
        )
        collector.add_findings(finding)
        if check_lookup(finding, context.debate)[1] in FAILED_OUTCOMES:
            collector.add_warnings(
                f"quote: the judge's quote about {finding.item} is not in the passage {finding.passage}, "
                "so the judge's answer counts as unknown"
            )
    return collector.result()


ROUND_QUESTION = JudgeQuestion("judge.sources.round", "judge_sources", prompt_values, build_form, read_form)
