"""What `debate score` remarks on beside scores and gates: sentences, None where there is nothing to say."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from debate_cli.domain.debate import RESUMABLE_CLOSE_REASONS, Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.storage.library import StoredDebate
from debate_cli.storage.lock import lock_holder


def format_check_passed(compared: int, settings: str = "") -> str:
    """A sentence on stored verdicts of which each is the recomputed one; `compared`: how many, 1 or more.

    `settings`: the option that laid others over the stored ones; empty for none.
    """
    if compared == 1:
        return f"the one stored verdict is the recomputed one{format_settings_suffix(settings)}"
    return f"all {compared} stored verdicts are the recomputed ones{format_settings_suffix(settings)}"


def format_settings_suffix(settings: str) -> str:
    """What follows `recomputed` where it was not done with the stored settings."""
    return f" with {settings}" if settings else ""


def format_settings_differ(settings: str) -> str:
    """A sentence on stored verdicts that differ from those recomputed with other settings, as they mostly do."""
    return (
        f"--check recomputed with {settings}; leave that out to compare with the settings that each file was judged by"
    )


def format_stored_note(settings: str) -> str:
    """A sentence on verdicts that were just stored under other settings than their debates were judged by."""
    return (
        f"--write stored the verdicts by {settings}, but not these settings: `list` shows them, while replay, diff and "
        "score go by the settings that each debate was judged by, and the next judging stores verdicts by those again"
    )


def format_replaced_note(debate: Debate, run: str, systems: Sequence[str]) -> str | None:
    """A sentence on assessments of that run that no longer count, where any of these systems (none: of all) has such."""
    places = [place for place, known in enumerate(debate.runs) if known.id == run]
    if not places:
        return None
    place = places[0]
    gone = [kind for kind in debate.runs[place].replaced if not systems or kind in systems]
    by = {kind: _find_replacing_run(debate.runs[place:], kind) for kind in gone}
    if not gone:
        return None
    told = ", ".join(f"{kind} by {by[kind]}" for kind in gone)
    return f"--runs {run}: its assessments were replaced ({told}) and no longer count"


def _find_replacing_run(runs: Sequence[JudgingRun], kind: str) -> str:
    """The run that took the place of the first one's assessments by that system."""
    took = (run.id for run in runs[1:] if run.replaces and any(system.kind == kind for system in run.judging.systems))
    return next(took, "a later run")


def format_unjudged_note(path: str, debate: Debate, systems: Sequence[str]) -> str | None:
    """A sentence on those of the `systems` asked for that no run judged a debate by; None for none."""
    known = {system.kind for run in debate.runs for system in run.judging.systems}
    never = [kind for kind in dict.fromkeys(systems) if kind not in known]
    if not never:
        return None
    options = " ".join(f"--system {kind}" for kind in never)
    return f"{' and '.join(never)} never judged it; let it be judged: debate judge {quote(path)} {options}"


def format_unfinished_note(debate: Debate) -> str | None:
    """A sentence on a debate that was judged before its end and can be gone on with; None for others."""
    if debate.closed not in RESUMABLE_CLOSE_REASONS or not debate.turns or not debate.assessments:
        return None
    count = len(debate.turns)
    speeches = "the one speech" if count == 1 else f"the {count} speeches"
    return f"the debate is unfinished, so its verdicts are on {speeches} so far"


def format_running_note(stored: StoredDebate) -> str | None:
    """A sentence on the process that still extends a debate; None where none does."""
    pid = lock_holder(stored.path) if stored.from_journal else None
    return None if pid is None else f"still running (process {pid}), so its verdicts are not checked"
