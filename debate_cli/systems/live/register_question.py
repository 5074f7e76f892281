"""The live judge's forms for the register: parts of other forms that add entries, and the final review.

`register` decides which entries cost points.
"""

from collections.abc import Iterable, Mapping, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
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
from debate_cli.systems.live.register import RegisterRow, build_register
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.source_prompts import find_supporting_source, format_source_checks

MAX_LISTED_ENTRIES = 24
"""A question lists at most this many entries, the costliest. Other entries are not reviewed but still cost points."""
MIN_GAP_POINTS, MAX_GAP_POINTS = 1, 10
SUPPORTED_IS_NOT_FABRICATED = (
    "A claim beside a citation that supports it is not fabricated: withdraw such an entry, and add none of that fault."
)
Context = JudgingContext[LiveSettings]


class SuspectClaimForm(FormModel):
    """A claim that does not hold."""

    quote: str = text(120, least=4)
    reason: str = text(100, default="")
    fault: ClaimFault


class LogicGapForm(FormModel):
    """A weakness of an earlier turn that the judged turn exposes."""

    quote: str = text(120, least=4)
    reason: str = text()
    points: int = whole_number(MIN_GAP_POINTS, MAX_GAP_POINTS)


class ReviewedEntryForm(FormModel):
    """The decision of a judge on one entry of the register of suspect claims."""

    entry: str
    reason: str = text(100)
    status: ReviewStatus
    points: int = whole_number(0, MAX_GAP_POINTS)


class AddedEntryForm(FormModel):
    """An entry that the review adds."""

    quote: str = text(120, least=4)
    reason: str = text(100)
    fault: RegisterFault
    points: int = whole_number(0, MAX_GAP_POINTS)
    exposed_by: int


class ReviewForm(FormModel):
    """The register review."""

    entries: tuple[ReviewedEntryForm, ...] = ()
    added: tuple[AddedEntryForm, ...] = items(3, default=())


def add_faults(
    claims: Iterable[SuspectClaimForm],
    gaps: Iterable[LogicGapForm],
    last: int,
    debate: Debate,
    collector: MarkCollector,
) -> None:
    """Add a finding for each claim and each gap, about the first turn that contains the quoted words.

    A claim is from a turn up to index `last`, a gap from a turn before it. Other quotes are dropped with a warning.
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
        collector.add_warnings(f"dropped_quote: no turn that may be charged contains {quote!r}")
    return turn


@memoize_on_value
def list_entries(debate: Debate, run: str, before: int | None = None) -> Mapping[str, RegisterRow]:
    """Return the entries that a question lists, sorted by turn: the costliest open ones with a quote.

    Maps the names that the question gives them (`E1`, `E2`, ...) to the entries. `before`: index of a turn; only entries
    from assessments of earlier turns are listed. None lists all entries.
    """
    given = ordered_assessments(debate, "live", run)
    if before is not None:
        given = [item for item in given if item.subject.turns and max(item.subject.turns) < before]
    rows = [row for row in build_register(debate, given) if row.quote and row.status == "open"]
    costliest = sorted(rows, key=lambda row: -row.points)[:MAX_LISTED_ENTRIES]
    return {f"E{number}": row for number, row in enumerate(sorted(costliest, key=lambda row: row.turn), 1)}


def format_entries(entries: Mapping[str, RegisterRow], debate: Debate) -> str:
    """Format the entries as JSON for a prompt. Quotes are a debater's words and are sanitized as in the transcript."""
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


def _build_review_form(context: Context) -> Form[ReviewForm]:
    names = list_entries(context.debate, context.brief.run)
    exposed_by = one_of(turn.index for turn in context.debate.turns)
    entries = each_of("entry", names) if names else None
    return judge_form("live_register", ReviewForm, entries=entries, exposed_by=exposed_by)


def _review_prompt_values(context: Context, _prompts: Prompts) -> Mapping[str, str]:
    debate, run = context.debate, context.brief.run
    checks = format_source_checks(debate, run)
    return {
        "register": format_entries(list_entries(debate, run), debate),
        "sources": f"\n\n{SUPPORTED_IS_NOT_FABRICATED}\n{checks}" if checks else "",
    }


def _read_review_form(filled: ReviewForm, context: Context) -> AssessmentContent:
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
        collector.add_warnings(f"supported: {quote!r} is not fabricated, because the source {source} supports it")
    return source is not None


REVIEW_QUESTION = JudgeQuestion(
    "judge.live.register", "judge_live_register", _review_prompt_values, _build_review_form, _read_review_form
)
