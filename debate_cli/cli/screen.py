"""Output of commands while models are asked, and the closing summary of a debate."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, TypeVar

from debate_cli.cli.console import (
    ignore_broken_pipe,
    is_broken_pipe,
    is_interactive,
    make_console,
    print_status,
    redact_line,
)
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateResumed, Event, TaskFailed, TaskStarted, TurnCompleted
from debate_cli.domain.tasks import Cue, Task
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import ExitCode
from debate_cli.formats.schedule import turns_hidden_from_people
from debate_cli.observer import NullObserver, Observer
from debate_cli.render.content.report import ReportPart
from debate_cli.render.content.summary import suggest_judge_command
from debate_cli.render.text.plain import PlainObserver
from debate_cli.render.theme import NO_PLAN, RunPlan

if TYPE_CHECKING:
    from debate_cli.render.live.experiment import LiveExperimentObserver
    from debate_cli.render.live.view import LiveObserver

Detail = Literal["brief", "summary", "details"] | ReportPart
"""How much of the end of a debate is shown.

- `summary`: the closing screen. `brief`: the closing screen without claims, recommendation and cost.
- `details`: all tables. The name of a part: the tables of this part.
"""
_DURATION = re.compile(r"\d+(?:\.\d+)? s\b")
_TERMINAL_SIGNALS = ("SIGTSTP", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU")


class StopCause(NamedTuple):
    """Why a run was interrupted."""

    reason: str
    exit_code: ExitCode


BY_USER = StopCause("stopped by the user", ExitCode.INTERRUPTED)
BY_CLOSED_PIPE = StopCause("stopped because the output pipe closed", ExitCode.CLOSED_PIPE)


def print_note(note: str) -> None:
    """Print a note on stderr, after `note:`."""
    print_status(f"note: {note}")


class StatusObserver(NullObserver):
    """Prints notes to stderr; ignores other events."""

    def note(self, note: str) -> None:
        """Print the note."""
        print_status(note)


class PipeSafeObserver:
    """Forwards events to an observer until stdout is closed, then calls `on_close`."""

    def __init__(
        self,
        observer: Observer,
        *,
        show_warning: Callable[[str], None] | None = None,
        screen: LiveObserver | None = None,
        is_read: bool = False,
    ) -> None:
        """`show_warning`: shows warnings. If None, `observer` shows warnings as notes.

        `screen`: `observer` itself if it is a live view, else None. `is_read`: whether the observer's output and stderr
        are on terminals, where a person reads both.
        """
        self.is_closed = False
        self.stop_cause: StopCause | None = None
        """Why a stop of the run was first requested; None if no stop was requested."""
        self.shown_failures: set[str] = set()
        """Messages of failures that the user's terminal has shown in full; empty if the run is not shown on a terminal."""
        self.show_warning = show_warning
        self.on_close: Callable[[], object] = lambda: None
        """Called once stdout is closed."""
        self.waits: dict[str, Callable[[], str]] = {}
        """Maps each provider to a function that returns a text for a live view: how long the provider has refused calls,
        and when the next call is sent. The text is empty if calls need not wait."""
        self._observer = observer
        self._is_read = is_read
        self._screen = screen
        self._seen_notes: set[str] = set()
        """Notes since the last event, without durations such as `3 s`. They show whether a note is a repetition."""
        self._holds = 0
        """Number of people who are being asked at the terminal."""
        self._was_left = False
        """Whether a person quit instead of answering."""
        self._held: list[Callable[[], object]] = []
        """Calls of the observer, held back until each person at the terminal has answered or quit."""

    def event(self, event: Event, debate: Debate) -> None:
        """Forward the event to the observer given to `__init__`.

        After `DebateResumed`, that observer shows the earlier speeches. If a person speaks next, speeches that this
        person must not see yet are shown after the person's answer.
        """
        if not isinstance(event, TaskStarted):
            self._seen_notes.clear()
        if isinstance(event, TaskFailed) and self._is_read:
            self.shown_failures.add(event.failure.message)
        hidden = turns_hidden_from_people(debate) if isinstance(event, DebateResumed) else ()
        shown = debate.model_copy(update={"turns": tuple(turn for turn in debate.turns if turn not in hidden)})
        self.forward(lambda: self._show_event(event, shown if hidden else debate))
        self._held += [partial(self._show_event, TurnCompleted(at=event.at, turn=turn), debate) for turn in hidden]

    def _show_event(self, event: Event, debate: Debate) -> None:
        if not (self._was_left and isinstance(event, TurnCompleted)):
            self._observer.event(event, debate)

    def asking(self, task: Task) -> None:
        """Tell the observer that a model is about to answer `task`."""
        self.forward(lambda: self._observer.asking(task))

    def text(self, cue: Cue, piece: str) -> None:
        """Forward a piece of a speech. If a person quit instead of answering, do nothing."""
        self.forward(lambda: None if self._was_left else self._observer.text(cue, piece))

    def note(self, note: str) -> None:
        """Forward `note`, unless the same note was forwarded since the last event.

        Two notes are the same if they differ only in a duration.
        """
        if self._is_new(note):
            self.forward(lambda: self._observer.note(redact_line(note)))

    def warn(self, note: str) -> None:
        """Show a warning, even if the observer shows nothing. Ignores a warning that was shown since the last event."""
        if self.show_warning is None:
            self.note(note)
        elif self._is_new(note):
            self.show_warning(note)

    def announce_stop(self, cause: StopCause, notice: str) -> None:
        """Record why a stop was requested, and show `notice`. A live view shows it until the run ends."""
        self.stop_cause = cause
        if self._screen is not None:
            self._screen.stop_notice = notice
        self.warn(notice)

    def _is_new(self, note: str) -> bool:
        same = _DURATION.sub("", note)
        is_new = same not in self._seen_notes
        self._seen_notes.add(same)
        return is_new

    @contextmanager
    def hold_output(self) -> Generator[None]:
        """Hold back all output during the `with` block, in which a person answers at the terminal.

        An exception in the block means that the person quit instead of answering. In this case, speeches stay hidden
        until the run ends.
        """
        self._holds += 1
        if self._holds == 1 and self._screen is not None:
            self._screen.pause()
        try:
            yield
        except BaseException:
            self._was_left = True
            raise
        finally:
            self._holds -= 1
            if not self._holds:
                if self._screen is not None:
                    self._screen.resume()
                held, self._held = self._held, []
                for showing in held:
                    self.forward(showing)

    def forward(self, showing: Callable[[], object]) -> None:
        """Call `showing`. While people at the terminal are being asked, this call is postponed.

        Does nothing if stdout is closed.
        """
        if self.is_closed:
            return
        if self._holds:
            self._held.append(showing)
            return
        try:
            showing()
        except OSError as error:
            if not is_broken_pipe(error):
                raise
            self.is_closed = True
            self.stop_cause = self.stop_cause or BY_CLOSED_PIPE
            self.on_close()


class PipeSafeStdout:
    """Stdout as a stream. Once stdout is closed, text is discarded and a stop of the run is requested."""

    def __init__(self, control: PipeSafeObserver) -> None:
        self._control = control

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stdout, name)

    def write(self, text: str) -> int:
        """Write `text`. Returns its length."""
        self._control.forward(lambda: sys.stdout.write(text))
        return len(text)

    def flush(self) -> None:
        """Flush stdout."""
        self._control.forward(sys.stdout.flush)


def progress_stream(*, quiet: bool, as_json: bool) -> TextIO | None:
    """Return the stream for a run's progress: stdout or, with --json, stderr.

    Returns None if progress is not shown: with --quiet, and with --json if stderr is not a terminal.
    """
    if quiet or (as_json and not is_interactive(sys.stderr)):
        return None
    return sys.stderr if as_json else sys.stdout


@contextmanager
def open_observer(
    stream: TextIO | None,
    *,
    plan: RunPlan = NO_PLAN,
    expected: int | None = None,
    show_hidden: bool = False,
    plain: bool = False,
    hint: str = "",
) -> Generator[PipeSafeObserver]:
    """Open the observer of a run: a live view on a terminal, else plain lines.

    `stream`: where the run is shown. If None, only warnings are shown, on stderr.
    `plan`: calls, cost and servers for the heading. `expected`: minimum number of calls, for the progress line. None if
    unknown.
    `show_hidden`: whether to show the hidden directives of debaters.
    `plain`: whether a terminal gets plain lines. `hint`: text that says which keys a user can press.
    """
    if stream is None:
        yield PipeSafeObserver(NullObserver(), show_warning=print_note)
    elif is_interactive(stream) and not plain:
        from debate_cli.render.live.view import LiveObserver

        with show_view(
            LiveObserver(make_console(stream), expected, plan=plan, show_hidden=show_hidden, hint=hint)
        ) as live:
            control = PipeSafeObserver(live, screen=live, is_read=sys.stderr.isatty())
            live.waits = control.waits
            yield control
    else:
        if hint:
            print_status(hint)
        lines = PlainObserver(stream, show_hidden=show_hidden, plan=plan)
        try:
            yield PipeSafeObserver(lines, is_read=stream.isatty() and sys.stderr.isatty())
        finally:
            with ignore_broken_pipe():
                lines.finish()


ViewT = TypeVar("ViewT", bound="LiveObserver | LiveExperimentObserver")


@contextmanager
def show_view(view: ViewT) -> Generator[ViewT]:
    """Show the view during the `with` block.

    The terminal is restored when the block ends, and before a signal suspends or ends the process.
    """

    def hand_over(number: int, _frame: object) -> None:
        with ignore_broken_pipe():
            view.pause()
        handler = signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # returns only if the signal suspended the process, which then continued
        signal.signal(number, handler)
        view.resume()

    numbers = [getattr(signal, name) for name in _TERMINAL_SIGNALS if hasattr(signal, name)]
    handled = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    view.start()
    try:
        for number in handled:
            signal.signal(number, hand_over)
        yield view
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)
        with ignore_broken_pipe():
            view.stop()


def choose_detail(*, quiet: bool, details: bool) -> Detail:
    """Return the detail that --quiet and --details ask for. If both are given, --quiet takes precedence."""
    if quiet:
        return "brief"
    return "details" if details else "summary"


def show_summary(
    debate: Debate,
    verdicts: tuple[Verdict, ...],
    detail: Detail = "summary",
    *,
    plain: bool = False,
    judged: Collection[str] | None = None,
    saved: Path | None = None,
    follows_reports: bool = False,
) -> None:
    """Print the end of a debate: its closing screen, or its tables.

    `judged`: ids of the judging runs to show. None shows all judging runs. `saved`: the transcript; None if the debate
    was not saved. `follows_reports`: whether the judges' reports are printed before, so that tables that only repeat them
    are left out.
    """
    is_brief = detail == "brief"
    is_screen = is_brief or detail == "summary"
    only = None if detail in ("brief", "summary", "details") else detail
    if is_interactive(sys.stdout) and not plain:
        from debate_cli.render.terminal.report import ScreenLimits, closing_screen, details, fitting_screen

        console = make_console(sys.stdout)
        if not is_screen:
            parts = details(debate, verdicts, only=only, judged=judged, follows_reports=follows_reports)
        elif is_brief:
            parts = closing_screen(debate, verdicts, judged, ScreenLimits(console.width, only_verdicts=True))
        else:
            parts = fitting_screen(console, debate, verdicts, judged, saved=saved)
        for part in parts:
            console.print(part)
        return
    from debate_cli.render.text.plain import closing_lines, details_lines
    from debate_cli.render.text.wrapping import wrap_for_terminal

    lines = (
        closing_lines(debate, verdicts, judged, only_verdicts=is_brief)
        if is_screen
        else details_lines(debate, verdicts, only=only, judged=judged, follows_reports=follows_reports)
    )
    for line in wrap_for_terminal(lines, sys.stdout):
        print(line)


def suggest_judging(debate: Debate, path: Path) -> None:
    """Print a command that judges the debate saved at `path`, if there is one to suggest."""
    if command := suggest_judge_command(debate, str(path)):
        print_status(f"judge {'again' if debate.was_judged else 'it'}: {command}")
