"""The closing part of a debate as plain lines. No Rich."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from debate_cli.domain.debate import Debate, restrict_to_runs
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize
from debate_cli.render.plain.sheet import table_lines
from debate_cli.render.plain.verdicts import verdict_lines
from debate_cli.render.reasons import is_trace_useful
from debate_cli.render.report import ReportPart, build_debate_report
from debate_cli.render.used import usage_rows
from debate_cli.systems.structured.briefing import Briefing


def summary_lines(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: ReportPart | None = None,
    judged: Collection[str] | None = None,
) -> list[str]:
    """The closing part: scores, trace, verdicts, briefing, agreement, usage; `only` picks one of the first four.

    `judged`: ids of the judging runs that the debate was just judged again by; nothing but what they brought is told.
    """
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    told = build_debate_report(shown, verdicts)
    traced = only == "trace" or is_trace_useful(shown, again=judged is not None)
    parts: dict[str, list[str]] = {
        "scores": [line for sheet in told.scores for line in table_lines(sheet)],
        "trace": table_lines(told.trace) if told.trace and traced else [],
        "verdict": verdict_lines(shown, told.verdicts, told.briefing if only is None else None),
        "briefing": _briefing_lines(told.briefing) if told.briefing is not None else [],
        "usage": ["", *(f"Usage{f' of {of}' if of else ''}: {words}" for of, words in usage_rows(debate, judged))],
    }
    return [line for name, found in parts.items() if only in (None, name) for line in found]


def _briefing_lines(briefing: Briefing) -> list[str]:
    found = ["", "== Briefing ==", *sanitize.prefix_lines("Key insight: ", briefing.key_insight)]
    for label, claims in (
        ("Rely on", briefing.rely_on),
        ("Use within limits", briefing.limit),
        ("Do not use", briefing.not_to_use),
        ("Uncertain", briefing.uncertain),
    ):
        found += [
            f"{label}: [{sanitize.sanitize_line(claim.id)}] {sanitize.sanitize_line(claim.claim)}" for claim in claims
        ]
    found += [f"Open question: {sanitize.sanitize_line(question)}" for question in briefing.unresolved_questions]
    return [
        *found,
        *sanitize.prefix_lines("Recommendation: ", briefing.recommendation),
        sanitize.sanitize_line(briefing.caveat),
    ]
