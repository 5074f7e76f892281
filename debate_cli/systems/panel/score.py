"""Scorer of the panel: weighted votes, agreement before and after deliberation, dissent in full.

`votes` collects the votes and decides whether to deliberate further; `agreement` has the formula.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.domain.text_normalization import normalize_text
from debate_cli.domain.verdict import Notes, Verdict, Victory
from debate_cli.judge_input.quotes import find_quoted_line, find_quoted_passages
from debate_cli.systems.aggregation import (
    format_failure_cause,
    get_run_id,
    ordered_assessments,
    stored_settings,
    strip_float_noise,
)
from debate_cli.systems.base import RequiredChange
from debate_cli.systems.outcome import UNDETERMINED_OUTCOME, ScoreOutcome, build_verdict
from debate_cli.systems.panel.agreement import OPTIONS
from debate_cli.systems.panel.findings import VoteOption
from debate_cli.systems.panel.settings import PanelSettings
from debate_cli.systems.panel.votes import (
    Ballot,
    Disagreement,
    agreement_of_ballots,
    ballots_by_round,
    explains_change,
    find_disagreements,
    judge_weights,
    should_deliberate,
)

OPTION_SIDES: dict[VoteOption, str] = {"PASS": "for", "FAIL": "against"}
"""Option -> the side that it supports."""
CLEAR_SHARE = 0.8
"""The victory is clear if the winning option has at least this share of the weight."""


class BallotRow(FrozenModel):
    """A judge's vote in one round."""

    judge: str
    option: VoteOption
    confidence: float
    weight: float
    """Share of the weight of all votes in this round, 0-1."""
    dimensions: dict[str, float]
    critical_findings: tuple[str, ...]
    remediation_required: tuple[str, ...]
    rationale: str
    changed: bool
    """Whether the option differs from the judge's vote in the round before."""
    changed_because: str | None
    unexplained_change: bool
    """Whether the vote changed without naming a turn or an argument; for a document, without any reason."""
    late: bool
    carried: bool
    """Whether this is the judge's vote from an earlier round, because it gave none in time."""


class PanelRoundRow(FrozenModel):
    """One round of voting. Round 0 is the blind first vote."""

    round: int
    agreement: float
    disagreements: tuple[Disagreement, ...]
    """Disputed points, most severe first."""
    votes: tuple[BallotRow, ...]


class VoteTally(FrozenModel):
    """Which option a set of votes gives, and the share of each option."""

    option: VoteOption
    """The option with the largest weight; CONDITIONAL for a tie."""
    weights: dict[VoteOption, float]
    """Share of the weight per option, summing to 1."""


class PanelNotes(Notes):
    """Notes of a panel's verdict."""

    option: VoteOption | None
    """Option that the panel voted for; None if there are no votes."""
    judges: int = 0
    """Number of judges with a vote. One judge decides alone, with agreement 1.0."""
    required_changes: tuple[RequiredChange, ...] = ()
    """Changes that a text needs to pass, by dimension, the heaviest first; empty for a debate and for PASS."""
    weights: dict[VoteOption, float]
    """Share of the weight per option in the final vote."""
    first_vote: VoteTally | None
    """Result of the blind first vote."""
    initial_agreement: float | None
    final_agreement: float | None
    improvement: float | None
    """Final agreement minus initial agreement."""
    converged: bool
    """Whether the final agreement reaches the threshold."""
    convergence_threshold: float
    deliberation_rounds: int
    """Number of rounds after the first vote."""
    rounds: tuple[PanelRoundRow, ...]
    dissent: tuple[BallotRow, ...]
    """Final votes for another option than the panel's, in full."""
    unexplained_changes: tuple[str, ...]
    """Ids of the judges who changed a vote in any round and gave no valid reason."""
    late: tuple[str, ...]
    """Ids of the judges who were late in any round."""


def score_run(debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> Verdict:
    """Score `run` by the panel's rules; the notes are `PanelNotes`.

    With PASS the only debater of side `for` wins, with FAIL the only one of side `against`; CONDITIONAL and ties have no
    winner. The margin is the largest minus the second share of weight, 0-1. With fewer votes than `min_judges` the
    verdict is undetermined, except for a panel of one judge.
    """
    by_round = ballots_by_round(debate, run, settings)
    late = _late_judges(debate, run, by_round)
    rounds = _round_rows(debate, settings, by_round, late)
    final = by_round[max(by_round)] if by_round else ()
    final_tally = tally_votes(final)
    enough = final_tally is not None and len(final) >= _min_votes(debate, run, settings)
    outcome = _outcome(final_tally, debate) if final_tally is not None and enough else UNDETERMINED_OUTCOME
    scores = _scores(final_tally, debate) if final_tally is not None else {}
    missing = _missing(debate, run, settings, by_round)
    ever_late = _all_late_judges(debate, run, settings, late)
    notes = _notes(settings, rounds, by_round, ever_late, missing)
    if debate.document_name is not None and notes.option != "PASS":
        changes = find_required_changes(final, settings.dimensions, debate.config.background or "")
        notes = notes.model_copy(update={"required_changes": changes})
    return build_verdict("panel", run, outcome, scores, notes)


def _min_votes(debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> int:
    return min(settings.min_judges, len(judge_weights(debate, run, settings)))


def tally_votes(ballots: Sequence[Ballot]) -> VoteTally | None:
    """Count the votes by weight; None if there are none."""
    if not ballots:
        return None
    total = math.fsum(ballot.weight for ballot in ballots)
    shares: dict[VoteOption, float] = {
        option: strip_float_noise(math.fsum(ballot.weight for ballot in ballots if ballot.option == option) / total)
        for option in OPTIONS
    }
    largest = max(shares.values())
    first: list[VoteOption] = [option for option in OPTIONS if shares[option] == largest]
    option = first[0] if len(first) == 1 else "CONDITIONAL"
    return VoteTally(option=option, weights=shares)


def _outcome(counted: VoteTally, debate: Debate) -> ScoreOutcome:
    largest, second, _ = sorted(counted.weights.values(), reverse=True)
    margin = strip_float_noise(largest - second)
    if counted.option == "CONDITIONAL":
        return ScoreOutcome(None, "conditional", margin)
    victory: Victory = "clear" if counted.weights[counted.option] >= CLEAR_SHARE else "narrow"
    return ScoreOutcome(_only_debater_of_side(debate, OPTION_SIDES[counted.option]), victory, margin)


def _scores(counted: VoteTally, debate: Debate) -> dict[str, float]:
    """Debater -> share of the vote weight that its side received; only for sides with exactly one debater."""
    found = {_only_debater_of_side(debate, side): counted.weights[option] for option, side in OPTION_SIDES.items()}
    return {name: share for name, share in found.items() if name is not None}


def _only_debater_of_side(debate: Debate, side: str) -> str | None:
    names = [item.name for item in debate.participants if item.side == side]
    return names[0] if len(names) == 1 else None


def _late_judges(
    debate: Debate, run: JudgingRun | str, by_round: Mapping[int, Sequence[Ballot]]
) -> dict[int, set[str]]:
    """Round -> judges who were late: their vote is marked as late, or their brief failed because they were."""
    wanted = get_run_id(run)
    found = {number: {ballot.judge for ballot in ballots if ballot.vote.late} for number, ballots in by_round.items()}
    keys = {failure.task.key for failure in debate.failures if failure.cause == "late"}
    for number, ballots in by_round.items():
        found[number] |= {item.judge for item in ballots if _brief_key(wanted, item.judge, number) in keys}
    return found


def _all_late_judges(
    debate: Debate, run: JudgingRun | str, settings: PanelSettings, late: Mapping[int, set[str]]
) -> tuple[str, ...]:
    """Judges who were late in any round, in panel order, even if they never voted."""
    found = set[str]().union(*late.values())
    for failure in debate.failures:
        task = failure.task
        if (
            failure.cause == "late"
            and isinstance(task, Brief)
            and (task.run, task.system) == (get_run_id(run), "panel")
        ):
            found.add(task.assessor)
    return tuple(judge for judge in judge_weights(debate, run, settings) if judge in found)


def _brief_key(run: str, judge: str, number: int) -> str:
    return f"{run}/panel/{judge}/debate/all/{number}"


def _round_rows(
    debate: Debate, settings: PanelSettings, by_round: Mapping[int, Sequence[Ballot]], late: Mapping[int, set[str]]
) -> tuple[PanelRoundRow, ...]:
    found: list[PanelRoundRow] = []
    before: dict[str, Ballot] = {}
    for number, ballots in by_round.items():
        total = math.fsum(ballot.weight for ballot in ballots)
        rows = [_ballot_row(debate, item, before.get(item.judge), total) for item in ballots]
        found.append(
            PanelRoundRow(
                round=number,
                agreement=agreement_of_ballots(ballots),
                disagreements=find_disagreements(ballots, settings),
                votes=tuple(row.model_copy(update={"late": row.judge in late[number]}) for row in rows),
            )
        )
        before = {ballot.judge: ballot for ballot in ballots}
    return tuple(found)


def _ballot_row(debate: Debate, ballot: Ballot, before: Ballot | None, total: float) -> BallotRow:
    changed = before is not None and before.option != ballot.option
    because = ballot.vote.changed_because
    return BallotRow(
        judge=ballot.judge,
        option=ballot.option,
        confidence=strip_float_noise(ballot.vote.confidence),
        weight=strip_float_noise(ballot.weight / total),
        dimensions={name: strip_float_noise(value) for name, value in sorted(ballot.dimensions.items())},
        critical_findings=ballot.vote.critical_findings,
        remediation_required=ballot.vote.remediation_required,
        rationale=ballot.rationale,
        changed=changed,
        changed_because=because if changed else None,
        unexplained_change=changed and not explains_change(because, debate),
        late=ballot.vote.late,
        carried=ballot.carried,
    )


def _notes(
    settings: PanelSettings,
    rounds: Sequence[PanelRoundRow],
    by_round: Mapping[int, Sequence[Ballot]],
    late: Sequence[str],
    missing: Sequence[str],
) -> PanelNotes:
    first = tally_votes(by_round[min(by_round)]) if by_round else None
    final = tally_votes(by_round[max(by_round)]) if by_round else None
    initial_agreement = rounds[0].agreement if rounds else None
    final_agreement = rounds[-1].agreement if rounds else None
    votes = [vote for row in rounds for vote in row.votes]
    return PanelNotes(
        option=final.option if final else None,
        judges=len(rounds[-1].votes) if rounds else 0,
        weights=final.weights if final else {},
        first_vote=first,
        initial_agreement=initial_agreement,
        final_agreement=final_agreement,
        improvement=strip_float_noise(rounds[-1].agreement - rounds[0].agreement) if rounds else None,
        converged=final_agreement is not None and final_agreement >= strip_float_noise(settings.convergence_threshold),
        convergence_threshold=settings.convergence_threshold,
        deliberation_rounds=rounds[-1].round if rounds else 0,
        rounds=tuple(rounds),
        dissent=tuple(vote for vote in rounds[-1].votes if final and vote.option != final.option) if rounds else (),
        unexplained_changes=tuple(dict.fromkeys(vote.judge for vote in votes if vote.unexplained_change)),
        late=tuple(late),
        missing=tuple(missing),
    )


def _missing(
    debate: Debate, run: JudgingRun | str, settings: PanelSettings, by_round: Mapping[int, Sequence[Ballot]]
) -> list[str]:
    """Sentences on votes and marks that are missing or do not count, also in a round that is due but has no votes."""
    weights = judge_weights(debate, run, settings)
    found: list[str] = []
    latest = max(by_round, default=0)
    final = by_round.get(latest, ())
    voted = {ballot.judge for ballot in final}
    further = should_deliberate(
        by_round, stored_settings(debate, run, settings)
    )  # stored settings: they determine which judges were asked
    for number in range(latest + 1 + further):
        counted = {ballot.judge: ballot for ballot in by_round.get(number, ())}
        when = f"in deliberation round {number}" if number else "in the first vote"
        for judge in weights:
            ballot = counted.get(judge)
            if ballot is not None and not ballot.carried:
                continue
            late = " (late)" if ballot is not None and ballot.vote.late else ""
            why = format_failure_cause(debate, _brief_key(get_run_id(run), judge, number)) or late
            if ballot is None and not why:  # a judge without a first vote is not asked again
                why = format_failure_cause(debate, _brief_key(get_run_id(run), judge, 0))
            kept = "; its last vote counts" if ballot is not None or (number > latest and judge in voted) else ""
            found.append(f"{judge} did not vote {when}{why}{kept}.")
    needed = _min_votes(debate, run, settings)
    if 0 < len(final) < needed:
        found.append(f"There are {len(final)} of {len(weights)} votes; a verdict needs {needed}.")
    for ballot in final:
        absent = [name for name in settings.dimensions if name not in ballot.dimensions]
        if absent:
            found.append(f"{ballot.judge} gave no mark for {', '.join(absent)}.")
    voters = {item.assessor for item in ordered_assessments(debate, "panel", run)}
    found += [f"{judge} is not on the panel, so its vote does not count." for judge in sorted(voters - weights.keys())]
    return found


@dataclass(slots=True)
class _Demand:
    text: str
    dimension: str | None
    judges: dict[str, float] = field(default_factory=dict[str, float])


def find_required_changes(
    ballots: Sequence[Ballot], dimensions: Sequence[str], text: str
) -> tuple[RequiredChange, ...]:
    """All demands and critical findings of `ballots`, grouped by dimension.

    Demands that differ only in case, typography and punctuation count as one. Groups, and the demands in a group, are
    sorted by weight; if weights are equal, by the order of `dimensions` and of the judges. `text`: the judged text, in
    which quoted passages are searched.
    """
    merged: dict[str, _Demand] = {}
    for ballot, words in _demands(ballots):
        demand = merged.setdefault(_fold(words), _Demand(words, _find_dimension(words, dimensions)))
        demand.judges[ballot.judge] = ballot.weight
    if not merged:
        return ()
    total = math.fsum(ballot.weight for ballot in ballots)
    changes = [_to_change(demand, [ballot.judge for ballot in ballots], total, text) for demand in merged.values()]
    heaviest: dict[str | None, float] = {}
    for change in changes:
        heaviest[change.dimension] = max(change.weight, heaviest.get(change.dimension, 0.0))
    rank = {name: place for place, name in enumerate(dimensions)}

    def order(change: RequiredChange) -> tuple[float, int, float]:
        place = len(rank) if change.dimension is None else rank[change.dimension]
        return -heaviest[change.dimension], place, -change.weight

    return tuple(sorted(changes, key=order))


def _demands(ballots: Sequence[Ballot]) -> Iterator[tuple[Ballot, str]]:
    """(ballot, demand) for each required correction and critical finding of each ballot."""
    for ballot in ballots:
        for words in (*ballot.vote.remediation_required, *ballot.vote.critical_findings):
            if _fold(words):
                yield ballot, words


def _fold(words: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", normalize_text(words)).split())


def _find_dimension(words: str, dimensions: Sequence[str]) -> str | None:
    """The dimension that `words` names first; of names that begin at the same word, the longest. None if it names none."""
    folded = f" {_fold(words)} "
    named = [(folded.find(f" {_fold(name)} "), -len(name), name) for name in dimensions if _fold(name)]
    return min((found for found in named if found[0] >= 0), default=(0, 0, None))[2]


def _to_change(demand: _Demand, order: Sequence[str], total: float, text: str) -> RequiredChange:
    lines = ((passage, find_quoted_line(passage, text)) for passage in find_quoted_passages(demand.text))
    quote, line = next((found for found in lines if found[1] is not None), (None, None))
    return RequiredChange(
        dimension=demand.dimension,
        text=demand.text,
        judges=tuple(judge for judge in order if judge in demand.judges),
        weight=strip_float_noise(math.fsum(demand.judges.values()) / total),
        quote=quote,
        line=line,
    )
