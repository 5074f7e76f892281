"""Orders to a judge in other languages than English: how the words of `foreign_orders.toml` come together."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from debate_cli.judging.orders import sentences

NEAR = 60
"""Characters between what is to be given and the command to give it."""
CLOSE_BY = 18
"""Characters after the command to ignore within which rules need not be said to be the judge's."""

_CLAUSE = r"(?:^|[.!?,:;¡¿(–—]\s*|(?<!\w)(?:y|e|et|und|i|и|و|và|en|dan|oder|por favor|bitte|пожалуйста)\s+|(?<!\w)و)"
_WORD = r"(?<!\w)(?:{})(?!\w)"
_FORMS = {
    "command_first": (_WORD, _CLAUSE + r"(?:{})(?!\w)"),
    "command_last": (_WORD, _WORD),
    "without_spaces": ("(?:{})", "(?:{})"),
}
"""How a word, and how a command, stands in a sentence of each group of languages."""


class Tongue(NamedTuple):
    """One language's words; what they are is said in the table."""

    ignore: re.Pattern[str]
    norm: re.Pattern[str]
    which: re.Pattern[str]
    give: re.Pattern[str]
    top: re.Pattern[str]


def foreign_orders(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an order to a judge in another language."""
    tongues = [tongue for tongue in _tongues() if tongue.norm.search(text) or tongue.top.search(text)]
    for start, sentence in sentences(text) if tongues else ():
        technique = next((found for tongue in tongues if (found := _order(tongue, sentence))), None)
        if technique is not None:
            yield start, start + len(sentence), technique


def _order(tongue: Tongue, sentence: str) -> str | None:
    if (command := tongue.ignore.search(sentence)) and tongue.norm.search(sentence):
        beside = tongue.norm.search(sentence, command.end(), command.end() + CLOSE_BY)
        if beside or tongue.which.search(sentence):
            return "override"
    tops = [match.start() for match in tongue.top.finditer(sentence)]
    gifts = [match.end() for match in tongue.give.finditer(sentence)] if tops else []
    return "score_demand" if any(abs(top - gift) <= NEAR for top in tops for gift in gifts) else None


@cache
def _tongues() -> tuple[Tongue, ...]:
    table = tomllib.loads(files("debate_cli.judging").joinpath("foreign_orders.toml").read_text(encoding="utf-8"))
    return tuple(
        Tongue(
            ignore=_compiled(command, words["ignore"]),
            norm=_compiled(word, words["norm"]),
            which=_compiled(word, words["which"]),
            give=_compiled(command, words["give"]),
            top=_compiled(word, words["top"]),
        )
        for form, (word, command) in _FORMS.items()
        for words in table[form]
    )


def _compiled(form: str, words: str) -> re.Pattern[str]:
    return re.compile(form.format(words), re.IGNORECASE | re.MULTILINE)
