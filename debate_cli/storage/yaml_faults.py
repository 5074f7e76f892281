"""What a YAML parser stumbles over, in the words of people who write configurations.

The parser names rules of the grammar; what was done wrong is read off the text around the place. It is PyYAML's wording
that is understood here, of its C parser and of its Python one; whatever else it may say comes out as a general sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from debate_cli.storage.position import Position

Told = tuple[Position, str]
_CLOSERS = {"[": "]", "{": "}"}
_ODD_BLANK = re.compile(r"^ *(?:- +)*(?:[\w.-]+:)?[ ]*[\xa0\u1680\u2000-\u200b\u202f\u205f\u3000]")
_WIDE_COLON = re.compile(r"^ *(?:- +)*[\w.-]+：")
_CONFLICT = re.compile(r"^(?:<{7} |={7}$|>{7} )")
_GLUED = re.compile(r"^ *(?:- +)*[A-Za-z_][\w.-]*:(?!//)[^\s:]")
_TOP_KEY = re.compile(r"[\w.-]+:(?=\s|$)")
_HAS_VALUE = re.compile(r":\s+[^\s#|>]")
_KEY = re.compile(r":(?=\s|$)")
_LEAD = re.compile(r"\s*(?:- +)*")
_TAB = "a tab stands where the line is indented; indent with blanks"
_FOLLOWS_QUOTE = (
    "nothing may follow a closing quote; put the whole text in quotes, and write a quote within it twice in '…', "
    'or as \\" in "…"'
)
_DEEPER = (
    "this line stands deeper than the one above and goes on with its value; align its key with the others, or put a "
    "text that holds `: ` in quotes"
)
_INNER_COLON = "a colon inside a text needs quotes; put the whole text in them, or begin a key on a line of its own"
_NO_BEGINNINGS = "@`%&*!|>,[]{}?-:"
_NO_VALUE_HERE = "mapping values are not allowed"
_GENERAL = "this cannot be read as YAML; look here for a missing quote, bracket or colon, and for wrong indentation"


@dataclass(frozen=True, slots=True)
class Stumble:
    """What the parser said, and where."""

    problem: str
    context: str
    """What it was reading; empty where it did not say."""
    at: Position
    begun: Position
    """Where what it was reading began; `at` where it did not say."""
    lines: Sequence[str] = field(repr=False)
    """The whole text, by `lines_of`."""

    def line(self, number: int) -> str:
        """A line by its number from 1; empty where there is none."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    @property
    def before(self) -> str:
        """What stands before the place on its line."""
        return self.line(self.at.line)[: self.at.column - 1]

    @property
    def after(self) -> str:
        """What stands at the place and behind it on its line."""
        return self.line(self.at.line)[self.at.column - 1 :]

    @property
    def at_end(self) -> bool:
        """Whether nothing but blanks follows in the whole text."""
        return not self.after.strip() and not any(line.strip() for line in self.lines[self.at.line :])

    def written_above(self, number: int) -> int:
        """The number of the nearest line above that holds something else than a comment; 0 for none."""
        lines = self.lines
        return next((one for one in range(number - 1, 0, -1) if _written(lines[one - 1])), 0)


def lines_of(text: str) -> list[str]:
    """The lines of a text, as the parser counts them."""
    return re.split(r"\r\n|[\n\r\x85\u2028\u2029]", text)


def explained(stumble: Stumble) -> Told:
    """Where the mistake probably is, and one sentence on what it is and what to do."""
    said = f"{stumble.context}: {stumble.problem}"
    told = (tell(stumble) for words, tell in _TELLERS if re.search(words, said))
    at, message = _odd_sign(stumble) or next(told, (stumble.at, _GENERAL))
    last = len(stumble.lines)
    return (at if at.line <= last else Position(last, len(stumble.line(last)) + 1)), message


def _written(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _odd_sign(stumble: Stumble) -> Told | None:
    """A sign that is no YAML but looks like it, or that another tool left, in the lines of which the parser speaks."""
    for number in sorted({stumble.begun.line, stumble.at.line, *_taken_together(stumble)}):
        line = stumble.line(number)
        start = Position(number, _start(line))
        if _CONFLICT.match(line):
            return start, "a mark of a merge conflict stands here; settle the conflict and remove its marks"
        if line.lstrip().startswith("```"):
            return start, "a mark of a Markdown code block stands here; remove it"
        if found := _ODD_BLANK.match(line):
            return Position(
                number, found.end()
            ), "a special blank stands here, such as a no-break space; type a plain one"
        if found := _WIDE_COLON.match(line):
            return Position(number, found.end()), "this is not the colon of YAML; write `: `"
    return None


def _taken_together(stumble: Stumble) -> Sequence[int]:
    """The number of the line above where it and the beginning of this one were read as one text, as if it had no key.

    Elsewhere it may stand within a text of its own, in which every sign may be.
    """
    as_one = _NO_VALUE_HERE in stumble.problem and not _KEY.search(stumble.before)
    return (stumble.written_above(stumble.at.line),) if as_one else ()


def _start(line: str) -> int:
    return len(line) - len(line.lstrip()) + 1


def _fixed(message: str, *, at_beginning: bool = False) -> Callable[[Stumble], Told]:
    """One sentence whatever the text is, at the place or where what was being read began."""
    return lambda stumble: (stumble.begun if at_beginning else stumble.at, message)


def _colon(stumble: Stumble) -> Told:
    """A colon where no key can be: inside a text, or because of the line above."""
    if _KEY.search(stumble.before):
        return stumble.at, _INNER_COLON
    above = stumble.written_above(stumble.at.line)
    line = stumble.line(above)
    if above and not _KEY.search(line) and not _goes_on(stumble, above):
        return _no_key(stumble, above)
    return Position(stumble.at.line, _start(stumble.before + "x")), _DEEPER if above else _INNER_COLON


def _goes_on(stumble: Stumble, number: int) -> bool:
    """Whether a line without a key goes on with the value of a line above that stands less deep."""
    depth = _start(stumble.line(number))
    above = stumble.written_above(number)
    while above and _start(stumble.line(above)) >= depth:
        above = stumble.written_above(above)
    return bool(above) and _HAS_VALUE.search(stumble.line(above)) is not None


def _no_key(stumble: Stumble, number: int) -> Told:
    """A line that should be a key and a value."""
    line = stumble.line(number)
    glued = _GLUED.match(line)
    if glued:
        return Position(number, glued.end()), "a blank is missing after the colon of this key; write `key: value`"
    lead = _LEAD.match(line)
    column = (lead.end() if lead else 0) + 1
    message = "no colon follows, so this is no key; write `key: value`, or indent a line that goes on with a text above"
    return Position(number, column), message


def _document(stumble: Stumble) -> Told:
    """Something that does not belong to the mapping that was read."""
    written = [number for number, line in enumerate(stumble.lines, start=1) if _written(line)]
    first = written[0] if written else stumble.at.line
    if stumble.line(first).startswith("%"):
        return _directive(replace(stumble, begun=Position(first, 1)))
    if any(stumble.line(number).startswith("...") for number in written if number <= stumble.at.line):
        return stumble.at, "`...` ends a document and nothing may follow it; remove it"
    if not stumble.before.strip() and stumble.at.column < _start(stumble.line(first)):
        return stumble.at, "this line begins further left than the first one; begin all of them in the same column"
    return stumble.at, "this does not belong to what stands before it; write one mapping of keys to values"


def _entry(stumble: Stumble) -> Told:
    """Something that is no further entry of the mapping or list that is being read."""
    if stumble.before.strip(" -"):
        return _trailing(stumble)
    if stumble.after.startswith(":"):
        return stumble.at, "a key is missing before this colon; write `key: value`"
    if stumble.after.startswith(("- ", "-\t")) or stumble.after.rstrip() == "-":
        return stumble.at, "an item of a list stands among keys; indent it below the key whose list it belongs to"
    if stumble.after.startswith("-") and re.search(r"collection|sequence", stumble.context):
        return stumble.at, "a blank is missing after the `-` of this item; write `- `"
    if re.search(r"collection|sequence", stumble.context):
        return (
            stumble.at,
            "this line fits no item of the list above; align it with the item's keys, or begin it with `- `",
        )
    return stumble.at, "the indentation of this line fits nothing above; align it with the keys that it belongs to"


def _trailing(stumble: Stumble) -> Told:
    """Something behind a value that was complete."""
    last, sign = stumble.before.rstrip()[-1:], stumble.after[:1]
    if sign in {",", ";"}:
        return stumble.at, f"a line ends without `{sign}`; remove it"
    if sign in {"]", "}"}:
        return stumble.at, f"this `{sign}` closes nothing; remove it"
    if last in {"]", "}"}:
        return stumble.at, "nothing may follow a closing bracket; put a text that begins with a bracket in quotes"
    return stumble.at, _FOLLOWS_QUOTE if last in {'"', "'"} else _GENERAL


def _bracket(stumble: Stumble) -> Told:
    """A list or mapping between brackets that goes wrong."""
    opening = stumble.line(stumble.begun.line)[stumble.begun.column - 1 :][:1]
    closing = _CLOSERS.get(opening, "]` or `}")
    left_open = stumble.begun < Position(stumble.at.line, 1) and stumble.begun.column > 1
    if stumble.at_end or (left_open and _TOP_KEY.match(stumble.line(stumble.at.line))):
        return stumble.begun, f"this `{opening}` is never closed; add `{closing}`"
    if stumble.after.startswith("{") and stumble.before.endswith("$"):
        return Position(stumble.at.line, stumble.at.column - 1), '`${…}` between brackets needs quotes; write "${…}"'
    place = f"the `{opening}` of line {stumble.begun.line}, column {stumble.begun.column}"
    if stumble.after[:1] in {"]", "}"}:
        return stumble.at, f"{place} is closed by `{closing}`, not by `{stumble.after[:1]}`; make them a pair"
    return stumble.at, f"a comma or `{closing}` is missing before this, as {place} is still open; add it"


def _first_sign(stumble: Stumble) -> Told:
    """A sign that no value begins with."""
    sign = stumble.after[:1]
    if sign == "\t":
        return stumble.at, _TAB
    if stumble.at_end and not sign.strip():
        return stumble.at, "a value or a closing bracket is missing at the end; add it"
    if sign and sign in ",]}" and "flow" in stumble.context:
        return stumble.at, f"a value is missing before this `{sign}`; write one, or remove what is too much"
    return (stumble.at, _cannot_begin(sign)) if sign and sign in _NO_BEGINNINGS else _document(stumble)


def _cannot_begin(sign: str) -> str:
    return f"a text cannot begin with {f'`{sign}`' if sign != '`' else 'a backtick'}; put it in quotes"


def _begun_sign(stumble: Stumble) -> Told:
    """The same, noticed behind it."""
    sign = stumble.line(stumble.begun.line)[stumble.begun.column - 1 :][:1]
    return stumble.begun, _cannot_begin(sign)


def _backslash(stumble: Stumble) -> Told:
    line = stumble.line(stumble.at.line)
    place = line.rfind("\\", 0, stumble.at.column)
    message = (
        "a backslash in double quotes begins a sign such as `\\n`, and this is none; write two, or use single quotes"
    )
    return (Position(stumble.at.line, place + 1) if place >= 0 else stumble.at), message


def _directive(stumble: Stumble) -> Told:
    message = "a line that begins with `%` gives orders to the reader of YAML; remove it, or put a text in quotes"
    return stumble.begun, message


_TELLERS: tuple[tuple[str, Callable[[Stumble], Told]], ...] = (
    (r"\btab\b", _fixed(_TAB)),
    (r"directive|incompatible YAML", _directive),
    (_NO_VALUE_HERE, _colon),
    (r"mapping keys are not allowed", _first_sign),
    (r"sequence entries are not allowed", _fixed(
        "a list begins on a line of its own; move the `-` to the next line, or put a text that begins with it in quotes")),
    (r"expected ':'", lambda stumble: _no_key(stumble, stumble.begun.line)),
    (r"<document start>", _document),
    (r"end of stream|document (?:indicator|separator)", _fixed(
        "this quote is never closed; add the closing one, or put a text that begins with a quote in other quotes",
        at_beginning=True)),
    (r"quoted scalar|double-quoted", _backslash),
    (r"expected ',' or '[\]}]'", _bracket),
    (r"block (?:mapping|collection|sequence)", _entry),
    (r"an (?:alias|anchor)", _begun_sign),
    (r"indicator equal to 0|indicator in the range", _fixed("the number after `|` or `>` is 1 to 9; leave it out")),
    (r"block scalar", _fixed(
        "after `|` or `>` a text begins on the next line; put one that begins with such a sign in quotes",
        at_beginning=True)),
    (r"\btag\b", _fixed(
        "tags are not allowed; remove the `!…`, or put a text that begins with it in quotes", at_beginning=True)),
    (r"cannot start any token|node content", _first_sign),
)  # fmt: skip
"""Words of the parser, and who knows what they mean; the first that fits."""
