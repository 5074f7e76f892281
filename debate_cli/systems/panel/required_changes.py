"""What must change before a panel passes a text: the judges' demands, merged and sorted.

The judges who vote are in `votes`; which option wins is decided in `score`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from debate_cli.domain.text_normalization import normalize_text
from debate_cli.judging.quotes import find_quoted_line, find_quoted_passages
from debate_cli.systems.aggregation import strip_float_noise
from debate_cli.systems.base import RequiredChange
from debate_cli.systems.panel.votes import Ballot


@dataclass(slots=True)
class _Demand:
    text: str
    dimension: str | None
    judges: dict[str, float] = field(default_factory=dict[str, float])


def find_required_changes(
    ballots: Sequence[Ballot], dimensions: Sequence[str], text: str
) -> tuple[RequiredChange, ...]:
    """All demands and critical findings of `ballots`, grouped by dimension.

    Two that differ only in case, typography and punctuation are one. The group with the heaviest demand comes first, and
    so does the heaviest demand of a group; with equal weight, the order of `dimensions` and of the judges decides.
    `text` is the judged text, in which the quoted passages are searched.
    """
    merged: dict[str, _Demand] = {}
    for ballot, words in _demands(ballots):
        demand = merged.setdefault(_fold(words), _Demand(words, _find_dimension(words, dimensions)))
        demand.judges[ballot.judge] = ballot.weight
    if not merged:
        return ()
    total = math.fsum(ballot.weight for ballot in ballots)
    changes = [_to_change(demand, [ballot.judge for ballot in ballots], total, text) for demand in merged.values()]
    heaviest: dict[str | None, float] = {}
    for change in changes:
        heaviest[change.dimension] = max(change.weight, heaviest.get(change.dimension, 0.0))
    rank = {name: place for place, name in enumerate(dimensions)}

    def order(change: RequiredChange) -> tuple[float, int, float]:
        place = len(rank) if change.dimension is None else rank[change.dimension]
        return -heaviest[change.dimension], place, -change.weight

    return tuple(sorted(changes, key=order))


def _demands(ballots: Sequence[Ballot]) -> Iterator[tuple[Ballot, str]]:
    """Every demand with its ballot: what must be corrected, then the critical findings."""
    for ballot in ballots:
        for words in (*ballot.vote.remediation_required, *ballot.vote.critical_findings):
            if _fold(words):
                yield ballot, words


def _fold(words: str) -> str:
    """Letters and digits in lower case, with single spaces."""
    return " ".join(re.sub(r"[\W_]+", " ", normalize_text(words)).split())


def _find_dimension(words: str, dimensions: Sequence[str]) -> str | None:
    """The dimension whose name occurs first in `words`, as whole words; the longest of several that begin there."""
    folded = f" {_fold(words)} "
    named = [(folded.find(f" {_fold(name)} "), -len(name), name) for name in dimensions if _fold(name)]
    return min((found for found in named if found[0] >= 0), default=(0, 0, None))[2]


def _to_change(demand: _Demand, order: Sequence[str], total: float, text: str) -> RequiredChange:
    lines = ((passage, find_quoted_line(passage, text)) for passage in find_quoted_passages(demand.text))
    quote, line = next((found for found in lines if found[1] is not None), (None, None))
    return RequiredChange(
        dimension=demand.dimension,
        text=demand.text,
        judges=tuple(judge for judge in order if judge in demand.judges),
        weight=strip_float_noise(math.fsum(demand.judges.values()) / total),
        quote=quote,
        line=line,
    )
