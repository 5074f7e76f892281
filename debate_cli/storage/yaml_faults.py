"""What a YAML parser stumbles over, in the words of people who write configurations.

The parser names rules of the grammar; what was done wrong is read off the text around the place. It is PyYAML's wording
that is understood here, of its C parser and of its Python one; whatever else it may say comes out as a general sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from debate_cli.storage.position import SourcePosition

LocatedMessage = tuple[SourcePosition, str]
_CLOSING_BRACKETS = {"[": "]", "{": "}"}
_SPECIAL_SPACE = re.compile(r"^ *(?:- +)*(?:[\w.-]+:)?[ ]*[\xa0\u1680\u2000-\u200b\u202f\u205f\u3000]")
_WIDE_COLON = re.compile(r"^ *(?:- +)*[\w.-]+：")
_MERGE_CONFLICT = re.compile(r"^(?:<{7} |={7}$|>{7} )")
_MISSING_SPACE = re.compile(r"^ *(?:- +)*[A-Za-z_][\w.-]*:(?!//)[^\s:]")
_TOP_KEY = re.compile(r"[\w.-]+:(?=\s|$)")
_HAS_VALUE = re.compile(r":\s+[^\s#|>]")
_KEY = re.compile(r":(?=\s|$)")
_LINE_START = re.compile(r"\s*(?:- +)*")
_TAB_MESSAGE = "a tab stands where the line is indented; indent with blanks"
_AFTER_QUOTE_MESSAGE = (
    "nothing may follow a closing quote; put the whole text in quotes, and write a quote within it twice in '…', "
    'or as \\" in "…"'
)
_TOO_DEEP_MESSAGE = (
    "this line stands deeper than the one above and goes on with its value; align its key with the others, or put a "
    "text that holds `: ` in quotes"
)
_COLON_IN_TEXT_MESSAGE = (
    "a colon inside a text needs quotes; put the whole text in them, or begin a key on a line of its own"
)
_INVALID_FIRST_CHARS = "@`%&*!|>,[]{}?-:"
_VALUE_NOT_ALLOWED = "mapping values are not allowed"
_GENERAL_MESSAGE = (
    "this cannot be read as YAML; look here for a missing quote, bracket or colon, and for wrong indentation"
)


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """What the parser said, and where."""

    problem: str
    context: str
    """What it was reading; empty where it did not say."""
    position: SourcePosition
    context_position: SourcePosition
    """Where what it was reading began; `at` where it did not say."""
    lines: Sequence[str] = field(repr=False)
    """The whole text, by `lines_of`."""

    def line(self, number: int) -> str:
        """A line by its number from 1; empty where there is none."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    @property
    def text_before(self) -> str:
        """What stands before the place on its line."""
        return self.line(self.position.line)[: self.position.column - 1]

    @property
    def text_after(self) -> str:
        """What stands at the place and behind it on its line."""
        return self.line(self.position.line)[self.position.column - 1 :]

    @property
    def is_at_end(self) -> bool:
        """Whether nothing but blanks follows in the whole text."""
        return not self.text_after.strip() and not any(line.strip() for line in self.lines[self.position.line :])

    def content_line_above(self, number: int) -> int:
        """The number of the nearest line above that holds something else than a comment; 0 for none."""
        lines = self.lines
        return next((one for one in range(number - 1, 0, -1) if _has_content(lines[one - 1])), 0)


def split_lines(text: str) -> list[str]:
    """The lines of a text, as the parser counts them."""
    return re.split(r"\r\n|[\n\r\x85\u2028\u2029]", text)


def explain_parse_failure(stumble: ParseFailure) -> LocatedMessage:
    """Where the mistake probably is, and one sentence on what it is and what to do."""
    said = f"{stumble.context}: {stumble.problem}"
    told = (tell(stumble) for words, tell in _EXPLAINERS if re.search(words, said))
    at, message = _find_foreign_character(stumble) or next(told, (stumble.position, _GENERAL_MESSAGE))
    last = len(stumble.lines)
    return (at if at.line <= last else SourcePosition(last, len(stumble.line(last)) + 1)), message


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _find_foreign_character(stumble: ParseFailure) -> LocatedMessage | None:
    """A sign that is no YAML but looks like it, or that another tool left, in the lines of which the parser speaks."""
    for number in sorted({stumble.context_position.line, stumble.position.line, *_joined_lines(stumble)}):
        line = stumble.line(number)
        start = SourcePosition(number, _indent_column(line))
        if _MERGE_CONFLICT.match(line):
            return start, "a mark of a merge conflict stands here; settle the conflict and remove its marks"
        if line.lstrip().startswith("```"):
            return start, "a mark of a Markdown code block stands here; remove it"
        if found := _SPECIAL_SPACE.match(line):
            return SourcePosition(
                number, found.end()
            ), "a special blank stands here, such as a no-break space; type a plain one"
        if found := _WIDE_COLON.match(line):
            return SourcePosition(number, found.end()), "this is not the colon of YAML; write `: `"
    return None


def _joined_lines(stumble: ParseFailure) -> Sequence[int]:
    """The number of the line above where it and the beginning of this one were read as one text, as if it had no key.

    Elsewhere it may stand within a text of its own, in which every sign may be.
    """
    as_one = _VALUE_NOT_ALLOWED in stumble.problem and not _KEY.search(stumble.text_before)
    return (stumble.content_line_above(stumble.position.line),) if as_one else ()


def _indent_column(line: str) -> int:
    return len(line) - len(line.lstrip()) + 1


def _fixed_explanation(message: str, *, at_beginning: bool = False) -> Callable[[ParseFailure], LocatedMessage]:
    """One sentence whatever the text is, at the place or where what was being read began."""
    return lambda stumble: (stumble.context_position if at_beginning else stumble.position, message)


def _explain_colon(stumble: ParseFailure) -> LocatedMessage:
    """A colon where no key can be: inside a text, or because of the line above."""
    if _KEY.search(stumble.text_before):
        return stumble.position, _COLON_IN_TEXT_MESSAGE
    above = stumble.content_line_above(stumble.position.line)
    line = stumble.line(above)
    if above and not _KEY.search(line) and not _is_continuation(stumble, above):
        return _explain_missing_key(stumble, above)
    return SourcePosition(
        stumble.position.line, _indent_column(stumble.text_before + "x")
    ), _TOO_DEEP_MESSAGE if above else _COLON_IN_TEXT_MESSAGE


def _is_continuation(stumble: ParseFailure, number: int) -> bool:
    """Whether a line without a key goes on with the value of a line above that stands less deep."""
    depth = _indent_column(stumble.line(number))
    above = stumble.content_line_above(number)
    while above and _indent_column(stumble.line(above)) >= depth:
        above = stumble.content_line_above(above)
    return bool(above) and _HAS_VALUE.search(stumble.line(above)) is not None


def _explain_missing_key(stumble: ParseFailure, number: int) -> LocatedMessage:
    """A line that should be a key and a value."""
    line = stumble.line(number)
    glued = _MISSING_SPACE.match(line)
    if glued:
        return SourcePosition(number, glued.end()), "a blank is missing after the colon of this key; write `key: value`"
    lead = _LINE_START.match(line)
    column = (lead.end() if lead else 0) + 1
    message = "no colon follows, so this is no key; write `key: value`, or indent a line that goes on with a text above"
    return SourcePosition(number, column), message


def _explain_document(stumble: ParseFailure) -> LocatedMessage:
    """Something that does not belong to the mapping that was read."""
    written = [number for number, line in enumerate(stumble.lines, start=1) if _has_content(line)]
    first = written[0] if written else stumble.position.line
    if stumble.line(first).startswith("%"):
        return _explain_directive(replace(stumble, context_position=SourcePosition(first, 1)))
    if any(stumble.line(number).startswith("...") for number in written if number <= stumble.position.line):
        return stumble.position, "`...` ends a document and nothing may follow it; remove it"
    if not stumble.text_before.strip() and stumble.position.column < _indent_column(stumble.line(first)):
        return (
            stumble.position,
            "this line begins further left than the first one; begin all of them in the same column",
        )
    return stumble.position, "this does not belong to what stands before it; write one mapping of keys to values"


def _explain_entry(stumble: ParseFailure) -> LocatedMessage:
    """Something that is no further entry of the mapping or list that is being read."""
    if stumble.text_before.strip(" -"):
        return _explain_trailing_text(stumble)
    if stumble.text_after.startswith(":"):
        return stumble.position, "a key is missing before this colon; write `key: value`"
    if stumble.text_after.startswith(("- ", "-\t")) or stumble.text_after.rstrip() == "-":
        return stumble.position, "an item of a list stands among keys; indent it below the key whose list it belongs to"
    if stumble.text_after.startswith("-") and re.search(r"collection|sequence", stumble.context):
        return stumble.position, "a blank is missing after the `-` of this item; write `- `"
    if re.search(r"collection|sequence", stumble.context):
        return (
            stumble.position,
            "this line fits no item of the list above; align it with the item's keys, or begin it with `- `",
        )
    return (
        stumble.position,
        "the indentation of this line fits nothing above; align it with the keys that it belongs to",
    )


def _explain_trailing_text(stumble: ParseFailure) -> LocatedMessage:
    """Something behind a value that was complete."""
    last, sign = stumble.text_before.rstrip()[-1:], stumble.text_after[:1]
    if sign in {",", ";"}:
        return stumble.position, f"a line ends without `{sign}`; remove it"
    if sign in {"]", "}"}:
        return stumble.position, f"this `{sign}` closes nothing; remove it"
    if last in {"]", "}"}:
        return stumble.position, "nothing may follow a closing bracket; put a text that begins with a bracket in quotes"
    return stumble.position, _AFTER_QUOTE_MESSAGE if last in {'"', "'"} else _GENERAL_MESSAGE


def _explain_bracket(stumble: ParseFailure) -> LocatedMessage:
    """A list or mapping between brackets that goes wrong."""
    opening = stumble.line(stumble.context_position.line)[stumble.context_position.column - 1 :][:1]
    closing = _CLOSING_BRACKETS.get(opening, "]` or `}")
    left_open = (
        stumble.context_position < SourcePosition(stumble.position.line, 1) and stumble.context_position.column > 1
    )
    if stumble.is_at_end or (left_open and _TOP_KEY.match(stumble.line(stumble.position.line))):
        return stumble.context_position, f"this `{opening}` is never closed; add `{closing}`"
    if stumble.text_after.startswith("{") and stumble.text_before.endswith("$"):
        return SourcePosition(
            stumble.position.line, stumble.position.column - 1
        ), '`${…}` between brackets needs quotes; write "${…}"'
    place = f"the `{opening}` of line {stumble.context_position.line}, column {stumble.context_position.column}"
    if stumble.text_after[:1] in {"]", "}"}:
        return (
            stumble.position,
            f"{place} is closed by `{closing}`, not by `{stumble.text_after[:1]}`; make them a pair",
        )
    return stumble.position, f"a comma or `{closing}` is missing before this, as {place} is still open; add it"


def _explain_first_character(stumble: ParseFailure) -> LocatedMessage:
    """A sign that no value begins with."""
    sign = stumble.text_after[:1]
    if sign == "\t":
        return stumble.position, _TAB_MESSAGE
    if stumble.is_at_end and not sign.strip():
        return stumble.position, "a value or a closing bracket is missing at the end; add it"
    if sign and sign in ",]}" and "flow" in stumble.context:
        return stumble.position, f"a value is missing before this `{sign}`; write one, or remove what is too much"
    return (
        (stumble.position, _bad_start_message(sign))
        if sign and sign in _INVALID_FIRST_CHARS
        else _explain_document(stumble)
    )


def _bad_start_message(sign: str) -> str:
    return f"a text cannot begin with {f'`{sign}`' if sign != '`' else 'a backtick'}; put it in quotes"


def _explain_context_start(stumble: ParseFailure) -> LocatedMessage:
    """The same, noticed behind it."""
    sign = stumble.line(stumble.context_position.line)[stumble.context_position.column - 1 :][:1]
    return stumble.context_position, _bad_start_message(sign)


def _explain_backslash(stumble: ParseFailure) -> LocatedMessage:
    line = stumble.line(stumble.position.line)
    place = line.rfind("\\", 0, stumble.position.column)
    message = (
        "a backslash in double quotes begins a sign such as `\\n`, and this is none; write two, or use single quotes"
    )
    return (SourcePosition(stumble.position.line, place + 1) if place >= 0 else stumble.position), message


def _explain_directive(stumble: ParseFailure) -> LocatedMessage:
    message = "a line that begins with `%` gives orders to the reader of YAML; remove it, or put a text in quotes"
    return stumble.context_position, message


_EXPLAINERS: tuple[tuple[str, Callable[[ParseFailure], LocatedMessage]], ...] = (
    (r"\btab\b", _fixed_explanation(_TAB_MESSAGE)),
    (r"directive|incompatible YAML", _explain_directive),
    (_VALUE_NOT_ALLOWED, _explain_colon),
    (r"mapping keys are not allowed", _explain_first_character),
    (r"sequence entries are not allowed", _fixed_explanation(
        "a list begins on a line of its own; move the `-` to the next line, or put a text that begins with it in quotes")),
    (r"expected ':'", lambda stumble: _explain_missing_key(stumble, stumble.context_position.line)),
    (r"<document start>", _explain_document),
    (r"end of stream|document (?:indicator|separator)", _fixed_explanation(
        "this quote is never closed; add the closing one, or put a text that begins with a quote in other quotes",
        at_beginning=True)),
    (r"quoted scalar|double-quoted", _explain_backslash),
    (r"expected ',' or '[\]}]'", _explain_bracket),
    (r"block (?:mapping|collection|sequence)", _explain_entry),
    (r"an (?:alias|anchor)", _explain_context_start),
    (r"indicator equal to 0|indicator in the range", _fixed_explanation("the number after `|` or `>` is 1 to 9; leave it out")),
    (r"block scalar", _fixed_explanation(
        "after `|` or `>` a text begins on the next line; put one that begins with such a sign in quotes",
        at_beginning=True)),
    (r"\btag\b", _fixed_explanation(
        "tags are not allowed; remove the `!…`, or put a text that begins with it in quotes", at_beginning=True)),
    (r"cannot start any token|node content", _explain_first_character),
)  # fmt: skip
"""Words of the parser, and who knows what they mean; the first that fits."""
