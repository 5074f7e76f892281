"""Questions to a model about texts other than debates: stakeholders in documents, and claims of a speech.

Quotes in the answers are checked word for word. The method for stakeholders is that of MAJ-EVAL (Chen et al. 2025),
which derives the personas of judges from documents of the field.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from debate_cli.domain.text_normalization import ascii_slug
from debate_cli.evidence.quote_check import check_quote
from debate_cli.judge_input.quotes import find_quoted_line
from debate_cli.judge_input.transcript_prompt import format_speech
from debate_cli.llm.form import Form, FormModel, derive_schema, items, text
from debate_cli.llm.model import Message, Request
from debate_cli.llm.prompt_sanitizer import new_nonce, sanitize_for_prompt
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle

MIN_STAKEHOLDERS, MAX_STAKEHOLDERS = 3, 7
MAX_CLAIMS = 6
"""Maximum number of claims in a part of a speech."""
MAX_PART_CHARS = 8_000
"""Maximum length of a part. A longer speech is split after a paragraph if possible, otherwise after a sentence or a word."""
TEMPERATURE = 0.2
"""Default temperature of both questions."""
STAKEHOLDERS_PURPOSE = "judge.personas"
CLAIMS_PURPOSE = "judge.claims"
_PACKAGE = "debate_cli.judging"
_CUTS = (re.compile(r"\n\s*\n"), re.compile(r"(?<=[.!?。！？])\s"), re.compile(r"\s"))


class TextDocument(NamedTuple):
    """A text with its name. Untrusted."""

    name: str
    text: str


class Stakeholder(NamedTuple):
    """A person or group with a stake in documents, as a model describes it. Untrusted."""

    id: str
    """Letters, digits and `_`; unique."""
    name: str
    role: str
    cares_about: str
    quote: str
    """Words of a document from which the model derived the stakeholder, as the model quotes them."""
    document: str | None
    """Name of the document that contains the quote; None if no document does."""
    line: int | None
    """Line of that document, from 1, where the quote begins."""


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
    """The form. If an answer has too few or too many stakeholders, the model is asked again."""
    return Form(name="panel_personas", model=StakeholdersForm, schema=derive_schema(StakeholdersForm))


def build_stakeholder_request(documents: Sequence[TextDocument], model: ModelHandle, prompts: Prompts) -> Request:
    """The request for stakeholders: the documents as data, then the task."""
    shown = "".join(f"TITLE: {format_speech(name)}\nDOCUMENT: {format_speech(words)}\n" for name, words in documents)
    rules = prompts.render(_PACKAGE, "personas_rules")
    ask = prompts.render(_PACKAGE, "panel_personas", least=str(MIN_STAKEHOLDERS), most=str(MAX_STAKEHOLDERS))
    return _build_request(STAKEHOLDERS_PURPOSE, rules, shown, ask, model)


def read_stakeholders(form: StakeholdersForm, documents: Sequence[TextDocument]) -> Iterator[Stakeholder]:
    """The stakeholders, with ids and with the place of each quote that is in a document."""
    taken: set[str] = set()
    for entry in form.stakeholders[:MAX_STAKEHOLDERS]:
        own = ascii_slug(entry.name, "_")[:40] or "judge"
        number = 1
        while (name := own if number == 1 else f"{own}_{number}") in taken:
            number += 1
        taken.add(name)
        places = ((document.name, find_quoted_line(entry.quote, document.text)) for document in documents)
        source, line = next((place for place in places if place[1] is not None), (None, None))
        words = (entry.name, entry.role, entry.cares_about, entry.quote)
        title, role, cares_about, quote = (" ".join(sanitize_for_prompt(part).split()) for part in words)
        yield Stakeholder(name, title, role, cares_about, quote, source, line)


class ClaimForm(FormModel):
    """One claim."""

    quote: str = text(600)
    claim: str = text(300)


class ClaimsForm(FormModel):
    """All claims of a part of a speech."""

    claims: tuple[ClaimForm, ...] = items(MAX_CLAIMS)


class CheckedClaim(NamedTuple):
    """A claim, and the passage of the speech that makes it. Untrusted."""

    claim: str
    passage: str
    """The quoted words as they are in the speech; if they are not in it, as the model wrote them."""
    was_said: bool
    """Whether the quote was found in the speech."""


def build_claims_form() -> Form[ClaimsForm]:
    """The form for the claims of a part of a speech."""
    return Form(name="speech_claims", model=ClaimsForm, schema=derive_schema(ClaimsForm))


def build_claims_request(motion: str, part: str, model: ModelHandle, prompts: Prompts) -> Request:
    """The request for the claims of a part of a speech: the part as data, then the task."""
    shown = f"MOTION: {format_speech(motion)}\nDOCUMENT: {format_speech(part)}\n"
    ask = prompts.render(_PACKAGE, "speech_claims", most=str(MAX_CLAIMS))
    return _build_request(CLAIMS_PURPOSE, prompts.render(_PACKAGE, "claims_rules"), shown, ask, model)


def read_claims(form: ClaimsForm, speech: str) -> Iterator[CheckedClaim]:
    """The claims, each with its passage of `speech`."""
    for entry in form.claims[:MAX_CLAIMS]:
        check = check_quote(entry.quote, speech)
        was_said = check.outcome in {"verified", "near"}
        claim = " ".join(sanitize_for_prompt(entry.claim).split())
        yield CheckedClaim(claim, check.passage_words if was_said else entry.quote, was_said)


def split_speech(speech: str) -> list[str]:
    """Split the speech into parts of at most `MAX_PART_CHARS` characters."""
    parts: list[str] = []
    rest = speech
    while len(rest) > MAX_PART_CHARS:
        head = rest[:MAX_PART_CHARS]
        ends = (max((match.end() for match in cut.finditer(head)), default=0) for cut in _CUTS)
        at = next((end for end in ends if end > MAX_PART_CHARS // 2), MAX_PART_CHARS)
        parts.append(rest[:at])
        rest = rest[at:]
    return [*parts, rest]


def _build_request(purpose: str, rules: str, shown: str, ask: str, model: ModelHandle) -> Request:
    nonce = new_nonce()
    return Request(
        system=rules,
        messages=(Message("user", f"{shown}[ask {nonce}]\n{ask}\n[/ask {nonce}]"),),
        purpose=purpose,
        max_output_tokens=model.max_output_tokens,
        temperature=TEMPERATURE if model.temperature is None else model.temperature,
        seed=model.seed,
        nonce=nonce,
        stable_chars=len(shown),
    )
