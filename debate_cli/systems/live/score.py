"""Scorer of the live system. The scorecard decides who wins; the narrative is only reported.

`calibration` computes the scorecard. By default a margin below 2 is a draw, below 10 narrow, from 10 on clear.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_config import SOLE_JUDGE_ID
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
    UnresolvedExchange,
    build_scorecard,
    collect_chains,
    count_dimension_wins,
    count_exchange_wins,
    pair_end_indices,
)
from debate_cli.systems.live.findings import Arc, Convergence, ConvergenceOutcome, DebatePattern, Narrative, Resolution
from debate_cli.systems.live.personality_drift import PersonalityStep, personality_steps
from debate_cli.systems.live.register import RegisterRow
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.outcome import (
    UNDETERMINED_OUTCOME,
    ScoreOutcome,
    build_verdict,
    clear_from_threshold,
    decide_outcome,
)
from debate_cli.systems.tables import parse_notes

RULES = 2
"""Version of the formula. Version 1 calibrated only the later turn of an exchange, relative to the earlier one."""
MIN_CONVERGENCE_TURNS = 10
"""Minimum number of turns for a comparison of early and late disagreement."""
COLD_START_TURNS = 2
"""Number of turns at the start of a debate whose marks are less reliable, because few turns precede them."""
NARRATIVE_REVISION, RESOLUTION_REVISION, REVIEW_REVISION = 0, 1, 2
"""`Brief.revision` of each question on the whole debate."""


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
    """Score in logic after calibration and penalties, 0-40."""
    rhetoric: float | None
    """Score in rhetoric after calibration, 0-30."""
    tactics: float | None
    """Score in tactics after calibration, 0-30."""
    composite: float | None
    """Sum of the three dimensions, 0-100; None unless all three are marked."""
    frame_control: float | None
    """Mark for frame control, 0-10, outside of the composite."""
    credibility: float | None
    """Mark for credibility, 0-10, outside of the composite."""
    cold_start: bool = False
    """Whether the turn is one of the first two, whose marks are less reliable."""
    mixed: tuple[str, ...] = ()
    """Dimensions in which the turn won one of its two exchanges and lost the other."""


class ChainRow(FrozenModel):
    """The causal chain in the main argument of one turn."""

    turn: int
    speaker: str
    cause: str
    process: str
    consequence: str
    missing: tuple[str, ...]
    """Absent links: cause, process, consequence, weakest_premise."""


class NarrativeNote(FrozenModel):
    """The judge's narrative of the whole debate."""

    winner: str | None
    reasoning: str
    pattern: DebatePattern
    """Pattern of the debate, from the resolution; in old transcripts, from the narrative; `none` without either."""
    arcs: tuple[Arc, ...]
    agrees: bool | None
    """Whether narrative and scorecard name the same winner, or both none; None if the scorecard is undetermined."""
    resolution: str | None
    """The judge's explanation of a conflict between narrative and scorecard."""


class ConvergenceNote(FrozenModel):
    """How the disagreement developed from the first turns to the last."""

    outcome: ConvergenceOutcome
    early: str
    late: str


class LiveNotes(Notes):
    """Notes of a live verdict."""

    turns: tuple[TurnRow, ...]
    chains: tuple[ChainRow, ...] = ()
    chain_limits: tuple[Calibration, ...] = ()
    """Logic scores that were lowered to 34 because of an incomplete chain."""
    calibrations: tuple[Calibration, ...]
    """Scores that were changed because of exchanges."""
    unresolved: tuple[UnresolvedExchange, ...] = ()
    """Exchanges whose winner still has the lower score, and drawn ones whose scores differ much."""
    register_entries: tuple[RegisterRow, ...] = ()
    """Every suspect claim and logic gap, with the review's decision."""
    penalties: tuple[Penalty, ...]
    exchanges_won: dict[str, int] = {}
    """Participant -> number of exchanges in which it won more dimensions than the other."""
    dimension_wins: dict[str, dict[str, int]]
    """Participant -> dimension -> number of exchanges that it won in this dimension."""
    frame_control: dict[str, float]
    """Participant -> mean mark of its turns, 0-10."""
    credibility: dict[str, float]
    """Participant -> mean mark of its turns, 0-10."""
    narrative: NarrativeNote | None
    convergence: ConvergenceNote | None
    personalities: dict[str, tuple[PersonalityStep, ...]] = {}
    """Participant -> its personality after each exchange; only participants whose personality changed."""


F = TypeVar("F", bound=Finding)


def score_run(debate: Debate, run: JudgingRun | str, settings: LiveSettings) -> Verdict:
    """Score `run` by the live system; the notes are `LiveNotes`.

    A debater's score is the mean of its turns' composites, 0-100. Undetermined unless at least two debaters, and every
    debater who spoke, have a fully marked turn.
    """
    given = ordered_assessments(debate, "live", run)
    card = build_scorecard(debate, given, settings)
    scores = _scores(debate, card)
    outcome = _outcome(debate, scores, settings)
    narrative = _narrative_note(given, outcome)
    notes = LiveNotes(
        turns=tuple(_turn_row(debate, card, turn.index) for turn in debate.turns),
        chains=_chain_rows(debate, given),
        chain_limits=card.chain_limits,
        calibrations=card.calibrations,
        unresolved=card.unresolved,
        register_entries=card.register,
        penalties=card.penalties,
        exchanges_won=count_exchange_wins(debate, card.comparisons),
        dimension_wins=count_dimension_wins(debate, card.comparisons),
        frame_control=_mean_supplementary(debate, card, "frame_control"),
        credibility=_mean_supplementary(debate, card, "credibility"),
        narrative=narrative,
        convergence=_convergence_note(given),
        personalities=personality_steps(debate, run),
        missing=tuple(_missing(debate, run, given, card, narrative)),
    )
    return build_verdict("live", run, outcome, scores, notes).model_copy(update={"rules": RULES})


def has_narrative_conflict(debate: Debate, run: JudgingRun | str, settings: LiveSettings) -> bool:
    """Whether scorecard and narrative name different winners, so that the judge must explain why.

    False while the scorecard is undetermined.
    """
    given = ordered_assessments(debate, "live", run)
    narrative = _first_finding(given, Narrative)
    if narrative is None:
        return False
    outcome = _outcome(debate, _scores(debate, build_scorecard(debate, given, settings)), settings)
    return outcome.victory != "undetermined" and narrative.winner != outcome.winner


def dimension_shares(verdict: Verdict) -> dict[str, dict[str, float]]:
    """Dimension -> debater -> mean mark of its turns as a share of the maximum; empty for notes of another version."""
    notes = parse_notes(LiveNotes, verdict)
    shares: dict[str, dict[str, float]] = {}
    for dimension, most in DIMENSION_MAXIMA.items():
        marks: dict[str, list[float]] = {}
        for row in notes.turns if notes is not None else ():
            value = getattr(row, dimension)
            if value is not None:
                marks.setdefault(row.speaker, []).append(value / most)
        shares[dimension] = {name: mean(values) for name, values in marks.items()}
    return shares


def _scores(debate: Debate, card: Scorecard) -> dict[str, float]:
    """Participant -> mean composite of its turns. Participants whose turns have no composite are left out."""
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
        composite=card.composite(index),
        **{name: scores.get(name) for name in DIMENSION_MAXIMA},
        **{name: standing.get(name) for name in SUPPLEMENTARY_MAXIMA},
        cold_start=index < COLD_START_TURNS,
        mixed=card.mixed.get(index, ()),
    )


def _chain_rows(debate: Debate, given: Sequence[Assessment]) -> tuple[ChainRow, ...]:
    chains = collect_chains(given)
    return tuple(
        ChainRow(
            turn=turn.index,
            speaker=turn.speaker,
            **chains[turn.index].model_dump(include={"cause", "process", "consequence", "missing"}),
        )
        for turn in debate.turns
        if turn.index in chains
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
    chosen = resolution.pattern if resolution is not None else None
    return NarrativeNote(
        winner=narrative.winner,
        reasoning=narrative.reasoning,
        pattern=chosen or narrative.pattern or "none",
        arcs=narrative.arcs,
        agrees=agrees,
        resolution=resolution.explanation if resolution is not None else None,
    )


def _convergence_note(given: Sequence[Assessment]) -> ConvergenceNote | None:
    found = _first_finding(given, Convergence)
    return None if found is None else ConvergenceNote(**found.model_dump(exclude={"kind"}))


def _missing(
    debate: Debate, run: JudgingRun | str, given: Sequence[Assessment], card: Scorecard, narrative: NarrativeNote | None
) -> list[str]:
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
    return [*found, *_missing_of_whole(debate, f"{prefix}/debate", given, narrative)]


def _missing_of_whole(
    debate: Debate, prefix: str, given: Sequence[Assessment], narrative: NarrativeNote | None
) -> Iterator[str]:
    """Sentences on missing answers about the whole debate. `prefix`: start of the keys of their briefs."""
    if narrative is None:
        yield f"The debate was not read as a whole{format_failure_cause(debate, f'{prefix}/all/{NARRATIVE_REVISION}')}."
    elif narrative.agrees is False and narrative.resolution is None:
        why = format_failure_cause(debate, f"{prefix}/all/{RESOLUTION_REVISION}")
        yield f"The conflict of narrative and scorecard was not explained{why}."
    if needs_review(given) and not any(is_review(item) for item in given):
        why = format_failure_cause(debate, f"{prefix}/all/{REVIEW_REVISION}")
        yield f"The register was not reviewed, so every entry counts{why}."
    if len(debate.turns) >= MIN_CONVERGENCE_TURNS and _first_finding(given, Convergence) is None:
        indices = [turn.index for turn in debate.turns]
        where = "-".join(map(str, (*indices[:2], *indices[-2:])))
        yield f"The first and the last turns were not compared{format_failure_cause(debate, f'{prefix}/{where}/0')}."


def needs_review(given: Sequence[Assessment]) -> bool:
    """Whether a review of the register is expected.

    No review is expected if the narrative has a pattern: only transcripts from before the review existed have one.
    """
    narrative = _first_finding(given, Narrative)
    return narrative is None or narrative.pattern is None


def is_review(assessment: Assessment) -> bool:
    """Whether the assessment is the review of the register."""
    subject = assessment.subject
    return subject.moment == "debate" and not subject.turns and assessment.revision == REVIEW_REVISION
