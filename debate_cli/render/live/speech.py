"""Draws speeches as Rich panels. Streaming speeches are cut to the size of the window."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response, Turn
from debate_cli.render import sanitize, theme
from debate_cli.render.content.participants import describe_call
from debate_cli.render.content.speech_parts import (
    ArgumentThread,
    CheckedCitation,
    CitationIndex,
    SpeechPart,
    ThreadIndex,
    parse_partial_speech,
    split_turn,
    text_since_restart,
)
from debate_cli.render.terminal.drawing import (
    FramedPanel,
    HangingIndent,
    badge_text,
    join_text,
    label_grid,
    terminal_line,
    terminal_text,
)
from debate_cli.render.theme import Sign
from debate_cli.systems.tables import RESPONSE_BADGES

MIN_PANEL_WIDTH = 52
"""Minimum width in columns of panels side by side. If the window is too narrow for this width, panels are stacked."""
PANEL_EDGES = 2
"""Number of lines that the border of a panel takes."""
MIN_BODY_LINES = 3
"""Minimum number of speech lines in each streaming panel, if panels are stacked."""
FREE_PHASES = ("rebuttal", "speech")
"""Phases in which a speech is free text. Its responses to arguments are below the text, each on one line without reasons."""

Styles = Mapping[str, Sign]
"""Maps the name of each debater to the debater's symbol, side and colour."""


@dataclass(slots=True)
class SpeechStream:
    """A requested speech. `pieces` grows while the speech streams; `turn` is set when the speech is finished."""

    cue: Cue
    threads: ThreadIndex = field(default_factory=ThreadIndex)
    """Arguments that were made before this speech was requested, with the questions about them and the replies."""
    pieces: list[str] = field(default_factory=list[str])
    turn: Turn | None = None
    spinner: Spinner = field(default_factory=lambda: Spinner("dots", Text("thinking", style=theme.MUTED)))
    """Shown until the first piece. A spinner turns only if the same object is drawn again."""


@dataclass(frozen=True, slots=True)
class Tail:
    """The last `height` lines of `body`. `marked`: whether the line `⋯` shows that lines were cut off."""

    body: RenderableType
    height: int
    marked: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self.body, options.update(height=None), pad=False)
        if len(lines) > self.height:
            lines = lines[len(lines) - self.height :]
            if self.marked and self.height > 1:
                lines[0] = [Segment("⋯", console.get_style(theme.MUTED))]
        for line in lines:
            yield from line
            yield Segment.line()


@dataclass(frozen=True, slots=True)
class PanelRow:
    """Panels of simultaneous speeches: side by side with equal heights, or stacked in a narrow window."""

    panels: Sequence[FramedPanel]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = panel_width(len(self.panels), options.max_width)
        if width == options.max_width:
            yield from self.panels
            return
        height = max(
            len(console.render_lines(panel, options.update(width=width, height=None))) for panel in self.panels
        )
        grid = Table.grid(padding=(0, 1, 0, 0))
        for panel in self.panels:
            panel.height = height
            grid.add_column(width=width, overflow="fold")
        grid.add_row(*self.panels)
        yield grid


def panel_width(count: int, width: int) -> int:
    """Return the width in columns of each of `count` panels in a window of `width` columns.

    If the panels do not fit side by side, return `width`.
    """
    share = (width - (count - 1)) // max(1, count)
    return share if share >= MIN_PANEL_WIDTH else width


def turn_panel(
    turn: Turn, styles: Styles, threads: ThreadIndex, citations: CitationIndex, *, show_hidden: bool = False
) -> FramedPanel:
    """Return the panel of a finished turn: speech, citations, strategy and warnings."""
    parts = _finished_parts(turn, styles, threads, citations)
    remarks: list[tuple[str, RenderableType]] = []
    if turn.strategy is not None:
        remarks.append(("strategy", terminal_line(f"{turn.strategy.name}: {turn.strategy.reason}", theme.MUTED)))
    if show_hidden and turn.directive:
        remarks.append(("hidden directive", terminal_text(turn.directive, f"italic {theme.MUTED}")))
    remarks += [("! warning", terminal_line(warning, theme.GOLD)) for warning in turn.warnings]
    body = _add_blank_lines([*parts, *([label_grid(remarks)] if remarks else [])])
    return _panel(turn.speaker, styles, body, _call_text(turn))


def streaming_panels(
    streams: Sequence[SpeechStream], styles: Styles, citations: CitationIndex, size: tuple[int, int]
) -> PanelRow:
    """Return the panels of speeches in progress. `size`: columns and lines of the window."""
    width, height = size
    if panel_width(len(streams), width) == width:
        height = max(MIN_BODY_LINES + PANEL_EDGES, height // len(streams))
    return PanelRow([_streaming_panel(stream, styles, citations, height) for stream in streams])


def _streaming_panel(stream: SpeechStream, styles: Styles, citations: CitationIndex, height: int) -> FramedPanel:
    if stream.turn is not None:
        parts = _finished_parts(stream.turn, styles, stream.threads, citations)
    else:
        streamed = parse_partial_speech(text_since_restart(stream.pieces))
        parts = [_part(part, stream.cue, styles, stream.threads) for part in streamed]
    style = styles.get(stream.cue.speaker, theme.UNKNOWN_SIGN)
    stream.spinner.style = style.colour
    body = _add_blank_lines(parts) if parts else stream.spinner
    footer = _call_text(stream.turn) if stream.turn else f"turn {stream.cue.index + 1}"
    return _panel(stream.cue.speaker, styles, Tail(body, max(1, height - PANEL_EDGES)), footer)


def _finished_parts(turn: Turn, styles: Styles, threads: ThreadIndex, citations: CitationIndex) -> list[RenderableType]:
    found: list[RenderableType] = []
    for part in split_turn(turn):
        drawn = _part(part, turn, styles, threads)
        cited = [Padding(_citation(item), (0, 0, 0, 2)) for item in citations.citations_of(turn.index, part)]
        found.append(Group(drawn, *cited) if cited else drawn)
    return found


def _citation(citation: CheckedCitation) -> Text:
    details = [(citation.check.difference, theme.RED), (citation.title, theme.MUTED)]
    return join_text(
        badge_text(citation.badge),
        "  ",
        terminal_line(citation.check.source, "bold"),
        "  ",
        terminal_line(f"“{citation.check.quote}”", "italic"),
        *(join_text((" · ", theme.MUTED), terminal_line(words, style)) for words, style in details if words),
    )


def _panel(speaker: str, styles: Styles, body: RenderableType, footer: str) -> FramedPanel:
    style = styles.get(speaker, theme.UNKNOWN_SIGN)
    title = join_text(
        (f"{style.symbol} ", style.colour),
        terminal_line(speaker, f"bold {style.colour}"),
        (" · ", theme.MUTED),
        terminal_line(style.word, theme.MUTED),
    )
    return FramedPanel(body, title, Text(footer, style=theme.MUTED), style.colour)


def _call_text(turn: Turn) -> str:
    words = list(map(sanitize.sanitize_line, describe_call(turn)))
    if turn.exchange.attempts > 1:
        words.append(f"{turn.exchange.attempts} requests")
    return " · ".join(words)


def _add_blank_lines(parts: Iterable[RenderableType]) -> Group:
    rows: list[RenderableType] = []
    for part in parts:
        rows += [Text(""), part] if rows else [part]
    return Group(*rows)


def _part(part: SpeechPart, moment: Turn | Cue, styles: Styles, threads: ThreadIndex) -> RenderableType:
    match part:
        case Argument():
            head = HangingIndent(terminal_line(part.id, "reverse"), terminal_line(part.claim, "bold"))
            evidence = join_text(("evidence  ", theme.MUTED), terminal_text(part.evidence, "italic"))
            body = [
                *([terminal_text(part.reasoning)] if part.reasoning else []),
                *([evidence] if part.evidence else []),
            ]
            return Group(head, *(Padding(words, (0, 0, 0, 2)) for words in body))
        case Response():
            thread = threads.of(part.target, moment.round)
            return _response(part, thread, styles, brief=moment.phase in FREE_PHASES)
        case FollowUpAnswer():
            return _answer(part, threads.of(part.question_target, moment.round), styles)
        case Closing():
            return _closing(part)
        case str():
            return terminal_text(part)


def _response(response: Response, thread: ArgumentThread | None, styles: Styles, *, brief: bool) -> RenderableType:
    label = badge_text(RESPONSE_BADGES.get(response.type, theme.UNKNOWN_BADGE))
    if brief:
        claim = terminal_line(thread.claim if thread is not None else "", theme.MUTED)
        return HangingIndent(join_text(label, "  ", _owner_and_id(response.target, thread, styles)), claim)
    tree = _thread_tree(response.target, thread, styles)
    tree.add(_step(label, terminal_text(response.reasoning)))
    if response.follow_up:
        tree.add(_step(Text("asks", style=theme.MUTED), terminal_text(response.follow_up, "italic")))
    return tree


def _answer(answer: FollowUpAnswer, thread: ArgumentThread | None, styles: Styles) -> RenderableType:
    tree = _thread_tree(answer.question_target, thread, styles)
    tree.add(_step(Text("↳ answers", style=f"bold {theme.BLUE}"), terminal_text(answer.reply)))
    if answer.evaded:
        tree.add(Text("! left open", style=theme.GOLD))
    return tree


def _thread_tree(target: str, thread: ArgumentThread | None, styles: Styles) -> Tree:
    head = _owner_and_id(target, thread, styles)
    if thread is None:
        return Tree(head, guide_style=theme.MUTED)
    tree = Tree(HangingIndent(head, terminal_line(thread.claim, theme.MUTED)), guide_style=theme.MUTED)
    for step in thread.steps:
        owner = styles.get(step.by, theme.UNKNOWN_SIGN).symbol
        label = f"{step.symbol} {owner} {sanitize.sanitize_line(step.by)} {', '.join(step.actions)}"
        tree.add(_step(Text(label, style=theme.MUTED), terminal_text(step.said, theme.MUTED)))
    return tree


def _step(label: Text, words: Text) -> Text:
    return join_text(label, "  ", words) if words.plain else label


def _owner_and_id(target: str, thread: ArgumentThread | None, styles: Styles) -> Text:
    if thread is None:
        return terminal_line(target, "bold")
    owner = styles.get(thread.owner, theme.UNKNOWN_SIGN)
    return join_text((f"{owner.symbol} ", owner.colour), terminal_line(target, "bold"))


def _closing(closing: Closing) -> RenderableType:
    rows: list[tuple[str, RenderableType]] = []
    for label, ids in (("concedes", closing.concessions), ("unrebutted", closing.unrebutted)):
        if ids:
            rows.append((label, terminal_line(", ".join(ids))))
    if closing.shift:
        position = badge_text(theme.SHIFT_BADGES.get(closing.shift, theme.UNKNOWN_BADGE))
        rows.append(("position", _step(position, terminal_line(closing.why))))
    parts = [
        *([terminal_text(closing.final_position)] if closing.final_position else []),
        *([label_grid(rows)] if rows else []),
    ]
    return _add_blank_lines(parts)
