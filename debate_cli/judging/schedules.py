"""Which assessments are owed: pure functions of a debate. A brief is owed when it is ready and not settled.

What is ready never depends on which of several answers came first, only on the debate's own order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from debate_cli.domain.bench import assessors
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import RESUMABLE, Debate
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.systems import Live, Moderator, Panel, Persuasion, Structured, System
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.formats import finished_rounds, next_step, planned_turns
from debate_cli.scoring.ballots import Ballot, ballots_by_round, deliberate_further
from debate_cli.scoring.live import CONVERGENCE_FROM, in_conflict
from debate_cli.scoring.structured import scored_arguments

WHOLE = Subject(moment="debate")


def owed(debate: Debate) -> tuple[Brief, ...]:
    """What the judges of all runs owe now: of each run's deciding system, then of those that will ask on, then of the others.

    Should the budget not do for all, the verdict is there; and the longest chain of questions is begun early, so that the
    shorter ones are answered beside it.
    """
    benches = [(run, system) for run in debate.runs for system in run.active()]
    return tuple(
        brief
        for run, system in sorted(benches, key=_urgency)
        for brief in ready(debate, run, system)
        if not debate.settled(brief)
    )


def first_to_ask(debate: Debate, due: Collection[Brief]) -> frozenset[str]:
    """Keys of those of the briefs due together that should leave before the others: the longest chain's and a deciding system's.

    The others are answered in time even when they leave a moment later. Of chains that may become equally long it is the one
    with the fewest questions now, which have left soonest; where nobody will ask on, nobody gives way.
    """
    urgency = {(run.id, system.kind): _urgency((run, system)) for run in debate.runs for system in run.active()}
    questions = Counter((brief.run, brief.system) for brief in due)
    shortness = {bench: urgency[bench][1] for bench in questions}
    rank = {bench: (shortness[bench], count if shortness[bench] else 0) for bench, count in questions.items()}
    longest = min(rank.values(), default=None)
    first = {bench for bench in rank if rank[bench] == longest or not urgency[bench][0]}
    return frozenset(brief.key for brief in due if (brief.run, brief.system) in first)


def _urgency(bench: tuple[JudgingRun, System]) -> tuple[bool, int]:
    run, system = bench
    return system.kind != run.judging.deciding, -further_questions(system)


def further_questions(system: System) -> int:
    """Questions on the whole debate that a judge of `system` may owe beyond the planned ones, one after another, at most."""
    match system:
        case Panel():
            return system.max_rounds
        case Live():
            return 1
        case _:
            return 0


def ready(debate: Debate, run: JudgingRun, system: System) -> Iterator[Brief]:
    """Every brief of one system in one run whose subject is there, settled or not."""
    if run.id == FIRST_RUN and debate.closed in RESUMABLE:
        return
    docket = _Docket(debate, run, system, over=_over(debate, run))
    match system:
        case Structured():
            yield from docket.whole() if scored_arguments(debate) else ()
        case Moderator():
            yield from docket.rounds()
            yield from docket.whole() if debate.turns else ()
        case Panel():
            yield from _votes(docket, system)
        case Live():
            yield from _live(docket, system)
        case Persuasion():
            yield from docket.each_turn()


def planned_briefs(config: DebateConfig) -> int:
    """How many assessments the debate's own run needs at least, when it is held as planned."""
    turns = planned_turns(config)
    return sum(_planned(system, turns, turns // max(1, len(config.debaters))) for system in config.judging.systems)


def _planned(system: System, turns: int, rounds: int) -> int:
    judges = len(assessors(system))
    match system:
        case Structured() | Panel():
            return judges
        case Moderator():
            return judges * (rounds + 1)
        case Live():
            convergence = turns >= CONVERGENCE_FROM
            return turns + max(0, turns - 1) + 1 + convergence
        case Persuasion():
            return judges * turns


@lru_cache(maxsize=4096)
def _briefs(run: str, system: str, judges: tuple[str, ...], subject: Subject, revision: int) -> tuple[Brief, ...]:
    """Made once: what is owed is asked after every event, and most of it was owed before."""
    return tuple(
        Brief(run=run, system=system, assessor=assessor, subject=subject, revision=revision) for assessor in judges
    )


@dataclass(frozen=True, slots=True)
class _Docket:
    """Makes the briefs of one system in one run."""

    debate: Debate
    run: JudgingRun
    system: System
    over: bool
    """Whether all speeches are made, as far as this run is concerned."""

    def briefs(self, subject: Subject, revision: int = 0) -> tuple[Brief, ...]:
        """One for each judge."""
        judges = assessors(self.system)
        return _briefs(self.run.id, self.system.kind, judges, subject, revision)  # pyright: ignore[reportArgumentType] - it is frozen, so it can be hashed

    def whole(self) -> tuple[Brief, ...]:
        """On the whole debate, once all speeches are made."""
        return self.briefs(WHOLE) if self.over else ()

    def rounds(self) -> Iterator[Brief]:
        """On every round in which nobody will speak any more."""
        for number in finished_rounds(self.debate) if self.debate.turns else ():
            yield from self.briefs(Subject(moment="round", round=number))

    def turns(self) -> Iterator[int]:
        """Indices of the turns that can be judged: while a wave is under way, those before the first gap."""
        for place, turn in enumerate(self.debate.turns):
            if turn.index != place and not self.over:
                return
            yield turn.index

    def each_turn(self) -> Iterator[Brief]:
        """On every turn."""
        for index in self.turns():
            yield from self.briefs(Subject(moment="turn", turns=(index,)))

    def each_pair(self) -> Iterator[Brief]:
        """On every two adjacent turns of different speakers."""
        present = self.debate.turns_by_index
        for index in self.turns():
            before = present.get(index - 1)
            if before is not None and before.speaker != present[index].speaker:
                yield from self.briefs(Subject(moment="pair", turns=(index - 1, index)))


def _over(debate: Debate, run: JudgingRun) -> bool:
    """A later run takes the debate as it is; the debate's own waits for the last speech."""
    if run.id != FIRST_RUN or debate.closed is not None or not debate.participants:
        return True
    return next_step(debate).close is not None


def _live(docket: _Docket, system: Live) -> Iterator[Brief]:
    """Turns and pairs as they come; the narrative and the convergence at the end; then the resolution of a conflict."""
    exchanges = (*docket.each_turn(), *docket.each_pair())
    yield from exchanges
    if not docket.over or not docket.debate.turns:
        return
    (narrative,) = docket.briefs(WHOLE)
    yield narrative
    indices = tuple(turn.index for turn in docket.debate.turns)
    if len(indices) >= CONVERGENCE_FROM:
        yield from docket.briefs(Subject(moment="debate", turns=(*indices[:2], *indices[-2:])))
    if all(docket.debate.settled(brief) for brief in (*exchanges, narrative)):
        (resolution,) = docket.briefs(WHOLE, revision=1)
        yield from (resolution,) if in_conflict(docket.debate, docket.run, system) else ()


def _votes(docket: _Docket, system: Panel) -> Iterator[Brief]:
    """All judges blind; then, revision by revision, those who have voted, as long as the panel is to deliberate."""
    debate = docket.debate
    if not docket.over or not (debate.turns or not debate.participants):
        return
    rounds: Mapping[int, tuple[Ballot, ...]] = {}
    due = docket.briefs(WHOLE)
    while True:
        yield from due
        if not all(debate.settled(brief) for brief in due):
            return
        rounds = rounds or ballots_by_round(debate, docket.run, system)
        revision = due[0].revision + 1
        if not _goes_on(rounds, system, revision):
            return
        voters = {ballot.judge for number in rounds if number < revision for ballot in rounds[number]}
        due = tuple(brief for brief in docket.briefs(WHOLE, revision) if brief.assessor in voters)


def _goes_on(rounds: Mapping[int, tuple[Ballot, ...]], system: Panel, revision: int) -> bool:
    """Whether there is to be (or was) a vote of that revision, all earlier ones being settled."""
    latest = max(rounds, default=-1)
    if latest >= revision:
        return True
    return latest == revision - 1 and deliberate_further(rounds, system)
