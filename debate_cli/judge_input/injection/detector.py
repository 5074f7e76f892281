"""Detects words in a speech that address the judge. Deterministic, without a model, in bounded time.

The detector searches for commands, not for topics: a speech may discuss judges, prompts and injections, and quote them. Findings
are masked for judges only; the transcript keeps the speaker's words.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from debate_cli.judge_input.injection.deobfuscation import (
    decode_tag_characters,
    deobfuscate,
    find_hidden_texts,
    normalize_spelling,
)
from debate_cli.judge_input.injection.rules import (
    NAME_PLACEHOLDER,
    blank_discussed_quotations,
    find_coarsely,
    find_forged_results,
    find_instructions,
    find_role_markers,
    hints_at_instruction,
    measure_suspicion,
    split_sentences,
)
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt

REMOVAL_MARKER = "[removed: addressed to the judge]"
TAKEOVER_TECHNIQUES = frozenset({"override", "role_marker", "encoded", "hidden"})
"""Techniques that never occur in an honest text about a debate, whether by a debater or by a judge."""
MAX_MASKING_PASSES = 3
"""Maximum number of times that a text is masked. Several passes can be needed, because the removal of a passage can
join the parts of another attack."""
MAX_EXAMINED_CHARS = 60_000
"""Maximum number of characters that all rules examine. Of a longer text they examine the most suspicious parts. Only
one pattern searches the rest, so that 1 MB of any text takes less than two seconds."""
MAX_BEGUN_CHARS = 200
"""Number of characters at the end of a passage in which an instruction may begin. The speaker's next passage may
complete this instruction."""
_UNFINISHED_SENTENCE = re.compile(r"[^.!?。！？\n]*[^.!?。！？\n\"”’)\]]\Z")
_PIECE = re.compile(r"[^\n]{1,2000}(?:[.!?](?=\s)|\n|$)|[^\n]{1,2000}|\n{1,2000}")
Span = tuple[int, int, str]
"""Start and end in the sanitized text, and the technique."""


class Hit(NamedTuple):
    """A span of the sanitized text that addresses the judge.

    If its characters were removed from the sanitized text, the span is empty and at the end of the text.
    """

    start: int
    end: int
    quote: str
    technique: str
    """`override`, `score_demand`, `new_rubric`, `fake_verdict`, `false_consensus`, `false_authority`, `role_marker`,
    `role_play`, `output_order`, `pressure`, `conditional`, `hidden` or `encoded`."""


@lru_cache(maxsize=4096)
def detect_injection(
    text: str, names: tuple[str, ...] = (), only: frozenset[str] | None = None, after: str = ""
) -> tuple[Hit, ...]:
    """Find the spans of the sanitized `text` that address the judge, in order and without overlaps.

    `names`: names of the debaters; "Give Ada the point" is an instruction only if Ada debates. `only`: the techniques
    to search for; None means all. `after`: the speaker's words before `text`, where an instruction may begin.
    """
    sanitized = sanitize_for_prompt(text)
    examined = _mask_names(_blank_removals(sanitized), names)
    found = chain(_find_spans(examined, names), _find_continued_spans(examined, names, after))
    merged: list[Span] = []
    for span in sorted(span for span in found if only is None or span[2] in only):
        if merged and span[0] < merged[-1][1]:  # overlapping spans are one hit, with the technique of the first
            start, end, technique = merged[-1]
            merged[-1] = (start, max(end, span[1]), technique)
        else:
            merged.append(span)
    hits = [Hit(start, end, sanitized[start:end].strip(), technique) for start, end, technique in merged]
    hidden = decode_tag_characters(text)
    if hidden is not None:
        hits.append(Hit(len(sanitized), len(sanitized), hidden, "encoded"))
    return tuple(hits)


@lru_cache(maxsize=4096)
def mask_injection(text: str, names: tuple[str, ...] = (), only: frozenset[str] | None = None, after: str = "") -> str:
    """Return the sanitized text with `REMOVAL_MARKER` in place of all words that address the judge.

    Masking the result again changes nothing, except for texts of more than MAX_EXAMINED_CHARS.
    """
    masked = sanitize_for_prompt(text)
    for _ in range(MAX_MASKING_PASSES if len(masked) <= MAX_EXAMINED_CHARS else 1):
        hits = [hit for hit in detect_injection(masked, names, only, after) if hit.end > hit.start]
        for hit in reversed(hits):
            masked = masked[: hit.start] + REMOVAL_MARKER + masked[hit.end :]
        if not hits:
            break
    return masked


def _mask_names(text: str, names: tuple[str, ...], flags: re.RegexFlag = re.NOFLAG) -> str:
    clean_names = {sanitize_for_prompt(name) for name in names}
    choice = "|".join(re.escape(name) for name in sorted(clean_names, key=len, reverse=True) if len(name) > 1)
    if not choice:
        return text
    return re.sub(rf"(?<!\w)(?:{choice})(?!\w)", lambda match: NAME_PLACEHOLDER * len(match.group()), text, flags=flags)


def _blank_removals(text: str) -> str:
    return text.replace(REMOVAL_MARKER, "\n" * len(REMOVAL_MARKER))


def _find_continued_spans(text: str, names: tuple[str, ...], after: str) -> Iterator[Span]:
    """Yield the span in the first sentence of `text` that completes an instruction begun at the end of `after`."""
    begun = _UNFINISHED_SENTENCE.search(sanitize_for_prompt(after[-MAX_BEGUN_CHARS:]).rstrip()) if after else None
    first = next(split_sentences(text), None)
    if begun is None or first is None:
        return
    lead = _mask_names(_blank_removals(begun.group().lstrip()), names) + " "
    if any(_find_spans_in_piece(lead, names)):
        return
    start, sentence = first
    for begin, end, technique in _find_spans_in_piece(lead + sentence, names):
        if begin < len(lead) < end:
            yield start, start + end - len(lead), technique


def _find_spans(text: str, names: tuple[str, ...]) -> Iterator[Span]:
    if len(text) <= MAX_EXAMINED_CHARS:
        yield from _find_spans_in_piece(text, names)
        return
    pieces = [(match.start(), match.group()) for match in _PIECE.finditer(text)]
    pieces.sort(key=lambda piece: measure_suspicion(piece[1]), reverse=True)
    examined = 0
    for start, part in pieces:
        spans = _find_spans_in_piece(part, names) if examined < MAX_EXAMINED_CHARS else find_coarsely(part)
        examined += len(part)
        yield from ((start + begin, start + end, technique) for begin, end, technique in spans)


def _find_spans_in_piece(text: str, names: tuple[str, ...]) -> Iterator[Span]:
    """Yield the spans of the words that address the judge.

    The span of a disguised instruction is its whole sentence.
    """
    plain = _find_plain_spans(text)
    yield from plain
    for start, sentence in split_sentences(text):
        end = start + len(sentence)
        is_found = any(begin < end and start < stop for begin, stop, _ in plain)
        spelled = _mask_names(normalize_spelling(sentence), names, re.IGNORECASE)
        if spelled != sentence and not is_found:
            yield from ((start, end, technique) for _, _, technique in _find_plain_spans(spelled))
        for decoded in deobfuscate(sentence):
            if _find_plain_spans(_mask_names(decoded, names, re.IGNORECASE)):
                yield start, end, "encoded"
    for start, end, content, technique in find_hidden_texts(text):
        if hints_at_instruction(_mask_names(content, names)):
            yield start, end, technique


@lru_cache(maxsize=4096)
def _find_plain_spans(text: str) -> tuple[Span, ...]:
    """Return the spans of all words in `text` that address the judge. Nothing is decoded."""
    unquoted = blank_discussed_quotations(text)
    return (
        *find_instructions(unquoted),
        *((start, end, "fake_verdict") for start, end in find_forged_results(unquoted)),
        *((start, end, "role_marker") for start, end in find_role_markers(unquoted)),
    )
