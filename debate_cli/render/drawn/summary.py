"""The closing part of a debate on a terminal: scores, trace, verdicts, briefing, agreement, usage.

What a number means and how it came about is decided in `scoring`; here it is only laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rich.console import RenderableType
from rich.text import Text

from debate_cli.domain.debate import Debate
from debate_cli.domain.judged import judged_by
from debate_cli.domain.verdict import Verdict
from debate_cli.render import look
from debate_cli.render.called import called, deciding_first
from debate_cli.render.drawn.safe import joined, safe_line
from debate_cli.render.drawn.sheets import drawn
from debate_cli.render.drawn.tables import section
from debate_cli.render.drawn.trace import trace
from debate_cli.render.drawn.verdicts import Reasons, briefing_view, labelled, verdict_panel
from debate_cli.render.gist import reason_in_numbers
from debate_cli.render.reasons import judges_words, told_verdicts, untold_words, worth_tracing
from debate_cli.render.report import Part, report
from debate_cli.render.sheets.agreement import agreement_sheet
from debate_cli.render.used import usage_rows
from debate_cli.render.weakest import weakest
from debate_cli.scoring.briefing import Briefing, briefing
from debate_cli.scoring.trace import trace_table


def summary(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: Part | None = None,
    show_hidden: bool = False,
    judged: Collection[str] | None = None,
) -> list[RenderableType]:
    """The parts that there is something to say about, in the order in which they are read; `only` picks one.

    Of a debate that stopped on the way only what was judged is shown: no table without a mark, no box without a verdict.
    `judged`: ids of the judging runs that it was just judged again by; nothing but what they brought is shown.
    """
    del show_hidden
    shown = debate if judged is None else judged_by(debate, judged)
    traced = only == "trace" or worth_tracing(shown, again=judged is not None)
    parts: dict[str, Callable[[], list[RenderableType]]] = {
        "scores": lambda: scores(shown, verdicts),
        "trace": lambda: _trace(shown) if traced else [],
        "verdict": lambda: verdict_part(shown, verdicts, briefing(shown) if only is None else None),
        "briefing": lambda: _briefing(shown, verdicts if only is None else ()),
        "usage": lambda: [usage_footer(debate, judged)],
    }
    return [renderable for name, part in parts.items() if only in (None, name) for renderable in part()]


def scores(debate: Debate, verdicts: Sequence[Verdict]) -> list[RenderableType]:
    """A score table per verdict, the deciding one first."""
    signs = look.voices(debate.participants)
    return [drawn(sheet, signs) for sheet in report(debate, verdicts).scores]


def verdict_part(debate: Debate, verdicts: Sequence[Verdict], beside: Briefing | None = None) -> list[RenderableType]:
    """A panel per verdict, and with several how they agree; what the briefing `beside` them says is not said here."""
    signs = look.voices(debate.participants)
    ordered = deciding_first(verdicts)
    shown = told_verdicts(debate, ordered)
    reasons = [_reasons(debate, ordered, item, beside) for item in shown]
    panels = [
        verdict_panel(item, signs, why, called(item, ordered) if len(ordered) > 1 else None)
        for item, why in zip(shown, reasons, strict=True)
    ]
    if len(shown) < len(ordered):
        panels.append(joined(("! ", look.GOLD), safe_line(untold_words(debate, ordered), look.QUIET)))
    agreement = agreement_sheet(shown)
    if agreement is not None:
        panels.append(drawn(agreement, signs))
    return [Text(""), *panels] if panels else []


def _reasons(debate: Debate, verdicts: Sequence[Verdict], verdict: Verdict, beside: Briefing | None) -> Reasons:
    head = verdict is verdicts[0]
    return Reasons(
        numbers=reason_in_numbers(verdict),
        judges=judges_words(debate, verdict, beside),
        text=debate.text,
        weakest=weakest(debate, verdicts) if head else None,
    )


def usage_footer(debate: Debate, judged: Collection[str] | None = None) -> RenderableType:
    """What the debate used and how long its calls took; before that, what the judging runs of those ids did."""
    rows = usage_rows(debate, judged)
    if judged is not None:
        return section("usage", labelled([(of, Text(words)) for of, words in rows]))
    return section("usage", Text(rows[0][1]))


def _trace(debate: Debate) -> list[RenderableType]:
    rows = trace_table(debate)
    return [trace(rows, look.voices(debate.participants))] if rows else []


def _briefing(debate: Debate, verdicts: Sequence[Verdict]) -> list[RenderableType]:
    found = briefing(debate)
    head = deciding_first(verdicts)[:1]
    outcome = "".join(
        f"{look.outcome(verdict).rstrip('.')} ({called(verdict, verdicts)})" for verdict in head if verdict.scores
    )
    return [briefing_view(found, outcome)] if found is not None else []
