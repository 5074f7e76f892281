"""Collects the cited passages of the HTML page, with their quotes marked, and the citations of each passage."""

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
    """A piece of a passage's text."""

    text: str
    marking: Marking
    """`quoted` if a quote repeats this piece, `altered` if a quote changes it, empty if no quote contains it."""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A cited source with its citations."""

    id: str
    passage: Passage | None
    """The cited passage; None if the debate has no passage with the id `id`."""
    place: str
    address: str
    """Address to link to; empty unless the source is a plain web address."""
    pieces: tuple[PassagePiece, ...]
    citations: tuple[tuple[str, CheckedCitation], ...]
    """Pairs of speaker and citation."""


def collect_cited_sources(debate: Debate, index: CitationIndex) -> tuple[CitedSource, ...]:
    """Return the cited sources, in the order of the passages. Cited ids without a passage come last."""
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
    """Return `source` if it is a web address in plain ASCII without a user name; else an empty text."""
    try:
        parts = urlsplit(source)
        is_plain = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        return ""
    return source if is_plain and source.isascii() and source.isprintable() and " " not in source else ""


def _pieces(passage: Passage, quotes: Sequence[str]) -> Iterator[PassagePiece]:
    """Yield the text of `passage`, split where quotes begin and end. Where quotes overlap, `altered` takes precedence."""
    marked: list[tuple[int, int, Marking]] = []
    for quote in quotes if passage.origin != "summary" else ():
        check = check_quote(quote, passage.text)
        marking: Marking = "altered" if check.outcome == "altered" else "quoted"
        marked.extend((start, end, marking) for start, end in check.spans)
    ends = sorted({0, len(passage.text), *(place for start, end, _ in marked for place in (start, end))})
    for start, end in pairwise(ends):
        found = {marking for first, last, marking in marked if first <= start and end <= last}
        yield PassagePiece(passage.text[start:end], "altered" if "altered" in found else "quoted" if found else "")
