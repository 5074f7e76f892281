"""Extracts facts from a prompt for the mock: the motion, who speaks or is judged, what was said before.

Reads the prompts of `debaters.conversation` and `judge_input.transcript_prompt`. A missing fact has a neutral default, so
the mock can answer any prompt.
"""

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

from debate_cli.domain.text_normalization import iter_strings
from debate_cli.llm.model import Message, Request

Json = Mapping[str, Any]

MIN_QUOTE_CHARS = 30
MIN_PASSAGE_CHARS = 12
"""Minimum length of a document's passage that a judge quotes."""
_STRING = r'("(?:[^"\\]|\\.)*")'
_MOTION = re.compile(rf"^(?:Motion|MOTION|TITLE): {_STRING}", re.MULTILINE)
_DOCUMENT = re.compile(rf"^DOCUMENT: {_STRING}$", re.MULTILINE)
_SIDES = re.compile(rf"(?:You are |Against you: |, ){_STRING}, side {_STRING}")
_SPEAKER = re.compile(rf"^You are {_STRING}, side", re.MULTILINE)
_JUDGED_TURN = re.compile(rf"\bturn (\d+) by {_STRING}")
_OWN_VOTE = re.compile(r"^Your last vote: (\{.*\})$", re.MULTILINE)
_SCORECARD = re.compile(r"^The scorecard of single turns, as data: (\{.*\})$", re.MULTILINE)
_PASSAGE = re.compile(rf"^Passage (S\d+), {_STRING.replace('(', '(?:', 1)}: {_STRING}$", re.MULTILINE)
_CITED_SOURCE = re.compile(r'"source"\s*:')
_WORD_LIMIT = re.compile(r"at most (\d+) words")
_ARGUMENT_NUMBER = re.compile(r'"[^"\s]*-(\d{1,9})"')
_WORD = re.compile(r"[^\W\d_][\w-]{3,}")
_NOT_A_NOUN = re.compile(
    r".*(?:ly|ing|ive|ous|ful|able|ible|less|ed)$|(?:should|would|could|there|their|these|those|under|with|from|into|more"
    r"|most|than|that|this|what|when|where|which|whether|while|over|after|before|about|against|between|become|make|makes"
    r"|have|been|will|must|does|adopt|replace|allow|every|small|large|best|better|good|first|only|also|still|they|them|each"
    r"|other|another|ever)$"
)


class PromptFacts:
    """The facts of one request."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.user_text = "\n".join(message.content for message in request.messages if message.role == "user")
        self.is_judge = request.purpose.startswith("judge.")

    @cached_property
    def motion(self) -> str:
        """The motion, or the title of a judged document."""
        found = _MOTION.search(self.user_text)
        return str(json.loads(found[1])) if found else "the proposal"

    @cached_property
    def is_document(self) -> bool:
        """Whether a document is judged instead of a debate."""
        return bool(self.document)

    @cached_property
    def document(self) -> str:
        """The judged document; empty for a debate."""
        found = _DOCUMENT.search(self.user_text)
        return str(json.loads(found[1])) if found else ""

    @cached_property
    def document_passages(self) -> list[str]:
        """The beginnings of the document's sentences, without headings; the motion if it has no sentence."""
        lines = [line.strip(" \t-*>|") for line in self.document.splitlines() if not line.startswith("#")]
        sentences = [part for line in lines for part in re.split(r"(?<=[.!?])\s", line)]
        starts = [" ".join(part.split()[:9]).rstrip(".,;:?!") for part in sentences]
        return [start for start in starts if len(start) >= MIN_PASSAGE_CHARS and '"' not in start] or [self.motion]

    @cached_property
    def focus(self) -> str:
        """The subject of the motion: its longest word that looks like a noun."""
        words = [word for word in _WORD.findall(self.motion) if not _NOT_A_NOUN.match(word.casefold())]
        return max(words, key=len, default="this proposal")

    @cached_property
    def sides(self) -> dict[str, str]:
        """Side per debater's name."""
        for line in self.user_text.splitlines():
            if line.startswith("DEBATERS: "):
                return {item["name"]: item["side"] for item in json.loads(line.removeprefix("DEBATERS: "))}
        return {json.loads(name): json.loads(side) for name, side in _SIDES.findall(self.user_text)}

    @cached_property
    def speaker(self) -> str | None:
        """The debater who is asked or, for a judge, whose turn is judged."""
        if self.is_judge:
            found = _JUDGED_TURN.findall(self.task)
            return str(json.loads(found[-1][1])) if found else None
        found = _SPEAKER.search(self.user_text)
        return str(json.loads(found[1])) if found else None

    @cached_property
    def turns(self) -> tuple[Json, ...]:
        """The transcript that a judge reads."""
        found = map(_parse_object, self.user_text.splitlines())
        return tuple(turn for turn in found if type(turn.get("turn")) is int and "speaker" in turn)

    @cached_property
    def passages(self) -> dict[str, str]:
        """The passages that a debater may cite: id -> text."""
        return {passage: json.loads(text) for passage, text in _PASSAGE.findall(self.user_text)}

    @cached_property
    def own_turns(self) -> tuple[Json, ...]:
        """Earlier answers of this debater."""
        return tuple(_parse_object(message.content) for message in self._own_messages)

    @cached_property
    def _own_messages(self) -> tuple[Message, ...]:
        return tuple(message for message in self.request.messages if message.role == "assistant")

    @cached_property
    def own_argument_count(self) -> int:
        """Number of arguments that this debater made before."""
        return sum(len(list_objects(turn, "arguments")) + len(list_objects(turn, "claims")) for turn in self.own_turns)

    @cached_property
    def own_citation_count(self) -> int:
        """Number of citations in this debater's earlier answers."""
        return sum(len(_CITED_SOURCE.findall(message.content)) for message in self._own_messages)

    @cached_property
    def speaker_rank(self) -> int:
        """Index of the speaker among the sorted names in the prompt; 0 if unknown."""
        return sorted(self.sides).index(self.speaker) if self.speaker in self.sides else 0

    @cached_property
    def quote_checks(self) -> dict[str, str]:
        """Citation id -> result of its quote check, as a judge of sources sees it."""
        found = map(_parse_object, self.task.splitlines())
        return {str(item["citation"]): str(item.get("quote_check")) for item in found if "citation" in item}

    @cached_property
    def looked_up(self) -> dict[str, str]:
        """Passage id -> text of the passages that were looked up for a judge of sources."""
        found = map(_parse_object, self.task.splitlines())
        return {item["passage"]: str(item.get("text")) for item in found if isinstance(item.get("passage"), str)}

    @cached_property
    def conceded(self) -> tuple[str, ...]:
        """Ids of the arguments that this debater conceded in cross-examination."""
        responses = (response for turn in self.own_turns for response in list_objects(turn, "responses"))
        return tuple(str(response.get("target")) for response in responses if response.get("type") == "concede")

    @cached_property
    def own_vote(self) -> Json | None:
        """Last vote of a panel judge who votes again."""
        found = _OWN_VOTE.search(self.user_text)
        return _parse_object(found[1]) or None if found else None

    @cached_property
    def scorecard(self) -> Json:
        """The scorecard that a judge of two contradicting results is shown: `winner` (a name or null) and more."""
        found = _SCORECARD.search(self.user_text)
        return _parse_object(found[1]) if found else {}

    @cached_property
    def word_limit(self) -> int | None:
        """Maximum number of words that the task states."""
        found = _WORD_LIMIT.findall(self.task)
        return int(found[-1]) if found else None

    @cached_property
    def task(self) -> str:
        """The part of the prompt with the task: after the transcript for judges, else the last message."""
        last = self.request.messages[-1].content if self.request.messages else ""
        return last[self.request.stable_chars :] if self.is_judge else last

    @cached_property
    def debate_text(self) -> str:
        """All earlier speeches, the debater's own first, because tasks also name ids of own arguments."""
        own = [message.content for message in self._own_messages]
        return "\n".join([*own, self.user_text])

    @cached_property
    def last_argument_number(self) -> int:
        """Highest number in any argument id (`PRO-7`); 0 if there is none."""
        return max(map(int, _ARGUMENT_NUMBER.findall(self.debate_text)), default=0)

    def find_speaker(self, item: str) -> str | None:
        """Debater who made the argument with the id `item`."""
        return self._speakers.get(item)

    @cached_property
    def _claims(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for argument in (item for turn in self.turns for item in list_objects(turn, "arguments")):
            if type(argument.get("id")) is str:
                found.setdefault(argument["id"], []).append(str(argument.get("claim")))
        return found

    @cached_property
    def _speakers(self) -> dict[str, str]:
        arguments = ((turn, item) for turn in reversed(self.turns) for item in list_objects(turn, "arguments"))
        return {item["id"]: str(turn["speaker"]) for turn, item in arguments if type(item.get("id")) is str}

    def find_quotable_sentences(self, item: str | None, *, before_judged_turn: bool = False) -> list[str]:
        """Sentences that a judge may quote: of the argument `item`, or of the first judged turn if `item` is None.

        `before_judged_turn`: takes the turn before it instead, if only one turn is judged. If the task names no turn,
        all sentences of the debate are returned.
        """
        if item is not None:
            texts = self._claims.get(item, [])
        else:
            judged = sorted({int(index) for index, _ in _JUDGED_TURN.findall(self.task)})
            quoted = [judged[0] - 1] if before_judged_turn and len(judged) == 1 else judged[:1]
            turns = [turn for turn in self.turns if not judged or turn["turn"] in quoted]
            texts = [text for turn in turns for text in iter_strings(turn)]
        return [part for text in texts for part in re.split(r"(?<=[.!?])\s", text) if len(part) >= MIN_QUOTE_CHARS]


def list_objects(values: Json, name: str) -> list[Json]:
    """The objects in the list `values[name]`; empty if it is not a list."""
    found: object = values.get(name)
    items = cast("list[object]", found) if isinstance(found, list) else []
    return [cast("Json", item) for item in items if isinstance(item, dict)]


def _parse_object(text: str) -> dict[str, Any]:
    if not text.startswith("{"):
        return {}
    try:
        value: object = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
