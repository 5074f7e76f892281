"""A debate as plain lines: no control sequence, nothing wrapped, and every line says whose it is. No Rich.

Untrusted text cannot begin a line of its own: its line breaks become continuation lines with the same prefix.
"""

from __future__ import annotations

from collections.abc import Iterable

from debate_cli.domain.content import Answer, Argument, Closing, Response, Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.render import cast, hostile, look
from debate_cli.render.news import News
from debate_cli.render.spoken import Piece, of_turn
from debate_cli.render.threads import Threads
from debate_cli.render.troubles import Trouble


def header_lines(debate: Debate) -> list[str]:
    """The motion, who argues, who judges."""
    found = _titled(debate, "".join(look.kind_words(debate)[1:]))
    if debate.config.background:
        label = "Background" if debate.text is None else "Content"
        found += hostile.prefixed(f"{label}: ", debate.config.background)
    found += [_seat("Debater", seat) for seat in cast.debaters(debate)]
    return found + judge_lines(debate, debate.runs[0])


def judged_lines(debate: Debate) -> list[str]:
    """What stands above the judging of what is there already; of a text that is judged for the first time, its judges too."""
    told = _titled(debate, look.judged_words(debate))
    return told if debate.text is None or debate.assessments else [*told, *judge_lines(debate, debate.runs[0])]


def _titled(debate: Debate, beside: str) -> list[str]:
    what, of_it = ("Debate", "Motion") if debate.text is None else ("Text", "Name")
    in_brackets = f" ({beside})" if beside else ""
    return [f"{what}: {hostile.line(debate.id)}{in_brackets}", f"{of_it}: {hostile.line(debate.topic)}"]


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
        found += hostile.prefixed(f"{prefix}  hidden directive: ", turn.directive)
    found += [f"{prefix}  warning: {hostile.line(warning)}" for warning in turn.warnings]
    exchange = turn.exchange
    figures = f"{look.seconds(exchange.latency_s)}, {look.counted(exchange.usage.output_tokens, exchange.usage)}"
    return [*found, f"{prefix}  (turn {turn.index}, {hostile.line(exchange.model)}, {figures})"]


def news_lines(news: News) -> list[str]:
    """A judge's report: on one line where it is short, else a line for each thing it says."""
    gauges = ", ".join(f"{hostile.line(gauge.name)} {gauge.value:g}/{gauge.out_of:g}" for gauge in news.gauges)
    said = [*([gauges] if gauges else []), *(hostile.line(words) for words in news.words)] or ["done"]
    told = said if len(news.words) > 1 else ["; ".join(said)]
    return [f"Judge {hostile.line(news.title)}: {words}" for words in (*told, *map(hostile.line, news.alarms))]


def trouble_lines(trouble: Trouble) -> list[str]:
    """Who could not do what, and why."""
    why = f"{hostile.line(trouble.why)} ({hostile.line(trouble.cause)})"
    return [f"Failed: {hostile.line(trouble.whom)} {trouble.what}{trouble.joint}{why}"]


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


def _labelled(prefix: str, words: str) -> Iterable[str]:
    """`words` behind what they are; nothing where there are none."""
    return hostile.prefixed(prefix, words) if words else ()


def _piece_lines(prefix: str, piece: Piece) -> Iterable[str]:
    match piece:
        case Argument():
            yield f"{prefix}[{hostile.line(piece.id)}] {hostile.line(piece.claim)}"
            yield from _labelled(f"{prefix}  reasoning: ", piece.reasoning)
            yield from _labelled(f"{prefix}  evidence: ", piece.evidence)
        case Response():
            sign = look.RESPONSES.get(piece.type, look.UNKNOWN)
            answered = f"{prefix}{sign.word} {hostile.line(piece.target)}"
            yield from hostile.prefixed(f"{answered}: ", piece.reasoning) if piece.reasoning else (answered,)
            yield from _labelled(f"{prefix}  asks: ", piece.follow_up)
        case Answer():
            left_open = " (left open)" if piece.evaded else ""
            yield from hostile.prefixed(
                f"{prefix}answers on {hostile.line(piece.question_target)}{left_open}: ", piece.reply
            )
        case Closing():
            yield from hostile.prefixed(prefix, piece.final_position)
            for label, words in (("concedes", piece.concessions), ("unrebutted", piece.unrebutted)):
                if words:
                    yield f"{prefix}  {label}: {hostile.line(', '.join(words))}"
            yield f"{prefix}  position: {look.SHIFTS.get(piece.shift, look.UNKNOWN).word}"
        case str():
            yield from hostile.prefixed(prefix, piece)
