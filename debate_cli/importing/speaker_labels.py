"""Decides which `Name:` at the start of a line (also after a time, as in chats) names a speaker, and which is speech.

A name begins with a capital letter (`Ann Lee`) or a letter without case (`王伟`), or is one word, e.g. `user_1`.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from debate_cli.domain.message_text import one_line, printable_line
from debate_cli.domain.text_normalization import remove_invisible

MAX_NAME_CHARS = 60
MAX_NAME_WORDS = 7
TIME = (
    r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ T])?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?: ?[AaPp]\.?[Mm]\.?(?!\w))?"
)
"""Pattern of a time of day, or of a time in a recording. A date may precede the time."""
_LABEL = re.compile(
    rf"(?P<indent>[ \t]*)(?:>>[ \t]*)?(?:[\[(]?(?P<before>{TIME})[\])]?(?:[ \t]+-)?[ \t]+)?"
    r"(?P<name>[^\s:：\[\](){}<>\"“”„«»#*|/][^:：\n\[\](){}<>\"“”„«»#*|/]{0,79}?)[ \t]*"
    r"(?:[\[(](?P<aside>[^\])\n]{1,80})[\])][ \t]*)?(?::(?=\s|$)|：)[ \t]*(?P<words>.*)"
)
_TIMED_NAME = re.compile(
    rf"(?P<indent>[ \t]*)(?P<name>[^\s:\[\](){{}}<>\"#*|/][^:\n\[\](){{}}<>\"#*|/]{{0,79}}?)[ \t]+[\[(]?(?P<before>{TIME})[\])]?[ \t]*"
)
_TIME_ONLY = re.compile(rf"[ \t]*(?:[\[(]{TIME}[\])]|\d{{1,2}}:\d{{2}}:\d{{2}}(?:[.,]\d{{1,3}})?)[ \t]*")
_IS_TIME = re.compile(TIME)
_PARTICLES = frozenset({
    "al", "and", "at", "bin", "da", "de", "del", "den", "der", "di", "du", "e", "el", "for", "la", "le", "of", "the", "van", "von", "y", "à",
})  # fmt: skip
_RARELY_NAMES = frozenset({
    "action", "advantages", "agenda", "also", "answer", "appendix", "attention", "background", "because", "but", "chapter", "claim", "closing",
    "conclusion", "cons", "context", "contention", "cross-examination", "date", "debate", "definition", "disadvantages",
    "discussion", "edit", "evidence", "example", "examples", "fact", "figure", "final", "finally", "first", "firstly",
    "format", "from", "hence", "hint", "however", "http", "https", "i", "in", "introduction", "key", "location",
    "methods", "motion", "next", "note", "notes", "objection", "on", "opening", "p.s", "part", "point", "points", "ps",
    "premise", "problem", "pros", "quote", "reason", "reasons", "rebuttal", "references", "remember", "reminder",
    "resolution", "resolved", "response", "result", "results", "round", "rule", "second", "secondly", "section",
    "session", "so", "solution", "source", "sources", "statement", "step", "subject", "summary", "table", "that", "then",
    "therefore", "third", "thirdly", "thus", "tip", "title", "to", "topic", "transcript", "update", "verdict", "warning",
})  # fmt: skip
_SECTION_WORDS = frozenset({
    "argument", "arguments", "case", "closing", "closings", "comments", "cross-examination", "debate", "evidence", "examination", "floor",
    "opening", "openings", "part", "questions", "rebuttal", "rebuttals", "remarks", "round", "session", "speech", "speeches", "statement",
    "statements", "summary", "vote", "voting",
})  # fmt: skip
_EDGES = " \t.,;"


class SpeakerLabel(NamedTuple):
    """A label at the start of a line, such as `Name:`, which may name a speaker."""

    name: str
    words: str
    """The rest of the line. If a remark is beside the name, it comes first: for `Ann (laughs): Yes`, this is
    `(laughs) Yes`."""
    indent: int = 0
    has_time: bool = False
    """Whether a time stamp is beside the name."""


def parse_label(line: str) -> SpeakerLabel | None:
    """Return the label at the start of `line`; None if there is no label."""
    match = _LABEL.match(line) or _TIMED_NAME.fullmatch(line)
    if match is None:
        return None
    found = match.groupdict()
    aside = found.get("aside") or ""
    is_time = bool(_IS_TIME.fullmatch(aside))
    remark = f"({aside})" if aside and not is_time else ""
    name = clean_name(match["name"])
    if not name:
        return None
    words = " ".join(filter(None, (remark, (found.get("words") or "").strip())))
    return SpeakerLabel(name, words, len(match["indent"]), is_time or match["before"] is not None)


def is_time_stamp(line: str) -> bool:
    """Return whether `line` contains only a time stamp: a time in brackets, or a time with seconds."""
    return _TIME_ONLY.fullmatch(line) is not None


def clean_name(name: str) -> str:
    """Return `name` on one line, in NFC, without invisible characters and without punctuation at its ends."""
    plain = remove_invisible(unicodedata.normalize("NFC", name))
    return one_line(printable_line(plain)).strip(_EDGES)


def fold_name(name: str) -> str:
    """Return `name` in lower case and with single spaces, for comparison with other names."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def select_names(names: Iterable[str]) -> frozenset[str]:
    """Return the probable speakers among `names`, in lower case. Leaves out words such as `Note`.

    `names`: each label of a text without its colon, e.g. `["Anna", "Note", "Anna"]`.
    """
    places = list(names)
    counts = Counter(map(fold_name, places))
    several = {name for name, count in counts.items() if count > 1}
    shaped = {fold_name(name) for name in places if looks_like_name(name)}
    words = {
        fold_name(name) for name in places if re.fullmatch(r"[@\w.'’-]+", name) and any(map(str.isalpha, name))
    } - shaped
    common = {name for name in shaped | words if name.split(maxsplit=1)[0].strip(_EDGES) in _RARELY_NAMES}
    chosen = (shaped - common) | (words - common if not shaped - common else words & several)
    return frozenset(chosen | (common & several))


def looks_like_name(name: str) -> bool:
    """Return whether every word of `name` is written like a part of a person's name."""
    words = name.split()
    if not 0 < len(words) <= MAX_NAME_WORDS or len(name) > MAX_NAME_CHARS or re.search(r"[!?;=%,]", name):
        return False
    return starts_like_name(words[0]) and all(
        starts_like_name(word) or word[0].isdigit() or word.casefold() in _PARTICLES or word == "&"
        for word in words[1:]
    )


def names_section(heading: str) -> bool:
    """Return whether `heading` names a part of the debate, such as `Opening Statements` or `Round 2`."""
    words = [word.strip(_EDGES) for word in fold_name(heading).split()]
    return not words or words[0] in _RARELY_NAMES or words[-1] in _SECTION_WORDS or words[0] in _SECTION_WORDS


def starts_like_name(word: str) -> bool:
    """Return whether the first letter or digit of `word` is a letter that can begin a name.

    Capital letters and letters without case, e.g. `王`, can begin a name. A small letter can begin a name only if the
    letter stays small at the start of a word, e.g. `გ`.
    """
    first = next((char for char in word if char.isalnum()), "")
    return first.isalpha() and (not first.islower() or first.title() == first)
