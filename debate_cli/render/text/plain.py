"""Formats a debate as plain lines, for pipes and screen readers: no control sequences, no wrapping.

Each line of a speech starts with the speaker's name, so untrusted text never starts a line.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TextIO

from debate_cli.domain.debate import Debate, restrict_to_runs
from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    DebateOpened,
    DebateResumed,
    Event,
    JudgingOpened,
    TaskFailed,
    TurnCompleted,
)
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Cue, Task
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response, Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.observer import is_judging_only
from debate_cli.render import theme
from debate_cli.render.content import chair, participants
from debate_cli.render.content.report import SCREEN_PARTS, Block, ReportPart, VerdictReport, build_debate_report
from debate_cli.render.content.run_notices import FailureNotice, FailureNotices, JudgeReport, build_judge_report
from debate_cli.render.content.speech_parts import CitationIndex, SpeechPart, ThreadIndex, index_citations, split_turn
from debate_cli.render.content.summary import SummaryRow, change_lines, closing_rows, format_ranked_scores, usage_rows
from debate_cli.render.sanitize import prefix_lines, sanitize_line
from debate_cli.systems.tables import Badge, Cell, Curve, DebaterCell, Gauge, Interval, Lines, Number, Table, TableRow

MAX_SHORT_CELL = 24
"""Maximum length of a cell's text that shares a line with other cells."""
UNNAMED_NUMBERS = frozenset({"score", "sum"})
"""Headers that are not repeated before the main number of a row."""
_SCALE = re.compile(r" (/[\d.]+|\d+%)$")
"""Matches a scale or a weight at the end of a column header."""


def header_lines(debate: Debate, plan: theme.RunPlan = theme.NO_PLAN) -> list[str]:
    """Return lines on motion, debaters, judges, servers that are not built in, and planned calls."""
    lines = [
        *filter(None, [participants.rehearsal_notice(debate)]),
        *_title_lines(debate, "".join(theme.describe_kind(debate)[1:])),
    ]
    label = "Background" if debate.document_name is None else "Content"
    lines += [f"{label}: {line}" for line in theme.background_excerpt(debate.config.background)]
    lines += [_participant_line("Debater", row) for row in participants.debater_rows(debate)]
    lines += [*judge_lines(debate, debate.runs[0]), *(f"Server: {sanitize_line(server)}" for server in plan.servers)]
    calls = f"{plan.calls} calls{f', {plan.cost}' if plan.cost else ''}"
    return [*lines, *([f"Planned: {calls}"] if plan.calls is not None else [])]


def judging_header_lines(debate: Debate) -> list[str]:
    """Return the heading of `debate judge`: the motion, and the judges of a text that has no judgments yet."""
    lines = _title_lines(debate, theme.describe_judging(debate))
    is_first = debate.document_name is not None and not debate.assessments
    return [*lines, *judge_lines(debate, debate.runs[0])] if is_first else lines


def _title_lines(debate: Debate, kind: str) -> list[str]:
    what, label = ("Debate", "Motion") if debate.document_name is None else ("Text", "Name")
    return [
        f"{what}: {sanitize_line(debate.id)}{f' ({kind})' if kind else ''}",
        f"{label}: {sanitize_line(debate.topic)}",
        *(f"Question: {sanitize_line(question)}" for question in filter(None, [debate.config.judging.question])),
    ]


def judge_lines(debate: Debate, run: JudgingRun) -> list[str]:
    """Return a line per judge of a judging run."""
    return [_participant_line("Judge", row) for row in participants.judge_rows(debate, run)]


def _participant_line(role: str, row: participants.ParticipantRow) -> str:
    return f"{role}: {sanitize_line(row.name)} ({sanitize_line(row.part)}), {sanitize_line(row.model)}"


def turn_lines(turn: Turn, threads: ThreadIndex, citations: CitationIndex, *, show_hidden: bool = False) -> list[str]:
    """Return the lines of a speech. Each line starts with the speaker. A claim comes before the answer to it."""
    prefix = f"{sanitize_line(turn.speaker)}: "
    lines: list[str] = []
    for part in split_turn(turn):
        lines += [*_thread_lines(prefix, part, threads, turn.round), *_part_lines(prefix, part)]
        for item in citations.beside(turn.index, part):
            source = f"{item.check.source} {item.title}".rstrip()
            lines.append(f"{prefix}  {sanitize_line(f'cites {source}: “{item.check.quote}” — {item.finding}')}")
    if turn.strategy is not None:
        lines.append(f"{prefix}  strategy: {sanitize_line(f'{turn.strategy.name}: {turn.strategy.reason}')}")
    if show_hidden and turn.directive:
        lines += prefix_lines(f"{prefix}  hidden directive: ", turn.directive)
    lines += [f"{prefix}  warning: {sanitize_line(warning)}" for warning in turn.warnings]
    return [*lines, f"{prefix}  ({sanitize_line(', '.join(participants.describe_call(turn)))})"]


def chair_lines(announcement: str) -> list[str]:
    """Return the line of the chair's announcement; no line if it is empty."""
    return [f"Chair: {sanitize_line(announcement)}"] if announcement else []


def judge_report_lines(report: JudgeReport) -> list[str]:
    """Return a judge's report: the judge and the scores on one line, then a line per sentence.

    The first line contains the first sentence if it is the only one, or if there are no scores.
    """
    scores = ", ".join(f"{sanitize_line(item.participant)} {item.value:g}/{item.out_of:g}" for item in report.scores)
    sentences = [sanitize_line(words) for words in (*report.words, *report.alerts)]
    if len(sentences) == 1 or not scores:
        scores, sentences = "; ".join(filter(None, (scores, *sentences[:1]))), sentences[1:]
    heading = f"Judge {sanitize_line(report.title)}: {scores or 'done'}"
    return [heading, *(f"  - {sentence}" for sentence in sentences)]


def failure_lines(notice: FailureNotice) -> list[str]:
    """Return the line on a failed call: who, what, why, and the kind of the error."""
    return [f"Failed: {sanitize_line(notice.who)} {sanitize_line(notice.what)} ({sanitize_line(notice.cause)})"]


def _thread_lines(prefix: str, piece: SpeechPart, threads: ThreadIndex, round_number: int) -> Iterable[str]:
    """Yield the claim that a response or answer refers to, then the questions and the reply so far."""
    found = threads.thread_addressed_by(piece, round_number)
    if found is None:
        return
    target, thread = found
    yield f"{prefix}on [{sanitize_line(target)}] by {sanitize_line(thread.owner)}: {sanitize_line(thread.claim)}"
    yield from (f"{prefix}  {sanitize_line(step.words)}" for step in thread.steps)


def _part_lines(prefix: str, piece: SpeechPart) -> Iterable[str]:
    match piece:
        case Argument():
            yield f"{prefix}[{sanitize_line(piece.id)}] {sanitize_line(piece.claim)}"
            for label, words in (("reasoning", piece.reasoning), ("evidence", piece.evidence)):
                yield from prefix_lines(f"{prefix}  {label}: ", words) if words else ()
        case Response():
            sign = theme.RESPONSE_BADGES.get(piece.type, theme.UNKNOWN_BADGE)
            answered = f"{prefix}{sign.word} {sanitize_line(piece.target)}"
            yield from prefix_lines(f"{answered}: ", piece.reasoning) if piece.reasoning else (answered,)
            yield from prefix_lines(f"{prefix}  asks: ", piece.follow_up) if piece.follow_up else ()
        case FollowUpAnswer():
            left_open = " (not answered)" if piece.evaded else ""
            yield from prefix_lines(
                f"{prefix}answers on {sanitize_line(piece.question_target)}{left_open}: ", piece.reply
            )
        case Closing():
            yield from prefix_lines(prefix, piece.final_position)
            for label, words in (("concedes", piece.concessions), ("unrebutted", piece.unrebutted)):
                if words:
                    yield f"{prefix}  {label}: {sanitize_line(', '.join(words))}"
            why = f": {sanitize_line(piece.why)}" if piece.why else ""
            yield f"{prefix}  position: {theme.SHIFT_BADGES.get(piece.shift, theme.UNKNOWN_BADGE).word}{why}"
        case str():
            yield from prefix_lines(prefix, piece)


def table_lines(table: Table, badges: Mapping[str, str] | None = None) -> list[str]:
    """Return a heading, then a line per row: `PRO-1  upheld  7.4  (logic 7, evidence 7, response 9, honesty 7)`.

    The main number comes before the other short cells, which are in parentheses. Each long text has a separate line.
    `badges`: maps the text of a first cell to a word that is added to its row.
    """
    weights = [sanitize_line(header) for header in table.heads if header.endswith("%")]
    heading = f"{sanitize_line(table.heading)} ({', '.join(weights)})" if weights else sanitize_line(table.heading)
    lines = ["", f"== {heading} =="]
    main = _main_column(table)
    for row in table.rows:
        if row is not None:
            lines += _table_row_lines(table, row, main, badges or {})
    return lines + [sanitize_line(remark) for remark in table.remarks]


def _table_row_lines(table: Table, row: TableRow, main: int | None, badges: Mapping[str, str]) -> Iterable[str]:
    first = _format_cell(row[0])
    plain, pairs, long = [badges[first]] if first in badges else [], list[str](), list[str]()
    for position, cell in enumerate(row[1:], 1):
        header, words = sanitize_line(table.heads[position]), _format_cell(cell)
        if not words:
            continue
        if position == main:
            name = _SCALE.sub("", header)
            plain.append(
                _with_scale(words, header) if name in UNNAMED_NUMBERS else f"{name} {_with_scale(words, header)}"
            )
        elif isinstance(cell, DebaterCell | Badge) and header not in {"A", "B"}:
            plain.append(words)
        elif len(words) > MAX_SHORT_CELL:
            long.append(f"{header}: {words}" if header else words)
        else:
            name, colon = _SCALE.sub("", header), ":" if isinstance(cell, str | Lines) and header else ""
            pairs.append(f"{name}{colon} {_with_scale(words, header)}".strip())
    label = f"{table.heads[0]} {first}" if first.isdigit() else first
    details = ", ".join(pairs)
    yield "  ".join(filter(None, (label, *plain, f"({details})" if plain and details else details)))
    yield from (f"  {line}" for line in long)


def _main_column(table: Table) -> int | None:
    rows = [row for row in table.rows if row is not None]
    columns = range(1, len(table.heads))
    strong = (n for n in columns if any(_is_strong(row[n]) for row in rows))
    numeric = [n for n in columns if n in table.numeric and n + 1 < len(table.heads)]
    before_bar = (n for n in numeric if any(isinstance(row[n + 1], Gauge) for row in rows))
    return next(strong, next(before_bar, None))


def _is_strong(cell: Cell) -> bool:
    return isinstance(cell, Number) and cell.strong


def _with_scale(words: str, header: str) -> str:
    found = _SCALE.search(header)
    return f"{words}{found[1]}" if found is not None and found[1].startswith("/") and words != "—" else words


def _format_cell(cell: Cell) -> str:
    match cell:
        case None | Gauge() | Interval():
            return ""
        case str():
            return sanitize_line(cell)
        case DebaterCell():
            return sanitize_line(cell.name) if cell.name is not None else "no debater"
        case Number():
            return "—" if cell.value is None else theme.format_number(cell.value, cell.digits)
        case Curve():
            return " → ".join(theme.format_number(value) for value in cell.values)
        case Badge():
            return sanitize_line(cell.word)
        case Lines():
            return ", ".join(_format_cell(inner) for inner in cell.cells)


def closing_lines(debate: Debate, verdicts: Sequence[Verdict], judged: Collection[str] | None = None) -> list[str]:
    """Return the lines of the verdict and the main facts.

    `judged`: ids of the judging runs just added; only their results are shown.
    """
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    summary, rows = closing_rows(shown, verdicts)
    authority = f" ({sanitize_line(summary.authority)})" if summary.authority else ""
    lines = ["", "== Verdict ==", f"{sanitize_line(summary.answer)}{authority}"]
    lines += _row_lines([*rows, *usage_rows(debate, judged)])
    return [*lines, *filter(None, [participants.rehearsal_notice(debate)])]


def details_lines(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: ReportPart | None = None,
    judged: Collection[str] | None = None,
) -> list[str]:
    """Return the lines of all parts of the report. `only`: the only part to write; `judged`: as for `closing_lines`."""
    report = build_debate_report(debate, verdicts, only=only, judged=judged)
    standings = {row.id: theme.STANDING_BADGES[row.standing].word for row in report.trace_rows if row.standing}
    lines: list[str] = []
    for part, blocks in report.blocks(SCREEN_PARTS):
        for block in blocks:
            lines += _block_lines(block, standings if part == "scores" else {})
        lines += filter(None, [report.rehearsal if part == "usage" else ""])
    return lines


def _block_lines(block: Block, badges: Mapping[str, str]) -> list[str]:
    if isinstance(block, Table):
        return table_lines(block, badges)
    if isinstance(block, VerdictReport):
        title = f"{block.title[:1].upper()}{block.title[1:]}"
        answer = f"{block.answer} {format_ranked_scores(block.verdict)}"
        return ["", f"== {sanitize_line(title)} ==", sanitize_line(answer), *_row_lines(block.rows)]
    return [*(["", f"== {block.title.capitalize()} =="] if block.title else []), *_row_lines(block.rows)]


def _row_lines(rows: Iterable[SummaryRow]) -> Iterable[str]:
    """Yield `Label: cell  cell` for each row; a row without a label is indented."""
    for row in rows:
        words = "  ".join(filter(None, map(_format_cell, row.cells)))
        yield sanitize_line(f"{row.label[:1].upper()}{row.label[1:]}:") + f" {words}" if row.label else f"  {words}"


def _reading_position(event: Event) -> float:
    return event.turn.index if isinstance(event, TurnCompleted) else math.inf


class PlainObserver:
    """Observer that writes turns and judgments to `stream` as plain lines.

    Simultaneous speeches are written in the order of the debate, because a line cannot be inserted later.
    """

    def __init__(self, stream: TextIO, *, show_hidden: bool = False, plan: theme.RunPlan = theme.NO_PLAN) -> None:
        """`show_hidden`: write hidden directives of debaters. `plan`: shown in the heading."""
        self._stream = stream
        self._show_hidden = show_hidden
        self._plan = plan
        self._round = 0, ""
        self._has_heading = False
        self._failures = FailureNotices()
        self._asked: set[int] = set()
        """Numbers of the speeches in flight."""
        self._held: list[tuple[Event, Debate]] = []
        """Events that wait for an earlier speech."""

    def event(self, event: Event, debate: Debate) -> None:
        """Write `event`, or keep it until the speeches before it are complete. Writes the events that waited for it."""
        match event:
            case TurnCompleted():
                self._asked.discard(event.turn.index)
            case TaskFailed() if isinstance(event.failure.task, Cue):
                self._asked.discard(event.failure.task.index)
            case DebateClosed():
                self._asked.clear()
            case _:
                pass
        self._held.append((event, debate))
        positions = [_reading_position(held) for held, _ in self._held]
        if not any(asked < position for asked in self._asked for position in positions if position != math.inf):
            self.finish()

    def asking(self, task: Task) -> None:
        """Record that `task` is in flight. Writes nothing."""
        if isinstance(task, Cue):
            self._asked.add(task.index)

    def text(self, cue: Cue, piece: str) -> None:
        """Ignore a piece of a speech. Only finished speeches are written."""

    def note(self, note: str) -> None:
        """Write the note."""
        self._write([f"Note: {sanitize_line(note)}"])

    def finish(self) -> None:
        """Write all events that are kept: speeches in the order of the debate, then the other events."""
        held, self._held = self._held, []
        for event, debate in sorted(held, key=lambda pair: _reading_position(pair[0])):
            self._write_event(event, debate)

    def _write_event(self, event: Event, debate: Debate) -> None:
        if not self._has_heading and is_judging_only(event, debate):
            self._write(judging_header_lines(debate))
        self._has_heading = True
        match event:
            case DebateOpened():
                self._write(header_lines(debate, self._plan))
                self._write(chair_lines(chair.announce_debate(debate)))
            case DebateResumed():
                self._write(header_lines(debate, self._plan._replace(calls=None)))
                self._write([f"{theme.describe_resume(debate).capitalize()}."])
                self._write(f"Changed: {sanitize_line(line)}" for line in change_lines(event.changes))
            case JudgingOpened():
                self._write([f"Judging run {sanitize_line(event.run)}", *judge_lines(debate, debate.run(event.run))])
            case TurnCompleted(turn=turn):
                if self._round != (turn.round, turn.phase):
                    self._round = turn.round, turn.phase
                    self._write(["", f"== Round {turn.round}: {theme.PHASE_LABELS.get(turn.phase, turn.phase)} =="])
                    self._write(chair_lines(chair.announce_round(debate, turn.round, turn.phase)))
                threads, citations = ThreadIndex(debate.turns), index_citations(debate)
                self._write(turn_lines(turn, threads, citations, show_hidden=self._show_hidden))
            case AssessmentCompleted():
                self._write(judge_report_lines(build_judge_report(event.assessment, debate)))
            case TaskFailed():
                self._write(failure_lines(self._failures.describe(event.failure)))
            case DebateClosed() if debate.document_name is None:
                self._write(["", *chair_lines(chair.announce_close(debate, event.reason))])
            case _:
                pass

    def _write(self, lines: Iterable[str]) -> None:
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        for line in lines:
            self._stream.write(line.encode(encoding, "replace").decode(encoding) + "\n")
        self._stream.flush()
