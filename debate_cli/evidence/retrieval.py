"""Finds the passages that a speaker is shown: which words are searched, and which ids the passages get."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import PassagesShown
from debate_cli.domain.evidence import Passage
from debate_cli.domain.tasks import Cue, speech_key
from debate_cli.evidence.corpus import Corpus, FoundPassage

_PASSAGE_NUMBER = re.compile(r"S([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class PassageFinder:
    """Finds passages of one corpus for the speakers of a debate."""

    corpus: Corpus
    limit: int
    """Number of passages for one speech."""

    def find(self, cue: Cue, debate: Debate, at: datetime) -> PassagesShown:
        """The passages for `cue`. Those that the speaker was shown before come last."""
        shown = {passage_id for key in _own_keys(cue, debate) for passage_id in debate.shown_passages.get(key, ())}
        known = {
            (passage.sha256, passage.source, passage.locator) for passage in debate.passages if passage.id in shown
        }
        found = self.corpus.search(build_query(cue, debate), self.limit + len(known))
        found.sort(key=lambda passage: (passage.sha256, passage.source, passage.locator) in known)
        return number_passages(found[: self.limit], debate, cue.key, at)


def build_query(cue: Cue, debate: Debate) -> str:
    """The words that are searched for `cue`: the claims to be answered, the motion, and the speaker's side."""
    seen = debate.visible_to(cue)
    claims = [argument.claim for speaker, argument in seen.arguments.values() if speaker != cue.speaker]
    questions = [question.text for question in cue.questions]
    return " ".join([*questions, debate.topic, debate.participant(cue.speaker).side, *reversed(claims)])


def number_passages(found: Sequence[FoundPassage], debate: Debate, key: str | None, at: datetime) -> PassagesShown:
    """The event that shows `found`: each passage gets the next id, or the one that it has in `debate` already."""
    ids = {(passage.sha256, passage.source, passage.locator): passage.id for passage in debate.passages}
    numbers = [int(match[1]) for passage in debate.passages if (match := _PASSAGE_NUMBER.fullmatch(passage.id))]
    following = max(numbers, default=0) + 1
    added: list[Passage] = []
    for item in found:
        place = (item.sha256, item.source, item.locator)
        if place not in ids:
            ids[place] = f"S{following}"
            added.append(item.to_passage(ids[place], at))
            following += 1
    shown = tuple(ids[item.sha256, item.source, item.locator] for item in found)
    return PassagesShown(at=at, key=key, shown=shown, passages=tuple(added))


def _own_keys(cue: Cue, debate: Debate) -> list[str]:
    """Keys of the speaker's earlier turns."""
    return [speech_key(turn.index) for turn in debate.select_turns(speaker=cue.speaker)]
