"""Passages of sources that debaters are shown, and the citations of them in speeches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, Field

from debate_cli.domain.frozen_model import FrozenModel, UtcDatetime

PassageOrigin = Literal["corpus", "web", "summary"]
"""`corpus`: a file of the user. `web`: words of a page. `summary`: a model's summary of pages, which cannot be quoted."""
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


class Citation(FrozenModel):
    """Words of a source that a debater relies on."""

    source: str
    """Id of a passage."""
    quote: str
