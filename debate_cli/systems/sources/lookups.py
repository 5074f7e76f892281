"""Look-ups for a judge of sources: the uncited claims and missing sources, and what the judge concludes."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Citation
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.evidence.source_checks import (
    FAILED_OUTCOMES,
    SourceOutcome,
    check_citation,
    check_sources,
    find_uncited,
)
from debate_cli.systems.aggregation import iter_findings
from debate_cli.systems.source_support import Quality

NO_PASSAGE = "none"
"""Answer in place of a passage's id if no passage shows whether the source or claim exists."""
EXISTENCE_WORDS: dict[Quality, str] = {"yes": "exists", "no": "does not exist", "unknown": "not known to exist"}


class LookupItem(NamedTuple):
    """An uncited claim, or a cited source without a passage in the debate."""

    turn: int
    debater: str
    item: str
    """Id of the argument, or `closing`."""
    claim: str
    """The evidence of an uncited argument, or the name of a source and the words quoted from it."""
    source: str = ""
    """Name of the missing source; empty for an uncited claim."""


class SourceLookup(Finding):
    """Whether a figure, study, institution or source exists, according to a judge, and the passage that shows it."""

    kind: Literal["source_lookup"] = "source_lookup"
    turn: int
    item: str
    """Id of the argument, or `closing`."""
    source: str = ""
    """Name of the source; empty for an argument without a citation."""
    exists: Quality
    passage: str = ""
    """Id of the passage that supports the answer; empty if there is none."""
    quote: str = ""
    reason: str = ""

    def describe(self) -> list[str]:
        """Return what was looked up, and the result."""
        why = f": {self.reason}" if self.reason else ""
        what = f"the source {self.source}" if self.source else "the evidence"
        return [f"{what} of {self.item}, turn {self.turn + 1}: {EXISTENCE_WORDS[self.exists]}{why}"]


class JudgedLookup(FrozenModel):
    """A looked-up item, the judge's answer, and the check of the answer's quote."""

    turn: int
    debater: str
    item: str
    source: str = ""
    exists: Quality
    """Whether the evidence or source exists, according to the judge; `unknown` if the passage lacks the quote."""
    passage: str = ""
    quote: str = ""
    outcome: SourceOutcome | None = None
    """Result of checking the quote; None if the answer quotes nothing."""
    reason: str = ""


def lookup_items(debate: Debate, round_number: int | None) -> tuple[LookupItem, ...]:
    """Return what to look up in a round (None: in the debate): uncited arguments, then missing sources."""
    turns = debate.turns_by_index
    claims = [LookupItem(claim.turn, claim.debater, claim.item, claim.evidence) for claim in find_uncited(debate)]
    named = [
        LookupItem(check.turn, turns[check.turn].speaker, check.item, f"{check.source}: {check.quote}", check.source)
        for check in check_sources(debate)
        if check.outcome == "no_such_source"
    ]
    found = dict.fromkeys(item for item in (*claims, *named) if round_number in {None, turns[item.turn].round})
    return tuple(found)


def judge_lookups(debate: Debate, given: Iterable[Assessment]) -> tuple[JudgedLookup, ...]:
    """Return each item to look up, with the first answer on it in `given`. Without one, `exists` is `unknown`."""
    answers: dict[tuple[int, str, str], SourceLookup] = {}
    for _, finding in iter_findings(given, SourceLookup):
        answers.setdefault((finding.turn, finding.item, finding.source), finding)
    judged: list[JudgedLookup] = []
    for item in lookup_items(debate, None):
        found = JudgedLookup(turn=item.turn, debater=item.debater, item=item.item, source=item.source, exists="unknown")
        answer = answers.get((item.turn, item.item, item.source))
        if answer is not None:
            outcome = check_lookup(answer, debate)
            is_held = outcome is not None and outcome not in FAILED_OUTCOMES
            told = answer.model_dump(include={"passage", "quote", "reason"})
            exists = answer.exists if is_held else "unknown"
            found = found.model_copy(update={**told, "exists": exists, "outcome": outcome})
        judged.append(found)
    return tuple(judged)


def describe_lookups(assessment: Assessment, debate: Debate) -> Iterator[str]:
    """Describe the judge's answer on each claim that was looked up, with the check of its quote."""
    answered = {(of.turn, of.item, of.source): of for _, of in iter_findings([assessment], SourceLookup)}
    for item in judge_lookups(debate, [assessment]):
        answer = answered.get((item.turn, item.item, item.source))
        if answer is not None:
            check = f"{item.outcome.replace('_', ' ')} in {item.passage}: " if item.outcome is not None else ""
            told = answer.model_copy(update={"exists": item.exists, "reason": item.reason})
            yield from (f"{check}{words}" for words in told.describe())


def check_lookup(answer: SourceLookup, debate: Debate) -> SourceOutcome | None:
    """Return the result of checking the answer's quote; None if the answer has no passage."""
    if not answer.passage:
        return None
    passage = debate.passages_by_id.get(answer.passage)
    return check_citation(Citation(source=answer.passage, quote=answer.quote), passage)[0]
