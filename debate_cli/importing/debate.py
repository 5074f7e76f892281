"""Converts the speeches that a reader found into a free-flowing debate."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import PurePath
from typing import Literal, NamedTuple

from debate_cli.domain.config import MAX_ROUNDS, DebateConfig, DebaterConfig, FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Generator, Origin
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.participant import IMPORTED_MODEL, Participant, participants
from debate_cli.domain.turn import Argument, Turn
from debate_cli.evidence.unspaced_scripts import count_words
from debate_cli.importing.speaker_labels import clean_name
from debate_cli.importing.speakers import SpeakerChoices, resolve_speakers
from debate_cli.importing.speeches import MAX_TOPIC_CHARS, FoundDebate, ImportChoiceError, Speech
from debate_cli.storage.transcript import Transcript, transcript_to_debate

RoundRule = Literal["turns", "heading"]
"""What begins a new round. `turns`: a speaker of the current round speaks again. `heading`: the file has a new heading,
or names another round."""

TopicSource = Literal["option", "file", "name"]
"""Source of a debate's motion: the option `--topic`, the file's content, or the file's name."""


@dataclass(frozen=True, slots=True)
class ImportChoices:
    """The user's choices for an imported debate."""

    topic: str | None = None
    """The motion. None takes the motion from the file, or from the file's name if the file has no motion."""
    speakers: SpeakerChoices = field(default_factory=SpeakerChoices)
    round_by: RoundRule | None = None
    """What begins a new round. None means `heading` if the file has rounds, else `turns`."""


class SpeakerCount(NamedTuple):
    """A speaker's side, and the number of the speaker's speeches and words."""

    name: str
    side: str
    speeches: int
    words: int


@dataclass(frozen=True, slots=True)
class ImportedDebate:
    """A debate from a file, with facts that the user sees before the debate is saved."""

    debate: Debate
    topic_source: TopicSource
    """Source of the motion: the option `--topic`, the file's content, or the file's name."""
    dropped: tuple[str, ...]
    """Parts of the file that the debate leaves out."""
    warnings: tuple[str, ...]

    @property
    def speakers(self) -> tuple[SpeakerCount, ...]:
        """The speakers, in the order of their first speeches."""
        return tuple(
            SpeakerCount(person.name, person.side, len(turns), sum(count_words(turn.text) for turn in turns))
            for person in self.debate.participants
            for turns in [self.debate.select_turns(speaker=person.name)]
        )

    @property
    def round_count(self) -> int:
        """The number of rounds in the debate."""
        return len(self.debate.turns_by_round)


def build_debate(
    found: FoundDebate, origin: Origin, choices: ImportChoices, debate_id: str, generator: Generator, at: datetime
) -> ImportedDebate:
    """Build the debate from `found`, the contents of a file. Raises UnreadableDebateError if this is not possible."""
    resolved = resolve_speakers(found.speeches, found.sides, choices.speakers)
    topic, source = _choose_topic(found, choices, origin.file)
    rounds = _number_rounds(resolved.speeches, found, choices.round_by)
    config = DebateConfig(
        topic=topic,
        background=_choose_background(found, source) or None,
        debaters=tuple(
            DebaterConfig(name=name, side=side, model=IMPORTED_MODEL) for name, side in resolved.sides.items()
        ),
        format=FormatConfig(kind="free_flowing", order="sequential", turns=min(max(rounds), MAX_ROUNDS)),
        judging=JudgingConfig(systems=()),
    )
    people = participants(config)
    transcript = Transcript(
        generator=generator,
        id=debate_id,
        topic=topic,
        background=config.background,
        status="complete",
        closed="complete",
        started_at=at,
        finished_at=at,
        config=config,
        config_sha256=config.sha256(),
        origin=origin,
        participants=people,
        turns=tuple(_build_turns(resolved.speeches, rounds, people)),
        assessments=(),
    )
    debate = transcript_to_debate(transcript)
    return ImportedDebate(debate, source, (*found.dropped, *resolved.dropped), resolved.warnings)


def _choose_topic(found: FoundDebate, choices: ImportChoices, file: str) -> tuple[str, TopicSource]:
    if choices.topic is not None:
        if not choices.topic.strip() or len(choices.topic) > MAX_TOPIC_CHARS:
            raise ImportChoiceError(f"the motion must have 1 to {MAX_TOPIC_CHARS:,} characters; correct --topic")
        return choices.topic.strip(), "option"
    topic = (found.topic or "").strip()
    if topic and len(topic) <= MAX_TOPIC_CHARS:
        return topic, "file"
    name = " ".join(re.split(r"[\s_-]+", clean_name(PurePath(file).stem)))
    return name or "an imported debate", "name"


def _choose_background(found: FoundDebate, source: TopicSource) -> str:
    """Return the words before the first speech. If the debate does not use the file's motion, this motion comes first."""
    unused = "" if source == "file" else found.topic_text or found.topic or ""
    return "\n\n".join(filter(None, (unused, found.background)))


def _number_rounds(speeches: Sequence[Speech], found: FoundDebate, rule: RoundRule | None) -> list[int]:
    is_by_heading = rule == "heading" or (rule is None and found.has_rounds)
    rounds: list[int] = []
    spoke: set[str] = set()
    for before, speech in zip((None, *speeches), speeches, strict=False):
        is_new = before is not None and before.section != speech.section if is_by_heading else speech.speaker in spoke
        spoke = {speech.speaker} if is_new else spoke | {speech.speaker}
        rounds.append((rounds[-1] if rounds else 1) + is_new)
    return rounds


def _build_turns(speeches: Sequence[Speech], rounds: Sequence[int], people: Sequence[Participant]) -> Iterator[Turn]:
    numbers = {person.name: (person.prefix, count(1)) for person in people}
    for index, (speech, number) in enumerate(zip(speeches, rounds, strict=True)):
        prefix, items = numbers[speech.speaker]
        yield Turn(
            index=index,
            round=number,
            phase="speech",
            speaker=speech.speaker,
            text=speech.text,
            arguments=(Argument(id=f"{prefix}-{next(items)}", claim=speech.text, reasoning="", evidence=""),),
            exchange=ModelCall(model=IMPORTED_MODEL, rung="text", attempts=0, cost_usd=0.0),
        )
