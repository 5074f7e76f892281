"""Why a verdict came out as it did, in the words of the judges it rests on, and what there is to tell at all. No Rich.

The words are untrusted and not cleaned; what the numbers say is told by `gist`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render.agreement import label_verdict
from debate_cli.render.theme import shorten
from debate_cli.systems.aggregation import ordered_assessments
from debate_cli.systems.live.score import LiveNotes
from debate_cli.systems.moderator.score import ModeratorNotes
from debate_cli.systems.panel.score import PanelNotes
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.briefing import Briefing
from debate_cli.systems.structured.findings import Insight
from debate_cli.systems.structured.trace import build_trace_table
from debate_cli.systems.tables import parse_notes


@dataclass(frozen=True, slots=True)
class JudgeQuote:
    """What a judge said."""

    words: str
    """Shortened, never empty."""
    judge: str = ""
    """Id of the panel's judge that said it; empty in other systems."""


def quote_judge(debate: Debate, verdict: Verdict, beside: Briefing | None = None) -> JudgeQuote | None:
    """The reason that a judge gave who came to this verdict; None where none gave any, or nothing was determined.

    None too where it is the insight that heads the briefing `beside` it.
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
    """The verdicts that tell something: of a debate that stopped on the way, those with a score."""
    if debate.status == "complete":
        return tuple(verdicts)
    return tuple(verdict for verdict in verdicts if verdict.scores)


def describe_omitted_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> str:
    """A sentence on the verdicts that are not told."""
    told = reportable_verdicts(debate, verdicts)
    untold = dict.fromkeys(label_verdict(verdict, verdicts) for verdict in verdicts if verdict not in told)
    return f"No verdict yet of {', '.join(untold)}: the debate stopped before it was judged."


def is_trace_useful(debate: Debate, *, again: bool = False) -> bool:
    """Whether the trace tells more than the speeches: the debate is whole, or its claims were judged.

    Of a debate that is judged `again`, the speeches are known: only standings are news.
    """
    whole = debate.status == "complete" and not again
    return whole or any(row.standing is not None for row in build_trace_table(debate))


def _agreeing_assessments(debate: Debate, verdict: Verdict) -> list[Assessment]:
    """The assessments that a verdict rests on, without those of judges whose own marks make somebody else win."""
    given = ordered_assessments(debate, verdict.system, verdict.run)
    judges = dict.fromkeys(item.assessor for item in given)
    against = {judge for judge in judges if len(judges) > 1 and not _agrees_with_verdict(debate, verdict, given, judge)}
    return [item for item in given if item.assessor not in against]


def _agrees_with_verdict(debate: Debate, verdict: Verdict, given: Sequence[Assessment], judge: str) -> bool:
    """Whether a judge's marks alone come to the same winner, or to nothing."""
    alone = debate.with_assessments(item for item in given if item.assessor == judge)
    own = score(alone, runs=verdict.run, systems=(verdict.system,))
    return all(item.victory == "undetermined" or item.winner == verdict.winner for item in own)


def _quote_structured(debate: Debate, verdict: Verdict) -> str:
    """The judge's rationale, or its key insight; the first judge's who gave one."""
    given = _agreeing_assessments(debate, verdict)
    said = [item.rationale for item in given]
    said += [finding.key_insight for item in given for finding in item.findings if isinstance(finding, Insight)]
    return next((words for words in said if words.strip()), "")


def _quote_moderator(debate: Debate, verdict: Verdict) -> str:
    """The first judge's who gave any."""
    notes = parse_notes(ModeratorNotes, verdict)
    judges = {item.assessor for item in _agreeing_assessments(debate, verdict)}
    reasoning = notes.reasoning if notes is not None else ()
    return next((item.text for item in reasoning if item.assessor in judges), "")


def _quote_live(verdict: Verdict) -> str:
    """The narrative's; where it sees another winner than the scorecard, its words argue against the verdict."""
    notes = parse_notes(LiveNotes, verdict)
    story = notes.narrative if notes is not None else None
    return story.reasoning if story is not None and story.winner == verdict.winner else ""


def _quote_panel(notes: PanelNotes | None) -> tuple[str, str]:
    """The weightiest judge's among those who voted as the panel decided."""
    votes = notes.rounds[-1].votes if notes is not None and notes.rounds else ()
    agreeing = [vote for vote in votes if notes is not None and vote.option == notes.option and vote.rationale.strip()]
    if not agreeing:
        return "", ""
    chosen = max(agreeing, key=lambda vote: vote.weight)
    return chosen.rationale, chosen.judge
