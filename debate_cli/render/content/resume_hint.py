"""How to resume a debate that stopped: the command, and what to change first so that the failure is not repeated."""

import shlex

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.render import sanitize

MAX_TOKENS_OPTION, MAX_COST_OPTION = "--max-tokens N", "--max-cost USD"
"""The options that raise a budget."""
SHORTER_PROMPTS = "--set format.history=recent"
"""Option that shortens the prompts of debaters, and of judges of turns, pairs and rounds."""
MODEL_PLACEHOLDER = "PROVIDER/MODEL"
_REQUIRED_CHANGES = {
    "ContextOverflowError": "resuming without a change would fail again; change one setting",
    "UnauthorizedError": "resuming fails again until the key is replaced or another model is named",
    "UnknownModelError": "resuming fails again until the server has that model or another one is named",
    "QuotaExhaustedError": "resuming fails again until the provider's quota is raised or another model is named",
    "RejectedError": "resuming sends the same request and is likely to fail again; name another model",
    "WeightsError": "resuming fails again until the weights can be loaded or another model is named",
}
"""Cause of a failure that would occur again after resuming -> what to change first."""
_PERSISTENT_REQUESTS = frozenset({"ContextOverflowError", "RejectedError"})
"""Causes that are certain to fail the same request again, so that settings of the debate must change."""


def resume_command(debate_id: str | None, *, budget: bool = False, why: str = "") -> str:
    """The command, quoted for a shell, that resumes a debate. `debate_id`: None if it was not saved and must run again.

    `budget`: whether the budget stopped the debate, so that the command must raise it. `why`: the message of the
    failure. If it does not name the limit that was reached, the options for both limits are in the command.
    """
    options = f" {_budget_options(why)}" if budget else ""
    if debate_id is None:
        return f"the same command{options}"
    shown = " ".join(sanitize.sanitize_text(debate_id).splitlines())
    return f"debate run --resume {shlex.quote(shown)}{options}"


def required_change(cause: str) -> str:
    """What to change before resuming after a failure with this cause; empty if nothing needs to change."""
    return _REQUIRED_CHANGES.get(cause, "")


def remedy_options(debate: Debate, failure: Failure) -> tuple[str, ...]:
    """Alternative options for `debate run --resume` that remove the cause of `failure`. Empty text: no option.

    An added judging run keeps its models, so for its failures there is only the empty text.
    """
    is_added = isinstance(failure.task, Brief) and failure.task.run != FIRST_RUN
    if is_added or not required_change(failure.cause):
        return ("",)
    model = f"--set {_model_setting(debate.config, failure.task)}={MODEL_PLACEHOLDER}"
    if failure.cause not in _PERSISTENT_REQUESTS:
        return ("", model)
    is_about_whole = isinstance(failure.task, Brief) and failure.task.subject.moment == "debate"
    is_shortened = debate.config.format.history == "recent" or is_about_whole
    shorter = failure.cause == "ContextOverflowError" and not is_shortened
    can_close = isinstance(failure.task, Cue) and bool(debate.turns)
    return (*((SHORTER_PROMPTS,) if shorter else ()), model, *(("--close",) if can_close else ()))


def _model_setting(config: DebateConfig, task: Task) -> str:
    """Key path of the model of a debater, or of a judge in the debate's own judging run."""
    if isinstance(task, Cue):
        index, debater = next(item for item in enumerate(config.debaters) if item[1].name == task.speaker)
        role, own = debater.model or "default", f"debaters.{index}.model"
    else:
        index, system = next(item for item in enumerate(config.judging.systems) if item[1].kind == task.system)
        seat = next(seat for seat in system.seats if seat.id == task.assessor)
        role = seat.model or ("judge" if "judge" in config.models else "default")
        own = f"judging.systems.{index}.{'.'.join(map(str, seat.model_path))}"
    return own if "/" in role else f"models.{role}.model"


def _budget_options(why: str) -> str:
    options = [
        option
        for bound, option in (("limits.max_tokens", MAX_TOKENS_OPTION), ("limits.max_cost_usd", MAX_COST_OPTION))
        if bound in why
    ]
    return options[0] if len(options) == 1 else f"{MAX_TOKENS_OPTION} (or {MAX_COST_OPTION})"
