"""Orders that are quoted in order to talk about them: the same words, but nobody is told to follow them."""

from __future__ import annotations

import re

MAX_QUOTATION_CHARS = 240
"""Characters of a quotation."""
CONTEXT_CHARS = 160
"""Characters before and after it in which its sentence says what it is."""

_QUOTATION = re.compile(
    rf"\"[^\"\n]{{1,{MAX_QUOTATION_CHARS}}}\"|“[^”\n]{{1,{MAX_QUOTATION_CHARS}}}”|‘[^’\n]{{1,{MAX_QUOTATION_CHARS}}}’|«[^»\n]{{1,{MAX_QUOTATION_CHARS}}}»|„[^“”\n]{{1,{MAX_QUOTATION_CHARS}}}[“”]|"
    rf"`[^`\n]{{1,{MAX_QUOTATION_CHARS}}}`|(?<![\w'])'[^'\n]{{1,{MAX_QUOTATION_CHARS}}}'(?![\w'])"
)
_SENTENCE_EDGE = re.compile(r"[.!?。！？][\"'”’»)\]]*\s|\n")
_DISCUSSION = re.compile(
    r"\b(?:attack\w*|inject\w*|manipulat\w*|malicious|adversar\w*|jailbreak\w*|hostile|phrases?|strings?|words?|sentences?|lines?|"
    r"such as|for example|e\.g\.|says?|said|saying|writes?|written|wrote|reads?|told|tells?|telling|ask(?:s|ed|ing)|whisper\w*|shout\w*|"
    r"fool\w*|trick\w*|vulnerab\w*|prompts?|hidden|embedd\w*|fall for|filters?|teach\w*|contain(?:s|ing|ed)?|"
    r"someone|anyone|a debater|a speaker|a student|an applicant|a document|a resume|cv)\b",
    re.IGNORECASE,
)
_IN_DATA_BEFORE = re.compile(r"(?:[{\[]|[\"'],|[\"']:)\s*$")
_IN_DATA_AFTER = re.compile(r"\s*:\s*[\"'\d{\[]")
"""The strings of an object are data, not quotations."""
_EXAMPLE_INTRODUCTION = re.compile(
    r"\b(?:such as|like|called|named|strings?|tokens?|tags?|markers?|comments?|elements?)\W{0,3}$", re.IGNORECASE
)


def blank_discussed_quotations(text: str) -> str:
    """`text` with every quotation that its sentence talks about blanked; no character changes its place."""
    return _QUOTATION.sub(lambda match: _blank_if_discussed(match, text), text)


def is_named_as_example(text: str, start: int) -> bool:
    """Whether what stands at `start` without quotation marks is named there as an example."""
    return _EXAMPLE_INTRODUCTION.search(text[max(0, start - 30) : start]) is not None


def _blank_if_discussed(match: re.Match[str], text: str) -> str:
    quotation = match.group()
    if _IN_DATA_BEFORE.search(text[max(0, match.start() - 4) : match.start()]) or _IN_DATA_AFTER.match(
        text, match.end()
    ):
        return quotation
    before = _SENTENCE_EDGE.split(text[max(0, match.start() - CONTEXT_CHARS) : match.start()])[-1]
    after = _SENTENCE_EDGE.split(text[match.end() : match.end() + CONTEXT_CHARS], maxsplit=1)[0]
    if quotation[-2] in ".!?":
        after = ""
    if _DISCUSSION.search(before) or _DISCUSSION.search(after):
        return quotation[0] + "_" * (len(quotation) - 2) + quotation[-1]
    return quotation
