"""A speech as paragraphs: finished, or as far as it has been streamed. Cross-examination is told as threads.

A thread begins with the claim that is meant, then what was asked and replied about it, then what is said now, along a
rail: argument, challenge, answer, follow-up. Signs and words carry every meaning; colours only repeat them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from rich.cells import cell_len

from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response, Turn
from debate_cli.render import sanitize, theme
from debate_cli.render.cross_examination import ArgumentThread, ThreadIndex, ThreadStep
from debate_cli.render.live.column import BLANK_LINE, Paragraph, Span, Spans, cell_width, truncate_line
from debate_cli.render.live.frame import Frame
from debate_cli.render.speech_parts import SpeechPart, split_turn
from debate_cli.render.theme import Sign

INDENT: Spans = (("  ", ""),)
FREE_PHASES = ("rebuttal", "speech")
"""Phases in which one speaks freely."""
LONGEST_HEAD = 20
"""Columns of an argument's id at most."""
ON, ON_REST, END, END_REST = "├─ ", "│  ", "└─ ", "   "
"""The rail of a thread: beside a step and its further lines, where another one follows and at the last."""


@dataclass(frozen=True, slots=True)
class SpeechContext:
    """What a speech is understood by."""

    signs: Mapping[str, Sign]
    threads: ThreadIndex
    round_number: int
    """The round of the speech."""
    free: bool = False
    """Whether it is a free speech, of which responses are the heads only."""

    @classmethod
    def for_turn(cls, moment: Turn | Cue, signs: Mapping[str, Sign], threads: ThreadIndex) -> Self:
        """What a turn, or the one that a cue asks for, is understood by."""
        return cls(signs, threads, moment.round, free=moment.phase in FREE_PHASES)


def part_paragraphs(piece: SpeechPart, heard: SpeechContext) -> tuple[Paragraph, ...]:
    """One piece of a speech."""
    match piece:
        case Argument():
            return tuple(_argument(piece))
        case Response():
            thread = heard.threads.of(piece.target, heard.round_number)
            if heard.free:
                return (_head(piece, thread, heard.signs),)
            return tuple(_response(piece, _told(piece.target, heard.signs, thread)))
        case FollowUpAnswer():
            thread = heard.threads.of(piece.question_target, heard.round_number)
            return tuple(_answer(piece, _told(piece.question_target, heard.signs, thread)))
        case Closing():
            return tuple(_closing(piece))
        case str():
            return (Paragraph(_clean(piece)),)


def turn_frame(turn: Turn, signs: Mapping[str, Sign], threads: ThreadIndex, *, show_hidden: bool = False) -> Frame:
    """A finished turn in its frame, with what was noticed about it."""
    body: list[Paragraph] = []
    for piece in split_turn(turn):
        body += [BLANK_LINE] if body else []
        body += part_paragraphs(piece, SpeechContext.for_turn(turn, signs, threads))
    remarks = tuple(_remarks(turn, show_hidden=show_hidden))
    if remarks:
        body += [BLANK_LINE, *remarks]
    foot = ((format_call(turn.index, turn.exchange), theme.MUTED),)
    return Frame(frame_title(turn.speaker, signs), foot, _sign(turn.speaker, signs).colour, tuple(body))


def frame_title(speaker: str, signs: Mapping[str, Sign]) -> Spans:
    """Who speaks, for the head of a frame."""
    sign = _sign(speaker, signs)
    named = (sanitize.sanitize_line(speaker), f"bold {sign.colour}")
    return (f"{sign.symbol} ", sign.colour), named, (f" · {sanitize.sanitize_line(sign.word)}", theme.MUTED)


def format_call(index: int, exchange: ModelCall) -> str:
    """Number of the turn (as judges name it), model, time and tokens of a call, for the foot of a frame."""
    words = [f"turn {index}", sanitize.sanitize_line(exchange.model), theme.format_duration(exchange.latency_s)]
    words.append(theme.format_token_count(exchange.usage.output_tokens, exchange.usage))
    if exchange.attempts > 1:
        words.append(f"{exchange.attempts} requests")
    return " · ".join(words)


def _argument(argument: Argument) -> Iterable[Paragraph]:
    head: Span = (_id(argument.id), "reverse")
    yield _hanging((head, ("  ", "")), sanitize.sanitize_line(argument.claim), "bold")
    if argument.reasoning:
        yield Paragraph(_clean(argument.reasoning), "", INDENT, INDENT)
    if argument.evidence:
        yield Paragraph(_clean(argument.evidence), "italic", (*INDENT, ("evidence  ", theme.MUTED)), INDENT)


def _response(response: Response, told: tuple[Paragraph, ...]) -> Iterable[Paragraph]:
    sign = theme.RESPONSE_BADGES.get(response.type, theme.UNKNOWN_BADGE)
    badge: Span = (f"{sign.symbol} {sign.word}".strip(), f"bold {sign.colour}")
    yield from told
    yield _step(badge, _clean(response.reasoning), last=not response.follow_up)
    if response.follow_up:
        yield _step(("asks", theme.MUTED), _clean(response.follow_up), "italic")


def _head(response: Response, thread: ArgumentThread | None, signs: Mapping[str, Sign]) -> Paragraph:
    """A response that the words of a speech already gave."""
    sign = theme.RESPONSE_BADGES.get(response.type, theme.UNKNOWN_BADGE)
    badge: Span = (f"{sign.symbol} {sign.word}".strip(), f"bold {sign.colour}")
    owner = _sign(thread.owner, signs) if thread is not None else None
    whose: Spans = ((f"{owner.symbol} ", owner.colour),) if owner is not None else ()
    first: Spans = (badge, ("  ", ""), *whose, (_id(response.target), "bold"), ("  ", ""))
    return Paragraph(sanitize.sanitize_line(thread.claim) if thread is not None else "", theme.MUTED, first, INDENT)


def _answer(answer: FollowUpAnswer, told: tuple[Paragraph, ...]) -> Iterable[Paragraph]:
    yield from told
    yield _step(("↳ answers", f"bold {theme.BLUE}"), _clean(answer.reply), last=not answer.evaded)
    if answer.evaded:
        yield _step(("! left open", theme.GOLD), "")


def _told(target: str, signs: Mapping[str, Sign], thread: ArgumentThread | None) -> tuple[Paragraph, ...]:
    """The beginning of a thread: the claim, what was asked about it, what was replied."""
    if thread is None:
        return (Paragraph("", "", ((_id(target), "bold"),)),)
    sign = _sign(thread.owner, signs)
    head: Spans = ((f"{sign.symbol} ", sign.colour), (_id(target), "bold"), ("  ", ""))
    return _hanging(head, sanitize.sanitize_line(thread.claim), theme.MUTED), *(
        _before(step, signs) for step in thread.steps
    )


def _before(step: ThreadStep, signs: Mapping[str, Sign]) -> Paragraph:
    """What was said about the claim before."""
    who = f"{_sign(step.by, signs).symbol} {sanitize.sanitize_line(step.by)}"
    return _step(
        (f"{step.symbol} {who} {', '.join(step.actions)}", theme.MUTED), _clean(step.said), theme.MUTED, last=False
    )


def _step(badge: Span, words: str, style: str = "", *, last: bool = True) -> Paragraph:
    """A step of a thread on its rail."""
    rail, rest = (END, END_REST) if last else (ON, ON_REST)
    return Paragraph(words, style, ((rail, theme.MUTED), badge, ("  " if words else "", "")), ((rest, theme.MUTED),))


def _closing(closing: Closing) -> Iterable[Paragraph]:
    rows: list[tuple[str, Span]] = []
    for label, words in (("concedes", closing.concessions), ("unrebutted", closing.unrebutted)):
        if words:
            rows.append((label, (sanitize.sanitize_line(", ".join(words)), "")))
    if closing.shift:
        sign = theme.SHIFT_BADGES.get(closing.shift, theme.UNKNOWN_BADGE)
        rows.append(("position", (f"{sign.symbol} {sign.word}".strip(), f"bold {sign.colour}")))
    if closing.final_position:
        yield Paragraph(_clean(closing.final_position))
        yield from [BLANK_LINE] if rows else []
    yield from _labelled(rows)


def _remarks(turn: Turn, *, show_hidden: bool) -> Iterable[Paragraph]:
    rows: list[tuple[str, Span]] = []
    if turn.strategy is not None:
        rows.append(
            ("strategy", (sanitize.sanitize_line(f"{turn.strategy.name}: {turn.strategy.reason}"), theme.MUTED))
        )
    if show_hidden and turn.directive:
        rows.append(("hidden directive", (_clean(turn.directive), f"italic {theme.MUTED}")))
    rows += [("! warning", (sanitize.sanitize_line(warning), theme.GOLD)) for warning in turn.warnings]
    return _labelled(rows)


def _labelled(rows: list[tuple[str, Span]]) -> Iterable[Paragraph]:
    """Quiet labels, the words beside them with a hanging indent."""
    width = max((len(label) for label, _ in rows), default=0)
    for label, (words, style) in rows:
        yield _hanging(((f"{label:<{width}}  ", theme.MUTED),), words, style)


def _hanging(first: Spans, words: str, style: str) -> Paragraph:
    return Paragraph(words, style, first, ((" " * cell_width(first), ""),))


def _sign(speaker: str, signs: Mapping[str, Sign]) -> Sign:
    return signs.get(speaker, theme.UNKNOWN_BADGE)


def _id(text: str) -> str:
    """An id as it may stand at the head of a line."""
    words = sanitize.sanitize_line(text)
    return (
        words
        if cell_len(words) <= LONGEST_HEAD
        else "".join(part for part, _ in truncate_line([(words, "")], LONGEST_HEAD).spans)
    )


def _clean(text: str) -> str:
    """Untrusted words as they may be laid out: line breaks kept, tabs as blanks."""
    return sanitize.sanitize_text(text).strip("\n").replace("\t", "    ")
