"""The live system's scorer: the scorecard decides, the narrative stands beside it.

How a scorecard comes about is in `scorecard`. A mean gap below 2 is a draw, below 10 narrow, from 10 on clear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from debate_cli.domain.assessment import (
    Arc,
    Assessment,
    Convergence,
    ConvergenceOutcome,
    Finding,
    Narrative,
    Pattern,
    Resolution,
)
from debate_cli.domain.bench import JUDGE
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.systems import Live
from debate_cli.domain.value import Value
from debate_cli.domain.verdict import Verdict
from debate_cli.scoring.conclusion import UNDETERMINED, Outcome, compare, open_above, verdict_of
from debate_cli.scoring.reading import assessments, cause, exact, mean, run_id, speakers
from debate_cli.scoring.scorecard import (
    MAXIMA,
    STANDING_MAXIMA,
    Calibration,
    Penalty,
    Scorecard,
    dimension_wins,
    pairs,
    scorecard,
)

CONVERGENCE_FROM = 10
"""Turns from which early and late disagreement are compared."""


class TurnRow(Value):
    """How one turn was scored, step by step."""

    turn: int
    round: int
    speaker: str
    raw: dict[str, float]
    """Dimension -> the judge's mark."""
    calibrated: dict[str, float]
    """Dimension -> the mark after the exchanges were taken into account."""
    logic: float | None
    """After calibration and penalties, 0-40."""
    rhetoric: float | None
    """After calibration, 0-30."""
    tactics: float | None
    """After calibration, 0-30."""
    composite: float | None
    """0-100; None unless all three are there."""
    frame_control: float | None
    """0-10, outside the composite."""
    credibility: float | None
    """0-10, outside the composite."""


class NarrativeNote(Value):
    """The debate read as a story, beside the scorecard."""

    winner: str | None
    reasoning: str
    pattern: Pattern
    arcs: tuple[Arc, ...]
    agrees: bool | None
    """Whether it names the scorecard's winner (nobody agrees with a draw); None where that is undetermined."""
    resolution: str | None
    """Why the two differ, where they do and the judge said why."""


class ConvergenceNote(Value):
    """What became of the disagreement."""

    outcome: ConvergenceOutcome
    early: str
    late: str


class LiveNotes(Value):
    """Shape of the notes of a live verdict."""

    turns: tuple[TurnRow, ...]
    calibrations: tuple[Calibration, ...]
    penalties: tuple[Penalty, ...]
    dimension_wins: dict[str, dict[str, int]]
    """Participant -> dimension -> exchanges won in it."""
    frame_control: dict[str, float]
    """Participant -> mean over its turns, 0-10."""
    credibility: dict[str, float]
    """The same."""
    narrative: NarrativeNote | None
    convergence: ConvergenceNote | None
    missing: tuple[str, ...]
    """What was not assessed, one sentence each."""


F = TypeVar("F", bound=Finding)


def verdict(debate: Debate, run: JudgingRun | str, settings: Live) -> Verdict:
    """The verdict of the live system over `run`; the notes are `LiveNotes`.

    A debater's score is the mean of its turns' composites, 0-100. Undetermined unless at least two debaters, and every
    debater who spoke, have a fully marked turn.
    """
    given = assessments(debate, "live", run)
    card = scorecard(debate, given)
    scores = _scores(debate, card)
    outcome = _outcome(debate, scores, settings)
    narrative = _narrative(given, outcome)
    notes = LiveNotes(
        turns=tuple(_row(debate, card, turn.index) for turn in debate.turns),
        calibrations=card.calibrations,
        penalties=card.penalties,
        dimension_wins=dimension_wins(debate, card.comparisons),
        frame_control=_standing(debate, card, "frame_control"),
        credibility=_standing(debate, card, "credibility"),
        narrative=narrative,
        convergence=_convergence(given),
        missing=tuple(_missing(debate, run, given, card, narrative)),
    )
    return verdict_of("live", run, outcome, scores, notes)


def in_conflict(debate: Debate, run: JudgingRun | str, settings: Live) -> bool:
    """Whether a resolution is owed: the narrative names another winner than the scorecard, and both are known."""
    given = assessments(debate, "live", run)
    told = _first(given, Narrative)
    if told is None:
        return False
    outcome = _outcome(debate, _scores(debate, scorecard(debate, given)), settings)
    return outcome.victory != "undetermined" and told.winner != outcome.winner


def _scores(debate: Debate, card: Scorecard) -> dict[str, float]:
    """Participant -> mean composite of its scored turns; nobody without one."""
    found: dict[str, list[float]] = {item.name: [] for item in debate.participants}
    for turn in debate.turns:
        composite = card.composite(turn.index)
        if composite is not None and turn.speaker in found:
            found[turn.speaker].append(composite)
    return {name: mean(composites) for name, composites in found.items() if composites}


def _outcome(debate: Debate, scores: Mapping[str, float], settings: Live) -> Outcome:
    judged = len(scores) > 1 and set(scores) >= speakers(debate)
    return compare(scores, open_above(settings.thresholds)) if judged else UNDETERMINED


def _row(debate: Debate, card: Scorecard, index: int) -> TurnRow:
    turn = debate.turns_by_index[index]
    scores, standing = card.penalised.get(index, {}), card.standing.get(index, {})
    return TurnRow(
        turn=index,
        round=turn.round,
        speaker=turn.speaker,
        raw=card.raw.get(index, {}),
        calibrated=card.calibrated.get(index, {}),
        logic=scores.get("logic"),
        rhetoric=scores.get("rhetoric"),
        tactics=scores.get("tactics"),
        composite=card.composite(index),
        frame_control=standing.get("frame_control"),
        credibility=standing.get("credibility"),
    )


def _standing(debate: Debate, card: Scorecard, criterion: str) -> dict[str, float]:
    found: dict[str, list[float]] = {item.name: [] for item in debate.participants}
    for turn in debate.turns:
        value = card.standing.get(turn.index, {}).get(criterion)
        if value is not None and turn.speaker in found:
            found[turn.speaker].append(value)
    return {name: exact(mean(values)) for name, values in found.items() if values}


def _first(given: Sequence[Assessment], kind: type[F]) -> F | None:
    return next((finding for item in given for finding in item.findings if isinstance(finding, kind)), None)


def _narrative(given: Sequence[Assessment], outcome: Outcome) -> NarrativeNote | None:
    told, resolution = _first(given, Narrative), _first(given, Resolution)
    if told is None:
        return None
    agrees = None if outcome.victory == "undetermined" else told.winner == outcome.winner
    return NarrativeNote(
        winner=told.winner,
        reasoning=told.reasoning,
        pattern=told.pattern,
        arcs=told.arcs,
        agrees=agrees,
        resolution=resolution.explanation if resolution is not None else None,
    )


def _convergence(given: Sequence[Assessment]) -> ConvergenceNote | None:
    found = _first(given, Convergence)
    return None if found is None else ConvergenceNote(outcome=found.outcome, early=found.early, late=found.late)


def _missing(
    debate: Debate, run: JudgingRun | str, given: Sequence[Assessment], card: Scorecard, narrative: NarrativeNote | None
) -> list[str]:
    """Sentences on turns, exchanges and readings of the whole that are not there."""
    prefix = f"{run_id(run)}/live/{JUDGE}"
    heard = speakers(debate)
    found = [f"{item.name} has not spoken." for item in debate.participants if item.name not in heard]
    assessed = {item.subject.turns for item in given if item.subject.moment == "turn"}
    for turn in debate.turns:
        marked = {**card.raw.get(turn.index, {}), **card.standing.get(turn.index, {})}
        absent = [criterion for criterion in (*MAXIMA, *STANDING_MAXIMA) if criterion not in marked]
        if (turn.index,) not in assessed:
            found.append(f"Turn {turn.index} was not assessed{cause(debate, f'{prefix}/turn/{turn.index}/0')}.")
        elif absent:
            found.append(f"Turn {turn.index} has no mark for {', '.join(absent)}.")
    for index in pairs(debate.turns):
        if index not in card.comparisons:
            why = cause(debate, f"{prefix}/pair/{index - 1}-{index}/0")
            found.append(f"Turns {index - 1} and {index} were not compared{why}.")
    if narrative is None:
        found.append(f"The debate was not read as a whole{cause(debate, f'{prefix}/debate/all/0')}.")
    elif narrative.agrees is False and narrative.resolution is None:
        why = cause(debate, f"{prefix}/debate/all/1")
        found.append(f"The conflict of narrative and scorecard was not explained{why}.")
    if len(debate.turns) >= CONVERGENCE_FROM and _first(given, Convergence) is None:
        indices = [turn.index for turn in debate.turns]
        where = "-".join(map(str, (*indices[:2], *indices[-2:])))
        why = cause(debate, f"{prefix}/debate/{where}/0")
        found.append(f"The first and the last turns were not compared{why}.")
    return found
