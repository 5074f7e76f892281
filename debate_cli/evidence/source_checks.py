"""Checks every citation of a debate against the passages in the debate. Pure; no sources are read."""

from collections.abc import Iterator
from typing import Literal

from debate_cli.domain.assessment import Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Citation, Passage
from debate_cli.domain.frozen_model import fold_growing, memoize_on_value
from debate_cli.domain.turn import CLOSING_ITEM, Turn
from debate_cli.evidence.quote_check import QuoteOutcome, check_quote

SourceOutcome = QuoteOutcome | Literal["no_such_source", "unchecked"]
HELD_OUTCOMES: frozenset[SourceOutcome] = frozenset({"verified", "near"})
"""Outcomes of quotes that are in their source, perhaps with harmless changes."""
FAILED_OUTCOMES: frozenset[SourceOutcome] = frozenset({"altered", "not_found", "no_such_source"})
"""Outcomes of quotes that are not in their source."""


class SourceCheck(Finding):
    """The check of one citation. Computed from turns and passages, never stored."""

    kind: Literal["source_check"] = "source_check"
    turn: int
    """Index of the turn with the citation."""
    item: str
    """Id of the argument beside the citation, or `closing`."""
    source: str
    """Id of the passage, as the debater wrote it."""
    quote: str
    outcome: SourceOutcome
    """Result of the check. `unchecked`: the passage is a summary, which has no words to quote."""
    passage_words: str = ""
    """The words of the passage that the quote was compared with."""
    difference: str = ""
    """What differs, with both wordings."""


@memoize_on_value
def check_sources(debate: Debate) -> tuple[SourceCheck, ...]:
    """The check of each citation, in the order of the debate."""
    if not debate.turns:
        return ()
    citing = fold_growing(debate.turns[0], "citing", debate.turns, (), _add_citing)
    return tuple(check for turn in citing for check in check_turn(debate, turn))


def _add_citing(turns: tuple[Turn, ...], turn: Turn) -> tuple[Turn, ...]:
    return (*turns, turn) if any(turn.citations()) else turns


@memoize_on_value
def check_turn(debate: Debate, turn: Turn) -> tuple[SourceCheck, ...]:
    """The check of each citation of one turn, in its order."""
    return tuple(
        _to_source_check(turn, item, citation, debate.passages_by_id.get(citation.source))
        for item, citation in turn.citations()
    )


def genuine_quotes(debate: Debate, turn: Turn) -> tuple[str, ...]:
    """The quotes of a turn that are verified or near."""
    return tuple(check.quote for check in check_turn(debate, turn) if check.outcome in HELD_OUTCOMES)


def iter_words_beside(turn: Turn, item: str) -> Iterator[str]:
    """The texts of the argument, response or closing of `turn` that has the id `item`, without citations."""
    for argument in turn.arguments or ():
        if argument.id == item:
            yield f"{argument.claim} {argument.reasoning} {argument.evidence}".strip()
    yield from (response.reasoning for response in turn.responses or () if response.target == item)
    if item == CLOSING_ITEM and turn.closing is not None:
        yield turn.closing.final_position


def check_citation(citation: Citation, passage: Passage | None) -> tuple[SourceOutcome, str]:
    """Outcome and difference for a citation of `passage` (None: no passage has its id)."""
    if passage is None:
        return "no_such_source", ""
    if passage.origin == "summary":
        return "unchecked", ""
    check = check_quote(citation.quote, passage.text)
    return check.outcome, check.difference


def _to_source_check(turn: Turn, item: str, citation: Citation, passage: Passage | None) -> SourceCheck:
    outcome, difference = check_citation(citation, passage)
    is_compared = passage is not None and outcome != "unchecked"
    return SourceCheck(
        turn=turn.index,
        item=item,
        source=citation.source,
        quote=citation.quote,
        outcome=outcome,
        passage_words=check_quote(citation.quote, passage.text).passage_words if passage and is_compared else "",
        difference=difference,
    )
