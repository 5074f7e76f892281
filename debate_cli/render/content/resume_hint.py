"""Says what the user can do next: why a debate stopped or lacks judgements, and which commands continue it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from debate_cli.app.remedies import (
    CLOSE,
    JUDGE_WITH_OTHER_MODEL,
    REPEAT,
    SHORTEN_PROMPTS,
    judge_limit_options,
    other_model_options,
    required_change,
    resume_options,
)
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, CloseReason, Failure
from debate_cli.domain.judging_run import FIRST_RUN, format_system_label
from debate_cli.domain.message_text import describe_missing
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import BudgetError, UnrecordedCallError, format_page_hint, get_error_page
from debate_cli.llm.budget import list_budget_options
from debate_cli.render.sanitize import quote_path, sanitize_line
from debate_cli.render.theme import refer_to_failure, shorten

UNRECORDED = UnrecordedCallError.__name__
"""Cause of a failure: the replayed cassette has no reply to the call. Another cassette or a model is needed."""
ABSTENTION_PAGE = "no-structured-output"
MAX_ABSTENTION_LENGTH = 160
"""Maximum length of the shown message of an abstention. Messages of other failures are not cut."""


class EndedCommand(NamedTuple):
    """A command that has ended: its debate, and the options that a suggested command must repeat."""

    path: Path | str | None
    """The transcript; None if the debate was not saved."""
    options: str = ""
    """Options to repeat in every command, e.g. `--files DIR`."""
    run_options: str = ""
    """Options to repeat only in `debate run`, e.g. `--evidence DIR`."""
    batch: bool = False
    """Whether the judges were asked in a batch."""
    shown_failures: Collection[str] = ()
    """Messages of failures that the user has already read, so that they are not repeated."""

    def resume(self, *options: str) -> str:
        """Return the shell command that continues the work with `options`.

        If the debate was not saved, the result is e.g. `the same command and --max-tokens N`.
        """
        if self.path is None:
            return _join(" and ", "the same command", _join(" ", *options))
        repeated = (self.options,) if self.batch else (self.options, self.run_options)
        return resume_command(self.path, (*options, *repeated), batch=self.batch)


def resume_command(path: Path | str, options: Iterable[str] = (), *, batch: bool = False) -> str:
    """Return the shell command that resumes a saved debate with `options`.

    `batch`: whether the command asks the judges in a batch.
    """
    quoted = quote_path(path)
    command = f"debate judge --collect {quoted} --batch" if batch else f"debate run --resume {quoted}"
    return _join(" ", command, *options)


def interruption_lines(reason: str, missing: int, ended: EndedCommand) -> Iterator[str]:
    """Yield the lines about a debate that was interrupted: why, and the command that continues it.

    `reason`: e.g. `stopped by the user`. `missing`: number of missing judgements.
    """
    lacking = describe_missing(missing) if missing else ""
    yield from _remedy_lines((f"debate: {reason}{format_page_hint('interrupted')}", lacking), [""], ended)


def halt_lines(debate: Debate, halted: CloseReason, ended: EndedCommand) -> Iterator[str]:
    """Yield the lines about a debate that stopped early: why, and the commands that may help.

    `halted`: `budget`, or `failed` after a failed speech.
    """
    last = {failure.task.key: failure for failure in debate.failures}
    failure = next(
        failure
        for key, failure in reversed(last.items())
        if key in debate.given_up
        and not failure.final
        and (failure.cause == "BudgetError" if halted == "budget" else isinstance(failure.task, Cue))
    )
    is_shown = failure.message in ended.shown_failures
    message = f"stopped: {refer_to_failure(failure.cause)}" if is_shown else failure.message.rstrip(".")
    reason = f"debate: {message}{format_page_hint(get_error_page(failure.cause))}"
    is_unrecorded = failure.cause == UNRECORDED
    if is_unrecorded and ended.path is None:
        yield reason
        return
    if halted == "budget":
        remedies = [" ".join(list_budget_options([failure.message]))]
    else:
        remedies = [each for each in resume_options(debate, failure) if each != CLOSE or ended.path is not None]
    lead = "to ask the models instead, resume with" if is_unrecorded else "resume with"
    yield from _remedy_lines((reason, required_change(failure)), remedies, ended, lead)


def _remedy_lines(
    clauses: Iterable[str], remedies: Sequence[str], ended: EndedCommand, lead: str = "resume with"
) -> Iterator[str]:
    """Yield a line with the reason why a debate stopped, then a line with a command for each of `remedies`.

    `clauses`: parts of the reason; empty parts are left out. `remedies`: options of the commands, e.g. `--close`.
    `lead`: end of the first line if the debate is saved.
    """
    commands = map(ended.resume, remedies)
    if ended.path is None:
        commands = (f"{'or' if number else 'start it again'} with {each}" for number, each in enumerate(commands))
        yield _join("; ", *clauses, next(commands, ""))
    else:
        yield _join("; ", *clauses, f"{lead}:" if remedies else "")
    yield from commands


def _join(separator: str, *parts: str) -> str:
    """Join the parts that are not empty."""
    return separator.join(filter(None, parts))


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
        final = {failure.task.key for failure in self._failures if failure is not None and failure.final}
        lacking = {(brief.run, brief.system) for brief in self.briefs}
        resumable = {(brief.run, brief.system) for brief in self.briefs if brief.key not in final}
        return any(
            (item.run, item.system) in (lacking if item.victory == "undetermined" else resumable)
            for item in self.verdicts
            if item.system == deciding[item.run]
        )

    @property
    def _failures(self) -> list[Failure | None]:
        """The last failure of each task in `briefs`. None for a task without a failure: its judge was not asked."""
        last = {failure.task.key: failure for failure in self.debate.failures}
        return [last.get(brief.key) for brief in self.briefs]

    @property
    def _is_unrecorded(self) -> bool:
        """Whether all judgements are missing because the replayed cassette has no reply for them."""
        return all(failure is not None and failure.cause == UNRECORDED for failure in self._failures)

    def lines(self, ended: EndedCommand) -> Iterator[str]:
        """Yield the lines about the missing judgements: number and reason, and the commands that request them."""
        again, other = self.commands(ended)
        label = "debate" if self.lacks_deciding_judgement else "note"
        changes = [required_change(item) for item in self._failures if item is None or not item.final]
        change = changes[0] if changes and all(changes) else ""
        remedy = "ask again with" if again else "ask another model with"
        if again and self._is_unrecorded:
            remedy = "ask the models instead with"
        reason = (f"{label}: {self._describe(ended.shown_failures)}", change)
        if not again and not other:
            yield _join("; ", *reason)
        elif ended.path is None:
            yield _join("; ", *reason, f"{remedy} {again or other}")
            yield from [f"or ask another model with {other}"] if again else []
        else:
            yield _join("; ", *reason, f"{remedy}:")
            yield from [again, f"or ask another model: {other}"] if again else [other]
        runs = {brief.run for brief in self.briefs}
        has_answers = any(item.run in runs for item in self.debate.assessments) or (
            FIRST_RUN in runs and bool(self.debate.turns)
        )
        if again and ended.path is None and has_answers:
            yield (
                "note: the answers are not saved, so the same command asks for all of them again; leave out --no-save to "
                "save them, then a resumed debate asks only for the missing judgements"
            )

    def commands(self, ended: EndedCommand) -> tuple[str, str]:
        """Return two commands: the first requests the missing judgements again, the second judges with another model.

        The first command changes as little as possible; e.g. it raises the budget if the budget stopped the judges. It
        is empty if no change can help. Both commands are empty if the debate was not saved and the replayed cassette has no
        reply for any of the missing judgements.
        """
        failures = self._failures
        options = {option for failure in failures for option in resume_options(self.debate, failure)}
        if ended.path is None and self._is_unrecorded:
            return "", ""
        if ended.path is None:
            is_judged_by_run = self.briefs[0].run == FIRST_RUN and self.debate.document_name is None
            model = other_model_options(self.debate, self.briefs[0]) if is_judged_by_run else JUDGE_WITH_OTHER_MODEL
            return ended.resume() if REPEAT in options else "", ended.resume(model)
        budget = list_budget_options(
            failure.message for failure in failures if failure is not None and failure.cause == BudgetError.__name__
        )
        if REPEAT in options:
            again = ended.resume(*budget)
        elif options and not ended.batch:
            smallest = [SHORTEN_PROMPTS] if SHORTEN_PROMPTS in options else sorted(options)
            again = ended.resume(*budget, *smallest)
        else:
            limits = judge_limit_options(self.debate, failures)
            again = limits and self._judge_command(ended, limits, ended.options)
        return again, self._judge_command(ended, JUDGE_WITH_OTHER_MODEL)

    def _judge_command(self, ended: EndedCommand, *options: str) -> str:
        kinds = dict.fromkeys(brief.system for brief in self.briefs)
        lacking = {(brief.run, brief.system) for brief in self.briefs}
        active = {(run.id, system.kind) for run in self.debate.runs for system in run.active_systems()}
        has_whole_run = any(kind in kinds for _, kind in active - lacking)
        systems = (f"--system {kind}" for kind in kinds)
        batch, replace = "--batch" if ended.batch else "", "" if has_whole_run else "--replace"
        return _join(" ", f"debate judge {quote_path(ended.path)}", *systems, *options, replace, batch)

    def _describe(self, shown: Collection[str]) -> str:
        """Return a sentence with the number of missing judgements, their systems, and the most frequent reason."""
        runs = [run.id for run in self.debate.runs]
        by_system = Counter(format_system_label(brief.system, brief.run, runs) for brief in self.briefs)
        systems = ", ".join(f"{count} of {label}" for label, count in by_system.items())
        groups: dict[tuple[str, str], list[Failure]] = {}
        for failure in filter(None, self._failures):
            # The text after the colon may differ between failures of one kind, e.g. in the length of the prompt.
            # The message of an abstention begins with the judge's name.
            start = "" if failure.cause == ABSTAINED else failure.message.partition(": ")[0]
            groups.setdefault((failure.cause, start), []).append(failure)
        reason = _describe_group(max(groups.values(), key=len), len(self.briefs), shown) if groups else "not asked yet"
        return sanitize_line(f"{describe_missing(len(self.briefs))} ({systems}): {reason}")


def _describe_group(failures: Sequence[Failure], missing: int, shown: Collection[str]) -> str:
    """Return the reason that failures of one kind have in common. `missing`: number of all missing judgements."""
    cause, message = failures[0].cause, failures[0].message
    is_abstention = cause == ABSTAINED
    page = ABSTENTION_PAGE if is_abstention else get_error_page(cause)
    if message in shown:
        message = refer_to_failure(cause)
    elif is_abstention:
        message = shorten(message, MAX_ABSTENTION_LENGTH)
    share = "" if len(failures) == missing else f" ({len(failures)} of them)"
    return f"{message.rstrip('.')}{share}{format_page_hint(page)}"
