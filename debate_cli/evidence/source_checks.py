"""Checks every citation of a debate against its passage, and finds arguments that name a source without citing it."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from debate_cli.domain.assessment import Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import NOT_FOUND, Citation, Passage, QuoteCheck, QuoteOutcome
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.turn import CLOSING_ITEM, Turn

_FIGURE = re.compile(r"(?<![\w-])[$€£]?\d[\d.,]*(?![\w-]*-\d)")
_STUDY = re.compile(
    r"\b(?:stud(?:y|ies)|surveys?|reports?|statistics|research|trials?|papers?|meta-analys[ei]s|census|audits?|according to"
    r"|universit(?:y|ies)|institutes?|agenc(?:y|ies)|ministr(?:y|ies)|department of|bureau|commission|et al)\b",
    re.IGNORECASE,
)
_CAPITALIZED_WORD = re.compile(r"(?<=[a-z,;] )[A-Z][\w&.-]+")
SourceOutcome = QuoteOutcome | Literal["no_such_source", "unchecked"]
GENUINE_OUTCOMES: frozenset[SourceOutcome] = frozenset({"verified", "near"})
"""Outcomes of quotes that are in their source, unchanged or with harmless changes."""
FAILED_OUTCOMES: frozenset[SourceOutcome] = frozenset({"altered", "not_found", "no_such_source"})
"""Outcomes of quotes that are not in their source."""


class SourceCheck(Finding):
    """The result of checking one citation."""

    kind: Literal["source_check"] = "source_check"
    turn: int
    """Index of the turn with the citation."""
    item: str
    """Id of the argument with the citation, or `closing`."""
    source: str
    """Id of the cited passage, as the debater wrote it."""
    quote: str
    outcome: SourceOutcome
    """Result of the check. `unchecked` means that the passage is a summary, which has no words to quote."""
    passage_words: str = ""
    """The words of the passage that were compared with the quote."""
    difference: str = ""
    """How the quote differs from the passage, e.g. `“may” became “will”`."""


@memoize_on_value
def check_sources(debate: Debate) -> tuple[SourceCheck, ...]:
    """Return the check of each citation in the debate, in order."""
    citing = (turn for turn in debate.turns if turn.has_citations)
    return tuple(check for turn in citing for check in check_turn(debate, turn))


@memoize_on_value
def check_turn(debate: Debate, turn: Turn) -> tuple[SourceCheck, ...]:
    """Return the check of each citation in `turn`, in order."""
    found: list[SourceCheck] = []
    for item, citation in turn.citations():
        outcome, check = check_citation(citation, debate.passages_by_id.get(citation.source))
        found.append(
            SourceCheck(
                turn=turn.index,
                item=item,
                source=citation.source,
                quote=citation.quote,
                outcome=outcome,
                passage_words=check.passage_words,
                difference=check.difference,
            )
        )
    return tuple(found)


def genuine_quotes(debate: Debate, turn: Turn) -> tuple[str, ...]:
    """Return the quotes of `turn` that are in their source: unchanged (`verified`) or harmlessly changed (`near`)."""
    return tuple(check.quote for check in check_turn(debate, turn) if check.outcome in GENUINE_OUTCOMES)


def iter_texts_about(turn: Turn, item: str) -> Iterator[str]:
    """Yield what `turn` says about `item`. The quotes in its citations are left out.

    If `item` is the id of an argument: the argument (claim, reasoning and evidence) if `turn` makes it, then each
    response to it. If `item` is `closing`: the final position in the closing.
    """
    for argument in turn.arguments or ():
        if argument.id == item:
            yield f"{argument.claim} {argument.reasoning} {argument.evidence}".strip()
    yield from (response.reasoning for response in turn.responses or () if response.target == item)
    if item == CLOSING_ITEM and turn.closing is not None:
        yield turn.closing.final_position


def check_citation(citation: Citation, passage: Passage | None) -> tuple[SourceOutcome, QuoteCheck]:
    """Return the outcome of a citation, and the comparison of its quote with `passage`.

    `passage`: the cited passage; None if it is not among the passages of the debate.
    """
    if passage is None:
        return "no_such_source", NOT_FOUND
    if passage.origin == "summary":
        return "unchecked", NOT_FOUND
    from debate_cli.evidence.quote_check import check_quote  # its tables of words load slowly

    check = check_quote(citation.quote, passage.text)
    return check.outcome, check


class LookupItem(NamedTuple):
    """Evidence or a source that may not exist.

    There are two kinds of `LookupItem`:

    - The evidence of an argument without citation (see `find_uncited`).
    - A source that a debater cites although the debate does not have this source.

    If the setting `lookup` allows a search, the program searches for the evidence or source. From the results, a judge
    decides whether the evidence or source exists.
    """

    turn: int
    debater: str
    item: str
    """Id of the argument, or `closing`."""
    claim: str
    """Text to search for. For an argument without citation: the argument's evidence, or the claim if there is no
    evidence. For a source that the debate does not have: the name of the source and the quoted words."""
    source: str = ""
    """Name of the cited source; empty for an argument without citation."""


def find_uncited(debate: Debate) -> tuple[LookupItem, ...]:
    """Return the arguments that have no citation, although their evidence names a number, a study or an institution.

    An imported or unstructured speech is treated as one argument.
    """
    return tuple(
        LookupItem(turn.index, turn.speaker, argument.id, evidence)
        for turn in debate.turns
        for argument in turn.arguments or ()
        if not argument.citations
        and names_a_source(evidence := argument.evidence or ("" if argument.reasoning else argument.claim))
    )


def names_a_source(evidence: str) -> bool:
    """Whether `evidence` names a number, a study or an institution."""
    return any(pattern.search(evidence) for pattern in (_FIGURE, _STUDY, _CAPITALIZED_WORD))
