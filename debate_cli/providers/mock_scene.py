"""What a request tells the mock about the debate: the motion, who speaks or is judged, what was said.

Reads the prompts of `debaters.conversation` and `judging.transcript_view`; whatever it does not find has a plain
substitute, so that any other request is answered as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from debate_cli.domain.text_normalization import iter_strings
from debate_cli.llm.model import Request
from debate_cli.providers.mock_phrases import ANGLES, Angle

Json = Mapping[str, Any]

QUOTABLE = 30
"""Fewest characters of a sentence that is worth quoting."""

_STRING = r'("(?:[^"\\]|\\.)*")'
_MOTION = re.compile(rf"^(?:Motion|MOTION|TITLE): {_STRING}", re.MULTILINE)
_DOCUMENT = re.compile(rf"^TITLE: {_STRING}\nDOCUMENT: ", re.MULTILINE)
_ROLES = re.compile(rf"(?:You are |Against you: |, ){_STRING}, side {_STRING}")
_SPEAKER = re.compile(rf"^You are {_STRING}, side", re.MULTILINE)
_JUDGED = re.compile(rf"\bturn (\d+), by {_STRING}")
_OWN_VOTE = re.compile(r"^Your last vote: (\{.*\})$", re.MULTILINE)
_SCORECARD = re.compile(r"^The scorecard of single turns, as data: (\{.*\})$", re.MULTILINE)
_WORDS = re.compile(r"at most (\d+) words")
_NOUNLIKE = re.compile(r"[^\W\d_][\w-]{3,}")
_NOT_NOUNS = re.compile(r".*(?:ly|ing|ive|ous|ful|able|ible|less|ed)$|(?:should|would|could|there|their|these|those|under"
                        r"|with|from|into|more|most|than|that|this|what|when|where|which|whether|while|over|after|before"
                        r"|about|against|between|become|make|makes|have|been|will|must|does|adopt|replace|allow|every"
                        r"|small|large|best|better|good|first|only|also|still|than|they|them|each|other|another|ever)$")  # fmt: skip


@dataclass(frozen=True)
class Scene:
    """A request, read."""

    request: Request
    text: str = field(repr=False)
    """Everything that the user role says."""

    @classmethod
    def of(cls, request: Request) -> Scene:
        """The scene that `request` is about."""
        return cls(request, "\n".join(message.content for message in request.messages if message.role == "user"))

    @cached_property
    def motion(self) -> str:
        """The motion in its own words; of a document, its title."""
        found = _MOTION.search(self.text)
        return str(json.loads(found[1])) if found else "the proposal"

    @cached_property
    def document(self) -> bool:
        """Whether a document is judged, and no debate."""
        return _DOCUMENT.search(self.text) is not None

    @cached_property
    def focus(self) -> str:
        """What the motion is about: its longest word that looks like a noun."""
        words = [word for word in _NOUNLIKE.findall(self.motion) if not _NOT_NOUNS.match(word.casefold())]
        return max(words, key=len, default="this proposal")

    @cached_property
    def judging(self) -> bool:
        """Whether a judge is asked."""
        return self.request.purpose.startswith("judge.")

    @cached_property
    def sides(self) -> dict[str, str]:
        """Side per debater's name."""
        for line in self.text.splitlines():
            if line.startswith("DEBATERS: "):
                return {item["name"]: item["side"] for item in json.loads(line.removeprefix("DEBATERS: "))}
        return {json.loads(name): json.loads(side) for name, side in _ROLES.findall(self.text)}

    @cached_property
    def speaker(self) -> str | None:
        """Whose turn it is or, for a judge, whose turn is judged."""
        if self.judging:
            found = _JUDGED.findall(self._ask)
            return str(json.loads(found[-1][1])) if found else None
        found = _SPEAKER.search(self.text)
        return str(json.loads(found[1])) if found else None

    @cached_property
    def judged_turns(self) -> tuple[int, ...]:
        """Indices of the turns that a judge is asked about, the earlier one first."""
        return tuple(sorted({int(index) for index, _ in _JUDGED.findall(self._ask)}))

    @cached_property
    def turns(self) -> tuple[Json, ...]:
        """The transcript that a judge is shown."""
        found = map(_object, self.text.splitlines())
        return tuple(turn for turn in found if type(turn.get("turn")) is int and "speaker" in turn)

    @cached_property
    def own_turns(self) -> tuple[Json, ...]:
        """What a debater said so far."""
        return tuple(_object(message.content) for message in self.request.messages if message.role == "assistant")

    @cached_property
    def own_arguments(self) -> int:
        """How many arguments a debater has made so far."""
        return sum(len(_listed(turn, "arguments") or _listed(turn, "claims")) for turn in self.own_turns)

    @cached_property
    def conceded(self) -> tuple[str, ...]:
        """Ids of what a debater has conceded in cross-examination."""
        responses = (response for turn in self.own_turns for response in _entries(turn, "responses"))
        return tuple(str(response.get("target")) for response in responses if response.get("type") == "concede")

    @cached_property
    def own_vote(self) -> Json | None:
        """The last vote of a panel judge who is asked again."""
        found = _OWN_VOTE.search(self.text)
        return _object(found[1]) or None if found else None

    @cached_property
    def scorecard(self) -> Json:
        """What a judge is told of the marks that led to another winner than its story: `winner` (a name or null) and more."""
        found = _SCORECARD.search(self.text)
        return _object(found[1]) if found else {}

    @property
    def word_limit(self) -> int | None:
        """Most words that the last message allows."""
        found = _WORDS.findall(self._ask)
        return int(found[-1]) if found else None

    def speaker_of(self, item: str) -> str | None:
        """Who made the argument `item`."""
        for turn in self.turns:
            if any(argument.get("id") == item for argument in _entries(turn, "arguments")):
                return str(turn["speaker"])
        return None

    def angle_of(self, item: str) -> Angle | None:
        """The angle that argument `item` was made from, where it was the mock that made it."""
        start = self._own_then_others.find(item)
        if start < 0:
            return None
        passage = self._own_then_others[start : start + 400].casefold()
        found = [(passage.find(clause), angle) for angle in ANGLES for clause in (angle.gain, angle.harm)]
        return min(
            ((where, angle) for where, angle in found if where >= 0), key=lambda pair: pair[0], default=(0, None)
        )[1]

    @cached_property
    def angles(self) -> tuple[Angle, ...]:
        """The angles that the debate was argued from; all there are, where none can be told."""
        said = self.text.casefold()
        return tuple(angle for angle in ANGLES if angle.gain in said or angle.harm in said) or ANGLES

    def sentences(self, *, item: str | None, turns: tuple[int, ...]) -> tuple[str, ...]:
        """What a judge may quote: words of argument `item`, else of the turns with these indices."""
        if item is not None:
            arguments = (entry for turn in self.turns for entry in _entries(turn, "arguments"))
            said = [str(entry.get("claim")) for entry in arguments if entry.get("id") == item]
        else:
            said = [text for turn in self.turns if turn["turn"] in turns for text in iter_strings(turn)]
        return tuple(part for text in said for part in re.split(r"(?<=[.!?])\s", text) if len(part) >= QUOTABLE)

    @cached_property
    def _own_then_others(self) -> str:
        """All that was said; what the debater said itself comes first, as the tasks before it name its ids as well."""
        own = [message.content for message in self.request.messages if message.role == "assistant"]
        return "\n".join([*own, self.text])

    @cached_property
    def _ask(self) -> str:
        """The part of the request that asks: after the tag for judges, else the last message."""
        last = self.request.messages[-1].content if self.request.messages else ""
        return last[self.request.stable_chars :] if self.judging else last


def _object(text: str) -> dict[str, Any]:
    """`text` as a JSON object; empty where it is none."""
    if not text.startswith("{"):
        return {}
    try:
        value: object = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _listed(turn: Json, name: str) -> list[object]:
    """The list `name` of a turn, which may come from anywhere; empty where it is no list."""
    value: object = turn.get(name)
    return cast("list[object]", value) if isinstance(value, list) else []


def _entries(turn: Json, name: str) -> list[Json]:
    """Those items of such a list that are objects."""
    return [cast("Json", item) for item in _listed(turn, name) if isinstance(item, dict)]
