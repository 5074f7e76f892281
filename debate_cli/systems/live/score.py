"""Scorer of the live system: the scorecard decides; the narrative is reported next to it.

`calibration` builds the scorecard. By default a margin below 2 is a draw, below 10 narrow, from 10 on clear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judges import SOLE_JUDGE_ID
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Notes, Verdict
from debate_cli.systems.aggregation import (
    format_failure_cause,
    get_run_id,
    mean,
    ordered_assessments,
    speaker_names,
    strip_float_noise,
)
from debate_cli.systems.live.calibration import (
    DIMENSION_MAXIMA,
    SUPPLEMENTARY_MAXIMA,
    Calibration,
    Penalty,
    Scorecard,
    build_scorecard,
    count_dimension_wins,
    pair_end_indices,
)
from debate_cli.systems.live.findings import Arc, Convergence, ConvergenceOutcome, DebatePattern, Narrative, Resolution
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.outcome import (
    UNDETERMINED_OUTCOME,
    ScoreOutcome,
    build_verdict,
    clear_from_threshold,
    decide_outcome,
)

MIN_CONVERGENCE_TURNS = 10
"""Number of turns from which early and late disagreement are compared."""


class TurnRow(FrozenModel):
    """The scoring of one turn, step by step."""

    turn: int
    round: int
    speaker: str
    raw: dict[str, float]
    """Dimension -> the judge's mark."""
    calibrated: dict[str, float]
    """Dimension -> the mark after calibration by the exchanges."""
    logic: float | None
    """After calibration and penalties, 0-40."""
    rhetoric: float | None
    """After calibration, 0-30."""
    tactics: float | None
    """After calibration, 0-30."""
    composite: float | None
    """0-100; None unless all three dimensions are marked."""
    frame_control: float | None
    """0-10, outside the composite."""
    credibility: float | None
    """0-10, outside the composite."""


class NarrativeNote(FrozenModel):
    """The judge's reading of the debate as a whole."""

    winner: str | None
    reasoning: str
    pattern: DebatePattern
    arcs: tuple[Arc, ...]
    agrees: bool | None
    """Whether it names the scorecard's winner (no winner for a draw); None if the scorecard is undetermined."""
    resolution: str | None
    """The judge's explanation of a conflict between narrative and scorecard."""


class ConvergenceNote(FrozenModel):
    """How the disagreement developed from the first turns to the last."""

    outcome: ConvergenceOutcome
    early: str
    late: str


class LiveNotes(Notes):
    """Shape of the notes of a live verdict."""

    turns: tuple[TurnRow, ...]
    calibrations: tuple[Calibration, ...]
    penalties: tuple[Penalty, ...]
    dimension_wins: dict[str, dict[str, int]]
    """Participant -> dimension -> exchanges won in it."""
    frame_control: dict[str, float]
    """Participant -> mean over its turns, 0-10."""
    credibility: dict[str, float]
    """Participant -> mean over its turns, 0-10."""
    narrative: NarrativeNote | None
    convergence: ConvergenceNote | None


F = TypeVar("F", bound=Finding)


def score_run(debate: Debate, run: JudgingRun | str, settings: LiveSettings) -> Verdict:
    """Score `run` by the live system; the notes are `LiveNotes`.

    A debater's score is the mean of its turns' composites, 0-100. Undetermined unless at least two debaters, and every
    debater who spoke, have a fully marked turn.
    """
    given = ordered_assessments(debate, "live", run)
    card = build_scorecard(debate, given)
    scores = _scores(debate, card)
    outcome = _outcome(debate, scores, settings)
    narrative = _narrative_note(given, outcome)
    notes = LiveNotes(
        turns=tuple(_turn_row(debate, card, turn.index) for turn in debate.turns),
        calibrations=card.calibrations,
        penalties=card.penalties,
        dimension_wins=count_dimension_wins(debate, card.comparisons),
        frame_control=_mean_supplementary(debate, card, "frame_control"),
        credibility=_mean_supplementary(debate, card, "credibility"),
        narrative=narrative,
        convergence=_convergence_note(given),
        missing=tuple(_missing(debate, run, given, card, narrative)),
    )
    return build_verdict("live", run, outcome, scores, notes)


def has_narrative_conflict(debate: Debate, run: JudgingRun | str, settings: LiveSettings) -> bool:
    """Whether the narrative names another winner than a determined scorecard, so that the judge must explain why."""
    given = ordered_assessments(debate, "live", run)
    narrative = _first_finding(given, Narrative)
    if narrative is None:
        return False
    outcome = _outcome(debate, _scores(debate, build_scorecard(debate, given)), settings)
    return outcome.victory != "undetermined" and narrative.winner != outcome.winner


def _scores(debate: Debate, card: Scorecard) -> dict[str, float]:
    """Participant -> mean composite of its scored turns; participants without any are left out."""
    found: dict[str, list[float]] = {item.name: [] for item in debate.participants}
    for turn in debate.turns:
        composite = card.composite(turn.index)
        if composite is not None and turn.speaker in found:
            found[turn.speaker].append(composite)
    return {name: mean(composites) for name, composites in found.items() if composites}


def _outcome(debate: Debate, scores: Mapping[str, float], settings: LiveSettings) -> ScoreOutcome:
    judged = len(scores) > 1 and set(scores) >= speaker_names(debate)
    return decide_outcome(scores, clear_from_threshold(settings.thresholds)) if judged else UNDETERMINED_OUTCOME


def _turn_row(debate: Debate, card: Scorecard, index: int) -> TurnRow:
    turn = debate.turns_by_index[index]
    scores, standing = card.penalised.get(index, {}), card.supplementary.get(index, {})
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


def _mean_supplementary(debate: Debate, card: Scorecard, criterion: str) -> dict[str, float]:
    found: dict[str, list[float]] = {item.name: [] for item in debate.participants}
    for turn in debate.turns:
        value = card.supplementary.get(turn.index, {}).get(criterion)
        if value is not None and turn.speaker in found:
            found[turn.speaker].append(value)
    return {name: strip_float_noise(mean(values)) for name, values in found.items() if values}


def _first_finding(given: Sequence[Assessment], kind: type[F]) -> F | None:
    return next((finding for item in given for finding in item.findings if isinstance(finding, kind)), None)


def _narrative_note(given: Sequence[Assessment], outcome: ScoreOutcome) -> NarrativeNote | None:
    narrative, resolution = _first_finding(given, Narrative), _first_finding(given, Resolution)
    if narrative is None:
        return None
    agrees = None if outcome.victory == "undetermined" else narrative.winner == outcome.winner
    return NarrativeNote(
        winner=narrative.winner,
        reasoning=narrative.reasoning,
        pattern=narrative.pattern,
        arcs=narrative.arcs,
        agrees=agrees,
        resolution=resolution.explanation if resolution is not None else None,
    )


def _convergence_note(given: Sequence[Assessment]) -> ConvergenceNote | None:
    found = _first_finding(given, Convergence)
    return None if found is None else ConvergenceNote(outcome=found.outcome, early=found.early, late=found.late)


def _missing(
    debate: Debate, run: JudgingRun | str, given: Sequence[Assessment], card: Scorecard, narrative: NarrativeNote | None
) -> list[str]:
    """Sentences on missing turns, exchanges, narrative and convergence."""
    prefix = f"{get_run_id(run)}/live/{SOLE_JUDGE_ID}"
    speakers = speaker_names(debate)
    found = [f"{item.name} has not spoken." for item in debate.participants if item.name not in speakers]
    assessed = {item.subject.turns for item in given if item.subject.moment == "turn"}
    for turn in debate.turns:
        marked = {**card.raw.get(turn.index, {}), **card.supplementary.get(turn.index, {})}
        absent = [criterion for criterion in (*DIMENSION_MAXIMA, *SUPPLEMENTARY_MAXIMA) if criterion not in marked]
        if (turn.index,) not in assessed:
            found.append(
                f"Turn {turn.index + 1} was not assessed{format_failure_cause(debate, f'{prefix}/turn/{turn.index}/0')}."
            )
        elif absent:
            found.append(f"Turn {turn.index + 1} has no mark for {', '.join(absent)}.")
    for index in pair_end_indices(debate.turns):
        if index not in card.comparisons:
            why = format_failure_cause(debate, f"{prefix}/pair/{index - 1}-{index}/0")
            found.append(f"Turns {index} and {index + 1} were not compared{why}.")
    if narrative is None:
        found.append(f"The debate was not read as a whole{format_failure_cause(debate, f'{prefix}/debate/all/0')}.")
    elif narrative.agrees is False and narrative.resolution is None:
        why = format_failure_cause(debate, f"{prefix}/debate/all/1")
        found.append(f"The conflict of narrative and scorecard was not explained{why}.")
    if len(debate.turns) >= MIN_CONVERGENCE_TURNS and _first_finding(given, Convergence) is None:
        indices = [turn.index for turn in debate.turns]
        where = "-".join(map(str, (*indices[:2], *indices[-2:])))
        why = format_failure_cause(debate, f"{prefix}/debate/{where}/0")
        found.append(f"The first and the last turns were not compared{why}.")
    return found
