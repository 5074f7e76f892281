"""How a debate is shown: the right watcher and the right closing part for the stream. What only a run needs is not loaded."""

from __future__ import annotations

import sys
from collections.abc import Collection, Generator
from contextlib import contextmanager

from debate_cli.cli.audience import PipeSafeObserver
from debate_cli.cli.screen import ignore_broken_pipe, is_interactive, make_console, print_status
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render.plain.watchers import NullObserver, PlainObserver


@contextmanager
def open_observer(
    *, quiet: bool, as_json: bool, planned: int | None, show_hidden: bool, plain: bool = False, hint: str = ""
) -> Generator[PipeSafeObserver]:
    """The watcher for this run: live on a terminal unless `plain`, else plain lines; with --json nothing on stdout.

    Where nothing is shown, warnings go to stderr. `hint`, on the keys that are waited for, stays below what is drawn;
    beside plain lines it stands first, on stderr.
    """
    stream = sys.stderr if as_json else sys.stdout
    if quiet or (as_json and not is_interactive(stream)):
        yield PipeSafeObserver(NullObserver(), aside=print_status)
    elif is_interactive(stream) and not plain:
        from debate_cli.render.live.watcher import LiveObserver

        watcher = LiveObserver(make_console(stream), planned, show_hidden=show_hidden, hint=hint)
        watcher.start()
        try:
            yield PipeSafeObserver(watcher)
        finally:
            with ignore_broken_pipe():
                watcher.stop()
    else:
        if hint:
            print_status(hint)
        plainly = PlainObserver(stream, show_hidden=show_hidden)
        try:
            yield PipeSafeObserver(plainly)
        finally:
            with ignore_broken_pipe():
                plainly.finish()


def show_summary(
    debate: Debate,
    verdicts: tuple[Verdict, ...],
    *,
    show_hidden: bool,
    only: str | None = None,
    plain: bool = False,
    judged: Collection[str] | None = None,
) -> None:
    """The closing part on stdout: drawn on a terminal unless `plain`, else plain lines.

    `judged`: ids of the judging runs that the debate was just judged again by; nothing but what they brought is shown.
    """
    if is_interactive(sys.stdout) and not plain:
        from debate_cli.render.drawn.summary import summary_view

        screen = make_console(sys.stdout)
        parts = summary_view(debate, verdicts, only=only, show_hidden=show_hidden, judged=judged)  # pyright: ignore[reportArgumentType]
        for part in parts:
            screen.print(part)
        return
    from debate_cli.render.plain.summary import summary_lines

    for line in summary_lines(debate, verdicts, only=only, judged=judged):  # pyright: ignore[reportArgumentType]
        print(line)
