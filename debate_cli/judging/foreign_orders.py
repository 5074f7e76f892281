"""Orders to a judge in other languages than English: how the words of `foreign_orders.toml` come together."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from debate_cli.judging.orders import NAMED, Patterns, sentences

NEAR = 60
"""Characters between what is to be given and the command to give it."""
CLOSE_BY = 18
"""Characters after the command to ignore within which rules need not be said to be the judge's."""

_CLAUSE = r"(?:^|[.!?,:;¡¿(–—]\s*|(?<!\w)(?:y|e|et|und|i|и|و|và|en|dan|oder|por favor|bitte|пожалуйста)\s+|(?<!\w)و)"
_WORD = r"(?<!\w)(?:{})(?!\w)"
_COURTESY = (
    r"(?:(?:madame|mesdames|monsieur|messieurs|señor(?:a|es|as)?|senhor(?:a|es|as)?|signor(?:e|a|i)?|ch(?:er|ère|ers)|car[aoi]|"
    r"gentil[ei]|estimad[oa]s?|prezad[oa]s?|liebe[rs]?|(?:sehr )?geehrte[rs]?|geachte|beste|уважаем\w+|дорог\w+|szanown\w+|drog\w+|"
    r"sayın|kính thưa|thưa|أيها|nota|note|notiz|hinweis|примечание|para|pour|per|für|an|aan|au|aux|al|alla|à l['’]attention|note à)\s"
    r"(?:(?:le|la|les|l['’]|du|de|del|della|den|die|der|das|el|los|o|a|os|il|il|для|membr\w+|mitglieder|herr|frau|господа)\s?){0,3}){0,2}"
)
_SPOKEN_TO = (
    rf"(?:^|[.!?(\[<>«\"]\s*){_COURTESY}(?:{{}})(?!\w)[^,.:;!?]{{{{0,25}}}}[,:;!—–]"
    rf"|(?<!\w)(?:si (?:vous|tu|usted|eres)|wenn (?:du|sie)|falls (?:du|sie)|se (?:sei|siete|você|fores?)|als je|если (?:ты|вы)|jeśli jesteś)\s[^,.!?]{{{{0,30}}}}(?:{{}})(?!\w)"
)
_FORMS = {
    "command_first": (_WORD, _CLAUSE + r"(?:{})(?!\w)", _SPOKEN_TO),
    "command_last": (_WORD, _WORD, _SPOKEN_TO),
    "without_spaces": ("(?:{})", "(?:{})", "(?:{})"),
}
"""How a word, how a command, and how somebody spoken to stands in a sentence of each group of languages."""
_KINDS = {
    "norm": 0, "which": 0, "top": 0, "decided": 0, "carried": 0, "already": 0, "ignore": 1, "give": 1, "say": 1, "vote": 1,
    "judge": 2,
}  # fmt: skip
"""Which of the three the words of a sign are."""
_HAILED = ",:;!—–"
"""What follows somebody who is spoken to."""
_BENCH = "bench"
"""The sign of a judge who is spoken of rather than to."""


class Tongue(NamedTuple):
    """One language's words; what they are is said in the table."""

    gate: re.Pattern[str]
    """In a text in small letters: what an order cannot do without, wherever in a word."""
    words: Patterns
    """By sign."""


def foreign_orders(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an order to a judge in another language."""
    lowered = text.lower()
    tongues = [tongue for tongue in _tongues() if tongue.gate.search(lowered)]
    for start, sentence in sentences(text) if tongues else ():
        technique = next((found for tongue in tongues if (found := _order(tongue, sentence))), None)
        if technique is not None:
            yield start, start + len(sentence), technique


def _order(tongue: Tongue, sentence: str) -> str | None:
    if (command := tongue.words["ignore"].search(sentence)) and tongue.words["norm"].search(sentence):
        beside = tongue.words["norm"].search(sentence, command.end(), command.end() + CLOSE_BY)
        if beside or tongue.words["which"].search(sentence):
            return "override"
    voted = tongue.words["vote"].search(sentence)
    if voted and NAMED in sentence[voted.end() : voted.end() + CLOSE_BY]:
        return "score_demand"
    if tongue.words["judge"].search(sentence):
        if command or voted or tongue.words["give"].search(sentence):
            return "score_demand"
        if tongue.words["say"].search(sentence):
            return "output_order"
    if _consensus(tongue, sentence):
        return "false_consensus"
    tops = [match.start() for match in tongue.words["top"].finditer(sentence)]
    gifts = [match.end() for match in tongue.words["give"].finditer(sentence)] if tops else []
    return "score_demand" if any(abs(top - gift) <= NEAR for top in tops for gift in gifts) else None


def _consensus(tongue: Tongue, sentence: str) -> bool:
    """Whether judges are said to have decided this debate: courts and juries elsewhere decide motions too."""
    carried = tongue.words["carried"].search(sentence)
    if carried is None or not all(tongue.words[sign].search(sentence) for sign in (_BENCH, "decided")):
        return False
    hailed = tongue.words["judge"].search(sentence)
    spoken_to = hailed and hailed.group()[-1] in _HAILED and tongue.words["decided"].search(sentence, hailed.end())
    if NAMED in carried.group() or spoken_to:
        return True
    return tongue.words["already"].search(sentence) is not None and _elsewhere().search(sentence) is None


@cache
def _elsewhere() -> re.Pattern[str]:
    return re.compile(_table()["elsewhere"], re.IGNORECASE)


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files("debate_cli.judging").joinpath("foreign_orders.toml").read_text(encoding="utf-8"))


@cache
def _tongues() -> tuple[Tongue, ...]:
    return tuple(
        Tongue(
            gate=re.compile("|".join(words[sign] for sign in ("norm", "top", "judge", "vote"))),
            words=Patterns(
                {sign: _filled(forms[kind], words[sign]) for sign, kind in _KINDS.items()}
                | {_BENCH: _filled(forms[0], words["judge"])}
            ),
        )
        for group, forms in _FORMS.items()
        for words in _table()[group]
    )


def _filled(form: str, words: str) -> str:
    return form.replace("{}", words).replace("{{", "{").replace("}}", "}")
