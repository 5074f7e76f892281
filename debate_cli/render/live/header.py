"""Draws headings of the live view, lines between rounds, short notices, and the progress line."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from debate_cli.domain.debate import Debate, rehearsal_notice, restrict_to_runs, usage_of_briefs
from debate_cli.domain.events import CloseReason, DebateResumed, Event, JudgingOpened
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.model_call import TotalUsage
from debate_cli.domain.tasks import Brief
from debate_cli.render import sanitize, theme
from debate_cli.render.content import chair
from debate_cli.render.content.agreement import label_judging_system
from debate_cli.render.content.participants import ParticipantRow, debater_rows, judge_rows
from debate_cli.render.content.run_notices import JudgeReport
from debate_cli.render.terminal.bar import Bar
from debate_cli.render.terminal.drawing import (
    INDENT,
    FramedPanel,
    HangingIndent,
    badge_text,
    join_text,
    terminal_line,
)

PARTICIPANT_GAP = 2
"""Space between two columns of the table of participants, in characters."""
MIN_WIDE_WINDOW = 80
"""A window with fewer columns has no progress bar. It shows a judge's result below the judge's name, not beside it."""


def debate_heading(debate: Debate, status: str = "", plan: theme.RunPlan = theme.NO_PLAN) -> RenderableType:
    """Return the panel above a debate: motion, background, participants, servers, planned calls and cost.

    `status`: word in the title, e.g. `resumed`.
    """
    body: list[RenderableType] = [
        terminal_line(line, theme.MUTED) for line in theme.background_excerpt(debate.config.background)
    ]
    body += [Text(""), _ParticipantTable((debater_rows(debate), judge_rows(debate, debate.runs[0])))]
    body += [terminal_line(server, theme.GOLD) for server in plan.servers]
    if plan.calls_and_cost:
        body.append(Text(f"planned: {plan.calls_and_cost}", style=theme.MUTED))
    kind, *formats = theme.describe_kind(debate)
    return _heading(debate, [kind, *([status] if status else []), *formats], body)


def rejudging_heading(debate: Debate) -> RenderableType:
    """Return the heading of `debate judge`: the motion, or the document's name.

    The heading of a document's first judging also names the judges.
    """
    body: list[RenderableType] = []
    if debate.document_name is not None and not debate.assessments:
        body = [Text(""), _ParticipantTable((judge_rows(debate, debate.runs[0]),))]
    return _heading(debate, [theme.describe_kind(debate)[0], theme.describe_judging(debate)], body)


def _heading(debate: Debate, title: Sequence[str], body: Sequence[RenderableType]) -> RenderableType:
    words = join_text((title[0], "bold"), ("".join(f" · {part}" for part in title[1:]), theme.MUTED))
    topic = [terminal_line(debate.topic, "bold")]
    if debate.config.judging.question is not None:
        topic.append(terminal_line(debate.config.judging.question))
    notice = rehearsal_notice(debate)
    panel = FramedPanel(Group(*topic, *body), words, terminal_line(debate.id, theme.MUTED), theme.MUTED)
    return Group(Text(notice, style=f"bold {theme.GOLD}"), panel) if notice else panel


def judging_run_heading(debate: Debate, run: JudgingRun) -> RenderableType:
    """Return the heading of a judging run that `debate judge` adds: a line across the window, then the judges."""
    title = join_text("judging run ", terminal_line(run.id, "bold"))
    return Group(_rule(title), _ParticipantTable((judge_rows(debate, run),)))


def resume_rule(debate: Debate) -> RenderableType:
    """Return the horizontal line between the old and the new speeches of a resumed debate."""
    return _rule(Text(theme.describe_resume(debate), style="bold"))


def round_rule(round_number: int, phase: str) -> Rule:
    """Return the horizontal line above a round, with the round's number and phase."""
    label = theme.PHASE_LABELS.get(phase, phase)
    return _rule(join_text((f"round {round_number}", "bold"), ("  ·  ", theme.MUTED), label))


def _rule(title: Text) -> Rule:
    return Rule(title, align="left", style=theme.MUTED)


@dataclass(frozen=True, slots=True)
class _ParticipantTable:
    """A row per debater or judge: name, part, model.

    The debaters are one group of rows, and the judges are another group. The layout depends on the width of the window:

    - If the columns of all rows fit in the window, both groups share their columns.
    - Otherwise, each group has its own columns.
    - If a group's own columns do not fit, part and model become one column. Only rows that are too long have several
      lines.
    """

    groups: Sequence[Sequence[ParticipantRow]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        groups = [[_participant_texts(row) for row in group] for group in self.groups if group]
        rows = [row for group in groups for row in group]
        for group in [rows] if _fits_in_columns(rows, options.max_width) else groups:
            if _fits_in_columns(group, options.max_width):
                grid = Table.grid(padding=(0, PARTICIPANT_GAP, 0, 0))
                for row in group:
                    grid.add_row(*row)
                yield grid
            else:
                yield from _draw_long_rows(group, options.max_width)


def _participant_texts(row: ParticipantRow) -> tuple[Text, Text, Text]:
    name = join_text((f"{row.sign.symbol} ", row.sign.colour), terminal_line(row.name, f"bold {row.sign.colour}"))
    return name, terminal_line(row.part, theme.MUTED), terminal_line(row.model)


def _fits_in_columns(rows: Sequence[Sequence[Text]], width: int) -> bool:
    widths = [max(text.cell_len for text in column) for column in zip(*rows, strict=True)]
    return sum(widths) + PARTICIPANT_GAP * (len(widths) - 1) <= width


def _draw_long_rows(rows: Sequence[Sequence[Text]], width: int) -> Iterator[RenderableType]:
    lengths = [row[0].cell_len for row in rows]
    column = max((length for length in lengths if (length + PARTICIPANT_GAP) * 2 <= width), default=0)
    for name, *details in rows:
        name.pad_right(max(0, column - name.cell_len))
        yield HangingIndent(name, _WholeTexts(list(filter(None, details))), PARTICIPANT_GAP)


@dataclass(frozen=True, slots=True)
class _WholeTexts:
    """Texts joined by ` · `. Lines are broken between two texts, and within a text only if it is wider than a line."""

    texts: Sequence[Text]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = list(self.texts[:1])
        for text in self.texts[1:]:
            joined = join_text(lines[-1], text, separator=" · ")
            if joined.cell_len <= options.max_width:
                lines[-1] = joined
            else:
                lines.append(text)
        yield from lines


def judge_report_notice(report: JudgeReport, debate: Debate) -> RenderableType:
    """Return a judge's report: title, result, sentences and warnings.

    The result is the vote or the scores. If the judge gives neither, it is the first sentence.
    """
    sentences = report.words
    if report.vote is not None:
        result: RenderableType = badge_text(report.vote)
    elif report.scores:
        result = _score_bars(report, debate)
    else:
        result, sentences = terminal_line(sentences[0] if sentences else ""), sentences[1:]
    title = join_text(("§ ", theme.MUTED), terminal_line(report.title, theme.MUTED))
    rows: list[RenderableType] = [
        HangingIndent(Text("·"), terminal_line(words, theme.MUTED), gap=1) for words in sentences
    ]
    rows += [terminal_line(alert, f"bold {theme.RED}") for alert in report.alerts]
    heading = _ReportHeading(title, result, may_share_line=len(report.scores) <= 1)
    return Group(heading, *(Padding(row, (0, 0, 0, INDENT)) for row in rows))


@dataclass(frozen=True, slots=True)
class _ReportHeading:
    """The title of a judge's report, then the result: beside the title in a wide window, otherwise below it."""

    title: Text
    result: RenderableType
    may_share_line: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.may_share_line and options.max_width >= MIN_WIDE_WINDOW:
            yield HangingIndent(self.title, self.result)
            return
        yield self.title
        if self.result:
            yield Padding(self.result, (0, 0, 0, INDENT))


def _score_bars(report: JudgeReport, debate: Debate) -> Table:
    styles = theme.participant_styles(debate.participants)
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(max_width=24, overflow="fold")
    grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    for score in report.scores:
        sign = styles.get(score.participant, theme.UNKNOWN_SIGN)
        name = join_text((f"{sign.symbol} ", sign.colour), terminal_line(score.participant))
        bar = Bar(score.value, score.out_of, sign.colour, 24)
        grid.add_row(name, bar, f"{score.value:g}/{score.out_of:g}")
    return grid


def notice(sign: str, colour: str, words: str) -> RenderableType:
    """Return `words` to the right of a coloured sign."""
    return HangingIndent(Text(sign, style=colour), terminal_line(words), gap=1)


def chair_notice(announcement: str) -> Text:
    """Return the line that shows an announcement of the chair."""
    return join_text(("Chair: ", theme.MUTED), terminal_line(announcement, f"italic {theme.MUTED}"))


def closing_notices(debate: Debate, reason: CloseReason) -> list[Text]:
    """Return the chair's announcement of the debate's end; empty for a judged document, which has no chair."""
    sign, colour = ("■", theme.MUTED) if reason in chair.FINAL_REASONS else ("!", theme.GOLD)
    announcement = chair.announce_close(debate, reason)
    return [Text(f"{sign} Chair: {announcement}", style=colour)] if announcement else []


PROGRESS_BAR_WIDTH = 16
MAX_UNCOUNTED_JUDGEMENTS = 2
"""If more judgements than this are pending, the progress line says how many, e.g. `judging 3: …`."""
MIN_CALLS_FOR_ESTIMATE = 2
PROGRESS_PARTS = ("calls", "time", "cost", "tokens", "left", "judging")
"""Parts of the progress line. In a narrow window, the last of these parts are shortened or left out."""


class ProgressLine:
    """Counts the calls of a run, and draws the counts as one line.

    While `debate judge` adds judging runs to a debate, only the calls of the added runs count.
    """

    def __init__(self, planned: int | None, clock: Callable[[], float]) -> None:
        """`planned`: minimum number of calls; None if unknown. `clock`: returns the time in seconds."""
        self._planned = planned
        self._clock = clock
        self._started = clock()
        self._calls_before_resume = 0
        self._done = 0
        self._usage = TotalUsage(cost_usd=0.0)
        self._added_runs: frozenset[str] = frozenset()
        self._debate: Debate | None = None

    def start(self) -> None:
        """Restart the elapsed time at zero."""
        self._started = self._clock()

    def record_event(self, event: Event, debate: Debate) -> None:
        """Update the counts after `event`. `debate`: the debate after the event."""
        if isinstance(event, JudgingOpened) and (self._added_runs or self._debate is None):
            self._added_runs |= {event.run}
        self._debate = debate
        if self._added_runs:
            alone = restrict_to_runs(debate, self._added_runs)
            self._done = len(alone.assessments) + sum(isinstance(failure.task, Brief) for failure in alone.failures)
            self._usage = usage_of_briefs(debate, lambda brief: brief.run in self._added_runs)
        else:
            self._done = len(debate.turns) + len(debate.assessments) + len(debate.given_up)
            self._usage = debate.usage
        if isinstance(event, DebateResumed):
            self._calls_before_resume = self._done

    def render(self, width: int, pending: Collection[Brief] = ()) -> RenderableType:
        """Return the calls, time, tokens and cost so far, on one line of a window with `width` columns.

        `pending`: requested judgements that have not arrived. The line ends with their names.
        """
        words = _ProgressWords(dict(self._parts(pending)))
        if not self._planned or width < MIN_WIDE_WINDOW:
            return words
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_column(width=PROGRESS_BAR_WIDTH)
        line.add_row(Bar(self._done, self._total, theme.TEAL, PROGRESS_BAR_WIDTH), words)
        return line

    def _parts(self, pending: Collection[Brief]) -> Iterator[tuple[str, tuple[str, ...]]]:
        usage = self._usage
        elapsed = self._clock() - self._started
        done = f"{self._done}/{self._total}" if self._planned else f"{self._done}"
        yield "calls", (f"{done} call{'' if done == '1' else 's'}",)
        yield "time", (theme.format_clock(elapsed),)
        here, left = self._done - self._calls_before_resume, self._total - self._done
        if self._planned and here >= MIN_CALLS_FOR_ESTIMATE and left and elapsed / here * left >= 1:
            estimate = f"{theme.format_clock(elapsed / here * left)} left"
            yield "left", (f"about {estimate}", estimate)
        if usage.calls > usage.human_calls or not usage.calls:
            yield "tokens", (theme.format_token_count(usage.input_tokens + usage.output_tokens, usage),)
        if self._done or usage.cost_usd:  # before the first answer it is not known whether the model has a price
            yield "cost", (theme.format_cost(usage.cost_usd),)
        if pending:
            count = f" {len(pending)}" if len(pending) > MAX_UNCOUNTED_JUDGEMENTS else ""
            debate = self._debate
            labels = [
                of.system if debate is None else label_judging_system(debate, of.system, of.run) for of in pending
            ]
            names = map(theme.format_brief, pending, labels)
            lists = ("; ".join(names), "; ".join(dict.fromkeys(labels)))
            yield (
                "judging",
                (*(sanitize.sanitize_line(f"judging{count}: {of}") for of in lists), f"judging {len(pending)}"),
            )

    @property
    def _total(self) -> int:
        return max(self._planned or 0, self._done)


@dataclass(frozen=True, slots=True)
class _ProgressWords:
    """Parts of the progress line, in their order on the line. What does not fit is shortened or left out."""

    parts: Mapping[str, Sequence[str]]
    """Maps names from `PROGRESS_PARTS` to texts for the part. The longest text is first."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line = ""
        chosen: dict[str, str] = {}
        for name in PROGRESS_PARTS:
            for text in self.parts.get(name, ()):
                longer = chosen | {name: text}
                words = " · ".join(longer[part] for part in self.parts if part in longer)
                if cell_len(words) <= options.max_width or not chosen:
                    line, chosen = words, longer
                    break
        yield Text(line, style=theme.MUTED, no_wrap=True, overflow="ellipsis")
