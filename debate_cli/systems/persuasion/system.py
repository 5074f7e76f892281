"""The judging system `persuasion`."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import StrategyPick
from debate_cli.domain.verdict import Verdict
from debate_cli.llm.prompt_sanitizer import quote_for_prompt
from debate_cli.systems.aggregation import group_by_key, strip_float_noise
from debate_cli.systems.base import JudgeQuestion, JudgingSystem, LiveReport, PlannedCalls, Progress, turn_briefs
from debate_cli.systems.charts import Chart
from debate_cli.systems.persuasion import questions, score, strategies, tables
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import persuasion_band
from debate_cli.systems.persuasion.state_machine import StatePoint, compute_state_curve
from debate_cli.systems.tables import Table, format_number, parse_notes

FIRMNESS = (
    (0.7, "firmly", "Concede only what you cannot defend."),
    (0.5, "with some reserve", "You may give up side points."),
    (0.3, "with doubts", "You may give up an argument and narrow your position."),
    (0.0, "hardly any more", "You may give up everything but the core of your position."),
)
"""Rows (minimum conviction 0-1, how firmly the debater holds the position, what the debater may give up).

The debater's prompt quotes the first row whose minimum is not above the debater's conviction.
"""


class _PersuasionSystem(JudgingSystem[PersuasionSettings]):
    kind = "persuasion"
    settings = PersuasionSettings
    prompt_package = "debate_cli.systems.persuasion"

    def briefs(
        self, debate: Debate, run: JudgingRun, settings: PersuasionSettings, progress: Progress
    ) -> Iterator[Brief]:
        yield from turn_briefs(run.id, settings, progress.judgeable_turns)

    def planned_calls(self, settings: PersuasionSettings, turns: int, rounds: int) -> PlannedCalls:
        return PlannedCalls(len(settings.seats) * turns, quoted_answers=max(0, turns - 1))

    def question(self, brief: Brief) -> JudgeQuestion[PersuasionSettings, Any]:
        return questions.EFFECTS_QUESTION

    def unsuitable_reason(self, debate: Debate) -> str | None:
        if debate.turns and len(debate.participants) < 2:  # noqa: PLR2004 - a speaker and a listener
            return "has fewer than two debaters, so the judging system `persuasion` cannot judge this debate; use another system"
        return super().unsuitable_reason(debate)

    def awaited_briefs(
        self, debate: Debate, settings: PersuasionSettings, index: int, round_number: int | None
    ) -> tuple[Brief, ...]:
        return turn_briefs(FIRST_RUN, settings, range(index))

    def stopped_debaters(self, debate: Debate, settings: PersuasionSettings, due_round: int) -> frozenset[str]:
        states = compute_state_curve(debate, settings, due_round=due_round)[-1].states
        return frozenset(name for name, state in states.items() if state.surrendered)

    def instruct(self, debate: Debate, settings: PersuasionSettings, cue: Cue) -> str:
        if not settings.embody:
            return ""
        return _describe_state(compute_state_curve(debate, settings, due_round=cue.round), cue.speaker)

    def pick_strategy(self, debate: Debate, cue: Cue) -> StrategyPick:
        configured = (system for system in debate.config.judging.systems if isinstance(system, PersuasionSettings))
        settings = next(configured, PersuasionSettings().without_surrender())
        curve = compute_state_curve(debate, settings, due_round=cue.round)
        return strategies.pick_strategy(curve[-1].states, cue.speaker)

    def score(self, debate: Debate, run: JudgingRun | str, settings: PersuasionSettings) -> Verdict:
        return score.score_run(debate, run, settings)

    def max_score(self, verdict: Verdict) -> float:
        return score.max_score(len(verdict.scores))

    def min_score(self, verdict: Verdict) -> float:
        return score.MIN_SCORE

    def explain(self, verdict: Verdict) -> str:
        notes = parse_notes(score.PersuasionNotes, verdict)
        sentences = [f"{item.name} surrendered after round {item.round}." for item in notes.surrendered]
        parts = (super().explain(verdict), *(sentences or ["No debater surrendered."]), notes.hint)
        return " ".join(filter(None, parts))

    def quote(self, debate: Debate, verdict: Verdict) -> None:
        """Return None, because the judges rate single turns and do not explain the verdict."""

    def tables(self, verdict: Verdict) -> Iterator[Table]:
        return tables.tables(verdict)

    def charts(self, verdict: Verdict) -> Iterator[Chart]:
        return tables.charts(verdict)

    def live_report(self, assessment: Assessment, debate: Debate) -> LiveReport:
        effects = group_by_key(
            (mark.participant, f"{mark.criterion} {mark.value:.2f} ({persuasion_band(mark.value)})")
            for mark in assessment.marks
            if mark.participant is not None
        )
        return LiveReport(sentences=tuple(f"on {name}: {', '.join(sentences)}" for name, sentences in effects.items()))


def _describe_state(curve: Sequence[StatePoint], name: str) -> str:
    state = curve[-1].states[name]
    conviction = strip_float_noise(state.conviction)
    firmness, concession = next(words for bound, *words in FIRMNESS if conviction >= bound)
    stance = (
        f"You hold your position {firmness}: conviction {format_number(conviction)} of 1, stance"
        f" {format_number(strip_float_noise(state.stance))} between -1 (against the motion) and 1 (for it)."
    )
    moved = "No speech has moved you yet."
    for earlier, later in pairwise(curve):
        before, after = (strip_float_noise(point.states[name].conviction) for point in (earlier, later))
        if later.turn is not None and after != before:
            did = "persuaded you" if after < before else "made you more determined"
            moved = (
                f"The last speech that moved you was by {quote_for_prompt(later.turn.speaker)} in round {later.turn.round}."
                f" It {did}: conviction {format_number(before)} to {format_number(after)}."
            )
    return f"{stance} {moved} {concession} Let this show in how you argue."


SYSTEM = _PersuasionSystem()
