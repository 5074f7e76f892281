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

from debate_cli.judging.orders import NAMED


class Reading(NamedTuple):
    """`text`, and for each of its characters the index of the one it was read from."""

    text: str
    where: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original from which `text[start:end]` was read."""
        places = self.where[start:end]
        return min(places), max(places) + 1

    def part(self, start: int, end: int) -> Reading:
        """`text[start:end]` as a reading of its own."""
        return Reading(self.text[start:end], self.where[start:end])


_TWINS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеіјорсухѕԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυιɡɩſ",
    "ABESIJKMHOPCTYXaeijopcyxsdhqwABEZHIKMNOPTYXavopuigis",
)
"""Letters of other alphabets that look like Latin ones."""
_WORD = re.compile(r"\w+")
_LATIN_LETTER, _OTHER_LETTER = re.compile("[A-Za-z]"), re.compile(r"[^\W\d_a-zA-Z]")
_STRUCK = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
_APART = re.compile(r"(?<![\w'’])[A-Za-z](?:([ \t.\-_*·])[A-Za-z])(?:\1[A-Za-z])+(?!\w)")
_WIDE = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_ESCAPED = re.compile(r"&#x?[0-9A-Fa-f]{2,6};|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}")
_TELLING = [
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
_TURNED = re.compile(
    "|".join(rf"\b{word[::-1]}\b|\b{codecs.encode(word, 'rot13')}\b" for word in _TELLING), re.IGNORECASE
)
"""Words that show that a text is written backwards, or with its letters rotated by thirteen."""
_TELLS = re.compile(rf"\b(?:{'|'.join(_TELLING)})\b", re.IGNORECASE)
_VOCABULARY = (
    "ignore|disregard|forget|all|the|your|previous|prior|above|instructions|rules|rubric|give|award|grant|me|us|pro|con|full|marks|"
    "ten|out|of|points|declare|vote|for|as|winner|judge|score|and|perfect|maximum|wins?"
)
_TOGETHER = re.compile(rf"\b(?:{_VOCABULARY}){{2,}}\b", re.IGNORECASE)
_LEET_WORD = re.compile(r"(?<![\w$@])(?=[\w$@]*[A-Za-z])(?=[\w$@]*[0-9$@])[A-Za-z0-9$@]{2,}(?![\w$@])")
_LEET = (str.maketrans("013457$@", "olaastsa"), str.maketrans("013457$@", "oieastsa"))
"""A 1 stands for l or for i."""


def readings(text: str) -> Iterator[Reading]:
    """How `text` may also be read; a disguise that it does not wear gives no reading."""
    bared = Reading(text, range(len(text)))
    for bare in (_unescaped, _unstruck, _latin, _joined, _respaced, _parted):
        bared = bare(bared)
    if bared.text != text:
        yield bared
    if _LEET_WORD.search(bared.text):
        for table in _LEET:
            yield Reading(_LEET_WORD.sub(_translated(table), bared.text), bared.where)
    if _TURNED.search(text):
        yield from _backwards(text)
        yield Reading(codecs.encode(text, "rot13"), range(len(text)))


def _backwards(text: str) -> Iterator[Reading]:
    """`text` from its end, and the same from the first telling word on: what is turned may be only a part."""
    whole = Reading(text[::-1], range(len(text) - 1, -1, -1))
    yield whole
    telling = _TELLS.search(whole.text)
    if telling is not None and telling.start():
        yield whole.part(telling.start(), len(text))


def _translated(table: dict[int, int]) -> Callable[[re.Match[str]], str]:
    return lambda match: match.group().translate(table)


def _replaced(reading: Reading, pattern: re.Pattern[str], written: Callable[[re.Match[str]], str]) -> Reading:
    """`reading` with every match of `pattern` written otherwise."""
    text, where, done = list[str](), list[int](), 0
    for match in pattern.finditer(reading.text):
        new = written(match)
        text += [reading.text[done : match.start()], new]
        where += reading.where[done : match.start()]
        last = match.end() - 1
        where += [reading.where[min(match.start() + number, last)] for number in range(len(new))]
        done = match.end()
    if not done:
        return reading
    return Reading("".join([*text, reading.text[done:]]), [*where, *reading.where[done:]])


def _unescaped(reading: Reading) -> Reading:
    return _replaced(reading, _ESCAPED, _unescape)


def _unescape(match: re.Match[str]) -> str:
    code = match.group()
    if code.startswith("&"):
        return html.unescape(code)
    return unquote(code) if code.startswith("%") else chr(int(f"0x{code[2:]}", 0))


def _unstruck(reading: Reading) -> Reading:
    return _replaced(reading, _STRUCK, lambda _: "")


def _latin(reading: Reading) -> Reading:
    """Words that mix alphabets in Latin letters alone."""
    if reading.text.replace(NAMED, "").isascii():
        return reading
    return _replaced(reading, _WORD, _in_latin)


def _in_latin(match: re.Match[str]) -> str:
    word = match.group()
    mixed = _LATIN_LETTER.search(word) and _OTHER_LETTER.search(word)
    return word.translate(_TWINS) if mixed else word


def _joined(reading: Reading) -> Reading:
    """Letters set apart as words: what divides them is dropped."""
    return _replaced(reading, _APART, lambda match: match.group()[::2])


def _respaced(reading: Reading) -> Reading:
    """Words that stand far apart, one space apart."""
    return _replaced(reading, _WIDE, lambda _: " ")


def _parted(reading: Reading) -> Reading:
    """Words of orders that are written together, set apart."""
    return _replaced(
        reading, _TOGETHER, lambda match: re.sub(rf"({_VOCABULARY})(?=\w)", r"\1 ", match.group(), flags=re.IGNORECASE)
    )
