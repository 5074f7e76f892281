"""Shows a form on the screen: the debate, the list of fields, the current field, and the keys."""

import asyncio
import base64
import os
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, FilterOrBool
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    DynamicContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth
from rich.console import Console
from rich.text import Text

from debate_cli.domain.message_text import sanitize_text
from debate_cli.providers.people.form_fields import AnswerSheet
from debate_cli.providers.people.replies import PersonAnswer
from debate_cli.render.person_form.form import OPTION_KINDS, DraftFile, FormLeftError, FormState, FormTask
from debate_cli.render.sanitize import sanitize_line
from debate_cli.render.theme import format_clock

SAVE_INTERVAL_S = 2.0
PATIENCE_S = 3600.0
"""Maximum time in seconds between Esc and Enter, which together send the answer."""
MAX_LISTED_FIELDS = 8
ROWS_PER_LISTED_FIELD = 8
"""Number of window lines per line of the list of fields: in a window of 24 lines, the list has at most 3 lines."""
MIN_WIDTH = 20
STYLE = Style.from_dict(
    {
        "bar": "reverse",
        "current": "bold",
        "done": "fg:ansigreen",
        "message": "bold",
        "keys": "fg:ansibrightblack",
    }
)
KEYS = "Tab/Shift-Tab move · Esc Enter send · Ctrl-C stop"
KEYS_OF_TEXT, KEYS_OF_OPTIONS, COPY_KEY = "Ctrl-E editor", "Up/Down, Space, Enter", "Ctrl-O copy the prompt"


def _split_at(line: str, width: int) -> list[str]:
    """Split `line` into parts of at most `width` columns, as prompt_toolkit counts them.

    prompt_toolkit cuts wider lines. It counts more columns than Rich for an emoji of several characters.
    """
    parts = [""]
    for char in line:
        if get_cwidth(parts[-1] + char) > width:
            parts.append("")
        parts[-1] += char
    return parts


class FormScreen:
    """The full-screen form for one question."""

    def __init__(self, task: FormTask, sheet: AnswerSheet) -> None:
        self._task = task
        self._draft = DraftFile(task.draft)
        sheet.values.update(self._draft.load())
        self._state = FormState(sheet, can_abstain=task.can_abstain, has_draft=bool(sheet.values))
        self._context = re.sub(r"\n{3,}", "\n\n", sanitize_text(task.context).strip("\n"))
        self._wrapped: tuple[int, list[str]] = (0, [])
        self._top: int | None = None
        """Index of the first visible line of the text above the form. None if the text is scrolled to its end."""
        self._ends_at = None if task.time_limit_s is None else time.monotonic() + task.time_limit_s
        self._buffer = Buffer(multiline=True, on_text_changed=lambda buffer: self._state.write(buffer.text))
        control = BufferControl(self._buffer)
        self._editor = Window(control, wrap_lines=True, height=Dimension(min=2, preferred=2))
        self._options = Window(
            FormattedTextControl(
                self._format_options, focusable=True, show_cursor=False, get_cursor_position=self._place_in_options
            ),
            height=lambda: Dimension(min=2, preferred=len(self._state.current.options)),
            wrap_lines=True,
        )
        self._pane = Window(
            FormattedTextControl(
                lambda: "\n".join(self._lines()), get_cursor_position=lambda: Point(0, self._first_line())
            ),
            height=lambda: Dimension(min=3, preferred=self._rows() // 2, weight=3),
            get_vertical_scroll=lambda _window: self._first_line(),
        )
        self._app: Application[PersonAnswer | None] = Application(
            Layout(self._build_form()),
            key_bindings=self._build_keys(),
            style=STYLE,
            full_screen=True,
            refresh_interval=1.0,
        )
        self._app.timeoutlen = PATIENCE_S  # Esc and Enter may be typed slowly

    async def run(self) -> PersonAnswer:
        """Show the form until the person sends the answer or the time is up.

        Raises FormLeftError if the person leaves the form.
        """
        self._load_field()
        background = asyncio.ensure_future(self._watch())
        try:
            answer = await self._app.run_async(handle_sigint=False)
        except (EOFError, OSError) as error:
            raise FormLeftError from error
        finally:
            background.cancel()
            self._save()
        if answer is None:
            raise FormLeftError
        return answer

    async def _watch(self) -> None:
        while True:
            left = None if self._ends_at is None else max(0.0, self._ends_at - time.monotonic())
            await asyncio.sleep(SAVE_INTERVAL_S if left is None else min(SAVE_INTERVAL_S, left))
            self._save()
            if self._ends_at is not None and time.monotonic() >= self._ends_at:
                self._app.exit(result=self._state.sheet.read())
                return

    def _save(self) -> None:
        problem = self._draft.save(self._state.sheet.values, self._task.title)
        if problem is not None:
            self._state.message = sanitize_line(problem)

    # What is shown

    def _wrapped_window(self, text: Callable[[], str], style: str) -> Window:
        def lines() -> str:
            return self._wrap(text())

        def height() -> Dimension:
            return Dimension.exact(lines().count("\n") + 1)

        return Window(FormattedTextControl(lines), height=height, style=style)

    def _build_form(self) -> HSplit:
        def shown_if_any(text: Callable[[], str], style: str) -> ConditionalContainer:
            return ConditionalContainer(self._wrapped_window(text, style), Condition(lambda: bool(text())))

        fields = Window(
            FormattedTextControl(self._format_fields, get_cursor_position=self._place_in_fields),
            height=lambda: Dimension.exact(self._count_listed_fields()),
        )
        return HSplit(
            [
                self._wrapped_window(self._format_title, "class:bar"),
                self._pane,
                self._wrapped_window(self._format_count, "class:bar"),
                fields,
                self._wrapped_window(self._format_field_title, "class:bar"),
                shown_if_any(self._format_explanation, "class:keys"),
                DynamicContainer(lambda: self._options if self._state.current.kind in OPTION_KINDS else self._editor),
                shown_if_any(lambda: self._state.message, "class:message"),
                self._wrapped_window(lambda: KEYS, "class:keys"),
            ]
        )

    def _count_listed_fields(self) -> int:
        return max(1, min(MAX_LISTED_FIELDS, len(self._state.fields), self._rows() // ROWS_PER_LISTED_FIELD))

    def _rows(self) -> int:
        return self._app.output.get_size().rows

    def _columns(self) -> int:
        return max(MIN_WIDTH, self._app.output.get_size().columns)

    def _format_title(self) -> str:
        parts = [sanitize_line(self._task.title)]
        if self._ends_at is not None:
            parts.append(f"time left {format_clock(max(0.0, self._ends_at - time.monotonic()))}")
        first, count = self._first_line(), len(self._lines())
        last = min(count, first + self._page())
        if last - first < count:
            parts.append(f"lines {first + 1}–{last} of {count} (PgUp/PgDn)")
        return " " + " · ".join(parts)

    def _format_count(self) -> str:
        filled, required = self._state.count_filled()
        return f" Your answer: {filled} of {required} required fields are filled in"

    def _format_field_title(self) -> str:
        field = self._state.current
        label = f" {sanitize_line(field.label)}{f' ({field.hint})' if field.hint else ''}"
        copy = COPY_KEY if self._task.clipboard_text is not None else ""
        keys = KEYS_OF_OPTIONS if field.kind in OPTION_KINDS else KEYS_OF_TEXT
        return " · ".join(filter(None, (label, copy, keys)))

    def _format_explanation(self) -> str:
        field = self._state.current
        *_, name = (part for part in field.path if isinstance(part, str))
        return sanitize_line(field.explanation or self._task.explain(name))

    def _lines(self) -> list[str]:
        width = self._columns()
        if self._wrapped[0] != width:
            self._wrapped = (width, self._wrap(self._context).split("\n"))
        return self._wrapped[1]

    def _wrap(self, text: str) -> str:
        width = self._columns() - 1  # prompt_toolkit drops a combining mark after the last column
        console = Console(width=width, color_system=None)
        lines = (
            part.plain.rstrip() for line in text.split("\n") for part in Text(line).wrap(console, width) or [Text()]
        )
        return "\n".join(part for line in lines for part in _split_at(line, width))

    def _page(self) -> int:
        info = self._pane.render_info
        return max(1, info.window_height if info is not None else self._rows() // 2)

    def _first_line(self) -> int:
        end = max(0, len(self._lines()) - self._page())
        return end if self._top is None else min(self._top, end)

    def _place_in_fields(self) -> Point:
        return Point(0, min(self._state.index, len(self._state.fields) - 1))

    def _place_in_options(self) -> Point:
        return Point(0, self._state.option)

    def _format_fields(self) -> StyleAndTextTuples:
        current = self._state.current
        parts: StyleAndTextTuples = []
        for field in self._state.fields:
            words = sanitize_line(self._state.sheet.get(field).replace("\n", ", " if field.options else " "))
            mark = "✓" if words else "·" if field.required else " "
            is_current = field == current
            pointer = "›" if is_current else " "
            line = Text(f"{pointer}{mark} {sanitize_line(field.label)}{': ' if words else ''}{words}")
            line.truncate(self._columns() - 1, overflow="ellipsis")
            style = "class:current" if is_current else "class:done" if words else ""
            parts.append((style, line.plain + "\n"))
        return parts

    def _format_options(self) -> StyleAndTextTuples:
        field, chosen = self._state.current, self._state.chosen
        parts: StyleAndTextTuples = []
        for number, option in enumerate(field.options):
            mark = "x" if option in chosen else " "
            box = f"[{mark}]" if field.kind == "choices" else f"({mark})"
            style, pointer = ("class:current", "›") if number == self._state.option else ("", " ")
            line_end = "\n" if number + 1 < len(field.options) else ""
            parts.append((style, f"{pointer} {number + 1} {box} {sanitize_line(option)}{line_end}"))
        return parts

    # What keys do

    def _load_field(self) -> None:
        words = self._state.sheet.get(self._state.current)
        self._buffer.set_document(Document(words, len(words)), bypass_readonly=True)
        self._app.layout.focus(self._options if self._state.current.kind in OPTION_KINDS else self._editor)

    def _move(self, steps: int) -> None:
        self._state.move(steps)
        self._load_field()

    def _scroll(self, pages: int) -> None:
        last = max(0, len(self._lines()) - self._page())
        top = self._first_line() + pages * max(1, self._page() - 1)
        self._top = None if top >= last else max(0, top)

    def _build_keys(self) -> KeyBindings:
        keys = KeyBindings()
        in_options = Condition(lambda: self._state.current.kind in OPTION_KINDS)
        in_number = Condition(lambda: self._state.current.kind == "number")

        def bind(*names: str, when: FilterOrBool = True, does: Callable[[], object]) -> None:
            def handle(_event: KeyPressEvent) -> None:
                does()

            keys.add(*names, filter=when, eager=len(names) == 1)(handle)

        bind("tab", does=lambda: self._move(1))
        bind("s-tab", does=lambda: self._move(-1))
        bind("pageup", does=lambda: self._scroll(-1))
        bind("pagedown", does=lambda: self._scroll(1))
        bind("escape", "enter", does=self._send)
        bind("c-c", does=lambda: self._app.exit(result=None))
        bind("c-e", does=self._edit)
        bind("enter", when=in_number, does=lambda: self._move(1))
        bind("up", when=in_options, does=lambda: self._move_option(-1))
        bind("down", when=in_options, does=lambda: self._move_option(1))
        bind("space", when=in_options, does=lambda: self._state.pick(self._state.option))
        bind("enter", when=in_options, does=self._choose_and_go_on)
        for number in range(1, 10):
            bind(str(number), when=in_options, does=lambda number=number: self._state.pick(number - 1))
        if self._task.clipboard_text is not None:
            bind("c-o", does=self._copy)
        return keys

    def _move_option(self, steps: int) -> None:
        self._state.option = (self._state.option + steps) % max(1, len(self._state.current.options))

    def _choose_and_go_on(self) -> None:
        if self._state.current.options[self._state.option] not in self._state.chosen:
            self._state.pick(self._state.option)
        self._move(1)

    def _send(self) -> None:
        answer = self._state.send()
        if answer is None:
            self._load_field()
        else:
            self._app.exit(result=answer)

    def _copy(self) -> None:
        code = base64.b64encode((self._task.clipboard_text or "").encode("utf-8", "replace")).decode()
        self._app.output.write_raw(f"\x1b]52;c;{code}\x07")
        self._app.output.flush()
        self._state.message = "The prompt was sent to the clipboard. Paste the answer below, then press Esc and Enter."

    def _edit(self) -> None:
        if self._state.current.kind in OPTION_KINDS:
            self._state.message = "Choose one of the options with Space."
            return
        self._save()

        async def edit() -> None:
            text = self._buffer.text
            edited, problem = await run_in_terminal(lambda: edit_text(text, os.environ), in_executor=True)
            self._state.write(edited)
            self._state.message = sanitize_line(problem or "The field now contains the text from the editor.")
            self._load_field()
            self._save()

        self._app.create_background_task(edit())


MIN_EDITING_S = 1.0
"""Minimum running time of an editor in seconds. An editor that ends sooner and changed nothing gives an error message."""
DEFAULT_EDITOR = "vi"


def edit_text(text: str, env: Mapping[str, str]) -> tuple[str, str | None]:
    """Let the person edit `text` in `$VISUAL` or `$EDITOR`. Return the text, and an error message or None.

    If the editor returns at once without a change, the temporary file is kept: another window may still show it.
    """
    command = env.get("VISUAL") or env.get("EDITOR") or DEFAULT_EDITOR
    handle, name = tempfile.mkstemp(prefix="answer-", suffix=".md")
    path = Path(name)
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode("utf-8", "replace"))
    began = time.monotonic()
    try:
        code = subprocess.run([*shlex.split(command), str(path)], check=False).returncode  # noqa: S603 - the user names it
        changed = path.read_text("utf-8", "replace").removesuffix("\n")
    except (OSError, ValueError) as error:
        path.unlink(missing_ok=True)
        return text, f"{command} cannot be started ({error}); set EDITOR to your editor."
    if changed == text.removesuffix("\n") and time.monotonic() - began < MIN_EDITING_S:
        advice = "use an editor command that waits until the file is closed, e.g. EDITOR='code --wait'"
        return text, f"{command} returned at once and changed nothing (exit code {code}): {advice}."
    path.unlink(missing_ok=True)
    return changed, f"{command} ended with exit code {code}; check the text." if code else None
