"""The conclusion of a debate as data: answer, reasons, reliable and doubtful claims, disagreements, cost, next command.

Derived from verdicts and assessments. Names and words are untrusted and not sanitized.
"""

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from debate_cli.domain.config_differences import format_setting_pair
from debate_cli.domain.debate import Debate, judging_usage, models_used_by_judges
from debate_cli.domain.events import SettingChange
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.content.agreement import (
    build_agreement_table,
    count_outcomes,
    label_verdict,
    sort_deciding_first,
)
from debate_cli.render.theme import shorten
from debate_cli.systems.base import JudgeQuote, RequiredChange
from debate_cli.systems.briefing import Briefing, BriefingClaim, build_briefing
from debate_cli.systems.claim_review import Standing
from debate_cli.systems.registry import get_system, system_kinds
from debate_cli.systems.scoring import deciding_verdicts
from debate_cli.systems.source_support import SourceBriefing, brief_sources
from debate_cli.systems.tables import Table
from debate_cli.systems.weakest import ArgumentScores, WeakestArgument, find_weakest_argument, score_arguments

NOT_JUDGED_MESSAGE = "This debate has not been judged."
"""Text in place of a missing verdict."""
_REPEAT_OPTION = " --repeat 3"
"""Option that asks the same judges again: three runs show how much scores vary."""
MAX_CLAIMS, MAX_QUESTIONS, MAX_CLAIM_LENGTH = 3, 2, 105
"""Maxima on the closing screen: claims per label, open questions, and characters of each claim or question."""
MAX_CHANGES = 6
"""Maximum number of required changes on the closing screen."""
MAX_DISSENT_LENGTH = 160
"""Maximum length of a dissenting judge's reasons."""


class SummaryClaim(NamedTuple):
    """A claim with the judges' rating. Untrusted."""

    id: str
    participant: str
    claim: str
    standing: Standing
    score: float | None
    """Score of the claim; None if it has none."""
    max_score: float
    reason: str
    """The judge's reason for its standing; may be empty."""

    @property
    def rating(self) -> str:
        """Standing and score: `upheld, 7.4 of 10`."""
        standing = theme.STANDING_BADGES[self.standing].word
        return (
            standing if self.score is None else f"{standing}, {theme.format_number(self.score)} of {self.max_score:g}"
        )


class OtherVerdict(NamedTuple):
    """A verdict that does not decide, in a sentence."""

    label: str
    sentence: str


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """The conclusion of a debate."""

    verdict: Verdict | None
    """The deciding verdict; None if there is no verdict."""
    answer: str
    """Who won and by how much, in a sentence."""
    reason: str
    """One or two sentences with numbers; may be empty."""
    required_changes: tuple[RequiredChange, ...]
    """Changes that a judged text needs to pass, the group with the most weight first."""
    quote: JudgeQuote | None
    weakest: WeakestArgument | None
    """The weakest argument; None if the arguments cannot be ranked."""
    insight: str
    """Core of the dispute according to the judge of the claims; may be empty."""
    rely_on: tuple[SummaryClaim, ...]
    """Claims that were upheld, best score first."""
    check_first: tuple[SummaryClaim, ...]
    """All other judged claims, least reliable first."""
    sources: SourceBriefing
    """Reliable sources, and sources to check first."""
    open_questions: tuple[str, ...]
    recommendation: str
    others: tuple[OtherVerdict, ...]
    """The verdicts that do not decide; all verdicts if none decides."""
    authority: str
    """The system of `verdict`. If there are several verdicts, also whether it decides: `structured r3 decides` or
    `none decides; structured r3 is shown`."""
    disagreements: tuple[str, ...]
    """Sentences on differences between verdicts or judges."""
    missing: tuple[str, ...]
    """Sentences on what the deciding verdict lacks."""
    judge_again: str
    """A command that judges the debate again, quoted for a shell."""

    @property
    def repeats(self) -> bool:
        """Whether `judge_again` asks the same judges again, because every system has judged."""
        return self.judge_again.endswith(_REPEAT_OPTION)


def summarize_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> VerdictSummary:
    """The conclusion from the deciding verdict; if none decides, from the first one."""
    ordered = sort_deciding_first(reportable_verdicts(debate, verdicts))
    head = ordered[0] if ordered else None
    briefing = build_briefing(debate)
    scores = score_arguments(debate, ordered)
    equal = deciding_verdicts(debate, ordered)
    return VerdictSummary(
        verdict=head,
        answer=_answer(head, equal, debate.document_name),
        reason=explain_scores(head) if head is not None else "",
        required_changes=find_required_changes(head) if head is not None else (),
        quote=quote_judge(debate, head, briefing) if head is not None else None,
        weakest=find_weakest_argument(debate, ordered),
        insight=briefing.key_insight if briefing is not None else "",
        rely_on=_upheld_claims(briefing, scores),
        check_first=_doubtful_claims(briefing, scores),
        sources=brief_sources(debate),
        open_questions=briefing.unresolved_questions if briefing is not None else (),
        recommendation=briefing.recommendation if briefing is not None else "",
        others=tuple(_other_verdicts(debate, ordered, equal)),
        authority=_authority(ordered, equal),
        disagreements=(*_disagreements(ordered), *(_describe_dissent(head) if head is not None else ())),
        missing=theme.missing_sentences(head) if head is not None else (),
        judge_again=suggest_judge_command(debate, debate.id),
    )


def _answer(head: Verdict | None, equal: Sequence[Verdict], document: str | None) -> str:
    """The outcome in a sentence. If several runs have equal rank, the sentence says whether they agree."""
    if head is None:
        return NOT_JUDGED_MESSAGE
    if len(equal) <= 1:
        return describe_answer(head, document)
    counts = count_outcomes(equal)
    if len(counts) == 1:
        return f"{len(equal)} judging runs side by side agree: {counts[0][0]}."
    found = ", ".join(f"{outcome} {count}" for outcome, count in counts)
    return f"{len(equal)} judging runs side by side differ: {found}."


def _other_verdicts(debate: Debate, ordered: Sequence[Verdict], equal: Sequence[Verdict]) -> Iterator[OtherVerdict]:
    """The verdicts that do not decide. The labels of runs with equal rank name the models of their judges."""
    for verdict in ordered:
        label = label_verdict(verdict, ordered)
        if len(equal) > 1 and verdict in equal:
            label = f"{label} ({', '.join(models_used_by_judges(debate, verdict.run, verdict.system))})"
        elif verdict is ordered[0]:
            continue
        yield OtherVerdict(label, describe_answer(verdict, debate.document_name))


def _authority(ordered: Sequence[Verdict], equal: Sequence[Verdict]) -> str:
    if not ordered:
        return ""
    if len(equal) != 1:
        return f"none decides; {label_verdict(ordered[0], ordered)} is shown"
    return f"{label_verdict(ordered[0], ordered)} decides" if len(ordered) > 1 else ordered[0].system


def describe_answer(verdict: Verdict, document: str | None) -> str:
    """The outcome with its margin: `Pro wins narrowly, by 1.6 of 10 points.`."""
    outcome = theme.describe_outcome(verdict, document)
    margin = theme.format_margin(verdict)
    if not margin or verdict.victory in {"undetermined", "conditional"}:
        return outcome
    return f"{outcome.rstrip('.')}, {'by ' if verdict.victory != 'draw' else ''}{margin}{' apart' if verdict.victory == 'draw' else ''}."


def _upheld_claims(briefing: Briefing | None, scores: ArgumentScores) -> tuple[SummaryClaim, ...]:
    claims = _summary_claims(briefing.rely_on, "UPHELD", scores) if briefing is not None else []
    return tuple(sorted(claims, key=lambda claim: -(claim.score or 0.0)))


def _doubtful_claims(briefing: Briefing | None, scores: ArgumentScores) -> tuple[SummaryClaim, ...]:
    if briefing is None:
        return ()
    return (
        *_summary_claims(briefing.not_to_use, "REFUTED", scores),
        *_summary_claims(briefing.uncertain, "UNCERTAIN", scores),
        *_summary_claims(briefing.limit, "PARTIALLY_UPHELD", scores),
    )


def _summary_claims(claims: Sequence[BriefingClaim], standing: Standing, scores: ArgumentScores) -> list[SummaryClaim]:
    return [
        SummaryClaim(
            claim.id,
            claim.participant,
            claim.claim,
            standing,
            scores.by_argument.get(claim.id),
            scores.max_score,
            claim.reason,
        )
        for claim in claims
    ]


def _disagreements(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Sentences on the variation of repeated verdicts, and on differences between verdicts."""
    agreement = build_agreement_table(verdicts)
    return agreement.remarks if agreement is not None else ()


def _describe_dissent(verdict: Verdict) -> Iterator[str]:
    for dissent in get_system(verdict.system).headline(verdict).dissent:
        yield f"{dissent.judge} {dissent.conclusion}: {shorten(dissent.words, MAX_DISSENT_LENGTH)}"


def find_required_changes(verdict: Verdict) -> tuple[RequiredChange, ...]:
    """Changes that a judged text needs to pass; empty for a debate. Not sanitized."""
    return get_system(verdict.system).headline(verdict).required_changes


def format_more_sources(count: int) -> str:
    """A count such as `2 more sources`."""
    return f"{count} more source{'s' if count != 1 else ''}"


def group_changes(changes: Iterable[RequiredChange]) -> list[tuple[str, list[RequiredChange]]]:
    """Name of a dimension, and the adjacent changes that concern it; `other` for changes without a dimension."""
    return [(name or "other", list(group)) for name, group in groupby(changes, key=lambda change: change.dimension)]


def label_change(change: RequiredChange) -> str:
    """Place and authors of a required change: `line 3, 60% of the weight: architect, security`."""
    line = "" if change.line is None else f"line {change.line}, "
    return f"{line}{change.weight:.0%} of the weight: {', '.join(change.judges)}"


def suggest_judge_command(debate: Debate, path_or_id: str) -> str:
    """The command that judges the debate at `path_or_id` (a path or an id) with a system that has not judged it yet.

    If all systems have judged, it asks the same judges again, to see how much their scores vary.
    """
    known = sorted(map(get_system, system_kinds()), key=lambda system: system.suggestion_rank)
    able = [system.kind for system in known if system.why_not(debate) is None]
    able = able or [system.kind for system in known if system.judges_texts]
    asked = {
        system.kind
        for run in debate.runs
        for system in run.judging.systems
        if debate.judged_all_turns(run, system.kind)
    }
    system = next((kind for kind in able if kind not in asked), None)
    asked = f"{able[0]}{_REPEAT_OPTION}" if system is None else system
    return f"debate judge {shlex.quote(sanitize.sanitize_line(path_or_id))} --system {asked}"


def format_ranked_scores(verdict: Verdict) -> str:
    """`(Pro 7.4, Con 6.8)`, highest first; empty if there are no scores."""
    ranked = sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
    scores = ", ".join(f"{sanitize.sanitize_line(name)} {theme.format_number(score)}" for name, score in ranked)
    return f"({scores})" if scores else ""


def explain_scores(verdict: Verdict) -> str:
    """One or two sentences with numbers that explain a verdict; empty if there are none. Not sanitized."""
    reason = get_system(verdict.system).headline(verdict).reason
    return theme.expand_error_names(reason) if verdict.victory == "undetermined" else reason


def quote_judge(debate: Debate, verdict: Verdict, beside: Briefing | None = None) -> JudgeQuote | None:
    """The shortened words of a judge who agrees with the verdict; None if there is none.

    Also None if the verdict is undetermined, or if `beside`, the briefing shown with it, starts with the same words.
    """
    if verdict.victory == "undetermined":
        return None
    quote = get_system(verdict.system).quote(debate, verdict)
    words = shorten(quote.words) if quote is not None else ""
    if quote is None or not words or (beside is not None and words == shorten(beside.key_insight)):
        return None
    return JudgeQuote(words, quote.judge)


def usage_rows(debate: Debate, judged: Collection[str] | None = None) -> tuple[tuple[str, str], ...]:
    """(label, words) on calls, tokens and cost; a single row has an empty label.

    `judged`: ids of the judging runs just added; their usage comes first, and the debate's total after it. Without
    added runs the duration of the calls is included.
    """
    whole = debate.usage
    if judged is None:
        took = total_call_seconds(debate)
        return (
            ("", theme.format_usage(whole) + (f" · calls took {theme.format_duration(took)} in total" if took else "")),
        )
    own = judging_usage(debate, judged)
    if own == whole:
        return (("", theme.format_usage(whole)),)
    return (("this judging", theme.format_usage(own)), ("the debate with all its judgments", theme.format_usage(whole)))


def change_lines(changes: Iterable[SettingChange]) -> Iterator[str]:
    """`models.default.model: mock/a → mock/b` for each change."""
    for found in changes:
        stored, given = format_setting_pair(found.stored, found.given)
        yield f"{found.key}: {stored} → {given}"


def build_changes_table(debate: Debate) -> Table | None:
    """The settings that were changed when the debate was resumed; None if there are none."""
    rows = tuple(
        (found.key, *format_setting_pair(found.stored, found.given), f"after {theme.count_speeches(found.turn)}")
        for found in debate.changes
    )
    return Table("changed on resuming", ("setting", "from", "to", "when"), rows, has_key_column=True) if rows else None


def total_call_seconds(debate: Debate) -> float:
    """Sum of the durations of all calls, in seconds. Concurrent calls count in full.

    The time from the first event to the last would include pauses before a resume or a later judging.
    """
    calls: list[ModelCall | None] = [item.exchange for item in (*debate.turns, *debate.assessments, *debate.failures)]
    return sum(exchange.latency_s for exchange in calls if exchange is not None)


def reportable_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """All verdicts of a complete debate; of an incomplete debate only those with scores."""
    if debate.status == "complete":
        return tuple(verdicts)
    return tuple(verdict for verdict in verdicts if verdict.scores)


def omitted_verdicts_notes(debate: Debate, verdicts: Sequence[Verdict]) -> list[str]:
    """A sentence on the verdicts that `reportable_verdicts` omits; none if it omits none."""
    shown = reportable_verdicts(debate, verdicts)
    omitted = dict.fromkeys(label_verdict(verdict, verdicts) for verdict in verdicts if verdict not in shown)
    return [f"No verdict yet of {', '.join(omitted)}: the debate stopped before it was judged."] if omitted else []
