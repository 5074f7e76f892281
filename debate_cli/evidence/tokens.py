"""Prepares texts for the quote check: normalizes characters that are treated as equal, and finds words.

Superscripts, fractions and circled characters stay as they are, because 10² is not 102.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

from debate_cli.domain.text_normalization import remove_invisible
from debate_cli.evidence.quantities import UNIT_WORDS, find_quantity_start, find_unit_end
from debate_cli.evidence.unspaced_scripts import UNSPACED

_TABLE: dict[str, Any] = tomllib.loads((files(__package__ or "") / "words.toml").read_text(encoding="utf-8"))


def _word_sets(table: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in table.items()}


ARTICLES = frozenset({"a", "an", "the"})
_NEGATIONS = _word_sets(_TABLE["negations"])
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
_MIN_COMMON_WORD_SHARE = 0.04
_MAX_NON_ASCII_WORD_SHARE = 0.05
COMMON_ENGLISH_WORDS = _FREQUENT["en"] | ARTICLES | _EXACT_WORDS | frozenset(_TABLE["subjectless"].split())
"""Words that say little about the subject of a text."""


def detect_language(words: Collection[str]) -> str | None:
    """Return the code of the language of casefolded `words`, e.g. `en`.

    Returns None if too few words are common words of a known language.
    """
    alphabetic = [word for word in words if word[0].isalpha()]
    hits = {language: sum(word in common for word in alphabetic) for language, common in _COMMON_WORDS.items()}
    language = max(hits, key=lambda name: hits[name])
    return language if hits[language] >= max(1, _MIN_COMMON_WORD_SHARE * len(alphabetic)) else None


def is_ascii(words: Collection[str]) -> bool:
    """Whether nearly all `words` consist of ASCII characters."""
    return sum(not word.isascii() for word in words) <= _MAX_NON_ASCII_WORD_SHARE * len(words)


def has_negation(words: Collection[str], language: str | None) -> bool:
    """Whether casefolded `words` contain a negation word of the language `language`.

    If `language` is None, the negations of all languages count.
    """
    if language != "en":
        words = [part for word in words for part in (word, *word.split("'"))]
    if language is None:
        return not _ALL_NEGATIONS.isdisjoint(words) or _NEGATION_SIGNS.search("".join(words)) is not None
    if any(word.endswith("n't") or (language == "fr" and word.startswith("n'")) for word in words):
        return True
    own = _NEGATIONS.get(language, NEGATIONS)
    return not own.isdisjoint(words) or not (NEGATIONS - _COMMON_WORDS[language]).isdisjoint(words)


def expand_contraction(word: str) -> tuple[str, ...]:
    """Return the words of an English contraction, e.g. `do` and `not` for `don't`. Removes the `'s` of a possessive."""
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    for ending, full in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return (word.removesuffix(ending), full)
    return (word.removesuffix("'s"),)


def stem(word: str) -> str:
    """Return an English word without its inflection, e.g. `plan` for `planned`.

    The words in NEGATIONS and `_EXACT_WORDS` are never inflections of other words. They get the prefix `=`, e.g. `=not`
    for `not`. A word with characters other than letters, e.g. a number, also gets this prefix.
    """
    if word in NEGATIONS or word in _EXACT_WORDS or not word.isalpha():
        return f"={word}"
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, replacement in _ENDING_RULES:
        word = ending.sub(replacement, word)
    return word


def are_inflections(first: str, second: str) -> bool:
    """Whether two words with equal stems are forms of one word.

    True for `plans` and `planned`. False for `plans` and `plane`, although their stems are equal.
    """
    return first == second or not (first.isalpha() and second.isalpha()) or not _bases(first).isdisjoint(_bases(second))


@lru_cache(maxsize=4096)
def _bases(word: str) -> frozenset[str]:
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


UNITS = frozenset(stem(word).removeprefix("=") for word in UNIT_WORDS | {"%", "x"})
"""Stems of units that may follow a number."""


_QUOTES = frozenset("'\"`´ʼ‘’‚‛“”„‟‹›«»′″‵‶＇＂「」『』〝〞〟")
_LONG_DASHES = frozenset("—―⸺⸻")
_KEPT_FORMS = ("<super>", "<fraction>", "<circle>")
"""Characters with one of these Unicode decomposition tags are not normalized. NFKC would change their meaning: 10²
would become 102."""
_TOKEN = rf"""(?P<word>[{UNSPACED}]
    | (?<!\w)per\ cent(?!\w)
    | (?:(?<![\w.)\]])(?<!\d%)[-+±](?=[$€£¥]?\.?\d))?  # the sign of a number
      (?:[$€£¥](?=\.?\d))? (?:(?<!\w)\.(?=\d))?
      [^\W{UNSPACED}]+ (?:(?:'|(?<=\d)[.,:/-](?=\d))[^\W{UNSPACED}]+)*
      (?:(?<=\d)[%‰°€](?:[cf]\b)?)?)
    | (?P<symbol>[!<>=]=|\S)"""
_SENTENCE_START = re.compile(r"(?:^|[.!?:;•*#|>-]|\n\s*\n)[\s'\"“‘(\[*_]*$")
_NUMBER = re.compile(r"(?P<number>[-+±]?[$€£¥]?[\d.,:/-]*\d[¹²³⁰-⁹]*)(?P<unit>[a-zμ]*|[%‰€]|°[cf]?)")
_UNIT_SYNONYMS = {"percent": "%", "per cent": "%"}
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FOOTNOTE = re.compile(r"\[\d{1,3}\]")
_FOOTNOTE_MARK = re.compile(r"(?<=[.,;:!?)\"'”’ ])\[\d{1,3}\]")
_LINK_TARGET = re.compile(r"(?<=\])\((?:https?://|[./#])[^\s()]*\)")
_LINE_HYPHEN = re.compile(
    r"(?<![^\W\d_])(?P<before>[^\W\d_]{1,40})(?P<hyphen>[-‐\u00ad][ \t]*\n\s*)(?=(?P<after>[^\W\d_]{1,40}))"
)
_MAX_CAPITALIZED_SHARE = 0.4
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")


def is_harmless(char: str) -> bool:
    """Whether a character is punctuation that does not change the meaning, such as a comma."""
    return char == "|" or (unicodedata.category(char)[0] == "P" and char not in "%‰‱&@/\\")


class Token(NamedTuple):
    """A word, a number with its sign and unit, or a symbol such as `&`."""

    text: str
    """The token as normalized text."""
    start: int
    end: int
    """Position after the token in the normalized text."""


@dataclass(frozen=True)
class NormalizedText:
    """A text normalized for comparison with quotes."""

    original: str
    text: str
    shape: str
    """Like `text`, except that `—` replaces each dash that separates words. In `text`, every dash is `-`."""
    origins: tuple[int, ...]
    """Index in `original` of each character of `text`. The last entry is the length of `original`."""

    def original_words(self, start: int, end: int) -> str:
        """Return `text[start:end]` as written in `original`."""
        return self.original[self.origins[start] : self.original_end(end)]

    def original_end(self, end: int) -> int:
        """Return the position in `original` that corresponds to the position `end` in `text`."""
        following = end
        while following < len(self.text) and self.origins[following] == self.origins[end - 1]:
            following += 1
        return self.origins[following]

    def unit_end(self, at: int) -> int:
        """Return the end of the unit that belongs to the number before `text[at]`; `at` if there is no unit.

        A unit may follow after a space or a line end, not in the next paragraph.
        """
        end = find_unit_end(self.cased, at)
        is_spaced = end > at and self.text[at] == " "
        return at if is_spaced and _PARAGRAPH_END.search(self.original_words(at, at + 1)) else end

    def is_word_start(self, at: int) -> bool:
        """Whether a word starts at `text[at]`. No word starts inside a compound, or between a number and its currency."""
        if find_quantity_start(self.cased, at) < at:
            return False
        if at and re.search(f"[{UNSPACED}]", self.text[at - 1 : at + 1]):
            return True
        before = self.shape[self.shape.rfind(" ", 0, at) + 1 : at].rpartition("—")[2]
        if before[-1:] in {"-", "."} and re.match(r"[$€£¥]?\.?\d", self.text[at:]):
            return False
        return all(map(is_harmless, _FOOTNOTE.sub("", before)))

    def is_word_end(self, at: int) -> bool:
        """Whether a word ends before `text[at]`. No word ends inside a compound, or between a number and its unit."""
        if self.unit_end(at) > at:
            return False
        if re.search(f"[{UNSPACED}]", self.text[at - 1 : at + 1]):
            return True
        space = self.shape.find(" ", at)
        after = self.shape[at : space if space >= 0 else None].partition("—")[0]
        return all(map(is_harmless, _FOOTNOTE.sub("", after)))

    @cached_property
    def cased(self) -> str:
        """`text` with capital letters where `original` has them. It has as many characters as `text`."""
        written = (self.original[origin] for origin in self.origins[:-1])
        return "".join(own if own.lower() == char else char for own, char in zip(written, self.text, strict=True))

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens in order, without punctuation that does not change the meaning, such as commas."""
        found: list[Token] = []
        for match in re.finditer(_TOKEN, self.text, re.VERBOSE):
            word = match[0].strip("_'")
            if match["word"] and word:
                start = match.start() + match[0].index(word)
                found.append(Token(word, start, start + len(word)))
            elif match["symbol"] and not all(map(is_harmless, match[0])):
                found.append(Token(match[0], *match.span()))
        return tuple(found)

    @cached_property
    def language(self) -> str | None:
        """Code of the language, such as `en`; None if it is unknown."""
        return detect_language([token.text for token in self.tokens])

    @cached_property
    def is_english(self) -> bool:
        """Whether the text is compared as English.

        True if English is detected, or if the language is unknown and nearly all words are ASCII.
        """
        return self.language == "en" or (self.language is None and is_ascii([token.text for token in self.tokens]))

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words of this text, for comparison with a quote."""
        return comparable_words(self, english=self.is_english)

    @cached_property
    def names(self) -> frozenset[Token]:
        """Tokens that are probably names: words capitalized inside a sentence.

        Empty if too many words are capitalized, as in a headline.
        """
        words = [token for token in self.tokens if token.text[0].isalpha()]
        capitalized = [token for token in words if self.original[self.origins[token.start]].isupper()]
        if len(capitalized) > _MAX_CAPITALIZED_SHARE * len(words):
            return frozenset()
        inside = {token.text for token in capitalized if self._is_name(token)} - ARTICLES
        return frozenset(token for token in capitalized if token.text in inside or self._is_name(token))

    def _is_name(self, token: Token) -> bool:
        before = self.original[max(0, self.origins[token.start] - 20) : self.origins[token.start]]
        if token.text in ARTICLES:
            return token.text == "a" and re.search(r"[^\W\d_] $", before) is not None and not before[-2].isupper()
        return not _SENTENCE_START.search(before)


@lru_cache(maxsize=1024)
def normalize_for_check(text: str, skipped: tuple[tuple[int, int], ...] = ()) -> NormalizedText:
    """Normalize `text` without the ranges `skipped`. Each range is (start, end)."""
    normalized: list[str] = []
    shape: list[str] = []
    origins: list[int] = []
    left_out = {at for start, end in skipped for at in range(start, end)}
    for start, cluster in _clusters(text):
        if start in left_out:
            continue
        for char in _normalize(cluster):
            if normalized and char == normalized[-1] and char in " -'":
                shape[-1] = "—" if char == "-" else char
                continue
            normalized.append(char)
            long = char == "-" and (
                cluster in _LONG_DASHES or (cluster == "–" and not text[start + 1 : start + 2].isdigit())
            )
            shape.append("—" if long else char)
            origins.append(start)
    return NormalizedText(text, "".join(normalized), "".join(shape), (*origins, len(text)))


def find_layout(text: str, other: str) -> tuple[tuple[int, int], ...]:
    """Return (start, end) of the parts of `text` that a comparison with `other` must ignore, because they are layout.

    The parts are:
    - hyphens that divide a word at a line end
    - footnote numbers, if `other` has none
    - link addresses, if `other` has none
    """
    hyphens = list(_LINE_HYPHEN.finditer(text))
    words = set(re.findall(r"\w+", f"{text} {other}".casefold())) if hyphens else set[str]()
    spans = [match.span("hyphen") for match in hyphens if (match["before"] + match["after"]).casefold() in words]
    for pattern in (_FOOTNOTE_MARK, _LINK_TARGET):
        if not pattern.search(other):
            spans += [match.span() for match in pattern.finditer(text)]
    return tuple(spans)


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    if text.isascii():
        yield from enumerate(text)
        return
    starts = [at for at, char in enumerate(text) if not at or not (unicodedata.combining(char) or "ᅠ" <= char <= "ᇿ")]
    for start, end in pairwise([*starts, len(text)]):
        yield start, text[start:end]


def _normalize(cluster: str) -> str:
    char = cluster[0]
    if char.isspace():
        return " "
    if char in _QUOTES:
        return "'"
    if unicodedata.category(char) == "Pd" or char in "−⁃":
        return "-"
    if cluster.isascii():
        return char.lower() if char.isprintable() else ""
    if unicodedata.decomposition(char).startswith(_KEPT_FORMS):
        return cluster.casefold()
    visible = remove_invisible(cluster)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())


class Word(NamedTuple):
    """A word of a text, for comparison with the words of a quote."""

    form: str
    """The stem of an English word. In other languages, equal to `exact`."""
    exact: str
    """The normalized word with its inflection."""
    is_name: bool
    start: int
    end: int
    """Position after the word's token in the normalized text."""

    @property
    def is_number(self) -> bool:
        """Whether the word is a number."""
        return self.exact[-1].isnumeric()

    @property
    def is_unit(self) -> bool:
        """Whether the word can be a unit after a number."""
        return self.form.removeprefix("=") in UNITS

    def is_quoted_as(self, quoted: Word) -> bool:
        """Whether `quoted`, a word of a quote, equals this word. Inflections are ignored, except in names."""
        if self.is_name or self.form != quoted.form:
            return self.exact == quoted.exact
        return are_inflections(self.exact, quoted.exact)


def comparable_words(text: NormalizedText, *, english: bool) -> tuple[Word, ...]:
    """Return the words of `text` for comparison with a quote.

    `english`: whether to leave out articles, expand contractions, and remove inflections.
    """
    names = text.names
    return tuple(
        Word(stem(part) if english else part, part, token in names, token.start, token.end)
        for token in text.tokens
        for part in (_english_parts(token, is_name=token in names) if english else (token.text,))
    )


def _english_parts(token: Token, *, is_name: bool) -> tuple[str, ...]:
    if token.text in ARTICLES and not is_name:
        return ()
    number = _NUMBER.fullmatch(token.text)
    if number is None:
        return tuple(_UNIT_SYNONYMS.get(part, part) for part in expand_contraction(token.text))
    return tuple(filter(None, (_THOUSANDS.sub("", number["number"]), number["unit"])))
