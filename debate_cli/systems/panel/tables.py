"""Tables of the panel: decision and conditions, votes, agreement, the dissent in full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.panel.score import VOTE_OPTIONS, BallotRow, PanelNotes
from debate_cli.systems.tables import (
    VOTE_BADGES,
    Cell,
    Gauge,
    Lines,
    Number,
    Table,
    TableRow,
    format_number,
    join_row_groups,
    parse_notes,
)


def tables(verdict: Verdict) -> list[Table]:
    """Options, votes by round, the conditions of a conditional verdict, dissent."""
    notes = parse_notes(PanelNotes, verdict)
    if notes is None or not notes.rounds:
        return []
    return [
        _option_table(notes, verdict),
        _vote_table(notes),
        *_condition_tables(notes),
        *_dissent_tables(notes.dissent),
    ]


def _option_table(notes: PanelNotes, verdict: Verdict) -> Table:
    first = notes.first_vote.weights if notes.first_vote is not None else {}
    return Table(
        title="scores, panel",
        heads=("option", "first vote", "final vote", ""),
        rows=tuple(
            (
                VOTE_BADGES[option],
                Number(first.get(option)),
                Number(notes.weights.get(option), strong=option == notes.option),
                Gauge(notes.weights.get(option, 0.0), 1.0),
            )
            for option in VOTE_OPTIONS
        ),
        remarks=() if verdict.victory == "undetermined" else (_agreement_remark(notes),),
        numeric=frozenset({1, 2}),
    )


def _agreement_remark(notes: PanelNotes) -> str:
    """The development of the agreement, in a sentence."""
    reached = "reached" if notes.converged else "did not reach"
    threshold = f"it {reached} the threshold of {_format_share(notes.convergence_threshold)}"
    if not notes.deliberation_rounds:
        return f"Agreement {_format_share(notes.final_agreement)} in the blind vote; {threshold}."
    rounds = f"{notes.deliberation_rounds} deliberation round{'' if notes.deliberation_rounds == 1 else 's'}"
    agreement = f"{_format_share(notes.initial_agreement)} to {_format_share(notes.final_agreement)}"
    return f"Agreement from {agreement} in {rounds}; {threshold}."


def _format_share(value: float | None) -> str:
    return "—" if value is None else format_number(value)


def _vote_table(notes: PanelNotes) -> Table:
    judges = list(dict.fromkeys(vote.judge for row in notes.rounds for vote in row.votes))
    rounds = [{vote.judge: vote for vote in row.votes} for row in notes.rounds]
    agreement: TableRow = ("agreement", None, *(Number(row.agreement) for row in notes.rounds))
    divided: TableRow = (
        "divided on",
        None,
        *(_disagreement_cell([item.about for item in row.disagreements]) for row in notes.rounds),
    )
    rows = [
        (judge, _weight_cell(judge, rounds), *(_vote_cell(votes.get(judge)) for votes in rounds)) for judge in judges
    ]
    return Table(
        title="votes, panel",
        heads=("judge", "weight", *(f"vote {row.round + 1}" for row in notes.rounds)),
        rows=join_row_groups([rows, [agreement, divided]]),
        remarks=tuple(_change_remarks(notes)),
        numeric=frozenset({1}),
    )


def _disagreement_cell(about: Sequence[str]) -> Cell:
    return Lines(tuple(about)) if about else "nothing"


def _weight_cell(judge: str, rounds: Sequence[dict[str, BallotRow]]) -> Cell:
    return next((Number(votes[judge].weight) for votes in reversed(rounds) if judge in votes), None)


def _vote_cell(vote: BallotRow | None) -> Cell:
    if vote is None:
        return "—"
    changed = ", changed" if vote.changed else ""
    late = ", late" if vote.late else ", kept" if vote.carried else ""
    return Lines((VOTE_BADGES[vote.option], f"{vote.confidence:.2f}{changed}{late}"))


def _change_remarks(notes: PanelNotes) -> Iterable[str]:
    for row in notes.rounds:
        for vote in row.votes:
            if vote.unexplained_change:
                yield f"! {vote.judge} changed its vote in vote {row.round + 1} without naming what changed it."
            elif vote.changed and vote.changed_because:
                yield f"{vote.judge} changed its vote in vote {row.round + 1}: {vote.changed_because}"


def _condition_tables(notes: PanelNotes) -> Iterable[Table]:
    """The conditions of the judges who voted CONDITIONAL, if the panel decided so."""
    votes = notes.rounds[-1].votes if notes.option == "CONDITIONAL" else ()
    asked = {vote.judge: vote.remediation_required for vote in votes if vote.option == "CONDITIONAL"}
    rows = tuple((judge, Lines(conditions)) for judge, conditions in asked.items() if conditions)
    if rows:
        yield Table(title="conditions, panel", heads=("judge", "holds only with"), rows=rows)


def _dissent_tables(votes: Sequence[BallotRow]) -> Iterable[Table]:
    if votes:
        yield Table(
            title="dissent, panel",
            heads=("judge", "vote", "critical findings", "what would fix it", "reasons"),
            rows=tuple(
                (
                    vote.judge,
                    VOTE_BADGES[vote.option],
                    Lines(vote.critical_findings),
                    Lines(vote.remediation_required),
                    vote.rationale,
                )
                for vote in votes
            ),
        )
