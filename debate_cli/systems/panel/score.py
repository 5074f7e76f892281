"""Computes the verdict of a panel from weighted votes."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.text_normalization import normalize_text
from debate_cli.domain.verdict import Notes, Verdict, Victory
from debate_cli.judge_input.quotes import find_quoted_line, find_quoted_passages
from debate_cli.systems.aggregation import format_failure_cause, get_run_id, stored_settings, strip_float_noise
from debate_cli.systems.base import Requirement
from debate_cli.systems.outcome import UNDETERMINED_OUTCOME, ScoreOutcome, build_verdict
from debate_cli.systems.panel.settings import CLEAR_SHARE, PanelSettings
from debate_cli.systems.panel.votes import (
    OPTIONS,
    Ballot,
    Disagreement,
    VoteOption,
    agreement_of_ballots,
    ballots_by_round,
    explains_change,
    find_disagreements,
    judge_weights,
    should_deliberate,
)

OPTION_SIDES: dict[VoteOption, str] = {"PASS": "for", "FAIL": "against"}
"""Maps an option to the side that wins the debate if the panel chooses this option."""


class BallotRow(FrozenModel):
    """A judge's vote in one round of voting."""

    judge: str
    """Id of the judge."""
    option: VoteOption
    """The option that the judge chose."""
    confidence: float
    """How sure the judge is, 0-1, as stated by the judge."""
    weight: float
    """Weight of the vote divided by the weight of all votes in the round, 0-1."""
    dimensions: dict[str, float]
    """Maps dimensions to the judge's marks, 1-3."""
    critical_findings: tuple[str, ...]
    """Faults that weigh against the document or motion, in the judge's words."""
    remediation_required: tuple[str, ...]
    """Changes that the judge demands, in the judge's words."""
    rationale: str
    """The reasons for the vote, in the judge's words."""
    changed: bool
    """Whether the judge chose another option than in the previous round."""
    changed_because: str | None
    """Why the judge changed the vote, in the judge's words; None if the judge gave no reason."""
    unexplained_change: bool
    """Whether the judge changed the option and gave no valid reason. In a debate, a valid reason names a turn or an
    argument."""
    late: bool
    """Whether the judge exceeded `timeout_s` in this round. The judge's earlier vote then counts again."""
    carried: bool
    """Whether this is the judge's earlier vote, used again because the judge was late or the call failed in this
    round."""


class PanelRoundRow(FrozenModel):
    """One round of voting. In round 0, no judge sees another judge's vote."""

    round: int
    """Number of the round of voting, from 0."""
    agreement: float
    """Agreement of the judges, 0-1."""
    disagreements: tuple[Disagreement, ...]
    """Disputed points, most severe first."""
    votes: tuple[BallotRow, ...]
    """The votes that count in the round, in the order of the panel."""


class VoteTally(FrozenModel):
    """The result of one round of voting."""

    option: VoteOption
    """The option with the highest weight. CONDITIONAL if several options share the highest weight."""
    weights: dict[VoteOption, float]
    """Maps each option to the weight of its votes divided by the weight of all votes, 0-1."""


class PanelNotes(Notes):
    """Notes of a verdict of the judging system `panel`."""

    option: VoteOption | None
    """The option that the panel chose in the final vote; None if no judge voted."""
    judges: int = 0
    """Number of judges whose votes count in the final vote."""
    required_changes: tuple[Requirement, ...] = ()
    """Changes that a document needs in order to pass. Empty for a debate, and for a document that passed."""
    weights: dict[VoteOption, float]
    """Maps each option to the weight of its final votes divided by the weight of all final votes, 0-1."""
    first_vote: VoteTally | None
    """Result of the first vote; None if no judge voted."""
    initial_agreement: float | None
    """Agreement in the first vote, 0-1; None if no judge voted."""
    final_agreement: float | None
    """Agreement in the final vote, 0-1; None if no judge voted."""
    improvement: float | None
    """Final agreement minus initial agreement; None if no judge voted."""
    converged: bool
    """Whether the final agreement is at least `convergence_threshold`."""
    convergence_threshold: float
    """The agreement, 0-1, at which the panel stops voting."""
    deliberation_rounds: int
    """Number of rounds of voting after the first vote."""
    rounds: tuple[PanelRoundRow, ...]
    """The rounds of voting, in order."""
    dissent: tuple[BallotRow, ...]
    """Final votes for options that the panel did not choose."""
    unexplained_changes: tuple[str, ...]
    """Ids of the judges who changed a vote without a valid reason."""
    late: tuple[str, ...]
    """Ids of the judges who did not answer in time in at least one round."""


def score_run(debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> Verdict:
    """Return the verdict of one run, with notes of the class `PanelNotes`.

    In a debate, PASS makes the side `for` the winner, and FAIL the side `against`. The verdict names a winner only if
    this side has exactly one debater. CONDITIONAL has no winner.

    The margin is the difference between the two highest shares of the voting weight, 0-1.

    A verdict needs `min_judges` votes or, if the panel has fewer judges, the votes of all judges. Without these votes,
    the verdict is undetermined.
    """
    by_round = ballots_by_round(debate, run, settings)
    weights = judge_weights(debate, run, settings)
    rounds = tuple(_round_rows(debate, settings, by_round))
    votes = [vote for row in rounds for vote in row.votes]
    final = by_round[max(by_round)] if by_round else ()
    tally = tally_votes(final)
    outcome = UNDETERMINED_OUTCOME
    if tally is not None and len(final) >= min(settings.min_judges, len(weights)):
        outcome = _outcome(tally, final, debate)
    changes: tuple[Requirement, ...] = ()
    if tally is not None and debate.document_name is not None and tally.option != "PASS":
        changes = find_required_changes(final, settings.dimensions, debate.config.background or "")
    initial, latest = (rounds[0].agreement, rounds[-1].agreement) if rounds else (None, None)
    notes = PanelNotes(
        option=tally.option if tally else None,
        judges=len(final),
        required_changes=changes,
        weights=tally.weights if tally else {},
        first_vote=tally_votes(by_round[min(by_round)]) if by_round else None,
        initial_agreement=initial,
        final_agreement=latest,
        improvement=strip_float_noise(latest - initial) if initial is not None and latest is not None else None,
        converged=latest is not None and latest >= strip_float_noise(settings.convergence_threshold),
        convergence_threshold=settings.convergence_threshold,
        deliberation_rounds=rounds[-1].round if rounds else 0,
        rounds=rounds,
        dissent=tuple(vote for vote in rounds[-1].votes if tally and vote.option != tally.option) if rounds else (),
        unexplained_changes=tuple(dict.fromkeys(vote.judge for vote in votes if vote.unexplained_change)),
        late=tuple(dict.fromkeys(vote.judge for vote in votes if vote.late)),
        missing=tuple(_missing(debate, run, settings, by_round)),
    )
    return build_verdict("panel", run, outcome, _shares_of_debaters(tally, debate) if tally else {}, notes)


def _shares_of_debaters(tally: VoteTally, debate: Debate) -> dict[str, float]:
    sides = {_only_debater_of_side(debate, side): tally.weights[option] for option, side in OPTION_SIDES.items()}
    return {name: share for name, share in sides.items() if name is not None}


def tally_votes(ballots: Sequence[Ballot]) -> VoteTally | None:
    """Return the result of one round of voting; None if no judge voted."""
    if not ballots:
        return None
    shares: dict[VoteOption, float] = {
        option: strip_float_noise(share) for option, share in _unrounded_shares(ballots).items()
    }
    largest: list[VoteOption] = [option for option in OPTIONS if shares[option] == max(shares.values())]
    return VoteTally(option=largest[0] if len(largest) == 1 else "CONDITIONAL", weights=shares)


def _unrounded_shares(ballots: Sequence[Ballot]) -> dict[VoteOption, float]:
    total = math.fsum(ballot.weight for ballot in ballots)
    return {
        option: math.fsum(ballot.weight for ballot in ballots if ballot.option == option) / total for option in OPTIONS
    }


def _outcome(tally: VoteTally, ballots: Sequence[Ballot], debate: Debate) -> ScoreOutcome:
    largest, second, _ = sorted(_unrounded_shares(ballots).values(), reverse=True)
    margin = strip_float_noise(largest - second)
    if tally.option == "CONDITIONAL":
        return ScoreOutcome(None, "conditional", margin)
    victory: Victory = "clear" if strip_float_noise(largest) >= CLEAR_SHARE else "narrow"
    return ScoreOutcome(_only_debater_of_side(debate, OPTION_SIDES[tally.option]), victory, margin)


def _only_debater_of_side(debate: Debate, side: str) -> str | None:
    names = [item.name for item in debate.participants if item.side == side]
    return names[0] if len(names) == 1 else None


def _round_rows(
    debate: Debate, settings: PanelSettings, by_round: Mapping[int, Sequence[Ballot]]
) -> Iterator[PanelRoundRow]:
    before: dict[str, VoteOption] = {}
    for number, ballots in by_round.items():
        total = math.fsum(ballot.weight for ballot in ballots)
        yield PanelRoundRow(
            round=number,
            agreement=agreement_of_ballots(ballots),
            disagreements=find_disagreements(ballots, settings),
            votes=tuple(_ballot_row(debate, ballot, before.get(ballot.judge), total) for ballot in ballots),
        )
        before = {ballot.judge: ballot.option for ballot in ballots}


def _ballot_row(debate: Debate, ballot: Ballot, before: VoteOption | None, total: float) -> BallotRow:
    changed = before is not None and before != ballot.option
    because = ballot.vote.changed_because
    return BallotRow(
        judge=ballot.judge,
        option=ballot.option,
        confidence=strip_float_noise(ballot.vote.confidence),
        weight=strip_float_noise(ballot.weight / total),
        dimensions={name: strip_float_noise(value) for name, value in sorted(ballot.dimensions.items())},
        **ballot.vote.model_dump(include={"critical_findings", "remediation_required", "late"}),
        rationale=ballot.rationale,
        changed=changed,
        changed_because=because if changed else None,
        unexplained_change=changed and not explains_change(because, debate),
        carried=ballot.carried,
    )


def _missing(
    debate: Debate, run: JudgingRun | str, settings: PanelSettings, by_round: Mapping[int, Sequence[Ballot]]
) -> Iterator[str]:
    weights = judge_weights(debate, run, settings)
    latest = max(by_round, default=0)
    final = by_round.get(latest, ())
    voters = {ballot.judge for ballot in final}
    is_further_due = should_deliberate(by_round, stored_settings(debate, run, settings))
    for number in range(latest + 1 + is_further_due):
        counted = {ballot.judge: ballot for ballot in by_round.get(number, ())}
        when = f"in deliberation round {number}" if number else "in the first vote"
        for judge in weights:
            ballot = counted.get(judge)
            if (ballot is not None and not ballot.carried) or (number and judge not in voters):
                continue
            why = format_failure_cause(debate, f"{get_run_id(run)}/panel/{judge}/debate/all/{number}")
            if not why and ballot is not None and ballot.vote.late:
                why = " (late)"
            yield f"{judge} did not vote {when}{why}{'; its last vote counts' if judge in voters else ''}."
    needed = min(settings.min_judges, len(weights))
    if 0 < len(final) < needed:
        yield f"Only {len(final)} of {len(weights)} judges voted; a verdict needs {needed} votes."
    for ballot in final:
        absent = [name for name in settings.dimensions if name not in ballot.dimensions]
        if absent:
            yield f"{ballot.judge} gave no mark for {', '.join(absent)}."


def find_required_changes(ballots: Sequence[Ballot], dimensions: Sequence[str], text: str) -> tuple[Requirement, ...]:
    """Return what the judges require or criticize, grouped by dimension: required corrections and critical findings.

    Requirements and criticisms that differ only in case, typography and punctuation count as one. `text`: the judged
    document.
    """
    total = math.fsum(ballot.weight for ballot in ballots)
    demands = (
        (words, ballot.judge, ballot.weight / total)
        for ballot in ballots
        for words in (*ballot.vote.remediation_required, *ballot.vote.critical_findings)
    )
    return _merge_demands(demands, dimensions, text)


def find_conditions(notes: PanelNotes) -> tuple[Requirement, ...]:
    """Return the conditions of the judges who voted CONDITIONAL in the final vote.

    The conditions with the most weight come first. Conditions that differ only in case, typography and punctuation count
    as one.

    The result is empty in two cases: the panel chose another option, or `notes.required_changes` has entries, which
    already contain the conditions.
    """
    if notes.option != "CONDITIONAL" or notes.required_changes or not notes.rounds:
        return ()
    votes = [vote for vote in notes.rounds[-1].votes if vote.option == "CONDITIONAL"]
    return _merge_demands((words, vote.judge, vote.weight) for vote in votes for words in vote.remediation_required)


def _merge_demands(
    demands: Iterable[tuple[str, str, float]], dimensions: Sequence[str] = (), text: str = ""
) -> tuple[Requirement, ...]:
    """Merge demands with the same words, and group them by dimension.

    The dimension of a demand is the first of `dimensions` whose name is in the demand's words. Demands without such a
    name form one more group. The weight of a merged demand is the sum of its judges' shares. In each group, the demand
    with the highest weight comes first. The groups are sorted by the weight of their first demand, from high to low.

    - `demands`: tuples (what the judge requires, id of the judge, the judge's share of the voting weight).
    - `text`: the judged document. Passages that a demand quotes are searched for in this text.
    """
    merged: dict[str, tuple[str, dict[str, float]]] = {}
    for words, judge, weight in demands:
        if _fold(words):
            merged.setdefault(_fold(words), (words, {}))[1][judge] = weight
    groups: dict[str | None, list[Requirement]] = {name: [] for name in (*dimensions, None)}
    for folded, (words, judges) in merged.items():
        lines = ((passage, find_quoted_line(passage, text)) for passage in find_quoted_passages(words))
        quote, line = next((found for found in lines if found[1] is not None), (None, None))
        dimension = next((name for name in dimensions if f" {_fold(name)} " in f" {folded} "), None)
        weight = strip_float_noise(math.fsum(judges.values()))
        change = Requirement(
            dimension=dimension, text=words, judges=tuple(judges), weight=weight, quote=quote, line=line
        )
        groups[dimension].append(change)
    heaviest_first = [sorted(group, key=lambda item: -item.weight) for group in groups.values() if group]
    heaviest_first.sort(key=lambda group: -group[0].weight)
    return tuple(change for group in heaviest_first for change in group)


def _fold(words: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", normalize_text(words)).split())
