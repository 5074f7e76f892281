"""Determines which commands continue a debate that stopped or lacks judgements, and the options that may help.

All functions are pure, except `EndedCommand.of_saved`, which reads `batches.sqlite`.
"""

import json
import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Self

from debate_cli.domain.config import OUTPUT_LIMIT_SETTING, DebateConfig, ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, CloseReason, Failure
from debate_cli.domain.judging_config import judge_model_role
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.message_text import quote_path
from debate_cli.domain.recent_history import recent_history
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.errors import BudgetError, UnrecordedCallError
from debate_cli.judge_input.transcript_prompt import format_full_prompt, format_recent_prompt
from debate_cli.llm.budget import BUDGET_OPTIONS, exceeded_limits
from debate_cli.llm.model import Profile
from debate_cli.llm.truncation import TRUNCATED_REASONS, may_need_higher_limit
from debate_cli.providers.provider_table import find_profile, merge_provider_rows
from debate_cli.storage.batch_store import BatchState, BatchStore
from debate_cli.systems.registry import settings_for

REPEAT = ""
"""Stands for a resume without options: it repeats the same request, which may succeed this time."""
SHORTEN_PROMPTS = "--set format.history=recent"
"""Option that leaves older turns out of prompts."""
CLOSE = "--close"
"""Option that ends a saved debate without the missing speeches."""
MODEL_PLACEHOLDER = "PROVIDER/MODEL"
JUDGE_WITH_OTHER_MODEL = f"--model {MODEL_PLACEHOLDER}"
"""Option of `debate judge` that replaces the models of all judges."""
VARIABLE_PLACEHOLDER = "VARIABLE"
OUTPUT_LIMIT_FACTOR = 4
"""Factor by which an output limit is raised after it cut off an answer."""
BATCH_IN_PROGRESS = "a batch is in progress"
BEGINNING_COMMAND = "the command that began the debate, with --batch"
"""Text in place of the command of the experiment that began a debate. The debate does not contain the command."""
_REFUSED_REQUESTS = {
    "ContextOverflowError": "the same request fails again until you change a setting",
    "RefusedError": "the model is likely to refuse again; choose another model",
    "RejectedError": "the same request is likely to fail again; choose another model",
}
"""Maps causes of failures to advice for messages. After these failures, the same request is likely to fail again."""
_UNUSABLE_MODELS = {
    "QuotaExhaustedError": "every request fails until the provider raises the quota or you choose another model",
    "UnauthorizedError": "every request fails until the server accepts the key or you choose another model",
    "UnknownModelError": "every request fails until the server offers this model or you choose another one",
    "WeightsError": "every request fails until the weights can be loaded or you choose another model",
}
"""Maps causes of failures to advice for messages. After these failures, every request to the model fails until the
change in the advice is made."""
_UNSET_KEY = re.compile(r"no key was sent; set (providers\.[\w-]+\.api_key_env) ")
"""Matches the part of a failure's message that names the setting for the missing key."""
_PLAIN_ROLE = re.compile(r"[\w-]+")
"""Matches a key of `models` that needs no quotes, neither on a command line nor in a key path `models.KEY.model`."""


class EndedCommand(NamedTuple):
    """What must be known of an ended command to suggest the command that continues its work."""

    path: Path | str | None
    """The transcript; None if the debate was not saved."""
    options: str = ""
    """Options to repeat in every command, e.g. `--files DIR`."""
    run_options: str = ""
    """Options to repeat in `debate run`, but not in `debate judge`, e.g. `--evidence DIR`."""
    config_option: str = ""
    """`--config FILE`, if the command was `debate judge` with this configuration."""
    batch: BatchState | None = None
    """State of the debate's judgements in batches; None if the judges were not asked in batches."""
    shown_failures: Collection[str] = ()
    """Messages of failures that the user has already read, so that they are not repeated."""
    new_limits: Mapping[str, str] = MappingProxyType[str, str]({})
    """Maps limits of the budget, e.g. `limits.max_tokens`, to values that are probably large enough for the rest of the
    debate. Limits without an estimate get a placeholder."""

    @classmethod
    def of_saved(cls, path: Path, debate: Debate) -> Self:
        """Return the `EndedCommand` for the saved debate at `path`. Only `path` and `batch` are set.

        The command that saved the debate need not be known.
        """
        return cls(path, batch=BatchStore(path.parent).state(debate.id))

    def resume(self, *options: str) -> str:
        """Return the shell command that continues the work with `options`.

        If the debate was not saved, the result is e.g. `the same command and --max-tokens N`.
        """
        if self.path is None:
            return _join(" and ", "the same command", _join(" ", *options))
        run_options = () if self.batch else (self.run_options,)
        return resume_command(self.path, (*options, self.options, *run_options), self.batch)


def resume_command(path: Path | str, options: Iterable[str] = (), batch: BatchState | None = None) -> str:
    """Return the shell command that resumes a saved debate with `options`. `batch`: see `EndedCommand`."""
    if batch is None:
        return _join(" ", f"debate run --resume {quote_path(path)}", *options)
    return _join(" ", f"debate judge --collect {quote_path(path)}", "--batch" if batch != "pending" else "", *options)


class NextCommand(NamedTuple):
    """A command that may continue the work on a debate."""

    action: str
    """What the command does, e.g. `resume` or `ask another model`. Empty: the same as the command before it."""
    text: str
    """The shell command, or e.g. `the same command and --max-tokens N` for a debate that was not saved."""


class Remedy(NamedTuple):
    """What helps after a debate stopped or lacks judgements."""

    commands: tuple[NextCommand, ...]
    """The smallest change first. Any one of them may be enough. Empty if nothing helps."""
    condition: str = ""
    """Clauses that the user must read before the first of `commands`. Empty if there are none. Possible clauses:

    - What the user must change before the failed task can succeed (see `required_change`).
    - A batch is in progress.
    - What the user must write in place of a placeholder in the first command.
    """


def find_remedy(debate: Debate, missing: Sequence[Brief], ended: EndedCommand) -> Remedy:
    """Return the commands that continue a saved debate.

    The debate is unfinished, or it is complete but lacks judgements. `missing`: the tasks without a judgement.
    """
    has_open_batch = ended.batch in {"pending", "unused"}
    if debate.status == "complete" or (missing and has_open_batch):
        return find_judging_remedy(debate, missing, ended)
    if has_open_batch:  # `debate judge --collect` does not complete the first judging run of an unfinished debate
        condition = BATCH_IN_PROGRESS if ended.batch == "pending" else ""
        return Remedy((NextCommand("collect the answers", BEGINNING_COMMAND),), condition)
    return find_stop_remedy(debate, find_stop(debate, debate.closed), ended._replace(batch=None))


def find_stop(debate: Debate, halted: CloseReason | None) -> Failure | None:
    """Return the failure that stopped a debate early; None if no failure did. `halted`: e.g. `budget` or `failed`."""
    last = {failure.task.key: failure for failure in debate.failures}
    for key, failure in reversed(last.items()):
        is_cause = failure.cause == BudgetError.__name__ if halted == "budget" else isinstance(failure.task, Cue)
        if halted in {"budget", "failed"} and is_cause and key in debate.given_up and not failure.final:
            return failure
    return None


def find_stop_remedy(debate: Debate, failure: Failure | None, ended: EndedCommand) -> Remedy:
    """Return what continues a debate that stopped early. `failure`: what stopped it; None if it was interrupted."""
    action = "start it again" if ended.path is None else "resume"
    options = resume_options(debate, failure) or (REPEAT,)
    if failure is not None and failure.cause == UnrecordedCallError.__name__:
        action = "to ask the models instead, resume"
        options = options if ended.path is not None else ()
    budget = _needed_budget_options([failure], ended)
    options = (_join(" ", *budget),) if budget else options
    commands = [ended.resume(option) for option in options if option != CLOSE or ended.path is not None]
    change = required_change(failure)
    named = (NextCommand("" if place else _after(change, action), command) for place, command in enumerate(commands))
    return Remedy(
        tuple(named), _join("; ", change, _describe_new_limits(budget, debate, ended), _explain_variable(*commands[:1]))
    )


def find_judging_remedy(debate: Debate, missing: Sequence[Brief], ended: EndedCommand) -> Remedy:
    """Return the commands that request the missing judgements. `missing`: the tasks without an assessment.

    - The first command asks the same models again. It changes as little as possible; e.g. it raises the budget if the
      budget stopped the judges.
    - The second command asks other models.

    A command that cannot help is left out. If a batch is in progress, the only command collects the answers.
    """
    failures = last_failures(debate, missing)
    again, other = _same_models_command(debate, missing, failures, ended), _other_model_command(debate, missing, ended)
    if ended.batch == "pending":
        return Remedy((NextCommand("collect the answers", again),), BATCH_IN_PROGRESS)
    is_unrecorded = all(item is not None and item.cause == UnrecordedCallError.__name__ for item in failures)
    if ended.path is None and is_unrecorded:
        return Remedy(())
    changes = [required_change(item) for item in failures if item is None or not item.final]
    change = changes[0] if changes and all(changes) else ""
    action = _after(change, "ask the models instead" if is_unrecorded else "ask again")
    commands = [NextCommand(action, again)] if again else []
    if ended.batch != "unused":  # then `debate judge` refuses to ask other models
        commands.append(NextCommand("ask another model", other))
    limits = [option for option in _needed_budget_options(failures, ended) if option in again]
    return Remedy(
        tuple(commands), _join("; ", change, _describe_new_limits(limits, debate, ended), _explain_variable(again))
    )


def _after(change: str, action: str) -> str:
    """Return `action`, with `then` before it if the user must make a change before the action.

    `change`: the advice of `required_change`. The user must make a change first if the advice is in `_UNUSABLE_MODELS`.
    """
    return f"then {action}" if change in _UNUSABLE_MODELS.values() else action


def _needed_budget_options(failures: Iterable[Failure | None], ended: EndedCommand) -> list[str]:
    exceeded = exceeded_limits(item.message for item in failures if item and item.cause == BudgetError.__name__)
    estimated = exceeded and ended.batch is None
    return [
        f"{option} {ended.new_limits.get(limit, placeholder) if estimated else placeholder}"
        for limit, (option, placeholder) in BUDGET_OPTIONS.items()
        if limit in exceeded or (estimated and limit in ended.new_limits)
    ]


def _describe_new_limits(options: Sequence[str], debate: Debate, ended: EndedCommand) -> str:
    """Return a clause on the values or placeholders of budget options such as `--max-tokens N`; empty without options."""
    if not options:
        return ""
    values = [tuple(option.split()) for option in options]
    placeholders = [value for option, value in values if (option, value) in BUDGET_OPTIONS.values()]
    action = f"replace {' and '.join(placeholders)} by the new limit{'s' if len(placeholders) > 1 else ''}"
    if not placeholders:
        amounts = (f"${value}" if option == "--max-cost" else f"{value} tokens" for option, value in values)
        action = f"about {' and '.join(amounts)} should be enough"
    if ended.batch is not None:
        return f"{action} for this command alone"
    saved = "the whole judging" if debate.document_name is not None else "the whole debate"
    scope = "the whole command" if ended.path is None else saved
    return f"{action} for {scope}, which includes what is already used"


def _explain_variable(command: str = "") -> str:
    """Return a clause on the placeholder in `command` for a variable's name; empty if there is no such placeholder.

    `this name` in the clause refers to the failure's message: `… to the name of the variable with the key`.
    """
    has_placeholder = f"={VARIABLE_PLACEHOLDER}" in command
    return f"replace {VARIABLE_PLACEHOLDER} by this name" if has_placeholder else ""


def last_failures(debate: Debate, briefs: Iterable[Brief]) -> list[Failure | None]:
    """Return the last failure of each task; None if the judge was not asked."""
    last = {failure.task.key: failure for failure in debate.failures}
    return [last.get(brief.key) for brief in briefs]


def _same_models_command(
    debate: Debate, missing: Sequence[Brief], failures: Sequence[Failure | None], ended: EndedCommand
) -> str:
    """Return the command that asks the same models for the missing judgements. Empty if only other models can help."""
    options = {option for failure in failures for option in resume_options(debate, failure)}
    budget = _needed_budget_options(failures, ended)
    keys = sorted(option for option in options if option.endswith(f"={VARIABLE_PLACEHOLDER}"))
    if keys or REPEAT in options or ended.batch in {"pending", "unused"}:
        return ended.resume(*budget, *(keys if ended.batch is None else ()))
    if options and ended.path is not None and ended.batch is None:
        return ended.resume(*budget, *([SHORTEN_PROMPTS] if SHORTEN_PROMPTS in options else sorted(options)))
    limits = _judge_limit_options(debate, failures, ended)
    if ended.path is None or not limits:
        return limits and ended.resume(limits)
    return _judge_command(debate, missing, ended, ended.config_option, limits, ended.options)


def _other_model_command(debate: Debate, missing: Sequence[Brief], ended: EndedCommand) -> str:
    """Return the command that asks other models for the missing judgements."""
    if ended.path is not None:
        return _judge_command(debate, missing, ended, JUDGE_WITH_OTHER_MODEL)
    if debate.document_name is not None or any(brief.run != FIRST_RUN for brief in missing):
        return ended.resume(JUDGE_WITH_OTHER_MODEL)
    return ended.resume(*dict.fromkeys(other_model_options(debate, brief) for brief in missing))


def _judge_command(debate: Debate, missing: Sequence[Brief], ended: EndedCommand, *options: str) -> str:
    kinds = dict.fromkeys(brief.system for brief in missing)
    lacking = {(brief.run, brief.system) for brief in missing}
    active = {(run.id, system.kind) for run in debate.runs for system in run.active_systems()}
    has_whole_run = any(kind in kinds for _, kind in active - lacking)
    systems = (f"--system {kind}" for kind in kinds)
    batch, replace = "--batch" if ended.batch else "", "" if has_whole_run else "--replace"
    return _join(" ", f"debate judge {quote_path(ended.path)}", *systems, *options, replace, batch)


def _join(separator: str, *parts: str) -> str:
    """Join the parts that are not empty."""
    return separator.join(filter(None, parts))


def required_change(failure: Failure | None) -> str:
    """Return advice on what the user must change before the failed task can succeed. Empty if no change is needed.

    Example: `the model is likely to refuse again; choose another model`.

    Also empty if the failure's message itself says what to change: it names the setting for a missing key.
    `failure`: None if the task was not requested yet.
    """
    return (
        ""
        if failure is None or _UNSET_KEY.search(failure.message)
        else (_REFUSED_REQUESTS | _UNUSABLE_MODELS).get(failure.cause, "")
    )


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
    unset_key = _UNSET_KEY.search(failure.message)
    again = _set_options([f"{unset_key[1]}={VARIABLE_PLACEHOLDER}"]) if unset_key else REPEAT
    if is_speech and cause in _UNUSABLE_MODELS:
        return again, other_model_options(debate, task, also_of_judges=True)
    return (again,)


def _can_shorten_prompts(debate: Debate, task: Task) -> bool:
    if debate.config.format.history != "full":  # the refused prompt was shortened already
        return False
    if isinstance(task, Cue):
        return bool(recent_history(debate.visible_to(task)).ledger.entries)
    return format_recent_prompt(debate, task.subject) != format_full_prompt(debate, task.subject)


def other_model_options(debate: Debate, task: Task, *, also_of_judges: bool = False) -> str:
    """Return options for `debate run --resume` that replace the model that does `task`.

    The options replace this model for all these debaters and judges:

    - If `task` is a speech: all debaters that use the model. If `also_of_judges` is True, also all judges that use it.
    - If `task` is a judgement: all judges that use the model.

    If a debater or judge gets the model from a key of `models`, the options change this key. So the model also changes
    for the others that use this key. For example, debaters and judges may share the key `default`.

    Empty for a judgement of a later judging run, because a resume cannot change the models of such a run.
    """
    if isinstance(task, Brief) and task.run != FIRST_RUN:
        return ""
    own_role, roles = _find_roles(debate, task, with_judges=also_of_judges)
    models = {role: spec.model for role in roles.values() if (spec := debate.config.resolve_model(role)) is not None}
    same_model = [(path, role) for path, role in roles.items() if models.get(role) == models.get(own_role)]
    paths = (f"models.{role}.model" if _PLAIN_ROLE.fullmatch(role) else path for path, role in same_model)
    return _set_options(f"{path}={MODEL_PLACEHOLDER}" for path in paths)


def _judge_limit_options(debate: Debate, failures: Sequence[Failure | None], ended: EndedCommand) -> str:
    """Return options that raise the output limits of the judges whose answers were cut off.

    If the debate was saved, the options are for `debate judge`. Otherwise, they are for repeating the ended command.

    Empty in each of these cases:

    - No answer was cut off, or no option can raise the limits.
    - A resume would request one of the missing judgements.
    - Several models need a higher limit, and one command cannot raise the limits of all.
    - A document was judged (see `Debate.document_name`), the result was not saved, and `ended.config_option` is empty.
    """
    final = [failure for failure in failures if failure is not None and failure.final]
    if ended.path is None and debate.document_name is not None and not ended.config_option:
        return ""  # `debate judge` takes --set for a document only with --config
    cut_off = [failure.task for failure in final if _was_cut_off(failure)]
    later = [task for task in cut_off if isinstance(task, Brief) and task.run != FIRST_RUN]
    options = {_limit_options(debate, task) for task in cut_off if task not in later} - {""}
    options |= {_limit_options_of_later_run(debate, task, ended) for task in later} - {""}
    options -= {option for option in options if any(set(option.split()) < set(other.split()) for other in options)}
    is_several_models = sum(option.startswith("--model ") for option in options) > 1
    return "" if is_several_models or len(final) < len(failures) else " ".join(sorted(options))


def _was_cut_off(failure: Failure) -> bool:
    """Whether an answer was unusable because it was cut off, maybe at the output limit of its model."""
    was_truncated = failure.exchange is not None and failure.exchange.finish_reason in TRUNCATED_REASONS
    return failure.cause == ABSTAINED and was_truncated and may_need_higher_limit(failure.message)


def _limit_options_of_later_run(debate: Debate, task: Brief, ended: EndedCommand) -> str:
    """Return options that raise the output limit of a judge of a later judging run; empty if no option can."""
    run, is_saved = debate.run(task.run), ended.path is not None
    role = judge_model_role(settings_for(task, debate), task.assessor)
    spec = run.model_for_judge(debate.config, role)
    if spec is None or (is_saved and run.providers and not ended.config_option):
        return ""  # `debate judge` does not use the providers of an earlier run
    limit = f"{OUTPUT_LIMIT_SETTING}={_higher_limit(debate.config, spec)}"
    name = role or ("judge" if "judge" in debate.config.models | run.models else "default")
    keeps_role = not is_saved and _PLAIN_ROLE.fullmatch(name) is not None
    entry = f"models.{name if keeps_role else 'judge'}"
    model = [f"{entry}.model={spec.model}"] if ended.config_option else []  # the configuration may lack models.judge
    options = _set_options([*model, f"{entry}.{limit}"])
    return options if keeps_role else f"--model {shlex.quote(spec.model)} {options}"


def _limit_options(debate: Debate, task: Task) -> str:
    """Return options that raise the output limit of a debater, or of a judge of the first run; empty if no option can."""
    config = debate.config
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
    """Return the role of the debater or judge who does `task`, and a mapping from key paths to roles.

    A role names the model or person that answers for a debater or judge. It is a key of `models`, a `provider/model`,
    or a person such as `human`. A key path is the place of a role in the configuration, e.g. `debaters.0.model`.

    The mapping contains these key paths:

    - If `task` is a speech: the key paths of all debaters. If `with_judges` is True, also those of all judges.
    - If `task` is a judgement: the key paths of all judges.
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
