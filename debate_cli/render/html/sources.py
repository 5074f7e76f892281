"""The sources of the page: each cited passage with its quotes marked, and the differences of each quote."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal
from urllib.parse import urlsplit

from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Passage
from debate_cli.evidence.quote_check import check_quote
from debate_cli.render.content.citations import CheckedCitation, CitationIndex, format_place

Marking = Literal["", "quoted", "altered"]
Change = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class PassagePiece:
    """A part of a passage's text."""

    text: str
    marking: Marking
    """`quoted` or `altered` if a quote has these words, literally or changed; empty if no quote has them."""


@dataclass(frozen=True, slots=True)
class ChangedWords:
    """Words that are in both source and quote, only in the source, or only in the quote."""

    text: str
    change: Change


@dataclass(frozen=True, slots=True)
class ComparedCitation:
    """A citation with its comparison, word by word."""

    citation: CheckedCitation
    speaker: str
    words: tuple[ChangedWords, ...]
    """Source and quote word by word; empty if they do not differ, or if the passage has no similar words."""


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
    citations: tuple[ComparedCitation, ...]


def collect_cited_sources(debate: Debate, index: CitationIndex) -> tuple[CitedSource, ...]:
    """The cited sources, in the order of the passages. Those that do not exist come last."""
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
        citations=tuple(
            ComparedCitation(citation, debate.turns_by_index[citation.check.turn].speaker, tuple(_compare(citation)))
            for citation in citations
        ),
    )


def safe_address(source: str) -> str:
    """`source` if it is a web address with neither a user name nor invisible characters; else empty."""
    try:
        parts = urlsplit(source)
        is_plain = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        return ""
    return source if is_plain and source.isascii() and source.isprintable() and " " not in source else ""


def _compare(citation: CheckedCitation) -> Iterator[ChangedWords]:
    """The words of source and quote, with those that are only in one of them marked."""
    if citation.check.outcome not in {"near", "altered"}:
        return
    source, quote = citation.check.passage_words.split(), citation.check.quote.split()
    matcher = SequenceMatcher(None, list(map(_bare, source)), list(map(_bare, quote)), autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            yield ChangedWords(" ".join(quote[start:end]), "same")
            continue
        if first < last:
            yield ChangedWords(" ".join(source[first:last]), "removed")
        if start < end:
            yield ChangedWords(" ".join(quote[start:end]), "added")


def _bare(word: str) -> str:
    """`word` in lower case, without punctuation at its ends. If it is only punctuation, it is unchanged."""
    return word.casefold().strip(".,;:!?()[]\"'“”‘’„«»") or word


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
