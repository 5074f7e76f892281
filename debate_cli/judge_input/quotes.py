"""Checks whether a judge's quotes occur in the debate.

Case, spaces and typography are ignored. An ellipsis in a quote matches any words. So does an alias such as `ITEM-1`, which
the judge read in place of a name.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.nested_texts import iter_texts
from debate_cli.domain.text_normalization import QUOTE_EDGE_CHARS, normalize_text
from debate_cli.domain.turn import Turn
from debate_cli.judge_input.injection.detector import mask_injection

MIN_QUOTE_CHARS = 4
"""Minimum number of characters of a normalized quote. A shorter quote is treated as not found."""
_SPOKEN_FIELDS = {"text", "arguments", "responses", "answers", "closing"}
_REFERENCE_FIELDS = {"id", "target", "question_target", "source", "type", "shift"}
_GAP = re.compile(r"\.\.\.|\[\.{3}\]|\[…\]|…|\bitem-\d+\b")
_QUOTED_PASSAGE = re.compile(r"“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|(?<!\w)\"([^\"]+)\"(?!\w)")


def is_quoted_in(quote: str, text: str) -> bool:
    """Return whether `text` contains `quote`. If ellipses divide `quote`, its parts must occur in the same order."""
    return _find_parts(normalize_text(text), _quote_parts(quote)) is not None


def find_quoted_passages(text: str) -> list[str]:
    """Return the parts of `text` that are in double quotation marks, without the marks."""
    return [next(filter(None, found)) for found in _QUOTED_PASSAGE.findall(text)]


def find_quoted_line(quote: str, text: str) -> int | None:
    """Return the number (from 1) of the line of `text` where `quote` begins; None if `text` lacks the quote."""
    joined, starts, numbers = _index_lines(text)
    place = _find_parts(joined, _quote_parts(quote))
    return None if place is None else numbers[bisect_right(starts, place) - 1]


@lru_cache(maxsize=8)
def _index_lines(text: str) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    lines = {
        number: normalized for number, line in enumerate(text.split("\n"), 1) if (normalized := normalize_text(line))
    }
    starts = accumulate((len(line) + 1 for line in lines.values()), initial=0)
    return " ".join(lines.values()), tuple(starts)[:-1], tuple(lines)


def _quote_parts(quote: str) -> list[str]:
    parts = [part.strip(QUOTE_EDGE_CHARS) for part in _GAP.split(normalize_text(quote))]
    return [part for part in parts if part] if sum(len(part) for part in parts) >= MIN_QUOTE_CHARS else []


def _find_parts(text: str, parts: Sequence[str]) -> int | None:
    places: list[int] = []
    where = 0
    for part in parts:
        places.append(text.find(part, where))
        where = places[-1] + len(part)
        if places[-1] < 0:
            return None
    return places[0] if places else None


@memoize_on_value
def _normalized_texts(turn: Turn) -> tuple[str, ...]:
    texts = tuple(turn_texts(turn))
    return tuple(map(normalize_text, (*texts, *map(mask_injection, texts))))


def find_quoted_turn(quote: str, turns: Iterable[Turn]) -> Turn | None:
    """Return the first of `turns` that contains `quote`; None if no turn does."""
    parts = _quote_parts(quote)
    found = (turn for turn in turns if any(_find_parts(text, parts) is not None for text in _normalized_texts(turn)))
    return next(found, None)


def turn_texts(turn: Turn) -> Iterator[str]:
    """Yield the text of `turn`, then the texts of its parts, e.g. claims and quotes from sources. Ids and types are left out."""
    yield from iter_texts(turn.model_dump(include=_SPOKEN_FIELDS), keys=False, skip=_REFERENCE_FIELDS)
