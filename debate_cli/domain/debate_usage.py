"""Parts of a debate: some of its judging runs, what their calls used, and the models that answered."""

from collections.abc import Callable, Collection, Iterable

from debate_cli.domain.debate import Debate
from debate_cli.domain.model_call import ModelCall, TotalUsage
from debate_cli.domain.participant import Participant
from debate_cli.domain.tasks import Brief


def restrict_to_runs(debate: Debate, runs: Collection[str]) -> Debate:
    """The debate with only these judging runs. All speeches and debaters' failures stay."""
    alone = debate.with_assessments(item for item in debate.assessments if item.run in runs)
    failures = tuple(item for item in debate.failures if not isinstance(item.task, Brief) or item.task.run in runs)
    return alone.model_copy(update={"failures": failures, "runs": tuple(run for run in debate.runs if run.id in runs)})


def judging_usage(debate: Debate, runs: Collection[str]) -> TotalUsage:
    """Usage of the calls of these judging runs, including failed ones."""
    return usage_of_briefs(debate, lambda brief: brief.run in runs)


def usage_of_briefs(debate: Debate, counted: Callable[[Brief], bool]) -> TotalUsage:
    """Usage of the calls for the briefs that `counted` selects, including failed ones. Speeches are not included."""
    answered = tuple(item for item in debate.assessments if counted(item.brief))
    failed = tuple(item for item in debate.failures if isinstance(item.task, Brief) and counted(item.task))
    keys = {item.brief.key for item in answered} | {item.task.key for item in failed}
    searches = tuple(item for item in debate.searches if item.key in keys)
    parts: dict[str, object] = {"turns": (), "searches": searches, "assessments": answered, "failures": failed}
    return debate.model_copy(update=parts).usage


def models_used_by_debater(debate: Debate, person: Participant) -> tuple[str, ...]:
    """`provider/model` of a debater's speeches, each once, in order; before the first speech, the configured one."""
    return _distinct_models(turn.exchange for turn in debate.select_turns(speaker=person.name)) or (person.model,)


def models_used_by_debaters(debate: Debate) -> tuple[str, ...]:
    """`provider/model` of all debaters' speeches, each once."""
    return tuple(
        dict.fromkeys(model for person in debate.participants for model in models_used_by_debater(debate, person))
    )


def models_used_by_judges(debate: Debate, run: str, system: str, assessor: str | None = None) -> tuple[str, ...]:
    """`provider/model` of a system's judges in a run, or of one judge, each once; empty before the first answer."""
    found = (item for item in debate.assessments_of_system(system, run) if assessor in (None, item.assessor))
    return _distinct_models(item.exchange for item in found)


def _distinct_models(exchanges: Iterable[ModelCall]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(exchange.model for exchange in exchanges if exchange.attempts))
