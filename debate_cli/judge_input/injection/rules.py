"""Detects instructions to the judge by several signs in one sentence.

A sign is a pattern of words, such as a command or "your verdict". The signs and rules of English are in `rules.toml`,
those of other languages in `multilingual.toml`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, NamedTuple

NAME_PLACEHOLDER = "ꙮ"
"""A rare letter that replaces each letter of a debater's name."""
MAX_SENTENCE_CHARS = 400
"""Maximum number of characters of a sentence. A longer sentence is examined in pieces."""
MAX_ROLE_TEXT_CHARS = 300
"""Maximum number of characters of a forged message. A blank line ends the message earlier. A forged message is text in
a speech that looks like a message of another role, e.g. `system:`."""
MAX_ENTRY_GAP = 200
"""Maximum number of characters between two entries of one forged form, e.g. between `winner: PRO` and `margin: 3`.
A forged form is text in a speech that looks like a judge's filled-in form."""
_SENTENCE = re.compile(rf"(?:[^.!?。！？\n]|\.(?=\w)|\n(?=[a-z])){{1,{MAX_SENTENCE_CHARS}}}[.!?。！？]*[\"'”’)\]]*")
_PLACEHOLDER = re.compile(r"<<(\w+)>>")
_LINE_WRAP = re.compile(r"\n\s*")
_CHARS_AROUND_QUOTATION = 160
_SENTENCE_EDGE = re.compile(r"[.!?。！？][\"'”’»)\]]*\s|\n")
_IN_DATA_BEFORE = re.compile(r"(?:[{\[]|[\"'],|[\"']:)\s*$")
_IN_DATA_AFTER = re.compile(r"\s*:\s*[\"'\d{\[]")
_JSON_TAIL = re.compile(r"[^\n]{0,300}")
_SENTENCE_TAIL = re.compile(r"(?:[^\n.!?]|[.!?](?=\S)){0,300}[.!?]?")
_FOREIGN_COMMANDS = ("ignore", "give", "say", "vote")

Conditions = tuple[tuple[str, ...], ...]
"""The conditions of a rule. Each condition is a list of signs (word patterns). A sentence meets a condition if it
contains at least one of these signs."""


class InstructionRule(NamedTuple):
    """A rule: a sentence that meets all `conditions` is an instruction to the judge."""

    technique: str
    conditions: Conditions


class Language:
    """The word patterns (signs) and the rules of one language."""

    def __init__(
        self,
        sources: Mapping[str, str],
        rules: Sequence[InstructionRule],
        commands: Sequence[str] = (),
        hidden: Sequence[Conditions] = (),
    ) -> None:
        """`sources`: maps the name of each sign (word pattern) to a regular expression.

        `commands`: names of the signs that count only where a command can begin, e.g. at the start of a clause.
        `hidden`: conditions for invisible text and decoded text. Such a text is a finding if it meets one of them.
        """
        self._sources = sources
        self._patterns: dict[str, re.Pattern[str]] = {}
        self.rules = tuple(rules)
        self.commands = frozenset(commands)
        self.hidden = tuple(hidden)

    def pattern(self, name: str) -> re.Pattern[str]:
        """Return the pattern that is called `name`, e.g. `quotation`.

        If the language lacks this pattern, return a pattern that never matches.
        """
        if name not in self._patterns:
            self._patterns[name] = re.compile(self._sources.get(name, r"(?!)"), re.IGNORECASE | re.MULTILINE)
        return self._patterns[name]

    def find_technique(self, sentence: str) -> str | None:
        """Return the technique (e.g. `override`) of the first rule whose conditions `sentence` meets; None without such a rule."""
        if not self.pattern("stems").search(sentence):
            return None
        return next((rule.technique for rule in self.fitting_rules(sentence)), None)

    def fitting_rules(self, sentence: str) -> Iterator[InstructionRule]:
        """Yield the rules whose conditions `sentence` meets."""
        if self.pattern("opponent_address").match(sentence):
            return
        signs = _SentenceSigns(self, self.pattern("reported_speech").sub("", sentence.replace("\n", " ")))
        yield from (rule for rule in self.rules if signs.meet(rule.conditions))


class _SentenceSigns:
    def __init__(self, language: Language, sentence: str) -> None:
        self._language = language
        self._sentence = sentence
        self._known: dict[str, bool] = {}

    def meet(self, conditions: Conditions) -> bool:
        return all(any(map(self._has, choice)) for choice in conditions)

    def _has(self, sign: str) -> bool:
        if sign not in self._known:
            pattern = self._language.pattern(sign)
            if sign in self._language.commands:
                self._known[sign] = any(pattern.match(self._sentence, start) for start in self._command_starts)
            else:
                self._known[sign] = pattern.search(self._sentence) is not None
        return self._known[sign]

    @cached_property
    def _command_starts(self) -> set[int]:
        found = {match.end() for match in self._language.pattern("obligation").finditer(self._sentence)}
        for match in self._language.pattern("clause").finditer(self._sentence):
            found |= {match.end(), self._end_of("address", match.end())}
        return found | {self._end_of("courtesy", start) for start in found}

    def _end_of(self, name: str, start: int) -> int:
        match = self._language.pattern(name).match(self._sentence, start)
        return match.end() if match else start


@cache
def load_english() -> Language:
    """Return the language English, read from `rules.toml`."""
    table = _load_toml("rules.toml")
    sources: dict[str, str] = {"named": NAME_PLACEHOLDER}
    for group in ("words", "starts", "commands", "signs", "whole_words", "text", "forged"):
        for name, pieces in table[group].items():
            choice = _fill(pieces, sources)
            sources[name] = rf"\b{choice}\b" if group == "whole_words" else choice
    return Language(sources, _parse_rules(table), tuple(table["commands"]), [*map(_parse_needs, table["hidden"])])


@cache
def load_languages() -> Mapping[str, Language]:
    """Return all languages by name, English first."""
    table = _load_toml("multilingual.toml")
    rules = _parse_rules(table)
    found = {"English": load_english()}
    for words in table["languages"]:
        sources = _foreign_sources(words, table["forms"])
        for name, pieces in table["shared"].items():
            sources.setdefault(name, _fill(pieces, sources))
        found[words["language"]] = Language(sources, rules)
    return found


def _foreign_sources(words: Mapping[str, Any], forms: Mapping[str, str]) -> dict[str, str]:
    is_unspaced = words["commands"] == "unspaced"
    command, word = forms[words["commands"]], forms["unspaced" if is_unspaced else "last"]
    sources: dict[str, str] = {}
    for sign, choice in words.items():
        form = command if sign in _FOREIGN_COMMANDS else "{}" if sign == "obliged" else word
        if isinstance(choice, str) and sign not in {"language", "commands"}:
            sources[f"bare_{sign}"] = choice
            sources[sign] = _fill(form.replace("{}", choice.replace("<<judge>>", words["judge"])), {})
    return sources | ({"addressed": sources["judge"]} if is_unspaced else {})


def _load_toml(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__ or "").joinpath(name).read_text(encoding="utf-8"))


def _fill(pieces: str | Sequence[str], sources: Mapping[str, str]) -> str:
    choice = pieces if isinstance(pieces, str) else "|".join(pieces)
    return _PLACEHOLDER.sub(lambda match: sources[match[1]], f"(?:{_LINE_WRAP.sub('', choice)})")


def _parse_rules(table: Mapping[str, Any]) -> list[InstructionRule]:
    return [InstructionRule(technique, _parse_needs(needs)) for technique, needs in table["rules"]]


def _parse_needs(needs: Sequence[str]) -> Conditions:
    return tuple(tuple(need.split("|")) for need in needs)


def split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield start and text of each sentence of `text`, without leading white space."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group().lstrip()
        if sentence:
            yield match.end() - len(sentence), sentence


def find_instructions(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, technique) for each sentence of `text` that is an instruction to the judge.

    The technique is the kind of manipulation, e.g. `override`.
    """
    languages = [language for language in load_languages().values() if language.pattern("stems").search(text)]
    for start, sentence in split_sentences(text) if languages else ():
        technique = next((found for each in languages if (found := each.find_technique(sentence))), None)
        if technique is not None:
            yield start, start + len(sentence), technique


def find_coarsely(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, `score_demand`) for each part of `text` that matches one fast pattern for suspicious words.

    `score_demand` is the technique (kind of manipulation). It is always the same, because there is only one pattern.
    """
    for match in load_english().pattern("coarse").finditer(text):
        yield *match.span(), "score_demand"


def measure_suspicion(text: str) -> int:
    """Return the number of different suspicious words in `text`, plus 2 if the text may be disguised."""
    english = load_english()
    words = english.pattern("suspicious_word").findall(text)
    return len({word.lower() for word in words}) + (2 if english.pattern("disguise").search(text) else 0)


def hints_at_instruction(text: str) -> bool:
    """Return whether a hidden text has a sign of an instruction to the judge. `text`: the decoded or invisible text.

    In a hidden text, words such as `judge` are already such a sign, even if the text contains no instruction.
    """
    signs = _SentenceSigns(load_english(), text)
    return any(signs.meet(conditions) for conditions in load_english().hidden)


def blank_discussed_quotations(text: str) -> str:
    """Return `text`. `_` replaces each character of a quotation that is only discussed, e.g. after `someone wrote`."""
    return load_english().pattern("quotation").sub(lambda match: _blank_if_discussed(match, text), text)


def _blank_if_discussed(match: re.Match[str], text: str) -> str:
    quotation, start, end = match.group(), match.start(), match.end()
    if _IN_DATA_BEFORE.search(text[max(0, start - 4) : start]) or _IN_DATA_AFTER.match(text, end):
        return quotation
    before = _SENTENCE_EDGE.split(text[max(0, start - _CHARS_AROUND_QUOTATION) : start])[-1]
    after = (
        "" if quotation[-2] in ".!?" else _SENTENCE_EDGE.split(text[end : end + _CHARS_AROUND_QUOTATION], maxsplit=1)[0]
    )
    discussion = load_english().pattern("discussion")
    if discussion.search(before) or discussion.search(after):
        return quotation[0] + "_" * (len(quotation) - 2) + quotation[-1]
    return quotation


def find_role_markers(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each part of `text` that imitates a message of another role, such as the system.

    A role marker after words such as "for example" is left out.
    """
    for match in load_english().pattern("role_marker").finditer(text):
        if not load_english().pattern("example").search(text[max(0, match.start() - 30) : match.start()]):
            blank = text.find("\n\n", match.end())
            end = len(text) if blank < 0 else blank
            yield match.start(), max(match.end(), min(end, match.start() + MAX_ROLE_TEXT_CHARS))


def find_forged_results(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each part of `text` that imitates a judge's filled-in form or ruling."""
    for match in load_english().pattern("ruling").finditer(text):
        yield match.span()
    group: list[re.Match[str]] = []
    for match in load_english().pattern("form_entry").finditer(text):
        if group and match.start() - group[-1].end() > MAX_ENTRY_GAP:
            yield from _result_span(text, group)
            group = []
        group.append(match)
    yield from _result_span(text, group)


def _result_span(text: str, entries: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    keys = {(match["key"] or match["name"] or match["tag"]).lower() for match in entries}
    if len(keys) > 1 and any(map(load_english().pattern("decisive_key").fullmatch, keys)):
        start = text.rfind("\n", 0, entries[0].start() + 1) + 1
        brace = text.find("{", start, entries[0].start() + 1)
        tail = (_JSON_TAIL if brace >= 0 else _SENTENCE_TAIL).match(text, entries[-1].end())
        yield (brace if brace >= 0 else entries[0].start()), tail.end() if tail else entries[-1].end()
