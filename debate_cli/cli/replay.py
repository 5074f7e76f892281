"""`debate replay`."""

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext

from debate_cli.app.score import count_outdated, describe_outdated
from debate_cli.cli import console, screen
from debate_cli.cli.console import ClosedPipeError, write_document, write_json_chunks
from debate_cli.cli.output_files import check_output, debate_files, file_or_stdout
from debate_cli.cli.saved_options import ReplayFormat, ReplayOptions, ReplayPart
from debate_cli.domain.debate import Debate
from debate_cli.domain.turn import Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError
from debate_cli.judging.schedule import missing_briefs
from debate_cli.llm.redaction import Redactor
from debate_cli.render.replay import ReplayPlan
from debate_cli.render.text.plain import details_lines
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.lock import lock_holder
from debate_cli.storage.transcript import dump_transcript, to_transcript
from debate_cli.storage.transcript_store import StoredDebate, find_debate, open_debate, transcript_dirs
from debate_cli.systems.scoring import score

WHOLE_DEBATE_FORMATS = ("html", "json")
"""Formats that always show the whole debate: the HTML page and the transcript."""
KEY_HINT = "any key: next turn · q: stop"
QUIT_KEYS = frozenset({"q", "Q", ""})
"""Keys that end a step-by-step replay. The empty string stands for a closed terminal."""


def run(given: ReplayOptions) -> None:
    """Show a saved debate as `debate run` showed it."""
    given = given._replace(output=file_or_stdout(given.output))
    how = _resolve_format(given)
    path = find_debate(given.path, transcript_dirs())
    if given.output is not None:
        check_output(given.output, "-o", force=given.force, inputs=[path, *debate_files(path)])
    stored = open_debate(path)
    debate = stored.debate
    console.print_incomplete_line_note(stored.incomplete_line_warning)
    if given.round is not None and not debate.select_turns(round_number=given.round):
        raise UsageError(f"--round {given.round}: this debate has no such round; leave out --round to see all rounds")
    verdicts = score(debate, runs="all")
    if _shows_verdicts(given):
        for note in describe_outdated(count_outdated(stored, verdicts)):
            console.print_status(f"note: {note}")
    if given.only is not None and not _has_part(debate, verdicts, given.only):
        console.print_status(f"--only {given.only}: this debate has no such part; leave out --only to see all parts")
    if how == "terminal" and given.output is None:
        _play(given, stored, verdicts)
        _print_open_work(given, stored)
        return
    text = _render_document(given, how, stored, verdicts)
    if given.output is not None:
        atomic_write(given.output, text.encode(), overwrite=given.force)
        console.print_status(f"written: {given.output}")
    elif how == "json":
        write_json_chunks([text])
    else:
        write_document([text])
    _print_open_work(given, stored)


def _resolve_format(given: ReplayOptions) -> ReplayFormat:
    if given.json and given.format not in {"terminal", "json"}:
        raise UsageError(f"--json and --format {given.format} cannot be combined; give one of them")
    how: ReplayFormat = "json" if given.json else given.format
    if how in WHOLE_DEBATE_FORMATS and (given.only is not None or given.round is not None):
        left_out = "--only" if given.only is not None else "--round"
        raise UsageError(
            f"{left_out} has no effect with --format {how}, which shows the whole debate; leave out {left_out}, or choose --format markdown or terminal-html"
        )
    _refuse_unused_playing(given, how)
    if given.round is not None and given.only not in {None, "turns"}:
        raise UsageError(
            f"--round has no effect with --only {given.only}, which covers all rounds; leave out one of them"
        )
    return how


def _refuse_unused_playing(given: ReplayOptions, how: ReplayFormat) -> None:
    option = "--step" if given.step else "--speed"
    if not given.step and given.speed is None:
        return
    if how != "terminal" or given.output is not None:
        other = "-o" if how == "terminal" else "--json" if given.json else f"--format {how}"
        raise UsageError(f"{option} has no effect with {other}; leave out one of them")
    if given.speed is not None and given.plain:
        raise UsageError("--speed has no effect with --plain; leave out one of them")
    if given.only not in {None, "turns"}:
        raise UsageError(
            f"{option} has no effect with --only {given.only}, which shows no turns; leave out one of them"
        )


def _has_part(debate: Debate, verdicts: tuple[Verdict, ...], part: ReplayPart) -> bool:
    if part == "turns":
        return bool(debate.turns) or debate.document_name is not None
    return any(line.strip() for line in details_lines(debate, verdicts, only=part))


def _without_directive(turn: Turn) -> Turn:
    raw = turn.raw
    if raw is not None and turn.directive:  # the directive is also the end of the stored prompt
        raw = raw.model_copy(update={"system": raw.system.removesuffix(turn.directive).rstrip()})
    return turn.model_copy(update={"directive": None, "raw": raw})


def _render_document(
    given: ReplayOptions, how: ReplayFormat, stored: StoredDebate, verdicts: tuple[Verdict, ...]
) -> str:
    debate, part = stored.debate, given.only
    match how:
        case "json":
            if not given.show_hidden:
                debate = debate.model_copy(update={"turns": tuple(map(_without_directive, debate.turns))})
            return dump_transcript(to_transcript(debate, verdicts), Redactor())
        case "markdown":
            from debate_cli.render.text.markdown import format_markdown

            return format_markdown(debate, verdicts, part, given.round, show_hidden=given.show_hidden)
        case "html":
            from debate_cli.app.new_limits import find_saved_remedy
            from debate_cli.render.html.page import render_html

            remedy = find_saved_remedy(stored.path, debate)
            return render_html(debate, verdicts, show_hidden=given.show_hidden, remedy=remedy)
        case "svg" | "terminal-html":
            from debate_cli.render.terminal_export import TerminalExport, export_svg, export_terminal_html

            export = TerminalExport(debate, verdicts, part, given.round, show_hidden=given.show_hidden)
            return export_svg(export.print_to, title=debate.topic) if how == "svg" else export_terminal_html(export)
        case _:
            raise UsageError(
                "-o cannot write --format terminal; add --format markdown, html, json, svg or terminal-html, or redirect stdout for plain lines"
            )


def _play(given: ReplayOptions, stored: StoredDebate, verdicts: tuple[Verdict, ...]) -> None:
    debate = stored.debate
    part = given.only
    if part in (None, "turns") and not _play_turns(given, debate, judged=part is None):
        return
    if part != "turns" and given.round is None:
        screen.show_summary(debate, verdicts, part or "details", plain=given.plain, follows_reports=part is None)
        if part is None and debate.status == "complete" and not missing_briefs(debate):
            screen.suggest_judging(debate, stored.path)


def _shows_verdicts(given: ReplayOptions) -> bool:
    return given.only != "turns" and given.round is None


def _print_open_work(given: ReplayOptions, stored: StoredDebate) -> None:
    """Print what is missing, and the command that requests it.

    An unfinished debate lacks speeches or judgements. A complete debate may lack judgements for the shown verdicts.
    """
    debate = stored.debate
    missing = missing_briefs(debate) if _shows_verdicts(given) or debate.status == "incomplete" else ()
    if not missing and debate.status == "complete":
        return
    from debate_cli.app.new_limits import ended_command_of
    from debate_cli.render.content.resume_hint import open_work_lines

    ended = ended_command_of(stored.path, debate)
    is_running = lock_holder(stored.path) is not None
    console.print_status_lines(open_work_lines(debate, missing, ended, is_running=is_running))


def _play_turns(given: ReplayOptions, debate: Debate, *, judged: bool) -> bool:
    speed = None if given.plain or not console.is_interactive(sys.stdout) else given.speed
    waits = given.step and sys.stdin.isatty() and sys.stdout.isatty()
    replay = ReplayPlan(debate, given.round, is_typed=speed is not None, judged=judged, one_by_one=waits)
    answers = len(debate.turns) + len(debate.assessments)
    with (
        open_key_reader() if waits else nullcontext(str) as key,
        screen.open_observer(
            sys.stdout,
            expected=(answers or None) if judged and not waits else None,
            show_hidden=given.show_hidden,
            plain=given.plain,
            hint=KEY_HINT if waits else "",
        ) as observer,
    ):
        for pause in replay.play(observer):
            if observer.is_closed:
                raise ClosedPipeError
            if waits and pause.after == "turn":
                if key() in QUIT_KEYS:
                    return False
            elif speed is not None:
                time.sleep(pause.seconds / speed)
    return True


@contextmanager
def open_key_reader() -> Generator[Callable[[], str]]:
    """Yield a function that waits for a key and returns this key.

    If the terminal was closed, the function returns an empty string.
    """
    terminal = sys.stdin.fileno()  # `typer.getchar` would lose keys that the user types ahead
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield lambda: _read_key(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read_key(terminal: int) -> str:
    found = os.read(terminal, 1)
    if found == b"\x1b" and select.select([terminal], [], [], 0)[0]:
        found += os.read(terminal, 2)  # an arrow key sends three characters
    return found.decode(errors="replace")
