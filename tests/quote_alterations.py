"""Makes genuine and altered quotes of a passage, for the tests and the benchmark of the quote check."""

import random
import re
from collections.abc import Callable, Mapping

Kind = Callable[[str, random.Random], str | None]
"""Makes a quote of a passage; None if the passage offers nothing of the kind."""

_DASHES = "-‐‑‒–—−"
_QUOTES = {'"': '"“”„«»', "'": "'‘’"}
_OTHER_QUOTES = {mark: family for family in _QUOTES.values() for mark in family}
_CURRENCY_SIGNS = "$€£¥"
_SPACES = (" ", "  ", "\n", "\t", "\u00a0", " \n ", "\u2009")
_NEGATIONS = re.compile(
    r"\b(?:not|never|no|cannot|without|neither|nor|none|nothing|nobody|nowhere|hardly|barely|scarcely"
    r"|nicht|nichts|nie|niemals|kein\w*|niemand|weder|ohne|kaum|ne|pas|(?<![-\w])non(?!-)|jamais|aucune?|rien|ni|sans|guère"
    r"|nunca|jamás|ningun[oa]|ningún|nada|nadie|tampoco|sin)\b|\bn['’](?=\w)|n['’]t\b",
    re.IGNORECASE,
)
_SWAPS = {
    "modal": "may:will might:will can:must could:will should:must must:may will:may would:may shall:may",
    "comparison": "more:less less:more greater:smaller smaller:greater before:after after:before higher:lower lower:higher "
    "above:below below:above least:most most:least larger:smaller longer:shorter fewer:more better:worse first:last "
    "minimum:maximum maximum:minimum increases:decreases faster:slower all:some always:sometimes only:also",
    "unit": "percent:points seconds:minutes minutes:hours hours:days days:weeks bytes:bits milliseconds:seconds years:months "
    "second:minute day:month million:billion MB:GB KB:MB bits:bytes",
}
_NOUN = re.compile(
    r"(?<![\w\"'`.<-])(?!(?:[mcsw]h?ould|except|must|might|without|this|that|never|than|then|when|most|other|under|after|over|better|another|together|either|whether|neither|rather|ever|however|latest|against|during|among|nothing|something|anything|everything|different|least|first|last)\b)"
    r"(?:[a-z]{4,}[b-hj-np-rtv-z]s|[a-z]{3,}(?:er|or|ion|ment|ent|ant|ck|nd|st|al|el))\b(?![-\"'’`_(./=<])"
)
_NAMES = ("Kessler", "Amazon", "Brussels", "Okafor", "Toyota", "Lindqvist", "Kyoto", "Stripe")


def span(passage: str, draw: random.Random, low: int = 4, high: int = 40) -> str | None:
    """A contiguous span of `low` to `high` words, with at least three that hold a letter or digit.

    None also for a span that could cut a number from its unit: it ends with a digit, or begins with one after a sign.
    """
    words = list(re.finditer(r"\S+", passage))
    size = draw.randint(low, high)
    if len(words) < size:
        return None
    at = draw.randrange(len(words) - size + 1)
    text = passage[words[at].start() : words[at + size - 1].end()]
    starts_after_sign = at > 0 and text[0] in "-0123456789" and words[at - 1][0] in _CURRENCY_SIGNS
    if starts_after_sign or (text[-1].isdigit() and at + size < len(words)):
        return None
    return text if sum(any(map(str.isalnum, word)) for word in text.split()) >= 3 else None


def retype(text: str, draw: random.Random) -> str:
    """`text` with other cases, spaces, dashes and quotation marks."""
    case = draw.choice((str.upper, str.lower, str.title, str))
    typed = "".join(_retype_char(char, draw) for char in case(text))
    return re.sub(r"\s+", lambda _: draw.choice(_SPACES), typed)


def _retype_char(char: str, draw: random.Random) -> str:
    return draw.choice(_DASHES if char in _DASHES else _OTHER_QUOTES.get(char, char))


def _exact(passage: str, draw: random.Random) -> str | None:
    return span(passage, draw)


def _retyped(passage: str, draw: random.Random) -> str | None:
    text = span(passage, draw)
    return retype(text, draw) if text else None


def _with_ellipsis(passage: str, draw: random.Random) -> str | None:
    """Two spans up to 40 words apart, with no negation between them."""
    words = list(re.finditer(r"\S+", passage))
    first, gap, second = draw.randint(4, 10), draw.randint(1, 40), draw.randint(4, 10)
    if len(words) < first + gap + second:
        return None
    at = draw.randrange(len(words) - first - gap - second + 1)
    starts = [words[at + offset].start() for offset in (0, first, first + gap)]
    left_out = passage[starts[1] : starts[2]]
    parts = passage[starts[0] : starts[1]].strip(), passage[starts[2] : words[at + first + gap + second - 1].end()]
    short = any(sum(any(map(str.isalnum, word)) for word in part.split()) < 3 for part in parts)
    if _NEGATIONS.search(left_out) or short:
        return None
    return f"{parts[0]}{draw.choice((' … ', ' ... ', ' [...] ', '... '))}{parts[1]}"


def _article(passage: str, draw: random.Random) -> str | None:
    def change(match: re.Match[str]) -> str:
        return draw.choice(("", "a ", "the ")) if match[0].strip() in {"a", "the", "an"} else match[0]

    return _changed_inside(passage, draw, re.compile(r"\b(?:the|a|an)\s"), change)


def _inflection(passage: str, draw: random.Random) -> str | None:
    def change(match: re.Match[str]) -> str:
        return match[0][:-1] if match[0].endswith("s") else f"{match[0]}s"

    return _changed_inside(passage, draw, _NOUN, change)


def _hyphenated(passage: str, draw: random.Random) -> str | None:
    """A span with a word that is broken at a line end."""
    return _changed_inside(passage, draw, re.compile(r"(?<= [a-z]{4})(?=[a-z]{4,} )"), lambda _: "-\n")


def _changed_inside(
    passage: str, draw: random.Random, pattern: re.Pattern[str], change: Callable[[re.Match[str]], str]
) -> str | None:
    """A span in which one match of `pattern`, not at its ends, is changed, so that it is nowhere in the passage."""
    for _ in range(12):
        text = span(passage, draw, 6)
        if not text:
            continue
        first, last = text.find(" ") + 1, text.rfind(" ")
        matches = [match for match in pattern.finditer(text) if first <= match.start() and match.end() <= last]
        if first <= 0 or not matches:
            continue
        match = draw.choice(matches)
        changed = text[: match.start()] + change(match) + text[match.end() :]
        if _plain(changed) not in _plain(passage):
            return changed
    return None


def _plain(text: str) -> str:
    """The words of `text` between single spaces, without the punctuation between and around them."""
    words = (word.strip(".,;:!?'\"()[]“”’‘*`") for word in text.lower().split())
    return f" {' '.join(word for word in words if any(map(str.isalnum, word)))} "


def _number(passage: str, draw: random.Random) -> str | None:
    def change(match: re.Match[str]) -> str:
        digits = list(match[0])
        at = draw.choice([index for index, char in enumerate(digits) if char.isdigit()])
        digits[at] = draw.choice([digit for digit in "0123456789" if digit != digits[at]])
        return "".join(digits)

    return _changed_inside(passage, draw, re.compile(r"\d[\d.,]*\d|\d"), change)


def _negation_dropped(passage: str, draw: random.Random) -> str | None:
    pattern = re.compile(r"\b(?:not|never|no)\s|(?<=\w)n['’]t\b|(?<=can)not\b", re.IGNORECASE)
    return _changed_inside(passage, draw, pattern, lambda _: "")


def _negation_added(passage: str, draw: random.Random) -> str | None:
    pattern = re.compile(r"\b(?:is|are|was|were|can|will|may|must|should|does|has|have)\b(?! not)", re.IGNORECASE)
    return _changed_inside(passage, draw, pattern, lambda match: f"{match[0]} not")


def _name(passage: str, draw: random.Random) -> str | None:
    pattern = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
    return _changed_inside(passage, draw, pattern, lambda _: draw.choice(_NAMES))


def _swap(name: str) -> Kind:
    swaps = dict(pair.split(":") for pair in _SWAPS[name].split())
    pattern = re.compile(rf"\b(?:{'|'.join(swaps)})\b", re.IGNORECASE)

    def swapped(passage: str, draw: random.Random) -> str | None:
        return _changed_inside(
            passage, draw, pattern, lambda match: swaps.get(match[0], swaps.get(match[0].lower(), "x"))
        )

    return swapped


def _ellipsis_over_negation(passage: str, draw: random.Random) -> str | None:
    negation = draw.choice(list(_NEGATIONS.finditer(passage)) or [None])
    if negation is None:
        return None
    before, after = passage[: negation.start()].split()[:-1], passage[negation.end() :].split()[1:]
    size = draw.randint(3, 8)
    parts = [" ".join(before[-size:]), " ".join(after[:size])]
    if min(len(before), len(after)) < size or _plain(" ".join(parts)) in _plain(passage):
        return None
    return " … ".join(parts)


def _number_format(passage: str, draw: random.Random) -> str | None:
    """A number with a point or comma in another place, or as part of a range."""

    def change(match: re.Match[str]) -> str:
        number = match[0]
        return draw.choice((f"{number[:-1]}.{number[-1]}", f"{number}–{number}0", f"{number},5", f"{number}/{number}"))

    return _changed_inside(passage, draw, re.compile(r"(?<![\w.,:/-])\d{2,6}(?![\w.,:/-])"), change)


def _cut_in_word(passage: str, draw: random.Random) -> str | None:
    """A span without the first letters of its first word."""
    text = span(passage, draw)
    match = re.match(r"[A-Za-z]{2}(?=[A-Za-z]{3,})", text or "")
    if text is None or match is None or _plain(text[match.end() :]) in _plain(passage):
        return None
    return text[match.end() :]


GENUINE: Mapping[str, Kind] = {
    "exact": _exact,
    "retyped": _retyped,
    "ellipsis": _with_ellipsis,
    "article": _article,
    "inflection": _inflection,
    "hyphenated": _hyphenated,
}
"""Quotes that are the passage's words, or differ harmlessly."""
ALTERATIONS: Mapping[str, Kind] = {
    "number": _number,
    "number format": _number_format,
    "negation dropped": _negation_dropped,
    "negation added": _negation_added,
    "name": _name,
    "modal": _swap("modal"),
    "comparison": _swap("comparison"),
    "unit": _swap("unit"),
    "cut inside a word": _cut_in_word,
    "ellipsis over a negation": _ellipsis_over_negation,
}
"""Quotes that say something else."""
