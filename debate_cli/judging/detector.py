"""Words in a speech that are addressed to the judge: found by rules alone, the same way every time.

It is aimed at commands, not at topics: a speech may discuss judges, prompts and injections, and quote them. What is found
is kept from judges only; the transcript keeps the speaker's words. How orders look does not live here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from debate_cli.judging.disguises import readings
from debate_cli.judging.foreign_orders import foreign_orders
from debate_cli.judging.forgeries import forged_results, marks
from debate_cli.judging.hidden_text import encoded_runs, tag_text, unseen_parts
from debate_cli.judging.mentions import introduced, unmentioned
from debate_cli.judging.orders import NAMED, hints_at_order, orders, sentences
from debate_cli.llm.quoting import clean

REMOVED = "[removed: addressed to the judge]"
TAKEOVERS = frozenset({"override", "role_marker", "encoded", "hidden"})
"""Techniques that nobody has a use for who speaks about a debate, as judges do."""
_Span = tuple[int, int, str]


class Hit(NamedTuple):
    """A span of the cleaned text; hidden text, which cleaning removes, has an empty one at the end."""

    start: int
    end: int
    quote: str
    technique: str
    """override, score_demand, new_rubric, fake_verdict, false_consensus, false_authority, role_marker, role_play,
    output_order, pressure, conditional, hidden, encoded."""


@lru_cache(maxsize=4096)
def detect(text: str, names: tuple[str, ...] = (), only: frozenset[str] | None = None) -> tuple[Hit, ...]:
    """What in `text` is addressed to the judge, in its order; spans are of `clean(text)` and do not overlap.

    `names` are those of the debaters: "give Ada the point" is an order where Ada debates, and a remark elsewhere. With
    `only`, which takes less time, nothing is looked for but those techniques.
    """
    cleaned = clean(text)
    looked_at = _without_names(cleaned.replace(REMOVED, "\n" * len(REMOVED)), names)
    spans = (span for span in _spans(looked_at, names, only) if only is None or span[2] in only)
    hits = _merged(cleaned, sorted(spans))
    hidden = tag_text(text)
    if hidden is not None:
        hits.append(Hit(len(cleaned), len(cleaned), hidden, "encoded"))
    return tuple(hits)


@lru_cache(maxsize=4096)
def masked(text: str, names: tuple[str, ...] = (), only: frozenset[str] | None = None) -> str:
    """`clean(text)` with everything addressed to the judge replaced, or what is of the techniques `only`.

    Doing it twice changes nothing more.
    """
    cleaned, done, parts = clean(text), 0, list[str]()
    for hit in detect(text, names, only):
        if hit.end > hit.start:
            parts += [cleaned[done : hit.start], REMOVED]
            done = hit.end
    left = "".join([*parts, cleaned[done:]])
    return left if left == cleaned else masked(left, names, only)


def _without_names(text: str, names: tuple[str, ...], flags: re.RegexFlag = re.NOFLAG) -> str:
    """`text` with every name of a debater written in a letter of its own, at the same length."""
    spelled = sorted({clean(name) for name in names if len(clean(name)) > 1}, key=len, reverse=True)
    if not spelled:
        return text
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, spelled))})(?!\w)"
    return re.sub(pattern, lambda match: NAMED * len(match.group()), text, flags=flags)


def _spans(text: str, names: tuple[str, ...], only: frozenset[str] | None) -> Iterator[_Span]:
    yield from _read(text, only)
    plain = {sentence for _, sentence in sentences(text)}
    for reading in readings(text):
        for first, sentence in sentences(_without_names(reading.text, names, re.IGNORECASE)):
            if sentence not in plain:
                part = reading.part(first, first + len(sentence))
                yield from ((*part.span(start, end), "encoded") for start, end, _ in _read(sentence))
    for start, end, decoded in encoded_runs(text):
        if hints_at_order(_without_names(decoded, names)):
            yield start, end, "encoded"
    for start, end, content in unseen_parts(text):
        if hints_at_order(content):
            yield start, end, "hidden"


def _read(text: str, only: frozenset[str] | None = None) -> Iterator[_Span]:
    """What is addressed to the judge in `text` as it stands; of other techniques than `only` there may be some."""
    said = unmentioned(text)
    yield from orders(said, only)
    yield from foreign_orders(said)
    for start, end in forged_results(said):
        yield start, end, "fake_verdict"
    for start, end in marks(said):
        if not introduced(text, start):
            yield start, end, "role_marker"


def _merged(text: str, spans: list[_Span]) -> list[Hit]:
    """Overlapping spans as one, named by the first."""
    found: list[Hit] = []
    for start, end, technique in spans:
        hit = Hit(start, end, "", technique)
        if found and start < found[-1].end:
            last = found.pop()
            hit = last._replace(end=max(last.end, end))
        found.append(hit._replace(quote=text[hit.start : hit.end].strip()))
    return found
