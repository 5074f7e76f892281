"""Summarizes a debate for its closing screen: outcome, reason, claims, cost, next command.

The text is not sanitized.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import NamedTuple

from debate_cli.domain.config_differences import format_setting_pair
from debate_cli.domain.debate import Debate, models_used_by_judges, usage_of_briefs
from debate_cli.domain.events import SettingChange
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.message_text import quote_path
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.content.agreement import (
    build_agreement_table,
    count_outcomes,
    label_verdict,
    sort_deciding_first,
)
from debate_cli.systems.base import JudgeQuote, Requirement
from debate_cli.systems.briefing import (
    CHECK_FIRST,
    RELY_ON,
    Briefing,
    BriefingEntry,
    build_briefing,
    describe_trial_judges,
)
from debate_cli.systems.registry import get_system, system_kinds
from debate_cli.systems.scales import describe_answer, format_ranked_scores
from debate_cli.systems.scoring import deciding_verdicts
from debate_cli.systems.source_support import brief_sources
from debate_cli.systems.tables import STANDING_BADGES, Cell, Number, Table
from debate_cli.systems.trace import LowestScore, find_lowest_score, score_arguments

NOT_JUDGED_MESSAGE = "This debate has not been judged."
_REPEAT_OPTION = " --repeat 3"
MAX_CLAIMS, MAX_QUESTIONS, MAX_CHANGES, MAX_MISSING = 3, 2, 6, 4
"""Maximum number of rows on the closing screen: claims under each label, questions, required changes, missing
assessments."""
MAX_CONDITIONS = 3
"""Maximum number of conditions beside a verdict on a screen or in a document. Tables and `print(outcome)` have all of them."""
CAVEAT_PART = "caveat"
"""Part of the closing screen that is shown only if it takes no row from other parts."""
OPTIONAL_PARTS = (CAVEAT_PART, "open question", "recommendation", "key insight", "other verdicts", "why")
"""Parts of the closing screen that are left out if it has too many rows. The first part is left out first."""

LABELS_BEYOND_VERDICT = frozenset({RELY_ON, CHECK_FIRST, "open question", "recommendation"})
"""Labels of rows on the closing screen that are not about a verdict. `--quiet` leaves these rows out."""


class SummaryRow(NamedTuple):
    """A row of a report: a label, and the cells beside the label."""

    label: str
    cells: tuple[Cell, ...]
    debater: str | None = None
    """The first cell has the colour of this debater. None means no colour."""
    part: str = ""
    """Member of OPTIONAL_PARTS that contains the row; empty if the row is always shown."""
    row_count: int = 1
    """Number of rows that this row stands for: 2 for the row `and 2 more`, 1 for most other rows. 0 for a row that is
    not counted when it is left out."""


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """The main facts about the end of a debate: who won, why, and what to do next."""

    verdict: Verdict | None
    """The deciding verdict. If no verdict decides, the first verdict. None for a debate without verdicts."""
    answer: str
    """Who won and by how much, in a sentence."""
    reason: str
    """The reason for the verdict, in sentences; may be empty."""
    required_changes: tuple[Requirement, ...]
    """Changes that a judged document needs in order to pass, grouped by dimension. The first group is the one with the
    change of the highest `weight`."""
    conditions: tuple[Requirement, ...]
    """Conditions under which the motion holds, according to a panel. The one with the highest `weight` comes first."""
    lowest_score: LowestScore | None
    """The argument with the lowest score; None if arguments cannot be ranked."""
    verdict_label: str
    """Label of `verdict`; empty if the debate has no verdict.

    Examples: `structured` if it is the only verdict, `structured r3 decides`, `none decides; structured is shown`.
    """
    judge_again: str
    """A command that judges the debate again, quoted for a shell; may be empty, see `suggest_judge_command`."""

    @property
    def repeats(self) -> bool:
        """Whether the shell command in `judge_again` uses a judging system that has already judged the debate."""
        return self.judge_again.endswith(_REPEAT_OPTION)


def summarize_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> VerdictSummary:
    """Summarize the deciding verdict. If no verdict decides, summarize the first one."""
    ordered = sort_deciding_first(reportable_verdicts(debate, verdicts))
    head = ordered[0] if ordered else None
    equal = deciding_verdicts(debate, ordered)
    if head is None:
        answer, verdict_label = NOT_JUDGED_MESSAGE, ""
    else:
        answer, label = describe_answer(head, debate.document_name), label_verdict(head, ordered)
        verdict_label = f"{label} decides" if len(ordered) > 1 else head.system
        if len(equal) != 1:
            verdict_label = f"none decides; {label} is shown"
    if len(equal) > 1:
        counts = count_outcomes(equal)
        found = ", ".join(f"{outcome} in {count}" for outcome, count in counts)
        outcome = f"agree: {counts[0][0]}" if len(counts) == 1 else f"differ: {found}"
        answer = f"{len(equal)} compared judging runs {outcome}."
    return VerdictSummary(
        verdict=head,
        answer=answer,
        reason=explain_scores(head) if head is not None else "",
        required_changes=find_required_changes(head) if head is not None else (),
        conditions=find_conditions(head) if head is not None else (),
        lowest_score=find_lowest_score(debate, ordered),
        verdict_label=verdict_label,
        judge_again=suggest_judge_command(debate, debate.id),
    )


def closing_rows(
    debate: Debate, verdicts: Sequence[Verdict], max_claims: int = MAX_CLAIMS, *, only_verdicts: bool = False
) -> tuple[VerdictSummary, list[SummaryRow]]:
    """Return the summary and the rows of the closing screen.

    - `max_claims`: maximum number of claims under each label, e.g. `rely on`. The same maximum applies to the sources
      under each label.
    - `only_verdicts`: if true, rows with a label in `LABELS_BEYOND_VERDICT` are left out, and all required changes are
      listed. If false, at most `MAX_CHANGES` required changes are listed.
    """
    summary = summarize_verdicts(debate, verdicts)
    ordered = sort_deciding_first(reportable_verdicts(debate, verdicts))
    briefing = build_briefing(debate) or Briefing(key_insight="", sources=brief_sources(debate))
    scores = score_arguments(debate, ordered).by_argument
    changes = change_rows(summary.required_changes)
    changes = changes if only_verdicts else limit_rows(changes, MAX_CHANGES)
    conditions = condition_rows(summary.conditions)
    rows = [*caution_rows(debate), *changes, *conditions, *_verdict_rows(debate, summary, briefing)]
    groups = dict(briefing.claim_groups)
    reliable = sorted(groups.pop(RELY_ON, ()), key=lambda entry: -scores.get(entry.claim.id, 0.0))
    doubtful = sorted(chain(*groups.values()), key=lambda entry: entry.standing is not None)  # sources first
    for label, entries in ((RELY_ON, reliable), (CHECK_FIRST, doubtful)):
        for _, group in groupby(entries, key=lambda entry: entry.standing is None):
            claims = [claim_row(label, entry, scores.get(entry.claim.id)) for entry in group]
            rows += limit_rows(claims, max_claims)
    questions = [_optional_row("open question", question) for question in briefing.unresolved_questions]
    rows += limit_rows(questions, MAX_QUESTIONS)
    if briefing.recommendation:
        rows.append(_optional_row("recommendation", briefing.recommendation))
    rows += _other_verdict_rows(debate, ordered)
    agreement = build_agreement_table(ordered)
    rows += [SummaryRow("judges", (remark,)) for remark in (agreement.remarks if agreement is not None else ())]
    for vote in get_system(ordered[0].system).dissent(ordered[0]) if ordered else ():
        rows.append(SummaryRow("judges", (f"{vote.judge} votes {vote.option}: {vote.rationale}",)))
    rows += [SummaryRow("note", (note,)) for note in omitted_verdicts_notes(debate, verdicts)]
    if only_verdicts:
        return summary, [row for row in rows if row.label not in LABELS_BEYOND_VERDICT]
    if briefing.claim_groups:
        rows.append(SummaryRow("note", (briefing.caveat,), part=CAVEAT_PART, row_count=0))
    return summary, rows


def caution_rows(debate: Debate) -> list[SummaryRow]:
    """Return a list with one row that warns of judge models too small for decisions.

    The list is empty if there are no such models.
    """
    caution = describe_trial_judges(debate)
    return [SummaryRow("caution", (caution,))] if caution else []


def limit_rows(rows: Sequence[SummaryRow], limit: int) -> list[SummaryRow]:
    """Return the first `limit` rows. If rows are left out, an added row says how many."""
    if len(rows) <= limit:
        return list(rows)
    more = len(rows) - limit
    return [*rows[:limit], rows[0]._replace(cells=(format_more(more),), debater=None, row_count=more)]


def format_more(count: int) -> str:
    """Return the text in place of `count` items that are left out, e.g. `and 2 more`."""
    return f"and {count} more"


def change_rows(changes: Iterable[Requirement]) -> list[SummaryRow]:
    """Return a row for each required change: text, line number, judges and their share of the voting weight."""
    return [SummaryRow("must change", (f"{change.text} ({label_requirement(change)})",)) for change in changes]


def condition_rows(conditions: Iterable[Requirement]) -> list[SummaryRow]:
    """Return a row for each condition that is shown, and a row with the number of the others."""
    rows = [SummaryRow("condition", (f"{item.text} ({label_requirement(item)})",)) for item in conditions]
    return limit_rows(rows, MAX_CONDITIONS)


def limit_conditions(conditions: Sequence[Requirement]) -> tuple[Sequence[Requirement], str]:
    """Return the conditions that are shown, and a text in place of the others; empty if there are no others."""
    more = len(conditions) - MAX_CONDITIONS
    return conditions[:MAX_CONDITIONS], format_more(more) if more > 0 else ""


def missing_rows(verdict: Verdict) -> list[SummaryRow]:
    """Return a row for each assessment that a verdict lacks."""
    return [SummaryRow("missing", (sentence,)) for sentence in theme.missing_sentences(verdict)]


def quote_rows(quote: JudgeQuote | None) -> list[SummaryRow]:
    """Return a list with one row: the judge's name and words. The list is empty if `quote` is None."""
    if quote is None:
        return []
    words = f"{quote.judge}: “{quote.words}”" if quote.judge else f"“{quote.words}”"
    return [SummaryRow("judge says", (words,), part="key insight")]


def _verdict_rows(debate: Debate, summary: VerdictSummary, briefing: Briefing) -> Iterator[SummaryRow]:
    verdict = summary.verdict
    if verdict is None:
        return
    if summary.reason and verdict.victory != "undetermined":
        yield _optional_row("why", summary.reason)
    if briefing.key_insight:
        yield _optional_row("key insight", briefing.key_insight)
    else:
        yield from quote_rows(quote_judge(debate, verdict, briefing))
    yield from limit_rows(missing_rows(verdict), MAX_MISSING)


def claim_row(label: str, entry: BriefingEntry, score: float | None = None) -> SummaryRow:
    """Return the row of a claim or a source: id, standing, score, fallacies, claim. What is None or empty is left out."""
    standing = [] if entry.standing is None else [STANDING_BADGES[entry.standing]]
    points = [] if score is None else [Number(score)]
    fallacies = filter(None, [entry.claim.fallacy_note])
    cells = (entry.claim.id, *standing, *points, *fallacies, entry.claim.claim)
    return SummaryRow(label, cells, entry.claim.participant or None)


def _optional_row(label: str, words: str) -> SummaryRow:
    return SummaryRow(label, (words,), part=label)


def _other_verdict_rows(debate: Debate, ordered: Sequence[Verdict]) -> Iterator[SummaryRow]:
    equal = deciding_verdicts(debate, ordered)
    for verdict in ordered:
        label = label_verdict(verdict, ordered)
        if len(equal) > 1 and verdict in equal:
            label = f"{label} ({', '.join(models_used_by_judges(debate, verdict.run, verdict.system))})"
        elif verdict is ordered[0]:
            continue
        answer = describe_answer(verdict, debate.document_name)
        if len(verdict.scores) == 2 and verdict.option is None:  # noqa: PLR2004 - more scores would fill several lines
            answer = f"{answer} {format_ranked_scores(verdict)}"
        yield SummaryRow(label, (answer,), part="other verdicts")


def find_required_changes(verdict: Verdict) -> tuple[Requirement, ...]:
    """Return the changes that a judged document needs in order to pass; none for a debate."""
    return get_system(verdict.system).required_changes(verdict)


def find_conditions(verdict: Verdict) -> tuple[Requirement, ...]:
    """Return the conditions under which the motion of a debate holds; none for a judged document."""
    return get_system(verdict.system).conditions(verdict)


def group_changes(changes: Iterable[Requirement]) -> list[tuple[str, list[Requirement]]]:
    """Return (dimension, changes) for each series of consecutive changes with the same dimension.

    If the changes of a series have no dimension, `dimension` is `other`.
    """
    return [(name or "other", list(group)) for name, group in groupby(changes, key=lambda change: change.dimension)]


def label_requirement(change: Requirement) -> str:
    """Return the line of a requirement, its judges and their share of the voting weight.

    Example: `line 3, 60% of the weight: architect, security`.
    """
    line = "" if change.line is None else f"line {change.line}, "
    return f"{line}{change.weight:.0%} of the weight: {', '.join(change.judges)}"


def suggest_judge_command(debate: Debate, path_or_id: str) -> str:
    """Return a command that judges the debate with a judging system that has not judged it yet.

    If all systems that can judge the debate have judged it, the command repeats the first of them. The result is empty if
    models have already judged with this system more than once.
    """
    known = tuple(map(get_system, system_kinds()))
    able = [system.kind for system in known if system.unsuitable_reason(debate) is None]
    able = able or [system.kind for system in known if system.judges_texts]
    runs = {kind: _find_current_runs(debate, kind) for kind in able}
    system = next((kind for kind in able if not runs[kind]), None)
    if system is None:
        if sum(run.reviewer is None for run in runs[able[0]]) > 1:
            return ""
        system = f"{able[0]}{_REPEAT_OPTION}"
    return f"debate judge {quote_path(path_or_id)} --system {system}"


def _find_current_runs(debate: Debate, kind: str) -> list[JudgingRun]:
    """Return the judging runs that have the system `kind`, and whose judgements are up to date."""
    runs = [run for run in debate.runs if any(system.kind == kind for system in run.judging.systems)]
    return [run for run in runs if debate.judged_all_turns(run, kind)]


def explain_scores(verdict: Verdict) -> str:
    """Return the reason for a verdict, or why it is undetermined, in sentences; may be empty."""
    reason = get_system(verdict.system).headline(verdict)
    return theme.expand_error_names(reason) if verdict.victory == "undetermined" else reason


def quote_judge(debate: Debate, verdict: Verdict, briefing: Briefing | None = None) -> JudgeQuote | None:
    """Return the words of a judge who agrees with the verdict.

    Return None if the verdict is undetermined, if no such judge wrote any words, or if `briefing` already shows these
    words as its key insight.
    """
    quote = get_system(verdict.system).quote(debate, verdict) if verdict.victory != "undetermined" else None
    if quote is None or not quote.words.strip() or (briefing is not None and quote.words == briefing.key_insight):
        return None
    return quote


def usage_rows(debate: Debate, judged: Collection[str] | None = None) -> tuple[SummaryRow, ...]:
    """Return one or two rows with calls, tokens and cost. The last row is about the whole debate.

    `judged`: ids of judging runs. If the debate has other usage too, a row about these runs comes first.
    """
    whole = debate.usage
    own = whole if judged is None else usage_of_briefs(debate, lambda brief: brief.run in judged)
    if own == whole:
        return (SummaryRow("cost", (theme.format_usage(whole),)),)
    return (
        SummaryRow("cost of this judging", (theme.format_usage(own),)),
        SummaryRow("cost of the debate with all its judgements", (theme.format_usage(whole),)),
    )


def change_lines(changes: Iterable[SettingChange]) -> Iterator[str]:
    """Yield e.g. `models.default.model: mock/a → mock/b` for each changed setting."""
    for found in changes:
        stored, given = format_setting_pair(found.stored, found.given)
        yield f"{found.key}: {stored} → {given}"


def build_changes_table(debate: Debate) -> Table | None:
    """Return the table of settings that were changed on resuming; None if no setting was changed."""
    rows = tuple(
        (found.key, *format_setting_pair(found.stored, found.given), f"after {theme.count_speeches(found.turn)}")
        for found in debate.changes
    )
    return Table("changed on resuming", ("setting", "from", "to", "when"), rows, has_key_column=True) if rows else None


def reportable_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return all verdicts of a complete debate; of an unfinished debate, only the verdicts with scores."""
    return tuple(verdict for verdict in verdicts if verdict.scores or debate.status == "complete")


def omitted_verdicts_notes(debate: Debate, verdicts: Sequence[Verdict]) -> list[str]:
    """Return a list with a sentence that names the omitted verdicts; an empty list if no verdict was omitted.

    If the debate is unfinished, verdicts without scores are omitted.
    """
    shown = reportable_verdicts(debate, verdicts)
    omitted = dict.fromkeys(label_verdict(verdict, verdicts) for verdict in verdicts if verdict not in shown)
    names = " or ".join(f"`{label}`" for label in omitted)
    return [f"No {names} verdict yet: the debate is unfinished."] if omitted else []
