"""The citations of a debate for display: quote, source, and results of the checks."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Citation, Passage
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.turn import CLOSING_ITEM, Argument, Closing, Response
from debate_cli.evidence.source_checks import SourceCheck
from debate_cli.systems.aggregation import newest_run, ordered_assessments
from debate_cli.systems.debate_tables import SOURCE_BADGES, SUPPORT_BADGES
from debate_cli.systems.source_support import SOURCES_KIND, JudgedCitation, join_checks
from debate_cli.systems.tables import Badge


class CheckedCitation(NamedTuple):
    """A citation with its check. All text is untrusted."""

    number: int
    """Number in the debate, from 1."""
    check: SourceCheck
    answer: JudgedCitation
    """The answer of the newest judge of sources."""
    passage: Passage | None
    """The cited passage; None if the debate has no passage with the id."""

    @property
    def badge(self) -> Badge:
        """Result of the quote check as a badge."""
        return SOURCE_BADGES[self.check.outcome]

    @property
    def support(self) -> Badge | None:
        """Badge for the judge's answer whether the source supports the argument; None if there is no answer."""
        return SUPPORT_BADGES[self.answer.supports] if self.answer.supports != "unknown" else None

    @property
    def title(self) -> str:
        """Title of the source, or else its path or address; empty if the source is unknown."""
        return "" if self.passage is None else self.passage.title or self.passage.source

    @property
    def place(self) -> str:
        """Path or address of the source, and the place in it; empty if the source is unknown."""
        return "" if self.passage is None else format_place(self.passage)

    @property
    def finding(self) -> str:
        """Result of the quote check, with the difference: `altered: “9” became “19”`."""
        return f"{self.badge.word}: {self.check.difference}" if self.check.difference else self.badge.word


class CitationIndex:
    """Citations by the part of the speech that they belong to."""

    def __init__(self, citations: Iterable[CheckedCitation] = ()) -> None:
        self.all = tuple(citations)
        self._found = {
            (item.check.turn, item.check.item, item.check.source, item.check.quote): item for item in self.all
        }

    def beside(self, turn: int, part: object) -> tuple[CheckedCitation, ...]:
        """The citations in `part` of the speech of turn `turn`."""
        item, citations = _cited_item(part)
        keys = ((turn, item, citation.source, citation.quote) for citation in citations)
        return tuple(self._found[key] for key in keys if key in self._found)


@memoize_on_value
def index_citations(debate: Debate) -> CitationIndex:
    """The citations of a debate."""
    return CitationIndex(_list_citations(debate))


def format_place(passage: Passage) -> str:
    """Path or address of the source, and the place in it, without repeating the title."""
    locator = passage.locator.removeprefix(passage.title).lstrip(", ")
    return ", ".join(filter(None, (passage.source, locator)))


def _list_citations(debate: Debate) -> Iterator[CheckedCitation]:
    run = newest_run(debate, SOURCES_KIND)
    given = ordered_assessments(debate, SOURCES_KIND, run) if run is not None else ()
    for number, (check, answer) in enumerate(join_checks(debate, given), 1):
        yield CheckedCitation(number, check, answer, debate.passages_by_id.get(check.source))


def _cited_item(part: object) -> tuple[str, tuple[Citation, ...]]:
    match part:
        case Argument():
            return part.id, part.citations
        case Response():
            return part.target, part.citations
        case Closing():
            return CLOSING_ITEM, part.citations
        case _:
            return "", ()
