"""Tells the user how to complete a debate: what to change, and which command to run."""

import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.judging_run import FIRST_RUN, format_system_label
from debate_cli.domain.message_text import describe_missing
from debate_cli.domain.recent_history import recent_history
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UnrecordedCallError, format_page_hint, get_error_page
from debate_cli.judge_input.transcript_prompt import format_full_prompt, format_recent_prompt
from debate_cli.render import sanitize
from debate_cli.render.theme import refer_to_failure, shorten

BUDGET_OPTIONS = {"limits.max_tokens": "--max-tokens N", "limits.max_cost_usd": "--max-cost USD"}
"""Maps each limit of the budget to the option that raises it."""
SHORTER_PROMPTS = "--set format.history=recent"
"""Option that leaves older turns out of prompts."""
MODEL_PLACEHOLDER = "PROVIDER/MODEL"
UNRECORDED = UnrecordedCallError.__name__
"""Cause of a failure to replay a call: the cassette has no reply for it. Only another cassette or a model has one."""
ABSTENTION_PAGE = "no-structured-output"
MAX_ABSTENTION_LENGTH = 160
"""If a judge abstained, the reason is cut to this number of characters. Messages of other failures are not cut."""
_REQUIRED_CHANGES = {  # {again}: what is tried again, e.g. `resuming`
    "ContextOverflowError": "{again} fails again until you change a setting",
    "UnauthorizedError": "{again} fails again until you replace the key or name another model",
    "UnknownModelError": "{again} fails again until the server has the model or you name another model",
    "QuotaExhaustedError": "{again} fails again until the provider raises the quota or you name another model",
    "RefusedError": "the model is likely to refuse again; name another model",
    "RejectedError": "{again} sends the same request and is likely to fail again; name another model",
    "WeightsError": "{again} fails again until the weights can be loaded or you name another model",
}
_REPEATED_REQUEST_CAUSES = frozenset({"ContextOverflowError", "RefusedError", "RejectedError"})


def resume_command(debate_id: str | None, *, budget: bool = False, why: str = "") -> str:
    """Return the shell command that resumes a debate.

    - `debate_id`: None if the debate was not saved; the result then begins with `the same command`.
    - `budget`: whether to add an option that raises the budget.
    - `why`: error message. If the message names a limit, the option raises this limit.
    """
    named = [option for limit, option in BUDGET_OPTIONS.items() if limit in why] or list(BUDGET_OPTIONS.values())
    options = f" {named[0]}{f' (or {named[1]})' if len(named) > 1 else ''}" if budget else ""
    if debate_id is None:
        return f"the same command{options}"
    return f"debate run --resume {_quote(debate_id)}{options}"


def _quote(path: str) -> str:
    return shlex.quote(" ".join(sanitize.sanitize_text(path).splitlines()))


def required_change(cause: str, again: str = "resuming") -> str:
    """Return what the user must change before a failed task can succeed; empty if nothing."""
    return _REQUIRED_CHANGES.get(cause, "").format(again=again)


def remedy_options(debate: Debate, failure: Failure) -> tuple[str, ...]:
    """Return alternative options for `debate run --resume` after a failure, e.g. `--close`. Each may be enough alone.

    An empty text stands for no option: a resume alone may help. The tuple is empty if nothing helps.
    """
    if not required_change(failure.cause):
        return ("",)
    is_repeated = failure.cause in _REPEATED_REQUEST_CAUSES
    can_shorten = failure.cause == "ContextOverflowError" and _can_drop_turns(debate, failure.task)
    shorter = (SHORTER_PROMPTS,) if can_shorten else ()
    if isinstance(failure.task, Brief) and failure.task.run != FIRST_RUN:  # a resume cannot change its model
        return shorter if is_repeated else ("",)
    model = _model_options(debate.config, failure.task)
    if not is_repeated:
        return ("", model)
    can_close = isinstance(failure.task, Cue) and bool(debate.turns)
    return (*shorter, model, *(("--close",) if can_close else ()))


def _can_drop_turns(debate: Debate, task: Task) -> bool:
    if debate.config.format.history != "full":  # the refused prompt was shortened already
        return False
    if isinstance(task, Cue):
        return bool(recent_history(debate.visible_to(task)).ledger.entries)
    return format_recent_prompt(debate, task.subject) != format_full_prompt(debate, task.subject)


def _model_options(config: DebateConfig, task: Task) -> str:
    """Return options that replace the model of `task` in all settings that name this model."""
    settings = [
        (_setting_of_role(debater.model or "default", f"debaters.{index}.model"), config.model_for_debater(debater))
        for index, debater in enumerate(config.debaters)
    ]
    for index, system in enumerate(config.judging.systems):
        for seat in system.seats:
            role = seat.model or ("judge" if "judge" in config.models else "default")
            own = f"judging.systems.{index}.{'.'.join(map(str, seat.model_path))}"
            settings.append((_setting_of_role(role, own), config.model_for_judge(seat.model)))
    failed = _model_of(config, task)
    paths = dict.fromkeys(path for path, spec in settings if failed and spec and spec.model == failed.model)
    return " ".join(f"--set {path}={MODEL_PLACEHOLDER}" for path in paths)


def _model_of(config: DebateConfig, task: Task) -> ModelSpec | None:
    if isinstance(task, Cue):
        return config.model_for_debater(config.debater(task.speaker))
    system = next(system for system in config.judging.systems if system.kind == task.system)
    return config.model_for_judge(next(seat.model for seat in system.seats if seat.id == task.assessor))


def _setting_of_role(role: str, own: str) -> str:
    return own if "/" in role else f"models.{role}.model"


class MissingJudgements(NamedTuple):
    """The missing judgements of a debate. The text is not sanitized."""

    debate: Debate
    briefs: tuple[Brief, ...]
    """The judges' tasks that have no assessment; at least one task."""
    failures: Mapping[str, Failure]
    """Maps the key of a task to its last failure."""
    verdicts: tuple[Verdict, ...] = ()
    """The verdicts whose deciding judgement may be missing."""

    @property
    def resumable_briefs(self) -> tuple[Brief, ...]:
        """The missing judgements that are requested again if the debate is resumed."""
        final = {key for key, failure in self.failures.items() if failure.final}
        return tuple(brief for brief in self.briefs if brief.key not in final)

    @property
    def lacks_deciding_judgement(self) -> bool:
        """Whether a missing judgement leaves the verdict of a deciding system in `verdicts` open.

        The verdict is open if it is undetermined, or if it may change because a resume requests the judgement again.
        """
        kinds = {run.id: run.judging.deciding_kind for run in self.debate.runs}
        is_open = {
            (item.run, item.system): item.victory == "undetermined"
            for item in self.verdicts
            if item.system == kinds[item.run]
        }
        resumable = set(self.resumable_briefs)
        lacking = [(brief, (brief.run, brief.system)) for brief in self.briefs]
        return any(pair in is_open and (is_open[pair] or brief in resumable) for brief, pair in lacking)

    def describe(self, shown: Collection[str] = ()) -> str:
        """Return a sentence on number, systems and main reason. It does not repeat messages in `shown`."""
        runs = [run.id for run in self.debate.runs]
        by_system = Counter(format_system_label(brief.system, brief.run, runs) for brief in self.briefs)
        systems = ", ".join(f"{count} of {label}" for label, count in by_system.items())
        return f"{describe_missing(len(self.briefs))} ({systems}): {self._describe_reason(shown)}"

    def commands(self, path: str | None, *, batch: bool = False) -> tuple[str, str]:
        """Return two commands: one that requests the missing judgements again, and one that judges with another model.

        The first makes the smallest change that may help: none, shorter prompts, or other models. If nothing helps, it is
        empty. `path` is None if the debate was not saved. `batch`: whether to use a provider's batch API.
        """
        options = self._resume_options()
        if path is None and self.is_unrecorded:
            return "", ""
        if path is None:
            again = resume_command(None) if "" in options and not self.repeat_obstacle else ""
            return again, f"{resume_command(None)} with {self._model_option()}"
        if batch:
            again = f"debate judge --collect {_quote(path)} --batch" if "" in options else ""
            return again, f"{self._judge_command(path)} --batch"
        smallest = [option for option in ("", SHORTER_PROMPTS) if option in options][:1] or sorted(options)
        again = " ".join([resume_command(path), *filter(None, smallest)]) if options else ""
        return again, self._judge_command(path)

    @property
    def repeat_obstacle(self) -> str:
        """Why each of the judgements fails again without a change, if nothing was saved; empty if one may succeed."""
        briefs = self.resumable_briefs
        failures = [self.failures[brief.key] for brief in briefs if brief.key in self.failures]
        changes = [required_change(failure.cause, "the same command") for failure in failures]
        return changes[0] if changes and len(changes) == len(briefs) and all(changes) else ""

    @property
    def has_answers(self) -> bool:
        """Whether models have answered in the judging runs with missing judgements."""
        runs = {brief.run for brief in self.briefs}
        return any(item.run in runs for item in self.debate.assessments) or (
            FIRST_RUN in runs and bool(self.debate.turns)
        )

    @property
    def is_unrecorded(self) -> bool:
        """Whether all judgements are missing because the replayed cassette has no reply for them."""
        failures = [self.failures.get(brief.key) for brief in self.briefs]
        return all(failure is not None and failure.cause == UNRECORDED for failure in failures)

    def _model_option(self) -> str:
        brief = self.briefs[0]
        if brief.run != FIRST_RUN or self.debate.document_name is not None:  # requested by `debate judge`
            return f"--model {MODEL_PLACEHOLDER}"
        return _model_options(self.debate.config, brief)

    def _resume_options(self) -> set[str]:
        failures = [self.failures[brief.key] for brief in self.resumable_briefs if brief.key in self.failures]
        if len(failures) < len(self.resumable_briefs):  # some judges were not asked yet
            return {""}
        return {option for failure in failures for option in remedy_options(self.debate, failure)}

    def _describe_reason(self, shown: Collection[str]) -> str:
        failures = [self.failures[brief.key] for brief in self.briefs if brief.key in self.failures]
        if not failures:
            return "not asked yet"
        cause, count = Counter(failure.cause for failure in failures).most_common(1)[0]
        message = next(failure.message for failure in failures if failure.cause == cause)
        if message in shown:
            message = refer_to_failure(cause)
        elif cause == ABSTAINED:
            message = shorten(message, MAX_ABSTENTION_LENGTH)
        page = ABSTENTION_PAGE if cause == ABSTAINED else get_error_page(cause)
        share = "" if count == len(self.briefs) else f" ({count} of them)"
        return f"{message.rstrip('.')}{share}{format_page_hint(page)}"

    def _judge_command(self, path: str) -> str:
        kinds = dict.fromkeys(brief.system for brief in self.briefs)
        lacking = {(brief.run, brief.system) for brief in self.briefs}
        active = {(run.id, system.kind) for run in self.debate.runs for system in run.active_systems()}
        has_whole_run = any(kind in kinds for _, kind in active - lacking)
        options = " ".join(f"--system {kind}" for kind in kinds)
        command = f"debate judge {_quote(path)} {options} --model {MODEL_PLACEHOLDER}"
        return command if has_whole_run else f"{command} --replace"


def explain_missing(debate: Debate, briefs: Sequence[Brief], verdicts: Sequence[Verdict] = ()) -> MissingJudgements:
    """Return the missing judgements `briefs`, at least one, with the failures that explain them.

    `verdicts`: the verdicts whose deciding judgement may be missing.
    """
    return MissingJudgements(debate, tuple(briefs), {item.task.key: item for item in debate.failures}, tuple(verdicts))
