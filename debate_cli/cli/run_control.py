"""Helpers of commands that ask models: signals, access to people, failures of stdout, exit codes."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from debate_cli.app.gates import Gates
from debate_cli.app.remedies import EndedCommand, resume_command
from debate_cli.app.session import Outcome
from debate_cli.cli.console import (
    UNWRITABLE_ERRNOS,
    is_interactive,
    print_status,
    print_status_lines,
    redirect_to_devnull,
)
from debate_cli.cli.screen import BY_USER, PipeSafeObserver, StopCause, suggest_judging
from debate_cli.domain.model_call import TERMINAL_PROVIDERS
from debate_cli.domain.tasks import Brief
from debate_cli.engine import GRACE_S, StopSignal
from debate_cli.errors import ExitCode, StorageError, UsageError, format_page_hint
from debate_cli.judging.schedule import missing_briefs
from debate_cli.providers.people.person import PeopleAccess, PromptFolder, describe_missing_terminal
from debate_cli.render.content.resume_hint import MissingJudgements, halt_lines, interruption_lines
from debate_cli.render.person_form.person import PeopleAtTerminal
from debate_cli.storage.folder import JOURNAL_SUFFIX

_STOP_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
EXIT_CODES = {"budget": ExitCode.BUDGET_REACHED, "failed": ExitCode.PROVIDER_FAILED}
"""Maps the reason why a run ended early to the exit code. The reason `interrupted` is left out, because its exit code
is `StopCause.exit_code`."""
EXIT_CODE_PRIORITY = (
    ExitCode.INTERRUPTED,
    ExitCode.CLOSED_PIPE,
    ExitCode.BUDGET_REACHED,
    ExitCode.GATE_NOT_MET,
    ExitCode.PROVIDER_FAILED,
    ExitCode.FAILED,
    ExitCode.BATCH_PENDING,
)
"""Exit codes, the gravest first."""
T = TypeVar("T")


@contextmanager
def report_output_failure(*saved: Path) -> Generator[None]:
    """If the `with` block cannot write to stdout, raise StorageError. The message says where the debate is saved."""
    try:
        yield
    except OSError as error:
        if not saved or error.errno not in UNWRITABLE_ERRNOS or error.filename is not None:
            raise
        redirect_to_devnull(sys.stdout)
        transcript, *others = saved
        journal = transcript.with_suffix(JOURNAL_SUFFIX)
        kept = f"the debate is saved: {transcript}"
        if others:
            kept = "all judgements so far are saved"
        elif journal.exists():
            kept = f"the debate so far is in {journal}; resume it with: {resume_command(transcript)}"
        raise StorageError(f"standard output cannot be written ({error.strerror}); {kept}") from error


def run_until_stopped(work: Callable[[StopSignal], Coroutine[Any, Any, T]], observer: PipeSafeObserver) -> T:
    """Run `work` in an event loop and return its result.

    `work` receives a `StopSignal`. SIGINT (Ctrl-C), SIGTERM, SIGHUP and a closed stdout request a stop through it.
    """

    async def main() -> T:
        return await work(_handle_signals(observer))

    return asyncio.run(main())


def iterate_until_stopped(work: Callable[[StopSignal], AsyncIterator[T]], observer: PipeSafeObserver) -> Generator[T]:
    """Yield the items of `work`. While the caller handles an item, `work` is suspended.

    `work` receives a `StopSignal`. SIGINT (Ctrl-C), SIGTERM, SIGHUP and a closed stdout request a stop through it.
    """

    async def start() -> AsyncIterator[T]:
        return work(_handle_signals(observer))

    async def advance(items: AsyncIterator[T]) -> T | None:
        return await anext(items, None)

    with asyncio.Runner() as runner:
        items = runner.run(start())
        while (item := runner.run(advance(items))) is not None:
            yield item


def _handle_signals(observer: PipeSafeObserver) -> StopSignal:
    """Return a `StopSignal` that requests a stop after SIGINT, SIGTERM, SIGHUP, or if stdout is closed.

    If the parent process ignores one of these three signals, e.g. SIGHUP under `nohup`, this process ignores it too.
    """
    stop = StopSignal()

    def on_signal(number: signal.Signals) -> None:
        is_first = not stop.requested
        stop.request()
        if is_first:
            stopping, second_signal, reason = "Stopping", "Ctrl-C again", BY_USER.reason
            if number != signal.SIGINT:
                stopping, second_signal, reason = (
                    f"Stopping because of {number.name}",
                    "A second signal",
                    f"stopped by {number.name}",
                )
            notice = f"{stopping}. Waiting up to {GRACE_S:g} s for calls in flight. {second_signal} stops at once."
            observer.announce_stop(BY_USER._replace(reason=reason), notice)

    loop = asyncio.get_running_loop()
    for number in (signal.Signals[name] for name in _STOP_SIGNALS if name in signal.Signals.__members__):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, on_signal, number)
    observer.on_close = lambda: None if stop.requested else stop.request()
    return stop


def require_terminal(models: Iterable[str]) -> None:
    """Raise UsageError if one of `models` is a person who answers at a terminal, and there is no terminal."""
    if sys.stdin.isatty() and is_interactive(sys.stdout):
        return
    for model in models:
        if model.partition("/")[0] in TERMINAL_PROVIDERS:
            raise UsageError(describe_missing_terminal(model))


class PeopleOfCommand:
    """Asks the people in all debates of one command. At the terminal, only one person is asked at a time."""

    def __init__(self, observer: PipeSafeObserver) -> None:
        self._observer = observer
        self._turn = asyncio.Lock()
        self._folders: dict[Path, PromptFolder] = {}
        self._terminals: list[PeopleAtTerminal] = []

    def access(self, files: Path, transcript: Path | None) -> PeopleAccess:
        """Return the functions that ask the people of one debate.

        `files`: folder in which prompts and replies are exchanged. `transcript`: the debate's file. Unfinished answers
        are saved in its folder. None: unfinished answers are not saved.
        """
        drafts = transcript.parent if transcript is not None else None
        terminal = PeopleAtTerminal(self._observer.hold_output, self._turn, drafts)
        self._terminals.append(terminal)
        folder = self._folders.setdefault(files, PromptFolder(files, self._observer.warn))
        return PeopleAccess(folder, terminal.fill_in_form, terminal.paste_answer)

    def report_draft(self) -> None:
        """Print that the draft of an unfinished answer is saved, if there is one."""
        if any(terminal.has_draft for terminal in self._terminals):
            print_status("the draft is saved; the form shows it again after you resume")


def report_outcome(
    outcome: Outcome, ended: EndedCommand, *, suggests_judging: bool = False, stop_cause: StopCause | None = None
) -> ExitCode:
    """Print where the debate is saved and what is left to do. Returns the exit code.

    `stop_cause`: what interrupted the run; None if nothing did. All answers may have arrived in spite of it.
    """
    if outcome.path is not None:
        print_status(f"{'unchanged' if outcome.is_unchanged else 'saved'}: {outcome.path}")
    briefs = _missing_briefs(outcome)
    if outcome.halted == "interrupted":
        cause = stop_cause or BY_USER
        print_status_lines(interruption_lines(outcome.debate, cause.reason, briefs, ended))
        return cause.exit_code
    if outcome.halted is not None:
        print_status_lines(halt_lines(outcome.debate, outcome.halted, ended))
        return EXIT_CODES[outcome.halted]
    if stop_cause is not None:
        print_status(_describe_late_stop(outcome, stop_cause, has_missing=bool(briefs)))
    if briefs:
        missing = MissingJudgements(outcome.debate, briefs, outcome.verdicts)
        print_status_lines(missing.lines(ended))
        if missing.lacks_deciding_judgement and stop_cause is None:
            return ExitCode.PROVIDER_FAILED
    if stop_cause is not None:
        return stop_cause.exit_code
    if not briefs and suggests_judging and outcome.path is not None:
        suggest_judging(outcome.debate, outcome.path)
    return ExitCode.DONE


def report_gates(gates: Gates, outcome: Outcome, code: ExitCode, prefix: str = "") -> ExitCode:
    """Print a line for each gate that is not met. Return `GATE_NOT_MET`, or `code` if all gates are met.

    - `code`: exit code of the debate. Gates are checked only after `DONE` and `PROVIDER_FAILED`; any other code is
      returned unchanged.
    - `prefix`: start of a line, e.g. `a.json: `.
    """
    if code not in {ExitCode.DONE, ExitCode.PROVIDER_FAILED}:
        return code
    unmet = gates.failure_messages(outcome.debate, outcome.verdicts, len(_missing_briefs(outcome)))
    for sentence in unmet:
        print_status(f"{prefix}gate not met: {sentence}")
    return ExitCode.GATE_NOT_MET if unmet else code


def _missing_briefs(outcome: Outcome) -> tuple[Brief, ...]:
    """Return the briefs without an answer. For an unsaved debate, leave out judging runs without a verdict."""
    briefs = missing_briefs(outcome.debate)
    runs = {verdict.run for verdict in outcome.verdicts}
    return briefs if outcome.path is not None else tuple(brief for brief in briefs if brief.run in runs)


def _describe_late_stop(outcome: Outcome, stop_cause: StopCause, *, has_missing: bool) -> str:
    """Return the line about a stop that was requested during the last calls, which were still answered.

    `has_missing`: whether judgements are missing. If False, the line says that the debate or the judging is complete.
    """
    debate = outcome.debate
    judged = "judging" if debate.document_name is not None or debate.status == "incomplete" else "debate"
    complete = "" if has_missing else f"; the {judged} is complete"
    return f"debate: {stop_cause.reason} after the last answer{format_page_hint('interrupted')}{complete}"


def report_closed_pipe(code: ExitCode, *, is_saved: bool) -> ExitCode:
    """Return the exit code of a command whose output could not be written, because the pipe of stdout is closed.

    `code`: exit code that the command would have with an open pipe. `is_saved`: whether the result is saved in a file.
    If False, prints that the result is lost.
    """
    if not is_saved:
        print_status("debate: the output pipe closed before the result was written, and nothing is saved (--no-save)")
    return gravest_exit_code({code, ExitCode.CLOSED_PIPE})


def gravest_exit_code(codes: Collection[ExitCode]) -> ExitCode:
    """Return the first code of EXIT_CODE_PRIORITY that is in `codes`, or `DONE` if none is."""
    return next((code for code in EXIT_CODE_PRIORITY if code in codes), ExitCode.DONE)
