"""A debate as plain lines: no control sequence, nothing wrapped, and every line says whose it is. No Rich.

Untrusted text cannot begin a line of its own: its line breaks become continuation lines with the same prefix.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from debate_cli.domain.content import Answer, Argument, Closing, Response, Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.domain.judged import judged_by
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Verdict
from debate_cli.render import cast, hostile, look
from debate_cli.render.news import News
from debate_cli.render.reasons import worth_tracing
from debate_cli.render.report import Part, report
from debate_cli.render.sheets.sheet import Cell, Curve, Gauge, Lines, Number, Sheet, Who
from debate_cli.render.spoken import Piece, of_turn
from debate_cli.render.threads import Threads
from debate_cli.render.troubles import Trouble
from debate_cli.render.used import usage_rows
from debate_cli.render.verdict_lines import verdict_lines
from debate_cli.scoring.briefing import Briefing

CLOSES: dict[CloseReason, str] = {
    "complete": "The debate is complete.",
    "surrender": "The debate ends: at most one debater still stands.",
    "converged": "The debate ends: nothing new has been said for a full round.",
    "budget": "The debate stops: the budget is reached. It can be resumed.",
    "interrupted": "The debate stops: interrupted. It can be resumed.",
    "failed": "The debate stops: a debater could not answer. It can be resumed.",
}
"""What each close means, in a sentence."""


def header_lines(debate: Debate) -> list[str]:
    """The motion, who argues, who judges."""
    found = [
        f"Debate: {debate.id} ({debate.config.format.kind.replace('_', '-')})",
        f"Motion: {hostile.line(debate.topic)}",
    ]
    if debate.config.background:
        found += _prefixed("Background: ", debate.config.background)
    found += [_seat("Debater", seat) for seat in cast.debaters(debate)]
    return found + judge_lines(debate, debate.runs[0])


def judge_lines(debate: Debate, run: JudgingRun) -> list[str]:
    """Who judges in a run."""
    return [_seat("Judge", seat) for seat in cast.judges(debate, run)]


def round_lines(round_number: int, phase: str) -> list[str]:
    """What stands above a round."""
    return ["", f"== Round {round_number}: {look.PHASES.get(phase, phase)} =="]


def turn_lines(turn: Turn, threads: Threads, *, show_hidden: bool = False) -> list[str]:
    """A speech, each line beginning with its speaker; what it answers is told before the answer."""
    prefix = f"{hostile.line(turn.speaker)}: "
    found: list[str] = []
    for piece in of_turn(turn):
        found += [*_thread_lines(prefix, piece, threads, turn.round), *_piece_lines(prefix, piece)]
    if turn.strategy is not None:
        found.append(f"{prefix}  strategy: {hostile.line(f'{turn.strategy.name}: {turn.strategy.reason}')}")
    if show_hidden and turn.directive:
        found += _prefixed(f"{prefix}  hidden directive: ", turn.directive)
    found += [f"{prefix}  warning: {hostile.line(warning)}" for warning in turn.warnings]
    exchange = turn.exchange
    figures = f"{look.seconds(exchange.latency_s)}, {look.tokens(exchange.usage.output_tokens)} tokens"
    return [*found, f"{prefix}  (turn {turn.index}, {hostile.line(exchange.model)}, {figures})"]


def news_lines(news: News) -> list[str]:
    """A judge's report on one line."""
    gauges = [f"{hostile.line(gauge.name)} {gauge.value:g}/{gauge.out_of:g}" for gauge in news.gauges]
    said = "; ".join([*([", ".join(gauges)] if gauges else []), *(hostile.line(words) for words in news.words)])
    alarms = [f"Judge {hostile.line(news.title)}: {hostile.line(alarm)}" for alarm in news.alarms]
    return [f"Judge {hostile.line(news.title)}: {said or 'done'}", *alarms]


def trouble_lines(trouble: Trouble) -> list[str]:
    """Who could not do what, and why."""
    why = f"{hostile.line(trouble.why)} ({hostile.line(trouble.cause)})"
    return [f"Failed: {hostile.line(trouble.whom)} {trouble.what}{trouble.joint}{why}"]


def summary_lines(
    debate: Debate, verdicts: Sequence[Verdict], *, only: Part | None = None, judged: Collection[str] | None = None
) -> list[str]:
    """The closing part: scores, trace, verdicts, briefing, agreement, usage; `only` picks one of the first four.

    `judged`: ids of the judging runs that the debate was just judged again by; nothing but what they brought is told.
    """
    shown = debate if judged is None else judged_by(debate, judged)
    told = report(shown, verdicts)
    traced = only == "trace" or worth_tracing(shown, again=judged is not None)
    parts: dict[str, list[str]] = {
        "scores": [line for sheet in told.scores for line in sheet_lines(sheet)],
        "trace": sheet_lines(told.trace) if told.trace and traced else [],
        "verdict": verdict_lines(shown, told.verdicts, told.briefing if only is None else None),
        "briefing": _briefing_lines(told.briefing) if told.briefing is not None else [],
        "usage": ["", *(f"Usage{f' of {of}' if of else ''}: {words}" for of, words in usage_rows(debate, judged))],
    }
    return [line for name, found in parts.items() if only in (None, name) for line in found]


def _briefing_lines(briefing: Briefing) -> list[str]:
    found = ["", "== Briefing ==", *_prefixed("Key insight: ", briefing.key_insight)]
    for label, claims in (
        ("Rely on", briefing.rely_on),
        ("Use within limits", briefing.limit),
        ("Do not use", briefing.not_to_use),
        ("Uncertain", briefing.uncertain),
    ):
        found += [f"{label}: [{hostile.line(claim.id)}] {hostile.line(claim.claim)}" for claim in claims]
    found += [f"Open question: {hostile.line(question)}" for question in briefing.unresolved_questions]
    return [*found, *_prefixed("Recommendation: ", briefing.recommendation), hostile.line(briefing.caveat)]


def sheet_lines(sheet: Sheet) -> list[str]:
    """A row a line: the first cell, then each other cell after its head."""
    found = ["", f"== {hostile.line(sheet.title).capitalize()} =="]
    for row in sheet.rows:
        if row is not None:
            cells = [(hostile.line(head), _cell_words(cell)) for head, cell in zip(sheet.heads, row, strict=True)]
            rest = "; ".join(f"{head}: {words}" if head else words for head, words in cells[1:] if words)
            found.append(f"{cells[0][1]}: {rest}" if rest else cells[0][1])
    return found + [hostile.line(remark) for remark in sheet.remarks]


def _cell_words(cell: Cell) -> str:
    match cell:
        case None | Gauge():
            return ""
        case str():
            return hostile.line(cell)
        case Who():
            return hostile.line(cell.name) if cell.name is not None else "nobody"
        case Number():
            return "—" if cell.value is None else look.number(cell.value, cell.digits)
        case Curve():
            return " → ".join(look.number(value) for value in cell.values)
        case look.Sign():
            return cell.word
        case Lines():
            return ", ".join(_cell_words(inner) for inner in cell.cells)


def _seat(role: str, seat: cast.Seat) -> str:
    return f"{role}: {hostile.line(seat.name)} ({hostile.line(seat.part)}), {hostile.line(seat.model)}"


def _thread_lines(prefix: str, piece: Piece, threads: Threads, round_number: int) -> Iterable[str]:
    """What a response or an answer takes up: the claim, the questions about it, the reply to them."""
    found = threads.before(piece, round_number)
    if found is None:
        return
    target, thread = found
    yield f"{prefix}on [{hostile.line(target)}] by {hostile.line(thread.owner)}: {hostile.line(thread.claim)}"
    yield from (f"{prefix}  {hostile.line(step.words)}" for step in thread.steps)


def _piece_lines(prefix: str, piece: Piece) -> Iterable[str]:
    match piece:
        case Argument():
            yield f"{prefix}[{hostile.line(piece.id)}] {hostile.line(piece.claim)}"
            yield from _prefixed(f"{prefix}  reasoning: ", piece.reasoning)
            yield from _prefixed(f"{prefix}  evidence: ", piece.evidence)
        case Response():
            sign = look.RESPONSES.get(piece.type, look.UNKNOWN)
            yield from _prefixed(f"{prefix}{sign.word} {hostile.line(piece.target)}: ", piece.reasoning)
            if piece.follow_up:
                yield from _prefixed(f"{prefix}  asks: ", piece.follow_up)
        case Answer():
            left_open = " (left open)" if piece.evaded else ""
            yield from _prefixed(f"{prefix}answers on {hostile.line(piece.question_target)}{left_open}: ", piece.reply)
        case Closing():
            yield from _prefixed(prefix, piece.final_position)
            for label, words in (("concedes", piece.concessions), ("unrebutted", piece.unrebutted)):
                if words:
                    yield f"{prefix}  {label}: {hostile.line(', '.join(words))}"
            yield f"{prefix}  position: {look.SHIFTS.get(piece.shift, look.UNKNOWN).word}"
        case str():
            yield from _prefixed(prefix, piece)


def _prefixed(prefix: str, text: str) -> list[str]:
    """The lines of `text`, each after `prefix`; empty lines are left out."""
    return [f"{prefix}{line}" for line in hostile.clean(text).splitlines() if line.strip()] or [prefix.rstrip()]
