"""Why a verdict came out as it did, in the words of the judges it rests on, and what there is to tell at all. No Rich.

The words are untrusted and not cleaned; what the numbers say is told by `gist`.
"""

from __future__ import annotations

from collections.abc import Sequence

from debate_cli.domain.assessment import Insight
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render.called import called
from debate_cli.render.look import shortened
from debate_cli.render.sheets.sheet import notes_of
from debate_cli.scoring.briefing import Briefing
from debate_cli.scoring.live import LiveNotes
from debate_cli.scoring.moderator import ModeratorNotes
from debate_cli.scoring.panel import PanelNotes
from debate_cli.scoring.reading import assessments
from debate_cli.scoring.trace import trace_table


def judges_words(debate: Debate, verdict: Verdict, beside: Briefing | None = None) -> str:
    """The reason that a judge of this verdict gave, shortened; empty where none gave any, or nothing was determined.

    Empty too where it is the insight that heads the briefing `beside` it.
    """
    said = _words(debate, verdict) if verdict.victory != "undetermined" else ""
    return "" if beside is not None and said == shortened(beside.key_insight) else said


def _words(debate: Debate, verdict: Verdict) -> str:
    match verdict.system:
        case "structured":
            return shortened(_of_structured(debate, verdict.run))
        case "moderator":
            notes = notes_of(ModeratorNotes, verdict)
            return shortened(notes.reasoning[0].text if notes is not None and notes.reasoning else "")
        case "live":
            story = notes.narrative if (notes := notes_of(LiveNotes, verdict)) is not None else None
            return shortened(story.reasoning if story is not None else "")
        case "panel":
            return shortened(_of_panel(notes_of(PanelNotes, verdict)))
        case _:
            return ""


def told_verdicts(debate: Debate, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts that tell something: of a debate that stopped on the way, those with a score."""
    if debate.status == "complete":
        return tuple(verdicts)
    return tuple(verdict for verdict in verdicts if verdict.scores)


def untold_words(debate: Debate, verdicts: Sequence[Verdict]) -> str:
    """A sentence on the verdicts that are not told."""
    told = told_verdicts(debate, verdicts)
    untold = dict.fromkeys(called(verdict, verdicts) for verdict in verdicts if verdict not in told)
    return f"No verdict yet of {', '.join(untold)}: the debate stopped before it was judged."


def worth_tracing(debate: Debate, *, again: bool = False) -> bool:
    """Whether the trace tells more than the speeches: the debate is whole, or its claims were judged.

    Of a debate that is judged `again`, the speeches are known: only standings are news.
    """
    whole = debate.status == "complete" and not again
    return whole or any(row.standing is not None for row in trace_table(debate))


def _of_structured(debate: Debate, run: str) -> str:
    """The judge's rationale, or its key insight; the first judge's who gave one."""
    given = assessments(debate, "structured", run)
    said = [item.rationale for item in given]
    said += [finding.key_insight for item in given for finding in item.findings if isinstance(finding, Insight)]
    return next((words for words in said if words.strip()), "")


def _of_panel(notes: PanelNotes | None) -> str:
    """The weightiest judge's among those who voted as the panel decided."""
    votes = notes.rounds[-1].votes if notes is not None and notes.rounds else ()
    agreeing = [vote for vote in votes if notes is not None and vote.option == notes.option and vote.rationale.strip()]
    if not agreeing:
        return ""
    chosen = max(agreeing, key=lambda vote: vote.weight)
    return f"{chosen.judge}: {chosen.rationale}"
