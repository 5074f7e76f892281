"""Computes the verdict of the live system from the scores of the turns (scorecard), not from the judge's narrative."""

from collections.abc import Iterable, Iterator, Sequence

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.domain.turn import Turn
from debate_cli.domain.verdict import Notes, Verdict
from debate_cli.systems.aggregation import (
    describe_silent_debaters,
    describe_unanswered,
    first_finding,
    get_run_id,
    mean_by_key,
    ordered_assessments,
    speaker_names,
    stored_settings,
    strip_float_noise,
)
from debate_cli.systems.base import WHOLE_DEBATE, briefs_for, pair_briefs, turn_briefs
from debate_cli.systems.live.calibration import (
    DIMENSION_MAXIMA,
    SUPPLEMENTARY_MAXIMA,
    Calibration,
    Penalty,
    Scorecard,
    UnresolvedExchange,
    build_scorecard,
    collect_chains,
    count_wins,
    pair_end_indices,
)
from debate_cli.systems.live.findings import Arc, Convergence, ConvergenceOutcome, DebatePattern, Narrative, Resolution
from debate_cli.systems.live.personality_drift import PersonalityStep, personality_steps
from debate_cli.systems.live.register import RegisterRow
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.outcome import ScoreOutcome, build_verdict, clear_from_threshold, decide_outcome

RULES = 2
"""Version of the scoring rules."""
MIN_CONVERGENCE_TURNS = 10
"""In a debate with at least this many turns, the judge compares the first turns with the last turns."""
COLD_START_TURNS = 2
"""Number of turns at the start of a debate whose marks are less reliable."""
NARRATIVE_REVISION, RESOLUTION_REVISION, REVIEW_REVISION = 0, 1, 2
"""Values of `Brief.revision` for the three questions about the whole debate."""


class TurnRow(FrozenModel):
    """One turn's marks and scores."""

    turn: int
    """Index of the turn, from 0."""
    round: int
    """Number of the round, from 1."""
    speaker: str
    """Name of the debater."""
    raw: dict[str, float]
    """Maps dimensions to the judge's marks."""
    calibrated: dict[str, float]
    """Maps dimensions to scores: the marks in `raw` after the changes that `LiveNotes.chain_limits` and
    `LiveNotes.calibrations` list. Penalties are not yet subtracted."""
    logic: float | None
    """Final score in logic, 0-40; None without a mark."""
    rhetoric: float | None
    """Final score in rhetoric, 0-30; None without a mark."""
    tactics: float | None
    """Final score in tactics, 0-30; None without a mark."""
    composite: float | None
    """Sum of the three final scores, 0-100; None if a dimension has no mark."""
    frame_control: float | None
    """Mark for frame control (setting the terms of the debate), 0-10. Does not count in `composite`."""
    credibility: float | None
    """Mark for credibility, 0-10. Does not count in `composite`."""
    cold_start: bool = False
    """Whether this is one of the first two turns, whose marks are less reliable."""
    mixed: tuple[str, ...] = ()
    """Dimensions with opposite results: the turn won one of its two exchanges and lost the other. One exchange is with the
    turn before, the other with the turn after."""


class ChainRow(FrozenModel):
    """The causal chain (cause, process, consequence) in the main argument of one turn."""

    turn: int
    """Index of the turn, from 0."""
    speaker: str
    """Name of the debater."""
    cause: str
    """The cause that the argument names, in the judge's words."""
    process: str
    """How the cause leads to the consequence, in the judge's words."""
    consequence: str
    """The consequence that the argument names, in the judge's words."""
    missing: tuple[str, ...]
    """What the turn lacks: `cause`, `process`, `consequence` or `weakest_premise` (an answer to the opponent's weakest
    premise)."""


class NarrativeNote(FrozenModel):
    """The judge's account of the whole debate."""

    winner: str | None
    """Name of the debater who won according to the judge; None if the judge saw no winner."""
    reasoning: str
    """The judge's reasons for `winner`."""
    pattern: DebatePattern
    """Pattern of the debate, e.g. `coherence_collapse`; `none` if the judge named no pattern."""
    arcs: tuple[Arc, ...]
    """How the case of each debater developed."""
    agrees: bool | None
    """Whether `winner` is also the winner of the verdict. None if the verdict is undetermined."""
    resolution: str | None
    """Why `winner` is not the winner of the verdict, in the judge's words; None without an explanation."""


class ConvergenceNote(FrozenModel):
    """How the disagreement of the debaters changed between the first and the last turns."""

    outcome: ConvergenceOutcome
    """How the disagreement ended, e.g. `genuine_agreement` or `sustained_disagreement`."""
    early: str
    """The disagreement in the first turns, in the judge's words."""
    late: str
    """The disagreement in the last turns, in the judge's words."""


class LiveNotes(Notes):
    """Notes of a verdict of the judging system `live`."""

    turns: tuple[TurnRow, ...]
    """One row per turn, in the order of the debate."""
    chains: tuple[ChainRow, ...] = ()
    """The causal chains (cause, process, consequence) that the judge described, at most one per turn."""
    chain_limits: tuple[Calibration, ...] = ()
    """Scores in logic that were lowered to 34 of 40 points, because the turn's causal chain is incomplete."""
    calibrations: tuple[Calibration, ...]
    """Changes of scores that follow from the judge's comparisons of two turns."""
    unresolved: tuple[UnresolvedExchange, ...] = ()
    """Exchanges (two adjacent turns) whose scores contradict the judge's comparison of the two turns."""
    register_entries: tuple[RegisterRow, ...] = ()
    """The register: all suspect claims and logic gaps, with the final review's decisions."""
    penalties: tuple[Penalty, ...]
    """Points that turns lost in logic, with the reasons."""
    exchanges_won: dict[str, int] = {}
    """Maps each participant to the number of exchanges (two adjacent turns) that the participant won.

    The winner of an exchange won more dimensions than the opponent.
    """
    dimension_wins: dict[str, dict[str, int]]
    """Number of exchanges in which a participant won a dimension: `dimension_wins[participant][dimension]`."""
    frame_control: dict[str, float]
    """Maps each participant to the mean mark for frame control (setting the terms of the debate), 0-10."""
    credibility: dict[str, float]
    """Maps each participant to the mean mark for credibility, 0-10."""
    narrative: NarrativeNote | None
    """The judge's account of the whole debate; None if the judge gave none."""
    convergence: ConvergenceNote | None
    """How the disagreement changed from the first to the last turns; None if the judge did not compare these turns."""
    personalities: dict[str, tuple[PersonalityStep, ...]] = {}
    """The personality over time for each participant whose personality changed."""


def score_run(debate: Debate, run: JudgingRun | str, settings: LiveSettings) -> Verdict:
    """Return the verdict of one run, with notes of the class `LiveNotes`.

    The score of a turn, 0-100, is the sum of its scores in logic, rhetoric and tactics. A debater's score is the mean
    score of the debater's turns that have all three marks. Without such a turn, the debater has no score.

    The verdict is undetermined in two cases: fewer than two debaters have a score, or a debater who spoke has none.
    """
    given = ordered_assessments(debate, "live", run)
    card = build_scorecard(debate, given, settings)
    scores, outcome = _decide(debate, card, settings)
    narrative, convergence = _narrative_note(given, outcome), first_finding(given, Convergence)
    exchanges_won, dimension_wins = count_wins(debate, card.comparisons)
    chains = collect_chains(given)
    turns = tuple(_turn_row(turn, card) for turn in debate.turns)
    notes = LiveNotes(
        turns=turns,
        chains=tuple(
            ChainRow(turn=turn.index, speaker=turn.speaker, **chains[turn.index].model_dump(exclude={"kind"}))
            for turn in debate.turns
            if turn.index in chains
        ),
        chain_limits=card.chain_limits,
        calibrations=card.calibrations,
        unresolved=card.unresolved,
        register_entries=card.register,
        penalties=card.penalties,
        exchanges_won=exchanges_won,
        dimension_wins=dimension_wins,
        frame_control=_mean_by_debater(debate, ((row.speaker, row.frame_control) for row in turns)),
        credibility=_mean_by_debater(debate, ((row.speaker, row.credibility) for row in turns)),
        narrative=narrative,
        convergence=None if convergence is None else ConvergenceNote(**convergence.model_dump(exclude={"kind"})),
        personalities=personality_steps(debate, run),
        missing=(
            *describe_silent_debaters(debate),
            *describe_unanswered(debate, _expected_briefs(debate, run, settings, narrative)),
        ),
    )
    return build_verdict("live", run, outcome, scores, notes).model_copy(update={"rules": RULES})


def has_narrative_conflict(debate: Debate, run: JudgingRun | str, settings: LiveSettings) -> bool:
    """Return whether the judge's account of the debate (narrative) and the scores (scorecard) name different winners.

    False if the judge gave no narrative, or if the scorecard is undetermined.
    """
    given = ordered_assessments(debate, "live", run)
    narrative = first_finding(given, Narrative)
    if narrative is None:
        return False
    _, outcome = _decide(debate, build_scorecard(debate, given, settings), settings)
    return outcome.victory != "undetermined" and narrative.winner != outcome.winner


def dimension_means(notes: LiveNotes) -> dict[str, dict[str, float]]:
    """Map each debater to the mean score in each dimension."""
    values = ((row.speaker, name, getattr(row, name)) for row in notes.turns for name in DIMENSION_MAXIMA)
    means = mean_by_key(((who, name), value) for who, name, value in values if value is not None)
    found: dict[str, dict[str, float]] = {}
    for (who, name), value in means.items():
        found.setdefault(who, {})[name] = value
    return found


def _decide(debate: Debate, card: Scorecard, settings: LiveSettings) -> tuple[dict[str, float], ScoreOutcome]:
    scores = _mean_by_debater(debate, ((turn.speaker, card.composite(turn.index)) for turn in debate.turns))
    return scores, decide_outcome(scores, clear_from_threshold(settings.thresholds), speaker_names(debate))


def _mean_by_debater(debate: Debate, values: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    means = mean_by_key((name, value) for name, value in values if value is not None)
    return {item.name: strip_float_noise(means[item.name]) for item in debate.participants if item.name in means}


def _turn_row(turn: Turn, card: Scorecard) -> TurnRow:
    index = turn.index
    scores, supplementary = card.penalised.get(index, {}), card.supplementary.get(index, {})
    return TurnRow(
        turn=index,
        round=turn.round,
        speaker=turn.speaker,
        raw=card.raw.get(index, {}),
        calibrated=card.calibrated.get(index, {}),
        composite=card.composite(index),
        **{name: scores.get(name) for name in DIMENSION_MAXIMA},
        **{name: supplementary.get(name) for name in SUPPLEMENTARY_MAXIMA},
        cold_start=index < COLD_START_TURNS,
        mixed=card.mixed.get(index, ()),
    )


def _narrative_note(given: Sequence[Assessment], outcome: ScoreOutcome) -> NarrativeNote | None:
    narrative, resolution = first_finding(given, Narrative), first_finding(given, Resolution)
    if narrative is None:
        return None
    return NarrativeNote(
        winner=narrative.winner,
        reasoning=narrative.reasoning,
        pattern=(resolution.pattern if resolution is not None else None) or narrative.pattern or "none",
        arcs=narrative.arcs,
        agrees=None if outcome.victory == "undetermined" else narrative.winner == outcome.winner,
        resolution=resolution.explanation if resolution is not None else None,
    )


def _expected_briefs(
    debate: Debate, run: JudgingRun | str, settings: LiveSettings, narrative: NarrativeNote | None
) -> Iterator[tuple[Brief, str]]:
    run_id, asked = get_run_id(run), stored_settings(debate, run, settings)
    for brief in turn_briefs(run_id, asked, [turn.index for turn in debate.turns]):
        yield brief, f"Turn {brief.subject.turns[0] + 1} was not assessed"
    for brief in pair_briefs(run_id, asked, [(end - 1, end) for end in pair_end_indices(debate.turns)]):
        earlier, later = brief.subject.turns
        yield brief, f"Turns {earlier + 1} and {later + 1} were not compared"
    whole = {
        NARRATIVE_REVISION: "The debate as a whole was not assessed",
        REVIEW_REVISION: "The register of suspect claims and logic gaps was not reviewed, so every entry counts",
    }
    if narrative is not None and narrative.agrees is False:
        whole[RESOLUTION_REVISION] = "The judge did not explain why its narrative and the scores name different winners"
    for revision, words in whole.items():
        yield from ((brief, words) for brief in briefs_for(run_id, asked, WHOLE_DEBATE, revision))
    if len(debate.turns) >= MIN_CONVERGENCE_TURNS:
        briefs = briefs_for(run_id, asked, convergence_subject(debate))
        yield from ((brief, "The first and the last turns were not compared") for brief in briefs)


def convergence_subject(debate: Debate) -> Subject:
    """Return the turns that the judge compares for convergence: the first two and the last two."""
    indices = tuple(turn.index for turn in debate.turns)
    return Subject(moment="debate", turns=(*indices[:2], *indices[-2:]))


def is_review(item: Brief | Assessment) -> bool:
    """Return whether a brief or an assessment belongs to the review of the register (suspect claims and logic gaps)."""
    return item.subject == WHOLE_DEBATE and item.revision == REVIEW_REVISION
