"""Passages of sources that debaters are shown, and the citations of them in speeches."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, Field

from debate_cli.domain.frozen_model import FrozenModel, UtcDatetime
from debate_cli.domain.model_call import ModelCall

PassageOrigin = Literal["corpus", "web", "summary"]
"""`corpus`: a file of the user. `web`: words of a page. `summary`: a model's summary of pages, which cannot be quoted."""
PassageIds = Annotated[tuple[str, ...], Field(exclude_if=lambda ids: not ids)]
"""Ids of passages. Left out of files if there are none."""
MAX_CITATIONS = 2
"""Most citations of one argument, response or closing."""


def _locator_text(locator: object) -> object:
    """A locator as text; null and the form `{"page": 3}` are accepted in files of other programs."""
    if isinstance(locator, Mapping):
        parts = cast("Mapping[str, object]", locator)
        return ", ".join(f"{name} {value}" for name, value in parts.items())
    return "" if locator is None else locator


class Passage(FrozenModel):
    """A piece of a source that was shown to a debater."""

    id: str = Field(min_length=1)
    """`S1`, `S2`, … in the order in which they were first shown."""
    source: str
    """Path or address of the source."""
    title: str = ""
    text: str
    sha256: str = ""
    """Hash of `text` in UTF-8."""
    locator: Annotated[str, BeforeValidator(_locator_text)] = ""
    """Place in the source: heading, page, lines or row; empty for the whole source."""
    origin: PassageOrigin = "corpus"
    retrieved_at: UtcDatetime | None = None

    @property
    def place(self) -> tuple[str, str, str]:
        """Hash, source and locator: passages that are equal in these share one id."""
        return self.sha256, self.source, self.locator


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage of the corpus or the web, before the debate gives it an id."""

    source: str
    title: str
    locator: str
    text: str
    origin: PassageOrigin = "corpus"

    def to_passage(self, passage_id: str, at: datetime) -> Passage:
        """The passage as the debate stores it."""
        return Passage(id=passage_id, sha256=self.sha256, retrieved_at=at, **asdict(self))

    @property
    def sha256(self) -> str:
        """Hash of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def place(self) -> tuple[str, str, str]:
        """As `Passage.place`."""
        return self.sha256, self.source, self.locator


LookupPlace = Literal["corpus", "web"]
"""Where a judge's questions are looked up."""
SearchKind = Literal["web", "rerank"]
"""`web`: a web search. `rerank`: passages of the corpus, ordered by the distance of their embeddings to the query."""


class SearchFailure(FrozenModel):
    """Why a search gave nothing."""

    cause: str
    """Name of the error, e.g. `UnreachableError`."""
    message: str


class Search(FrozenModel):
    """A search for passages to ask of a provider, before a speech or an assessment."""

    key: str
    """Key of the cue or brief that it is made for."""
    kind: SearchKind = "web"
    query: str

    @property
    def id(self) -> str:
        """Identity within a debate: no search is made twice."""
        return f"{self.kind}/{self.key}/{self.query}"


class SearchRecord(Search):
    """A search that ended."""

    results: tuple[FoundPassage, ...] = Field(default=(), exclude_if=lambda results: not results)
    """What was found. In files only until the speech or assessment is made; the debate keeps the passages that were shown."""
    failure: SearchFailure | None = Field(default=None, exclude_if=lambda failure: failure is None)
    """Left out of files if the search did not fail."""
    exchange: ModelCall | None = None
    """Usage of the search; None if nothing was sent."""


class Citation(FrozenModel):
    """Words of a source that a debater relies on."""

    source: str
    """Id of a passage."""
    quote: str
