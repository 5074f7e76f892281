"""Splits sections of documents into passages, between paragraphs and sentences."""

import re
from collections.abc import Iterator

from debate_cli.evidence.sections import Section
from debate_cli.evidence.unspaced_scripts import MAX_WORD_CHARS, UNSPACED, count_words

ABBREVIATIONS = (
    r"[^\W\d_]", "Dr", "Mr", "Mrs", "Ms", "Prof", "St", "Gen", "Gov", "Sen", "Rep", "Rev", "Hon", "Capt", "Col", "Lt", "Sgt",
    "al", "cf", "vs", "ca", "viz", "[Ff]ig", "[Ff]igs", "[Aa]pprox", "[Ii]ncl", "[Ee]sp", "[Rr]esp", "Reg", "Ref", "Nr", "Abs",
    "Abb", "Mt",
)  # fmt: skip
"""Regular expressions for words whose period does not end a sentence. The first matches any single letter, as in
`U.S.`."""
NUMBERED = (
    "[Nn]o", "[Nn]os", "[Aa]rt", "[Aa]rts", "[Ss]ec", "[Ss]ect", "[Vv]ol", "[Vv]ols", "[Ee]q", "[Ee]qs", "[Cc]h", "[Cc]hap",
    "[Pp]p", "[Pp]ara", "[Ee]d", "[Ee]st", "[Mm]ax", "[Mm]in", "[Ii]ss", "[Rr]ef",
    "[Rr]eg", "[Nn]r", "[Kk]ap", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec", "Okt",
    "Dez",
)  # fmt: skip
"""Regular expressions for words whose period does not end a sentence if a number follows."""
MAX_SENTENCE_WORDS = 200
"""A sentence with at most this number of words is never split."""
MAX_LINE_WORDS = 1000
"""`split_section` splits overlong sentences into lines. If a line has at most this number of words, the line is never
split further."""


def _is_none_of(abbreviations: tuple[str, ...]) -> str:
    return "".join(rf"(?<!\b{word}\.)" for word in abbreviations)


_SENTENCE_END = re.compile(
    rf"(?<=[.!?…]){_is_none_of(ABBREVIATIONS)}(?:(?!\s+\d)|{_is_none_of(NUMBERED)})"
    r"[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9\u00c0-\u00de\u0400-\u042f])|(?<=[。！？｡])(?![」』”’）])|(?<=[。！？｡][」』”’）])"
)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_LINE_END = re.compile(r"\n")


def split_section(section: Section, words: int) -> Iterator[tuple[str, int, int]]:
    """Yield (text, start, end) of each passage of a section. `start` and `end` are positions in `section.text`.

    A passage has at most `words` words, except if it is one long sentence or line. If possible, a passage consists of
    whole paragraphs (in a list, of whole lines). Longer texts are split in three steps:

    - If a paragraph has more than `words` words, it is split between its sentences.
    - If a sentence has more than MAX_SENTENCE_WORDS words and more than 2 × `words` words, it is split into its lines.
    - If one of these lines has more than MAX_LINE_WORDS words and more than 2 × `words` words, it is cut into parts of
      at most `words` words.

    In scripts without spaces, each character counts as a word.
    """
    start = end = count = 0
    for piece_start, piece_end in _pieces(section, words):
        size = count_words(section.text[piece_start:piece_end])
        if count and count + size > words:
            yield section.text[start:end], start, end
            count = 0
        start = piece_start if not count else start
        end, count = piece_end, count + size
    if count:
        yield section.text[start:end], start, end


def _pieces(section: Section, words: int) -> Iterator[tuple[int, int]]:
    text = section.text
    for start, end in _cut(text, 0, len(text), _LINE_END if section.is_list else _PARAGRAPH_END):
        if count_words(text[start:end]) <= words:
            yield start, end
            continue
        for first, last in _cut(text, start, end, _SENTENCE_END):
            if count_words(text[first:last]) <= max(2 * words, MAX_SENTENCE_WORDS):
                yield first, last
                continue
            for line_start, line_end in _cut(text, first, last, _LINE_END):  # code, a table or a list has no sentences
                if count_words(text[line_start:line_end]) <= max(2 * words, MAX_LINE_WORDS):
                    yield line_start, line_end
                else:
                    yield from _cut_after_words(text, line_start, line_end, words)


def _cut_after_words(text: str, start: int, end: int, words: int) -> Iterator[tuple[int, int]]:
    run = rf"(?:\s*+(?:[{UNSPACED}]|[^\s{UNSPACED}]{{1,{MAX_WORD_CHARS}}}+)){{1,{words}}}"
    for match in re.compile(rf"{run}(?<=[、，；：])|{run}(?=\s|\Z)|{run}").finditer(text, start, end):
        yield match.end() - len(match[0].lstrip()), match.end()


def _cut(text: str, start: int, end: int, separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for match in (*separator.finditer(text, start, end), None):
        stop = end if match is None else match.start()
        part = text[start:stop]
        if part.strip():
            yield start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        start = end if match is None else match.end()
