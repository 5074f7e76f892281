"""Estimates the new limits of a debate that its budget stopped, for the commands that continue saved debates."""

import asyncio
from pathlib import Path

from debate_cli.app.estimate import MAX_ESTIMATED_CALLS, estimate_sufficient_limits, planned_call_count
from debate_cli.app.remedies import EndedCommand, Remedy, find_remedy
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.errors import BudgetError, DebateError
from debate_cli.evidence.corpus import Corpus
from debate_cli.judging.schedule import missing_briefs
from debate_cli.llm.budget import exceeded_limits
from debate_cli.storage.lock import lock_holder


def estimate_new_limits(debate: Debate, corpus: Corpus | None = None) -> dict[str, str]:
    """Return values for `EndedCommand.new_limits`: for the exceeded limits, and for others that the rest would exceed.

    Empty if the budget refused no call. A limit is left out if it cannot be estimated, e.g. because a price is unknown.
    All limits are left out if the estimate would take too long. Must not be called in an event loop.
    """
    refused = [item for item in debate.failures if item.cause == BudgetError.__name__]
    exceeded = exceeded_limits(item.message for item in refused if item.task.key not in debate.answered_keys)
    if not exceeded or _count_missing_calls(debate) > MAX_ESTIMATED_CALLS:
        return {}
    try:
        enough, limits = asyncio.run(estimate_sufficient_limits(debate, corpus)), debate.config.limits
    except DebateError:
        return {}
    estimated = {
        "limits.max_tokens": (enough.tokens, limits.max_tokens),
        "limits.max_cost_usd": (enough.usd, limits.max_cost_usd),
    }
    return {
        limit: f"{new:.10g}"
        for limit, (new, old) in estimated.items()
        if new is not None and (limit in exceeded or (old is not None and old < new))
    }


def _count_missing_calls(debate: Debate) -> int:
    missing = missing_briefs(debate)
    if debate.status == "complete":
        return len(missing)
    made = len(debate.turns) + sum(item.run == FIRST_RUN for item in debate.assessments)
    return max(0, planned_call_count(debate.config) - made) + len(missing)


def ended_command_of(path: Path, debate: Debate) -> EndedCommand:
    """Return the `EndedCommand` for the saved debate at `path`, with estimates of new limits."""
    return EndedCommand.of_saved(path, debate)._replace(new_limits=estimate_new_limits(debate))


def find_saved_remedy(path: Path, debate: Debate) -> Remedy | None:
    """Return what continues the debate saved at `path`.

    Return None if the debate lacks nothing, or if a process works on the debate.
    """
    if lock_holder(path) is not None:
        return None
    missing = missing_briefs(debate)
    if debate.status == "complete" and not missing:
        return None
    return find_remedy(debate, missing, ended_command_of(path, debate))
