"""The register of the live system: every suspect claim and logic gap is an entry, which may cost points of logic.

Every question can add entries. The review at the end, a question about the register, confirms or withdraws entries and
can add more.
`calibration` subtracts the points; the questions are in `turn_question`, `exchange_question` and `register_question`.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import nsmallest
from typing import Literal, NamedTuple

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel, fold_growing, memoize_on_value
from debate_cli.domain.tasks import MOMENTS, Moment
from debate_cli.domain.text_normalization import normalize_quote
from debate_cli.systems.live.findings import LogicGap, RegisterDecision, RegisterFault, SuspectClaim

FAULT_POINTS: dict[RegisterFault, int] = {"hollow": 1, "fabricated": 2, "inverted": 2, "backwards": 2, "gap": 1}
"""Fault -> points of logic that an entry costs. If the judge gives points for a gap, those count instead."""

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
    """open: the review does not mention it; doubted: withdrawn, but charged because of `withdrawals: false`."""
    exposed_by: int | None
    """Index of the later turn that exposed it; None if the turn itself shows it."""
    reason: str
    charged_to: int | None = None
    """Index of the turn whose logic it lowers; None if it costs nothing, because it was withdrawn or another entry with
    the same words is charged."""


class _EntryKey(NamedTuple):
    turn: int
    fault: RegisterFault
    words: str
    """The normalized quote."""
    place: int = 0
    """A number that tells entries without a quote apart; 0 for an entry with a quote."""


def build_register(debate: Debate, given: Iterable[Assessment], *, withdrawals: bool = True) -> tuple[RegisterRow, ...]:
    """All entries after the review, sorted by turn. Entries about turns that do not exist are ignored.

    `withdrawals`: whether an entry that the review withdrew costs nothing.
    """
    rows = _collect_opened(debate, given := tuple(given))
    for key, decision in _collect_decisions(debate, given).items():
        rows[key] = _apply_decision(rows.get(key), decision, withdrawals=withdrawals)
    return tuple(sorted(_charge(rows), key=_position))


def _collect_opened(debate: Debate, given: Iterable[Assessment]) -> dict[_EntryKey, RegisterRow]:
    """The entries before the review. If several judges made the same entry, the highest points and first reason count."""
    rows: dict[_EntryKey, RegisterRow] = {}
    for assessment in given:
        for key, row in _open_rows(assessment):
            if row.turn not in debate.turns_by_index:
                continue
            is_bare_gap = key.fault == "gap" and not key.words
            own = key._replace(place=len(rows) + 1) if is_bare_gap else key
            known = rows.get(own)
            rows[own] = row if known is None else _merge_opened(known, row)
    return rows


def find_open_entries(
    debate: Debate, given: tuple[Assessment, ...], before: int, at_most: int
) -> tuple[RegisterRow, ...]:
    """The costliest entries with a quote, at most `at_most`, in assessments of turns before turn `before`.

    `given`: assessments of the live system, sorted by `_last_turn`. Call it before the register is reviewed.
    """
    on_turns, on_pairs = _collect_ranked(given, "turn", before), _collect_ranked(given, "pair", before)
    merged = {**on_turns, **on_pairs}
    for key in on_turns.keys() & on_pairs.keys():
        merged[key] = _rank(_merge_opened(on_turns[key].row, on_pairs[key].row))
    known = debate.turns_by_index
    return tuple(item.row for item in nsmallest(at_most, (item for item in merged.values() if item.row.turn in known)))


class _RankedRow(NamedTuple):
    rank: tuple[float, int, str, str, float, str]
    """Sort key: the costliest rows first; of equally costly ones, by position."""
    row: RegisterRow


def _rank(row: RegisterRow) -> _RankedRow:
    return _RankedRow((-row.points, *_position(row)), row)


def _collect_ranked(given: tuple[Assessment, ...], moment: Moment, before: int) -> Mapping[_EntryKey, _RankedRow]:
    """The entries with a quote in assessments of one `moment`: of turns, or of pairs of turns, before turn `before`."""
    start, end = (bisect_left(given, (MOMENTS.index(moment), index), key=_last_turn) for index in (-1, before))
    chosen = given[start:end]
    return fold_growing(chosen[0], "register", chosen, {}, _add_opened) if chosen else {}


def _last_turn(assessment: Assessment) -> tuple[int, int]:
    """Sort key of an assessment: its moment, then the last turn that it is about."""
    return MOMENTS.index(assessment.subject.moment), max(assessment.subject.turns, default=-1)


def _add_opened(found: Mapping[_EntryKey, _RankedRow], assessment: Assessment) -> Mapping[_EntryKey, _RankedRow]:
    added: dict[_EntryKey, _RankedRow] = {}
    for key, row in _open_rows(assessment):
        known = added.get(key) or found.get(key)
        if row.quote:
            added[key] = _rank(row if known is None else _merge_opened(known.row, row))
    return {**found, **added} if added else found


@memoize_on_value
def _open_rows(assessment: Assessment) -> tuple[tuple[_EntryKey, RegisterRow], ...]:
    """The entries in one assessment. Memoized, because the register is built again after each event."""
    return tuple(
        (_key(finding), _open_row(finding, assessment))
        for finding in assessment.findings
        if isinstance(finding, SuspectClaim | LogicGap)
    )


def _collect_decisions(debate: Debate, given: Iterable[Assessment]) -> dict[_EntryKey, RegisterDecision]:
    """Entry -> the first decision of the review on it."""
    found: dict[_EntryKey, RegisterDecision] = {}
    for assessment in given:
        for finding in assessment.findings:
            if isinstance(finding, RegisterDecision) and finding.turn in debate.turns_by_index:
                found.setdefault(_key(finding), finding)
    return found


def _key(finding: SuspectClaim | LogicGap | RegisterDecision) -> _EntryKey:
    return _EntryKey(finding.turn, finding_fault(finding), normalize_quote(finding.quote))


def finding_fault(finding: SuspectClaim | LogicGap | RegisterDecision) -> RegisterFault:
    """The fault of the register entry that a finding makes or decides."""
    return "gap" if isinstance(finding, LogicGap) else finding.fault


def _open_row(finding: SuspectClaim | LogicGap, assessment: Assessment) -> RegisterRow:
    points = finding.points if isinstance(finding, LogicGap) else FAULT_POINTS[finding.fault]
    judged = max(assessment.subject.turns, default=finding.turn)
    return RegisterRow(
        turn=finding.turn,
        fault=finding_fault(finding),
        quote=finding.quote,
        points=float(points),
        status="open",
        exposed_by=judged if judged > finding.turn else None,
        reason=finding.reason,
    )


def _merge_opened(first: RegisterRow, second: RegisterRow) -> RegisterRow:
    exposing = [row.exposed_by for row in (first, second) if row.exposed_by is not None]
    shown_by_turn = len(exposing) < 2  # noqa: PLR2004 - one of the two entries needed no later turn
    merged: dict[str, object] = {
        "points": max(first.points, second.points),
        "reason": first.reason or second.reason,
        "exposed_by": None if shown_by_turn else min(exposing),
    }
    changes = {name: value for name, value in merged.items() if getattr(first, name) != value}
    return first.model_copy(update=changes) if changes else first


def _apply_decision(opened: RegisterRow | None, decision: RegisterDecision, *, withdrawals: bool) -> RegisterRow:
    """The entry after the review's decision; `opened` is the entry before, None if the review adds it.

    A gap takes the points of the decision if it gives any; otherwise the points do not change.
    """
    points = float(FAULT_POINTS[decision.fault] if opened is None else opened.points)
    if decision.fault == "gap" and decision.points is not None:
        points = float(decision.points)
    kept: EntryStatus = "withdrawn" if withdrawals else "doubted"
    return RegisterRow(
        turn=decision.turn,
        fault=decision.fault,
        quote=decision.quote if opened is None else opened.quote,
        points=points,
        status="confirmed" if decision.status == "confirmed" else kept,
        exposed_by=decision.exposed_by if opened is None else opened.exposed_by,
        reason=decision.reason or ("" if opened is None else opened.reason),
    )


def _charge(rows: dict[_EntryKey, RegisterRow]) -> Iterator[RegisterRow]:
    """Charge each quote once. Of the entries with the same words, the costliest one counts, for the earliest turn.

    Withdrawn entries are not charged.
    """
    groups: dict[tuple[str, int], list[RegisterRow]] = defaultdict(list)
    for key, row in rows.items():
        if row.status == "withdrawn":
            yield row
        else:
            groups[key.words, key.place].append(row)
    for group in groups.values():
        earliest = min(row.turn for row in group)
        worst = min(group, key=lambda row: (-row.points, *_position(row)))
        for row in group:
            yield row.model_copy(update={"charged_to": earliest}) if row is worst else row


def _position(row: RegisterRow) -> tuple[int, str, str, float, str]:
    return row.turn, row.fault, row.quote, -row.points, row.reason
