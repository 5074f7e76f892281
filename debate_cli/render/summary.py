"""The conclusion of a debate as data: answer, reasons, reliable and doubtful claims, disagreements, cost, next command.

Everything is derived from verdicts and assessments. Names and words are untrusted and not sanitized.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate, judging_usage
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.agreement import build_agreement_table, label_verdict, sort_deciding_first
from debate_cli.render.theme import shorten
from debate_cli.render.weakest import WeakestArgument, argument_scores, find_weakest_argument
from debate_cli.systems.aggregation import mean, ordered_assessments
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA
from debate_cli.systems.live.score import LiveNotes
from debate_cli.systems.moderator.score import FINAL_CATEGORIES, ModeratorNotes
from debate_cli.systems.moderator.tables import CATEGORY_GROUPS
from debate_cli.systems.panel.score import PanelNotes
from debate_cli.systems.persuasion.score import PersuasionNotes
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.briefing import Briefing, BriefingClaim, build_briefing
from debate_cli.systems.structured.findings import Insight, Standing
from debate_cli.systems.structured.score import CRITERIA, MAX_ARGUMENT_MARK, StructuredNotes
from debate_cli.systems.structured.trace import build_trace_table
from debate_cli.systems.tables import parse_notes

_SUGGESTION_ORDER: tuple[str, ...] = ("structured", "panel", "moderator", "live", "persuasion")
"""Systems in the order in which they are suggested: a different view for few calls first."""

NOT_JUDGED_MESSAGE = "This debate has not been judged."
"""Stands for a missing verdict."""
_REPEAT_OPTION = " --repeat 3"
"""Asks the same judges again: three runs show how much scores vary."""
MAX_CLAIMS, MAX_QUESTIONS, MAX_CLAIM_LENGTH = 3, 2, 105
"""Claims under each label, open questions, and characters of each on the closing screen."""
MAX_DISSENT_LENGTH = 160
"""Characters of a dissenting judge's reasons."""


@dataclass(frozen=True, slots=True)
class ScoreComponent:
    """A part of a score."""

    name: str
    weight: float
    """Share of the whole, 0-1."""
    whole: str
    """The whole, e.g. `the score`."""
    shares: Mapping[str, float]
    """Debater -> share of the maximum, 0-1."""


class SummaryClaim(NamedTuple):
    """One claim with what the judges made of it. Untrusted."""

    id: str
    participant: str
    claim: str
    standing: Standing
    score: float | None
    """Structured score, 1-10; None without one."""
    reason: str
    """Why it has this standing; may be empty."""

    @property
    def rating(self) -> str:
        """Standing and score: `upheld, 7.4 of 10`."""
        standing = theme.STANDING_BADGES[self.standing].word
        highest = MAX_ARGUMENT_MARK
        return standing if self.score is None else f"{standing}, {theme.format_number(self.score)} of {highest:g}"


class OtherVerdict(NamedTuple):
    """A verdict that does not decide, in a sentence."""

    label: str
    sentence: str


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """The conclusion of a debate: what a reader looks for first."""

    verdict: Verdict | None
    """The verdict that decides; None without any."""
    outcome: str
    """Who won, in a sentence without the margin."""
    answer: str
    """Who won and by how much, in a sentence."""
    reason: str
    """One or two sentences made of numbers; may be empty."""
    quote: JudgeQuote | None
    weakest: WeakestArgument | None
    """None if the arguments cannot be ranked."""
    insight: str
    """What the structured judge sees as the core of the dispute; may be empty."""
    rely_on: tuple[SummaryClaim, ...]
    """Claims that were upheld, best score first."""
    check_first: tuple[SummaryClaim, ...]
    """All other judged claims, the least reliable first."""
    open_questions: tuple[str, ...]
    recommendation: str
    others: tuple[OtherVerdict, ...]
    """The verdicts that do not decide."""
    disagreements: tuple[str, ...]
    """Where verdicts or judges differ, in sentences."""
    missing: tuple[str, ...]
    """What was not assessed, in sentences; of the deciding verdict."""
    judge_again: str
    """A command, quoted for a shell."""

    @property
    def repeats(self) -> bool:
        """Whether that command asks the same judges again, because every system has judged."""
        return self.judge_again.endswith(_REPEAT_OPTION)


def summarize_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> VerdictSummary:
    """Summarize the deciding verdict (the first one if none decides) and what supports it."""
    ordered = sort_deciding_first(reportable_verdicts(debate, verdicts))
    head = ordered[0] if ordered else None
    briefing = build_briefing(debate)
    scores = argument_scores(debate, ordered)
    return VerdictSummary(
        verdict=head,
        outcome=theme.describe_outcome(head, debate.document_name) if head is not None else NOT_JUDGED_MESSAGE,
        answer=describe_answer(head, debate.document_name) if head is not None else NOT_JUDGED_MESSAGE,
        reason=explain_scores(head) if head is not None else "",
        quote=quote_judge(debate, head, briefing) if head is not None else None,
        weakest=find_weakest_argument(debate, ordered),
        insight=briefing.key_insight if briefing is not None else "",
        rely_on=_upheld_claims(briefing, scores),
        check_first=_doubtful_claims(briefing, scores),
        open_questions=briefing.unresolved_questions if briefing is not None else (),
        recommendation=briefing.recommendation if briefing is not None else "",
        others=tuple(
            OtherVerdict(label_verdict(verdict, ordered), describe_answer(verdict, debate.document_name))
            for verdict in ordered[1:]
        ),
        disagreements=(*_disagreements(ordered), *(_describe_dissent(head) if head is not None else ())),
        missing=theme.missing_sentences(head) if head is not None else (),
        judge_again=suggest_judge_command(debate, debate.id),
    )


def describe_answer(verdict: Verdict, document: str | None) -> str:
    """The outcome with its margin: `Pro wins narrowly, by 1.6 of 10 points.`."""
    outcome = theme.describe_outcome(verdict, document)
    margin = theme.format_margin(verdict)
    if not margin or verdict.victory in {"undetermined", "conditional"}:
        return outcome
    return f"{outcome.rstrip('.')}, {'by ' if verdict.victory != 'draw' else ''}{margin}{' apart' if verdict.victory == 'draw' else ''}."


def _upheld_claims(briefing: Briefing | None, scores: Mapping[str, float]) -> tuple[SummaryClaim, ...]:
    claims = _summary_claims(briefing.rely_on, "UPHELD", scores) if briefing is not None else []
    return tuple(sorted(claims, key=lambda claim: -(claim.score or 0.0)))


def _doubtful_claims(briefing: Briefing | None, scores: Mapping[str, float]) -> tuple[SummaryClaim, ...]:
    if briefing is None:
        return ()
    return (
        *_summary_claims(briefing.not_to_use, "REFUTED", scores),
        *_summary_claims(briefing.uncertain, "UNCERTAIN", scores),
        *_summary_claims(briefing.limit, "PARTIALLY_UPHELD", scores),
    )


def _summary_claims(
    claims: Sequence[BriefingClaim], standing: Standing, scores: Mapping[str, float]
) -> list[SummaryClaim]:
    return [
        SummaryClaim(claim.id, claim.participant, claim.claim, standing, scores.get(claim.id), claim.reason)
        for claim in claims
    ]


def _disagreements(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """How far repeated verdicts vary, and where verdicts differ."""
    agreement = build_agreement_table(verdicts)
    return agreement.remarks if agreement is not None else ()


def _describe_dissent(verdict: Verdict) -> Iterator[str]:
    """The votes of a panel for another option than its own."""
    notes = parse_notes(PanelNotes, verdict) if verdict.system == "panel" else None
    for vote in notes.dissent if notes is not None else ():
        yield f"{vote.judge} votes {vote.option}: {shorten(vote.rationale, MAX_DISSENT_LENGTH)}"


def suggest_judge_command(debate: Debate, place: str) -> str:
    """The command that judges the debate at `place` (a path or an id) with a system that has not judged it yet.

    If all systems have judged, it asks the same judges again, to see how much their scores vary.
    """
    able = [kind for kind in _SUGGESTION_ORDER if _can_judge(debate, kind)]
    asked = {
        system.kind
        for run in debate.runs
        for system in run.judging.systems
        if debate.judged_all_turns(run, system.kind)
    }
    system = next((kind for kind in able if kind not in asked), None)
    asked = f"{able[0]}{_REPEAT_OPTION}" if system is None else system
    return f"debate judge {shlex.quote(sanitize.sanitize_line(place))} --system {asked}"


def _can_judge(debate: Debate, kind: str) -> bool:
    """Whether the debate contains what the system judges."""
    match kind:
        case "panel":
            return True
        case "structured":
            return bool(debate.arguments)
        case "persuasion":
            return bool(debate.turns) and len(debate.participants) > 1
        case _:
            return bool(debate.turns)


def explain_scores(verdict: Verdict) -> str:
    """Explain a verdict in one or two sentences made of numbers; empty without any. Not sanitized."""
    if verdict.victory == "undetermined":
        missing = verdict.notes.get("missing")
        return theme.expand_error_names(str(missing[0])) if isinstance(missing, list) and missing else ""
    if verdict.system == "panel":
        return _explain_panel(verdict)
    if verdict.system == "persuasion":
        return _explain_persuasion(verdict)
    return " ".join(
        part for part in (_format_scores(verdict), _describe_widest_gap(verdict, _score_components(verdict))) if part
    )


def _format_scores(verdict: Verdict) -> str:
    """Scores, best first, and the margin."""
    ranked = sorted(verdict.scores.items(), key=lambda item: -item[1])
    told = " to ".join(f"{name} {theme.format_number(score)}" for name, score in ranked[:2])
    rest = f", {', '.join(f'{name} {theme.format_number(score)}' for name, score in ranked[2:])}" if ranked[2:] else ""
    gap = f", {theme.format_number(verdict.margin)} apart" if verdict.margin is not None else ""
    return f"{told}{rest} of {theme.max_score(verdict):g}{gap}."


def _score_components(verdict: Verdict) -> list[ScoreComponent]:
    """The parts of the score."""
    match verdict.system:
        case "structured":
            return _structured_components(parse_notes(StructuredNotes, verdict))
        case "moderator":
            return _moderator_components(parse_notes(ModeratorNotes, verdict))
        case "live":
            return _live_components(parse_notes(LiveNotes, verdict))
        case _:
            return []


def _structured_components(notes: StructuredNotes | None) -> list[ScoreComponent]:
    if notes is None:
        return []
    highest = MAX_ARGUMENT_MARK
    return [
        ScoreComponent(
            name=item,
            weight=notes.weights.get(item, 0.0),
            whole="the score",
            shares={name: of[item] / highest for name, of in notes.means.items() if item in of},
        )
        for item in CRITERIA
    ]


def _moderator_components(notes: ModeratorNotes | None) -> list[ScoreComponent]:
    found: list[ScoreComponent] = []
    for title, items in CATEGORY_GROUPS:
        most = sum(FINAL_CATEGORIES[item] for item in items)
        shares = {
            row.participant: sum(row.categories[item] for item in items) / most
            for row in (notes.final if notes is not None else ())
            if row.categories.keys() >= set(items)
        }
        found.append(ScoreComponent(title, most / sum(FINAL_CATEGORIES.values()), "the final evaluation", shares))
    return found


def _live_components(notes: LiveNotes | None) -> list[ScoreComponent]:
    found: list[ScoreComponent] = []
    for dimension, most in DIMENSION_MAXIMA.items():
        marks: dict[str, list[float]] = {}
        for row in notes.turns if notes is not None else ():
            value = getattr(row, dimension)
            if value is not None:
                marks.setdefault(row.speaker, []).append(value / most)
        shares = {name: mean(values) for name, values in marks.items()}
        found.append(ScoreComponent(dimension, most / sum(DIMENSION_MAXIMA.values()), "the score", shares))
    return found


def _describe_widest_gap(verdict: Verdict, criteria: Sequence[ScoreComponent]) -> str:
    """The criterion with the largest weighted gap between the first two debaters."""
    ranked = sorted(verdict.scores, key=lambda name: -verdict.scores[name])[:2]
    counted = [item for item in criteria if item.weight > 0 and len(ranked) > 1 and item.shares.keys() >= set(ranked)]
    gaps = [(item.shares[ranked[0]] - item.shares[ranked[1]], item) for item in counted]
    apart = [(gap, item) for gap, item in gaps if round(gap, 2) != 0]
    if not apart:
        return "They are level in every criterion that counts." if counted else ""
    gap, widest = max(apart, key=lambda found: abs(found[0]) * found[1].weight)
    ahead, behind = ranked if gap > 0 else ranked[::-1]
    part = f"{widest.name}, {widest.weight:.0%} of {widest.whole}"
    return (
        f"The largest difference is {part}: "
        f"{ahead} {widest.shares[ahead]:.0%}, {behind} {widest.shares[behind]:.0%} of the maximum."
    )


def _explain_panel(verdict: Verdict) -> str:
    notes = parse_notes(PanelNotes, verdict)
    if notes is None or notes.option is None:
        return ""
    share = notes.weights.get(notes.option, 0.0)
    voted = f"{share:.0%} of the panel's weight voted {notes.option}"
    if verdict.is_tied:
        even = max(notes.weights.values())
        tied = " and ".join(option for option, weight in notes.weights.items() if weight == even)
        voted = f"{tied} have {even:.0%} of the panel's weight each, which counts as conditional"
    rounds = notes.deliberation_rounds
    after = f" after {rounds} round{'' if rounds == 1 else 's'} of deliberation" if rounds else ""
    agreed = f"; agreement {notes.final_agreement:.2f}" if notes.final_agreement is not None else ""
    return f"{voted}{after}{agreed}."


def _explain_persuasion(verdict: Verdict) -> str:
    notes = parse_notes(PersuasionNotes, verdict)
    fallen = notes.surrendered if notes is not None else ()
    gave_up = "".join(f" {item.name} surrendered at turn {item.turn + 1}." for item in fallen)
    return f"{_format_scores(verdict)}{gave_up or ' No debater surrendered.'}"


def usage_rows(debate: Debate, judged: Collection[str] | None = None) -> tuple[tuple[str, str], ...]:
    """(label, words) on calls, tokens and cost; a single row has an empty label.

    `judged`: ids of the judging runs just added; what they used comes first, and the debate's total after it, as such.
    Without them, the time that the calls took stands there too.
    """
    whole = debate.usage
    if judged is None:
        took = total_call_seconds(debate)
        return (
            ("", theme.format_usage(whole) + (f" · calls took {theme.format_duration(took)} added up" if took else "")),
        )
    own = judging_usage(debate, judged)
    if own == whole:
        return (("", theme.format_usage(whole)),)
    return (
        ("this judging", theme.format_usage(own)),
        ("the debate with all its judgings", theme.format_usage(whole)),
    )


def total_call_seconds(debate: Debate) -> float:
    """Sum of the durations of all calls, in seconds; concurrent calls count each.

    From the first event to the last would be another time: it holds the pause before a debate was resumed, or judged again.
    """
    heard: list[ModelCall | None] = [item.exchange for item in (*debate.turns, *debate.assessments, *debate.failures)]
    return sum(exchange.latency_s for exchange in heard if exchange is not None)


@dataclass(frozen=True, slots=True)
class JudgeQuote:
    """A judge's words."""

    words: str
    """Shortened, never empty."""
    judge: str = ""
    """Id of the judge in a panel; empty in other systems."""


def quote_judge(debate: Debate, verdict: Verdict, beside: Briefing | None = None) -> JudgeQuote | None:
    """The reason of a judge who agrees with the verdict; None without one, or if the verdict is undetermined.

    None as well if the briefing `beside` it starts with the same words.
    """
    if verdict.victory == "undetermined":
        return None
    words, judge = _find_quote(debate, verdict)
    said = shorten(words)
    if not said or (beside is not None and said == shorten(beside.key_insight)):
        return None
    return JudgeQuote(said, judge)


def _find_quote(debate: Debate, verdict: Verdict) -> tuple[str, str]:
    """Words and judge's name; empty for none."""
    match verdict.system:
        case "structured":
            return _quote_structured(debate, verdict), ""
        case "moderator":
            return _quote_moderator(debate, verdict), ""
        case "live":
            return _quote_live(verdict), ""
        case "panel":
            return _quote_panel(parse_notes(PanelNotes, verdict))
        case _:
            return "", ""


def reportable_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """All verdicts of a complete debate; only those with scores of an incomplete one."""
    if debate.status == "complete":
        return tuple(verdicts)
    return tuple(verdict for verdict in verdicts if verdict.scores)


def describe_omitted_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> str:
    """A sentence on the verdicts that are left out."""
    told = reportable_verdicts(debate, verdicts)
    untold = dict.fromkeys(label_verdict(verdict, verdicts) for verdict in verdicts if verdict not in told)
    return f"No verdict yet of {', '.join(untold)}: the debate stopped before it was judged."


def is_trace_useful(debate: Debate, *, again: bool = False) -> bool:
    """Whether the trace adds to the speeches: the debate is complete, or its claims were judged.

    `again`: the debate was only judged, so the trace is useful only with standings.
    """
    whole = debate.status == "complete" and not again
    return whole or any(row.standing is not None for row in build_trace_table(debate))


def _agreeing_assessments(debate: Debate, verdict: Verdict) -> list[Assessment]:
    """The assessments behind a verdict, without judges whose own marks give another winner."""
    given = ordered_assessments(debate, verdict.system, verdict.run)
    judges = dict.fromkeys(item.assessor for item in given)
    against = {judge for judge in judges if len(judges) > 1 and not _agrees_with_verdict(debate, verdict, given, judge)}
    return [item for item in given if item.assessor not in against]


def _agrees_with_verdict(debate: Debate, verdict: Verdict, given: Sequence[Assessment], judge: str) -> bool:
    """Whether a judge's marks alone give the same winner, or no verdict."""
    alone = debate.with_assessments(item for item in given if item.assessor == judge)
    own = score(alone, runs=verdict.run, systems=(verdict.system,))
    return all(item.victory == "undetermined" or item.winner == verdict.winner for item in own)


def _quote_structured(debate: Debate, verdict: Verdict) -> str:
    """The first rationale of a judge, else the first key insight."""
    given = _agreeing_assessments(debate, verdict)
    said = [item.rationale for item in given]
    said += [finding.key_insight for item in given for finding in item.findings if isinstance(finding, Insight)]
    return next((words for words in said if words.strip()), "")


def _quote_moderator(debate: Debate, verdict: Verdict) -> str:
    """The first reasoning of a judge."""
    notes = parse_notes(ModeratorNotes, verdict)
    judges = {item.assessor for item in _agreeing_assessments(debate, verdict)}
    reasoning = notes.reasoning if notes is not None else ()
    return next((item.text for item in reasoning if item.assessor in judges), "")


def _quote_live(verdict: Verdict) -> str:
    """The narrative's reasoning if it names the same winner as the scorecard."""
    notes = parse_notes(LiveNotes, verdict)
    story = notes.narrative if notes is not None else None
    return story.reasoning if story is not None and story.winner == verdict.winner else ""


def _quote_panel(notes: PanelNotes | None) -> tuple[str, str]:
    """The rationale of the judge with the largest weight who voted like the panel."""
    votes = notes.rounds[-1].votes if notes is not None and notes.rounds else ()
    agreeing = [vote for vote in votes if notes is not None and vote.option == notes.option and vote.rationale.strip()]
    if not agreeing:
        return "", ""
    chosen = max(agreeing, key=lambda vote: vote.weight)
    return chosen.rationale, chosen.judge
