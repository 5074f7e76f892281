"""The rows at the bottom of a terminal that are drawn again and again, with what is printed for good above them.

Only rows that changed are sent, in one piece, framed as a synchronized update, so that nothing flickers over a slow
line. What stands on the screen is known here and nowhere else; printing above it goes through `above`.

What is sent is made under a lock and queued; while the region is started the drawing thread alone writes it, in that
order and outside the lock. So nobody who prints waits for a slow terminal; `stop` does, until everything is written.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import Event, Lock, RLock, Thread

from rich.color import ColorSystem
from rich.console import Console, RenderableType

from debate_cli.render.live.column import Line
from debate_cli.render.live.frame import Border, border_for

FRAMES_PER_SECOND = 10
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
"""A synchronized update; terminals that do not know it pass over it."""
_SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}


@dataclass(frozen=True, slots=True)
class TerminalRow:
    """A line as a terminal is sent it."""

    text: str
    cells: int

    @staticmethod
    def join(rows: Iterable[TerminalRow]) -> TerminalRow:
        """Rows of columns in one, a blank between two."""
        found = tuple(rows)
        return TerminalRow(" ".join(row.text for row in found), sum(row.cells for row in found) + len(found) - 1)


class StyleRenderer:
    """How the styles of a line are written on a certain terminal."""

    def __init__(self, console: Console) -> None:
        self.border: Border = border_for(console.options)
        self._console = console
        self._system = _SYSTEMS.get(console.color_system or "")
        self._marks = lru_cache(maxsize=256)(self._marks_of)

    def row(self, line: Line) -> TerminalRow:
        """The line with its styles."""
        return TerminalRow("".join(self._written(words, style) for words, style in line.spans), line.cells)

    def _written(self, words: str, style: str) -> str:
        before, after = self._marks(style)
        return f"{before}{words}{after}"

    def _marks_of(self, style: str) -> tuple[str, str]:
        """What is sent before and after words of that style."""
        if not style or self._system is None:
            return "", ""
        found = self._console.get_style(style)
        if self._console.no_color:
            found = found.without_color
        before, _, after = found.render("x", color_system=self._system).partition("x")
        return before, after


class LiveRegion:
    """The rows that `draw` gives, on the screen while it is started."""

    def __init__(self, console: Console, draw: Callable[[int], Sequence[TerminalRow]]) -> None:
        """`draw` is given a number that grows by one with every frame."""
        self._console = console
        self._draw = draw
        self._lock = RLock()
        """Held while what is sent is made, never while it is written."""
        self._writing = Lock()
        self._queue: deque[str] = deque()
        self._queued = Event()
        self._done = Event()
        self._thread: Thread | None = None
        self._shown: Sequence[TerminalRow] = ()
        self._size = console.size
        self._tick = 0

    @property
    def started(self) -> bool:
        """Whether it is on the screen."""
        return self._thread is not None

    def start(self) -> None:
        """Begin to draw; nothing is drawn where the console is no terminal."""
        if self._thread is None and self._console.is_terminal:
            self._console.show_cursor(show=False)
            self._done.clear()
            self._thread = Thread(target=self._draw_loop, name="region", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Write what is queued, take the rows off the screen, show the cursor. May be called twice."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._done.set()
        self._queued.set()
        thread.join()
        try:
            self._queue.append(self._erased())
            self._flush()
        finally:
            self._console.show_cursor(show=True)

    def above(self, *renderables: RenderableType) -> None:
        """Print for good, above the rows."""
        with self._lock:
            if not self.started:
                for renderable in renderables:
                    self._console.print(renderable)
                return
            erased = self._erased()
            with self._console.capture() as printed:
                for renderable in renderables:
                    self._console.print(renderable)
            self._queue.append(f"{_BEGIN}{erased}{printed.get()}{self._frame()}{_END}")
        if self._thread is not None and self._thread.is_alive():
            self._queued.set()
        else:
            self._flush()

    @contextmanager
    def pause_drawing(self) -> Generator[None]:
        """While this lasts nothing is drawn but by `above`: what belongs together is changed in one go."""
        with self._lock:
            yield

    def refresh(self) -> None:
        """Draw what changed, if anything did, after what is queued."""
        with self._lock:
            self._tick += 1
            sent = self._frame()
            if sent:
                self._queue.append(f"{_BEGIN}{sent}{_END}")
        self._flush()

    def _draw_loop(self) -> None:
        try:
            while not self._done.is_set():
                if self._queued.wait(1 / FRAMES_PER_SECOND):
                    self._queued.clear()
                    self._flush()
                else:
                    self.refresh()
        except OSError:  # the terminal is gone; who prints next writes, and is told
            return

    def _flush(self) -> None:
        with self._writing:
            while self._queue:
                sequence = self._queue.popleft()
                if sequence:
                    self._console.file.write(sequence)
                    self._console.file.flush()

    def _frame(self) -> str:
        """What turns the rows on the screen into those of now; the cursor rests in the last one."""
        size = self._console.size
        erased = ""
        if size != self._size:
            erased = self._erased()
            self._size = size
        rows = self._draw(self._tick)
        before, self._shown = self._shown, rows
        if list(rows) == list(before):
            return erased
        return erased + _changed(before, rows)

    def _erased(self) -> str:
        """What removes the rows; a window made narrower has wrapped them."""
        width, height = self._console.size
        taken = sum(max(1, -(-row.cells // max(1, width))) for row in self._shown)
        self._shown = ()
        # Line by line: some terminals keep a screen that is cleared from its very top among what was scrolled away.
        return "\r\x1b[2K" + "\x1b[A\x1b[2K" * (min(taken, height) - 1) if taken else ""


def _changed(before: Sequence[TerminalRow], rows: Sequence[TerminalRow]) -> str:
    found = ["\r", _up(len(before) - 1)]
    for number, row in enumerate(rows):
        old = before[number] if number < len(before) else None
        found.append("\r\n" if number else "")
        if old is None or old.text != row.text:
            # A full line is not cleared to its end: the cursor still stands on its last sign.
            found += [row.text, "\x1b[K" if old is not None and row.cells < old.cells else ""]
    if len(before) > len(rows):
        found.append("\r\n\x1b[J\x1b[A" if rows else "\x1b[J")
    return "".join(found)


def _up(count: int) -> str:
    return f"\x1b[{count}A" if count > 0 else ""
