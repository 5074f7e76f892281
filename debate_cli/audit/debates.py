"""Provides the debates of an audit: shipped debates, saved debates, and debates built from given turns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from debate_cli.debaters.forms import TurnContent, format_turn_text
from debate_cli.domain.config import DebateConfig, DebaterConfig
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import GENERATOR, DebateClosed, DebateOpened, TurnCompleted
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.turn import Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import StorageError, TranscriptError, UsageError
from debate_cli.storage.folder import validate_id
from debate_cli.storage.transcript_store import expand_references, open_debate
from debate_cli.systems.scoring import score

SHIPPED_AT = datetime(2026, 11, 23, tzinfo=UTC)
"""Fixed time of the shipped debates, so that their transcripts are equal on every machine."""
NO_CALL = ModelCall(model="", rung="text", attempts=0)
PREFIXES = ("PRO", "CON")


@dataclass(frozen=True, slots=True)
class AuditDebate:
    """A debate on which judges are audited, with the better side if known."""

    debate: Debate
    better_debater: str | None = None
    """Name of the debater with the better case. None if both cases are equally good, or if `has_label` is false."""
    has_label: bool = False
    """Whether the correct result is known: a debater with the better case, or two equally good cases."""
    reviews: tuple[tuple[Verdict, str], ...] = ()
    """Verdicts of people on this debate, as pairs (verdict, name of the person). The oldest verdict comes first."""


def load_shipped_debates() -> tuple[AuditDebate, ...]:
    """Return the eight shipped debates: four with a better side, and four with equal sides."""
    text = resources.files("debate_cli.audit").joinpath("debates.yaml").read_text("utf-8")
    return tuple(
        AuditDebate(
            _build_shipped(entry), better_debater=None if entry["better"] == "both" else entry["better"], has_label=True
        )
        for entry in yaml.safe_load(text)
    )


def load_saved_debates(references: Sequence[str]) -> tuple[AuditDebate, ...]:
    """Read debates of two debaters from transcripts, folders and globs.

    Debates without turns and unreadable files are left out. Of several files with the same debate id, only the first
    is used.

    Raises:
        UsageError: a reference names no file.
        TranscriptError, StorageError: there is only one file, and it cannot be read.
    """
    paths = expand_references(references)
    found: dict[str, AuditDebate] = {}
    for path in paths:
        try:
            stored = open_debate(path)
            _check_id(path, stored.debate.id)
        except (TranscriptError, StorageError):
            if len(paths) == 1:
                raise
            continue
        debate = stored.debate
        if len(debate.participants) == 2 and debate.turns:  # noqa: PLR2004 - two sides are compared
            found.setdefault(debate.id, AuditDebate(debate, reviews=_reviews(debate)))
    return tuple(found.values())


def _check_id(path: Path, debate_id: str) -> None:
    """Raise TranscriptError for an invalid id, because the audit names its files after the id."""
    try:
        validate_id(debate_id)
    except UsageError as error:
        raise TranscriptError(f"{path}: id: {error}") from error


def rebuild_debate(like: Debate, debaters: Sequence[DebaterConfig], turns: Iterable[Turn]) -> Debate:
    """Return a complete debate of `debaters` with `turns`, without assessments. The turns are numbered from 0.

    `like`: debate from which the id, motion, passages and settings are copied. The judging systems are not copied. If
    `like` has no seed, the returned debate has seed 0.
    """
    config = like.config.model_copy(
        update={"debaters": tuple(debaters), "judging": JudgingConfig(systems=()), "seed": like.config.seed or 0}
    )
    built = _fold_debate(config, like.id, turns, like.started_at)
    return built.model_copy(update={"passages": like.passages})


def with_text(turn: Turn) -> Turn:
    """Return `turn` with a new text, which is built from its arguments, responses, answers and closing.

    A turn without any of these is returned unchanged.
    """
    content = TurnContent(
        arguments=turn.arguments, responses=turn.responses, answers=turn.answers, closing=turn.closing
    )
    text = format_turn_text(content)
    return turn.model_copy(update={"text": text}) if text else turn


def _reviews(debate: Debate) -> tuple[tuple[Verdict, str], ...]:
    reviewers = {run.id: run.reviewer.name for run in debate.runs if run.reviewer is not None}
    verdicts = score(debate, runs="all") if reviewers else ()
    return tuple(
        (verdict, reviewers[verdict.run])
        for verdict in verdicts
        if verdict.run in reviewers and verdict.victory != "undetermined"
    )


def _fold_debate(config: DebateConfig, debate_id: str, turns: Iterable[Turn], at: datetime) -> Debate:
    opened = DebateOpened(at=at, id=debate_id, generator=GENERATOR, config=config, config_sha256=config.sha256())
    numbered = (turn.model_copy(update={"index": index}) for index, turn in enumerate(turns))
    made = [TurnCompleted(at=at, turn=turn) for turn in numbered]
    return fold([opened, *made, DebateClosed(at=at, reason="complete")])


def _build_shipped(entry: dict[str, Any]) -> Debate:
    names: list[str] = entry["debaters"]
    debaters = tuple(DebaterConfig(name=name, side=side) for name, side in zip(names, ("for", "against"), strict=True))
    config = DebateConfig(topic=entry["topic"], debaters=debaters, judging=JudgingConfig(systems=()), seed=0)
    turns: list[Turn] = []
    for name, prefix in zip(names, PREFIXES, strict=True):
        said = entry[name]
        structures: dict[str, dict[str, Any]] = {
            "opening": {
                "arguments": [{"id": f"{prefix}-{at}", **of} for at, of in enumerate(said["opening"], start=1)]
            },
            "cross_examination": {"responses": said["responses"]},
            "closing": {"closing": {"final_position": said["closing"], "shift": "unchanged"}},
        }
        for number, (phase, structure) in enumerate(structures.items(), start=1):
            fields = {"index": 0, "round": number, "phase": phase, "speaker": name, "text": "", "exchange": NO_CALL}
            turns.append(with_text(Turn.model_validate({**fields, **structure})))
    turns.sort(key=lambda turn: turn.round)
    return _fold_debate(config, f"audit-{entry['id']}", turns, SHIPPED_AT)
