"""Asks one model for the stakeholders that documents imply, who can then judge them as a panel.

Method: MAJ-EVAL (Chen et al. 2025) derives the personas of judges from documents of the field.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from debate_cli.judging.quotes import find_quoted_line
from debate_cli.judging.transcript_prompt import format_speech
from debate_cli.llm.form import Form, FormModel, derive_schema, items, text
from debate_cli.llm.model import Message, Request
from debate_cli.llm.prompt_sanitizer import new_nonce, sanitize_for_prompt
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle

MIN_STAKEHOLDERS, MAX_STAKEHOLDERS = 3, 7
TEMPERATURE = 0.2
"""Temperature of a model that has none configured."""
PURPOSE = "judge.personas"
_PACKAGE = "debate_cli.judging"


class TextDocument(NamedTuple):
    """A text with its name. Untrusted."""

    name: str
    text: str


class Stakeholder(NamedTuple):
    """Someone with a stake in documents, in a model's words. Untrusted."""

    id: str
    """Letters, digits and `_`; different for each."""
    name: str
    role: str
    cares_about: str
    quote: str
    """The passage that implies the stakeholder, as the model quotes it."""
    document: str | None
    """Name of the document in which the passage occurs; None if it occurs in none."""
    line: int | None
    """Line of that document, from 1, in which the passage begins."""


class StakeholderForm(FormModel):
    """One stakeholder."""

    name: str = text(60)
    role: str = text(160)
    cares_about: str = text(240)
    quote: str = text(240)


class StakeholdersForm(FormModel):
    """All stakeholders."""

    stakeholders: tuple[StakeholderForm, ...] = items(MAX_STAKEHOLDERS, least=MIN_STAKEHOLDERS)


def build_stakeholder_form() -> Form[StakeholdersForm]:
    """The form; an answer with too few or too many stakeholders is asked for again."""
    return Form(name="panel_personas", model=StakeholdersForm, schema=derive_schema(StakeholdersForm))


def build_stakeholder_request(documents: Sequence[TextDocument], model: ModelHandle, prompts: Prompts) -> Request:
    """The request: the documents as data, then the task."""
    nonce = new_nonce()
    shown = "".join(f"TITLE: {format_speech(name)}\nDOCUMENT: {format_speech(words)}\n" for name, words in documents)
    bounds = {"least": str(MIN_STAKEHOLDERS), "most": str(MAX_STAKEHOLDERS)}
    ask = prompts.render(_PACKAGE, "panel_personas", **bounds)
    return Request(
        system=prompts.render(_PACKAGE, "personas_rules"),
        messages=(Message("user", f"{shown}[ask {nonce}]\n{ask}\n[/ask {nonce}]"),),
        purpose=PURPOSE,
        max_output_tokens=model.max_output_tokens,
        temperature=TEMPERATURE if model.temperature is None else model.temperature,
        seed=model.seed,
        nonce=nonce,
        stable_chars=len(shown),
    )


def read_stakeholders(form: StakeholdersForm, documents: Sequence[TextDocument]) -> Iterator[Stakeholder]:
    """The stakeholders with ids, and the place of each quote that occurs in a document."""
    taken: set[str] = set()
    for entry in form.stakeholders[:MAX_STAKEHOLDERS]:
        own = _to_id(entry.name)
        number = 1
        while (name := own if number == 1 else f"{own}_{number}") in taken:
            number += 1
        taken.add(name)
        places = ((document.name, find_quoted_line(entry.quote, document.text)) for document in documents)
        source, line = next((place for place in places if place[1] is not None), (None, None))
        words = (entry.name, entry.role, entry.cares_about, entry.quote)
        title, role, cares_about, quote = (" ".join(sanitize_for_prompt(part).split()) for part in words)
        yield Stakeholder(name, title, role, cares_about, quote, source, line)


def _to_id(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40] or "judge"
