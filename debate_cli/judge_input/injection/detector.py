"""Detects words in a speech that address the judge, with fixed rules and without a model.

Only instructions to the judge are found. A speech may discuss judges, prompts and injections without a finding.
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

from debate_cli.judge_input.injection.rules import (
    NAME_PLACEHOLDER,
    blank_discussed_quotations,
    find_coarsely,
    find_forged_results,
    find_instructions,
    find_role_markers,
    hints_at_instruction,
    measure_suspicion,
    split_sentences,
)
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt

_NAMED_LETTER = re.compile(
    r"(?:LATIN|REGIONAL|SQUARED|CIRCLED|NEGATIVE|MODIFIER|PARENTHESIZED)\b.*?\bLETTER "
    r"(?:SMALL |CAPITAL |DOTLESS |SCRIPT |LONG |BARRED |REVERSED |TURNED )*([A-Z])(?: WITH .+)?"
)


class _LookAlikeTable(dict[int, int]):
    def __missing__(self, code: int) -> int:
        char = chr(code)
        is_plain = code <= 0x7F or unicodedata.decomposition(char)  # noqa: PLR2004 - the end of ASCII
        match = None if is_plain else _NAMED_LETTER.fullmatch(unicodedata.name(char, ""))
        self[code] = code if match is None else ord(match[1].lower() if char.islower() else match[1])
        return self[code]


_LOOK_ALIKES = _LookAlikeTable(
    str.maketrans(
        "АВЕЅІЈКМНОРСТУХаеіјорсухѕԁһԛԝгкмтнвΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυιɡɩɑꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏔᏕᏙᏚᏞᏟᏢᏦᏧ",
        "ABESIJKMHOPCTYXaeijopcyxsdhqwrkmthbABEZHIKMNOPTYXavopuigiaBPdDTGKJCZFMNLSRVHWXYAEIOUDRTiYAJEWMHYGhZWSVSLCPKJ",
    )
)
_UNDERSCORES = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")
_CAMEL_CASE = re.compile(r"\b[A-Z]?[a-z]+(?:[A-Z][a-z]+){3,}\b")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_NUMBER_VALUES = {word: index for index, word in enumerate(_UNITS)} | {
    word: 10 * index for index, word in enumerate(_TENS, start=2)
}
_NUMBER_WORDS = re.compile(
    rf"\b(?:(?:(?:a|one) )?hundred|(?:{'|'.join(_TENS)})[ -](?:{'|'.join(_UNITS[1:10])})"
    rf"|{'|'.join(_TENS)}|{'|'.join(sorted(_UNITS, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_SPACED_LETTERS = re.compile(r"(?<![\w'’])[A-Za-z](?:([ \t.\-_*·])[A-Za-z])(?:\1[A-Za-z])+(?!\w)")
_ESCAPE = re.compile(r"&#x?[0-9A-Fa-f]{2,6};|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}")
_KEYWORDS = [
    "ignore", "disregard", "instructions", "judge", "winner", "verdict", "previous", "rules", "score", "vote",
    "affirmative", "negative",
]  # fmt: skip
_REVERSED = re.compile(rf"\b(?:{'|'.join(word[::-1] for word in _KEYWORDS)})\b", re.IGNORECASE)
_ROT13 = re.compile(rf"\b(?:{'|'.join(codecs.encode(word, 'rot13') for word in _KEYWORDS)})\b", re.IGNORECASE)
_LEET_WORD = re.compile(r"(?<![\w$@])(?=[\w$@]*[A-Za-z])(?=[\w$@]*[0-9$@])[A-Za-z0-9$@]{2,40}(?![\w$@])")
_LEET_TABLES = (str.maketrans("013457$@", "olaastsa"), str.maketrans("013457$@", "oieastsa"))


def normalize_spelling(sentence: str) -> str:
    """Return `sentence` with number words as digits, and with joined words (`giveProTheWin`) split."""
    spelled = _UNDERSCORES.sub(" ", sentence)
    spelled = _CAMEL_CASE.sub(lambda match: _HUMP.sub(" ", match.group()), spelled)
    return _NUMBER_WORDS.sub(_number_to_digits, spelled)


def _number_to_digits(match: re.Match[str]) -> str:
    words = match.group().lower().replace("-", " ").split()
    return "100" if words[-1] == "hundred" else str(sum(_NUMBER_VALUES[word] for word in words))


def deobfuscate(sentence: str) -> Iterator[str]:
    """Yield possible decodings of `sentence`, for example from ROT13 or leetspeak (`1gn0re`)."""
    bare = _ESCAPE.sub(_decode_escape, sentence).translate(_LOOK_ALIKES)
    bare = _SPACED_LETTERS.sub(lambda match: match.group()[::2], bare)
    if bare != sentence:
        yield bare
    if _LEET_WORD.search(bare):
        for table in _LEET_TABLES:
            yield _LEET_WORD.sub(lambda match, table=table: match.group().translate(table), bare)
    if _REVERSED.search(sentence):
        yield sentence[::-1]
    if _ROT13.search(sentence):
        yield codecs.encode(sentence, "rot13")


def _decode_escape(match: re.Match[str]) -> str:
    code = match.group()
    if code.startswith("&"):
        return html.unescape(code)
    return unquote(code) if code.startswith("%") else chr(int(f"0x{code[2:]}", 0))


_TAG_CHARACTERS = range(0xE0020, 0xE007F)
MIN_TAG_CHARS = 8
"""Minimum number of Unicode tag characters in a hidden text. Fewer may be part of a flag emoji (up to five)."""


def decode_tag_characters(text: str) -> str | None:
    """Return the ASCII text that is written in `text` with invisible Unicode tag characters.

    Return None if `text` has fewer than `MIN_TAG_CHARS` tag characters.
    """
    letters = [chr(ord(char) - 0xE0000) for char in text if ord(char) in _TAG_CHARACTERS]
    return "".join(letters) if len(letters) >= MIN_TAG_CHARS else None


_INVISIBLE_PART = re.compile(
    r"<!--(?P<comment>.{1,500}?)-->|^\[[^\]\n]{0,40}\]:\s*#\s*[(\"'](?P<note>[^\n]{1,300})[)\"']"
    r"|<\w{1,20}\b[^<>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|hidden\b|"
    r"color\s*[:=]\s*[\"']?\s*(?:white|#fff|transparent))[^<>]{0,200}>(?P<unseen>[^<]{1,500})",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,}={0,2}(?![A-Za-z0-9+/=_-])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}[ :]?){10,}(?![0-9A-Za-z])")
_BINARY = re.compile(r"(?<![0-9])(?:[01]{8}\s?){4,}(?![0-9])")


def find_hidden_texts(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield (start, end, content, technique) of each encoded or invisible part of `text`.

    - `start` and `end`: position of the part in `text`.
    - `content`: the decoded text of an encoded part, or the words of an invisible part.
    - `technique`: `encoded`, e.g. for base64, or `hidden`, e.g. for a comment in HTML.
    """
    for pattern, decode in _CODES:
        for match in pattern.finditer(text):
            try:
                content = decode(match.group().strip())
            except (ValueError, binascii.Error):
                continue
            if content.replace("\n", " ").isprintable():
                yield *match.span(), unicodedata.normalize("NFKC", content), "encoded"
    for match in _INVISIBLE_PART.finditer(text):
        yield *match.span(), match["comment"] or match["note"] or match["unseen"], "hidden"


def _decode_base64(run: str) -> str:
    digits = run.rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True).decode()


_CODES: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (_BASE64, _decode_base64),
    (_HEX, lambda run: bytes.fromhex(re.sub(r"^0x|[ :]", "", run)).decode()),
    (_BINARY, lambda run: bytes(int(byte, 2) for byte in re.findall("[01]{8}", run)).decode()),
)


REMOVAL_MARKER = "[removed: addressed to the judge]"
TAKEOVER_TECHNIQUES = frozenset({"override", "role_marker", "encoded", "hidden"})
"""Techniques of manipulation that never occur in an honest text of a debater, judge or user."""
MAX_MASKING_PASSES = 3
"""Maximum number of passes of `mask_injection` over a text. Another pass is needed if the words before and after a
masked instruction form a new instruction."""
MAX_EXAMINED_CHARS = 60_000
"""Maximum number of characters of a text that are examined with all rules. In a longer text, the most suspicious parts are
examined with all rules, and the rest with one fast pattern."""
MAX_LEAD_CHARS = 200
"""Maximum number of characters of a turn's end that are searched together with the same speaker's next turn. An
instruction may begin in one turn and continue in the next."""
_UNFINISHED_SENTENCE = re.compile(r"[^.!?。！？\n]*[^.!?。！？\n\"”’)\]]\Z")
_PIECE = re.compile(r"[^\n]{1,2000}(?:[.!?](?=\s)|\n|$)|[^\n]{1,2000}|\n{1,2000}")
Span = tuple[int, int, str]
"""Start and end of words in the sanitized text, and the technique of manipulation, e.g. `override`."""


class Hit(NamedTuple):
    """Words of a text that address the judge.

    `start` and `end` are positions in the sanitized text. Exception: for invisible words, which the sanitized text
    lacks, both are the length of the sanitized text.
    """

    start: int
    end: int
    quote: str
    technique: str
    """How the words try to influence the judge: `override`, `score_demand`, `new_rubric`, `fake_verdict`,
    `false_consensus`, `false_authority`, `role_marker`, `role_play`, `output_order`, `pressure`, `conditional`,
    `hidden` or `encoded`; or `addressed_to_judge` if the judge reported them."""


@lru_cache(maxsize=4096)
def detect_injection(
    text: str, names: tuple[str, ...] = (), only: frozenset[str] | None = None, after: str = ""
) -> tuple[Hit, ...]:
    """Return the words of the sanitized `text` that address the judge, in order and without overlaps.

    - `names`: names of the debaters.
    - `only`: techniques to search for; None means all techniques.
    - `after`: end of the speaker's previous turn. An instruction may begin there and continue in `text`.
    """
    sanitized = sanitize_for_prompt(text)
    examined = _mask_names(_blank_removals(sanitized), names)
    found = chain(_find_spans(examined, names), _find_continued_spans(examined, names, after))
    merged: list[Span] = []
    for span in sorted(span for span in found if only is None or span[2] in only):
        if merged and span[0] < merged[-1][1]:  # overlapping spans are one hit, with the technique of the first
            start, end, technique = merged[-1]
            merged[-1] = (start, max(end, span[1]), technique)
        else:
            merged.append(span)
    hits = [Hit(start, end, sanitized[start:end].strip(), technique) for start, end, technique in merged]
    hidden = decode_tag_characters(text)
    if hidden is not None:
        hits.append(Hit(len(sanitized), len(sanitized), hidden, "encoded"))
    return tuple(hits)


@lru_cache(maxsize=4096)
def mask_injection(text: str, names: tuple[str, ...] = (), only: frozenset[str] | None = None, after: str = "") -> str:
    """Return the sanitized text with `REMOVAL_MARKER` in place of all words that address the judge.

    The parameters are those of `detect_injection`.
    """
    masked = sanitize_for_prompt(text)
    for _ in range(MAX_MASKING_PASSES if len(masked) <= MAX_EXAMINED_CHARS else 1):
        hits = [hit for hit in detect_injection(masked, names, only, after) if hit.end > hit.start]
        for hit in reversed(hits):
            masked = masked[: hit.start] + REMOVAL_MARKER + masked[hit.end :]
        if not hits:
            break
    return masked


def _mask_names(text: str, names: tuple[str, ...], flags: re.RegexFlag = re.NOFLAG) -> str:
    clean_names = {sanitize_for_prompt(name) for name in names}
    choice = "|".join(re.escape(name) for name in sorted(clean_names, key=len, reverse=True) if len(name) > 1)
    if not choice:
        return text
    return re.sub(rf"(?<!\w)(?:{choice})(?!\w)", lambda match: NAME_PLACEHOLDER * len(match.group()), text, flags=flags)


def _blank_removals(text: str) -> str:
    return text.replace(REMOVAL_MARKER, "\n" * len(REMOVAL_MARKER))


def _find_continued_spans(text: str, names: tuple[str, ...], after: str) -> Iterator[Span]:
    begun = _UNFINISHED_SENTENCE.search(sanitize_for_prompt(after[-MAX_LEAD_CHARS:]).rstrip()) if after else None
    first = next(split_sentences(text), None)
    if begun is None or first is None:
        return
    lead = _mask_names(_blank_removals(begun.group().lstrip()), names) + " "
    if any(_find_spans_in_piece(lead, names)):
        return
    start, sentence = first
    for begin, end, technique in _find_spans_in_piece(lead + sentence, names):
        if begin < len(lead) < end:
            yield start, start + end - len(lead), technique


def _find_spans(text: str, names: tuple[str, ...]) -> Iterator[Span]:
    if len(text) <= MAX_EXAMINED_CHARS:
        yield from _find_spans_in_piece(text, names)
        return
    pieces = [(match.start(), match.group()) for match in _PIECE.finditer(text)]
    pieces.sort(key=lambda piece: measure_suspicion(piece[1]), reverse=True)
    examined = 0
    for start, part in pieces:
        spans = _find_spans_in_piece(part, names) if examined < MAX_EXAMINED_CHARS else find_coarsely(part)
        examined += len(part)
        yield from ((start + begin, start + end, technique) for begin, end, technique in spans)


def _find_spans_in_piece(text: str, names: tuple[str, ...]) -> Iterator[Span]:
    plain = _find_plain_spans(text)
    yield from plain
    for start, sentence in split_sentences(text):
        end = start + len(sentence)
        is_found = any(begin < end and start < stop for begin, stop, _ in plain)
        spelled = _mask_names(normalize_spelling(sentence), names, re.IGNORECASE)
        if spelled != sentence and not is_found:
            yield from ((start, end, technique) for _, _, technique in _find_plain_spans(spelled))
        for decoded in deobfuscate(sentence):
            if _find_plain_spans(_mask_names(decoded, names, re.IGNORECASE)):
                yield start, end, "encoded"
    for start, end, content, technique in find_hidden_texts(text):
        if hints_at_instruction(_mask_names(content, names)):
            yield start, end, technique


@lru_cache(maxsize=4096)
def _find_plain_spans(text: str) -> tuple[Span, ...]:
    unquoted = blank_discussed_quotations(text)
    return (
        *find_instructions(unquoted),
        *((start, end, "fake_verdict") for start, end in find_forged_results(unquoted)),
        *((start, end, "role_marker") for start, end in find_role_markers(unquoted)),
    )
