"""Orders that are quoted in order to talk about them: the same words, but nobody is told to follow them."""

from __future__ import annotations

import re

LONGEST = 240
"""Characters of a quotation."""
AROUND = 160
"""Characters before and after it in which its sentence says what it is."""

_QUOTED = re.compile(
    rf"\"[^\"\n]{{1,{LONGEST}}}\"|“[^”\n]{{1,{LONGEST}}}”|‘[^’\n]{{1,{LONGEST}}}’|«[^»\n]{{1,{LONGEST}}}»|„[^“”\n]{{1,{LONGEST}}}[“”]|"
    rf"`[^`\n]{{1,{LONGEST}}}`|(?<![\w'])'[^'\n]{{1,{LONGEST}}}'(?![\w'])"
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
_INTRODUCED = re.compile(
    r"\b(?:such as|like|called|named|strings?|tokens?|tags?|markers?|comments?|elements?)\W{0,3}$", re.IGNORECASE
)


def unmentioned(text: str) -> str:
    """`text` with every quotation that its sentence talks about blanked; no character changes its place."""
    return _QUOTED.sub(lambda match: _blank(match, text), text)


def introduced(text: str, start: int) -> bool:
    """Whether what stands at `start` without quotation marks is named there as an example."""
    return _INTRODUCED.search(text[max(0, start - 30) : start]) is not None


def _blank(match: re.Match[str], text: str) -> str:
    quotation = match.group()
    if _IN_DATA_BEFORE.search(text[max(0, match.start() - 4) : match.start()]) or _IN_DATA_AFTER.match(
        text, match.end()
    ):
        return quotation
    before = _SENTENCE_EDGE.split(text[max(0, match.start() - AROUND) : match.start()])[-1]
    after = _SENTENCE_EDGE.split(text[match.end() : match.end() + AROUND], maxsplit=1)[0]
    if quotation[-2] in ".!?":
        after = ""
    if _DISCUSSION.search(before) or _DISCUSSION.search(after):
        return quotation[0] + "_" * (len(quotation) - 2) + quotation[-1]
    return quotation
