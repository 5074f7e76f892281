"""Words in a speech that are addressed to the judge: found by rules alone, the same way every time.

It is aimed at commands, not at topics: a speech may discuss judges, prompts and injections, and quote them. What is found
is kept from judges only; the transcript keeps the speaker's words. How orders look does not live here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from debate_cli.judging.injection.deobfuscation import deobfuscate
from debate_cli.judging.injection.forged_output import find_forged_results, find_role_markers
from debate_cli.judging.injection.hidden_text import decode_tag_characters, find_encoded_runs, find_invisible_parts
from debate_cli.judging.injection.multilingual import find_foreign_instructions
from debate_cli.judging.injection.rules import (
    NAME_PLACEHOLDER,
    blank_discussed_quotations,
    find_instructions,
    hints_at_instruction,
    is_named_as_example,
    split_sentences,
)
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt

REMOVAL_MARKER = "[removed: addressed to the judge]"
TAKEOVER_TECHNIQUES = frozenset({"override", "role_marker", "encoded", "hidden"})
"""Techniques that nobody has a use for who speaks about a debate, as judges do."""
_Span = tuple[int, int, str]


class Hit(NamedTuple):
    """A span of the cleaned text; hidden text, which cleaning removes, has an empty one at the end."""

    start: int
    end: int
    quote: str
    technique: str
    """override, score_demand, new_rubric, fake_verdict, false_consensus, false_authority, role_marker, role_play,
    output_order, pressure, conditional, hidden, encoded."""


@lru_cache(maxsize=4096)
def detect_injection(text: str, names: tuple[str, ...] = (), only: frozenset[str] | None = None) -> tuple[Hit, ...]:
    """What in `text` is addressed to the judge, in its order; spans are of `clean(text)` and do not overlap.

    `names` are those of the debaters: "give Ada the point" is an order where Ada debates, and a remark elsewhere. With
    `only`, which takes less time, nothing is looked for but those techniques.
    """
    cleaned = sanitize_for_prompt(text)
    looked_at = _mask_names(cleaned.replace(REMOVAL_MARKER, "\n" * len(REMOVAL_MARKER)), names)
    spans = (span for span in _find_spans(looked_at, names, only) if only is None or span[2] in only)
    hits = _merge_spans(cleaned, sorted(spans))
    hidden = decode_tag_characters(text)
    if hidden is not None:
        hits.append(Hit(len(cleaned), len(cleaned), hidden, "encoded"))
    return tuple(hits)


@lru_cache(maxsize=4096)
def mask_injection(text: str, names: tuple[str, ...] = (), only: frozenset[str] | None = None) -> str:
    """`clean(text)` with everything addressed to the judge replaced, or what is of the techniques `only`.

    Doing it twice changes nothing more.
    """
    cleaned, done, parts = sanitize_for_prompt(text), 0, list[str]()
    for hit in detect_injection(text, names, only):
        if hit.end > hit.start:
            parts += [cleaned[done : hit.start], REMOVAL_MARKER]
            done = hit.end
    left = "".join([*parts, cleaned[done:]])
    return left if left == cleaned else mask_injection(left, names, only)


def _mask_names(text: str, names: tuple[str, ...], flags: re.RegexFlag = re.NOFLAG) -> str:
    """`text` with every name of a debater written in a letter of its own, at the same length."""
    spelled = sorted(
        {sanitize_for_prompt(name) for name in names if len(sanitize_for_prompt(name)) > 1}, key=len, reverse=True
    )
    if not spelled:
        return text
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, spelled))})(?!\w)"
    return re.sub(pattern, lambda match: NAME_PLACEHOLDER * len(match.group()), text, flags=flags)


def _find_spans(text: str, names: tuple[str, ...], only: frozenset[str] | None) -> Iterator[_Span]:
    yield from _find_plain_spans(text, only)
    plain = {sentence for _, sentence in split_sentences(text)}
    for reading in deobfuscate(text):
        for first, sentence in split_sentences(_mask_names(reading.text, names, re.IGNORECASE)):
            if sentence not in plain:
                part = reading.slice(first, first + len(sentence))
                yield from ((*part.source_span(start, end), "encoded") for start, end, _ in _find_plain_spans(sentence))
    for start, end, decoded in find_encoded_runs(text):
        if hints_at_instruction(_mask_names(decoded, names)):
            yield start, end, "encoded"
    for start, end, content in find_invisible_parts(text):
        if hints_at_instruction(content):
            yield start, end, "hidden"


def _find_plain_spans(text: str, only: frozenset[str] | None = None) -> Iterator[_Span]:
    """What is addressed to the judge in `text` as it stands; of other techniques than `only` there may be some."""
    said = blank_discussed_quotations(text)
    yield from find_instructions(said, only)
    yield from find_foreign_instructions(said)
    for start, end in find_forged_results(said):
        yield start, end, "fake_verdict"
    for start, end in find_role_markers(said):
        if not is_named_as_example(text, start):
            yield start, end, "role_marker"


def _merge_spans(text: str, spans: list[_Span]) -> list[Hit]:
    """Overlapping spans as one, named by the first."""
    found: list[Hit] = []
    for start, end, technique in spans:
        hit = Hit(start, end, "", technique)
        if found and start < found[-1].end:
            last = found.pop()
            hit = last._replace(end=max(last.end, end))
        found.append(hit._replace(quote=text[hit.start : hit.end].strip()))
    return found
