"""Word lists of the quote check: equivalent words in English, and negations of several languages.

A language has a word list only if a program can recognise its harmless differences, such as articles and inflections.
"""

import re
from collections.abc import Collection
from functools import lru_cache


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ARTICLES = frozenset({"a", "an", "the"})
NEGATIONS = _word_set("not no never none nor neither cannot nobody nothing nowhere without hardly barely scarcely")
_FOREIGN_NEGATIONS = {
    "de": _word_set("nicht nichts nie niemals kein keine keinen keinem keiner keines niemand weder ohne kaum"),
    "fr": _word_set("ne pas non jamais aucun aucune rien ni sans guère"),
    "es": _word_set("no nunca jamás ningún ninguno ninguna nada nadie tampoco ni sin"),
    "it": _word_set("non mai nessun nessuno nessuna niente nulla né senza"),
    "pt": _word_set("não nunca nem nenhum nenhuma ninguém nada jamais sem"),
    "nl": _word_set("niet geen nooit niemand niets noch zonder"),
    "pl": _word_set("nie nigdy nikt nic żaden żadna ani bez"),
    "sv": _word_set("inte icke ingen inget inga aldrig utan"),
    "": _word_set(
        """ikke ingen aldrig aldri nikdy ne není bez ei eivät nem nincs hayır değil yok tidak bukan nu
        не нет никогда ни без нельзя δεν μην ποτέ 안 لا لم لن ليس ما לא אין नहीं मत"""
    ),
}
"""Language -> negations. The empty name is for unrecognized languages."""
_ALL_NEGATIONS = NEGATIONS.union(*_FOREIGN_NEGATIONS.values())
_NEGATION_SIGNS = re.compile(r"[不没沒未無无非勿別别]|ない|なか|ません|않|못|ไม่")
_UNIT_WORDS = (
    """percent % percentage point basis year month week day hour minute second millisecond microsecond nanosecond
    ms s h min kg g mg t ton tonne km m cm mm mile meter metre kilometer kilometre foot feet inch litre liter
    kb mb gb tb pb byte bit hz khz mhz ghz w kw mw gw kwh mwh watt volt degree celsius fahrenheit
    hundred thousand million billion trillion dozen dollar cent euro pound yen usd eur gbp chf
    times fold x"""
)  # fmt: skip
_EXACT_WORDS = _word_set(
    """may might can could will would shall should must ought
    more most less least fewer fewest few many much over under above below before after first last best worst
    better worse only all some any every each both either half than same another
    news if unless until except but and or"""
)
"""Modals, comparisons and quantities, which are never treated as inflections of other words."""
_IRREGULAR = {
    form: base
    for base, forms in {
        "be": "am is are was were been being",
        "have": "has had having",
        "do": "does did done doing",
        "use": "uses used using",
        "go": "goes went gone going",
        "make": "makes made making",
        "take": "takes took taken taking",
        "man": "men",
        "woman": "women",
        "child": "children",
        "person": "persons people",
    }.items()
    for form in (base, *forms.split())
}
_CONTRACTIONS = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"),
    "it's": ("it", "is"), "that's": ("that", "is"), "there's": ("there", "is"), "what's": ("what", "is"),
    "he's": ("he", "is"), "she's": ("she", "is"), "let's": ("let", "us"), "i'm": ("i", "am"),
}  # fmt: skip
_ENDING_RULES = (
    (re.compile(r"(?<=\w\w)(?:ies|ied|ie)$"), "y"),  # policies: policy
    (re.compile(r"(?<=\w\w[^\Wsui])s$"), ""),  # services: service
    (
        re.compile(r"(?<=[aeiouy]\w[^\We])(?:ed|ing)$|(?<=\w[aeiouy][^\We])(?:ed|ing)$|(?<=\w\wy)ing$"),
        "",
    ),  # reduced: reduc
    (re.compile(r"(?<=\w\w\w)e$"), ""),  # reduce: reduc
    (re.compile(r"(?<=\w\w)([^\Waeiou])\1$"), r"\1"),  # planned: plann: plan
)
_ENDINGS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will"}
_LANGUAGES = {
    "en": "the of and to in is that for it as was with be by on are this from or have an which you not at",
    "de": "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es werden aus sind",
    "fr": "de la le et les des en un une du est que dans pour qui au sur par plus ce pas avec sont il",
    "es": "de la que el en y los se del las un por con no una su para es al lo como más son",
    "it": "di e che il la per un in è una non con del da le si della dei al sono più nel alla",
    "pt": "de que e o a do da em um para é com não uma os no se na por mais as dos ao são",
    "nl": "de en van het een in is dat op te zijn met voor niet die aan er om ook als door worden bij",
    "pl": "w i na z do się nie to jest że o jak po od za przez dla są oraz który",
    "sv": "och i att det som en på är av för med till den har de inte om ett men var",
}
_ENGLISH = frozenset(_LANGUAGES["en"].split())
_COMMON_WORDS = {
    language: _ENGLISH if language == "en" else frozenset(word for word in words.split() if len(word) > 1) - _ENGLISH
    for language, words in _LANGUAGES.items()
}
_MIN_COMMON_SHARE = 0.04
"""A text is in a language if at least this share of its words are common words of the language."""
_MAX_FOREIGN_SHARE = 0.05
"""A text counts as ASCII if at most this share of its words has other letters."""


def detect_language(words: Collection[str]) -> str | None:
    """The language of casefolded `words`; None if too few are common words of a known language."""
    alphabetic = [word for word in words if word[0].isalpha()]
    hits = {language: sum(word in common for word in alphabetic) for language, common in _COMMON_WORDS.items()}
    language = max(hits, key=lambda name: hits[name])
    return language if hits[language] >= max(1, _MIN_COMMON_SHARE * len(alphabetic)) else None


def is_ascii(words: Collection[str]) -> bool:
    """Whether nearly all `words` have ASCII letters only."""
    return sum(not word.isascii() for word in words) <= _MAX_FOREIGN_SHARE * len(words)


def has_negation(words: Collection[str], language: str | None) -> bool:
    """Whether casefolded `words` contain a negation of `language`; if that is None, of any language."""
    if language != "en":
        words = [part for word in words for part in (word, *word.split("'"))]
    if language is None:
        return not _ALL_NEGATIONS.isdisjoint(words) or _NEGATION_SIGNS.search("".join(words)) is not None
    if any(word.endswith("n't") or (language == "fr" and word.startswith("n'")) for word in words):
        return True
    own = _FOREIGN_NEGATIONS.get(language, NEGATIONS)
    return not own.isdisjoint(words) or not (NEGATIONS - _COMMON_WORDS[language]).isdisjoint(words)


def expand_contraction(word: str) -> tuple[str, ...]:
    """The words of an English contraction. A possessive loses its ending."""
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    for ending, full in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return (word.removesuffix(ending), full)
    return (word.removesuffix("'s"),)


def stem(word: str) -> str:
    """`word` without its English inflection, equal for all forms of a word.

    Starts with `=` if the word has one form only.
    """
    if word in NEGATIONS or word in _EXACT_WORDS or not word.isalpha():
        return f"={word}"
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, replacement in _ENDING_RULES:
        word = ending.sub(replacement, word)
    return word


def are_inflections(first: str, second: str) -> bool:
    """Whether two words with the same stem are one word: true for `plans` and `planned`, false for `plans` and `plane`."""
    return first == second or not (first.isalpha() and second.isalpha()) or not _bases(first).isdisjoint(_bases(second))


@lru_cache(maxsize=4096)
def _bases(word: str) -> frozenset[str]:
    """The words of which `word` may be an inflected form, and `word` itself."""
    found = {word, _IRREGULAR.get(word, word)}
    if word.endswith("ings"):
        found |= _bases(word[:-1])
    if word.endswith("s"):
        found |= {word[:-1], *([word[:-2]] if re.search(r"(?:[sxzo]|[cs]h)es$", word) else [])}
    for ending in ("ed", "ing"):
        bare = word.removesuffix(ending)
        if bare != word:
            found |= {bare, f"{bare}e", re.sub(r"(.)\1$", r"\1", bare)}
    return frozenset(found | {re.sub(r"i(?:es?|ed)$", "y", base) for base in (word, *found)})


UNITS = frozenset(stem(word).removeprefix("=") for word in _UNIT_WORDS.split())
"""Stems of units that belong to the preceding number."""

COMMON_ENGLISH_WORDS = (
    _ENGLISH
    | ARTICLES
    | _EXACT_WORDS
    | _word_set(
        """about there their them they these those we our you your he she his her its i me my do does did has had were been
    so than then what when where which who why how into out up down no yes also just such being because while"""
    )
)
"""Words that say little about the subject of a text."""
