"""A debate as plain lines: no control sequence, nothing wrapped, and every line says whose it is. No Rich.

Untrusted text cannot begin a line of its own: its line breaks become continuation lines with the same prefix.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TextIO

from debate_cli.domain.debate import Debate, restrict_to_runs
from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    DebateOpened,
    DebateResumed,
    Event,
    JudgingOpened,
    TurnCompleted,
)
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Cue, Task
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response, Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.observer import is_judging_only
from debate_cli.render import judge_report, participants, sanitize, theme
from debate_cli.render.agreement import build_agreement_table, label_listed_verdict, label_verdict, sort_deciding_first
from debate_cli.render.comparison import COMPARISON_TITLE, ComparedPair, build_comparison_tables, summarize_comparison
from debate_cli.render.cross_examination import ThreadIndex
from debate_cli.render.event_order import EventOrder
from debate_cli.render.failure_groups import FailureGroup, FailureGrouper
from debate_cli.render.judge_report import JudgeReport
from debate_cli.render.reasons import describe_omitted_verdicts, is_trace_useful, quote_judge, reportable_verdicts
from debate_cli.render.report import DebateReport, ReportPart, build_debate_report
from debate_cli.render.score_rows import ScoredFile, SystemSummary, summarize_systems
from debate_cli.render.speech_parts import SpeechPart, split_turn
from debate_cli.render.summary import explain_scores
from debate_cli.render.theme import shorten
from debate_cli.render.used import usage_rows
from debate_cli.render.weakest import WeakestArgument, find_weakest_argument
from debate_cli.systems.structured.briefing import Briefing
from debate_cli.systems.tables import Badge, Cell, Curve, Gauge, Lines, Number, Table, Who


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


def table_lines(sheet: Table) -> list[str]:
    """A row a line: the first cell, then each other cell after its head."""
    found = ["", f"== {sanitize.sanitize_line(sheet.heading)} =="]
    for row in sheet.rows:
        if row is not None:
            cells = [
                (sanitize.sanitize_line(head), _format_cell(cell)) for head, cell in zip(sheet.heads, row, strict=True)
            ]
            rest = "; ".join(f"{head}: {words}" if head else words for head, words in cells[1:] if words)
            found.append(f"{cells[0][1]}: {rest}" if rest else cells[0][1])
    return found + [sanitize.sanitize_line(remark) for remark in sheet.remarks]


def _format_cell(cell: Cell) -> str:
    match cell:
        case None | Gauge():
            return ""
        case str():
            return sanitize.sanitize_line(cell)
        case Who():
            return sanitize.sanitize_line(cell.name) if cell.name is not None else "nobody"
        case Number():
            return "—" if cell.value is None else theme.format_number(cell.value, cell.digits)
        case Curve():
            return " → ".join(theme.format_number(value) for value in cell.values)
        case Badge():
            return cell.word
        case Lines():
            return ", ".join(_format_cell(inner) for inner in cell.cells)


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


def score_lines(files: Iterable[ScoredFile]) -> Iterator[str]:
    """`PATH: SYSTEM: outcome, margin, scores` for each verdict as it comes; of several files, what each system's come to."""
    told: list[ScoredFile] = []
    for file in files:
        told.append(file)
        for verdict in file.verdicts:
            yield f"{sanitize.sanitize_line(file.path)}: {_format_verdict(verdict, file)}"
    if len(told) > 1:
        yield from ("", f"== Summary of {len(told)} files ==")
        yield from (_format_system_summary(found) for found in summarize_systems(told))


def deciding_score_lines(files: Iterable[ScoredFile]) -> Iterator[str]:
    """`PATH: SYSTEM: outcome, margin, scores` of the verdict that decides each file, and nothing else; none where there is none."""
    for file in files:
        for verdict in sort_deciding_first(file.verdicts)[:1]:
            yield f"{sanitize.sanitize_line(file.path)}: {_format_verdict(verdict, file)}"


def _format_verdict(verdict: Verdict, file: ScoredFile) -> str:
    name = sanitize.sanitize_line(label_listed_verdict(verdict, file.verdicts))
    margin = "" if verdict.margin is None else f" Margin {theme.format_number(verdict.margin)}."
    ranked = sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
    scores = ", ".join(f"{sanitize.sanitize_line(name)} {theme.format_number(score)}" for name, score in ranked)
    return f"{name}: {sanitize.sanitize_line(theme.describe_outcome(verdict, file.text))}{margin} {scores}".rstrip()


def _format_system_summary(found: SystemSummary) -> str:
    wins = ", ".join(f"{sanitize.sanitize_line(name)} {count}" for name, count in found.wins.items()) or "nobody"
    votes = ", ".join(f"{option} {count}" for option, count in found.options.items())
    told = "; ".join([*([f"wins: {wins}"] if found.wins or not votes else []), *([f"votes: {votes}"] if votes else [])])
    margin = "—" if found.mean_margin is None else theme.format_number(found.mean_margin)
    return f"{found.system}: {told}; draws: {found.draws}; undetermined: {found.undetermined}; mean margin: {margin}"


def comparison_lines(told: ComparedPair) -> list[str]:
    """What differs in a few sentences, then a row of each table a line."""
    found = [f"== {COMPARISON_TITLE.capitalize()} ==", *map(sanitize.sanitize_line, summarize_comparison(told))]
    return found + [line for sheet in build_comparison_tables(told) for line in table_lines(sheet)]


class PlainObserver:
    """Writes each finished thing to `stream` in the order in which it is read, a line at a time, flushed after each event."""

    def __init__(self, stream: TextIO, *, show_hidden: bool = False) -> None:
        self._stream = stream
        self._show_hidden = show_hidden
        self._round = 0, ""
        self._headed = False
        self._order = EventOrder(self._write_event)
        self._troubles = FailureGrouper()

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""
        self._troubles.record_event(event)
        self._order.event(event, debate)
        self._write_failures(self._troubles.pop_ready())

    def asking(self, task: Task) -> None:
        """See `Watcher`: only what is finished is written."""
        self._order.asking(task)
        self._troubles.asking(task)

    def finish(self) -> None:
        """Write what was held back for something that will not come."""
        self._order.flush()
        self._write_failures(self._troubles.rest())

    def _write_event(self, event: Event, debate: Debate) -> None:
        if not self._headed and is_judging_only(event, debate):
            self._write(judging_header_lines(debate))
        self._headed = True
        match event:
            case DebateOpened():
                self._write(header_lines(debate))
            case DebateResumed():
                self._write([*header_lines(debate), f"{theme.describe_resume(debate).capitalize()}."])
            case JudgingOpened():
                self._write(
                    [
                        f"Judging run {sanitize.sanitize_line(event.run)}",
                        *judge_lines(debate, debate.run(event.run)),
                    ]
                )
            case TurnCompleted(turn=turn):
                if self._round != (turn.round, turn.phase):
                    self._round = turn.round, turn.phase
                    self._write(round_lines(turn.round, turn.phase))
                self._write(turn_lines(turn, ThreadIndex(debate.turns), show_hidden=self._show_hidden))
            case AssessmentCompleted():
                self._write(judge_report_lines(judge_report.build_judge_report(event.assessment, debate)))
            case DebateClosed():
                self._write_failures(self._troubles.rest())
                if debate.document_name is None:
                    self._write(["", theme.CLOSE_MESSAGES[event.reason]])
            case _:
                pass

    def _write_failures(self, troubles: Iterable[FailureGroup]) -> None:
        for trouble in troubles:
            self._write(failure_lines(trouble))

    def text(self, cue: Cue, piece: str) -> None:
        """See `Watcher`: only what is finished is written."""

    def note(self, note: str) -> None:
        """See `Watcher`."""
        self._write([f"Note: {sanitize.sanitize_line(note)}"])

    def _write(self, written: Iterable[str]) -> None:
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        for text in written:
            self._stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        self._stream.flush()
