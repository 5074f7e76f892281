"""Tells the user how to complete a debate: what to change, and which command to run."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from debate_cli.domain.config import OUTPUT_LIMIT_SETTING, DebateConfig, DebaterConfig, ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.judging_config import JudgeSeat
from debate_cli.domain.judging_run import FIRST_RUN, format_system_label
from debate_cli.domain.message_text import describe_missing
from debate_cli.domain.recent_history import recent_history
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UnrecordedCallError, format_page_hint, get_error_page
from debate_cli.judge_input.transcript_prompt import format_full_prompt, format_recent_prompt
from debate_cli.llm.budget import list_budget_options
from debate_cli.llm.model import Profile
from debate_cli.llm.truncation import TRUNCATED_REASONS, may_need_higher_limit
from debate_cli.providers.provider_table import find_profile, merge_provider_rows
from debate_cli.render import sanitize
from debate_cli.render.theme import refer_to_failure, shorten

SAME_COMMAND = "the same command"
SHORTER_PROMPTS = "--set format.history=recent"
"""Option that leaves older turns out of prompts."""
OUTPUT_LIMIT_FACTOR = 4
"""If an answer was cut off at the output limit, the suggested command multiplies the limit by this factor."""
MODEL_PLACEHOLDER = "PROVIDER/MODEL"
_PLAIN_ROLE = re.compile(r"[\w-]+")
"""Matches a key of `models` that needs no quoting on a command line, nor in a setting such as `models.KEY.model`."""
UNRECORDED = UnrecordedCallError.__name__
"""Cause of a failure: the replayed cassette has no reply to the call. Another cassette or a model is needed."""
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


def resume_command(debate_id: str, options: Iterable[str] = (), *, batch: bool = False) -> str:
    """Return the shell command that resumes a debate.

    - `options`: options to add. Empty texts are ignored.
    - `batch`: whether the command asks the judges in a batch.
    """
    path = _quote(debate_id)
    again = f"debate judge --collect {path} --batch" if batch else f"debate run --resume {path}"
    return " ".join([again, *filter(None, options)])


def same_command(options: Iterable[str] = ()) -> str:
    """Return the words that tell the user to repeat a command whose debate was not saved.

    `options`: options to add to the command. Empty texts are ignored.
    """
    return " and ".join(filter(None, [SAME_COMMAND, " ".join(filter(None, options))]))


def _quote(path: str) -> str:
    return shlex.quote(" ".join(sanitize.sanitize_text(path).splitlines()))


def required_change(cause: str, again: str = "resuming") -> str:
    """Return, as a clause, what the user must change before a failed task can succeed. Empty if no change is needed.

    `cause`: cause of the failure. `again`: the subject of the clause, e.g. `resuming` in `resuming fails again until …`.
    """
    return _REQUIRED_CHANGES.get(cause, "").format(again=again)


def remedy_options(debate: Debate, failure: Failure, *, is_saved: bool = True) -> tuple[str, ...]:
    """Return options for `debate run --resume`, e.g. `--close`. After the failure, any one of them may be enough.

    The option `""` means that resuming without options may be enough. If nothing helps, the tuple is empty.

    `is_saved`: whether the debate can be resumed. If False, the options are for the command that began the debate.
    """
    longer = _longer_speech_options(debate.config, failure)
    if not longer and not required_change(failure.cause):
        return ("",)
    is_repeated = bool(longer) or failure.cause in _REPEATED_REQUEST_CAUSES
    can_shorten = failure.cause == "ContextOverflowError" and _can_drop_turns(debate, failure.task)
    shorter = (SHORTER_PROMPTS,) if can_shorten else ()
    if isinstance(failure.task, Brief) and failure.task.run != FIRST_RUN:  # a resume cannot change its model
        return shorter if is_repeated else ("",)
    model = _model_options(debate.config, failure.task, is_one_task=is_repeated)
    if not is_repeated:
        return ("", model)
    can_close = is_saved and isinstance(failure.task, Cue) and bool(debate.turns)
    return (*longer, *shorter, model, *(("--close",) if can_close else ()))


def _can_drop_turns(debate: Debate, task: Task) -> bool:
    if debate.config.format.history != "full":  # the refused prompt was shortened already
        return False
    if isinstance(task, Cue):
        return bool(recent_history(debate.visible_to(task)).ledger.entries)
    return format_recent_prompt(debate, task.subject) != format_full_prompt(debate, task.subject)


def _model_options(config: DebateConfig, task: Task, *, is_one_task: bool) -> str:
    """Return options that replace the model of `task` in all settings that name this model.

    `is_one_task`: whether the model fails only for this task, e.g. because the prompt is too long. If true, the options
    for a speech change only settings of debaters, and the options for a judgement only settings of judges.
    """
    of_debaters, of_judges = list(_debater_models(config)), list(_judge_models(config))
    if isinstance(task, Cue):
        failed, same_kind = config.model_for_debater(_debater(config, task)), of_debaters
    else:
        failed, same_kind = _judge_model(config, task), of_judges
    settings = same_kind if is_one_task else of_debaters + of_judges
    paths = dict.fromkeys(path for path, spec in settings if failed and spec and spec.model == failed.model)
    return " ".join(f"--set {path}={MODEL_PLACEHOLDER}" for path in paths)


def _debater_models(config: DebateConfig) -> Iterator[tuple[str, ModelSpec | None]]:
    """Yield (setting, model) for each debater. `setting`: key path of the model, e.g. `models.default.model`."""
    for index, debater in enumerate(config.debaters):
        role = debater.model or "default"
        yield _setting_of_role(role, f"debaters.{index}.model"), config.resolve_model(role)


def _judge_models(config: DebateConfig) -> Iterator[tuple[str, ModelSpec | None]]:
    """Yield (setting, model) for each judge. `setting`: key path of the model, e.g. `models.judge.model`."""
    for index, system in enumerate(config.judging.systems):
        for seat in system.seats:
            yield _judge_setting(config, index, seat), config.model_for_judge(seat.model)


def _judge_setting(config: DebateConfig, index: int, seat: JudgeSeat) -> str:
    """Return the key path of the model of `seat`, a judge of the judging system at `index`."""
    role = seat.model or ("judge" if "judge" in config.models else "default")
    return _setting_of_role(role, f"judging.systems.{index}.{'.'.join(map(str, seat.model_path))}")


def _setting_of_role(role: str, own: str) -> str:
    return f"models.{role}.model" if _PLAIN_ROLE.fullmatch(role) else own


def _debater(config: DebateConfig, cue: Cue) -> DebaterConfig:
    return next(debater for debater in config.debaters if debater.name == cue.speaker)


def _judge_model(config: DebateConfig, brief: Brief) -> ModelSpec | None:
    system = next(system for system in config.judging.systems if system.kind == brief.system)
    return config.model_for_judge(next(seat.model for seat in system.seats if seat.id == brief.assessor))


def _may_need_higher_limit(failure: Failure) -> bool:
    """Whether an answer was unusable because it was cut off, maybe at the output limit of its model."""
    was_cut_off = failure.exchange is not None and failure.exchange.finish_reason in TRUNCATED_REASONS
    return failure.cause == ABSTAINED and was_cut_off and may_need_higher_limit(failure.message)


def _raised_limit(config: DebateConfig, spec: ModelSpec) -> int:
    provider, _, name = spec.model.partition("/")
    row = merge_provider_rows(config).get(provider)
    profile = Profile() if row is None else find_profile(row, name)
    return OUTPUT_LIMIT_FACTOR * (spec.max_output_tokens or profile.max_output_tokens)


def _longer_speech_options(config: DebateConfig, failure: Failure) -> tuple[str, ...]:
    """Return the option for `debate run --resume` that raises the output limit, if a speech was cut off; else nothing."""
    if not isinstance(failure.task, Cue) or not _may_need_higher_limit(failure):
        return ()
    debater = _debater(config, failure.task)
    role, spec = debater.model or "default", config.model_for_debater(debater)
    if spec is None:
        return ()
    limit = _raised_limit(config, spec)
    if _PLAIN_ROLE.fullmatch(role):
        return (f"--set models.{role}.{OUTPUT_LIMIT_SETTING}={limit}",)
    numbers = count(config.debaters.index(debater) + 1)
    own = next(name for name in (f"debater-{number}" for number in numbers) if name not in config.models)
    named = f"models.{own}={json.dumps({'model': spec.model, OUTPUT_LIMIT_SETTING: limit})}"
    users = [index for index, item in enumerate(config.debaters) if item.model == role]
    return (" ".join((f"--set {shlex.quote(named)}", *(f"--set debaters.{index}.model={own}" for index in users))),)


def _longer_answer_options(debate: Debate, brief: Brief) -> tuple[str, ...]:
    """Return options for `debate judge` that raise the output limit of the judge of `brief`; empty if no option can."""
    run = debate.run(brief.run)
    index, system = next((place, item) for place, item in enumerate(run.judging.systems) if item.kind == brief.system)
    seat = next(item for item in system.seats if item.id == brief.assessor)
    spec = run.model_for_judge(debate.config, seat.model)
    if spec is None or run.providers:  # `debate judge` does not use the providers of an earlier run
        return ()
    limit = _raised_limit(debate.config, spec)
    if run.id != FIRST_RUN:  # without --model, `debate judge` uses the models of the debate
        return f"--model {shlex.quote(spec.model)}", f"--set models.judge.{OUTPUT_LIMIT_SETTING}={limit}"
    path = _judge_setting(debate.config, index, seat)
    if path.startswith("models."):
        return (f"--set {path.removesuffix('.model')}.{OUTPUT_LIMIT_SETTING}={limit}",)
    role = f"{brief.system}-{brief.assessor}"
    named = f"models.{role}={json.dumps({'model': spec.model, OUTPUT_LIMIT_SETTING: limit})}"
    return f"--set {shlex.quote(named)}", f"--set {path}={role}"


class MissingJudgements(NamedTuple):
    """The missing judgements of a debate. Texts in its fields are not sanitized."""

    debate: Debate
    briefs: tuple[Brief, ...]
    """The judges' tasks that have no assessment; at least one task."""
    failures: Mapping[str, Failure]
    """Maps the key of a task to its last failure."""
    verdicts: tuple[Verdict, ...] = ()
    """The verdicts that `lacks_deciding_judgement` checks."""

    @property
    def resumable_briefs(self) -> tuple[Brief, ...]:
        """The missing judgements that are requested again if the debate is resumed."""
        final = {key for key, failure in self.failures.items() if failure.final}
        return tuple(brief for brief in self.briefs if brief.key not in final)

    @property
    def lacks_deciding_judgement(self) -> bool:
        """Whether a missing judgement may still change who wins.

        True if the judgement belongs to a verdict of a deciding system in `verdicts`, and either this verdict is
        undetermined or a resume requests the judgement again.
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
        """Return a sentence with the number of missing judgements, their systems, and the most frequent reason.

        `shown`: messages of failures that the user has already read. The sentence does not repeat these messages.
        """
        runs = [run.id for run in self.debate.runs]
        by_system = Counter(format_system_label(brief.system, brief.run, runs) for brief in self.briefs)
        systems = ", ".join(f"{count} of {label}" for label, count in by_system.items())
        return f"{describe_missing(len(self.briefs))} ({systems}): {self._describe_reason(shown)}"

    def commands(self, path: str | None, *, batch: bool = False) -> tuple[str, str]:
        """Return two commands: the first requests the missing judgements again, the second judges with another model.

        The first command uses the first of these remedies that may help. It is empty if none may help.

        1. a repetition without changes
        2. the option for shorter prompts
        3. options that replace models
        4. options that raise the output limit of models

        - `path`: path of the transcript. None if the debate was not saved. Then only remedy 1 is possible.
        - `batch`: whether to use a provider's batch API. If true, only remedies 1 and 4 are possible.

        The first command also has the option that raises the budget, if a budget stopped the judges.

        Without `path`, the commands are the words of `same_command`. The first is also empty if there is a
        `repeat_obstacle`, and both are empty if `is_unrecorded` is true.
        """
        options = self._resume_options()
        if path is None and self.is_unrecorded:
            return "", ""
        if path is None:
            again = SAME_COMMAND if "" in options and not self.repeat_obstacle else ""
            return again, same_command([self._model_option()])
        failures = [self.failures[brief.key] for brief in self.briefs if brief.key in self.failures]
        limits = list_budget_options(item.message for item in failures if item.cause == "BudgetError")
        smallest = [option for option in ("", SHORTER_PROMPTS) if option in options][:1] or sorted(options)
        if batch and "" not in options:
            longer = self._longer_answers(path)
            return longer and f"{longer} --batch", f"{self._judge_command(path)} --batch"
        if batch:
            return resume_command(path, limits, batch=True), f"{self._judge_command(path)} --batch"
        again = resume_command(path, [*limits, *smallest]) if options else self._longer_answers(path)
        return again, self._judge_command(path)

    @property
    def repeat_obstacle(self) -> str:
        """Why the same command fails again for every missing judgement; empty if it may succeed for one of them."""
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
        return _model_options(self.debate.config, brief, is_one_task=True)

    def _resume_options(self) -> set[str]:
        failures = [self.failures[brief.key] for brief in self.resumable_briefs if brief.key in self.failures]
        if len(failures) < len(self.resumable_briefs):  # some judges were not asked yet
            return {""}
        return {option for failure in failures for option in remedy_options(self.debate, failure)}

    def _describe_reason(self, shown: Collection[str]) -> str:
        failures = [self.failures[brief.key] for brief in self.briefs if brief.key in self.failures]
        if not failures:
            return "not asked yet"
        # The text after the colon may differ between failures of one kind, e.g. in the length of the prompt.
        # The message of an abstention begins with the judge's name.
        kinds = [
            (failure.cause, "" if failure.cause == ABSTAINED else failure.message.partition(": ")[0])
            for failure in failures
        ]
        kind, count = Counter(kinds).most_common(1)[0]
        message, page = failures[kinds.index(kind)].message, get_error_page(kind[0])
        if kind[0] == ABSTAINED:
            page, message = ABSTENTION_PAGE, shorten(message, MAX_ABSTENTION_LENGTH)
        if failures[kinds.index(kind)].message in shown:
            message = refer_to_failure(kind[0])
        share = "" if count == len(self.briefs) else f" ({count} of them)"
        return f"{message.rstrip('.')}{share}{format_page_hint(page)}"

    def _longer_answers(self, path: str) -> str:
        """Return the command that raises the output limit of judges whose answers were cut off.

        Empty if a resume requests any of the judgements again, or if no single command raises all the limits.
        """
        if self.resumable_briefs:
            return ""
        cut_off = [brief for brief in self.briefs if _may_need_higher_limit(self.failures[brief.key])]
        options = dict.fromkeys(option for brief in cut_off for option in _longer_answer_options(self.debate, brief))
        is_several_models = sum(option.startswith("--model ") for option in options) > 1
        return "" if not options or is_several_models else self._judge_command(path, " ".join(options))

    def _judge_command(self, path: str, change: str = f"--model {MODEL_PLACEHOLDER}") -> str:
        kinds = dict.fromkeys(brief.system for brief in self.briefs)
        lacking = {(brief.run, brief.system) for brief in self.briefs}
        active = {(run.id, system.kind) for run in self.debate.runs for system in run.active_systems()}
        has_whole_run = any(kind in kinds for _, kind in active - lacking)
        options = " ".join(f"--system {kind}" for kind in kinds)
        command = f"debate judge {_quote(path)} {options} {change}"
        return command if has_whole_run else f"{command} --replace"


def explain_missing(debate: Debate, briefs: Sequence[Brief], verdicts: Sequence[Verdict] = ()) -> MissingJudgements:
    """Return the missing judgements with the failures that explain them.

    - `briefs`: the judges' tasks that have no assessment; at least one task.
    - `verdicts`: the verdicts that `MissingJudgements.lacks_deciding_judgement` checks.
    """
    return MissingJudgements(debate, tuple(briefs), {item.task.key: item for item in debate.failures}, tuple(verdicts))
