"""Detects English instructions to a judge by the combination of signs in one sentence.

An instruction combines a mention of the judging (a judge, a score sheet, "your verdict") with a command, or a side of
the debate with something that it should get. Each part alone is ordinary debate. Patterns and rules are in the table
`rules.toml`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

NAME_PLACEHOLDER = "ꙮ"
"""Letter, from no living language, that replaces each letter of a debater's name."""
MAX_SENTENCE_CHARS = 400
"""Maximum length of a sentence; a longer one is examined in pieces."""
_SENTENCE = re.compile(rf"(?:[^.!?。！？\n]|\.(?=\w)|\n(?=[a-z])){{1,{MAX_SENTENCE_CHARS}}}[.!?。！？]*[\"'”’)\]]*")
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}")
_PLACEHOLDER = re.compile(r"<<(\w+)>>")
_LINE_WRAP = re.compile(r"\n\s*")

Conditions = tuple[tuple[str, ...], ...]
"""A sentence must meet all of these conditions. It meets one if it contains one of the condition's signs."""


class InstructionRule(NamedTuple):
    """A sentence that meets all conditions of the rule is an instruction to the judge."""

    technique: str
    conditions: Conditions
    finds: str = ""
    """An example that the rule finds."""
    passes: str = ""
    """A similar sentence that the rule does not find."""


class RuleTable(NamedTuple):
    """The contents of `rules.toml`."""

    sources: Mapping[str, str]
    """Name of a sign -> its pattern, into which the patterns of other signs are inserted."""
    commands: frozenset[str]
    """Signs that count only at a place where a command can begin."""
    rules: tuple[InstructionRule, ...]
    """The first rule that a sentence fits gives the technique."""
    suspicious: frozenset[str]
    """Words that rank the pieces of a very long text."""
    hidden: tuple[Conditions, ...]
    """Conditions for hidden words, which need fewer signs."""


@cache
def load_rule_table() -> RuleTable:
    """The table. It is read once."""
    table = tomllib.loads(files(__package__ or "").joinpath("rules.toml").read_text(encoding="utf-8"))
    sources: dict[str, str] = {"named": NAME_PLACEHOLDER}
    for group in ("words", "starts", "commands", "signs", "whole_words", "text"):
        for name, pieces in table[group].items():
            choice = _PLACEHOLDER.sub(lambda match: sources[match[1]], _join_pieces(pieces))
            sources[name] = rf"\b{choice}\b" if group == "whole_words" else choice
    rules = tuple(
        InstructionRule(entry["technique"], _parse_conditions(entry["needs"]), entry["finds"], entry["passes"])
        for entry in table["rules"]
    )
    hidden = tuple(map(_parse_conditions, table["hidden"]["any_of"]))
    suspicious = frozenset(table["suspicious"]["words"])
    return RuleTable(sources, frozenset(table["commands"]), rules, suspicious, hidden)


def _join_pieces(pieces: str | Sequence[str]) -> str:
    choice = pieces if isinstance(pieces, str) else "|".join(pieces)
    return f"(?:{_LINE_WRAP.sub('', choice)})"


def _parse_conditions(needs: Sequence[str]) -> Conditions:
    return tuple(tuple(need.split("|")) for need in needs)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(load_rule_table().sources[name], re.IGNORECASE | re.MULTILINE)


def split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """(start, sentence) of each sentence of `text`, without leading white space."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group().lstrip()
        if sentence:
            yield match.end() - len(sentence), sentence


def find_instructions(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an instruction to a judge."""
    for start, sentence in split_sentences(text):
        if _pattern("stems").search(sentence) and _TWO_LETTERS.search(sentence):
            technique = find_technique(sentence)
            if technique is not None:
                yield start, start + len(sentence), technique


def find_coarsely(text: str) -> Iterator[tuple[int, int, str]]:
    """Like `find_instructions`, with one pattern instead of the rules; for the less suspicious parts of a very long text."""
    for match in _pattern("coarse").finditer(text):
        yield *match.span(), "score_demand"


@lru_cache(maxsize=8192)
def find_technique(sentence: str) -> str | None:
    """The technique of the first matching rule; None if `sentence` is no instruction to a judge."""
    return next((rule.technique for rule in fitting_rules(sentence)), None)


def fitting_rules(sentence: str) -> Iterator[InstructionRule]:
    """All rules that `sentence` fits, in the order of the table."""
    if _pattern("opponent_address").match(sentence):
        return
    signs = _SentenceSigns(_pattern("reported_speech").sub("", sentence.replace("\n", " ")))
    yield from (rule for rule in load_rule_table().rules if signs.meet(rule.conditions))


def hints_at_instruction(text: str) -> bool:
    """Whether `text`, which was hidden from readers, mentions the judging. Hidden words need fewer signs."""
    signs = _SentenceSigns(text)
    return any(signs.meet(conditions) for conditions in load_rule_table().hidden)


class _SentenceSigns:
    """The signs of one sentence; each is searched at most once."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence
        self._known: dict[str, bool] = {}
        self._starts: tuple[int, ...] | None = None

    def meet(self, conditions: Conditions) -> bool:
        return all(any(self._has(sign) for sign in choice) for choice in conditions)

    def _has(self, sign: str) -> bool:
        known = self._known.get(sign)
        if known is None:
            known = self._known[sign] = self._find(sign)
        return known

    def _find(self, sign: str) -> bool:
        pattern = _pattern(sign)
        if sign not in load_rule_table().commands:
            return pattern.search(self._sentence) is not None
        if self._starts is None:
            self._starts = _find_command_starts(self._sentence)
        return any(pattern.match(self._sentence, start) for start in self._starts)


def _find_command_starts(sentence: str) -> tuple[int, ...]:
    """Positions where a command can begin: at the start of a clause, after an address ("Judge,") or after "you must"."""
    found = {match.end() for match in _pattern("obligation").finditer(sentence)}
    for match in _pattern("clause").finditer(sentence):
        found |= {match.end(), _end_of("address", sentence, match.end())}
    return tuple(sorted(found | {_end_of("courtesy", sentence, start) for start in found}))


def _end_of(name: str, sentence: str, start: int) -> int:
    match = _pattern(name).match(sentence, start)
    return match.end() if match else start


_QUOTED = r"\"[^\"\n]{1,240}\"|“[^”\n]{1,240}”|‘[^’\n]{1,240}’|«[^»\n]{1,240}»|„[^“”\n]{1,240}[“”]|`[^`\n]{1,240}`"
_QUOTATION = re.compile(rf"{_QUOTED}|(?<![\w'])'[^'\n]{{1,240}}'(?![\w'])")
_CONTEXT_CHARS = 160
"""Number of characters before and after a quotation in which the speaker may discuss it."""
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
_EXAMPLE_INTRODUCTION = re.compile(
    r"\b(?:such as|like|called|named|strings?|tokens?|tags?|markers?|comments?|elements?)\W{0,3}$", re.IGNORECASE
)


def blank_discussed_quotations(text: str) -> str:
    """Replace each letter of a quotation by `_` if the sentence around it discusses it. Positions do not change."""
    return _QUOTATION.sub(lambda match: _blank_if_discussed(match, text), text)


def is_named_as_example(text: str, start: int) -> bool:
    """Whether the words before `start` introduce an example ("such as"). An example needs no quotation marks."""
    return _EXAMPLE_INTRODUCTION.search(text[max(0, start - 30) : start]) is not None


def _blank_if_discussed(match: re.Match[str], text: str) -> str:
    """The blanked quotation if the sentence around it discusses it, else the quotation. Strings in JSON are kept."""
    quotation, start, end = match.group(), match.start(), match.end()
    if _IN_DATA_BEFORE.search(text[max(0, start - 4) : start]) or _IN_DATA_AFTER.match(text, end):
        return quotation
    before = _SENTENCE_EDGE.split(text[max(0, start - _CONTEXT_CHARS) : start])[-1]
    after = "" if quotation[-2] in ".!?" else _SENTENCE_EDGE.split(text[end : end + _CONTEXT_CHARS], maxsplit=1)[0]
    if _DISCUSSION.search(before) or _DISCUSSION.search(after):
        return quotation[0] + "_" * (len(quotation) - 2) + quotation[-1]
    return quotation
