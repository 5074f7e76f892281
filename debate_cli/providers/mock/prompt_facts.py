"""Extracts facts from a prompt for the mock: the motion, the speaker or the judged turn, the earlier speeches.

Reads the prompts of `debaters.conversation` and `judge_input.transcript_prompt`. A missing fact has a neutral default,
so the mock can answer any prompt.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from debate_cli.domain.text_normalization import iter_strings
from debate_cli.llm.model import Request

Json = Mapping[str, Any]

MIN_QUOTE_CHARS = 30
MIN_PASSAGE_CHARS = 12
"""Minimum length of a passage of a judged document that a judge quotes."""
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
_WORD = re.compile(r"[^\W\d_][\w-]{3,}")
_NOT_A_NOUN = re.compile(
    r".*(?:ly|ing|ive|ous|ful|able|ible|less|ed)$|(?:should|would|could|there|their|these|those|under|with|from|into|more"
    r"|most|than|that|this|what|when|where|which|whether|while|over|after|before|about|against|between|become|make|makes"
    r"|have|been|will|must|does|adopt|replace|allow|every|small|large|best|better|good|first|only|also|still|they|them|each"
    r"|other|another|ever)$"
)


class PromptFacts:
    """The facts in the prompt of one request."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.user_text = "\n".join(message.content for message in request.messages if message.role == "user")
        self.is_judge = request.purpose.startswith("judge.")
        last = request.messages[-1].content if request.messages else ""
        self.task = last[request.stable_chars :] if self.is_judge else last
        """The part of the prompt with the task: after the transcript for judges, else the last message."""
        self.motion = _find_string(_MOTION, self.user_text) or "the proposal"
        """The motion, or the title of a judged document."""
        self.document = _find_string(_DOCUMENT, self.user_text)
        """The judged document; empty for a debate."""
        self.sides = _find_sides(self.user_text)
        """Maps the name of a debater to the debater's side."""
        judged = [json.loads(name) for _, name in _JUDGED_TURN.findall(self.task)]
        asked = _find_string(_SPEAKER, self.user_text)
        self.speaker: str | None = (judged[-1] if judged else None) if self.is_judge else asked or None
        """The debater who is asked or, for a judge, whose turn is judged."""
        found = _parse_lines(self.user_text)
        self.turns = tuple(turn for turn in found if type(turn.get("turn")) is int and "speaker" in turn)
        """The transcript that a judge reads."""
        self.speakers = {
            argument.get("id"): str(turn["speaker"])
            for turn in reversed(self.turns)
            for argument in list_objects(turn, "arguments")
        }
        """Maps the id of an argument to the debater who made it; for a repeated id, to the first debater."""
        items = _parse_lines(self.task)
        self.quote_checks = {
            str(item["citation"]): str(item.get("quote_check")) for item in items if "citation" in item
        }
        """Maps the id of a citation to the result of its quote check, which the prompt of a source judge contains."""
        self.looked_up = {
            item["passage"]: str(item.get("text")) for item in items if isinstance(item.get("passage"), str)
        }
        """Maps the id of a passage that was looked up for a source judge to its text."""
        self.passages: dict[str, str] = {name: json.loads(text) for name, text in _PASSAGE.findall(self.user_text)}
        """Maps the ids of the passages that a debater may cite to their texts."""
        self.own_vote = _parse_object(_find(_OWN_VOTE, self.user_text))
        """Last vote of a panel judge who votes again; empty for a first vote."""
        self.scorecard = _parse_object(_find(_SCORECARD, self.user_text))
        """The scorecard shown to a judge of two contradicting results, with `winner` (a name or null) and other
        keys."""
        own = [message.content for message in request.messages if message.role == "assistant"]
        self.own_turns = tuple(map(_parse_object, own))
        """Earlier answers of this debater."""
        self.own_citation_count = sum(len(_CITED_SOURCE.findall(content)) for content in own)
        self.debate_text = "\n".join([*own, self.user_text])
        """All earlier speeches. The debater's own come first, because tasks also name ids of own arguments."""

    def document_passages(self) -> list[str]:
        """Return the beginnings of the document's sentences, without headings. Without a sentence, return the motion."""
        lines = [line.strip(" \t-*>|") for line in self.document.splitlines() if not line.startswith("#")]
        starts = [first_words(part) for line in lines for part in re.split(r"(?<=[.!?])\s", line)]
        return [start for start in starts if len(start) >= MIN_PASSAGE_CHARS and '"' not in start] or [self.motion]

    def focus(self) -> str:
        """Return the subject of the motion: its longest word that looks like a noun."""
        words = [word for word in _WORD.findall(self.motion) if not _NOT_A_NOUN.match(word.casefold())]
        return max(words, key=len, default="this proposal")

    def find_speaker(self, item: str | None) -> str | None:
        """Return the debater who made the argument `item`; None if it is unknown."""
        return self.speakers.get(item)

    def quotable_sentences(self, item: str | None, *, before: bool) -> list[str]:
        """Return sentences of the argument `item`, else of the judged turn, else of the debate.

        `before`: if only one turn is judged, use the turn before it.
        """
        if item:
            arguments = [each for turn in self.turns for each in list_objects(turn, "arguments")]
            texts = [str(each.get("claim")) for each in arguments if each.get("id") == item]
        else:
            judged = sorted({int(index) for index, _ in _JUDGED_TURN.findall(self.task)})
            quoted = [judged[0] - 1] if before and len(judged) == 1 else judged[:1]
            turns = [turn for turn in self.turns if not judged or turn["turn"] in quoted]
            texts = [text for turn in turns for text in iter_strings(turn)]
        return [part for text in texts for part in re.split(r"(?<=[.!?])\s", text) if len(part) >= MIN_QUOTE_CHARS]


def _find_string(pattern: re.Pattern[str], text: str) -> str:
    """Return the JSON string in the first group of `pattern` in `text`; empty if there is none."""
    found = _find(pattern, text)
    return str(json.loads(found)) if found else ""


def _find(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""


def _find_sides(text: str) -> dict[str, str]:
    for line in text.splitlines():
        if line.startswith("DEBATERS: "):
            return {item["name"]: item["side"] for item in json.loads(line.removeprefix("DEBATERS: "))}
    return {json.loads(name): json.loads(side) for name, side in _SIDES.findall(text)}


def first_words(sentence: str) -> str:
    """Return the first nine words of `sentence`, without punctuation after them."""
    return " ".join(sentence.split()[:9]).rstrip(".,;:?!")


def list_objects(values: Json, name: str) -> list[Json]:
    """Return the objects in the list `values[name]`; empty if it is not a list."""
    found: object = values.get(name)
    items = cast("list[object]", found) if isinstance(found, list) else []
    return [cast("Json", item) for item in items if isinstance(item, dict)]


def _parse_lines(text: str) -> list[dict[str, Any]]:
    return [value for line in text.splitlines() if line.startswith("{") and (value := _parse_object(line))]


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value: object = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
