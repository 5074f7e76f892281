"""The sources of the page: each cited passage, with the quotes marked in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Passage
from debate_cli.evidence.quote_check import check_quote
from debate_cli.evidence.source_checks import check_sources

Marking = Literal["", "quoted", "altered"]


@dataclass(frozen=True, slots=True)
class PassagePiece:
    """A part of a passage's text."""

    text: str
    marking: Marking
    """Whether a quote holds these words, or other words in their place; empty for the rest."""


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage that is cited."""

    passage: Passage
    pieces: tuple[PassagePiece, ...]


def collect_cited_passages(debate: Debate) -> tuple[CitedPassage, ...]:
    """The cited passages of the debate, in the order of their ids."""
    quotes: dict[str, list[str]] = {}
    for check in check_sources(debate):
        quotes.setdefault(check.source, []).append(check.quote)
    return tuple(
        CitedPassage(passage, tuple(_pieces(passage, quotes[passage.id])))
        for passage in debate.passages
        if passage.id in quotes
    )


def _pieces(passage: Passage, quotes: Sequence[str]) -> Iterator[PassagePiece]:
    """The text of `passage`, cut at the ends of the quotes. Altered words are marked as such where quotes overlap."""
    marked: list[tuple[int, int, Marking]] = []
    for quote in quotes if passage.origin != "summary" else ():
        check = check_quote(quote, passage.text)
        marking: Marking = "altered" if check.outcome == "altered" else "quoted"
        marked.extend((start, end, marking) for start, end in check.spans)
    ends = sorted({0, len(passage.text), *(place for start, end, _ in marked for place in (start, end))})
    for start, end in pairwise(ends):
        found = {marking for first, last, marking in marked if first <= start and end <= last}
        yield PassagePiece(passage.text[start:end], "altered" if "altered" in found else "quoted" if found else "")
