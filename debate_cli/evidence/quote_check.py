"""Checks a quote against the passage that it is taken from: verified, near, altered or not found. No model is asked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import Literal

from debate_cli.evidence.tokens import FoldedText, Word, comparable_words, find_layout, fold_text, is_harmless
from debate_cli.evidence.word_lists import ARTICLES, has_negation

QuoteOutcome = Literal["verified", "near", "altered", "not_found"]

MIN_WORDS = 3
"""Minimum number of words of a quote, and of each part of one with an ellipsis; fewer could match by chance."""
MAX_GAP_WORDS = 60
"""Maximum number of words that an ellipsis may leave out."""
MIN_SIMILARITY = 0.6
"""Minimum share of equal words between a quote and the words that it alters. Below it the quote is not found."""
MAX_ALIGNED_WORDS = (1_000, 20_000)
"""Maximum number of words of a quote, and of a passage, for alignment. Longer ones must match exactly."""
MAX_PLACES = 50
"""Maximum number of places that are tried for one part of a quote. Ellipses after this many are not recognized."""
_ELLIPSIS = re.compile(r"[\[(]\s*(?:…|\.{3,}|(?:\. ){2,}\.)\s*[\])]|…|\.{3,}|(?:\. ){2,}\.")
_BEFORE = re.compile(r"(?P<word>[^\W_]+(?:['-][^\W_]+)*)(?:[^\w.!?:;]|_)*$")
_AFTER = re.compile(r"(?:[^\w.!?:;]|_)*(?P<word>[^\W_]+)")
_MAX_EDGE_CHARS = 100
"""Number of characters, on each side of a match, that are searched for the adjacent word."""
_SIGNED = re.compile(r"[-+±.][$€£¥]?\.?\d")
_NAME_MARK = "="
_GENUINE: frozenset[QuoteOutcome] = frozenset({"verified", "near"})
_SEVERITY: tuple[QuoteOutcome, ...] = ("verified", "near", "altered", "not_found")


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """Result of checking one quote."""

    outcome: QuoteOutcome
    passage_words: str = ""
    """The words of the passage that the quote was compared with; empty if there are none."""
    difference: str = ""
    """What differs, with both wordings; empty if nothing does."""
    spans: tuple[tuple[int, int], ...] = ()
    """Start and end in the passage of each part of the quote."""


NOT_FOUND = QuoteCheck("not_found")


@dataclass(frozen=True, slots=True)
class _Match:
    """A place in the folded passage that may be the source of a part of a quote."""

    start: int
    end: int
    outcome: QuoteOutcome
    difference: str = ""


@lru_cache(maxsize=4096)
def check_quote(quote: str, passage: str) -> QuoteCheck:
    """Check whether `quote` is in `passage` word for word.

    `verified`: it is, apart from case, spaces, quotation marks and dashes. `near`: it is, apart from articles,
    inflections, punctuation and layout (hyphens at line ends, footnote numbers, addresses of links). `altered`: the
    passage says something similar in other words. An ellipsis joins parts in order; the quote is `altered` if it leaves
    out a negation.
    """
    check = _check(quote, fold_text(passage))
    if check.outcome in _GENUINE:
        return check
    layouts = find_layout(quote, passage), find_layout(passage, quote)
    if not any(layouts):
        return check
    plain = _check(_without(quote, layouts[0]), fold_text(passage, layouts[1]))
    return replace(plain, outcome="near") if plain.outcome in _GENUINE else check


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def _check(quote: str, text: FoldedText) -> QuoteCheck:
    whole = _trim(quote)
    if _count_words(whole) < MIN_WORDS:
        return NOT_FOUND
    exact = next(_exact_matches(whole, text), None) or _find_with_ellipses(whole, text)
    if exact is not None:
        return _conclude(text, (exact,), "")
    parts = list(filter(None, _split_at_ellipses(quote, text)))
    if len(parts) > MAX_PLACES or any(_count_words(part) < MIN_WORDS for part in parts):
        return NOT_FOUND
    candidates = [_find_part(part, text) for part in parts]
    for negation_allowed in (False, True):
        matches = _find_chain(candidates, text, negation_allowed=negation_allowed)
        if matches:
            return _conclude(text, matches, _describe_gaps(text, matches) if negation_allowed else "")
    return NOT_FOUND


def _conclude(text: FoldedText, matches: Sequence[_Match], gaps: str) -> QuoteCheck:
    """The result for the matches of all parts. `gaps`: description of negations that ellipses leave out, or empty."""
    outcome = _SEVERITY[max(_SEVERITY.index(match.outcome) for match in matches)]
    return QuoteCheck(
        "altered" if gaps else outcome,
        text.original_words(matches[0].start, matches[-1].end),
        "; ".join(filter(None, (*(match.difference for match in matches), gaps))),
        tuple((text.origins[match.start], text.original_end(match.end)) for match in matches),
    )


def _trim(quote: str) -> str:
    """Remove spaces and harmless punctuation at the ends of `quote`, but not the sign of a number."""
    folded = fold_text(quote)
    start, end = 0, len(folded.text)
    while start < end and _is_edge(folded.text[start]) and not _SIGNED.match(folded.text, start):
        start += 1
    while end > start and _is_edge(folded.text[end - 1]):
        end -= 1
    return folded.original_words(start, end) if start < end else ""


def _split_at_ellipses(quote: str, text: FoldedText) -> Iterator[str]:
    """The trimmed parts of `quote` between its ellipses. An ellipsis that the passage has too does not split it."""
    marks = [match.span() for match in islice(_ELLIPSIS.finditer(quote), MAX_PLACES)] + [(len(quote), len(quote))]
    start = at = 0
    while at < len(marks):
        ends = (
            to for to in range(len(marks) - 1, at, -1) if any(_exact_matches(_trim(quote[start : marks[to][0]]), text))
        )
        last = next(ends, at)
        yield _trim(quote[start : marks[last][0]])
        start, at = marks[last][1], last + 1


def _find_with_ellipses(whole: str, text: FoldedText) -> _Match | None:
    """The place in the passage with the words of the quote and as many ellipses; None if there is none.

    Ellipses of the passage itself leave nothing out.
    """
    count = len(_ELLIPSIS.findall(whole))
    if not count or count > len(_ELLIPSIS.findall(text.original)):
        return None
    quoted = fold_text(whole)
    places = _same_words(quoted, comparable_words(quoted, english=text.is_english), text)
    return next((match for match in islice(places, MAX_PLACES) if _is_genuine(match, count, text)), None)


def _is_genuine(match: _Match, ellipses: int, text: FoldedText) -> bool:
    words = text.original_words(match.start, match.end)
    return match.outcome in _GENUINE and len(_ELLIPSIS.findall(words)) == ellipses


def _is_edge(char: str) -> bool:
    return char == " " or is_harmless(char)


def _count_words(part: str) -> int:
    """Number of words, separated by spaces. In scripts without spaces each character is a word."""
    folded = fold_text(part)
    unspaced = sum(token.is_unspaced for token in folded.tokens)
    return max(unspaced, sum(any(map(str.isalnum, piece)) for piece in folded.text.split()))


def _exact_matches(part: str, text: FoldedText) -> Iterator[_Match]:
    folded = fold_text(part).text
    at = text.text.find(folded)
    while at >= 0:
        if text.is_word_start(at) and text.is_word_end(at + len(folded)):
            yield _Match(at, at + len(folded), "verified")
        at = text.text.find(folded, at + 1)


def _find_part(part: str, text: FoldedText) -> list[_Match]:
    """The places that match `part` exactly; if there are none, the near ones; if none of those, the altered ones."""
    exact = list(islice(_exact_matches(part, text), MAX_PLACES))
    if exact:
        return exact
    quoted = fold_text(part)
    mine = comparable_words(quoted, english=text.is_english)
    if len(mine) < MIN_WORDS:
        return []
    return list(islice(_same_words(quoted, mine, text), MAX_PLACES)) or _align(quoted, mine, text)


def _same_words(quoted: FoldedText, mine: Sequence[Word], text: FoldedText) -> Iterator[_Match]:
    """Each place where the words are equal apart from harmless differences."""
    theirs = text.words
    for at in range(len(theirs) - len(mine) + 1):
        if all(
            word.is_quoted_as(word_quoted) for word, word_quoted in zip(theirs[at : at + len(mine)], mine, strict=True)
        ):
            start, end = theirs[at].start, theirs[at + len(mine) - 1].end
            is_whole = not _cuts_token(theirs, at) and not _cuts_token(theirs, at + len(mine))
            if is_whole and text.is_word_start(start) and text.is_word_end(end):
                left_out = _left_out_after_article(quoted, mine, text, (start, end))
                yield _Match(start, end, "altered" if left_out else "near", left_out)
            else:
                yield _Match(start, end, "altered", f"“{_whole_words(text, start, end)}” was cut inside a word")


def _cuts_token(words: Sequence[Word], at: int) -> bool:
    """Whether the words before and at index `at` are one token, such as a number and its unit, or a verb and “n't”."""
    return 0 < at < len(words) and words[at - 1].start == words[at].start


def _left_out_after_article(quoted: FoldedText, mine: Sequence[Word], text: FoldedText, place: tuple[int, int]) -> str:
    """The difference if a quote has an article at its start or end where the passage has another word; else empty.

    An example is “the trial” for “the first trial”. An article that the quote adds at the start or end of a
    sentence is harmless.
    """
    start, end = place
    before = _BEFORE.search(text.text, max(0, start - _MAX_EDGE_CHARS), start)
    after = _AFTER.match(text.text, end)
    if quoted.tokens[0].start < mine[0].start and before is not None and before["word"] not in ARTICLES:
        return f"“{text.original_words(before.start('word'), start).strip()}” was left out"
    if quoted.tokens[-1].end > mine[-1].end and after is not None and after["word"] not in ARTICLES:
        return f"“{text.original_words(end, after.end('word')).strip()}” was left out"
    return ""


def _whole_words(text: FoldedText, start: int, end: int) -> str:
    """The original wording from `start` to `end`, extended to whole words."""
    space = text.text.find(" ", end)
    return text.original_words(text.text.rfind(" ", 0, start) + 1, space if space >= 0 else len(text.text))


def _align(quoted: FoldedText, mine: Sequence[Word], text: FoldedText) -> list[_Match]:
    """The words of the passage that the quote may have altered, and the differences; empty if none are similar enough."""
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
        if change.tag == "equal":
            places = zip(
                range(start + change.src_start, start + change.src_end),
                range(change.dest_start, change.dest_end),
                strict=True,
            )
            changes += [
                _describe_change(_wording(text, theirs, at, at + 1), _wording(quoted, mine, to, to + 1))
                for at, to in places
                if not theirs[at].is_quoted_as(mine[to])
            ]
        else:
            original = _wording(text, theirs, start + change.src_start, start + change.src_end)
            changes.append(_describe_change(original, _wording(quoted, mine, change.dest_start, change.dest_end)))
    return [_Match(theirs[start].start, theirs[end - 1].end, "altered", "; ".join(changes))]


def _most_similar(quote: Sequence[str], passage: Sequence[str]) -> tuple[int, int] | None:
    """Start and end of the words of `passage` that are most similar to `quote`; None if none are similar enough."""
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


def _wording(text: FoldedText, words: Sequence[Word], start: int, end: int) -> str:
    """The original wording of `words[start:end]`, extended so that no number is separated from its unit."""
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
    candidates: Sequence[Sequence[_Match]], text: FoldedText, *, negation_allowed: bool
) -> tuple[_Match, ...]:
    """One match for each part, in order and close to one another; empty if there is none."""
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


def _may_follow(first: _Match, second: _Match, text: FoldedText, negation_allowed: bool) -> bool:
    if second.start < first.end:
        return False
    gap = text.text[first.end : second.start]
    words = [word for word in gap.split() if any(map(str.isalnum, word))]
    return len(words) <= MAX_GAP_WORDS and (negation_allowed or not _leaves_out_negation(gap, text))


def _leaves_out_negation(gap: str, text: FoldedText) -> bool:
    return has_negation([token.text for token in fold_text(gap).tokens], text.language)


def _describe_gaps(text: FoldedText, matches: Sequence[_Match]) -> str:
    gaps = [(first.end, second.start) for first, second in pairwise(matches)]
    left_out = [text.original_words(*gap) for gap in gaps if _leaves_out_negation(text.text[slice(*gap)], text)]
    return "; ".join(f"the ellipsis leaves out “{words.strip()}”" for words in left_out)
