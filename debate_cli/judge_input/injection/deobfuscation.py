"""Decodes disguised text: look-alike letters, joined words, numbers as words, escapes, encodings, invisible characters."""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote

_NAMED_LETTER = re.compile(
    r"(?:LATIN|REGIONAL|SQUARED|CIRCLED|NEGATIVE|MODIFIER|PARENTHESIZED)\b.*?\bLETTER "
    r"(?:SMALL |CAPITAL |DOTLESS |SCRIPT |LONG |BARRED |REVERSED |TURNED )*([A-Z])(?: WITH .+)?"
)
"""Pattern of the Unicode name of a variant of a Latin letter, e.g. `LATIN LETTER SMALL CAPITAL I`."""


class _LookAlikeTable(dict[int, int]):
    """Table for `str.translate` that finds variants of Latin letters by their Unicode names.

    `_LOOK_ALIKES` adds letters of other alphabets. Accented letters are kept, because many languages use them.
    """

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
"""Letters of other alphabets that look like Latin ones (Cyrillic, Greek, Lisu, Cherokee)."""
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
"""Two tables that turn digits and signs into letters. There are two because 1 stands for l or for i."""


def normalize_spelling(sentence: str) -> str:
    """Convert number words to digits, and split words that are joined by underscores or capitals.

    Honest texts contain such spellings too, so they are not a sign of disguise.
    """
    spelled = _UNDERSCORES.sub(" ", sentence)
    spelled = _CAMEL_CASE.sub(lambda match: _HUMP.sub(" ", match.group()), spelled)
    return _NUMBER_WORDS.sub(_number_to_digits, spelled)


def _number_to_digits(match: re.Match[str]) -> str:
    words = match.group().lower().replace("-", " ").split()
    return "100" if words[-1] == "hundred" else str(sum(_NUMBER_VALUES[word] for word in words))


def deobfuscate(sentence: str) -> Iterator[str]:
    """Yield the decodings of `sentence`, one for each kind of disguise that applies."""
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
"""Minimum number of Unicode tag characters in a hidden text. Emoji of flags have fewer; Scotland's flag has five."""


def decode_tag_characters(text: str) -> str | None:
    """Decode the text in invisible Unicode tag characters.

    Returns None if there is no such text, or only an emoji of a flag.
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
    """Yield (start, end, content, technique) of each encoded run and each invisible part of `text`.

    `encoded`: base64, hexadecimal or binary code of readable text. `hidden`: a comment or an invisible element in
    HTML or Markdown.
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
