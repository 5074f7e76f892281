"""Scorer of the panel: weighted votes, agreement before and after deliberation, dissent in full.

`votes` collects the votes and decides whether to deliberate further; `agreement` has the formula.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

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
"""Maps options to the sides that they support."""
CLEAR_SHARE = 0.8
"""Share of the weight from which the winning option's victory is clear."""


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
    """Whether the vote changed without naming a turn or an argument or, for a document, without any reason."""
    late: bool
    carried: bool
    """Whether the vote is from an earlier round, because the judge gave none in time."""


class PanelRoundRow(FrozenModel):
    """One round of voting. Round 0 is the blind first vote."""

    round: int
    agreement: float
    disagreements: tuple[Disagreement, ...]
    """Disputed points, most severe first."""
    votes: tuple[BallotRow, ...]


class VoteTally(FrozenModel):
    """The result of a set of votes: its option, and the share of each option."""

    option: VoteOption
    """The option with the largest weight; CONDITIONAL if several have it."""
    weights: dict[VoteOption, float]
    """Maps options to shares of the weight, which add up to 1."""


class PanelNotes(Notes):
    """Notes of a panel's verdict."""

    option: VoteOption | None
    """The option that the panel voted for; None if there are no votes."""
    judges: int = 0
    """Number of judges with a vote. One judge decides alone, with agreement 1.0."""
    required_changes: tuple[RequiredChange, ...] = ()
    """Changes that a text needs in order to pass, by dimension, heaviest first. Empty for a debate and for PASS."""
    weights: dict[VoteOption, float]
    """Maps options to shares of the weight in the final vote."""
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
    """Final votes for other options than the panel's, in full."""
    unexplained_changes: tuple[str, ...]
    """Ids of the judges who changed a vote in any round and gave no valid reason."""
    late: tuple[str, ...]
    """Ids of the judges who were late in any round."""


def score_run(debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> Verdict:
    """Score `run` by the panel's rules; the notes are `PanelNotes`.

    With PASS the only debater of side `for` wins, with FAIL the only debater of side `against`; CONDITIONAL and ties
    have no winner. The margin is the largest share of weight minus the second, 0-1. With fewer votes than `min_judges`
    the verdict is undetermined, except for a panel of one judge.
    """
    by_round = ballots_by_round(debate, run, settings)
    weights = judge_weights(debate, run, settings)
    late = {
        (failure.task.assessor, failure.task.revision)
        for failure in debate.failures
        if failure.cause == "late"
        and isinstance(failure.task, Brief)
        and (failure.task.run, failure.task.system) == (get_run_id(run), "panel")
    }
    rounds = tuple(_round_rows(debate, settings, by_round, late))
    late |= {(vote.judge, row.round) for row in rounds for vote in row.votes if vote.late}
    final = by_round[max(by_round)] if by_round else ()
    tally = tally_votes(final)
    if tally is None:
        outcome, scores = UNDETERMINED_OUTCOME, dict[str, float]()
    else:
        enough = len(final) >= min(settings.min_judges, len(weights))
        outcome = _outcome(tally, debate) if enough else UNDETERMINED_OUTCOME
        sides = {_only_debater_of_side(debate, side): tally.weights[option] for option, side in OPTION_SIDES.items()}
        scores = {name: share for name, share in sides.items() if name is not None}
    is_open_text = debate.document_name is not None and tally is not None and tally.option != "PASS"
    votes = [vote for row in rounds for vote in row.votes]
    agreements = [row.agreement for row in rounds]
    threshold = settings.convergence_threshold
    notes = PanelNotes(
        option=tally.option if tally else None,
        judges=len(final),
        required_changes=find_required_changes(final, settings.dimensions, debate.config.background or "")
        if is_open_text
        else (),
        weights=tally.weights if tally else {},
        first_vote=tally_votes(by_round[min(by_round)]) if by_round else None,
        initial_agreement=agreements[0] if agreements else None,
        final_agreement=agreements[-1] if agreements else None,
        improvement=strip_float_noise(agreements[-1] - agreements[0]) if agreements else None,
        converged=bool(agreements) and agreements[-1] >= strip_float_noise(threshold),
        convergence_threshold=threshold,
        deliberation_rounds=rounds[-1].round if rounds else 0,
        rounds=rounds,
        dissent=tuple(vote for vote in rounds[-1].votes if tally and vote.option != tally.option) if rounds else (),
        unexplained_changes=tuple(dict.fromkeys(vote.judge for vote in votes if vote.unexplained_change)),
        late=tuple(judge for judge in weights if judge in {name for name, _ in late}),
        missing=tuple(_missing(debate, run, settings, by_round)),
    )
    return build_verdict("panel", run, outcome, scores, notes)


def tally_votes(ballots: Sequence[Ballot]) -> VoteTally | None:
    """Count the votes by weight; None if there are no votes."""
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


def _only_debater_of_side(debate: Debate, side: str) -> str | None:
    names = [item.name for item in debate.participants if item.side == side]
    return names[0] if len(names) == 1 else None


def _round_rows(
    debate: Debate,
    settings: PanelSettings,
    by_round: Mapping[int, Sequence[Ballot]],
    late: Collection[tuple[str, int]],
) -> Iterator[PanelRoundRow]:
    """Yield the rounds of voting. `late`: (judge, round) of the votes that failed because they were late."""
    before: dict[str, Ballot] = {}
    for number, ballots in by_round.items():
        total = math.fsum(ballot.weight for ballot in ballots)
        votes = (_ballot_row(debate, ballot, before.get(ballot.judge), total) for ballot in ballots)
        yield PanelRoundRow(
            round=number,
            agreement=agreement_of_ballots(ballots),
            disagreements=find_disagreements(ballots, settings),
            votes=tuple(row.model_copy(update={"late": True}) if (row.judge, number) in late else row for row in votes),
        )
        before = {ballot.judge: ballot for ballot in ballots}


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


def _missing(
    debate: Debate, run: JudgingRun | str, settings: PanelSettings, by_round: Mapping[int, Sequence[Ballot]]
) -> Iterator[str]:
    """Yield sentences about missing votes, missing marks and votes that do not count.

    A round of voting that is due but has no votes has sentences as well.
    """
    weights = judge_weights(debate, run, settings)
    latest = max(by_round, default=0)
    final = by_round.get(latest, ())
    is_further_due = should_deliberate(by_round, stored_settings(debate, run, settings))
    for number in range(latest + 1 + is_further_due):
        counted = {ballot.judge: ballot for ballot in by_round.get(number, ())}
        when = f"in deliberation round {number}" if number else "in the first vote"
        for judge in weights:
            ballot = counted.get(judge)
            if ballot is not None and not ballot.carried:
                continue
            why, first = (
                format_failure_cause(debate, f"{get_run_id(run)}/panel/{judge}/debate/all/{revision}")
                for revision in (number, 0)
            )
            if ballot is not None and ballot.vote.late:
                why = why or " (late)"
            has_voted = any(judge == item.judge for item in final)
            kept = "; its last vote counts" if has_voted else ""
            yield f"{judge} did not vote {when}{why or (first if ballot is None else '')}{kept}."
    needed = min(settings.min_judges, len(weights))
    if 0 < len(final) < needed:
        yield f"There are {len(final)} of {len(weights)} votes; a verdict needs {needed}."
    for ballot in final:
        absent = [name for name in settings.dimensions if name not in ballot.dimensions]
        if absent:
            yield f"{ballot.judge} gave no mark for {', '.join(absent)}."
    voters = {item.assessor for item in ordered_assessments(debate, "panel", run)}
    yield from (f"{name} is not on the panel, so its vote does not count." for name in sorted(voters - weights.keys()))


def find_required_changes(
    ballots: Sequence[Ballot], dimensions: Sequence[str], text: str
) -> tuple[RequiredChange, ...]:
    """Return all demands and critical findings of `ballots`, grouped by dimension.

    Demands that differ only in case, typography and punctuation count as one. Groups, and the demands in a group, are
    sorted by weight; if weights are equal, by the order of `dimensions` and of the judges. `text`: the judged text,
    which is searched for quoted passages.
    """
    demands: dict[str, tuple[str, dict[str, float]]] = {}
    for ballot in ballots:
        for words in (*ballot.vote.remediation_required, *ballot.vote.critical_findings):
            if _fold(words):
                demands.setdefault(_fold(words), (words, {}))[1][ballot.judge] = ballot.weight
    total = math.fsum(ballot.weight for ballot in ballots)
    changes: list[RequiredChange] = []
    for words, judges in demands.values():
        lines = ((passage, find_quoted_line(passage, text)) for passage in find_quoted_passages(words))
        quote, line = next((found for found in lines if found[1] is not None), (None, None))
        changes.append(
            RequiredChange(
                dimension=_find_dimension(words, dimensions),
                text=words,
                judges=tuple(judges),
                weight=strip_float_noise(math.fsum(judges.values()) / total),
                quote=quote,
                line=line,
            )
        )
    rank: dict[str | None, int] = {name: place for place, name in enumerate([*dimensions, None])}

    def order(change: RequiredChange) -> tuple[float, int, float]:
        heaviest = max(item.weight for item in changes if item.dimension == change.dimension)
        return -heaviest, rank[change.dimension], -change.weight

    return tuple(sorted(changes, key=order))


def _fold(words: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", normalize_text(words)).split())


def _find_dimension(words: str, dimensions: Sequence[str]) -> str | None:
    """Return the dimension that `words` names first; None if it names none.

    Of several names that begin at the same word, the longest counts.
    """
    folded = f" {_fold(words)} "
    named = [(folded.find(f" {_fold(name)} "), -len(name), name) for name in dimensions if _fold(name)]
    return min((found for found in named if found[0] >= 0), default=(0, 0, None))[2]
