"""Which assessments are owed: pure functions of a debate. A brief is owed when it is ready and not settled.

What is ready never depends on which of several answers came first, only on the debate's own order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import RESUMABLE_CLOSE_REASONS, Debate
from debate_cli.domain.judges import judge_ids
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.formats import finished_rounds, next_step, planned_turns
from debate_cli.systems.live.score import MIN_CONVERGENCE_TURNS, has_narrative_conflict
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.panel.settings import PanelSettings
from debate_cli.systems.panel.votes import Ballot, ballots_by_round, should_deliberate
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.structured.score import scored_arguments
from debate_cli.systems.structured.settings import StructuredSettings

WHOLE_DEBATE = Subject(moment="debate")


def owed_briefs(debate: Debate) -> tuple[Brief, ...]:
    """What the judges of all runs owe now: of each run's deciding system, then of those that will ask on, then of the others.

    Should the budget not do for all, the verdict is there; and the longest chain of questions is begun early, so that the
    shorter ones are answered beside it.
    """
    benches = [(run, system) for run in debate.runs for system in run.active_systems()]
    return tuple(
        brief
        for run, system in sorted(benches, key=_priority)
        for brief in ready_briefs(debate, run, system)
        if not debate.is_settled(brief)
    )


def priority_brief_keys(debate: Debate, due: Collection[Brief]) -> frozenset[str]:
    """Keys of those of the briefs due together that should leave before the others: the longest chain's and a deciding system's.

    The others are answered in time even when they leave a moment later. Of chains that may become equally long it is the one
    with the fewest questions now, which have left soonest; where nobody will ask on, nobody gives way.
    """
    urgency = {
        (run.id, system.kind): _priority((run, system)) for run in debate.runs for system in run.active_systems()
    }
    questions = Counter((brief.run, brief.system) for brief in due)
    shortness = {bench: urgency[bench][1] for bench in questions}
    rank = {bench: (shortness[bench], count if shortness[bench] else 0) for bench, count in questions.items()}
    longest = min(rank.values(), default=None)
    first = {bench for bench in rank if rank[bench] == longest or not urgency[bench][0]}
    return frozenset(brief.key for brief in due if (brief.run, brief.system) in first)


def _priority(bench: tuple[JudgingRun, SystemSettings]) -> tuple[bool, int]:
    run, system = bench
    return system.kind != run.judging.deciding_kind, -max_follow_up_briefs(system)


def max_follow_up_briefs(system: SystemSettings) -> int:
    """Questions on the whole debate that a judge of `system` may owe beyond the planned ones, one after another, at most."""
    match system:
        case PanelSettings():
            return system.max_rounds
        case LiveSettings():
            return 1
        case _:
            return 0


def ready_briefs(debate: Debate, run: JudgingRun, system: SystemSettings) -> Iterator[Brief]:
    """Every brief of one system in one run whose subject is there, settled or not."""
    if run.id == FIRST_RUN and debate.closed in RESUMABLE_CLOSE_REASONS:
        return
    docket = BriefBuilder(debate, run, system, is_over=_is_over(debate, run))
    match system:
        case StructuredSettings():
            yield from docket.for_debate() if scored_arguments(debate) else ()
        case ModeratorSettings():
            yield from docket.for_rounds()
            yield from docket.for_debate() if debate.turns else ()
        case PanelSettings():
            yield from _panel_briefs(docket, system)
        case LiveSettings():
            yield from _live_briefs(docket, system)
        case PersuasionSettings():
            yield from docket.for_turns()


def planned_briefs(config: DebateConfig) -> int:
    """How many assessments the debate's own run needs at least, when it is held as planned."""
    turns = planned_turns(config)
    return sum(
        _count_planned(system, turns, turns // max(1, len(config.debaters))) for system in config.judging.systems
    )


def _count_planned(system: SystemSettings, turns: int, rounds: int) -> int:
    judges = len(judge_ids(system))
    match system:
        case StructuredSettings() | PanelSettings():
            return judges
        case ModeratorSettings():
            return judges * (rounds + 1)
        case LiveSettings():
            convergence = turns >= MIN_CONVERGENCE_TURNS
            return turns + max(0, turns - 1) + 1 + convergence
        case PersuasionSettings():
            return judges * turns


@lru_cache(maxsize=4096)
def _cached_briefs(
    run: str, system: str, judges: tuple[str, ...], subject: Subject, revision: int
) -> tuple[Brief, ...]:
    """Made once: what is owed is asked after every event, and most of it was owed before."""
    return tuple(
        Brief(run=run, system=system, assessor=assessor, subject=subject, revision=revision) for assessor in judges
    )


@dataclass(frozen=True, slots=True)
class BriefBuilder:
    """Makes the briefs of one system in one run."""

    debate: Debate
    run: JudgingRun
    system: SystemSettings
    is_over: bool
    """Whether all speeches are made, as far as this run is concerned."""

    def for_subject(self, subject: Subject, revision: int = 0) -> tuple[Brief, ...]:
        """One for each judge."""
        judges = judge_ids(self.system)
        return _cached_briefs(self.run.id, self.system.kind, judges, subject, revision)  # pyright: ignore[reportArgumentType] - it is frozen, so it can be hashed

    def for_debate(self) -> tuple[Brief, ...]:
        """On the whole debate, once all speeches are made."""
        return self.for_subject(WHOLE_DEBATE) if self.is_over else ()

    def for_rounds(self) -> Iterator[Brief]:
        """On every round in which nobody will speak any more."""
        for number in finished_rounds(self.debate) if self.debate.turns else ():
            yield from self.for_subject(Subject(moment="round", round=number))

    def judgeable_turns(self) -> Iterator[int]:
        """Indices of the turns that can be judged: while a wave is under way, those before the first gap."""
        for place, turn in enumerate(self.debate.turns):
            if turn.index != place and not self.is_over:
                return
            yield turn.index

    def for_turns(self) -> Iterator[Brief]:
        """On every turn."""
        for index in self.judgeable_turns():
            yield from self.for_subject(Subject(moment="turn", turns=(index,)))

    def for_pairs(self) -> Iterator[Brief]:
        """On every two adjacent turns of different speakers."""
        present = self.debate.turns_by_index
        for index in self.judgeable_turns():
            before = present.get(index - 1)
            if before is not None and before.speaker != present[index].speaker:
                yield from self.for_subject(Subject(moment="pair", turns=(index - 1, index)))


def _is_over(debate: Debate, run: JudgingRun) -> bool:
    """A later run takes the debate as it is; the debate's own waits for the last speech."""
    if run.id != FIRST_RUN or debate.closed is not None or not debate.participants:
        return True
    return next_step(debate).close is not None


def _live_briefs(docket: BriefBuilder, system: LiveSettings) -> Iterator[Brief]:
    """Turns and pairs as they come; the narrative and the convergence at the end; then the resolution of a conflict."""
    exchanges = (*docket.for_turns(), *docket.for_pairs())
    yield from exchanges
    if not docket.is_over or not docket.debate.turns:
        return
    (narrative,) = docket.for_subject(WHOLE_DEBATE)
    yield narrative
    indices = tuple(turn.index for turn in docket.debate.turns)
    if len(indices) >= MIN_CONVERGENCE_TURNS:
        yield from docket.for_subject(Subject(moment="debate", turns=(*indices[:2], *indices[-2:])))
    if all(docket.debate.is_settled(brief) for brief in (*exchanges, narrative)):
        (resolution,) = docket.for_subject(WHOLE_DEBATE, revision=1)
        yield from (resolution,) if has_narrative_conflict(docket.debate, docket.run, system) else ()


def _panel_briefs(docket: BriefBuilder, system: PanelSettings) -> Iterator[Brief]:
    """All judges blind; then, revision by revision, those who have voted, as long as the panel is to deliberate."""
    debate = docket.debate
    if not docket.is_over or not (debate.turns or not debate.participants):
        return
    rounds: Mapping[int, tuple[Ballot, ...]] = {}
    due = docket.for_subject(WHOLE_DEBATE)
    while True:
        yield from due
        if not all(debate.is_settled(brief) for brief in due):
            return
        rounds = rounds or ballots_by_round(debate, docket.run, system)
        revision = due[0].revision + 1
        if not _has_revision(rounds, system, revision):
            return
        voters = {ballot.judge for number in rounds if number < revision for ballot in rounds[number]}
        due = tuple(brief for brief in docket.for_subject(WHOLE_DEBATE, revision) if brief.assessor in voters)


def _has_revision(rounds: Mapping[int, tuple[Ballot, ...]], system: PanelSettings, revision: int) -> bool:
    """Whether there is to be (or was) a vote of that revision, all earlier ones being settled."""
    latest = max(rounds, default=-1)
    if latest >= revision:
        return True
    return latest == revision - 1 and should_deliberate(rounds, system)
