"""Finds the unit of a number, also after a space (`5 %`), for the check that a quote does not drop the unit.

All functions take the text `NormalizedText.cased`, and a position in this text.
"""

import re
import tomllib
from importlib.resources import files

from debate_cli.evidence.unspaced_scripts import UNSPACED

_TABLE = {
    key: tuple(word.replace("_", " ") for word in words.split())
    for key, words in tomllib.loads((files(__package__ or "") / "units.toml").read_text(encoding="utf-8")).items()
}


def _any_of(*keys: str) -> str:
    words = [word for key in keys for word in _TABLE[key]]
    return f"(?:{'|'.join(re.escape(word) for word in sorted(words, key=len, reverse=True))})"


UNIT_WORDS = frozenset(
    word.lower()
    for key in ("magnitudes", "currencies", "money", "percentages", "modifiers", "measures", "symbols")
    for word in _TABLE[key]
    if " " not in word
)
"""Units of one word, in lower case."""
_MAX_QUANTITY_CHARS = 80
_NUMBER = re.compile(
    rf"(?:(?<!\w)(?P<before>[^\W\d_]+)\.?\ )?(?<![^\W{UNSPACED}])(?<![.,:/-])(?P<sign>[-+±]?[$€£¥]?)"
    rf"(?P<digits>[\d.,:/-]*[\d¹²³⁰-⁹¼-¾⅐-⅞])(?P<magnitude>(?i:\ {_any_of('magnitudes', 'modifiers')})*)$"
)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_RATIO = re.compile(r"(?:\d|\b(?i:one))\ (?i:in|of|out\ of)\ $")
_RANGE = re.compile(r"\ (?i:to|bis)\ [-+±]?[$€£¥]?[\d.,]*\d")
_DIGIT_GROUPS = re.compile(r"(?:\ \d{3})+(?![\w]|[.,:/-]\d)")
_SIGN_UNIT = re.compile(r"\ ?(?:[%‰‱°][cCfF]?(?!\w)|[$€£¥₹₩₽](?!\ ?\w|-)|[元円])")
_MONEY = re.compile(rf"\ (?i:{_any_of('money', 'currencies')})(?!\ ?\d)(?![\w-])")
_MAGNITUDE = re.compile(rf"\ (?:(?i:{_any_of('magnitudes')})|m)(?![\w-])|\ ?[万萬亿億兆]")
_CERTAIN_UNIT = re.compile(rf"\ (?i:{_any_of('magnitudes', 'percentages')})(?![\w-])|\ ?[万萬亿億兆]")
_UNIT = re.compile(
    rf"{_CERTAIN_UNIT.pattern}|{_MONEY.pattern}"
    rf"|\ (?:(?i:{_any_of('measures', 'modifiers')})|{_any_of('symbols')})[²³23]?(?![\w-])"
)
_CURRENCY_BEFORE = re.compile(rf"(?:[$€£¥₹₩₽]|(?<!\w)(?i:{_any_of('currencies')}))\ $")
_STARTS_NUMBER = re.compile(r"[-+±]?\.?\d")


def find_unit_end(text: str, at: int) -> int:
    """Return the end of the unit that follows the number before `text[at]`; `at` if there is no number or no unit.

    Further digits (`20 000`) and the end of a range (`5 to 7 percent`) belong to the number. A bare number from 1500 to
    2099 may be a year. It has a unit only if a currency or a sign such as `%` follows.
    """
    number = _find_number(text, at)
    if number is None:
        return at
    if sign := _SIGN_UNIT.match(text, at):
        return sign.end()
    is_named = not number["magnitude"] and _belongs_to_name(number, text)
    if not number["sign"] and not number["magnitude"] and _YEAR.fullmatch(number["digits"]):
        unit = _MONEY.match(text, at)
    elif number["sign"][-1:] in set("$€£¥") or (number["before"] or "").lower() in _TABLE["currencies"]:
        unit = _MAGNITUDE.match(text, at)
    else:
        unit = (_CERTAIN_UNIT if is_named else _UNIT).match(text, at)
        if unit is None and not is_named:
            return _find_end_of_longer_number(text, number)
    return at if unit is None else unit.end()


def find_quantity_start(text: str, at: int) -> int:
    """Return the start of the quantity that contains the number at `text[at]`.

    The start is before `at` if a currency (`EUR 5`) or earlier digits (`20 000`) belong to the quantity, else `at`.
    """
    if not _STARTS_NUMBER.match(text, at):
        return at
    if text[at - 1 : at] == " " and find_unit_end(text, at - 1) > at:
        number = _find_number(text, at - 1)
        return at if number is None else number.start("sign")
    currency = _CURRENCY_BEFORE.search(text, max(0, at - _MAX_QUANTITY_CHARS), at)
    return at if currency is None else currency.start()


def _find_number(text: str, end: int) -> re.Match[str] | None:
    return _NUMBER.search(text, max(0, end - _MAX_QUANTITY_CHARS), end)


def _belongs_to_name(number: re.Match[str], text: str) -> bool:
    """Whether the number is part of a name or a ratio, as in `Table 5`, `page 5` and `1 in 5`."""
    before = number["before"] or ""
    return (
        before[:1].isupper()
        or before in _TABLE["labels"]
        or _RATIO.search(text, max(0, number.start("sign") - _MAX_QUANTITY_CHARS), number.start("sign")) is not None
    )


def _find_end_of_longer_number(text: str, number: re.Match[str]) -> int:
    """Return the end of the range (`5 to 7 %`) or grouped number (`20 000 km`) that begins with `number`.

    The end includes the unit. A range must have a unit; a grouped number must have a unit or end with `000`. Without
    such a range or grouped number, return the end of `number`.
    """
    at = number.end()
    is_group = not number["magnitude"] and re.fullmatch(r"\d{1,3}", number["digits"])
    for pattern in (_RANGE, _DIGIT_GROUPS) if is_group else (_RANGE,):
        if longer := pattern.match(text, at):
            end = find_unit_end(text, longer.end())
            if end > longer.end() or (pattern is _DIGIT_GROUPS and longer[0].endswith("000")):
                return end
    return at
