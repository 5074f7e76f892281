"""Decodes the bytes of a file: UTF-8, UTF-16 or Windows-1252, with plain line ends and without control characters."""

import codecs
import re
from typing import NamedTuple

from debate_cli.domain.text_normalization import TERMINAL_SEQUENCES
from debate_cli.importing.speeches import UnreadableDebateError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
"""Byte order marks. If one begins with another, the longer one comes first."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MAX_CONTROL_SHARE = 0.01
"""Share of control characters above which a file is not text."""
_MIN_UTF16_BYTES = 8


class DecodedFile(NamedTuple):
    """The text of a file, and the name of its encoding."""

    text: str
    encoding: str


def decode_text(data: bytes) -> DecodedFile:
    """The text of `data` with newlines as line ends and without terminal sequences. Raises UnreadableDebateError for empty and binary files."""
    text, encoding = _decode(data)
    if len(_CONTROL.findall(text)) > _MAX_CONTROL_SHARE * len(text):
        raise UnreadableDebateError("is not a text file; export the debate as text, subtitles, CSV or JSON")
    text = _CONTROL.sub("", TERMINAL_SEQUENCES.sub("", text))
    if not text.strip("\ufeff \t\r\n"):
        raise UnreadableDebateError("is empty; name a file with a debate")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0b", "\n").replace("\x0c", "\n")
    return DecodedFile(lines.replace("\u2028", "\n").replace("\u2029", "\n\n"), encoding)


def _decode(data: bytes) -> tuple[str, str]:
    for mark, codec, name in _BOMS:
        if data.startswith(mark):
            return _decode_as(data, codec, name), name
    sample = data[:4096]
    if len(sample) >= _MIN_UTF16_BYTES and 0 in sample:
        for offset, codec in ((1, "utf-16-le"), (0, "utf-16-be")):
            if sample[offset::2].count(0) > 0.4 * len(sample[offset::2]) > sample[1 - offset :: 2].count(0):
                return _decode_as(data, codec, "UTF-16"), "UTF-16"
    try:
        return data.decode("utf-8"), "UTF-8"
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "Windows-1252"


def _decode_as(data: bytes, codec: str, name: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise UnreadableDebateError(f"is not valid {name} text; save it as UTF-8") from error
