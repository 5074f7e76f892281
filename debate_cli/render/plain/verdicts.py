"""Verdicts as plain lines: who won, why, which argument held up worst, and what is missing. No Rich."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import hostile, look
from debate_cli.render.called import called
from debate_cli.render.gist import reason_in_numbers
from debate_cli.render.look import shortened
from debate_cli.render.reasons import judges_words, told_verdicts, untold_words
from debate_cli.render.report import Report
from debate_cli.render.sheets.agreement import agreement_sheet
from debate_cli.render.weakest import Weakest, weakest
from debate_cli.scoring.briefing import Briefing


def verdict_lines(debate: Debate, verdicts: Sequence[Verdict], beside: Briefing | None = None) -> list[str]:
    """Each verdict with its reasons, the one that decides first; nothing where there is none.

    What the briefing `beside` them says is not said here.
    """
    if not verdicts:
        return []
    told = told_verdicts(debate, verdicts)
    found = ["", "== Verdict =="]
    for verdict in told:
        decides = ", decides" if verdict.decides and len(verdicts) > 1 else ""
        found += _verdict(debate, verdict, beside, hostile.line(called(verdict, verdicts)), decides)
        if verdict is verdicts[0]:
            found += _weakest(weakest(debate, verdicts))
    if len(told) < len(verdicts):
        found.append(hostile.line(untold_words(debate, verdicts)))
    agreement = agreement_sheet(told)
    return found + [f"Agreement: {hostile.line(remark)}" for remark in (agreement.remarks if agreement else ())]


def _verdict(debate: Debate, verdict: Verdict, beside: Briefing | None, name: str, decides: str) -> Iterable[str]:
    margin = f" Margin {look.number(verdict.margin)}." if verdict.margin is not None else ""
    ranked = sorted(verdict.figures.items(), key=lambda item: -item[1])
    scores = ", ".join(f"{hostile.line(name)} {look.number(score)}" for name, score in ranked)
    outcome = hostile.line(look.outcome(verdict, debate.text))
    yield f"Verdict ({name}{decides}): {outcome}{margin} {scores}".rstrip()
    if verdict.victory != "undetermined":
        numbers, said = reason_in_numbers(verdict), judges_words(debate, verdict, beside)
        if numbers:
            yield f"Why ({name}): {hostile.line(numbers)}"
        if said:
            whose = hostile.line(said.judge) or "a judge"
            yield f"{'  in' if numbers else 'Why, in'} {whose}'s words ({name}): “{hostile.line(said.words)}”"
    yield from (f"Missing ({name}): {hostile.line(sentence)}" for sentence in Report.missing(verdict))


def _weakest(found: Weakest | None) -> Iterable[str]:
    if found is None:
        return
    row = found.row
    worth = f", {found.worth}" if found.worth else ""
    because = f" ({' '.join(shortened(hostile.line(reason)) for reason in found.because)})" if found.because else ""
    claim = shortened(hostile.line(row.claim))
    who = f"[{hostile.line(row.id)}] by {hostile.line(row.participant)}"
    yield f"{found.title}: {who}{worth}: {claim}{because}"
