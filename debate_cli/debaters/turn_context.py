"""The part of a debate that a speaker may see when answering a cue. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from debate_cli.domain.config import FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Passage
from debate_cli.domain.message_text import one_line
from debate_cli.domain.participant import Participant
from debate_cli.domain.recent_history import recent_history
from debate_cli.domain.tasks import Cue


@dataclass(frozen=True)
class TurnContext:
    """A cue, and the part of the debate that the cue's speaker may see."""

    cue: Cue
    debate: Debate
    shown_ids: frozenset[str] | None = None
    """Ids of the arguments that the prompt shows; None if the prompt shows the whole debate."""

    @classmethod
    def from_cue(cls, cue: Cue, debate: Debate) -> TurnContext:
        """Build the context of `cue`, with the part of `debate` that the cue's speaker may see."""
        return cls(cue, debate.visible_to(cue))

    def with_recent_history(self) -> TurnContext:
        """Return a copy for a prompt that shows only the recent part of the debate."""
        return replace(self, shown_ids=recent_history(self.debate).argument_ids)

    def keep_shown(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return the members of `ids` whose arguments the prompt shows."""
        return ids if self.shown_ids is None else tuple(key for key in ids if key in self.shown_ids)

    @property
    def speaker(self) -> Participant:
        """The participant whom the cue asks to speak."""
        return self.debate.participant(self.cue.speaker)

    @property
    def format(self) -> FormatConfig:
        """The format of the debate."""
        return self.debate.config.format

    @cached_property
    def own_ids(self) -> tuple[str, ...]:
        """Ids of the speaker's arguments so far."""
        return tuple([key for key, (name, _) in self.debate.arguments.items() if name == self.cue.speaker])

    @cached_property
    def opponent_ids(self) -> tuple[str, ...]:
        """Ids of the opponents' arguments so far."""
        return tuple([key for key, (name, _) in self.debate.arguments.items() if name != self.cue.speaker])

    @cached_property
    def target_ids(self) -> tuple[str, ...]:
        """Ids of the arguments to answer.

        If the speaker was asked questions, these are the arguments that the questions are about; otherwise all arguments
        of the opponents.
        """
        if self.cue.questions:
            return tuple(dict.fromkeys(question.target for question in self.cue.questions))
        return self.opponent_ids

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of sources that the prompt shows, in the order of the prompt."""
        known = self.debate.passages_by_id
        shown = self.debate.shown_passages.get(self.cue.key, ())
        return tuple(known[key] for key in shown if key in known)

    def new_ids(self, count: int) -> tuple[str, ...]:
        """Return the next `count` ids for new arguments of the speaker."""
        prefix = self.speaker.prefix
        written = (re.fullmatch(rf"{prefix}-(\d{{1,9}})", key) for key in self.debate.arguments)
        last = max((int(match[1]) for match in written if match), default=0)
        return tuple(f"{prefix}-{number}" for number in range(last + 1, last + 1 + count))

    def match_id(self, written: str, known: Iterable[str]) -> str:
        """Return the id in `known` that `written` means, e.g. `PRO-1` for `[pro 1]`.

        If no id matches, returns `written` on one line.
        """
        normalized = _normalize_id(written)
        return next((key for key in known if _normalize_id(key) == normalized), one_line(written))


def _normalize_id(key: str) -> str:
    return re.sub(r"[\W_]+", "-", key.strip(" \t\n[]()#*:.\"'")).casefold()
