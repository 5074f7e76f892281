"""Words in a speech that are addressed to the judge: found by rules alone, the same way every time.

It is aimed at commands, not at topics: a speech may discuss judges, prompts and injections, and quote them. What is found
is kept from judges only; the transcript keeps the speaker's words.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from debate_cli.judging import injection_phrases as phrases
from debate_cli.judging.hidden_text import base64_runs, tag_text
from debate_cli.llm.quoting import clean

REMOVED = "[removed: addressed to the judge]"
MOST_MASKED = 300
"""Characters from the start of a command to the end of its sentence, at most."""


class Hit(NamedTuple):
    """A span of the cleaned text; hidden text, which cleaning removes, has an empty one at the end."""

    start: int
    end: int
    quote: str
    technique: str
    """override, score_demand, new_rubric, fake_verdict, false_consensus, encoded."""


@lru_cache(maxsize=4096)
def detect(text: str) -> tuple[Hit, ...]:
    """What in `text` is addressed to the judge, in its order; spans are of `clean(text)` and do not overlap."""
    cleaned = clean(text)
    hits = _merged(cleaned, sorted(_visible(cleaned)))
    hidden = tag_text(text)
    if hidden is not None:
        hits.append(Hit(len(cleaned), len(cleaned), hidden, "encoded"))
    return tuple(hits)


def masked(text: str) -> str:
    """`clean(text)` with everything addressed to the judge replaced."""
    cleaned, done, parts = clean(text), 0, list[str]()
    for hit in detect(text):
        if hit.end > hit.start:
            parts += [cleaned[done : hit.start], REMOVED]
            done = hit.end
    return "".join([*parts, cleaned[done:]])


def _visible(text: str) -> Iterator[Hit]:
    for technique, pattern in phrases.COMMANDS:
        for match in pattern.finditer(text):
            start, end = match.span("said")
            if not _mentioned(text, start):
                yield Hit(start, _sentence_end(text, end, start), "", technique)
    for match in phrases.FAKE_VERDICT.finditer(text):
        if len(set(phrases.VERDICT_KEY.findall(match.group()))) > 1:
            yield Hit(*match.span(), "", "fake_verdict")
    for start, end, decoded in base64_runs(text):
        if any(pattern.search(decoded) for _, pattern in phrases.COMMANDS):
            yield Hit(start, end, "", "encoded")


def _merged(text: str, hits: list[Hit]) -> list[Hit]:
    """Overlapping hits as one, named by the first."""
    found: list[Hit] = []
    for hit in hits:
        if found and hit.start < found[-1].end:
            last = found.pop()
            hit = last._replace(end=max(last.end, hit.end))  # noqa: PLW2901 - the merged hit takes its place
        found.append(hit._replace(quote=text[hit.start : hit.end].strip()))
    return found


def _sentence_end(text: str, end: int, start: int) -> int:
    """End of the sentence that goes on at `end`, its full stop included."""
    stop = phrases.SENTENCE_STOP.search(text, max(start, end - 1))
    return min(stop.end() if stop else len(text), max(end, start + MOST_MASKED))


def _mentioned(text: str, start: int) -> bool:
    """Whether the words at `start` stand in quotation marks inside a sentence that talks about such words."""
    before = phrases.SENTENCE_START.split(text[max(0, start - 200) : start])[-1]
    opened = phrases.OPEN_QUOTE.search(before)
    if opened is None:
        return False
    stop = phrases.SENTENCE_STOP.search(text, start)
    sentence = before + text[start : stop.end() if stop else len(text)]
    around = phrases.DISCUSSION.search(sentence) or phrases.DISCUSSION.search(text[max(0, start - 200) : start + 200])
    return around is not None
