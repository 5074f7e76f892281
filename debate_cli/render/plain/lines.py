"""A debate as plain lines: no control sequence, nothing wrapped, and every line says whose it is. No Rich.

Untrusted text cannot begin a line of its own: its line breaks become continuation lines with the same prefix.
"""

from __future__ import annotations

from collections.abc import Iterable

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response, Turn
from debate_cli.render import participants, sanitize, theme
from debate_cli.render.cross_examination import ThreadIndex
from debate_cli.render.failure_groups import FailureGroup
from debate_cli.render.judge_report import JudgeReport
from debate_cli.render.spoken import SpeechPart, split_turn


def header_lines(debate: Debate) -> list[str]:
    """The motion, who argues, who judges."""
    found = _title_lines(debate, "".join(theme.describe_kind(debate)[1:]))
    if debate.config.background:
        label = "Background" if debate.document_name is None else "Content"
        found += sanitize.prefix_lines(f"{label}: ", debate.config.background)
    found += [_participant_line("Debater", seat) for seat in participants.debater_rows(debate)]
    return found + judge_lines(debate, debate.runs[0])


def judging_header_lines(debate: Debate) -> list[str]:
    """What stands above the judging of what is there already; of a text that is judged for the first time, its judges too."""
    told = _title_lines(debate, theme.describe_judging(debate))
    return told if debate.document_name is None or debate.assessments else [*told, *judge_lines(debate, debate.runs[0])]


def _title_lines(debate: Debate, beside: str) -> list[str]:
    what, of_it = ("Debate", "Motion") if debate.document_name is None else ("Text", "Name")
    in_brackets = f" ({beside})" if beside else ""
    return [
        f"{what}: {sanitize.sanitize_line(debate.id)}{in_brackets}",
        f"{of_it}: {sanitize.sanitize_line(debate.topic)}",
    ]


def judge_lines(debate: Debate, run: JudgingRun) -> list[str]:
    """Who judges in a run."""
    return [_participant_line("Judge", seat) for seat in participants.judge_rows(debate, run)]


def round_lines(round_number: int, phase: str) -> list[str]:
    """What stands above a round."""
    return ["", f"== Round {round_number}: {theme.PHASE_LABELS.get(phase, phase)} =="]


def turn_lines(turn: Turn, threads: ThreadIndex, *, show_hidden: bool = False) -> list[str]:
    """A speech, each line beginning with its speaker; what it answers is told before the answer."""
    prefix = f"{sanitize.sanitize_line(turn.speaker)}: "
    found: list[str] = []
    for piece in split_turn(turn):
        found += [*_thread_lines(prefix, piece, threads, turn.round), *_piece_lines(prefix, piece)]
    if turn.strategy is not None:
        found.append(f"{prefix}  strategy: {sanitize.sanitize_line(f'{turn.strategy.name}: {turn.strategy.reason}')}")
    if show_hidden and turn.directive:
        found += sanitize.prefix_lines(f"{prefix}  hidden directive: ", turn.directive)
    found += [f"{prefix}  warning: {sanitize.sanitize_line(warning)}" for warning in turn.warnings]
    exchange = turn.exchange
    figures = f"{theme.format_duration(exchange.latency_s)}, {theme.format_token_count(exchange.usage.output_tokens, exchange.usage)}"
    return [*found, f"{prefix}  (turn {turn.index}, {sanitize.sanitize_line(exchange.model)}, {figures})"]


def judge_report_lines(news: JudgeReport) -> list[str]:
    """A judge's report: on one line where it is short, else a line for each thing it says."""
    gauges = ", ".join(
        f"{sanitize.sanitize_line(gauge.name)} {gauge.value:g}/{gauge.out_of:g}" for gauge in news.scores
    )
    said = [*([gauges] if gauges else []), *(sanitize.sanitize_line(words) for words in news.words)] or ["done"]
    told = said if len(news.words) > 1 else ["; ".join(said)]
    return [
        f"Judge {sanitize.sanitize_line(news.title)}: {words}"
        for words in (*told, *map(sanitize.sanitize_line, news.alerts))
    ]


def failure_lines(trouble: FailureGroup) -> list[str]:
    """Who could not do what, and why."""
    why = f"{sanitize.sanitize_line(trouble.why)} ({sanitize.sanitize_line(trouble.cause)})"
    return [f"Failed: {sanitize.sanitize_line(trouble.names)} {trouble.what}{trouble.separator}{why}"]


def _participant_line(role: str, seat: participants.ParticipantRow) -> str:
    return f"{role}: {sanitize.sanitize_line(seat.name)} ({sanitize.sanitize_line(seat.part)}), {sanitize.sanitize_line(seat.model)}"


def _thread_lines(prefix: str, piece: SpeechPart, threads: ThreadIndex, round_number: int) -> Iterable[str]:
    """What a response or an answer takes up: the claim, the questions about it, the reply to them."""
    found = threads.thread_addressed_by(piece, round_number)
    if found is None:
        return
    target, thread = found
    yield f"{prefix}on [{sanitize.sanitize_line(target)}] by {sanitize.sanitize_line(thread.owner)}: {sanitize.sanitize_line(thread.claim)}"
    yield from (f"{prefix}  {sanitize.sanitize_line(step.words)}" for step in thread.steps)


def _labelled_lines(prefix: str, words: str) -> Iterable[str]:
    """`words` behind what they are; nothing where there are none."""
    return sanitize.prefix_lines(prefix, words) if words else ()


def _piece_lines(prefix: str, piece: SpeechPart) -> Iterable[str]:
    match piece:
        case Argument():
            yield f"{prefix}[{sanitize.sanitize_line(piece.id)}] {sanitize.sanitize_line(piece.claim)}"
            yield from _labelled_lines(f"{prefix}  reasoning: ", piece.reasoning)
            yield from _labelled_lines(f"{prefix}  evidence: ", piece.evidence)
        case Response():
            sign = theme.RESPONSE_BADGES.get(piece.type, theme.UNKNOWN_BADGE)
            answered = f"{prefix}{sign.word} {sanitize.sanitize_line(piece.target)}"
            yield from sanitize.prefix_lines(f"{answered}: ", piece.reasoning) if piece.reasoning else (answered,)
            yield from _labelled_lines(f"{prefix}  asks: ", piece.follow_up)
        case FollowUpAnswer():
            left_open = " (left open)" if piece.evaded else ""
            yield from sanitize.prefix_lines(
                f"{prefix}answers on {sanitize.sanitize_line(piece.question_target)}{left_open}: ", piece.reply
            )
        case Closing():
            yield from sanitize.prefix_lines(prefix, piece.final_position)
            for label, words in (("concedes", piece.concessions), ("unrebutted", piece.unrebutted)):
                if words:
                    yield f"{prefix}  {label}: {sanitize.sanitize_line(', '.join(words))}"
            yield f"{prefix}  position: {theme.SHIFT_BADGES.get(piece.shift, theme.UNKNOWN_BADGE).word}"
        case str():
            yield from sanitize.prefix_lines(prefix, piece)
