"""How a debate is shown: the right watcher and the right closing part for the stream. What only a run needs is not loaded."""

from __future__ import annotations

import sys
from collections.abc import Collection, Generator
from contextlib import contextmanager

from debate_cli.cli.audience import Audience
from debate_cli.cli.screen import console, interactive, tell, whoever_reads
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render.plain.watchers import PlainWatcher, QuietWatcher


@contextmanager
def watching(
    *, quiet: bool, as_json: bool, planned: int | None, show_hidden: bool, plain: bool = False, hint: str = ""
) -> Generator[Audience]:
    """The watcher for this run: live on a terminal unless `plain`, else plain lines; with --json nothing on stdout.

    Where nothing is shown, warnings go to stderr. `hint`, on the keys that are waited for, stays below what is drawn;
    beside plain lines it stands first, on stderr.
    """
    stream = sys.stderr if as_json else sys.stdout
    if quiet or (as_json and not interactive(stream)):
        yield Audience(QuietWatcher(), aside=tell)
    elif interactive(stream) and not plain:
        from debate_cli.render.live.watcher import LiveWatcher

        watcher = LiveWatcher(console(stream), planned, show_hidden=show_hidden, hint=hint)
        watcher.start()
        try:
            yield Audience(watcher)
        finally:
            with whoever_reads():
                watcher.stop()
    else:
        if hint:
            tell(hint)
        plainly = PlainWatcher(stream, show_hidden=show_hidden)
        try:
            yield Audience(plainly)
        finally:
            with whoever_reads():
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
    if interactive(sys.stdout) and not plain:
        from debate_cli.render.drawn.summary import summary

        screen = console(sys.stdout)
        parts = summary(debate, verdicts, only=only, show_hidden=show_hidden, judged=judged)  # pyright: ignore[reportArgumentType]
        for part in parts:
            screen.print(part)
        return
    from debate_cli.render.plain.summary import summary_lines

    for line in summary_lines(debate, verdicts, only=only, judged=judged):  # pyright: ignore[reportArgumentType]
        print(line)
