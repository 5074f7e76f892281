"""`debate replay`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, keys, options, screen, showing
from debate_cli.cli.existing import refuse_existing
from debate_cli.cli.homes import homes
from debate_cli.cli.screen import ClosedPipeError
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError
from debate_cli.render.replay import Pause, Performance
from debate_cli.scoring import score
from debate_cli.storage.disk import write_whole
from debate_cli.storage.library import find, open_debate
from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import to_transcript
from debate_cli.storage.transcript_file import dump

app = typer.Typer(add_completion=False)


class Format(StrEnum):
    """What the debate is shown as."""

    terminal = "terminal"
    markdown = "markdown"
    html = "html"
    json = "json"
    svg = "svg"
    terminal_html = "terminal-html"


WHOLE = (Format.html, Format.json)
"""What is of a whole debate: a page that shows and hides parts by itself, and a transcript."""


STOPPING = frozenset({"q", "Q", ""})
"""Keys that end what is shown step by step; no key at all where the terminal is gone."""


class Only(StrEnum):
    """A part of the debate."""

    turns = "turns"
    scores = "scores"
    trace = "trace"
    verdict = "verdict"
    briefing = "briefing"


class Way(NamedTuple):
    """How it is shown to the one who watches, and how long a pause lasts."""

    speed: float | None
    """Times the pace of a fast model; None shows everything at once."""
    step: bool
    """Whether a key is waited for after each turn."""
    plain: bool
    """Whether to write plain lines on a terminal too."""
    show_hidden: bool

    @property
    def hint(self) -> str:
        """What the one who watches can press; empty where no key is waited for."""
        return "any key: go on · q: stop" if self.step and sys.stdin.isatty() and sys.stdout.isatty() else ""

    def wait(self, pause: Pause, key: Callable[[], str]) -> bool:
        """Let the pause pass, or wait for the next key; whether to go on."""
        if self.hint and pause.after == "turn":
            return key() not in STOPPING
        if self.speed is not None and screen.interactive(sys.stdout):
            time.sleep(pause.seconds / self.speed)
        return True


@app.command()
def replay(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A transcript or journal, or the id of a saved debate.",
            autocompletion=completion.debates,
        ),
    ],
    speed: Annotated[
        float | None,
        typer.Option(
            min=0.01, metavar="X", help="Type the speeches out, X times a fast model's pace; 0.2: read along."
        ),
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for a key after each turn.")] = False,
    round_: Annotated[int | None, typer.Option("--round", min=1, help="Only this round.")] = None,
    only: Annotated[Only | None, typer.Option(help="Only this part.")] = None,
    show_hidden: Annotated[bool, typer.Option("--show-hidden", help="Show hidden directives.")] = False,
    plain: options.Plain = False,
    format_: Annotated[Format, typer.Option("--format", help="What to show it as.")] = Format.terminal,
    json_: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write to a file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE where it exists.")] = False,
    debug: options.Debug = False,
) -> None:
    """Show a saved debate as it was shown when it ran.

    All at once, or typed out, or step by step; also as a page, a picture or Markdown. No model is asked.

    Examples:

      debate replay transcripts/my-debate.json --only trace

      debate replay my-debate --speed 4

      debate replay my-debate --format html -o report.html

      debate replay my-debate --format svg --only verdict -o verdict.svg
    """
    del debug  # acted on where errors are caught
    how = _format(format_, as_json=json_)
    _agree(how, "--json" if json_ else f"--format {how.value}", round_, only)
    if output is not None:
        refuse_existing(output, force=force, option="-o")
    stored = open_debate(find(path, homes()))
    debate = stored.debate
    if round_ is not None and not debate.spoken(round_number=round_):
        raise UsageError(f"--round {round_}: this debate has no such round; leave it out to see all")
    if how is Format.terminal and output is None:
        way = Way(None if plain else speed, step=step, plain=plain, show_hidden=show_hidden)
        _play(stored.path, debate, way, round_, only)
        return
    text = _document(debate, score(debate, runs="all"), how, round_, only, show_hidden=show_hidden)
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text.encode(), overwrite=force)
        screen.tell(f"written: {output}")


def _format(given: Format, *, as_json: bool) -> Format:
    """What it is shown as. Raises UsageError where --json and another format are asked for."""
    if as_json and given not in (Format.terminal, Format.json):
        raise UsageError(f"--json and --format {given.value} exclude each other; give one of the two")
    return Format.json if as_json else given


def _agree(format_: Format, typed: str, round_number: int | None, only: Only | None) -> None:
    """Raise UsageError where the part that is asked for is none, or none in that format, which was asked for as `typed`."""
    if format_ in WHOLE and (only is not None or round_number is not None):
        left_out = "--only" if only is not None else "--round"
        raise UsageError(
            f"{typed} is of a whole debate; leave out {left_out}, or choose --format markdown or terminal-html"
        )
    if round_number is not None and only not in (None, Only.turns):
        raise UsageError(f"--round {round_number} shows speeches, of which --only {only} has none; give one of the two")


def _document(
    debate: Debate,
    verdicts: tuple[Verdict, ...],
    format_: Format,
    round_number: int | None,
    only: Only | None,
    *,
    show_hidden: bool,
) -> str:
    """The debate as a document. Raises UsageError for plain lines, which are none."""
    part = only.value if only is not None else None
    match format_:
        case Format.json:
            shown = debate if show_hidden else _without_directives(debate)
            return dump(to_transcript(shown, verdicts), Redactor())
        case Format.markdown:
            from debate_cli.render.documents.markdown import markdown

            return markdown(debate, verdicts, part, round_number, show_hidden=show_hidden)
        case Format.html:
            from debate_cli.render.documents.html import html

            return html(debate, verdicts, show_hidden=show_hidden)
        case Format.svg | Format.terminal_html:
            from debate_cli.render.documents import exported

            scene = exported.Scene(debate, verdicts, part, round_number, show_hidden=show_hidden)
            return exported.svg(scene) if format_ is Format.svg else exported.terminal_html(scene)
        case _:
            raise UsageError(
                "-o needs --format markdown, html, json, svg or terminal-html; redirect stdout for plain lines"
            )


def _without_directives(debate: Debate) -> Debate:
    return debate.model_copy(
        update={"turns": tuple(turn.model_copy(update={"directive": None}) for turn in debate.turns)}
    )


def _play(path: Path, debate: Debate, way: Way, round_number: int | None, only: Only | None) -> None:
    """Show it on stdout as it was shown when it ran, or as much of it as is wanted."""
    part = only.value if only is not None else None
    if part in (None, "turns") and not _perform(debate, way, round_number, judged=part is None):
        return
    if part != "turns" and round_number is None:
        verdicts = score(debate, runs="all")
        showing.show_summary(debate, verdicts, show_hidden=way.show_hidden, only=part, plain=way.plain)
        if part is None:
            screen.tell(_next(path, debate))


def _next(path: Path, debate: Debate) -> str:
    """What can be done with the debate that was shown."""
    if debate.status != "complete":
        from debate_cli.render.go_on import resume_command

        return f"go on: {resume_command(str(path), budget=debate.closed == 'budget')}"
    from debate_cli.render.gist import judge_again

    return f"judge again: {judge_again(debate, str(path))}"


def _perform(debate: Debate, way: Way, round_number: int | None, *, judged: bool) -> bool:
    """Show its speeches, and what the judges said of them; whether that came to its end."""
    typed = way.speed is not None and screen.interactive(sys.stdout)
    performance = Performance(debate, round_number, typed=typed, judged=judged, apart=bool(way.hint))
    answers = len(debate.turns) + len(debate.assessments)
    with (
        keys.single_keys() if way.hint else nullcontext(str) as key,
        showing.watching(
            quiet=False,
            as_json=False,
            planned=answers if judged else None,
            show_hidden=way.show_hidden,
            plain=way.plain,
            hint=way.hint,
        ) as watcher,
    ):
        for pause in performance.before(watcher):
            if watcher.gone:
                raise ClosedPipeError
            if not way.wait(pause, key):
                return False
    return True
