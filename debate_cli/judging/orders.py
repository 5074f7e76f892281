"""Sentences that give a judge an order, told by what comes together in them rather than by a phrase.

An order needs somebody or something of the judging (a judge, a judge's form, "your verdict"), and an imperative or a
"must" with a verb of judging, or a party and what it is to be given. Either alone is what debates are made of. The words,
the signs made of them and the rules made of signs are the table `orders.toml`; here is how it is read.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
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


Need = tuple[str, ...]
"""Signs of which one is enough."""


class Rule(NamedTuple):
    """A sentence that has all that it `needs`; what is cheap to look for stands first."""

    technique: str
    needs: tuple[Need, ...]


class Starts(NamedTuple):
    """How the places are found at which a bid to the hearer can begin."""

    clause: re.Pattern[str]
    """Where a clause begins, and so an imperative."""
    hail: re.Pattern[str]
    """Who is spoken to, before it; may be empty, as `courtesy` may."""
    courtesy: re.Pattern[str]
    told: re.Pattern[str]
    """What makes a bid of the words that follow: "you must", "we ask the jury to"."""

    def of(self, sentence: str) -> tuple[int, ...]:
        """Those places in `sentence`, in their order."""
        found = {match.end() for match in self.told.finditer(sentence)}
        for match in self.clause.finditer(sentence):
            found |= {match.end(), _end(self.hail, sentence, match.end())}
        return tuple(sorted(found | {_end(self.courtesy, sentence, start) for start in found}))


def _end(pattern: re.Pattern[str], sentence: str, start: int) -> int:
    """Where `pattern` ends if it stands at `start`, and `start` otherwise."""
    match = pattern.match(sentence, start)
    return match.end() if match else start


class Patterns(Mapping[str, re.Pattern[str]]):
    """Patterns by name, each compiled when it is first looked for: most texts ask for few of them."""

    def __init__(self, written: Mapping[str, str]) -> None:
        self._written = written
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            self._compiled[name] = _compiled(self._written[name])
        return self._compiled[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)


class Table(NamedTuple):
    """What `orders.toml` says."""

    gate: re.Pattern[str]
    """Beginnings of words; a sentence in which no word begins so is no order."""
    opponent_called: re.Pattern[str]
    """A sentence that begins so speaks to the other debater."""
    reported: re.Pattern[str]
    """A part of a sentence that tells what the other debater wants of the judge."""
    starts: Starts
    bids: Patterns
    """Signs that a sentence has where something is asked of the hearer, and nowhere else."""
    signs: Patterns
    rules: tuple[Rule, ...]
    """In their order: the first that fits names the technique."""
    hints: tuple[tuple[Need, ...], ...]
    """Signs that are enough in words that were hidden."""


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """(start, words) of each sentence of `text`, without white space before it."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group().lstrip()
        if sentence:
            yield match.end() - len(sentence), sentence


def orders(text: str, only: frozenset[str] | None = None) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an order to a judge, by one of the techniques `only`."""
    table, by_first = read_table(), _by_first(only)
    for start, sentence in sentences(text):
        if table.gate.search(sentence) is None or _LETTERS.search(sentence) is None:
            continue
        if table.opponent_called.match(sentence):
            continue
        has = _Seen(table, table.reported.sub("", sentence.replace("\n", " ")))
        fitting = [
            rule for first, rules in by_first.items() if has(first) for rule in rules if all(map(has, rule.needs))
        ]
        if fitting:
            yield start, start + len(sentence), min(fitting, key=table.rules.index).technique


def hints_at_order(text: str) -> bool:
    """Whether `text`, which was hidden, is about the judging: less is enough there."""
    table = read_table()
    has = _Seen(table, text)
    return any(all(map(has, hint)) for hint in table.hints)


class _Seen:
    """The signs of one sentence, each looked for once."""

    def __init__(self, table: Table, sentence: str) -> None:
        self._table = table
        self._sentence = sentence
        self._known: dict[str, bool] = {}
        self._starts: tuple[int, ...] | None = None

    def __call__(self, need: Need) -> bool:
        return any(map(self._one, need))

    def _one(self, sign: str) -> bool:
        if sign not in self._known:
            self._known[sign] = self._bids(sign) if sign in self._table.bids else self._holds(sign)
        return self._known[sign]

    def _holds(self, sign: str) -> bool:
        return self._table.signs[sign].search(self._sentence) is not None

    def _bids(self, sign: str) -> bool:
        if self._starts is None:
            self._starts = self._table.starts.of(self._sentence)
        match, sentence = self._table.bids[sign].match, self._sentence
        return any(match(sentence, start) for start in self._starts)


@cache
def read_table() -> Table:
    """The table, read once; raises KeyError where a word or sign is named that it does not have."""
    told = tomllib.loads(files("debate_cli.judging").joinpath("orders.toml").read_text(encoding="utf-8"))
    words: dict[str, str] = {"named": NAMED}
    gate = _compiled(rf"(?<!\w){_filled(told['gate']['stems'], words, whole=False)}")
    opponent_called, reported = (
        _compiled(_filled(told["opponent"][name], words, whole=False)) for name in ("called", "reported")
    )
    for group in ("words", "starts", "bids", "signs", "whole_words"):
        for name, pieces in told[group].items():
            words[name] = _filled(pieces, words, whole=group == "whole_words")
    rules = [Rule(entry["technique"], _needs(needs)) for entry in told["rules"] for needs in entry["any_of"]]
    hints = [_needs(needs) for needs in told["hidden"]["any_of"]]
    asked = Counter(need for needs in (*(rule.needs for rule in rules), *hints) for need in needs)
    rules = [
        rule._replace(needs=tuple(sorted(rule.needs, key=lambda need: _cost(need, asked, told["bids"]))))
        for rule in rules
    ]
    used = {sign for needs in [*(rule.needs for rule in rules), *hints] for need in needs for sign in need}
    bids = Patterns({name: words[name] for name in used & told["bids"].keys()})
    signs = Patterns({name: words[name] for name in used - told["bids"].keys()})
    starts = Starts(*(_compiled(words[name]) for name in Starts._fields))
    return Table(gate, opponent_called, reported, starts, bids, signs, tuple(rules), tuple(hints))


@cache
def _by_first(only: frozenset[str] | None) -> Mapping[Need, tuple[Rule, ...]]:
    """The rules (of techniques `only`) by the first of their needs: where that is not met, none of them is looked at."""
    rules = [rule for rule in read_table().rules if only is None or rule.technique in only]
    firsts = dict.fromkeys(rule.needs[0] for rule in rules)
    return {first: tuple(rule for rule in rules if rule.needs[0] == first) for first in firsts}


def _cost(need: Need, asked: Mapping[Need, int], bids: Mapping[str, object]) -> tuple[bool, int]:
    """What to look for first: what is looked for at few places, and what many rules ask for and so is known."""
    return not all(sign in bids for sign in need), -asked[need]


def _needs(told: Sequence[str]) -> tuple[Need, ...]:
    return tuple(tuple(need.split("|")) for need in told)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def _filled(pieces: str | Sequence[str], words: Mapping[str, str], *, whole: bool) -> str:
    """A choice between `pieces`, with the words that they name put in."""
    choice = pieces if isinstance(pieces, str) else "|".join(pieces)
    pattern = _PLACE.sub(lambda place: words[place[1]], f"(?:{choice})")
    return rf"\b{pattern}\b" if whole else pattern
