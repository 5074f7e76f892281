"""Converts the speeches that a reader found into a free-flowing debate."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path, PurePath
from typing import Literal

from debate_cli.domain.config import MAX_ROUNDS, DebateConfig, DebaterConfig, FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import GENERATOR, Origin
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.participant import IMPORTED_MODEL, Participant, participants
from debate_cli.domain.turn import Argument, Turn
from debate_cli.importing.speaker_labels import clean_name
from debate_cli.importing.speakers import resolve_speakers
from debate_cli.importing.speeches import (
    MAX_TOPIC_CHARS,
    FoundDebate,
    ImportChoiceError,
    ImportRequest,
    RoundRule,
    Speech,
)
from debate_cli.storage.transcript import Transcript, transcript_to_debate

TopicSource = Literal["option", "file", "name"]
"""Source of a debate's motion: the option `--topic`, the file's content, or the file's name."""


@dataclass(frozen=True, slots=True)
class ImportedDebate:
    """A debate that was read from the file `source` and will be saved as the transcript `target`."""

    source: Path
    target: Path
    format: str
    encoding: str
    debate: Debate
    topic_source: TopicSource
    dropped: tuple[str, ...]
    """Parts of the file that the debate leaves out."""
    warnings: tuple[str, ...]


def build_debate(
    found: FoundDebate, origin: Origin, request: ImportRequest, source: Path, target: Path, at: datetime
) -> ImportedDebate:
    """Build the debate from `found`, the contents of a file. Raises UnreadableDebateError if this is not possible."""
    resolved = resolve_speakers(found, request)
    topic, topic_source = _choose_topic(found, request, origin.file)
    rounds = _number_rounds(resolved.speeches, found, request.round_by)
    config = DebateConfig(
        topic=topic,
        background=_choose_background(found, topic_source) or None,
        debaters=tuple(
            DebaterConfig(name=name, side=side, model=IMPORTED_MODEL) for name, side in resolved.sides.items()
        ),
        format=FormatConfig(kind="free_flowing", order="sequential", turns=min(max(rounds), MAX_ROUNDS)),
        judging=JudgingConfig(systems=()),
    )
    people = participants(config)
    transcript = Transcript(
        generator=GENERATOR,
        id=target.stem,
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
    return ImportedDebate(
        source,
        target,
        origin.format,
        found.encoding,
        transcript_to_debate(transcript),
        topic_source,
        (*found.dropped, *resolved.dropped),
        resolved.warnings,
    )


def _choose_topic(found: FoundDebate, request: ImportRequest, file: str) -> tuple[str, TopicSource]:
    if request.topic is not None:
        if not request.topic.strip() or len(request.topic) > MAX_TOPIC_CHARS:
            raise ImportChoiceError(f"the motion must have 1 to {MAX_TOPIC_CHARS:,} characters; correct --topic")
        return request.topic.strip(), "option"
    topic = (found.topic or "").strip()
    if topic and len(topic) <= MAX_TOPIC_CHARS:
        return topic, "file"
    name = " ".join(re.split(r"[\s_-]+", clean_name(PurePath(file).stem)))
    return name or "an imported debate", "name"


def _choose_background(found: FoundDebate, source: TopicSource) -> str:
    """Return the debate's background: the words of the file before the first speech; may be empty.

    If the debate's motion does not come from the file, but the file has one, the file's motion precedes these words.
    """
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
