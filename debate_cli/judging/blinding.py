"""Hides names, models and ids of a debate from a reviewer: a person who judges the debate.

The reviewer reads masks: `Speaker A` for a name, `[model 1]` for a model, `A-1` for an id. If the reviewer writes such a
mask, the stored review has the original instead.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from debate_cli.domain.debate import Debate, models_used_by_debaters
from debate_cli.domain.nested_texts import map_texts
from debate_cli.domain.participant import Participant
from debate_cli.domain.turn import Turn

T = TypeVar("T")
PUBLIC_SIDES = frozenset({"for", "against"})
"""Sides whose names the reviewer may see. The name of any other side is masked, because it could reveal the debater."""
_NEVER_MASKED_FIELDS = frozenset({"type", "shift", "phase", "kind"})
_TEXT_FIELDS = ("speaker", "text", "arguments", "responses", "answers", "closing", "passages")
HIDDEN_MODEL = "hidden/hidden"
HIDDEN = "[hidden]"
"""Mask for a name that is written with unusual letters, e.g. `ſ` for `s`."""
_MIN_NAME_PART_CHARS = 3
_FUNCTION_WORDS = frozenset(
    {"the", "and", "for", "against", "with", "from", "team", "side", "von", "van", "der", "del"}
)
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_VERSIONED_MODEL = re.compile(r"([^\W\d_]{3,})\W?.*\d")


class Blinding:
    """Masks the names of one debate. The first name in `order` becomes `Speaker A`, the second `Speaker B`."""

    def __init__(self, debate: Debate, order: Sequence[str]) -> None:
        self._debate = debate
        self._letters = {name: _letter(number) for number, name in enumerate(order)}
        self._parts = dict(self._name_parts())
        words = list(self._whole_words())
        self._words = {word.casefold(): mask for word, mask in reversed(words)}
        self._originals = {mask: word for word, mask in reversed(words)}
        prefixes = {participant.prefix: self._letters[participant.name] for participant in debate.participants}
        self._prefixes = {prefix.casefold(): letter for prefix, letter in prefixes.items()}
        self._letter_prefixes = {letter: prefix for prefix, letter in prefixes.items()}
        self._turns: dict[int, Turn] = {}
        self._masked = _pattern(self._prefixes, self._words, self._parts)
        self._unmasked = _pattern(self._letter_prefixes, (), self._originals)

    def mask(self, value: T) -> T:
        """Replace names, models and ids with masks in all strings of `value`."""
        return map_texts(value, self._mask_text, skip=_NEVER_MASKED_FIELDS)

    def unmask(self, value: T) -> T:
        """Replace masks with names and ids in all strings of `value`."""
        return map_texts(value, self._unmask_text)

    def mask_debate(self, debate: Debate, run: str) -> Debate:
        """Return what a reviewer may see of `debate`, with names masked.

        `run`: the judging run whose assessments are included.
        """
        config, order = debate.config, list(self._letters)
        participants = sorted(debate.participants, key=lambda participant: order.index(participant.name))
        shown = config.model_copy(
            update={"topic": self.mask(config.topic), "background": self.mask(config.background), "debaters": ()}
        )
        own = [item for item in debate.assessments if item.run == run]
        masked = debate.model_copy(
            update={
                "id": "debate",
                "config": shown,
                "participants": tuple(map(self._mask_participant, participants)),
                "turns": tuple(map(self._mask_turn, debate.turns)),
                "passages": self.mask(debate.passages),
                "shown_passages": {},
                "failures": (),
                "renamed_arguments": (),
                "kept_verdicts": (),
                "runs": tuple(known for known in debate.runs if known.id == run),
            }
        )
        return masked.with_assessments(
            item.model_copy(update={"marks": self.mask(item.marks), "findings": self.mask(item.findings)})
            for item in own
        )

    def _mask_participant(self, participant: Participant) -> Participant:
        letter = self._letters[participant.name]
        side = participant.side if participant.side in PUBLIC_SIDES else _speaker(letter)
        return Participant(name=_speaker(letter), side=side, prefix=letter, model=HIDDEN_MODEL)

    def _mask_turn(self, turn: Turn) -> Turn:
        if turn.index in self._turns:
            return self._turns[turn.index]
        update = {name: self.mask(getattr(turn, name)) for name in _TEXT_FIELDS}
        call = turn.exchange.model_copy(update={"model": HIDDEN_MODEL})
        update |= {"directive": None, "strategy": None, "raw": None, "exchange": call}
        return self._turns.setdefault(turn.index, turn.model_copy(update=update))

    def _whole_words(self) -> Iterator[tuple[str, str]]:
        for name, letter in self._letters.items():
            yield unicodedata.normalize("NFC", name), _speaker(letter)
        for participant in self._debate.participants:
            if participant.side not in PUBLIC_SIDES:
                yield participant.side, _speaker(self._letters[participant.name])
        models = [
            *models_used_by_debaters(self._debate),
            *(participant.model for participant in self._debate.participants),
            *(item.exchange.model for item in self._debate.assessments),
        ]
        words = dict.fromkeys(word for model in models for word in _model_words(model))
        yield from ((word, f"[model {number}]") for number, word in enumerate(words, 1))
        if re.search(r"[-\d]", self._debate.id):
            yield self._debate.id, "[this debate]"

    def _name_parts(self) -> Iterator[tuple[str, str]]:
        public = {word.casefold() for word in _WORD.findall(self._debate.topic)} | _FUNCTION_WORDS
        for name, letter in self._letters.items():
            parts = _WORD.findall(unicodedata.normalize("NFC", name))
            for part in parts if len(parts) > 1 else ():
                if len(part) >= _MIN_NAME_PART_CHARS and part[0].isupper() and part.casefold() not in public:
                    yield part, _speaker(letter)
                    yield part.upper(), _speaker(letter)

    def _mask_text(self, text: str) -> str:
        def replace(match: re.Match[str]) -> str:
            masks = self._prefixes if match["prefix"] else self._words
            return masks.get(match[0].casefold()) or self._parts.get(match[0], HIDDEN)

        return self._masked.sub(replace, unicodedata.normalize("NFC", text))

    def _unmask_text(self, text: str) -> str:
        def restore(match: re.Match[str]) -> str:
            word = match.group()
            return self._letter_prefixes.get(word, word) if match["prefix"] else self._originals[word]

        return self._unmasked.sub(restore, text)


def shuffle_order(names: Iterable[str], seed: int) -> tuple[str, ...]:
    """Return `names` in a random order that depends only on `seed` and the order of `names`."""
    order = list(names)
    random.Random(seed).shuffle(order)  # noqa: S311 - an order of presentation, not a secret
    return tuple(order)


def _letter(number: int) -> str:
    rounds, place = divmod(number, 26)
    return f"{chr(ord('A') + place)}{rounds + 1 if rounds else ''}"


def _speaker(letter: str) -> str:
    return f"Speaker {letter}"


def _model_words(model: str) -> Iterator[str]:
    yield model
    name = model.partition("/")[2].rpartition("/")[2]
    family = _VERSIONED_MODEL.match(name)
    if family is not None:
        yield name
        yield family[1]


def _pattern(prefixes: Iterable[str], any_case: Iterable[str], exact: Iterable[str]) -> re.Pattern[str]:
    choices = [(word, f"(?i:{re.escape(word)})") for word in any_case] + [(word, re.escape(word)) for word in exact]
    words = [choice for word, choice in sorted(choices, key=lambda item: -len(item[0])) if word]
    begins = "|".join(re.escape(prefix) for prefix in sorted(prefixes, key=len, reverse=True)) or "(?!)"
    return re.compile(rf"(?<!\w)(?:(?P<prefix>(?i:{begins}))(?=-\d)|(?:{'|'.join(words) or '(?!)'}))(?!\w)")
