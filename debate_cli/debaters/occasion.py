"""An occasion to speak: a cue together with what it lets its speaker know, and the ids that matter for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from debate_cli.domain.config import FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.participant import Participant
from debate_cli.domain.tasks import Cue


@dataclass(frozen=True)
class TurnContext:
    """Everything a debater's turn depends on: pure functions of cue and debate."""

    cue: Cue
    debate: Debate
    """Only what the cue entitles its speaker to know."""

    @classmethod
    def from_cue(cls, cue: Cue, debate: Debate) -> TurnContext:
        """The occasion that `cue` gives in `debate`."""
        return cls(cue, debate.visible_to(cue))

    @property
    def speaker(self) -> Participant:
        """Who is to speak."""
        return self.debate.participant(self.cue.speaker)

    @property
    def format(self) -> FormatConfig:
        """How the debate runs."""
        return self.debate.config.format

    @cached_property
    def own_ids(self) -> tuple[str, ...]:
        """Ids of the speaker's arguments so far."""
        return tuple(key for key, (name, _) in self.debate.arguments.items() if name == self.cue.speaker)

    @cached_property
    def opponent_ids(self) -> tuple[str, ...]:
        """Ids of everybody else's arguments so far."""
        return tuple(key for key, (name, _) in self.debate.arguments.items() if name != self.cue.speaker)

    @cached_property
    def target_ids(self) -> tuple[str, ...]:
        """Ids that a response may name: those asked about in a follow-up, else all of the others'."""
        if self.cue.questions:
            return tuple(dict.fromkeys(question.target for question in self.cue.questions))
        return self.opponent_ids

    def new_ids(self, count: int) -> tuple[str, ...]:
        """The next `count` ids for arguments of the speaker's own."""
        prefix = self.speaker.prefix
        numbers = [int(match[1]) for key in self.own_ids if (match := re.fullmatch(rf"{prefix}-(\d{{1,9}})", key))]
        first = max(numbers, default=0) + 1
        return tuple(f"{prefix}-{number}" for number in range(first, first + count))

    def match_id(self, written: str, known: Iterable[str]) -> str:
        """The one of `known` that `written` means, whatever its case, spacing or dash; else `written`, trimmed."""
        meant = _id_key(written)
        return next((key for key in known if _id_key(key) == meant), " ".join(written.split()))


def _id_key(key: str) -> str:
    """What two spellings of one id have in common."""
    return re.sub(r"[\W_]+", "-", key.strip(" \t\n[]()#*:.\"'")).casefold()
