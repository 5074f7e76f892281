"""Finds the unit of a number in normalized text, also after a space (`5 %`), so that a quote cannot drop the unit."""

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
    word
    for key in ("magnitudes", "currencies", "percentages", "modifiers", "measures")
    for word in _TABLE[key]
    if " " not in word
)
"""Units of one word."""
_MAX_QUANTITY_CHARS = 80
_NUMBER = re.compile(
    rf"(?:(?<!\w)(?P<before>[^\W\d_]+)\.?\ )?(?<![^\W{UNSPACED}])(?<![.,:/-])[-+±]?[$€£¥]?(?P<number>[\d.,:/-]*[\d¹²³⁰-⁹¼-¾⅐-⅞])"
    rf"(?P<magnitude>(?:\ {_any_of('magnitudes', 'modifiers')})*)$"
)
_CERTAIN_UNIT = re.compile(
    rf"\ ?(?:[%‰‱°][cf]?(?!\w)|[$€£¥₹₩₽](?!\ ?\d|-)|[万萬亿億兆元円]|(?<=\ ){_any_of('magnitudes', 'percentages')}(?![\w-]))"
)
_MEASURE = re.compile(
    rf"\ (?P<unit>{_any_of('measures', 'modifiers')}[²³23]?|{_any_of('currencies')}(?!\ ?\d))(?![\w-])(?P<initial>\.\ ?[^\W\d_])?"
)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_CURRENCY_BEFORE = re.compile(rf"(?:[$€£¥₹₩₽]|(?<!\w){_any_of('currencies')})\ $")
_STARTS_NUMBER = re.compile(r"[-+±]?\.?\d")


def find_unit_end(text: str, at: int) -> int:
    """Return the end of the unit that follows the number before `text[at]`; `at` if there is no number or no unit.

    `text` is normalized. A unit that is also an ordinary word does not count after a year or a label such as `page`.
    """
    number = _NUMBER.search(text, max(0, at - _MAX_QUANTITY_CHARS), at)
    if number is None:
        return at
    certain = _CERTAIN_UNIT.match(text, at)
    if certain is not None:
        return certain.end()
    measure = _MEASURE.match(text, at)
    if measure is None or (measure["initial"] and len(measure["unit"]) == 1):
        return at
    if not number["magnitude"] and number["before"] is not None:
        is_year = number["before"] in _TABLE["year_prepositions"] and _YEAR.fullmatch(number["number"])
        if is_year or number["before"] in _TABLE["labels"]:
            return at
    return measure.end("unit")


def find_currency_start(text: str, at: int) -> int:
    """Return the start of the currency before the number at `text[at]`, as in `EUR 5`; `at` if there is none."""
    if not _STARTS_NUMBER.match(text, at):
        return at
    currency = _CURRENCY_BEFORE.search(text, max(0, at - _MAX_QUANTITY_CHARS), at)
    return at if currency is None else currency.start()
