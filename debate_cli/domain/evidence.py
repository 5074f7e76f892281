"""Passages of sources, and citations of passages in speeches."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from operator import not_
from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, Field

from debate_cli.domain.frozen_model import FrozenModel, UtcDatetime
from debate_cli.domain.model_call import ModelCall

PassageOrigin = Literal["corpus", "web", "summary"]
"""`corpus`: text of a file. `web`: text of a web page. `summary`: a model's summary of web pages, which cannot be
quoted."""
PassageIds = Annotated[tuple[str, ...], Field(exclude_if=not_)]
"""Ids of passages; omitted in files if there are none."""
MAX_CITATIONS = 2
"""Maximum number of citations in one argument, response or closing."""


def _locator_text(locator: object) -> object:
    """Convert a locator from another program to text: `{"page": 3}` to `page 3`, and null to an empty text."""
    if isinstance(locator, Mapping):
        parts = cast("Mapping[str, object]", locator)
        return ", ".join(f"{name} {value}" for name, value in parts.items())
    return "" if locator is None else locator


class Passage(FrozenModel):
    """A piece of a source that was shown to a debater or a judge."""

    id: str = Field(min_length=1)
    """`S1`, `S2`, … in the order in which the passages were first shown."""
    source: str
    """Path or address of the source."""
    title: str = ""
    text: str
    sha256: str = ""
    """SHA-256 of `text` in UTF-8."""
    locator: Annotated[str, BeforeValidator(_locator_text)] = ""
    """Heading, page, lines or row in the source; empty for the whole source."""
    origin: PassageOrigin = "corpus"
    retrieved_at: UtcDatetime | None = None

    @property
    def place(self) -> tuple[str, str, str]:
        """Where the text is from: (SHA-256 of the text, source, locator). Passages with the same place get the same id.

        The same text in two sources gets two ids, because its meaning may depend on the source.
        """
        return self.sha256, self.source, self.locator


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage of a file or the web, before the debate gives it an id."""

    source: str
    title: str
    locator: str
    text: str
    origin: PassageOrigin = "corpus"

    def to_passage(self, passage_id: str, at: datetime) -> Passage:
        """Return the passage as the debate stores it, with the id `passage_id`."""
        return Passage(id=passage_id, sha256=self.sha256, retrieved_at=at, **asdict(self))

    @property
    def sha256(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def place(self) -> tuple[str, str, str]:
        """Where the text is from: (SHA-256 of the text, source, locator). Equal places get the same passage id."""
        return self.sha256, self.source, self.locator


LookupPlace = Literal["corpus", "web"]
"""Where the program searches for facts that debaters state without a source: `corpus` (the files of the debate) or `web`."""
SearchKind = Literal["web", "rerank"]
"""`web`: a web search. `rerank`: ordering the passages of files by meaning."""


class SearchFailure(FrozenModel):
    """Why a search failed."""

    cause: str
    """Name of the error, e.g. `UnreachableError`."""
    message: str


class Search(FrozenModel):
    """A search by a provider, before a speech or an assessment. It finds passages, or orders passages of files.

    `SearchKind` describes the kinds of searches.
    """

    key: str
    """Key of the cue or brief that needs the passages."""
    kind: SearchKind = "web"
    query: str

    @property
    def id(self) -> str:
        """Id of the search in its debate. Searches with the same id are made only once."""
        return f"{self.kind}/{self.key}/{self.query}"


class SearchRecord(Search):
    """A finished search. It succeeded or failed."""

    results: tuple[FoundPassage, ...] = Field(default=(), exclude_if=not_)
    """Passages that were found. A transcript omits them as soon as the speech or judgement exists."""
    failure: SearchFailure | None = Field(default=None, exclude_if=lambda failure: failure is None)
    """Why the search failed; None, and omitted in files, if it succeeded."""
    exchange: ModelCall | None = None
    """The call of the search, with its usage; None if nothing was sent."""


class Citation(FrozenModel):
    """A quote in a speech, with the id of its passage."""

    source: str
    """Id of the quoted passage, e.g. `S1`."""
    quote: str


QuoteOutcome = Literal["verified", "near", "altered", "not_found"]
"""Result of comparing a quote with its passage. `verified`: the words are equal. `near`: the quote differs only in
articles, inflections, punctuation or layout. `altered`: the quote differs in other words, but the passage has similar words.
`not_found`: the passage has no similar words."""


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """The result of checking one quote."""

    outcome: QuoteOutcome
    passage_words: str = ""
    """The part of the passage that the quote was compared with; empty if the quote was not found."""
    difference: str = ""
    """How the quote differs from the passage, e.g. `“may” became “will”`; empty if it does not differ."""
    spans: tuple[tuple[int, int], ...] = ()
    """Character positions (start, end) of the quote's parts in the passage's text."""


NOT_FOUND = QuoteCheck("not_found")
