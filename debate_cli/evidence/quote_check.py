"""Checks a quote against its passage: verified, near, altered or not found. No model is asked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise

from debate_cli.domain.evidence import NOT_FOUND, QuoteCheck, QuoteOutcome
from debate_cli.evidence.quantities import find_quantity_start
from debate_cli.evidence.tokens import (
    NormalizedText,
    Word,
    comparable_words,
    find_layout,
    has_negation,
    is_harmless,
    normalize_for_check,
)
from debate_cli.evidence.unspaced_scripts import count_unspaced

MIN_WORDS = 3
"""Minimum number of words of a quote, and of each part of a quote with an ellipsis."""
MAX_GAP_WORDS = 60
"""Maximum number of words that an ellipsis in a quote may replace."""
MIN_SIMILARITY = 0.6
"""Minimum share of equal words for the outcome `altered`. With a smaller share, the outcome is `not_found`."""
MAX_ALIGNED_WORDS = (1_000, 20_000)
"""Maximum number of words of a quote, and of a passage. If one is longer, a quote with changed words is `not_found`, because
the check does not search the passage for similar words."""
MAX_PARTS = 50
"""Maximum number of parts into which ellipses divide a quote. A quote with more parts counts as not found."""
MAX_MATCHES = 50
"""Maximum number of matches in a passage that are tried for each part of a quote."""
_ELLIPSIS = re.compile(r"[\[(]\s*(?:…|\.{3,}|(?:\. ){2,}\.)\s*[\])]|…|\.{3,}|(?:\. ){2,}\.")
_SIGNED = re.compile(r"[-+±.][$€£¥]?\.?\d")
_NAME_MARK = "="
_GENUINE: frozenset[QuoteOutcome] = frozenset({"verified", "near"})
_SEVERITY: tuple[QuoteOutcome, ...] = ("verified", "near", "altered", "not_found")


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    outcome: QuoteOutcome
    difference: str = ""


@lru_cache(maxsize=4096)
def check_quote(quote: str, passage: str) -> QuoteCheck:
    """Check whether `quote` is in `passage` word for word.

    The result has one of four outcomes:

    - `verified`: equal apart from case, spaces, quotation marks and dashes.
    - `near`: equal if articles, inflections, punctuation and layout are also ignored.
    - `altered`: similar, or an ellipsis leaves out a negation.
    - `not_found`: any other quote.

    An ellipsis divides a quote into parts. The passage must contain the parts in the same order.
    """
    check = _check(quote, normalize_for_check(passage))
    if check.outcome in _GENUINE:
        return check
    layouts = find_layout(quote, passage), find_layout(passage, quote)
    if not any(layouts):
        return check
    for start, end in sorted(layouts[0], reverse=True):
        quote = quote[:start] + quote[end:]
    plain = _check(quote, normalize_for_check(passage, layouts[1]))
    return replace(plain, outcome="near") if plain.outcome in _GENUINE else check


def _check(quote: str, text: NormalizedText) -> QuoteCheck:
    whole = _trim(quote)
    if _count_words(whole) < MIN_WORDS:
        return NOT_FOUND
    exact = next(_exact_matches(whole, text), None)
    if exact is not None:
        return _conclude(text, (exact,), "")
    parts = [part for piece in _ELLIPSIS.split(quote) if (part := _trim(str(piece)))]
    if len(parts) > MAX_PARTS or any(_count_words(part) < MIN_WORDS for part in parts):
        return NOT_FOUND
    candidates = [_find_part(part, text) for part in parts]
    for negation_allowed in (False, True):
        matches = _find_chain(candidates, text, negation_allowed=negation_allowed)
        if matches:
            return _conclude(text, matches, _describe_gaps(text, matches) if negation_allowed else "")
    return NOT_FOUND


def _conclude(text: NormalizedText, matches: Sequence[_Match], gaps: str) -> QuoteCheck:
    outcome = _SEVERITY[max(_SEVERITY.index(match.outcome) for match in matches)]
    return QuoteCheck(
        "altered" if gaps else outcome,
        text.original_words(matches[0].start, matches[-1].end),
        "; ".join(filter(None, (*(match.difference for match in matches), gaps))),
        tuple((text.origins[match.start], text.original_end(match.end)) for match in matches),
    )


def _trim(quote: str) -> str:
    normalized = normalize_for_check(quote)
    start, end = 0, len(normalized.text)
    edges = [char == " " or is_harmless(char) for char in normalized.text]
    while start < end and edges[start] and not _SIGNED.match(normalized.text, start):
        start += 1
    while end > start and edges[end - 1]:
        end -= 1
    return normalized.original_words(start, end) if start < end else ""


def _count_words(part: str) -> int:
    normalized = normalize_for_check(part).text
    return max(count_unspaced(normalized), sum(any(map(str.isalnum, piece)) for piece in normalized.split()))


def _exact_matches(part: str, text: NormalizedText) -> Iterator[_Match]:
    normalized = normalize_for_check(part).text
    at = text.text.find(normalized)
    while at >= 0:
        if text.is_word_start(at) and text.is_word_end(at + len(normalized)):
            yield _Match(at, at + len(normalized), "verified")
        at = text.text.find(normalized, at + 1)


def _find_part(part: str, text: NormalizedText) -> list[_Match]:
    exact = list(islice(_exact_matches(part, text), MAX_MATCHES))
    if exact:
        return exact
    quoted = normalize_for_check(part)
    mine = comparable_words(quoted, english=text.is_english)
    if len(mine) < MIN_WORDS:
        return []
    return list(islice(_same_words(mine, text), MAX_MATCHES)) or _align(quoted, mine, text)


def _same_words(mine: Sequence[Word], text: NormalizedText) -> Iterator[_Match]:
    theirs = text.words
    for at in range(len(theirs) - len(mine) + 1):
        if all(
            word.is_quoted_as(word_quoted) for word, word_quoted in zip(theirs[at : at + len(mine)], mine, strict=True)
        ):
            start, end = theirs[at].start, theirs[at + len(mine) - 1].end
            is_whole = not _cuts_token(theirs, at) and not _cuts_token(theirs, at + len(mine))
            if is_whole and text.is_word_start(start) and text.is_word_end(end):
                yield _Match(start, end, "near")
            else:
                yield _Match(start, end, "altered", _describe_cut(text, start, end))


def _describe_cut(text: NormalizedText, start: int, end: int) -> str:
    first, last = find_quantity_start(text.cased, start), text.unit_end(end)
    space = text.text.find(" ", last)
    whole = text.original_words(text.text.rfind(" ", 0, first) + 1, space if space >= 0 else len(text.text))
    is_quantity = first < start or last > end
    return f"“{whole}” was cut {'between a number and its unit' if is_quantity else 'inside a word'}"


def _cuts_token(words: Sequence[Word], at: int) -> bool:
    return 0 < at < len(words) and words[at - 1].start == words[at].start


def _align(quoted: NormalizedText, mine: Sequence[Word], text: NormalizedText) -> list[_Match]:
    from rapidfuzz.distance import Levenshtein

    theirs = text.words
    named = {word.exact for word in theirs if word.is_name}
    quote_forms = [_NAME_MARK + word.exact if word.exact in named else word.form for word in mine]
    passage_forms = [_NAME_MARK + word.exact if word.exact in named else word.form for word in theirs]
    window = _most_similar(quote_forms, passage_forms)
    if window is None:
        return []
    start, end = window
    changes: list[str] = []
    for change in Levenshtein.opcodes(passage_forms[start:end], quote_forms):
        original, written = (start + change.src_start, start + change.src_end), (change.dest_start, change.dest_end)
        if change.tag != "equal":
            changes.append(_describe_change(_wording(text, theirs, *original), _wording(quoted, mine, *written)))
            continue
        for at, to in zip(range(*original), range(*written), strict=True):
            if not theirs[at].is_quoted_as(mine[to]):
                changes.append(_describe_change(_wording(text, theirs, at, at + 1), _wording(quoted, mine, to, to + 1)))
    return [_Match(theirs[start].start, theirs[end - 1].end, "altered", "; ".join(changes))]


def _most_similar(quote: Sequence[str], passage: Sequence[str]) -> tuple[int, int] | None:
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Levenshtein

    if not passage or len(quote) > MAX_ALIGNED_WORDS[0] or len(passage) > MAX_ALIGNED_WORDS[1]:
        return None
    rough = fuzz.partial_ratio_alignment(quote, passage, score_cutoff=50)
    if rough is None:
        return None
    first, last = (rough.dest_start, rough.dest_end) if len(quote) <= len(passage) else (0, len(passage))
    slack = min(8, 2 + len(quote) // 4)
    windows = [
        (at, to)
        for at in range(max(0, first - slack), min(first + slack, len(passage) - 1) + 1)
        for to in range(max(at + 1, last - slack), min(last + slack, len(passage)) + 1)
    ]
    similar = {(at, to): Levenshtein.normalized_similarity(quote, passage[at:to]) for at, to in windows}
    best = max(windows, key=lambda window: (similar[window], -abs(window[1] - window[0] - len(quote))))
    return best if similar[best] >= MIN_SIMILARITY else None


def _wording(text: NormalizedText, words: Sequence[Word], start: int, end: int) -> str:
    if start == end:
        return ""
    start -= start > 0 and words[start].is_unit and words[start - 1].is_number
    end += end < len(words) and words[end - 1].is_number and words[end].is_unit
    return text.original_words(words[start].start, words[end - 1].end)


def _describe_change(original: str, written: str) -> str:
    if not written:
        return f"“{original}” was left out"
    return f"“{original}” became “{written}”" if original else f"“{written}” was added"


def _find_chain(
    candidates: Sequence[Sequence[_Match]], text: NormalizedText, *, negation_allowed: bool
) -> tuple[_Match, ...]:
    chains: list[tuple[_Match, ...]] = [()]
    for places in candidates:
        extended: dict[int, tuple[_Match, ...]] = {}
        for matched in chains:
            for match in places:
                if match.end not in extended and (
                    not matched or _may_follow(matched[-1], match, text, negation_allowed)
                ):
                    extended[match.end] = (*matched, match)
        chains = list(extended.values())
    return chains[0] if chains else ()


def _may_follow(first: _Match, second: _Match, text: NormalizedText, negation_allowed: bool) -> bool:
    if second.start < first.end:
        return False
    gap = text.text[first.end : second.start]
    words = [word for word in gap.split() if any(map(str.isalnum, word))]
    return len(words) <= MAX_GAP_WORDS and (negation_allowed or not _leaves_out_negation(gap, text))


def _leaves_out_negation(gap: str, text: NormalizedText) -> bool:
    return has_negation([token.text for token in normalize_for_check(gap).tokens], text.language)


def _describe_gaps(text: NormalizedText, matches: Sequence[_Match]) -> str:
    gaps = [(first.end, second.start) for first, second in pairwise(matches)]
    left_out = [text.original_words(*gap) for gap in gaps if _leaves_out_negation(text.text[slice(*gap)], text)]
    return "; ".join(f"the ellipsis leaves out “{words.strip()}”" for words in left_out)
