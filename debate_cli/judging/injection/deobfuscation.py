"""Texts as they read without a disguise: letters of other scripts, codes, digits for letters, letters set apart.

Each reading knows where its characters stand in the text itself, so that what is found in it can be shown and removed.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from debate_cli.judging.injection.rules import NAME_PLACEHOLDER


class DecodedText(NamedTuple):
    """`text`, and for each of its characters the index of the one it was read from."""

    text: str
    source_indices: Sequence[int]

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original from which `text[start:end]` was read."""
        places = self.source_indices[start:end]
        return min(places), max(places) + 1

    def slice(self, start: int, end: int) -> DecodedText:
        """`text[start:end]` as a reading of its own."""
        return DecodedText(self.text[start:end], self.source_indices[start:end])


_HOMOGLYPHS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеіјорсухѕԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυιɡɩſ",
    "ABESIJKMHOPCTYXaeijopcyxsdhqwABEZHIKMNOPTYXavopuigis",
)
"""Letters of other alphabets that look like Latin ones."""
_WORD = re.compile(r"\w+")
_LATIN_LETTER, _OTHER_LETTER = re.compile("[A-Za-z]"), re.compile(r"[^\W\d_a-zA-Z]")
_COMBINING_MARKS = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
_SPACED_LETTERS = re.compile(r"(?<![\w'’])[A-Za-z](?:([ \t.\-_*·])[A-Za-z])(?:\1[A-Za-z])+(?!\w)")
_WIDE_GAP = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_ESCAPE_SEQUENCE = re.compile(r"&#x?[0-9A-Fa-f]{2,6};|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}")
_INDICATOR_WORDS = [
    "ignore",
    "disregard",
    "instructions",
    "judge",
    "winner",
    "verdict",
    "previous",
    "rules",
    "score",
    "vote",
    "affirmative",
    "negative",
]
_REVERSED_OR_ROT13 = re.compile(
    "|".join(rf"\b{word[::-1]}\b|\b{codecs.encode(word, 'rot13')}\b" for word in _INDICATOR_WORDS), re.IGNORECASE
)
"""Words that show that a text is written backwards, or with its letters rotated by thirteen."""
_INDICATOR_WORD = re.compile(rf"\b(?:{'|'.join(_INDICATOR_WORDS)})\b", re.IGNORECASE)
_COMMAND_WORDS = (
    "ignore|disregard|forget|all|the|your|previous|prior|above|instructions|rules|rubric|give|award|grant|me|us|pro|con|full|marks|"
    "ten|out|of|points|declare|vote|for|as|winner|judge|score|and|perfect|maximum|wins?"
)
_RUN_TOGETHER_WORDS = re.compile(rf"\b(?:{_COMMAND_WORDS}){{2,}}\b", re.IGNORECASE)
_LEET_WORD = re.compile(r"(?<![\w$@])(?=[\w$@]*[A-Za-z])(?=[\w$@]*[0-9$@])[A-Za-z0-9$@]{2,}(?![\w$@])")
_LEET_TABLES = (str.maketrans("013457$@", "olaastsa"), str.maketrans("013457$@", "oieastsa"))
"""A 1 stands for l or for i."""


def deobfuscate(text: str) -> Iterator[DecodedText]:
    """How `text` may also be read; a disguise that it does not wear gives no reading."""
    bared = DecodedText(text, range(len(text)))
    for bare in (
        _decode_escapes,
        _strip_combining_marks,
        _fold_homoglyphs,
        _join_spaced_letters,
        _collapse_gaps,
        _split_joined_words,
    ):
        bared = bare(bared)
    if bared.text != text:
        yield bared
    if _LEET_WORD.search(bared.text):
        for table in _LEET_TABLES:
            yield DecodedText(_LEET_WORD.sub(_translator(table), bared.text), bared.source_indices)
    if _REVERSED_OR_ROT13.search(text):
        yield from _reverse(text)
        yield DecodedText(codecs.encode(text, "rot13"), range(len(text)))


def _reverse(text: str) -> Iterator[DecodedText]:
    """`text` from its end, and the same from the first telling word on: what is turned may be only a part."""
    whole = DecodedText(text[::-1], range(len(text) - 1, -1, -1))
    yield whole
    telling = _INDICATOR_WORD.search(whole.text)
    if telling is not None and telling.start():
        yield whole.slice(telling.start(), len(text))


def _translator(table: dict[int, int]) -> Callable[[re.Match[str]], str]:
    return lambda match: match.group().translate(table)


def _substitute(reading: DecodedText, pattern: re.Pattern[str], written: Callable[[re.Match[str]], str]) -> DecodedText:
    """`reading` with every match of `pattern` written otherwise."""
    text, where, done = list[str](), list[int](), 0
    for match in pattern.finditer(reading.text):
        new = written(match)
        text += [reading.text[done : match.start()], new]
        where += reading.source_indices[done : match.start()]
        last = match.end() - 1
        where += [reading.source_indices[min(match.start() + number, last)] for number in range(len(new))]
        done = match.end()
    if not done:
        return reading
    return DecodedText("".join([*text, reading.text[done:]]), [*where, *reading.source_indices[done:]])


def _decode_escapes(reading: DecodedText) -> DecodedText:
    return _substitute(reading, _ESCAPE_SEQUENCE, _decode_escape)


def _decode_escape(match: re.Match[str]) -> str:
    code = match.group()
    if code.startswith("&"):
        return html.unescape(code)
    return unquote(code) if code.startswith("%") else chr(int(f"0x{code[2:]}", 0))


def _strip_combining_marks(reading: DecodedText) -> DecodedText:
    return _substitute(reading, _COMBINING_MARKS, lambda _: "")


def _fold_homoglyphs(reading: DecodedText) -> DecodedText:
    """Words that mix alphabets in Latin letters alone."""
    if reading.text.replace(NAME_PLACEHOLDER, "").isascii():
        return reading
    return _substitute(reading, _WORD, _fold_word)


def _fold_word(match: re.Match[str]) -> str:
    word = match.group()
    mixed = _LATIN_LETTER.search(word) and _OTHER_LETTER.search(word)
    return word.translate(_HOMOGLYPHS) if mixed else word


def _join_spaced_letters(reading: DecodedText) -> DecodedText:
    """Letters set apart as words: what divides them is dropped."""
    return _substitute(reading, _SPACED_LETTERS, lambda match: match.group()[::2])


def _collapse_gaps(reading: DecodedText) -> DecodedText:
    """Words that stand far apart, one space apart."""
    return _substitute(reading, _WIDE_GAP, lambda _: " ")


def _split_joined_words(reading: DecodedText) -> DecodedText:
    """Words of orders that are written together, set apart."""
    return _substitute(
        reading,
        _RUN_TOGETHER_WORDS,
        lambda match: re.sub(rf"({_COMMAND_WORDS})(?=\w)", r"\1 ", match.group(), flags=re.IGNORECASE),
    )
