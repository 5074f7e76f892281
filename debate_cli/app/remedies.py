"""Determines what may help after a failed speech or judgement, as options of the next command. Pure functions."""

import json
import re
import shlex
from collections.abc import Iterable, Sequence

from debate_cli.domain.config import OUTPUT_LIMIT_SETTING, DebateConfig, ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.judging_config import judge_model_role
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.recent_history import recent_history
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.judge_input.transcript_prompt import format_full_prompt, format_recent_prompt
from debate_cli.llm.model import Profile
from debate_cli.llm.truncation import TRUNCATED_REASONS, may_need_higher_limit
from debate_cli.providers.provider_table import find_profile, merge_provider_rows
from debate_cli.systems.registry import settings_for

REPEAT = ""
"""Empty text: to repeat the same request, which may succeed this time, a resume needs no option."""
SHORTEN_PROMPTS = "--set format.history=recent"
"""Option that leaves older turns out of prompts."""
CLOSE = "--close"
"""Option that ends a saved debate without the missing speeches."""
MODEL_PLACEHOLDER = "PROVIDER/MODEL"
JUDGE_WITH_OTHER_MODEL = f"--model {MODEL_PLACEHOLDER}"
"""Option of `debate judge` that replaces the models of all judges."""
OUTPUT_LIMIT_FACTOR = 4
"""Factor by which an output limit is raised after it cut off an answer."""
_REFUSED_REQUESTS = {
    "ContextOverflowError": "the same request fails again until you change a setting",
    "RefusedError": "the model is likely to refuse again; choose another model",
    "RejectedError": "the same request is likely to fail again; choose another model",
}
"""Maps causes of failures to clauses on what the user must change. Unchanged, the request is likely to fail again."""
_UNUSABLE_MODELS = {
    "QuotaExhaustedError": "every request fails until the provider raises the quota or you choose another model",
    "UnauthorizedError": "every request fails until you replace the key or choose another model",
    "UnknownModelError": "every request fails until the server offers this model or you choose another one",
    "WeightsError": "every request fails until the weights can be loaded or you choose another model",
}
"""Maps causes of failures to clauses on what must change. Until then, every request to the model fails."""
_PLAIN_ROLE = re.compile(r"[\w-]+")
"""Matches a key of `models` that needs no quotes, neither on a command line nor in a key path `models.KEY.model`."""


def required_change(failure: Failure | None) -> str:
    """Return a clause on what the user must change before the failed task can succeed. Empty if no change is needed.

    `failure`: None if the task was not requested yet.
    """
    return "" if failure is None else (_REFUSED_REQUESTS | _UNUSABLE_MODELS).get(failure.cause, "")


def resume_options(debate: Debate, failure: Failure | None) -> tuple[str, ...]:
    """Return options for `debate run --resume`, the smallest change first. Any one of them may be enough.

    Empty if nothing helps. `failure`: None if the task was not requested yet.
    """
    if failure is None:
        return (REPEAT,)
    if failure.final:
        return ()
    task, cause = failure.task, failure.cause
    is_speech = isinstance(task, Cue)
    is_cut_off_speech = is_speech and _was_cut_off(failure)
    if is_cut_off_speech or cause in _REFUSED_REQUESTS:
        options = (
            _limit_options(debate, task) if is_cut_off_speech else "",
            SHORTEN_PROMPTS if cause == "ContextOverflowError" and _can_shorten_prompts(debate, task) else "",
            other_model_options(debate, task),
            CLOSE if is_speech and debate.turns else "",
        )
        return tuple(filter(None, options))
    if is_speech and cause in _UNUSABLE_MODELS:
        return REPEAT, other_model_options(debate, task, also_of_judges=True)
    return (REPEAT,)


def _can_shorten_prompts(debate: Debate, task: Task) -> bool:
    if debate.config.format.history != "full":  # the refused prompt was shortened already
        return False
    if isinstance(task, Cue):
        return bool(recent_history(debate.visible_to(task)).ledger.entries)
    return format_recent_prompt(debate, task.subject) != format_full_prompt(debate, task.subject)


def other_model_options(debate: Debate, task: Task, *, also_of_judges: bool = False) -> str:
    """Return options for `debate run --resume` that replace the model that does `task`.

    For a speech, the options replace this model for all debaters that use it. With `also_of_judges`, they also replace it
    for all judges that use it. For a judgement, they replace it only for judges.

    Empty for a judgement of a later judging run, because a resume cannot change the models of such a run.
    """
    if isinstance(task, Brief) and task.run != FIRST_RUN:
        return ""
    own_role, roles = _find_roles(debate, task, with_judges=also_of_judges)
    models = {role: spec.model for role in roles.values() if (spec := debate.config.resolve_model(role)) is not None}
    same_model = [(path, role) for path, role in roles.items() if models.get(role) == models.get(own_role)]
    paths = (f"models.{role}.model" if _PLAIN_ROLE.fullmatch(role) else path for path, role in same_model)
    return _set_options(f"{path}={MODEL_PLACEHOLDER}" for path in paths)


def judge_limit_options(debate: Debate, failures: Sequence[Failure | None]) -> str:
    """Return options for `debate judge` that raise the output limits of the judges whose answers were cut off.

    Empty in two cases: a resume would do one of the failed tasks again, or one command cannot raise all these limits.
    """
    final = [failure for failure in failures if failure is not None and failure.final]
    cut_off = [failure.task for failure in final if _was_cut_off(failure)]
    options = dict.fromkeys(filter(None, (_limit_options(debate, task) for task in cut_off)))
    is_several_models = sum(option.startswith("--model ") for option in options) > 1
    return "" if is_several_models or len(final) < len(failures) else " ".join(options)


def _was_cut_off(failure: Failure) -> bool:
    """Whether an answer was unusable because it was cut off, maybe at the output limit of its model."""
    was_truncated = failure.exchange is not None and failure.exchange.finish_reason in TRUNCATED_REASONS
    return failure.cause == ABSTAINED and was_truncated and may_need_higher_limit(failure.message)


def _limit_options(debate: Debate, task: Task) -> str:
    """Return options that raise the output limit of the model of `task`; empty if no option can."""
    config = debate.config
    if isinstance(task, Brief) and task.run != FIRST_RUN:
        run = debate.run(task.run)
        spec = run.model_for_judge(config, judge_model_role(settings_for(task, debate), task.assessor))
        if spec is None or run.providers:  # `debate judge` does not use the providers of an earlier run
            return ""
        limit = _set_options([f"models.judge.{OUTPUT_LIMIT_SETTING}={_higher_limit(config, spec)}"])
        return f"--model {shlex.quote(spec.model)} {limit}"  # without --model, it uses the models of the debate
    role, roles = _find_roles(debate, task)
    spec = config.resolve_model(role)
    if spec is None:
        return ""
    limit = _higher_limit(config, spec)
    if _PLAIN_ROLE.fullmatch(role):
        return _set_options([f"models.{role}.{OUTPUT_LIMIT_SETTING}={limit}"])
    name = re.sub(r"[^\w-]+", "-", role)
    while name in config.models:
        name += "-longer"
    entry = json.dumps({"model": spec.model, OUTPUT_LIMIT_SETTING: limit})
    return _set_options([f"models.{name}={entry}", *(f"{path}={name}" for path in roles if roles[path] == role)])


def _higher_limit(config: DebateConfig, spec: ModelSpec) -> int:
    provider, _, name = spec.model.partition("/")
    row = merge_provider_rows(config).get(provider)
    profile = Profile() if row is None else find_profile(row, name)
    return OUTPUT_LIMIT_FACTOR * (spec.max_output_tokens or profile.max_output_tokens)


def _find_roles(debate: Debate, task: Task, *, with_judges: bool = False) -> tuple[str, dict[str, str]]:
    """Return the role of the debater or judge who does `task`, and a mapping from settings to roles.

    A role says which model is asked: a key of `models`, or `provider/model`. A setting is a key path, e.g.
    `debaters.0.model`.

    For a speech, the mapping contains the settings of all debaters. If `with_judges` is True, it also contains the
    settings of all judges. For a judgement, it contains only the settings of all judges.
    """
    config = debate.config
    default = "judge" if "judge" in config.models else "default"
    judges = {
        ".".join(map(str, ("judging", "systems", index, *seat.model_path))): seat.model or default
        for index, system in enumerate(config.judging.systems)
        for seat in system.seats
    }
    if isinstance(task, Brief):
        return judge_model_role(settings_for(task, debate), task.assessor) or default, judges
    debaters = {f"debaters.{index}.model": item.model or "default" for index, item in enumerate(config.debaters)}
    return config.debater(task.speaker).model or "default", debaters | (judges if with_judges else {})


def _set_options(changes: Iterable[str]) -> str:
    return " ".join(f"--set {shlex.quote(change)}" for change in dict.fromkeys(changes))
