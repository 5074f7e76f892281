"""Use case `judge`: plans the judging of each file, and judges several files at once."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from debate_cli.app.batches.queue import BatchQueues, raise_file_limit
from debate_cli.app.config_resolution import config_from_transcript, config_redactor
from debate_cli.app.consent import Destination
from debate_cli.app.context import RunContext
from debate_cli.app.documents import JudgeSource, is_saved_debate
from debate_cli.app.evidence import describe_skipped
from debate_cli.app.judge_request import (
    JudgingRequest,
    change_stored_settings,
    config_for_judging,
    document_events,
    open_further_runs,
    unsuitable_systems,
)
from debate_cli.app.preparation import prepare_added_runs, prepare_judge_context, prepare_resume
from debate_cli.app.session import Outcome, Session
from debate_cli.domain.debate import Debate, fold, models_used_by_judges
from debate_cli.domain.events import DebateOpened, DebateResumed, Event, JudgingOpened
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.message_text import one_line, quote_path
from debate_cli.domain.verdict import Verdict
from debate_cli.engine import StopSignal
from debate_cli.errors import DebateError, StorageError, TranscriptError, UsageError
from debate_cli.judging.schedule import owed_briefs
from debate_cli.regular_file import follow_links, may_exist
from debate_cli.storage.batch_store import BatchStore
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.folder import list_debate_files, new_id, validate_id
from debate_cli.storage.lock import check_unlocked
from debate_cli.storage.transcript import to_transcript, transcript_to_events
from debate_cli.storage.transcript_store import (
    describe_unknown_id,
    is_unknown_id,
    open_debate,
    refuse_unknown_id,
    suggest_debate_id,
    transcript_dirs,
)
from debate_cli.systems.explanation import name_result
from debate_cli.systems.registry import check_system_kind, text_system_options
from debate_cli.systems.scoring import score

T = TypeVar("T")
WINDOW = 4
"""At any time, at most `WINDOW * concurrency` files are being judged or have a result that is not yielded yet."""


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One file to judge."""

    source: Path
    """Path of the file, or the name of standard input."""
    events: tuple[Event, ...]
    openings: tuple[JudgingOpened, ...]
    """Judging runs to add. For a document, `events` already contains the first judging run."""
    context: RunContext
    target: Path | None
    """The transcript to write. None: nothing is written."""
    note: str | None = None
    """A sentence about an incomplete last line of the journal; None if the line is complete."""
    is_text: bool = False
    """Whether the file is a document to judge, not a saved debate."""
    unsuitable: Mapping[str, str] = field(default_factory=dict[str, str])
    """The requested systems that cannot judge the debate, each with the reason."""
    runs_to_complete: tuple[str, ...] = ()
    """Ids of stored judging runs to complete."""

    @property
    def deciding_kind(self) -> str | None:
        """Kind of the judging system whose verdict decides, e.g. `structured`; None if the judging run has no systems.

        If the task adds or completes several judging runs, the newest of them counts.
        """
        newest = self.openings[-1].run if self.openings else (self.runs_to_complete or (FIRST_RUN,))[-1]
        for event in (*self.events, *self.openings):
            if isinstance(event, JudgingOpened) and event.run == newest:
                return event.judging.deciding_kind
            if isinstance(event, DebateOpened) and newest == FIRST_RUN:
                return event.config.judging.deciding_kind
        return None

    async def judge(self, session: Session, *, save: bool = True, force: bool = False) -> Outcome:
        """Judge the file.

        - `save`: whether to write the result to `target`.
        - `force`: whether to overwrite a transcript that was changed since it was read.

        Even if `save` is True, `target` stays unchanged if all these conditions are met:

        - The task only adds judging runs to a saved debate.
        - `RunFiles.need_writing` returns False, e.g. because no judge answered and nothing was paid.
        - No person is asked, and the judges are not asked in batches.
        - The debate had no journal before the run, and the run was not interrupted.
        """
        target = self.target if save else None
        runs_to_complete = (FIRST_RUN,) if self.is_text else self.runs_to_complete
        return await session.judge(
            self.events,
            self.openings,
            target,
            runs_to_complete=runs_to_complete,
            force=force,
            skips_empty=not runs_to_complete,
        )

    def describe_verdict_change(self, judged: Debate) -> str | None:
        """Return a sentence on the old and the new deciding verdict of a file that is judged in place.

        Returns None if the verdict is unchanged, or if the result goes to another file.
        """
        before, verdicts = fold(self.events), score(judged, runs="all")
        old_verdict, new_verdict = _find_deciding_verdict(score(before, runs="all")), _find_deciding_verdict(verdicts)
        if self.target != self.source.with_suffix(".json") or old_verdict is None or new_verdict is None:
            return None
        (old, by_old), (new, by_new) = _describe_verdict(before, old_verdict), _describe_verdict(judged, new_verdict)
        if (old, by_old) == (new, by_new):
            return None
        change = f"was {old}, by {by_old}; now it is {new}, by {by_new}"
        if old == new:
            change = f"is still {new}, now by {by_new} instead of {by_old}"
        is_kept = any((item.run, item.system) == (old_verdict.run, old_verdict.system) for item in verdicts)
        both = f"; `debate score {quote_path(self.target)} --runs all` shows both verdicts" if is_kept else ""
        return f"{self.target}: the deciding verdict {change}{both}"


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """A plan to judge one file: what will be written, and which servers and people will be asked.

    The plan does not contain the debate in the file, so that the plans of many files fit into memory. `build` reads the
    file again.
    """

    source: Path
    target: Path | None
    """The transcript to write. None: nothing is written."""
    notes: tuple[str, ...]
    """Sentences about an incomplete journal, sources that are not indexed, and unsuitable systems."""
    debater_names: tuple[str, ...]
    """Names of the debaters; empty for a document."""
    deciding_kind: str | None
    """Kind of the judging system whose verdict decides, e.g. `structured`; None if the judging run has no systems."""
    destinations: tuple[Destination, ...]
    """Servers that receive requests, or provide downloaded models, when the file is judged.

    A built-in provider's own server is left out if the only environment variables that it receives belong to this
    provider."""
    asked_people: tuple[str, ...]
    """Model names of the people that are asked when the file is judged, e.g. `human`, `human/ann` or `files/ann`."""
    read: Callable[[], JudgeTask]
    """Reads the file again, and returns the task of judging it."""

    @classmethod
    def of_task(cls, task: JudgeTask, read: Callable[[], JudgeTask]) -> JudgePlan:
        """Return the plan for `task`. `read`: reads the file a second time, and returns a new task of judging it."""
        context = task.context
        left_out = [f"{task.source}: {kind} is left out: {reason}" for kind, reason in task.unsuitable.items()]
        skipped = describe_skipped(context.corpus) if context.corpus is not None else None
        return cls(
            task.source,
            task.target,
            tuple(filter(None, (skipped, *left_out, task.note))),
            tuple(item.name for item in context.config.debaters),
            task.deciding_kind,
            context.destinations,
            context.asked_people,
            read,
        )

    def build(self) -> JudgeTask:
        """Create the task by reading the file again.

        Raises UsageError if the file now names other servers than in the plan, or sends other variables to servers.
        """
        task = self.read()
        before, now = (
            [(item.host, item.variables) for item in each] for each in (self.destinations, task.context.destinations)
        )
        if now != before:
            raise UsageError(
                f"{self.source}: the servers or variables in this file changed after this command began; run the "
                "command again"
            )
        return task


def build_judge_plans(
    sources: Sequence[JudgeSource], request: JudgingRequest, loaded: LoadedConfig | None
) -> tuple[list[JudgePlan], list[str]]:
    """Return a plan for each file that can be judged, and an error message for each other file.

    `loaded`: the configuration that the user named; None if the user named none.

    Raises UsageError, ConfigError and MissingKeyError. If `sources` has only one file and it cannot be judged, raises
    TranscriptError or StorageError.
    """
    for kind in request.systems:
        check_system_kind(kind)
    if len(sources) > 1 and request.out is not None and request.out.is_file():
        raise UsageError(
            f"--out {request.out}: there are several results, so one file is not enough; give a folder, with a slash at its end if its name "
            "has a dot"
        )
    if request.text_id is not None and (len(sources) != 1 or not sources[0].is_text):
        raise UsageError(
            "--id applies only to a single document; leave it out for transcripts and for several documents"
        )
    if request.context is not None and not any(source.is_text for source in sources):
        raise UsageError("--context applies only to documents, and no document is judged; leave out --context")
    taken: dict[Path, Path] = {}

    def plan(source: JudgeSource) -> JudgePlan:
        task, own = _build_task(source, request, loaded), request
        if task.is_text:  # so that each reading gives the same id
            own = replace(request, text_id=fold(task.events).id)
        if task.target is not None:
            other = taken.setdefault(follow_links(task.target), task.source)
            if other != task.source:
                raise TranscriptError(
                    f"{task.source}: the result of this file would overwrite the result of {other} in {task.target}; "
                    "use another --out folder"
                )
        return JudgePlan.of_task(task, partial(_build_task, source, own, loaded))

    return _collect_plans(sources, plan)


def build_completion_plans(
    paths: Sequence[Path], request: JudgingRequest, loaded: LoadedConfig | None
) -> tuple[list[JudgePlan], list[str], list[Path]]:
    """Return three lists: plans for debates with missing judgements, error messages, and paths of complete debates.

    Each unusable file has an error message. Each judging run is finished with its own models. From `loaded`, only the
    prompts are used. If `request.asks_models` is true, each complete debate and its batch requests are removed from the
    `BatchStore` of its folder.

    Raises ConfigError and MissingKeyError. If `paths` has only one file and it cannot be judged, raises TranscriptError
    or StorageError.
    """
    complete: list[Path] = []

    def plan(path: Path) -> JudgePlan | None:
        read = partial(_build_completion_task, path, request, loaded)
        task = read()
        if task.runs_to_complete:
            return JudgePlan.of_task(task, read)
        if request.asks_models:
            BatchStore(path.parent).forget(fold(task.events).id)
        complete.append(path)
        return None

    return *_collect_plans(paths, plan), complete


def _collect_plans(items: Sequence[T], plan: Callable[[T], JudgePlan | None]) -> tuple[list[JudgePlan], list[str]]:
    plans: list[JudgePlan] = []
    problems: list[str] = []
    for item in items:
        try:
            found = plan(item)
        except (TranscriptError, StorageError) as error:
            if len(items) == 1:
                raise
            problems.append(str(error))
        else:
            plans += [found] if found is not None else []
    return plans, problems


def find_uncollected(folder: Path) -> list[Path]:
    """Return the files in `folder` whose debates wait for judgements from a batch."""
    left = set(BatchStore(folder).waiting_debates())
    files = list_debate_files(folder) if left else []
    found = [path for path in files if path.stem in left]
    left -= {path.stem for path in found}
    return found + [path for path in files if left and path not in found and _debate_id(path) in left]


def _debate_id(path: Path) -> str | None:
    try:
        return open_debate(path).debate.id
    except DebateError:
        return None


def _build_completion_task(path: Path, request: JudgingRequest, loaded: LoadedConfig | None) -> JudgeTask:
    refuse_unknown_id(path, judged_folders(request, loaded))
    stored = open_debate(path)
    check_unlocked(path)
    is_over = stored.debate.status == "complete"
    events = transcript_to_events(to_transcript(stored.debate, stored.verdicts))
    if is_over:
        events.append(DebateResumed(at=datetime.now(UTC)))
    debate = fold(events)
    owed = {brief.run for brief in owed_briefs(debate) if is_over or brief.run != FIRST_RUN}
    if not is_over and not owed:
        raise TranscriptError(
            f"{path}: the debate is not finished; continue it with `debate run --resume {quote_path(path)}`, "
            "or, if an experiment "
            "began it, with `debate experiment run EXP.yaml --batch`"
        )
    kept = config_from_transcript(stored)
    if loaded is not None:
        kept = replace(kept, prompts=loaded.prompts)
    context = prepare_resume(kept, stored, mock=False, cassette=None, asked=request.asks_models, close=not is_over)
    config = context.config.model_copy(update={"limits": config_for_judging(stored.debate, request).limits})
    return JudgeTask(
        path,
        tuple(events),
        (),
        replace(context, config=config),
        path.with_suffix(".json"),
        stored.incomplete_line_warning,
        runs_to_complete=tuple(run.id for run in debate.runs if run.id in owed),
    )


async def judge_files(
    plans: Sequence[JudgePlan],
    *,
    prepare_context: Callable[[JudgeTask], RunContext],
    stop: StopSignal,
    concurrency: int,
    force: bool,
    on_error: Callable[[JudgePlan, DebateError], None],
    batches: BatchQueues | None = None,
) -> AsyncIterator[tuple[JudgeTask, Outcome]]:
    """Judge the files, and yield the results in the order of `plans`.

    - `prepare_context`: returns the context of a file, with observer, cassette and people.
    - `stop`: after a request to stop, no further file is started.
    - `concurrency`: number of files that are judged at once. Ignored with `batches`.
    - `force`: whether to overwrite a transcript that was changed since it was read.
    - `on_error`: receives the error of a file. If there is only one file, the error is raised instead.

    Plans for the same file run one after the other. Files that failed and files that were not started yield no result.
    """
    concurrency = concurrency if batches is None else raise_file_limit()
    room, locks = asyncio.Semaphore(concurrency), defaultdict[Path, asyncio.Lock](asyncio.Lock)
    folder_stops = defaultdict[Path, StopSignal](stop.make_part)

    async def judge_one(plan: JudgePlan) -> tuple[JudgeTask, Outcome] | None:
        async with locks[plan.source], room:
            try:
                if not stop.requested:
                    task = plan.build()
                    context = replace(prepare_context(task), stop=stop)
                    if batches is None or task.target is None:
                        return task, await task.judge(Session(context), force=force)
                    folder = task.target.parent.resolve()
                    queue = batches.of(folder, folder_stops[folder])
                    with queue.count_debate():
                        context = replace(context, stop=folder_stops[folder], batches=queue)
                        return task, await task.judge(Session(context), force=force)
            except DebateError as error:
                if len(plans) == 1:
                    raise
                on_error(plan, error)
            return None

    try:
        async for result in _run_in_order(map(judge_one, plans), WINDOW * concurrency):
            if result is not None:
                yield result
    finally:
        if batches is not None:
            await batches.aclose()


async def _run_in_order(jobs: Iterator[Coroutine[Any, Any, T]], most: int) -> AsyncIterator[T]:
    """Run `jobs` at the same time, and yield their results in the order of `jobs`.

    At any time, at most `most` jobs are running or have a result that is not yielded yet.
    """
    started: deque[asyncio.Task[T]] = deque()
    while True:
        started += map(asyncio.create_task, islice(jobs, most - len(started)))
        if not started:
            return
        yield await started.popleft()


def _find_deciding_verdict(verdicts: Iterable[Verdict]) -> Verdict | None:
    return next((verdict for verdict in verdicts if verdict.decides), None)


def _describe_verdict(debate: Debate, found: Verdict) -> tuple[str, str]:
    """Return two texts about a verdict: its outcome, and its judging system with the models of the judges."""
    models = ", ".join(models_used_by_judges(debate, found.run, found.system))
    by = f"{found.system} ({models})" if models else found.system
    if found.winner:
        return f"{one_line(found.winner)} ({found.victory})", by
    return name_result(found), by


def _build_task(source: JudgeSource, request: JudgingRequest, loaded: LoadedConfig | None) -> JudgeTask:
    path = source.path
    if not source.is_text:
        return _build_transcript_task(path, request, loaded)
    if source.content is None and not may_exist(path):
        raise TranscriptError(_describe_missing(path, request, loaded))
    if not request.judges_texts:
        raise TranscriptError(f"{path}: is not a transcript; to judge it as a document, add {text_system_options()}")
    if request.changes:
        raise UsageError(
            "--set changes settings of a configuration, but a document has no configuration; give one with --config"
        )
    now = datetime.now(UTC)
    debate_id = request.text_id or new_id(path.stem, now, random.SystemRandom(), config_redactor(loaded))
    events = document_events(source.name, _read_judged_text(source), validate_id(debate_id), request, now)
    debate = fold(events)
    context = prepare_judge_context(config_for_judging(debate, request), loaded, str(path), request=request)
    target = request.target_for(Path(context.config.output.dir) / f"{debate_id}.json")
    openings = open_further_runs(debate, request, now)
    unsuitable = unsuitable_systems(debate, request)
    return JudgeTask(path, events, openings, context, target, is_text=True, unsuitable=unsuitable)


def judged_folders(request: JudgingRequest, loaded: LoadedConfig | None) -> Iterator[Path]:
    """Return the folders in which to search for the debates to judge. `loaded`: see `build_judge_plans`."""
    return transcript_dirs(None if loaded is None else Path(loaded.config.output.dir), changes=request.changes)


def _describe_missing(path: Path, request: JudgingRequest, loaded: LoadedConfig | None) -> str:
    if is_unknown_id(path):
        folders = list(judged_folders(request, loaded))
        if hint := suggest_debate_id(path.name, folders):
            return describe_unknown_id(path.name, folders, hint)
    return f"{path}: no such file; give a transcript, or a document with {text_system_options()}"


def _read_judged_text(source: JudgeSource) -> str:
    text = source.read_text()
    if is_saved_debate(text.encode()):
        suffix = ".json or, if it is a journal, in .jsonl"
        advice = f"to judge it, save it under a name that ends in {suffix}"
        raise TranscriptError(f"{source.path}: this is a saved debate, not a document; {advice}")
    return text


def _build_transcript_task(path: Path, request: JudgingRequest, loaded: LoadedConfig | None) -> JudgeTask:
    stored = open_debate(path)
    request = change_stored_settings(stored, request)
    own = path.with_suffix(".json")
    target = request.target_for(own)
    if target == own:
        check_unlocked(path)
    events = tuple(transcript_to_events(to_transcript(stored.debate, stored.verdicts)))
    try:
        openings, context = prepare_added_runs(fold(events), request, datetime.now(UTC), loaded, str(path))
    except TranscriptError as error:
        raise TranscriptError(f"{path}: {error}") from error
    unsuitable = unsuitable_systems(stored.debate, request)
    return JudgeTask(path, events, openings, context, target, stored.incomplete_line_warning, unsuitable=unsuitable)
