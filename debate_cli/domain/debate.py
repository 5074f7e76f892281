"""`Debate`, the state of a debate, which is computed from a list of events."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import Literal, TypeVar

from debate_cli.domain.argument_ids import RenamedArgument, rename_in_assessments, rename_in_turns
from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.events import (
    INTERRUPTED,
    AssessmentCompleted,
    CloseReason,
    DebateClosed,
    DebateOpened,
    DebateResumed,
    Event,
    Failure,
    Generator,
    JudgingOpened,
    Origin,
    PassagesShown,
    Reservation,
    SearchEnded,
    SettingChange,
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.evidence import Passage, Search, SearchKind, SearchRecord
from debate_cli.domain.frozen_model import FrozenModel, memoize_on_value
from debate_cli.domain.judging_run import (
    FIRST_RUN,
    JudgingRun,
    first_assessments,
    insert_assessment,
    mark_replaced,
)
from debate_cli.domain.model_call import (
    PARTIAL_REHEARSAL_NOTICE,
    REHEARSAL_NOTICE,
    ModelCall,
    StructuredOutputMode,
    TotalUsage,
    is_mock,
    total_usage,
)
from debate_cli.domain.participant import Participant, participants
from debate_cli.domain.tasks import Brief, Cue, speech_key
from debate_cli.domain.turn import Argument, Turn
from debate_cli.domain.verdict import Verdict

RESUMABLE_CLOSE_REASONS: frozenset[CloseReason] = frozenset({"budget", "interrupted", "failed"})


class Debate(FrozenModel):
    """The state of a debate, computed from its events alone."""

    id: str
    """Name of the debate's files."""
    generator: Generator
    """The program that began the debate, and its version."""
    config: DebateConfig
    """The current configuration."""
    config_sha256: str
    """SHA-256 of the configuration with which the debate began."""
    origin: Origin | None = None
    """The file that the debate was imported from; None if the debate was not imported."""
    changes: tuple[SettingChange, ...] = ()
    """Settings that were changed when the debate was resumed."""
    participants: tuple[Participant, ...]
    """The debaters, in the order of the configuration."""
    started_at: datetime
    """When the debate began, in UTC."""
    finished_at: datetime | None = None
    """When the debate closed, in UTC; None while it is open."""
    closed: CloseReason | None = None
    """Why the debate closed, e.g. `complete` or `budget`; None while it is open."""
    turns: tuple[Turn, ...] = ()
    """The turns, sorted by index. While several debaters speak at once, an index may be missing."""
    passages: tuple[Passage, ...] = ()
    """All passages that were found for debaters and judges, in the order of the passages' ids."""
    shown_passages: Mapping[str, tuple[str, ...]] = {}
    """Maps the key of each task (a cue or a brief) to the ids of the passages that were found for it."""
    searches: tuple[SearchRecord, ...] = ()
    """Web searches and rerankings. Those for speeches come first, then those for judgements."""
    assessments: tuple[Assessment, ...] = ()
    """The assessments, sorted by run, system, subject, revision and judge."""
    failures: tuple[Failure, ...] = ()
    """Failed tasks. Speeches come first, then judgements."""
    given_up: frozenset[str] = frozenset()
    """Keys of failed tasks, and ids of failed searches. Only resuming the debate repeats these tasks and searches."""
    runs: tuple[JudgingRun, ...] = ()
    """The judging runs, oldest first."""
    renamed_arguments: tuple[RenamedArgument, ...] = ()
    """Arguments whose ids the program changed, so that each id begins with its speaker's prefix."""
    kept_verdicts: tuple[Verdict, ...] = ()
    """Stored verdicts of systems that are not installed."""
    reservations: tuple[Reservation, ...] = ()
    """For each task in progress, the usage that is charged if the task's answer never arrives."""
    unanswered: tuple[str, ...] = ()
    """Keys of started tasks without an answer or a failure."""

    @property
    def topic(self) -> str:
        """The motion."""
        return self.config.topic

    @property
    def document_name(self) -> str | None:
        """Name of the document that is judged instead of a debate; None for a debate."""
        return None if self.participants else self.topic

    @property
    def was_judged(self) -> bool:
        """Whether at least one judging run has a judging system."""
        return any(run.judging.systems for run in self.runs)

    @property
    def is_sequential(self) -> bool:
        """Whether the debaters of a round speak one after the other."""
        form = self.config.format
        in_turn = any(system.asks_in_turn for system in self.config.judging.systems)
        return form.kind == "free_flowing" or form.order == "sequential" or in_turn

    @property
    def status(self) -> Literal["complete", "incomplete"]:
        """`incomplete` while the debate is open or can be resumed, else `complete`."""
        return "complete" if self.closed is not None and self.closed not in RESUMABLE_CLOSE_REASONS else "incomplete"

    @property
    def budget_error(self) -> str | None:
        """Message about the budget that stopped the debate; None if no budget stopped it."""
        errors = (item.message for item in reversed(self.failures) if item.cause == "BudgetError")
        return next(errors, None) if self.closed == "budget" else None

    @cached_property
    def turns_by_index(self) -> Mapping[int, Turn]:
        """Maps the index of each turn to the turn."""
        return {turn.index: turn for turn in self.turns}

    @cached_property
    def passages_by_id(self) -> Mapping[str, Passage]:
        """Maps the id of each passage to the passage."""
        return {passage.id: passage for passage in self.passages}

    @cached_property
    def turns_by_round(self) -> Mapping[int, tuple[Turn, ...]]:
        """Maps the number of each round to the round's turns. Rounds without turns are left out."""
        found: dict[int, list[Turn]] = {}
        for turn in self.turns:
            found.setdefault(turn.round, []).append(turn)
        return {number: tuple(turns) for number, turns in found.items()}

    @cached_property
    def arguments(self) -> Mapping[str, tuple[str, Argument]]:
        """Maps each argument id to (speaker, argument). Of arguments with the same id, only the first is included."""
        found: dict[str, tuple[str, Argument]] = {}
        for turn in self.turns:
            for argument in turn.arguments or ():
                found.setdefault(argument.id, (turn.speaker, argument))
        return found

    @cached_property
    def speech_chars(self) -> int:
        """Total number of characters of all speeches."""
        return sum(len(turn.text) for turn in self.turns)

    @cached_property
    def assessments_of_turns(self) -> tuple[Assessment, ...]:
        """The assessments of turns and pairs of turns, without those of a whole round or debate."""
        return tuple([item for item in self.assessments if item.subject.turns])

    @cached_property
    def answered_keys(self) -> frozenset[str]:
        """Keys of all tasks that have an answer."""
        return frozenset(
            [speech_key(turn.index) for turn in self.turns] + [assessment.brief.key for assessment in self.assessments]
        )

    @cached_property
    def settled_keys(self) -> frozenset[str]:
        """Keys of all tasks that are answered, or have failed and are not retried in this session."""
        return self.answered_keys | self.given_up

    @property
    def model_calls(self) -> list[ModelCall]:
        """All calls to models, including failed calls."""
        tasks = (*self.turns, *self.assessments, *self.searches, *self.failures)
        return [item.exchange for item in tasks if item.exchange is not None]

    @property
    def usage(self) -> TotalUsage:
        """Usage of all calls to models, including failed calls."""
        return total_usage(self.model_calls)

    @property
    def rejected_modes(self) -> dict[str, tuple[StructuredOutputMode, ...]]:
        """Maps each `provider/model` to the modes of structured output that its server rejected or ignored."""
        found: dict[str, tuple[StructuredOutputMode, ...]] = {}
        for call in self.model_calls:
            if call.rejected:
                found[call.model] = (*found.get(call.model, ()), *call.rejected)
        return found

    def participant(self, name: str) -> Participant:
        """Return the debater with this name. Raises KeyError."""
        return {participant.name: participant for participant in self.participants}[name]

    def run(self, run_id: str) -> JudgingRun:
        """Return the judging run with this id. Raises KeyError."""
        return {run.id: run for run in self.runs}[run_id]

    def judged_all_turns(self, run: JudgingRun, kind: str | None = None) -> bool:
        """Whether the judgements of `run` are up to date.

        This is the case if one of these is true:

        - The run judged all turns that the debate has now.
        - The run has the system `kind`, and this system judges each turn separately. New turns of the debate do not
          change the judgements of earlier turns.
        """
        if run.heard is None or run.heard >= len(self.turns):
            return True
        return any(system.judges_each_turn for system in run.judging.systems if system.kind == kind)

    def runs_by_precedence(self, kind: str | None = None) -> tuple[JudgingRun, ...]:
        """Return all judging runs. The run with the lowest precedence is first, the run with the highest is last.

        Three rules determine the precedence. If the first rule does not decide, the second one counts, then the third:

        - A run by models has precedence over a run by a person.
        - A run with judgements that are up to date (see `judged_all_turns`) has precedence over other runs.
        - A newer run has precedence over an older run.
        """
        return tuple(sorted(self.runs, key=lambda run: (run.reviewer is None, self.judged_all_turns(run, kind))))

    def compared_runs(self, run_id: str) -> tuple[JudgingRun, ...]:
        """Return the run `run_id`, and the runs that judge with other models for comparison with it.

        `debate judge` with several models makes a comparison, with one run per model. A run outside a comparison is
        returned alone. The result is empty if no run has the id `run_id`.
        """
        first = next((run.beside or run.id for run in self.runs if run.id == run_id), run_id)
        return tuple(run for run in self.runs if first in {run.id, run.beside})

    def assessments_of_system(self, system: str, run: str) -> tuple[Assessment, ...]:
        """Return the assessments by one system in one judging run."""
        return tuple([item for item in self.assessments if item.system == system and item.run == run])

    def searches_for(self, key: str) -> tuple[SearchRecord, ...]:
        """Return the searches for the cue or brief with this key. Of a repeated search, only the last is returned."""
        return tuple({item.id: item for item in self.searches if item.key == key}.values())

    def search_warnings(self, key: str) -> tuple[str, ...]:
        """Return a warning for each failed search for the cue or brief with this key."""
        return tuple(
            f"search: {_SEARCHES[item.kind]} failed: {item.failure.message}"
            for item in self.searches_for(key)
            if item.failure is not None
        )

    def is_search_settled(self, search: Search) -> bool:
        """Whether the search succeeded, or failed and is not repeated in this session.

        Resuming the debate repeats failed searches.
        """
        return search.id in self.given_up or any(
            item.id == search.id and item.failure is None for item in self.searches
        )

    def is_settled(self, task: Cue | Brief) -> bool:
        """Whether the task is answered, or has failed and is not retried in this session."""
        return task.key in self.settled_keys

    def select_turns(self, *, round_number: int | None = None, speaker: str | None = None) -> tuple[Turn, ...]:
        """Return the turns of the given round and speaker; None selects all rounds or speakers."""
        turns = self.turns if round_number is None else self.turns_by_round.get(round_number, ())
        return turns if speaker is None else tuple([turn for turn in turns if turn.speaker == speaker])

    def turns_before(self, index: int) -> tuple[Turn, ...]:
        """Return the turns before turn `index`, in order."""
        return self.turns[: bisect_left(self.turns, index, key=_index_of)]

    def visible_to(self, cue: Cue) -> Debate:
        """Return the debate with only the turns in `cue.sees`, and only the assessments of these turns."""
        return self._show_only(cue.sees)

    @memoize_on_value
    def _show_only(self, indices: tuple[int, ...]) -> Debate:
        seen = frozenset(indices)
        if not seen.issuperset(self.turns_by_index):
            return self._replace(
                turns=tuple(turn for turn in self.turns if turn.index in seen),
                assessments=tuple([item for item in self.assessments_of_turns if seen.issuperset(item.subject.turns)]),
            )
        if len(self.assessments_of_turns) == len(self.assessments):
            return self
        return self._replace(assessments=self.assessments_of_turns)

    def show_first_passages(self, key: str, count: int) -> Debate:
        """Return a copy of the debate in which the cue `key` has only its first `count` passages."""
        shown = self.shown_passages.get(key, ())[:count]
        return self._replace(shown_passages={**self.shown_passages, key: shown})

    def with_assessments(self, assessments: Iterable[Assessment]) -> Debate:
        """Return a copy with only the given assessments. If several answer one brief, the first is kept."""
        return self._replace(assessments=first_assessments(assessments, self.runs))

    def apply(self, event: Event) -> Debate:
        """Return the debate after `event`. A second answer to a task is ignored."""
        match event:
            case TaskStarted():
                return self._apply_started(event)
            case PassagesShown():
                return self._apply_passages(event)
            case SearchEnded():
                return self._apply_search(event.search)
            case TurnCompleted():
                return self._apply_turn(event.turn)
            case AssessmentCompleted():
                return self._apply_assessment(event.assessment)
            case TaskFailed():
                return self._apply_failure(event.failure)
            case JudgingOpened():
                return self._apply_judging_opened(event)
            case DebateClosed():
                return self.charge_reservations()._replace(closed=event.reason, finished_at=event.at)
            case DebateResumed():
                return self.charge_reservations()._apply_resume(event)
            case _:
                return self

    def _replace(self, **changes: object) -> Debate:
        changed = self.model_copy(update=changes)
        if not {"turns", "assessments"} & changes.keys():
            vars(changed).update({name: vars(self)[name] for name in _DERIVED_FROM_ANSWERS if name in vars(self)})
        return changed

    def _apply_started(self, event: TaskStarted) -> Debate:
        changes: dict[str, object] = {}
        if event.key not in self.unanswered:
            changes["unanswered"] = (*self.unanswered, event.key)
        if event.reservation is not None:
            others = (item for item in self.reservations if item.task.key != event.key)
            changes["reservations"] = (*others, event.reservation)
        return self._replace(**changes)

    def charge_reservations(self) -> Debate:
        """Return a copy of the debate in which each task with a reservation has failed as interrupted.

        A reservation is the usage that is charged to a task if its answer never arrives. The failure contains this usage.
        """
        lost = tuple(
            Failure(
                task=item.task,
                who=item.task.speaker if isinstance(item.task, Cue) else item.task.assessor,
                cause=INTERRUPTED,
                message=INTERRUPTED_MESSAGE,
                final=False,
                exchange=item.exchange,
            )
            for item in self.reservations
        )
        keys = {item.task.key for item in lost}
        return self._replace(
            failures=sort_by_task((*self.failures, *lost)), given_up=self.given_up | keys, reservations=()
        )

    def _apply_passages(self, event: PassagesShown) -> Debate:
        known = {passage.id for passage in self.passages}
        added = tuple(passage for passage in event.passages if passage.id not in known)
        shown = {} if event.key is None else {event.key: event.shown}
        return self._replace(passages=(*self.passages, *added), shown_passages={**self.shown_passages, **shown})

    def _apply_search(self, search: SearchRecord) -> Debate:
        given_up = self.given_up if search.failure is None else self.given_up | {search.id}
        searches = sort_by_task((*self.searches, search))
        return self._answer_key(search.key)._replace(searches=searches, given_up=given_up)

    def _apply_turn(self, turn: Turn) -> Debate:
        if turn.index in self.turns_by_index:
            return self
        (own,), renamed = rename_in_turns((turn,), self.participants, self.turns, self.renamed_arguments)
        place = bisect_left(self.turns, own.index, key=_index_of)
        after = self._replace(turns=(*self.turns[:place], own, *self.turns[place:]), renamed_arguments=renamed)
        return after._with_answer(self, speech_key(turn.index), self.assessments_of_turns)

    def _apply_assessment(self, assessment: Assessment) -> Debate:
        key = assessment.brief.key
        if key in self.answered_keys:
            return self
        (own,) = rename_in_assessments((assessment,), self.turns, self.renamed_arguments)
        after = self._replace(assessments=insert_assessment(self.assessments, own, self.runs))
        of_turns = self.assessments_of_turns
        if own.subject.turns:
            of_turns = insert_assessment(of_turns, own, self.runs)
        return after._with_answer(self, key, of_turns)

    def _with_answer(self, before: Debate, key: str, assessments_of_turns: tuple[Assessment, ...]) -> Debate:
        vars(self).update(answered_keys=before.answered_keys | {key}, assessments_of_turns=assessments_of_turns)
        return self._answer_key(key)

    def _apply_failure(self, failure: Failure) -> Debate:
        key = failure.task.key
        failures = sort_by_task((*self.failures, failure))
        return self._answer_key(key)._replace(failures=failures, given_up=self.given_up | {key})

    def _answer_key(self, key: str) -> Debate:
        return self._replace(
            unanswered=tuple(item for item in self.unanswered if item != key),
            reservations=tuple(item for item in self.reservations if item.task.key != key),
        )

    def _apply_resume(self, event: DebateResumed) -> Debate:
        searched_again = {item.key for item in self.searches if item.failure is not None} - self.answered_keys
        changes: dict[str, object] = {
            "given_up": frozenset(item.task.key for item in self.failures if item.final),
            "unanswered": (),
            "changes": (*self.changes, *event.changes),
            "shown_passages": {key: ids for key, ids in self.shown_passages.items() if key not in searched_again},
        }
        if self.status == "incomplete":
            changes |= {"closed": None, "finished_at": None}
        if event.config is not None:
            first, *added = self.runs
            runs = (first.model_copy(update={"judging": event.config.judging}), *added)
            changes |= {"config": event.config, "participants": participants(event.config), "runs": runs}
            changes["assessments"] = first_assessments(self.assessments, runs)
        return self._replace(**changes)

    def _apply_judging_opened(self, event: JudgingOpened) -> Debate:
        kinds = {system.kind for system in event.judging.systems} if event.replaces else set[str]()
        added = JudgingRun(
            id=event.run,
            judging=event.judging,
            models=event.models,
            providers=event.providers,
            started_at=event.at,
            replaces=event.replaces,
            heard=len(self.turns) if event.heard is None else event.heard,
            beside=event.beside,
            reviewer=event.reviewer,
        )
        return self._replace(runs=(*mark_replaced(kinds, self.runs), added))


_DERIVED_FROM_ANSWERS = ("answered_keys", "assessments_of_turns")
"""Names of cached properties that depend only on turns and assessments."""
_index_of: Callable[[Turn], int] = attrgetter("index")
OfTask = TypeVar("OfTask", SearchRecord, Failure)


def sort_by_task(items: Iterable[OfTask]) -> tuple[OfTask, ...]:
    """Sort searches or failures by their tasks: first those for speeches, by turn; then those for judgements, by key."""

    def rank(item: OfTask) -> tuple[bool, int, str]:
        key = item.key if isinstance(item, SearchRecord) else item.task.key
        is_speech = key.startswith("turn/")
        return not is_speech, len(key) if is_speech else 0, key

    return tuple(sorted(items, key=rank))


_SEARCHES: Mapping[SearchKind, str] = {"web": "the web search", "rerank": "ordering passages by meaning"}
INTERRUPTED_MESSAGE = "the run ended before the answer came; the tokens of the request are estimated"
"""Message of a failure whose cause is INTERRUPTED."""


def fold(events: Iterable[Event]) -> Debate:
    """Return the debate after `events`. Raises ValueError if the first event is not `DebateOpened`."""
    iterator = iter(events)
    first = next(iterator, None)
    if not isinstance(first, DebateOpened):
        msg = "the first event of a debate must be 'opened'"
        raise ValueError(msg)  # noqa: TRY004 - a list of events in the wrong order is a wrong value
    debate = initial_debate(first)
    for event in iterator:
        debate = debate.apply(event)
    return debate


def initial_debate(event: DebateOpened) -> Debate:
    """Return the debate after its first event, `event`."""
    return Debate(
        id=event.id,
        generator=event.generator,
        config=event.config,
        config_sha256=event.config_sha256,
        participants=participants(event.config),
        started_at=event.at,
        kept_verdicts=event.kept_verdicts,
        origin=event.origin,
        runs=(JudgingRun(id=FIRST_RUN, judging=event.config.judging, started_at=event.at),),
    )


def new_run_ids(debate: Debate) -> Iterator[str]:
    """Yield ids for the debate's next judging runs: `r2`, `r3`, ….

    Ids of runs that were lost with a damaged journal are not used again, because the debate still contains their costs.
    """
    judgements = [item.task.run for item in debate.failures if isinstance(item.task, Brief)]
    searches = [item.key.partition("/")[0] for item in debate.searches]
    taken = {*(run.id for run in debate.runs), *judgements, *searches}
    return (run for number in itertools.count(len(debate.runs) + 1) if (run := f"r{number}") not in taken)


def restrict_to_runs(debate: Debate, runs: Collection[str]) -> Debate:
    """Return the debate with all speeches and with only the judging runs in `runs`."""
    alone = debate.with_assessments(item for item in debate.assessments if item.run in runs)
    failures = tuple(item for item in debate.failures if not isinstance(item.task, Brief) or item.task.run in runs)
    return alone.model_copy(update={"failures": failures, "runs": tuple(run for run in debate.runs if run.id in runs)})


def usage_of_briefs(debate: Debate, counted: Callable[[Brief], bool]) -> TotalUsage:
    """Return the usage of all briefs for which `counted` is true. Includes failed calls and searches."""
    answered = tuple(item for item in debate.assessments if counted(item.brief))
    failed = tuple(item for item in debate.failures if isinstance(item.task, Brief) and counted(item.task))
    keys = {item.brief.key for item in answered} | {item.task.key for item in failed}
    calls = (*answered, *(item for item in debate.searches if item.key in keys), *failed)
    return total_usage([item.exchange for item in calls if item.exchange is not None])


def models_used_by_debater(debate: Debate, person: Participant) -> tuple[str, ...]:
    """Return the models (`provider/model`) of a debater's speeches; before any speech, the configured model."""
    return _distinct_models(debate.select_turns(speaker=person.name)) or (person.model,)


def models_used_by_debaters(debate: Debate) -> tuple[str, ...]:
    """Return the models (`provider/model`) of all debaters, each model once."""
    return tuple(
        dict.fromkeys(model for person in debate.participants for model in models_used_by_debater(debate, person))
    )


def models_used_by_judges(debate: Debate, run: str, system: str, assessor: str | None = None) -> tuple[str, ...]:
    """Return the models (`provider/model`) that answered as judges of a system in a run.

    `assessor`: id of a single judge; None includes all judges.
    """
    found = (item for item in debate.assessments_of_system(system, run) if assessor in (None, item.assessor))
    return _distinct_models(found)


def configured_judge_model(debate: Debate, run: JudgingRun, role: str | None) -> str | None:
    """Return the configured model (`provider/model`) of a judge in a judging run; None if no model is configured.

    `role`: value of `judge` or `model` in the settings of the judging system. If `role` is None, `models.judge` is used,
    or `models.default` if there is no `models.judge`.
    """
    spec = run.model_for_judge(debate.config, role)
    return spec.model if spec is not None else None


def is_rehearsal(debate: Debate) -> bool:
    """Whether the mock gives all speeches and judgements of the debate, past and planned.

    False if a person speaks or judges, if a speech was imported, or if neither a debater nor a judge has a model.
    """
    speakers = (person.model for person in debate.participants)
    models = {*_called_models(debate), *speakers, *_configured_judge_models(debate)} - {None}
    return bool(models) and all(model is not None and is_mock(model) for model in models)


def rehearsal_notice(debate: Debate) -> str:
    """Return REHEARSAL_NOTICE or PARTIAL_REHEARSAL_NOTICE; empty if the debate does not use the mock."""
    if is_rehearsal(debate):
        return REHEARSAL_NOTICE
    return PARTIAL_REHEARSAL_NOTICE if any(map(is_mock, _called_models(debate))) else ""


def _called_models(debate: Debate) -> set[str]:
    calls = [item.exchange for item in (*debate.turns, *debate.assessments, *debate.failures)]
    return {call.model for call in calls if call is not None and call.attempts}


def _configured_judge_models(debate: Debate) -> Iterator[str | None]:
    for run in debate.runs:
        roles = dict.fromkeys(seat.model for system in run.active_systems() for seat in system.seats)
        yield from (configured_judge_model(debate, run, role) for role in roles)


def _distinct_models(answers: Iterable[Turn | Assessment]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.exchange.model for item in answers if item.exchange.attempts))
