"""Sentences that give a judge an order, told by what comes together in them rather than by a phrase.

An order needs somebody or something of the judging (a judge, a judge's form, "your verdict"), and an imperative or a
"must" with a verb of judging, or a party and what it is to be given. Either alone is what debates are made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from debate_cli.judging import order_words as words

LONGEST = 400
"""Characters of a sentence; what is longer is looked at piece by piece."""
_SENTENCE = re.compile(rf"(?:[^.!?。！？\n]|\.(?=\w)|\n(?=[a-z])){{1,{LONGEST}}}[.!?。！？]*[\"'”’)\]]*")


class Rule(NamedTuple):
    """A sentence in which every one of `all_of` is found, and none of `none_of`."""

    technique: str
    all_of: tuple[re.Pattern[str], ...]
    none_of: tuple[re.Pattern[str], ...] = ()

    def fits(self, sentence: str) -> bool:
        """Whether `sentence` is of this kind."""
        return all(map(re.Pattern[str].search, self.all_of, [sentence] * len(self.all_of))) and not any(
            pattern.search(sentence) for pattern in self.none_of
        )


def orders(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an order to a judge; the first rule names it."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        technique = next((rule.technique for rule in RULES if rule.fits(sentence)), None)
        if technique is not None:
            start = match.start() + len(sentence) - len(sentence.lstrip())
            yield start, match.end(), technique


def _has(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def _word(pattern: str) -> re.Pattern[str]:
    return _has(rf"\b{pattern}\b")


_VOCATIVE = rf"(?:(?:note to |to |attention )?(?:the |any |all |my )?{words.JUDGE}\s*[,:–—-]+\s*)?"
IMPERATIVE = rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}{words.VERB}"
TOLD = rf"\b(?:you|{words.JUDGE}|debaters?|model|this evaluation)(?: (?:reading|that|who|which) [^.,;]{{1,40}})?,? {words.ADVERBS}{words.MODAL} {words.ADVERBS}{words.VERB}"
DIRECT = _has(rf"(?:{IMPERATIVE}|{TOLD}|{words.PASSIVE})")
ASK = _has(rf"(?:{IMPERATIVE}|{TOLD})")
PASSIVE = _has(words.PASSIVE)
PARTY, JUDGE, FORM = _word(words.PARTY), _word(words.JUDGE), _word(words.FORM)
TOP, LABEL, YOURS = _has(words.TOP), _has(words.LABEL), _has(words.YOURS)

RULES: tuple[Rule, ...] = (
    Rule("score_demand", (ASK, PARTY, TOP)),
    Rule("score_demand", (DIRECT, LABEL, PARTY)),
    Rule("score_demand", (DIRECT, YOURS, PARTY)),
    Rule("score_demand", (PASSIVE, PARTY, TOP)),
    Rule("score_demand", (DIRECT, JUDGE, PARTY)),
    Rule("score_demand", (DIRECT, YOURS, FORM)),
    Rule("score_demand", (DIRECT, JUDGE, FORM)),
    Rule("score_demand", (DIRECT, JUDGE, TOP)),
    Rule("score_demand", (ASK, PARTY, FORM)),
)
