"""Tells the user how to complete a debate: what to change, and which command to run."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.judging_run import FIRST_RUN, format_system_label
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import format_page_hint, get_error_page
from debate_cli.judging.schedule import missing_briefs
from debate_cli.render import sanitize
from debate_cli.render.theme import shorten

BUDGET_OPTIONS = {"limits.max_tokens": "--max-tokens N", "limits.max_cost_usd": "--max-cost USD"}
"""Maps each limit of the budget to the option that raises it."""
SHORTER_PROMPTS = "--set format.history=recent"
"""Option that shortens prompts. Prompts for judges of the whole debate stay as long as before."""
MODEL_PLACEHOLDER = "PROVIDER/MODEL"
ABSTENTION_PAGE = "no-structured-output"
MAX_REASON_LENGTH = 160
_REQUIRED_CHANGES = {
    "ContextOverflowError": "resuming fails again until you change a setting",
    "UnauthorizedError": "resuming fails again until you replace the key or name another model",
    "UnknownModelError": "resuming fails again until the server has the model or you name another model",
    "QuotaExhaustedError": "resuming fails again until the provider raises the quota or you name another model",
    "RejectedError": "resuming sends the same request and is likely to fail again; name another model",
    "WeightsError": "resuming fails again until the weights can be loaded or you name another model",
}
_REPEATED_REQUEST_CAUSES = frozenset({"ContextOverflowError", "RejectedError"})


def resume_command(debate_id: str | None, *, budget: bool = False, why: str = "") -> str:
    """Return the command that resumes a debate, quoted for a shell.

    `debate_id`: None if the debate was not saved; the result then begins with `the same command`.
    `budget`: whether to raise the budget. `why`: error message that may name the limit to raise.
    """
    named = [option for limit, option in BUDGET_OPTIONS.items() if limit in why] or list(BUDGET_OPTIONS.values())
    options = f" {named[0]}{f' (or {named[1]})' if len(named) > 1 else ''}" if budget else ""
    if debate_id is None:
        return f"the same command{options}"
    return f"debate run --resume {_quote(debate_id)}{options}"


def _quote(path: str) -> str:
    return shlex.quote(" ".join(sanitize.sanitize_text(path).splitlines()))


def required_change(cause: str) -> str:
    """Return what to change before resuming after a failure with this cause; empty if nothing must change."""
    return _REQUIRED_CHANGES.get(cause, "")


def remedy_options(debate: Debate, failure: Failure) -> tuple[str, ...]:
    """Return options for `debate run --resume`, of which the user chooses one.

    An empty text means resuming without an option.
    """
    is_added = isinstance(failure.task, Brief) and failure.task.run != FIRST_RUN
    if is_added or not required_change(failure.cause):
        return ("",)
    model = f"--set {_model_setting(debate.config, failure.task)}={MODEL_PLACEHOLDER}"
    if failure.cause not in _REPEATED_REQUEST_CAUSES:
        return ("", model)
    is_about_whole = isinstance(failure.task, Brief) and failure.task.subject.moment == "debate"
    is_shortened = debate.config.format.history == "recent" or is_about_whole
    shorter = failure.cause == "ContextOverflowError" and not is_shortened
    can_close = isinstance(failure.task, Cue) and bool(debate.turns)
    return (*((SHORTER_PROMPTS,) if shorter else ()), model, *(("--close",) if can_close else ()))


def _model_setting(config: DebateConfig, task: Task) -> str:
    if isinstance(task, Cue):
        index, debater = next(item for item in enumerate(config.debaters) if item[1].name == task.speaker)
        role, own = debater.model or "default", f"debaters.{index}.model"
    else:
        index, system = next(item for item in enumerate(config.judging.systems) if item[1].kind == task.system)
        seat = next(seat for seat in system.seats if seat.id == task.assessor)
        role = seat.model or ("judge" if "judge" in config.models else "default")
        own = f"judging.systems.{index}.{'.'.join(map(str, seat.model_path))}"
    return own if "/" in role else f"models.{role}.model"


class MissingJudgements(NamedTuple):
    """The judgements that verdicts of a debate lack. The text is not sanitized."""

    debate: Debate
    briefs: tuple[Brief, ...]
    """The judges' tasks that have no assessment; at least one task."""
    failures: Mapping[str, Failure]
    """Maps the key of a task to its last failure."""
    undetermined: frozenset[tuple[str, str]] = frozenset()
    """Judging run and judging system of each undetermined verdict."""

    @property
    def resumable_briefs(self) -> tuple[Brief, ...]:
        """The missing judgements that resuming the debate requests again."""
        final = {key for key, failure in self.failures.items() if failure.final}
        return tuple(brief for brief in self.briefs if brief.key not in final)

    @property
    def lacks_deciding_judgment(self) -> bool:
        """Whether a missing judgement of a deciding system can be requested again, or leaves a verdict undetermined."""
        kinds = {run.id: run.judging.deciding_kind for run in self.debate.runs}
        deciding = [brief for brief in self.briefs if brief.system == kinds[brief.run]]
        resumable = set(self.resumable_briefs)
        return any(brief in resumable or (brief.run, brief.system) in self.undetermined for brief in deciding)

    def describe(self) -> str:
        """Return a sentence with the number of missing judgements, their systems, and the most frequent reason."""
        runs = [run.id for run in self.debate.runs]
        by_system = Counter(format_system_label(brief.system, brief.run, runs) for brief in self.briefs)
        systems = ", ".join(f"{count} of {label}" for label, count in by_system.items())
        count = len(self.briefs)
        subject = "1 judgement is missing" if count == 1 else f"{count} judgements are missing"
        return f"{subject} ({systems}): {self._describe_reason()}"

    def commands(self, path: str | None, *, batch: bool = False) -> tuple[str, ...]:
        """Return a command that asks the same judges again, if that is possible, then one that asks another model.

        `path`: path of the transcript. Without a path, there is no command for another model.
        """
        failed = (self.failures[brief.key] for brief in self.resumable_briefs if brief.key in self.failures)
        option = next((remedy_options(self.debate, failure)[0] for failure in failed), "")
        again = (
            (" ".join(filter(None, (resume_command(path), option))),) if self.resumable_briefs or path is None else ()
        )
        if path is None:
            return again
        if batch and again:
            again = (f"debate judge --collect {_quote(path)} --batch",)
        return (*again, self._judge_command(path) + (" --batch" if batch else ""))

    def _describe_reason(self) -> str:
        messages = [self.failures[brief.key].message for brief in self.briefs if brief.key in self.failures]
        if not messages:
            return "not asked yet"
        message, count = Counter(messages).most_common(1)[0]
        cause = next(failure.cause for failure in self.failures.values() if failure.message == message)
        page = ABSTENTION_PAGE if cause == ABSTAINED else get_error_page(cause)
        share = "" if count == len(self.briefs) else f" ({count} of them)"
        return f"{shorten(message, MAX_REASON_LENGTH).rstrip('.')}{share}{format_page_hint(page)}"

    def _judge_command(self, path: str) -> str:
        kinds = dict.fromkeys(brief.system for brief in self.briefs)
        lacking = {(brief.run, brief.system) for brief in self.briefs}
        active = {(run.id, system.kind) for run in self.debate.runs for system in run.active_systems()}
        has_whole_run = any(kind in kinds for _, kind in active - lacking)
        options = " ".join(f"--system {kind}" for kind in kinds)
        command = f"debate judge {_quote(path)} {options} --model PROVIDER/MODEL"
        return command if has_whole_run else f"{command} --replace"


def find_missing_judgements(debate: Debate, verdicts: Sequence[Verdict]) -> MissingJudgements | None:
    """Return the judgements that `verdicts` lack; None if no judgement is missing."""
    briefs = missing_briefs(debate, verdicts)
    if not briefs:
        return None
    undetermined = frozenset((item.run, item.system) for item in verdicts if item.victory == "undetermined")
    return MissingJudgements(debate, briefs, {item.task.key: item for item in debate.failures}, undetermined)
