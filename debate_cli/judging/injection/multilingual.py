"""Orders to a judge in other languages than English: how the words of `multilingual.toml` come together."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from debate_cli.judging.injection.rules import NAME_PLACEHOLDER, LazyPatterns, split_sentences

MAX_GIVE_DISTANCE = 60
"""Characters between what is to be given and the command to give it."""
MAX_TARGET_DISTANCE = 18
"""Characters after the command to ignore within which rules need not be said to be the judge's."""

_CLAUSE = r"(?:^|[.!?,:;¡¿(–—]\s*|(?<!\w)(?:y|e|et|und|i|и|و|và|en|dan|oder|por favor|bitte|пожалуйста)\s+|(?<!\w)و)"
_WORD = r"(?<!\w)(?:{})(?!\w)"
_SALUTATION = (
    r"(?:(?:madame|mesdames|monsieur|messieurs|señor(?:a|es|as)?|senhor(?:a|es|as)?|signor(?:e|a|i)?|ch(?:er|ère|ers)|car[aoi]|"
    r"gentil[ei]|estimad[oa]s?|prezad[oa]s?|liebe[rs]?|(?:sehr )?geehrte[rs]?|geachte|beste|уважаем\w+|дорог\w+|szanown\w+|drog\w+|"
    r"sayın|kính thưa|thưa|أيها|nota|note|notiz|hinweis|примечание|para|pour|per|für|an|aan|au|aux|al|alla|à l['’]attention|note à)\s"
    r"(?:(?:le|la|les|l['’]|du|de|del|della|den|die|der|das|el|los|o|a|os|il|il|для|membr\w+|mitglieder|herr|frau|господа)\s?){0,3}){0,2}"
)
_ADDRESSED = (
    rf"(?:^|[.!?(\[<>«\"]\s*){_SALUTATION}(?:{{}})(?!\w)[^,.:;!?]{{{{0,25}}}}[,:;!—–]"
    rf"|(?<!\w)(?:si (?:vous|tu|usted|eres)|wenn (?:du|sie)|falls (?:du|sie)|se (?:sei|siete|você|fores?)|als je|если (?:ты|вы)|jeśli jesteś)\s[^,.!?]{{{{0,30}}}}(?:{{}})(?!\w)"
)
_PATTERN_TEMPLATES = {
    "command_first": (_WORD, _CLAUSE + r"(?:{})(?!\w)", _ADDRESSED),
    "command_last": (_WORD, _WORD, _ADDRESSED),
    "without_spaces": ("(?:{})", "(?:{})", "(?:{})"),
}
"""How a word, how a command, and how somebody spoken to stands in a sentence of each group of languages."""
_TEMPLATE_INDEX = {
    "norm": 0, "which": 0, "top": 0, "decided": 0, "carried": 0, "already": 0, "ignore": 1, "give": 1, "say": 1, "vote": 1,
    "judge": 2,
}  # fmt: skip
"""Which of the three the words of a sign are."""
_ADDRESS_PUNCTUATION = ",:;!—–"
"""What follows somebody who is spoken to."""
_JUDGE_MENTIONED = "bench"
"""The sign of a judge who is spoken of rather than to."""


class LanguagePatterns(NamedTuple):
    """One language's words; what they are is said in the table."""

    prefilter: re.Pattern[str]
    """In a text in small letters: what an order cannot do without, wherever in a word."""
    patterns: LazyPatterns
    """By sign."""


def find_foreign_instructions(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an order to a judge in another language."""
    lowered = text.lower()
    tongues = [tongue for tongue in _load_languages() if tongue.prefilter.search(lowered)]
    for start, sentence in split_sentences(text) if tongues else ():
        technique = next((found for tongue in tongues if (found := _match_technique(tongue, sentence))), None)
        if technique is not None:
            yield start, start + len(sentence), technique


def _match_technique(tongue: LanguagePatterns, sentence: str) -> str | None:
    if (command := tongue.patterns["ignore"].search(sentence)) and tongue.patterns["norm"].search(sentence):
        beside = tongue.patterns["norm"].search(sentence, command.end(), command.end() + MAX_TARGET_DISTANCE)
        if beside or tongue.patterns["which"].search(sentence):
            return "override"
    voted = tongue.patterns["vote"].search(sentence)
    if voted and NAME_PLACEHOLDER in sentence[voted.end() : voted.end() + MAX_TARGET_DISTANCE]:
        return "score_demand"
    if tongue.patterns["judge"].search(sentence):
        if command or voted or tongue.patterns["give"].search(sentence):
            return "score_demand"
        if tongue.patterns["say"].search(sentence):
            return "output_order"
    if _is_false_consensus(tongue, sentence):
        return "false_consensus"
    tops = [match.start() for match in tongue.patterns["top"].finditer(sentence)]
    gifts = [match.end() for match in tongue.patterns["give"].finditer(sentence)] if tops else []
    return "score_demand" if any(abs(top - gift) <= MAX_GIVE_DISTANCE for top in tops for gift in gifts) else None


def _is_false_consensus(tongue: LanguagePatterns, sentence: str) -> bool:
    """Whether judges are said to have decided this debate: courts and juries elsewhere decide motions too."""
    carried = tongue.patterns["carried"].search(sentence)
    if carried is None or not all(tongue.patterns[sign].search(sentence) for sign in (_JUDGE_MENTIONED, "decided")):
        return False
    hailed = tongue.patterns["judge"].search(sentence)
    spoken_to = (
        hailed
        and hailed.group()[-1] in _ADDRESS_PUNCTUATION
        and tongue.patterns["decided"].search(sentence, hailed.end())
    )
    if NAME_PLACEHOLDER in carried.group() or spoken_to:
        return True
    return tongue.patterns["already"].search(sentence) is not None and _other_venue_pattern().search(sentence) is None


@cache
def _other_venue_pattern() -> re.Pattern[str]:
    return re.compile(_load_table()["elsewhere"], re.IGNORECASE)


@cache
def _load_table() -> Mapping[str, Any]:
    return tomllib.loads(
        files("debate_cli.judging.injection").joinpath("multilingual.toml").read_text(encoding="utf-8")
    )


@cache
def _load_languages() -> tuple[LanguagePatterns, ...]:
    return tuple(
        LanguagePatterns(
            prefilter=re.compile("|".join(words[sign] for sign in ("norm", "top", "judge", "vote"))),
            patterns=LazyPatterns(
                {sign: _fill_template(forms[kind], words[sign]) for sign, kind in _TEMPLATE_INDEX.items()}
                | {_JUDGE_MENTIONED: _fill_template(forms[0], words["judge"])}
            ),
        )
        for group, forms in _PATTERN_TEMPLATES.items()
        for words in _load_table()[group]
    )


def _fill_template(form: str, words: str) -> str:
    return form.replace("{}", words).replace("{{", "{").replace("}}", "}")
