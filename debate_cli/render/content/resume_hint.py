"""Says what the user can do next: why a debate stopped or lacks judgements, and which commands continue it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from debate_cli.app.remedies import (
    EndedCommand,
    Remedy,
    find_judging_remedy,
    find_remedy,
    find_stop,
    find_stop_remedy,
    last_failures,
)
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, CloseReason, Failure
from debate_cli.domain.judging_run import FIRST_RUN, format_system_label
from debate_cli.domain.message_text import describe_missing
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import format_page_hint, get_error_page
from debate_cli.render.sanitize import sanitize_line
from debate_cli.render.theme import count_speeches, refer_to_failure, shorten

ABSTENTION_PAGE = "no-structured-output"
MAX_ABSTENTION_LENGTH = 160
"""Maximum length of the shown message of an abstention. Messages of other failures are not cut."""


def interruption_lines(debate: Debate, reason: str, missing: Sequence[Brief], ended: EndedCommand) -> Iterator[str]:
    """Yield the lines about a debate that was interrupted: why, and the command that continues it.

    `reason`: e.g. `stopped by the user`.
    """
    lacking = describe_missing(len(missing)) if missing else ""
    clauses = (f"debate: {reason}{format_page_hint('interrupted')}", lacking)
    yield from _remedy_lines(clauses, find_stop_remedy(debate, None, ended), ended)


def halt_lines(debate: Debate, halted: CloseReason, ended: EndedCommand) -> Iterator[str]:
    """Yield the lines about a debate that stopped early: why, and the commands that may help.

    `halted`: `budget`, or `failed` after a failed speech.
    """
    failure = find_stop(debate, halted)
    reason = "debate: stopped"
    if failure is not None:
        is_shown = failure.message in ended.shown_failures
        message = f"stopped: {refer_to_failure(failure.cause)}" if is_shown else failure.message.rstrip(".")
        reason = f"debate: {message}{format_page_hint(get_error_page(failure.cause))}"
    yield from _remedy_lines((reason,), find_stop_remedy(debate, failure, ended), ended)


def _remedy_lines(clauses: Iterable[str], remedy: Remedy, ended: EndedCommand) -> Iterator[str]:
    """Yield why a debate stopped or lacks judgements, and the commands that may help.

    `clauses`: parts of the reason; empty parts are left out.
    """
    reason = "; ".join(filter(None, (*clauses, remedy.condition)))
    if not remedy.commands:
        yield reason
        return
    (action, first), *others = remedy.commands
    if ended.path is None:
        yield f"{reason}; {action} with {first}"
        yield from (" ".join(filter(None, ("or", action, "with", text))) for action, text in others)
    else:
        yield f"{reason}; {action} with:"
        yield first
        yield from (f"or {action}: {text}" if action else text for action, text in others)


class MissingJudgements(NamedTuple):
    """The missing judgements of a debate."""

    debate: Debate
    briefs: tuple[Brief, ...]
    """The judges' tasks that have no assessment; at least one."""
    verdicts: tuple[Verdict, ...] = ()
    """Verdicts of the debate; needed only by `lacks_deciding_judgement`."""

    @property
    def lacks_deciding_judgement(self) -> bool:
        """Whether a missing judgement may still change who wins.

        True if a verdict of a deciding system lacks a judgement, and one of these conditions is met:

        - The verdict is undetermined.
        - A resumed run requests the judgement again.
        """
        deciding = {run.id: run.judging.deciding_kind for run in self.debate.runs}
        final = {failure.task.key for failure in last_failures(self.debate, self.briefs) if failure and failure.final}
        lacking = {(brief.run, brief.system) for brief in self.briefs}
        resumable = {(brief.run, brief.system) for brief in self.briefs if brief.key not in final}
        return any(
            (item.run, item.system) in (lacking if item.victory == "undetermined" else resumable)
            for item in self.verdicts
            if item.system == deciding[item.run]
        )

    def lines(self, ended: EndedCommand) -> Iterator[str]:
        """Yield the lines about the missing judgements: number and reason, and the commands that request them."""
        remedy = find_judging_remedy(self.debate, self.briefs, ended)
        label = "debate" if self.lacks_deciding_judgement else "note"
        yield from _remedy_lines((f"{label}: {self._describe(ended)}",), remedy, ended)
        runs = {brief.run for brief in self.briefs}
        has_answers = any(item.run in runs for item in self.debate.assessments) or (
            FIRST_RUN in runs and bool(self.debate.turns)
        )
        if ended.path is None and len(remedy.commands) > 1 and has_answers:
            is_resumable = not all(failure and failure.final for failure in last_failures(self.debate, self.briefs))
            yield (
                "note: the answers are not saved, so the same command asks for all of them again; leave out --no-save to "
                f"save them{'; then `debate run --resume` asks only for the missing judgements' if is_resumable else ''}"
            )

    def _describe(self, ended: EndedCommand) -> str:
        """Return a sentence with the number of missing judgements, their systems, and the most frequent reason."""
        runs = [run.id for run in self.debate.runs]
        by_system = Counter(format_system_label(brief.system, brief.run, runs) for brief in self.briefs)
        systems = ", ".join(f"{count} of {label}" for label, count in by_system.items())
        groups: dict[tuple[str, str], list[Failure]] = {}
        for failure in filter(None, last_failures(self.debate, self.briefs)):
            # The text after the colon may differ between failures of one kind, e.g. in the length of the prompt.
            # The message of an abstention begins with the judge's name.
            start = "" if failure.cause == ABSTAINED else failure.message.partition(": ")[0]
            groups.setdefault((failure.cause, start), []).append(failure)
        reason = "" if ended.batch == "pending" else ": not asked yet"
        if groups:
            largest = max(groups.values(), key=len)
            reason = f": {_describe_group(largest, len(self.briefs), ended.shown_failures)}"
        return sanitize_line(f"{describe_missing(len(self.briefs))} ({systems}){reason}")


def open_work_lines(
    debate: Debate, missing: tuple[Brief, ...], ended: EndedCommand, *, is_running: bool
) -> Iterator[str]:
    """Yield lines that say what a saved debate lacks, and which commands continue the debate.

    - `missing`: the judges' tasks without an assessment. A complete debate without such tasks has no lines.
    - `is_running`: whether a process works on the debate. If true, the lines name no commands.
    """
    if debate.status == "incomplete":
        after = f"after {count_speeches(len(debate.turns))}"
        if is_running:
            yield f"the debate is still running, {after}"
            return
        remedy = find_remedy(debate, missing, ended)
        action, text = remedy.commands[0]
        lacking = describe_missing(len(missing)) if missing else ""
        clauses = (f"the debate is unfinished, {after}", lacking, remedy.condition, f"{action} with: {text}")
        yield "; ".join(filter(None, clauses))
    elif missing and not is_running:
        yield from MissingJudgements(debate, missing).lines(ended)


def _describe_group(failures: Sequence[Failure], missing: int, shown: Collection[str]) -> str:
    """Return the reason that `failures` have in common.

    If there are fewer `failures` than missing judgements, the result contains the number of `failures`, e.g.
    `(2 of them)`.

    `failures`: with the same cause and the same beginning of the message. `missing`: number of all missing judgements.
    `shown`: messages that the user has already read. The result refers to such a message and does not repeat it.
    """
    cause, message = failures[0].cause, failures[0].message
    is_abstention = cause == ABSTAINED
    page = ABSTENTION_PAGE if is_abstention else get_error_page(cause)
    if message in shown:
        message = refer_to_failure(cause)
    elif is_abstention:
        message = shorten(message, MAX_ABSTENTION_LENGTH)
    share = "" if len(failures) == missing else f" ({len(failures)} of them)"
    return f"{message.rstrip('.')}{share}{format_page_hint(page)}"
