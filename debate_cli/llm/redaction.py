"""Removes known secrets, and texts that look like API keys, from everything that is shown, written or sent.

Redacted JSON remains valid JSON.
"""

import base64
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from html.entities import html5
from typing import get_args
from urllib.parse import quote, quote_plus

from debate_cli.domain.text_normalization import INVISIBLE_CHARS, is_invisible, reveal_text
from debate_cli.domain.turn import Phase
from debate_cli.errors import ModelError
from debate_cli.llm.model import RESTART, Model, OnText, Reply, Request

REDACTED = "[redacted]"
MIN_SECRET_CHARS = 6
"""Minimum length of a redacted value. A shorter value may be part of ordinary words."""
PLACEHOLDER_KEYS = frozenset({
    "ollama", "lm-studio", "not-needed", "no-key-required", "placeholder", "redacted", "default", "structured",
    *get_args(Phase),
})  # fmt: skip
"""Values that are never redacted: dummy keys for servers that need no key, and words that the program itself writes
into transcripts, e.g. names of phases."""
_WORD_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))"
r"""Matches the start of a word. The `n` of a JSON escape `\n` does not belong to the word after it."""
_API_KEY = re.compile(
    _WORD_START
    + r"(?:c?sk-(?!learn)[A-Za-z0-9_*-]{8,}|pk-(?=[A-Za-z_*-]*[0-9])[A-Za-z0-9_*-]{8,}|AIza[A-Za-z0-9_-]{16,}|gsk_[A-Za-z0-9]{16,}|xai-[A-Za-z0-9]{16,}"
    + r"|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|AKIA[A-Z0-9]{16})"
)
_LONG_WORD = r"(?:(?=[A-Za-z._~+/=-]*[0-9])[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{16,})"
_BEARER = re.compile(rf"({_WORD_START}(?i:bearer)(?:\s|\\[nrt])+){_LONG_WORD}")
_SPACE = r"(?:\s|\\{1,8}[nrt])*+"
"""Matches white space, also as JSON escapes."""
_QUOTE = r"""(?:\\{0,8}["'])?"""
_KEY_HEADER = re.compile(
    rf"((?i:api(?:(-)|_?)key){_QUOTE}{_SPACE}[:=]{_SPACE}{_QUOTE})"
    r"(?(2)|(?=[A-Za-z._~+/-]*[0-9]))[A-Za-z0-9._~+/-]{6,}"
)
_URL_CREDENTIALS = re.compile(
    r"""((?<=[A-Za-z0-9+.-])://)(?:[^\s/:@"'\\<>\[\]]*:[^\s/@"'\\<>\[\]]+|[^\s/:@"'\\<>\[\]]{12,})(?=@)"""
)

_WORD = re.compile("[!-~]+")
_KEY_LABEL = "(?i:bearer|api[-_]?key)"
_WORD_CHAR = f"[!-~{INVISIBLE_CHARS}]"
_LAST_WORD = re.compile(rf"(?:(?<!{_WORD_CHAR})|{_KEY_LABEL}\S{{0,4}}\s+){_WORD_CHAR}++\Z|{_KEY_LABEL}\S{{0,4}}\s*\Z")
_MAX_KEY_CHARS = 200
_MAX_DISGUISE_FACTOR = 7
"""Maximum factor by which invisible characters or JSON escapes lengthen a secret."""
MIN_ENCODED_CHARS = 8
"""Minimum length of the hexadecimal or Base64 encoding of a secret. Shorter encodings are not removed, because they
occur in ordinary text."""
MIN_SPACED_DIGITS = 32
"""The hexadecimal encoding of a secret may consist of digits and white space only. Such an encoding is removed only if
it has at least this many digits. A shorter one may be numbers in a table: `31 32 33 34 35 36` can be six ages, or the
encoding of `123456`."""
MAX_ENCODED_FACTOR = 9
"""Maximum length of an encoded secret, as a multiple of the secret's length. In a URL, one `€` becomes nine
characters."""
_UP_TO_8_BACKSLASHES = r"\\{0,8}"
_PATTERN_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_*.~+/=:@ ")
"""Characters that can occur in an API key, in a header with a key, or in a URL with a password."""


def _compile_secrets(secrets: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds `secrets` in plain and encoded form; None if there are no secrets."""
    spellings = [
        spelling
        for secret in secrets
        for spelling in (
            "".join(map(_character_pattern, secret)),
            *map(_encoding_pattern, sorted(_url_encodings(secret) | _codes(secret))),
        )
    ]
    return re.compile("|".join(spellings)) if spellings else None


def _character_pattern(char: str) -> str:
    if char == "\\":
        return r"\\{1,16}"
    if char.isascii() and char.isalnum():
        return char
    plain = f"{_UP_TO_8_BACKSLASHES}{re.escape(char)}"
    return rf"(?:{plain}|\\{{1,8}}u(?i:{ord(char):04x}))" if ord(char) <= 0xFFFF else plain  # noqa: PLR2004 - larger ones have no single \u escape


def _encoding_pattern(encoded: str) -> str:
    """Return a pattern that finds `encoded`, an encoded secret. It finds `%2B` also in lower case (`%2b`)."""
    return re.sub("%..", r"(?i:\g<0>)", re.escape(encoded))


def _url_encodings(secret: str) -> set[str]:
    data = secret.encode(errors="surrogatepass")
    return {quote(data), quote(data, safe=""), quote_plus(data)} - {secret}


def _codes(secret: str) -> set[str]:
    """Return the hexadecimal and Base64 encodings of `secret`, except those shorter than MIN_ENCODED_CHARS."""
    data = secret.encode(errors="surrogatepass")
    codes = {data.hex(), data.hex().upper(), *_base64(data)}
    return {code for code in codes if len(code) >= MIN_ENCODED_CHARS}


def _base64(data: bytes) -> Iterator[str]:
    """Yield the Base64 encodings that `data` can have as a part of longer data.

    The encoding depends on the number of bytes before `data`.
    """
    for before in range(3):
        code = base64.b64encode(bytes(before) + data).decode()
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        yield code[first:last]
        yield code[first:last].replace("+", "-").replace("/", "_")


class Redactor:
    """Replaces secrets in text, also secrets that are encoded for JSON, URLs or HTML, or in hexadecimal or Base64.

    A hexadecimal or Base64 encoding may contain spaces, tabs and line breaks.

    `secrets`: values to replace. A value is replaced wherever it occurs, even if it is a number or part of a longer
    number, because a password may look like any other number.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        wanted = sorted({secret for secret in secrets if _is_secret(secret)}, key=lambda secret: (-len(secret), secret))
        self._values = _compile_secrets(wanted)
        codes = [code for secret in wanted for code in sorted(_codes(secret))]
        self._spaced_codes = [code for code in codes if len(code) >= MIN_SPACED_DIGITS or not code.isdecimal()]
        self._entity_chars = _PATTERN_CHARS.union(*wanted)
        self._longest = MAX_ENCODED_FACTOR * max(map(len, wanted), default=0)
        self._has_only_words = all(_WORD.fullmatch(secret) for secret in wanted)
        """Whether each secret is one word of printable ASCII characters. Then each of its encodings is one word too."""

    def __call__(self, text: str) -> str:
        """Return `text` without secrets. Also finds secrets that contain JSON escapes or invisible characters."""
        text = self._redact_plain(text)
        revealed = reveal_text(text)
        if revealed == text:
            return text
        redacted = self._redact_plain(revealed)
        return text if redacted == revealed else redacted

    def _redact_plain(self, text: str) -> str:
        if self._values is not None:
            text = self._redact_spaced_codes(self._values.sub(REDACTED, text))
        text = _API_KEY.sub(REDACTED, text)
        for pattern in (_BEARER, _KEY_HEADER, _URL_CREDENTIALS):
            text = pattern.sub(_keep_prefix, text)  # faster: `re` parses a template such as `\1` again for each text
        return self._redact_entities(text) if "&" in text or r"\u0026" in text else text

    def _redact_spaced_codes(self, text: str) -> str:
        """Return `text` without secrets whose hexadecimal or Base64 encoding contains spaces, tabs or line breaks."""
        if not self._spaced_codes or not any(space in text for space in (" ", "\t", "\n", "\\n")):
            return text
        joined = _remove_space(text)
        return self._spaced_code.sub(REDACTED, text) if any(code in joined for code in self._spaced_codes) else text

    @cached_property
    def _spaced_code(self) -> re.Pattern[str]:
        return re.compile("|".join(_SPACE.join(map(re.escape, code)) for code in self._spaced_codes))

    def _redact_entities(self, text: str) -> str:
        """Return `text` without secrets that are written with HTML entities. Entities outside secrets stay."""
        decoded = _DecodedText(text, self._entity_chars)
        if decoded.text == text:
            return text
        patterns = [_API_KEY, _BEARER, _KEY_HEADER, _URL_CREDENTIALS, *([self._values] if self._values else [])]
        found = [match for pattern in patterns for match in pattern.finditer(decoded.text)]
        spans = sorted((match.end(1) if match.re.groups else match.start(), match.end()) for match in found)
        parts, at = list[str](), 0
        for start, end in spans:
            first, last = decoded.original(start), decoded.original(end)
            if first >= at:
                parts += (text[at:first], REDACTED)
            at = max(at, last)
        return "".join((*parts, text[at:]))

    def finds_secret(self, text: str) -> bool:
        """Return whether `text` contains one of the secrets, in plain or encoded form."""
        return self._values is not None and self._values.search(text) is not None

    def uncertain_tail(self, text: str) -> int:
        """Return how many characters at the end of `text` may be the beginning of a secret."""
        longest = max(self._longest, _MAX_KEY_CHARS)
        if not self._has_only_words:
            return min(len(text), longest)
        last = _LAST_WORD.search(text)
        of_word = min(len(last.group()) if last else 0, _MAX_DISGUISE_FACTOR * longest)
        return max(of_word, self._length_of_spaced_code(text[-longest:]))

    def _length_of_spaced_code(self, text: str) -> int:
        """Return how many characters at the end of `text` are the beginning of a secret in hexadecimal or Base64.

        The encoding may contain white space, which is counted.
        """
        joined = "".join(text.split())
        length = max((_overlap(joined, code) for code in self._spaced_codes), default=0)
        at = len(text)
        while length:
            at -= 1
            length -= not text[at].isspace()
        return len(text) - at


def _remove_space(text: str) -> str:
    """Return `text` without spaces, tabs and line breaks, also if these are JSON escapes."""
    if "\\n" in text:
        text = text.replace("\\r", "").replace("\\t", "\t").replace("\\n", "\n")
    return "".join([line.strip("\\ \t") for line in text.splitlines()]).replace(" ", "").replace("\t", "")


@cache
def _entity_pattern(chars: frozenset[str]) -> re.Pattern[str]:
    r"""Return a pattern that finds HTML entities, e.g. `&#115;`, `&amp;#115;` or, in JSON, `\u0026#115;`.

    Entities with a name, e.g. `&colon;`, are found only if they stand for one of `chars` or for an invisible character.
    """
    names = sorted(name for name, char in html5.items() if name.endswith(";") and (char in chars or is_invisible(char)))
    return re.compile(
        rf"(?:&|(?<!\\)\\++u0026)(?:amp;)*(?:#(?:[xX]0*([0-9a-fA-F]{{1,6}})|0*([0-9]{{1,7}}));?|({'|'.join(names)}))"
    )


class _DecodedText:
    """A text in which certain HTML entities are decoded, i.e. replaced by their characters.

    - The entity of a character in `chars` is decoded.
    - The entity of any other invisible character is removed.
    - All other entities stay unchanged.
    """

    def __init__(self, text: str, chars: frozenset[str]) -> None:
        parts, at, length = list[str](), 0, 0
        self._decoded_ends: list[int] = []
        """For each decoded entity, the position after its character in `self.text`."""
        self._original_ends: list[int] = []
        """For each decoded entity, the position after the entity in the original text."""
        for entity in _entity_pattern(chars).finditer(text):
            char = _entity_char(entity)
            if char not in chars and (not char or " " <= char <= "~" or not is_invisible(char)):
                continue
            shown = char if char in chars else ""
            parts += (text[at : entity.start()], shown)
            length += entity.start() - at + len(shown)
            at = entity.end()
            self._decoded_ends.append(length)
            self._original_ends.append(at)
        self.text = "".join((*parts, text[at:]))

    def original(self, position: int) -> int:
        """Convert `position`, a position in the decoded text `self.text`, to the position in the original text."""
        index = bisect_right(self._decoded_ends, position) - 1
        return position if index < 0 else self._original_ends[index] + position - self._decoded_ends[index]


def _entity_char(entity: re.Match[str]) -> str:
    """Return the character of an HTML entity; an empty text if it has none."""
    hexadecimal, decimal, name = entity.groups()
    if name is not None:
        return html5[name]
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return chr(code) if code <= sys.maxunicode else ""


def _overlap(text: str, code: str) -> int:
    """Return how many characters at the end of `text` are the beginning of `code`. Always less than `len(code)`."""
    at = text.find(code[0], max(0, len(text) - len(code) + 1))
    while at >= 0 and not code.startswith(text[at:]):
        at = text.find(code[0], at + 1)
    return 0 if at < 0 else len(text) - at


def _keep_prefix(match: re.Match[str]) -> str:
    return match[1] + REDACTED


def looks_like_secret(text: str) -> bool:
    """Whether `text` contains what looks like a key, a bearer token or a URL with a password."""
    return any(pattern.search(text) for pattern in (_API_KEY, _BEARER, _URL_CREDENTIALS))


def _is_secret(secret: str) -> bool:
    return len(secret) >= MIN_SECRET_CHARS and secret.lower() not in PLACEHOLDER_KEYS and secret not in REDACTED


class RedactingModel:
    """Removes secrets from the answers and errors of `model`."""

    def __init__(self, model: Model, redact: Redactor) -> None:
        self._model = model
        self._redact = redact

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`. Remove secrets from the stream, the reply and errors."""
        stream = None if on_text is None else _RedactingStream(on_text, self._redact)
        try:
            reply = await self._model.complete(request, stream)
        except ModelError as error:
            error.args = tuple(self._redact(part) if isinstance(part, str) else part for part in error.args)
            raise
        if stream is not None:
            stream.flush()
        refusal = None if reply.refusal is None else self._redact(reply.refusal)
        return replace(reply, text=self._redact(reply.text), refusal=refusal)


class _RedactingStream:
    def __init__(self, on_text: OnText, redact: Redactor) -> None:
        self._on_text = on_text
        self._redact = redact
        self._buffer = ""

    def __call__(self, piece: str) -> None:
        if piece == RESTART:
            self._buffer = ""
            self._on_text(RESTART)
            return
        self._buffer = self._redact(self._buffer + piece)
        self._emit(len(self._buffer) - self._redact.uncertain_tail(self._buffer))

    def flush(self) -> None:
        self._emit(len(self._buffer))

    def _emit(self, count: int) -> None:
        if count:
            self._on_text(self._buffer[:count])
            self._buffer = self._buffer[count:]
