"""Writes superscripts and subscripts of pages and Word files as text."""

import re

from debate_cli.evidence.quantities import UNIT_WORDS

SUPERSCRIPT, SUBSCRIPT, SCRIPT_END = map(chr, range(6, 9))
"""Marks around a superscript or subscript in the collected text of a page. A source's own text never contains them."""
_SCRIPT = re.compile(f"([{SUPERSCRIPT}{SUBSCRIPT}])([^{SUPERSCRIPT}-{SCRIPT_END}]*){SCRIPT_END}")
_SUPERSCRIPT_CHARS = dict(zip("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾", strict=True))
_BRACKETED = re.compile(r"(?:\[+[^\[\]]+\]+[,;–-]?\s?)+")
_NUMBERS = re.compile(r"\d{1,3}(?:[,;–-]\s?\d{1,3})*")
_BEFORE_FOOTNOTE = re.compile(r"([^\W\d_]{4,20})[.,;:!?”]?$|\d ?[.,;:!?”%]$")
_ORDINAL_ENDING = re.compile(r"(?<=[\dIVXLCDM])(?i:st|nd|rd|th|er|ère|re|e|ème|o)")


def write_scripts(text: str) -> str:
    """Replace marked superscripts and subscripts in `text`, so that their digits do not join the number beside them.

    A superscript becomes Unicode superscripts, or `^(…)` if it has other characters than digits and signs. Footnotes become
    `[1]`: superscripts in brackets, and numbers after punctuation or after a word of at least four letters that is no unit.
    The endings of ordinal numbers and superscripts without letters and digits stay as they are. So do subscripts, as in
    `H2O`, except beside a digit: there they become `_(…)`.
    """
    return _SCRIPT.sub(_write_script, text)


def _write_script(match: re.Match[str]) -> str:
    text, (start, end), content = match.string, match.span(), match[2].strip()
    context, after = text[max(0, start - 24) : start].rstrip(SCRIPT_END), text[end : end + 1]
    before = context[-1:]
    is_plain = not any(map(str.isalnum, content))
    if match[1] == SUBSCRIPT:
        written = content if is_plain or not (before.isnumeric() or after.isnumeric()) else f"_({content})"
    elif footnotes := _find_footnotes(content, context):
        listed = " ".join(f"[{footnote}]" for footnote in footnotes)
        written = f" {listed}" if before.isalnum() or before in {"]", "%"} else listed
    elif all(char in _SUPERSCRIPT_CHARS for char in content):
        written = "".join(_SUPERSCRIPT_CHARS[char] for char in content)
    elif is_plain or _ORDINAL_ENDING.fullmatch(f"{before}{content}", len(before)):
        written = content
    else:
        written = f"^({content})"
    return written + (" " if match[2][-1:].isspace() else "")


def _find_footnotes(content: str, before: str) -> list[str]:
    """Return the footnotes that a superscript refers to, e.g. `1` and `2` for `1,2`. `before`: the text before it."""
    if _BRACKETED.fullmatch(content):
        return [part.strip() for part in re.split(r"[][]", content) if any(map(str.isalnum, part))]
    place = _BEFORE_FOOTNOTE.search(before) if _NUMBERS.fullmatch(content) else None
    return [] if place is None or (place[1] or "").lower() in UNIT_WORDS else re.findall(r"\d+", content)
