"""Finds instructions to a judge in other languages than English. The words of each language are in `multilingual.toml`."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from debate_cli.judge_input.injection.rules import NAME_PLACEHOLDER, split_sentences

MAX_GIVE_DISTANCE = 60
"""Maximum number of characters between the words for "give" and for "the best mark"."""
MAX_TARGET_DISTANCE = 18
"""Maximum number of characters between "ignore" and "the rules" if no word such as "previous" is near."""

_CLAUSE = r"(?:^|[.!?,:;¡¿(–—]\s*|(?<!\w)(?:y|e|et|und|i|и|و|và|en|dan|oder|por favor|bitte|пожалуйста)\s+|(?<!\w)و)"
_WORD = r"(?<!\w)(?:{})(?!\w)"
_SALUTATION = (
    r"(?:(?:madame|mesdames|monsieur|messieurs|señor(?:a|es|as)?|senhor(?:a|es|as)?|signor(?:e|a|i)?|ch(?:er|ère|ers)|car[aoi]|"
    r"gentil[ei]|estimad[oa]s?|prezad[oa]s?|liebe[rs]?|(?:sehr )?geehrte[rs]?|geachte|beste|уважаем\w+|дорог\w+|szanown\w+|drog\w+|"
    r"sayın|kính thưa|thưa|أيها|nota|note|notiz|hinweis|примечание|para|pour|per|für|an|aan|au|aux|al|alla|à l['’]attention|note à)\s"
    r"(?:(?:le|la|les|l['’]|du|de|del|della|den|die|der|das|el|los|o|a|os|il|il|для|membr\w+|mitglieder|herr|frau|господа)\s?){0,3}){0,2}"
)
_ADDRESSED = (
    rf"(?:^|[.!?(\[<>«\"]\s*){_SALUTATION}(?:{{}})(?!\w)[^,.:;!?]{{0,25}}[,:;!—–]"
    rf"|(?<!\w)(?:si (?:vous|tu|usted|eres)|wenn (?:du|sie)|falls (?:du|sie)|se (?:sei|siete|você|fores?)|als je|если (?:ты|вы)|jeśli jesteś)\s[^,.!?]{{0,30}}(?:{{}})(?!\w)"
)
_COMMAND_FORMS = {"command_first": _CLAUSE + r"(?:{})(?!\w)", "command_last": _WORD, "without_spaces": "(?:{})"}
"""Group of languages -> pattern of a command in a sentence."""
_RECIPIENT = re.compile(
    rf"(?<!\bsagt )(?<!\bwie )(?<!\blaut )(?<!\bdit )(?<!\bselon )(?<!\bcomme )(?<!\bdice )(?<!\bsegún )(?<!\bcomo )"
    rf"{NAME_PLACEHOLDER}++(?! (?:sagt|meint|dit|affirme|dice|afirma)\b)"
)
"""Pattern of a debater's name in an order such as "give NAME the win". It does not match reports such as "NAME says"."""
_NOT_PATTERNS = frozenset({"language", "finds", "passes"})
_COMMANDS = ("ignore", "give", "say", "vote")
_ADDRESS_PUNCTUATION = ",:;!—–"


def find_foreign_instructions(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an instruction to a judge in another language."""
    lowered = text.lower()
    languages = [index for index, prefilter in enumerate(_prefilters()) if prefilter.search(lowered)]
    for start, sentence in split_sentences(text) if languages else ():
        small = sentence.lower()
        matching = (_language_patterns(index) for index in languages if _prefilters()[index].search(small))
        technique = next((found for patterns in matching if (found := _find_technique(patterns, sentence))), None)
        if technique is not None:
            yield start, start + len(sentence), technique


def _find_technique(language: Mapping[str, re.Pattern[str]], sentence: str) -> str | None:
    command, norm = language["ignore"].search(sentence), language["norm"]
    if command and norm.search(sentence):
        beside = norm.search(sentence, command.end(), command.end() + MAX_TARGET_DISTANCE)
        if beside or language["which"].search(sentence):
            return "override"
    voted = language["vote"].search(sentence)
    if voted and NAME_PLACEHOLDER in sentence[voted.end() : voted.end() + MAX_TARGET_DISTANCE]:
        return "score_demand"
    if language["judge_addressed"].search(sentence):
        if command or voted or language["give"].search(sentence):
            return "score_demand"
        if language["say"].search(sentence):
            return "output_order"
    if _is_false_consensus(language, sentence):
        return "false_consensus"
    if "obliged" in language and language["obliged"].search(sentence):
        technique = _find_third_person_order(language, sentence)
        if technique is not None:
            return technique
    tops = [match.start() for match in language["top"].finditer(sentence)]
    gifts = [match.end() for match in language["give"].finditer(sentence)] if tops else []
    return "score_demand" if any(abs(top - gift) <= MAX_GIVE_DISTANCE for top in tops for gift in gifts) else None


def _find_third_person_order(language: Mapping[str, re.Pattern[str]], sentence: str) -> str | None:
    """The technique of a sentence such as "the judge must ignore the rules"; None if it gives this judge no order.

    Debates may be about courts. So a demand for points must name a debater, and an order to ignore something must name
    the rules of this judge.
    """
    if _RECIPIENT.search(sentence):
        if language["do_vote"].search(sentence):
            return "score_demand"
        if language["do_give"].search(sentence) and language["award"].search(sentence):
            return "score_demand"
    norm = language["norm"].search(sentence)
    if norm and language["do_ignore"].search(sentence) and language["which"].search(sentence):
        return "override"
    return None


def _is_false_consensus(language: Mapping[str, re.Pattern[str]], sentence: str) -> bool:
    """Whether the text claims that the judges of this debate have decided. A court or jury that decided does not count."""
    carried = language["carried"].search(sentence)
    if carried is None or not all(language[sign].search(sentence) for sign in ("judge", "decided")):
        return False
    address = language["judge_addressed"].search(sentence)
    if NAME_PLACEHOLDER in carried.group():
        return True
    if address and address.group()[-1] in _ADDRESS_PUNCTUATION and language["decided"].search(sentence, address.end()):
        return True
    return language["already"].search(sentence) is not None and not re.search(_load_table()[0], sentence, re.IGNORECASE)


@cache
def _load_table() -> tuple[str, tuple[tuple[str, Mapping[str, Any]], ...]]:
    table = tomllib.loads(files(__package__ or "").joinpath("multilingual.toml").read_text(encoding="utf-8"))
    return table["elsewhere"], tuple((group, words) for group in _COMMAND_FORMS for words in table[group])


@cache
def _prefilters() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile("|".join(words[sign] for sign in ("norm", "top", "judge", "vote"))) for _, words in _load_table()[1]
    )


@cache
def _language_patterns(index: int) -> Mapping[str, re.Pattern[str]]:
    """Key of the table -> pattern. `judge` matches a mention of a judge, `judge_addressed` words that address one."""
    group, words = _load_table()[1][index]
    is_spaced = group != "without_spaces"
    patterns = {
        sign: (_COMMAND_FORMS[group] if sign in _COMMANDS else _WORD if is_spaced else "(?:{})", choice)
        for sign, choice in words.items()
        if sign not in {*_NOT_PATTERNS, "obliged"}
    }
    if "obliged" in words:
        patterns["obliged"] = ("{}", words["obliged"].replace("<<judge>>", words["judge"]))
    patterns["judge_addressed"] = (_ADDRESSED if is_spaced else "(?:{})", words["judge"])
    return {
        sign: re.compile(form.replace("{}", choice), re.IGNORECASE | re.MULTILINE)
        for sign, (form, choice) in patterns.items()
    }
