"""Words with a role in the quote check, from `words.toml`: negations, units, and equivalent words in English."""

import re
import tomllib
from collections.abc import Collection
from functools import lru_cache
from importlib.resources import files
from typing import Any

_TABLE: dict[str, Any] = tomllib.loads((files(__package__ or "") / "words.toml").read_text(encoding="utf-8"))


def _word_sets(table: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in table.items()}


ARTICLES = frozenset({"a", "an", "the"})
_NEGATIONS = _word_sets(_TABLE["negations"])
"""Maps a language to its negations. The empty name stands for unrecognized languages."""
NEGATIONS = _NEGATIONS["en"]
_ALL_NEGATIONS = frozenset[str]().union(*_NEGATIONS.values())
_NEGATION_SIGNS = re.compile(r"[不没沒未無无非勿別别]|ない|なか|ません|않|못|ไม่")
_EXACT_WORDS = frozenset(_TABLE["exact"].split())
_IRREGULAR = {form: base for base, forms in _TABLE["irregular"].items() for form in (base, *forms.split())}
_CONTRACTIONS = {word: tuple(full.split()) for word, full in _TABLE["contractions"].items()}
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
_FREQUENT = _word_sets(_TABLE["frequent"])
_COMMON_WORDS = {
    language: words if language == "en" else frozenset(word for word in words if len(word) > 1) - _FREQUENT["en"]
    for language, words in _FREQUENT.items()
}
_MIN_COMMON_SHARE = 0.04
"""A text is in a language if at least this share of its words is common in the language."""
_MAX_FOREIGN_SHARE = 0.05
"""A text counts as ASCII if at most this share of its words has a character outside ASCII."""
COMMON_ENGLISH_WORDS = _FREQUENT["en"] | ARTICLES | _EXACT_WORDS | frozenset(_TABLE["subjectless"].split())
"""Words that say little about the subject of a text."""


def detect_language(words: Collection[str]) -> str | None:
    """Return the language of casefolded `words`; None if too few of them are common in a known language."""
    alphabetic = [word for word in words if word[0].isalpha()]
    hits = {language: sum(word in common for word in alphabetic) for language, common in _COMMON_WORDS.items()}
    language = max(hits, key=lambda name: hits[name])
    return language if hits[language] >= max(1, _MIN_COMMON_SHARE * len(alphabetic)) else None


def is_ascii(words: Collection[str]) -> bool:
    """Whether nearly all `words` have ASCII letters only."""
    return sum(not word.isascii() for word in words) <= _MAX_FOREIGN_SHARE * len(words)


def has_negation(words: Collection[str], language: str | None) -> bool:
    """Whether casefolded `words` contain a negation of `language`. Without a language, all negations count."""
    if language != "en":
        words = [part for word in words for part in (word, *word.split("'"))]
    if language is None:
        return not _ALL_NEGATIONS.isdisjoint(words) or _NEGATION_SIGNS.search("".join(words)) is not None
    if any(word.endswith("n't") or (language == "fr" and word.startswith("n'")) for word in words):
        return True
    own = _NEGATIONS.get(language, NEGATIONS)
    return not own.isdisjoint(words) or not (NEGATIONS - _COMMON_WORDS[language]).isdisjoint(words)


def expand_contraction(word: str) -> tuple[str, ...]:
    """Return the words of an English contraction. A possessive loses its ending."""
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    for ending, full in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return (word.removesuffix(ending), full)
    return (word.removesuffix("'s"),)


def stem(word: str) -> str:
    """Return `word` without its English inflection. All forms of a word have the same stem.

    If a word has only one form, its stem starts with `=`.
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
    """Return the words whose inflected form `word` may be, and `word` itself."""
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


UNITS = frozenset(stem(word).removeprefix("=") for word in _TABLE["units"].split())
"""Stems of units that belong to the number before them."""
