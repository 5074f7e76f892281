"""Writes superscripts and subscripts of pages and Word files as text."""

import re

SUPERSCRIPT, SUBSCRIPT, SCRIPT_END = map(chr, range(6, 9))
"""Characters that mark where a superscript or subscript begins and ends. A source's own text never contains them."""
_SCRIPT = re.compile(f"([{SUPERSCRIPT}{SUBSCRIPT}])([^{SUPERSCRIPT}-{SCRIPT_END}]*){SCRIPT_END}")
_SUPERSCRIPT_CHARS = dict(zip("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾", strict=True))
_FOOTNOTE = re.compile(r"\[[^\[\]]+\]")
_ORDINAL_ENDING = re.compile(r"(?<=[\dIVXLCDM])(?i:st|nd|rd|th|er|ère|re|e|ème|o)")


def write_scripts(text: str) -> str:
    """Replace the marked superscripts and subscripts in `text`. Their digits do not become part of a number beside them.

    In `text`, a superscript is between the characters `SUPERSCRIPT` and `SCRIPT_END`, and a subscript is between
    `SUBSCRIPT` and `SCRIPT_END`.

    - A superscript of digits and signs becomes Unicode superscripts, e.g. `10²`.
    - A footnote in brackets, the ending of an ordinal number, and a superscript without letters and digits become plain
      text.
    - Any other superscript becomes `^(…)`.
    - A subscript with letters or digits becomes `_(…)` if it is beside a digit. Any other subscript becomes plain text,
      e.g. `H2O`.
    """
    return _SCRIPT.sub(_write_script, text)


def _write_script(match: re.Match[str]) -> str:
    text, (start, end), content = match.string, match.span(), match[2].strip()
    before, after = text[max(0, start - 2) : start].rstrip(SCRIPT_END)[-1:], text[end : end + 1]
    is_plain = not any(map(str.isalnum, content))
    if match[1] == SUBSCRIPT:
        written = content if is_plain or not (before.isnumeric() or after.isnumeric()) else f"_({content})"
    elif all(char in _SUPERSCRIPT_CHARS for char in content):
        written = "".join(_SUPERSCRIPT_CHARS[char] for char in content)
    elif _FOOTNOTE.fullmatch(content):
        written = f" {content}" if before.isalnum() or before in {"]", "%"} else content
    elif is_plain or _ORDINAL_ENDING.fullmatch(f"{before}{content}", len(before)):
        written = content
    else:
        written = f"^({content})"
    return written + (" " if match[2][-1:].isspace() else "")
