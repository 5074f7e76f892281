"""Removes known secrets, and texts that look like API keys, from everything that is shown, written or sent.

Redacted JSON remains valid JSON.
"""

import base64
import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple, get_args

from debate_cli.domain.text_normalization import INVISIBLE_CHARS, TERMINAL_SEQUENCES, remove_invisible, reveal_text
from debate_cli.domain.turn import Phase
from debate_cli.errors import ModelError
from debate_cli.llm.model import RESTART, Model, OnText, Reply, Request

REDACTED = "[redacted]"
MIN_SECRET_CHARS = 6
"""Minimum length of a redacted value. A shorter value may be part of ordinary words."""
_EDGE_CHARS = " \t\r\n\"'\\"
"""Characters that are no part of a secret at its ends. A quotation mark there may be the end of a text in JSON."""
PLACEHOLDER_KEYS = frozenset({
    "ollama", "lm-studio", "not-needed", "no-key-required", "placeholder", "redacted", "default", "structured",
    *get_args(Phase),
})  # fmt: skip
"""Values that are never redacted: dummy keys for servers that need no key, and words of the transcript's format."""
_WORD_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))"
r"""Matches the start of a word. The `n` of a JSON escape `\n` does not belong to the word after it."""
_API_KEY = re.compile(
    _WORD_START
    + r"(?:c?sk-(?!learn)[A-Za-z0-9_*-]{8,}|pk-(?=[A-Za-z_*-]*[0-9])[A-Za-z0-9_*-]{8,}|AIza[A-Za-z0-9_-]{16,}|gsk_[A-Za-z0-9]{16,}|xai-[A-Za-z0-9]{16,}"
    + r"|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|AKIA[A-Z0-9]{16})"
)
_LONG_WORD = r"(?:(?=[A-Za-z._~+/=-]*[0-9])[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{16,})"
_BEARER = re.compile(rf"({_WORD_START}(?i:bearer)(?:\s|\\[nrt])+){_LONG_WORD}")
_KEY_HEADER = re.compile(
    r"""((?i:api(?:(-)|_?)key)\\?["']?\s*[:=]\s*\\?["']?)(?(2)|(?=[A-Za-z._~+/-]*[0-9]))[A-Za-z0-9._~+/-]{6,}"""
)
_URL_CREDENTIALS = re.compile(
    r"""((?<=[A-Za-z0-9+.-])://)(?:[^\s/:@"'\\<>\[\]]*:[^\s/@"'\\<>\[\]]+|[^\s/:@"'\\<>\[\]]{12,})(?=@)"""
)

_WORD = re.compile("[!-~]+")
_KEY_LABEL = "(?i:bearer|api[-_]?key)"
_WORD_CHAR = f"[!-~{INVISIBLE_CHARS}]"
_LAST_WORD = re.compile(
    rf"(?:(?<!{_WORD_CHAR})|{_KEY_LABEL}\S{{0,4}}\s+)(?:{_WORD_CHAR}++[ \t]*[\r\n]\s*)*+{_WORD_CHAR}*+\Z"
    rf"|{_KEY_LABEL}\S{{0,4}}\s*\Z"
)
"""Matches the last word, together with words before it that are separated from it by line breaks alone."""
_MAX_KEY_CHARS = 200
_MAX_DISGUISE_FACTOR = 7
"""Maximum factor by which invisible characters or JSON escapes lengthen a secret."""
MIN_ENCODED_CHARS = 8
"""A secret in hexadecimal or Base64 code is removed only if the code has at least this many characters, because shorter
codes occur in ordinary text."""
MAX_ENCODED_FACTOR = 9
"""Maximum length of an encoded secret, as a multiple of the secret's length. In a URL, one `€` becomes nine
characters."""
MAX_LAYERS = 4
"""Maximum number of codes around a character, e.g. 2 for a percent code in JSON in JSON, `\\u0025`."""
_HIDDEN = re.compile(rf"{TERMINAL_SEQUENCES.pattern}|[{INVISIBLE_CHARS}]")
_HEX = "[0-9a-fA-F]"
_CODED = re.compile(  # faster: all alternatives begin with the same character class
    rf"[\\%&\r\n](?:(?<=\\)\\*+(?:u(?P<unit>{_HEX}{{4}})|x(?P<byte>{_HEX}{{2}})|[nr][ \t]*|([\"'/]))?|(?<=%)(?P<percent>{_HEX}{{2}})"
    rf"|(?<=&)(?P<reference>(?:\#\d{{1,7}}|\#[xX]{_HEX}{{1,6}}|[A-Za-z]\w{{1,31}});)|(?<=[\r\n])[ \t\r\n]*)"
)
"""Matches what stands for another character, or for none: escapes of JSON, JavaScript and Python, percent codes of URLs,
character references of HTML, and line breaks."""


def _decode(text: str) -> str:
    """Return `text` without codes, line breaks and backslashes. In this form, secret and text are compared."""
    for _ in range(MAX_LAYERS):
        decoded = remove_invisible(_CODED.sub(_decode_match, text))
        if decoded == text:
            break
        text = decoded
    return text


def _decode_match(found: re.Match[str]) -> str:
    if found.lastindex is None:
        return ""
    code = found[found.lastindex]
    match found.lastgroup:
        case "unit" | "byte" | "percent":
            return chr(int(code, 16))
        case "reference":
            return html.unescape(f"&{code}")
        case _:
            return code


class _Code(NamedTuple):
    decoded_end: int
    """Index after the decoded character, in the decoded text."""
    start: int
    end: int


def _find_codes(text: str) -> list[list[_Code]]:
    """Return the codes that `_decode` replaces in `text`, one layer after the other."""
    layers, decoded = list[list[_Code]](), _decode(text)
    for pattern in (_CODED, _HIDDEN) * MAX_LAYERS:
        if text == decoded:
            break
        parts, codes, at, length = list[str](), list[_Code](), 0, 0
        for match in pattern.finditer(text):
            char = _decode_match(match) if pattern is _CODED else ""
            parts += text[at : match.start()], char
            length += match.start() - at + len(char)
            at = match.end()
            codes.append(_Code(length, match.start(), at))
        text = "".join([*parts, text[at:]])
        layers.append(codes)
    return layers


def _find_source(layers: Sequence[Sequence[_Code]], start: int, end: int) -> tuple[int, int]:
    """Return where the decoded characters from `start` to `end` are in the text before it was decoded."""
    for codes in reversed(layers):
        last, number = _find_source_start(codes, end - 1)
        is_coded = number < len(codes) and codes[number].start == last
        start, end = _find_source_start(codes, start)[0], codes[number].end if is_coded else last + 1
    return start, end


def _find_source_start(codes: Sequence[_Code], index: int) -> tuple[int, int]:
    """Return where the decoded character at `index` starts in the source, and how many codes are before it."""
    number = bisect_right(codes, index, key=attrgetter("decoded_end"))
    before = codes[number - 1] if number else _Code(0, 0, 0)
    return before.end + index - before.decoded_end, number


def _spellings(secret: str) -> Iterator[str]:
    """Yield how `secret` may be spelled in a decoded text. In URLs, a space may be `+`, and `é` is two codes."""
    data = secret.encode(errors="surrogatepass")
    yield from filter(None, map(_decode, (secret, secret.replace(" ", "+"), data.decode("latin-1"))))
    yield from (code for code in (data.hex(), data.hex().upper(), *_base64(data)) if len(code) >= MIN_ENCODED_CHARS)


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
    """Replaces secrets in text.

    `secrets`: values to replace, also in the codes of JSON, URLs and HTML, in hexadecimal code and in Base64. A value may
    be broken over lines.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        cores = {secret.strip(_EDGE_CHARS) for secret in secrets}
        wanted = sorted(filter(_is_secret, cores), key=len, reverse=True)
        self._literals = tuple(secret for secret in wanted if "\\" not in secret)  # a part of `\\\\` is no JSON
        self._spellings = {spelling: len(secret) for secret in wanted for spelling in _spellings(secret)}
        """Maps each text that is looked for in a decoded text to the length of its secret."""
        self._longest = MAX_ENCODED_FACTOR * max(map(len, wanted), default=0)
        self._is_word_only = all(_WORD.fullmatch(secret) for secret in wanted)
        """Whether all secrets, and so the lines of their encodings, consist of printable ASCII characters without spaces."""

    def __call__(self, text: str) -> str:
        """Return `text` without secrets. Also finds secrets that contain escapes or invisible characters."""
        text = _redact_patterns(self._redact_values(text))
        revealed = reveal_text(text)
        if revealed == text:
            return text
        redacted = _redact_patterns(revealed)
        return text if redacted == revealed else redacted

    def _redact_values(self, text: str) -> str:
        for secret in self._literals:
            text = text.replace(secret, REDACTED)
        parts, at = list[str](), 0
        for start, end in self._find_coded(text):
            if start >= at:
                parts += text[at:start], REDACTED
            at = max(at, end)
        return "".join([*parts, text[at:]])

    def _find_coded(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each secret in `text`, sorted. They may overlap."""
        decoded, found = _decode(text), list[tuple[int, int]]()
        spellings = [spelling for spelling in self._spellings if spelling in decoded]
        layers = _find_codes(text) if spellings else []
        for spelling in spellings:
            at = decoded.find(spelling)
            while at >= 0:
                start, end = _find_source(layers, at, at + len(spelling))
                if end - start >= self._spellings[spelling]:  # no code is shorter than what it stands for
                    found.append((start, end))
                at = decoded.find(spelling, at + 1)
        return sorted(found)

    def finds_secret(self, text: str) -> bool:
        """Return whether `text` contains one of the secrets, in plain or encoded form."""
        return any(secret in text for secret in self._literals) or bool(self._find_coded(text))

    def uncertain_tail(self, text: str) -> int:
        """Return how many characters at the end of `text` may be the beginning of a secret."""
        longest = max(self._longest, _MAX_KEY_CHARS)
        if not self._is_word_only:
            return min(len(text), longest)
        last = _LAST_WORD.search(text)
        return min(len(last.group()) if last else 0, _MAX_DISGUISE_FACTOR * longest)


def _redact_patterns(text: str) -> str:
    text = _API_KEY.sub(REDACTED, text)
    for pattern in (_BEARER, _KEY_HEADER, _URL_CREDENTIALS):
        text = pattern.sub(_keep_prefix, text)  # faster: `re` parses a template such as `\1` again for each text
    return text


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
