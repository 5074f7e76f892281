"""The register of the live system. Every suspect claim and logic gap is an entry that may cost points of logic.

Questions on turns and exchanges add entries. The review at the end confirms or withdraws entries and can add more.
`calibration` subtracts the points; the review's question is in `register_question`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel, memoize_on_value
from debate_cli.domain.text_normalization import normalize_quote
from debate_cli.systems.live.findings import LogicGap, RegisterDecision, RegisterFault, SuspectClaim

FAULT_POINTS: dict[RegisterFault, int] = {"hollow": 1, "fabricated": 2, "inverted": 2, "backwards": 2, "gap": 1}
"""Maps faults to the points of logic that an entry costs. If the judge gives points for a gap, they count instead."""

EntryStatus = Literal["open", "confirmed", "withdrawn", "doubted"]


class RegisterRow(FrozenModel):
    """One entry of the register."""

    turn: int
    """Index of the turn that made the claim."""
    fault: RegisterFault
    quote: str
    """The words with the fault; empty for a gap in an old transcript."""
    points: float
    """Points of logic that the entry costs if it counts."""
    status: EntryStatus
    """open: not reviewed; doubted: withdrawn, but charged because of `withdrawals: false`."""
    exposed_by: int | None
    """Index of the later turn that exposed the fault; None if the claim's own turn shows it."""
    reason: str
    charged_to: int | None = None
    """Index of the turn whose logic the entry lowers. None if it is withdrawn or repeats a charged quote."""


class _EntryKey(NamedTuple):
    turn: int
    fault: RegisterFault
    words: str
    """The normalized quote."""
    place: int = 0
    """A number that distinguishes gaps without a quote; 0 for all other entries."""


def build_register(debate: Debate, given: Iterable[Assessment], *, withdrawals: bool = True) -> tuple[RegisterRow, ...]:
    """Return all entries after the review, sorted by turn. Entries about unknown turns are ignored.

    `withdrawals`: whether an entry that the review withdrew costs nothing.
    """
    rows: dict[_EntryKey, RegisterRow] = {}
    decisions: dict[_EntryKey, RegisterDecision] = {}
    for key, entry in (pair for assessment in given for pair in _list_entries(assessment)):
        if key.turn not in debate.turns_by_index:
            continue
        if isinstance(entry, RegisterDecision):
            decisions.setdefault(key, entry)
            continue
        own = key._replace(place=len(rows) + 1) if key.fault == "gap" and not key.words else key
        rows[own] = _merge_opened(rows[own], entry) if own in rows else entry
    for key, decision in decisions.items():
        rows[key] = _apply_decision(rows.get(key), decision, withdrawals=withdrawals)
    return tuple(sorted(_charge(rows), key=_position))


@memoize_on_value
def _list_entries(assessment: Assessment) -> tuple[tuple[_EntryKey, RegisterRow | RegisterDecision], ...]:
    judged = max(assessment.subject.turns, default=0)
    found: list[tuple[_EntryKey, RegisterRow | RegisterDecision]] = []
    for finding in assessment.findings:
        if isinstance(finding, SuspectClaim | LogicGap | RegisterDecision):
            fault: RegisterFault = "gap" if isinstance(finding, LogicGap) else finding.fault
            key = _EntryKey(finding.turn, fault, normalize_quote(finding.quote))
            if isinstance(finding, RegisterDecision):
                found.append((key, finding))
                continue
            row = RegisterRow(
                turn=finding.turn,
                fault=fault,
                quote=finding.quote,
                points=finding.points if isinstance(finding, LogicGap) else FAULT_POINTS[fault],
                status="open",
                exposed_by=judged if judged > finding.turn else None,
                reason=finding.reason,
            )
            found.append((key, row))
    return tuple(found)


def _merge_opened(first: RegisterRow, second: RegisterRow) -> RegisterRow:
    """Merge two reports of one fault: the higher points, the first reason, and the earliest exposing turn."""
    exposing = [row.exposed_by for row in (first, second) if row.exposed_by is not None]
    return first.model_copy(
        update={
            "points": max(first.points, second.points),
            "reason": first.reason or second.reason,
            "exposed_by": min(exposing) if len(exposing) > 1 else None,
        }
    )


def _apply_decision(opened: RegisterRow | None, decision: RegisterDecision, *, withdrawals: bool) -> RegisterRow:
    """Return the entry after the review's decision. `opened`: the entry before; None if the review adds the entry."""
    entry = opened or RegisterRow(
        **decision.model_dump(include={"turn", "fault", "quote", "exposed_by", "reason"}),
        points=FAULT_POINTS[decision.fault],
        status="open",
    )
    kept: EntryStatus = "withdrawn" if withdrawals else "doubted"
    changes = {
        "points": decision.points if decision.fault == "gap" and decision.points is not None else entry.points,
        "status": "confirmed" if decision.status == "confirmed" else kept,
        "reason": decision.reason or entry.reason,
    }
    return entry.model_copy(update=changes)


def _charge(rows: Mapping[_EntryKey, RegisterRow]) -> Iterator[RegisterRow]:
    """Charge each quote once, with the points of its costliest entry.

    The points lower the logic of the earliest turn with the quote. Withdrawn entries are not charged.
    """
    groups: dict[tuple[str, int], list[RegisterRow]] = defaultdict(list)
    for key, row in rows.items():
        if row.status == "withdrawn":
            yield row
        else:
            groups[key.words, key.place].append(row)
    for group in groups.values():
        worst = min(group, key=lambda row: (-row.points, *_position(row)))
        worst_charged = worst.model_copy(update={"charged_to": min(row.turn for row in group)})
        yield from (worst_charged if row is worst else row for row in group)


def _position(row: RegisterRow) -> tuple[int, str, str, float, str]:
    return row.turn, row.fault, row.quote, -row.points, row.reason
