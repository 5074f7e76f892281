"""The sources of the page: each cited passage with its quotes marked, and the citations of the passage."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal
from urllib.parse import urlsplit

from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Passage
from debate_cli.evidence.quote_check import check_quote
from debate_cli.render.content.speech_parts import CheckedCitation, CitationIndex, format_place

Marking = Literal["", "quoted", "altered"]


@dataclass(frozen=True, slots=True)
class PassagePiece:
    """A part of a passage's text."""

    text: str
    marking: Marking
    """`quoted` or `altered` if a quote has these words, literally or changed; empty if no quote has them."""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A source that is cited, with its citations."""

    id: str
    passage: Passage | None
    """The cited passage; None if the debate has no passage with this id."""
    place: str
    address: str
    """Address to link to; empty unless the source is a plain web address."""
    pieces: tuple[PassagePiece, ...]
    citations: tuple[tuple[str, CheckedCitation], ...]
    """Speaker and citation."""


def collect_cited_sources(debate: Debate, index: CitationIndex) -> tuple[CitedSource, ...]:
    """Return the cited sources, in the order of the passages. Those that do not exist come last."""
    by_source: dict[str, list[CheckedCitation]] = defaultdict(list)
    for citation in index.all:
        by_source[citation.check.source].append(citation)
    known = debate.passages_by_id
    ordered = [*(source for source in known if source in by_source), *(name for name in by_source if name not in known)]
    return tuple(_build_source(source, known.get(source), by_source[source], debate) for source in ordered)


def _build_source(
    id_: str, passage: Passage | None, citations: Sequence[CheckedCitation], debate: Debate
) -> CitedSource:
    quotes = [citation.check.quote for citation in citations]
    return CitedSource(
        id=id_,
        passage=passage,
        place=format_place(passage) if passage is not None else "",
        address=safe_address(passage.source) if passage is not None else "",
        pieces=tuple(_pieces(passage, quotes)) if passage is not None else (),
        citations=tuple((debate.turns_by_index[item.check.turn].speaker, item) for item in citations),
    )


def safe_address(source: str) -> str:
    """`source` if it is a web address with neither a user name nor invisible characters; else empty."""
    try:
        parts = urlsplit(source)
        is_plain = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        return ""
    return source if is_plain and source.isascii() and source.isprintable() and " " not in source else ""


def _pieces(passage: Passage, quotes: Sequence[str]) -> Iterator[PassagePiece]:
    """The text of `passage`, split where quotes begin and end. Where quotes overlap, `altered` takes precedence."""
    marked: list[tuple[int, int, Marking]] = []
    for quote in quotes if passage.origin != "summary" else ():
        check = check_quote(quote, passage.text)
        marking: Marking = "altered" if check.outcome == "altered" else "quoted"
        marked.extend((start, end, marking) for start, end in check.spans)
    ends = sorted({0, len(passage.text), *(place for start, end, _ in marked for place in (start, end))})
    for start, end in pairwise(ends):
        found = {marking for first, last, marking in marked if first <= start and end <= last}
        yield PassagePiece(passage.text[start:end], "altered" if "altered" in found else "quoted" if found else "")
