"""Formats a debate as plain lines without control sequences, for pipes and screen readers.

Each line of a speech starts with the speaker's name, so that a speech cannot imitate other lines.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, TextIO

from debate_cli.domain.debate import Debate, rehearsal_notice, restrict_to_runs
from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    DebateOpened,
    DebateResumed,
    Event,
    Failure,
    JudgingOpened,
    TaskFailed,
    TurnCompleted,
)
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response, Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.observer import NullObserver, is_judging_only
from debate_cli.render import theme
from debate_cli.render.content import chair, participants
from debate_cli.render.content.report import SCREEN_PARTS, Block, ReportPart, VerdictReport, build_debate_report
from debate_cli.render.content.run_notices import (
    JudgeReport,
    build_judge_report,
    describe_failure,
    must_report_wait,
    must_speech_wait,
    report_position,
    report_round,
)
from debate_cli.render.content.speech_parts import CitationIndex, SpeechPart, ThreadIndex, index_citations, split_turn
from debate_cli.render.content.summary import SummaryRow, change_lines, closing_rows, usage_rows
from debate_cli.render.sanitize import prefix_lines, sanitize_line
from debate_cli.render.text.tables import table_lines
from debate_cli.render.text.wrapping import wrap_for_terminal
from debate_cli.systems.scales import format_ranked_scores
from debate_cli.systems.tables import RESPONSE_BADGES, STANDING_BADGES, Table


def header_lines(debate: Debate, plan: theme.RunPlan = theme.NO_PLAN) -> list[str]:
    """Return lines on motion, debaters, judges, and the servers and planned calls in `plan`."""
    label = "Background" if debate.document_name is None else "Content"
    return [
        *filter(None, [rehearsal_notice(debate)]),
        *_title_lines(debate, "".join(theme.describe_kind(debate)[1:])),
        *(f"{label}: {line}" for line in theme.background_excerpt(debate.config.background)),
        *_participant_lines("Debater", participants.debater_rows(debate)),
        *_participant_lines("Judge", participants.judge_rows(debate, debate.runs[0])),
        *(f"Server: {sanitize_line(server)}" for server in plan.servers),
        *(f"Planned: {calls}" for calls in filter(None, [plan.calls_and_cost])),
    ]


def _judging_header_lines(debate: Debate) -> Iterator[str]:
    yield from filter(None, [rehearsal_notice(debate)])
    yield from _title_lines(debate, theme.describe_judging(debate))
    if debate.document_name is not None and not debate.assessments:
        yield from _participant_lines("Judge", participants.judge_rows(debate, debate.runs[0]))


def _title_lines(debate: Debate, kind: str) -> list[str]:
    what, label = ("Debate", "Motion") if debate.document_name is None else ("Text", "Name")
    question = debate.config.judging.question
    return [
        f"{what}: {sanitize_line(debate.id)}{f' ({kind})' if kind else ''}",
        f"{label}: {sanitize_line(debate.topic)}",
        *([f"Question: {sanitize_line(question)}"] if question is not None else []),
    ]


def _participant_lines(role: str, rows: Iterable[participants.ParticipantRow]) -> Iterator[str]:
    for row in rows:
        yield f"{role}: {sanitize_line(row.name)} ({sanitize_line(row.part)}), {sanitize_line(row.model)}"


def turn_lines(turn: Turn, threads: ThreadIndex, citations: CitationIndex, *, show_hidden: bool = False) -> list[str]:
    """Return the lines of a speech. Each line begins with the speaker's name. An answer is below the claim that it answers."""
    prefix = f"{sanitize_line(turn.speaker)}: "
    lines: list[str] = []
    for part in split_turn(turn):
        lines += [*_thread_lines(prefix, part, threads, turn.round), *_part_lines(prefix, part)]
        for item in citations.citations_of(turn.index, part):
            source = f"{item.check.source} {item.title}".rstrip()
            lines.append(f"{prefix}  {sanitize_line(f'cites {source}: “{item.check.quote}” — {item.finding}')}")
    if turn.strategy is not None:
        lines.append(f"{prefix}  strategy: {sanitize_line(f'{turn.strategy.name}: {turn.strategy.reason}')}")
    if show_hidden and turn.directive:
        lines += prefix_lines(f"{prefix}  hidden directive: ", turn.directive)
    lines += [f"{prefix}  warning: {sanitize_line(warning)}" for warning in turn.warnings]
    return [*lines, f"{prefix}  ({sanitize_line(', '.join(participants.describe_call(turn)))})"]


def judge_report_lines(report: JudgeReport) -> list[str]:
    """Return a judge's report as lines: the judge and the result, then each sentence.

    The result is:

    - The vote, if the judge voted.
    - Otherwise, the scores. If the report has only one sentence, this sentence follows in the same line.
    - Without a vote and scores, the first sentence.
    - Without a vote, scores and sentences, the word `done`.
    """
    scores = ", ".join(f"{sanitize_line(item.participant)} {item.value:g}/{item.out_of:g}" for item in report.scores)
    vote = theme.format_cell(report.vote)
    sentences = [sanitize_line(words) for words in (*report.words, *report.alerts)]
    if not vote and (len(sentences) == 1 or not scores):
        scores, sentences = "; ".join(filter(None, (scores, *sentences[:1]))), sentences[1:]
    heading = f"Judge {sanitize_line(report.title)}: {vote or scores or 'done'}"
    return [heading, *(f"  - {sentence}" for sentence in sentences)]


def _thread_lines(prefix: str, piece: SpeechPart, threads: ThreadIndex, round_number: int) -> Iterable[str]:
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
            badge = RESPONSE_BADGES.get(piece.type, theme.UNKNOWN_BADGE)
            answered = f"{prefix}{badge.word} {sanitize_line(piece.target)}"
            yield from prefix_lines(f"{answered}: ", piece.reasoning) if piece.reasoning else (answered,)
            yield from prefix_lines(f"{prefix}  asks: ", piece.follow_up) if piece.follow_up else ()
        case FollowUpAnswer():
            left_open = " (not answered)" if piece.evaded else ""
            yield from prefix_lines(
                f"{prefix}answers the question about {sanitize_line(piece.question_target)}{left_open}: ", piece.reply
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


def closing_lines(
    debate: Debate,
    verdicts: Sequence[Verdict],
    judged: Collection[str] | None = None,
    *,
    only_verdicts: bool = False,
) -> list[str]:
    """Return the lines of the closing screen: the verdict and the main facts.

    If `judged` is given, only the judging runs with these ids are shown. `only_verdicts`: whether to leave out claims,
    recommendation and cost. If the debate uses the mock, the last line says so. With `only_verdicts`, the first line says so too,
    because no heading comes before the screen.
    """
    shown = debate if judged is None else restrict_to_runs(debate, judged)
    notice = list(filter(None, [rehearsal_notice(debate)]))
    summary, rows = closing_rows(shown, verdicts, only_verdicts=only_verdicts)
    verdict_label = f" ({sanitize_line(summary.verdict_label)})" if summary.verdict_label else ""
    lines = [*(notice if only_verdicts else [""]), "== Verdict ==", f"{sanitize_line(summary.answer)}{verdict_label}"]
    lines += _row_lines(rows if only_verdicts else [*rows, *usage_rows(debate, judged)])
    return [*lines, *notice]


def details_lines(
    debate: Debate,
    verdicts: Sequence[Verdict],
    *,
    only: ReportPart | None = None,
    judged: Collection[str] | None = None,
    follows_reports: bool = False,
) -> list[str]:
    """Return the parts of the report as lines.

    If `only` is given, only this part is written. If `judged` is given, only the judging runs with these ids are
    written. `follows_reports`: whether the judges' reports are written before, so that tables that only repeat them are
    left out.
    """
    report = build_debate_report(debate, verdicts, only=only, judged=judged, follows_reports=follows_reports)
    standings = {row.id: STANDING_BADGES[row.standing].word for row in report.trace_rows if row.standing}
    lines: list[str] = []
    for part, blocks in report.blocks(SCREEN_PARTS):
        for block in blocks:
            lines += _block_lines(block, standings if part == "scores" else {})
        if blocks and part in {"usage", only}:
            lines += filter(None, [report.rehearsal])
    return lines


def _block_lines(block: Block, badges: Mapping[str, str]) -> list[str]:
    if isinstance(block, Table):
        return table_lines(block, badges)
    if isinstance(block, VerdictReport):
        title = f"{block.title[:1].upper()}{block.title[1:]}"
        answer = f"{block.answer} {format_ranked_scores(block.verdict)}"
        return ["", f"== {sanitize_line(title)} ==", sanitize_line(answer), *_row_lines(block.rows)]
    return ["", f"== {block.title.capitalize()} ==", *_row_lines(block.rows)]


def _row_lines(rows: Iterable[SummaryRow]) -> Iterable[str]:
    for row in rows:
        words = "  ".join(filter(None, map(theme.format_cell, row.cells)))
        yield sanitize_line(f"{row.label[:1].upper()}{row.label[1:]}:") + f" {words}" if row.label else f"  {words}"


def _reading_position(event: Event, debate: Debate) -> tuple[Any, ...]:
    match event:
        case TurnCompleted(turn=spoken) | TaskFailed(failure=Failure(task=Cue() as spoken)):
            return spoken.round, 0, spoken.index
        case DebateClosed():
            return inf, 2
        case _:
            brief = _judged_brief(event)
            return (0,) if brief is None else (report_round(brief, debate), 1, *report_position(brief))


def _judged_brief(event: Event) -> Brief | None:
    match event:
        case AssessmentCompleted():
            return event.assessment.brief
        case TaskFailed(failure=Failure(task=Brief() as brief)):
            return brief
        case _:
            return None


class PlainObserver(NullObserver):
    """Observer that writes turns and judgements to `stream` as plain lines.

    Simultaneous speeches and the reports of one judging system are written in the order of the debate. Speeches are
    withheld until the judges have reported on earlier rounds.
    """

    def __init__(self, stream: TextIO, *, show_hidden: bool = False, plan: theme.RunPlan = theme.NO_PLAN) -> None:
        """`show_hidden`: whether to write the hidden instructions that debaters were given.

        `plan`: plan of the run, for the heading.
        """
        self._stream = stream
        self._show_hidden = show_hidden
        self._plan = plan
        self._round = 0, ""
        self._has_heading = False
        self._speeches_in_flight: set[int] = set()
        self._briefs_in_flight: dict[str, Brief] = {}
        self._held_events: list[tuple[Event, Debate]] = []
        self._newest: Debate | None = None
        """The debate after the last event."""
        self._shown_failures: set[str] = set()

    def event(self, event: Event, debate: Debate) -> None:
        """Write `event`, after all speeches and reports that come before it. Until these are finished, withhold `event`."""
        match event:
            case TurnCompleted():
                self._speeches_in_flight.discard(event.turn.index)
            case TaskFailed(failure=Failure(task=Cue() as cue)):
                self._speeches_in_flight.discard(cue.index)
            case DebateClosed():
                self._speeches_in_flight.clear()
                self._briefs_in_flight.clear()
            case _:
                if (brief := _judged_brief(event)) is not None:
                    self._briefs_in_flight.pop(brief.key, None)
        self._held_events.append((event, debate))
        self._newest = debate
        self._write_ready()

    def asking(self, task: Task) -> None:
        """Record that `task` was sent to a model."""
        if isinstance(task, Cue):
            self._speeches_in_flight.add(task.index)
        else:
            self._briefs_in_flight[task.key] = task

    def note(self, note: str) -> None:
        """Write the note."""
        self._write([f"Note: {sanitize_line(note)}"])

    def finish(self) -> None:
        """Write all withheld events."""
        self._speeches_in_flight.clear()
        self._briefs_in_flight.clear()
        self._write_ready()

    def _write_ready(self) -> None:
        held, self._held_events = self._held_events, []
        unwritten = {event.turn.round for event, _ in held if isinstance(event, TurnCompleted)}
        pending = self._briefs_in_flight.values()
        speech_waits = False
        for event, debate in sorted(held, key=lambda pair: _reading_position(*pair)):
            brief = _judged_brief(event)
            report_waits = brief is not None and must_report_wait(brief, pending)
            newest = self._newest or debate
            if isinstance(event, TurnCompleted) and not speech_waits:
                turn = event.turn
                unwritten = {number for number in unwritten if number >= turn.round}
                speech_waits = min(self._speeches_in_flight, default=turn.index) < turn.index or must_speech_wait(
                    turn.round, unwritten, pending, newest
                )
            if speech_waits or report_waits:
                self._held_events.append((event, debate))
            else:
                self._write_event(event, debate if brief is None else newest)

    def _write_event(self, event: Event, debate: Debate) -> None:
        if not self._has_heading and is_judging_only(event, debate):
            self._write(_judging_header_lines(debate))
        self._has_heading = True
        match event:
            case DebateOpened():
                self._write(header_lines(debate, self._plan))
                self._announce(chair.announce_debate(debate))
            case DebateResumed():
                self._write(header_lines(debate, self._plan._replace(calls=None)))
                self._write([f"{theme.describe_resume(debate).capitalize()}."])
                self._write(f"Changed: {sanitize_line(line)}" for line in change_lines(event.changes))
            case JudgingOpened():
                self._write([f"Judging run {sanitize_line(event.run)}"])
                self._write(_participant_lines("Judge", participants.judge_rows(debate, debate.run(event.run))))
            case TurnCompleted(turn=turn):
                if self._round != (turn.round, turn.phase):
                    self._round = turn.round, turn.phase
                    self._write(["", f"== Round {turn.round}: {theme.PHASE_LABELS.get(turn.phase, turn.phase)} =="])
                    self._announce(chair.announce_round(debate, turn.round, turn.phase))
                threads, citations = ThreadIndex(debate.turns), index_citations(debate)
                self._write(turn_lines(turn, threads, citations, show_hidden=self._show_hidden))
            case AssessmentCompleted():
                self._write(judge_report_lines(build_judge_report(event.assessment, debate)))
            case TaskFailed():
                self._write([f"Failed: {sanitize_line(describe_failure(event.failure, self._shown_failures))}"])
            case DebateClosed() if debate.document_name is None:
                self._write([""])
                self._announce(chair.announce_close(debate, event.reason))
            case _:
                pass

    def _announce(self, announcement: str) -> None:
        self._write([f"Chair: {sanitize_line(announcement)}"] if announcement else [])

    def _write(self, lines: Iterable[str]) -> None:
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        for line in wrap_for_terminal(lines, self._stream):
            self._stream.write(line.encode(encoding, "replace").decode(encoding) + "\n")
        self._stream.flush()
