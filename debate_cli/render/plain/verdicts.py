"""Verdicts as plain lines: who won, why, which argument held up worst, and what is missing. No Rich."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.agreement_table import build_agreement_table
from debate_cli.render.called import label_verdict
from debate_cli.render.reasons import describe_omitted_verdicts, quote_judge, reportable_verdicts
from debate_cli.render.report import DebateReport
from debate_cli.render.summary import explain_scores
from debate_cli.render.theme import shorten
from debate_cli.render.weakest import WeakestArgument, find_weakest_argument
from debate_cli.systems.structured.briefing import Briefing


def verdict_lines(debate: Debate, verdicts: Sequence[Verdict], beside: Briefing | None = None) -> list[str]:
    """Each verdict with its reasons, the one that decides first; nothing where there is none.

    What the briefing `beside` them says is not said here.
    """
    if not verdicts:
        return []
    told = reportable_verdicts(debate, verdicts)
    found = ["", "== Verdict =="]
    for verdict in told:
        decides = ", decides" if verdict.decides and len(verdicts) > 1 else ""
        found += _one_verdict_lines(
            debate, verdict, beside, sanitize.sanitize_line(label_verdict(verdict, verdicts)), decides
        )
        if verdict is verdicts[0]:
            found += _weakest_lines(find_weakest_argument(debate, verdicts))
    if len(told) < len(verdicts):
        found.append(sanitize.sanitize_line(describe_omitted_verdicts(debate, verdicts)))
    agreement = build_agreement_table(told)
    return found + [
        f"Agreement: {sanitize.sanitize_line(remark)}" for remark in (agreement.remarks if agreement else ())
    ]


def _one_verdict_lines(
    debate: Debate, verdict: Verdict, beside: Briefing | None, name: str, decides: str
) -> Iterable[str]:
    margin = f" Margin {theme.format_number(verdict.margin)}." if verdict.margin is not None else ""
    ranked = sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
    scores = ", ".join(f"{sanitize.sanitize_line(name)} {theme.format_number(score)}" for name, score in ranked)
    outcome = sanitize.sanitize_line(theme.describe_outcome(verdict, debate.document_name))
    yield f"Verdict ({name}{decides}): {outcome}{margin} {scores}".rstrip()
    if verdict.victory != "undetermined":
        numbers, said = explain_scores(verdict), quote_judge(debate, verdict, beside)
        if numbers:
            yield f"Why ({name}): {sanitize.sanitize_line(numbers)}"
        if said:
            whose = sanitize.sanitize_line(said.judge) or "a judge"
            yield f"{'  in' if numbers else 'Why, in'} {whose}'s words ({name}): “{sanitize.sanitize_line(said.words)}”"
    yield from (f"Missing ({name}): {sanitize.sanitize_line(sentence)}" for sentence in DebateReport.missing(verdict))


def _weakest_lines(found: WeakestArgument | None) -> Iterable[str]:
    if found is None:
        return
    row = found.row
    worth = f", {found.standing_and_score}" if found.standing_and_score else ""
    because = (
        f" ({' '.join(shorten(sanitize.sanitize_line(reason)) for reason in found.because)})" if found.because else ""
    )
    claim = shorten(sanitize.sanitize_line(row.claim))
    who = f"[{sanitize.sanitize_line(row.id)}] by {sanitize.sanitize_line(row.participant)}"
    yield f"{found.title}: {who}{worth}: {claim}{because}"
