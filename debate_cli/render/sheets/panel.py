"""Sheets of the panel: what it decided and under which conditions, who voted what, how far it agreed, the dissent in full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.render import look
from debate_cli.render.sheets.sheet import Cell, Gauge, Lines, Number, Row, Sheet, notes_of, parted
from debate_cli.scoring.panel import OPTIONS, BallotRow, PanelNotes


def sheets(verdict: Verdict) -> list[Sheet]:
    """Options, votes by round, the conditions of a conditional verdict, dissent."""
    notes = notes_of(PanelNotes, verdict)
    if notes is None or not notes.rounds:
        return []
    return [_options(notes, verdict), _votes(notes), *_conditions(notes), *_dissent(notes.dissent)]


def _options(notes: PanelNotes, verdict: Verdict) -> Sheet:
    first = notes.first_vote.weights if notes.first_vote is not None else {}
    return Sheet(
        title="scores, panel",
        heads=("option", "first vote", "final vote", ""),
        rows=tuple(
            (
                look.VOTES[option],
                Number(first.get(option)),
                Number(notes.weights.get(option), strong=option == notes.option),
                Gauge(notes.weights.get(option, 0.0), 1.0),
            )
            for option in OPTIONS
        ),
        remarks=() if verdict.victory == "undetermined" else (_deliberation(notes),),
        numeric=frozenset({1, 2}),
    )


def _deliberation(notes: PanelNotes) -> str:
    """How the panel came to agree, in a sentence."""
    reached = "reached" if notes.converged else "did not reach"
    threshold = f"it {reached} the threshold of {_share(notes.convergence_threshold)}"
    if not notes.deliberation_rounds:
        return f"Agreement {_share(notes.final_agreement)} in the blind vote; {threshold}."
    rounds = f"{notes.deliberation_rounds} deliberation round{'' if notes.deliberation_rounds == 1 else 's'}"
    agreement = f"{_share(notes.initial_agreement)} to {_share(notes.final_agreement)}"
    return f"Agreement from {agreement} in {rounds}; {threshold}."


def _share(value: float | None) -> str:
    return "—" if value is None else look.number(value)


def _votes(notes: PanelNotes) -> Sheet:
    judges = list(dict.fromkeys(vote.judge for row in notes.rounds for vote in row.votes))
    rounds = [{vote.judge: vote for vote in row.votes} for row in notes.rounds]
    agreement: Row = ("agreement", None, *(Number(row.agreement) for row in notes.rounds))
    divided: Row = ("divided on", None, *(_divided([item.about for item in row.disagreements]) for row in notes.rounds))
    rows = [(judge, _weight(judge, rounds), *(_vote(votes.get(judge)) for votes in rounds)) for judge in judges]
    return Sheet(
        title="votes, panel",
        heads=("judge", "weight", *(f"vote {row.round + 1}" for row in notes.rounds)),
        rows=parted([rows, [agreement, divided]]),
        remarks=tuple(_changes(notes)),
        numeric=frozenset({1}),
    )


def _divided(about: Sequence[str]) -> Cell:
    return Lines(tuple(about)) if about else "nothing"


def _weight(judge: str, rounds: Sequence[dict[str, BallotRow]]) -> Cell:
    return next((Number(votes[judge].weight) for votes in reversed(rounds) if judge in votes), None)


def _vote(vote: BallotRow | None) -> Cell:
    if vote is None:
        return "—"
    changed = ", changed" if vote.changed else ""
    late = ", late" if vote.late else ", kept" if vote.carried else ""
    return Lines((look.VOTES[vote.option], f"{vote.confidence:.2f}{changed}{late}"))


def _changes(notes: PanelNotes) -> Iterable[str]:
    for row in notes.rounds:
        for vote in row.votes:
            if vote.unexplained_change:
                yield f"! {vote.judge} changed its vote in vote {row.round + 1} without naming what changed it."
            elif vote.changed and vote.changed_because:
                yield f"{vote.judge} changed its vote in vote {row.round + 1}: {vote.changed_because}"


def _conditions(notes: PanelNotes) -> Iterable[Sheet]:
    """What those who voted CONDITIONAL ask for, where the panel decided so."""
    votes = notes.rounds[-1].votes if notes.option == "CONDITIONAL" else ()
    asked = {vote.judge: vote.remediation_required for vote in votes if vote.option == "CONDITIONAL"}
    rows = tuple((judge, Lines(conditions)) for judge, conditions in asked.items() if conditions)
    if rows:
        yield Sheet(title="conditions, panel", heads=("judge", "holds only with"), rows=rows)


def _dissent(votes: Sequence[BallotRow]) -> Iterable[Sheet]:
    if votes:
        yield Sheet(
            title="dissent, panel",
            heads=("judge", "vote", "critical findings", "what would mend it", "reasons"),
            rows=tuple(
                (
                    vote.judge,
                    look.VOTES[vote.option],
                    Lines(vote.critical_findings),
                    Lines(vote.remediation_required),
                    vote.rationale,
                )
                for vote in votes
            ),
        )
