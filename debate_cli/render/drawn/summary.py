"""The closing part of a debate on a terminal: scores, trace, verdicts, briefing, agreement, usage.

What a number means and how it came about is decided in `scoring`; here it is only laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rich.console import RenderableType
from rich.text import Text

from debate_cli.domain.debate import Debate, restrict_to_runs
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.agreement import build_agreement_table, label_verdict, sort_deciding_first
from debate_cli.render.drawn.trace import trace_view
from debate_cli.render.drawn.verdicts import VerdictReasons, briefing_view, label_grid, verdict_panel
from debate_cli.render.reasons import describe_omitted_verdicts, is_trace_useful, quote_judge, reportable_verdicts
from debate_cli.render.report import ReportPart, build_debate_report
from debate_cli.render.summary import explain_scores
from debate_cli.render.terminal import join_text, render_table, section, terminal_line
from debate_cli.render.used import usage_rows
from debate_cli.render.weakest import find_weakest_argument
from debate_cli.systems.structured.briefing import Briefing, build_briefing
from debate_cli.systems.structured.trace import build_trace_table


def summary_view(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: ReportPart | None = None,
    show_hidden: bool = False,
    judged: Collection[str] | None = None,
) -> list[RenderableType]:
    """The parts that there is something to say about, in the order in which they are read; `only` picks one.

    Of a debate that stopped on the way only what was judged is shown: no table without a mark, no box without a verdict.
    `judged`: ids of the judging runs that it was just judged again by; nothing but what they brought is shown.
    """
    del show_hidden
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    traced = only == "trace" or is_trace_useful(shown, again=judged is not None)
    parts: dict[str, Callable[[], list[RenderableType]]] = {
        "scores": lambda: scores_part(shown, verdicts),
        "trace": lambda: _trace(shown) if traced else [],
        "verdict": lambda: verdict_part(shown, verdicts, build_briefing(shown) if only is None else None),
        "briefing": lambda: _briefing(shown, verdicts if only is None else ()),
        "usage": lambda: [usage_footer(debate, judged)],
    }
    return [renderable for name, part in parts.items() if only in (None, name) for renderable in part()]


def scores_part(debate: Debate, verdicts: Sequence[Verdict]) -> list[RenderableType]:
    """A score table per verdict, the deciding one first."""
    signs = theme.participant_styles(debate.participants)
    return [render_table(sheet, signs) for sheet in build_debate_report(debate, verdicts).scores]


def verdict_part(debate: Debate, verdicts: Sequence[Verdict], beside: Briefing | None = None) -> list[RenderableType]:
    """A panel per verdict, and with several how they agree; what the briefing `beside` them says is not said here."""
    signs = theme.participant_styles(debate.participants)
    ordered = sort_deciding_first(verdicts)
    shown = reportable_verdicts(debate, ordered)
    reasons = [_reasons(debate, ordered, item, beside) for item in shown]
    panels = [
        verdict_panel(item, signs, why, label_verdict(item, ordered) if len(ordered) > 1 else None)
        for item, why in zip(shown, reasons, strict=True)
    ]
    if len(shown) < len(ordered):
        panels.append(
            join_text(("! ", theme.GOLD), terminal_line(describe_omitted_verdicts(debate, ordered), theme.MUTED))
        )
    agreement = build_agreement_table(shown)
    if agreement is not None:
        panels.append(render_table(agreement, signs))
    return [Text(""), *panels] if panels else []


def _reasons(debate: Debate, verdicts: Sequence[Verdict], verdict: Verdict, beside: Briefing | None) -> VerdictReasons:
    head = verdict is verdicts[0]
    return VerdictReasons(
        numbers=explain_scores(verdict),
        judges=quote_judge(debate, verdict, beside),
        text=debate.document_name,
        weakest=find_weakest_argument(debate, verdicts) if head else None,
    )


def usage_footer(debate: Debate, judged: Collection[str] | None = None) -> RenderableType:
    """What the debate used and how long its calls took; before that, what the judging runs of those ids did."""
    rows = usage_rows(debate, judged)
    if judged is not None:
        return section("usage", label_grid([(of, Text(words)) for of, words in rows]))
    return section("usage", Text(rows[0][1]))


def _trace(debate: Debate) -> list[RenderableType]:
    rows = build_trace_table(debate)
    return [trace_view(rows, theme.participant_styles(debate.participants))] if rows else []


def _briefing(debate: Debate, verdicts: Sequence[Verdict]) -> list[RenderableType]:
    found = build_briefing(debate)
    head = sort_deciding_first(verdicts)[:1]
    outcome = "".join(
        f"{theme.describe_outcome(verdict).rstrip('.')} ({label_verdict(verdict, verdicts)})"
        for verdict in head
        if verdict.scores
    )
    return [briefing_view(found, outcome)] if found is not None else []
