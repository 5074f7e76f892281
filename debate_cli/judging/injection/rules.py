"""Sentences that give a judge an order, told by what comes together in them rather than by a phrase.

An order needs somebody or something of the judging (a judge, a judge's form, "your verdict"), and an imperative or a
"must" with a verb of judging, or a party and what it is to be given. Either alone is what debates are made of. The words,
the signs made of them and the rules made of signs are the table `rules.toml`; here is how it is read.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

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


NAME_PLACEHOLDER = "ꙮ"
"""Stands for each letter of a debater's name in a text that is looked at; nobody writes it."""
MAX_SENTENCE_CHARS = 400
"""Characters of a sentence; what is longer is looked at piece by piece."""

_SENTENCE = re.compile(rf"(?:[^.!?。！？\n]|\.(?=\w)|\n(?=[a-z])){{1,{MAX_SENTENCE_CHARS}}}[.!?。！？]*[\"'”’)\]]*")
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}")
"""A sentence without two letters side by side orders nothing; rows of signs are long and take their time."""
_PLACEHOLDER = re.compile(r"<<(\w+)>>")


SignChoice = tuple[str, ...]
"""Signs of which one is enough."""


class InjectionRule(NamedTuple):
    """A sentence that has all that it `needs`; what is cheap to look for stands first."""

    technique: str
    conditions: tuple[SignChoice, ...]


class CommandStarts(NamedTuple):
    """How the places are found at which a bid to the hearer can begin."""

    clause: re.Pattern[str]
    """Where a clause begins, and so an imperative."""
    hail: re.Pattern[str]
    """Who is spoken to, before it; may be empty, as `courtesy` may."""
    courtesy: re.Pattern[str]
    told: re.Pattern[str]
    """What makes a bid of the words that follow: "you must", "we ask the jury to"."""

    def find_starts(self, sentence: str) -> tuple[int, ...]:
        """Those places in `sentence`, in their order."""
        found = {match.end() for match in self.told.finditer(sentence)}
        for match in self.clause.finditer(sentence):
            found |= {match.end(), _match_end(self.hail, sentence, match.end())}
        return tuple(sorted(found | {_match_end(self.courtesy, sentence, start) for start in found}))


def _match_end(pattern: re.Pattern[str], sentence: str, start: int) -> int:
    """Where `pattern` ends if it stands at `start`, and `start` otherwise."""
    match = pattern.match(sentence, start)
    return match.end() if match else start


class LazyPatterns(Mapping[str, re.Pattern[str]]):
    """Patterns by name, each compiled when it is first looked for: most texts ask for few of them."""

    def __init__(self, written: Mapping[str, str]) -> None:
        self._sources = written
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            self._compiled[name] = _compile(self._sources[name])
        return self._compiled[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


class RuleTable(NamedTuple):
    """What `rules.toml` says."""

    prefilter: re.Pattern[str]
    """Beginnings of words; a sentence in which no word begins so is no order."""
    opponent_address: re.Pattern[str]
    """A sentence that begins so speaks to the other debater."""
    reported_speech: re.Pattern[str]
    """A part of a sentence that tells what the other debater wants of the judge."""
    command_starts: CommandStarts
    command_signs: LazyPatterns
    """Signs that a sentence has where something is asked of the hearer, and nowhere else."""
    signs: LazyPatterns
    rules: tuple[InjectionRule, ...]
    """In their order: the first that fits names the technique."""
    hints: tuple[tuple[SignChoice, ...], ...]
    """Signs that are enough in words that were hidden."""


def split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """(start, words) of each sentence of `text`, without white space before it."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group().lstrip()
        if sentence:
            yield match.end() - len(sentence), sentence


def find_instructions(text: str, only: frozenset[str] | None = None) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an order to a judge, by one of the techniques `only`."""
    table, by_first = load_rule_table(), _rules_by_first_condition(only)
    for start, sentence in split_sentences(text):
        if table.prefilter.search(sentence) is None or _TWO_LETTERS.search(sentence) is None:
            continue
        if table.opponent_address.match(sentence):
            continue
        has = _SentenceSigns(table, table.reported_speech.sub("", sentence.replace("\n", " ")))
        fitting = [
            rule for first, rules in by_first.items() if has(first) for rule in rules if all(map(has, rule.conditions))
        ]
        if fitting:
            yield start, start + len(sentence), min(fitting, key=table.rules.index).technique


def hints_at_instruction(text: str) -> bool:
    """Whether `text`, which was hidden, is about the judging: less is enough there."""
    table = load_rule_table()
    has = _SentenceSigns(table, text)
    return any(all(map(has, hint)) for hint in table.hints)


class _SentenceSigns:
    """The signs of one sentence, each looked for once."""

    def __init__(self, table: RuleTable, sentence: str) -> None:
        self._table = table
        self._sentence = sentence
        self._known: dict[str, bool] = {}
        self._starts: tuple[int, ...] | None = None

    def __call__(self, need: SignChoice) -> bool:
        return any(map(self._has_sign, need))

    def _has_sign(self, sign: str) -> bool:
        if sign not in self._known:
            self._known[sign] = (
                self._matches_at_start(sign) if sign in self._table.command_signs else self._matches_anywhere(sign)
            )
        return self._known[sign]

    def _matches_anywhere(self, sign: str) -> bool:
        return self._table.signs[sign].search(self._sentence) is not None

    def _matches_at_start(self, sign: str) -> bool:
        if self._starts is None:
            self._starts = self._table.command_starts.find_starts(self._sentence)
        match, sentence = self._table.command_signs[sign].match, self._sentence
        return any(match(sentence, start) for start in self._starts)


@cache
def load_rule_table() -> RuleTable:
    """The table, read once; raises KeyError where a word or sign is named that it does not have."""
    told = tomllib.loads(files("debate_cli.judging.injection").joinpath("rules.toml").read_text(encoding="utf-8"))
    words: dict[str, str] = {"named": NAME_PLACEHOLDER}
    gate = _compile(rf"(?<!\w){_expand(told['gate']['stems'], words, whole=False)}")
    opponent_called, reported = (
        _compile(_expand(told["opponent"][name], words, whole=False)) for name in ("called", "reported")
    )
    for group in ("words", "starts", "bids", "signs", "whole_words"):
        for name, pieces in told[group].items():
            words[name] = _expand(pieces, words, whole=group == "whole_words")
    rules = [
        InjectionRule(entry["technique"], _parse_conditions(needs))
        for entry in told["rules"]
        for needs in entry["any_of"]
    ]
    hints = [_parse_conditions(needs) for needs in told["hidden"]["any_of"]]
    asked = Counter(need for needs in (*(rule.conditions for rule in rules), *hints) for need in needs)
    rules = [
        rule._replace(
            conditions=tuple(sorted(rule.conditions, key=lambda need: _search_cost(need, asked, told["bids"])))
        )
        for rule in rules
    ]
    used = {sign for needs in [*(rule.conditions for rule in rules), *hints] for need in needs for sign in need}
    bids = LazyPatterns({name: words[name] for name in used & told["bids"].keys()})
    signs = LazyPatterns({name: words[name] for name in used - told["bids"].keys()})
    starts = CommandStarts(*(_compile(words[name]) for name in CommandStarts._fields))
    return RuleTable(gate, opponent_called, reported, starts, bids, signs, tuple(rules), tuple(hints))


@cache
def _rules_by_first_condition(only: frozenset[str] | None) -> Mapping[SignChoice, tuple[InjectionRule, ...]]:
    """The rules (of techniques `only`) by the first of their needs: where that is not met, none of them is looked at."""
    rules = [rule for rule in load_rule_table().rules if only is None or rule.technique in only]
    firsts = dict.fromkeys(rule.conditions[0] for rule in rules)
    return {first: tuple(rule for rule in rules if rule.conditions[0] == first) for first in firsts}


def _search_cost(need: SignChoice, asked: Mapping[SignChoice, int], bids: Mapping[str, object]) -> tuple[bool, int]:
    """What to look for first: what is looked for at few places, and what many rules ask for and so is known."""
    return not all(sign in bids for sign in need), -asked[need]


def _parse_conditions(told: Sequence[str]) -> tuple[SignChoice, ...]:
    return tuple(tuple(need.split("|")) for need in told)


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def _expand(pieces: str | Sequence[str], words: Mapping[str, str], *, whole: bool) -> str:
    """A choice between `pieces`, with the words that they name put in."""
    choice = pieces if isinstance(pieces, str) else "|".join(pieces)
    pattern = _PLACEHOLDER.sub(lambda place: words[place[1]], f"(?:{choice})")
    return rf"\b{pattern}\b" if whole else pattern
