"""The register of the live system: suspect claims and logic gaps. A turn may lose points in logic for an entry."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel, memoize_on_value
from debate_cli.domain.text_normalization import normalize_quote
from debate_cli.domain.turn import Turn
from debate_cli.judge_input.injection.detector import mask_injection
from debate_cli.judge_input.quotes import find_quoted_turn
from debate_cli.judge_input.transcript_prompt import debater_names, to_prompt_json
from debate_cli.llm.form import Form, FormModel, each_of, items, one_of, text, whole_number
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.aggregation import ordered_assessments
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, judge_form, unique_known_items
from debate_cli.systems.live.findings import (
    ClaimFault,
    LogicGap,
    RegisterDecision,
    RegisterFault,
    ReviewStatus,
    SuspectClaim,
)
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.source_prompts import find_supporting_source, format_source_checks

FAULT_POINTS: dict[RegisterFault, int] = {"hollow": 1, "fabricated": 2, "inverted": 2, "backwards": 2, "gap": 1}
"""Maps each fault to the points that a turn loses in logic for it. For a `gap`, the judge may choose another number."""

EntryStatus = Literal["open", "confirmed", "withdrawn", "doubted"]


class RegisterRow(FrozenModel):
    """A suspect claim or a logic gap in the register."""

    turn: int
    """Index of the turn with the quoted words."""
    fault: RegisterFault
    """What is wrong: `hollow`, `fabricated`, `inverted` or `backwards` for a claim, `gap` for a gap in the logic."""
    quote: str
    """The quoted words with the fault; empty for logic gaps in old transcripts."""
    points: float
    """Points that the turn `charged_to` loses in logic. If `charged_to` is None, no turn loses points."""
    status: EntryStatus
    """What the judge decided in the final review. `open`: nothing. `confirmed`: the fault exists. `withdrawn`: there is
    no fault, and the entry costs no points. `doubted`: there is no fault, but the entry still costs points, because the
    settings say `withdrawals: false`."""
    exposed_by: int | None
    """Index of the later turn that showed what is wrong with the quoted words; None if no later turn did."""
    reason: str
    """What is wrong with the quoted words, according to the judge; may be empty."""
    charged_to: int | None = None
    """Index of the turn that loses the points; None if the entry costs no points.

    A withdrawn entry costs no points. Of several entries with the same quote, only the one that costs most counts.
    """


class _EntryKey(NamedTuple):
    turn: int
    fault: RegisterFault
    words: str
    unquoted_gap_number: int = 0


def build_register(debate: Debate, given: Iterable[Assessment], *, withdrawals: bool = True) -> tuple[RegisterRow, ...]:
    """Return the register: suspect claims and logic gaps with the decisions of the final review, sorted by turn.

    Several reports of the same fault in the same quote become one entry. If `withdrawals` is False, withdrawn entries
    still cost points.
    """
    rows: dict[_EntryKey, RegisterRow] = {}
    decisions: dict[_EntryKey, RegisterDecision] = {}
    for key, entry in (pair for assessment in given for pair in _list_entries(assessment)):
        if key.turn not in debate.turns_by_index:
            continue
        if isinstance(entry, RegisterDecision):
            decisions.setdefault(key, entry)
            continue
        own = key._replace(unquoted_gap_number=len(rows) + 1) if key.fault == "gap" and not key.words else key
        known = rows.setdefault(own, entry)
        points, reason = max(known.points, entry.points), known.reason or entry.reason
        rows[own] = known.model_copy(update={"points": points, "reason": reason})
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


def _apply_decision(opened: RegisterRow | None, decision: RegisterDecision, *, withdrawals: bool) -> RegisterRow:
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
    groups: dict[tuple[str, int], list[RegisterRow]] = defaultdict(list)
    for key, row in rows.items():
        if row.status == "withdrawn":
            yield row
        else:
            groups[key.words, key.unquoted_gap_number].append(row)
    for group in groups.values():
        worst = min(group, key=lambda row: (-row.points, *_position(row)))
        worst_charged = worst.model_copy(update={"charged_to": min(row.turn for row in group)})
        yield from (worst_charged if row is worst else row for row in group)


def _position(row: RegisterRow) -> tuple[int, str, str, float, str]:
    return row.turn, row.fault, row.quote, -row.points, row.reason


# The forms in which a judge adds, confirms and withdraws entries

MAX_LISTED_ENTRIES = 24
"""Maximum number of suspect claims and logic gaps that a question about a turn lists. If there are more, those that
cost the most points are listed. The final review lists all."""
MIN_GAP_POINTS, MAX_GAP_POINTS = 1, 10
SUPPORTED_IS_NOT_FABRICATED = (
    "A claim is not fabricated if a citation beside the claim supports it. Do not add an entry for such a claim, and withdraw "
    "an entry that exists."
)
Context = JudgingContext[LiveSettings]


class SuspectClaimForm(FormModel):
    """A claim that is wrong or without substance according to the judge."""

    quote: str = text(120, least=4)
    reason: str = text(100, default="")
    fault: ClaimFault


class LogicGapForm(FormModel):
    """A gap in the logic of an earlier turn, which the judged turn exposes."""

    quote: str = text(120, least=4)
    reason: str = text()
    points: int = whole_number(MIN_GAP_POINTS, MAX_GAP_POINTS)


class ReviewedEntryForm(FormModel):
    """The judge's decision on one entry of the register."""

    entry: str
    reason: str = text(100)
    status: ReviewStatus
    points: int = whole_number(0, MAX_GAP_POINTS)


class AddedEntryForm(FormModel):
    """An entry that the judge adds to the register in the final review."""

    quote: str = text(120, least=4)
    reason: str = text(100)
    fault: RegisterFault
    points: int = whole_number(0, MAX_GAP_POINTS)
    exposed_by: int


class RegisterReviewForm(FormModel):
    """The judge's answers in the final review of the register."""

    entries: tuple[ReviewedEntryForm, ...] = ()
    added: tuple[AddedEntryForm, ...] = items(3, default=())


def add_faults(
    claims: Iterable[SuspectClaimForm],
    gaps: Iterable[LogicGapForm],
    last: int,
    debate: Debate,
    collector: MarkCollector,
) -> None:
    """Add a finding to `collector` for each claim and gap that the judge reports.

    `last`: index of the last turn that the question is about. A claim must quote this turn or an earlier turn. A gap must
    quote an earlier turn. Any other claim or gap is dropped with a warning.
    """
    for claim in claims:
        turn = _find_turn(claim.quote, debate.turns_before(last + 1), collector)
        if turn is not None:
            collector.add_findings(SuspectClaim(turn=turn.index, **claim.model_dump()))
    for gap in gaps:
        turn = _find_turn(gap.quote, debate.turns_before(last), collector)
        if turn is not None:
            points = min(MAX_GAP_POINTS, max(MIN_GAP_POINTS, gap.points))
            collector.add_findings(LogicGap(turn=turn.index, quote=gap.quote, points=points, reason=gap.reason))


def _find_turn(quote: str, turns: Sequence[Turn], collector: MarkCollector) -> Turn | None:
    turn = find_quoted_turn(quote, turns)
    if turn is None:
        collector.add_warnings(
            f"dropped_quote: {quote!r} is in no turn that the judge may quote here, so the reported fault is dropped"
        )
    return turn


@memoize_on_value
def list_entries(debate: Debate, run: str, before: int | None = None) -> Mapping[str, RegisterRow]:
    """Map names such as `E1` to the open suspect claims and logic gaps that a question to the judge lists.

    `before`: index of a turn. Only entries from assessments of earlier turns are listed: at most MAX_LISTED_ENTRIES, those
    that cost the most points. If `before` is None, all open entries are listed. Entries without a quote are left out.
    """
    given = ordered_assessments(debate, "live", run)
    if before is not None:
        given = [item for item in given if item.subject.turns and max(item.subject.turns) < before]
    rows = [row for row in build_register(debate, given) if row.quote and row.status == "open"]
    costliest = sorted(rows, key=lambda row: -row.points)[: None if before is None else MAX_LISTED_ENTRIES]
    return {f"E{number}": row for number, row in enumerate(sorted(costliest, key=lambda row: row.turn), 1)}


def format_entries(entries: Mapping[str, RegisterRow], debate: Debate) -> str:
    """Return the entries as JSON for a prompt, with sanitized quotes."""
    names = debater_names(debate)
    return to_prompt_json(
        [
            {"entry": name, "turn": row.turn, "quote": mask_injection(row.quote, names), "fault": row.fault}
            | ({"points": row.points} if row.fault == "gap" else {})
            | ({"exposed_by": row.exposed_by} if row.exposed_by is not None else {})
            | ({"reason": row.reason} if row.reason else {})
            for name, row in entries.items()
        ]
    )


def _build_review_form(context: Context) -> Form[RegisterReviewForm]:
    names = list_entries(context.debate, context.brief.run)
    exposed_by = one_of(turn.index for turn in context.debate.turns)
    entries = each_of("entry", names) if names else None
    return judge_form("live_register", RegisterReviewForm, entries=entries, exposed_by=exposed_by)


def _review_prompt_values(context: Context, _prompts: Prompts) -> Mapping[str, str]:
    debate, run = context.debate, context.brief.run
    checks = format_source_checks(debate, run)
    return {
        "register": format_entries(list_entries(debate, run), debate),
        "sources": f"\n\n{SUPPORTED_IS_NOT_FABRICATED}\n{checks}" if checks else "",
    }


def _read_review_form(filled: RegisterReviewForm, context: Context) -> AssessmentContent:
    collector = MarkCollector()
    listed = list_entries(context.debate, context.brief.run)
    for item in unique_known_items(collector, filled.entries, lambda item: item.entry, listed):
        row = listed[item.entry]
        is_refuted = item.status == "confirmed" and _is_supported(row.turn, row.fault, row.quote, context, collector)
        collector.add_findings(
            RegisterDecision(
                **row.model_dump(include={"turn", "quote", "fault", "exposed_by"}),
                points=min(MAX_GAP_POINTS, item.points) if row.fault == "gap" and item.points > 0 else None,
                status="withdrawn" if is_refuted else item.status,
                reason=item.reason,
            )
        )
    for item in filled.added:
        turn = _find_turn(item.quote, context.debate.turns, collector)
        if turn is not None and not _is_supported(turn.index, item.fault, item.quote, context, collector):
            points = min(MAX_GAP_POINTS, max(MIN_GAP_POINTS, item.points))
            collector.add_findings(
                RegisterDecision(
                    **item.model_dump(include={"quote", "fault", "reason"}),
                    turn=turn.index,
                    points=points if item.fault == "gap" else None,
                    status="confirmed",
                    exposed_by=item.exposed_by if item.exposed_by > turn.index else None,
                )
            )
    return collector.result()


def _is_supported(turn: int, fault: RegisterFault, quote: str, context: Context, collector: MarkCollector) -> bool:
    if fault != "fabricated":
        return False
    source = find_supporting_source(context.debate, context.brief.run, turn, quote)
    if source is not None:
        collector.add_warnings(
            f"supported: the claim {quote!r} is not fabricated, because the source {source} supports this claim"
        )
    return source is not None


REVIEW_QUESTION = JudgeQuestion(
    "judge.live.register", "judge_live_register", _review_prompt_values, _build_review_form, _read_review_form
)
