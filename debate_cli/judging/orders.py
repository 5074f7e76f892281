"""Sentences that give a judge an order, told by what comes together in them rather than by a phrase.

An order needs somebody or something of the judging (a judge, a judge's form, "your verdict"), and an imperative or a
"must" with a verb of judging, or a party and what it is to be given. Either alone is what debates are made of. The words,
the signs made of them and the rules made of signs are the table `orders.toml`; here is how it is read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

NAMED = "ꙮ"
"""Stands for each letter of a debater's name in a text that is looked at; nobody writes it."""
LONGEST = 400
"""Characters of a sentence; what is longer is looked at piece by piece."""

_SENTENCE = re.compile(rf"(?:[^.!?。！？\n]|\.(?=\w)|\n(?=[a-z])){{1,{LONGEST}}}[.!?。！？]*[\"'”’)\]]*")
_LETTERS = re.compile(r"[^\W\d_]{2}")
"""A sentence without two letters side by side orders nothing; rows of signs are long and take their time."""
_PLACE = re.compile(r"<<(\w+)>>")


class Rule(NamedTuple):
    """A sentence that has every sign it `needs`; those that are cheap to look for stand first."""

    technique: str
    needs: tuple[str, ...]


class Table(NamedTuple):
    """What `orders.toml` says."""

    signs: Mapping[str, re.Pattern[str]]
    rules: tuple[Rule, ...]
    """In their order: the first that fits names the technique."""
    hints: tuple[tuple[str, ...], ...]
    """Signs that are enough in words that were hidden."""


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """(start, words) of each sentence of `text`, without white space before it."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group().lstrip()
        if sentence:
            yield match.end() - len(sentence), sentence


def orders(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an order to a judge."""
    table = read_table()
    for start, sentence in sentences(text):
        if _LETTERS.search(sentence) is None:
            continue
        has = _Seen(table.signs, sentence)
        technique = next((rule.technique for rule in table.rules if all(map(has, rule.needs))), None)
        if technique is not None:
            yield start, start + len(sentence), technique


def hints_at_order(text: str) -> bool:
    """Whether `text`, which was hidden, is about the judging: less is enough there."""
    table = read_table()
    has = _Seen(table.signs, text)
    return any(all(map(has, hint)) for hint in table.hints)


class _Seen:
    """The signs of one sentence, each looked for once."""

    def __init__(self, signs: Mapping[str, re.Pattern[str]], sentence: str) -> None:
        self._signs = signs
        self._sentence = sentence
        self._known: dict[str, bool] = {}

    def __call__(self, sign: str) -> bool:
        if sign not in self._known:
            self._known[sign] = self._signs[sign].search(self._sentence) is not None
        return self._known[sign]


@cache
def read_table() -> Table:
    """The table, compiled once; raises KeyError where a word or sign is named that it does not have."""
    told = tomllib.loads(files("debate_cli.judging").joinpath("orders.toml").read_text(encoding="utf-8"))
    words: dict[str, str] = {"named": NAMED}
    for group in ("words", "signs", "whole_words"):
        for name, pieces in told[group].items():
            words[name] = _filled(pieces, words, whole=group == "whole_words")
    rules = [Rule(entry["technique"], tuple(needs)) for entry in told["rules"] for needs in entry["any_of"]]
    hints = tuple(tuple(needs) for needs in told["hidden"]["any_of"])
    used = {sign for needs in [*(rule.needs for rule in rules), *hints] for sign in needs}
    signs = {name: re.compile(words[name], re.IGNORECASE | re.MULTILINE) for name in sorted(used)}
    return Table(signs, tuple(rules), hints)


def _filled(pieces: str | Sequence[str], words: Mapping[str, str], *, whole: bool) -> str:
    """A choice between `pieces`, with the words that they name put in."""
    choice = pieces if isinstance(pieces, str) else "|".join(pieces)
    pattern = _PLACE.sub(lambda place: words[place[1]], f"(?:{choice})")
    return rf"\b{pattern}\b" if whole else pattern
